"""The maintainers' larger records of the API server's answers, if they lie beside the checkout."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from answers import answers, findings, without_helps

CONFORMANCE = Path(__file__).resolve().parents[3] / "shared" / "conformance"
pytestmark = pytest.mark.skipif(not CONFORMANCE.is_dir(), reason="the records are not beside this checkout")
WITH_CARETS = ("upstream-create", "synthetic-crd")


def cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of a file."""
    with (CONFORMANCE / f"{name}.ndjson").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("real", 127),
        ("synthetic-cel", 2972),
        ("synthetic-crd", 1461),
        ("synthetic-metadata", 510),
        ("synthetic-resources", 2221),
        ("upstream-create", 1432),
        ("upstream-resources", 600),
        ("upstream-update", 46),
        ("yaml", 301),
    ],
)
def test_crdlint_answers_as_the_api_server_did(name: str, count: int) -> None:
    compared = checked = 0
    for case in cases(name):
        got, want = answers(case)
        assert got == want, case["id"]
        compared += bool(want)
        checked += carets(case) if name in WITH_CARETS else 0
    assert compared >= count
    assert checked >= 90 or name not in WITH_CARETS


def test_the_caret_is_at_the_named_field() -> None:
    with without_helps():
        checked = sum(carets(case) for name in WITH_CARETS for case in cases(name)[::25])
    assert checked >= 8


def carets(case: dict[str, Any]) -> int:
    """Compare what is under the carets with the paths: the path's own key, its value, or the key of a parent that lacks it.

    Return the number of findings compared.
    """
    text, checked = case["yaml"], 0
    for d in findings(text, case.get("version", "1.36")):
        # At a place in an expression or pattern (tests/yaml/test_scalars.py), or in a default.
        inside = d.rule.startswith(("cel-", "default-", "pattern-"))
        if inside or d.kind != "field" or "openAPIV3Schema." not in d.field or d.line != d.end_line:
            continue
        line = text.split("\n")[d.line - 1]
        under = line[d.column - 1 : d.end_column - 1].strip("\"'")
        before = re.findall(r'"((?:[^"\\]|\\.)*)":\s*$', line[: d.column - 1])
        steps = {s for step in re.findall(r"\[([^\]]*)\]|([^.\[\]]+)", d.field) for s in step if s}
        if d.rule == "rule-message-invalid":
            steps.add("rule")  # a missing message is asked for at the rule that needs it
        if d.rule.startswith("list-map-key-"):
            steps.update(re.findall(r'"([^"]*)"', d.message))  # the key in question in the list of keys
        if line[d.column - 1] not in "[{":
            assert not steps.isdisjoint((under, *before)), (case["id"], d)
        checked += 1
    return checked
