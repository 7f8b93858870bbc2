"""Helps for type errors of the decoder: a replacement for the value, based on the value and the Go type of the field."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from crdlint.yaml.nodes import Scalar, Sequence
from crdlint.yaml.resolve import resolve

if TYPE_CHECKING:
    from crdlint.crd.decode import DecodeProblem

_WHOLE: Final = re.compile(r"[-+]?\d+\Z")
_NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\Z")
_NUMBERS: Final = frozenset({"int", "int32", "int64", "float64"})
_COLLECTIONS: Final = {"object": "a mapping", "array": "a list"}
_TYPES: Final = frozenset({"array", "boolean", "integer", "number", "object", "string"})
_LONGEST: Final = 40  # the maximum number of characters of a value in a help


def suggestion(problem: DecodeProblem) -> str:
    """Return the help for a type error."""
    json_type, go_type, node = problem.json_type, problem.go_type, problem.node
    value = None
    if json_type not in _COLLECTIONS and isinstance(node, Scalar):
        value = node.value if len(node.value) <= _LONGEST and "\n" not in node.value else None
    if go_type == "[]string" and json_type == "bool" and problem.field.rpartition(".")[2] == "required":
        return "Remove `required` here, and add the name of the property to `required` of the object that has it"
    if go_type.endswith("JSONSchemaProps") and json_type == "array" and getattr(node, "value", "") == "required":
        return "Move `required` out of `properties`, to the same indentation as `properties`"
    if go_type in _NUMBERS:
        return _number(value, integer=go_type != "float64")
    if go_type == "bool":
        meant = value.lower() if value is not None and value.lower() in {"true", "false"} else None
        return f"Write `{meant}` without quotes" if meant else "Write `true` or `false`, without quotes"
    if go_type == "string" and json_type == "array":
        return _single(problem)
    if go_type == "string":
        return f"Write a string, not {_COLLECTIONS[json_type]}" if json_type in _COLLECTIONS else _quoted(value)
    if go_type == "v1.JSONSchemaProps" and value in _TYPES:
        return f"Write a schema: `{{type: {value}}}`"
    if go_type == "v1.ValidationRule" and value is not None:
        return f"Write `rule: {value}`"
    if go_type == "v1.CustomResourceSubresourceStatus":
        return "Write an empty mapping: `status: {}`"
    if go_type == "v1.ValidationRules":
        return "Write a list of rules: `- rule: ...`"
    if go_type.startswith("[]"):
        return f"Write a list: `[{value}]`" if value is not None else "Write a list, such as `[a, b]`"
    of_strings = " with all values in quotes" if go_type == "map[string]string" else ""
    if of_strings and value is not None:
        return _quoted(value)
    return f"Write a mapping{of_strings}: `key: value`"


def _single(problem: DecodeProblem) -> str:
    """Return the help for a list in the place of a string."""
    items = problem.content.items if isinstance(problem.content, Sequence) else []
    scalars = [item for item in items if isinstance(item, Scalar)]
    values = [scalar.value for scalar in scalars]
    types = [value for value in values if value not in {"null", "~", ""}]
    if getattr(problem.node, "value", "") == "type" and len(values) == len(items):
        if len(types) == 1:
            return f"Write `type: {types[0]}`" + (" and `nullable: true`" if len(types) < len(values) else "")
        if set(types) == {"integer", "string"}:
            nullable = " and `nullable: true`" if len(types) < len(values) else ""
            return f"Write `x-kubernetes-int-or-string: true`{nullable} instead of `type`"
        if types:
            return "Write `x-kubernetes-preserve-unknown-fields: true` instead of `type`, or one type: a value has only one"
    if len(values) == len(items) == 1:
        shown = values[0] if resolve(scalars[0]).__class__ is str else f'"{values[0]}"'
        return f"Write the value without the list: `{shown}`"
    return "Write a string, not a list"


def _number(value: str | None, *, integer: bool) -> str:
    if value is not None and _WHOLE.match(value):
        return f"Write `{value}` without quotes"
    if value is not None and not integer and _NUMBER.match(value):
        return f"Write `{value}` without quotes"
    return "Write an integer, without quotes" if integer else "Write a number, without quotes"


def _quoted(value: str | None) -> str:
    return f'Write it in quotes: `"{value}"`' if value is not None else 'Write it in quotes: `"..."`'
