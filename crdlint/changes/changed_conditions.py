"""Changes of `not`, `anyOf`, `oneOf` and x-kubernetes-validations, compared by their effect as conditions on a value.

A new condition may reject no object: rules and junctors of the old schema imply it, or the schemas do.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from itertools import chain, islice, product
from typing import Final

from crdlint.cel.ast import Expr, Ident, Select, nodes
from crdlint.changes.change import NEW_OBJECTS, NEW_VALUES, Change
from crdlint.changes.conditions import (
    has,
    junctor_condition,
    known_conditions,
    lifted,
    of_changed_value,
    of_kept_value,
    of_new_value,
)
from crdlint.changes.conjunction import Conjunction, is_new
from crdlint.changes.constraints import (
    JUNCTORS,
    Bound,
    Constraints,
    constraints,
    fingerprint,
    junctors_of,
    length_bound,
    pattern_relation,
    patterns_exclude,
)
from crdlint.changes.examples import Pair, mentioned
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.crd.paths import Path
from crdlint.diagnostics import Severity
from crdlint.gathering import without_none
from crdlint.golang.printing import marshal
from crdlint.kubecel.declarations import escape, unescape
from crdlint.kubecel.reasoning.domains import (
    FAILED,
    PRESENT,
    SIZES,
    TRUE,
    Domain,
    Just,
    Numbers,
    Others,
    Piece,
)
from crdlint.kubecel.reasoning.facts import ITEM, VALUE, Facts, FieldPath
from crdlint.kubecel.reasoning.reasoner import Reasoner
from crdlint.kubecel.syntax_trees import nodes_of, parsed, rule_key
from crdlint.kubernetes.servers import Server
from crdlint.light import NamedTuple
from crdlint.rules.engine.rule import Rule
from crdlint.rules.texts import changes as rules

_QUICK: Final = 8  # the part of the steps with which a reason is looked for before an example
_PREMISES: Final = 64  # conditions that may imply another one
_ABOVE: Final = 4  # objects and lists above a value whose rules may be about it
# Why an added condition rejects no object.
WIDER: Final = "replaces a stricter one"
BY_SCHEMA: Final = "which the schema implies already"
BY_OLD_SCHEMA: Final = "which the old schema implied"
BY_OLD_RULES: Final = "which the old rules implied"
FOR_EXISTING: Final = "which is true for all objects without new fields and values"


class Reasons:
    """Finds the reason why a new condition on a value rejects no object, by what is known of these."""

    def __init__(self, pair: Pair) -> None:
        self._pair: Final = pair
        server = pair.server
        self._of_old: Final = _conditions(pair.old)
        self._of_new: Final = _conditions(pair.new)
        self._anything: Final = Reasoner(Facts())
        self._new: Final = Reasoner(SchemaFacts(pair.new, server))
        self._old: Final = Reasoner(SchemaFacts(pair.old, server))
        self._existing: Final = Reasoner(
            SchemaFacts(pair.old, server, lambda path: is_new(path, pair.old, pair.new))
        )

    def effect(
        self, condition: str, part: JSONSchemaProps | ValidationRule
    ) -> tuple[str | None, str | None]:
        """Return why a new condition rejects no object, or an example that it rejects, if either is known."""
        self._existing.share = self._new.share = _QUICK
        reason = self.reason(condition)
        self._existing.share = self._new.share = 1
        if reason is not None:
            return reason, None
        example = self._pair.examples.find(self._pair, condition, part)
        if example is not None:
            return None, example
        return self.reason(condition), None

    def reason(self, condition: str) -> str | None:
        """Return why a condition is true for all existing objects, None if it may not be."""
        tree = parsed(condition)
        if tree is None:
            return None
        return self._by_list_type(condition) or self._by_reasoning(condition, tree)

    def _by_list_type(self, condition: str) -> str | None:
        """Return which schema makes a condition true because the condition repeats its list type."""
        if repeats_list_type(condition, self._pair.new):
            return BY_SCHEMA
        if repeats_list_type(condition, self._pair.old):
            return BY_OLD_SCHEMA
        return None

    def _by_reasoning(self, condition: str, tree: Expr) -> str | None:
        """Return what a condition follows from: the schemas, their other rules, or both for existing objects."""
        related = {
            **self._of_old.related(tree),
            **_Conditions(self._below(tree, self._pair.old)).related(tree),
        }
        premises = list(related.values())
        is_known = self._existing.results(tree, premises) == TRUE
        if is_known and self._is_wider(tree, list(self._removed_of(related))):
            return WIDER
        if self._new.results(tree) == TRUE:
            return BY_SCHEMA
        if not is_known:
            return BY_OLD_RULES if is_implied_above(self._pair, condition) else None
        if self._old.results(tree) == TRUE:
            return BY_OLD_SCHEMA
        is_by_rules = premises and self._new.results(tree, premises) == TRUE
        return BY_OLD_RULES if is_by_rules else FOR_EXISTING

    def _removed_of(self, conditions: Mapping[str, Expr]) -> Iterator[Expr]:
        """Yield those of some conditions that the old schema has itself, and the new one has not."""
        of_old, of_new = self._of_old.trees, self._of_new.trees
        for name, tree in conditions.items():
            if name in of_old and name not in of_new:
                yield tree

    def is_true(self, condition: str) -> bool:
        """Return whether a condition is true for all existing objects that the new schema accepts as well."""
        tree = parsed(condition)
        if tree is None:
            return False
        premises = list(self._of_old.related(tree).values())
        return self._new.results(tree, premises) == TRUE

    def remains(self, condition: str) -> bool:
        """Return whether the new schema implies an old condition, so that removing it changes nothing."""
        tree = parsed(condition)
        if tree is None:
            return False
        premises = {
            **self._of_new.related(tree),
            **_Conditions(self._below(tree, self._pair.new)).related(tree),
        }
        return self._new.results(tree, list(premises.values())) == TRUE

    def _is_wider(self, tree: Expr, removed: Sequence[Expr]) -> bool:
        """Return whether a rule follows from removed ones, whatever the schema is, and they do not follow from it."""
        if not removed:
            return False
        follows = self._anything.results(tree, removed) == TRUE
        if not follows or self._anything.results(tree) == TRUE:
            return False
        return any(self._new.results(expr, [tree]) != TRUE for expr in removed)

    @staticmethod
    def _below(tree: Expr, node: Conjunction) -> Iterator[str]:
        """Yield what schemas require of the fields that a condition names, as conditions on the whole value."""
        fields = field_paths(tree)
        parts = product(((), *fields), (ITEM, VALUE))
        for path in (*fields, *((*path, step) for path, step in parts)):
            below = node.at_path(path)
            premises = _conditions(below).related(tree)
            texts = (text for text in known_conditions(below) if rule_key(text) in premises)
            yield from (lifted(text, path) for text in texts)


def is_implied(pair: Pair, condition: str) -> bool:
    """Return whether the old rules and junctors of a value, or of those above it, imply a condition."""
    return _implies(pair, condition, ()) or is_implied_above(pair, condition)


def is_implied_above(pair: Pair, condition: str) -> bool:
    """Return whether the old rules and junctors of the objects above a value imply a condition."""
    path: FieldPath = ()
    while pair.parent is not None and len(path) < _ABOVE:
        path, pair = (pair.step, *path), pair.parent
        if _implies(pair, condition, path):
            return True
    return False


def _implies(pair: Pair, condition: str, path: FieldPath) -> bool:
    """Return whether what the old schemas require implies a condition on the value at a path below."""
    names = {escape(step) or step for step in path} - {ITEM, VALUE}
    premises = _conditions(pair.old).naming(names)
    if not premises:
        return False
    tree = parsed(lifted(condition, path))
    if tree is None:
        return False
    return Reasoner(SchemaFacts(pair.old, pair.server)).results(tree, premises) == TRUE


class _Conditions:
    """Conditions that are known of a value: `trees` by their keys of equality."""

    def __init__(self, conditions: Iterable[str]) -> None:
        self.trees: Final[dict[str, Expr]] = {}
        self._fields: Final[dict[str, AbstractSet[str]]] = {}
        self._by_field: Final[dict[str, list[str]]] = defaultdict(list)
        self._without_field: Final[list[str]] = []
        for text in conditions:
            tree = parsed(text)
            name = rule_key(text)
            if tree is not None and name not in self.trees:
                self._add(name, tree)

    def _add(self, name: str, tree: Expr) -> None:
        self.trees[name] = tree
        fields = self._fields[name] = _named(tree)
        for field in fields:
            self._by_field[field].append(name)
        if not fields:
            self._without_field.append(name)

    def related(self, tree: Expr) -> dict[str, Expr]:
        """Return the conditions that name a field of another one, or no field as that one.

        Of many, those come first whose fields few others name.
        """
        fields = _named(tree)
        lists = sorted((self._by_field.get(field, []) for field in fields), key=len)
        candidates = chain(*lists, self._without_field) if fields else self.trees
        names = set(islice(candidates, _PREMISES))
        return {name: self.trees[name] for name in self._in_order(names)}

    def naming(self, fields: AbstractSet[str]) -> list[Expr]:
        """Return the conditions that name all of some fields."""
        if not fields:
            return list(islice(self.trees.values(), _PREMISES))
        rarest = min((self._by_field.get(field, []) for field in fields), key=len)
        naming = (name for name in rarest if fields <= self._fields[name])
        return [self.trees[name] for name in islice(naming, _PREMISES)]

    def _in_order(self, names: AbstractSet[str]) -> list[str]:
        return sorted(names, key=self._positions.__getitem__)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.trees)}


@lru_cache(maxsize=64)
def _conditions(node: Conjunction) -> _Conditions:
    """Return what is known of the values of schemas; a walk needs that of a few of them in turn."""
    return _Conditions(known_conditions(node))


def _named(tree: Expr) -> AbstractSet[str]:
    return {node.field for node in nodes(tree) if isinstance(node, Select)}


def field_paths(tree: Expr) -> Sequence[FieldPath]:
    """Return the paths of the fields of `self` that a rule names, each one after those above it."""
    paths: dict[FieldPath, None] = {}
    for node in nodes(tree):
        steps_up: list[str] = []
        while isinstance(node, Select):
            steps_up.append(unescape(node.field) or node.field)
            node = node.operand
        if isinstance(node, Ident) and node.name == "self":
            path = tuple(reversed(steps_up))
            paths.update(dict.fromkeys(path[: i + 1] for i in range(len(path))))
    return tuple(paths)


_SIZES: Final = {"string": "length", "array": "items", "object": "properties"}
_VALUES: Final[dict[str, Domain]] = {
    "boolean": (Just(value=True), Just(value=False)),
    "array": (Piece.LIST,),
    "object": (Piece.OBJECT,),
    "int-or-string": (Numbers(is_whole=True), Others()),
}


class SchemaFacts(Facts):
    """The facts about the objects that a schema accepts; ``is_new`` returns whether none of them has a field."""

    def __init__(
        self, node: Conjunction, server: Server, is_new: Callable[[FieldPath], bool] | None = None
    ) -> None:
        super().__init__()
        self._server = server
        self._is_new = is_new
        self._nodes: dict[FieldPath, Conjunction] = {(): node}
        self._values: dict[FieldPath, Domain] = {}

    def values(self, path: FieldPath) -> Domain:
        """Return the values at a path; the field of an object, or the item of a list, that is there."""
        if path not in self._values:
            self._values[path] = self._domain(path)
        return self._values[path]

    def _domain(self, path: FieldPath) -> Domain:
        """Return the values at a path that the schema accepts, and a failure if an object may lack the field there."""
        is_part = not path or path[-1] in {ITEM, VALUE}
        if not is_part and self._is_new is not None and self._is_new(path):
            return FAILED
        node = self._node(path)
        if not node:
            return super().values(path)
        domain = _values(constraints(node, self._server))
        if node[0].nullable:
            domain = (*domain, Just(None))
        is_required = is_part or path[-1] in self._node(path[:-1]).required
        return domain if is_required or node.has_default else (*FAILED, *domain)

    def sizes(self, path: FieldPath) -> Domain:
        """Return the sizes of the texts, lists or objects at a path."""
        folded = self._folded(path)
        suffix = _SIZES.get(folded.type)
        if suffix is None or "byte" in folded.formats:
            return SIZES
        low = folded.bounds.get(f"min_{suffix}", Bound(0, is_upper=False))
        return _numbers(low, folded.bounds.get(f"max_{suffix}"), is_whole=True)

    def match(self, path: FieldPath, pattern: str) -> bool:
        """Return whether all texts at a path match a pattern."""
        return any(self.covers(own, pattern) for own in self._folded(path).patterns)

    def never_match(self, path: FieldPath, pattern: str) -> bool:
        """Return whether no text at a path matches a pattern."""
        return any(patterns_exclude(own, pattern) for own in self._folded(path).patterns)

    def excludes(self, path: FieldPath, text: str) -> bool:
        """Return whether no text at a path is equal to another one, because a pattern or a limit rejects that."""
        node = self._node(path)
        if node.type != "string":
            return False
        accepts = node.checker(self._server)
        return not accepts(text)

    def covers(self, pattern: str, other: str) -> bool:
        """Return whether all texts that match a pattern match another one."""
        return pattern_relation(pattern, other).is_covered

    def are_disjoint(self, pattern: str, other: str) -> bool:
        """Return whether no text matches two patterns."""
        return patterns_exclude(pattern, other)

    def lengths(self, pattern: str) -> tuple[float, float]:
        """Return the lengths of the shortest and of the longest text that match a pattern."""
        shortest = length_bound(pattern, is_upper=False) or Bound(0, is_upper=False)
        longest = length_bound(pattern, is_upper=True) or Bound(math.inf, is_upper=True)
        return shortest.value, longest.value

    def _folded(self, path: FieldPath) -> Constraints:
        return constraints(self._node(path), self._server)

    def _node(self, path: FieldPath) -> Conjunction:
        if path not in self._nodes:
            self._nodes[path] = self._node(path[:-1]).at_path(path[-1:])
        return self._nodes[path]


def _values(folded: Constraints) -> Domain:
    if folded.enum is not None:
        return tuple(map(_piece, folded.enum.values()))
    if folded.type in {"integer", "number"}:
        low, high = folded.bounds.get("minimum"), folded.bounds.get("maximum")
        return _numbers(low, high, is_whole=folded.type == "integer")
    if folded.type == "string":
        excluded = {(False, "")} if "min_length" in folded.bounds else ()
        return (Others(frozenset(excluded)),)
    return _VALUES.get(folded.type, PRESENT)


def _piece(value: object) -> Piece | Just:
    if isinstance(value, list):
        return Piece.LIST
    return Piece.OBJECT if isinstance(value, dict) else Just(value)


def _numbers(low: Bound | None, high: Bound | None, *, is_whole: bool) -> Domain:
    low, high = low or Bound(-math.inf, is_upper=False), high or Bound(math.inf, is_upper=True)
    return Numbers(
        low.value,
        high.value,
        is_whole,
        low.is_strict,
        high.is_strict,
    ).narrowed()


# Rules for the uniqueness of list items, with {} for the equality of two of them.
_UNIQUE: Final = (
    "self.all(x, self.exists_one(y, {}))",
    "self.all(x, self.filter(y, {}).size() == 1)",
    "self.all(x, self.filter(y, {}).size() <= 1)",
    "self.all(x, size(self.filter(y, {})) == 1)",
    "size(self.filter(x, size(self.filter(y, {})) > 1)) == 0",
    "self.filter(x, self.filter(y, {}).size() > 1).size() == 0",
    "!self.exists(x, self.filter(y, {}).size() > 1)",
)


def repeats_list_type(rule: str, node: Conjunction) -> bool:
    """Return whether a rule only requires that the items of a list are unique, as its type does."""
    keys: tuple[str, ...] = ()
    if node[0].x_list_type == "set":
        keys = ("",)
    elif node[0].x_list_type == "map":
        keys = tuple(f".{name}" for name in node[0].x_list_map_keys)
    return bool(keys) and rule_key(rule) in _unique_by(keys)


@lru_cache(maxsize=64)
def _unique_by(keys: tuple[str, ...]) -> frozenset[str]:
    equalities = [
        " && ".join(f"{variable}{name} == {other}{name}" for name in keys)
        for variable, other in (("x", "y"), ("y", "x"))
    ]
    return frozenset(rule_key(rule.format(equality)) for rule in _UNIQUE for equality in equalities)


_FIELDS: Final = 32  # fields of a rule that are assumed to be absent, one after the other
_SHOWN: Final = 100  # characters of a rule in a text
_FULFILLED: Final = "Leave it: existing objects fulfil the rule"


def compare_rules(pair: Pair, reasons: Reasons) -> Iterator[Change]:
    """Report the rules of a value that were added or removed."""
    before = pair.old.rules_by_key()
    after = {rule_key(rule.rule): (rule, path) for rule, path in pair.new.placed_rules()}
    for text_key, (rule, path) in after.items():
        if text_key not in before:
            yield _added_rule(rule, path, pair, reasons)
    for text_key, rule in before.items():
        if text_key not in after:
            text = f"rule `{_shown(rule)}` was removed"
            yield pair.change(
                rules.RULE_REMOVED,
                text,
                "x_validations",
                effect=NEW_OBJECTS,
            )


def _added_rule(
    rule: ValidationRule,
    path: Path,
    pair: Pair,
    reasons: Reasons,
) -> Change:
    """Return the change of a new rule, by what is known of the objects that it rejects."""
    _, old_path = pair.paths("x_validations")
    paths = path, old_path
    is_transition = _names_old_self(rule)
    example = None
    if is_transition:
        reason = reasons.reason(rule.rule)
    else:
        reason, example = reasons.effect(rule.rule, rule)
    if reason == WIDER:
        text = f"{pair.field.shown}: rule `{_shown(rule)}` {reason}"
        return Change(
            rules.RULE_REMOVED,
            text,
            *paths,
            pair.field.path,
            effect=NEW_OBJECTS,
        )
    text = f"{pair.field.shown} has a new rule: `{_shown(rule)}`"
    if reason is not None:
        harmless = rules.RULE_ADDED._replace(severity="info", help=_FULFILLED)
        return Change(
            harmless,
            f"{text}, {reason}",
            *paths,
            pair.field.path,
        )
    if is_transition:
        return _new_transition(rule, text, paths, pair, reasons)
    which, effect, severity = _effect(rule, pair, example)
    added = rules.RULE_ADDED._replace(severity=severity)
    changed, shown = rules.of_list_item(added, pair.field.uncorrelated), pair.shown(example)
    return Change(
        changed,
        f"{text}{which}",
        *paths,
        pair.field.path,
        shown,
        effect=effect,
    )


def compare_messages(pair: Pair) -> Iterator[Change]:
    """Report the rules that remain with another message, reason or field path."""
    before = pair.old.rules_by_key()
    for rule in pair.new.rules():
        old = before.get(rule_key(rule.rule), rule)
        for keyword, attribute, of_error in _MESSAGES:
            was, now = _value(getattr(old, attribute)), _value(getattr(rule, attribute))
            if was != now:
                text = f"rule `{_shown(rule)}`: `{keyword}` changed from {was} to {now}"
                effect = f"clients that read the {of_error} of an error get another one"
                yield pair.change(
                    rules.RULE_MESSAGE,
                    text,
                    "x_validations",
                    effect=effect,
                )


def _value(value: str | None) -> str:
    return marshal(value) if value else "nothing"


_MESSAGES: Final = (
    ("messageExpression", "message_expression", "message"),
    ("reason", "reason", "reason"),
    ("fieldPath", "field_path", "field"),
)


def _shown(rule: ValidationRule) -> str:
    text = " ".join(rule.rule.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _names_old_self(rule: ValidationRule) -> bool:
    variables = (node for node in nodes_of(rule.rule) if isinstance(node, Ident))
    return any(variable.name == "oldSelf" for variable in variables)


def _new_transition(
    rule: ValidationRule,
    text: str,
    paths: tuple[Path, Path],
    pair: Pair,
    reasons: Reasons,
) -> Change:
    """Return the change of a new rule about the old value, by what it requires of kept, changed and new values."""
    effect, example = _of_updates(rule, pair, reasons)
    if rule.optional_old_self:
        effect = _of_new_objects(rule, reasons) or effect
    change = Change(
        effect.rule,
        f"{text}{effect.which}",
        *paths,
        pair.field.path,
    )
    return change._replace(example=pair.shown(example), effect=effect.text)


class _Transition(NamedTuple):
    """What a rule about the old value rejects, as the end of a sentence, and what that means for whom."""

    rule: Rule
    which: str
    text: str


def _of_updates(
    rule: ValidationRule, pair: Pair, reasons: Reasons
) -> tuple[_Transition, str | None]:
    """Return what a rule about the old value does to updates, and a value that it does not let anyone keep."""
    of_kept = of_kept_value(rule.rule)
    if reasons.is_true(of_kept):
        harmless = rules.RULE_ADDED._replace(help=_KEPT)
        return _Transition(harmless, *_rejected(rule, reasons)), None
    example = pair.examples.find(pair, of_kept, rule, is_kept=True)
    breaking = rules.RULE_ADDED._replace(severity="error", help=_KEEP)
    if reasons.is_true(f"!({of_kept})"):
        effect = "every update that keeps the value is rejected, even if it changes another field"
        return _Transition(breaking, ", which no unchanged value fulfils", effect), example
    if example is not None:
        effect = "updates that keep such a value are rejected, even if they change another field"
        return _Transition(breaking, ", which some unchanged values do not fulfil", effect), example
    unknown = rules.RULE_ADDED._replace(help=_KEPT)
    return _Transition(unknown, *_rejected(rule, reasons)), None


def _rejected(rule: ValidationRule, reasons: Reasons) -> tuple[str, str]:
    """Return which requests a rule rejects if they break it, and what that means."""
    is_about_new = rule.optional_old_self and not reasons.is_true(of_new_value(rule.rule))
    rejected = "new objects and updates" if is_about_new else "updates"
    return f": {rejected} that break it are rejected", "automation that changes the value fails"


def _of_new_objects(rule: ValidationRule, reasons: Reasons) -> _Transition | None:
    """Return what a rule with an optional old value does to new objects, if it rejects all of them, or nothing else."""
    if reasons.is_true(f"!({of_new_value(rule.rule)})"):
        breaking = rules.RULE_ADDED._replace(severity="error", help=_NEW)
        return _Transition(
            breaking, ", which no new value fulfils", "every new object with the value is rejected"
        )
    if reasons.is_true(of_changed_value(rule.rule)):
        added = rules.RULE_ADDED._replace(help=_CREATED)
        return _Transition(
            added,
            ": new objects that break it are rejected",
            "existing objects stay valid, and edits of them succeed",
        )
    return None


_NEW: Final = "Let new values pass: `!oldSelf.hasValue() || ...`"
_CREATED: Final = "Check that clients create no objects that break the rule"
_KEEP: Final = "Let unchanged values pass: `self == oldSelf || ...`"
_KEPT: Final = "Check that no controller or user has to change the value"


def _effect(rule: ValidationRule, pair: Pair, example: str | None) -> tuple[str, str, Severity]:
    """Return which objects an added rule rejects, as the end of a sentence, what that means for them, and its severity."""
    is_container = pair.new.type in {"object", "array"}
    consequence = pair.field.consequence(is_container=is_container)
    needed = _needed_now(parsed(rule.rule), pair)
    if needed is not None:
        field = ".".join(("self", *needed))
        which = f": no object without `{field}` fulfils it, which was optional"
        return which, consequence, "error"
    if example is None:
        return ": it is not known which objects break it", consequence, "warning"
    return "", consequence, "error" if is_container else "warning"


def _needed_now(tree: Expr | None, pair: Pair) -> FieldPath | None:
    """Return the first optional field without which no object fulfils a new rule, unless an old rule needs it, too."""
    if tree is None:
        return None
    before: list[Expr] = without_none(parsed(each.rule) for each in pair.old.rules())
    for path in field_paths(tree)[:_FIELDS]:
        is_needed = _was_optional(path, pair) and _needs(tree, path)
        if is_needed and not any(_needs(old, path) for old in before):
            return path
    return None


def _needs(tree: Expr, path: FieldPath) -> bool:
    """Return whether no object without a field fulfils a rule."""
    return not Reasoner(Facts(frozenset({path}))).results_at_once(tree) & TRUE


def _was_optional(path: FieldPath, pair: Pair) -> bool:
    """Return whether existing objects may lack a field whose object they have."""
    new = pair.new.at_path(path)
    if not (new and pair.old.at_path(path)):
        return False
    parent = pair.old.at_path(path[:-1])
    return path[-1] not in parent.required and not new.has_default


class _Junctor(NamedTuple):
    """A junctor: its branches, the digests of their schemas, and where it is."""

    kind: str
    branches: Sequence[JSONSchemaProps]
    digests: frozenset[str]
    path: Path

    @property
    def key(self) -> tuple[str, frozenset[str]]:
        return self.kind, self.digests

    def is_like(self, other: _Junctor) -> bool:
        """Return whether one junctor probably replaces another one."""
        return self.kind == other.kind or (self.digests == other.digests and len(self.digests) > 1)

    @property
    def condition(self) -> str:
        return junctor_condition(self.kind, self.branches)

    @property
    def part(self) -> JSONSchemaProps:
        """A schema that has only the junctor."""
        if self.kind == "not":
            return JSONSchemaProps.of(not_=self.branches[0])
        return JSONSchemaProps.of(**{JUNCTORS[self.kind]: self.branches})


def compare_junctors(pair: Pair, reasons: Reasons) -> Iterator[Change]:
    """Report the junctors of a value that were added, changed or removed."""
    gained, lost = gained_junctors(pair), _gained(pair.new, pair.old)
    # Of an enumeration, each value that a junctor rejects is reported as removed.
    is_enumerated = constraints(pair.old, pair.server).enum is not None
    for junctor in () if is_enumerated else gained:
        replaced = list(filter(junctor.is_like, lost))
        yield from _report_added(junctor, replaced, pair, reasons)
    for junctor in lost:
        if not any(map(junctor.is_like, gained)) and not reasons.remains(junctor.condition):
            text = f"{pair.field.shown}: `{junctor.kind}` was removed"
            paths = pair.new[0].path, junctor.path
            yield Change(
                rules.JUNCTOR_REMOVED,
                text,
                *paths,
                pair.field.path,
                effect=NEW_VALUES,
            )


def gained_junctors(pair: Pair) -> list[_Junctor]:
    """Return the junctors that only the new schema of a value has."""
    return _gained(pair.old, pair.new)


def _gained(old: Conjunction, new: Conjunction) -> list[_Junctor]:
    keys = {junctor.key for junctor in _junctors(old)}
    return [junctor for junctor in _junctors(new) if junctor.key not in keys]


def compare_new_default(pair: Pair, name: str, schemas: Conjunction) -> Iterator[Change]:
    """Report that objects with a new default of a field break what the old schema of the object required, too."""
    field, default = pair.field.below(name), JSONSchemaProps.of(default=schemas[0].default)
    for what, condition, part in _kept_conditions(pair, name):
        if isinstance(part, JSONSchemaProps):
            part = JSONSchemaProps.of(**vars(part), properties={name: default})
        example = pair.examples.find(pair, condition, part)
        if example is not None:
            rule = rules.DEFAULT_ADDED._replace(
                severity="error", help="Remove the default, or add it in a new version only"
            )
            text = f"{field.shown} has a new default, with which {what} rejects objects without the field"
            effect = pair.field.consequence(is_container=True)
            paths = schemas.path_of("default"), pair.old[0].path
            yield Change(
                rule,
                text,
                *paths,
                field.path,
                pair.shown(example),
                effect=effect,
            )
            return


def _kept_conditions(
    pair: Pair, name: str
) -> Iterator[tuple[str, str, JSONSchemaProps | ValidationRule]]:
    """Yield what both schemas of an object require that may depend on a field: in words, as a condition, and as a part."""
    for rule in _kept_rules(pair):
        if name in mentioned(rule.rule).names:
            yield f"the rule `{_shown(rule)}`", rule.rule, rule
    keys = {junctor.key for junctor in _junctors(pair.old)}
    for junctor in _junctors(pair.new):
        if junctor.key in keys and name in mentioned(junctor.condition).names:
            yield f"`{junctor.kind}`", junctor.condition, junctor.part
    number = _kept_number_of_fields(pair)
    if number is not None:
        present = (has("self", property_name) for property_name in pair.old.properties())
        fields = " && ".join(["true", *present])
        yield "`maxProperties`", fields, JSONSchemaProps.of(type="object", max_properties=number)


def _kept_rules(pair: Pair) -> Iterator[ValidationRule]:
    """Yield the rules of both schemas that do not read the old value."""
    before = pair.old.rules_by_key()
    for rule in pair.new.rules():
        if rule_key(rule.rule) in before and not _names_old_self(rule):
            yield rule


def _kept_number_of_fields(pair: Pair) -> int | None:
    """Return the `maxProperties` that both schemas of an object have, unless it is the resource itself."""
    old = constraints(pair.old, pair.server).bounds.get("max_properties")
    new = constraints(pair.new, pair.server).bounds.get("max_properties")
    if new is None or old != new or not pair.field.path:
        return None
    return int(new.value)


def _junctors(node: Conjunction) -> Iterator[_Junctor]:
    """Yield the junctors of schemas, but for branches that only repeat what `x-kubernetes-int-or-string` means."""
    is_int_or_string = any(schema.x_int_or_string for schema in node)
    for kind, schema, branches in junctors_of(node):
        types = {branch.type for branch in branches}
        if is_int_or_string and kind == "anyOf" and types == {"integer", "string"}:
            continue
        digests = frozenset(fingerprint(Conjunction.of(branch)).digest for branch in branches)
        yield _Junctor(kind, branches, digests, schema.path.child(kind))


def _report_added(
    junctor: _Junctor,
    replaced: Sequence[_Junctor],
    pair: Pair,
    reasons: Reasons,
) -> Iterator[Change]:
    paths = junctor.path, replaced[0].path if replaced else pair.old[0].path
    change = f"{pair.field.shown}: {_changed_junctor(junctor, replaced)}"
    reason, example = reasons.effect(junctor.condition, junctor.part)
    if reason == WIDER or (reason is not None and replaced):
        if not all(reasons.remains(old.condition) for old in replaced):
            yield Change(
                rules.JUNCTOR_REMOVED,
                change,
                *paths,
                pair.field.path,
                effect=NEW_VALUES,
            )
        return
    rule = rules.JUNCTOR
    effect = pair.field.consequence(is_container=pair.new[0].type in {"object", "array"})
    if reason is not None:
        rule, effect = rule._replace(severity="info"), ""
        which = "which rejects only objects with new fields" if reason == FOR_EXISTING else reason
        text = f"{change}, {which}"
    elif example is None:
        rule = rule._replace(severity="warning")
        text = f"{change}: it is not known which values are rejected now"
    else:
        became = bool(replaced) and replaced[0].kind != junctor.kind
        text = f"{change}: values that {_rejected_by(junctor.kind, became=became)} are rejected"
    yield Change(
        rule,
        text,
        *paths,
        pair.field.path,
        pair.shown(example),
        effect=effect,
    )


def _changed_junctor(junctor: _Junctor, replaced: Sequence[_Junctor]) -> str:
    """Return what has happened to a junctor that is new, or that replaces others."""
    if not replaced:
        return f"`{junctor.kind}` was added"
    if replaced[0].kind != junctor.kind:
        return f"`{replaced[0].kind}` became `{junctor.kind}`"
    return f"`{junctor.kind}` was changed"


def _rejected_by(kind: str, *, became: bool) -> str:
    """Return which values a junctor rejects; one that was another kind before now counts the branches that match."""
    if kind == "not":
        return "match"
    return "match several branches" if became else "do not match"
