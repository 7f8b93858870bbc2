"""`crdlint validate`: what a person meets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "resources"
CRD, GOOD, BAD = (str(FIXTURES / f"{name}.yaml") for name in ("crd", "good", "bad"))


def run(*args: str, **more):
    return CliRunner().invoke(cli, ("validate", *args), catch_exceptions=False, env={"COLUMNS": "80"}, **more)


def found(*args: str, **more) -> list[tuple[int, int, str]]:
    document = json.loads(run("--format", "json", *args, **more).stdout)
    return [(d["line"], d["column"], d["message"]) for d in document["diagnostics"]]


def test_a_good_resource():
    result = run("--crd", CRD, GOOD)
    assert (result.exit_code, result.stdout.splitlines()[0][:29]) == (0, "checked 1 file, 1 resource: 0")


def test_a_bad_resource():
    result = run("--crd", CRD, BAD)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert "  rule `self.mode != 'Safe' || self.size > 1` at" in lines
    assert "  help: did you mean `Fast`?" in lines
    assert all(len(line) <= 80 for line in lines[:-1] if "/" not in line)
    assert (8, 3, 'unknown field "spec.naem"') in found("--crd", CRD, BAD)
    assert (25, 13, 'no matches for kind "Widget" in version "example.com/v1alpha1"') in found("--crd", CRD, BAD)


def test_crds_among_and_beside_the_resources(tmp_path):
    assert run(str(FIXTURES)).exit_code == 1
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "x.yaml").write_text(Path(CRD).read_text())
    (tmp_path / "examples").mkdir()
    file = tmp_path / "examples" / "good.yaml"
    file.write_text(Path(GOOD).read_text())
    assert run(str(file)).exit_code == 0


def test_update():
    args = ("--crd", CRD, str(FIXTURES / "changed.yaml"))
    assert found(*args) == []
    assert found(*args, "--old", GOOD) == [(5, 1, "spec: Invalid value: class may not be changed")]


def test_show_defaulted():
    assert run("--crd", CRD, GOOD, "--show-defaulted").stdout.startswith("---\napiVersion: example.com/v1\n")
    assert "  mode: Fast\n" in run("--crd", CRD, GOOD, "--show-defaulted").stdout


def test_the_server_s_sentences_alone():
    assert run("--crd", CRD, BAD, "--format", "server").stdout.splitlines()[0] == 'unknown field "spec.naem"'


def test_the_place_of_a_rule_in_json():
    document = json.loads(run("--format", "json", "--crd", CRD, BAD).stdout)
    (related,) = [d["related"] for d in document["diagnostics"] if d["related"]]
    assert (related["file"], related["line"], related["column"]) == (CRD, 39, 21)


TROUBLE = {
    "no CRD": ([GOOD], None, 2, "no CRD (--crd names where they are)"),
    "no resource": (["--crd", CRD, CRD], None, 2, "no custom resource of a CRD that is known"),
    "empty is fine": (["--crd", CRD, CRD, "--allow-empty"], None, 0, ""),
    "a missing file": (["--crd", CRD, "missing.yaml"], None, 2, "missing.yaml: No such file or directory"),
    "a missing CRD": (["--crd", "missing.yaml", GOOD], None, 2, "missing.yaml: No such file or directory"),
    "binary": (["--crd", CRD, "-"], b"\x00\x01", 2, "<stdin>: binary data"),
    "broken YAML": (["--crd", CRD, "-"], b"a: [", 1, ""),
    "no object": (["--crd", CRD, "-", "--allow-empty"], b"- 1\n---\n7\n", 0, ""),
    "the same CRD twice": (["--crd", CRD, "--crd", CRD, GOOD], None, 0, ""),
}


@pytest.mark.parametrize(("args", "stdin", "status", "said"), TROUBLE.values(), ids=TROUBLE)
def test_trouble(args, stdin, status, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if args == [GOOD]:
        (tmp_path / "good.yaml").write_text(Path(GOOD).read_text())
        (tmp_path / ".git").mkdir()
        args = ["good.yaml"]
    result = run(*args, input=stdin)
    assert result.exit_code == status
    assert said in result.stderr


def test_a_second_crd_of_a_kind_is_told(tmp_path):
    copy = tmp_path / "copy.yaml"
    copy.write_text(Path(CRD).read_text())
    assert "is there already" in run("--crd", CRD, "--crd", str(copy), GOOD).stderr


REFUSED = "the CRD widgets.example.com is refused: "


@pytest.mark.parametrize("damage", [("type: integer", "type: integr"), ("served: true", "served: []")])
def test_a_crd_that_is_refused(damage, tmp_path):
    crd = tmp_path / "crd.yaml"
    crd.write_text(Path(CRD).read_text().replace(*damage, 1))
    said = found("--crd", str(crd), BAD)
    assert [message.startswith(REFUSED) for _, _, message in said] == [True]


def test_metadata_that_yaml_misreads():
    text = b"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: y}\nspec: {size: 1}\n"
    result = run("--crd", CRD, "-", input=text)
    assert "cannot unmarshal bool into Go struct field ObjectMeta.name of type string" in " ".join(result.stdout.split())
    assert "help: YAML reads this as a boolean: write it in quotes" in result.stdout


def test_deep_objects_end():
    text = (
        b"{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 1, x: "
        + b"[" * 9000
        + b"]" * 9000
    )
    result = run("--crd", CRD, "-", input=text + b"}}")
    assert 'unknown field "spec.x"' in result.stdout
    assert result.exit_code == 1
