"""An environment with the standard functions, optionals and maps of two-variable comprehensions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crdlint.cel.builder import ParserOptions
from crdlint.cel.compiler import compile_text
from crdlint.cel.decls import Env, Variable, overload
from crdlint.cel.eval.cost import CostModel
from crdlint.cel.eval.functions import Functions
from crdlint.cel.eval.program import Program, plan
from crdlint.cel.library import extensions, stdlib
from crdlint.cel.library.stdlib_functions import BOUND, SINGLETONS
from crdlint.cel.types import BOOL, DYN, INT

if TYPE_CHECKING:
    from collections.abc import Callable

_THREE = (overload("three", "three_dyn", (DYN, DYN, DYN), BOOL, lambda _one, _two, _three: True),)
_ADDED = (
    *extensions.OPTIONALS,
    *extensions.OPTIONALS_ADDED_BY_VERSION_2,
    *extensions.TWO_VARIABLE_COMPREHENSIONS,
    *_THREE,
)
_STANDARD = Env().extend(stdlib.TYPES).with_functions(stdlib.FUNCTIONS)
_ENV = replace(_STANDARD, cross_type_comparisons=True).extend(
    (*extensions.OPTIONAL_TYPES, Variable("self", DYN), Variable("x", INT))
)
_ENV = _ENV.with_functions(_ADDED)
_FUNCTIONS = Functions(
    Env().with_functions((*stdlib.FUNCTIONS, *_ADDED)).functions, BOUND, SINGLETONS
)


@pytest.fixture(scope="session")
def program() -> Callable[..., Program]:
    def make(text: str, costs: CostModel | None = None) -> Program:
        compiled = compile_text(text, _ENV, ParserOptions())
        assert not compiled.errors, compiled.display()
        return plan(
            compiled.expr, compiled.result, _FUNCTIONS, CostModel() if costs is None else costs
        )

    return make
