"""Pairs of schemas, and objects that show what an update breaks: small values of the old schema that the new one rejects."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice, product, starmap
from operator import add, mul
from types import MappingProxyType
from typing import Any, Final

from crdlint.cel.ast import Call, Literal, Select
from crdlint.changes.change import Change
from crdlint.changes.conditions import conditions_of
from crdlint.changes.conjunction import ComparedField, Conjunction
from crdlint.changes.constraints import (
    JUNCTORS,
    Constraints,
    constraints,
    pattern_of,
    pattern_relation,
)
from crdlint.changes.relevant_rules import RelevantRules
from crdlint.crd.errors import FieldError
from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.crd.paths import Path
from crdlint.kubecel import evaluation
from crdlint.kubecel.declarations import unescape
from crdlint.kubecel.evaluation import MISSING, OutOfBudgetError, RuleValidator, RuleValidators, Run
from crdlint.kubecel.reasoning.facts import ITEM, VALUE
from crdlint.kubecel.syntax_trees import nodes_of
from crdlint.kubernetes.servers import Server
from crdlint.light import NamedTuple, dataclass
from crdlint.rules.engine.rule import Rule
from crdlint.safety import work
from crdlint.schema.correlation import validate_list_sets_and_maps
from crdlint.schema.deep_equal import deep_copy
from crdlint.schema.defaulting import apply_defaults
from crdlint.schema.embedded_resources import validate_embedded
from crdlint.schema.formats import SAMPLES
from crdlint.schema.validator import ValueValidator

_TRIED: Final = 200  # values of a schema, until one breaks a condition
_LONG_NAME: Final = 63
_AROUND: Final = 60  # objects around a value, until one is valid
_WORK: Final = 200_000  # steps for one example
_COST: Final = 5_000  # of the rules of one value
_KEPT: Final = 3  # lists around a value, until one is part of a valid object
_COMPLETED: Final = 12  # values that break a condition, until one is part of a valid object


@dataclass(frozen=True, slots=True)
class Pair:
    """The schemas of a value in the old and the new CRD, and what finds examples of their values.

    ``parent`` is the pair of the object or list that contains the value, and ``step`` the field of the value in it, ITEM,
    or VALUE for the values of a map.
    """

    old: Conjunction
    new: Conjunction
    field: ComparedField
    examples: Examples
    parent: Pair | None = None
    step: str = ""

    def below(self, step: str, old: Conjunction, new: Conjunction) -> Pair:
        """Return the pair of a field of the object, or of ITEM or VALUE."""
        correlated = step != ITEM or self.old[0].x_list_type == self.new[0].x_list_type == "map"
        return Pair(
            old,
            new,
            self.field.below(step, correlated=correlated),
            self.examples,
            self,
            step,
        )

    @property
    def is_required(self) -> bool:
        """Whether the new schema above requires the value."""
        return self.parent is None or self.step in {ITEM, VALUE, *self.parent.new.required}

    @property
    def is_applied_as_part(self) -> bool:
        """Whether server-side apply has one owner for the value and more around it: an atomic list or object is above."""
        pair = self.parent
        while pair is not None and not all(map(_is_atomic, (pair.old, pair.new))):
            pair = pair.parent
        return pair is not None

    @property
    def kept_unknown_fields(self) -> bool:
        """Whether existing objects may have fields that the old schema does not specify."""
        return self.examples.preserve[0] or self.old.keeps_unknown_fields

    @property
    def keeps_unknown_fields(self) -> bool:
        """Whether the new CRD keeps fields that its schema does not specify."""
        return self.examples.preserve[1] or self.new.keeps_unknown_fields

    @property
    def is_number_of_replicas(self) -> bool:
        """Whether the scale subresource of the old CRD reads the value, so that it is no negative number."""
        return self.field.path in self.examples.replicas

    @property
    def server(self) -> Server:
        """The newest server of the run."""
        return self.examples.server

    def change(
        self,
        rule: Rule,
        text: str,
        attribute: str,
        part: JSONSchemaProps | None = None,
        *,
        effect: str = "",
    ) -> Change:
        """Return a change of an attribute; ``part`` is what the new schema requires, if the change rejects values."""
        example = self.explanation("true", part) if part else None
        text = f"{self.field.shown}: {text}"
        return Change(
            rule,
            text,
            *self.paths(attribute),
            self.field.path,
            example,
            effect=effect,
        )

    def explanation(self, condition: str, part: JSONSchemaProps) -> str | None:
        """Return an example for a condition that is known to reject values, if the run explains its changes.

        It is empty if none was found.
        """
        if not self.examples.explains:
            return None
        return self.examples.find(self, condition, part) or ""

    def shown(self, example: str | None) -> str | None:
        """Return an example that was looked for, empty if only its value was found, if the run explains its changes."""
        return example if self.examples.explains else None

    def paths(self, attribute: str, keyword: str = "") -> tuple[Path, Path]:
        """Return where the new and the old CRD have an attribute; the path of the schema itself without it."""
        return self.new.path_of(attribute, keyword), self.old.path_of(attribute, keyword)


def _is_atomic(node: Conjunction) -> bool:
    """Return whether a list or an object has one owner for server-side apply."""
    if node.type == "array":
        return node[0].x_list_type in {None, "atomic"}
    return node[0].x_map_type == "atomic"


class Examples:
    """Finds examples for a version on the newest server; ``identity`` has the apiVersion, kind and metadata of objects."""

    def __init__(
        self,
        identity: dict[str, Any],
        server: Server,
        *,
        explains: bool,
        preserve: tuple[bool, bool] = (False, False),
        replicas: frozenset[str] = frozenset(),
    ) -> None:
        """Find complete objects only if the run `explains` its changes, which takes longer.

        ``preserve`` is whether the old and the new CRD keep unknown fields of all objects. ``replicas`` are the paths of the
        numbers that the scale subresource of the old CRD reads.
        """
        self.explains: Final = explains
        self.replicas: Final = replicas
        self.preserve: Final = preserve
        self._identity: Final = identity
        self.server: Final = server
        self._rules: Final = RuleValidators(server)
        self._checks: Final[dict[tuple[int, ...], _Check]] = {}
        # By the identity of their values' schemas, which are kept so that no other gets it.
        self._mentions: Final[dict[int, tuple[Conjunction, _MentionsOf]]] = {}

    def find(
        self,
        pair: Pair,
        condition: str,
        part: JSONSchemaProps | ValidationRule,
        *,
        is_kept: bool = False,
    ) -> str | None:
        """Return an object, as JSON, that breaks a new condition on the values of a pair, a part of the new schema.

        It is empty if only the value is known, and None if no value is. Nothing else in the new schema rejects the value
        before that part, a rule. With ``is_kept``, that is an update which does not change the value.
        """
        example: str | None = None
        with work.continued(work.Budget(_WORK)), suppress(work.WorkLimitError):
            breaking = self._breaking(pair, condition, part, is_kept=is_kept)
            for value in islice(breaking, _COMPLETED):
                example = ""
                text = self._completed(pair, value) if self.explains else ""
                if text is not None:
                    return text
        return example

    def _breaking(
        self,
        pair: Pair,
        condition: str,
        part: JSONSchemaProps | ValidationRule,
        *,
        is_kept: bool,
    ) -> Iterator[Any]:
        """Yield values that the old schema accepts and a part of the new one rejects."""
        old = self._check(pair.old, pair)
        is_broken = self._breaks(pair, part, is_kept=is_kept)
        null = [None] if pair.old[0].nullable else []
        for value in chain(islice(self._values(pair, condition), _TRIED), null):
            if not is_broken(value) or old.errors(value):
                continue
            if not is_kept or not old.errors(value, is_kept=True):
                yield value

    def _breaks(
        self, pair: Pair, part: JSONSchemaProps | ValidationRule, *, is_kept: bool
    ) -> Callable[[Any], bool]:
        """Return a function that returns whether a part of the new schema, and nothing before it, rejects a value."""
        if not isinstance(part, ValidationRule):
            own = _Check(Conjunction((part,)), None, self.server)
            return lambda value: bool(own.errors(value))
        new = self._check(pair.new, pair)

        def breaks_rule(value: Any) -> bool:
            return new.breaks(part, value, is_kept=is_kept) and not new.has_other_errors(value)

        return breaks_rule

    def _values(self, pair: Pair, condition: str) -> Iterable[Any]:
        """Yield values that may break a condition, which are valid if they do not break an old one."""
        own_names, own_literals, own_patterns = mentioned(condition)
        names, literals, patterns = set(own_names), list(own_literals), set(own_patterns)
        for mentions in self._mentions_beside(pair).nearest_first(own_names):
            if len(literals) >= _LITERALS:
                break
            literals += mentions.constants
            patterns |= mentions.patterns
            if own_names & mentions.names and len(names) < _FIELDS:
                names |= mentions.names
        literals = [as_value(literal, own_patterns | patterns) for literal in literals]
        # The longest are the most specific, and the number of values that are tried is limited.
        constants = sorted(
            dict.fromkeys(literals), key=lambda literal: len(str(literal)), reverse=True
        )
        candidates = Candidates(
            names,
            constants or [0],
            self.is_valid,
            self.server,
        )
        if pair.parent is not None:
            return candidates.values(pair.old, pair.new)
        long = {**self._identity, "metadata": {"name": "a" * _LONG_NAME}}
        return chain.from_iterable(
            candidates.values(pair.old, pair.new, base) for base in (self._identity, long)
        )

    def _mentions_beside(self, pair: Pair) -> _MentionsOf:
        """Return what the old conditions mention on a value and, if the run explains its changes, on the one above it."""
        key = id(pair.old)
        if key not in self._mentions:
            texts = conditions_of(pair.old)
            if pair.parent is not None and self.explains:
                texts += conditions_of(pair.parent.old)
            self._mentions[key] = pair.old, _MentionsOf(texts)
        return self._mentions[key][1]

    def _check(self, node: Conjunction, pair: Pair | None) -> _Check:
        key = tuple(map(id, node))
        if key not in self._checks:
            is_whole = pair is not None and pair.parent is None
            rules = self._rules.of(node[0], is_root=node[0].x_embedded_resource or is_whole)
            self._checks[key] = _Check(node, rules, self.server)
        return self._checks[key]

    def is_valid(self, node: Conjunction, value: Any) -> bool:
        """Return whether schemas accept a value."""
        return not self._check(node, None).errors(value)

    def fits(self, node: Conjunction, value: Any) -> bool:
        """Return whether schemas accept a value apart from their rules."""
        return not self._check(node, None).has_other_errors(value)

    def _completed(self, pair: Pair, value: Any) -> str | None:
        """Return a valid object of the old schema that contains a value, as JSON."""
        values = [value]
        while pair.parent is not None:
            containers = (self._valid_around(pair, pair.parent, each) for each in values)
            values = list(islice(chain.from_iterable(containers), _KEPT))
            pair = pair.parent
        new = self._check(pair.new, pair)
        rejected = next((each for each in values if new.errors(each)), None)
        return None if rejected is None else json.dumps(rejected, ensure_ascii=False)

    def _valid_around(self, pair: Pair, parent: Pair, value: Any) -> Iterator[Any]:
        """Yield valid objects or maps with a value, one of them, or lists, of which the rules above may reject some."""
        check = self._check(parent.old, parent)
        valid = (each for each in self._around(pair, parent, value) if not check.errors(each))
        return islice(valid, _KEPT if pair.step == ITEM else 1)

    def _around(self, pair: Pair, parent: Pair, value: Any) -> Iterator[Any]:
        """Yield objects, lists or maps with a value; those last that need the constants of the rules around it."""
        for constants in ((), tuple(_constants_around(parent.old))):
            around = Candidates(
                frozenset(),
                constants,
                self.is_valid,
                self.server,
            )
            yield from islice(self._containers(around, pair, parent, value), _AROUND)

    def _containers(
        self,
        around: Candidates,
        pair: Pair,
        parent: Pair,
        value: Any,
    ) -> Iterable[Any]:
        if pair.step == ITEM:
            return around.lists(parent.old, value)
        identity = {} if parent.parent else self._identity
        field = "a" if pair.step == VALUE else pair.step
        return around.values(parent.old, parent.new, {**identity, field: value})


class _Check:
    """Validates values of schemas that apply together, as the API server validates objects."""

    def __init__(self, node: Conjunction, rules: RuleValidator | None, server: Server) -> None:
        self._node: Final = node
        defaults = (schema.default for schema in _subschemas(node[0]))
        self._has_defaults: Final = any(default is not None for default in defaults)
        self._values: Final = [ValueValidator(schema, server=server) for schema in node]
        self._rules: Final = rules
        self._relevant: Final = RelevantRules(rules)
        self._server: Final = server

    def _defaulted(self, value: Any) -> Any:
        if not self._has_defaults:
            return value
        value = deep_copy(value)
        apply_defaults(value, self._node[0])
        return value

    def breaks(self, rule: ValidationRule, value: Any, *, is_kept: bool) -> bool:
        """Return whether a new value, or one that an update does not change, breaks one of the rules."""
        return evaluation.breaks(
            self._rules,
            rule,
            self._defaulted(value),
            _COST,
            is_kept=is_kept,
        )

    def has_other_errors(self, value: Any) -> bool:
        """Return whether something else than a rule rejects a value."""
        value = self._defaulted(value)
        return any(validator.validate(value) for validator in self._values)

    def errors(self, value: Any, *, is_kept: bool = False) -> list[FieldError]:
        """Return the errors of a new value, or of one that an update does not change, with the defaults of its fields."""
        value = self._defaulted(value)
        count = [error for validator in self._values for error in validator.validate(value)]
        if self._node.type in {"object", "array"}:
            count += validate_list_sets_and_maps(self._node[0], value)
            count += validate_embedded(
                None,
                value,
                self._node[0],
                self._server,
                is_resource_root=False,
            )
        run = Run("", _COST)
        with suppress(OutOfBudgetError):  # it is among the errors
            before = value if is_kept else MISSING
            evaluation.validate_rules(
                self._relevant.of(value),
                run,
                None,
                value,
                before,
            )
        return [*count, *run.errors]


def _constants_around(node: Conjunction) -> Iterator[Any]:
    """Yield the constants of the rules of an object, and of the fields that it and these require."""
    pending = [node]
    while pending:
        node = pending.pop()
        for condition in conditions_of(node)[:_FEW_CONDITIONS]:
            yield from mentioned(condition).constants
        pending += list(map(node.of_property, node.required))


def _subschemas(schema: JSONSchemaProps) -> Iterator[JSONSchemaProps]:
    """Yield a schema and the schemas of all values below it."""
    pending = [schema]
    while pending:
        schema = pending.pop()
        yield schema
        below = (*schema.properties.values(), schema.item_schema, schema.additional_schema)
        pending.extend(filter(None, below))


_DEEPEST: Final = 12  # values within each other
_PARTS: Final = 20  # values of a field, or of an item, within another value
_FEW_PARTS: Final = 2  # of them, if there is nothing to break
_TRIED_PARTS: Final = 60  # of values, until so many are valid
_SOME: Final = 3  # fields of an object that must have any
_FEW_TEXTS: Final = 3  # constants that a text is not to contain
_SIZES: Final = 12  # of texts, lists and maps
_OPTIONS: Final = 40  # fields of an object of which several values are tried
_FIELDS: Final = 24  # of an object that other conditions name, until there are so many
_NEAREST: Final = 100  # conditions about the fields of another one
_LITERALS: Final = 100  # of other conditions than the one to break, until there are so many
_FEW_CONDITIONS: Final = 12  # of an object
_COMBINATIONS: Final = 400  # of the fields of an object
_LONGEST: Final = 5_000  # items of a list, or fields of a map
_LONGEST_TEXT: Final = 100_000  # characters
_URL: Final = "https://a.b"
# Texts that functions of CEL and formats accept: subnets, long addresses, durations.
_OF_FUNCTIONS: Final = (
    "10.0.0.0/8",
    "2001:db8::/32",
    "2001:db8:1:1:1:1:1:1",
    "1h",
    "1h0m0.000001s",
)
_NOTHING: Final = r"[^\x00-\x{10FFFF}]"  # a pattern that matches no text
_OF_LISTS: Final = sum(
    SCHEMA_BITS[name]
    for name in (
        "minItems",
        "maxItems",
        "x-kubernetes-list-type",
        "x-kubernetes-validations",
        *JUNCTORS,
    )
)
_RESOURCE: Final = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}
_OF_NUMBERS: Final = ("minimum", "maximum")
_ABSENT: Final = object()


class Candidates:
    """Builds values of an old schema that may break a new one, with optional fields ``names`` and a condition's ``literals``."""

    def __init__(
        self,
        names: AbstractSet[str],
        literals: Sequence[Any],
        is_valid: Callable[[Conjunction, Any], bool],
        server: Server,
    ) -> None:
        self._names: Final = names
        self._server: Final = server
        self._is_valid: Final = is_valid
        self._parts: Final = _PARTS if literals else _FEW_PARTS
        self._inner_values: Final[dict[tuple[int, int, int], list[Any]]] = {}
        numbers = list(filter(_is_finite_number, literals))
        self._numbers: Final = sorted({*starmap(add, product(numbers, (-1, 0, 1)))})
        self._texts: Final = [text for text in literals if isinstance(text, str)]

    def lists(self, old: Conjunction, item: Any) -> Iterator[Any]:
        """Yield lists that contain an item."""
        fewest = min(max(schema.min_items or 0 for schema in old), _LONGEST)
        yield [item] * max(1, fewest)
        more = max(0, fewest - 1)
        yield [item, *islice(self._distinct(old.list_items()), more)]
        if isinstance(item, dict):
            yield [item, *islice(self._distinct(old.list_items(), item), more)]

    def values(
        self,
        old: Conjunction,
        new: Conjunction,
        fixed: Mapping[str, Any] = MappingProxyType({}),
        depth: int = 0,
    ) -> Iterable[Any]:
        """Return values; ``fixed`` are fields of an object that each of them has."""
        if depth > _DEEPEST:
            return []
        type_ = old.type
        null: list[Any] = [None] if old[0].nullable and depth else []
        if type_ == "object":
            return chain(null, self._objects(old, new, depth, fixed))
        if type_ == "array":
            return [*self._lists(old, new, depth), *null]
        return [*self._scalars(old, new, type_), *null]

    def _objects(
        self,
        old: Conjunction,
        new: Conjunction,
        depth: int,
        fixed: Mapping[str, Any],
    ) -> Iterator[Any]:
        names = self._optional_names(old)
        options: dict[str, list[Any]] = {}
        for name in dict.fromkeys((*old.required, *sorted(names))):
            if name in fixed or not old.of_property(name):
                continue
            values = self._options(name, old, new, depth, is_named=name in names)
            options[name] = values if len(options) < _OPTIONS else values[:1]
        base: dict[str, Any] = {**fixed}
        if old[0].x_embedded_resource:
            base = {**_RESOURCE, **fixed}
        for values_by_rank in _by_rank(list(options.values())):
            values_of_fields = zip(options, values_by_rank, strict=True)
            chosen = {name: value for name, value in values_of_fields if value is not _ABSENT}
            yield deep_copy({**base, **chosen})
        yield from self._maps(old, new, depth, base)

    def _optional_names(self, old: Conjunction) -> AbstractSet[str]:
        """Return the names of the fields to set besides required ones: those of conditions, more if a minimum demands them."""
        names = self._names | _mentioned_beside(self._names, conditions_of(old))
        if any((schema.min_properties or 0) > len(old.required) for schema in old):
            names |= {*islice(old.property_names(), _SOME)}
        return names

    def _options(
        self,
        name: str,
        old: Conjunction,
        new: Conjunction,
        depth: int,
        *,
        is_named: bool,
    ) -> list[Any]:
        """Return what a field of an object may be: absent, or one of a few values."""
        schemas, after = old.of_property(name), new.of_property(name)
        absent = [_ABSENT] * (name not in old.required or schemas[0].default is not None)
        inner = self._inner(schemas, after, depth)
        if is_named:
            return [*absent, *inner]
        # The value is not to break the new schema.
        number = 1 if schemas.type in {"object", "array"} else 2
        accepted = (value for value in inner if self._is_valid(after or schemas, value))
        few = list(islice(accepted, number)) or inner[:number]
        return [*absent, *few]

    def _maps(
        self,
        old: Conjunction,
        new: Conjunction,
        depth: int,
        base: dict[str, Any],
    ) -> Iterator[Any]:
        below = old.map_values()
        if not below and not old.keeps_unknown_fields:
            return
        values = self._inner(below, new.map_values(), depth) if below else ["a", 1, {}]
        if not values:
            return
        keys = ["a", *self._texts[: self._parts]]
        yield from ({**base, key: value} for value, key in product(values, keys))
        yield from ({**base, "a" * size: values[0]} for size in self._sizes(old, "length"))
        for size in self._sizes(old, "properties"):
            yield {**base, **{f"a{i}": values[0] for i in range(size)}}

    def _lists(self, old: Conjunction, new: Conjunction, depth: int) -> Iterator[Any]:
        below = old.list_items()
        if not below:
            yield []
            return
        values = self._inner(below, new.list_items(), depth)
        sizes = self._sizes(old, "items")
        yield []
        yield from _repeated(values[:2], [1])
        yield from map(list, product(values[:4], repeat=2))
        for size in sizes:
            yield from _repeated(values[:1], [size])
            yield list(islice(self._distinct(below), size))
        yield from _repeated(values[2:], [1])
        yield from _repeated(values[1:4], sizes)
        yield from map(list, product(values, repeat=2))

    def _inner(self, old: Conjunction, new: Conjunction, depth: int) -> list[Any]:
        """Return valid values of a field or item, fewer of them the deeper it is."""
        number = max(2, self._parts * 2 // (depth + 2))
        key = id(old[0]), id(new[0]) if new else 0, number
        if key not in self._inner_values:
            tried = islice(self.values(old, new, depth=depth + 1), _TRIED_PARTS)
            self._inner_values[key] = list(islice(self._valid(old, tried), number))
        return self._inner_values[key]

    def _valid(self, node: Conjunction, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the valid ones of some values, each once."""
        # The items of other lists are valid, and with them the list.
        restricts = any(schema.set_fields & _OF_LISTS for schema in node)
        is_plain = node.type == "array" and not restricts
        seen: set[str] = set()
        for value in values:
            text = json.dumps(value)
            if text not in seen and (is_plain or self._is_valid(node, value)):
                seen.add(text)
                yield value

    def _distinct(
        self, node: Conjunction, base: Mapping[str, Any] = MappingProxyType({})
    ) -> Iterator[Any]:
        """Yield different items: numbers, texts, or objects like ``base`` with these in all of their required fields."""
        if not node:
            return
        type_ = node.type
        varying: dict[str, str] = {}
        if type_ == "object":
            base = base or next(self._objects(node, Conjunction(), 1, {}), {})
            varying = self._varying(node, base)
        for i in range(_LONGEST):
            scalars = {"string": f"a{i}", "integer": i + 1}
            if type_ == "object":
                varied = {name: scalars[each] for name, each in varying.items()}
                yield {**base, **varied}
            else:
                yield scalars.get(type_, i)

    def _varying(self, node: Conjunction, base: Mapping[str, Any]) -> dict[str, str]:
        """Return the fields of an object that can have any text or number, and their types."""
        first = {"string": "a0", "integer": 1}
        types = {name: schemas.type for name, schemas in node.properties().items() if name in base}
        return {
            name: type_
            for name, type_ in types.items()
            if type_ in first and self._is_valid(node.of_property(name), first[type_])
        }

    def _sizes(self, old: Conjunction, what: str) -> list[int]:
        """Return the smallest size that a schema allows, and those beside the constants of the condition."""
        smallest = {getattr(schema, f"min_{what}") for schema in old} - {None}
        sizes = {*map(int, self._numbers), *smallest}
        longest = _LONGEST_TEXT if what == "length" else _LONGEST
        return sorted(size for size in sizes if 0 <= size <= longest)[:_SIZES]

    def _scalars(self, old: Conjunction, new: Conjunction, type_: str) -> list[Any]:
        folded = constraints(old, self._server)
        after = constraints(new, self._server) if new else None
        if folded.enum is not None:
            return list(self._of_enumeration(folded.enum, after))
        match type_:
            case "boolean":
                return [False, True]
            case "integer" | "number":
                return self._of_numbers(folded, after)
            case "string":
                return list(self._of_texts(old, folded, after))
            case "int-or-string":
                return [*self._of_numbers(folded, after), *self._of_texts(old, folded, after)]
            case _:
                return [{}, "a", 1, *self._texts, *self._numbers]

    def _of_enumeration(self, old: Mapping[Any, Any], after: Constraints | None) -> Iterator[Any]:
        """Yield the values of an enumeration, those first that the new one lacks, then the constants of the condition."""
        if after is not None and after.enum is not None:
            remaining = after.enum
            yield from (value for key, value in old.items() if key not in remaining)
        yield from (value for value in old.values() if value in self._texts)
        yield from old.values()

    def _of_numbers(self, old: Constraints, new: Constraints | None) -> list[Any]:
        numbers = [0, 1, -1, *self._numbers]
        for side in filter(None, (old, new)):
            numbers += _around_bounds(side)
        numbers += starmap(mul, product(old.multiples, (1, 2, 3)))
        if new is not None and new.formats - old.formats:
            numbers += [2**31, 2**53]
        if old.type != "number":
            integers = {int(number) for number in numbers if float(number).is_integer()}
            return sorted(integers, key=abs)
        halves = [number + 0.5 for number in self._numbers]
        return sorted({*map(float, numbers), 0.5, *halves}, key=abs)

    def _of_texts(
        self, old: Conjunction, folded: Constraints, after: Constraints | None
    ) -> Iterator[str]:
        """Yield texts of the old patterns and formats, those first that the new patterns do not match."""
        yield from self._texts
        if not folded.patterns:
            yield "a"
        # Sets of texts have another order in each process.
        for old_pattern in sorted(folded.patterns) or [""]:
            yield from self._breaking_patterns(old_pattern, folded, after)
        yield from (SAMPLES[name] for name in sorted(SAMPLES.keys() & folded.formats))
        yield from ("", "a")
        yield from self._of_lengths(old, min(folded.patterns, default=""))
        yield from ("A b!", "10.0.0.1", "::1", _URL)
        if not folded.patterns:
            yield from self._lengthened(old)
            yield from _OF_FUNCTIONS

    def _lengthened(self, old: Conjunction) -> Iterator[str]:
        """Yield numbers with the lengths of the condition, and texts that begin or end with a constant, or are URLs."""
        sizes = self._sizes(old, "length")
        constants = self._texts[:_FEW_TEXTS]
        yield from ("0" * size for size in sizes)
        yield from (f"0{text}" for text in constants)
        for text in (*constants, _URL):
            yield from (text.ljust(size, "a") for size in sizes if size > len(text))
        for text in constants:
            yield from (text.rjust(size, "a") for size in sizes if size > len(text))

    def _breaking_patterns(
        self, old_pattern: str, folded: Constraints, after: Constraints | None
    ) -> Iterator[str]:
        """Yield a text of an old pattern for each pattern to break, and one text more."""
        for pattern in (*self._patterns_to_break(old_pattern, after), _NOTHING):
            text = pattern_relation(old_pattern, pattern, *folded.lengths).lost
            if text is not None:
                yield text

    def _patterns_to_break(self, old_pattern: str, after: Constraints | None) -> list[str]:
        """Return the patterns of the new schema, of its enumeration and of the constants of the condition."""
        patterns: list[str] = []
        if after is not None:
            patterns += sorted(after.patterns)
            if after.enum is not None:
                patterns.append(pattern_of(after.enum.values()))
        if old_pattern:
            patterns += map(re.escape, self._texts[:_FEW_TEXTS])
        return patterns

    def _of_lengths(self, old: Conjunction, pattern: str) -> Iterator[str]:
        """Yield texts that match a pattern, or any if it is empty, with the lengths of the condition."""
        for size in self._sizes(old, "length"):
            if not pattern:
                yield "a" * size
                continue
            text = pattern_relation(pattern, _NOTHING, size, size).lost
            if text is not None:
                yield text


def _is_finite_number(literal: Any) -> bool:
    is_number = isinstance(literal, (int, float)) and not isinstance(literal, bool)
    return is_number and math.isfinite(literal)


def _repeated(values: Iterable[Any], sizes: Iterable[int]) -> Iterator[list[Any]]:
    """Yield lists of one value each, in some sizes."""
    return ([value] * size for value, size in product(values, sizes))


def _around_bounds(constraints: Constraints) -> Iterator[float]:
    """Yield the finite bounds of numbers, each with the numbers beside it."""
    for name in _OF_NUMBERS:
        bound = constraints.bounds.get(name)
        if bound is not None and math.isfinite(bound.value):
            yield from (bound.value, bound.value - 1, bound.value + 1)


def _by_rank(options: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """Yield combinations of one option each, the first options first."""
    if not all(options):
        return
    ranks = range(_highest_rank(options) + 1)
    yield from islice(chain.from_iterable(_of_rank(options, rank) for rank in ranks), _COMBINATIONS)


def _highest_rank(options: Sequence[Sequence[Any]]) -> int:
    """Return the sum of the indexes of the last options."""
    return sum(map(len, options)) - len(options)


def _of_rank(options: Sequence[Sequence[Any]], rank: int) -> Iterator[tuple[Any, ...]]:
    """Yield combinations the indexes of which have a sum, no more than the highest."""
    if not options:
        yield ()
        return
    first, *rest = options
    fewest = max(0, rank - _highest_rank(rest))
    for i in range(fewest, min(rank, len(first) - 1) + 1):
        yield from ((first[i], *others) for others in _of_rank(rest, rank - i))


def _mentioned_beside(names: AbstractSet[str], conditions: Sequence[str]) -> frozenset[str]:
    """Return the fields of all conditions if these are few, else of those that mention one of some names."""
    fields = [mentioned(condition).names for condition in conditions]
    if len(fields) > _FEW_CONDITIONS:
        fields = [each for each in fields if each & names]
    return frozenset[str]().union(*fields)


class Mentions(NamedTuple):
    """The fields that a condition mentions, its constants in their order, and which of these are patterns of texts."""

    names: frozenset[str]
    constants: tuple[Any, ...]
    patterns: frozenset[str] = frozenset()


class _MentionsOf:
    """What some conditions mention, by the fields that they mention."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._all: Final = list(map(mentioned, texts))
        self._by_name: Final[dict[str, list[int]]] = defaultdict(list)
        for i, mentions in enumerate(self._all):
            for name in mentions.names:
                self._by_name[name].append(i)

    def nearest_first(self, names: AbstractSet[str]) -> Iterator[Mentions]:
        """Yield what conditions mention, first those with one of some fields."""
        numbers = (self._by_name.get(name, ()) for name in names)
        nearest = set(islice(chain.from_iterable(numbers), _NEAREST))
        yield from (self._all[i] for i in sorted(nearest))
        yield from (mentions for i, mentions in enumerate(self._all) if i not in nearest)


@lru_cache(maxsize=4096)
def mentioned(condition: str) -> Mentions:
    """Return the fields of a condition, its constants in their order, and the patterns of its texts."""
    names: set[str] = set()
    literals: list[Any] = []
    patterns: set[str] = set()
    for node in nodes_of(condition):
        match node:
            case Select():
                names.add(unescape(node.field) or node.field)
            case Call(function="matches", args=(*_, Literal(value=str(pattern)))):
                patterns.add(pattern)
            case Literal(value=str(text)):
                literals.append(text)
                names.add(text)  # an optional field, or a key
            case Literal(value=int() | float()):
                literals.append(node.value)
    return Mentions(frozenset(names), tuple(literals), frozenset(patterns))


def as_value(literal: Any, patterns: AbstractSet[str]) -> Any:
    """Return a constant of a condition as a value that people write: of a pattern, a text that matches it."""
    if literal not in patterns:
        return literal
    matching = pattern_relation(literal, _NOTHING).lost
    return literal if matching is None else matching
