"""Optional fields that a rule reads without checking that they exist, with a small object for which it fails.

At run time, selecting an absent field is an error (`no such key`), and the server rejects an object whose rule fails. The
objects are built from the schema of the rule. Required fields have their smallest value, defaults are applied, and the field in
question is absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from crdlint.cel.ast import Call, Expr, Ident, Literal, Select, children, nodes
from crdlint.cel.errors import Error
from crdlint.cel.eval.attributes import no_such_key
from crdlint.cel.eval.values import Optional_, Value
from crdlint.cel.types import Kind
from crdlint.crd.model import JSONSchemaProps
from crdlint.kubecel.compilation import OLD_SELF, Expression
from crdlint.kubecel.cost import PER_CALL_LIMIT
from crdlint.kubecel.declarations import escape
from crdlint.kubecel.evaluation import program
from crdlint.kubecel.reasoning.domains import ERROR, FAILED, Domain, Piece
from crdlint.kubecel.reasoning.facts import Facts, FieldPath
from crdlint.kubecel.reasoning.reasoner import Reasoner
from crdlint.kubecel.values import to_value
from crdlint.light import dataclass
from crdlint.safety import work
from crdlint.schema.deep_equal import deep_copy
from crdlint.schema.formats import SAMPLES
from crdlint.schema.validator import ValueValidator

_LITERALS: Final = 8  # the number of literals of an expression that objects are built with
_DEEPEST: Final = 40  # levels of an object
_LARGEST: Final = 1000  # values of an object
_EVALUATION: Final = 100  # steps in addition to the cost
_OPTIONAL_SELECT: Final = frozenset({"_?._", "_[?_]", "_[_]"})
_METADATA: Final = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}


@dataclass(frozen=True, slots=True)
class Unguarded:
    """A field that a rule selects without a guard.

    `path`: the selection as written, such as `self.spec.replicas`.
    `field`: the name of the field.
    `node`: the node of the selection.
    `schema`: the schema in which the field is optional.
    """

    path: str
    field: str
    node: Select
    schema: JSONSchemaProps


class _NothingFails(Facts):
    """Objects on which nothing fails, whatever the values are."""

    unknown: Domain = (Piece.UNTOLD,)

    def values(self, path: FieldPath) -> Domain:  # noqa: ARG002
        """Return the values at a path."""
        return self.unknown


def unguarded(expression: Expression) -> list[Unguarded]:
    """Return each optional field that a checked expression selects without a guard, at its first occurrence."""
    tree = expression.compiled.expr
    fields: dict[str, Unguarded] = {}
    named: dict[str, list[Select]] = {}
    parents: dict[int, Expr] = {}
    pending = [tree]
    while pending:
        node = pending.pop()
        below = children(node)
        pending.extend(reversed(below))
        for child in below:
            parents[id(child)] = node
        path = _path(node) if isinstance(node, Select) else None
        if not isinstance(node, Select) or path is None:
            continue
        named.setdefault(path, []).append(node)
        schema = None if node.test_only else _optional(expression, node)
        if schema is not None:
            fields.setdefault(path, Unguarded(path, node.field, node, schema))
    reasoner = Reasoner(_NothingFails())

    def may_fail(path: str) -> bool:
        occurrences = named[path]
        if not any(occurrence.test_only for occurrence in occurrences):
            return True
        around = _around(occurrences, parents)
        return bool(reasoner.results_at_once(tree, {path: FAILED}, around) & ERROR)

    return [field for path, field in fields.items() if may_fail(path)]


def _around(occurrences: Iterable[Expr], parents: Mapping[int, Expr]) -> set[int]:
    """Return the identities of nodes, of all that they contain, and of all that they are in."""
    around: set[int] = set()
    for occurrence in occurrences:
        around.update(map(id, nodes(occurrence)))
        node = parents.get(id(occurrence))
        while node is not None and id(node) not in around:
            around.add(id(node))
            node = parents.get(id(node))
    return around


def _path(node: Expr) -> str | None:
    """Return a chain of fields and constant indexes as written, or None for other expressions."""
    if isinstance(node, Ident):
        return node.name
    if isinstance(node, Select):
        owner, step = _path(node.operand), f".{node.field}"
    elif isinstance(node, Call) and node.function == "_[_]" and isinstance(node.args[1], Literal):
        owner, step = _path(node.args[0]), f"[{node.args[1].value!r}]"
    else:
        return None
    return owner and owner + step


def _optional(expression: Expression, node: Select) -> JSONSchemaProps | None:
    """Return the schema of a field that a valid object may omit, or None for other fields."""
    type_ = expression.compiled.result.type_map.get(node.operand.id)
    if type_ is None or type_.kind is not Kind.STRUCT:
        return None
    field = expression.declarations.member(type_, node.field)
    return field.schema if field is not None and field.is_optional else None


class ObjectFields:
    """The fields of each schema that small objects have: those that are never absent, and those that a rule may name."""

    def __init__(self) -> None:
        self._always: Final[dict[int, list[str]]] = {}
        self._named: Final[dict[int, dict[str, str]]] = {}

    def of(self, schema: JSONSchemaProps, names: Iterable[str]) -> Iterable[str]:
        """Return the required fields of a schema, those with a default, and those that expressions call by `names`."""
        properties, key = schema.properties, id(schema)
        if key not in self._always:
            with_default = {name for name, below in properties.items() if below.default is not None}
            present = with_default.union(schema.required)
            self._always[key] = [name for name in properties if name in present]
            self._named[key] = {escape(name) or name: name for name in properties}
        named = self._named[key]
        mentioned = [named[name] for name in names if name in named]
        return dict.fromkeys([*self._always[key], *mentioned])


class Prover:
    """Evaluates one rule on small objects of its schema; the rules of a document share `fields`."""

    def __init__(
        self, expression: Expression, schema: JSONSchemaProps, fields: ObjectFields
    ) -> None:
        self._schema: Final = schema
        self._fields: Final = fields
        self._program: Final = program(expression)
        self._optional_old_self: Final = expression.optional_old_self
        self._names, self._literals = _mentioned(expression)
        self._uses_old_self: Final = OLD_SELF in expression.compiled.result.names

    def proves(self, unguarded: Unguarded) -> bool:
        """Return whether the rule fails with `no such key` on an object without the field; raise WorkLimitError."""
        if self._program is None:
            return False
        expected = no_such_key(unguarded.field).message
        of_old = unguarded.path.split(".", 1)[0].split("[", 1)[0] == OLD_SELF
        for new, old in self._objects(unguarded.schema, of_old=of_old):
            old_self = Optional_(old) if self._optional_old_self else old
            result = self._program.evaluate({"self": new, OLD_SELF: old_self}, PER_CALL_LIMIT)
            work.spend(_EVALUATION + result.cost)
            if result.error == expected:
                return True
        return False

    def _objects(self, absent: JSONSchemaProps, *, of_old: bool) -> Iterator[tuple[Value, Value]]:
        """Yield pairs of small objects and old objects, with and without other optional fields, with literals of the rule."""
        for literal in (None, *self._literals):
            if self._uses_old_self:
                yield from self._pairs(absent, literal, of_old=of_old)
                continue
            for names in (self._names, ()):
                built = self._object(absent, names, literal)
                yield built, built

    def _pairs(
        self, absent: JSONSchemaProps, literal: Any, *, of_old: bool
    ) -> Iterator[tuple[Value, Value]]:
        """Yield pairs of an object without the field and one with it or without, the old one first if that lacks it."""
        full = self._object(absent, self._names, literal)
        bare = self._object(absent, (), literal)
        complete = self._object(None, self._names, literal)
        for lacking in (full, bare):
            if of_old:
                yield from ((lacking, lacking), (complete, lacking))
            else:
                yield from ((lacking, lacking), (lacking, bare), (lacking, complete))

    def _object(
        self, absent: JSONSchemaProps | None, names: tuple[str, ...], literal: Any
    ) -> Value:
        is_resource = self._schema.parent is None
        builder = _Builder(absent, names, literal, self._fields)
        try:
            value = builder.value(self._schema, is_resource=is_resource)
        except _TooLargeError:
            return Error("too large")
        finally:
            work.spend(builder.built)
        return to_value(value, self._schema, is_resource=is_resource)


def _mentioned(expression: Expression) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Return the escaped fields that an expression names, and its literals."""
    names: dict[str, None] = {}
    literals: dict[tuple[type, Any], Any] = {(bool, True): True}
    for node in nodes(expression.compiled.expr):
        match node:
            case Select(field=field):
                names[field] = None
            case Call(function=function, args=[*_, Literal(value=key)]) if (
                function in _OPTIONAL_SELECT
            ):
                names[str(key)] = None
            case Literal(value=value) if type(value) in _COMPARED and len(literals) < _LITERALS:
                literals[type(value), value] = value
                if type(value) is int:  # for comparisons that the literal fails
                    literals.setdefault((int, value + 1), value + 1)
    return tuple(names), tuple(literals.values())


_COMPARED: Final = (str, int, float)


class _TooLargeError(Exception):
    """The smallest object of the schema is too large for a proof."""


class _Builder:
    """Builds one value without the field of the schema `absent`; `names` contains the optional fields to include.

    Scalars have the value `literal` if the schema allows it, otherwise their default or their smallest value.
    """

    def __init__(
        self,
        absent: JSONSchemaProps | None,
        names: tuple[str, ...],
        literal: Any,
        fields: ObjectFields,
    ) -> None:
        self._absent = absent
        self._names = names
        self._literal = literal
        self._fields = fields
        self.built = 0  # values

    def value(self, schema: JSONSchemaProps, *, is_resource: bool = False, depth: int = 0) -> Any:
        self.built += 1
        if self.built > _LARGEST or depth > _DEEPEST:
            raise _TooLargeError
        if schema.type == "array":
            return self._list(schema, depth)
        if schema.type != "object":
            return self._scalar(schema)
        fields = self._object(schema, depth)
        has_metadata = is_resource or schema.x_embedded_resource
        return {**deep_copy(_METADATA), **fields} if has_metadata else fields

    def _object(self, schema: JSONSchemaProps, depth: int) -> dict[str, Any]:
        properties = schema.properties
        fields = self._default(schema)
        for name in self._fields.of(schema, self._names):
            is_default = isinstance(fields.get(name), (dict, list))
            if not is_default and not self._is_absent(properties[name]):
                fields[name] = self.value(properties[name], depth=depth + 1)
        additional = schema.additional_schema
        if additional is not None:
            for i in range(max(schema.min_properties or 0, bool(self._names))):
                fields.setdefault(f"a{i}", self.value(additional, depth=depth + 1))
        return fields

    def _default(self, schema: JSONSchemaProps) -> dict[str, Any]:
        """Return the default of an object without the absent field."""
        if schema.default is None:
            return {}
        fields: dict[str, Any] = deep_copy(schema.default.value)
        for name in list(fields):
            if self._is_absent(schema.properties.get(name)):
                del fields[name]
        return fields

    def _is_absent(self, schema: JSONSchemaProps | None) -> bool:
        return schema is not None and schema is self._absent

    def _list(self, schema: JSONSchemaProps, depth: int) -> list[Any]:
        items = schema.item_schema
        if items is None:
            return []
        if schema.default is not None and schema.default.value:
            return list(deep_copy(schema.default.value))
        fewest = max(schema.min_items or 0, bool(self._names))
        count = fewest if schema.max_items is None else min(fewest, schema.max_items)
        return [self.value(items, depth=depth + 1) for _ in range(count)]

    def _scalar(self, schema: JSONSchemaProps) -> Any:
        if self._literal is not None and not ValueValidator(schema).validate(self._literal):
            return self._literal
        if schema.default is not None:
            return schema.default.value
        if schema.enum:
            return schema.enum[0]
        if schema.type in ("integer", "number") or schema.x_int_or_string:
            return _smallest_number(schema)
        if schema.type == "string":
            return SAMPLES.get(schema.format) or "a" * min(schema.min_length or 0, _LARGEST)
        return False if schema.type == "boolean" else {}


def _smallest_number(schema: JSONSchemaProps) -> float:
    """Return 0 or the number nearest to 0 within the bounds."""
    low, high = schema.minimum, schema.maximum
    number: float = 0
    if low is not None and low >= 0:
        number = low + bool(schema.exclusive_minimum)
    elif high is not None and high <= 0:
        number = high - bool(schema.exclusive_maximum)
    return int(number) if schema.type != "number" else number
