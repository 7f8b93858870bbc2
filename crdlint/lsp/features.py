"""The requests of the protocol about a document: what each is answered with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.capabilities import get_capability

from crdlint.gathering import object_of
from crdlint.lsp import actions
from crdlint.lsp.complete import TRIGGERS, completions
from crdlint.lsp.cursor import cursor_at
from crdlint.lsp.folding import folds_of
from crdlint.lsp.hover import hover_of
from crdlint.lsp.lenses import RUN_TESTS, SHOW, hints_of, lenses_of, links_of
from crdlint.lsp.navigation import definition_at, references_at
from crdlint.lsp.rename import CannotRenameError, Renaming
from crdlint.lsp.session import EditorServer
from crdlint.lsp.signatures import signatures_at
from crdlint.lsp.symbols import crds_of, symbols_of
from crdlint.lsp.workspace import OpenDocument
from crdlint.rules import catalog

_AtPosition = (
    lsp.HoverParams
    | lsp.DefinitionParams
    | lsp.ReferenceParams
    | lsp.SignatureHelpParams
    | lsp.PrepareRenameParams
    | lsp.RenameParams
)

T = TypeVar("T")


def add_features(server: EditorServer) -> None:
    """Let a server answer all requests about documents."""
    _add_actions(server)
    _add_commands(server)
    _add_reading(server)
    _add_writing(server)
    _add_renaming(server)
    _add_outlines(server)
    _add_lenses(server)


def takes_versions(server: EditorServer) -> bool:
    """Return whether the client takes edits of a version of a document."""
    return bool(
        get_capability(server.client_capabilities, "workspace.workspace_edit.document_changes")
    )


def _add_actions(server: EditorServer) -> None:
    options = lsp.CodeActionOptions(code_action_kinds=actions.KINDS, resolve_provider=True)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        resolved = (
            get_capability(
                server.client_capabilities, "text_document.code_action.resolve_support.properties"
            )
            or ()
        )

        def actions_of(document: OpenDocument) -> list[lsp.CodeAction]:
            resolves, versioned, read = (
                "edit" in resolved,
                takes_versions(server),
                server.documents.read,
            )
            request = actions.ActionRequest(
                document,
                params.range,
                params.context.only,
                resolves,
                versioned,
                read,
            )
            return actions.actions_of(request, server.checks)

        return await server.answers(params.text_document, actions_of)

    @server.feature(lsp.CODE_ACTION_RESOLVE)
    async def resolve(action: lsp.CodeAction) -> lsp.CodeAction:
        data = object_of(action.data)
        document = server.document(data.get("uri"))
        if document is not None and document.version == data.get("version"):
            versioned = takes_versions(server)
            action.edit = await server.work(
                lambda: actions.fixing_edit(document, server.checks, versioned=versioned)
            )
        return action


def _add_commands(server: EditorServer) -> None:
    @server.command(actions.EXPLAIN)
    def explain(rule: str) -> str | None:
        try:
            text = actions.explanation(catalog.get(rule))
        except KeyError:
            return None
        return show(text)

    @server.command(SHOW)
    def show(text: str) -> str:
        server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, text))
        return text

    @server.command(RUN_TESTS)
    async def run_tests(uri: str, part: str) -> str | None:
        document = server.document(uri)
        if document is None:
            return None
        return show(await server.work(server.checks.test_results, document, part))


async def _at_cursor(
    server: EditorServer,
    params: _AtPosition,
    function: Callable[..., T],
    *arguments: Any,
) -> T | None:
    """Return the result of a function for the place of a request, None if nothing is there."""

    def run(document: OpenDocument) -> T | None:
        cursor = cursor_at(document.text.text, document.text.index(params.position))
        if cursor is None or cursor.is_behind:
            return None
        return function(document, cursor, *arguments)

    return await server.answer(params.text_document, run)


def _add_reading(server: EditorServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        text = await _at_cursor(server, params, hover_of, server.checks)
        return None if text is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        return await _at_cursor(
            server,
            params,
            definition_at,
            server.checks,
            server.documents.read,
        )

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        declared = params.context.include_declaration
        return (
            await _at_cursor(
                server,
                params,
                references_at,
                server.checks,
                declared,
            )
            or []
        )


def _add_writing(server: EditorServer) -> None:
    def takes_snippets() -> bool:
        return bool(
            get_capability(
                server.client_capabilities,
                "text_document.completion.completion_item.snippet_support",
            )
        )

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=TRIGGERS)
    )
    async def completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        def run(document: OpenDocument) -> list[lsp.CompletionItem]:
            index = document.text.index(params.position)
            return completions(
                document,
                index,
                server.checks,
                snippets=takes_snippets(),
            )

        return await server.answers(params.text_document, run)

    options = lsp.SignatureHelpOptions(trigger_characters=["(", ","])

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, options)
    async def signatures(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        return await _at_cursor(server, params, signatures_at, server.checks)


def _add_renaming(server: EditorServer) -> None:
    def renaming(params: _AtPosition, function: Callable[[Renaming], T]) -> Any:
        return _at_cursor(
            server,
            params,
            lambda document, cursor: function(Renaming(document, cursor, server.checks)),
        )

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        try:
            range_: lsp.Range | None = await renaming(params, Renaming.range)
        except CannotRenameError:
            return None
        return range_

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    async def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        try:
            edits = await renaming(params, lambda renaming_: renaming_.edits(params.new_name))
        except CannotRenameError as problem:
            server.window_show_message(
                lsp.ShowMessageParams(lsp.MessageType.Warning, f"crdlint: {problem}")
            )
            return None
        document = server.document(params.text_document.uri)
        if document is None or edits is None:
            return None
        changes = [lsp.TextEdit(range_, text) for range_, text in edits]
        return actions.workspace_edit(document, changes, versioned=takes_versions(server))


def _add_outlines(server: EditorServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return await server.answers(params.text_document, symbols_of)

    @server.feature(lsp.WORKSPACE_SYMBOL)
    async def workspace_symbols(params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        return await server.work(crds_of, server.checks.index, params.query)

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folds(params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        return await server.answers(params.text_document, folds_of)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def links(params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
        return await server.answers(params.text_document, links_of)


def _add_lenses(server: EditorServer) -> None:
    checked = server.checks.of

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        def run(document: OpenDocument) -> list[lsp.CodeLens]:
            return lenses_of(document, checked(document))

        return await server.answers(params.text_document, run)

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        def run(document: OpenDocument) -> list[lsp.InlayHint]:
            return hints_of(document, checked(document), params.range)

        return await server.answers(params.text_document, run)
