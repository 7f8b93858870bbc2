from __future__ import annotations

import pytest
from lsprotocol.types import Position, PositionEncodingKind, Range

from crdlint.lsp.workspace import ProtocolText, changed

TEXT = "a: 1\r\nb😀é: 2\rc\u2028d: 3\n"


@pytest.mark.parametrize(
    ("encoding", "column"),
    [
        (PositionEncodingKind.Utf8, 7),
        (PositionEncodingKind.Utf16, 4),
        (PositionEncodingKind.Utf32, 3),
    ],
)
def test_columns_count_code_units(encoding: PositionEncodingKind, column: int) -> None:
    text = ProtocolText(TEXT, encoding)
    at = TEXT.index(": 2")
    assert text.position(at) == Position(1, column)
    assert text.index(Position(1, column)) == at


def test_lines_end_as_the_protocol_has_them() -> None:
    text = ProtocolText(TEXT)
    assert [text.line(number) for number in range(4)] == ["a: 1", "b😀é: 2", "c\u2028d: 3", ""]


def test_every_character_is_found_again() -> None:
    text = ProtocolText(TEXT)
    for index in range(len(TEXT) + 1):
        inside_break = TEXT[index - 1 : index + 1] == "\r\n"
        assert text.index(text.position(index)) == index - inside_break


@pytest.mark.parametrize(
    ("position", "index"),
    [
        (Position(0, 99), 4),
        (Position(99, 0), len(TEXT)),
        (Position(1, 2), 7),  # between the surrogates of one character
        (Position(2**31 - 1, 2**31 - 1), len(TEXT)),
    ],
)
def test_positions_outside_are_moved_inside(position: Position, index: int) -> None:
    assert ProtocolText(TEXT).index(position) == index


def test_changes_replace_a_range_or_all() -> None:
    text = changed(ProtocolText(TEXT), Range(Position(0, 3), Position(1, 5)), "x")
    assert text.text == "a: x 2\rc\u2028d: 3\n"
    assert changed(text, None, "new").text == "new"


def test_a_range_that_ends_before_it_starts_replaces_nothing() -> None:
    assert changed(ProtocolText("abc"), Range(Position(0, 2), Position(0, 1)), "-").text == "ab-c"
