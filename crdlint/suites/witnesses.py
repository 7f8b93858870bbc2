"""Objects for the tests of a CRD: one that it accepts, and for each limit and rule one on either side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, filterfalse, islice
from math import inf
from typing import Any, Final, TypeAlias

from crdlint.changes.conjunction import Conjunction
from crdlint.changes.examples import Candidates, Examples, as_value, mentioned
from crdlint.crd.errors import Code, FieldError
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.evaluation.evaluate import SchemaRule, rules_of
from crdlint.evaluation.field_paths import AnyItem, FieldStep, field_path_text
from crdlint.gathering import first_of, without_none
from crdlint.kubernetes.servers import Server
from crdlint.light import dataclass, replace
from crdlint.resources.validation import NotDecodedError, ObjectResult, ResourceValidator
from crdlint.safety import work
from crdlint.schema.deep_equal import deep_copy
from crdlint.schema.defaulting import META_FIELDS
from crdlint.suites.variations import Change, Variations
from crdlint.suites.violations import TestedLimit, limits_of

_TRIED: Final = 300  # objects for one rule
_IN_ALL: Final = (
    6_000  # objects for the rules of a version, of which a rule gets a part of those that are left
)
_SHARE: Final = 8
_FEWEST: Final = 60  # objects that are tried for each rule
_REPAIRS: Final = 30  # changes of an object until all rules accept it
_PAIRS: Final = 30  # objects whose updates are tried for a transition rule
# Each object has these fields.
_ALWAYS_MET: Final = {f"the required field {name}" for name in META_FIELDS}
_FIELDS: Final = 400  # of a schema whose limits are tested

Object: TypeAlias = "dict[str, Any]"
Steps: TypeAlias = "tuple[str | AnyItem, ...]"
Errors: TypeAlias = "tuple[FieldError | None, ...]"


@dataclass(frozen=True, slots=True)
class Witness:
    """An object that shows what a part of a schema does.

    ``error`` is a part of the rejection, empty if the object is accepted, and then stored as ``stored``. ``old`` is the
    object before an update, None for a create. ``of_status``: the update of the status subresource is what is rejected.
    """

    name: str
    sent: Object
    error: str = ""
    stored: Object | None = None
    old: Object | None = None
    of_status: bool = False


class Witnesses:
    """Finds witnesses for all parts of the schema of a version."""

    def __init__(self, validator: ResourceValidator, identity: Object, server: Server) -> None:
        self._validator: Final = validator
        self._identity: Final = identity
        self._server: Final = server
        self._examples: Final = Examples(identity, server, explains=True)
        schema = validator.schema
        self._schema: Final = JSONSchemaProps() if schema is None else schema
        self._variations: Final = Variations(self._schema, self._examples, server)
        self._rules: Final = [rule for rule in rules_of(self._schema) if self._is_own(rule.steps)]
        self._left = _IN_ALL  # objects that are tried for rules
        self.missing: Final[list[str]] = []  # parts for which no object was found

    def all(self) -> Iterator[Witness]:
        """Yield the witnesses: the smallest object, then those of limits, then those of rules."""
        base = self._smallest()
        if base is None:
            self.missing.append("an object that the CRD accepts")
            return
        yield self._accepted("the smallest object", base)
        yield from self._of_parts(base)
        if self._validator.has_status:
            of_status = _StatusWitnesses(self._validator, self._identity, self._server)
            yield from of_status.of_object(base)
            self.missing.extend(of_status.missing)

    def _is_own(self, steps: tuple[object, ...]) -> bool:
        """Return whether a create or update of an object decides about a part of it; subresources decide about others."""
        return not self._validator.has_status or steps[:1] != _STATUS

    def _of_parts(self, base: Object) -> Iterator[Witness]:
        """Yield the witnesses of limits, then those of rules."""
        parts = (part for part in _fields(self._schema) if self._is_own(part[0]))
        for steps, schema in islice(parts, _FIELDS):
            limits = (each for each in limits_of(schema) if steps or each.name not in _ALWAYS_MET)
            for limit in limits:
                yield from self._of_limit(base, steps, limit)
        for rule in self._rules:
            of = self._of_transition if _is_transition(rule.rule) else self._of_rule
            yield from of(base, rule)

    def _smallest(self) -> Object | None:
        """Return the first object that the CRD accepts, with required fields only if that is possible."""
        texts = [rule.rule.rule for rule in self._rules]
        closest: tuple[float, Object | None] = (inf, None)
        for conditions in ([], texts):
            for value in self._candidates(conditions):
                distance = self._distance(value)
                if distance == 0:
                    return value
                if distance < closest[0]:
                    closest = distance, value
        return None if closest[1] is None else self._repaired(closest[1])

    def _repaired(self, value: Object, broken: ValidationRule | None = None) -> Object | None:
        """Return an object after changes of fields that the rules which reject it mention, None if one still does.

        The object still breaks the rule `broken`, if that is given.
        """
        for _ in range(_REPAIRS):
            distance = self._distance(value, broken)
            if distance == 0:
                return value
            varied = self._varied(value, broken)
            closer = (each for each in varied if self._distance(each, broken) < distance)
            better = next(closer, None)
            if better is None:
                return None
            value = better
        return None

    def _varied(self, value: Object, broken: ValidationRule | None) -> Iterator[Object]:
        """Yield objects that differ from one in the fields of a rule that rejects it, other than `broken`."""
        rejecting = [rule for rule in _rules_behind(self._errors(value)) if rule is not broken]
        for rule in self._rules:
            if any(each is rule.rule for each in rejecting):
                yield from islice(self._variations.of_rule(value, rule), _TRIED)

    def _distance(self, value: Object, broken: ValidationRule | None = None) -> float:
        """Return how far an object is from one that nothing but `broken` rejects.

        That is the number of errors. Those that keep rules from being evaluated count more.
        """
        errors = self._errors(value)
        behind = _rules_behind(errors)
        others = [rule for rule in behind if rule is not broken]
        if None in errors or (broken is not None and len(others) == len(behind)):
            return inf
        return len(others) + (len(errors) - len(behind)) * (len(self._rules) + 1)

    def _candidates(self, conditions: Iterable[str], path: Iterable[str] = ()) -> Iterator[Object]:
        """Yield objects that may break conditions, or keep them."""
        names = set(path)
        literals: list[Any] = []
        for condition in conditions:
            mentions = mentioned(condition)
            names |= mentions.names
            literals += (as_value(each, mentions.patterns) for each in mentions.constants)
        constants = list(dict.fromkeys(literals)) or [0]
        schema = Conjunction.of(self._schema)
        # Values that rules reject are only built if not every part has to be valid.
        for is_valid in (self._examples.is_valid, self._examples.fits, _is_anything):
            candidates = Candidates(names, constants, is_valid, self._server)
            yield from islice(candidates.values(schema, schema, self._identity), _TRIED)

    def _result(self, sent: Object, old: Object | None = None) -> ObjectResult | None:
        """Return what the server does with an object, None if it cannot be decoded or takes too long."""
        with suppress(NotDecodedError, work.WorkLimitError):
            if old is None:
                return self._validator.create(deep_copy(sent))
            return self._validator.update(deep_copy(sent), deep_copy(old))
        return None

    def _errors(self, sent: Object, old: Object | None = None) -> Errors:
        """Return the errors of an object; None in it means that the server cannot read the object."""
        result = self._result(sent, old)
        return (None,) if result is None else tuple(filterfalse(_is_consequence, result.errors))

    def _accepted(self, name: str, sent: Object, old: Object | None = None) -> Witness:
        result = self._result(sent, old)
        stored = sent if result is None else self._validator.read(result.resource)
        return Witness(f"accepts {name}", sent, stored=stored, old=old)

    def _of_limit(self, base: Object, steps: Steps, limit: TestedLimit) -> Iterator[Witness]:
        """Yield an object with the value at a limit, and one with a value beyond it."""
        where = _field_name(steps)
        inside = self._first(
            base,
            steps,
            limit.keeping,
            lambda errors: not errors,
        )
        if inside is None:
            inside = self._valid_beside(base, steps, limit.keeping)
        if inside is not None:
            yield self._accepted(f"{where} with {limit.name}", inside)
        if limit.words:
            yield from self._beside_others(base, steps, limit)
            return
        outside = self._first(base, steps, limit.breaking, _is_one_of_value)
        if outside is None:  # rules may reject each value beyond the limit, too
            outside = self._first(base, steps, limit.breaking, _has_one_of_value)
        if outside is None:
            self.missing.append(f"{where}: {limit.name}")
            return
        [error] = _of_values(self._errors(outside))
        yield Witness(f"rejects {where} against {limit.name}", outside, str(error))

    def _beside_others(self, base: Object, steps: Steps, limit: TestedLimit) -> Iterator[Witness]:
        """Yield an object with a value beyond a limit, whose error is beside others."""
        where = _field_name(steps)

        def is_broken(errors: Errors) -> bool:
            return any(limit.words in str(error) for error in errors)

        outside = self._first(base, steps, limit.breaking, is_broken)
        if outside is None:
            self.missing.append(f"{where}: {limit.name}")
            return
        errors = map(str, self._errors(outside))
        error = next(each for each in errors if limit.words in each)
        yield Witness(f"rejects {where} against {limit.name}", outside, error)

    def _first(
        self,
        base: Object,
        steps: Steps,
        changes: Iterable[Change],
        fits: Callable[[Errors], bool],
    ) -> Object | None:
        """Return the first object with a changed value at some steps whose errors fit."""
        for change in changes:
            changed = self._variations.changed(base, steps, change)
            if changed is None:
                continue
            errors = self._errors(changed)
            if None not in errors and fits(errors):
                return changed
        return None

    def _valid_beside(self, base: Object, steps: Steps, changes: Iterable[Change]) -> Object | None:
        """Return the first object with a changed value which is valid after changes of other fields."""
        for change in changes:
            changed = self._variations.changed(base, steps, change)
            repaired = None if changed is None else self._repaired(changed)
            again = None if repaired is None else self._variations.changed(repaired, steps, change)
            if again is not None and not self._errors(again):
                return again
        return None

    def _of_rule(self, base: Object, rule: SchemaRule) -> Iterator[Witness]:
        """Yield an object that a rule accepts, and one that it alone rejects."""
        accepted, broken = self._answered(base, rule)
        if accepted is not None:
            yield self._accepted(_title(rule), accepted)
        if broken is None:
            self.missing.append(f"rejected by {_title(rule)}")
            return
        error = _error_of(self._errors(broken), rule.rule)
        yield Witness(f"rejects {_title(rule)}", broken, str(error))

    def _answered(self, base: Object, rule: SchemaRule) -> tuple[Object | None, Object | None]:
        """Return an object with the fields of a rule that it accepts, and one that it rejects, best alone; None without one."""
        names = mentioned(rule.rule.rule).names
        path = [step for step in rule.steps if isinstance(step, str)]
        accepted: list[Object] = []
        broken: list[Object] = []
        near: list[Object] = []
        for value in self._objects(base, rule):
            errors = self._errors(value)
            if not errors and _mentions(value, names, path):
                accepted.append(value)
            if _is_only(errors, rule.rule):
                broken.append(value)
            elif _is_behind(rule.rule, errors):
                near.append(value)
            if accepted and broken:
                break
        if near and not broken:
            broken = [self._repaired(near[0], rule.rule) or near[0]]
        return first_of(accepted), first_of(broken)

    def _objects(self, base: Object, rule: SchemaRule) -> Iterator[Object]:
        """Yield objects that a rule may accept or reject, those first that are otherwise as a valid one."""
        path = [step for step in rule.steps if isinstance(step, str)]
        varied = islice(self._variations.of_rule(base, rule), _TRIED)
        objects = chain(varied, self._candidates([rule.rule.rule], path))
        for each in islice(objects, max(_FEWEST, self._left // _SHARE)):
            self._left -= 1
            yield each

    def _of_transition(self, base: Object, rule: SchemaRule) -> Iterator[Witness]:
        """Yield an update that a transition rule accepts, and one that it alone rejects."""
        pairs = self._pairs(base, rule)
        accepted = next((pair for pair in pairs if not self._errors(pair[1], pair[0])), None)
        if accepted is not None:
            yield self._accepted(_title(rule), accepted[1], accepted[0])
        for old, new in pairs:
            errors = self._errors(new, old)
            if _is_only(errors, rule.rule):
                yield Witness(
                    f"rejects {_title(rule)}",
                    new,
                    str(errors[0]),
                    old=old,
                )
                return
        self.missing.append(f"rejected by {_title(rule)}")

    def _pairs(self, base: Object, rule: SchemaRule) -> list[tuple[Object, Object]]:
        """Return pairs of different objects that are valid on create."""
        candidates = chain([base], self._objects(base, rule))
        valid = list(islice((each for each in candidates if not self._errors(each)), _PAIRS))
        return [(old, new) for old in valid for new in valid if old is not new]


class _StatusWitnesses(Witnesses):
    """Finds the witnesses of the status of an object, which only updates of its status subresource change."""

    def __init__(self, validator: ResourceValidator, identity: Object, server: Server) -> None:
        super().__init__(validator, identity, server)
        self._base: Object = {}
        self._stored: Object = {}

    def of_object(self, base: Object) -> Iterator[Witness]:
        """Yield the witnesses for a valid object, which has no status when it is created."""
        self._base = {name: value for name, value in base.items() if name != "status"}
        self._stored = self._validator.create(deep_copy(self._base)).resource
        for each in self._of_parts(self._base):
            old = self._base if each.old is None else each.old
            yield replace(each, old=old, of_status=True)

    def _is_own(self, steps: tuple[object, ...]) -> bool:
        return steps[:1] == _STATUS

    def _candidates(self, conditions: Iterable[str], path: Iterable[str] = ()) -> Iterator[Object]:
        for candidate in super()._candidates(conditions, path):
            if "status" in candidate:
                yield {**self._base, "status": candidate["status"]}

    def _result(self, sent: Object, old: Object | None = None) -> ObjectResult | None:
        with suppress(NotDecodedError, work.WorkLimitError):
            stored = self._stored
            if old is not None and "status" in old:
                stored = self._updated(old, stored).resource
            return self._updated(sent, stored)
        return None

    def _updated(self, sent: Object, stored: Object) -> ObjectResult:
        status = deep_copy(sent.get("status"))
        return self._validator.update_status({**deep_copy(stored), "status": status}, stored)


_STATUS: Final = ("status",)


def _is_anything(_: Conjunction, __: Any) -> bool:
    return True


def _is_consequence(error: FieldError | None) -> bool:
    """Return whether an error only means that rules were not evaluated because of others."""
    return error is not None and error.code is Code.NOT_CHECKED


def _fields(root: JSONSchemaProps) -> Iterator[tuple[Steps, JSONSchemaProps]]:
    """Yield the schemas of a schema with the steps of their values, parents first."""
    pending: list[tuple[Steps, JSONSchemaProps]] = [((), root)]
    while pending:
        steps, schema = pending.pop()
        yield steps, schema
        below: list[tuple[Steps, JSONSchemaProps]] = [
            ((*steps, name), each)
            for name, each in schema.properties.items()
            if steps or name not in META_FIELDS
        ]
        others = filter(None, (schema.item_schema, schema.additional_schema))
        below += [((*steps, AnyItem()), each) for each in others]
        pending += reversed(below)


def _field_name(steps: Sequence[FieldStep]) -> str:
    """Return the name of the field at some steps."""
    return field_path_text(steps) or "the object"


def _is_transition(rule: ValidationRule) -> bool:
    return "oldSelf" in rule.rule


def _rules_behind(errors: Errors) -> list[ValidationRule]:
    """Return the rules that errors come from."""
    causes = without_none(error.cause for error in without_none(errors))
    return without_none(cause.rule for cause in causes)


def _is_behind(rule: ValidationRule, errors: Errors) -> bool:
    """Return whether an error comes from a rule; equal rules at other places are others."""
    return any(each is rule for each in _rules_behind(errors))


def _of_values(errors: Errors) -> list[FieldError | None]:
    """Return the errors that come from no rule."""
    return [error for error in errors if not _rules_behind((error,))]


def _is_one_of_value(errors: Errors) -> bool:
    """Return whether errors are one, which comes from no rule."""
    return len(errors) == len(_of_values(errors)) == 1


def _has_one_of_value(errors: Errors) -> bool:
    """Return whether all errors but one come from rules."""
    return len(_of_values(errors)) == 1


def _error_of(errors: Errors, rule: ValidationRule) -> FieldError | None:
    """Return the first error that comes from a rule."""
    return next((error for error in errors if _is_behind(rule, (error,))), None)


def _is_only(errors: Errors, rule: ValidationRule) -> bool:
    """Return whether a rule is all that rejects an object."""
    return len(errors) == 1 and _is_behind(rule, errors)


def _title(rule: SchemaRule) -> str:
    where = _field_name(rule.steps)
    return f"{where} by rule {rule.number}: {' '.join(rule.rule.rule.split())}"


def _mentions(value: Any, names: Iterable[str], path: list[str]) -> bool:
    """Return whether an object has all fields that a rule names, as far as they are below its path."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else value
    return not isinstance(value, dict) or any(name in value for name in names)
