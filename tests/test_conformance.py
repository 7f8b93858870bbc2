"""The API server's own answers, where the maintainers' records of them lie beside the checkout."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import crdlint

CONFORMANCE = Path(__file__).resolve().parents[2] / "shared" / "conformance"
pytestmark = pytest.mark.skipif(not CONFORMANCE.is_dir(), reason="the records are not beside this checkout")


def cases(name: str) -> list[dict[str, object]]:
    with (CONFORMANCE / f"{name}.ndjson").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def messages(diagnostics, kind):
    return {d.message for d in diagnostics if d.origin == "apiserver" and d.kind == kind}


def needs_values(text: str) -> bool:
    return "x-kubernetes-validations" in text or "default" in text.replace('"namespace": "default"', "")


def strict(errors):
    for text in errors:
        yield from (line.strip() for line in text.removeprefix("yaml: unmarshal errors:\n").split("\n"))


@pytest.mark.parametrize("name", ["upstream-create", "synthetic-crd", "real"])
def test_create(name):
    checked = 0
    for case in cases(name):
        if needs_values(case["yaml"]):
            continue
        checked += 1
        said, expect = crdlint.lint_text(case["yaml"]), case["expect"]
        if "decode_error" in expect:
            assert messages(said, "decode") == {expect["decode_error"]}, case["id"]
            continue
        assert messages(said, "field") == {e["string"] for e in expect.get("errors", [])}, case["id"]
        assert messages(said, "strict") == set(strict(expect.get("strict_errors", []))), case["id"]
        assert messages(said, "warning") == set(expect.get("warnings", [])), case["id"]
    assert checked >= 60


def test_decode_and_strict_errors_of_every_case():
    for case in cases("synthetic-crd"):
        said, expect = crdlint.lint_text(case["yaml"]), case["expect"]
        assert messages(said, "decode") == {m for m in [expect.get("decode_error")] if m}, case["id"]
        if "decode_error" not in expect:
            assert messages(said, "strict") == set(strict(expect.get("strict_errors", []))), case["id"]


def test_update():
    checked = 0
    for case in cases("upstream-update"):
        if needs_values(case["new"]) or needs_values(case["old"]):
            continue
        checked += 1
        said = crdlint.lint_update(case["old"], case["new"])
        assert messages(said, "field") == {e["string"] for e in case["expect"].get("errors", [])}, case["id"]
    assert checked >= 35


def test_yaml():
    for case in cases("yaml"):
        expect = case["expect"]
        if "yaml_error" in expect:
            with pytest.raises(crdlint.YAMLDecodeError) as raised:
                crdlint.decode_yaml(case["yaml"])
            assert str(raised.value) == expect["yaml_error"], case["id"]
        else:
            assert crdlint.decode_yaml(case["yaml"]) == json.loads(expect["json"]), case["id"]


def test_the_caret_stands_on_the_named_field():
    """What is under the caret is the path's own key, the value at that key, or the key of a parent that lacks it."""
    checked = 0
    for name in ("upstream-create", "synthetic-crd"):
        for case in cases(name):
            text = case["yaml"]
            for d in crdlint.lint_text(text):
                inside = d.rule.startswith("cel-")  # at a place in the expression: tests/yaml/test_scalars.py
                if inside or d.kind != "field" or "openAPIV3Schema." not in d.field or d.line != d.end_line:
                    continue
                line = text.split("\n")[d.line - 1]
                under = line[d.column - 1 : d.end_column - 1].strip("\"'")
                before = re.findall(r'"((?:[^"\\]|\\.)*)":\s*$', line[: d.column - 1])
                steps = {s for step in re.findall(r"\[([^\]]*)\]|([^.\[\]]+)", d.field) for s in step if s}
                if d.rule == "rule-message-invalid":
                    steps.add("rule")  # a missing message is asked for at the rule that needs it
                assert under in steps or (before and before[0] in steps) or line[d.column - 1] in "[{", (case["id"], d)
                checked += 1
    assert checked >= 200
