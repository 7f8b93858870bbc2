"""Defaults judged: pruned, valid by their schema, and by its rules.

The walk is `crdlint.schema.default_validation`'s; rules run here, with one budget for all defaults of a schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import EVALUATION_LIMIT
from crdlint.kubecel.limits import RUNTIME_BUDGET
from crdlint.rules.engine.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.kubecel.evaluation import RuleValidator, RuleValidators
    from crdlint.kubernetes.servers import Server
    from crdlint.rules.engine.options import Options

_SOURCE: Final = "apiextensions-apiserver/pkg/apiserver/schema/defaulting ValidateDefaults"


def _schema(replicas: str, default: str) -> str:
    fields = f"    type: object\n    properties: {{replicas: {replicas}}}\n    default: {default}\n"
    return f"type: object\nproperties:\n  spec:\n{fields}"


UNPRUNED = Rule(
    id="default-unknown-field",
    summary="A default with fields that its schema does not have.",
    why="The server would prune them from every object that gets the default.",
    bad=_schema("{type: integer}", "{replica: 1}"),
    good=_schema("{type: integer}", "{replicas: 1}"),
    help="remove the unknown fields from the default, or add them to `properties`",
    source=_SOURCE,
)
INVALID_DEFAULT = Rule(
    id="default-invalid",
    summary="A default that its own schema refuses.",
    why="Every object that gets the default would be invalid.",
    bad="type: object\nproperties:\n  replicas: {type: integer, minimum: 1, default: 0}\n",
    good="type: object\nproperties:\n  replicas: {type: integer, minimum: 1, default: 1}\n",
    help="change the default so that it fits the schema, or the schema so that it takes the default",
    source=_SOURCE,
)
RULE_FAILED = Rule(
    id="default-rule-failed",
    summary="A default that breaks a rule at or below its schema, or on which a rule ends in an error.",
    why="Every object that gets the default would be invalid.",
    bad=_schema("{type: integer, x-kubernetes-validations: [{rule: self > 0}]}", "{replicas: 0}"),
    good=_schema("{type: integer, x-kubernetes-validations: [{rule: self > 0}]}", "{replicas: 1}"),
    help="change the default so that the rule holds, or the rule so that it lets the default pass",
    source=_SOURCE,
)

RULES = (UNPRUNED, INVALID_DEFAULT, RULE_FAILED)

# The only detail of upstream's that is about pruning.
_UNKNOWN_FIELDS: Final = "must not have unknown fields"


def validate(
    schema: JSONSchemaProps, path: Path, given: Iterable[JSONSchemaProps], options: Options
) -> list[FieldError]:
    """Return what is wrong with the defaults of a structural schema at ``path``; where there is, no rule is compiled.

    ``given`` are the schemas within it that have one.
    """
    from crdlint.schema.default_validation import validate_defaults

    errors = validate_defaults(
        schema, path, given, require_pruned=options.require_pruned_defaults, rules=_Rules(options.server)
    )
    kept = {RULE_FAILED.id, EVALUATION_LIMIT}
    return [error if error.rule in kept else _ours(error) for error in errors]


def has_unpruned(schema: JSONSchemaProps) -> bool:
    """Tell whether pruning would change a default of a structural schema (schemaHasUnprunedDefaults)."""
    from crdlint.schema.defaulting import prune_defaults

    if schema.default is not None and not isinstance(schema.default.value, dict):
        return False  # upstream's pruning ends there
    return bool(prune_defaults(schema))


def _ours(error: FieldError) -> FieldError:
    from crdlint.schema.value_help import way_out

    rule = UNPRUNED if error.detail == _UNKNOWN_FIELDS else INVALID_DEFAULT
    return error.reported_as(rule.id, None if error.help else way_out(error, None))


@dataclass(slots=True)
class _Rules:
    """Runs rules on defaults, off one budget (cost units)."""

    server: Server
    budget: int = RUNTIME_BUDGET
    validators: RuleValidators | None = None

    def __call__(
        self, schema: JSONSchemaProps, value: Any, path: Path, *, is_resource_root: bool
    ) -> tuple[list[FieldError], bool]:
        from crdlint.kubecel.evaluation import MISSING, RuleValidators

        if self.validators is None:
            self.validators = RuleValidators(self.server)
        validator = self.validators.of(schema, is_root=is_resource_root)
        if validator is None:
            return [], False
        errors, left = self._run(validator, value, value, path)
        if not errors:
            # As a new value too: what rules with optionalOldSelf say then is not what they say of an unchanged one.
            errors, left_without = self._run(validator, value, MISSING, path)
            left = min(left, left_without)
        self.budget = left
        return errors, left < 0

    def _run(self, validator: RuleValidator, value: Any, old: Any, path: Path) -> tuple[list[FieldError], int]:
        from crdlint.kubecel.evaluation import OutOfBudgetError, Run, validate_rules

        run = Run(RULE_FAILED.id, self.budget)
        try:
            validate_rules(validator, run, path, value, old)
        except OutOfBudgetError:
            return run.errors, -1
        return run.errors, run.budget
