"""Values that `values.schema.json` rejects, without Helm; the sentences are those that Helm 4.3.1 printed for these charts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from tables import each

from crdlint.sources.helm.chart import load_folder
from crdlint.sources.helm.layout import HelmValues
from crdlint.sources.helm.values_schema import failures_of

if TYPE_CHECKING:
    from pathlib import Path

REJECTED: Final = (
    "values don't meet the specifications of the schema(s) in the following chart(s): demo: "
)
STRING: Final = {"type": "string"}
STRINGS: Final = [{"type": "string"}, {"type": "boolean"}]


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


# The values, the schema, and the errors.
CHARTS: Final[dict[str, tuple[str, dict[str, Any], str]]] = {
    "values that meet it": ("a: x\n", of(a=STRING), ""),
    "a type": ("a: {b: 1.5}\n", of(a=of(b=STRING)), "- at '/a/b': got number, want string"),
    "missing properties": ("a: 1\n", {"required": ["a", "b", "c"]}, "- at '': missing properties 'b', 'c'"),
    "a missing property": ("a: {b: 1}\n", of(a={"required": ["c"]}), "- at '/a': missing property 'c'"),
    "more properties": (
        "a: 1\nz: 2\n", {**of(a={}), "additionalProperties": False}, "- at '': additional properties 'z' not allowed"),
    "another value": ("a: x\n", of(a={"enum": ["no", 1, True]}), "- at '/a': value must be one of 'no', 1, true"),
    "not the only value": ("b: 3\n", of(b={"enum": ["only"]}), "- at '/b': value must be 'only'"),
    "a pattern": (
        "a: it's\n", of(a={"pattern": "^[a-z]+$"}), r"- at '/a': 'it\'s' does not match pattern '^[a-z]+$'"),
    "a number below its minimum": ("a: 0.5\n", of(a={"minimum": 1}), "- at '/a': minimum: got 0.5, want 1"),
    "a short list": ("c: []\n", of(c={"minItems": 1}), "- at '/c': minItems: got 0, want 1"),
    "a long text": ("d: abc\n", of(d={"maxLength": 2}), "- at '/d': maxLength: got 3, want 2"),
    "none of several": ("a: 5\n", of(a={"oneOf": STRINGS}), "- at '/a': 'oneOf' failed, none matched"),
    "a reference": (
        "a: 5\n", {**of(a={"$ref": "#/$defs/s"}), "$defs": {"s": STRING}}, "- at '/a': got number, want string"),
    "an older draft": (
        "a: 5\n", {"$schema": "http://json-schema.org/draft-07/schema#", **of(a=STRING)}, "- at '/a': got number, want string"),
    "a schema elsewhere": ("a: 5\n", of(a=STRING, b={"$ref": "https://example.com/x.json"}), "- at '/a': got number, want string"),
    "a value that a schema elsewhere describes": ("b: 5\n", of(b={"$ref": "https://example.com/x.json"}), ""),
    "null, which Helm removes": ("a:\n", of(a=STRING), ""),
    "names that patterns match": ("a: 5\n", {"patternProperties": {"^a": STRING}}, ""),
    "a draft that is not known": ("a: 5\n", {"$schema": "https://example.com/schema", **of(a=STRING)}, ""),
    "a draft that is no text": ("a: 5\n", {"$schema": {}, **of(a=STRING)}, ""),
    "items that are unique": ("a: [1, 1]\n", of(a={"uniqueItems": True}), ""),
    "a pattern that is not Go's": ("a: 5\n", of(a={"pattern": "(?=a)"}), ""),
}  # fmt: skip


def chart(folder: Path, files: dict[str, str]) -> str:
    for name, text in {
        "Chart.yaml": "apiVersion: v2\nname: demo\nversion: 0.1.0\n",
        **files,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(folder)


@each("name", CHARTS)
def test_values(name: str, tmp_path: Path) -> None:
    values, schema, errors = CHARTS[name]
    folder = chart(tmp_path, {"values.yaml": values, "values.schema.json": json.dumps(schema)})
    failures = failures_of(load_folder(folder), HelmValues())
    assert [each.why for each in failures] == ([REJECTED + errors] if errors else [])


def test_each_set_of_values_and_what_is_given(tmp_path: Path) -> None:
    files = {
        "values.yaml": "a: x\n",
        "values.schema.json": json.dumps(of(a=STRING)),
        "ci/one-values.yaml": "a: 5\n",
        "ci/two-values.yaml": "a: b\n",
    }
    model = load_folder(chart(tmp_path, files))
    [failure] = failures_of(model, HelmValues())
    assert failure.values == f" with {tmp_path}/ci/one-values.yaml"
    [chosen] = failures_of(model, HelmValues(files=(f"{tmp_path}/ci/one-values.yaml",)))
    assert (failure.is_chosen, chosen.is_chosen) == (False, True)
    assert not failures_of(model, HelmValues(others=("--set-json=a=5",)))


SUB: Final = (
    "apiVersion: v2\nname: demo\nversion: 0.1.0\n"
    "dependencies: [{name: sub, version: 0.1.0, condition: sub.enabled}]\n"
)


@pytest.mark.parametrize("is_on", [True, False])
def test_a_chart_within(tmp_path: Path, *, is_on: bool) -> None:
    files = {
        "Chart.yaml": SUB,
        "values.yaml": f"count: 1\nsub: {{enabled: {str(is_on).lower()}}}\n",
        "charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 0.1.0\n",
        "charts/sub/values.yaml": "count: 5\n",
        "charts/sub/values.schema.json": json.dumps(of(count=STRING)),
    }
    failures = failures_of(load_folder(chart(tmp_path, files)), HelmValues())
    error = "sub: - at '/count': got number, want string"
    assert [each.why for each in failures] == [REJECTED.replace("demo: ", error)] * is_on
    assert [each.result().file for each in failures] == [f"{tmp_path}/Chart.yaml"] * is_on


def test_globals_reach_the_charts_within(tmp_path: Path) -> None:
    files = {
        "Chart.yaml": SUB.replace(", condition: sub.enabled", ""),
        "charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 0.1.0\n",
        "charts/sub/values.schema.json": json.dumps({"additionalProperties": False}),
    }
    [failure] = failures_of(load_folder(chart(tmp_path, files)), HelmValues())
    assert failure.why.endswith("sub: - at '': additional properties 'global' not allowed")


def test_the_finding_is_at_the_value(tmp_path: Path) -> None:
    files = {
        "values.yaml": "b: 1\na:\n  c: 5\n",
        "values.schema.json": json.dumps(of(a=of(c=STRING))),
    }
    [failure] = failures_of(load_folder(chart(tmp_path, files)), HelmValues())
    [finding] = failure.result().diagnostics
    assert (finding.file, finding.line, finding.severity) == (f"{tmp_path}/values.yaml", 3, "error")
    assert finding.headline == (
        "Helm does not render the chart: at '/a/c': got number, want string"
    )


def test_work_is_bounded(tmp_path: Path) -> None:
    steps = {f"s{i}": {"allOf": [{"$ref": f"#/$defs/s{i + 1}"}] * 2} for i in range(40)}
    schema = {"$defs": {**steps, "s40": {}}, "$ref": "#/$defs/s0"}
    folder = chart(tmp_path, {"values.yaml": "a: 5\n", "values.schema.json": json.dumps(schema)})
    assert not failures_of(load_folder(folder), HelmValues())
