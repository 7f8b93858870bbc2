"""The environment of the checker: layered declarations, protobuf's messages, options. Upstream: checker/env.go, cel/env.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from crdlint.cel.decls import DeclarationError, Function, Overload, Variable, merge
from crdlint.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    INT,
    STRING,
    UINT,
    Type,
    list_type,
    map_type,
    object_type,
    type_type,
)
from crdlint.kubernetes.servers import NEWEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crdlint.cel.errors import Problem
    from crdlint.kubernetes.servers import CELDialect


_PACKAGE: Final = "google.protobuf."

_FIELDS: Final[dict[str, dict[str, Type]]] = {
    "Any": {"type_url": STRING, "value": BYTES},
    "BoolValue": {"value": BOOL},
    "BytesValue": {"value": BYTES},
    "DoubleValue": {"value": DOUBLE},
    "Duration": {"seconds": INT, "nanos": INT},
    "Empty": {},
    "FloatValue": {"value": DOUBLE},
    "Int32Value": {"value": INT},
    "Int64Value": {"value": INT},
    "ListValue": {"values": list_type(DYN)},
    "StringValue": {"value": STRING},
    "Struct": {"fields": map_type(STRING, DYN)},
    "Struct.FieldsEntry": {"key": STRING, "value": DYN},
    "Timestamp": {"seconds": INT, "nanos": INT},
    "UInt32Value": {"value": UINT},
    "UInt64Value": {"value": UINT},
    "Value": {
        "null_value": INT,
        "number_value": DOUBLE,
        "string_value": STRING,
        "bool_value": BOOL,
        "struct_value": map_type(STRING, DYN),
        "list_value": list_type(DYN),
    },
}
_MESSAGES: Final = {_PACKAGE + name: fields for name, fields in _FIELDS.items()}
_ENUMS: Final = {_PACKAGE + "NullValue.NULL_VALUE": 0}


class WellKnownTypes:
    """The provider of protobuf's own messages."""

    def find_struct_type(self, name: str) -> Type | None:
        """Return `type(T)` for the full name of a message."""
        return type_type(object_type(name)) if name in _MESSAGES else None

    def find_struct_field_type(self, struct: str, field: str) -> Type | None:
        """Return the type of a field of a message."""
        return _MESSAGES.get(struct, {}).get(field)

    def find_enum(self, name: str) -> int | None:
        """Return the number of an enum value."""
        return _ENUMS.get(name)


# Takes a checked expression (`compiler.CheckedExpr`) and yields node ids with problems.
Validator: TypeAlias = "Callable[[Any], Iterator[tuple[int, Problem]]]"


_PROTOBUF: Final = WellKnownTypes()


class Env:
    """An immutable environment; `extend` adds a layer and shares the layers below it."""

    __slots__ = (
        "_provided",
        "cross_type_comparisons",
        "dialect",
        "exempt",
        "homogeneous",
        "own_functions",
        "own_idents",
        "parent",
        "provider",
        "validators",
    )

    def __init__(self) -> None:
        self.parent: Env | None = None
        self.own_idents: dict[str, Variable] = {}
        self._provided: dict[str, Variable] = {}
        self.own_functions: dict[str, Function] = {}
        self.provider: WellKnownTypes = _PROTOBUF
        self.homogeneous = False
        self.dialect: CELDialect = NEWEST.cel
        self.cross_type_comparisons = False
        self.validators: tuple[Validator, ...] = ()
        self.exempt: frozenset[str] = frozenset()

    def extend(
        self,
        *,
        idents: Iterable[Variable] = (),
        functions: Iterable[Overload] = (),
        provider: WellKnownTypes | None = None,
        dialect: CELDialect | None = None,
        homogeneous: bool | None = None,
        cross_type_comparisons: bool | None = None,
        validators: Iterable[Validator] = (),
        exempt: Iterable[str] = (),
    ) -> Env:
        """Return an environment with additional declarations and options.

        `exempt` contains functions whose arguments the validator of homogeneous literals does not check. Raise
        DeclarationError if a declaration conflicts with an earlier one.
        """
        env = Env()
        env.parent = self
        env.provider = self.provider if provider is None else provider
        env.dialect = self.dialect if dialect is None else dialect
        env.homogeneous = self.homogeneous if homogeneous is None else homogeneous
        env.cross_type_comparisons = (
            self.cross_type_comparisons if cross_type_comparisons is None else cross_type_comparisons
        )
        env.validators = (*self.validators, *(added for added in validators if added not in self.validators))
        env.exempt = self.exempt | frozenset(exempt)
        for ident in idents:
            known = env._declared(ident.name)
            if known is None:
                env.own_idents[ident.name] = ident
            elif not (known.type.is_exact(ident.type) and known.value == ident.value):
                text = f"overlapping identifier for name '{ident.name}'"
                raise DeclarationError(text)
        for added in functions:
            env.own_functions[added.function] = merge(env._function(added.function), added)
        return env

    def find_ident(self, name: str) -> Variable | None:
        """Return the variable, type or enum constant with the full name `name`."""
        known = self._declared(name) or self._provided.get(name)
        if known is not None:
            return known
        provided = self._provide(name)
        if provided is not None:
            self._provided[name] = provided
        return provided

    def find_function(self, name: str) -> Function | None:
        """Return the function that `name` refers to, which may start with a dot. Upstream: Env.LookupFunction."""
        return self._function(name.removeprefix("."))

    def function_names(self) -> list[str]:
        """Return the names of all functions, including operators."""
        names: dict[str, None] = {}
        env: Env | None = self
        while env is not None:
            names.update(dict.fromkeys(env.own_functions))
            env = env.parent
        return list(names)

    def _declared(self, name: str) -> Variable | None:
        env: Env | None = self
        while env is not None:
            variable = env.own_idents.get(name)
            if variable is not None:
                return variable
            env = env.parent
        return None

    def _function(self, name: str) -> Function | None:
        env: Env | None = self
        while env is not None:
            function = env.own_functions.get(name)
            if function is not None:
                return function
            env = env.parent
        return None

    def _provide(self, name: str) -> Variable | None:
        struct = self.provider.find_struct_type(name)
        if struct is not None:
            return Variable(name, struct)
        number = self.provider.find_enum(name)
        return None if number is None else Variable(name, INT, number)
