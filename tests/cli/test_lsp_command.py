from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec


@pytest.mark.parametrize("missing", ["pygls", "lsprotocol"])
def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    find = importlib.util.find_spec

    def find_others(name: str) -> ModuleSpec | None:
        return None if name == missing else find(name)

    monkeypatch.setattr("crdlint.cli.help.find_spec", find_others)
    done = CliRunner().invoke(cli, ["lsp"], prog_name="crdlint")
    assert done.exit_code == 1
    assert (
        done.output
        == "Error: the language server needs the extra lsp of crdlint, such as: pip install './crdlint[lsp]'\n"
    )
