"""Code lenses and document links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from test_reading import CRD, position

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Checkout
    from editor import Editor


def lenses(
    editor: Editor, name: str = "crd.yaml"
) -> dict[str, tuple[lsp.Position, lsp.ExecuteCommandParams]]:
    """Return where the lenses of a document are, and what a click asks for, by their titles."""
    params = lsp.CodeLensParams(editor.document(name))
    found = editor.do(editor.client.text_document_code_lens_async(params)) or ()
    clicks = [
        lsp.ExecuteCommandParams(lens.command.command, lens.command.arguments) for lens in found
    ]
    return {
        lens.command.title: (lens.range.start, click)
        for lens, click in zip(found, clicks, strict=True)
    }


SUITE = """\
crdName: widgets.example.com
tests:
  onCreate:
  - name: small
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 1}
    expected: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 1, mode: A}
  - name: too large
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 11}
    expected: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 11}
"""


def test_the_tests_of_a_suite_are_run_from_their_lenses(editor: Editor) -> None:
    editor.open("crd.yaml", CRD, saved=True)
    editor.open("a.testsuite.yaml", SUITE)
    params = lsp.CodeLensParams(editor.document("a.testsuite.yaml"))
    every, *each = editor.do(editor.client.text_document_code_lens_async(params))
    assert [one.command.title for one in (every, *each)] == ["run 2 tests", "run test", "run test"]
    assert each[1].range.start.line == position(SUITE, "name: too large").line

    def run(lens: lsp.CodeLens) -> str:
        assert lens.command is not None
        click = lsp.ExecuteCommandParams(lens.command.command, lens.command.arguments)
        text: str = editor.do(editor.client.workspace_execute_command_async(click))
        return text

    assert run(each[0]) == "passed: small\n1 test, 0 failed"
    lines = run(every).split("\n")
    assert lines[:2] == ["passed: small", "failed: too large"]
    assert lines[-1] == "2 tests, 1 failed"
    assert any("too large" in line for line in lines[2:-1])


def test_a_crd_has_its_changes_since_the_main_branch(
    editor: Editor, new_checkout: Callable[[str], Checkout]
) -> None:
    checkout = new_checkout("repository")
    checkout.commit({"crd.yaml": CRD})
    checkout.git("checkout", "-q", "-b", "topic")
    name = "repository/crd.yaml"
    editor.open(name, CRD)
    assert "0 changes since main" in lenses(editor, name)
    changed = CRD.replace(
        "mode: {type: string, enum: [A, B], default: A}",
        "mode: {type: string, enum: [A], default: A}",
    )
    editor.retype(
        name,
        changed.replace(
            "              mode", "              more: {type: string}\n              mode"
        ),
    )
    start, click = lenses(editor, name)["2 changes since main"]
    assert start == position(CRD, "name: widgets", "widgets")
    assert [*(click.arguments or ())] == [
        'info: `.spec.more` was added\nerror: `.spec.mode`: "B" is not accepted any more'
    ]
    editor.open("repository/new.yaml", CRD)
    assert not [title for title in lenses(editor, "repository/new.yaml") if "since" in title]


def test_a_rule_in_a_comment_is_a_link_to_its_page(editor: Editor) -> None:
    text = "# crdlint: ignore-file[cel-rule-cost, no-such-rule] why\n" + CRD
    editor.open("crd.yaml", text)
    params = lsp.DocumentLinkParams(editor.document("crd.yaml"))
    [link] = editor.do(editor.client.text_document_document_link_async(params))
    assert link.target.rstrip("/").endswith("rules/cel-rule-cost")
    assert link.range == lsp.Range(lsp.Position(0, 23), lsp.Position(0, 36))
