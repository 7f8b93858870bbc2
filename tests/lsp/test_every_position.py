"""Every request of the language server is answered at every position of every fixture: an error answer is a failure."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from lsprotocol import types as lsp

from crdlint.lsp.server import new_server
from crdlint.lsp.session import EditorServer

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]
FILES: Final = sorted(
    path
    for folder in ("fixtures", "playground/examples", "tests/inputs")
    for path in (ROOT / folder).rglob("*.yaml")
)
_STRIDE: Final = 23  # words between the positions that every run tries
_WORD: Final = re.compile(r"\w+|$")
_NEW_NAME: Final = "renamed"
_VERSIONS: Final = re.compile(r"^( *)versions:\n(?=\1(?:  )?- )", re.MULTILINE)
_OTHER_VERSION: Final = (
    "- {name: v0, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}"
)


def with_other_schema(text: str) -> str:
    """Return a text whose CRDs have another version first, so that versions have different schemas."""

    def added(found: re.Match[str]) -> str:
        indent = text[found.end() : text.index("-", found.end())]
        return f"{found[0]}{indent}{_OTHER_VERSION}\n"

    return _VERSIONS.sub(added, text)


def requests_at(document: lsp.TextDocumentIdentifier, at: lsp.Position) -> Iterator[Any]:
    """Yield the parameters of each request that has a position, by its method."""
    context = lsp.ReferenceContext(include_declaration=True)
    here = lsp.Range(at, at)
    yield lsp.TEXT_DOCUMENT_HOVER, lsp.HoverParams(document, at)
    yield lsp.TEXT_DOCUMENT_DEFINITION, lsp.DefinitionParams(document, at)
    yield lsp.TEXT_DOCUMENT_REFERENCES, lsp.ReferenceParams(context, document, at)
    yield lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionParams(document, at)
    yield lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpParams(document, at)
    yield lsp.TEXT_DOCUMENT_PREPARE_RENAME, lsp.PrepareRenameParams(document, at)
    yield lsp.TEXT_DOCUMENT_RENAME, lsp.RenameParams(document, at, _NEW_NAME)
    context_of_actions = lsp.CodeActionContext([])
    yield lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionParams(document, here, context_of_actions)


def requests_of(document: lsp.TextDocumentIdentifier) -> Iterator[Any]:
    """Yield the parameters of each request about a whole document, by its method."""
    everywhere = lsp.Range(lsp.Position(0, 0), lsp.Position(100_000, 0))
    yield lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, lsp.DocumentSymbolParams(document)
    yield lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensParams(document)
    yield lsp.TEXT_DOCUMENT_FOLDING_RANGE, lsp.FoldingRangeParams(document)
    yield lsp.TEXT_DOCUMENT_DOCUMENT_LINK, lsp.DocumentLinkParams(document)
    yield lsp.TEXT_DOCUMENT_INLAY_HINT, lsp.InlayHintParams(document, everywhere)
    fixing = lsp.CodeActionContext([], only=[lsp.CodeActionKind.SourceFixAll])
    yield lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionParams(document, everywhere, fixing)


_CAPABILITIES: Final = lsp.ClientCapabilities(
    workspace=lsp.WorkspaceClientCapabilities(
        workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=True)
    ),
    text_document=lsp.TextDocumentClientCapabilities(
        completion=lsp.CompletionClientCapabilities(
            completion_item=lsp.ClientCompletionItemOptions(snippet_support=True)
        ),
        code_action=lsp.CodeActionClientCapabilities(
            resolve_support=lsp.ClientCodeActionResolveOptions(["edit"])
        ),
    ),
)
_NOT_ABOUT_TEXT: Final = {lsp.CODE_ACTION_RESOLVE}


class _Nowhere:
    """Takes the messages that the server shows to the user."""

    def write(self, data: bytes) -> None:
        """Drop a message."""

    def close(self) -> None:
        """Do nothing."""


def ask(path: Path, stride: int) -> int:
    """Ask a server everything about a file at each word of a stride, and return the number of answers."""
    with path.open(encoding="utf-8", newline="", errors="surrogateescape") as file:
        text = file.read()
    server = new_server()
    server.protocol.client_capabilities = _CAPABILITIES
    server.protocol.set_writer(_Nowhere())
    requests: list[Any] = []
    for name, variant in (("as-it-is", text), ("with-other-schema", with_other_schema(text))):
        document = lsp.TextDocumentIdentifier(f"{path.as_uri()}.{name}.yaml")
        opened = server.documents.open(document.uri, 1, variant)
        requests += requests_of(document)
        for word in list(_WORD.finditer(variant))[::stride]:
            requests += requests_at(document, opened.text.position(word.start()))
    try:
        return asyncio.run(_answers(server, requests))
    finally:
        server.stop()


async def _answers(server: EditorServer, requests: list[Any]) -> int:
    for method, params in requests:
        await _answer(server, method, params)
    return len(requests)


async def _answer(server: EditorServer, method: str, params: Any) -> None:
    try:
        await server.protocol.fm.features[method](params)
    except Exception as error:
        pytest.fail(f"{method} at {getattr(params, 'position', '')}: {error!r}")


def name_of(path: Path) -> str:
    """Return the name of a file in the names of tests."""
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_request_is_answered(path: Path) -> None:
    assert ask(path, _STRIDE) > len(list(requests_of(lsp.TextDocumentIdentifier(""))))


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_request_is_answered_at_every_word(path: Path) -> None:
    assert ask(path, 1)


def test_every_feature_of_the_server_is_asked() -> None:
    document = lsp.TextDocumentIdentifier("")
    asked = {
        method for method, _ in (*requests_of(document), *requests_at(document, lsp.Position(0, 0)))
    }
    features = new_server().protocol.fm.features
    of_text = {name for name in features if name.startswith(("textDocument/", "codeAction/"))}
    notifications = {name for name in of_text if name.startswith("textDocument/did")}
    assert of_text - notifications - _NOT_ABOUT_TEXT == asked
