"""The fields of x-kubernetes-validations that are no CEL: rule, message, messageExpression, reason, fieldPath.

Reproduces the first half of what ValidateCustomResourceDefinitionOpenAPISchema does with rules (apiextensions validation).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import Wording, invalid, not_supported, required
from crdlint.golang.text import SPACE
from crdlint.golang.values import Typed
from crdlint.rules.engine.rule import Rule
from crdlint.rules.engine.schema_walk import Check
from crdlint.schema.fieldpath import FieldPathError, valid_field_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
    from crdlint.crd.paths import Path
    from crdlint.rules.engine.schema_walk import Context, Findings

_SOURCE = "apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema"


def _rule(fields: str) -> str:
    return (
        "type: object\nproperties:\n  tls:\n    type: object\n    properties: {mode: {type: string}}\n"
        f"    x-kubernetes-validations:\n    - {{{fields}}}\n"
    )


_GOOD = _rule("rule: has(self.mode), message: must have a mode, reason: FieldValueRequired, fieldPath: .mode")

RULE_REQUIRED = Rule(
    id="rule-required",
    summary="A validation rule without an expression.",
    why="There is nothing to evaluate.",
    bad=_rule("message: must have a mode"),
    good=_GOOD,
    help="write the CEL expression that must be true, such as `rule: has(self.name)`",
    source=_SOURCE,
)
MESSAGE = Rule(
    id="rule-message-invalid",
    summary="A rule's message that is empty, of several lines, or missing where it is needed.",
    why="The message is what users read in one line; without one they are shown the expression, which must then be one line.",
    bad=_rule('rule: has(self.mode), message: "must have\\na mode"'),
    good=_GOOD,
    help="write the message in one line",
    source=_SOURCE,
)
MESSAGE_EXPRESSION = Rule(
    id="rule-message-expression-empty",
    summary="A messageExpression of nothing but white space.",
    why="There is nothing to evaluate.",
    bad=_rule('rule: has(self.mode), messageExpression: " "'),
    good=_GOOD,
    help="remove `messageExpression`, or write a CEL expression that gives a string",
    source=_SOURCE,
)
REASON = Rule(
    id="rule-reason-unsupported",
    summary="A reason that there is not.",
    why="Clients tell causes apart by these four.",
    bad=_rule("rule: has(self.mode), reason: Invalid"),
    good=_GOOD,
    help="use one of FieldValueDuplicate, FieldValueForbidden, FieldValueInvalid (the default), FieldValueRequired",
    source=_SOURCE,
)
FIELD_PATH = Rule(
    id="rule-field-path-invalid",
    summary="A fieldPath that leads to no field of the schema.",
    why="The server puts it behind the path of the value; a path that is not there would mislead.",
    bad=_rule("rule: has(self.mode), fieldPath: .mod"),
    good=_GOOD,
    help="name a field below this schema, from a dot on: `.name`, `.labels['a']`",
    source=_SOURCE,
)

RULES = (RULE_REQUIRED, MESSAGE, MESSAGE_EXPRESSION, REASON, FIELD_PATH)

# Said only where the schema can be read as a structural one, to look the path up in (see crdlint.linting.schema).
NO_FIELD: Final = Wording.by_version("fieldPath must be a valid path", (34, "must be a valid path"))

REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")


def _not_empty(field: str) -> str:
    detail = "must be non-empty if specified"
    return Wording.by_version(f"{field} {detail}", (34, detail))


def _one_line(field: str) -> str:
    detail = "must not contain line breaks"
    return Wording.by_version(f"{field} {detail}", (34, detail))


def _has_newlines(text: str) -> bool:
    return "\n" in text or "\r" in text


def _validations(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    if not schema.x_validations:
        return
    path = schema.path.child("x-kubernetes-validations")
    for i, rule in enumerate(schema.x_validations):
        for error in _one(schema, rule, path.index(i)):
            findings.add(schema, error)


def _one(schema: JSONSchemaProps, rule: ValidationRule, path: Path) -> Iterator[FieldError]:
    yield from _rule_and_message(rule, path)
    if rule.message_expression and not rule.message_expression.strip(SPACE):
        detail = "messageExpression must be non-empty if specified"
        yield required(MESSAGE_EXPRESSION.id, path.child("messageExpression"), detail)
    if rule.reason is not None and rule.reason not in REASONS:
        yield not_supported(
            REASON.id, path.child("reason"), Typed(rule.reason, "*apiextensions.FieldValueErrorReason"), REASONS
        )
    yield from _field_path(schema, rule.field_path, path.child("fieldPath"))


def _rule_and_message(rule: ValidationRule, path: Path) -> Iterator[FieldError]:
    text, message = rule.rule.strip(SPACE), rule.message.strip(SPACE)
    at = path.child("message")
    if not text:
        yield required(RULE_REQUIRED.id, path.child("rule"), "rule is not specified")
    elif rule.message and not message:
        help_ = "remove `message`, or say in one line what must hold"
        yield invalid(MESSAGE.id, at, rule.message, _not_empty("message"), help=help_)
    elif _has_newlines(message):
        yield invalid(MESSAGE.id, at, rule.message, _one_line("message"))
    elif _has_newlines(text) and not message:
        help_ = "add `message:` in one line: the expression, which would be shown in its place, has several"
        detail = "message must be specified if rule contains line breaks"
        yield required(MESSAGE.id, at, detail, at=path.child("rule"), help=help_)


def _field_path(schema: JSONSchemaProps, text: str, path: Path) -> Iterator[FieldError]:
    if not text:
        return
    if not text.strip(SPACE):
        yield invalid(FIELD_PATH.id, path, text, _not_empty("fieldPath"))
    if _has_newlines(text):
        yield invalid(FIELD_PATH.id, path, text, _one_line("fieldPath"))
    try:
        valid_field_path(text, schema)
    except FieldPathError:
        yield invalid(FIELD_PATH.id, path, text, NO_FIELD)


CHECKS = (Check(_validations, ("x-kubernetes-validations",)),)
