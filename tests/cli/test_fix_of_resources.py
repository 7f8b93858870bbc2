"""`crdlint validate --fix`: which texts become which, and what is left alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.rules.engine.examples import CRD_OF_EXAMPLES, stream
from crdlint.safety import atomic

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def resource(spec: str, **changed: str) -> str:
    return stream(spec, **changed).removeprefix(f"{CRD_OF_EXAMPLES}---\n")


def labelled(one: str, other: str) -> str:
    return resource("{}", metadata=f"{{name: x, labels: {{a: {one}, b: {other}}}}}")


WITH_POD = "\n  {}: a\n  pod:\n    tier: web"
# What is written, what safe fixes make of it, and what unsafe ones do; None for the same.
SPECS = {
    "a letter is missing": ("{replica: 1}", "{replicas: 1}", None),
    "two letters are exchanged": ("{pasued: true}", "{paused: true}", None),
    "another case": ("{Replicas: 1, mode: SAFE}", "{replicas: 1, mode: Safe}", None),
    "another word": ("{numReplicas: 1}", None, None),
    "the field is set already": ("{replica: 1, replicas: 2}", None, None),
    "a word that is similar to none": ("{volume: 1}", None, None),
    "an enum value that is similar": ("{mode: Faster}", None, None),
    "text of an integer": ('{replicas: "8"} # eight', "{replicas: 8} # eight", None),
    "text that is none": ('{replicas: "eight"}', None, None),
    "text of a boolean": ('{paused: "yes"}', "{paused: true}", None),
    "a bit for a boolean": ("{paused: 0}", None, "{paused: false}"),
    "a number for a text": (
        "{pod: {tier: web, image: 010}}",
        '{pod: {tier: web, image: "010"}}',
        None,
    ),
    "a boolean for a text": (
        "{pod: {tier: web, image: yes}}",
        '{pod: {tier: web, image: "yes"}}',
        None,
    ),
    "one value for a list": ("{ports: 80}", "{ports: [80]}", None),
    "a list of another type": ("{ports: a}", None, None),
    "the only value": ("{pod: {image: a}}", "{pod: {image: a, tier: web}}", None),
    "a level too high": (WITH_POD.format("image"), None, "\n  pod:\n    tier: web\n    image: a"),
    "a level too low": (
        "\n  pod:\n    tier: web\n    paused: true",
        None,
        "\n  paused: true\n  pod:\n    tier: web",
    ),
    "two fixes": ("{replica: 1, mode: fast}", "{replicas: 1, mode: Fast}", None),
    "a fix that would bring an error": ("{port: 80}", None, None),
    "a value below an anchor": ('{replicas: &a "8", ports: [*a]}', None, None),
    "a value that is a template": ('{mode: "{{ fast }}"}', None, None),
    "a rule fails on the value": ('{replicas: "20"}', "{replicas: 20}", None),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crd.yaml").write_text(CRD_OF_EXAMPLES, encoding="utf-8")
    return tmp_path


def validate(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["validate", "--crd", "crd.yaml", *arguments], input=text)


def written(folder: Path, text: str, *arguments: str) -> str:
    file = folder / "foo.yaml"
    file.write_text(text, encoding="utf-8", newline="")
    validate("--fix", *arguments, "foo.yaml")
    with file.open(encoding="utf-8", newline="") as read:
        return read.read()


def test_texts_of_specs(folder: Path) -> None:
    wrong = {}
    for name, (before, safe, unsafe) in SPECS.items():
        expected = resource(safe or before), resource(unsafe or safe or before)
        text = resource(before)
        got = written(folder, text), written(folder, text, "--unsafe-fixes")
        if got != expected:
            wrong[name] = got
    assert wrong == {}


def test_objects_of_a_file_are_fixed_each(folder: Path) -> None:
    bad, good = resource('{replicas: "8"}'), resource("{replicas: 8}")
    indented = [text.replace("\n", "\n  ").rstrip() for text in (bad, good)]
    lists = [f"apiVersion: v1\nkind: List\nitems:\n- {item}\n- {item}\n" for item in indented]
    as_json = [json.dumps({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, "spec": spec})
               for spec in ({"replicas": "8"}, {"replicas": 8})]  # fmt: skip
    template = "spec: {{ .Values.spec }}\n"
    for before, after in (
        (f"# first\n---\n{bad}---\n{bad}", f"# first\n---\n{good}---\n{good}"),
        (bad.replace("\n", "\r\n"), good.replace("\n", "\r\n")),
        (lists[0], lists[1]),
        (as_json[0], as_json[1]),
        (f"{bad}---\n{template}", f"{good}---\n{template}"),
        (labelled("1", "2"), labelled('"1"', '"2"')),
        (resource("{replica: 1}", api_version="exampel.com/v1"), resource("{replicas: 1}")),
    ):  # fmt: skip
        assert written(folder, before) == after


def test_what_is_said_of_fixes(folder: Path) -> None:
    file = folder / "foo.yaml"
    file.write_text(resource('{repilcas: "8", mode: fast}'), encoding="utf-8")
    shown = validate("--diff", "--show=fixes", "foo.yaml")
    assert shown.exit_code == 1
    assert "+spec: {repilcas: " in shown.stdout
    assert "would bring: spec.replicas" in shown.stderr
    assert (
        "would fix 1 finding in 1 file\n- foo.yaml:\n    1 x resource-value (Correct the spelling)\n"
        in shown.stderr
    )
    assert file.read_text(encoding="utf-8") == resource('{repilcas: "8", mode: fast}')
    [unknown] = [one for one in json.loads(validate("--format=json", "foo.yaml").stdout)["diagnostics"]
                 if one["rule"] == "unknown-field"]  # fmt: skip
    assert unknown["fix"]["title"] == "Correct the spelling"
    for arguments, said in (
        (["--fix", "-"], "--fix cannot change standard input (-): name a file"),
        (["--fix", "--diff", "foo.yaml"], "--diff cannot be used with --fix"),
        (["--unsafe-fixes", "foo.yaml"], "--unsafe-fixes requires --fix or --diff"),
    ):
        refused = validate(*arguments, text="")
        assert (refused.exit_code, said in refused.stderr) == (2, True)


def test_templates_and_ignored_findings_are_left_alone(folder: Path) -> None:
    templates = folder / "chart" / "templates"
    templates.mkdir(parents=True)
    (folder / "chart" / "Chart.yaml").write_text(
        "name: a\nversion: 1.0.0\napiVersion: v2\n", encoding="utf-8"
    )
    (templates / "foo.yaml").write_text(resource("{mode: fast}"), encoding="utf-8")
    assert "fixed 0 findings in 0 files" in validate("--fix", "chart").stderr
    ignored = resource("{mode: fast} # crdlint: ignore[resource-value] known")
    assert written(folder, ignored) == ignored


def test_a_file_that_cannot_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object, **_more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(atomic, "write", refuse)
    (folder / "foo.yaml").write_text(resource("{mode: fast}"), encoding="utf-8")
    result = validate("--fix", "foo.yaml")
    assert result.exit_code == 2
    assert "foo.yaml: cannot be written: Permission denied" in result.stderr
    assert "fixed 0 findings in 0 files" in result.stderr
    assert "use `Fast` or `Safe`" in result.stdout
