"""Parsing of configurations with positions: a .crdlint.yaml, and [tool.crdlint] in a pyproject.toml.

In YAML, a plain scalar is true, false, null or else its text: `kube-version: 1.30` is not a number, and `off` is not a
boolean. tomllib returns no positions, so keys are searched in the text line by line. If one is not found, the position
is that of the header of its table, or else the first line.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from typing import TYPE_CHECKING, Any, Final

from crdlint.config.model import BrokenError, Source
from crdlint.yaml.nodes import Mapping, Scalar, Sequence, entry
from crdlint.yaml.parse import parse_stream

if TYPE_CHECKING:
    from crdlint.config.model import LineColumn, Step
    from crdlint.yaml.nodes import Node

    _Key = tuple[tuple[str, ...], LineColumn]

_TABLE: Final = ("tool", "crdlint")
_WORD: Final = r"""[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*'"""
_KEY: Final = rf"(?:{_WORD})(?:[ \t]*\.[ \t]*(?:{_WORD}))*"
_HEADER: Final = re.compile(rf"[ \t]*\[\[?[ \t]*({_KEY})[ \t]*\]")
_ASSIGNED: Final = re.compile(rf"[ \t]*({_KEY})[ \t]*=")
_INNER: Final = re.compile(rf"[{{,][ \t]*({_KEY})[ \t]*=")
_STRING: Final = re.compile(r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#')
_AT: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
# A sequence of blanks and quotes belongs to the delimiter before it, so that the search is linear.
_MENTIONED: Final = re.compile(rb"""[.{,\n\r][ \t"']*crdlint[ \t"']*[.=\]]""")
# tomllib's time is quadratic in the length of a dotted key.
_LONGEST_KEY: Final = 100
# Text further to the right is not searched.
_LONGEST_LINE: Final = 2000
_PIECE: Final = re.compile(rf"[ \t\[{{,]*(?:{_WORD})[ \t\]=]*")


def mentions_crdlint(data: bytes) -> bool:
    """Return whether a pyproject.toml may have a [tool.crdlint], without parsing it."""
    return b"crdlint" in data and _MENTIONED.search(data) is not None


def read_toml(text: str) -> Source | None:
    """Parse [tool.crdlint]; return None if there is no such table. Raise BrokenError if the text is not TOML."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    _refuse_long_keys(text)
    try:
        values: Any = tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise _broken(str(error), text) from error
    except RecursionError as error:
        message = "nested too deeply"
        raise BrokenError(message, (1, 1)) from error
    except ValueError as error:  # an invalid date, or more digits than Python converts
        message = "a number of too many digits" if "digits" in str(error) else str(error)
        raise BrokenError(message, (1, 1)) from error
    for name in _TABLE:
        if not isinstance(values, dict) or name not in values:
            return None
        values = values[name]
    lines = [line[:_LONGEST_LINE] for line in text.split("\n")]
    keys = list(_keys(lines))
    for steps in _too_large(values):
        raise BrokenError("an integer of more than 64 bits", _key_place(lines, keys, steps, key=False))
    return Source(values, lambda steps, key: _key_place(lines, keys, steps, key=key))


def _too_large(values: Any) -> Iterator[list[Step]]:
    """Yield the steps to each integer that exceeds TOML's range; tomllib accepts it, but Python may not be able to print it."""
    pending: list[tuple[list[Step], Any]] = [([], values)]
    while pending:
        steps, value = pending.pop()
        if isinstance(value, (dict, list)):
            inside = value.items() if isinstance(value, dict) else enumerate(value)
            pending.extend(([*steps, step], item) for step, item in inside)
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            yield steps


def _broken(message: str, text: str) -> BrokenError:
    match = _AT.search(message)
    if match is None:
        return BrokenError(message, (1, 1))
    lines = text.removesuffix("\n").split("\n")
    position = (int(match[1]), int(match[2])) if match[1] else (len(lines), len(lines[-1]) + 1)
    text_before = message[: match.start()]
    return BrokenError(text_before if match[1] else f"{text_before} (the file ends too early)", position)


def _refuse_long_keys(text: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") < _LONGEST_KEY:
            continue
        run = 0
        for piece in line.split("."):
            run = run + 1 if _PIECE.fullmatch(piece) else 0
            if run > _LONGEST_KEY:
                message = f"a key of more than {_LONGEST_KEY} parts"
                raise BrokenError(message, (number, 1))


def _key_place(lines: SequenceOf[str], keys: SequenceOf[_Key], steps: SequenceOf[Step], *, key: bool) -> LineColumn:
    """Return the position of a value below [tool.crdlint], as close as possible."""
    keys, steps = _in_table_of_array(lines, keys, steps)
    names = [step for step in steps if isinstance(step, str)]
    target = (*_TABLE, *names)
    best: tuple[int, LineColumn] = (0, (1, 1))
    for path, position in keys:
        if path == target[: len(path)] and len(path) > best[0]:
            best = (len(path), position)
    if key or best[0] < len(target):
        return best[1]
    index = next((step for step in steps if isinstance(step, int)), None)
    return _value_place(lines, best[1], index) or best[1]


def _in_table_of_array(
    lines: SequenceOf[str], keys: SequenceOf[_Key], steps: SequenceOf[Step]
) -> tuple[SequenceOf[_Key], SequenceOf[Step]]:
    """Return the keys of the `[[table]]` that the steps lead through, and the steps without its index."""
    for i, step in enumerate(steps):
        if isinstance(step, int):
            path = (*_TABLE, *steps[:i])
            starts = [n for n, (name, (line, _)) in enumerate(keys) if name == path and _is_array(lines[line - 1])]
            if step < len(starts):
                end = starts[step + 1] if step + 1 < len(starts) else None
                return keys[starts[step] : end], [*steps[:i], *steps[i + 1 :]]
    return keys, steps


def _is_array(line: str) -> bool:
    return line.lstrip().startswith("[[")


def _keys(lines: SequenceOf[str]) -> Iterator[_Key]:
    """Yield the full keys and headers of a text with their positions, including those within inline tables."""
    table: tuple[str, ...] = ()
    closing: str | None = None  # the delimiter that ends the current multi-line string
    for number, line in enumerate(lines, 1):
        code, closing_after = _code(line, closing)
        if closing is None:
            header, assigned = _HEADER.match(code), _ASSIGNED.match(code)
            if header:
                table = _parts(header[1])
                yield table, (number, header.start(1) + 1)
            elif assigned:
                path = (*table, *_parts(assigned[1]))
                yield path, (number, assigned.start(1) + 1)
                for inner in _INNER.finditer(code, assigned.end()):
                    yield (*path, *_parts(inner[1])), (number, inner.start(1) + 1)
        closing = closing_after


def _code(line: str, closing: str | None) -> tuple[str, str | None]:
    """Return a line without its comment, and the closing delimiter if it ends inside of a multi-line string."""
    start = 0
    while True:
        if closing is not None:
            end = line.find(closing, start)
            if end < 0:
                return line, closing
            start, closing = end + 3, None
        match = _STRING.search(line, start)
        if match is None:
            return line, None
        if match[0] == "#":
            return line[: match.start()], None
        start = match.end()
        if match[0] in {'"""', "'''"}:
            closing = match[0]


def _parts(key: str) -> tuple[str, ...]:
    return tuple(word.strip("\"'") for word in re.findall(_WORD, key))


def _value_place(lines: SequenceOf[str], key_position: LineColumn, index: int | None) -> LineColumn | None:
    """Return the position of the value of a key, or of the string with an index in its list."""
    line, column = key_position
    start = _ASSIGNED.match(lines[line - 1], column - 1)
    if start is None:
        return None
    left, begin = index, start.end()
    if left is None:
        blank = len(lines[line - 1]) - len(lines[line - 1][begin:].lstrip())
        return line, blank + 1
    for number in range(line - 1, len(lines)):
        for match in _STRING.finditer(lines[number], begin):
            if match[0] == "#":
                break
            if not left:
                return number + 1, match.start() + 1
            left -= 1
        begin = 0
    return None


# A configuration has no deeper collections, so the content of these does not matter.
_DEPTH: Final = 4
# The error for a pattern such as *-invalid, which is an alias in YAML.
_STARS: Final = ("expected alphabetic or numeric character", "unknown anchor")
_WORDS: Final = {"": None, "~": None, "null": None, "true": True, "false": False}


def read_yaml(text: str) -> Source:
    """Parse the only document of a text; raise BrokenError if it is not YAML."""
    documents = parse_stream(text)
    for document in documents:
        if document.error is not None:
            position = (document.error.line + 1, document.error.column + 1)
            message = document.error.message
            is_star = any(sign in message for sign in _STARS)
            raise BrokenError(f"{message}: put what begins with * in quotes" if is_star else message, position)
    not_empty = [document for document in documents if document.root is not None]
    problems: list[tuple[str, LineColumn]] = []
    if len(not_empty) > 1:
        problems.append(("a second document: a configuration is one", (not_empty[1].line_offset + 1, 1)))
    root = not_empty[0].root if not_empty else None
    offset = not_empty[0].line_offset if not_empty else 0
    values = _value(root, offset, problems, 0) if root is not None else None
    return Source(values, lambda steps, key: _node_place(root, offset, steps, key=key), tuple(problems))


def _value(node: Node, offset: int, problems: list[tuple[str, LineColumn]], depth: int) -> Any:
    """Return the value of a node; add errors of keys to `problems`."""
    if isinstance(node, Scalar):
        return node.value if node.style else _WORDS.get(node.value.lower(), node.value)
    if depth == _DEPTH:
        return {} if isinstance(node, Mapping) else []
    if isinstance(node, Sequence):
        return [_value(item, offset, problems, depth + 1) for item in node.items]
    values: dict[str, Any] = {}
    for key, value in node.pairs():
        position = (key.start_mark.line + offset + 1, key.start_mark.column + 1)
        if not isinstance(key, Scalar):
            problems.append(("a key that is a list or mapping, not a name", position))
        elif key.value in values:
            problems.append((f"{key.value!r} is given twice", position))
        else:
            values[key.value] = _value(value, offset, problems, depth + 1)
    return values


def _node_place(root: Node | None, offset: int, steps: SequenceOf[Step], *, key: bool) -> LineColumn:
    """Return the position of a value; if it does not exist, that of its closest existing parent."""
    node, shown = root, root
    for step in steps:
        field_ = entry(node, step)
        if field_ is None:
            break
        key_node, node = field_
        shown = key_node or node
    if isinstance(node, Scalar) and not key and node.start_mark.index < node.end_mark.index:
        shown = node
    return (shown.start_mark.line + offset + 1, shown.start_mark.column + 1) if shown is not None else (1, 1)
