"""Schemas as conditions in CEL, for the reasoner: what junctors, required fields and limits require of a value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final

from crdlint.cel.ast import Comprehension, Ident, nodes
from crdlint.cel.parser import parse
from crdlint.changes.conjunction import Conjunction
from crdlint.changes.constraints import JUNCTORS, LIMITS, branches_of, fingerprint, junctors_of
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.record import PROVENANCE
from crdlint.gathering import without_none
from crdlint.kubecel.declarations import escape
from crdlint.kubecel.environment import stored_expressions
from crdlint.kubecel.reasoning.facts import ITEM, VALUE, FieldPath
from crdlint.kubecel.reasoning.texts import MATCHES_FORMAT
from crdlint.kubernetes.servers import NEWEST
from crdlint.light import regex
from crdlint.schema.formats import is_supported, normalized

_DEEPEST: Final = 12  # schemas within each other; deeper ones are compared by their digests
_SELF: Final = "self"
_FIELDS: Final = 8  # fields of an object that are counted one by one
_EXPRESSED: Final = frozenset(
    {
        *(limit.attribute for limit in LIMITS),
        "multiple_of",
        "exclusive_maximum",
        "exclusive_minimum",
        "pattern",
        "enum",
        "required",
        "properties",
        "items",
        "all_of",
        "any_of",
        "one_of",
        "not_",
        "format",
    }
)
_SILENT: Final = frozenset({"description", "title", "example", "x_validations"})


def condition(schema: JSONSchemaProps, value: str = _SELF, depth: int = 0) -> str:
    """Return a schema as a condition on a value; what CEL cannot express is a call that is named by its digest."""
    keywords = {name for name in vars(schema) if not name.startswith("_")} - PROVENANCE - _SILENT
    if depth > _DEEPEST or not keywords <= _EXPRESSED:
        return f"{value}.{_named(schema)}"
    return _joined(_parts(schema, value, depth), "&&", "true")


def _parts(schema: JSONSchemaProps, value: str, depth: int) -> Iterator[str]:
    yield from _of_keywords(schema, value)
    for name, below in schema.properties.items():
        field = escape(name)
        inner = condition(below, f"{value}.{field}", depth + 1)
        if inner != "true":
            yield f"(!{has(value, name)} || {inner})" if field else f"{value}.{_named(below)}"
    if schema.item_schema is not None:
        variable = f"item_of_crdlint_{depth}"
        yield f"{value}.all({variable}, {condition(schema.item_schema, variable, depth + 1)})"
    for branch in schema.all_of:
        yield condition(branch, value, depth + 1)
    for kind in JUNCTORS:
        if branches := branches_of(schema, kind):
            yield junctor_condition(kind, branches, value, depth)


def _of_keywords(schema: JSONSchemaProps, value: str) -> Iterator[str]:
    """Yield what the keywords of a schema require of a value, without the schemas below it."""
    yield from (has(value, name) for name in schema.required)
    for limit in LIMITS:
        bound = getattr(schema, limit.attribute)
        if bound is not None:
            is_strict = getattr(schema, f"exclusive_{limit.attribute}", False)
            yield limit.condition(bound, value, is_strict=is_strict)
    if schema.multiple_of is not None:
        yield _multiple(value, schema.multiple_of)
    if schema.pattern:
        yield f"{value}.matches({_text(schema.pattern)})"
    if schema.format and is_supported(schema.format, NEWEST):
        yield f"{value}.{MATCHES_FORMAT}({_text(normalized(schema.format))})"
    if schema.enum:
        yield f"{value} in [{', '.join(map(_text, schema.enum))}]"


def _multiple(value: str, factor: float) -> str:
    """Return the condition for a multiple, which CEL has for integers only."""
    if float(factor).is_integer():
        return f"{value} % {int(factor)} == 0"
    return f"{value}.isMultipleOf({factor})"


def _named(schema: JSONSchemaProps) -> str:
    return f"matchesSchema({_text(fingerprint(Conjunction.of(schema)).digest)})"


def junctor_condition(
    kind: str,
    branches: Sequence[JSONSchemaProps],
    value: str = _SELF,
    depth: int = 0,
) -> str:
    """Return what `anyOf`, `oneOf` or `not` requires of a value."""
    conditions = [condition(branch, value, depth + 1) for branch in branches]
    if kind == "not":
        return f"!({conditions[0]})"
    if kind == "anyOf":
        return _joined(conditions, "||", "false")
    return f"[{', '.join(conditions)}].filter(x, x == true).size() == 1"


def has(value: str, name: str) -> str:
    """Return the condition that an object has a field."""
    field = escape(name)
    return f"has({value}.{field})" if field else f"{value}.hasField({_text(name)})"


def _joined(conditions: Iterable[str], operator: str, neutral: str) -> str:
    parts = [part for part in conditions if part != neutral]
    return f"({f' {operator} '.join(parts)})" if parts else neutral


_text: Final = partial(json.dumps, ensure_ascii=False)


def lifted(
    condition_: str,
    path: FieldPath,
    value: str = _SELF,
    depth: int = 0,
) -> str:
    """Return a condition on a value as one on an object above it, which holds without the value."""
    if not path:
        return f"({_with_self(condition_, value)})"
    step, *below = path
    variable = f"outer_of_crdlint_{depth}"
    inner = {ITEM: variable, VALUE: f"{value}[{variable}]"}.get(step)
    is_field = inner is None
    inner = inner or f"{value}.{escape(step) or step}"
    required = lifted(condition_, tuple(below), inner, depth + 1)
    if is_field:
        return f"(!{has(value, step)} || {required})"
    return f"{value}.all({variable}, {required})"


@lru_cache(maxsize=1024)
def _with_self(text: str, value: str) -> str:
    """Return an expression with another one in place of `self`."""
    if value == _SELF:
        return text
    result = parse(text, options=stored_expressions(NEWEST).parser)
    if result.errors:
        return "unknown()"
    named: set[int] = set()
    for tree in nodes(result.expr):
        match tree:
            case Comprehension(iter_var="self"):  # it hides the value
                return "unknown()"
            case Ident(name="self"):
                named.add(result.source_info.offsets[tree.id][0])
    for offset in sorted(named, reverse=True):
        text = text[:offset] + value + text[offset + len(_SELF) :]
    return text


def of_kept_value(rule: str) -> str:
    """Return what a rule about the old value requires of a value that an update does not change."""
    return _substituted(rule, _OF_KEPT)


def of_changed_value(rule: str) -> str:
    """Return what a rule with an optional old value requires of an update, which has the old value `oldSelf`."""
    return _substituted(rule, _OF_CHANGED)


def of_new_value(rule: str) -> str:
    """Return what a rule with an optional old value requires of a value that is new."""
    return _substituted(rule, _OF_NEW)


def _substituted(rule: str, substitutions: Iterable[tuple[re.Pattern[str], str]]) -> str:
    for spelling, value in substitutions:
        rule = spelling.sub(value, rule)
    return rule


_HAS_OLD: Final = regex(r"\boldSelf\.hasValue\(\)")
_OLD_VALUE: Final = regex(r"\boldSelf\.(?:value\(\)|orValue\([^()]*\))")
_OF_CHANGED: Final = ((_HAS_OLD, "true"), (_OLD_VALUE, "oldSelf"))
_OF_NEW: Final = ((_HAS_OLD, "false"),)
_OF_KEPT: Final = (
    (_HAS_OLD, "true"),
    (_OLD_VALUE, "self"),
    (regex(r"\boldSelf\.(?:optMap|optFlatMap)\("), "optional.of(self).optMap("),
    (regex(r"\boldSelf\b"), "self"),
)


def conditions_of(node: Conjunction) -> list[str]:
    """Return what the rules and junctors of schemas require of a value."""
    texts = [rule.rule for rule in node.rules()]
    return texts + [junctor_condition(kind, branches) for kind, _, branches in junctors_of(node)]


def known_conditions(node: Conjunction) -> list[str]:
    """Return also what keywords require that the reasoner does not take as facts: formats, multiples, numbers of fields."""
    texts = conditions_of(node)
    for schema in node:
        if schema.multiple_of is not None:
            texts.append(condition(JSONSchemaProps.of(multiple_of=schema.multiple_of)))
        if schema.format:
            texts.append(condition(JSONSchemaProps.of(format=schema.format)))
    for attribute, operator in NUMBERS_OF_FIELDS.items():
        numbers = (getattr(schema, attribute) for schema in node)
        texts += [count_of_fields(node, operator, each) for each in without_none(numbers)]
    return texts


# How a number of fields is compared with each of these limits.
NUMBERS_OF_FIELDS: Final = {"min_properties": ">=", "max_properties": "<="}


def count_of_fields(node: Conjunction, operator: str, number: float) -> str:
    """Return the condition for a number of fields; if only few are known, by whether it has them."""
    properties = node.properties()
    if len(properties) > _FIELDS or node.keeps_unknown_fields or node.map_values():
        return f"size(self) {operator} {number:g}"
    present = ", ".join(has(_SELF, name) for name in properties)
    return f"[{present}].filter(x, x == true).size() {operator} {number:g}"
