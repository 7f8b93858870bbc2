"""The fields of x-kubernetes-validations that are no CEL: rule, message, messageExpression, reason, fieldPath.

Reproduces the first half of what ValidateCustomResourceDefinitionOpenAPISchema does with rules (apiextensions validation).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from crdlint.crd.errors import (
    INVALID,
    REQUIRED,
    Code,
    FieldError,
    Reason,
    Wording,
    invalid,
    not_supported,
    required,
)
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.crd.paths import Path
from crdlint.golang.printing import Typed
from crdlint.golang.text import SPACE
from crdlint.rules.engine import headlines
from crdlint.rules.engine.common import WalkResult
from crdlint.rules.engine.rule import Nodes, Rule
from crdlint.rules.engine.schema_walk import Context, check

_SOURCE = "apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema"
_Rule: Final = partial(Rule, source=_SOURCE)


_NOT_EMPTY: Final = "must be non-empty if specified"
_ONE_LINE: Final = "must not contain line breaks"
# Reported only if the schema can be converted to a structural one, in which the path is resolved (crdlint.linting.create).
NO_FIELD: Final = Reason(Code.NO_FIELD)
_NO_FIELD_DETAIL: Final = Wording.by_version(
    "fieldPath must be a valid path", (34, "must be a valid path")
)
REASONS: Final = (
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
)


def rule_with(fields: str) -> str:
    """Return the schema of an object with a rule."""
    return f"tls:\n  type: object\n  properties: {{mode: {{type: string}}}}\n  x-kubernetes-validations:\n  - {{{fields}}}"


_GOOD = rule_with(
    "rule: has(self.mode), message: must have a mode, reason: FieldValueRequired, fieldPath: .mode"
)


RULE_REQUIRED = _Rule(
    "rule-required",
    "Validation rule without an expression",
    claims_nothing=True,
    headline="rule on {of} is empty",
    why="The API server has no expression to evaluate, so it rejects the CRD.",
    help="Set `rule` to a CEL expression that must be true, such as `has(self.name)`, in quotes if it begins with `!`",
    marker="correct the `rule` of `+kubebuilder:validation:XValidation`",
    bad=rule_with("message: must have a mode"),
    good=_GOOD,
)
MESSAGE = _Rule(
    "rule-message-invalid",
    "Message of a rule is empty, has several lines, or is missing",
    observed=("rule-with-and-without-message", "message-expression-is-the-message"),
    headline={
        REQUIRED: "rule on {of} has several lines and no message",
        INVALID: headlines.wrong_message,
    },
    why="Users see the message as one line. Without a message they see the expression, which must then have only one line.",
    help="Set `message` to one line of text",
    marker="correct the `message` of `+kubebuilder:validation:XValidation`",
    bad=rule_with('rule: has(self.mode), message: "must have\\na mode"'),
    good=_GOOD,
)
MESSAGE_EXPRESSION = _Rule(
    "rule-message-expression-empty",
    "`messageExpression` is blank",
    observed=("message-expression-is-the-message",),
    headline="`messageExpression` of a rule on {of} is blank",
    why="The API server has no expression to evaluate, so it rejects the CRD.",
    help="Remove `messageExpression`, or set it to a CEL expression that evaluates to a string",
    marker="remove the `messageExpression` of `+kubebuilder:validation:XValidation`",
    bad=rule_with('rule: has(self.mode), messageExpression: " "'),
    good=_GOOD,
)
REASON = _Rule(
    "rule-reason-unsupported",
    "Unsupported `reason`",
    observed=("rule-reason",),
    headline="{key} of a rule on {of} cannot be {value}",
    why="The API server returns the reason to clients as the type of the error, and supports only four.",
    help="Set `reason` to `FieldValueInvalid` (the default), `FieldValueDuplicate`, `FieldValueForbidden` or `FieldValueRequired`",
    marker="correct the `reason` of `+kubebuilder:validation:XValidation`",
    bad=rule_with("rule: has(self.mode), reason: Invalid"),
    good=_GOOD,
)
FIELD_PATH = _Rule(
    "rule-field-path-invalid",
    "`fieldPath` does not name a field of the schema",
    observed=("field-path-of-a-rule",),
    headline="`fieldPath` {value} of a rule on {of} leads to no field",
    why="The API server adds the path to the path of its error. A wrong path would send users to the wrong field.",
    help="Write the path of a field below this schema, such as `.name` or `.labels['a']`",
    marker="correct the `fieldPath` of `+kubebuilder:validation:XValidation`",
    bad=rule_with("rule: has(self.mode), fieldPath: .mdoe"),
    good=_GOOD,
)


def _worded(field: str, detail: str) -> str:
    return Wording.by_version(f"{field} {detail}", (34, detail))


def _has_newlines(text: str) -> bool:
    return "\n" in text or "\r" in text


@check(Nodes({"x-kubernetes-validations"}))
def _validations(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    path = schema.path.child("x-kubernetes-validations")
    for i, rule in enumerate(schema.x_validations):
        for error in _rule_errors(schema, rule, path.index(i)):
            result.add(schema, error)


def _rule_errors(schema: JSONSchemaProps, rule: ValidationRule, path: Path) -> Iterator[FieldError]:
    yield from _rule_and_message(rule, path)
    if rule.message_expression and not rule.message_expression.strip(SPACE):
        yield required(
            MESSAGE_EXPRESSION.id,
            path.child("messageExpression"),
            f"messageExpression {_NOT_EMPTY}",
        )
    if rule.reason is not None and rule.reason not in REASONS:
        value = Typed(rule.reason, "*apiextensions.FieldValueErrorReason")
        yield not_supported(
            REASON.id,
            path.child("reason"),
            value,
            REASONS,
        )
    yield from _field_path(schema, rule.field_path, path.child("fieldPath"))


def _rule_and_message(rule: ValidationRule, path: Path) -> Iterator[FieldError]:
    text, message = rule.rule.strip(SPACE), rule.message.strip(SPACE)
    message_path = path.child("message")
    if not text:
        yield required(RULE_REQUIRED.id, path.child("rule"), "rule is not specified")
    elif rule.message and not message:
        help_ = "Remove `message`, or write one line that states the requirement"
        yield invalid(
            MESSAGE.id,
            message_path,
            rule.message,
            _worded("message", _NOT_EMPTY),
            help=help_,
        )
    elif _has_newlines(message):
        yield invalid(
            MESSAGE.id,
            message_path,
            rule.message,
            _worded("message", _ONE_LINE),
        )
    elif _has_newlines(text) and not message:
        help_ = "Add `message:` with one line of text: without it users would see the expression, which has several lines"
        detail = "message must be specified if rule contains line breaks"
        yield required(
            MESSAGE.id,
            message_path,
            detail,
            at=path.child("rule"),
            help=help_,
        )


def _field_path(schema: JSONSchemaProps, text: str, path: Path) -> Iterator[FieldError]:
    if not text:
        return
    if not text.strip(SPACE):
        yield invalid(
            FIELD_PATH.id,
            path,
            text,
            _worded("fieldPath", _NOT_EMPTY),
        )
    if _has_newlines(text):
        yield invalid(
            FIELD_PATH.id,
            path,
            text,
            _worded("fieldPath", _ONE_LINE),
        )
    from crdlint.schema.json_paths import FieldPathError, valid_field_path

    try:
        valid_field_path(text, schema)
    except FieldPathError:
        yield invalid(
            FIELD_PATH.id,
            path,
            text,
            _NO_FIELD_DETAIL,
            reason=NO_FIELD,
        )
