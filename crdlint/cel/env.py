"""The environment of the checker: layered declarations, protobuf's messages, options. Upstream: checker/env.go, cel/env.go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from crdlint.cel import types
from crdlint.cel.decls import DeclarationError, Function, Overload, Variable, merge
from crdlint.cel.errors import Problem
from crdlint.cel.types import BOOL, BYTES, DOUBLE, DYN, INT, STRING, Type, list_type, map_type, type_type
from crdlint.kubernetes.servers import NEWEST, CELDialect

_PACKAGE: Final = "google.protobuf."

_FIELDS: Final[dict[str, dict[str, Type]]] = {
    "Any": {"type_url": STRING, "value": BYTES},
    "Duration": {"seconds": INT, "nanos": INT},
    "Empty": {},
    "ListValue": {"values": list_type(DYN)},
    "Struct": {"fields": map_type(STRING, DYN)},
    "Struct.FieldsEntry": {"key": STRING, "value": DYN},
    "Timestamp": {"seconds": INT, "nanos": INT},
    "Value": {
        "null_value": INT,
        "number_value": DOUBLE,
        "string_value": STRING,
        "bool_value": BOOL,
        "struct_value": map_type(STRING, DYN),
        "list_value": list_type(DYN),
    },
}
_MESSAGES: Final = {
    **{name: {"value": Type(type_.kind, type_.name)} for name, type_ in types.WELL_KNOWN.items() if type_.wrapper},
    **{_PACKAGE + name: fields for name, fields in _FIELDS.items()},
}
_ENUMS: Final = {_PACKAGE + "NullValue.NULL_VALUE": 0}


class WellKnownTypes:
    """The provider of protobuf's own messages."""

    def find_struct_type(self, name: str) -> Type | None:
        """Return `type(T)` for the full name of a message."""
        return type_type(types.object_type(name)) if name in _MESSAGES else None

    def find_struct_field_type(self, struct: str, field: str) -> Type | None:
        """Return the type of a field of a message."""
        return _MESSAGES.get(struct, {}).get(field)

    def find_enum(self, name: str) -> int | None:
        """Return the number of an enum value."""
        return _ENUMS.get(name)


# Takes a checked expression (`compiler.CheckedExpr`) and yields node ids with problems.
Validator: TypeAlias = "Callable[[Any], Iterator[tuple[int, Problem]]]"


_PROTOBUF: Final = WellKnownTypes()


@dataclass(frozen=True, slots=True, eq=False)
class Env:
    """An immutable environment. `exempt` are functions whose arguments the validator of homogeneous literals does not check."""

    idents: Mapping[str, Variable] = field(default_factory=dict)
    functions: Mapping[str, Function] = field(default_factory=dict)
    provider: WellKnownTypes = _PROTOBUF
    homogeneous: bool = False
    dialect: CELDialect = NEWEST.cel
    cross_type_comparisons: bool = False
    validators: tuple[Validator, ...] = ()
    exempt: frozenset[str] = frozenset()
    _provided: dict[str, Variable] = field(default_factory=dict, init=False)

    def extend(
        self,
        *,
        idents: Iterable[Variable] = (),
        functions: Iterable[Overload] = (),
        provider: WellKnownTypes | None = None,
    ) -> Env:
        """Return an environment with additional declarations, which come before the known ones.

        Raise DeclarationError if a declaration conflicts with an earlier one.
        """
        own_idents: dict[str, Variable] = {}
        for ident in idents:
            known = own_idents.get(ident.name) or self.idents.get(ident.name)
            if known is None:
                own_idents[ident.name] = ident
            elif not (known.type.is_exact(ident.type) and known.value == ident.value):
                text = f"overlapping identifier for name '{ident.name}'"
                raise DeclarationError(text)
        own_functions: dict[str, Function] = {}
        for added in functions:
            name = added.function
            own_functions[name] = merge(own_functions.get(name) or self.functions.get(name), added)
        return replace(
            self,
            idents={**own_idents, **self.idents},
            functions={**own_functions, **self.functions, **own_functions} if own_functions else self.functions,
            provider=provider or self.provider,
        )

    def find_ident(self, name: str) -> Variable | None:
        """Return the variable, type or enum constant with the full name `name`."""
        known = self.idents.get(name) or self._provided.get(name)
        if known is not None:
            return known
        struct, number = self.provider.find_struct_type(name), self.provider.find_enum(name)
        if struct is not None:
            self._provided[name] = Variable(name, struct)
        elif number is not None:
            self._provided[name] = Variable(name, INT, number)
        return self._provided.get(name)

    def find_function(self, name: str) -> Function | None:
        """Return the function that `name` refers to, which may start with a dot. Upstream: Env.LookupFunction."""
        return self.functions.get(name.removeprefix("."))
