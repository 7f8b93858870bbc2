"""Declarations of variables and functions, with implementations and costs, and the environments that they make.

Upstream: cel-go's common/decls, checker/env.go, cel/env.go. An environment also has protobuf's messages, and options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, TypeAlias

from crdlint.cel import types
from crdlint.cel.ast import Value
from crdlint.cel.dialect import NEWEST, CELDialect
from crdlint.cel.errors import CodedMessage
from crdlint.cel.estimates import FunctionEstimator
from crdlint.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    INT,
    STRING,
    Kind,
    Type,
    list_type,
    map_type,
    type_type,
)
from crdlint.light import NamedTuple, dataclass, replace

FunctionTracker: TypeAlias = Callable[[Sequence[Any], Any], int | None]

# The standard functions that convert between types. A call with a constant is evaluated during planning.
CONVERSIONS: Final = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)


class DeclarationError(ValueError):
    """A declaration conflicts with another one."""


class Variable(NamedTuple):
    """A name and its type, and the value if it is a constant."""

    name: str
    type: Type
    value: Value = None


class Implementation(NamedTuple):
    """A Python function that implements one overload, or all overloads of a function.

    It is called with positional values. It returns a value, which may be an `Error`, or raises `FunctionError`. If not `strict`,
    it is also called with errors as arguments. If not `guarded`, it checks the types of its arguments itself. If `variadic`,
    cel-go binds it as a function of any number of arguments, which stops evaluating arguments after an error.
    """

    call: Callable[..., Any]
    strict: bool = True
    guarded: bool = True
    variadic: bool = False


Binding: TypeAlias = Callable[..., Any] | Implementation


class CallCost(NamedTuple):
    """The cost of calls in cost units: an estimate with bounds before evaluation, and the cost of one call at run time.

    Either function may return None to defer to the next source of costs, finally to the standard costs. If
    `in_advance`, the cost does not depend on the result, and a call whose cost exceeds the limit is not made.
    """

    estimate: FunctionEstimator
    track: FunctionTracker
    in_advance: bool = False


class Overload(NamedTuple):
    """One signature of a function.

    `function`: the name of the function.
    `id`: the name of the overload.
    `args`: the types of the arguments, of which the first one of a member overload is its target.
    `result`: the type of the result.
    `member`: whether it is called on a target.
    `params`: the names of its type parameters.
    `implementation`: the function that evaluates it.
    `cost`: its cost, None for one unit.
    """

    function: str
    id: str
    args: tuple[Type, ...]
    result: Type
    member: bool
    params: tuple[str, ...]
    implementation: Implementation | None = None
    cost: CallCost | None = None


def overload(
    function: str,
    id_: str,
    args: tuple[Type, ...],
    result: Type,
    call: Binding | None = None,
    cost: CallCost | None = None,
) -> Overload:
    """Declare an overload, implemented by `call`.

    >>> overload("isEven", "is_even_int", (INT,), BOOL, lambda number: number % 2 == 0).id
    'is_even_int'
    """
    implementation = None if call is None else bound(call)
    return Overload(
        function,
        id_,
        args,
        result,
        False,
        _param_names((*args, result)),
        implementation,
        cost,
    )


def member(
    function: str,
    id_: str,
    args: tuple[Type, ...],
    result: Type,
    call: Binding | None = None,
    cost: CallCost | None = None,
) -> Overload:
    """Declare an overload whose first argument is its target."""
    return overload(function, id_, args, result, call, cost)._replace(member=True)


def bound(call: Binding) -> Implementation:
    """Return the implementation for a plain function."""
    return call if isinstance(call, Implementation) else Implementation(call)


def merge(overloads: tuple[Overload, ...], added: Overload) -> tuple[Overload, ...]:
    """Return overloads of a function with one more; raise DeclarationError on a collision. Upstream: FunctionDecl.AddOverload."""
    for existing in overloads:
        if existing.id == added.id:
            if _match(existing, added, Type.is_equivalent) and existing.result.is_equivalent(
                added.result
            ):
                return overloads
            text = f"overload redefinition in function. {added.function}: {added.id} has multiple definitions"
            raise DeclarationError(text)
        if _match(existing, added, lambda left, right: left.accepts(right) or right.accepts(left)):
            text = f"overload signature collision in function {added.function}: {existing.id} collides with {added.id}"
            raise DeclarationError(text)
    return (*overloads, added)


def _match(first: Overload, second: Overload, test: Callable[[Type, Type], bool]) -> bool:
    """Return whether two overloads are called alike, and `test` accepts each pair of arguments."""
    return (
        first.member is second.member
        and len(first.args) == len(second.args)
        and all(map(test, first.args, second.args))
    )


def _param_names(types: Iterable[Type]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    pending = list(types)[::-1]
    while pending:
        type_ = pending.pop()
        if type_.kind is Kind.TYPE_PARAM:
            names[type_.name] = None
        elif type_.free:
            pending.extend(reversed(type_.params))
    return tuple(names)


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
# By the name of a message: the types of its fields.
MESSAGES: Final = {
    **{
        name: {"value": Type(type_.kind, type_.name)}
        for name, type_ in types.WELL_KNOWN.items()
        if type_.wrapper
    },
    **{_PACKAGE + name: fields for name, fields in _FIELDS.items()},
}
_ENUMS: Final = {_PACKAGE + "NullValue.NULL_VALUE": 0}


class WellKnownTypes:
    """The provider of protobuf's own messages."""

    def find_struct_type(self, name: str) -> Type | None:
        """Return `type(T)` for the full name of a message."""
        return type_type(types.object_type(name)) if name in MESSAGES else None

    def find_struct_field_type(self, struct: str, field: str) -> Type | None:
        """Return the type of a field of a message."""
        return MESSAGES.get(struct, {}).get(field)

    def find_enum(self, name: str) -> int | None:
        """Return the number of an enum value."""
        return _ENUMS.get(name)


# Takes a checked expression (`validators.CheckedExpr`) and yields node ids with problems.
Validator: TypeAlias = "Callable[[Any], Iterator[tuple[int, CodedMessage]]]"

_PROTOBUF: Final = WellKnownTypes()


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class Env:
    """An immutable environment.

    `idents`: the variables and constants, by their names.
    `functions`: the overloads of each function, in the order in which they are tried.
    `provider`: the types of messages.
    `homogeneous`: whether the checker rejects lists and maps of mixed types.
    `dialect`: the version of the language.
    `cross_type_comparisons`: whether numbers of different types can be compared.
    `validators`: further checks of checked expressions.
    `exempt`: the functions whose arguments the validator of homogeneous literals does not check.
    """

    idents: Mapping[str, Variable] = field(default_factory=dict)
    functions: Mapping[str, tuple[Overload, ...]] = field(default_factory=dict)
    provider: WellKnownTypes = _PROTOBUF
    homogeneous: bool = False
    dialect: CELDialect = NEWEST
    cross_type_comparisons: bool = False
    validators: tuple[Validator, ...] = ()
    exempt: frozenset[str] = frozenset()
    _provided: dict[str, Variable] = field(default_factory=dict, init=False)

    def extend(self, idents: Iterable[Variable], provider: WellKnownTypes | None = None) -> Env:
        """Return an environment with more variables, before the known ones; raise DeclarationError for one that conflicts."""
        own_idents: dict[str, Variable] = {}
        for ident in idents:
            declared = own_idents.get(ident.name) or self.idents.get(ident.name)
            if declared is None:
                own_idents[ident.name] = ident
            elif not (declared.type.is_exact(ident.type) and declared.value == ident.value):
                raise DeclarationError(f"overlapping identifier for name '{ident.name}'")
        return replace(
            self, idents={**own_idents, **self.idents}, provider=provider or self.provider
        )

    def with_functions(self, functions: Iterable[Overload]) -> Env:
        """Return an environment with more functions, before the known ones; raise DeclarationError for one that conflicts."""
        own: dict[str, tuple[Overload, ...]] = {}
        for added in functions:
            overloads = own.get(added.function) or self.functions.get(added.function, ())
            own[added.function] = merge(overloads, added)
        return replace(self, functions={**own, **self.functions, **own})

    def find_ident(self, name: str) -> Variable | None:
        """Return the variable, type or enum constant with the full name `name`."""
        ident = self.idents.get(name) or self._provided.get(name)
        if ident is not None:
            return ident
        struct, number = self.provider.find_struct_type(name), self.provider.find_enum(name)
        if struct is not None:
            self._provided[name] = Variable(name, struct)
        elif number is not None:
            self._provided[name] = Variable(name, INT, number)
        return self._provided.get(name)

    def find_function(self, name: str) -> tuple[Overload, ...]:
        """Return the overloads of a function, whose name may start with a dot; none if there is no such function."""
        return self.functions.get(name.removeprefix("."), ())
