"""The rules of an object that an example can break: those about its fields, so that many rules take linear time together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, Final

from crdlint.cel.ast import Expr, Ident, Select, nodes
from crdlint.kubecel.compilation import CompilationError
from crdlint.kubecel.declarations import unescape
from crdlint.kubecel.evaluation import (
    MISSING,
    OutOfBudgetError,
    ReadyRule,
    RuleValidator,
    Run,
    validate_rules,
)
from crdlint.kubecel.syntax_trees import parsed
from crdlint.light import replace

_FEW: Final = 16  # rules that are evaluated for each value
_COST: Final = 5_000  # of a rule


class RelevantRules:
    """The validator of a schema, and for an object one with fewer rules that rejects it just as well.

    A rule about fields that an object does not have has the same result for each such object. It is evaluated once.
    """

    def __init__(self, validator: RuleValidator | None) -> None:
        self._validator: Final = validator

    def of(self, value: Any) -> RuleValidator | None:
        """Return the validator for a value."""
        rules = self._rules
        if self._validator is None or len(rules) <= _FEW or not isinstance(value, dict):
            return self._validator
        chosen = {*self._of_whole_objects, *self._failing_without_fields}
        for name in value:
            chosen.update(self._by_field.get(name, ()))
        relevant = tuple(rules[i] for i in sorted(chosen))
        return replace(self._validator, rules=lambda: relevant)

    @cached_property
    def _rules(self) -> tuple[ReadyRule, ...]:
        if self._validator is None or self._validator.rules is None:
            return ()
        try:
            return self._validator.rules()
        except CompilationError:
            return ()

    @cached_property
    def _fields(self) -> list[frozenset[str] | None]:
        """The fields of the object that each rule reads, None for a rule about the object as a whole."""
        return [_fields_of(parsed(ready.rule.rule)) for ready in self._rules]

    @cached_property
    def _by_field(self) -> dict[str, list[int]]:
        by_field: dict[str, list[int]] = defaultdict(list)
        for i, fields in enumerate(self._fields):
            for name in fields or ():
                by_field[name].append(i)
        return by_field

    @cached_property
    def _of_whole_objects(self) -> list[int]:
        return [i for i, fields in enumerate(self._fields) if fields is None]

    @cached_property
    def _failing_without_fields(self) -> list[int]:
        """The rules that reject an object without any field that they read."""
        return list(self._failing())

    def _failing(self) -> Iterator[int]:
        for i, fields in enumerate(self._fields):
            if fields is None or self._validator is None:
                continue
            alone = self._alone(self._validator, self._rules[i])
            run = Run("", _COST)
            with suppress(OutOfBudgetError):  # it is among the errors
                validate_rules(alone, run, None, {}, MISSING)
            if run.errors:
                yield i

    @staticmethod
    def _alone(validator: RuleValidator, rule: ReadyRule) -> RuleValidator:
        return RuleValidator(validator.schema, validator.is_root, lambda: (rule,))


def _fields_of(tree: Expr | None) -> frozenset[str] | None:
    """Return the fields of `self` that a rule reads, None if it may read any, or the old value."""
    if tree is None:
        return None
    selected = uses = 0
    fields: set[str] = set()
    for node in nodes(tree):
        match node:
            case Ident(name="oldSelf"):
                return None
            case Ident(name="self"):
                uses += 1
            case Select(operand=Ident(name="self")):
                selected += 1
                fields.add(unescape(node.field) or node.field)
    return frozenset(fields) if selected == uses else None
