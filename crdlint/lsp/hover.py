"""What hover shows: the value, type and cost of an expression, and the schema of a field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import nodes
from crdlint.cel.compiler import compile_text
from crdlint.cel.lexer import tokenize
from crdlint.cel.source_ranges import SourceRanges
from crdlint.crd.model import JSONSchemaProps
from crdlint.golang.printing import marshal
from crdlint.kubecel import completion
from crdlint.kubecel.completion import DOCS, WordContext, type_of
from crdlint.kubecel.cost import RULE_COST_LIMIT
from crdlint.kubecel.cost.explain import describe_cardinality, value_path
from crdlint.kubecel.declarations import type_text
from crdlint.kubernetes.servers import Server
from crdlint.linting.result import FoundRule
from crdlint.lsp import crd_fields
from crdlint.lsp.cursor import (
    RULES,
    Cursor,
    EditedExpression,
    crd_of,
    definition_of,
    expression_at,
    field_of,
    nearest_schema,
    word_at,
)
from crdlint.lsp.steps import Steps
from crdlint.lsp.workspace import OpenDocument

if TYPE_CHECKING:
    from crdlint.lsp.checks import Checked, Checks  # what the playground does not load

_LIMITS: Final = (
    ("minimum", "minimum"),
    ("maximum", "maximum"),
    ("multiple_of", "multipleOf"),
    ("min_length", "minLength"),
    ("max_length", "maxLength"),
    ("pattern", "pattern"),
    ("min_items", "minItems"),
    ("max_items", "maxItems"),
    ("min_properties", "minProperties"),
    ("max_properties", "maxProperties"),
)


def hover_of(document: OpenDocument, cursor: Cursor, checks: Checks) -> str | None:
    """Return what is known about a place, in Markdown; None if nothing is."""
    checked = checks.of(document)
    server = checks.versions(checked).newest
    expression, inside = expression_at(cursor, server), cursor.inside
    if not cursor.is_crd:
        defined = definition_of(document, cursor, checks) if cursor.steps else None
        parts = iter(()) if defined is None else _about(defined[1])
    elif expression is not None and inside is not None:
        parts = _of_expression(expression, inside)
    else:
        parts = _of_key(cursor, checked, server)
    return "\n\n".join(parts) or None


def _of_key(cursor: Cursor, checked: Checked, server: Server) -> Iterator[str]:
    """Yield what is known about a key of a CRD: of a rule, what the key is for and what the rule costs."""
    rule = _rule_at(cursor, checked, server)
    if rule is None:
        yield from _of_crd(cursor, server)
        return
    if cursor.on_key:
        yield from _field(cursor)
    yield cost_of(rule)


def _rule_at(cursor: Cursor, checked: Checked, server: Server) -> FoundRule | None:
    """Return the rule that a place is in, if the API server compiles it; versions share those of equal schemas."""
    nearest = nearest_schema(crd_of(cursor.root, server), cursor.steps)
    if nearest is None or nearest[1][:1] != (RULES,) or len(nearest[1]) == 1:
        return None
    schema, rest = nearest
    path = f"{schema.path.child(RULES)}[{rest[1]}]"
    return next(
        (
            rule
            for rule in checked.rules
            if cursor.has(rule.span) and str(rule.estimated.path) == path
        ),
        None,
    )


def cost_of(rule: FoundRule) -> str:
    """Return what a rule costs, in Markdown."""
    estimated, cost = rule.estimated, rule.estimated.total_cost
    if estimated.compiled.rule.error is not None:
        return "The rule does not compile, so it has no cost."
    parts = [
        f"**Cost** {cost:,} of {RULE_COST_LIMIT:,} units ({share_of(cost)} of the budget of a rule)",
        f"One evaluation costs at most {estimated.cost:,}. The rule is evaluated {describe_cardinality(estimated)}.",
    ]
    if estimated.compiled.message is not None:
        parts.append(f"The messageExpression costs at most {estimated.message_cost:,}.")
    return "\n\n".join(parts)


def share_of(cost: int) -> str:
    """Return the share of the budget of a rule that a cost is."""
    share = 100 * cost / RULE_COST_LIMIT
    return f"{share:,.0f} %" if share >= 1 or not cost else "< 1 %"


def _of_expression(expression: EditedExpression, index: int) -> Iterator[str]:
    """Yield the type of what is at an index of an expression, and what is known of it."""
    word, context = word_at(expression, index)
    if word is None or context is None:
        yield from _of_part(expression, index)
        return
    written = _receiver(context) + word[0]
    call = _call(expression.text, word.end())
    yield from _typed(expression, context, written, call)
    if call:
        yield from _function(word[0] if word[0] in DOCS else written)
        return
    member = field_of(expression, context, word[0])
    if member is not None and member.schema is not None:
        yield from _described(member.schema, required=member.required)


def _receiver(context: WordContext) -> str:
    """Return what is before the word, with the dot between them."""
    before = context.receiver or ""
    return before if not before or before.endswith(".?") else f"{before}."


def _typed(
    expression: EditedExpression,
    context: WordContext,
    written: str,
    call: str,
) -> Iterator[str]:
    """Yield the type of what is written, if it has one."""
    type_ = type_of(f"{written}{call}", context.env, expression.environment)
    if type_ is not None:
        shown = " ".join(f"{written}{'(…)' if call else ''}".split())
        yield f"```cel\n{shown}: {type_text(type_, expression.environment.dialect)}\n```"


def _function(name: str) -> Iterator[str]:
    """Yield what a function or macro does, and since when."""
    yield DOCS.get(name, "")
    since = completion.since(name)
    if since is not None:
        yield f"Since Kubernetes {since[0]}.{since[1]}."


def _of_part(expression: EditedExpression, index: int) -> Iterator[str]:
    """Yield the type of the smallest part around an index, if the expression compiles."""
    compiled = compile_text(expression.text, expression.env, expression.environment.parser)
    if compiled.errors:
        return
    ranges = SourceRanges(compiled.expr, compiled.source)
    parts = [(ranges.of(node), node) for node in nodes(compiled.expr)]
    around = [
        (span[1] - span[0], node)
        for span, node in parts
        if span is not None and span[0] <= index <= span[1]
    ]
    if around:
        node = min(around, key=lambda pair: pair[0])[1]
        type_ = compiled.result.type_map.get(node.id)
        if type_ is not None:
            yield f"```cel\n{' '.join(ranges.text(node).split())}: {type_text(type_)}\n```"


def _call(text: str, start: int) -> str:
    """Return the arguments of a call with their brackets, empty if none follow."""
    if text[start : start + 1] != "(":
        return ""
    for end in (match.end() for match in re.finditer(r"\)", text[start:])):
        tokens = tokenize(text[start : start + end])
        if tokens is not None and tokens[0].count("(") == tokens[0].count(")"):
            return text[start : start + end]
    return ""


def _of_crd(cursor: Cursor, server: Server) -> Iterator[str]:
    """Yield what a field of a CRD is for, and what the API server makes of a schema."""
    nearest = nearest_schema(crd_of(cursor.root, server), cursor.steps)
    if nearest is None or _is_field_of_crd(cursor, nearest[1]):
        yield from _field(cursor)
        return
    schema, _ = nearest
    yield from _about(schema)
    if schema.x_preserve_unknown_fields:
        yield "Fields that the schema does not list are kept."
    elif schema.type == "object" and schema.properties:
        yield "Fields that the schema does not list are dropped."


def _is_field_of_crd(cursor: Cursor, below: Steps) -> bool:
    """Return whether the cursor is on a key that is no name of a property; ``below`` are the steps below the schema."""
    if not cursor.on_key:
        return False
    if below:
        return str(below[0]) in crd_fields.KEYWORDS
    return cursor.steps[-1] == "openAPIV3Schema"


def _field(cursor: Cursor) -> Iterator[str]:
    """Yield what the field of a CRD under the cursor is for."""
    steps = cursor.steps
    while steps and isinstance(steps[-1], int):
        steps = steps[:-1]
    if not steps:
        return
    of, name = crd_fields.type_at(steps[:-1]), str(steps[-1])
    text = "" if of is None else crd_fields.about(of, name)
    if text:
        yield f"**{name}**: {text}"


def _about(schema: JSONSchemaProps) -> Iterator[str]:
    """Yield the path of a field, and the facts of its schema."""
    parent = schema.parent
    is_property = parent is not None and schema.steps[:1] == ("properties",)
    yield f"`{value_path(schema)}`"
    yield from _described(
        schema, required=parent is not None and is_property and schema.steps[1] in parent.required
    )


def _described(schema: JSONSchemaProps, *, required: bool) -> Iterator[str]:
    """Yield the description, type, default, limits and rules of a schema."""
    if schema.description:
        yield schema.description.strip()
    yield ", ".join(_facts(schema, required=required))
    limits = list(_limits(schema))
    if limits:
        yield "; ".join(f"`{limit}`" for limit in limits)
    if schema.enum:
        shown = ", ".join(f"`{marshal(value)}`" for value in schema.enum[:_MOST_SHOWN])
        yield f"One of {shown}{' and more' if len(schema.enum) > _MOST_SHOWN else ''}"
    for rule in schema.x_validations[:_MOST_SHOWN]:
        text = " ".join(rule.rule.split())
        yield f"Rule: `{text}`" + (f" ({rule.message.strip()})" if rule.message else "")


def _facts(schema: JSONSchemaProps, *, required: bool) -> Iterator[str]:
    """Yield the type of a field, and whether an object must set it."""
    type_ = "integer or string" if schema.x_int_or_string else schema.type or "any type"
    yield f"`{type_}`" + (f" ({schema.format})" if schema.format else "")
    yield "required" if required else "optional"
    if schema.nullable:
        yield "nullable"
    if schema.default is not None:
        yield f"default `{marshal(schema.default.value)}`"


def _limits(schema: JSONSchemaProps) -> Iterator[str]:
    for attribute, name in _LIMITS:
        value = getattr(schema, attribute)
        if value not in (None, ""):
            yield f"{name} {value if isinstance(value, str) else marshal(value)}"
    if schema.x_list_type:
        keys = f" by {', '.join(schema.x_list_map_keys)}" if schema.x_list_map_keys else ""
        yield f"{schema.x_list_type} list{keys}"


_MOST_SHOWN: Final = 20
