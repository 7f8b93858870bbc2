"""Fixes for the findings of `rules/server/validation_rules.py`."""

from __future__ import annotations

import re
from typing import Final

from crdlint.phrases import nearest
from crdlint.rules.engine.edits import Edits, expect, quoted_tag
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf, removal
from crdlint.rules.server.validation_rules import (
    FIELD_PATH,
    MESSAGE,
    MESSAGE_EXPRESSION,
    REASON,
    REASONS,
    RULE_REQUIRED,
    rule_with,
)
from crdlint.spelling import name_meant
from crdlint.yaml.editor import quoted
from crdlint.yaml.nodes import Mapping, Scalar, Sequence

_LONGEST: Final = 2000  # characters, of the 2048 that a message may have


_LIKE: Final = 0.8


@Fixer("Write the message in one line", "safe").example(
    good=rule_with('rule: has(self.mode), message: "must have a mode"')
)
def _message_in_one_line(finding: FieldFinding) -> Edits:
    node = finding.scalar()
    text = " ".join(node.value.split())
    if text:
        yield finding.editor.replace(
            node, quoted(text, double=node.style == '"' or finding.editor.is_json)
        )


@Fixer("Remove the empty message", "safe").example(
    bad=rule_with('rule: has(self.mode), message: " "'), good=rule_with("rule: has(self.mode)")
)
def _empty_message(finding: FieldFinding) -> Edits:
    return [] if finding.scalar().value.strip() else finding.remove()


@Fixer("Add a message that quotes the rule", "unsafe").example(
    bad=rule_with('rule: "has(self.mode)\\n&& true"'),
    good=rule_with(
        "rule: \"has(self.mode)\\n&& true\", message: 'failed rule: has(self.mode) && true'"
    ),
)
def _message_of_rule(finding: FieldFinding) -> Edits:
    text = " ".join(expect(Scalar, finding.owner, "rule").value.split())
    if text and len(text) <= _LONGEST and finding.owner.find("message") is None:
        value = quoted(f"failed rule: {text}", double=finding.editor.is_json)
        yield finding.editor.insert(
            finding.owner,
            "message",
            value,
            after="rule",
        )


@Fixer("Correct the reason", "safe").example(
    good=rule_with("rule: has(self.mode), reason: FieldValueInvalid")
)
def _reason(finding: FieldFinding) -> Edits:
    word = re.sub(r"[\W_]", "", finding.scalar().value).lower().removeprefix("fieldvalue")
    near = nearest(f"FieldValue{word.capitalize()}", REASONS, _LIKE)
    return finding.write(near) if near else []


@Fixer("Begin the path with a dot", "safe").example(
    bad=rule_with("rule: has(self.mode), fieldPath: mode"),
    good=rule_with("rule: has(self.mode), fieldPath: .mode"),
)
def _path_of_field(finding: FieldFinding) -> Edits:
    node = finding.scalar()
    path = re.sub(r"\A(?:self|\$)(?=[.\[])", "", node.value)
    if path and (path[0].isalpha() or path != node.value):
        yield finding.editor.respell(node, f".{path.removeprefix('.')}")


@Fixer("Correct the field", "unsafe").example(
    good=rule_with("rule: has(self.mode), fieldPath: .mode")
)
def _nearest_path(finding: FieldFinding) -> Edits:
    node, editor = finding.scalar(), finding.editor
    schema = expect(Mapping, editor.parent(expect(Sequence, editor.parent(finding.owner))))
    near = name_meant(node.value[1:], finding.schema(schema).properties)
    if near is not None and node.value.startswith("."):
        yield editor.respell(node, f".{near}")


@Fixer("Put the expression in quotes", "safe").example(
    bad=rule_with("rule: has(self.mode)").replace(
        "{rule: has(self.mode)}", "rule: !has(self.mode)"
    ),
    good=rule_with("rule: has(self.mode)").replace(
        "{rule: has(self.mode)}", "rule: '!has(self.mode)'"
    ),
)
def _quoted_rule(finding: FieldFinding) -> Edits:
    return quoted_tag(finding.editor, finding.scalar())


FIXES: Final = FixesOf(
    FieldFinding,
    {
        RULE_REQUIRED.id: (_quoted_rule,),
        MESSAGE.id: (_message_in_one_line, _empty_message, _message_of_rule),
        MESSAGE_EXPRESSION.id: (
            Fixer("Remove `messageExpression`", "safe", removal).example(
                good=rule_with("rule: has(self.mode)")
            ),
        ),
        REASON.id: (_reason,),
        FIELD_PATH.id: (_path_of_field, _nearest_path),
    },
)
