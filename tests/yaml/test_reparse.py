"""A changed document that is parsed again in part has the tree of the whole text."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from counting import LINEAR, lines_run

from crdlint.yaml.nodes import Mapping, Scalar
from crdlint.yaml.parse import Document, parse_chunk
from crdlint.yaml.reparse import reparse

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Node

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*/*.yaml"))
TEXT = """\
# first
a: 1
b:
  c: x
  d:
  - e: 1
    f: |
      text

  - g: [1, 2]
    h: 'x'

    # comment
  i: {j: k}
l: last
"""
CHANGES = {
    "scalar": ("c: x", "c: longer"),
    "scalar of an item": ("h: 'x'", 'h: "yy"'),
    "first scalar of an item": ("e: 1", "e: one"),
    "flow": ("[1, 2]", "[1, {x: w}]"),
    "key": ("  d:\n", "  renamed:\n"),
    "new line": ("  c: x\n", "  c: x\n  m: 1\n"),
    "line less": ("  c: x\n", ""),
    "lines of a block scalar": ("      text\n", "      text\n      more\n"),
    "first entry": ("a: 1\n", ""),
    "entry before the first": ("a: 1\n", "z: 0\na: 1\n"),
    "last entry": ("l: last\n", "l: {x: [w]}"),
    "several entries": ("a: 1\nb:\n  c: x\n", "a: 2\nb:\n  c: z\n  w: null\n"),
    "comment": ("    # comment\n", "    # other\n  # lines\n"),
    "empty line": ("  i: {", "\n  i: {"),
    "nothing left of a value": ("  c: x\n", "  c:\n"),
    "comment within a block scalar": ("  - g:", "      # text\n  - g:"),
    "less indentation": ("  i: {", "i: {"),
    "words in other letters": ("c: x", "c: é 你 😀"),
}
# Changes after which only the whole text shows what the parts mean.
DOUBTFUL = {
    "duplicate key": ("l: last", "a: last"),
    "anchor": ("c: x", "c: &n x"),
    "tag of a key": ("  d:\n", "  !!str d:\n  !!str d2:\n"),
    "document end": ("l: last", "...\nl: last"),
    "line break of YAML only": ("c: x", "c: 'x\u2028y'"),
    "byte order mark": ("c: x", "c: \ufeffx"),
    "open quote": ("c: x", "c: 'x"),
    "open list": ("c: x", "c: [x"),
    "tab": ("  i: {", "\ti: {"),
}


def described(root: Node | None) -> list[Any]:
    """Return all that a tree consists of, in document order."""
    found: list[Any] = []
    pending = [] if root is None else [root]
    while pending:
        node = pending.pop()
        marks = [(mark.index, mark.line, mark.column) for mark in (node.start_mark, node.end_mark)]
        if isinstance(node, Scalar):
            found.append((marks, node.value, node.style, node.anchor, node.tag, node.implicit))
            continue
        names = node.names if isinstance(node, Mapping) else ()
        found.append((marks, type(node), node.anchor, node.flow, names, len(node.items)))
        pending += reversed(node.items)
    return found


def is_same_as_whole(before: str, after: str) -> bool:
    """Return whether a text is parsed in part; if so, the tree is that of the whole text."""
    made = reparse(parse_chunk(before, 0), after, 7)
    if made is None:
        return False
    whole = parse_chunk(after, 7)
    assert whole.error is None
    assert described(made.root) == described(whole.root)
    assert (made.text, made.line_offset, made.is_plain) == (after, 7, True)
    assert whole.is_plain
    return True


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "---\n", "# x\n\n", "é: 1\n"])
@pytest.mark.parametrize(("old", "new"), CHANGES.values(), ids=CHANGES)
def test_changed_entries(old: str, new: str, start: str, ending: str) -> None:
    assert TEXT.count(old) == 1
    before, after = ((start + text).replace("\n", ending) for text in (TEXT, TEXT.replace(old, new)))
    assert is_same_as_whole(before, after)
    is_same_as_whole(after, before)


@pytest.mark.parametrize(("old", "new"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_doubtful_changes_need_the_whole_text(old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    assert not is_same_as_whole(TEXT, TEXT.replace(old, new))
    is_same_as_whole(TEXT.replace(old, new), TEXT)


@pytest.mark.parametrize("text", ["", "- a\n", "{a: 1}\n", "a: &x 1\nb: *x\n", "%YAML 1.1\n---\na: 1\n", "a: [\n"])
def test_other_documents_need_the_whole_text(text: str) -> None:
    assert not is_same_as_whole(text, text + "z: 1\n")


def randomly_changed(text: str, source: random.Random) -> str:
    """Return a text with a line or a few characters removed, repeated, indented or added."""
    lines = text.split("\n")
    at, other = source.randrange(len(lines)), source.randrange(len(lines))
    indentation = lines[at][: len(lines[at]) - len(lines[at].lstrip(" "))]
    kind = source.randrange(7)
    if kind == 0:
        del lines[at : at + source.choice([1, 1, 3])]
    elif kind == 1:
        lines.insert(at, lines[other])
    elif kind == 2:
        lines[at] = " " * source.randrange(1, 4) + lines[at]
    elif kind == 3:
        lines[at] = lines[at][source.randrange(3) :]
    elif kind == 4:
        lines[at] += source.choice([" # c", " x", '"', "'", " |", " >-", ":", " [", "\t", " &a", " *a", " !x"])
    elif kind == 5:
        lines.insert(at, source.choice(["", "    # c", "---", "...", "%x", "- b", "x: 1", "  ? a", "\tx: 1"]))
    else:
        lines.insert(at, indentation + source.choice(["z: 1", "# c", "z: |", "z:", "- z", '"z": 2', "? z"]))
    return "\n".join(lines)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_random_changes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    source = random.Random(text)
    for _ in range(8):
        is_same_as_whole(text, randomly_changed(text, source))


def schema(properties: int) -> str:
    return "a:\n  b:\n" + "".join(f"    p{i}:\n      type: string\n      maxLength: {i}\n" for i in range(properties))


def parsed_again(documents: list[Document], text: str) -> None:
    assert reparse(documents.pop(), text, 0) is not None


def work_for(before: str, after: str) -> int:
    documents = [parse_chunk(before, 0)]
    return lines_run(lambda: parsed_again(documents, after))


def test_the_work_depends_on_what_follows_a_change() -> None:
    end = "    q: 1\n    r: 1\n"
    near_the_end = [work_for(schema(n) + end, schema(n) + end.replace("q: 1", "q: 23")) for n in (100, 400)]
    assert near_the_end[1] / near_the_end[0] < LINEAR  # for four times the text
    at_the_start = [work_for(schema(n), schema(n).replace("p0", "q0")) for n in (100, 200)]
    assert at_the_start[1] / at_the_start[0] < LINEAR
