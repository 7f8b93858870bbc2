"""Edits of texts: what is not meant stays as it is."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from present import mapping_of, present, root_of
from tables import each

from crdlint.yaml.edit import Edit, apply, composed
from crdlint.yaml.editor import Editor
from crdlint.yaml.nodes import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Node


def entry(text: str, key: str) -> tuple[Node, Node] | None:
    return mapping_of(text).find(key)


@each(
    ("text", "after"),
    [
        ("type: array\nitems: {}\n", "maxItems: 5\ntype: array\nitems: {}\n"),
        ("items: {}\ntype: array  # a list\n", "items: {}\nmaxItems: 5\ntype: array  # a list\n"),
        ("items: {}\r\ntype: array\r\n", "items: {}\r\nmaxItems: 5\r\ntype: array\r\n"),
        ("  items: {}\n  type: array\n", "  items: {}\n  maxItems: 5\n  type: array\n"),
        ("items: {}\n", "maxItems: 5\nitems: {}\n"),
        ("maxItems: 70  # many\ntype: array\n", "maxItems: 5  # many\ntype: array\n"),
        ("{type: array}\n", "{type: array, maxItems: 5}\n"),
        ('{"type": "array"}\n', '{"type": "array", "maxItems": 5}\n'),
        ("{ type: array , }\n", "{ type: array, maxItems: 5 , }\n"),
        ("{}\n", '{"maxItems": 5}\n'),
        ('{"maxItems": 9}\n', '{"maxItems": 5}\n'),
    ],
)
def test_set_entry(text: str, after: str) -> None:
    root = mapping_of(text)
    done = apply(text, [Editor(text, root).set(root, "maxItems", "5", before="type")] * 2)
    assert done == after
    _, value = present(entry(done, "maxItems"))
    assert isinstance(value, Scalar)
    assert value.value == "5"


def test_a_new_key_is_in_quotes_where_yaml_reads_another_one() -> None:
    for text, after in (("{a: 1}\n", "{a: 1, 'on': 5}\n"), ("a: 1\n", "a: 1\n'on': 5\n")):
        root = mapping_of(text)
        assert apply(text, [Editor(text, root).insert(root, "on", "5")]) == after


def test_a_text_that_would_be_a_number_is_in_quotes() -> None:
    editor = Editor("", root_of("a"))
    assert [editor.value(text) for text in (".5", ".spec.a", "on", "$a")] == [
        "'.5'",
        ".spec.a",
        "'on'",
        "$a",
    ]


def test_an_entry_in_a_list_item() -> None:
    text = "- type: array\n  items: {}\n"
    root = root_of(text)
    assert isinstance(root, Sequence)
    [item] = root.items
    assert isinstance(item, Mapping)
    assert apply(text, [Editor(text, root).set(item, "maxItems", "5", before="type")]) == (
        "- maxItems: 5\n  type: array\n  items: {}\n"
    )


@each(
    ("text", "after"),
    [
        ("a: 1\nx: true\nb: 2\n", "a: 1\nb: 2\n"),
        ("x: true\nb: 2\n", "b: 2\n"),
        ("a: 1\nx: true\n", "a: 1\n"),
        ("a: 1  # one\nx: true  # two\n", "a: 1  # one\n"),
        ("a: 1\n# of x\nx:\n  y: 1\n# of b\nb: 2\n", "a: 1\n# of x\n# of b\nb: 2\n"),
        ("a: 1\nx: true", "a: 1"),
        ("a: 1\r\nx: true\r\nb: 2\r\n", "a: 1\r\nb: 2\r\n"),
        ("{a: 1, x: true, b: 2}\n", "{a: 1, b: 2}\n"),
        ("{a: 1, x: true}\n", "{a: 1}\n"),
        ("{x: true}\n", "{}\n"),
        ("x: true\n", "{}\n"),
    ],
)
def test_remove_entry(text: str, after: str) -> None:
    root = mapping_of(text)
    done = apply(text, [Editor(text, root).remove(root, "x")])
    assert done == after
    assert entry(done, "x") is None


@each("seed", range(40))
def test_composed_edits_do_what_both_do(seed: int) -> None:
    chance = random.Random(seed)

    def some(text: str) -> list[Edit]:
        edits = []
        for _ in range(chance.randrange(6)):
            start = chance.randrange(len(text) + 1)
            end = min(start + chance.randrange(4), len(text))
            edits.append(Edit(start, end, chance.choice(["", "x", "yy", "zzz\n"])))
        return edits

    text = "abcdefghijklmnopqrstuvwxyz"
    first = some(text)
    changed = apply(text, first)
    second = some(changed)
    assert apply(text, composed(first, second)) == apply(changed, second)
