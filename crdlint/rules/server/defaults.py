"""Validation of defaults: they must be pruned, and valid against their schema and its rules.

The walk is in `crdlint.schema.default_validation`; rules are evaluated here, with one budget for all defaults of a schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from collections.abc import Set as AbstractSet
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import DEFAULT_INVALID, EVALUATION_LIMIT, REQUIRED, Code, FieldError
from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path, Step
from crdlint.kubecel.cost import RUNTIME_BUDGET
from crdlint.kubecel.sharing import Dependence
from crdlint.kubernetes.servers import Server
from crdlint.light import dataclass
from crdlint.rules.engine import headlines
from crdlint.rules.engine.common import ValidationOptions
from crdlint.rules.engine.relations import SIBLING
from crdlint.rules.engine.rule import Link, Rule
from crdlint.rules.server import forbidden_fields
from crdlint.safety.bugs import attempt
from crdlint.schema.traversal import SchemaSearch, rule_search, schemas, value_schema

if TYPE_CHECKING:
    from crdlint.kubecel.environment import Environment
    from crdlint.kubecel.evaluation import RuleValidator, RuleValidators
    from crdlint.kubecel.reuse import Uses
    from crdlint.kubecel.sharing import Sharing

_SOURCE: Final = "apiextensions-apiserver/pkg/apiserver/schema/defaulting ValidateDefaults"


_Rule: Final = partial(Rule, source=_SOURCE)


def schema_with(replicas: str, default: str) -> str:
    """Return a schema of `spec` with a default."""
    return f"spec:\n  type: object\n  properties: {{replicas: {replicas}}}\n  default: {default}"


UNPRUNED = _Rule(
    "default-unknown-field",
    "Default contains fields that the schema does not specify",
    claims_nothing=True,
    unnecessary=True,
    withheld=True,
    why="The API server would prune these fields from every object that gets the default.",
    help="Remove the unknown fields from the default, or add them to `properties`",
    marker="correct `+kubebuilder:default`",
    bad=schema_with("{type: integer}", "{replica: 1}"),
    good=schema_with("{type: integer}", "{replicas: 1}"),
)
INVALID_DEFAULT = _Rule(
    DEFAULT_INVALID,
    "Default is not valid for its own schema",
    claims_nothing=True,
    follows=(Link(forbidden_fields.TYPE_UNSUPPORTED, SIBLING),),
    headline_names="default",
    hides_costs=True,
    withheld=True,
    why="Every object that gets the default would be invalid. Kubernetes 1.36 and later also check the ranges of "
    "int32, int64, float and double.",
    help="Change the default to a value that the schema accepts, or change the schema to accept the default",
    marker="correct `+kubebuilder:default`",
    bad="replicas: {type: integer, minimum: 1, default: 0}",
    good="replicas: {type: integer, minimum: 1, default: 1}",
)
_POSITIVE: Final = "{type: integer, x-kubernetes-validations: [{rule: self > 0}]}"

RULE_FAILED = _Rule(
    "default-rule-failed",
    "Default fails a validation rule",
    observed=("default-object-must-pass-rules",),
    headline=headlines.rule_failed,
    headline_names="default",
    withheld=True,
    why="Every object that gets the default would be invalid.",
    help="Change the default so that the rule evaluates to true, or change the rule",
    marker="correct `+kubebuilder:default`",
    bad=schema_with(_POSITIVE, "{replicas: 0}"),
    good=schema_with(_POSITIVE, "{replicas: 1}"),
)


def validate(
    schema: JSONSchemaProps, defaulted: SequenceOf[JSONSchemaProps], options: ValidationOptions
) -> list[FieldError]:
    """Return the errors of the defaults of the schemas `defaulted`; if there are any, no rules are compiled."""
    server = options.server
    # What the errors depend on besides rules.
    switches = _switches(server) if _may_depend_on_server(schema, defaulted) else ()
    return options.common.answer(
        ("defaults", id(schema), *map(id, defaulted), *switches),
        lambda basis: basis.holds_in(lambda: _environment(server), _evaluates_alike),
        lambda: _validated(schema, defaulted, options),
    )


def _validated(
    schema: JSONSchemaProps, defaulted: SequenceOf[JSONSchemaProps], options: ValidationOptions
) -> tuple[list[FieldError], Dependence]:
    """Return the errors of the defaults of some schemas, and the rules that they depend on."""
    from crdlint.schema.default_validation import validate_defaults

    server = options.server
    rules, requires_pruned = _Rules(server, options.common.sharing), options.require_pruned_defaults
    reported = validate_defaults(
        schema,
        defaulted,
        require_pruned=requires_pruned,
        rules=rules,
        server=server,
    )
    own_rules, skipped = {RULE_FAILED.id, EVALUATION_LIMIT}, len(schema.path.steps())
    errors = [
        error if error.rule in own_rules else _ours(error, schema, skipped) for error in reported
    ]
    return errors, rules.used()


def _switches(server: Server) -> tuple[bool, ...]:
    """Return the switches of the validation of values and of metadata."""
    return (
        server.checks_number_ranges,
        server.has_kubernetes_name_formats,
        server.requires_metadata_fields,
    )


def _may_depend_on_server(schema: JSONSchemaProps, defaulted: SequenceOf[JSONSchemaProps]) -> bool:
    """Return whether servers may validate a default differently: for its format, the range of a number, or metadata."""
    if _depend_on_server(defaulted):
        return True
    metadata = schema.properties.get("metadata")
    if metadata is not None and metadata.properties:
        return True
    return any(each.x_embedded_resource for each in schemas(schema))


def _depend_on_server(defaulted: Iterable[JSONSchemaProps]) -> bool:
    """Return whether servers may differ in the type, format or range of a default, or of what is in an object or a list."""
    containers: list[JSONSchemaProps] = []
    for schema in defaulted:
        kind = _default(schema).__class__
        if kind in _CONTAINERS:
            containers.append(schema)
        elif _differ({kind}, schema):
            return True
    kinds = {part.__class__ for schema in containers for part in _parts(_default(schema))}
    return any(_differ(kinds, schema) for schema in _at_or_below(containers))


def _default(schema: JSONSchemaProps) -> Any:
    assert schema.default is not None  # noqa: S101  the caller looks for defaults
    return schema.default.value


def _parts(value: Any) -> Iterator[Any]:
    """Yield a value and all that it contains."""
    pending = [value]
    while pending:
        part = pending.pop()
        yield part
        if part.__class__ is dict:
            pending += part.values()
        elif part.__class__ is list:
            pending += part


def _at_or_below(parents: Iterable[JSONSchemaProps]) -> Iterator[JSONSchemaProps]:
    """Yield some schemas, of which parents come first, and those in them, each once."""
    seen: set[int] = set()
    for parent in parents:
        for schema in schemas(parent) if id(parent) not in seen else ():
            seen.add(id(schema))
            yield schema


def _differ(kinds: AbstractSet[type], schema: JSONSchemaProps) -> bool:
    """Return whether servers may differ in whether a schema accepts values of some classes."""
    if schema.set_fields & _JUNCTORS:
        return True
    has_texts = str in kinds and bool(schema.format)
    has_numbers = bool(kinds & _CLASSES_OF_NUMBERS)
    return has_texts or (has_numbers and schema.type in _NUMBERS)


_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})
_CLASSES_OF_NUMBERS: Final[frozenset[type]] = frozenset({int, float})
_JUNCTORS: Final = sum(SCHEMA_BITS[name] for name in ("anyOf", "oneOf", "allOf", "not"))
_NUMBERS: Final = frozenset({"integer", "number"})


def _environment(server: Server) -> Environment:
    from crdlint.kubecel.environment import stored_expressions

    return stored_expressions(server)


def _evaluates_alike(uses: AbstractSet[Uses], on: Environment, older: Environment) -> bool:
    from crdlint.kubecel.reuse import evaluates_alike

    return evaluates_alike(uses, on, older)


def _ours(error: FieldError, root: JSONSchemaProps, skipped: int) -> FieldError:
    """Return an error of a default as one of this family; `skipped` is the number of steps to the root schema."""
    from crdlint.schema.value_help import suggestion

    rule = UNPRUNED if error.code is Code.UNKNOWN_FIELDS else INVALID_DEFAULT
    schema = (
        attempt(_missing, root, error.path.steps()[skipped:]) if error.type == REQUIRED else None
    )
    return error._replace(rule=rule.id, help=error.help or attempt(suggestion, error, schema))


def _missing(schema: JSONSchemaProps | None, steps: SequenceOf[Step]) -> JSONSchemaProps | None:
    """Return the schema of the value at a path within a default."""
    from crdlint.schema.value_help import steps_of

    remaining = iter(steps)
    for step in remaining:
        if schema is None or step == "default":
            break
        if step == "properties":
            schema = schema.properties.get(str(next(remaining)))
        else:
            below = schema.items if step == "items" else schema.additional_properties
            schema = None if below is None else below.schema
    return value_schema(schema, (name for step in remaining for name in steps_of(str(step))))


@dataclass(slots=True)
class _Rules:
    """Runs rules on defaults, off one budget (cost units)."""

    server: Server
    sharing: Sharing
    budget: int = RUNTIME_BUDGET
    validators: RuleValidators | None = None
    search: SchemaSearch = field(default_factory=rule_search)

    def used(self) -> Dependence:
        """Return the expressions that were compiled."""
        if self.validators is None or not self.validators.expressions:
            return Dependence((), None)
        return Dependence(tuple(self.validators.expressions), self.validators.environment)

    def __call__(
        self,
        schema: JSONSchemaProps,
        value: Any,
        path: Path,
        *,
        is_resource_root: bool,
    ) -> tuple[list[FieldError], bool]:
        if not self.search.finds(schema):
            return [], False
        from crdlint.kubecel.evaluation import MISSING, RuleValidators

        if self.validators is None:
            self.validators = RuleValidators(self.server, self.sharing)
        validator = self.validators.of(schema, is_root=is_resource_root)
        if validator is None:
            return [], False
        errors, left = self._run(validator, value, value, path)
        if not errors:
            # Evaluate the default as a new value as well, since rules with optionalOldSelf may have other results then.
            errors, left_without = self._run(validator, value, MISSING, path)
            left = min(left, left_without)
        self.budget = left
        return errors, left < 0

    def _run(
        self,
        validator: RuleValidator,
        value: Any,
        old: Any,
        path: Path,
    ) -> tuple[list[FieldError], int]:
        from crdlint.kubecel.evaluation import OutOfBudgetError, Run, validate_rules

        run = Run(RULE_FAILED.id, self.budget)
        try:
            validate_rules(validator, run, path, value, old)
        except OutOfBudgetError:
            return run.errors, -1
        return run.errors, run.budget
