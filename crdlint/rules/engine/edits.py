"""Edits of the nodes of a document, as fixes of several rules make them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias, TypeVar

from crdlint.light import regex
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import Editor, UneditableError, quoted
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child
from crdlint.yaml.resolve import resolve

Edits: TypeAlias = "Iterable[Edit]"
# Numbers of the types of schemas, as JSON and YAML have them, without an exponent.
NUMBERS: Final = {
    "integer": regex(r"-?(?:0|[1-9]\d*)\Z"),
    "number": regex(r"-?(?:0|[1-9]\d*)(?:\.\d+)?\Z"),
}
_T = TypeVar("_T")
_NodeT = TypeVar("_NodeT", Mapping, Sequence, Scalar)


def require(value: _T | None) -> _T:
    """Return a value; raise UneditableError if it is None."""
    if value is None:
        raise UneditableError
    return value


def expect(kind: type[_NodeT], node: Node | None, *steps: str | int) -> _NodeT:
    """Return the node to which keys and indexes lead from another one.

    Raise UneditableError if it is not of a kind.
    """
    target = child(node, *steps)
    if not isinstance(target, kind):
        raise UneditableError
    return target


def texts(nodes: Iterable[Node]) -> list[str]:
    """Return the texts of scalars; raise UneditableError for anything else."""
    return [expect(Scalar, node).value for node in nodes]


def is_null(node: Node) -> bool:
    """Return whether a value is null, explicit or empty."""
    return isinstance(node, Scalar) and not node.style and resolve(node) is None


def is_merged(mapping: Mapping) -> bool:
    """Return whether a mapping has a key twice, or one without a value.

    A key between two objects may be lost.
    """
    names = [getattr(key, "value", None) for key in mapping.items[::2]]
    return len({*names}) < len(names) or any(map(is_null, mapping.items[1::2]))


def rename_to_true(
    editor: Editor,
    mapping: Mapping,
    old: str,
    new: str,
) -> Edits:
    """Write another keyword that is true in the place of one."""
    key, value = editor.entry(mapping, old)
    yield editor.respell(key, new)
    yield editor.replace(value, "true")


def unlisted(editor: Editor, node: Node) -> Edits:
    """Yield the edits that put the only mapping of a list in the place of the list."""
    items, item = expect(Sequence, node), expect(Mapping, node, 0)
    start, width = item.start_mark.index, item.start_mark.column - node.start_mark.column
    if len(items.items) != 1:
        return
    if items.flow or item.flow:
        yield editor.replace(node, editor.text[start : editor.end(item)])
    else:
        yield Edit(start - width, start, "")
        yield editor.inserted(start, " " * width)


def names_in(item: str) -> list[str]:
    """Return the names that one item of `required` names together, such as `a, b`.

    >>> names_in("a, b"), names_in("a;")
    (['a', 'b'], ['a'])
    """
    return [name for name in _BETWEEN_NAMES.split(item) if name]


_BETWEEN_NAMES: Final = regex(r"[,;\s]+")


def add_required(editor: Editor, schema: Mapping, names: Iterable[str]) -> Edits:
    """Yield the edits that add names to the `required` of a schema."""
    entry = schema.find("required")
    if entry is None or is_null(entry[1]):
        listed = ", ".join(map(editor.value, names))
        yield editor.set(schema, "required", f"[{listed}]", after="type")
    else:
        items = expect(Sequence, entry[1])
        present = texts(items.items)
        missing = [name for name in names if name not in present]
        yield from (editor.append(items, editor.value(name)) for name in missing)


def quoted_tag(editor: Editor, node: Scalar) -> Edits:
    """Yield the edit that quotes a scalar that begins with an exclamation mark.

    YAML reads it as a tag.
    """
    start = node.start_mark.index
    end = editor.line_end(start)
    text = editor.text[start:end].partition(" #")[0].rstrip()
    is_tag = node.tag and not node.tag.startswith("tag:") and not node.style
    if is_tag and text.startswith("!") and node.end_mark.index <= end:
        yield Edit(start, start + len(text), quoted(text))


def quoted_with_comment(editor: Editor, node: Scalar) -> Edits:
    """Yield the edit that quotes a plain scalar with the text after it, a comment to YAML."""
    text = with_comment(editor, node)
    if text is not None:
        yield Edit(node.start_mark.index, node.start_mark.index + len(text), quoted(text))


def with_comment(editor: Editor, node: Scalar) -> str | None:
    """Return a plain scalar of one line with the comment after it, None without a comment."""
    start, end = node.start_mark.index, node.end_mark.index
    rest = editor.text[end : editor.line_end(end)].rstrip()
    if node.style or not rest.startswith(" #") or "\n" in editor.text[start:end]:
        return None
    return f"{editor.text[start:end]}{rest}"
