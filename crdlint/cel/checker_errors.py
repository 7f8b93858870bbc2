"""The messages of type errors. Upstream: cel-go's checker/errors.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.errors import Code, Problem
from crdlint.cel.format import format_message, format_signature, format_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.types import Type
    from crdlint.kubernetes.servers import CELDialect

# The problem of a node that has no type.
UNEXPECTED_NODE: Final = Problem("unexpected unspecified type: ")


def field_type_mismatch(field: str, declared: Type, actual: Type, dialect: CELDialect) -> Problem:
    """Return the problem for a field of a message literal whose value has the wrong type."""
    shown = format_type(actual, dialect)
    return Problem(
        f"expected type of field '{field}' is '{format_type(declared, dialect)}' but provided type is '{shown}'"
    )


def no_matching_overload(function: str, args: Sequence[Type], dialect: CELDialect, *, member: bool) -> Problem:
    """Return the problem for arguments that no overload accepts."""
    signature = format_signature(args, dialect, member=member)
    return Problem(
        f"found no matching overload for '{function}' applied to '{signature}'",
        Code.NO_MATCHING_OVERLOAD,
        (function, signature),
    )


def not_a_range(type_: Type, dialect: CELDialect) -> Problem:
    """Return the problem for a comprehension over a value that is neither a list nor a map."""
    return Problem(
        f"expression of type '{format_type(type_, dialect)}' cannot be range of a comprehension (must be list, map, or dynamic)",
        Code.NOT_A_RANGE,
        (type_,),
    )


def not_a_type(name: str) -> Problem:
    """Return the problem for a message literal whose name is not a type."""
    return Problem(f"'{name}' is not a type")


def not_a_message_type(name: str) -> Problem:
    """Return the problem for a message literal of a type that is not a message."""
    return Problem(f"'{name}' is not a message type")


def no_field_selection(type_: Type, dialect: CELDialect) -> Problem:
    """Return the problem for a selection from a type without fields."""
    shown = format_type(type_, dialect) if dialect.formats_selected_types else format_message(type_)
    return Problem(f"type '{shown}' does not support field selection", Code.NO_FIELD_SELECTION, (type_,))


def type_mismatch(expected: Type, actual: Type, dialect: CELDialect) -> Problem:
    """Return the problem for a type that differs from the expected one."""
    return Problem(
        f"expected type '{format_type(expected, dialect)}' but found '{format_type(actual, dialect)}'",
        Code.TYPE_MISMATCH,
        (expected, actual),
    )


def undefined_field(field: str) -> Problem:
    """Return the problem for a field that the object type does not declare."""
    return Problem(f"undefined field '{field}'", Code.UNDEFINED_FIELD, (field,))


def undeclared_reference(name: str) -> Problem:
    """Return the problem for an unknown name. Kubernetes' environment has no container for names."""
    return Problem(f"undeclared reference to '{name}' (in container '')", Code.UNDECLARED_REFERENCE, (name,))


def failed_resolution(name: str) -> Problem:
    """Return the problem for an object type that the provider does not know."""
    return Problem(f"unexpected failed resolution of '{name}'")
