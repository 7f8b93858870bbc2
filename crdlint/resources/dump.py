"""Printing of objects as YAML, in the order and format of `kubectl get -o yaml`.

A text that any YAML parser could read as another value is quoted: `yes` is a boolean for kubectl, `1e3` a number for
others. Only memory limits the depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from crdlint.golang.printing import marshal
from crdlint.safety.escapes import CI_COMMAND, HIDDEN
from crdlint.yaml.resolve import is_plain_string

_PLAIN: Final = re.compile(
    r"[A-Za-z_/](?:[A-Za-z0-9_./@%+=~^()<>;,$*!?|\\-]|:(?=[^\s])| (?=[^\s#]))*\Z"
)
_WORDS: Final = frozenset(
    {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"}
)
_LITERAL: Final = re.compile(rf"[^\s{HIDDEN}]")
_ESCAPED: Final = re.compile(f'[\t\n{HIDDEN}\ufffe\uffff"\\\\]|#(?=#(?:vso|teamcity)?\\[)')
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
    pending: list[tuple[Iterator[tuple[str | None, Any]], int]] = [(_entries(value), 0)]
    lead = ""  # the start of the next line: the dashes of the lists that start there
    while pending:
        step = next(pending[-1][0], None)
        if step is None:
            pending.pop()
            continue
        key, item = step
        indent = pending[-1][1]
        start, lead = lead or " " * indent, ""
        if key is None:
            start += "- "
        elif len(key.encode("utf-8", "replace")) <= _LONGEST_SIMPLE_KEY:
            start += f"{_scalar(key)}:"
        else:
            yield f"{start}? {_scalar(key)}"
            start, key = " " * indent + ": ", None
        if isinstance(item, (dict, list)) and item:
            if key is None:
                lead = start
            else:
                yield start
            inner = indent + 2 if key is None or isinstance(item, dict) else indent
            pending.append((_entries(item), inner))
        elif isinstance(item, str) and _is_block(item):
            yield from _block(start if key is None else f"{start} ", item, indent + 2)
        else:
            yield f"{start}{'' if key is None else ' '}{_scalar(item)}"


def _entries(value: Any) -> Iterator[tuple[str | None, Any]]:
    if isinstance(value, dict):
        return ((name, value[name]) for name in sorted(value))
    return ((None, item) for item in value)


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


def _is_block(text: str) -> bool:
    """Return whether a text of several lines can be printed as a block scalar."""
    if "\n" not in text.rstrip("\n") or not _LITERAL.match(text):
        return False
    return not any(
        line.endswith((" ", "\t")) or _NOT_IN_A_BLOCK.search(line) for line in text.split("\n")
    )


_NOT_IN_A_BLOCK: Final = re.compile(f"[{HIDDEN}\ufffe\uffff]|{CI_COMMAND}")


def _block(start: str, text: str, indent: int) -> Iterator[str]:
    lines = text.split("\n")
    ends = len(text) - len(text.rstrip("\n"))
    if ends:
        lines.pop()
    yield start + ("|-" if ends == 0 else "|" if ends == 1 else "|+")
    for line in lines:
        yield " " * indent + line if line else ""
