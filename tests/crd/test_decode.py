"""Decoding: each case is a fragment of a CRD and what Go's decoder says of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from present import present, root_of
from tables import each

import crdlint
from crdlint.crd.convert import read_crd
from crdlint.crd.decode import decode_crd
from crdlint.crd.identity import identify
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Node

SCHEMA_PATH = "spec.versions.schema.openAPIV3Schema"

HEADER = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
"""


def said(text: str) -> list[tuple[str, str]]:
    return [(p.kind, p.message) for p in decode_crd(root_of(text)).problems]


def schema(text: str) -> str:
    """Wrap a flow mapping as the only version's schema."""
    return HEADER + f"spec: {{versions: [{{name: v1, schema: {{openAPIV3Schema: {text}}}}}]}}\n"


def in_schema(value: str, of: str, field: str) -> str:
    return f"json: cannot unmarshal {value} into Go struct field JSONSchemaProps.{SCHEMA_PATH}.{field} of type {of}"


@each(
    ("text", "message"),
    [
        ("{maxLength: '5'}", in_schema("string", "int64", "maxLength")),
        ("{maxLength: 1.5}", in_schema("number 1.5", "int64", "maxLength")),
        ("{maxLength: 1e30}", in_schema("number 1e+30", "int64", "maxLength")),
        (
            "{maxLength: 18446744073709551615}",
            in_schema("number 18446744073709551615", "int64", "maxLength"),
        ),
        ("{maxLength: true}", in_schema("bool", "int64", "maxLength")),
        ("{maximum: yes}", in_schema("bool", "float64", "maximum")),
        ("{type: 5}", in_schema("number", "string", "type")),
        ("{type: [string]}", in_schema("array", "string", "type")),
        ("{$schema: {}}", in_schema("object", "v1.JSONSchemaURL", "$schema")),
        ("{nullable: 'x'}", in_schema("string", "bool", "nullable")),
        ("{required: x}", in_schema("string", "[]string", "required")),
        ("{required: [1]}", in_schema("number", "string", "required")),
        ("{enum: {}}", in_schema("object", "[]v1.JSON", "enum")),
        ("{not: 5}", in_schema("number", "v1.JSONSchemaProps", "not")),
        ("{allOf: {}}", in_schema("object", "[]v1.JSONSchemaProps", "allOf")),
        ("{properties: []}", in_schema("array", "map[string]v1.JSONSchemaProps", "properties")),
        ("{properties: {a: x}}", in_schema("string", "v1.JSONSchemaProps", "properties")),
        ("{definitions: 5}", in_schema("number", "v1.JSONSchemaDefinitions", "definitions")),
        ("{dependencies: []}", in_schema("array", "v1.JSONSchemaDependencies", "dependencies")),
        ("{externalDocs: u}", in_schema("string", "v1.ExternalDocumentation", "externalDocs")),
        (
            "{x-kubernetes-validations: {}}",
            in_schema("object", "v1.ValidationRules", "x-kubernetes-validations"),
        ),
        # A schema of its own decoder: the inner field goes on after the outer path, the struct is the outer one.
        ("{items: {maxLength: '5'}}", in_schema("string", "int64", "items.maxLength")),
        ("{items: [x]}", in_schema("string", "v1.JSONSchemaProps", "items")),
        ("{items: [{type: 5}]}", in_schema("number", "string", "items.type")),
        (
            "{additionalProperties: {items: {properties: {a: {minimum: x}}}}}",
            in_schema("string", "float64", "additionalProperties.items.properties.minimum"),
        ),
        (
            "{items: {x-kubernetes-validations: [{rule: 5}]}}",
            in_schema("number", "string", "items.x-kubernetes-validations.rule"),
        ),
        ("{dependencies: {a: [1]}}", in_schema("number", "string", "dependencies")),
        ("{additionalProperties: x}", "boolean or JSON schema expected"),
        ("{additionalItems: []}", "boolean or JSON schema expected"),
        # An error of such a decoder ends the work and hides those noted before it.
        ("{format: 5, items: {type: 6}}", in_schema("number", "string", "items.type")),
        # The first in the order of sorted keys is told, however the document has them.
        ("{type: 5, format: [], title: 6}", in_schema("array", "string", "format")),
    ],
)
def test_schema_type_error(text: str, message: str) -> None:
    assert said(schema(text)) == [("decode", message)]


@each(
    ("text", "message"),
    [
        (
            "spec: {conversion: {strategy: 1}}",
            "json: cannot unmarshal number into Go struct field CustomResourceConversion.spec.conversion.strategy "
            "of type v1.ConversionStrategyType",
        ),
        (
            "spec: {conversion: {webhook: {clientConfig: {service: {port: 4294967296}}}}}",
            "json: cannot unmarshal number 4294967296 into Go struct field "
            "ServiceReference.spec.conversion.webhook.clientConfig.service.port of type int32",
        ),
        (
            "spec: {conversion: {webhook: {clientConfig: {caBundle: 'x?'}}}}",
            "illegal base64 data at input byte 1",
        ),
        (
            "spec: {conversion: {webhook: {clientConfig: {caBundle: [1, 300]}}}}",
            "json: cannot unmarshal number 300 into Go struct field "
            "WebhookClientConfig.spec.conversion.webhook.clientConfig.caBundle of type uint8",
        ),
        (
            "metadata: {labels: {a: 1}}",
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
        ),
        (
            "metadata: {uid: 1}",
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.uid of type types.UID",
        ),
        (
            "metadata: {creationTimestamp: yesterday}",
            'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
        ),
        (
            "metadata: {creationTimestamp: 5}",
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
        ),
        (
            "status: x",
            "json: cannot unmarshal string into Go struct field CustomResourceDefinition.status "
            "of type v1.CustomResourceDefinitionStatus",
        ),
    ],
)
def test_type_error(text: str, message: str) -> None:
    assert said(HEADER + text) == [("decode", message)]


@each(
    ("text", "messages"),
    [
        ("extra: 1\nmore: {a: 1}\n", ['unknown field "extra"', 'unknown field "more"']),
        ("metadata: {labels: {a: b}, Name: x}\n", ['unknown field "metadata.Name"']),
        (
            "spec: {versions: [{}, {schema: {openAPIV3Schema: {properties: {a: {not: {xml: 1}}}}}}]}\n",
            ['unknown field "spec.versions[1].schema.openAPIV3Schema.properties.a.not.xml"'],
        ),
        # What decodes itself is not read strictly.
        (
            "spec: {versions: [{schema: {openAPIV3Schema: {items: {xml: 1}, default: {xml: 1}}}}]}\n",
            [],
        ),
        # Decoding errors hide strict ones.
        ("extra: 1\nstatus: {}\nspec: {group: null}\n", ['unknown field "extra"']),
    ],
)
def test_strict(text: str, messages: list[str]) -> None:
    assert said(HEADER + text) == [("strict", message) for message in messages]


def test_strict_errors_stop_at_a_hundred() -> None:
    text = HEADER + "".join(f"extra{i:03}: 1\n" for i in range(150))
    assert said(text)[-1] == ("strict", 'unknown field "extra099"')


@each(
    ("value", "message"),
    [
        ("{~: 1}", "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1"),
        ("[.inf]", "json: unsupported value: +Inf"),
        ("{a: !!int x}", "yaml: cannot decode !!str `x` as a !!int"),
        ("{? [b] : c}", 'yaml: invalid map key: []interface {}{"b"}'),
    ],
)
def test_what_cannot_be_json_is_refused_where_no_field_is_known(value: str, message: str) -> None:
    found = crdlint.lint_text(HEADER + f"spec: {{unknown: {value}}}\n")
    assert [diagnostic.message for diagnostic in found if diagnostic.origin == "apiserver"] == [
        message
    ]


def test_json_is_read_in_its_own_order() -> None:
    text = '{"kind": "CustomResourceDefinition", "spec": {"scope": 1, "group": 2}}'
    assert "spec.scope" in said(text)[0][1]
    assert "spec.group" in said(text.replace('"', ""))[0][1]


def test_json_numbers_and_duplicates() -> None:
    text = '{"spec": {"versions": [{"schema": {"openAPIV3Schema": {"maxLength": 1.0}}}]}}'
    assert said(text)[0][1] == in_schema("number 1.0", "int64", "maxLength")
    assert said(text.replace("1.0", "1e400"))[0][1] == in_schema(
        "number 1e400", "int64", "maxLength"
    )
    assert said(text.replace('maxLength": 1.0', 'maximum": -1E400'))[0][1] == in_schema(
        "number -1E400", "float64", "maximum"
    )
    assert said(text.replace('maxLength": 1.0', 'nullable": 1e400'))[0][1] == in_schema(
        "number", "bool", "nullable"
    )
    assert said('{"spec": {"group": "a", "group": "b"}}') == [
        ("strict", 'duplicate field "spec.group"')
    ]


@each(
    ("text", "value"),
    [
        ("1", 1),
        ("1.0", 1),
        ("1.5", 1.5),
        ("1e3", 1000),
        ("1234567890123456789.0", 1234567890123456800),
        ("-9223372036854775808.0", -9.223372036854776e18),
        ("12345678901234567890", 1.2345678901234567e19),
        ("18446744073709551615", 18446744073709551615.0),
        ("[1.0, {a: 2.0}]", [1, {"a": 2}]),
        ("'1'", "1"),
        ("yes", True),
    ],
)
def test_default_value(text: str, value: Any) -> None:
    crd = read_crd(root_of(schema(f"{{default: {text}}}"))).crd
    got = present(present(present(crd.spec.validation).open_api_v3_schema).default).value
    assert (got, type(got)) == (value, type(value))
    assert json.dumps(got) == json.dumps(value)


def test_nulls_leave_zero_values() -> None:
    nulls = "{default: null, type: null, enum: [null], required: [null], items: null, properties: {a: null}}"
    decoded = read_crd(root_of(schema(nulls)))
    props = present(present(decoded.crd.spec.validation).open_api_v3_schema)
    assert decoded.problems == ()
    assert (props.default, props.type, props.enum, props.required, props.items) == (
        None,
        "",
        [None],
        [""],
        None,
    )
    assert props.properties["a"].set_fields == 0
    assert str(props.properties["a"].path) == "spec.validation.openAPIV3Schema.properties[a]"


@each(
    ("text", "form", "error"),
    [
        (HEADER, "crd", None),
        ("apiVersion: v1\nkind: List\n", "list", None),
        (
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\n",
            "crd-list",
            None,
        ),
        ("apiVersion: v1\nkind: ConfigMap\n", "other", None),
        ("- 1\n", "other", None),
        (
            HEADER.replace("v1", "v1beta1"),
            "unserved",
            'no matches for kind "CustomResourceDefinition" in version "apiextensions.k8s.io/v1beta1"',
        ),
        (
            "apiVersion: {}\nkind: CustomResourceDefinition\n",
            "crd",
            "couldn't get version/kind; json parse error: json: cannot unmarshal object into Go struct field "
            ".apiVersion of type string",
        ),
        (
            "apiVersion: apiextensions.k8s.io/v1\nkind: [1]\n",
            "crd",
            "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field "
            ".kind of type string",
        ),
        (
            "kind: CustomResourceDefinition",
            "crd",
            "Object 'apiVersion' is missing in 'kind: CustomResourceDefinition'",
        ),
        # encoding/json, which reads these two alone, folds case.
        (HEADER.replace("kind", "KIND"), "crd", None),
    ],
)
def test_identify(text: str, form: str, error: str | None) -> None:
    identity = identify(root_of(text), text)
    assert (identity.form, identity.error) == (form, error)


@pytest.mark.parametrize(
    "opening",
    [
        "{not: ",
        *(
            pytest.param(key, marks=pytest.mark.exhaustive)
            for key in ("{items: ", "{properties: {a: ")
        ),
    ],
)
def test_deep_nesting_ends_in_an_answer(opening: str) -> None:
    each = opening.count("{")

    def nested(levels: int) -> str:
        return schema(opening * (levels // each) + "{}" + "}" * (levels // each * each))

    # The last level is the server's limit for YAML: 10,000 with those of the CRD around the schema.
    assert said_of(root_of(nested(9990))) == []
    refused = parse_first(nested(10000)).error
    assert refused is not None
    assert refused.message.endswith("yaml: exceeded max depth of 10000")


def test_aliases_can_nest_deeper_than_the_text() -> None:
    inner, outer = "{not: " * 5000, "}" * 5000
    root = root_of(schema(f"{{properties: {{a: &a {inner}{{}}{outer}, b: {inner}*a{outer}}}}}"))
    assert said_of(root) == ["couldn't get version/kind; json parse error: exceeded max depth"]


def said_of(root: Node) -> list[str]:
    return [p.message for p in decode_crd(root).problems]


def test_deep_error_is_told() -> None:
    levels = 4000
    root = root_of(
        schema("{not: " * levels + "{items: " * 500 + "{type: 5}" + "}" * (levels + 500))
    )
    assert said_of(root) == [
        in_schema("number", "string", ".".join(["not"] * levels + ["items"] * 500 + ["type"]))
    ]


def test_a_deep_default_is_read_whole() -> None:
    root = root_of(schema("{default: " + "[" * 9900 + "]" * 9900 + "}"))
    assert said_of(root) == []


def test_yaml_is_converted_before_kind_and_api_version_are_read() -> None:
    for head in (
        "apiVersion: apiextensions.k8s.io/v1\n",
        "apiVersion: 1\nkind: CustomResourceDefinition\n",
    ):
        for value, message in (
            (".nan", "json: unsupported value: NaN"),
            ("!!int abc", "yaml: cannot decode !!str `abc` as a !!int"),
        ):
            assert [one.message for one in crdlint.lint_text(f"{head}spec: {{x: {value}}}\n")] == [
                message
            ]


@each(
    ("lead", "message"),
    [
        ("  a: b\n", "Object 'Kind' is missing in '{text}'"),
        (
            "  [a]\n",
            "couldn't get version/kind; json parse error: json: cannot unmarshal array into {types}",
        ),
        (
            " a\n# b\n",
            "couldn't get version/kind; json parse error: json: cannot unmarshal string into {types}",
        ),
        (
            " on\n# b\n",
            "couldn't get version/kind; json parse error: json: cannot unmarshal bool into {types}",
        ),
        (
            " 1\n# b\n",
            "couldn't get version/kind; json parse error: json: cannot unmarshal number into {types}",
        ),
    ],
)
def test_a_crd_behind_the_end_of_the_document_is_told_of(lead: str, message: str) -> None:
    types = 'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    types += 'Kind string "json:\\"kind,omitempty\\"" }'
    text = f"{lead}apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
    [one] = crdlint.lint_text(text)
    assert (one.kind, one.line) == ("decode", 1)
    assert one.message == message.format(text=text, types=types)
    assert "reads line 1 as the whole document" in str(one.help)


@each(
    ("numbered", "rule", "help_"),
    [
        ("{:4} {}", "decode-type", "Remove the numbers at the beginning of the lines"),
        ("{:6}\t{}", "decode-type", "Remove the numbers at the beginning of the lines"),
        ("{} | {}", "decode-type", "Remove the numbers at the beginning of the lines"),
        ("{}: {}", "yaml-syntax", "Remove the numbers at the beginning of lines 1 to 3"),
    ],
)
def test_a_crd_that_was_pasted_with_its_line_numbers_is_told_of(
    numbered: str, rule: str, help_: str
) -> None:
    lines = ["apiVersion: apiextensions.k8s.io/v1", "kind: CustomResourceDefinition", "spec: {}"]
    text = "\n".join(numbered.format(i, line) for i, line in enumerate(lines, 1))
    [one] = crdlint.lint_text(text)
    assert (one.rule, one.line, one.help) == (rule, 1, help_)
