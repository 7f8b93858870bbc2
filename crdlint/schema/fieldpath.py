"""JSON paths of fields in a schema. Upstream: apiextensions pkg/apiserver/schema/cel.ValidFieldPath."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from crdlint.crd.paths import Key, Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.model import JSONSchemaProps

# Delimiters are separate tokens; a quoted string ends at the next unescaped quote.
_TOKEN: Final = re.compile(r"[.\[\]]|'.*?(?<!\\)'|'.*|[^.\[\]]+", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)")
_UNESCAPED: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\"}


class FieldPathError(ValueError):
    """The path does not refer to a field of the schema; the text is upstream's."""


def valid_field_path(
    text: str, schema: JSONSchemaProps, *, allow_array_notation: bool = True
) -> tuple[Path | None, JSONSchemaProps | None]:
    """Return the path that `text` denotes, and its schema; raise FieldPathError if the schema has no such field.

    The schema is None below `additionalProperties: true`.
    """
    path: Path | None = None
    current: JSONSchemaProps | None = schema
    tokens = iter(_TOKEN.findall(text))
    for part in tokens:
        if part == "[":
            if not allow_array_notation:
                raise FieldPathError("array notation is not allowed")
            name = _next(tokens)
            if len(name) < 2 or name[0] != "'" or name[-1] != "'":
                raise FieldPathError(f"expected single quoted string but got {name}")
            path, current = _step(path, current, _unescape(name[1:-1]))
            closing = _next(tokens)
            if closing != "]":
                raise FieldPathError(f"expected ] but got {closing}")
        elif part == ".":
            path, current = _step(path, current, _next(tokens))
        else:
            raise FieldPathError(f"expected [ or . but got: {part}")
    return path, current


def _next(tokens: Iterator[str]) -> str:
    token = next(tokens, None)
    if token is None:
        raise FieldPathError("unexpected end of JSON path")
    return token


def _step(path: Path | None, schema: JSONSchemaProps | None, name: str) -> tuple[Path, JSONSchemaProps | None]:
    if schema is not None and schema.properties:
        if name not in schema.properties:
            raise FieldPathError("does not refer to a valid field")
        return Path(name, path), schema.properties[name]
    if schema is not None and schema.additional_properties is not None:
        return Path(Key(name), path), schema.additional_properties.schema
    raise FieldPathError("does not refer to a valid field")


def _unescape(text: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        if match[1] not in _UNESCAPED:
            raise FieldPathError(f"invalid string literal: invalid escape char {match[0]}")
        return _UNESCAPED[match[1]]

    return _ESCAPE.sub(replaced, text)
