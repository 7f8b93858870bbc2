"""The extension for Visual Studio Code: its settings are those of the language server, and its page names them."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

from crdlint.lsp.workspace import EditorSettings

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
SETTINGS = PACKAGE["contributes"]["configuration"]["properties"]


def test_the_page_names_each_setting_and_its_default() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(crdlint\.[\w.]+)` \| .* \| (.*) \|$", page, re.MULTILINE)
    assert [name for name, _ in rows] == list(SETTINGS)
    defaults = {name: default.strip("`") for name, default in rows if default.startswith("`")}
    assert defaults == {
        name: json.dumps(SETTINGS[name]["default"]).strip('"') if name in defaults else ""
        for name in defaults
    }


def test_the_language_server_knows_what_is_sent() -> None:
    sent = re.search(
        r"return \{ (.*) \};", (FOLDER / "src" / "extension.ts").read_text(encoding="utf-8")
    )
    assert sent is not None
    names = {
        re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
        for name in re.findall(r"(\w+):", sent[1])
    }
    assert names == {each.name for each in fields(EditorSettings)} - {"problems"}


def test_the_page_shows_pictures_that_are_packed() -> None:
    shown = re.findall(r"\]\((pictures/\S+)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    packed = re.findall(r'"(pictures/\S+?)"', (FOLDER / "package.mjs").read_text(encoding="utf-8"))
    assert (
        sorted(shown)
        == sorted(packed)
        == sorted(f"pictures/{each.name}" for each in (FOLDER / "pictures").iterdir())
    )
