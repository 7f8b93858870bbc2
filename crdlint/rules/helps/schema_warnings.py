"""How to correct what `rules/server/schema_warnings.py` warns of, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.spelling import meant

_UNSIGNED: Final = (
    "Write `format: int64`, `minimum: 0` and `maximum: {}`: the API server has no unsigned formats"
)
# Formats of other tools, and what the API server has in their place.
OTHER_FORMATS: Final = {
    "int-or-string": "Write `x-kubernetes-int-or-string: true` instead of `type` and `format`",
    "uint8": _UNSIGNED.format(2**8 - 1),
    "uint16": _UNSIGNED.format(2**16 - 1),
    "uint32": _UNSIGNED.format(2**32 - 1),
    "uint64": "Write `format: int64` and `minimum: 0`: the API server has no unsigned formats",
    "uint": "Write `format: int64` and `minimum: 0`: the API server has no unsigned formats",
    "int8": "Write `format: int32`, `minimum: -128` and `maximum: 127`",
    "int16": "Write `format: int32`, `minimum: -32768` and `maximum: 32767`",
}


def other_format(name: str) -> str | None:
    """Return the format of another tool that a name means, such as `int-or-string` for `IntOrString`."""
    plain = name.replace("-", "").replace("_", "").lower()
    return next((each for each in OTHER_FORMATS if each.replace("-", "") == plain), None)


def spellings(formats: Sequence[str]) -> list[str]:
    """Return formats as OpenAPI spells them."""
    return [name for name in formats if name != "datetime"]


def of_format(schema: JSONSchemaProps, formats: Sequence[str]) -> str | None:
    """Return the help for a format that a type does not have."""
    if not formats:
        is_of_items = schema.type == "array" and schema.item_schema is not None
        instead = ", or move it to `items` to check each of them" if is_of_items else ""
        return f"Remove it: values of type {schema.type} have no formats{instead}"
    other = other_format(schema.format)
    if other is not None:
        return OTHER_FORMATS[other]
    if schema.format in formats:
        return "Remove the format, or support only newer versions of Kubernetes: this one does not know it yet"
    near = meant(schema.format, spellings(formats))
    if near is not None and near.is_known:
        return f"Write `{near.name}` to reject other values, or remove the format: the API server ignores this one"
    if near is not None:
        return f"Did you mean `{near.name}`? The API server ignores this format"
    if schema.type in {"integer", "number"}:
        return f"Use {' or '.join(f'`{name}`' for name in formats)}, the formats of type {schema.type}, or remove it"
    return None
