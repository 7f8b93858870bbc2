"""Printing of objects as YAML, in the order and format of `kubectl get -o yaml`.

A text that any YAML parser could read as another value is quoted: `yes` is a boolean for kubectl, `1e3` a number for
others. Only memory limits the depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from crdlint.golang.printing import marshal
from crdlint.light import NamedTuple, regex
from crdlint.safety.escapes import CI_COMMAND, HIDDEN
from crdlint.yaml.resolve import is_plain_string

_PLAIN: Final = regex(r"[A-Za-z_/](?:[A-Za-z0-9_./@%+=~^()<>;,$*!?|\\-]|:(?=[^\s])| (?=[^\s#]))*\Z")
_WORDS: Final = frozenset(
    {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"}
)
_LITERAL: Final = regex(rf"[^\s{HIDDEN}]")
_ESCAPED: Final = regex(f'[\t\n{HIDDEN}\ufffe\uffff"\\\\]|#(?=#(?:vso|teamcity)?\\[)')
# In bytes; go-yaml prints longer keys with a question mark (yaml_emitter_check_simple_key).
_LONGEST_SIMPLE_KEY: Final = 128
_ESCAPES: Final = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\0": "\\0",
    "#": "\\x23",
}


def dump(value: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a JSON object as a YAML document with sorted keys."""
    if not value:
        yield "{}"
        return
    # The containers that are being printed: their remaining entries, and the indentation.
    pending: list[tuple[Iterator[_Entry], int]] = [(_entries(value), 0)]
    lead = ""  # the start of the next line: the dashes of the lists that start there
    while pending:
        entries, indent = pending[-1]
        entry = next(entries, None)
        if entry is None:
            pending.pop()
            continue
        start, lead = lead or " " * indent, ""
        if entry.line_before:
            yield start + entry.line_before
            start = " " * indent
        start += entry.mark
        item = entry.value
        if item and isinstance(item, (dict, list)):
            if entry.shares_line:
                lead = start
            else:
                yield start
            is_deeper = entry.shares_line or isinstance(item, dict)
            pending.append((_entries(item), indent + 2 * is_deeper))
            continue
        start = start if entry.shares_line else f"{start} "
        if _is_block(item):
            yield from _block(start, item, indent + 2)
        else:
            yield start + _scalar(item)


class _Entry(NamedTuple):
    """An entry of a list or an object: what is written before its value.

    A collection begins on the line of the mark if that `shares_line`, as the dash of a list does.
    """

    value: Any
    mark: str = "- "
    shares_line: bool = True
    line_before: str = ""


def _entries(value: Any) -> Iterator[_Entry]:
    if isinstance(value, dict):
        return (_field(name, value[name]) for name in sorted(value))
    return map(_Entry, value)


def _field(name: str, value: Any) -> _Entry:
    if len(name.encode("utf-8", "replace")) <= _LONGEST_SIMPLE_KEY:
        return _Entry(value, f"{_scalar(name)}:", shares_line=False)
    return _Entry(value, ": ", line_before=f"? {_scalar(name)}")


def _scalar(value: Any) -> str:
    if not isinstance(value, str):
        return marshal(value)  # also an empty list or object
    if _PLAIN.match(value) and value.lower() not in _WORDS and is_plain_string(value):
        return value
    return (
        '"'
        + _ESCAPED.sub(lambda match: _ESCAPES.get(match[0]) or _escape(ord(match[0])), value)
        + '"'
    )


def _escape(code: int) -> str:
    if 0xD800 <= code <= 0xDFFF:
        code = 0xFFFD  # YAML cannot contain a lone surrogate
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _is_block(text: object) -> bool:
    """Return whether a value is a text of several lines that can be printed as a block scalar."""
    if not isinstance(text, str) or "\n" not in text.rstrip("\n") or not _LITERAL.match(text):
        return False
    return not any(
        line.endswith((" ", "\t")) or _NOT_IN_A_BLOCK.search(line) for line in text.split("\n")
    )


_NOT_IN_A_BLOCK: Final = regex(f"[{HIDDEN}\ufffe\uffff]|{CI_COMMAND}")


def _block(start: str, text: str, indent: int) -> Iterator[str]:
    lines = text.split("\n")
    ends = len(text) - len(text.rstrip("\n"))
    if ends:
        lines.pop()
    yield start + ("|-" if ends == 0 else "|" if ends == 1 else "|+")
    for line in lines:
        yield " " * indent + line if line else ""
