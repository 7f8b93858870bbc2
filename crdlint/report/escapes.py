"""Escapes for each kind of output: text from the input controls no terminal, no CI log and no page.

`printable` is the base of every format for people. JSON keeps the values as they are and escapes their spelling only.
"""

from __future__ import annotations

import re
from typing import Any, Final

from crdlint.safety.output import CI_COMMAND, HIDDEN

_IN_LINES: Final = re.compile(f"[{HIDDEN}]|{CI_COMMAND}", re.MULTILINE)
_IN_LINE: Final = re.compile(f"[\t\n{HIDDEN}]|{CI_COMMAND}")
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

# actions/toolkit: escapeData and escapeProperty.
_COMMAND_DATA: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_COMMAND_PROPERTY: Final = {**_COMMAND_DATA, ":": "%3A", ",": "%2C"}
# azure-pipelines-task-lib: escapeData and escape.
_ISSUE_DATA: Final = {"%": "%AZP25", "\r": "%0D", "\n": "%0A"}
_ISSUE_PROPERTY: Final = {**_ISSUE_DATA, "]": "%5D", ";": "%3B"}
_NOT_XML: Final = {"\ufffe": "\\ufffe", "\uffff": "\\uffff"}
_HTML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"}
_MARKDOWN: Final = {
    **{char: f"\\{char}" for char in "\\`*_[]|~$"},
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "<br>",
}  # fmt: skip

_data, _property, _issue_data, _issue_property, _not_xml, _html, _markdown = (
    str.maketrans(table)
    for table in (_COMMAND_DATA, _COMMAND_PROPERTY, _ISSUE_DATA, _ISSUE_PROPERTY, _NOT_XML, _HTML, _MARKDOWN)
)


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
    return _NAMED.get(hidden) or (f"\\x{ord(hidden):02x}" if hidden <= "\x7f" else f"\\u{ord(hidden):04x}")


def command_data(text: str) -> str:
    """Return text as the message of a GitHub workflow command."""
    return printable(text).translate(_data)


def command_property(text: str) -> str:
    """Return text as a property of a GitHub workflow command."""
    return printable(text).translate(_property)


def issue_data(text: str) -> str:
    """Return text as the message of a logging command of Azure Pipelines."""
    return printable(text).translate(_issue_data)


def issue_property(text: str) -> str:
    """Return text as a property of a logging command of Azure Pipelines."""
    return printable(text).translate(_issue_property)


def markdown(text: str) -> str:
    """Return text for a cell of a Markdown table; line breaks become `<br>`."""
    return printable(text).translate(_markdown)


def markdown_with_code(text: str) -> str:
    """Return text for a cell of a Markdown table, with the parts in backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return markdown(text)
    return "".join(f"<code>{markdown(part)}</code>" if i % 2 else markdown(part) for i, part in enumerate(parts))


def xml_text(text: str) -> str:
    """Return text without characters that XML cannot contain; the XML writer escapes the rest."""
    return printable(text).translate(_not_xml)


def html_text(text: str) -> str:
    """Return text for an HTML element or a quoted attribute."""
    return printable(text).translate(_html)


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a JSON value in ASCII; no string in it contains a CI command."""
    from json import dumps

    return dumps(value, indent=indent).replace("##", "#\\u0023")
