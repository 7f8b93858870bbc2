"""The work of `--fix` and `--suggest` grows with the file, not with its square."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from counting import LINEAR, lines_run
from crds import crd_with_schema

from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.report.locations import patch
from crdlint.runner.fixes import fix

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.linting.result import FileResult


CRD = crd_with_schema("""\
type: object
properties:
""")
RULE = """\
          p{i}:
            type: string
            maxLength: 5
            x-kubernetes-validations:
            - {{rule: "self == 'a'", optionalOldSelf: true}}
"""


def crd(rules: int) -> str:
    return CRD + "".join(RULE.format(i=i) for i in range(rules))


INPUTS = {
    "lines above": lambda n: "a: |\n" + "  x\n" * (10 * n) + "---\n" + crd(n // 4),
    "rules": crd,
    "documents": lambda n: "---\n".join(crd(1).replace("foos", f"foos{i}") for i in range(n)),
    "documents and lines": lambda n: "---\n".join(
        "# x\n" * 40 + crd(1).replace("foos", f"foos{i}") for i in range(n)
    ),
}


def check(text: str) -> FileResult:
    return lint_file(text, "x", CheckRequest(fixes=True))


@pytest.mark.parametrize("text", INPUTS.values(), ids=INPUTS)
def test_fixes(text: Callable[[int], str]) -> None:
    results = [check(text(n)) for n in (16, 32)]
    assert all("optionalOldSelf" not in fix(result, check, unsafe=False).text for result in results)
    once, twice = (lines_run(partial(fix, result, check, unsafe=False)) for result in results)
    assert twice / once < LINEAR


@pytest.mark.parametrize("text", INPUTS.values(), ids=INPUTS)
def test_patches(text: Callable[[int], str]) -> None:
    def costly(n: int) -> str:
        return (
            text(n)
            .replace("maxLength: 5", "maxLength: 500000")
            .replace("self == 'a'", "self.matches(self)")
        )

    results = [check(costly(n)) for n in (8, 16)]
    edits = [fix(result, check, unsafe=True).edits for result in results]
    assert all(edits)
    once, twice = (
        lines_run(partial(patch, "x", result.text, found))
        for result, found in zip(results, edits, strict=True)
    )
    assert twice / once < LINEAR


COSTLY = """\
          p{i}:
            type: array
            items: {{type: string}}
            x-kubernetes-validations:
            - rule: self.all(x, self.all(y, x != y || x.contains(y)))
"""
DEFAULT = "          p{i}: {{type: integer, default: '1'{more}}}\n"


def _defaults(count: int, *, wrong: int) -> str:
    """Return a CRD with defaults that can be integers, and each `wrong`th of which then is too low."""
    fields = (
        DEFAULT.format(i=i, more=", minimum: 5" if i % wrong == 0 else "") for i in range(count)
    )
    return CRD + "".join(fields)


@pytest.mark.parametrize(
    ("text", "kept", "most"),
    [
        pytest.param(
            CRD + "".join(COSTLY.format(i=i) for i in range(400)), 400, 5, id="costly rules"
        ),
        pytest.param(_defaults(90, wrong=1), 0, 2, id="wrong defaults"),
        pytest.param(_defaults(90, wrong=2), 45, 3, id="wrong and good defaults"),
    ],
)
def test_fixes_that_fail_take_a_few_checks(text: str, kept: int, most: int) -> None:
    checks: list[str] = []

    def counted(text: str) -> FileResult:
        checks.append(text)
        return check(text)

    once = fix(check(text), counted, unsafe=True)
    assert len({applied.line for applied in once.applied}) >= kept
    assert len(checks) <= most
    assert not fix(check(once.text), check, unsafe=True).edits, "repeated, it changes nothing"
