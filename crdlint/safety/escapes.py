"""Escapes for each kind of output: text from the input controls no terminal, no CI log and no page.

`printable` is the base of every format for people. JSON keeps the values as they are and escapes their spelling only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from crdlint.light import regex

# The content of a character class of `re`: control characters except tab and line feed, lone surrogates, characters that
# reorder text (Unicode's Bidi_Control), and characters that some programs treat as line breaks.
HIDDEN: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
)
# CI systems run `::name::` at the start of a line (with re.MULTILINE), and `##[name]` anywhere in one.
CI_COMMAND: Final = r"^[^\S\n]*::|##(?=(?:vso|teamcity)?\[)"
_IN_LINES: Final = regex(f"[{HIDDEN}]|{CI_COMMAND}", re.MULTILINE)
_IN_LINE: Final = regex(f"[\t\n{HIDDEN}]|{CI_COMMAND}")
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

_PERCENT: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_AZURE_PERCENT: Final = {**_PERCENT, "%": "%AZP25"}


def printable(text: str) -> str:
    """Return text of one or more lines with hidden characters and CI commands spelled out."""
    return text if _is_plain(text) else _IN_LINES.sub(_spelled, text)


def printable_line(text: str) -> str:
    """Return text as one line, such as a file name: line breaks and tabs are spelled out as well."""
    return text if _is_plain(text) else _IN_LINE.sub(_spelled, text)


def _is_plain(text: str) -> bool:
    return text.isprintable() and "::" not in text and "##" not in text


def _spelled(match: re.Match[str]) -> str:
    hidden = match[0]
    if hidden == "##":
        return "#\\x23"
    if hidden.endswith("::"):
        return f"{_IN_LINE.sub(_spelled, hidden[:-2])}\\x3a:"
    return _NAMED.get(hidden) or (
        f"\\x{ord(hidden):02x}" if hidden <= "\x7f" else f"\\u{ord(hidden):04x}"
    )


def _escape(table: dict[str, str]) -> Callable[[str], str]:
    """Return a function that makes a text printable, and escapes other characters by a table."""
    translation = str.maketrans(table)
    return lambda text: printable(text).translate(translation)


# The message and the properties of a workflow command, as in actions/toolkit: escapeData and escapeProperty.
command_data: Final = _escape(_PERCENT)
command_property: Final = _escape({**_PERCENT, ":": "%3A", ",": "%2C"})
# The message and the properties of a logging command, as in azure-pipelines-task-lib: escapeData and escape.
issue_data: Final = _escape(_AZURE_PERCENT)
issue_property: Final = _escape({**_AZURE_PERCENT, "]": "%5D", ";": "%3B"})
# A cell of a table.
markdown: Final = _escape(
    {
        **{char: f"\\{char}" for char in "\\`*_[]|~$"},
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        "\n": "<br>",
    }
)
# Without characters that XML cannot contain; the XML writer escapes the rest.
xml_text: Final = _escape({"\ufffe": "\\ufffe", "\uffff": "\\uffff"})
# An element or a quoted attribute.
html_text: Final = _escape({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})


def markdown_with_code(text: str) -> str:
    """Return text for a cell of a Markdown table, with the parts in backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return markdown(text)
    return "".join(
        f"<code>{markdown(part)}</code>" if i % 2 else markdown(part)
        for i, part in enumerate(parts)
    )


def markdown_source(text: str) -> str:
    """Return text for Markdown outside of tables, which is read as source: what is in backticks stays so."""
    parts = printable_line(text).split("`")
    if len(parts) % 2 == 0:
        return markdown(text)
    return "".join(
        f"`{part}`" if i % 2 else markdown(part)
        for i, part in enumerate(parts)
        if part or not i % 2
    )


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a JSON value in ASCII; no string in it contains a CI command."""
    from json import dumps

    return dumps(value, indent=indent).replace("##", "#\\u0023")


class _Traces:
    """Whether this process writes what a run does to standard error."""

    are_shown = False


def show_traces(shown: bool) -> None:
    """Let `trace` write in this process, or not."""
    _Traces.are_shown = shown


def trace(text: str) -> None:
    """Write what a run does to standard error if that is asked for."""
    if _Traces.are_shown:
        with suppress(OSError, ValueError):
            sys.stderr.write(f"crdlint: {printable_line(text)}\n")
            sys.stderr.flush()
