"""Samples in the text of `crdlint check`: what one mistake explains is one entry, and other formats have each error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from click.testing import CliRunner
from crds import crd_with_spec
from tables import each

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_CRD: Final = crd_with_spec("""
    type: object
    required: [a, b, c]
    properties:
      a: {type: string, enum: ["true", "false"]}
      b: {type: string, enum: ["true", "false"]}
      c: {type: string}
      count: {type: integer}
      inner: {type: object, properties: {v: {type: string}, w: {type: string}}}
""")
_HEAD: Final = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\n"
_GOOD: Final = 'a: "true"\n  b: "true"\n  c: x'
# Specs, the number of entries in text, a part of it, and the number of errors in JSON.
_FOLDED: Final = {
    "values of one wrong type": ("a: true\n  b: false\n  c: x", 1, "also `b` (line 6)", 4),
    "values of two wrong types": ("a: true\n  b: [x]\n  c: x", 2, "", 4),
    "missing fields": ('a: "true"', 1, "also `c`", 2),
    "unknown fields": (f"{_GOOD}\n  p: 1\n  q: 2", 1, "also `q` (line 9)", 2),
    "fields to indent": (f"{_GOOD}\n  v: v\n  w: v", 1, "also `w` (line 9)", 2),
    "fields in other letters": (
        'a: "true"\n  b: "true"\n  c: x\n  Count: 1\n  Inner: {v: v}',
        1,
        "also `Inner` (line 9)",
        2,
    ),
    "the placeholder of a new sample": ("foo: bar", 1, "3 more errors follow from this", 4),
    "a misspelled field and one that is none": (f"{_GOOD}\n  iner: {{}}\n  q: 2", 2, "", 2),
    "a wrong value beside a wrong type": ("a: true\n  b: maybe\n  c: x", 2, "", 3),
}


def _run(folder: Path, *options: str) -> str:
    return CliRunner().invoke(cli, ["check", "--no-cache", *options, str(folder)]).stdout


@each(("spec", "entries", "note", "errors"), _FOLDED.values(), ids=_FOLDED)
def test_one_mistake_is_one_entry(
    spec: str, entries: int, note: str, errors: int, tmp_path: Path
) -> None:
    (tmp_path / "crd.yaml").write_text(_CRD)
    (tmp_path / "a.yaml").write_text(f"{_HEAD}spec:\n  {spec}\n")
    shown = _run(tmp_path, "--format", "text")
    assert shown.count("\n  --> ") == entries
    assert note in shown
    assert f"{errors} error{'s' * (errors > 1)}" in shown
    document = json.loads(_run(tmp_path, "--format", "json"))
    assert len(document["diagnostics"]) == document["summary"]["errors"] == errors


def test_all_can_be_shown(tmp_path: Path) -> None:
    (tmp_path / "crd.yaml").write_text(_CRD)
    (tmp_path / "a.yaml").write_text(f"{_HEAD}spec:\n  a: true\n  b: false\n  c: x\n")
    assert _run(tmp_path, "--format", "text", "--show-all").count("\n  --> ") == 4


def test_the_server_says_both_of_a_wrong_type(tmp_path: Path) -> None:
    (tmp_path / "crd.yaml").write_text(_CRD)
    (tmp_path / "a.yaml").write_text(f'{_HEAD}spec:\n  a: true\n  b: "true"\n  c: x\n')
    shown = _run(tmp_path, "--format", "text")
    assert "must be of type string" in shown
    assert "= server: spec.a: Unsupported value: true" in shown


def test_files_with_a_version_that_is_not_served_are_one_entry(tmp_path: Path) -> None:
    for kind in ("Foo", "Bar"):
        crd = _CRD.replace("Foo", kind).replace("foos", f"{kind.lower()}s")
        (tmp_path / f"{kind}-crd.yaml").write_text(crd)
        (tmp_path / f"{kind}.yaml").write_text(
            f"{_HEAD.replace('Foo', kind).replace('v1', 'v1alpha1')}spec: {{}}\n"
        )
    shown = _run(tmp_path, "--format", "text")
    assert shown.count("\n  --> ") == 1
    assert "the same cause in" in " ".join(shown.split())


def test_equal_mistakes_of_files_are_one_line_of_the_end(tmp_path: Path) -> None:
    (tmp_path / "crd.yaml").write_text(_CRD)
    for name in ("a", "b"):
        text = _HEAD.replace("name: a", f"name: {name}")
        (tmp_path / f"{name}.yaml").write_text(f"{text}spec:\n  a: true\n  b: false\n  c: x\n")
    shown = _run(tmp_path, "--format", "text")
    assert shown.count("\n  --> ") == 1
    assert shown.count("also in") == 1
    assert "and 3 more of this rule, also in" in " ".join(shown.split())


@each(
    ("below", "severity"),
    [
        ("", "warning"),
        ("\n  # of another field", "warning"),
        ("    # TODO: add fields\n    # of this field\n", "info"),
        ("  #   v: a field of it\n", "info"),
        ("  # v: another field\n", "warning"),
    ],
)
def test_a_null_that_only_apply_rejects(
    below: str, severity: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crd.yaml").write_text(_CRD)
    (tmp_path / "a.yaml").write_text(f"{_HEAD}spec:\n  {_GOOD}\n  inner:\n{below}")
    (finding,) = json.loads(_run(tmp_path, "--format", "json"))["diagnostics"]
    assert (finding["rule"], finding["severity"]) == ("resource-apply-rejected", severity)
    applied = json.loads(_run(tmp_path, "--format", "json", "--sender", "kubectl-server-side"))
    assert [each["severity"] for each in applied["diagnostics"]] == ["error"]


def test_samples_of_one_name_are_no_copies(tmp_path: Path) -> None:
    (tmp_path / "crd.yaml").write_text(_CRD)
    for name in ("first", "second"):
        (tmp_path / f"{name}.yaml").write_text(f"{_HEAD}spec:\n  a: true\n  b: false\n  c: x\n")
    shown = " ".join(_run(tmp_path, "--format", "text").split())
    assert "second.yaml:5" in shown
    assert "copy" not in shown
