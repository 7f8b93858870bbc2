"""The reasons for the cost of an expression: the costs of its parts, and the bounds that determine them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Final, Literal

from crdlint.cel.ast import Comprehension, Expr, SourceInfo, children
from crdlint.cel.dialect import CELDialect
from crdlint.cel.estimates import UINT64_MAX, multiply
from crdlint.cel.source_ranges import SourceRanges
from crdlint.crd.model import JSONSchemaProps
from crdlint.kubecel.compilation import CompilationError, Environments, Expression, RuleCompiler
from crdlint.kubecel.cost import EstimatedRule
from crdlint.kubecel.declarations import (
    MAX_REQUEST_SIZE,
    DeclarationFailedError,
    DeclType,
    SchemaContext,
    max_elements,
)
from crdlint.kubecel.sharing import Sharing, shared
from crdlint.kubernetes.servers import Server
from crdlint.light import dataclass
from crdlint.schema.traversal import lineage

Keyword = Literal["maxItems", "maxProperties", "maxLength"]

_BOUNDED_FORMATS: Final = frozenset({"duration", "date", "date-time"})
_BYTES_PER_CHARACTER: Final = 4


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class SchemaLimit:
    """A keyword that limits a schema; `bound` is its value, None if it is not set."""

    schema: JSONSchemaProps
    keyword: Keyword
    bound: int | None

    @property
    def key(self) -> int:
        """The identity of the schema."""
        return id(self.schema)

    def elements(self, value: int) -> int:
        """Return the size for a value of the keyword, in the units of the estimator: bytes for strings."""
        counts_characters = self.keyword == "maxLength" and self.schema.format != "byte"
        return value * _BYTES_PER_CHARACTER if counts_characters else value


def limit_of(schema: JSONSchemaProps, dialect: CELDialect) -> SchemaLimit | None:
    """Return the limit that a schema has or could have on a server, or None if no keyword would limit it."""
    if schema.x_int_or_string:
        is_bounded = dialect.max_length_bounds_int_or_string
        return SchemaLimit(schema, "maxLength", schema.max_length) if is_bounded else None
    if schema.type == "string":
        return _limit_of_text(schema, dialect)
    if schema.type == "array":
        return SchemaLimit(schema, "maxItems", schema.max_items)
    if _is_map(schema):
        return SchemaLimit(schema, "maxProperties", schema.max_properties)
    return None


def _limit_of_text(schema: JSONSchemaProps, dialect: CELDialect) -> SchemaLimit | None:
    """Return the limit of a text; an enum already limits it on most servers, and the formats of times on all of them."""
    is_bounded_by_enum = bool(schema.enum) and dialect.enum_bounds_strings
    if is_bounded_by_enum and schema.max_length is None:
        return None
    if schema.format in _BOUNDED_FORMATS:
        return None
    return SchemaLimit(schema, "maxLength", schema.max_length)


def _is_map(schema: JSONSchemaProps) -> bool:
    """Return whether a schema is a map; the root, and one whose other keys are forbidden, is none after its error is fixed."""
    others = schema.additional_properties
    if schema.type != "object" or others is None or schema.parent is None:
        return False
    return others.allows or not schema.properties


def enclosing(schema: JSONSchemaProps) -> Iterator[JSONSchemaProps]:
    """Yield the lists and maps that contain a schema, the innermost first."""
    for parent in lineage(schema.parent):
        if parent.type == "array" or _is_map(parent):
            yield parent


def value_path(schema: JSONSchemaProps) -> str:
    """Return the path of the values of a schema in an object, as in `spec.hosts[*]`; `self` for the object itself."""
    written = (part.steps for part in lineage(schema) if part.steps)
    shown = [f".{steps[1]}" if steps[0] == "properties" else "[*]" for steps in written]
    return "".join(reversed(shown)).removeprefix(".") or "self"


_MAX_DEPTH: Final = 200


@dataclass(frozen=True, slots=True)
class CostPart:
    """A part of an expression: its text, its cost (cost units) with its parts, and the bound of its loop or text, empty if none."""

    text: str
    cost: int
    bound: str
    parts: tuple[CostPart, ...] = ()


def explain(expression: Expression) -> CostPart:
    """Return the tree of costs of an expression that compiles; parts without cost are omitted."""
    return _Explanation(expression).part(expression.compiled.expr, 0)


class _Explanation:
    """The costs of the parts of an expression, and the declarations of their values."""

    def __init__(self, expression: Expression) -> None:
        self._dialect = expression.environment.dialect
        estimator = expression.estimator()
        self._costs = expression.cost(estimator).parts
        self._declared = estimator.declared
        self._source = expression.compiled.source
        self._ranges = SourceRanges(expression.compiled.expr, self._source)

    def part(self, node: Expr, depth: int) -> CostPart:
        below = [] if depth > _MAX_DEPTH else written_parts(node, self._source)
        with_cost = [child for child in below if self._cost(child) > 0]
        parts = tuple(self.part(child, depth + 1) for child in with_cost)
        text = " ".join(self._ranges.text(node).split())
        return CostPart(
            text,
            self._cost(node),
            self._bound(node, below, parts),
            parts,
        )

    def _cost(self, node: Expr) -> int:
        return self._costs[node.id].max if node.id in self._costs else 0

    def _bound(self, node: Expr, below: list[Expr], parts: tuple[CostPart, ...]) -> str:
        """Return the bounds that the cost of a node itself depends on."""
        if isinstance(node, Comprehension):
            declared = self._declared.get(node.iter_range.id)
            return "" if declared is None else describe_bound(declared, self._dialect)
        cost_of_parts = sum(operand.cost for operand in parts)
        has_own_cost = not parts or self._cost(node) > 1 + cost_of_parts
        if not has_own_cost:
            return ""
        declarations = filter(None, (self._declared.get(child.id) for child in below))
        sized = [declared for declared in declarations if declared.max_elements > 1]
        return "; ".join(dict.fromkeys(describe_bound(each, self._dialect) for each in sized))


def written_parts(node: Expr, source: SourceInfo) -> list[Expr]:
    """Return the parts of a node that the text contains; a macro generates others around them."""
    if not isinstance(node, Comprehension):
        return children(node)
    start = source.offsets[node.id][0]

    def written(of: Expr) -> list[Expr]:
        parts: list[Expr] = []
        for part in children(of):
            span = source.offsets.get(part.id)
            is_generated = span is None or span[0] == start
            parts += written(part) if is_generated else [part]
        return parts

    return written(node)


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
        keyword = "enum" if schema.enum else f"format {schema.format}"
        return f"{where} is at most {size} bytes long by its {keyword}"
    is_text = limit.keyword == "maxLength"
    if limit.bound is None:
        unit = " bytes" if is_text else ""
        return f"{where} has no {limit.keyword}: {size}{unit} assumed"
    in_bytes = f": {size} bytes" if is_text else ""
    return f"{where} has {limit.keyword} {limit.bound:,}{in_bytes}"


def describe_cardinality(rule: EstimatedRule) -> str:
    """Describe how often a rule is evaluated in one object at most, and why."""
    schemas = list(enclosing(rule.node.schema))
    if not schemas:
        return "once in an object"
    if rule.cardinality is None:
        unbounded = next(schema for schema in schemas if max_elements(schema) is None)
        keyword = "maxItems" if unbounded.type == "array" else "maxProperties"
        return (
            f"{rule.min_size_cardinality:,} times in an object: {value_path(unbounded)} has no {keyword}, and so many"
            f" of the smallest values fit into a request of {MAX_REQUEST_SIZE:,} bytes"
        )
    factors = " x ".join(
        f"{max_elements(schema):,} ({value_path(schema)})" for schema in reversed(schemas)
    )
    return f"{rule.cardinality:,} times in an object: {factors}"


def most_expensive_part(expression: Expression, limit: int) -> str:
    """Return the text of the smallest part that alone costs more than `limit`, or an empty string."""
    tree = explain(expression)
    text = ""
    worse: CostPart | None = tree if tree.cost > limit else None
    while worse is not None:
        text = worse.text
        worse = next((part for part in worse.parts if part.cost > limit), None)
    return text


def shown_cost(cost: int) -> str:
    """Format a cost for people: exact if it is small, else rounded."""
    return "unbounded" if cost >= UINT64_MAX // 10 else in_words(cost)


_LEAST_IN_WORDS: Final = 10**9
_WORDS: Final = {
    10**18: "quintillion",
    10**15: "quadrillion",
    10**12: "trillion",
    10**9: "billion",
    10**6: "million",
}


def in_words(number: int, least: int = _LEAST_IN_WORDS) -> str:
    """Return a number with commas, from `least` on rounded to two digits or more.

    >>> in_words(33_000_000_000_000), in_words(1_500_000), in_words(1_500_000, 10**6)
    ('33 trillion', '1,500,000', '1.5 million')
    """
    if number < least:
        return f"{number:,}"
    unit, word = next((unit, word) for unit, word in _WORDS.items() if number >= unit)
    count = number / unit
    return f"{count:.1f} {word}" if count < 9.95 else f"{count:.0f} {word}"


@dataclass(frozen=True, slots=True)
class ServerCost:
    """The cost of a rule and of its message expression on one server, in cost units.

    `max_cost` and `message_max_cost` are the costs of one evaluation, `expression_cost` is compared with the budget of the rule.
    """

    max_cost: int
    expression_cost: int
    message_max_cost: int


@dataclass(slots=True)
class CostsByServer:
    """Estimates the rules of one file for all servers; servers with equal declarations share them."""

    _sharing: Sharing = field(default_factory=shared)
    _contexts: dict[tuple[bool, bool, bool], SchemaContext] = field(default_factory=dict)
    _compilers: dict[int, RuleCompiler] = field(default_factory=dict)  # by what they declare

    def different(self, rule: EstimatedRule, servers: Iterable[Server]) -> dict[str, ServerCost]:
        """Return the costs on those of `servers` that accept a rule and estimate a different cost, by version."""
        if rule.compiled.rule.error is not None:
            return {}
        own = ServerCost(rule.cost, rule.total_cost, rule.message_cost)
        dialect = rule.compiled.rule.environment.dialect
        costs = {
            str(server): self._cost(rule, server) for server in servers if server.cel != dialect
        }
        return {
            version: cost for version, cost in costs.items() if cost is not None and cost != own
        }

    def _cost(self, rule: EstimatedRule, server: Server) -> ServerCost | None:
        try:
            compiler = self._compiler(rule.node.schema, server.cel)
        except (CompilationError, DeclarationFailedError):
            return None
        compiled = compiler.rule(rule.rule, Environments.on(server))
        message = compiled.message
        if compiled.rule.error is not None or (message is not None and message.error is not None):
            return None
        cost = compiled.rule.highest_cost
        times = rule.min_size_cardinality if rule.cardinality is None else rule.cardinality
        return ServerCost(
            cost, multiply(cost, times), 0 if message is None else message.highest_cost
        )

    def _compiler(self, schema: JSONSchemaProps, dialect: CELDialect) -> RuleCompiler:
        bounds = dialect.declared_bounds
        if bounds not in self._contexts:
            self._contexts[bounds] = SchemaContext(dialect, self._sharing)
        declared = self._contexts[bounds].declared(schema)
        if id(declared) not in self._compilers:
            self._compilers[id(declared)] = RuleCompiler(declared, self._sharing)
        return self._compilers[id(declared)]
