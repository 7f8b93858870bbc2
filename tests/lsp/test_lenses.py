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


def test_a_rule_has_its_cost_above_it_and_more_on_a_click(editor: Editor) -> None:
    editor.open("crd.yaml", CRD)
    [(title, (start, click))] = lenses(editor).items()
    assert title == "cost 42, < 1 % of the budget"
    assert start == position(CRD, "rule: self", "self")
    text = editor.do(editor.client.workspace_execute_command_async(click))
    assert "The rule is evaluated" in text
    editor.wait_for(lambda: text in editor.messages or None)
    for other in ("", "a: [", CRD.replace("self.size <= 10", "self.size <=")):
        editor.retype("crd.yaml", other)
        assert lenses(editor) == {}


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
