"""Renaming a property with everything in its CRD that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from editor import applied, edits_of
from lsprotocol import types as lsp
from test_reading import CRD, TWO_VERSIONS, position

if TYPE_CHECKING:
    from editor import Editor

SELECTABLE = """\
    selectableFields:
    - jsonPath: .spec.mode
"""
DEFAULT = """\
            default: {size: 2, mode: A, ports: [{name: a}]}
"""


def renamed(editor: Editor, text: str, part: str, inside: str, new: str) -> str | None:
    """Return a text after a property was renamed, None if it cannot be."""
    editor.open("crd.yaml", text)
    at = position(text, part, inside)
    document = editor.document("crd.yaml")
    found = editor.do(editor.client.text_document_rename_async(lsp.RenameParams(document, at, new)))
    if found is None:
        return None
    return applied(text, edits_of(lsp.CodeAction("", edit=found)))


@pytest.mark.parametrize(
    ("part", "inside"),
    [
        ("size:\n", "size"),
        ("[size", "size"),
        ("self.size", "size"),
        ("jsonPath: .spec.size", "size"),
    ],
)
def test_a_property_is_renamed_everywhere_from_every_place(
    editor: Editor, part: str, inside: str
) -> None:
    wanted = CRD.replace("size:\n", "scale:\n").replace("[size", "[scale")
    wanted = wanted.replace("self.size", "self.scale").replace(".spec.size", ".spec.scale")
    assert renamed(editor, CRD, part, inside, "scale") == wanted


def test_paths_through_the_property_and_defaults_are_renamed(editor: Editor) -> None:
    text = CRD.replace("    schema:\n", f"{SELECTABLE}    schema:\n", 1)
    text = text.replace("            description: What is wanted.\n", DEFAULT)
    wanted = text.replace(".spec.", ".wanted.").replace("          spec:\n", "          wanted:\n")
    assert renamed(editor, text, "          spec:\n", "spec", "wanted") == wanted
    keys = text.replace("[name]", "[id]").replace("p.name", "p.id").replace("name: a}", "id: a}")
    keys = keys.replace("name: {type: string, max", "id: {type: string, max")
    assert renamed(editor, text, "name: {type: string, max", "name", "id") == keys


def test_names_are_escaped_in_rules_and_quoted_in_yaml(editor: Editor) -> None:
    text = renamed(editor, CRD, "self.size", "size", "the-size")
    assert text is not None
    assert "self.the__dash__size <= 10" in text
    assert "required: [the-size, mode]" in text
    text = renamed(editor, CRD, "mode: {type", "mode", "on")
    assert text is not None
    assert 'required: [size, "on"]' in text
    assert '"on": {type: string' in text


def test_versions_that_share_a_schema_are_renamed_together(editor: Editor) -> None:
    text = renamed(editor, TWO_VERSIONS, "self.size", "size", "scale")
    assert text is not None
    assert (text.count("scale"), text.count("size")) == (TWO_VERSIONS.count("size"), 0)
    assert editor.retype("crd.yaml", text) == []


@pytest.mark.parametrize(
    ("text", "part", "inside", "new"),
    [
        (CRD, "size:\n", "size", "mode"),
        (CRD, "size:\n", "size", ""),
        (CRD, "size:\n", "size", "größe"),
        (CRD, "scope: Namespaced", "scope", "x"),
        (CRD, "minimum: 1", "minimum", "x"),
        (CRD, "What is wanted", "What", "x"),
        (CRD.replace("self.size <= 10", "self.size <="), "size:\n", "size", "scale"),
    ],
)
def test_what_cannot_be_renamed_is_left(
    editor: Editor, text: str, part: str, inside: str, new: str
) -> None:
    assert renamed(editor, text, part, inside, new) is None


def test_the_name_to_rename_is_marked(editor: Editor) -> None:
    editor.open("crd.yaml", CRD)

    def marked(part: str, inside: str) -> lsp.Range | None:
        at = position(CRD, part, inside)
        params = lsp.PrepareRenameParams(editor.document("crd.yaml"), at)
        found: lsp.Range | None = editor.do(
            editor.client.text_document_prepare_rename_async(params)
        )
        return found

    for part, inside in (("jsonPath: .spec.size", "size"), ("self.size", "size")):
        start = position(CRD, part, inside)
        assert marked(part, inside) == lsp.Range(
            start, lsp.Position(start.line, start.character + 4)
        )
    assert marked("scope: Namespaced", "scope") is None
    assert marked("served: true", "true") is None
