"""Code actions: what they do to the text, and to its diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from counting import recording
from editor import Editor, applied, edits_of
from lsprotocol import types as lsp
from test_diagnostics_of_crds import CRD, VALID, place

from crdlint.lsp.checks import Checks
from crdlint.lsp.workspace import Workspace, uri_of
from crdlint.rules.engine.examples import stream
from crdlint.runner.fixes import fix

if TYPE_CHECKING:
    from pathlib import Path

ALL = lsp.Range(lsp.Position(0, 0), lsp.Position(999, 0))
QUICK, FIX_ALL = "quickfix", "source.fixAll.crdlint"
BROKEN = (
    CRD
    + "---\n"
    + CRD.replace("widgets.example.com", "gadgets.example.com").replace(
        "{kind: Widget, plural: widgets}", "{kind: Gadget, plural: gadgets}"
    )
)


def test_a_safe_fix_is_preferred_and_leads_to_no_finding(editor: Editor) -> None:
    editor.open("crd.yaml", CRD)
    (action,) = [one for one in editor.actions("crd.yaml", ALL, QUICK).values() if one.is_preferred]
    assert action.diagnostics is not None
    assert [one.code for one in action.diagnostics] == ["list-map-key-duplicate"]
    assert editor.retype("crd.yaml", applied(CRD, edits_of(action))) == []


def test_an_unsafe_fix_is_not_preferred(editor: Editor) -> None:
    text = VALID.replace("required: [port]\n", "required: []\n")
    editor.open("crd.yaml", text)
    fixes = [
        one
        for title, one in editor.actions("crd.yaml", ALL, QUICK).items()
        if "may change" in title
    ]
    assert fixes
    assert not any(one.is_preferred for one in fixes)


def test_actions_are_of_the_range(editor: Editor) -> None:
    editor.open("crd.yaml", CRD)
    assert (
        editor.actions("crd.yaml", lsp.Range(lsp.Position(0, 0), lsp.Position(3, 0)), QUICK) == {}
    )


@pytest.mark.parametrize("only", [FIX_ALL, "source.fixAll", "source"])
def test_fix_all_applies_every_safe_fix(editor: Editor, only: str) -> None:
    text = BROKEN.replace("\n", "\r\n")
    assert len(editor.open("crd.yaml", text)) == 2
    (action,) = editor.actions("crd.yaml", ALL, only).values()
    assert action.kind == FIX_ALL
    fixed = applied(text.replace("\r\n", "\n"), edits_of(action))
    assert editor.retype("crd.yaml", fixed) == []


def test_resources_have_the_fixes_of_their_findings(editor: Editor) -> None:
    """The fix of all also repairs the CRD of the same file."""
    bad, good = stream('{replica: 1, paused: "yes"}'), stream("{replicas: 1, paused: true}")
    both = f"{bad}---\n{CRD}"
    editor.open("foo.yaml", bad)
    assert {"Correct the spelling", "Write the value without quotes"} <= editor.actions(
        "foo.yaml", ALL, QUICK
    ).keys()
    for text, fixed in ((bad, good), (both, f"{good}---\n{CRD.replace(', port', '')}")):
        editor.retype("foo.yaml", text)
        (action,) = editor.actions("foo.yaml", ALL, FIX_ALL).values()
        assert applied(text, edits_of(action)) == fixed


def test_fix_all_is_resolved_when_chosen(tmp_path: Path) -> None:
    support = lsp.ClientCodeActionResolveOptions(["edit"])
    capabilities = lsp.ClientCapabilities(
        text_document=lsp.TextDocumentClientCapabilities(
            code_action=lsp.CodeActionClientCapabilities(resolve_support=support)
        )
    )
    with Editor(tmp_path, capabilities=capabilities) as editor:
        editor.open("crd.yaml", CRD)
        action = next(
            one for one in editor.actions("crd.yaml", ALL).values() if one.kind == FIX_ALL
        )
        assert action.edit is None
        resolved = editor.do(editor.client.code_action_resolve_async(action))
        (edits,) = resolved.edit.changes.values()
        assert list(edits) == [lsp.TextEdit(place(CRD, ", port"), "")]
        editor.change("crd.yaml", (None, VALID))
        stale = editor.do(editor.client.code_action_resolve_async(action))
        assert stale.edit is None


def test_all_is_fixed_once_for_each_version_of_a_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Editors ask for actions again at each move of the cursor."""
    runs: list[object] = []
    monkeypatch.setattr("crdlint.lsp.checks.fix", recording(runs, fix))
    workspace = Workspace(folders=[str(tmp_path)])
    checks = Checks(workspace)
    uri = uri_of(str(tmp_path / "crd.yaml"))
    for version, text in enumerate((CRD, BROKEN), 1):
        document = workspace.open(uri, version, text)
        fixed = checks.fixed(document)
        assert fixed is not None
        assert fixed.edits
        assert checks.fixed(document) is fixed
        assert len(runs) == version


def test_fix_all_is_absent_where_nothing_is_fixed(editor: Editor) -> None:
    editor.open("crd.yaml", VALID)
    assert editor.actions("crd.yaml", ALL, FIX_ALL) == {}


IGNORED = {
    "at the end of the line": (CRD, "list-map-key-duplicate"),
    "behind another comment": (
        CRD.replace("[port, port]", "[port, port] # keys"),
        "list-map-key-duplicate",
    ),
    "in a comment that ignores another rule": (
        CRD.replace(
            "[port, port]", "[port, port]  # crdlint: ignore[list-map-key-required]"
        ).replace("required: [port]", "required: []"),
        "list-map-key-duplicate",
    ),
    "with CR LF": (CRD.replace("\n", "\r\n"), "list-map-key-duplicate"),
    "in a block scalar": (
        VALID
        + "                    x: {type: string}\n                  x-kubernetes-validations:\n"
        "                  - message: bad\n                    rule: |\n"
        "                      self.port > 0\n                      && self.prt > 0\n",
        "cel-compilation",
    ),
}


@pytest.mark.parametrize("name", IGNORED)
def test_a_comment_ignores_the_finding(editor: Editor, name: str) -> None:
    text, rule = IGNORED[name]
    found = [one for one in editor.open("crd.yaml", text) if one.code == rule]
    assert len(found) == 1
    action = editor.actions("crd.yaml", found[0].range, QUICK)[f"Ignore {rule} here with a comment"]
    (edit,) = edits_of(action)
    editor.change("crd.yaml", (edit.range, edit.new_text))
    assert [one.code for one in editor.diagnostics("crd.yaml") if one.code == rule] == []


def test_json_has_no_comments(editor: Editor) -> None:
    text = '{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "a.b"}}'
    editor.open("crd.json", text)
    assert [
        title for title in editor.actions("crd.json", ALL, QUICK) if title.startswith("Ignore")
    ] == []


def test_a_finding_is_explained(editor: Editor) -> None:
    editor.open("crd.yaml", CRD)
    action = editor.actions("crd.yaml", ALL, QUICK)["Explain list-map-key-duplicate"]
    assert action.command is not None
    params = lsp.ExecuteCommandParams(action.command.command, arguments=action.command.arguments)
    text = editor.do(editor.client.workspace_execute_command_async(params))
    assert "Repeating a key has no effect" in text
    editor.wait_for(lambda: True if text in editor.messages else None)
