"""Rules on request: what each reports, and where it has to stop."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from crds import small
from tables import each

from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.yaml import decode_yaml

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic

STATUS = "subresources: {status: {}}"


def parsed(text: str) -> Any:
    return decode_yaml(text)


def findings(found: Any, rule: str) -> list[Diagnostic]:
    result = lint_file(json.dumps(found), "crd.json", CheckRequest(requested=frozenset({rule})))
    assert not [
        one for one in result.diagnostics if one.origin == "apiserver" and one.severity == "error"
    ]
    told = [one for one in result.diagnostics if one.rule == rule]
    assert {one.kind for one in told} <= {"advice"}
    return told


def messages(rule: str, root: str, version: str = "") -> list[str]:
    """Return what a rule reports about the smallest CRD with more fields of the root schema and of the version."""
    found = small(parsed(f"{{type: object, {root}}}"))
    found["spec"]["versions"][0].update(decode_yaml(f"{{{version}}}"))
    return [one.message for one in findings(found, rule)]


def spec(fields: str, more: str = "") -> str:
    return (
        f"required: [spec], properties: {{spec: {{type: object, {more}properties: {{{fields}}}}}}}"
    )


@each(
    ("pattern", "expected"),
    [
        ("[a-z]+", 1),
        ("^[a-z]+", 0),
        ("[a-z]+$", 0),
        ("^[a-z]+$", 0),
        ("^a$|^b$", 0),
        ("(^a$|^b$)", 0),
        ("^a|b$", 1),
        ("(^a|b)$", 0),
        ("(^$|^[a-f0-9]{64}$)", 0),
        (r"\Aa\z", 0),
        (r"a\$", 1),
        ("(?i)^a$", 0),
        ("^(a|b)?$", 0),
        ("(^a)?b", 1),
        ("^(?:a(:b$|$))", 0),
    ],
)
def test_anchors_of_patterns(pattern: str, expected: int) -> None:
    root = f"properties: {{a: {{type: string, pattern: {json.dumps(pattern)}}}}}"
    assert len(messages("pattern-unanchored", root)) == expected


def of_list(fields: str, name: str = "type: string", more: str = "") -> str:
    items = f"{{type: object, {more}required: [name], properties: {{name: {{{name}}}}}}}"
    return spec(f"a: {{type: array, {fields}items: {items}}}")


@each(
    ("root", "expected"),
    [
        (of_list(""), 1),
        (of_list("", "type: integer"), 1),
        (of_list("x-kubernetes-list-type: atomic, "), 0),
        (of_list("x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], "), 0),
        (of_list("", "type: object"), 0),
        (of_list("", "type: string, nullable: true"), 0),
        (of_list("", more="nullable: true, "), 0),
        (spec("a: {type: array, items: {type: object, properties: {name: {type: string}}}}"), 0),
    ],
)
def test_lists_of_named_objects(root: str, expected: int) -> None:
    assert len(messages("list-of-named-objects-atomic", root)) == expected


SELECTOR = "properties: {matchLabels: {type: object}, matchExpressions: {type: array, items: {type: string}}}"


@each(
    ("root", "expected"),
    [
        (spec(f"a: {{type: object, {SELECTOR}}}"), 1),
        (spec(f"a: {{type: array, items: {{type: object, {SELECTOR}}}}}"), 1),
        (spec(f"a: {{type: object, x-kubernetes-map-type: atomic, {SELECTOR}}}"), 0),
        (
            spec(
                f"a: {{type: object, x-kubernetes-map-type: atomic, {SELECTOR}, "
                "anyOf: [{properties: {matchLabels: {minProperties: 1}, matchExpressions: {minItems: 1}}}]}"
            ),
            0,
        ),
    ],
)  # fmt: skip
def test_selectors(root: str, expected: int) -> None:
    assert len(messages("selector-not-atomic", root)) == expected


@each(
    ("root", "expected"),
    [
        ("", 1),
        ("properties: {}", 1),
        ("x-kubernetes-preserve-unknown-fields: true", 0),
        ("properties: {spec: {type: object}}", 0),
        (spec("none: {type: object}, tar: {type: object}"), 0),
    ],
)
def test_roots_without_fields(root: str, expected: int) -> None:
    assert len(messages("root-prunes-everything", root)) == expected


def status(fields: str, more: str = "") -> str:
    return f"properties: {{status: {{type: object, {more}properties: {{{fields}}}}}}}"


DROPPED = "`status` is not in the schema: the API server drops every status"
ITEM = "{type: {type: string}, status: {type: string}}"


@each(
    ("rule", "root", "version", "expected"),
    [
        ("status-subresource-without-schema", status("a: {type: string}"), STATUS, []),
        ("status-subresource-without-schema", "", STATUS, [DROPPED]),
        ("status-subresource-without-schema", "properties: {}", STATUS, [DROPPED]),
        ("status-subresource-without-schema", "", "", []),
        ("status-subresource-without-schema", "x-kubernetes-preserve-unknown-fields: true", STATUS, []),
        ("status-children-required", status("a: {type: string}", "required: [a], "), "", ["a status without `a` is rejected"]),
        ("status-children-required", status("a: {type: string}", "required: [a], default: {a: b}, "), STATUS, []),
        (
            "conditions-not-map",
            status(f"conditions: {{type: array, items: {{type: object, properties: {ITEM}}}}}"),
            STATUS,
            ["server-side apply cannot merge the conditions by `type`"],
        ),
        (
            "conditions-not-map",
            status(
                "conditions: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type, status], "
                f"items: {{type: object, required: [type, status], properties: {ITEM}}}}}"
            ),
            STATUS,
            ["server-side apply cannot merge the conditions by `type`"],
        ),
        ("conditions-not-map", status("a: {type: object, properties: {conditions: {type: array, items: {type: string}}}}"), "", []),
    ],
)  # fmt: skip
def test_status(rule: str, root: str, version: str, expected: list[str]) -> None:
    assert messages(rule, root, version) == expected


def columns(*texts: str) -> str:
    return f"additionalPrinterColumns: [{', '.join(f'{{{text}}}' for text in texts)}]"


FIELDS = spec(
    "at: {type: string}, day: {type: string, format: date}, time: {type: string, format: date-time}"
)


@each(
    ("rule", "version", "expected"),
    [
        ("printer-columns-lose-age", columns("name: A, type: string, jsonPath: .spec.at"), 1),
        (
            "printer-columns-lose-age",
            columns("name: A, type: date, jsonPath: .metadata.creationTimestamp"),
            0,
        ),
        (
            "printer-columns-lose-age",
            columns("name: A, type: date, jsonPath: \".metadata['creationTimestamp']\""),
            0,
        ),
        ("printer-columns-lose-age", "", 0),
        (
            "printer-column-date-without-format",
            columns("name: A, type: date, jsonPath: .spec.at"),
            1,
        ),
        (
            "printer-column-date-without-format",
            columns("name: A, type: date, jsonPath: .spec.day"),
            1,
        ),
        (
            "printer-column-date-without-format",
            columns("name: A, type: date, jsonPath: .spec.time"),
            0,
        ),
        (
            "printer-column-date-without-format",
            columns("name: A, type: string, jsonPath: .spec.at"),
            0,
        ),
    ],
)
def test_columns(rule: str, version: str, expected: int) -> None:
    assert len(messages(rule, FIELDS, version)) == expected


def versions(*schemas: str, strategy: str = "", **more: Any) -> Any:
    """Return a CRD with a served version for each schema's fields of the root."""
    found = small({"type": "object"})
    [first] = found["spec"]["versions"]
    found["spec"]["versions"] = [
        first
        | {"name": f"v{i + 1}", "storage": not i}
        | {"schema": {"openAPIV3Schema": decode_yaml(f"{{type: object, {schema}}}")}}
        | more
        for i, schema in enumerate(schemas)
    ]
    if strategy:
        found["spec"]["conversion"] = decode_yaml(strategy)
    return found


def of_spec(fields: str) -> str:
    return f"properties: {{spec: {{type: object, properties: {{{fields}}}}}}}"


KEPT = "x-kubernetes-preserve-unknown-fields: true"
TYPES, LOST, DEFAULTS = (
    "type-differs-between-versions",
    "none-conversion-loses-fields",
    "default-differs-between-versions",
)
WEBHOOK = "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: b}}}}"


@each(
    ("rule", "schemas", "expected"),
    [
        (TYPES, [of_spec("a: {type: string}"), of_spec("a: {type: integer}")],
         ["`.spec.a` is of type integer here, but of type string in version v1"]),
        (TYPES, [of_spec("a: {type: string}")] * 2 + [of_spec("a: {type: integer}")],
         ["`.spec.a` is of type integer here, but of type string in versions v1 and v2"]),
        (TYPES, [of_spec("a: {type: string}"), of_spec("a: {x-kubernetes-int-or-string: true}")],
         ["`.spec.a` is an int-or-string here, but of type string in version v1"]),
        (TYPES, [of_spec("a: {type: object, additionalProperties: {type: string}}"),
                 of_spec("a: {type: array, items: {type: object}}")],
         ["`.spec.a` is of type array here, but of type object in version v1"]),
        (TYPES, [of_spec("a: {type: string}"), of_spec(f"a: {{{KEPT}}}")],
         ["`.spec.a` is of any type here, but of type string in version v1"]),
        (TYPES, [of_spec("a: {type: string}"), of_spec("b: {type: integer}")], []),
        (LOST, [of_spec("a: {type: string}, b: {type: string}"), of_spec("a: {type: string}")],
         ["version v2 drops `.spec.b`"]),
        (LOST, [of_spec("b: {type: object, properties: {c: {type: string}}}"), of_spec("a: {type: string}")],
         ["version v2 drops `.spec.b`", "version v1 drops `.spec.a`"]),
        (LOST, [of_spec("b: {type: string}"), of_spec("a: {type: string}"), of_spec("a: {type: string}")],
         ["versions v2 and v3 drop `.spec.b`", "version v1 drops `.spec.a`", "version v1 drops `.spec.a`"]),
        (LOST, [of_spec("a: {type: string}"), "properties: {spec: {type: object, additionalProperties: {type: string}}}"], []),
        (LOST, [of_spec("a: {type: string}"), f"properties: {{spec: {{type: object, {KEPT}}}}}"], []),
        (LOST, ["properties: {kind: {type: string}, metadata: {type: object, properties: {name: {type: string, maxLength: 9}}}}",
                "properties: {metadata: {type: object}}"], []),
        (DEFAULTS, [of_spec("a: {type: string, default: x}"), of_spec("a: {type: string}")],
         ["the default of `.spec.a` differs in version v1"]),
        (DEFAULTS, [of_spec("a: {type: string, default: x}"), of_spec("a: {type: string, default: x}, b: {type: string}")], []),
    ],
)  # fmt: skip
def test_fields_of_versions(rule: str, schemas: list[str], expected: list[str]) -> None:
    assert [one.message for one in findings(versions(*schemas), rule)] == expected
    assert findings(versions(*schemas, strategy=WEBHOOK), rule) == []
    assert findings(versions(*schemas, served=False), rule) == []


@each(
    ("plural", "expected"),
    [("nodes", 1), ("resourceclaims", 1), ("volumeattributesclasses", 1), ("nodepools", 0)],
)
def test_plurals_of_built_in_resources(plural: str, expected: int) -> None:
    found = small({"type": "object"})
    found["metadata"]["name"] = f"{plural}.example.com"
    found["spec"]["names"]["plural"] = plural
    assert len(findings(found, "plural-same-as-builtin")) == expected


@each(
    ("rule", "root", "version", "help_"),
    [
        (
            "printer-column-type-mismatch",
            spec("at: {type: array, items: {type: string}}"),
            columns("name: A, type: integer, jsonPath: .spec.at"),
            "Set the type of the column to `string`",
        ),
        (
            "printer-column-type-mismatch",
            spec("at: {type: integer}"),
            columns("name: A, type: boolean, jsonPath: .spec.at"),
            "Set the type of the column to `integer`",
        ),
        (
            "conditions-not-map",
            status(f"conditions: {{type: array, items: {{type: object, properties: {ITEM}}}}}"),
            STATUS,
            "Set `x-kubernetes-list-type` to `map`, and `x-kubernetes-list-map-keys` to `[type]`; "
            "add `type` to the `required` of the items; "
            "in an existing CRD, stored conditions then stay, also those that their controller leaves out",
        ),
        ("names-defaulted", "", "", "Add `listKind: FooList` and `singular: foo`"),
    ],
)
def test_helps_say_what_to_write(rule: str, root: str, version: str, help_: str) -> None:
    found = small(parsed(f"{{type: object, {root}}}"))
    found["spec"]["versions"][0].update(decode_yaml(f"{{{version}}}"))
    assert [one.help for one in findings(found, rule)] == [help_]


@each(
    ("rule", "root", "version", "marked"),
    [
        ("rule-without-message", spec("a: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}"), "", '"self > 1"'),
        ("status-subresource-without-schema", spec("a: {type: integer}"), STATUS, '"status"'),
        ("scale-path-dead", spec("a: {type: string}"),
         "subresources: {status: {}, scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}}", '".spec.a"'),
    ],
)  # fmt: skip
def test_where_a_finding_is(rule: str, root: str, version: str, marked: str) -> None:
    found = small(parsed(f"{{type: object, {root}}}"))
    found["spec"]["versions"][0].update(decode_yaml(f"{{{version}}}"))
    first = findings(found, rule)[0]
    assert json.dumps(found)[first.column - 1 : first.end_column - 1] == marked


def scalable(keywords: str, *, required: str = "", inner: str = "") -> str:
    field = f"replicas: {{type: integer{keywords}}}"
    fields = f"{inner or field}"
    own = f"spec: {{type: object, {required}properties: {{{fields}}}}}"
    status = "status: {type: object, properties: {m: {type: integer}}}"
    return f"properties: {{{own}, {status}}}"


@each(
    ("root", "path", "expected"),
    [
        (scalable(""), ".spec.replicas", [".spec.replicas"]),
        (scalable(", default: 1"), ".spec.replicas", []),
        (scalable("", required="required: [replicas], "), ".spec.replicas", []),
        (scalable("", inner="a: {type: object, properties: {m: {type: integer, default: 1}}}"), ".spec.a.m", [".spec.a"]),
        (scalable("", inner="a: {type: object, default: {}, properties: {m: {type: integer, default: 1}}}"), ".spec.a.m", []),
        (scalable("", inner="a: {type: object, default: {}, properties: {m: {type: integer}}}"), ".spec.a.m", [".spec.a.m"]),
        (scalable(""), ".spec.other", []),
    ],
)  # fmt: skip
def test_scale_paths_to_optional_fields(root: str, path: str, expected: list[str]) -> None:
    scale = f"scale: {{specReplicasPath: {path}, statusReplicasPath: .status.m}}"
    found = messages("scale-path-optional", root, f"subresources: {{status: {{}}, {scale}}}")
    message = "autoscalers fail for an object without `{}`: the server cannot read its scale"
    assert found == [message.format(each) for each in expected]
