"""After any edits a document has the findings that `crdlint check` and `crdlint validate` have on the same text."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from test_reading import CRD, WIDGET

from crdlint.cli.main import cli
from crdlint.kubecel import sharing
from crdlint.lsp.checks import Checks
from crdlint.lsp.workspace import ProtocolText, Workspace, changed, uri_of

if TYPE_CHECKING:
    from pathlib import Path

    from crdlint.diagnostics import Diagnostic

# Seeds of sequences of edits; the first ones are telling enough for every run.
SEEDS = [*range(8), *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(8, 40))]
PIECES = [
    "a",
    "x",
    " ",
    "1",
    "(",
    ")",
    "'",
    '"',
    "\n",
    ":",
    "self.",
    "- ",
    "  ",
    "size",
    "{",
    "😀",
    "maxItems: 3",
    "type: string",
    "#",
]


def edited(random_: random.Random, text: str) -> str:
    """Return a text with a few characters written or deleted, through positions of the protocol."""
    start = random_.randrange(len(text) + 1)
    end = start if random_.random() < 0.6 else min(start + random_.randint(1, 12), len(text))
    new = random_.choice(PIECES) if random_.random() < 0.8 else ""
    before = ProtocolText(text)
    after = changed(before, before.range(start, end), new).text
    assert after == text[:start] + new + text[end:]
    return after


def fresh(command: list[str], path: Path) -> list[Any]:
    """Return the findings of a command that knows nothing of earlier runs."""
    sharing._shared = sharing.Sharing()  # noqa: SLF001
    done = CliRunner().invoke(cli, [*command, "--format", "json", str(path)], prog_name="crdlint")
    found = json.loads(done.stdout)["diagnostics"]
    return sorted(
        (one["rule"], one["line"], one["column"], one["message"])
        for one in found
        if not one.get("hidden")
    )


def of_server(findings: tuple[Diagnostic, ...]) -> list[Any]:
    return sorted((one.rule, one.line, one.column, one.message) for one in findings)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_crd_has_the_findings_of_a_check(tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    path = tmp_path / "crd.yaml"
    workspace = Workspace()
    checks = Checks(workspace)
    text = CRD
    for version in range(random_.randint(1, 6)):
        text = edited(random_, text)
        checks.of(workspace.open(uri_of(str(path)), version, text))
    path.write_bytes(text.encode())
    found = checks.of(workspace.documents[uri_of(str(path))]).findings
    assert of_server(found) == fresh(["check", "--no-cache"], path)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_resource_has_the_findings_of_validate(tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "crd.yaml").write_text(CRD)
    path = tmp_path / "widget.yaml"
    workspace = Workspace()
    checks = Checks(workspace)
    start = WIDGET.index("spec:")
    text = WIDGET
    for version in range(random_.randint(1, 6)):
        text = text[:start] + edited(random_, text[start:])
        checks.of(workspace.open(uri_of(str(path)), version, text))
    path.write_bytes(text.encode())
    found = checks.of(workspace.documents[uri_of(str(path))]).findings
    assert of_server(found) == fresh(["validate"], path)
