"""No text from the input controls a terminal, a CI log or a page, whatever the command, the format and the stream."""

from __future__ import annotations

import html
import json
import os
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from commands import crdlint
from crds import crd_with_schema

from crdlint.report import formats
from crdlint.safety import escapes

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

HIDDEN = "\x1b[31m\x9b1m\r\x07\x7f\x85\u061c\u200f\u2028\u202e\u2066\ufeff"
LINE_BREAKS = "\r\v\f\x85\u2028\u2029"  # to some programs, and blanks to the search for commands
HOSTILE = f"{LINE_BREAKS}::error::w{HIDDEN}\n::error::x\n {LINE_BREAKS}::add-mask::y\n"
HOSTILE += "##[error]z ##vso[task.setvariable]v ]]> <script>alert(1)</script> `x` | a|b $x$"
# What actions/runner takes for a command: v2 at the start of a line, v1 anywhere in it. Azure's begin with ##vso.
COMMAND = re.compile(r"^\s*::|##(vso|teamcity)?\[", re.MULTILINE)
CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
NAME = HOSTILE.replace("/", "!") + ".yaml"

CRD = json.dumps({
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"foos.{HOSTILE}", "labels": {HOSTILE: HOSTILE}},
    "spec": {
        "group": f"x{HOSTILE}", HOSTILE: 1, "scope": HOSTILE, "names": {"plural": "foos", "kind": HOSTILE},
        "versions": [
            {
                "name": "v1", "served": True, "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            HOSTILE: {"type": HOSTILE, "pattern": HOSTILE, "default": HOSTILE, HOSTILE: 1},
                            "spec": {"type": "object", "format": HOSTILE, "x-kubernetes-validations": [{"rule": HOSTILE}]},
                        },
                    }
                },
            }
        ],
    },
})  # fmt: skip
COSTLY = crd_with_schema("""\
type: object
properties:
  KEY:
    type: array
    items: {type: string}
    x-kubernetes-validations:
    - rule: self.all(x, self.all(y, x == y || x == TEXT))
""")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return crdlint(*arguments, GITHUB_ACTIONS="", NO_COLOR="1")


def assert_harmless(text: str) -> str:
    assert not CONTROL.search(text)
    assert not COMMAND.search(text)
    return text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, of which every name and text is hostile, in as many ways as there are findings and notices."""
    below = tmp_path / NAME.removesuffix(".yaml")
    below.mkdir()
    (below / NAME).write_text(CRD, encoding="utf-8")
    (below / f"comment{NAME}").write_text(f"{CRD}\n# crdlint: ignore[\u202e]\n", encoding="utf-8")
    (below / f"syntax{NAME}").write_text(
        f'"kind: CustomResourceDefinition {HIDDEN}', encoding="utf-8"
    )
    (below / f"binary{NAME}").write_bytes(b"CustomResourceDefinition \xff")
    (below / f"template{NAME}").write_text(
        "a: {{ CustomResourceDefinition }}: b\n", encoding="utf-8"
    )
    (below / f"costly{NAME}").write_text(
        COSTLY.replace("KEY", json.dumps(HOSTILE)).replace("TEXT", json.dumps(HIDDEN)),
        encoding="utf-8",
    )
    with_bytes = os.fsencode(str(below)) + b"/\xff\x9b.yaml"
    with open(with_bytes, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(CRD)
    os.mkfifo(below / f"pipe{NAME}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS = {
    "github": r"::(error|warning|notice) file=[^:,]*(,[A-Za-z]+=[^:,]*)*::[^\r\n]*\Z|crdlint: \d+ errors",
    "azure": r"##vso\[task\.logissue type=(error|warning);([a-z]+=[^;\]]*;)+\](?!.*##)[^\r\n]*\Z|(?!.*##).*(: info |error)",
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", formats.names("findings"))
def test_check(name: str) -> None:
    done = run("check", "--format", name, "--statistics", ".")
    assert done.returncode == 2
    errors = assert_harmless(done.stderr)
    assert "binary" in (done.stdout if name == "concise" else errors)
    if name not in COMMANDS:
        assert_harmless(done.stdout)
        return
    lines = done.stdout.splitlines()
    assert len(lines) > 20
    assert not CONTROL.search("\n".join(lines))
    assert [line for line in lines if not re.match(COMMANDS[name], line)] == []


@pytest.mark.usefixtures("folder")
def test_whole_formats_can_be_read_back() -> None:
    found = {name: run("check", "--format", name, ".").stdout for name in formats.names("findings")}
    document = json.loads(found["json"])
    messages = [one["message"] for one in document["diagnostics"]]
    assert any(
        HIDDEN in name
        for name in (one["crds"][0]["name"] for one in document["files"] if one["crds"])
    )
    assert any("##[error]" in message for message in messages)
    assert any(f"syntax{NAME}" in one["file"] for one in document["diagnostics"])
    for name in ("gitlab", "sarif"):
        text = json.dumps(json.loads(found[name]), ensure_ascii=False)
        assert not CONTROL.search(text)
    for name in ("junit", "checkstyle"):
        root = ET.fromstring(found[name])
        texts = [text for one in root.iter() for text in (one.text or "", *one.attrib.values())]
        assert any("]]> <script>" in text for text in texts)
        assert not any(CONTROL.search(text) for text in texts)
    assert "<script" not in found["markdown"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments", [[], ["--explain", "all"], ["--format", "json"], ["--format", "html"]], ids=str
)
def test_cost(arguments: list[str]) -> None:
    done = run("cost", *arguments, ".")
    text = assert_harmless(done.stdout)
    assert_harmless(done.stderr)
    assert "self.all(x, self.all(y" in html.unescape(text)
    if "html" in arguments:
        assert "<script>alert" not in text


def test_validate(folder: Path) -> None:
    crd = (
        COSTLY.replace("KEY", json.dumps(HOSTILE))
        .replace("TEXT", "'x'")
        .replace("items:", "maxItems: 5\n            items:")
    )
    (folder / "crd.yaml").write_text(crd, encoding="utf-8")
    resource = {
        "apiVersion": "example.com/v1",
        "kind": "Foo",
        "metadata": {"name": HOSTILE.replace("<", "")},  # <script> looks like a placeholder
        HOSTILE: [HOSTILE, 1, "y"],
    }
    (folder / f"resource{NAME}").write_text(json.dumps(resource), encoding="utf-8")
    for name in ("text", "concise", "server"):
        done = run(
            "validate",
            "--crd",
            "crd.yaml",
            "--format",
            name,
            f"resource{NAME}",
            "missing\n::error::.yaml",
        )
        assert "metadata.name" in assert_harmless(done.stdout) or name == "concise"
        assert "missing" in assert_harmless(done.stderr + done.stdout)


def test_suites(folder: Path) -> None:
    (folder / "crd.yaml").write_text(
        COSTLY.replace("KEY", "a").replace("TEXT", "'x'"), encoding="utf-8"
    )
    suite = {
        "apiVersion": "apiextensions.k8s.io/v1", "name": HOSTILE, "crdName": "foos.example.com", "version": "v1",
        "tests": {"onCreate": [{"name": HOSTILE, "initial": HOSTILE, "expected": HOSTILE, "expectedError": HOSTILE}]},
    }  # fmt: skip
    (folder / f"x{NAME}.testsuite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    for arguments in (["-v"], [], ["--crd", "missing\x1b\n::error::"]):
        done = run(
            "test",
            *arguments,
            "--crd",
            "crd.yaml",
            f"x{NAME}.testsuite.yaml",
            "missing\x1b\n::error::",
        )
        assert_harmless(done.stdout)
        assert "missing" in assert_harmless(done.stderr + done.stdout)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [["--fo\n::error::x\x1b"], ["--format", "\x1b\n::x"], ["--config", "\x1b\n::x", "a"], ["--baseline", "\x1b\n::x", "a"],
     ["--output", "json=\x1b\n::x/y", "a"], ["--against", "\x1b\n::x", "a"], ["\x1b\n::x*.yaml"], ["--select", "\x1b\n::x", "a"]],
    ids=lambda arguments: arguments[0][:6],
)  # fmt: skip
def test_usage_errors(arguments: list[str]) -> None:
    done = run("check", *arguments)
    assert done.returncode == 2
    assert_harmless(done.stderr)
    assert done.stderr


def test_configuration(folder: Path) -> None:
    (folder / ".crdlint.yaml").write_text(
        json.dumps({HOSTILE: 1, "ignore": [HOSTILE]}), encoding="utf-8"
    )
    done = run("check", "--no-cache", ".")
    assert ".crdlint.yaml:1:2" in assert_harmless(done.stderr)
    assert_harmless(done.stdout)


def test_what_is_harmless_stays() -> None:
    text = "a::b # ## x [y] C++ \U0001f600 é 名前\u3000\u00a0\u200d"
    assert escapes.printable(text) == text
    assert escapes.printable_line(text) == text
    assert escapes.printable("a\n\tb") == "a\n\tb"
    assert escapes.printable_line("a\n\tb") == "a\\n\\tb"


def test_hidden_characters_are_spelled_out() -> None:
    assert (
        escapes.printable("\x1b\x07\r\x7f\x9b\u202e\ud800")
        == "\\x1b\\x07\\r\\x7f\\u009b\\u202e\\ud800"
    )
    assert (
        escapes.printable("::error::x\n\u3000::a b\n##[x] ##vso[y]")
        == "\\x3a:error::x\n\u3000\\x3a:a b\n#\\x23[x] #\\x23vso[y]"
    )
    spelled = "".join(
        f"\\x{ord(one):02x}" if one <= "\x7f" else f"\\u{ord(one):04x}" for one in LINE_BREAKS[1:]
    )
    for printed in (escapes.printable, escapes.printable_line):
        assert printed(f"  {LINE_BREAKS} ::error::x") == f"  \\r{spelled} \\x3a:error::x"
    assert json.loads(escapes.json_text(["##[error]", "###"])) == ["##[error]", "###"]


@pytest.mark.parametrize("text", [one * 250_000 for one in " \n#:\x1b"])
def test_250_kilobytes_are_escaped_in_one_walk(text: str) -> None:
    assert len(escapes.printable(text)) >= len(text)
