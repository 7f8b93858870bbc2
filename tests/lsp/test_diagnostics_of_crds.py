"""Diagnostics of CRDs as an editor gets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from editor import Editor
from lsprotocol import types as lsp
from scratch import WITH_SPEC

if TYPE_CHECKING:
    from pathlib import Path

CRD = (
    WITH_SPEC
    + """\
            properties:
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [port, port]
                items:
                  type: object
                  required: [port]
                  properties:
                    port: {type: integer}
"""
)
VALID = CRD.replace("[port, port]", "[port]")


def place(text: str, part: str) -> lsp.Range:
    """Return the range of a part of a text without characters beyond 16 bits."""
    at = text.index(part)
    line, column = text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1)
    return lsp.Range(lsp.Position(line, column), lsp.Position(line, column + len(part)))


def test_a_finding_has_all_that_editors_show(editor: Editor) -> None:
    (one,) = editor.open("crd.yaml", CRD)
    assert one.code == "list-map-key-duplicate"
    assert one.severity == lsp.DiagnosticSeverity.Error
    assert one.source == "crdlint"
    assert one.tags is not None
    assert list(one.tags) == [lsp.DiagnosticTag.Unnecessary]
    assert one.code_description == lsp.CodeDescription(
        "https://crdlint.github.io/crdlint/rules/list-map-key-duplicate/"
    )
    headline, help_, where, server = one.message.split("\n")
    assert headline.startswith("list map key `port` is repeated in `ports`")
    assert help_.startswith("help: ")
    assert where.startswith("at: ")
    assert server.startswith("server: ")
    assert server.endswith("must not contain duplicate entries")
    assert one.range == lsp.Range(lsp.Position(22, 51), lsp.Position(22, 55))


def test_an_edit_takes_a_finding_back(editor: Editor) -> None:
    assert [one.code for one in editor.open("crd.yaml", CRD)] == ["list-map-key-duplicate"]
    editor.change("crd.yaml", (place(CRD, ", port]"), "]"))
    assert editor.diagnostics("crd.yaml") == []


def test_several_changes_apply_one_after_the_other(editor: Editor) -> None:
    editor.open("crd.yaml", VALID)
    start = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    editor.change(
        "crd.yaml",
        (start, "# 1\n"),
        (start, "# 2\n"),
        (place("# 2\n# 1\n" + VALID, "[port]"), "[prt]"),
    )
    (one,) = editor.diagnostics("crd.yaml")
    assert (one.code, one.range.start.line) == ("list-map-key-unknown", 24)


def test_the_other_place_is_related(editor: Editor) -> None:
    text = VALID.replace("  scope: Namespaced\n", "  scope: Namespaced\n  scope: Cluster\n")
    (one,) = editor.open("crd.yaml", text)
    assert one.code == "duplicate-key"
    assert one.related_information is not None
    assert list(one.related_information) == [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(
                editor.uri("crd.yaml"), lsp.Range(lsp.Position(7, 2), lsp.Position(7, 19))
            ),
            "first set",
        )
    ]


def test_positions_count_utf_16_and_lines_may_end_with_cr_lf(editor: Editor) -> None:
    text = VALID.replace("scope: Namespaced", "'scope': 😀😀").replace("\n", "\r\n")
    found = editor.open("crd.yaml", text)
    assert {(one.code, str(one.range)) for one in found} == {("scope-invalid", "7:11-7:15")}


def test_findings_behind_others_are_hints_on_request(tmp_path: Path) -> None:
    text = CRD.replace("group: example.com", "group: [example.com]")
    with Editor(tmp_path) as quiet:
        assert {one.severity for one in quiet.open("crd.yaml", text)} == {
            lsp.DiagnosticSeverity.Error
        }
    with Editor(tmp_path, {"hidden": True}) as full:
        severities = {one.code: one.severity for one in full.open("crd.yaml", text)}
        assert severities["list-map-key-duplicate"] == lsp.DiagnosticSeverity.Hint


def test_the_closest_configuration_and_comments_apply(editor: Editor) -> None:
    config = editor.folder / "config" / ".crdlint.yaml"
    config.parent.mkdir()
    config.write_text("severity: {list-map-key-duplicate: info}\n")
    (one,) = editor.open("config/crd.yaml", CRD)
    assert one.severity == lsp.DiagnosticSeverity.Information
    ignored = CRD.replace("[port, port]", "[port, port]  # crdlint: ignore[list-map-key-duplicate]")
    assert editor.retype("config/crd.yaml", ignored) == []


def test_a_changed_configuration_applies_to_the_next_check(editor: Editor) -> None:
    editor.open("crd.yaml", CRD)
    (editor.folder / ".crdlint.yaml").write_text("ignore: [list-map-key-duplicate]\n")
    assert editor.retype("crd.yaml", f"{CRD}\n") == []


def test_a_broken_configuration_is_shown_once(editor: Editor) -> None:
    (editor.folder / ".crdlint.yaml").write_text("selct: []\n")
    editor.open("crd.yaml", CRD)
    editor.retype("crd.yaml", f"{CRD}\n")
    assert len([one for one in editor.messages if "selct" in one]) == 1


def test_the_version_comes_from_the_client(tmp_path: Path) -> None:
    text = VALID.replace("versions:", "selectableFields: []\n  versions:")
    with Editor(tmp_path, {"kubeVersion": "1.99"}) as editor:
        editor.open("crd.yaml", text)
        assert [one for one in editor.messages if "`kubeVersion`" in one] != []


def test_settings_change_without_a_restart(tmp_path: Path) -> None:
    rule = 'x-kubernetes-validations: [{rule: "isIP(self.metadata.name) || true"}]'
    text = VALID.replace("type: object", f"type: object\n        {rule}", 1)
    with Editor(tmp_path) as editor:
        assert editor.open("crd.yaml", text) == []
        for settings, codes in (
            ({"crdlint": {"kubeVersion": "1.29"}}, ["cel-compilation"]),
            ({}, ["cel-compilation"]),
            ({"crdlint": {}}, []),
        ):
            editor.client.workspace_did_change_configuration(
                lsp.DidChangeConfigurationParams(settings)
            )
            assert [each.code for each in editor.wait_for_codes("crd.yaml", codes)] == codes


@pytest.mark.parametrize("options", [[], {"kubeVersion": 3}, {"hidden": "yes"}, {"other": 1}])
def test_wrong_options_are_shown_and_not_used(tmp_path: Path, options: object) -> None:
    with Editor(tmp_path, options) as editor:
        assert [one.code for one in editor.open("crd.yaml", CRD)] == ["list-map-key-duplicate"]
        assert len(editor.messages) == 1


def test_other_files_have_no_diagnostics(editor: Editor) -> None:
    assert editor.open("compose.yaml", "services: {web: [}\n") == []


def test_a_closed_file_has_no_diagnostics(editor: Editor) -> None:
    editor.open("crd.yaml", CRD)
    editor.client.text_document_did_close(
        lsp.DidCloseTextDocumentParams(editor.document("crd.yaml"))
    )
    assert editor.wait_for_codes("crd.yaml", []) == []


def test_only_the_newest_version_is_published(editor: Editor) -> None:
    """Each of the first twenty versions is replaced before its pause is over, or dropped with its result."""
    editor.open("crd.yaml", CRD)
    for _ in range(20):
        editor.change("crd.yaml", (lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0)), "#\n"))
    editor.change("crd.yaml", (None, VALID))
    assert editor.diagnostics("crd.yaml") == []
    uri = editor.uri("crd.yaml")
    versions = [
        one.version for one in editor.published if one.uri == uri and one.version is not None
    ]
    assert versions == sorted(versions)


def test_a_document_that_is_no_file_is_checked(editor: Editor) -> None:
    item = lsp.TextDocumentItem("untitled:Untitled-1", "yaml", 1, CRD)
    editor.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    found = editor.wait_for(
        lambda: next((one for one in editor.published if one.uri == item.uri), None)
    )
    assert [one.code for one in found.diagnostics] == ["list-map-key-duplicate"]
