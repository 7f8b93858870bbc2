"""Types and signatures as cel-go's messages print them. Upstream: checker/format.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.types import Kind, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.types import Type
    from crdlint.kubernetes.servers import CELDialect

_NAMES: Final = {
    Kind.ANY: "any",
    Kind.DURATION: "duration",
    Kind.ERROR: "!error!",
    Kind.NULL: "null",
    Kind.TIMESTAMP: "timestamp",
}


def format_type(type_: Type, dialect: CELDialect | None = None) -> str:
    """Return a type as messages print it, e.g. `map(string, dyn)`. Upstream: checker.FormatCELType."""
    is_newest = dialect is None or dialect.names_optional_type
    return write(type_, _special) if is_newest else write(type_, _special, _OLDER_NAMES)


_OLDER_NAMES: Final = {"optional_type": "optional"}


def _special(type_: Type) -> str | None:
    return _NAMES.get(type_.kind)


def format_signature(args: Sequence[Type], dialect: CELDialect, *, member: bool) -> str:
    """Return the argument types of a call, with the type of the target before a dot. Upstream: checker.formatFunctionDeclType."""
    names = [format_type(arg, dialect) for arg in args]
    if member:
        return f"{names[0]}.({', '.join(names[1:])})"
    return f"({', '.join(names)})"


_PRIMITIVES: Final = {
    Kind.BOOL: "BOOL",
    Kind.BYTES: "BYTES",
    Kind.DOUBLE: "DOUBLE",
    Kind.INT: "INT64",
    Kind.STRING: "STRING",
    Kind.UINT: "UINT64",
}
_WELL_KNOWN: Final = {Kind.ANY: "ANY", Kind.DURATION: "DURATION", Kind.TIMESTAMP: "TIMESTAMP"}


def format_message(type_: Type) -> str:
    """Return a type as the protocol buffer message of cel-go before 0.17, e.g. `list_type:{elem_type:{dyn:{}}}`.

    Go prints one or two spaces between fields, depending on a hash of the program; this function prints one.
    """
    kind, params = type_.kind, [format_message(param) for param in type_.params]
    if kind in _PRIMITIVES:
        return f"{'wrapper' if type_.wrapper else 'primitive'}:{_PRIMITIVES[kind]}"
    if kind in _WELL_KNOWN:
        return f"well_known:{_WELL_KNOWN[kind]}"
    if kind is Kind.LIST:
        return f"list_type:{{elem_type:{{{params[0]}}}}}"
    if kind is Kind.MAP:
        return f"map_type:{{key_type:{{{params[0]}}} value_type:{{{params[1]}}}}}"
    if kind is Kind.OPAQUE:
        parameters = "".join(f" parameter_types:{{{param}}}" for param in params)
        return f'abstract_type:{{name:"{type_.name}"{parameters}}}'
    if kind is Kind.TYPE:
        return f"type:{{{''.join(params)}}}"
    return _OTHERS.get(kind) or (f'message_type:"{type_.name}"' if kind is Kind.STRUCT else type_.name)


_OTHERS: Final = {Kind.DYN: "dyn:{}", Kind.ERROR: "error:{}", Kind.NULL: "null:NULL_VALUE"}
