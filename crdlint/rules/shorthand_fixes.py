"""Fixes of values that are written shorter than the API has them: a type for a schema, an expression for a rule."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.finding import Edits, Finding, Fixer, is_null
from crdlint.schema.structural import TYPES
from crdlint.yaml.edit import Edit
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence

_SCHEMA_OR_BOOLEAN: Final = "boolean or JSON schema expected"
# The field that a text is the value of, by the Go type of the object that is expected.
_MAIN_FIELDS: Final = {"v1.ValidationRule": "rule", "v1.SelectableField": "jsonPath"}


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
    key = None if node is None else editor.key_of(node)
    if key is not None and key.value == "type":  # its indentation may be wrong
        return
    if isinstance(node, Scalar) and node.value in TYPES:
        text = editor.text[node.start_mark.index : node.end_mark.index]
        yield editor.replace(node, f"{{{editor.name('type')}: {text}}}")


def _object_of_text(finding: Finding) -> Edits:
    """Write an object with the text that is written in its place, as a rule with its expression."""
    editor, problem = finding.editor, finding.problem
    expected = "" if problem is None else problem.go_type
    field, node = _MAIN_FIELDS.get(expected.removeprefix("[]")), _value_expected_as(finding, expected)
    if field is None or not isinstance(node, Scalar) or node.style in {"|", ">"} or not editor.is_text(node):
        return
    text = f"{editor.name(field)}: {editor.text[node.start_mark.index : node.end_mark.index]}"
    parent = editor.parent(node)
    if expected.startswith("[]"):
        if "\n" not in text and not isinstance(parent, Sequence):
            yield editor.replace(node, f"[{{{editor.name(field)}: {editor.value(node.value, like=node)}}}]")
    elif isinstance(parent, Sequence) and parent.flow:
        yield editor.replace(node, f"{{{text}}}")
    elif isinstance(parent, Sequence) and "\n" not in text:
        yield editor.replace(node, text)


def _status_subresource(finding: Finding) -> Edits:
    """Write the status subresource, which has no fields, as an empty mapping."""
    editor = finding.editor
    node = _value_expected_as(finding, "v1.CustomResourceSubresourceStatus")
    if (isinstance(node, Scalar) and node.value.lower() in {"true", "enabled"}) or (
        isinstance(node, Sequence) and not node.items
    ):
        yield editor.write(node, "{}")
    node = _value_expected_as(finding, "v1.CustomResourceSubresources")
    status = f"{editor.name('status')}: {{}}"
    if isinstance(node, Scalar) and node.value == "status":
        yield editor.replace(node, f"{{{status}}}")
    if not isinstance(node, Sequence) or len(node.items) != 1:
        return
    (item,) = node.items
    is_mapping = isinstance(item, Mapping) and [getattr(key, "value", None) for key in item.items[::2]] == ["status"]
    if getattr(item, "value", None) != "status" and not is_mapping:
        return
    if node.flow:
        yield editor.replace(node, f"{{{status}}}")
    elif is_mapping:
        yield Edit(node.start_mark.index, item.start_mark.index, "  ")
    else:
        yield editor.replace(node, f"  {status}")


def _path_in_braces(finding: Finding) -> Edits:
    """Write a path without the braces, which YAML reads as a mapping."""
    node = _value_expected_as(finding, "string")
    if isinstance(node, Mapping) and node.flow and len(node.items) == 2:
        key, value = node.items
        if isinstance(key, Scalar) and key.value.startswith(".") and is_null(value):
            yield finding.editor.write(node, finding.editor.value(key.value))


def _conversion_of_strategy(finding: Finding) -> Edits:
    """Write a conversion with the strategy that is written in its place."""
    editor, node = finding.editor, _value_expected_as(finding, "v1.CustomResourceConversion")
    if isinstance(node, Scalar) and node.value.lower() == "none":
        yield editor.replace(node, f"{{{editor.name('strategy')}: {editor.value('None')}}}")


def _encoded_certificate(finding: Finding) -> Edits:
    """Encode a certificate by base64, as Kubernetes has bytes in YAML."""
    from base64 import b64encode

    _, key, node = finding.entry
    if key.value == "caBundle" and isinstance(node, Scalar) and node.value.startswith("-----BEGIN CERTIFICATE-----"):
        yield finding.editor.write(node, b64encode(node.value.encode()).decode())


def _in_spec(field: str) -> str:
    return f"type: object\nproperties:\n  spec:\n    type: object\n    properties:\n      {field}\n"


def _ruled(rules: str) -> str:
    return f"type: object\nproperties:\n  size:\n    type: integer\n    x-kubernetes-validations:\n    {rules}\n"


def _in_version(field: str) -> str:
    return f"{HEAD}        type: object\n    subresources:\n{field}"


def _with_column(path: str) -> str:
    column = f"additionalPrinterColumns: [{{name: A, type: string, jsonPath: {path}}}]"
    return f"{HEAD}        type: object\n    {column}\n"


def _certified(bundle: str) -> str:
    service = f"{{service: {{name: a, namespace: b}}, caBundle: {bundle}}}"
    return f"conversion: {{strategy: Webhook, webhook: {{clientConfig: {service}, conversionReviewVersions: [v1]}}}}"


DECODE: Final = (
    Fixer("Write a schema of the type", "safe", _schema_of_type,
          bad=_in_spec("host: string"), good=_in_spec("host: {type: string}")),
    Fixer("Write a schema of the type", "safe", _schema_of_type,
          bad=_in_spec("labels: {type: object, additionalProperties: string}"),
          good=_in_spec("labels: {type: object, additionalProperties: {type: string}}")),
    Fixer("Write a rule of the expression", "safe", _object_of_text,
          bad=_ruled("- self > 0"), good=_ruled("- rule: self > 0")),
    Fixer("Write the path without braces", "safe", _path_in_braces,
          bad=_with_column("{.spec.a}"), good=_with_column(".spec.a"), scope="text"),
    Fixer("Write a conversion with the strategy", "safe", _conversion_of_strategy,
          bad="conversion: None", good="conversion: {strategy: None}", scope="spec"),
    Fixer("Encode the certificate by base64", "safe", _encoded_certificate,
          bad=_certified("\"-----BEGIN CERTIFICATE-----\\n\""),
          good=_certified("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="), scope="spec"),
    Fixer("Write the status subresource as a mapping", "safe", _status_subresource,
          bad=_in_version("    - status\n"), good=_in_version("      status: {}\n"), scope="text"),
)  # fmt: skip
