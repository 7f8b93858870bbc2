"""The API server's own answers, where the maintainers' records of them lie beside the checkout."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest

import crdlint

CONFORMANCE = Path(__file__).resolve().parents[2] / "shared" / "conformance"
pytestmark = pytest.mark.skipif(not CONFORMANCE.is_dir(), reason="the records are not beside this checkout")


def cases(name: str, op: str | None = None) -> list[dict[str, object]]:
    """Return the cases of a file, those of one operation where ``op`` is given."""
    with (CONFORMANCE / f"{name}.ndjson").open(encoding="utf-8") as lines:
        return [case for case in map(json.loads, lines) if op in {None, case["op"]}]


def messages(diagnostics, kind):
    return {plain(d.message) for d in diagnostics if d.origin == "apiserver" and d.kind == kind}


def plain(text):
    return re.sub(r"selfType[0-9]*", "selfType", text)  # upstream names the type of self after the clock


def expected(expect):
    return {plain(error["string"]) for error in expect.get("errors", [])}


def figures(cost):
    return (cost["path"], *(str(cost[name]) for name in ("max_cost", "expression_cost", "max_cardinality")))


def strict(errors):
    for text in errors:
        yield from (line.strip() for line in text.removeprefix("yaml: unmarshal errors:\n").split("\n"))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("upstream-create", 1432),
        ("synthetic-crd", 1461),
        ("synthetic-cel", 2972),
        ("synthetic-versions", 2399),
        ("synthetic-metadata", 291),
        ("real", 127),
    ],
)
def test_create(name, count):
    checked = 0
    for case in cases(name, "create"):
        checked += 1
        version = case.get("version", "1.36")
        said, expect = crdlint.lint_text(case["yaml"], kube_version=version), case["expect"]
        if "decode_error" in expect:
            assert messages(said, "decode") == {expect["decode_error"]}, case["id"]
            continue
        assert messages(said, "field") == expected(expect), case["id"]
        assert messages(said, "strict") == set(strict(expect.get("strict_errors", []))), case["id"]
        assert messages(said, "warning") == set(expect.get("warnings", [])), case["id"]
    assert checked >= count


@pytest.mark.parametrize("name", ["upstream-create", "synthetic-crd", "synthetic-cel", "real"])
def test_costs(name):
    compared = 0
    for case in cases(name):
        expect = case["expect"].get("cel")
        if expect is None:
            continue
        said = crdlint.estimate_costs(case["yaml"])
        assert sorted(map(figures, map(asdict, said))) == sorted(map(figures, expect)), case["id"]
        compared += len(said)
    assert compared >= 100


def test_update():
    checked = 0
    for case in cases("upstream-update"):
        checked += 1
        said = crdlint.lint_update(case["old"], case["new"])
        assert messages(said, "field") == expected(case["expect"]), case["id"]
    assert checked >= 46


@pytest.mark.parametrize(
    ("name", "count"), [("upstream-resources", 600), ("synthetic-resources", 600), ("synthetic-metadata", 219)]
)
def test_resources(name, count):
    checked = 0
    for case in cases(name, "cr"):
        expect = case["expect"]
        if "decode_error" in expect:
            continue
        checked += 1
        said = crdlint.validate_resource(case["crd"], case["cr"], old_resource=case.get("old_cr"))
        assert messages(said.errors, "field") == expected(expect), case["id"]
        assert sorted(said.unknown_fields) == sorted(expect.get("unknown_fields", [])), case["id"]
        assert (said.resource, said.cel_cost) == (expect.get("defaulted"), expect.get("cel_cost")), case["id"]
    assert checked >= count


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
                # At a place in an expression (tests/yaml/test_scalars.py), or in a default.
                inside = d.rule.startswith(("cel-", "default-"))
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
