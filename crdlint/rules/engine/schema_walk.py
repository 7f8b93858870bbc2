"""The only walk over a schema: it runs the checks of each node and collects their errors.

Upstream walks a schema twice, as a structural schema and as an OpenAPI schema; here both happen at once. The checks for a node
depend on the fields that it sets, its type and its position, so they are selected once for each combination and cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from enum import auto
from typing import Final, TypeAlias

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps
from crdlint.kubecel.cost import CompiledNode
from crdlint.light import Enum, NamedTuple, dataclass, replace
from crdlint.rules.engine.common import ValidationOptions, WalkResult
from crdlint.rules.engine.rule import Nodes
from crdlint.schema.structural import is_int_or_string, unsupported

Run: TypeAlias = "Callable[[JSONSchemaProps, Context, WalkResult], None]"
Stack: TypeAlias = "list[tuple[JSONSchemaProps, Context]]"
Push: TypeAlias = "Callable[[JSONSchemaProps, Context, Stack], None]"
_CORRELATABLE_MAPS: Final = (None, "granular", "atomic")
_META_FIELDS: Final = frozenset({"metadata", "kind", "apiVersion"})
_REFUSED: Final = frozenset(
    {
        "id",
        "$schema",
        "$ref",
        "patternProperties",
        "dependencies",
        "additionalItems",
        "definitions",
        "items",
        "x-kubernetes-preserve-unknown-fields",
    }
)


class SchemaPosition(Enum):
    """The position of a node, as far as it is relevant for selecting checks."""

    ROOT = auto()
    FIELD = auto()
    ITEM = auto()
    NESTED = auto()  # below allOf, anyOf, oneOf or not: it may only validate values
    # Where no structural check looks: in forbidden fields and int-or-string patterns.
    OUTSIDE = auto()


STRUCTURAL: Final = frozenset({SchemaPosition.ROOT, SchemaPosition.FIELD, SchemaPosition.ITEM})
EVERYWHERE: Final = frozenset(SchemaPosition)


@dataclass(slots=True)
class Context:
    """What encloses a node: its position, upstream's standard validator state, and whether rules are compiled there."""

    position: SchemaPosition
    options: ValidationOptions
    inside_meta: bool = False
    defaults_forbidden: str | None = None  # the reason, None where defaults are allowed
    uncorrelatable: JSONSchemaProps | None = None  # the topmost schema that cannot be correlated
    compiles: bool = True
    int_or_string: bool = False  # the first of an int-or-string's allOf, whose anyOf may give types
    derived: dict[tuple[SchemaPosition, bool], Context] = field(default_factory=dict)

    def at_position(self, position: SchemaPosition, *, compiles: bool) -> Context:
        """Return the context of a child at another position, everything else alike."""
        key = (position, compiles)
        context = self.derived.get(key)
        if context is None:
            context = replace(
                self,
                position=position,
                compiles=compiles,
                int_or_string=False,
                derived={},
            )
            self.derived[key] = context
        return context


class Check(NamedTuple):
    """A check of nodes at one of `positions`."""

    run: Run
    nodes: Nodes
    positions: frozenset[SchemaPosition]


def check(
    nodes: Nodes, positions: frozenset[SchemaPosition] = EVERYWHERE
) -> Callable[[Run], Check]:
    """Declare at which nodes a function checks what the API server does."""
    return lambda run: Check(run, nodes, positions)


class Walker:
    """Runs checks over schemas, and remembers which ones apply to what kind of node."""

    def __init__(self, checks: Iterable[Check]) -> None:
        self._checks = (*checks, *_OWN_CHECKS)
        self._plans: dict[
            tuple[int, str, SchemaPosition], tuple[tuple[Run, ...], tuple[Push, ...]]
        ] = {}

    def walk(self, root: JSONSchemaProps, options: ValidationOptions) -> WalkResult:
        """Run the checks at every node that upstream's validations reach, parents first."""
        result = WalkResult()
        plans = self._plans
        stack: Stack = [(root, Context(SchemaPosition.ROOT, options))]
        pop = stack.pop
        while stack:
            schema, context = pop()
            key = (schema.set_fields, schema.type, context.position)
            plan = plans.get(key)
            if plan is None:
                plan = plans[key] = self._plan(*key)
            for check in plan[0]:
                check(schema, context, result)
            for push in plan[1]:
                push(schema, context, stack)
        return result

    def _plan(
        self, set_fields: int, type_: str, position: SchemaPosition
    ) -> tuple[tuple[Run, ...], tuple[Push, ...]]:
        names = frozenset(name for name, bit in SCHEMA_BITS.items() if set_fields & bit)
        return (
            tuple(
                check.run
                for check in self._checks
                if position in check.positions and check.nodes.match(names, type_)
            ),
            tuple(push for name, push in _CHILDREN if name in names),
        )


def _nested(context: Context) -> Context:
    position = (
        SchemaPosition.OUTSIDE
        if context.position is SchemaPosition.OUTSIDE
        else SchemaPosition.NESTED
    )
    return context.at_position(position, compiles=False)


def _push_properties(schema: JSONSchemaProps, context: Context, stack: Stack) -> None:
    position = SchemaPosition.FIELD if context.position in STRUCTURAL else context.position
    below = context.at_position(position, compiles=context.compiles)
    if schema.x_map_type not in _CORRELATABLE_MAPS and below.uncorrelatable is None:
        below = replace(below, uncorrelatable=schema, derived={})
    if context.position is not SchemaPosition.ROOT and not schema.x_embedded_resource:
        stack.extend([(child, below) for child in reversed(schema.properties.values())])  # type: ignore[call-overload]
        return
    for name, child in reversed(schema.properties.items()):  # type: ignore[call-overload]
        if name not in _META_FIELDS:
            stack.append((child, below))
        elif context.position is SchemaPosition.ROOT:
            reason = f"in top-level {name}"
            stack.append(
                (child, replace(below, inside_meta=True, defaults_forbidden=reason, derived={}))
            )
        else:
            stack.append((child, replace(below, inside_meta=True, derived={})))


def _push_additional_properties(schema: JSONSchemaProps, context: Context, stack: Stack) -> None:
    additional = schema.additional_properties
    if additional is None or additional.schema is None:
        return
    position = SchemaPosition.FIELD if context.position in STRUCTURAL else context.position
    if context.position is SchemaPosition.NESTED:
        position = SchemaPosition.OUTSIDE  # forbidden there as a whole
    below = context.at_position(position, compiles=context.compiles)
    if context.inside_meta:
        reason = "inside additionalProperties applying to object metadata"
        below = replace(below, defaults_forbidden=reason, derived={})
    stack.append((additional.schema, below))


def _push_items(schema: JSONSchemaProps, context: Context, stack: Stack) -> None:
    items = schema.items
    if items is None:
        return
    position = SchemaPosition.ITEM if context.position in STRUCTURAL else context.position
    below = context.at_position(position, compiles=context.compiles)
    if schema.x_list_type != "map" and below.uncorrelatable is None:
        below = replace(below, uncorrelatable=schema, derived={})
    if items.schema is not None:
        stack.append((items.schema, below))
    if items.json_schemas:
        outside = below.at_position(SchemaPosition.OUTSIDE, compiles=False)
        stack.extend((child, outside) for child in reversed(items.json_schemas))


def _push_all_of(schema: JSONSchemaProps, context: Context, stack: Stack) -> None:
    nested = _nested(context)
    children = [(child, nested) for child in schema.all_of]
    if (
        children
        and context.position in STRUCTURAL
        and is_int_or_string(schema.all_of[0].any_of, context.options.server)
    ):
        children[0] = (schema.all_of[0], replace(nested, int_or_string=True, derived={}))
    stack.extend(reversed(children))


def _push_any_of(schema: JSONSchemaProps, context: Context, stack: Stack) -> None:
    nested = _nested(context)
    if context.int_or_string or (
        context.position in STRUCTURAL and is_int_or_string(schema.any_of, context.options.server)
    ):
        nested = context.at_position(SchemaPosition.OUTSIDE, compiles=False)
    stack.extend((child, nested) for child in reversed(schema.any_of))


def _push(
    children_of: Callable[[JSONSchemaProps], Iterable[JSONSchemaProps | None]],
    *,
    outside: bool = False,
) -> Push:
    """Return what pushes the children of a keyword, which are nested, or outside of what the server makes structural."""

    def push(schema: JSONSchemaProps, context: Context, stack: Stack) -> None:
        below = (
            context.at_position(SchemaPosition.OUTSIDE, compiles=False)
            if outside
            else _nested(context)
        )
        stack.extend((child, below) for child in children_of(schema) if child is not None)

    return push


# Last pushed, first visited.
_CHILDREN: Final[tuple[tuple[str, Push], ...]] = (
    (
        "dependencies",
        _push(lambda schema: (each.schema for each in schema.dependencies.values()), outside=True),
    ),
    ("items", _push_items),
    ("definitions", _push(lambda schema: schema.definitions.values(), outside=True)),
    ("anyOf", _push_any_of),
    ("oneOf", _push(lambda schema: reversed(schema.one_of))),
    ("allOf", _push_all_of),
    ("not", _push(lambda schema: (schema.not_,))),
    ("properties", _push_properties),
    ("additionalProperties", _push_additional_properties),
)


@check(Nodes(_REFUSED))
def _rejection(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    rejection = unsupported(schema)
    if rejection is not None:
        result.unsupported.append((schema, rejection))


@check(Nodes({"x-kubernetes-validations"}))
def _rules(schema: JSONSchemaProps, context: Context, result: WalkResult) -> None:
    if schema.x_validations and context.compiles:
        within = context.uncorrelatable
        result.with_rules.append(
            CompiledNode(schema, schema.root_schema, None if within is None else within.path)
        )


@check(Nodes({"default"}))
def _default(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    if schema.default is not None:
        result.with_defaults.append(schema)


_OWN_CHECKS: Final = (_rejection, _rules, _default)
