"""Everyday breakages are repaired: the CRD is accepted, no field is lost, and no other line changes."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import pytest
from breakages import BREAKAGES, CRD, OTHER
from repairs import check, errors, fixed

from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.runner.fixes import fix
from crdlint.sources.helm.templates import check_template
from crdlint.yaml import decode_yaml

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult

LABELS = '    {{- include "x.labels" . | nindent 4 }}\n'
CHART = "{{- if .Values.crds.install }}\n"
PARTS = 4  # of the breakages, to be tested beside each other


def test_the_crd_is_accepted_and_each_breakage_has_its_name() -> None:
    assert errors(check(CRD)) == []
    assert len({one.name for one in BREAKAGES}) == len(BREAKAGES)


@pytest.mark.parametrize("part", range(PARTS))
def test_the_breakages_are_repaired(part: int, subtests: pytest.Subtests) -> None:
    for breakage in BREAKAGES[part::PARTS]:
        with subtests.test(breakage.name):
            is_unsafe = breakage.fixes == "unsafe"
            assert (errors(fixed(breakage.text, unsafe=False).result) == []) != is_unsafe
            done = fixed(breakage.text, unsafe=is_unsafe)
            assert errors(done.result) == []
            assert done.undone == ()
            given, meant = (
                Counter(text.splitlines()) for text in (breakage.text, breakage.repaired)
            )
            untouched = given & Counter(CRD.splitlines()) & meant
            assert untouched - Counter(done.text.splitlines()) == Counter()
            assert fixed(done.text, unsafe=is_unsafe).text == done.text
            if breakage.fixed != OTHER:
                assert decode_yaml(done.text) == decode_yaml(breakage.repaired)


def in_chart(text: str) -> str:
    """Return a text as the template of a chart."""
    body = text.removeprefix("---\n").replace("    app.kubernetes.io/part-of: widgets\n", LABELS)
    return f"{CHART}{body}{{{{- end }}}}\n"


@cache
def check_in_chart(text: str) -> FileResult:
    return check_template(
        "x",
        text,
        lambda masked, file: lint_file(
            masked, file, CheckRequest(skip_unfinished=True, fixes=True)
        ),
    )


# Without Helm, a template that is no YAML when its directives are left out cannot be checked.
NOT_YAML = {
    "colon in a description",
    "description that begins with a backtick",
    "description that begins with an asterisk",
    "description that begins with an at sign",
    "description that begins with a percent sign",
    "negated rule without quotes",
    "tabs",
    "missing colon blank",
    "key without a colon",
    "regular expression between double quotes",
    "unclosed quote",
    "wrong indentation of a line",
}
# The API server accepts these, with another meaning.
ACCEPTED = {"YAML 1.1 booleans", "equal keys twice"}


@pytest.mark.parametrize("part", range(PARTS))
def test_the_breakages_are_repaired_in_a_template(part: int, subtests: pytest.Subtests) -> None:
    for breakage in BREAKAGES[part::PARTS]:
        with subtests.test(breakage.name):
            text = in_chart(breakage.text)
            before = check_in_chart(text)
            done = fix(before, check_in_chart, unsafe=True)
            if breakage.name in NOT_YAML:
                assert [one.rule for one in before.diagnostics] == ["helm-skipped"]
                assert done.text == text
                continue
            assert (errors(before) == []) == (breakage.name in ACCEPTED)
            assert errors(done.result) == []
            assert done.edits != ()
            assert done.text.startswith(CHART)
            assert done.text.endswith("{{- end }}\n")
            assert LABELS in done.text
