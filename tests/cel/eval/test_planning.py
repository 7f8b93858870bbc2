"""What is done before evaluation, and what cannot be planned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tables import each

from crdlint.cel.ast import Uint
from crdlint.cel.errors import PlanError
from crdlint.cel.eval.equality import members_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.eval.program import Program

REFUSED = [
    ("int('a') == 1", "type conversion error from 'string' to 'int'"),
    ("duration('x') == duration('1s')", "type conversion error from 'string' to 'google.protobuf.Duration'"),
    ("false && timestamp('9999-99-01T00:00:00Z') == timestamp(0)",
     "type conversion error from 'string' to 'google.protobuf.Timestamp'"),
    ("uint(-1.0) == 1u", "unsigned integer overflow"),
    ("self.a.matches('(')", "error parsing regexp: missing closing ): `(`"),
    ("[int].exists(t, t == int)", "reference to undefined type: t"),
    ("{dyn(b'a'): 1}", "internal error: runtime error: hash of unhashable type types.Bytes"),
    ("self[dyn(null)]", "invalid qualifier type: types.Null"),
]  # fmt: skip


@each(("text", "message"), REFUSED)
def test_refused(program: Callable[..., Program], text: str, message: str) -> None:
    with pytest.raises(PlanError) as refused:
        program(text)
    assert str(refused.value) == message


def test_members_of_constants() -> None:
    assert members_of([1, "a"]) == frozenset({(int, 1), (float, 1.0), (Uint, Uint(1)), (str, "a")})
    assert members_of([-1, 2.5, True]) == frozenset(
        {(int, -1), (float, -1.0), (float, 2.5), (bool, True)}
    )
    assert members_of([]) == frozenset()
    assert members_of([b"a"]) is None
    assert members_of([[1]]) is None


def test_nan_is_in_no_list(program: Callable[..., Program]) -> None:
    assert program("double('nan') in [double('nan')]").evaluate({}).value is False
