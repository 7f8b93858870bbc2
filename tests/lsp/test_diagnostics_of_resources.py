"""Diagnostics of custom resources, templates and suites, against the CRDs that are open or in the workspace."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from scratch import WIDGET_OF_SIZE, WITH_SPEC, write

from crdlint.lsp.resources import CRDIndex
from crdlint.lsp.workspace import Workspace
from crdlint.sources.crd_lookup import checkout_of

if TYPE_CHECKING:
    from pathlib import Path

    from editor import Editor
    from lsprotocol import types as lsp

CRD = (
    WITH_SPEC
    + """\
            required: [size]
            x-kubernetes-validations:
            - rule: self.size <= 10
              message: too large
            properties:
              size: {type: integer}
              mode: {type: string, enum: [A, B]}
"""
)
WIDGET = WIDGET_OF_SIZE.format(11)


def codes(editor: Editor, name: str, text: str) -> list[tuple[str, int]]:
    return [(str(one.code), one.range.start.line) for one in editor.open(name, text)]


@pytest.mark.parametrize("place", ["widget.yaml", "crds/crd.yaml", "a/b/c/crd.yaml"])
def test_a_resource_is_validated_against_the_workspace(editor: Editor, place: str) -> None:
    path = editor.folder / place.replace("widget.yaml", "crd.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CRD)
    editor.move(editor.folder)
    editor.open("samples/x/widget.yaml", WIDGET)
    found = editor.wait_for_codes("samples/x/widget.yaml", ["resource-rule"])
    (one,) = found
    assert one.message.startswith("`spec`: too large\n")
    (related,) = one.related_information or ()
    assert related.location.uri == editor.uri(str(path.relative_to(editor.folder)))
    assert related.location.range.start.line == CRD[: CRD.index("self.size")].count("\n")


def test_a_folder_that_left_the_workspace_has_no_crds(tmp_path: Path) -> None:
    for name in ("left", "kept"):
        write(tmp_path / name, {"crd.yaml": CRD})
    workspace = Workspace(folders=[str(tmp_path / "left"), str(tmp_path / "kept")])
    index = CRDIndex(workspace)
    index.use(index.scan(workspace.folders))
    workspace.remove_folders([(tmp_path / "left").as_uri()])
    index.forget()
    assert index.files_with("Widget") == [str(tmp_path / "kept" / "crd.yaml")]


def test_a_wrong_value_leads_to_the_field_of_the_crd(editor: Editor) -> None:
    (editor.folder / "crd.yaml").write_text(CRD)
    found = editor.open("widget.yaml", WIDGET.replace("size: 11", "size: 1\n  mode: C"))
    (one,) = [one for one in found if one.code == "resource-value"]
    (related,) = one.related_information or ()
    assert related.message == "the field in the CRD"
    assert related.location.uri == editor.uri("crd.yaml")
    assert related.location.range.start.line == CRD[: CRD.index("mode: {type")].count("\n")


def test_the_unsaved_text_of_a_crd_counts(editor: Editor) -> None:
    (editor.folder / "crd.yaml").write_text(CRD)
    assert codes(editor, "widget.yaml", WIDGET) == [("resource-rule", 4)]
    editor.open("crd.yaml", CRD.replace("<= 10", "<= 11"))
    editor.wait_for_codes("widget.yaml", [])
    editor.change(
        "crd.yaml",
        (
            None,
            CRD.replace("size: {type: integer}", "size: {type: string}").replace("<= 10", "!= ''"),
        ),
    )
    editor.wait_for_codes("widget.yaml", ["resource-rule", "resource-value"])
    editor.close_one("crd.yaml")
    editor.wait_for_codes("widget.yaml", ["resource-rule"])


def test_an_edit_publishes_only_what_changes(editor: Editor) -> None:
    editor.open("crd.yaml", CRD, saved=True)
    editor.open("other.yaml", CRD.replace("idget", "adget"))
    assert codes(editor, "fine.yaml", WIDGET.replace("size: 11", "size: 1")) == []
    assert codes(editor, "widget.yaml", WIDGET) == [("resource-rule", 4)]
    editor.published.clear()
    editor.change("crd.yaml", (None, CRD.replace("<= 10", "<= 11")))
    editor.wait_for_codes("widget.yaml", [])
    editor.diagnostics("crd.yaml")
    assert editor.retype("other.yaml", CRD.replace("idget", "adget") + "\n") == []
    assert {one.uri for one in editor.published} == {
        editor.uri(f"{n}.yaml") for n in ("crd", "other", "widget")
    }
    assert len(editor.published) == 3


def test_a_crd_may_be_in_the_same_text(editor: Editor) -> None:
    text = CRD + "---\n" + WIDGET.replace("size: 11", "size: 1\n  mode: C\n  more: 1")
    assert {code for code, _ in codes(editor, "all.yaml", text)} == {
        "resource-rule",
        "resource-value",
        "unknown-field",
    }


def test_the_configuration_names_crds(editor: Editor) -> None:
    elsewhere = editor.folder / "elsewhere" / "operator"
    elsewhere.mkdir(parents=True)
    (elsewhere / "crd.yaml").write_text(CRD)
    work = editor.folder / "work"
    work.mkdir()
    (work / ".crdlint.yaml").write_text("crds: [../elsewhere/operator]\n")
    editor.move(work)
    assert codes(editor, "widget.yaml", WIDGET) == [("resource-rule", 4)]


def test_a_url_is_that_of_a_checkout_near_the_configuration(tmp_path: Path) -> None:
    for name, url in (
        ("one", "git@github.com:org/one.git"),
        ("two", "https://token@github.com/Org/Two"),
    ):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n')
    (tmp_path / "work" / "deep").mkdir(parents=True)
    folder = str(tmp_path / "work" / "deep")
    assert checkout_of("https://github.com/org/one", folder) == str(tmp_path / "one")
    assert checkout_of("ssh://git@github.com/org/two.git", folder) == str(tmp_path / "two")
    assert checkout_of("https://github.com/org/three", folder) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_for_a_configuration_is_not_opened(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / ".git").mkdir(parents=True)
    os.mkfifo(tmp_path / "a" / ".git" / "config")
    (tmp_path / "b" / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = https://github.com/org/one\n'
    )
    assert checkout_of("https://github.com/org/one", str(tmp_path)) == str(tmp_path / "b")


def test_yaml_that_is_of_no_crd_is_left_to_other_servers(editor: Editor) -> None:
    (editor.folder / "crd.yaml").write_text(CRD)
    broken = "apiVersion: {}/v1\nkind: X\nspec: [\n"
    assert codes(editor, "a.yaml", broken.format("other.io")) == []
    assert codes(editor, "b.yaml", broken.format("example.com")) == [("yaml-syntax", 2)]


def test_comments_ignore_findings_on_resources(editor: Editor) -> None:
    (editor.folder / "crd.yaml").write_text(CRD)
    text = WIDGET.replace("spec:", "spec:  # crdlint: ignore[resource-rule]")
    assert codes(editor, "widget.yaml", text) == []


def test_a_template_is_validated_where_its_values_are_known(editor: Editor) -> None:
    (editor.folder / "Chart.yaml").write_text("apiVersion: v2\nname: a\nversion: 1.0.0\n")
    (editor.folder / "crds").mkdir()
    (editor.folder / "crds" / "crd.yaml").write_text(CRD)
    text = """\
apiVersion: example.com/v1
kind: Widget
metadata:
  name: {{ .Release.Name }}-x
spec:
  {{- if .Values.size }}
  size: {{ .Values.size | int }}
  {{- end }}
  mode: "{{ .Values.mode }}"
  more: 1
"""
    assert codes(editor, "templates/widget.yaml", text) == [("unknown-field", 9)]
    wrong = text.replace('"{{ .Values.mode }}"', "C").replace("  more: 1\n", "")
    assert [one.code for one in editor.retype("templates/widget.yaml", wrong)] == ["resource-value"]


def test_a_template_has_the_findings_of_its_crd(editor: Editor) -> None:
    (editor.folder / "Chart.yaml").write_text("apiVersion: v2\nname: a\nversion: 1.0.0\n")
    text = CRD.replace(
        "widgets.example.com", "widgets.example.com\n  labels: {a: {{ .Values.a }}}"
    ).replace("enum: [A, B]", "enm: [A, B]")
    assert codes(editor, "templates/crd.yaml", text) == [("unknown-field", 25)]


SUITE = """\
name: widgets
crdName: widgets.example.com
tests:
  onCreate:
  - name: large
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 11}
    expectedError: too small
  - name: fine
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 1}
    expected: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 1}
"""


@pytest.mark.parametrize("place", ["crd.yaml", "somewhere/else/crd.yaml"])
def test_a_suite_has_its_failures(editor: Editor, place: str) -> None:
    (editor.folder / place).parent.mkdir(parents=True, exist_ok=True)
    (editor.folder / place).write_text(CRD)
    editor.move(editor.folder)
    editor.open("tests/w.testsuite.yaml", SUITE)
    uri = editor.uri("tests/w.testsuite.yaml")

    def failure() -> lsp.Diagnostic | None:
        """Return the finding at the test; until the workspace is read, the CRD is missing."""
        last = [one.diagnostics for one in editor.published if one.uri == uri][-1:]
        return next(
            (found for found in (last[0] if last else ()) if found.range.start.line == 9), None
        )

    found = editor.wait_for(failure)
    assert found.message.startswith(
        "large:\nthe create is rejected, but not with the expected error:"
    )


def test_a_broken_suite_has_its_error(editor: Editor) -> None:
    (one,) = editor.open("w.testsuite.yaml", SUITE.replace("expectedError", "expctedError"))
    assert (one.range.start.line, one.message) == (
        9,
        "a test has no `expctedError`: did you mean `expectedError`?",
    )


def test_a_saved_file_counts_from_then_on(editor: Editor) -> None:
    editor.open("widget.yaml", WIDGET)
    editor.open("crd.yaml", CRD, saved=True)
    editor.save("crd.yaml")
    editor.wait_for_codes("widget.yaml", ["resource-rule"])
