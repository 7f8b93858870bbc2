"""Infos that nobody asked for: formats for people count them, formats for programs list them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from commands import crdlint
from crds import SMALLEST

from crdlint.report import formats

if TYPE_CHECKING:
    from pathlib import Path

LARGE: Final = SMALLEST.replace(
    "{type: object}", "{type: object, description: " + "x" * 300_000 + "}"
)
COUNTING: Final = {"text", "github", "azure", "markdown"}


@pytest.mark.parametrize("name", [each for each in formats.names("findings") if each != "server"])
def test_infos_are_counted_or_listed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(LARGE)
    (tmp_path / ".crdlint.yaml").write_text("severity: {too-large-to-apply: info}\n")
    output = tmp_path / "output"
    rule = "TooLargeToApply" if name == "sarif" else "too-large-to-apply"

    def lists(*arguments: str) -> tuple[bool, bool]:
        shown = crdlint("check", "--format", name, "--output", f"{name}={output}", *arguments)
        return rule in shown.stdout, rule in output.read_text()

    assert lists() == ((name not in COUNTING,) * 2)
    assert lists("--min-severity", "info") == (True, True)
