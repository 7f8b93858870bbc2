"""Objects for the tests of a CRD: one that it accepts, and for each limit and rule one on either side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import filterfalse, islice
from typing import Any, Final, TypeAlias

from crdlint.changes.conjunction import Conjunction
from crdlint.changes.examples import Candidates, Examples, mentioned
from crdlint.crd.errors import Code, FieldError
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.evaluation.evaluate import SchemaRule, rules_of
from crdlint.evaluation.field_paths import AnyItem, field_path_text
from crdlint.kubernetes.servers import Server
from crdlint.light import dataclass
from crdlint.resources.validation import NotDecodedError, ObjectResult, ResourceValidator
from crdlint.safety import work
from crdlint.schema.deep_equal import deep_copy
from crdlint.suites.violations import TestedLimit, limits_of

_TRIED: Final = 300  # objects for one rule
_PAIRS: Final = 30  # objects whose updates are tried for a transition rule
_FIELDS: Final = 400  # of a schema whose limits are tested

Object: TypeAlias = "dict[str, Any]"
Steps: TypeAlias = "tuple[str | AnyItem, ...]"


@dataclass(frozen=True, slots=True)
class Witness:
    """An object that shows what a part of a schema does.

    ``error`` is a part of the rejection, empty if the object is accepted, and then stored as ``stored``. ``old`` is the
    object before an update, None for a create.
    """

    name: str
    sent: Object
    error: str = ""
    stored: Object | None = None
    old: Object | None = None


class Witnesses:
    """Finds witnesses for all parts of the schema of a version."""

    def __init__(self, validator: ResourceValidator, identity: Object, server: Server) -> None:
        self._validator: Final = validator
        self._identity: Final = identity
        self._server: Final = server
        self._examples: Final = Examples(identity, server, explains=True)
        schema = validator.schema
        self._schema: Final = JSONSchemaProps() if schema is None else schema
        self._rules: Final = list(rules_of(self._schema))
        self.missing: Final[list[str]] = []  # parts for which no object was found

    def all(self) -> Iterator[Witness]:
        """Yield the witnesses: the smallest object, then those of limits, then those of rules."""
        base = self._smallest()
        if base is None:
            self.missing.append("an object that the CRD accepts")
            return
        yield self._accepted("the smallest object", base)
        for steps, schema in islice(_fields(self._schema), _FIELDS):
            for limit in limits_of(schema):
                yield from self._of_limit(base, steps, limit)
        for rule in self._rules:
            yield from (
                self._of_transition(rule) if _is_transition(rule.rule) else self._of_rule(rule)
            )

    def _smallest(self) -> Object | None:
        """Return the first object that the CRD accepts, with required fields only if that is possible."""
        texts = [rule.rule.rule for rule in self._rules]
        for conditions in ([], texts):
            for value in self._candidates(conditions):
                if not self._errors(value):
                    return value
        return None

    def _candidates(self, conditions: Iterable[str], path: Iterable[str] = ()) -> Iterator[Object]:
        """Yield objects that may break conditions, or keep them."""
        names = set(path)
        literals: list[Any] = []
        for condition in conditions:
            mentions = mentioned(condition)
            names |= mentions.names
            literals += mentions.constants
        constants = list(dict.fromkeys(literals)) or [0]
        schema = Conjunction.of(self._schema)
        # Values that rules reject are only built if not every part has to be valid.
        for is_valid in (self._examples.is_valid, _is_anything):
            candidates = Candidates(names, constants, is_valid, self._server)
            yield from islice(candidates.values(schema, schema, self._identity), _TRIED)

    def _result(self, sent: Object, old: Object | None = None) -> ObjectResult | None:
        """Return what the server does with an object, None if it cannot be decoded or takes too long."""
        with suppress(NotDecodedError, work.WorkLimitError):
            if old is None:
                return self._validator.create(deep_copy(sent))
            return self._validator.update(deep_copy(sent), deep_copy(old))
        return None

    def _errors(self, sent: Object, old: Object | None = None) -> tuple[FieldError | None, ...]:
        """Return the errors of an object; None in it means that the server cannot read the object."""
        result = self._result(sent, old)
        return (None,) if result is None else tuple(filterfalse(_is_consequence, result.errors))

    def _accepted(self, name: str, sent: Object, old: Object | None = None) -> Witness:
        result = self._result(sent, old)
        stored = sent if result is None else self._validator.read(result.resource)
        return Witness(f"accepts {name}", sent, stored=stored, old=old)

    def _of_limit(self, base: Object, steps: Steps, limit: TestedLimit) -> Iterator[Witness]:
        """Yield an object with the value at a limit, and one with a value beyond it."""
        where = field_path_text(steps) or "the object"
        inside = self._first(base, steps, limit.keeping, lambda errors: not errors)
        if inside is not None:
            yield self._accepted(f"{where} with {limit.name}", inside)
        outside = self._first(base, steps, limit.breaking, lambda errors: len(errors) == 1)
        if outside is None:
            self.missing.append(f"{where}: {limit.name}")
            return
        error = self._errors(outside)[0]
        yield Witness(f"rejects {where} against {limit.name}", outside, str(error))

    def _first(
        self,
        base: Object,
        steps: Steps,
        changes: Iterable[Callable[[Any], Any]],
        fits: Callable[[tuple[FieldError | None, ...]], bool],
    ) -> Object | None:
        """Return the first object with a changed value at some steps whose errors fit."""
        for change in changes:
            changed = self._changed(base, steps, change)
            if changed is None:
                continue
            errors = self._errors(changed)
            if None not in errors and fits(errors):
                return changed
        return None

    def _changed(self, base: Object, steps: Steps, change: Callable[[Any], Any]) -> Object | None:
        """Return an object with a changed value at some steps, whose parents are filled in."""
        root: Any = {"": deep_copy(base)}
        holder, key, schema = root, "", self._schema
        for step in steps:
            value = holder[key]
            below = schema.properties.get(str(step)) if isinstance(step, str) else None
            below = below or schema.item_schema or schema.additional_schema
            if below is None:
                return None
            key_: Any = step if isinstance(step, str) else 0 if isinstance(value, list) else "a"
            if not _has(value, key_):
                _fill(value, key_, self._value_of(below))
            holder, key, schema = value, key_, below
            if not _has(holder, key):
                return None
        with suppress(TypeError, ValueError, AttributeError, KeyError, IndexError):
            holder[key] = change(deep_copy(holder[key]))
            return root[""] if isinstance(root[""], dict) else None
        return None

    def _value_of(self, schema: JSONSchemaProps) -> Any:
        """Return a small value of a schema."""
        candidates = Candidates(frozenset(), [0], self._examples.is_valid, self._server)
        node = Conjunction.of(schema)
        return next(iter(candidates.values(node, node, depth=1)), {})

    def _of_rule(self, rule: SchemaRule) -> Iterator[Witness]:
        """Yield an object that a rule accepts, and one that it alone rejects."""
        names = mentioned(rule.rule.rule).names
        path = [step for step in rule.steps if isinstance(step, str)]
        accepted = broken = None
        for value in self._candidates([rule.rule.rule], path):
            errors = self._errors(value)
            if not errors and _mentions(value, names, path):
                accepted = value if accepted is None else accepted
            if _is_only(errors, rule.rule):
                broken = value if broken is None else broken
            if None not in (accepted, broken):
                break
        if accepted is not None:
            yield self._accepted(_title(rule), accepted)
        if broken is None:
            self.missing.append(f"rejected by {_title(rule)}")
            return
        yield Witness(f"rejects {_title(rule)}", broken, str(self._errors(broken)[0]))

    def _of_transition(self, rule: SchemaRule) -> Iterator[Witness]:
        """Yield an update that a transition rule accepts, and one that it alone rejects."""
        pairs = self._pairs(rule)
        accepted = next((pair for pair in pairs if not self._errors(pair[1], pair[0])), None)
        if accepted is not None:
            yield self._accepted(_title(rule), accepted[1], accepted[0])
        for old, new in pairs:
            errors = self._errors(new, old)
            if _is_only(errors, rule.rule):
                yield Witness(f"rejects {_title(rule)}", new, str(errors[0]), old=old)
                return
        self.missing.append(f"rejected by {_title(rule)}")

    def _pairs(self, rule: SchemaRule) -> list[tuple[Object, Object]]:
        """Return pairs of different objects that are valid on create."""
        path = [step for step in rule.steps if isinstance(step, str)]
        candidates = self._candidates([rule.rule.rule], path)
        valid = list(islice((each for each in candidates if not self._errors(each)), _PAIRS))
        return [(old, new) for old in valid for new in valid if old is not new]


def _is_anything(_: Conjunction, __: Any) -> bool:
    return True


def _is_consequence(error: FieldError | None) -> bool:
    """Return whether an error only means that rules were not evaluated because of others."""
    reason = None if error is None else error.reason
    return reason is not None and reason.code is Code.NOT_CHECKED


def _fields(root: JSONSchemaProps) -> Iterator[tuple[Steps, JSONSchemaProps]]:
    """Yield the schemas of a schema with the steps of their values, parents first."""
    pending: list[tuple[Steps, JSONSchemaProps]] = [((), root)]
    while pending:
        steps, schema = pending.pop()
        yield steps, schema
        below: list[tuple[Steps, JSONSchemaProps]] = [
            ((*steps, name), each)
            for name, each in schema.properties.items()
            if steps or name not in ("apiVersion", "kind", "metadata", "status")
        ]
        others = filter(None, (schema.item_schema, schema.additional_schema))
        below += [((*steps, AnyItem()), each) for each in others]
        pending += reversed(below)


def _is_transition(rule: ValidationRule) -> bool:
    return "oldSelf" in rule.rule


def _is_only(errors: tuple[FieldError | None, ...], rule: ValidationRule) -> bool:
    """Return whether a rule is all that rejects an object."""
    if len(errors) != 1 or errors[0] is None:
        return False
    cause = errors[0].cause
    return cause is not None and cause.rule is rule


def _title(rule: SchemaRule) -> str:
    where = field_path_text(rule.steps) or "the object"
    return f"{where} by rule {rule.number}: {' '.join(rule.rule.rule.split())}"


def _mentions(value: Any, names: Iterable[str], path: list[str]) -> bool:
    """Return whether an object has all fields that a rule names, as far as they are below its path."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else value
    return not isinstance(value, dict) or any(name in value for name in names)


def _has(value: Any, key: Any) -> bool:
    if isinstance(value, dict):
        return key in value
    return isinstance(value, list) and isinstance(key, int) and key < len(value)


def _fill(value: Any, key: Any, item: Any) -> None:
    """Add a value to an object or list that lacks it."""
    if isinstance(value, dict):
        value[key] = item
    elif isinstance(value, list):
        value.append(item)
