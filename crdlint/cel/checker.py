"""The type checker. Upstream: cel-go's checker/checker.go, but the full name of a node is in the result, not in the tree."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import field
from itertools import permutations
from typing import Any, Final, TypeAlias

from crdlint.cel import ast, types
from crdlint.cel.ast import SourceInfo
from crdlint.cel.decls import Env, Overload, Variable
from crdlint.cel.errors import (
    CELError,
    CodedMessage,
    ErrorCode,
    format_message,
    format_type,
    type_mismatch,
)
from crdlint.cel.types import DYN, ERROR, Kind, Type
from crdlint.cel.unification import Substitution, TypeReplacer, most_general
from crdlint.light import NamedTuple, dataclass

Visit: TypeAlias = Generator[ast.Expr, Type, Type]

# The type of a call of an undeclared method in cel-go before 0.17.
_NIL: Final = Type(Kind.UNKNOWN, "<nil>")
_NONE_DISABLED: Final[frozenset[str]] = frozenset()
_LOGICAL: Final = ("_&&_", "_||_")
CROSS_TYPE_COMPARISONS: Final = frozenset(
    f"{relation}_{left}_{right}"
    for relation in ("less", "less_equals", "greater", "greater_equals")
    for left, right in permutations(("int64", "uint64", "double"), 2)
)

# The first message of each kind of type.
_WELL_KNOWN_NAMES: Final = {type_.kind: name for name, type_ in reversed(types.WELL_KNOWN.items())}
_ALWAYS_WELL_KNOWN: Final = (Kind.ANY, Kind.TIMESTAMP, Kind.DURATION, Kind.DYN, Kind.NULL)


class Reference(NamedTuple):
    """The declaration that a node refers to: a name, with its value if it is a constant, or the overloads of a call."""

    name: str = ""
    value: ast.Value = None
    overload_ids: tuple[str, ...] = ()


@dataclass(slots=True)
class CheckResult:
    """Types and references by node id, and the errors in the order in which they occurred.

    `namespaced` contains the full function name of each call whose name is not yet full: the target may be only a
    namespace, as `sets` in `sets.contains(a, b)`, which has no type and is not evaluated; or the name starts with a dot.
    """

    type_map: dict[int, Type] = field(default_factory=dict)
    reference_map: dict[int, Reference] = field(default_factory=dict)
    namespaced: dict[int, str] = field(default_factory=dict)
    errors: list[CELError] = field(default_factory=list)

    def function(self, call: ast.Call) -> str:
        """Return the full name of the function that a call calls."""
        return self.namespaced.get(call.id, call.function)

    def overload_ids(self, node: ast.Expr) -> tuple[str, ...]:
        """Return the ids of the overloads that a call may mean, none for other nodes."""
        reference = self.reference_map.get(node.id)
        return () if reference is None else reference.overload_ids

    @property
    def names(self) -> frozenset[str]:
        """The full names of the variables, types and constants that are referred to."""
        return frozenset(
            reference.name for reference in self.reference_map.values() if reference.name
        )


def check(expr: ast.Expr, source: SourceInfo, env: Env) -> CheckResult:
    """Check the types of an expression and return the type of each node. Upstream: checker.Check."""
    return _Checker(source, env).run(expr)


def qualified_name(expr: ast.Expr) -> str | None:
    """Return `a.b.c` for a chain of field selections from an identifier, else None. Upstream: containers.ToQualifiedName."""
    parts: list[str] = []
    while type(expr) is ast.Select:
        if expr.test_only:
            return None
        parts.append(expr.field)
        expr = expr.operand
    if type(expr) is not ast.Ident:
        return None
    parts.append(expr.name)
    return ".".join(reversed(parts))


class _Checker:
    def __init__(self, source: SourceInfo, env: Env) -> None:
        self._source = source
        self._env = env
        self._result = CheckResult()
        self._types = self._result.type_map
        self._dialect = env.dialect
        self._substitution = Substitution(null_either_way=env.dialect.null_unifies_either_way)
        self._scopes: list[dict[str, Variable]] = []
        self._variables = 0
        self._disabled = _NONE_DISABLED if env.cross_type_comparisons else CROSS_TYPE_COMPARISONS

    def run(self, root: ast.Expr) -> CheckResult:
        ast.visit(root, self, self._types)
        self._types.update(self._substitution.final(self._types))
        return self._result

    def _error(
        self,
        id_: int,
        message: str,
        code: ErrorCode = ErrorCode.OTHER,
        args: tuple[Any, ...] = (),
    ) -> Type:
        self._result.errors.append(
            CELError(self._source.location_of(id_), CodedMessage(message, code, args), id_)
        )
        return ERROR

    def _mismatch(self, id_: int, expected: Type, actual: Type) -> Type:
        return self._error(id_, *type_mismatch(expected, actual, self._dialect))

    def _undeclared(self, id_: int, name: str) -> Type:
        # Kubernetes' environment has no container for names.
        return self._error(
            id_,
            f"undeclared reference to '{name}' (in container '')",
            ErrorCode.UNDECLARED_REFERENCE,
            (name,),
        )

    def unspecified(self, expr: ast.Unspecified) -> Type:
        return self._error(expr.id, "unexpected unspecified type: ")

    def literal(self, expr: ast.Literal) -> Type:
        return types.LITERAL_TYPES[type(expr.value)]

    def ident(self, expr: ast.Ident) -> Type:
        return self._resolve(expr.id, expr.name) or self._undeclared(expr.id, expr.name)

    def _lookup(self, name: str) -> Variable | None:
        """Return the variable, type or constant that a name means, which may be qualified and start with a dot."""
        plain = name.removeprefix(".")
        if not self._dialect.resolves_local_names_first:
            return self._local(plain) or self._env.find_ident(plain)
        first = plain.partition(".")[0]
        local = None if name.startswith(".") else self._local(first)
        if local is None:
            return self._env.find_ident(plain)
        # A qualified name that starts with a local variable is a selection of its fields.
        return local if first == plain else None

    def _local(self, name: str) -> Variable | None:
        """Return the variable of a macro with a name, the innermost one if there are several."""
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return None

    def _lookup_type(self, name: str) -> Variable | None:
        """Return the type that a literal of a message names."""
        if not self._dialect.resolves_local_names_first:
            return self._lookup(name)
        ident = self._env.find_ident(name.removeprefix("."))
        return ident if ident is not None and ident.type.kind is Kind.TYPE else None

    def _resolve(self, id_: int, name: str) -> Type | None:
        variable = self._lookup(name)
        if variable is None:
            return None
        name = self._distinct(name, variable)
        self._result.reference_map[id_] = Reference(name, variable.value)
        return variable.type

    def _distinct(self, name: str, variable: Variable) -> str:
        """Return the name of a variable, with a dot if it is a global one that a macro hides."""
        first = name[1:].partition(".")[0]
        is_absolute = self._dialect.resolves_local_names_first and name.startswith(".")
        is_hidden = is_absolute and self._local(first) is not None
        return f".{variable.name}" if is_hidden else variable.name

    def select(self, expr: ast.Select) -> Visit:
        name = qualified_name(expr)
        resolved = None if name is None else self._resolve(expr.id, name)
        if resolved is not None:
            return resolved
        operand = yield expr.operand
        result = self._field(expr.id, operand, expr.field, optional=False)
        return types.BOOL if expr.test_only else self._substitution.substitute(result)

    def _optional_select(self, expr: ast.Call) -> Visit:
        operand, name = expr.args
        # Only the parser makes this call.
        assert isinstance(name, ast.Literal)  # noqa: S101
        assert isinstance(name.value, str)  # noqa: S101
        result = self._field(
            expr.id,
            (yield operand),
            name.value,
            optional=True,
        )
        self._result.reference_map[expr.id] = Reference(overload_ids=("select_optional_field",))
        return self._substitution.substitute(result)

    def _field(
        self,
        id_: int,
        operand: Type,
        name: str,
        *,
        optional: bool,
    ) -> Type:
        """Return the type of a field of an operand. Upstream: checker.checkSelectField."""
        target = self._substitution.substitute(operand)
        if target.is_optional:
            optional = True
            target = target.params[0]
        if target.kind is Kind.MAP:
            result = target.params[1]
        elif target.kind is Kind.STRUCT:
            result = self._field_type(id_, target.name, name)
        else:
            if target.kind is Kind.TYPE_PARAM:
                self._substitution.assignable(DYN, target)
            elif not (target.is_dyn or target.kind is Kind.ERROR):
                self._no_fields(id_, target)
            result = DYN
        return types.optional_type(result) if optional else result

    def _no_fields(self, id_: int, type_: Type) -> None:
        as_cel = self._dialect.formats_selected_types
        shown = self._shown(type_) if as_cel else format_message(type_)
        text = f"type '{shown}' does not support field selection"
        self._error(
            id_,
            text,
            ErrorCode.NO_FIELD_SELECTION,
            (type_,),
        )

    def _field_type(self, id_: int, struct: str, name: str) -> Type:
        if self._env.provider.find_struct_type(struct) is None:
            mark = "[internal] " if self._dialect.marks_internal_errors else ""
            text = f"{mark}unexpected failed resolution of '{struct}'"
            return self._error(
                id_,
                text,
                ErrorCode.NO_FIELD_SELECTION,
                (types.object_type(struct),),
            )
        field_type = self._env.provider.find_struct_field_type(struct, name)
        return field_type or self._error(
            id_,
            f"undefined field '{name}'",
            ErrorCode.UNDEFINED_FIELD,
            (name,),
        )

    def _shown(self, type_: Type) -> str:
        return format_type(type_, self._dialect)

    def call(self, expr: ast.Call) -> Visit:
        if expr.function == "_?._":
            return (yield from self._optional_select(expr))
        args: list[Type] = yield from ast.visit_all(expr.args)
        target = expr.target
        name = expr.function
        if target is None:
            overloads = self._env.find_function(name)
            name = overloads[0].function if overloads else name
        else:
            prefix = qualified_name(target)
            overloads = () if prefix is None else self._env.find_function(f"{prefix}.{name}")
            if overloads:
                name, target = overloads[0].function, None
            else:
                args.insert(0, (yield target))
                overloads = self._env.find_function(name)
        if name != expr.function:
            self._result.namespaced[expr.id] = name
        if not overloads:
            self._undeclared(expr.id, name)
            return ERROR if target is None else self._type_of_undeclared()
        return self._overload(
            expr,
            overloads,
            args,
            member=target is not None,
        )

    def _type_of_undeclared(self) -> Type:
        """Return the type of a method or message that is not declared."""
        return ERROR if self._dialect.types_undeclared_methods else _NIL

    def _overload(
        self,
        expr: ast.Call,
        overloads: Sequence[Overload],
        args: Sequence[Type],
        *,
        member: bool,
    ) -> Type:
        """Return the type of a call; record the overloads that match, or report an error. Upstream: checker.resolveOverload."""
        ids: list[str] = []
        result = None
        for overload in overloads:
            if overload.member is not member or overload.id in self._disabled:
                continue
            if overload.function in _LOGICAL and self._dialect.expects_bool_operands:
                return self._logical(expr, overload, args)
            fit = self._fit(overload, args)
            if fit is None:
                continue
            ids.append(overload.id)
            if result is None or result.kind is Kind.UNKNOWN:
                result = fit
            elif not result.is_dyn and not fit.is_exact(result):
                result = DYN
        if result is None or result.kind is Kind.UNKNOWN:
            return self._no_overload(
                expr.id,
                overloads[0].function,
                args,
                member=member,
            )
        self._result.reference_map[expr.id] = Reference(overload_ids=tuple(ids))
        return result

    def _no_overload(
        self,
        id_: int,
        name: str,
        args: Sequence[Type],
        *,
        member: bool,
    ) -> Type:
        shown = [self._shown(self._substitution.substitute(type_, to_dyn=True)) for type_ in args]
        target = f"{shown.pop(0)}." if member else ""
        signature = f"{target}({', '.join(shown)})"
        text = f"found no matching overload for '{name}' applied to '{signature}'"
        return self._error(
            id_,
            text,
            ErrorCode.NO_MATCHING_OVERLOAD,
            (name, signature),
        )

    def _fit(self, overload: Overload, args: Sequence[Type]) -> Type | None:
        """Return the result type of an overload, or None if it does not accept the argument types."""
        declared, result = overload.args, overload.result
        if overload.params:
            fresh = TypeReplacer({name: self._variable() for name in overload.params})
            declared = tuple(map(fresh, declared))
            result = fresh(result)
        if not self._substitution.all_assignable(args, declared):
            return None
        return self._substitution.substitute(result)

    def _logical(self, expr: ast.Call, overload: Overload, args: Sequence[Type]) -> Type:
        before = len(self._result.errors)
        for arg, type_ in zip(expr.args, args, strict=True):
            self._expect(arg, type_, types.BOOL, reverse=True)
        if len(self._result.errors) > before:
            return ERROR
        self._result.reference_map[expr.id] = Reference(overload_ids=(overload.id,))
        return types.BOOL

    def _expect(
        self,
        expr: ast.Expr,
        actual: Type,
        expected: Type,
        *,
        reverse: bool = False,
    ) -> None:
        pair = (actual, expected) if reverse else (expected, actual)
        if not self._substitution.assignable(*pair):
            self._mismatch(expr.id, expected, actual)

    def _value_type(self, value: ast.Expr, type_: Type, *, optional: bool) -> Type:
        """Return the type of the value of an entry, unwrapped if it is written with `?`."""
        if optional:
            if type_.is_optional:
                return type_.params[0]
            if not type_.is_dyn:
                self._mismatch(value.id, types.optional_type(type_), type_)
        return type_

    def list_(self, expr: ast.ListExpr) -> Visit:
        optional = frozenset(expr.optional_indices)
        joined: Type | None = None
        for index, element in enumerate(expr.elements):
            type_ = yield element
            joined = self._join(
                element, joined, self._value_type(element, type_, optional=index in optional)
            )
        return types.list_type(_type_or_none(joined) or self._variable())

    def map_(self, expr: ast.MapExpr) -> Visit:
        keys: Type | None = None
        values: Type | None = None
        for entry in expr.entries:
            keys = self._join(entry.key, keys, (yield entry.key))
            type_ = yield entry.value
            values = self._join(
                entry.value, values, self._value_type(entry.value, type_, optional=entry.optional)
            )
        key = _type_or_none(keys) or self._variable()
        return types.map_type(key, (values if key is keys else None) or self._variable())

    def _join(self, expr: ast.Expr, previous: Type | None, current: Type) -> Type:
        if previous is None or previous is _NIL:
            return current
        if self._substitution.assignable(previous, current):
            return most_general(previous, current)
        return self._mismatch(expr.id, previous, current) if self._env.homogeneous else DYN

    def _variable(self) -> Type:
        variable = types.type_param(f"_var{self._variables}")
        self._variables += 1
        return variable

    def struct(self, expr: ast.StructExpr) -> Visit:
        ident = self._lookup_type(expr.type_name)
        if ident is None:
            self._undeclared(expr.id, expr.type_name)
            return self._type_of_undeclared()
        self._result.reference_map[expr.id] = Reference(ident.name)
        name, result = self._message(expr.id, ident)
        for entry in expr.fields:
            type_ = yield entry.value
            declared = self._field_type(entry.id, name, entry.field)
            actual = self._value_type(entry.value, type_, optional=entry.optional)
            if not self._substitution.assignable(declared, actual):
                both = f"'{self._shown(declared)}' but provided type is '{self._shown(actual)}'"
                self._error(entry.id, f"expected type of field '{entry.field}' is {both}")
        return result

    def _message(self, id_: int, ident: Variable) -> tuple[str, Type]:
        """Return the provider's name of a message type, and the type of a literal of it."""
        if ident.type.kind is Kind.ERROR:
            return ident.name, ERROR
        if ident.type.kind is not Kind.TYPE or not ident.type.params:
            return self._no_message(id_, ident, ident.type, "type")
        result = ident.type.params[0]
        is_null = result.kind is Kind.NULL
        if is_null and not self._dialect.formats_selected_types:
            return self._no_message(id_, ident, result, "message type")
        if _is_well_known(result):
            return _WELL_KNOWN_NAMES[result.kind], result
        if result.kind is Kind.STRUCT:
            return result.declared_name, result
        return self._no_message(id_, ident, result, "message type")

    def _no_message(
        self,
        id_: int,
        ident: Variable,
        type_: Type,
        what: str,
    ) -> tuple[str, Type]:
        """Report a literal of a name that is no message type; `what` it should be."""
        if self._dialect.formats_selected_types:
            return ident.name, self._error(id_, f"'{type_.declared_name}' is not a {what}")
        message = f"({format_message(type_)})" if what == "type" else ""
        return "", self._error(id_, f"'{self._shown(type_)}{message}' is not a {what}")

    def comprehension(self, expr: ast.Comprehension) -> Visit:
        range_type = yield expr.iter_range
        accu_type = yield expr.accu_init
        # cel-go's scopes do not inherit the disabled overloads, and leaving a scope does not restore them.
        self._disabled = _NONE_DISABLED
        self._scopes.append({expr.accu_var: Variable(expr.accu_var, accu_type)})
        first, second = self._iterated(expr, self._substitution.substitute(range_type))
        scope = {expr.iter_var: Variable(expr.iter_var, first)}
        if expr.iter_var2:
            scope.setdefault(expr.iter_var2, Variable(expr.iter_var2, second))
        self._scopes.append(scope)
        self._expect(expr.loop_condition, (yield expr.loop_condition), types.BOOL)
        self._expect(expr.loop_step, (yield expr.loop_step), accu_type)
        self._scopes.pop()
        result = yield expr.result
        self._scopes.pop()
        return self._substitution.substitute(result)

    def _iterated(self, expr: ast.Comprehension, range_type: Type) -> tuple[Type, Type]:
        """Return the types of the first and second iteration variable."""
        if range_type.kind is Kind.LIST:
            element = range_type.params[0]
            return (types.INT if expr.iter_var2 else element), element
        if range_type.kind is Kind.MAP:
            return range_type.params[0], range_type.params[1]
        if range_type.kind in (Kind.DYN, Kind.ERROR, Kind.TYPE_PARAM):
            self._substitution.assignable(DYN, range_type)
            return DYN, DYN
        text = f"expression of type '{self._shown(range_type)}' cannot be range of a comprehension"
        text += " (must be list, map, or dynamic)"
        return (self._error(expr.iter_range.id, text, ErrorCode.NOT_A_RANGE, (range_type,)),) * 2


def _type_or_none(type_: Type | None) -> Type | None:
    return None if type_ is _NIL else type_


def _is_well_known(type_: Type) -> bool:
    if type_.kind in _ALWAYS_WELL_KNOWN or type_.wrapper:
        return True
    if type_.kind is Kind.LIST:
        return type_.params[0] is DYN
    return type_.kind is Kind.MAP and type_.params == (types.STRING, DYN)
