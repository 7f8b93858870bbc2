"""Copies of a CRD, whose findings are reported once."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import crd_with_spec

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

BAD = crd_with_spec("type: object\nproperties: {a: {type: strin}, b: {type: array}}")
OTHER = (
    BAD.replace("foo", "bar").replace("Foo", "Bar").replace("a: {", "c: {").replace("b: {", "d: {")
)
BOTH = ("type-unsupported", "structural-items-required")
# The texts of files, and what is reported in which.
CASES: dict[str, tuple[dict[str, str], dict[str, tuple[str, ...]]]] = {
    "equal files": (
        {"a/crd.yaml": BAD, "b/crd.yaml": BAD, "c/crd.yaml": BAD},
        {"a/crd.yaml": BOTH},
    ),
    "other lines, labels and comments": (
        {
            "a.yaml": BAD,
            "b.yaml": BAD.replace("metadata:", "# a copy\nmetadata:\n  labels: {a: b}"),
        },
        {"a.yaml": BOTH},
    ),
    "one finding more": (
        {"a.yaml": BAD.replace("strin}", "string}"), "b.yaml": BAD},
        {"a.yaml": BOTH[1:], "b.yaml": BOTH[:1]},
    ),
    "another CRD": ({"a.yaml": BAD, "b.yaml": OTHER}, {"a.yaml": BOTH, "b.yaml": BOTH}),
    "ignored in the first file": (
        {
            "a.yaml": f"# crdlint: ignore-file[type-unsupported] a template fills it\n{BAD}",
            "b.yaml": BAD,
        },
        {"a.yaml": BOTH[1:], "b.yaml": BOTH[:1]},
    ),
    "files that are no CRDs": (
        {
            "a.yaml": "kind: CustomResourceDefinition\na: [\n",
            "b.yaml": "kind: CustomResourceDefinition\na: {\n",
        },
        {"a.yaml": ("yaml-syntax",), "b.yaml": ("yaml-syntax",)},
    ),
}


def check(folder: Path, *arguments: str) -> tuple[dict[str, list[str]], dict[str, int]]:
    done = CliRunner().invoke(
        cli, ["check", "--no-cache", "--format", "json", *arguments, str(folder)]
    )
    assert done.exit_code == 1, done.output
    document = json.loads(done.stdout)
    rules: dict[str, list[str]] = {}
    for finding in document["diagnostics"]:
        rules.setdefault(finding["file"].removeprefix(f"{folder}/"), []).append(finding["rule"])
    return rules, document["summary"]


def in_text(folder: Path, *arguments: str) -> dict[str, list[str]]:
    """Return the rules of the findings that people see, by file."""
    done = CliRunner().invoke(cli, ["check", "--no-cache", *arguments, str(folder)])
    rules: dict[str, list[str]] = {}
    heads = re.finditer(r"^\w+\[([a-z-]+)\].*\n  --> (\S+?):\d", done.stdout, re.MULTILINE)
    for head in heads:
        rules.setdefault(head[2].removeprefix(f"{folder}/"), []).append(head[1])
    return rules


@pytest.mark.parametrize("name", CASES)
def test_findings_of_copies_are_reported_once(name: str, tmp_path: Path) -> None:
    files, expected = CASES[name]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    rules = in_text(tmp_path)
    assert {file: sorted(found) for file, found in rules.items()} == {
        f: sorted(found) for f, found in expected.items()
    }
    every, summary = check(tmp_path)
    assert every == check(tmp_path, "--show-all")[0]
    assert in_text(tmp_path, "--show-all").keys() == every.keys()
    assert summary["repeated"] == sum(map(len, every.values())) - sum(map(len, rules.values()))
    assert summary["copies"] == sum(found != rules.get(file) for file, found in every.items())


def test_the_last_lines_count_what_copies_repeat(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(BAD, encoding="utf-8")
    done = CliRunner().invoke(cli, ["check", "--no-cache", str(tmp_path)])
    assert (
        "4 equal findings in 2 copies of these CRDs: --show-all shows them"
        in done.stdout.splitlines()
    )
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(
            BAD.replace("k8s.io/v1", "k8s.io/v1beta1", 1), encoding="utf-8"
        )
    done = CliRunner().invoke(cli, ["check", "--no-cache", str(tmp_path)])
    assert done.stdout.count("error[api-version-removed]") == 1
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(BAD, encoding="utf-8")
    (tmp_path / "c.yaml").unlink()
    (tmp_path / "b.yaml").write_text(BAD.replace("strin}", "string}"), encoding="utf-8")
    done = CliRunner().invoke(cli, ["check", "--no-cache", str(tmp_path)])
    line = "1 equal finding in 1 copy of these CRDs: --show-all shows it"
    assert line in done.stdout.splitlines()
