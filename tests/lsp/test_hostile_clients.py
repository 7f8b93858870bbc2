"""Clients that break the protocol get an error, or the server ends; what it publishes is never of an old text."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types as lsp
from test_diagnostics_of_crds import CRD, VALID

from crdlint.lsp.server import serve

if TYPE_CHECKING:
    from pathlib import Path

    from editor import Editor

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"capabilities": {}, "processId": None},
}
OPEN = {
    "jsonrpc": "2.0",
    "method": "textDocument/didOpen",
    "params": {
        "textDocument": {"uri": "file:///a.yaml", "languageId": "yaml", "version": 1, "text": CRD}
    },
}
SHUTDOWN = {"jsonrpc": "2.0", "id": 99, "method": "shutdown", "params": None}
EXIT = {"jsonrpc": "2.0", "method": "exit", "params": None}


def packed(*messages: Any) -> bytes:
    bodies = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


class Kept(io.BytesIO):
    """What a server writes, kept after it has closed the stream."""

    kept = b""

    def close(self) -> None:
        if not self.closed:
            self.kept = self.getvalue()
        super().close()


def run(data: bytes, capsys: pytest.CaptureFixture[str]) -> tuple[list[dict[str, Any]], int]:
    """Return the messages that a server answers with before its input ends, and its exit status."""
    with Kept() as written:
        status = serve(io.BytesIO(data), written)
    assert capsys.readouterr() == ("", "")
    bodies = [
        part.partition(b"\r\n\r\n")[2] for part in written.kept.split(b"Content-Length: ")[1:]
    ]
    return [json.loads(body) for body in bodies], status


def answers(messages: list[dict[str, Any]]) -> dict[Any, Any]:
    return {one["id"]: one for one in messages if "id" in one and "method" not in one}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\r\n\r\n",
        b"Content-Length: 10\r\n\r\n{",
        b"Content-Length: 99999999999999999999\r\n\r\n{}",
        b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n{}",
        b"Content-Length: abc\r\n\r\n{}",
        b"x" * 100_000,
        packed(b"[]", b"null", b"1", b'"x"', b"{", b"\xff\xfe", b"[" * 100_000),
        packed(
            {"jsonrpc": "1.0", "method": "x"},
            {"jsonrpc": "2.0"},
            {"jsonrpc": "2.0", "id": 7, "result": 1},
        ),
        packed(INITIALIZE)[:-5],
        packed(INITIALIZE, OPEN)[:-5],
        packed(OPEN, INITIALIZE),
        packed(INITIALIZE, {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 55}}),
        packed(
            INITIALIZE, {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"x": 1}}
        ),
    ],
)
def test_broken_input_ends_without_a_traceback(
    data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(data, capsys)[1] == 1


def test_exit_without_shutdown_has_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(packed(INITIALIZE, SHUTDOWN, EXIT), capsys)[1] == 0
    command = [sys.executable, "-m", "crdlint", "lsp"]
    done = subprocess.run(
        command, input=packed(INITIALIZE, EXIT), capture_output=True, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"method": "textDocument/noSuchMethod", "params": {}}, -32601),
        ({"method": "textDocument/codeAction", "params": {"textDocument": 3}}, -32602),
        ({"method": "textDocument/codeAction", "params": None}, -32602),
        (
            {
                "method": "workspace/executeCommand",
                "params": {"command": "no.such", "arguments": []},
            },
            -32602,
        ),
        (
            {
                "method": "workspace/executeCommand",
                "params": {"command": "crdlint.explain", "arguments": []},
            },
            -32602,
        ),
    ],
)
def test_wrong_requests_are_answered_with_an_error(
    request_: dict[str, Any], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    messages, status = run(
        packed(INITIALIZE, {"jsonrpc": "2.0", "id": 5, **request_}, SHUTDOWN, EXIT), capsys
    )
    assert answers(messages)[5]["error"]["code"] == code
    assert status == 0


def test_files_that_are_not_open_have_no_actions(editor: Editor) -> None:
    nowhere = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    assert editor.actions("none.yaml", nowhere) == {}
    editor.versions["none.yaml"] = 1
    editor.change("none.yaml", (None, CRD))
    editor.client.text_document_did_close(
        lsp.DidCloseTextDocumentParams(editor.document("none.yaml"))
    )
    assert editor.open("crd.yaml", VALID) == []


def test_positions_that_do_not_exist_change_the_nearest_ones(editor: Editor) -> None:
    editor.open("crd.yaml", VALID)
    far = lsp.Position(4_000_000, 4_000_000)
    editor.change("crd.yaml", (lsp.Range(far, far), "  extra: 1\n"))
    (one,) = editor.diagnostics("crd.yaml")
    assert one.range.start.line == VALID.count("\n")
    everywhere = editor.actions("crd.yaml", lsp.Range(lsp.Position(0, 0), far))
    assert everywhere != {}


@pytest.mark.parametrize(
    "text", ["\0", "\ud800", "a: \ud800\n", "\ufeff" + CRD, CRD.replace("widgets", "\x85\u2028")]
)
def test_any_text_is_checked(editor: Editor, text: str) -> None:
    editor.open("a.yaml", CRD)
    editor.retype("a.yaml", text)
    assert editor.retype("a.yaml", VALID) == []
    assert [one for one in editor.messages if "bug" in one] == []


def test_a_closed_pipe_ends_the_server(editor: Editor) -> None:
    """The fixture's server ends as usual; this one's client goes away with a request under way."""
    process = subprocess.Popen(
        [sys.executable, "-m", "crdlint", "lsp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=editor.folder,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write(packed(INITIALIZE, OPEN))
    process.stdin.close()
    assert process.wait() == 1
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
