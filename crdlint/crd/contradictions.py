"""The keyword because of which the server rejects another place: `x-kubernetes-list-map-keys` of a list, for one of its keys."""

from __future__ import annotations

from typing import Final

from crdlint.crd.errors import FieldError, ReasonCode
from crdlint.crd.paths import Path
from crdlint.crd.positions import Locator, SourceLocation

# The keyword that a value violates, by the reason.
_OF_VALUES: Final = {
    ReasonCode.TYPE: "type", ReasonCode.FORMAT: "format", ReasonCode.ENUM: "enum", ReasonCode.LEAST: "minimum",
    ReasonCode.MOST: "maximum", ReasonCode.MULTIPLE: "multipleOf", ReasonCode.PATTERN: "pattern",
    ReasonCode.TOO_SHORT: "minLength", ReasonCode.TOO_LONG: "maxLength",
}  # fmt: skip


def contradicting(error: FieldError, because: str, locator: Locator) -> SourceLocation | None:
    """Return the keyword that makes the place of an error wrong, None if unknown or not written; `because` is that of its rule."""
    path = error.at or error.path
    keyword = "" if error.reason is None else _OF_VALUES.get(error.reason.code, "")
    schema = _schema_of_value(path, locator) if keyword else None
    if schema is None and because:
        *of_list, keyword = because.split("/")
        schema = _before(path, "items") if of_list else path.parent
    location = None if schema is None else locator.find(schema.child(keyword))
    return location if location is not None and location.exact else None


def _before(path: Path | None, step: str) -> Path | None:
    """Return what the last such step of a path is below."""
    while path is not None and path.step != step:
        path = path.parent
    return path and path.parent


def _schema_of_value(path: Path, locator: Locator) -> Path | None:
    """Return the schema of a value in a default, None for another path."""
    schema = _before(path, "default")
    if schema is None:
        return None
    below: list[Path] = []
    while path.step != "default" and path.parent is not None:
        below.append(path)
        path = path.parent
    for part in reversed(below):
        if isinstance(part.step, int):
            schema = schema.child("items")
        else:
            named = schema.child("properties").key(str(part.step))
            schema = named if locator.find(named).exact else schema.child("additionalProperties")
    return schema
