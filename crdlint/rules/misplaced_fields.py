"""Fields in the wrong object: lines that are not indented below their key, and what the help of an unknown field names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.crd.gotypes import SCHEMA, GoType
from crdlint.rules import reading_fixes
from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.finding import Edits, Finding, Fixer
from crdlint.rules.v1beta1 import moved
from crdlint.yaml.editor import UneditableError
from crdlint.yaml.nodes import Mapping, Node, Scalar

if TYPE_CHECKING:
    from crdlint.yaml.edit import Edit

Pair = tuple["Node", "Node"]
_STEP: Final = 2  # spaces


class Block(NamedTuple):
    """The fields of an object, from `first` to `last`, that are not indented below its key; `empty` is the value of the key."""

    key: Scalar
    empty: Scalar
    first: Pair
    last: Pair


def outdented(finding: Finding) -> Block | None:
    """Return the lines that include a field and must be indented, or None if the field is not below an empty key."""
    try:
        mapping, key, _ = finding.entry
    except UneditableError:
        return None
    if mapping.flow:
        return None
    known = finding.manifest.outdented
    if id(mapping) not in known:
        known[id(mapping)] = list(_ends(list(mapping.pairs()), reading_fixes.go_type(finding, mapping)))
    index = finding.editor.index(key) // 2
    empty_key, end = known[id(mapping)][index]
    if not empty_key < index < end:
        return None
    owner, empty, *first = mapping.items[2 * empty_key : 2 * empty_key + 4]
    if not isinstance(owner, Scalar) or not isinstance(empty, Scalar):
        return None
    last = mapping.items[2 * end - 2 : 2 * end]
    return Block(owner, empty, (first[0], first[1]), (last[0], last[1]))


def _ends(pairs: list[Pair], outer: GoType | None) -> Iterator[tuple[int, int]]:
    """Yield the last key without a value up to each entry, and where the entries end that are fields of its value."""
    empty_key, end = -1, 0
    ends: dict[int, int] = {}  # by the identity of the value's type, so that each entry is looked at once
    for i, (key, value) in enumerate(pairs):
        if outer is not None and _is_empty(value):
            inner = outer.below(key.value) if isinstance(key, Scalar) else None
            empty_key, end = i, max(ends.get(id(inner), 0), i + 1)
            while inner and end < len(pairs) and _is_field(*pairs[end], inner) and not _is_field(*pairs[end], outer):
                end += 1
            ends[id(inner)] = end
        yield empty_key, end


def _is_empty(value: Node) -> bool:
    return isinstance(value, Scalar) and not value.value and not value.style


def _is_field(key: Node, value: Node, of: GoType) -> bool:
    """Return whether an object of a type may have an entry."""
    if of.kind in {"schema-or-array", "schema-or-bool"}:
        return _is_field(key, value, SCHEMA)
    if of.kind == "map":
        is_object = of.element is None or of.element.kind == "struct"
        return isinstance(value, Mapping) == is_object
    return isinstance(key, Scalar) and key.value in of.fields


def _last_line(finding: Finding, block: Block) -> int:
    """Return the last line (0-based) of the fields, without empty lines and comments at the end."""
    key, value = block.last
    editor = finding.editor
    line: int = key.start_mark.line
    return line + editor.text.count("\n", key.start_mark.index, max(editor.end(value), key.end_mark.index))


def indented(finding: Finding) -> Edits:
    """Indent the fields below their key."""
    block = outdented(finding)
    if block is None:
        return
    editor = finding.editor
    key, value = block.last
    start = editor.line_start(block.first[0].start_mark.index)
    yield editor.inserted(start, " " * _STEP)
    end = reading_fixes.own_end(editor, value) if block.key.value == "properties" else editor.end(value)
    yield from editor.indent_lines(start, max(end, key.end_mark.index), _STEP)


class Placement(NamedTuple):
    """The help for a field in the wrong object, and the object that lacks the field, or the null in its place, if known."""

    help: str
    owner: Node | None = None


def placement(finding: Finding) -> Placement | None:
    """Return the help for a field that is unknown or of a wrong type because of its place, or None for other reasons."""
    try:
        block = outdented(finding)
        if block is not None:
            return Placement(_indentation(finding, block), block.empty)
    except UneditableError:
        return None
    if finding.problem is None or finding.problem.kind != "strict" or finding.problem.nearest is not None:
        return None
    for fixer in reading_fixes.UNKNOWN:
        describe = _HELPS.get(fixer.title)
        try:
            edits = [] if describe is None else list(fixer.edits(finding))
            if describe is not None and edits:
                return describe(finding, edits[0])
        except UneditableError:
            continue
    with suppress(UneditableError):
        help_ = moved(finding)  # also where no fix can move it
        return None if help_ is None else Placement(help_)
    return None


def _indentation(finding: Finding, block: Block) -> str:
    offset = finding.manifest.document.line_offset + 1
    first, last = block.first[0].start_mark.line + offset, _last_line(finding, block) + offset
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    what = "it is a field" if block.first[0] is block.last[0] else "they are fields"
    line = block.key.start_mark.line + offset
    return f"Indent {lines} by {_STEP} more spaces: {what} of `{block.key.value}` in line {line}"


def _in_parent(finding: Finding, _: Edit) -> Placement:
    mapping, key = finding.entry[:2]
    owner = finding.editor.parent(mapping)
    names = [finding.editor.key_of(node) for node in (mapping, owner) if node is not None]
    inner, outer = (f"`{name.value}`" if name is not None else "the object" for name in names)
    return Placement(f"Move `{key.value}` out of {inner}: it is a field of {outer}", owner)


def _enumeration(finding: Finding, _: Edit) -> Placement:
    return Placement(f"Write `enum: [{finding.editor.source(finding.entry[2])}]` instead of `const`")


_HELPS: Final[dict[str, Callable[[Finding, Edit], Placement]]] = {
    "Spell the field as the API does": lambda _, name: Placement(f"Write `{name.text}` instead"),
    "Write the constant as an enum": _enumeration,
    "Put the schema below `openAPIV3Schema`": lambda *_: Placement(
        "Put the schema below `schema` and `openAPIV3Schema`"
    ),
    "Move the field to the object above": _in_parent,
    "Move the field to the object below": lambda finding, _: Placement(
        moved(finding) or f"Move `{finding.entry[1].value}` into `{reading_fixes.owner_below(finding)}`"
    ),
    "Add a space after the colon": lambda *_: Placement("Add a space after the colon"),
    "Indent the property like those above": lambda finding, _: Placement(
        f"Indent `{finding.entry[1].value}` like the properties above"
    ),
    "Indent the property like the one above": lambda finding, _: Placement(
        f"Indent `{finding.entry[1].value}` like the property above: a scalar has no properties"
    ),
    "Move the property into `properties`": lambda finding, _: Placement(
        f"Move `{finding.entry[1].value}` into `properties`"
    ),
    "Move the field to where v1 has it": lambda finding, _: Placement(moved(finding) or ""),
    "Remove the field, which no CRD keeps": lambda *_: Placement(
        "Remove the field: the API server keeps it in no schema"
    ),
}

_NAMES: Final = "  names:\n    plural: foos\n    kind: Foo\n"
FIXER: Final = Fixer("Indent the lines below their key", "safe", indented).example(
    bad=f"{HEAD}        type: object\n".replace(
        "  names: {plural: foos, kind: Foo}\n", "  names:\n  plural: foos\n  kind: Foo\n"
    ),
    good=f"{HEAD}        type: object\n".replace("  names: {plural: foos, kind: Foo}\n", _NAMES),
    scope="text",
)
_SCHEMA: Final = "type: object\nproperties:\n  host:\n"
FIXER_OF_SCHEMA: Final = FIXER.example(
    bad=f"{_SCHEMA}  type: string\n  maxLength: 9\n",
    good=f"{_SCHEMA}    type: string\n    maxLength: 9\n",
    scope="schema",
)
