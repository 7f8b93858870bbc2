"""Advice on CRDs that the API server accepts: what is reported, and what is not."""

from __future__ import annotations

import json
from textwrap import dedent, indent
from typing import TYPE_CHECKING, Any, Final

from crds import HEAD, crd_with_spec, small
from tables import each

import crdlint
from crdlint.kubernetes.servers import NEWEST_VERSION
from crdlint.yaml import decode_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable

SEVERAL: Final = "Write each on a line of its own if these are several values: {}"
LATER = ": if it is added to an established CRD, `NamesAccepted` becomes False"


def crd(schema: str, **version: str) -> Any:
    """Return the smallest CRD with a schema, and more fields of its version, each in YAML."""
    given: Any = decode_yaml(dedent(schema))
    found = small(given)
    found["spec"]["versions"][0].update({name: decode_yaml(text) for name, text in version.items()})
    return found


def messages(found: Any, rules: Iterable[str], version: str = NEWEST_VERSION) -> list[str]:
    import json

    wanted = set(rules)
    told = [
        one
        for one in crdlint.lint_text(json.dumps(found), kube_version=version)
        if one.rule in wanted
    ]
    assert {one.kind for one in told} <= {"advice"}
    return [one.message for one in told]


STATUS = "{status: {}}"
COLUMNS = """
type: object
properties:
  spec:
    type: object
    properties:
      items: {type: array, items: {type: object, properties: {name: {type: string}}}}
      open: {type: object, x-kubernetes-preserve-unknown-fields: true}
      map: {type: object, additionalProperties: {type: string}}
      template: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}
      a.b: {type: string}
      port: {x-kubernetes-int-or-string: true}
  status: {type: object}
"""


@each(
    ("path", "expected"),
    [
        (".spec.items[0].name", None),
        (".spec.items[*].name", None),
        (".spec.items[*].Name", "`.spec.items[*].Name` is not in the schema"),
        (".spec.items.name", "`.spec.items` is a list, which has no fields"),
        (".spec['items'][0].name", None),
        (".spec['item'][0].name", "`.spec['item']` is not in the schema"),
        (r".spec.a\.b", None),
        (".spec.open.anything", None),
        (".spec.map.anything", None),
        (".spec.template.anything", None),
        (".spec.port.anything", None),
        (".metadata.anything", "`metadata` has no field `anything`"),
        (".metadata", None),
        (".metadata.labels.anything", None),
        (".metadata.ownerReferences[0].name", None),
        (".spec.map.", "its path ends in a dot"),
        (r".spec.a\.b.", "its path ends in a dot"),
        (".kind", None),
        (".spec.items[?(@.name=='a')].missing", None),
        (".missing.items[?(@.name=='a')]", "`.missing` is not in the schema"),
        ("..missing", None),
        (".status.phase", "`.status.phase` is not in the schema"),
        (".phase", "`.phase` is not in the schema"),
    ],
)
def test_paths_of_columns(path: str, expected: str | None) -> None:
    column = f'[{{name: A, type: string, jsonPath: "{path}"}}]'.replace("\\", "\\\\")
    found = messages(crd(COLUMNS, additionalPrinterColumns=column), ["printer-column-dead-path"])
    assert found == ([] if expected is None else [f"column `A` is always empty: {expected}"])


@each(
    ("scale", "expected"),
    [
        (
            "specReplicasPath: .spec.size, statusReplicasPath: .status.size, labelSelectorPath: .status.s",
            [],
        ),
        (
            "specReplicasPath: .spec.m, statusReplicasPath: .status.size",
            [
                "`.spec.m` is not in the schema: autoscalers fail, and `kubectl scale` reports success but changes nothing"
            ],
        ),
        (
            "specReplicasPath: .spec.s, statusReplicasPath: .status.size",
            ["`.spec.s` is of type string, not integer: objects that set it are rejected"],
        ),
        (
            "specReplicasPath: .spec.size, statusReplicasPath: .status.size, labelSelectorPath: .status.size",
            ["`.status.size` is of type integer, not string: objects that set it are rejected"],
        ),
        ("specReplicasPath: .spec.port, statusReplicasPath: .status.size", []),
    ],
)
def test_paths_of_scale(scale: str, expected: list[str]) -> None:
    fields = "{size: {type: integer}, s: {type: string}, port: {x-kubernetes-int-or-string: true}}"
    schema = f"{{type: object, properties: {{spec: &a {{type: object, properties: {fields}}}, status: *a}}}}"
    found = crd(schema, subresources=f"{{status: {{}}, scale: {{{scale}}}}}")
    assert messages(found, ["scale-path-dead"]) == expected


def test_a_path_is_reported_in_the_version_whose_schema_lacks_it() -> None:
    found = crd("{type: object, properties: {spec: {type: string}}}")
    columns = "[{name: A, type: string, jsonPath: .spec}]"
    found["spec"]["versions"][0]["additionalPrinterColumns"] = decode_yaml(columns)
    text = """
      name: v2
      served: true
      storage: false
      schema: {openAPIV3Schema: {type: object}}
      additionalPrinterColumns: [{name: A, type: string, jsonPath: .spec}]
    """
    found["spec"]["versions"].append(decode_yaml(dedent(text)))
    import json

    lines = json.dumps(found, indent=1)
    [one] = [one for one in crdlint.lint_text(lines) if one.rule == "printer-column-dead-path"]
    assert one.line > lines[: lines.index('"v2"')].count("\n")


@each(
    ("names", "expected"),
    [
        ("singular: foo, shortNames: [fo]", []),
        (
            "singular: foo, shortNames: [foo]",
            [f"`foo` is also the singular name of this CRD{LATER}"],
        ),
        ("shortNames: [foo]", [f"`foo` is also the singular name of this CRD{LATER}"]),
        ("shortNames: [foos]", [f"`foos` is also the plural name of this CRD{LATER}"]),
        (
            "shortNames: [fo, f, fo]",
            ["`fo` is also another short name of this CRD: `kubectl api-resources` lists it twice"],
        ),
    ],
)
def test_short_names(names: str, expected: list[str]) -> None:
    found = crd("type: object")
    found["spec"]["names"] = decode_yaml(f"{{plural: foos, kind: Foo, {names}}}")
    assert messages(found, ["short-name-own-name"]) == expected


@each(
    ("old", "status", "severity"),
    [
        ("shortNames: [fo]", None, "error"),
        ("shortNames: [foo]", None, "info"),
        ("singular: fool", None, "info"),
        ("shortNames: [fo]", {"conditions": [{"type": "Established", "status": "False"}]}, "info"),
        (
            "shortNames: [fo]",
            {"acceptedNames": {"plural": "foos", "kind": "Foo", "singular": "foo"}},
            "error",
        ),
        (
            "shortNames: [fo]",
            {
                "acceptedNames": {
                    "plural": "foos",
                    "kind": "Foo",
                    "singular": "foo",
                    "shortNames": ["foo"],
                }
            },
            "info",
        ),
    ],
)
def test_a_short_name_that_an_established_crd_does_not_get(
    old: str, status: Any, severity: str
) -> None:
    before, after = crd("type: object"), crd("type: object")
    before["spec"]["names"] = decode_yaml(f"{{plural: foos, kind: Foo, {old}}}")
    if status is not None:
        before["status"] = {"storedVersions": ["v1"], "conditions": [], **status}
    after["spec"]["names"] = decode_yaml(
        "{plural: foos, kind: Foo, singular: foo, shortNames: [foo]}"
    )
    found = [
        one
        for one in crdlint.lint_update(json.dumps(before), json.dumps(after))
        if one.rule == "short-name-own-name"
    ]
    assert [one.severity for one in found] == [severity]


METADATA = """
type: object
properties:
  metadata: {type: object}
  spec:
    type: object
    properties:
      a: {type: object, properties: {metadata: {type: object}}}
      b: {type: array, items: {type: object, properties: {metadata: {type: object, nullable: true}}}}
      c: {type: object, properties: {metadata: {type: object, properties: {name: {type: string}}}}}
      d: {type: object, properties: {metadata: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
      e: {type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object}}}
      f: {type: object, properties: {metadata: {type: string}}}
      g: {type: object, additionalProperties: {type: object, properties: {metadata: {type: object, properties: {}}}}}
      h: {type: object, properties: {metadata: {type: object, additionalProperties: {type: string}}}}
"""


CLAIM = "{type: object, properties: {volumeClaimTemplate: {type: object, properties: {metadata: {type: object}}}}}"


def test_embedded_metadata_is_reported_once() -> None:
    message = "labels and annotations written here are dropped (and at 2 more places of this CRD)"
    assert messages(crd(METADATA), ["embedded-metadata-pruned"]) == [message]


@each(
    ("more", "severity"),
    [
        ("", "info"),
        (", template: {type: object, properties: {metadata: {type: object}}}", "warning"),
    ],
)
def test_metadata_of_an_ephemeral_volume_in_a_copy_of_a_pod_spec_is_an_info(
    more: str, severity: str
) -> None:
    text = json.dumps(crd(f"{{type: object, properties: {{volume: {CLAIM}{more}}}}}"))
    assert [
        one.severity for one in crdlint.lint_text(text) if one.rule == "embedded-metadata-pruned"
    ] == [severity]


@each(
    ("schema", "version", "expected"),
    [
        ("spec: {type: object}", {}, 1),
        ("spec: {type: object, nullable: true, description: What is wanted.}", {}, 1),
        ("spec: {type: object, properties: {a: {type: string}}}", {}, 0),
        ("spec: {type: object, additionalProperties: {type: string}}", {}, 0),
        ("spec: {type: object, x-kubernetes-preserve-unknown-fields: true}", {}, 0),
        (
            "spec: {type: object, x-kubernetes-embedded-resource: true, properties: {a: {type: string}}}",
            {},
            0,
        ),
        ("status: {type: object}", {"subresources": STATUS}, 0),
        ("spec: {type: object, properties: {}}", {}, 1),
        ("spec: {type: object, properties: {status: {type: object}}}", {"subresources": STATUS}, 0),
        ("other: {type: object, description: It can be of any type.}", {}, 1),
        ("other: {type: object, description: Do not request any high performance feature.}", {}, 0),
        (
            "other: {type: object, properties: {metadata: {type: object, description: Arbitrary labels.}}}",
            {},
            0,
        ),
        ("other: {type: object}", {}, 0),
        ("other: {type: object, description: Arbitrary values.}", {}, 1),
        ("other: {type: object, description: A free-form object.}", {}, 1),
        (
            "other: {type: array, x-kubernetes-preserve-unknown-fields: true, "
            "items: {type: object, description: Arbitrary values.}}",
            {},
            0,
        ),
    ],
)
def test_objects_without_keys(schema: str, version: dict[str, str], expected: int) -> None:
    found = crd(f"{{type: object, properties: {{{schema}}}}}", **version)
    assert (
        messages(found, ["object-prunes-everything"]) == ["every key below is dropped"] * expected
    )


@each(
    ("enum", "help_"),
    [
        ("[Fast Slow Auto]", "Write `[Fast, Slow, Auto]`, if these are values of their own"),
        ("[Fast Slow, Auto]", None),
        ('["Fast Slow Auto"]', None),
        ("\n    - Fast Slow Auto", SEVERAL.format("`- Fast`, `- Slow` and `- Auto`")),
        ("\n    - on off", SEVERAL.format("`- on` and `- off`")),
        ("\n    - Fast Slow\n    - Auto", None),
        ('\n    - "Fast Slow Auto"', None),
        ("\n    - >-\n      Fast\n      Slow", None),
        ("\n    - Fast", None),
        ("\n    - up to 5", None),
    ],
)
def test_an_enum_of_one_text_with_several_words(enum: str, help_: str | None) -> None:
    fields = f"properties:\n  a:\n    type: string\n    enum: {enum}\n"
    text = HEAD + indent(f"type: object\n{fields}", " " * 8)
    found = crdlint.lint_text(text)
    helps = [one.help for one in found if one.rule == "enum-values-in-one-text"]
    assert helps == [help_] * (help_ is not None)


@each(
    ("root", "version", "rules"),
    [
        (
            "properties: {status: {type: object, properties: {a: {type: string}}}}",
            {},
            ["status-without-subresource"],
        ),
        (
            "properties: {status: {type: object, properties: {a: {type: string}}}}",
            {"subresources": "{}"},
            ["status-without-subresource"],
        ),
        (
            "properties: {status: {type: object}}",
            {"subresources": "{status: null}"},
            ["status-subresource-null"],
        ),
        ("properties: {status: {type: object}}", {"subresources": STATUS}, []),
        ("properties: {spec: {type: object}}", {}, []),
        ("properties: {status: {type: object}}", {}, []),
        (
            "required: [status], properties: {status: {type: object}}",
            {"subresources": STATUS},
            ["status-required"],
        ),
        (
            "required: [status], properties: {status: {type: object, properties: {a: {type: string}}}}",
            {},
            ["status-without-subresource"],
        ),
        (
            "required: [status], x-kubernetes-preserve-unknown-fields: true",
            {"subresources": STATUS},
            ["status-required"],
        ),
        (
            "required: [status], properties: {status: {type: object, default: {}}}",
            {"subresources": STATUS},
            ["status-required"],
        ),
        ("x-kubernetes-preserve-unknown-fields: true", {"subresources": STATUS}, []),
        ("required: [status], x-kubernetes-preserve-unknown-fields: true", {}, []),
    ],
)
def test_status(root: str, version: dict[str, str], rules: list[str]) -> None:
    import json

    text = json.dumps(crd(f"{{type: object, {root}}}", **version))
    assert [one.rule for one in crdlint.lint_text(text) if one.rule.startswith("status-")] == rules


@each(
    ("field", "expected"),
    [
        (
            "{type: integer, minimum: 2, maximum: 1}",
            "no value can match: `minimum` 2 > `maximum` 1",
        ),
        ("{type: integer, minimum: 1, maximum: 1}", None),
        (
            "{type: integer, minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true}",
            "no value can match: no integer is between `minimum` 1 and `maximum` 2",
        ),
        (
            "{type: number, minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true}",
            None,
        ),
        ("{type: integer, minimum: 1, exclusiveMinimum: true, maximum: 2}", None),
        (
            "{type: number, minimum: 12345678.5, maximum: 12345678.25}",
            "no value can match: `minimum` 12345678.5 > `maximum` 12345678.25",
        ),
        (
            "{type: integer, minimum: 1.2, maximum: 1.8}",
            "no value can match: no integer is between `minimum` 1.2 and `maximum` 1.8",
        ),
        (
            "{type: array, items: {type: string, minLength: 2, maxLength: 1}}",
            "no value can match: `minLength` 2 > `maxLength` 1",
        ),
        (
            "{type: object, additionalProperties: {type: string, minLength: 2, allOf: [{allOf: [{maxLength: 1}]}]}}",
            "no value can match: `minLength` 2 > `maxLength` 1",
        ),
        (
            "{type: integer, minimum: 1, exclusiveMinimum: true, maximum: 1}",
            "no value can match: `minimum` 1 = `maximum` 1, and one of them is exclusive",
        ),
        (
            "{type: string, minLength: 5, maxLength: 2}",
            "no value can match: `minLength` 5 > `maxLength` 2",
        ),
        (
            "{type: string, minLength: 5, allOf: [{maxLength: 9}, {maxLength: 2}]}",
            "no value can match: `minLength` 5 > `maxLength` 2",
        ),
        ("{type: string, minLength: 5, anyOf: [{maxLength: 2}, {maxLength: 9}]}", None),
        (
            "{type: array, minItems: 2, maxItems: 1, items: {type: string}}",
            "no value can match: `minItems` 2 > `maxItems` 1",
        ),
        (
            "{type: object, minProperties: 2, maxProperties: 1, additionalProperties: {type: string}}",
            "no value can match: `minProperties` 2 > `maxProperties` 1",
        ),
        (
            "{type: object, required: [b], properties: {'b,omitempty': {type: string}}}",
            "no object can match: `b` is required, but not in `properties`, so it is dropped",
        ),
        ("{x-kubernetes-int-or-string: true, minLength: 5, maxLength: 2}", None),
        (
            "{type: object, required: [a], properties: {b: {type: string}}}",
            "no object can match: `a` is required, but not in `properties`, so it is dropped",
        ),
        (
            "{type: object, allOf: [{required: [a]}], properties: {b: {type: string}}}",
            "no object can match: `a` is required, but not in `properties`, so it is dropped",
        ),
        ("{type: object, anyOf: [{required: [a]}], properties: {b: {type: string}}}", None),
        ("{type: object, required: [a], properties: {a: {type: string}}}", None),
        ("{type: object, required: [a], additionalProperties: {type: string}}", None),
        ("{type: object, required: [a], x-kubernetes-preserve-unknown-fields: true}", None),
        (
            "{type: object, required: [metadata, kind, a], x-kubernetes-embedded-resource: true, "
            "properties: {b: {type: string}}}",
            "no object can match: `a` is required, but not in `properties`, so it is dropped",
        ),
        ("{type: string, enum: [a, 1]}", "no value can match `1` in the enum: the type is string"),
        ("{type: integer, enum: [1, 2.0]}", None),
        ("{type: integer, enum: [a, b]}", "no value can match the enum: the type is integer"),
        (
            "{type: integer, enum: [1, a, b]}",
            "no value can match 2 of 3 values in the enum: the type is integer",
        ),
        (
            "{type: integer, enum: [1, 2.5]}",
            "no value can match `2.5` in the enum: the type is integer",
        ),
        ("{type: number, enum: [1, 2.5]}", None),
        (
            "{type: string, enum: [a, null]}",
            "no value can match `null` in the enum: the type is string",
        ),
        ("{type: string, nullable: true, enum: [a, null]}", None),
        ("{x-kubernetes-int-or-string: true, enum: [1, a]}", None),
        (
            "{type: string, enum: [a, b], allOf: [{enum: [c]}]}",
            "no value can match: the enum and those in `allOf` have no value in common",
        ),
        ("{type: string, enum: [a, b], allOf: [{enum: [b, c]}]}", None),
        ("{type: number, enum: [1], allOf: [{enum: [1.0]}]}", None),
        (
            "{type: string, pattern: '^x', enum: [a, b]}",
            "no value can match: the pattern matches no value of the enum",
        ),
        ("{type: string, pattern: '^a', enum: [a, b]}", None),
        ("{type: string, nullable: true, pattern: '^x', enum: [a, null]}", None),
    ],
)
def test_what_no_value_can_match(field: str, expected: str | None) -> None:
    found = messages(crd(f"{{type: object, properties: {{a: {field}}}}}"), ["never-valid"])
    assert sorted(set(found)) == ([] if expected is None else [expected])


@each(
    ("field", "expected"),
    [
        ("{type: string, nullable: true, enum: [a]}", 1),
        ("{type: string, nullable: true, enum: [a, null]}", 1),
        ("{type: string, nullable: true}", 0),
        ("{type: string, nullable: false, enum: [a]}", 0),
    ],
)
def test_null_of_enums(field: str, expected: int) -> None:
    found = messages(
        crd(f"{{type: object, properties: {{a: {field}}}}}"), ["nullable-enum-without-null"]
    )
    assert len(found) == expected


@each(
    ("field", "expected"),
    [
        ("{type: array, maxLength: 2, items: {type: string}}", ["`maxLength` checks nothing on an array"]),
        ("{type: object, pattern: a}", ["`pattern` checks nothing on an object"]),
        ("{type: string, minimum: 1}", ["`minimum` checks nothing on a string"]),
        ("{type: string, multipleOf: 2, maxItems: 2}", [
            "`multipleOf` checks nothing on a string", "`maxItems` checks nothing on a string",
        ]),
        ("{type: array, required: [a], items: {type: string}}", ["`required` checks nothing on an array"]),
        ("{type: array, required: [], items: {type: string}}", []),
        ("{type: string, x-kubernetes-preserve-unknown-fields: true}", [
            "`x-kubernetes-preserve-unknown-fields` has no effect on a string",
        ]),
        ("{type: boolean, minProperties: 1}", ["`minProperties` checks nothing on a boolean"]),
        ("{type: integer, maxLength: 3, maximum: 3}", ["`maxLength` checks nothing on an integer"]),
        ("{type: array, items: {type: string, maxItems: 3}}", ["`maxItems` checks nothing on a string"]),
        (
            "{type: object, additionalProperties: {type: integer, pattern: a}}",
            ["`pattern` checks nothing on an integer"],
        ),
        ("{type: array, allOf: [{maxLength: 3}, {maxItems: 3}], items: {type: string}}", [
            "`maxLength` checks nothing on an array",
        ]),
        ("{x-kubernetes-int-or-string: true, maxItems: 2}", ["`maxItems` checks nothing on an integer or string"]),
        ("{x-kubernetes-int-or-string: true, allOf: [{pattern: a, maximum: 3}]}", []),
        ("{type: array, x-kubernetes-preserve-unknown-fields: true, items: {type: string}}", []),
        ("{x-kubernetes-int-or-string: true, maxLength: 2, minimum: 1}", []),
        ("{type: string, format: int64}", []),
        ("{type: integer, exclusiveMinimum: true}", ["`exclusiveMinimum` checks nothing without `minimum`"]),
        ("{type: number, exclusiveMaximum: true, minimum: 1}", ["`exclusiveMaximum` checks nothing without `maximum`"]),
        ("{type: number, exclusiveMaximum: true, maximum: 0}", []),
        ("{type: number, exclusiveMaximum: false}", []),
        ("{type: array, minItems: -1, items: {type: string}}", ["`minItems` -1 checks nothing, because it is below 0"]),
        ("{type: object, minProperties: 0}", []),
        ("{type: array, anyOf: [{pattern: a}], items: {type: string}}", []),
    ],
)  # fmt: skip
def test_keywords_of_other_types(field: str, expected: list[str]) -> None:
    assert (
        messages(crd(f"{{type: object, properties: {{a: {field}}}}}"), ["keyword-without-effect"])
        == expected
    )


@each(
    ("first", "second", "rule", "expected"),
    [
        ("default: 15m", "default: 8h", "self.a <= self.b", "`duration(self.a) <= duration(self.b)`"),
        ("default: 15m", "default: 30m", "self.a < self.b", (
            "`duration(self.a) < duration(self.b)` or `quantity(self.a).compareTo(quantity(self.b)) < 0`"
        )),
        ("default: 1Gi", "", "self.a > '500Mi'", "`quantity(self.a).compareTo(quantity('500Mi')) > 0`"),
        ("pattern: '^[0-9]+$'", "default: '5'", "self.a >= self.b", "`int(self.a) >= int(self.b)`"),
        ("pattern: '^([0-9]+(ms|s|m|h))+$'", "", "'30s' <= self.a", "`duration('30s') <= duration(self.a)`"),
        (
            "pattern: '^[0-9]+([.][0-9]+)?([KMGTPE]i|[numkMGTPE])?$'", "default: 10m", "self.a < self.b",
            "`quantity(self.a).compareTo(quantity(self.b)) < 0`",
        ),
        ("pattern: '^[0-9]+([.][0-9]+)?$'", "", "self.a > self.a", "`double(self.a) > double(self.a)`"),
        ("pattern: '^[0-9]+([.][0-9]+)*$'", "", "self.a > self.a", None),
        ("pattern: '^v?[0-9]+$'", "", "self.a > self.a", None),
        ("pattern: '^[0-9]+%?$'", "", "self.a > self.a", None),
        ("pattern: '^[0-9]+(s|m|h|d)$'", "", "self.a > self.a", None),
        ("default: 8h", "default: 1Gi", "self.a < self.b", None),
        ("default: 8h", "", "self.a < self.b", None),
        ("default: 8h", "default: 9h", "self.a != self.b", None),
        ("default: '2024-01-01'", "", "self.a < '2025-01-01'", None),
        ("pattern: '^[0-9a-z]+$'", "", "self.a < '9'", None),
        ("pattern: '^[0-9]$'", "", "self.a >= '5'", None),
    ],
)  # fmt: skip
def test_texts_that_are_compared_letter_by_letter(
    first: str, second: str, rule: str, expected: str | None
) -> None:
    fields = (
        f"a: {{type: string, maxLength: 10, {first}}}, b: {{type: string, maxLength: 9, {second}}}"
    )
    present = f"!has(self.a) || !has(self.b) || {rule}"
    text = crd_with_spec(
        f'type: object\nproperties: {{{fields}}}\nx-kubernetes-validations:\n- rule: "{present}"\n'
    )
    found = [one for one in crdlint.lint_text(text) if one.rule == "rule-orders-texts"]
    assert [one.help for one in found] == ([] if expected is None else [f"Write {expected}"])


@each(
    ("names", "expected"),
    [
        ("plural: foos, kind: Foo, singular: fo", ["`kubectl get foo` fails: the singular is `fo`"]),
        ("plural: foos, kind: Foo, singular: foos", ["`kubectl get foo` fails: the singular is `foos`"]),
        ("plural: foos, kind: Foo, singular: foo", []),
        ("plural: foos, kind: Foo", []),
        ("plural: foos, kind: Foo, singular: fo, shortNames: [foo]", []),
        ("plural: foo, kind: Foo, singular: fo", []),
        ("plural: foos, kind: FooList, listKind: Foo, singular: foo", []),
    ],
)  # fmt: skip
def test_the_singular_is_the_kind_in_lower_case(names: str, expected: list[str]) -> None:
    found = crd("{type: object}")
    found["spec"]["names"] = decode_yaml(f"{{{names}}}")
    found["metadata"]["name"] = f"{found['spec']['names']['plural']}.{found['spec']['group']}"
    assert messages(found, ["singular-unlike-kind"]) == expected


@each(
    ("lines", "shown"),
    [
        ("Text.\nmaxLength: 5", "maxLength: 5"),
        ("Text.\n\nenum:\n- Fast\n- Slow", "enum:"),
        ("Text.\npattern: ^[a-z]+$", "pattern: ^[a-z]+$"),
        ("Text.\nformat: uuid\nmaxLength: 36", "format: uuid"),
        ("minLength: 1\nmaxLength: 36", "minLength: 1"),
        ("Text.\nenum: one of Fast and Slow", None),
        ("Text.\npattern: any", None),
        ("Text.\nformat: a UUID", None),
        ("Text.\nmaxLength: 5\nMore text.", None),
        ("Text.\nmaxLength: many", None),
        ("Text.\ndefault: 5", None),
        ("Text, such as:\n  maxLength: 5", None),
        ("Text.\nmaxLength: true", None),
        ("Text.\nminimum: 5", None),  # which the schema has
    ],
)
def test_keywords_in_a_description(lines: str, shown: str | None) -> None:
    text = lines.replace("\n", "\n    ")
    spec = "type: object\nproperties:\n  a:\n    minimum: 1\n    description: |-\n      {}\n    type: string\n"
    source = crd_with_spec(spec.format(text.replace("\n", "\n  ")))
    found = [one for one in crdlint.lint_text(source) if one.rule == "keyword-in-description"]
    expected = [] if shown is None else [f"Indent `{shown}` like `description`"]
    assert [one.help for one in found] == expected


def test_a_keyword_in_a_quoted_description_is_text() -> None:
    spec = 'type: object\nproperties: {a: {type: string, description: "Text.\\nmaxLength: 5"}}\n'
    assert [one.rule for one in crdlint.lint_text(crd_with_spec(spec))] == []


def test_a_format_that_the_server_reports_is_reported_once() -> None:
    import json

    text = json.dumps(
        crd("{type: object, properties: {a: {type: array, format: cidr, items: {type: string}}}}")
    )
    assert [one.rule for one in crdlint.lint_text(text)] == ["format-unrecognized"]
    older = crdlint.lint_text(text, kube_version="1.30")
    assert [one.message for one in older] == ["`format: cidr` checks nothing on an array"]


def test_a_word_that_yaml_reads_as_a_boolean_is_reported_once() -> None:
    text = (
        f"{HEAD}        type: object\n        properties: {{a: {{type: string, enum: [a, on]}}}}\n"
    )
    assert [one.rule for one in crdlint.lint_text(text)] == ["yaml-boolean"]


RULE = "x-kubernetes-validations: [{rule: self == oldSelf}]"


@each(
    ("spec", "expected"),
    [
        (f"properties: {{a: {{type: string, {RULE}}}}}", 1),
        (f"properties: {{a: {{type: string, {RULE.replace('self == oldSelf', 'oldSelf == self')}}}}}", 1),
        (f"required: [a], properties: {{a: {{type: string, {RULE}}}}}", 0),
        (f"properties: {{a: {{type: string, default: x, {RULE}}}}}", 0),
        (f"properties: {{a: {{type: string, {RULE.replace('self == oldSelf', 'self == oldSelf || self.size() < 3')}}}}}", 0),
        (
            f"properties: {{a: {{type: string, {RULE}}}}}, "
            "x-kubernetes-validations: [{rule: has(oldSelf.a) == has(self.a)}]",
            0,
        ),
        (
            f"properties: {{a: {{type: string, {RULE}}}}}, "
            "x-kubernetes-validations: [{rule: '!has(oldSelf.a) || has(self.a)'}]",
            0,
        ),
        (
            f"properties: {{b: {{type: string}}, a: {{type: string, {RULE}}}}}, "
            "x-kubernetes-validations: [{rule: '!has(self.a) || self.a != oldSelf.b'}]",
            0,
        ),
        (f"properties: {{a: {{type: string, {RULE}}}}}, {RULE}", 0),
        (
            f"properties: {{a: {{type: string, {RULE}}}, b: {{type: string}}}}, "
            "x-kubernetes-validations: [{rule: has(oldSelf.b) == has(self.b)}]",
            1,
        ),
    ],
)  # fmt: skip
def test_immutable_fields(spec: str, expected: int) -> None:
    found = crd(
        f"{{type: object, required: [spec], properties: {{spec: {{type: object, {spec}}}}}}}"
    )
    assert len(messages(found, ["immutable-bypass"])) == expected


@each(
    ("root", "expected"),
    [
        (f"properties: {{spec: {{type: object, required: [a], properties: {{a: {{type: string, {RULE}}}}}}}}}", "spec"),
        (f"properties: {{spec: {{type: object, {RULE}, properties: {{a: {{type: string, {RULE}}}}}}}}}", "spec"),
        (
            "required: [spec], properties: {spec: {type: object, properties: {b: {type: object, required: [a], properties: "
            f"{{a: {{type: string, {RULE}}}}}}}}}}}}}",
            "b",
        ),
        (
            "properties: {spec: {type: object, default: {a: x}, required: [a], properties: "
            f"{{a: {{type: string, {RULE}}}}}}}}}",
            None,
        ),
        (
            f"properties: {{spec: {{type: object, required: [a], properties: {{a: {{type: string, {RULE}}}}}}}}}, "
            "x-kubernetes-validations: [{rule: '!has(oldSelf.spec) || has(self.spec)'}]",
            None,
        ),
        (
            "properties: {spec: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, "
            f"required: [k, a], properties: {{k: {{type: string}}, a: {{type: string, {RULE}}}}}}}}}}}",
            None,
        ),
    ],
)  # fmt: skip
def test_each_object_above_an_immutable_field_counts(root: str, expected: str | None) -> None:
    found = messages(crd(f"{{type: object, {root}}}"), ["immutable-bypass"])
    assert [message.partition(" ")[0].strip("`") for message in found] == (
        [] if expected is None else [expected]
    )


def test_all_that_keeps_an_immutable_field_is_one_help() -> None:
    fields = (
        f"properties: {{spec: {{type: object, properties: {{class: {{type: string, {RULE}}}}}}}}}"
    )
    import json

    found = crdlint.lint_text(json.dumps(crd(f"{{type: object, {fields}}}")))
    [one] = [one for one in found if one.rule == "immutable-bypass"]
    assert one.help == (
        "Add a rule to each object that has one of them: `!has(oldSelf.class) || has(self.class)` and "
        "`!has(oldSelf.spec) || has(self.spec)`; or, in a new CRD, add `class` and `spec` to their `required`"
    )


def test_immutable_fields_of_the_status_are_for_controllers() -> None:
    status = f"{{type: object, properties: {{a: {{type: string, {RULE}}}}}}}"
    found = crd(f"{{type: object, properties: {{status: {status}}}}}", subresources=STATUS)
    assert messages(found, ["immutable-bypass"]) == []


def test_immutable_fields_are_one_finding() -> None:
    fields = f"properties: {{a: {{type: string, {RULE}}}, b: {{type: string, {RULE}}}}}"
    message = "`a` can be removed and added again with another value: the rule is skipped if either is missing"
    found = messages(crd(f"{{type: object, {fields}}}"), ["immutable-bypass"])
    assert found == [f"{message} (and at 1 more place of this CRD)"]


def test_what_versions_share_is_one_finding() -> None:
    columns = "[{name: A, type: string, jsonPath: .a}]"
    status = "{type: object, properties: {b: {type: string}}}"
    found = crd(
        f"{{type: object, properties: {{status: {status}}}}}", additionalPrinterColumns=columns
    )
    [first] = found["spec"]["versions"]
    found["spec"]["versions"].append(first | {"name": "v2", "storage": False, "deprecated": True})
    other = crd(f"{{type: object, title: A, properties: {{status: {status}}}}}")["spec"][
        "versions"
    ][0]
    found["spec"]["versions"][1]["schema"] = other["schema"]
    assert messages(found, ["printer-column-dead-path", "status-without-subresource"]) == [
        f"{message} (and at 1 more place of this CRD)"
        for message in (
            "column `A` is always empty: `.a` is not in the schema",
            "the status subresource is disabled: `/status` does not exist, and writes of it raise the generation",
        )
    ]


@each(
    ("place", "given", "expected"),
    [
        ("spec", "preserveUnknownFields: false", ["preserveUnknownFields: false"]),
        ("names", "categories: []", ["categories: []"]),
        ("names", "categories: [a]", []),
        ("metadata", "annotations: {}", ["annotations: {}"]),
        ("metadata", "creationTimestamp: null", []),
        ("version", "deprecated: false", ["deprecated: false"]),
        ("version", "additionalPrinterColumns: []", ["additionalPrinterColumns: []"]),
        ("column", "priority: 0", ["priority: 0"]),
        ("column", "description: ''", ['description: ""']),
        ("schema", "nullable: false", ["nullable: false"]),
        ("schema", "description: ''", ['description: ""']),
        ("schema", "properties: {}", ["properties: {}"]),
        ("schema", "required: []", ["required: []"]),
        ("schema", "minLength: 0", []),
        ("schema", "default: {}", []),
        ("schema", "type: object, x-kubernetes-validations: [{rule: 'true', message: ''}]", ['message: ""']),
        ("schema", "$schema: ''", ['$schema: ""']),
        ("schema", "type: '', x-kubernetes-preserve-unknown-fields: true", ['type: ""']),
        ("metadata", "ownerReferences: []", ["ownerReferences: []"]),
        ("spec", "conversion: {strategy: None}", []),
        (
            "spec",
            "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
            "clientConfig: {caBundle: '', service: {name: a, namespace: b}}}}",
            ['caBundle: ""'],
        ),
        ("status", "conditions: [], storedVersions: []", []),
    ],
)  # fmt: skip
def test_what_is_not_stored(place: str, given: str, expected: list[str]) -> None:
    found = crd("{type: object, properties: {a: {type: object}}}")
    spec = found["spec"]
    [version] = spec["versions"]
    schema = version["schema"]["openAPIV3Schema"]["properties"]["a"]
    column = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
    if place == "column":
        version["additionalPrinterColumns"] = [column]
    target = {
        "spec": spec, "names": spec["names"], "metadata": found["metadata"], "version": version, "schema": schema,
        "status": found.setdefault("status", {}), "column": column,
    }[place]  # fmt: skip
    target.update(decode_yaml(f"{{{given}}}"))
    what = "the API server does not store `{}`: GitOps tools always see a difference"
    assert messages(found, ["not-stored"]) == [what.format(one) for one in expected]


@each(
    ("list_type", "items", "expected"),
    [
        ("set", "{type: object, x-kubernetes-map-type: atomic}", 1),
        ("set", "{type: array, items: {type: string}}", 1),
        ("set", "{type: string}", 0),
        ("atomic", "{type: object, x-kubernetes-map-type: atomic}", 0),
    ],
)
def test_sets_of_objects(list_type: str, items: str, expected: int) -> None:
    found = crd(
        f"{{type: object, properties: {{a: {{type: array, x-kubernetes-list-type: {list_type}, items: {items}}}}}}}"
    )
    assert len(messages(found, ["list-set-of-objects"], "1.36")) == expected
    assert messages(found, ["list-set-of-objects"]) == []  # newer servers warn themselves


@each(
    ("served", "expected"),
    [
        ([True], []),
        ([False], ["storage-version-not-served"]),
        ([False, False], ["no-version-served"]),
        ([False, True], []),
        ([True, None], ["served-null"]),
        ([None], ["storage-version-not-served"]),
        ([None, False], ["no-version-served"]),
    ],
)
def test_served_versions(served: list[bool | None], expected: list[str]) -> None:
    import json

    found = crd("type: object")
    [first] = found["spec"]["versions"]
    found["spec"]["versions"] = [
        first | {"name": f"v{i + 1}", "served": one, "storage": not i}
        for i, one in enumerate(served)
    ]
    assert [one.rule for one in crdlint.lint_text(json.dumps(found))] == expected


@each(
    ("field", "expected"),
    [
        ("{type: object,\n nullable: false,\n x-kubernetes-map-type: wrong}", ["map-type-unsupported", "not-stored"]),
        ("{type: string,\n pattern: '^[:alnum:]+$',\n default: xyz}", ["default-invalid", "pattern-slip"]),
        # In the same line, or about a keyword that depends on what is wrong.
        ("{type: string, pattern: '^[:alnum:]+$('}", ["pattern-invalid"]),
        ("{type: strin,\n pattern: '^[:alnum:]+$'}", ["type-unsupported"]),
    ],
)  # fmt: skip
def test_advice_beside_an_error_is_about_another_keyword(field: str, expected: list[str]) -> None:
    text = f"{HEAD}        type: object\n        properties:\n          a: {field}\n"
    assert [one.rule for one in crdlint.lint_text(text)] == expected


@each(
    ("text", "advice"),
    [
        ("", []),
        ("#", []),
        ("a", []),
        ("a #b", ["yaml-text-cut"]),
        ("!a", ["yaml-text-cut"]),
        ("a  # b", []),
    ],
)
def test_texts_in_a_file_with_carriage_returns(text: str, advice: list[str]) -> None:
    schema = f"type: object\n        description: {text} \n"
    found = crdlint.lint_text(f"{HEAD.rstrip()}\n        {schema}".replace("\n", "\r\n"))
    assert [one.rule for one in found if one.rule == "yaml-text-cut"] == advice


@each(("names", "shown"), [(34, 34), (35, 33), (2000, 33)])
def test_a_long_list_of_dropped_names_is_told_in_a_few_findings(names: int, shown: int) -> None:
    spec = f"{{type: object, required: [{', '.join(f'f{i}' for i in range(names))}]}}"
    found = [one for one in crdlint.lint_text(crd_with_spec(spec)) if one.rule == "never-valid"]
    assert len(found) == shown
    more = f"`f32` and {names - 33:,} more names are required, but not in"
    assert (more in found[-1].message) is (names > shown)


def test_the_cost_of_the_rules_below_an_unlimited_list_is_one_finding() -> None:
    rule = "{rule: self > 0 && self < 65536 && self != 22}"
    items = f"{{type: integer, x-kubernetes-validations: [{rule}, {rule}]}}"
    found = messages(
        crd(f"{{type: object, properties: {{a: {{type: array, items: {items}}}}}}}"),
        ["cel-rule-cost-unbounded-parent"],
    )
    assert [message.endswith(" (and at 1 more place of this CRD)") for message in found] == [True]


@each(("rule", "expected"), [("self > 0", 0), ("self > 0 && self < 65536 && self != 22", 1)])
def test_the_cost_of_an_unlimited_list_is_reported_from_half_of_the_budget_on(
    rule: str, expected: int
) -> None:
    items = f"{{type: integer, x-kubernetes-validations: [{{rule: {rule}}}]}}"
    found = crd(f"{{type: object, properties: {{a: {{type: array, items: {items}}}}}}}")
    assert len(messages(found, ["cel-rule-cost-unbounded-parent"])) == expected


@each(
    ("items", "help_"),
    [
        (
            "type: object, properties: {a: {type: string}}",
            "map` with keys, or `x-kubernetes-list-type: atomic`",
        ),
        (
            "type: array, x-kubernetes-list-type: set, items: {type: string}",
            "Set `x-kubernetes-list-type: atomic`",
        ),
    ],
)
def test_no_help_leads_to_a_set_of_objects_or_lists(items: str, help_: str) -> None:
    import json

    schema = f"{{type: object, properties: {{l: {{type: array, x-kubernetes-list-type: set, items: {{{items}}}}}}}}}"
    found = [
        one
        for one in crdlint.lint_text(json.dumps(crd(schema)))
        if one.rule == "set-items-not-atomic"
    ]
    assert len(found) == 1
    assert help_ in (found[0].help or "")
    assert "x-kubernetes-map-type" not in (found[0].help or "")


_COLUMN: Final = "additionalPrinterColumns: [{{name: A, type: {}, jsonPath: .spec.f}}]"


@each(
    ("column", "field", "shown"),
    [
        ("integer", "string", "string"),
        ("number", "string", "string"),
        ("boolean", "string", "string"),
        ("integer", "boolean", "boolean"),
        ("date", "integer", "integer"),
        ("boolean", "number", "number"),
        ("integer", "integer", ""),
        ("integer", "number", ""),
        ("number", "integer", ""),
        ("string", "integer", ""),
        ("boolean", "boolean", ""),
    ],
)
def test_columns_of_another_type(column: str, field: str, shown: str) -> None:
    text = crd_with_spec(f"type: object\nproperties: {{f: {{type: {field}}}}}")
    text += f"    {_COLUMN.format(column)}\n"
    found = [
        each for each in crdlint.lint_text(text) if each.rule == "printer-column-type-mismatch"
    ]
    helps = [each.help for each in found]
    assert helps == [f"Set the type of the column to `{shown}`"] * bool(shown)
