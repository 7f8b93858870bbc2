"""Objects that show what an update breaks: valid before it and rejected after it, by crdlint's own validation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crdlint.changes.candidates import Candidates, mentioned
from crdlint.changes.conditions import conditions_of
from crdlint.changes.conjunction import Conjunction, Pair, type_of
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.kubecel.evaluation import MISSING, OutOfBudgetError, RuleValidators, Run, breaks, validate_rules
from crdlint.kubecel.reasoning.reasoner import ITEM
from crdlint.safety import work
from crdlint.schema.defaulting import apply_defaults
from crdlint.schema.list_type import validate_list_sets_and_maps
from crdlint.schema.validator import ValueValidator
from crdlint.schema.values import deep_copy

if TYPE_CHECKING:
    from crdlint.crd.errors import FieldError
    from crdlint.kubernetes.servers import Server

_TRIED: Final = 200  # values of a schema, until one breaks a condition
_LONG_NAME: Final = 63
_AROUND: Final = 60  # objects around a value, until one is valid
_WORK: Final = 200_000  # steps for one example
_COST: Final = 5_000  # of the rules of one value
_COMPLETED: Final = 3  # values that break a condition, until one is part of a valid object


class Example(NamedTuple):
    """A value that was valid and is not any more, and the whole object as JSON, None if none was found."""

    value: Any
    text: str | None


class Examples:
    """Finds examples for the conditions of one version; ``identity`` has the apiVersion, kind and metadata of objects."""

    def __init__(self, identity: dict[str, Any], server: Server, *, explains: bool) -> None:
        """Find complete objects only if the run `explains` its changes, which takes longer."""
        self.explains: Final = explains
        self._identity: Final = identity
        self._server: Final = server
        self._rules: Final = RuleValidators(server)
        self._checks: Final[dict[tuple[int, ...], _Check]] = {}

    def find(self, pair: Pair, condition: str, part: JSONSchemaProps | ValidationRule) -> Example | None:
        """Return an example for a new condition on the values of a pair, which is a part of the new schema.

        Nothing else in the new schema rejects the value before that part, a rule.
        """
        with work.continued(work.Budget(_WORK)):
            return self._search(pair, condition, part)

    def _search(self, pair: Pair, condition: str, part: JSONSchemaProps | ValidationRule) -> Example | None:
        examples: list[Example] = []
        with suppress(work.WorkLimitError):
            for value in islice(self._breaking(pair, condition, part), _COMPLETED if self.explains else 1):
                examples.append(Example(value, self._completed(pair, value) if self.explains else None))
                if examples[-1].text is not None:
                    return examples[-1]
        return examples[0] if examples else None

    def _breaking(self, pair: Pair, condition: str, part: JSONSchemaProps | ValidationRule) -> Iterator[Any]:
        """Yield values that the old schema accepts and a part of the new one rejects."""
        old, new = self._check(pair.old, pair), self._check(pair.new, pair)
        validator = None if isinstance(part, ValidationRule) else ValueValidator(part, server=self._server)
        for value in islice(self._values(pair, condition), _TRIED):
            if validator is None:
                broken = isinstance(part, ValidationRule) and new.breaks(part, value)
            else:
                broken = bool(validator.validate(value))
            if broken and not old.errors(value) and not new.has_other_errors(value, part):
                yield value

    def _values(self, pair: Pair, condition: str) -> Iterator[Any]:
        """Yield values that may break a condition, which are valid if they do not break an old one."""
        names, literals = mentioned(condition)
        for known in conditions_of(pair.old):
            more, others = mentioned(known)
            literals += others
            names |= more if names & more else set()
        # The longest are the most specific, and the number of values that are tried is limited.
        constants = sorted(dict.fromkeys(literals), key=lambda literal: len(str(literal)), reverse=True)
        candidates = Candidates(names, constants or [0], self._is_valid, self._server)
        if pair.parent is not None:
            return candidates.values(pair.old, pair.new)
        long = {**self._identity, "metadata": {"name": "a" * _LONG_NAME}}
        return chain.from_iterable(candidates.values(pair.old, pair.new, base) for base in (self._identity, long))

    def _check(self, node: Conjunction, pair: Pair | None) -> _Check:
        key = tuple(map(id, node))
        if key not in self._checks:
            is_root = pair is not None and pair.parent is None
            self._checks[key] = _Check(node, self._rules, self._server, is_root=is_root)
        return self._checks[key]

    def _is_valid(self, node: Conjunction, value: Any) -> bool:
        """Return whether an old schema accepts a value below the root."""
        return not self._check(node, None).errors(value)

    def _completed(self, pair: Pair, value: Any) -> str | None:
        """Return a valid object of the old schema that contains a value, as JSON."""
        while pair.parent is not None:
            parent = pair.parent
            check = self._check(parent.old, parent)
            base = {} if parent.parent else self._identity
            around = Candidates(frozenset(), (), self._is_valid, self._server)
            values = (
                around.lists(parent.old, value)
                if pair.step == ITEM
                else around.values(parent.old, parent.new, {**base, pair.step or "a": value})
            )
            valid = next((each for each in islice(values, _AROUND) if not check.errors(each)), None)
            if valid is None:
                return None
            pair, value = parent, valid
        return json.dumps(value, ensure_ascii=False) if self._check(pair.new, pair).errors(value) else None


class _Check:
    """Validates values of schemas that apply together, as the API server validates objects."""

    def __init__(self, node: Conjunction, rules: RuleValidators, server: Server, *, is_root: bool) -> None:
        self._node: Final = node
        self._values: Final = [ValueValidator(schema, server=server) for schema in node]
        self._rules: Final = rules.of(node[0], is_root=is_root or node[0].x_embedded_resource)

    def _defaulted(self, value: Any) -> Any:
        value = deep_copy(value)
        apply_defaults(value, self._node[0])
        return value

    def breaks(self, rule: ValidationRule, value: Any) -> bool:
        """Return whether a value breaks one of the rules."""
        return breaks(self._rules, rule, self._defaulted(value), _COST)

    def has_other_errors(self, value: Any, part: JSONSchemaProps | ValidationRule) -> bool:
        """Return whether something else than a rule rejects a value."""
        value = self._defaulted(value)
        return isinstance(part, ValidationRule) and any(validator.validate(value) for validator in self._values)

    def errors(self, value: Any) -> list[FieldError]:
        """Return the errors of a value, with the defaults of its fields."""
        value = self._defaulted(value)
        count = [error for validator in self._values for error in validator.validate(value)]
        if type_of(self._node) in {"object", "array"}:
            count += validate_list_sets_and_maps(self._node[0], value)
        run = Run("", _COST)
        with suppress(OutOfBudgetError):  # it is among the errors
            validate_rules(self._rules, run, None, value, MISSING)
        return [*count, *run.errors]
