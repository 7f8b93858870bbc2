"""Everyday breakages of CRDs in other styles are repaired exactly: every character is as it must be."""

from __future__ import annotations

import pytest
from repairs import check, errors, fixed
from style_breakages import DATABASES, JOBS, LEFT, ROUTES, SEVERAL, STYLE_BREAKAGES
from tables import each

from crdlint.yaml.edit import apply


@pytest.mark.parametrize(
    "crd", [DATABASES, ROUTES, JOBS, SEVERAL], ids=["databases", "routes", "jobs", "several"]
)
def test_the_crds_have_no_findings(crd: str) -> None:
    assert check(crd).diagnostics == ()


@pytest.mark.parametrize("part", range(8))
def test_the_breakages_are_repaired_exactly(part: int, subtests: pytest.Subtests) -> None:
    for breakage in STYLE_BREAKAGES[part::8]:
        with subtests.test(breakage.name):
            safe, unsafe = fixed(breakage.text, unsafe=False), fixed(breakage.text, unsafe=True)
            done = safe if breakage.fixes == "safe" else unsafe
            assert (safe.text == breakage.repaired) == (breakage.fixes == "safe")
            assert unsafe.text == breakage.repaired  # a guess repairs no more than what is left
            assert errors(done.result) == []
            assert done.undone == ()
            assert apply(breakage.text, done.edits) == done.text
            assert fixed(done.text, unsafe=breakage.fixes == "unsafe").edits == ()


@each("text", LEFT.values(), ids=LEFT)
def test_what_only_the_author_can_repair_is_reported_and_left(text: str) -> None:
    assert check(text).diagnostics != ()
    assert fixed(text, unsafe=True).text == text


def test_each_breakage_has_its_name() -> None:
    assert len({breakage.name for breakage in STYLE_BREAKAGES}) == len(STYLE_BREAKAGES)
