"""The reasons for the cost of an expression: the costs of its parts, and the bounds that determine them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Comprehension, children
from crdlint.cel.estimates import UINT64_MAX
from crdlint.cel.source_ranges import SourceRanges
from crdlint.kubecel.cost.limits import enclosing, limit_of, value_path
from crdlint.kubecel.limits import MAX_REQUEST_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.cel.ast import Expr
    from crdlint.cel.source import SourceInfo
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.kubecel.compilation import Expression
    from crdlint.kubecel.declarations import DeclType
    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.kubernetes.servers import CELDialect

_MAX_DEPTH: Final = 200


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an expression: its text, its cost including its parts (cost units), and its parts.

    `bound` describes the bound of a loop or text, empty if there is none.
    """

    text: str
    cost: int
    bound: str
    parts: tuple[Part, ...] = ()


def explain(expression: Expression) -> Part:
    """Return the tree of costs of an expression that compiles; parts without cost are omitted."""
    dialect = expression.environment.dialect
    estimator = expression.estimator()
    cost = expression.cost(estimator)
    compiled = expression.compiled
    ranges = SourceRanges(compiled.expr, compiled.source)

    def part(node: Expr, depth: int) -> Part:
        below = [] if depth > _MAX_DEPTH else written_parts(node, compiled.source)
        parts = tuple(part(child, depth + 1) for child in below if _cost(child) > 0)
        bound = ""
        if isinstance(node, Comprehension):
            declared = estimator.declared.get(node.iter_range.id)
            if declared is not None:
                bound = describe_bound(declared, dialect)
        elif not parts or _cost(node) > 1 + sum(operand.cost for operand in parts):
            looked_at = [estimator.declared.get(child.id) for child in below]
            bound = "; ".join(
                dict.fromkeys(
                    describe_bound(operand, dialect)
                    for operand in looked_at
                    if operand is not None and operand.max_elements > 1
                )
            )
        return Part(" ".join(ranges.text(node).split()), _cost(node), bound, parts)

    def _cost(node: Expr) -> int:
        estimate = cost.parts.get(node.id)
        return 0 if estimate is None else estimate.max

    return part(compiled.expr, 0)


def written_parts(node: Expr, source: SourceInfo) -> list[Expr]:
    """Return the parts of a node that the text contains; a macro generates others around them."""

    def is_generated(part: Expr) -> bool:
        span = source.offsets.get(part.id)
        return isinstance(node, Comprehension) and (span is None or span[0] == source.offsets[node.id][0])

    def written(of: Expr) -> Iterator[Expr]:
        for part in children(of):
            if is_generated(part):
                yield from written(part)
            else:
                yield part

    return list(written(node))


def describe_bound(declared: DeclType, dialect: CELDialect) -> str:
    """Describe the bound of the size of a value."""
    schema = declared.schema
    if schema is None:
        return ""
    limit = limit_of(schema, dialect)
    where = value_path(schema)
    size = f"{declared.max_elements:,}"
    if limit is None and schema.x_int_or_string:
        return f"{where} is an int-or-string, which this server does not bound by maxLength: {size} bytes assumed"
    if limit is None:
        return f"{where} is at most {size} bytes long by its {'enum' if schema.enum else f'format {schema.format}'}"
    unit = " bytes" if limit.keyword == "maxLength" else ""
    if limit.bound is None:
        return f"{where} has no {limit.keyword}: {size}{unit} assumed"
    return f"{where} has {limit.keyword} {limit.bound:,}" + (f": {size} bytes" if unit else "")


def describe_cardinality(rule: EstimatedRule) -> str:
    """Describe how often a rule is evaluated in one object at most, and why."""
    schemas = list(enclosing(rule.node.schema))
    if not schemas:
        return "once in an object"
    if rule.cardinality is None:
        unbounded = next(schema for schema in schemas if _bound(schema) is None)
        keyword = "maxItems" if unbounded.type == "array" else "maxProperties"
        return (
            f"{rule.min_size_cardinality:,} times in an object: {value_path(unbounded)} has no {keyword}, and so many"
            f" of the smallest values fit into a request of {MAX_REQUEST_SIZE:,} bytes"
        )
    factors = " x ".join(f"{_bound(schema):,} ({value_path(schema)})" for schema in reversed(schemas))
    return f"{rule.cardinality:,} times in an object: {factors}"


def _bound(schema: JSONSchemaProps) -> int | None:
    bound = schema.max_items if schema.type == "array" else schema.max_properties
    return None if bound is None else max(bound, 0)


def most_expensive_part(expression: Expression, limit: int) -> str:
    """Return the text of the smallest part that alone costs more than `limit`, or an empty string."""
    tree = explain(expression)
    if tree.cost <= limit:
        return ""
    while True:
        worse = next((part for part in tree.parts if part.cost > limit), None)
        if worse is None:
            return tree.text
        tree = worse


def shown_cost(cost: int) -> str:
    """Format a cost for people: exact if it is small, else rounded."""
    if cost >= UINT64_MAX // 10:
        return "unbounded"
    return f"{cost:,}" if cost < 10**12 else f"{cost:.1e}"
