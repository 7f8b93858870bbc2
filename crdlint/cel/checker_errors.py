"""The texts of type errors (cel-go's checker/errors.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.cel.format import format_message, format_signature, format_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.types import Type
    from crdlint.kubernetes.dialect import CELDialect


def field_type_mismatch(field: str, declared: Type, given: Type) -> str:
    """Return the text for a message literal's field of a wrong type."""
    return f"expected type of field '{field}' is '{format_type(declared)}' but provided type is '{format_type(given)}'"


def no_matching_overload(function: str, args: Sequence[Type], *, member: bool) -> str:
    """Return the text for arguments that no overload takes."""
    return f"found no matching overload for '{function}' applied to '{format_signature(args, member=member)}'"


def not_a_range(type_: Type) -> str:
    """Return the text for a comprehension over what has no elements."""
    return (
        f"expression of type '{format_type(type_)}' cannot be range of a comprehension (must be list, map, or dynamic)"
    )


def not_optional_selection(problem: str) -> str:
    """Return the text for a malformed optional field selection."""
    return f"unsupported optional field selection: {problem}"


def not_a_type(name: str) -> str:
    """Return the text for a message literal whose name is not a type."""
    return f"'{name}' is not a type"


def not_a_message_type(name: str) -> str:
    """Return the text for a message literal of a type without fields."""
    return f"'{name}' is not a message type"


def no_field_selection(type_: Type, dialect: CELDialect) -> str:
    """Return the text for a selection from a type without fields."""
    shown = format_type(type_) if dialect.formats_selected_types else format_message(type_)
    return f"type '{shown}' does not support field selection"


def type_mismatch(expected: Type, actual: Type) -> str:
    """Return the text for one type where another is due."""
    return f"expected type '{format_type(expected)}' but found '{format_type(actual)}'"


def undefined_field(field: str) -> str:
    """Return the text for a field that an object type lacks."""
    return f"undefined field '{field}'"


def undeclared_reference(name: str, container: str) -> str:
    """Return the text for an unknown name."""
    return f"undeclared reference to '{name}' (in container '{container}')"


def failed_resolution(name: str) -> str:
    """Return the text for an object type that the provider does not know."""
    return f"unexpected failed resolution of '{name}'"


def unexpected_node(kind: str, name: str) -> str:
    """Return the text for a node that has no type."""
    return f"unexpected {kind} type: {name}"
