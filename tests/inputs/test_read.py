"""Bytes to text, and what is said of bytes that are none."""

from __future__ import annotations

import io
import os
import socket
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from crdlint.files.read import UnreadableError, decode, read_bytes
from crdlint.files.recognition import may_hold_crd

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "kind: CustomResourceDefinition # é\n"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(TEXT.encode(), id="utf-8"),
        pytest.param(TEXT.encode("utf-8-sig"), id="utf-8 with a mark"),
        pytest.param(b"\xff\xfe" + TEXT.encode("utf-16-le"), id="utf-16-le"),
        pytest.param(b"\xfe\xff" + TEXT.encode("utf-16-be"), id="utf-16-be"),
    ],
)
def test_text_is_read_without_its_mark(data: bytes) -> None:
    assert may_hold_crd(data)
    assert decode(data) == TEXT


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a: b\nc: \xc3\xa9\xff", "not UTF-8: byte 0xff at line 2, column 5 (byte offset 10)"),
        (b"\xef\xbb\xbfa\xff", "not UTF-8: byte 0xff at line 1, column 2 (byte offset 4)"),
        (b"a\nb\0", "binary data: a NUL character at line 2 (character 4 of the file)"),
        (
            b"\xff\xfe\0\0a\0\0\0",
            "UTF-32, which is no encoding of YAML that the API server reads: save it as UTF-8",
        ),
        (b"\xff\xfea", "not UTF-16-LE according to its byte order mark: byte offset 2"),
    ],
)
def test_what_is_no_text_is_said_with_its_place(data: bytes, said: str) -> None:
    with pytest.raises(UnreadableError) as error:
        decode(data)
    assert str(error.value) == said


def test_a_file_and_standard_input_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"a")
    assert read_bytes(str(tmp_path / "a")) == b"a"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"piped")))
    assert read_bytes("-") == b"piped"


def test_what_cannot_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableError, match="No such file or directory"):
        read_bytes(str(tmp_path / "gone"))
    with pytest.raises(UnreadableError, match="embedded null byte"):
        read_bytes("nul\0l")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UnreadableError, match="standard input is closed"):
        read_bytes("-")


@pytest.mark.parametrize("size", [2048, 70_000])
def test_a_file_is_read_up_to_the_limit(tmp_path: Path, size: int) -> None:
    (tmp_path / "file").write_bytes(b"x" * size)
    assert read_bytes(str(tmp_path / "file"), size) == b"x" * size
    with pytest.raises(UnreadableError, match=r"larger than \d+ KiB: not read"):
        read_bytes(str(tmp_path / "file"), size - 1)


def test_only_regular_files_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, unix, link = tmp_path / "pipe", tmp_path / "socket", tmp_path / "link"
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(unix))
    link.symlink_to("/dev/zero")
    opened = []
    monkeypatch.setattr(os, "open", lambda *given: opened.append(given))
    for path, what in (
        (pipe, "a named pipe"),
        (unix, "a socket"),
        (link, "a device"),
        (tmp_path, "a directory"),
    ):
        with pytest.raises(UnreadableError) as error:
            read_bytes(str(path))
        assert str(error.value) == f"not a regular file but {what}"
    with pytest.raises(UnreadableError, match="not a regular file but a symbolic link"):
        read_bytes(str(link), follow_link=False)
    assert opened == []


def test_a_file_replaced_by_a_pipe_before_it_is_opened_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"")
    regular = (tmp_path / "file").stat()
    monkeypatch.setattr(os, "stat", lambda _path: regular)
    with pytest.raises(UnreadableError, match="not a regular file but a named pipe"):
        read_bytes(str(tmp_path / "pipe"))


def test_an_open_descriptor_is_read_by_its_name_only(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"from a pipe")
    os.close(writing)
    (tmp_path / "link").symlink_to(f"/dev/fd/{reading}")
    with pytest.raises(UnreadableError, match="not a regular file but a named pipe"):
        read_bytes(str(tmp_path / "link"))
    assert read_bytes(f"/dev/fd/{reading}") == b"from a pipe"
    os.close(reading)
