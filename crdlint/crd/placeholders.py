"""Placeholders such as `${NAME}` in templates of CRDs for programs other than Helm, and words that are no value."""

from __future__ import annotations

import re
from typing import Final

from crdlint.gathering import without_none
from crdlint.light import NamedTuple, regex
from crdlint.yaml.nodes import Mapping, Node, Scalar, child, items_of, text_of
from crdlint.yaml.parse import parse_first

_PAIRS: Final = (("{{", "}}"), ("${", "}"), ("[[", "]]"), ("{%", "%}"), ("<%", "%>"))
_OPENING: Final = regex("|".join(re.escape(opening) for opening, _ in _PAIRS))
_CLOSING: Final = dict(_PAIRS)
_LONGEST: Final = 200  # the maximum length of a placeholder in a name
_PLACEHOLDER: Final = regex(
    rf"\$\{{[^{{}}\s]{{1,{_LONGEST}}}\}}|\[\[(?!:)[^\[\]\n]{{1,{_LONGEST}}}\]\]|\{{\{{[^{{}}\n]{{1,{_LONGEST}}}\}}\}}"
)
# A directive as a line, as a value, or as an item, but not in the middle of a text. `${NAME}` is a text of YAML as a value.
_IN_PLACE: Final = regex(
    r"""^[ \t]*(?:\$\{|(?:-[ \t]+)*(?:["']?[\w./$-]+["']?:[ \t]+)?["']?(?:\{\{|\[\[|\{%|<%))""",
    re.MULTILINE,
)
# A placeholder of Python as a line, with an index, or in a longer value: YAML cannot read any of these.
_OF_PYTHON: Final = regex(
    r"^\{[A-Za-z_]\w*\}(?=[ \t]*$)|(?<=: )\{[A-Za-z_]\w*(?:\[\w+\]\}|\}(?=[\w./:-]))", re.MULTILINE
)
# Texts that people write until they know the value: a name in brackets of any kind, words for its absence, or dots.
_NO_VALUE: Final = regex(
    r"""<.*>|\{.*\}|\[.*\]|\$.+|%.+%|@.+@|__.+__|x{3,}|\.{3,}|…|\?+|-+
    |(?:tbd|tba|tbc|todo|fixme|placeholder)(?:[\s:;,.!(].*)?
    |n/?a|none|nil|null|unset|undefined
    |to[ _-]be[ _-](?:added|announced|confirmed|decided|defined|determined|done|filled)(?![a-z]).*
    |(?:replace|change|insert|fill|enter|add|edit|set)[ _-]?(?:me|this|here|with|your)(?![a-z]).*
    |your[ _-].*""",
    re.IGNORECASE | re.VERBOSE,
)
_NAMES: Final = ("plural", "singular", "kind", "listKind")


def placeholder_of(root: Mapping) -> tuple[str, Node] | None:
    """Return the first placeholder in the structure or a name of a CRD, and its node, or None."""
    for node in _structure(root):
        if isinstance(node, Scalar):
            match = _PLACEHOLDER.search(node.value)
            if match is not None:
                return match[0], node
        name = _in_two_brackets(node)
        if name is not None:
            return f"[[ {name} ]]", node
    return None


def _in_two_brackets(node: Node) -> str | None:
    """Return the text of `[[ text ]]`, which YAML reads as a list in a list."""
    outer = items_of(node)
    inner = items_of(outer[0]) if len(outer) == 1 else []
    return text_of(inner[0]) if inner else None


def is_placeholder(text: str) -> bool:
    """Return whether a text consists of one placeholder."""
    return _PLACEHOLDER.fullmatch(text.strip(" \t\"'")) is not None


def is_no_value(text: str) -> bool:
    """Return whether a text only holds the place of a value that is still to be written, so that nothing is known of it.

    >>> is_no_value("tbd"), is_no_value("<hosts>"), is_no_value("todo-app"), is_no_value("example.com")
    (True, True, False, False)
    """
    return _NO_VALUE.fullmatch(text.strip()) is not None


def is_no_item(text: str, *, of_enum: bool) -> bool:
    """Return whether a text only holds the place of an item of a list; an enum may have the value `none`.

    >>> is_no_item("none", of_enum=True), is_no_item("none", of_enum=False), is_no_item("<a>", of_enum=True)
    (False, True, True)
    """
    is_word_of_enum = of_enum and not text.startswith("<")
    return not is_word_of_enum and is_no_value(text)


class FirstDirective(NamedTuple):
    """The first directive of a template: its 0-based line, and whether it uses the braces of Go templates."""

    line: int
    is_go: bool


def directive(text: str) -> FirstDirective | None:
    """Return the first directive of a text that is not YAML, or None if the directives are not the cause.

    They are the cause if one replaces a part of YAML's structure, or if the text without them is YAML.
    """
    first = _OPENING.search(text)
    if first is None:
        return _directive_of_python(text)
    if _IN_PLACE.search(text) is None and parse_first(_without_directives(text)).error is not None:
        return None
    return FirstDirective(text.count("\n", 0, first.start()), first[0] == "{{")


def _directive_of_python(text: str) -> FirstDirective | None:
    """Return the first placeholder of Python if these are what keeps a text from being YAML, else None."""
    first = _OF_PYTHON.search(text)
    if first is None or parse_first(_OF_PYTHON.sub(_filler, text)).error is not None:
        return None
    return FirstDirective(text.count("\n", 0, first.start()), is_go=False)


def _filler(placeholder: re.Match[str]) -> str:
    """Return a comment instead of a placeholder at the start of a line, and a text instead of others."""
    is_value = placeholder.string.endswith(" ", 0, placeholder.start())
    return ("x" if is_value else "#").ljust(len(placeholder[0]), "x")


def _structure(root: Mapping) -> list[Node]:
    metadata, spec = child(root, "metadata"), child(root, "spec")
    names, versions = child(spec, "names"), child(spec, "versions")
    nodes: list[Node | None] = [
        metadata,
        child(metadata, "name"),
        spec,
        child(spec, "group"),
        child(spec, "scope"),
        names,
        versions,
    ]
    nodes += [child(names, key) for key in _NAMES]
    for version in items_of(versions):
        schema = child(version, "schema")
        nodes += [version, child(version, "name"), schema, child(schema, "openAPIV3Schema")]
    return without_none(nodes)


def _without_directives(text: str) -> str:
    """Return a text of the same lines with filler instead of its directives."""
    parts: list[str] = []
    end_of_directive = 0
    while (match := _OPENING.search(text, end_of_directive)) is not None:
        closing = _CLOSING[match[0]]
        end = text.find(closing, match.end())
        if end < 0:
            break
        end += len(closing)
        parts += (
            text[end_of_directive : match.start()],
            re.sub(r"[^\n]", "x", text[match.start() : end]),
        )
        end_of_directive = end
    return "".join((*parts, text[end_of_directive:]))
