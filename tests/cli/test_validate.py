"""`crdlint validate`: what a person meets."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from counting import recording
from terminal import on_terminal

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from typing import Any

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "resources"
CRD, GOOD, BAD = (str(FIXTURES / f"{name}.yaml") for name in ("crd", "good", "bad"))


def run(*args: str, **more: Any) -> Result:
    return CliRunner().invoke(cli, ("validate", *args), catch_exceptions=False, **more)


def found(*args: str, **more: Any) -> list[tuple[int, int, str]]:
    document = json.loads(run("--format", "json", *args, **more).stdout)
    return [(d["line"], d["column"], d["message"]) for d in document["diagnostics"]]


def test_a_good_resource() -> None:
    result = run("--crd", CRD, GOOD)
    assert (result.exit_code, result.stdout.splitlines()[0][:29]) == (
        0,
        "checked 1 file, 1 resource: 0",
    )


def test_a_bad_resource() -> None:
    result = run("--crd", CRD, BAD)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert f"  = note: rule `self.mode != 'Safe' || self.size > 1` at {CRD}:39:21" in lines
    assert "  = help: Write `Fast` instead" in lines
    assert (8, 3, 'unknown field "spec.naem"') in found("--crd", CRD, BAD)
    assert (25, 13, 'no matches for kind "Widget" in version "example.com/v1alpha1"') in found(
        "--crd", CRD, BAD
    )


def test_crds_among_and_beside_the_resources(tmp_path: Path) -> None:
    assert run(str(FIXTURES)).exit_code == 1
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "x.yaml").write_text(Path(CRD).read_text())
    (tmp_path / "examples").mkdir()
    file = tmp_path / "examples" / "good.yaml"
    file.write_text(Path(GOOD).read_text())
    assert run(str(file)).exit_code == 0


def test_the_configuration_names_crds(tmp_path: Path) -> None:
    (tmp_path / "operator").mkdir()
    (tmp_path / "operator" / "x.yaml").write_text(Path(CRD).read_text())
    (tmp_path / "work").mkdir()
    file = tmp_path / "work" / "bad.yaml"
    file.write_text(Path(BAD).read_text())
    assert run("--no-require-resources", str(file)).exit_code == 0
    (tmp_path / "work" / ".crdlint.yaml").write_text("crds: [../operator]\n")
    assert run(str(file)).exit_code == 1


def test_update() -> None:
    args = ("--crd", CRD, str(FIXTURES / "changed.yaml"))
    assert found(*args) == []
    assert found(*args, "--old", GOOD) == [(5, 1, "spec: Invalid value: class may not be changed")]


def test_show_defaulted() -> None:
    assert run("--crd", CRD, GOOD, "--show-defaulted").stdout.startswith(
        "---\napiVersion: example.com/v1\n"
    )
    assert "  mode: Fast\n" in run("--crd", CRD, GOOD, "--show-defaulted").stdout


def test_the_server_s_sentences_alone() -> None:
    assert (
        run("--crd", CRD, BAD, "--format", "server").stdout.splitlines()[0]
        == 'unknown field "spec.naem"'
    )


def test_the_place_of_a_rule_in_json() -> None:
    document = json.loads(run("--format", "json", "--crd", CRD, BAD).stdout)
    (related,) = [d["related"] for d in document["diagnostics"] if d["related"]]
    assert (related["file"], related["line"], related["column"]) == (CRD, 39, 21)


TROUBLE = {
    "no CRD": ([GOOD], None, 2, "no CRD was found (--crd names where they are)"),
    "no resource": (["--crd", CRD, CRD], None, 2, "no custom resource in"),
    "empty is fine": (["--crd", CRD, CRD, "--no-require-resources"], None, 0, ""),
    "a missing file": (
        ["--crd", CRD, "missing.yaml"],
        None,
        2,
        "missing.yaml: No such file or directory",
    ),
    "a missing CRD": (
        ["--crd", "missing.yaml", GOOD],
        None,
        2,
        "missing.yaml: No such file or directory",
    ),
    "binary": (["--crd", CRD, "-"], b"\x00\x01", 2, "<stdin>: binary data"),
    "broken YAML": (["--crd", CRD, "-"], b"apiVersion: a\nkind: [", 1, ""),
    "no object": (["--crd", CRD, "-", "--no-require-resources"], b"- 1\n---\n7\n", 0, ""),
    "the same CRD twice": (["--crd", CRD, "--crd", CRD, GOOD], None, 0, ""),
}


@pytest.mark.parametrize(("args", "stdin", "status", "said"), TROUBLE.values(), ids=TROUBLE)
def test_trouble(
    args: list[str],
    stdin: bytes | None,
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    if args == [GOOD]:
        (tmp_path / "good.yaml").write_text(Path(GOOD).read_text())
        (tmp_path / ".git").mkdir()
        args = ["good.yaml"]
    result = run(*args, input=stdin)
    assert result.exit_code == status
    assert said in result.stderr


def test_assertions_of_tests_are_not_validated(tmp_path: Path) -> None:
    (tmp_path / "01-assert.yaml").write_text(
        "apiVersion: example.com/v1\nkind: Widget\nstatus: {a: b}\n"
    )
    done = run("--crd", CRD, str(tmp_path), "--no-require-resources")
    assert (
        done.exit_code,
        "01-assert.yaml: note: skipped: an assertion of kuttl" in done.stdout,
    ) == (0, True)


REJECTED = "the CRD widgets.example.com itself is rejected: "


def crd_with(tmp_path: Path, *damage: str) -> str:
    crd = tmp_path / "crd.yaml"
    crd.write_text(Path(CRD).read_text().replace(damage[0], damage[1], 1))
    return str(crd)


def test_a_rejected_crd_is_a_warning(tmp_path: Path) -> None:
    crd = crd_with(tmp_path, "type: integer", "type: integr")
    result = run("--crd", crd, GOOD, GOOD.replace("good", "changed"), "--format", "concise")
    assert (result.exit_code, result.stdout.count(REJECTED.strip(": "))) == (0, 1)
    assert f"good.yaml:2:7: warning[resource-crd-rejected]: {REJECTED.strip(': ')}" in result.stdout
    with_errors = found("--crd", crd, BAD)
    assert [message.startswith(REJECTED) for _, _, message in with_errors].count(True) == 1
    assert (8, 3, 'unknown field "spec.naem"') in with_errors


def test_a_crd_that_cannot_be_decoded_is_an_error(tmp_path: Path) -> None:
    crd = crd_with(tmp_path, "served: true", "served: []")
    result = run("--crd", crd, GOOD, "--format", "concise")
    assert (result.exit_code, result.stdout.count("error[resource-crd-unreadable]: ")) == (1, 1)


def test_metadata_that_yaml_misreads() -> None:
    text = b"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: y}\nspec: {size: 1}\n"
    result = run("--crd", CRD, "-", input=text)
    assert "cannot unmarshal bool into Go struct field ObjectMeta.name of type string" in " ".join(
        result.stdout.split()
    )
    assert "= help: Write it in quotes, since YAML reads it as a boolean" in result.stdout
    # Which of its scalars Go could not read is not known of an owner reference.
    owned = text.replace(b"name: y", b"name: x, ownerReferences: [{controller: true, name: y}]")
    assert "= help: Write it in quotes" not in run("--crd", CRD, "-", input=owned).stdout


def test_deep_objects_end() -> None:
    text = (
        b"{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 1, x: "
        + b"[" * 9000
        + b"]" * 9000
    )
    result = run("--crd", CRD, "-", input=text + b"}}")
    assert 'unknown field "spec.x"' in result.stdout
    assert result.exit_code == 1


def test_standard_output_is_the_objects_alone() -> None:
    result = run("--crd", CRD, BAD, "--show-defaulted")
    assert result.exit_code == 1
    assert result.stdout.startswith("---\napiVersion: example.com/v1\n")
    assert result.stdout.count("---\n") == 3
    assert "error[unknown-field]" in result.stderr
    as_json = run("--crd", CRD, BAD, "--show-defaulted", "--format", "json")
    assert as_json.stdout == result.stdout


def test_deep_objects_are_shown(tmp_path: Path) -> None:
    crd = tmp_path / "crd.yaml"
    crd.write_text(
        Path(CRD)
        .read_text()
        .replace(
            "class: {type",
            "any: {x-kubernetes-preserve-unknown-fields: true}\n              class: {type",
        )
    )
    head = b"{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 1, any: "
    result = run(
        "--crd", str(crd), "--show-defaulted", "-", input=head + b"[" * 3000 + b"]" * 3000 + b"}}"
    )
    assert result.exit_code == 0
    assert f"  any:\n  {'- ' * 2999}[]\n" in result.stdout


NEARBY = {
    "in the resource's folder": "deploy/crd.yaml",
    "in crds/ beside it": "deploy/crds/crd.yaml",
    "in crds/ above it": "crds/crd.yaml",
    "where Kubebuilder has them": "config/crd/bases/crd.yaml",
}


@pytest.mark.parametrize("place", NEARBY.values(), ids=NEARBY)
def test_crds_found(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    for name, source in ((place, CRD), ("deploy/bad.yaml", BAD)):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(Path(source).read_text())
    other = (
        Path(CRD)
        .read_text()
        .replace("example.com", "other.io")
        .replace("type: integer", "type: nothing")
    )
    (tmp_path / "deploy" / "other.yaml").write_text(other)
    monkeypatch.chdir(tmp_path / "deploy")
    for given in ("bad.yaml", ".", str(tmp_path / "deploy" / "bad.yaml")):
        document = json.loads(run("--format", "json", given).stdout)
        assert len(document["diagnostics"]) == 12


# What is broken beside the CRD that is needed, and the exit status if --crd names the file.
BROKEN = {
    "another kind": ("kind: ClusterRole\nrules: [\n", True, 0),
    "a CRD of another group": (
        "kind: CustomResourceDefinition\nspec: {group: other.io, names: [\n",
        False,
        0,
    ),
    "a CRD of the group": (
        "kind: CustomResourceDefinition\nspec: {group: example.com, names: [\n",
        True,
        2,
    ),
    "an escaped group": (
        'kind: CustomResourceDefinition\nspec: {group: "example\\x2ecom", names: [\n',
        True,
        2,
    ),
    "a CRD without a group": ("kind: CustomResourceDefinition\n rules: [\n", True, 2),
}


def test_a_crd_within_too_many_brackets_is_not_called_broken(tmp_path: Path) -> None:
    deep = "[" * 5000 + ",".join("1" * 40_000) + "]" * 5000
    crd = tmp_path / "crd.yaml"
    crd.write_text(f"{Path(CRD).read_text()}---\nkind: CustomResourceDefinition\na: {deep}\n")
    result = run("--crd", str(crd), GOOD)
    assert result.exit_code == 2
    assert "the document is not read: crdlint reads no further: " in result.stderr


@pytest.mark.parametrize(("broken", "reported", "status"), BROKEN.values(), ids=BROKEN)
def test_broken_documents_beside_crds(
    broken: str, reported: bool, status: int, tmp_path: Path
) -> None:
    (tmp_path / "crd.yaml").write_text(f"{Path(CRD).read_text()}---\n{broken}")
    (tmp_path / "good.yaml").write_text(Path(GOOD).read_text())
    said = "the document is not YAML, so it is not read: yaml: "
    beside = run(str(tmp_path / "good.yaml"))
    assert (beside.exit_code, "crdlint: note: " in beside.stderr, said in beside.stderr) == (
        0,
        reported,
        reported,
    )
    given = run("--crd", str(tmp_path / "crd.yaml"), str(tmp_path / "good.yaml"))
    is_note = reported and not status
    assert (given.exit_code, said in given.stderr, "note: " in given.stderr) == (
        status,
        reported,
        is_note,
    )


def test_crds_with_an_escaped_kind_are_found_among_resources(tmp_path: Path) -> None:
    text = (
        Path(CRD)
        .read_text()
        .replace("kind: CustomResourceDefinition", 'kind: "Custom\\u0052esourceDefinition"')
    )
    file = tmp_path / "all.yaml"
    file.write_text(f"{text}\n---\n{Path(GOOD).read_text()}")
    result = run(str(file))
    assert (result.exit_code, "1 resource" in result.stdout) == (0, True)


def test_without_a_file_there_are_no_figures() -> None:
    assert run("--crd", CRD, "missing.yaml").stdout == ""


MISUSED = {
    "stdin twice": (["--crd", "-", "-"], "- can be read only once"),
    "no CRD in a file that is named": (["--crd", GOOD, GOOD], "no CustomResourceDefinition in it"),
    "no old object": (
        ["--crd", CRD, GOOD, "--old", "nowhere"],
        "nowhere: No such file or directory",
    ),
    "no resource: what is known": (["--crd", CRD, CRD], "the CRDs here are of example.com"),
}


@pytest.mark.parametrize(("args", "said"), MISUSED.values(), ids=MISUSED)
def test_misuse(args: list[str], said: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert said in result.stderr


def test_old_objects_that_are_broken(tmp_path: Path) -> None:
    old = tmp_path / "old.yaml"
    old.write_text("apiVersion: a\nkind: [\n")
    result = run("--crd", CRD, GOOD, "--old", str(old))
    assert (result.exit_code, "old.yaml:3:1: yaml: " in result.stderr) == (2, True)
    assert "is not among the old objects" in result.stdout


def test_a_crd_of_a_version_that_is_gone(tmp_path: Path) -> None:
    crd = tmp_path / "crd.yaml"
    crd.write_text(
        Path(CRD).read_text().replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")
    )
    assert found("--crd", str(crd), GOOD)[0][2].startswith(REJECTED)


SHOWN = {
    "bad": ["bad.yaml"],
    "list": ["list.json"],
    "changed": ["changed.yaml", "--old", "good.yaml"],
    "good": ["good.yaml", "--show-defaulted"],
}


@pytest.mark.parametrize(
    "name",
    ["bad", *(pytest.param(one, marks=pytest.mark.exhaustive) for one in SHOWN if one != "bad")],
)
def test_what_a_person_sees(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)
    command = [
        sys.executable,
        "-m",
        "crdlint",
        "validate",
        "--color",
        "never",
        "-q",
        "--format",
        "text",
    ]
    done = on_terminal([*command, "--crd", "crd.yaml", *SHOWN[name]], 80)
    assert done.stdout == (FIXTURES / f"{name}.txt").read_text()


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)


WRONG = (
    "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: x}\nspec:\n  size: 0\n  naem: x\n"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a CRD and a resource with two findings, one of them an unknown field."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    write(tmp_path, crd=Path(CRD).read_text(), wrong=WRONG)
    return tmp_path


def rules(*args: str) -> list[tuple[str, str]]:
    """Return the findings in an order of their own, whatever their places are."""
    document = json.loads(run("--format", "json", *args).stdout)
    return sorted(((d["rule"], d["severity"]) for d in document["diagnostics"]), reverse=True)


def test_output_writes_files(here: Path) -> None:
    result = run("wrong.yaml", "--output", "json=out.json", "--output", "concise=out.txt")
    assert result.exit_code == 1
    assert [d["rule"] for d in json.loads((here / "out.json").read_text())["diagnostics"]] == [
        "resource-value",
        "unknown-field",
    ]
    assert len((here / "out.txt").read_text().splitlines()) == 2
    assert "error[unknown-field]" in result.stdout
    assert run("wrong.yaml", "--output", "nothing=x").exit_code == 2


CONFIGURED = {
    "severity": (
        "severity: {resource-value: info}",
        [("unknown-field", "error"), ("resource-value", "info")],
        1,
    ),
    "ignore": ("ignore: [unknown-field]", [("resource-value", "error")], 1),
    "files": ("per-file-ignores: {wrong.yaml: [resource-*]}", [("unknown-field", "error")], 1),
    "excluded": ("exclude: [wrong.yaml]", [], 0),
    "never": ("fail-on: never", [("unknown-field", "error"), ("resource-value", "error")], 0),
    "broken": ("ignore: [nothing-such]", [], 2),
}


@pytest.mark.parametrize(("config", "wanted", "status"), CONFIGURED.values(), ids=CONFIGURED)
def test_the_configuration_counts(
    config: str, wanted: list[tuple[str, str]], status: int, here: Path
) -> None:
    (here / ".crdlint.yaml").write_text(config)
    assert rules(".") == wanted
    assert run(".").exit_code == status
    (here / ".crdlint.yaml").rename(here / "other.yml")
    assert (
        rules(".", "--config", "other.yml") == wanted
        if status != 2
        else run(".", "--config", "other.yml").exit_code == 2
    )


@pytest.mark.usefixtures("here")
def test_options_of_the_configuration() -> None:
    assert rules("wrong.yaml", "--select", "unknown-field") == [("unknown-field", "error")]
    result = run("wrong.yaml", "--ignore", "unknown-field", "--ignore", "resource-value")
    assert result.exit_code == 0
    assert result.stdout.endswith("2 errors of the API server are accepted by `ignore`\n")


def test_ignore_comments_count(here: Path) -> None:
    comments = WRONG.replace("naem: x", "naem: x # crdlint: ignore[unknown-field] later").replace(
        "size: 0", "size: 0 # crdlint: ignore[resource-metadata]"
    )
    write(here, wrong=comments)
    assert rules("wrong.yaml") == [("resource-value", "error"), ("ignore-unused", "warning")]
    write(
        here,
        wrong=comments.replace("resource-metadata", "resource-rule").replace(
            "unknown-field", "pattern-invalid"
        ),
    )
    assert rules("wrong.yaml") == [("unknown-field", "error"), ("resource-value", "error")]


def test_placeholders_of_the_configuration_count(here: Path) -> None:
    write(here, wrong=WRONG.replace("size: 0", "size: '~SIZE~'").replace("  naem: x\n", ""))
    assert run("wrong.yaml").exit_code == 1
    (here / ".crdlint.yaml").write_text("placeholders: ['~*~']")
    result = run("wrong.yaml")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        0, "wrong.yaml: note: line 5: a placeholder such as `~SIZE~` is accepted as a value of any type",
    )  # fmt: skip
    (here / ".crdlint.yaml").write_text("placeholders: false")
    write(here, wrong=WRONG.replace("size: 0", "size: '${SIZE}'"))
    assert run("wrong.yaml").exit_code == 1


def test_kinds_that_are_skipped_or_unknown(here: Path) -> None:
    assert run(".", "--skip", "Widget").exit_code == 0
    write(
        here, wrong="apiVersion: example.com/v1\nkind: Configuration\n", good=Path(GOOD).read_text()
    )
    result = run(".")
    assert (
        result.exit_code,
        "wrong.yaml: note: line 1: no CRD here defines `Configuration` of" in result.stdout,
    ) == (
        0,
        True,
    )
    assert rules(".", "--strict-kinds") == [("resource-no-match", "error")]


def test_nothing_to_validate(here: Path) -> None:
    write(here, wrong="kind: Deployment\napiVersion: apps/v1\n")
    for args, status in (
        ((".",), 0),
        ((".", "--require-resources"), 2),
        (("wrong.yaml",), 2),
        (("wrong.yaml", "--no-require-resources"), 0),
    ):
        result = run(*args)
        assert (result.exit_code, "no custom resource in " in result.stderr) == (status, True)


def test_a_rejection_depends_on_the_version(here: Path) -> None:
    rule = "self.mode != 'Safe' || isIP('1.2.3.4')"
    write(here, crd=Path(CRD).read_text().replace("self.mode != 'Safe' || self.size > 1", rule))
    write(here, wrong=Path(GOOD).read_text())
    assert rules("wrong.yaml") == []
    assert [rule for rule, _ in rules("wrong.yaml", "--kube-version", "1.29")] == [
        "resource-crd-rejected"
    ]
    (here / ".crdlint.yaml").write_text("kube-version: 1.29")
    assert [rule for rule, _ in rules("wrong.yaml")] == ["resource-crd-rejected"]


@pytest.mark.parametrize("layout", ["files", "one file"])
def test_only_crds_that_are_needed_are_parsed(
    layout: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import crdlint.rules.fixes.field_fixes  # noqa: F401  parses its examples once
    from crdlint.linting import documents
    from crdlint.yaml import parse

    others = [
        Path(CRD).read_text().replace("example.com", f"group{i}.example.com") for i in range(50)
    ]
    (here / "crds").mkdir()
    texts = [*others, Path(CRD).read_text()]
    for i, text in enumerate(texts if layout == "files" else ["---\n".join(texts)]):
        (here / "crds" / f"{i}.yaml").write_text(text)
    parsed: list[parse.Chunk] = []
    read = parse.parse_chunk
    for module in (parse, documents):
        monkeypatch.setattr(module, "parse_chunk", recording(parsed, read))
    assert run("--crd", "crds", "wrong.yaml").exit_code == 1
    assert [
        ("CustomResourceDefinition" in text, "kind: Widget\nmetadata" in text)
        for text, *_ in parsed
    ] == [
        (False, True),
        (True, False),
    ]


def test_files_without_apiversion_and_kind_are_no_manifests(tmp_path: Path) -> None:
    texts = {
        "launch.json": '{\n  // the debugger\n  "version": "0.2.0", "kind": 1,\n}\n',
        "antora.yml": "name: docs\nversion: ~\nnav: [a\n",
        "settings.yaml": "null: x\n",
        "broken.yaml": "apiVersion: example.com/v1\nkind: Foo\nmetadata:\n\tname: x\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    done = run("--crd", CRD, "--format", "concise", str(tmp_path))
    assert [line.partition(tmp_path.name)[2][:15] for line in done.stdout.splitlines()] == [
        "/broken.yaml:4:"
    ]
    done = run("--crd", CRD, "--old", str(tmp_path), GOOD)
    assert ("broken.yaml:4" in done.stderr, "launch.json" in done.stderr) == (True, False)


def test_rules_that_were_not_checked_follow_from_the_error_that_prevents_it(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(Path(GOOD).read_text().replace("size: ", "size: x"))
    assert "some validation rules were not checked" not in run("--crd", CRD, str(file)).stdout
    lines = run("--crd", CRD, str(file), "--show-all").stdout.splitlines()
    (index,) = [
        i for i, line in enumerate(lines) if "some validation rules were not checked" in line
    ]
    assert lines[index - 1].endswith("  follows from the finding above")
    assert "checked 1 file, 1 resource: 1 error, 0 warnings" in lines
