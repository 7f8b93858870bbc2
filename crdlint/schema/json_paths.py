"""JSON paths: of fields in a schema, of columns and the scale subresource, and the syntax of the paths of columns.

Upstream: apiextensions pkg/apiserver/schema/cel.ValidFieldPath, client-go util/jsonpath parser.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import isfinite
from typing import Final

from crdlint.crd.gotypes import OBJECT_META
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Key, Path
from crdlint.light import NamedTuple, regex
from crdlint.schema.defaulting import META_FIELDS

# Delimiters are separate tokens; a quoted string ends at the next unescaped quote.
_TOKEN: Final = regex(r"[.\[\]]|'.*?(?<!\\)'|'.*|[^.\[\]]+", re.DOTALL)
_ESCAPE: Final = regex(r"\\(.)")
_UNESCAPED: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "'": "'",
    "\\": "\\",
}


class FieldPathError(ValueError):
    """The path does not refer to a field of the schema; the text is upstream's."""


def valid_field_path(
    text: str, schema: JSONSchemaProps, *, allow_array_notation: bool = True
) -> tuple[Path | None, JSONSchemaProps | None]:
    """Return the path of `text` and its schema (None below `additionalProperties: true`); raise FieldPathError without a field."""
    path: Path | None = None
    current: JSONSchemaProps | None = schema
    tokens = iter(_TOKEN.findall(text))
    for part in tokens:
        if part == "[":
            if not allow_array_notation:
                raise FieldPathError("array notation is not allowed")
            name = _quoted_name(_next(tokens))
            path, current = _step(path, current, name)
            closing = _next(tokens)
            if closing != "]":
                raise FieldPathError(f"expected ] but got {closing}")
        elif part == ".":
            path, current = _step(path, current, _next(tokens))
        else:
            raise FieldPathError(f"expected [ or . but got: {part}")
    return path, current


def _quoted_name(token: str) -> str:
    is_quoted = len(token) > 1 and token[0] == token[-1] == "'"
    if not is_quoted:
        raise FieldPathError(f"expected single quoted string but got {token}")
    return _unescape(token[1:-1])


def _next(tokens: Iterator[str]) -> str:
    token = next(tokens, None)
    if token is None:
        raise FieldPathError("unexpected end of JSON path")
    return token


def _step(
    path: Path | None, schema: JSONSchemaProps | None, name: str
) -> tuple[Path, JSONSchemaProps | None]:
    if schema is not None and name in schema.properties:
        return Path(name, path), schema.properties[name]
    is_map = schema is not None and not schema.properties
    if schema is None or not is_map or schema.additional_properties is None:
        raise FieldPathError("does not refer to a valid field")
    return Path(Key(name), path), schema.additional_properties.schema


def _unescape(text: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        if match[1] not in _UNESCAPED:
            raise FieldPathError(f"invalid string literal: invalid escape char {match[0]}")
        return _UNESCAPED[match[1]]

    return _ESCAPE.sub(replaced, text)


ITEMS: Final = None  # the step to the items of a list: an index or [*]
_STEP: Final = regex(
    r"""\.(?P<name>(?:\\.|[^\[\].\\*{}()@,:\s'"])+)"""
    r"""|\[(?P<quote>['"])(?P<key>(?:(?!(?P=quote))[^\\])+)(?P=quote)\]"""
    r"""|(?P<items>\[(?:\*|-?\d+)\])"""
)


# The metadata of an object, whose fields a CRD cannot add to, with one that old servers had. Below them, nothing is decided.
METADATA: Final = JSONSchemaProps.of(
    type="object",
    properties={name: JSONSchemaProps() for name in (*OBJECT_META.fields, "clusterName")},
)


class Missing(NamedTuple):
    """The first step of a path that the schema does not have: the schema, and the name of the step.

    `path` is the text of the path including the step, `before` the text without it. `name` is empty if the schema is a
    list and the step does not select its items.
    """

    schema: JSONSchemaProps
    name: str
    path: str
    before: str


@lru_cache(maxsize=256)  # several rules read the path of a column
def steps(text: str) -> tuple[tuple[str | None, int], ...]:
    """Return each plain step of a path with its end: a name, ITEMS, or an empty name for what may select several values."""
    plain_steps: list[tuple[str | None, int]] = []
    end = 0
    while match := _STEP.match(text, end):
        end = match.end()
        if match["name"]:
            plain_steps.append((_ESCAPE.sub(r"\1", match["name"]), end))
        else:
            plain_steps.append((match["key"] or ITEMS, end))
    if end < len(text):
        plain_steps.append(("", end))  # a step that is not plain
    return tuple(plain_steps)


def follow(text: str, root: JSONSchemaProps) -> JSONSchemaProps | Missing | None:
    """Return the schema at a path, or its first step that cannot have a value.

    Return None if the schema does not decide it: below preserved unknown fields, maps, fields of the metadata and embedded
    resources.
    """
    current, before = root, 0
    for name, end in steps(text):
        if current is root and name == "metadata":
            current, before = METADATA, end
            continue
        is_kind_or_version = current is root and name in META_FIELDS
        is_undecided = name == "" or is_kind_or_version or _is_open(current)
        if is_undecided:
            return None
        below = _below(current, name)
        if below is None:
            if name is None:
                return None
            missing = "" if current.type == "array" else name
            return Missing(current, missing, text[:end], text[:before])
        current, before = below, end
    return None if current is METADATA else current


def _below(schema: JSONSchemaProps, name: str | None) -> JSONSchemaProps | None:
    """Return the schema of the items of a list, or of a field of an object; None if it has none."""
    if schema.type == "array":
        return schema.item_schema if name is ITEMS else None
    return None if name is None else schema.properties.get(name)


def _is_open(schema: JSONSchemaProps) -> bool:
    """Return whether the values below a schema are not known from its properties alone."""
    if not schema.type or schema.additional_properties is not None:
        return True
    return bool(schema.x_preserve_unknown_fields) or schema.x_embedded_resource


_INTS: Final = range(-(2**63), 2**63)
_MOST_DIGITS: Final = 19  # of 64 bits
_KEY: Final = regex(r"'([^']*)'\Z")
_SLICE: Final = regex(r"(-?[0-9]*)(?::(-?[0-9]*))?(?::(-?[0-9]*))?\Z")
_OPERATOR: Final = regex(r"[!<>=]+")
_FIELD: Final = regex(r"(?:\\.|\\\Z|[^\\ \t\r\n.,\[\]$@{}])*", re.DOTALL)
_IDENTIFIER: Final = regex(r"[^ \t\r\n.,\[\]$@{}]*")
_NUMBER: Final = regex(r"[+-]?[\d.]*")
_FLOAT: Final = regex(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\Z")
_SURROGATE: Final = "[dD][89a-fA-F]"
_ESCAPED: Final = (
    r"\\(?:[abfnrtv\\{quote}]|x[0-9a-fA-F]{{2}}|[0-3][0-7]{{2}}|u(?!{surrogate})[0-9a-fA-F]{{4}}"
    r"|U(?:0000(?!{surrogate})|000[1-9a-fA-F]|0010)[0-9a-fA-F]{{4}})"
)
_QUOTED: Final = {
    quote: regex(rf"(?:[^\\{quote}]|{_ESCAPED.format(quote=quote, surrogate=_SURROGATE)})*")
    for quote in "'\""
}


class _SyntaxError(Exception):
    """The path of a column cannot be parsed; `str()` is the reason."""


@lru_cache(maxsize=256)  # columns of all kinds have the same paths, such as that of the creation
def syntax_error(path: str) -> str | None:
    """Return why the server cannot parse a column's path for its tables, or None; parts in brackets are paths of their own."""
    pending = [path]
    try:
        while pending:
            pending += _Action(f"{{{pending.pop()}}}").parse()
    except _SyntaxError as error:
        return str(error)
    return None


class _Action:
    """A text with an action in braces, and what is left to parse of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 1
        self._follows_descent = False
        self._parts: list[str] = []

    def parse(self) -> list[str]:
        """Parse the actions of the text, and return the paths in brackets; raise _SyntaxError."""
        while self._offset < len(self._text):
            if self._text[self._offset] != "}":
                self._step()
                continue
            # There may be text between two actions.
            start = self._text.find("{", self._offset)
            if start < 0:
                return self._parts
            self._offset, self._follows_descent = start + 1, False
        raise _SyntaxError("unclosed action")

    def _step(self) -> None:
        text, offset = self._text, self._offset
        char = text[offset]
        follows_descent, self._follows_descent = self._follows_descent, False
        if char in "\r\n":
            raise _SyntaxError("unclosed action")
        if char in " @$":
            self._offset, self._follows_descent = offset + 1, follows_descent
        elif text.startswith("[?(", offset):
            self._filter()
        elif text.startswith("..", offset):
            self._descend(follows_descent=follows_descent)
        elif char == "[":
            self._array()
        elif char in "\"'":
            self._quote(char)
        elif char == ".":
            self._skip(_FIELD, offset + 1)
        else:
            self._word(char)

    def _word(self, char: str) -> None:
        if char in "+-" or char.isdecimal():
            self._number()
        elif char == "_" or char.isalpha():
            self._skip(_IDENTIFIER, self._offset)
        else:
            shown = f" '{char}'" if char.isprintable() else ""
            raise _SyntaxError(f"unrecognized character in action: U+{ord(char):04X}{shown}")

    def _skip(self, pattern: re.Pattern[str], start: int) -> str:
        match = pattern.match(self._text, start)
        assert match is not None  # noqa: S101  the patterns match an empty text
        self._offset = match.end()
        return match[0]

    def _descend(self, *, follows_descent: bool) -> None:
        if follows_descent:
            raise _SyntaxError("invalid multiple recursive descent")
        self._offset += 2
        char = self._text[self._offset]  # the brace at the end at least
        if char == "_" or char.isalpha() or char.isdecimal():
            self._skip(_FIELD, self._offset)
        else:
            self._follows_descent = True

    def _number(self) -> None:
        number = self._skip(_NUMBER, self._offset)
        if not _FLOAT.match(number) or not isfinite(float(number)):
            raise _SyntaxError(f"cannot parse number {number}")

    def _array(self) -> None:
        end = self._end("]", self._offset, "unterminated array")
        index = self._text[self._offset + 1 : end]
        self._offset = end + 1
        if "," in index:
            self._parts += (f"[{item.strip(' ')}]" for item in index.split(","))
            return
        key = _KEY.match(index)
        if key is not None:
            self._parts.append(f".{key[1]}")
            self._follows_descent = f".{key[1]}".rstrip(" @$").endswith("..")
            return
        bounds = _SLICE.match("" if index == "*" else index)
        if bounds is None:
            raise _SyntaxError(f"invalid array index {index}")
        for bound in filter(None, bounds.groups()):
            if not _is_int(bound):
                raise _SyntaxError(f"array index {bound} is not a number")

    def _filter(self) -> None:
        start = self._offset + len("[?(")
        end = self._filter_end(start)
        if self._text[end + 1 : end + 2] != "]":
            raise _SyntaxError("unclosed array expect ]")
        self._offset = end + 2
        operator = _OPERATOR.search(self._text, start, end)
        if operator is not None:
            right = min(operator.end(), end - 1)  # it has a character at least
            if start < operator.start() < right:
                self._parts += [self._text[start : operator.start()], self._text[right:end]]
                return
        self._parts.append(self._text[start:end])

    def _filter_end(self, start: int) -> int:
        """Return the index of the parenthesis that ends a filter; raise _SyntaxError."""
        end = start
        quote, is_closed = "", False
        while True:
            char = self._text[end : end + 1]
            is_outside_quotes = not quote or is_closed
            if char == ")" and is_outside_quotes:
                return end
            if char in ("", "\n"):
                raise _SyntaxError("unterminated filter")
            is_escaped = self._text[end - 1] == "\\"
            if not quote and char in "\"'":
                quote = char
            elif char == quote and not is_escaped:
                is_closed = True
            end += 1

    def _quote(self, quote: str) -> None:
        start = self._offset + 1
        end = self._end(quote, start, "unterminated quoted string")
        while self._text[end - 1] == "\\":
            end = self._end(quote, end + 1, "unterminated quoted string")
        content = self._text[start:end]
        if not _QUOTED[quote].fullmatch(content):
            raise _SyntaxError(f"unquote string {quote}{content}{quote} error invalid syntax")
        self._offset = end + 1

    def _end(self, char: str, start: int, reason: str) -> int:
        """Return the next index of a character in the line; raise _SyntaxError."""
        end = self._text.find(char, start)
        if end < 0 or "\n" in self._text[start:end]:
            raise _SyntaxError(reason)
        return end


def _is_int(bound: str) -> bool:
    """Return whether a text is a number of 64 bits."""
    sign, digits = "-" * bound.startswith("-"), bound.lstrip("-0")
    if bound == "-" or len(digits) > _MOST_DIGITS:
        return False
    return int(f"{sign}{digits or 0}") in _INTS
