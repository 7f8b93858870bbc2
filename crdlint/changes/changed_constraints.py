"""Changes of what a schema requires of a value itself: type, limits, enumeration, patterns, formats, default, null."""

from __future__ import annotations

from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from operator import attrgetter
from typing import Any, Final

from crdlint.changes.change import NEW_VALUES, Change
from crdlint.changes.changed_conditions import gained_junctors, is_implied
from crdlint.changes.conditions import (
    NUMBERS_OF_FIELDS,
    condition,
    conditions_of,
    count_of_fields,
)
from crdlint.changes.conjunction import Conjunction
from crdlint.changes.constraints import (
    CONTAINER_LIMITS,
    LIMITS,
    NUMBER_FORMATS,
    Bound,
    Constraints,
    Limit,
    Relation,
    by_equality,
    constraints,
    format_bound,
    length_bound,
    pattern_of,
    pattern_relation,
)
from crdlint.changes.examples import Pair
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.golang.printing import marshal
from crdlint.golang.times import parse_duration
from crdlint.phrases import agreeing, some
from crdlint.rules.engine.advisory import SCALARS
from crdlint.rules.engine.rule import Rule
from crdlint.rules.texts import changes as rules
from crdlint.schema.deep_equal import deep_copy, equality_key
from crdlint.schema.defaulting import apply_defaults
from crdlint.schema.validator import ValueValidator

_SHOWN: Final = 5  # values in a text
_FEW: Final = 64  # integers that are compared one by one
_ANY: Final = "any value"
_MULTIPLES: Final = 64  # of a factor that are tried, because servers round


def compare_types(pair: Pair) -> Generator[Change, None, bool]:
    """Report a changed type; return whether the schemas below can be compared."""
    old, new = pair.old.type, pair.new.type
    if old == new:
        return True
    change = f"type changed from {old or _ANY} to {new or _ANY}"
    if new == "" or (old, new) in _WIDENED:
        effect = "clients may read a value that they cannot decode"
        yield pair.change(
            rules.TYPE_WIDENED,
            change,
            "type",
            effect=effect,
        )
        return True
    type_ = {"x_int_or_string": True} if new == "int-or-string" else {"type": new}
    text = f"{change}: values of the old type are rejected"
    also = f"; {rules.BREAKS_APPLY}" if _breaks_apply(old, new) else ""
    for rejection in _reject(rules.TYPE, text, type_, pair):
        yield rejection._replace(effect=f"{rejection.effect}{also}")
    return False


def _breaks_apply(old: str, new: str) -> bool:
    """Return whether server-side apply fails on values of the old type; it knows one type for all numbers."""
    numbers = frozenset({"integer", "number"})
    is_any_scalar = new == "int-or-string" and old in SCALARS
    return not is_any_scalar and not {old, new} <= numbers


_WIDENED: Final = frozenset(
    {("integer", "number"), ("string", "int-or-string"), ("integer", "int-or-string")}
)


def compare_constraints(pair: Pair) -> Iterator[Change]:
    """Report changes of the effective constraints."""
    old, new = constraints(pair.old, pair.server), constraints(pair.new, pair.server)
    if old.enum is not None:
        yield from _compare_enumerated(pair, old.enum, new)
        return
    if new.enum is None:
        yield from _compare_limits(pair, old, new)
        yield from _compare_multiples(pair, old, new)
        yield from _compare_patterns(pair, old, new)
        yield from _compare_formats(pair, old, new)
        return
    possible = _possible_values(pair, old)
    if possible:
        yield from _compare_enumerated(pair, possible, new)
        return
    if pair.old[0].nullable or not old.imply_pattern(pattern_of(new.enum.values())):
        added = list(_enumeration_added(pair, new.enum))
        yield from added
        if added:
            return
    # The old schema, or its rules, accept no other values.
    yield from _compare_enumerated(pair, new.enum, new)


def _enumeration_added(pair: Pair, new: Mapping[Any, Any]) -> Iterator[Change]:
    """Report that only some values are accepted now, unless old rules imply it."""
    accepted = _accepted(pair, pair.new, new) or new
    text = f"only {_values(accepted.values())} accepted now"
    yield from _reject(
        rules.ENUM_ADDED,
        text,
        {"enum": list(new.values())},
        pair,
    )


def _values(values: Iterable[Any]) -> str:
    texts = list(map(marshal, values))
    return f"{some(texts, _SHOWN)} {agreeing(len(texts), 'is', 'are')}"


def _possible_values(pair: Pair, old: Constraints) -> dict[Any, Any]:
    """Return the few values that a schema without an enumeration accepts, none for more than a few."""
    values: Iterable[Any] = ()
    if old.type == "boolean":
        values = (True, False)
    elif old.type == "integer":
        values = _few_integers(old)
    by_key = by_equality(values)
    if by_key and pair.old.is_nullable:
        by_key[equality_key(None)] = None
    return by_key


def _few_integers(old: Constraints) -> range:
    """Return the integers within two bounds, none if these are far apart."""
    low, high = old.bounds.get("minimum"), old.bounds.get("maximum")
    if low is None or high is None or not 0 <= high.value - low.value < _FEW:
        return range(0)
    return range(int(low.value), int(high.value) + 1)


def _compare_enumerated(pair: Pair, old: Mapping[Any, Any], new: Constraints) -> Iterator[Change]:
    """Report which of the old values are rejected, whatever rejects them."""
    before = _accepted(pair, pair.old, old)
    after = _accepted(pair, pair.new, {**old, **(new.enum or {})})
    rejected = _without(before, after)
    lost = [value for value in rejected if pair.examples.is_valid(pair.old, value)]
    if lost:
        remaining = [before[key] for key in before if key in after]
        yield from _lost_values(pair, lost, remaining)
    if new.enum is None:
        yield pair.change(
            rules.ENUM_REMOVED,
            "the enumeration was removed",
            "enum",
            effect=NEW_VALUES,
        )
        return
    gained = _without(after, before)
    if gained:
        text, effect = f"{_values(gained)} accepted now", "clients may not know the new values"
        change = pair.change(
            rules.ENUM_VALUE_ADDED,
            text,
            "enum",
            effect=effect,
        )
        yield change._replace(new=pair.new.path_of_item("enum", gained[0]))


def _without(values: Mapping[Any, Any], others: Container[Any]) -> list[Any]:
    """Return the values whose keys are not among others."""
    return [value for key, value in values.items() if key not in others]


def _lost_values(pair: Pair, lost: Sequence[Any], remaining: Sequence[Any]) -> Iterator[Change]:
    """Report the values of an enumeration that are rejected now."""
    text = f"{_values(lost)} not accepted any more"
    default = pair.old[0].default
    if default is not None and equality_key(default.value) in by_equality(lost):
        text += f"; {marshal(default.value)} was the default"
    part: dict[str, Any] = {"enum": [*remaining]}
    if not remaining:
        part["not_"] = JSONSchemaProps.of(enum=[*lost])
    old_path = pair.old.path_of_item("enum", lost[0])
    for change in _reject(rules.ENUM_VALUE_REMOVED, text, part, pair):
        new_path = _rejecting_path(pair, lost[0]) or change.new
        yield change._replace(new=new_path, old=old_path)


def _rejecting_path(pair: Pair, value: Any) -> Path | None:
    """Return the path of the junctor that rejects a value which is still listed, or of the list that lacks it."""
    lists = [schema.enum for schema in pair.new if schema.enum]
    if not lists:
        return None
    key = equality_key(value)
    is_listed = all(key in by_equality(values) for values in lists)
    junctors = gained_junctors(pair)
    if is_listed and junctors:
        return junctors[0].path
    return pair.new.path_of_item("enum", value)


def _accepted(pair: Pair, node: Conjunction, values: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the values that all schemas of a node accept."""
    accepts = node.checker(pair.server)
    return {key: value for key, value in values.items() if accepts(value)}


def _reject(
    rule: Rule,
    text: str,
    new: Mapping[str, Any],
    pair: Pair,
) -> Iterator[Change]:
    """Report a constraint, the attributes of a schema, that rejects values, unless old rules imply it."""
    attribute, part = next(iter(new)), JSONSchemaProps.of(**new)
    in_cel = _in_cel(pair, attribute, part)
    is_expressed = in_cel != "true"
    if is_expressed and is_implied(pair, in_cel):
        return
    rule = rules.of_list_item(rule, pair.field.uncorrelated)
    which = _UNPROVED.get(rule.id, "they")
    if which and is_expressed and _may_reject_nothing(pair, in_cel, part):
        rule = rule._replace(severity="warning")
        text = f"{text}; it is not known whether {which} were valid before"
    consequence = pair.field.consequence(is_container=attribute in CONTAINER_LIMITS)
    paths = pair.paths(attribute, "type" if attribute == "x_int_or_string" else "")
    text, example = f"{pair.field.shown}: {text}", pair.explanation(in_cel, part)
    yield Change(
        rule,
        text,
        *paths,
        pair.field.path,
        example,
        effect=consequence,
    )


def _in_cel(pair: Pair, attribute: str, part: JSONSchemaProps) -> str:
    """Return a constraint as a condition, `true` for one that CEL cannot express."""
    if attribute in _UNEXPRESSED:
        return "true"
    operator = NUMBERS_OF_FIELDS.get(attribute)
    if operator is None:
        return condition(part)
    return count_of_fields(pair.old, operator, getattr(part, attribute))


def _may_reject_nothing(pair: Pair, condition_: str, part: JSONSchemaProps) -> bool:
    """Return whether the old rules of a value may imply a condition that is new, since no value is known that breaks it."""
    return bool(conditions_of(pair.old)) and pair.examples.find(pair, condition_, part) is None


# Which values may have been invalid before; that the values of an enumeration were valid is known.
_UNPROVED: Final = {rules.ENUM_ADDED.id: "others", rules.ENUM_VALUE_REMOVED.id: ""}
# CEL has no conditions for them.
_UNEXPRESSED: Final = frozenset({"type", "x_int_or_string", "format"})


def _compare_limits(pair: Pair, old: Constraints, new: Constraints) -> Iterator[Change]:
    written_old = constraints(pair.old.written, pair.server).bounds
    written_new = constraints(pair.new.written, pair.server).bounds
    for limit in LIMITS:
        name = limit.attribute
        before, after = _implied(pair, old, limit), new.bounds.get(name)
        if after in (old.bounds.get(name), before):
            continue
        if after is not None and after.tighter_than(before):
            yield from _tightened(pair, limit, written_old.get(name), after)
        elif name in written_old:
            text = f"`{limit.keyword}` {_changed_limit(written_old[name], written_new.get(name))}"
            yield pair.change(
                rules.LIMIT_LOOSENED,
                text,
                name,
                effect=NEW_VALUES,
            )


def _changed_limit(old_bound: Bound, after: Bound | None) -> str:
    if after is None:
        return "was removed"
    return f"changed from {_number(old_bound)} to {_number(after)}"


def _tightened(
    pair: Pair,
    limit: Limit,
    old_bound: Bound | None,
    after: Bound,
) -> Iterator[Change]:
    """Report a limit that rejects values, unless old schemas or rules imply it."""
    if _cannot_break(pair, limit, after):
        return
    change = f"of {_number(after)} added"
    if old_bound is not None:
        change = _changed_limit(old_bound, after)
    number = int(after.value) if float(after.value).is_integer() else after.value
    attributes: dict[str, Any] = {limit.attribute: number}
    if after.is_strict:
        attributes[f"exclusive_{limit.attribute}"] = True
    text = f"`{limit.keyword}` {change}: {_too_much(limit, after)} are rejected"
    yield from _reject(rules.LIMIT_TIGHTENED, text, attributes, pair)


def _too_much(limit: Limit, bound: Bound) -> str:
    """Return which values a limit rejects, in words."""
    is_one = bound.value == 1
    breaking = limit.breaking.format(_number(bound), s="" if is_one else "s")
    if is_one and limit.empty:
        breaking = limit.empty
    return f"{breaking} and {_number(bound)} itself" if bound.is_strict else breaking


def _implied(pair: Pair, old: Constraints, limit: Limit) -> Bound | None:
    """Return the bound of old values: the given one, or a tighter one that follows from other constraints."""
    bounds = [old.bounds.get(limit.attribute)]
    if old.type == "integer":
        bounds.append(format_bound(old.formats, limit.attribute))
    if old.type == "integer" and pair.is_number_of_replicas:
        bounds.append(_OF_REPLICAS.get(limit.attribute))
    if limit.attribute in {"min_length", "max_length"}:
        bounds += [length_bound(pattern, is_upper=limit.is_upper) for pattern in old.patterns]
    if limit.attribute == "min_properties":
        bounds.append(Bound(len(old.required), is_upper=False))
    return max(filter(None, bounds), key=attrgetter("tightness"), default=None)


# The API server accepts no other numbers where a scale subresource reads them. Upstream: ValidateScaleSpec.
_OF_REPLICAS: Final = {
    "minimum": Bound(0, is_upper=False),
    "maximum": Bound(2**31 - 1, is_upper=True),
}


def _cannot_break(pair: Pair, limit: Limit, after: Bound) -> bool:
    """Return whether no object can break a limit: old schemas reject empty texts, too, or prune all other fields."""
    if limit.attribute == "min_length" and after.value == 1 and pair.old.type == "string":
        accepts = pair.old.checker(pair.server)
        return not accepts("")
    if limit.attribute != "max_properties" or pair.old.type != "object":
        return False
    is_pruned = bool(pair.field.path) and not pair.old.keeps_unknown_fields
    return is_pruned and len(pair.old.property_names()) <= after.value


def _number(bound: Bound) -> str:
    return marshal(bound.value)


def _compare_multiples(pair: Pair, old: Constraints, new: Constraints) -> Iterator[Change]:
    implied = {
        factor for factor, other in product(new.multiples, old.multiples) if _divides(factor, other)
    }
    added = new.multiples - implied
    lost = old.multiples - new.multiples
    for factor in sorted(added):
        text = f"values that are not multiples of {marshal(factor)} are rejected"
        yield from _reject(
            rules.LIMIT_TIGHTENED,
            text,
            {"multiple_of": factor},
            pair,
        )
    if lost and not added:
        before = ", ".join(map(marshal, sorted(lost)))
        after = ", ".join(map(marshal, sorted(new.multiples)))
        text = f"`multipleOf` {_changed(before, after)}"
        yield pair.change(
            rules.LIMIT_LOOSENED,
            text,
            "multiple_of",
            effect=NEW_VALUES,
        )


def _divides(factor: float, other: float) -> bool:
    """Return whether each multiple of another factor is one; servers divide integers by the whole part, and not by 0."""
    own_part, other_part = int(factor), int(other)
    if other_part and (not own_part or other_part % own_part):
        return False
    exact, other_exact = Fraction(repr(factor)), Fraction(repr(other))
    schema = ValueValidator(JSONSchemaProps.of(type="number", multiple_of=float(factor)))
    multiples = (float(other_exact * times) for times in range(1, _MULTIPLES))
    return (other_exact / exact).denominator == 1 and not any(map(schema.validate, multiples))


def _compare_patterns(pair: Pair, old: Constraints, new: Constraints) -> Iterator[Change]:
    added, lost = sorted(new.patterns - old.patterns), sorted(old.patterns - new.patterns)
    if len(lost) == len(added) == 1:
        relation = pattern_relation(lost[0], added[0], *old.lengths)
        yield from _compare_pattern(pair, relation, lost[0], added[0])
        return
    for pattern in added:
        matches_all = pattern_relation("", pattern, *old.lengths).is_covered
        if not matches_all and not old.imply_pattern(pattern):
            text = f"values that do not match `{pattern}` are rejected"
            yield from _reject(
                rules.PATTERN_ADDED,
                text,
                {"pattern": pattern},
                pair,
            )
    if lost and not added:
        text = f"the pattern `{lost[0]}` was removed"
        yield pair.change(
            rules.PATTERN_REMOVED,
            text,
            "pattern",
            effect=NEW_VALUES,
        )


def _compare_pattern(
    pair: Pair,
    relation: Relation,
    old: str,
    new: str,
) -> Iterator[Change]:
    """Report a pattern in place of another one, by what is known of the two languages."""
    if relation.is_covered and relation.covers:
        return
    change = f"pattern changed from `{old}` to `{new}`"
    if not relation.is_covered:
        text = f"{change}{_lost_texts(relation)}"
        yield from _reject(rules.PATTERN, text, {"pattern": new}, pair)
        return
    text = f"{change}, which matches more values"
    if relation.gained is not None:
        text += f", such as {marshal(relation.gained)}"
    yield pair.change(
        rules.PATTERN_REMOVED,
        text,
        "pattern",
        effect=NEW_VALUES,
    )


def _lost_texts(relation: Relation) -> str:
    """Return the texts that match only the old one of two patterns, as the end of a sentence."""
    if relation.lost is None:
        return ": it is not known which values are rejected now"
    which = "matches fewer values" if relation.covers else "matches other values"
    return f", which {which}: {marshal(relation.lost)} is rejected"


def _compare_formats(pair: Pair, old: Constraints, new: Constraints) -> Iterator[Change]:
    added, lost = sorted(new.formats - old.formats), sorted(old.formats - new.formats)
    are_implied = all(_has_range(pair, old, name) for name in added)
    if are_implied and (added or not lost):
        return
    tighter = [name for name in added if _rejects_values(name)]
    if lost and not tighter:
        text = f"format {_changed(', '.join(lost), ', '.join(added))}"
        yield pair.change(
            rules.FORMAT_LOOSENED,
            text,
            "format",
            effect=NEW_VALUES,
        )
    if tighter:
        yield from _tighter_format(pair, tighter, lost, new.type)


def _tighter_format(
    pair: Pair,
    tighter: Sequence[str],
    lost: Sequence[str],
    type_: str,
) -> Iterator[Change]:
    """Report formats that reject values, unless old rules imply them."""
    change = _changed(", ".join(lost), ", ".join(tighter))
    is_range = tighter[0] in NUMBER_FORMATS
    which = "numbers outside of its range" if is_range else "values without this format"
    text = f"format {change}: {which} are rejected"
    attributes = {"format": tighter[0], "type": type_ if type_ in _WITH_FORMATS else "string"}
    yield from _reject(rules.FORMAT, text, attributes, pair)


def _changed(before: str, after: str) -> str:
    """Return what happened to a value that was or is empty if there is none, as the end of a sentence."""
    if before and after:
        return f"changed from {before} to {after}"
    return f"{after} was added" if after else f"{before} was removed"


_WITH_FORMATS: Final = frozenset({"string", "integer", "number"})


def _has_range(pair: Pair, old: Constraints, format_: str) -> bool:
    """Return whether the limits of integers exclude all that are out of the range of a format."""
    if old.type != "integer":
        return False
    of_replicas = _OF_REPLICAS if pair.is_number_of_replicas else {}
    bounds = {**of_replicas, **old.bounds}
    for attribute in ("maximum", "minimum"):
        bound = format_bound(frozenset({format_}), attribute)
        if bound is None or bound.tighter_than(bounds.get(attribute)):
            return False
    return True


# The formats of numbers that reject some numbers of 64 bits.
_NARROW: Final = frozenset({"int32", "float"})


def _rejects_values(format_: str) -> bool:
    """Return whether a format rejects some values of its type; the widest formats of numbers reject none."""
    return format_ not in NUMBER_FORMATS or format_ in _NARROW


def compare_annotations(pair: Pair) -> Iterator[Change]:
    """Report changes of `nullable`, of the default, and of an embedded resource."""
    old, new = pair.old[0], pair.new[0]
    if old.nullable and not new.nullable:
        yield _nullable_removed(pair)
    elif new.nullable and not old.nullable:
        yield pair.change(
            rules.NULLABLE_ADDED,
            "nullable now",
            "nullable",
            effect="clients may read null",
        )
    yield from _compare_defaults(pair)
    if new.x_embedded_resource and not old.x_embedded_resource:
        text = "an embedded resource now: `apiVersion` and `kind` are required"
        part = JSONSchemaProps.of(type="object", x_embedded_resource=True)
        effect = (
            "every update of an object without them is rejected, also of its labels and finalizers"
        )
        yield pair.change(
            rules.EMBEDDED_RESOURCE,
            text,
            "x_embedded_resource",
            part,
            effect=effect,
        )


def _nullable_removed(pair: Pair) -> Change:
    """Return that null is not accepted any more, by what happens to a stored null."""
    new, parent = pair.new[0], pair.parent
    rejection = None
    if new.default is not None:
        effect = "an explicit null is replaced by the default"
    elif pair.field.path.endswith("[*]"):
        effect = rejection = "null is rejected"
    elif parent is not None and pair.step in parent.new.required:
        edits = parent.field.consequence(is_container=True)
        effect = rejection = f"null is rejected, because the field is required; {edits}"
    else:
        effect = "an explicit null is dropped"
    rule = rules.NULLABLE_REMOVED._replace(severity="warning" if rejection is None else "error")
    part = None if rejection is None else JSONSchemaProps.of(type=new.type)
    return pair.change(
        rule,
        "not nullable any more",
        "nullable",
        part,
        effect=effect,
    )


def _compare_defaults(pair: Pair) -> Iterator[Change]:
    old, new = pair.old[0].default, pair.new[0].default
    if old is None:
        if new is not None:
            yield from _default_added(pair)
    elif new is None:
        yield from _default_removed(pair, old.value)
    elif equality_key(old.value) != equality_key(new.value):
        yield _default_changed(pair, old.value, new.value)


def _default_added(pair: Pair) -> Iterator[Change]:
    default = with_defaults(pair.new)
    if default != {}:  # else the object has no field with a default
        text = f"default {marshal(default)} added"
        effect = "objects without the field are read with it"
        yield pair.change(
            rules.DEFAULT_ADDED,
            text,
            "default",
            effect=effect,
        )


def _default_removed(pair: Pair, default: Any) -> Iterator[Change]:
    complete = with_defaults(pair.old)
    if pair.is_required:
        text = f"required, and its default {marshal(default)} was removed"
        effect = "manifests without the field are rejected"
        part = JSONSchemaProps.of(required=[pair.step])
        example = pair.parent.explanation("true", part) if pair.parent is not None else None
        rule = rules.DEFAULT_REMOVED._replace(severity="error")
        yield pair.change(rule, text, "default", effect=effect)._replace(example=example)
    elif complete != {}:
        text = f"default {marshal(complete)} removed"
        effect = "new objects without the field lack it; those with the default keep it"
        yield pair.change(
            rules.DEFAULT_REMOVED,
            text,
            "default",
            effect=effect,
        )


def _default_changed(pair: Pair, old: Any, new: Any) -> Change:
    text = f"default changed from {marshal(old)} to {marshal(new)}"
    durations = [parse_duration(each) for each in (old, new) if isinstance(each, str)]
    if len(durations) == 2 and durations[0] == durations[1] is not None:
        rule = rules.DEFAULT._replace(severity="info")
        return pair.change(rule, f"{text}, which is as long", "default")
    effect = "new objects without the field get another value; those with the old default keep it"
    return pair.change(rules.DEFAULT, text, "default", effect=effect)


def with_defaults(node: Conjunction) -> Any:
    """Return the default of a value with those of its fields, None without one."""
    default = node[0].default
    if default is None:
        return None
    value = deep_copy(default.value)
    apply_defaults(value, node[0])
    return value
