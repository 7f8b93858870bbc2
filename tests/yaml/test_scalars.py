"""The characters of a scalar's value, found in the text whatever the style."""

from __future__ import annotations

import io
import random

from present import mapping_of
from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import (
    DoubleQuotedScalarString,
    FoldedScalarString,
    LiteralScalarString,
    SingleQuotedScalarString,
)
from tables import each

from crdlint.yaml.nodes import Scalar
from crdlint.yaml.parse import parse_first
from crdlint.yaml.scalars import position_inside


def scalar(text: str) -> Scalar:
    document = parse_first(text)
    assert document.error is None
    found = mapping_of(text).items[1]
    assert isinstance(found, Scalar)
    return found


def shown(text: str, place: tuple[int, int, int, int] | None) -> str:
    """Return the characters at a place of one line."""
    assert place is not None
    line, column, end_line, end_column = place
    assert line == end_line
    return text.splitlines()[line - 1][column - 1 : end_column - 1]


@each(
    ("text", "part", "there"),
    [
        ("a: self.x == 1\n", "x", (1, 9, 1, 10)),
        ("{a: self::x}\n", "x", (1, 11, 1, 12)),
        ('{"a": "\\ud83d\\ude00 x"}', "x", (1, 21, 1, 22)),
        ("a: self.x\n   == 1\n\n   && b\n", "==", (2, 4, 2, 6)),
        ("a: self.x\n   == 1\n\n   && b\n", "b", (4, 7, 4, 8)),
        ("a: 'it''s x'\n", "x", (1, 11, 1, 12)),
        ("a: 'it''s'\n", "'", (1, 7, 1, 9)),
        ("a: 'one  \n\n\n   two'\n", "two", (4, 4, 4, 7)),
        ('a: "\\u00e9\\x41 \\"x\\""\n', "é", (1, 5, 1, 11)),
        ('a: "\\u00e9\\x41 \\"x\\""\n', "x", (1, 18, 1, 19)),
        ('a: "one \\\n     two"\n', "two", (2, 6, 2, 9)),
        ('a: "one\\  \n     two"\n', "two", (2, 6, 2, 9)),
        ("a: |\n  one\n    two\n\n  three\n", "two", (3, 5, 3, 8)),
        ("a: |\n  one\n    two\n\n  three\n", "three", (5, 3, 5, 8)),
        ("a: |2-  # c\n   one\n  two\n", "two", (3, 3, 3, 6)),
        ("a: >-\n  one\n  two\n\n  three\n    more\n  four\n", "two", (3, 3, 3, 6)),
        ("a: >-\n  one\n  two\n\n  three\n    more\n  four\n", "more", (6, 5, 6, 9)),
        ("a: >-\n  one\n  two\n\n  three\n    more\n  four\n", "four", (7, 3, 7, 7)),
        ("a: |\r\n  one\r\n  two\r\n", "two", (3, 3, 3, 6)),
        ("a: 'é𝄞x'\n", "x", (1, 7, 1, 8)),
        (f'{{"{"k" * 1100}":\n  "\\u00e9\u2028 x"}}', "x", (2, 12, 2, 13)),
    ],
)
def test_place(text: str, part: str, there: tuple[int, int, int, int]) -> None:
    node = scalar(text)
    start = node.value.index(part)
    assert position_inside(text, node, start, start + len(part)) == there


@each(
    "text", ["a: x\n", "a: 'x'\n", 'a: "x"\n', "a: |\n  x\n", "a: >-\n  x\n", 'a: ""\n', "a: |\n\n"]
)
def test_the_end_is_a_place(text: str) -> None:
    node = scalar(text)
    place = position_inside(text, node, len(node.value), len(node.value) + 1)
    assert place is not None
    assert place[0] >= 1
    assert place[3] == place[1] + 1


STYLES = [
    str,
    SingleQuotedScalarString,
    DoubleQuotedScalarString,
    LiteralScalarString,
    FoldedScalarString,
]


@each("style", STYLES)
def test_every_character_is_where_it_stands(style: type) -> None:
    chance = random.Random(7)
    writer = YAML()
    writer.width = 20
    checked = 0
    for _ in range(300):
        words = (
            "".join(chance.choices("abé'\"\\=.&|", k=chance.randrange(1, 9)))
            for _ in range(chance.randrange(1, 9))
        )
        value = (
            "".join(
                word + chance.choice([" ", " ", " ", "\n", "\n\n", "\n  "]) for word in words
            ).strip()
            or "x"
        )
        out = io.StringIO()
        writer.dump({"a": style(value)}, out)
        text = out.getvalue()
        node = scalar(text)
        for at, char in enumerate(node.value):
            place = position_inside(text, node, at, at + 1)
            if char not in " \n":
                under = shown(text, place)
                if under != char:  # an escape
                    assert under[0] in "\\'", (text, at)
                    assert len(under) > 1, (text, at)
                checked += 1
    assert checked > 3000


def test_a_large_scalar_takes_linear_time() -> None:
    text = "a: |\n" + "\n" * 50_000 + "  " + "x" * 200_000 + "\n"
    node = scalar(text)
    assert position_inside(text, node, len(node.value) - 2, len(node.value) - 1) == (
        50_002,
        200_002,
        50_002,
        200_003,
    )
