"""Everyday breakages are repaired: the CRD is accepted, no field is lost, and no other line changes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from breakages import BREAKAGES, CRD, OTHER

from crdlint.inputs.helm.templates import check_template
from crdlint.linting.pipeline import lint_file
from crdlint.runner.fixes import fix
from crdlint.yaml import decode_yaml

if TYPE_CHECKING:
    from typing import Any

ALL = [pytest.param(one, id=one.name) for one in BREAKAGES]
LABELS = '    {{- include "x.labels" . | nindent 4 }}\n'
CHART = "{{- if .Values.crds.install }}\n"


def check(text: Any) -> Any:
    return lint_file(text, filename="x", skip_unfinished=True, fixes=True)


def errors(result: Any) -> Any:
    return [one.message for one in result.diagnostics if one.severity == "error"]


def test_the_crd_is_accepted() -> None:
    assert errors(check(CRD)) == []
    assert len(BREAKAGES) >= 60
    assert len({one.name for one in BREAKAGES}) == len(BREAKAGES)


@pytest.mark.parametrize("breakage", ALL)
def test_the_breakage_is_repaired(breakage: Any) -> None:
    before = check(breakage.text)
    safe = fix(before, check, unsafe=False)
    assert (errors(safe.result) == []) == (breakage.fixes == "safe")
    fixed = safe if breakage.fixes == "safe" else fix(before, check, unsafe=True)
    assert errors(fixed.result) == []
    assert fixed.undone == ()
    untouched = (
        Counter(breakage.text.splitlines()) & Counter(CRD.splitlines()) & Counter(breakage.repaired.splitlines())
    )
    assert untouched - Counter(fixed.text.splitlines()) == Counter()
    again = fix(fixed.result, check, unsafe=breakage.fixes == "unsafe")
    assert again.text == fixed.text


@pytest.mark.parametrize("breakage", [pytest.param(one, id=one.name) for one in BREAKAGES if one.fixed != OTHER])
def test_the_values_are_those_that_are_meant(breakage: Any) -> None:
    fixed = fix(check(breakage.text), check, unsafe=breakage.fixes == "unsafe")
    assert decode_yaml(fixed.text) == decode_yaml(breakage.repaired)


def in_chart(text: Any) -> Any:
    """Return a text as the template of a chart."""
    body = text.removeprefix("---\n").replace(
        "    app.kubernetes.io/part-of: widgets\n", '    {{- include "x.labels" . | nindent 4 }}\n'
    )
    return f"{CHART}{body}{{{{- end }}}}\n"


def check_in_chart(text: Any) -> Any:
    return check_template(
        "x", text, lambda masked, file: lint_file(masked, filename=file, skip_unfinished=True, fixes=True)
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


@pytest.mark.parametrize("breakage", [pytest.param(one, id=one.name) for one in BREAKAGES if one.name not in NOT_YAML])
def test_the_breakage_is_repaired_in_a_template(breakage: Any) -> Any:
    before = check_in_chart(in_chart(breakage.text))
    assert (errors(before) == []) == (breakage.name in ACCEPTED)
    fixed = fix(before, check_in_chart, unsafe=True)
    assert errors(fixed.result) == []
    assert fixed.edits != ()
    assert fixed.text.startswith(CHART)
    assert fixed.text.endswith("{{- end }}\n")
    assert LABELS in fixed.text


@pytest.mark.parametrize("breakage", [pytest.param(one, id=one.name) for one in BREAKAGES if one.name in NOT_YAML])
def test_a_template_that_is_no_yaml_is_reported_and_left(breakage: Any) -> Any:
    text = in_chart(breakage.text)
    before = check_in_chart(text)
    assert [one.rule for one in before.diagnostics] == ["helm-skipped"]
    assert fix(before, check_in_chart, unsafe=True).text == text
