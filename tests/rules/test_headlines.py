"""The headlines of findings: what is wrong with which name, for somebody who has not seen the server's source."""

from __future__ import annotations

from crds import SMALLEST, crd_with_schema, crd_with_spec
from tables import each

from crdlint import lint_text, validate_resource

OF_FIELDS = {
    "a: {type: strin}": "`a` has the unknown type `strin`",
    "items: {type: string, pattern: '('}": "pattern of property `items`: a `(` is not closed",
    "a: {type: string, id: b}": "keyword `id` is not allowed on `a`",
    "a: {type: string, $schema: b}": "`$schema` is not allowed on `a`",
    "a: {type: array}": "list `a` has no `items`",
    "a: {type: string, format: ipp}": "format `ipp` of `a` is unknown for the type `string`",
    "a: {type: array, x-kubernetes-list-type: set, items: {type: object}}": (
        "`items` of `a` must be a scalar or atomic, as the list is a set"
    ),
    "a: {type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic}}": (
        "`a` is a set of scalars, but its items have the type `object`"
    ),
    "a: {type: string, default: x, x-kubernetes-validations: [{rule: \"self.split('').map(c, c)[9] == ''\"}]}": (
        "default of `a`: index out of bounds: 9 in rule `self.split('').map(c, c)[9] == …`"
    ),
    "a: {type: string, x-kubernetes-validations: [{rule: int('x') == 1}]}": (
        "rule on `a`: type conversion error from 'string' to 'int'"
    ),
    "a: {type: string, x-kubernetes-validations: [{rule: self.hasValue()}]}": (
        "rule on `a`: `string` has no function `hasValue()`"
    ),
    "a: {type: string, x-kubernetes-validations: [{rule: 'self.matches(\"^\\d+$\")'}]}": "rule on `a`: `\\d` is no escape of CEL",
    "a: {type: string, x-kubernetes-validations: [{rule: 'self == \"a'}]}": 'rule on `a`: the string `"a` is not closed',
    "a: {type: string, allOf: [{pattern: '('}]}": "pattern of `allOf[0]` of `a`: a `(` is not closed",
    "a: {type: object, not: {properties: {b: {pattern: '('}}}}": (
        "pattern of `b` in `not`: a `(` is not closed"
    ),
    "a: {type: string, anyOf: [{type: string}]}": "`type` is not allowed on `anyOf[0]` of `a`",
    "a: {type: string, x-kubernetes-validations: [{rule: 'true', message: \"b\\nc\"}]}": (
        "message of a rule on `a` has several lines"
    ),
    "a: {type: string, x-kubernetes-validations: [{rule: 'true', message: ' '}]}": "message of a rule on `a` is blank",
    "a: {type: array, maxItems: 9, items: {type: boolean, x-kubernetes-validations: [{rule: self == oldSelf}]}}": (
        "rule on `items` of `a` cannot use `oldSelf`: `a` is not a map list"
    ),
    "a: {type: array, x-kubernetes-list-type: map, items: {type: object, properties: {b: {type: string}}}}": (
        "`x-kubernetes-list-type: map` on `a` needs `x-kubernetes-list-map-keys`"
    ),
    "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], items: {type: object}}": (
        "list map key `b` of `a` is not a property of the list's items"
    ),
    "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b, b], items: {type: object, "
    "properties: {b: {type: string, default: c}}}}": "list map key `b` is repeated in `a`",
    "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], items: {type: string}}": (
        "`items` of `a` has the type `string`, but map lists need objects"
    ),
    "a: {type: array, x-kubernetes-list-type: set, items: {type: string, nullable: true}}": (
        "`items` of `a` cannot be nullable, as the list is a set or a map"
    ),
    "a: {type: string, default: b, x-kubernetes-validations: [{rule: self.size() > 1}]}": (
        "default of `a` violates the rule `self.size() > 1`"
    ),
    "a: {type: object, default: {}, required: [b], properties: {b: {type: string}}}": (
        "`b` in the default of `a` is missing"
    ),
}


@each("fields, headline", list(OF_FIELDS.items()), ids=lambda row: row[0][:50])
def test_a_headline_names_the_field_of_a_schema(fields: str, headline: str) -> None:
    first, *_ = lint_text(crd_with_spec(f"type: object\nproperties:\n  {fields}"))
    assert first.headline == headline


OF_ROOTS = {
    "type: object\nnullable: true": "`nullable: true` is not allowed at the root of the schema",
    "type: object\nadditionalProperties: {type: string}": "`additionalProperties` is not allowed at the root of the schema",
    "type: array": "type of `openAPIV3Schema` is `array`, not `object`",
}


@each("schema, headline", list(OF_ROOTS.items()), ids=lambda row: row[0][:50])
def test_a_headline_names_the_root(schema: str, headline: str) -> None:
    assert headline in [finding.headline for finding in lint_text(crd_with_schema(schema))]


OF_CRDS = {
    ("name: foos.example.com", "name: foo.example.com"): (
        "`metadata.name` must be `foos.example.com`, not `foo.example.com`"
    ),
    ("name: foos.example.com", "name: foos.example.com\n  labels: {a/b/c: x}"): (
        "key in `metadata.labels` has characters that are not allowed: `a/b/c`"
    ),
    ("name: foos.example.com", "name: foos.example.com\n  labels: {a: b c}"): (
        "value in `metadata.labels` has characters that are not allowed: `b c`"
    ),
    ("name: foos.example.com", "name: foos.example.com\n  labels: {a: b-}"): (
        "value in `metadata.labels` does not begin and end with a letter or digit: `b-`"
    ),
    ("name: foos.example.com", "name: foos.example.com\n  finalizers: [example.com/" + "a" * 64 + "]"): (
        f"name in `metadata.finalizers` is longer than 63 characters: `example.com/{'a' * 15}…`"
    ),
    ("name: foos.example.com", "name: foos.example.com\n  annotations: {x/: b}"): (
        "key in `metadata.annotations` has an empty name: `x/`"
    ),
    ("type: object", 'type: "object\\n"'): r'type of `openAPIV3Schema` is `"object\n"`, not `object`',
    ("name: foos.example.com", "name: foos.example.com\n  finalizers: [orphan, foregroundDeletion]"): (
        "name in `metadata.finalizers` excludes another: `orphan` and `foregroundDeletion`"
    ),
    ("name: foos.example.com", "name: foos.example.com\n  finalizers: ['']"): (
        "name in `metadata.finalizers` is empty"
    ),
    ("scope: Namespaced", "scope: Namespaced\n  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
     "clientConfig: {caBundle: '-', url: 'https://a'}}}"): (
        "`spec.conversion.webhook.clientConfig.caBundle`: the value must be a base64 text"
    ),
    ("kind: Foo", "kind: Foo, on: x"): "unknown field `on` in `names`",
    ("plural: foos", "plural: Foos"): "`spec.names.plural` has upper-case letters: `Foos`",
    ("kind: Foo", "kind: 9Foo"): "`spec.names.kind` begins with a digit: `9Foo`",
    ("name: v1\n", "name: V1\n"): "version name has upper-case letters: `V1`",
    ("name: foos.example.com", "name: foos.example.com\n  creationTimestamp: ''"): (
        "`metadata.creationTimestamp`: the value must be an RFC 3339 time"
    ),
    ("scope: Namespaced", "scope: ''"): "`spec.scope` is empty",
    ("  scope: Namespaced\n", ""): "`spec.scope` is missing",
    ("kind: CustomResourceDefinition\n", ""): "`kind` is missing",
    ("kind: CustomResourceDefinition\n", "kind: [CustomResourceDefinition]\n"): "`kind` must be a string",
    ("apiVersion: apiextensions.k8s.io/v1\n", ""): "`apiVersion` is missing",
    ("kind: Foo", "kind: [a]"): "`spec.names.kind` must be a string, not a list",
    ("name: foos.example.com", "name: foos.example.com\n  annotations: {a: 5}"): (
        "value in `metadata.annotations` must be a string, not the number `5`"
    ),
    ("name: foos.example.com", "name: foos.example.com\n  annotations: 5"): (
        "`metadata.annotations` must be a mapping of strings, not the number `5`"
    ),
    ("name: foos.example.com", "name: foos.example.com\n  labels: {a: [b]}"): (
        "value in `metadata.labels` must be a string, not a list"
    ),
    ("name: foos.example.com", "name: foos.example.com\n  finalizers: [true]"): (
        "item of `metadata.finalizers` must be a string, not the boolean `true`"
    ),
    ("kind: Foo", "kind: Foo, shortNames: [{a: b}]"): "item of `spec.names.shortNames` must be a string, not a mapping",
    ("    schema:", "    additionalPrinterColumns: [{name: a, type: string, jsonPath: .a, priority: high}]\n    schema:"): (
        "`additionalPrinterColumns.priority` must be an integer, not the string `high`"
    ),
    ("kind: Foo", "kind: Foo, shortNames: a"): "`spec.names.shortNames` must be a list of strings, not the string `a`",
    ("scope: Namespaced", "scope: Namespaced\n  group: example.com"): "key `group` is set twice, in lines 6 and 8",
    ("    schema:", "    selectableFields: [{jsonPath: .spec.a}]\n    schema:"): (
        "`jsonPath` `.spec.a` of a selectable field leads to no field"
    ),
    ("scope: Namespaced", "scope: Namespaced\n  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
     "clientConfig: {service: {name: '', namespace: a, path: /b}}}}"): (
        "`spec.conversion.webhook.clientConfig.service.name` is empty"
    ),
}  # fmt: skip


@each("change, headline", list(OF_CRDS.items()), ids=lambda row: row[1][:50])
def test_a_headline_names_the_field_of_a_crd(change: tuple[str, str], headline: str) -> None:
    assert change[0] in SMALLEST
    assert headline in [finding.headline for finding in lint_text(SMALLEST.replace(*change, 1))]


WEBHOOKS = {
    "url: http://a": "`spec.conversion.webhook.clientConfig.url` must begin with `https://`: `http`",
    "url: 'https://a?b'": "`spec.conversion.webhook.clientConfig.url` contains a query: `b`",
    "service: {name: a, namespace: b, path: c}": (
        "`spec.conversion.webhook.clientConfig.service.path` does not begin with `/`: `c`"
    ),
    "service: {name: a, namespace: b, path: /c//d}": (
        "`spec.conversion.webhook.clientConfig.service.path` has an empty part: `/c//d`"
    ),
    "service: {name: a, namespace: b, port: 0}": (
        "`spec.conversion.webhook.clientConfig.service.port` is not between 1 and 65535: `0`"
    ),
}


@each("config, headline", list(WEBHOOKS.items()))
def test_a_headline_names_what_is_wrong_with_a_webhook(config: str, headline: str) -> None:
    webhook = f"{{conversionReviewVersions: [v1], clientConfig: {{{config}}}}}"
    conversion = f"scope: Namespaced\n  conversion: {{strategy: Webhook, webhook: {webhook}}}"
    crd = SMALLEST.replace("scope: Namespaced", conversion)
    assert headline in [finding.headline for finding in lint_text(crd)]


SYNTAX = {
    ("  group: example.com", "   group: example.com"): "`group`: wrong indentation",
    ("  group: example.com", "  group: 'example.com"): "`group`: a quote is not closed",
    ("  group: example.com", "  group: @example.com"): "`group`: the value needs quotes",
    ("  group: example.com", "  group: [example.com"): "`group`: a bracket is not closed",
    ("  group: example.com", "  group example.com"): "a colon, or the space after it, is missing",
    ("  group: example.com", "\tgroup: example.com"): "a tab where YAML needs spaces",
    ("spec:", "<<<<<<< HEAD\nspec:\n=======\nspec:\n>>>>>>> x"): "a merge conflict is not resolved",
}


@each("change, headline", list(SYNTAX.items()), ids=lambda row: row[1])
def test_a_headline_names_the_cause_of_a_syntax_error(
    change: tuple[str, str], headline: str
) -> None:
    assert change[0] in SMALLEST
    assert headline in [finding.headline for finding in lint_text(SMALLEST.replace(*change, 1))]


@each(
    ("schema", "value", "headline"),
    [
        ("{type: string, not: {pattern: a}}", "a", "`a` matches the schema of `not`"),
        (
            "{type: string, allOf: [{maxLength: 3}]}",
            "abcd",
            "`a` does not match all schemas of `allOf`",
        ),
        (
            "{type: integer, multipleOf: 0.5}",
            "1",
            "`multipleOf` in the schema of `a` accepts no such value",
        ),
        (
            "{type: number, multipleOf: 0.5}",
            "1",
            "`multipleOf` in the schema of `a` accepts no such value",
        ),
        (
            "{type: integer, minimum: 0.5}",
            "1",
            "`minimum` in the schema of `a` accepts no such value",
        ),
    ],
)
def test_a_headline_names_the_keyword_that_rejects_an_object(
    schema: str, value: str, headline: str
) -> None:
    crd = crd_with_schema(f"{{type: object, properties: {{a: {schema}}}}}")
    resource = f"{{apiVersion: example.com/v1, kind: Foo, metadata: {{name: x}}, a: {value}}}"
    assert headline in [
        error.headline for error in validate_resource(crd, resource, as_request=True).errors
    ]
