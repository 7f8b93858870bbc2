"""Types and signatures as cel-go's messages print them (checker/format.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.types import Kind, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.types import Type

_NAMES: Final = {
    Kind.ANY: "any",
    Kind.DURATION: "duration",
    Kind.ERROR: "!error!",
    Kind.NULL: "null",
    Kind.TIMESTAMP: "timestamp",
}


def format_type(type_: Type) -> str:
    """Return a type as messages print it, e.g. `map(string, dyn)` (FormatCELType)."""
    return write(type_, _special)


def _special(type_: Type) -> str | None:
    return _NAMES.get(type_.kind)


def format_signature(args: Sequence[Type], *, member: bool) -> str:
    """Return the argument types of a call, the target's before a dot (formatFunctionDeclType)."""
    names = [format_type(arg) for arg in args]
    if member:
        return f"{names[0]}.({', '.join(names[1:])})"
    return f"({', '.join(names)})"
