"""Fixes of values that are written shorter than the API has them: a type for a schema, an expression for a rule."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.finding import Edits, Finding, Fixer
from crdlint.schema.structural import TYPES
from crdlint.yaml.nodes import Node, Scalar, Sequence


def _value_expected_as(finding: Finding, go_type: str) -> Node | None:
    """Return the value of the wrong type, if the API server asks for one Go type."""
    problem = finding.problem
    if problem is None or problem.go_type != go_type:
        return None
    return finding.entry[2] if finding.editor.is_key(problem.node) else problem.node


def _schema_of_type(finding: Finding) -> Edits:
    """Write a schema with the type that is written in its place."""
    editor, node = finding.editor, _value_expected_as(finding, "v1.JSONSchemaProps")
    if node is None and finding.problem is not None and finding.problem.message == _SCHEMA_OR_BOOLEAN:
        node = finding.entry[2]
    if isinstance(node, Scalar) and node.value in TYPES:
        text = editor.text[node.start_mark.index : node.end_mark.index]
        yield editor.replace(node, f"{{{editor.name('type')}: {text}}}")


_SCHEMA_OR_BOOLEAN: Final = "boolean or JSON schema expected"


def _rule_of_expression(finding: Finding) -> Edits:
    """Write a rule with the expression that is written in its place."""
    editor, node = finding.editor, _value_expected_as(finding, "v1.ValidationRule")
    parent = None if node is None else editor.parent(node)
    if not isinstance(node, Scalar) or not isinstance(parent, Sequence) or not editor.is_text(node):
        return
    text = f"{editor.name('rule')}: {editor.text[node.start_mark.index : node.end_mark.index]}"
    if parent.flow:
        yield editor.replace(node, f"{{{text}}}")
    elif node.style not in {"|", ">"} and "\n" not in text:
        yield editor.replace(node, text)


def _status_subresource(finding: Finding) -> Edits:
    """Write the status subresource, which has no fields, as an empty mapping."""
    editor = finding.editor
    node = _value_expected_as(finding, "v1.CustomResourceSubresourceStatus")
    if isinstance(node, Scalar) and node.value.lower() in {"true", "enabled"}:
        yield editor.replace(node, "{}")
    node = _value_expected_as(finding, "v1.CustomResourceSubresources")
    if not isinstance(node, Sequence) or [getattr(element, "value", None) for element in node.items] != ["status"]:
        return
    status = f"{editor.name('status')}: {{}}"
    if node.flow:
        yield editor.replace(node, f"{{{status}}}")
    else:
        yield editor.replace(node, f"  {status}")


def _in_spec(field: str) -> str:
    return f"type: object\nproperties:\n  spec:\n    type: object\n    properties:\n      {field}\n"


def _ruled(rules: str) -> str:
    return f"type: object\nproperties:\n  size:\n    type: integer\n    x-kubernetes-validations:\n    {rules}\n"


def _in_version(field: str) -> str:
    return f"{HEAD}        type: object\n    subresources:\n{field}"


DECODE: Final = (
    Fixer("Write a schema of the type", "safe", _schema_of_type,
          bad=_in_spec("host: string"), good=_in_spec("host: {type: string}")),
    Fixer("Write a schema of the type", "safe", _schema_of_type,
          bad=_in_spec("labels: {type: object, additionalProperties: string}"),
          good=_in_spec("labels: {type: object, additionalProperties: {type: string}}")),
    Fixer("Write a rule of the expression", "safe", _rule_of_expression,
          bad=_ruled("- self > 0"), good=_ruled("- rule: self > 0")),
    Fixer("Write the status subresource as a mapping", "safe", _status_subresource,
          bad=_in_version("    - status\n"), good=_in_version("      status: {}\n"), scope="text"),
)  # fmt: skip
