"""The JSON Schema of the JSON output, against the output about every fixture and of every command that has it."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from commands import crdlint
from jsonschema import Draft202012Validator

from crdlint.diagnostics import Diagnostic
from crdlint.report import json as json_report
from crdlint.report.changes import KEYS
from crdlint.report.pieces import Summary

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
SCHEMA: Final = json.loads(
    Path(json_report.__file__).with_name("output.schema.json").read_text(encoding="utf-8")
)
FIXTURES: Final = ROOT / "fixtures"


def errors_of(output: str) -> list[str]:
    document = json.loads(output)
    problems = [
        f"{error.json_path}: {error.message}"
        for error in Draft202012Validator(SCHEMA).iter_errors(document)
    ]
    return [*problems, *undescribed(document, SCHEMA, "$")]


def undescribed(value: Any, schema: Any, path: str) -> Iterator[str]:
    """Yield the paths of fields in an output that the schema does not name."""
    for part in (schema, *schema.get("anyOf", ())):
        target = SCHEMA["$defs"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part
        if isinstance(value, list) and "items" in target:
            for item in value:
                yield from undescribed(item, target["items"], f"{path}[]")
        if isinstance(value, dict) and "properties" in target:
            for name, inner in value.items():
                if name not in target["properties"]:
                    yield f"{path}.{name}"
                else:
                    yield from undescribed(inner, target["properties"][name], f"{path}.{name}")


def test_the_schema_is_one_and_names_every_field() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    names = {field.name for field in fields(Diagnostic)} - {"lacks", "cause", "errors"}
    assert names | {"url", "follows_from"} == set(SCHEMA["$defs"]["diagnostic"]["properties"])
    assert {field.name for field in fields(Summary)} == set(
        SCHEMA["$defs"]["summary"]["properties"]
    )
    assert set(SCHEMA["properties"]["changes"]["properties"]) == set(KEYS.values())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--show-all", "--select", "*,ssa,gitops,conventions,stability"],
        ["--kube-version", "1.28..1.37"],
        ["--no-helm", "--include-dependencies"],
    ],
)
def test_the_findings_of_all_fixtures_match(arguments: list[str]) -> None:
    output = crdlint("check", "--no-cache", "--format", "json", *arguments, str(FIXTURES)).stdout
    assert len(json.loads(output)["diagnostics"]) > 100
    assert errors_of(output) == []


def test_other_outputs_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    old = (FIXTURES / "valid" / "minimal.yaml").read_text(encoding="utf-8")
    for side, text in (("old", old), ("new", old.replace("Namespaced", "Cluster"))):
        Path(side).mkdir()
        Path(side, "a.yaml").write_text(text, encoding="utf-8")
    changes = crdlint("diff", "--format", "json", "old", "new").stdout
    assert json.loads(changes)["changes"]
    assert errors_of(changes) == []
    assert errors_of(crdlint("check", "--against", "old", "--format", "json", "new").stdout) == []
    Path("new", ".crdlint.yaml").write_text("selct: []\n")
    broken = crdlint("check", "--format", "json", "new", "gone.yaml").stdout
    assert len(json.loads(broken)["unreadable"]) == 2
    assert errors_of(broken) == []
    Path("object.yaml").write_text("apiVersion: example.com/v1\nkind: Foo\nnope: 1\n")
    objects = crdlint("validate", "--crd", "old", "--format", "json", "object.yaml").stdout
    assert errors_of(objects) == []


def test_what_the_schema_rejects() -> None:
    good = json.loads(crdlint("check", "--format", "json", str(FIXTURES / "valid")).stdout)
    for name in ("version", "summary", "files", "diagnostics", "unreadable"):
        without = {key: value for key, value in good.items() if key != name}
        assert errors_of(json.dumps(without)) == [f"$: '{name}' is a required property"]
    assert errors_of(json.dumps(good | {"other": 1})) == ["$.other"]
    assert errors_of(json.dumps(good | {"version": 2})) == ["$.version: 1 was expected"]
