"""Validation of defaults: they must be pruned, and valid against their schema and its rules.

The walk is in `crdlint.schema.default_validation`; rules are evaluated here, with one budget for all defaults of a schema.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import EVALUATION_LIMIT, NOT_SUPPORTED, REQUIRED, Code, FieldError
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path, Step
from crdlint.kubecel.cost import RUNTIME_BUDGET
from crdlint.kubernetes.servers import Server
from crdlint.rules.engine.advisory import SCALARS
from crdlint.rules.engine.common import ServerResults, ValidationOptions
from crdlint.rules.engine.finding import Edits, Finding, Fixer, expect, require
from crdlint.rules.engine.rule import Rule
from crdlint.rules.server.cel import meant
from crdlint.safety.bugs import attempt
from crdlint.schema.traversal import value_schema
from crdlint.spelling import name_meant
from crdlint.yaml.editor import quoted
from crdlint.yaml.nodes import Scalar, Sequence, child, items_of

if TYPE_CHECKING:
    from crdlint.kubecel.compilation import Expression
    from crdlint.kubecel.environment import Environment
    from crdlint.kubecel.evaluation import RuleValidator, RuleValidators
    from crdlint.kubecel.sharing import Sharing

_SOURCE: Final = "apiextensions-apiserver/pkg/apiserver/schema/defaulting ValidateDefaults"
_BOOLEANS: Final = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_SEPARATED: Final = re.compile("[|,;]| - ")
_NEVER: Final = re.compile(r"(?!)")
_WRITTEN: Final = {
    "integer": re.compile(r"-?(?:0|[1-9]\d*)\Z"),
    "number": re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?\Z"),
    "boolean": re.compile(r"(?:true|false|yes|no|on|off)\Z", re.IGNORECASE),
}
_DECIMAL: Final = re.compile(r"-?\d+(?:\.\d+)?\Z")
_Rule: Final = partial(Rule, source=_SOURCE)


def _schema(replicas: str, default: str) -> str:
    return f"spec:\n  type: object\n  properties: {{replicas: {replicas}}}\n  default: {default}"


@Fixer("Write the default as its type", "safe").example(
    bad="replicas: {type: integer, minimum: 1, default: '1'}"
)
def _of_its_type(finding: Finding) -> Edits:
    """Write the default as its type: a text in quotes, a number or a boolean without."""
    editor, node = finding.editor, finding.node()
    expected, actual = require(finding.reason(Code.TYPE)).arguments
    if not isinstance(node, Scalar):
        if not node.items and {expected, actual} == {"array", "object"}:
            yield editor.replace(node, "[]" if expected == "array" else "{}")
        elif isinstance(node, Sequence) and expected in SCALARS and len(node.items) == 1:
            value = expect(Scalar, node, 0)
            if value.style not in {"|", ">"}:
                yield editor.write(node, finding.written(value))
    elif node.value == {"array": "[]", "object": "{}"}.get(expected):
        yield editor.replace(node, node.value)
    elif (
        expected == "array"
        and node.value
        and node.style not in {"|", ">"}
        and _item_type(finding) == actual
    ):
        yield editor.replace(node, f"[{editor.text[node.start_mark.index : editor.end(node)]}]")
    elif expected == "string" and actual in {"integer", "number", "boolean"} and not node.style:
        from crdlint.schema.validator import ValueValidator  # few CRDs need it

        schema = finding.manifest.schemas.get(id(finding.owner))
        if schema is not None and any(
            error.type != NOT_SUPPORTED for error in ValueValidator(schema).validate(node.value)
        ):
            return  # the text does not match a pattern or limit either
        yield editor.replace(node, quoted(node.value, double=editor.is_json))
        yield from _enum_of_strings(finding)
    elif (
        actual == "string"
        and node.style not in {"|", ">"}
        and _WRITTEN.get(expected, _NEVER).match(node.value)
    ):
        word = node.value.lower()
        yield editor.replace(node, _BOOLEANS.get(word, word))


def _item_type(finding: Finding) -> str:
    """Return the type of the items of the list that a default is for, empty if the default is a part of another."""
    entry = finding.owner.find("items")
    schema = finding.manifest.schemas.get(id(entry[1])) if entry is not None else None
    return "" if schema is None else schema.type


def _enum_of_strings(finding: Finding) -> Edits:
    for value in items_of(child(finding.owner, "enum")):
        if isinstance(value, Scalar) and not value.style and not finding.editor.is_text(value):
            yield finding.editor.replace(value, quoted(value.value, double=finding.editor.is_json))


@Fixer("Write the values of the enum as the type", "safe").example(
    bad="size: {type: integer, enum: ['1', '2'], default: 1}",
    good="size: {type: integer, enum: [1, 2], default: 1}",
)
def _enum_of_its_type(finding: Finding) -> Edits:
    if finding.reason(Code.ENUM) is None or finding.name != "default":
        return
    type_, editor = finding.schema(finding.owner).type, finding.editor
    values = [
        value
        for value in expect(Sequence, finding.owner, "enum").items
        if isinstance(value, Scalar)
    ]
    pattern = _WRITTEN.get(type_, _NEVER)
    if type_ == "string" and editor.is_text(finding.node()):
        yield from _enum_of_strings(finding)
    elif all(value.style in {"'", '"'} and pattern.match(value.value) for value in values):
        for value in values:
            yield editor.replace(value, _BOOLEANS.get(value.value.lower(), value.value))


@Fixer("Spell the field as the schema does", "unsafe")
def _near_field(finding: Finding) -> Edits:
    about, names = finding.error, require(finding.reason(Code.UNKNOWN_FIELDS)).arguments
    if names:
        yield finding.editor.respell(
            expect(Scalar, finding.location(about.at or about.path).key), names[0]
        )


@Fixer("Correct the value of the enum", "unsafe").example(
    bad="mode: {type: string, enum: [Always, Never], default: always}",
    good="mode: {type: string, enum: [Always, Never], default: Always}",
)
def _nearest_value(finding: Finding) -> Edits:
    node, values = finding.scalar(), require(finding.reason(Code.ENUM)).arguments
    if not any(node.value in _SEPARATED.split(value) for value in values):
        yield finding.editor.respell(node, require(name_meant(node.value, values)))


@Fixer("Make values of the enum of what is joined", "unsafe").example(
    bad="mode: {type: string, enum: [Always|Never], default: Always}",
    good="mode: {type: string, enum: [Always, Never], default: Always}",
)
def _separate_values(finding: Finding) -> Edits:
    editor, values = finding.editor, expect(Sequence, finding.owner, "enum")
    joined = [each.strip() for each in _SEPARATED.split(expect(Scalar, values, 0).value)]
    if len(values.items) == 1 < len(joined) and finding.scalar().value in joined:
        yield editor.write(values, f"[{', '.join(map(editor.value, joined))}]")


@Fixer("Write an empty list", "unsafe").example(
    bad="tags: {type: array, items: {type: string}, default: ''}",
    good="tags: {type: array, items: {type: string}, default: []}",
)
def _empty_list(finding: Finding) -> Edits:
    node, reason = finding.scalar(), require(finding.reason(Code.TYPE))
    if reason.arguments[0] == "array" and not node.value:
        yield finding.editor.replace(node, "[]")


@Fixer("Write the bound", "unsafe")
def _nearest_bound(finding: Finding) -> Edits:
    limit, exclusive = require(finding.reason(Code.LEAST, Code.MOST)).arguments
    if not exclusive and _DECIMAL.match(limit):
        yield finding.editor.replace(finding.scalar(), limit)


UNPRUNED = _Rule("default-unknown-field", "Default contains fields that the schema does not specify",
    why="The API server would prune these fields from every object that gets the default.",
    help="Remove the unknown fields from the default, or add them to `properties`",
    marker="correct `+kubebuilder:default`",
    bad=_schema("{type: integer}", "{replica: 1}"), good=_schema("{type: integer}", "{replicas: 1}"),
    fixes=(_near_field,))  # fmt: skip
INVALID_DEFAULT = _Rule("default-invalid", "Default is not valid for its own schema",
    why="Every object that gets the default would be invalid. Kubernetes 1.36 and later also check the ranges of "
    "int32, int64, float and double.",
    help="Change the default to a value that the schema accepts, or change the schema to accept the default",
    marker="correct `+kubebuilder:default`",
    bad="replicas: {type: integer, minimum: 1, default: 0}", good="replicas: {type: integer, minimum: 1, default: 1}",
    fixes=(_of_its_type, _enum_of_its_type, _empty_list, _separate_values, _nearest_value, _nearest_bound))  # fmt: skip
_POSITIVE: Final = "{type: integer, x-kubernetes-validations: [{rule: self > 0}]}"
_RULE: Final = _schema("{type: integer, x-kubernetes-validations: [{rule: '%s'}]}", "{replicas: 1}")
RULE_FAILED = _Rule("default-rule-failed", "Default fails a validation rule",
    why="Every object that gets the default would be invalid.",
    help="Change the default so that the rule evaluates to true, or change the rule",
    marker="correct `+kubebuilder:default`",
    bad=_schema(_POSITIVE, "{replicas: 0}"), good=_schema(_POSITIVE, "{replicas: 1}"),
    fixes=(
        Fixer("Correct the rule", "safe", partial(meant, certain=True),
            bad=_RULE % "self > 0 and true", good=_RULE % "self > 0 && true"),
        Fixer("Correct the rule", "unsafe", partial(meant, certain=False),
            bad=_RULE % "self = 1", good=_RULE % "self == 1"),
    ))  # fmt: skip


def validate(
    schema: JSONSchemaProps,
    path: Path,
    defaulted: SequenceOf[JSONSchemaProps],
    options: ValidationOptions,
) -> list[FieldError]:
    """Return the errors of the defaults of the schemas `defaulted` at `path`; if there are any, no rules are compiled."""
    server = options.server
    # What the errors depend on besides rules: the switches of the validator of values.
    key = (
        id(schema),
        *map(id, defaulted),
        server.checks_number_ranges,
        server.has_kubernetes_name_formats,
    )
    answers = options.common.defaults.setdefault(key, [])
    for answer in answers:
        if answer.environment is None or _holds_on(answer, server):
            return answer.value
    from crdlint.schema.default_validation import validate_defaults

    rules, requires_pruned = _Rules(server, options.common.sharing), options.require_pruned_defaults
    reported = validate_defaults(
        schema, path, defaulted, require_pruned=requires_pruned, rules=rules, server=server
    )
    own_rules, skipped = {RULE_FAILED.id, EVALUATION_LIMIT}, len(path.steps())
    errors = [
        error if error.rule in own_rules else _ours(error, schema, skipped) for error in reported
    ]
    answers.append(ServerResults(errors, *rules.used()))
    return errors


def _holds_on(answer: ServerResults[list[FieldError]], server: Server) -> bool:
    from crdlint.kubecel.environment import stored_expressions
    from crdlint.kubecel.reuse import evaluates_alike

    return answer.holds_in(stored_expressions(server), evaluates_alike)


def _ours(error: FieldError, root: JSONSchemaProps, skipped: int) -> FieldError:
    """Return an error of a default as one of this family; `skipped` is the number of steps to the root schema."""
    from crdlint.schema.value_help import suggestion

    rule = (
        UNPRUNED
        if error.reason is not None and error.reason.code is Code.UNKNOWN_FIELDS
        else INVALID_DEFAULT
    )
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

    def used(self) -> tuple[tuple[Expression, ...], Environment | None]:
        """Return the expressions that were compiled, and their environment, None if there are none."""
        if self.validators is None or not self.validators.expressions:
            return (), None
        return tuple(self.validators.expressions), self.validators.environment

    def __call__(
        self, schema: JSONSchemaProps, value: Any, path: Path, *, is_resource_root: bool
    ) -> tuple[list[FieldError], bool]:
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
        self, validator: RuleValidator, value: Any, old: Any, path: Path
    ) -> tuple[list[FieldError], int]:
        from crdlint.kubecel.evaluation import OutOfBudgetError, Run, validate_rules

        run = Run(RULE_FAILED.id, self.budget)
        try:
            validate_rules(validator, run, path, value, old)
        except OutOfBudgetError:
            return run.errors, -1
        return run.errors, run.budget
