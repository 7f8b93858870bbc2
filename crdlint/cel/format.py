"""Types and signatures as cel-go's messages print them (checker/format.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.types import Kind, Type

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES: Final = {
    Kind.ANY: "any",
    Kind.DURATION: "duration",
    Kind.ERROR: "!error!",
    Kind.NULL: "null",
    Kind.TIMESTAMP: "timestamp",
}


def format_type(type_: Type) -> str:
    """Return a type as messages print it, e.g. `map(string, dyn)` (FormatCELType)."""
    name = _NAMES.get(type_.kind)
    if name is not None:
        return name
    if not type_.params:
        return type_.declared_name
    return f"{type_.name}({', '.join(map(format_type, type_.params))})"


def format_signature(args: Sequence[Type], *, member: bool) -> str:
    """Return the argument types of a call, the target's before a dot (formatFunctionDeclType)."""
    names = [format_type(arg) for arg in args]
    if member:
        return f"{names[0]}.({', '.join(names[1:])})"
    return f"({', '.join(names)})"
