"""`crdlint validate`: what a person meets."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from terminal import on_terminal

from crdlint.cli.main import cli

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "resources"
CRD, GOOD, BAD = (str(FIXTURES / f"{name}.yaml") for name in ("crd", "good", "bad"))


def run(*args: str, **more):
    return CliRunner().invoke(cli, ("validate", *args), catch_exceptions=False, **more)


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
    assert f"  rule `self.mode != 'Safe' || self.size > 1` at {CRD}:39:21" in lines
    assert "  help: did you mean `Fast`?" in lines
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
    assert "cannot unmarshal bool into Go struct field ObjectMeta.name of type string" in " ".join(
        result.stdout.split()
    )
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


def test_standard_output_is_the_objects_alone():
    result = run("--crd", CRD, BAD, "--show-defaulted")
    assert result.exit_code == 1
    assert result.stdout.startswith("---\napiVersion: example.com/v1\n")
    assert result.stdout.count("---\n") == 3
    assert "error[unknown-field]" in result.stderr
    as_json = run("--crd", CRD, BAD, "--show-defaulted", "--format", "json")
    assert as_json.stdout == result.stdout


def test_deep_objects_are_shown(tmp_path):
    crd = tmp_path / "crd.yaml"
    crd.write_text(
        Path(CRD)
        .read_text()
        .replace("class: {type", "any: {x-kubernetes-preserve-unknown-fields: true}\n              class: {type")
    )
    head = b"{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 1, any: "
    result = run("--crd", str(crd), "--show-defaulted", "-", input=head + b"[" * 3000 + b"]" * 3000 + b"}}")
    assert result.exit_code == 0
    assert f"  any:\n  {'- ' * 2999}[]\n" in result.stdout


NEARBY = {
    "in the resource's folder": "deploy/crd.yaml",
    "in crds/ beside it": "deploy/crds/crd.yaml",
    "in crds/ above it": "crds/crd.yaml",
    "where Kubebuilder has them": "config/crd/bases/crd.yaml",
}


@pytest.mark.parametrize("place", NEARBY.values(), ids=NEARBY)
def test_crds_found(place, tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    for name, source in ((place, CRD), ("deploy/bad.yaml", BAD)):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(Path(source).read_text())
    other = Path(CRD).read_text().replace("example.com", "other.io").replace("type: integer", "type: nothing")
    (tmp_path / "deploy" / "other.yaml").write_text(other)
    monkeypatch.chdir(tmp_path / "deploy")
    for path in ("bad.yaml", ".", str(tmp_path / "deploy" / "bad.yaml")):
        document = json.loads(run("--format", "json", path).stdout)
        assert len(document["diagnostics"]) == 12


def test_what_is_found_but_broken_is_a_note(tmp_path):
    (tmp_path / "crd.yaml").write_text(Path(CRD).read_text() + "---\na: [\n")
    (tmp_path / "good.yaml").write_text(Path(GOOD).read_text())
    result = run(str(tmp_path / "good.yaml"))
    assert (result.exit_code, "crdlint: note: " in result.stderr) == (0, True)
    given = run("--crd", str(tmp_path / "crd.yaml"), str(tmp_path / "good.yaml"))
    assert given.exit_code == 0
    assert "crd.yaml:52:1: the document is not YAML, so it is not read: yaml: " in given.stderr


MISUSED = {
    "stdin twice": (["--crd", "-", "-"], "- can be read once only"),
    "no CRD in a file that is named": (["--crd", GOOD, GOOD], "no CustomResourceDefinition in it"),
    "no old object": (["--crd", CRD, GOOD, "--old", "nowhere"], "nowhere: No such file or directory"),
    "no resource: what is known": (["--crd", CRD, CRD], "which are Widget (example.com/v1),"),
}


@pytest.mark.parametrize(("args", "said"), MISUSED.values(), ids=MISUSED)
def test_misuse(args, said):
    result = run(*args)
    assert result.exit_code == 2
    assert said in result.stderr


def test_old_objects_that_are_broken(tmp_path):
    old = tmp_path / "old.yaml"
    old.write_text("a: [\n")
    result = run("--crd", CRD, GOOD, "--old", str(old))
    assert (result.exit_code, "old.yaml:2:1: yaml: " in result.stderr) == (2, True)
    assert "is not among the old objects" in result.stdout


def test_a_crd_of_a_version_that_is_gone(tmp_path):
    crd = tmp_path / "crd.yaml"
    crd.write_text(Path(CRD).read_text().replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"))
    (said,) = found("--crd", str(crd), GOOD)
    assert said[2].startswith(REFUSED)


SHOWN = {
    "bad": ["bad.yaml"],
    "list": ["list.json"],
    "changed": ["changed.yaml", "--old", "good.yaml"],
    "good": ["good.yaml", "--show-defaulted"],
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_person_sees(name, monkeypatch):
    monkeypatch.chdir(FIXTURES)
    command = [sys.executable, "-m", "crdlint", "validate", "--color", "never", "-q", "--format", "text"]
    done = on_terminal([*command, "--crd", "crd.yaml", *SHOWN[name]], 80)
    assert done.stdout == (FIXTURES / f"{name}.txt").read_text()


def test_broken_documents_beside_crds_are_notes_and_broken_crds_are_errors(tmp_path):
    file = tmp_path / "crds.yaml"
    crds = Path(CRD).read_text()
    file.write_text(crds + "---\nkind: Role\n rules: [\n")
    result = run("--crd", str(file), GOOD)
    assert f"crdlint: note: {file}:{crds.count(chr(10)) + 3}:" in result.stderr
    assert "the document is not YAML, so it is not read: yaml: line 2: " in result.stderr
    assert result.exit_code == 0
    file.write_text(crds + "---\nkind: CustomResourceDefinition\n rules: [\n")
    result = run("--crd", str(file), GOOD)
    assert "the document is not YAML, so it is not read" in result.stderr
    assert "note: " not in result.stderr
    assert result.exit_code == 2


def test_crds_with_an_escaped_kind_are_found_among_resources(tmp_path):
    text = Path(CRD).read_text().replace("kind: CustomResourceDefinition", 'kind: "Custom\\u0052esourceDefinition"')
    file = tmp_path / "all.yaml"
    file.write_text(f"{text}\n---\n{Path(GOOD).read_text()}")
    result = run(str(file))
    assert (result.exit_code, "1 resource" in result.stdout) == (0, True)


def test_without_a_file_there_are_no_figures():
    assert run("--crd", CRD, "missing.yaml").stdout == ""
