"""Everyday breakages of CRDs in other styles are repaired exactly: every character is as it must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from style_breakages import DATABASES, JOBS, ROUTES, SEVERAL, STYLE_BREAKAGES, StyleBreakage

from crdlint.linting.pipeline import lint_file
from crdlint.runner.fixes import fix
from crdlint.yaml.edit import apply

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult

ALL = [pytest.param(breakage, id=breakage.name) for breakage in STYLE_BREAKAGES]


def check(text: str) -> FileResult:
    return lint_file(text, filename="x", skip_unfinished=True, fixes=True)


def errors(result: FileResult) -> list[str]:
    return [finding.message for finding in result.diagnostics if finding.severity == "error"]


@pytest.mark.parametrize("crd", [DATABASES, ROUTES, JOBS, SEVERAL], ids=["databases", "routes", "jobs", "several"])
def test_the_crds_have_no_findings(crd: str) -> None:
    assert check(crd).diagnostics == ()


@pytest.mark.parametrize("breakage", ALL)
def test_the_breakage_is_repaired_exactly(breakage: StyleBreakage) -> None:
    before = check(breakage.text)
    safe = fix(before, check, unsafe=False)
    unsafe = fix(before, check, unsafe=True)
    fixed = safe if breakage.fixes == "safe" else unsafe
    assert (safe.text == breakage.repaired) == (breakage.fixes == "safe")
    assert unsafe.text == breakage.repaired  # a guess repairs no more than what is left
    assert errors(fixed.result) == []
    assert fixed.undone == ()
    assert apply(breakage.text, fixed.edits) == fixed.text
    assert fix(fixed.result, check, unsafe=breakage.fixes == "unsafe").edits == ()


def test_there_are_many() -> None:
    assert len(STYLE_BREAKAGES) >= 200
    assert len({breakage.name for breakage in STYLE_BREAKAGES}) == len(STYLE_BREAKAGES)
