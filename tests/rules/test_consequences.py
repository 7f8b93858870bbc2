"""Findings that only follow from others are grouped below them in text, and name them in JSON."""

from __future__ import annotations

import json

from crds import HEAD, crd_with_schema
from tables import each

from crdlint.kubernetes.servers import parse_range
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.report import formats
from crdlint.report.pieces import RunOutcome, Summary, View
from crdlint.rules.consequences import causes

OBJECT = f"{HEAD}        type: object\n"
PROPERTIES = f"{OBJECT}        properties:\n"
LIST = "          a: {{{}, items: {{type: string}}, x-kubernetes-list-type: atomic}}\n"
CASES = {
    "names": (
        OBJECT.replace("  names: {plural: foos, kind: Foo}\n", ""),
        {
            "metadata.name": "spec.names.plural",
            "spec.names.singular": "spec.names.kind",
            "spec.names.listKind": "spec.names.kind",
        },
    ),
    "storage": (OBJECT.replace("storage: true", "storage: false"), {"status.storedVersions": "spec.versions"}),
    "version name": (OBJECT.replace("- name: v1", "- name: V1"), {"spec.version": "spec.versions[0].name"}),
    "strategy": (
        OBJECT.replace("  scope:", "  conversion: {strategy: webhook, webhook: {conversionReviewVersions: [v1]}}\n  scope:"),
        {"spec.conversion.conversionReviewVersions": "spec.conversion.strategy"},
    ),
    "alternatives": (
        PROPERTIES + "          a: {anyOf: [{type: string}, {type: integer}]}\n",
        {
            "spec.validation.openAPIV3Schema.properties[a].type": (
                "spec.validation.openAPIV3Schema.properties[a].anyOf[0].type"
            )
        },
    ),
    "type of a list": (
        PROPERTIES + LIST.format("maxItems: 4"),
        {
            "spec.validation.openAPIV3Schema.properties[a].type": "spec.validation.openAPIV3Schema.properties[a].type",
        },
    ),
    "other property": (
        PROPERTIES + LIST.format("type: object") + "          b: {maxItems: 4}\n",
        {},
    ),
}  # fmt: skip


@each("name", CASES)
def test_what_follows_from_what(name: str) -> None:
    text, expected = CASES[name]
    found = [one for one in lint_file(text, filename="x").diagnostics if one.severity == "error"]
    first = causes(found)
    assert {one.field: first[id(one)].field for one in found if id(one) in first} == expected


WEBHOOK = "  conversion: {strategy: Webhook, webhook: {clientConfig: {url: 'https://x'}, conversionReviewVersions: [v1]}}\n"
FULL = PROPERTIES.replace("  scope:", f"{WEBHOOK}  scope:").replace(
    "    schema:\n",
    "    additionalPrinterColumns: [{name: A, type: string, jsonPath: .spec.a}]\n"
    "    subresources: {scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}}\n"
    "    schema:\n",
) + "          a: {type: array, items: {type: string}, x-kubernetes-list-type: atomic}\n          c: {type: string}\n" + (
    "          b:\n"
    "            type: array\n"
    "            x-kubernetes-list-type: map\n"
    "            x-kubernetes-list-map-keys: [name]\n"
    "            items: {type: object, required: [name], properties: {name: {type: string, maxLength: 9}}}\n"
    "            x-kubernetes-validations: [{rule: 'true'}]\n"
)  # fmt: skip
MISSPELLED = {
    "type of a list": ("          a: {type:", "          a: {tpye:", {"structural-type-required", "list-type-not-array"}),
    "type of a field": ("c: {type:", "c: {typ:", {"structural-type-required"}),
    "items": ("array, items:", "array, item:", {"structural-items-required"}),
    "list map keys": ("map-keys:", "map-key:", {"list-map-keys-required"}),
    "items of a list map": ("            items:", "            itmes:", {"structural-items-required", "list-map-items"}),
    "plural": ("plural:", "plurl:", {"names-required", "metadata-name"}),
    "kind": ("kind: Foo", "knd: Foo", {"names-required"}),
    "group": ("  group:", "  gruop:", {"group-invalid", "metadata-name"}),
    "scope": ("  scope:", "  scop:", {"scope-invalid"}),
    "strategy": ("strategy:", "strateg:", {"conversion-strategy-invalid", "conversion-webhook-config"}),
    "client": ("clientConfig:", "clientconfig:", {"conversion-webhook-config"}),
    "review versions": ("conversionReviewVersions:", "conversionReviewVersion:", {"conversion-review-versions"}),
    "schema": ("    schema:", "    schmea:", {"schema-required"}),
    "root schema": ("openAPIV3Schema:", "openApiV3Schema:", {"schema-required"}),
    "column": ("jsonPath:", "JSONPath:", {"printer-column-invalid"}),
    "scale": ("specReplicasPath:", "specReplicaPath:", {"scale-path-invalid"}),
    "rule": ("{rule:", "{rul:", {"rule-required"}),
}  # fmt: skip


@each("name", MISSPELLED)
def test_what_follows_from_a_misspelled_field(name: str) -> None:
    right, wrong, rules = MISSPELLED[name]
    assert [
        one.message for one in lint_file(FULL, filename="x").diagnostics if one.severity == "error"
    ] == []
    assert FULL.count(right) == 1
    found = [
        one
        for one in lint_file(FULL.replace(right, wrong), filename="x").diagnostics
        if one.severity == "error"
    ]
    first = causes(found)
    assert {
        one.rule for one in found if id(one) in first and first[id(one)].rule == "unknown-field"
    } == rules
    assert [one.rule for one in found if id(one) not in first] == ["unknown-field"]


def test_a_field_that_another_object_lacks_does_not_follow() -> None:
    text = PROPERTIES + "          a: {typ: string}\n          b: {maxItems: 4}\n"
    found = [one for one in lint_file(text, filename="x").diagnostics if one.severity == "error"]
    first = causes(found)
    assert [one.field for one in found if id(one) not in first] == [
        "",
        "spec.validation.openAPIV3Schema.properties[b].type",
    ]


def test_json_has_no_internal_identification() -> None:
    text = PROPERTIES + "          a: {typ: string}\n"
    lost, unknown = json.loads(report("json", text))["diagnostics"]
    assert lost["follows_from"]["rule"] == "unknown-field"
    assert "lacks" not in {*unknown, *lost}


def report(name: str, text: str) -> str:
    result = lint_file(text, filename="x")
    summary = Summary(files=1)
    summary.add(result)
    made = formats.findings(name, View())
    return "".join([*made.file(result), *made.end(RunOutcome([], summary))])


def test_text_groups_consequences() -> None:
    text = OBJECT.replace("storage: true", "storage: false")
    shown = report("text", text)
    assert shown.count("1 more error follows from this: ") == 1
    assert shown.count("\n  --> ") == 1
    assert shown.count("= help: ") == 1
    assert "2 errors" in shown


def test_json_names_the_cause() -> None:
    text = OBJECT.replace("storage: true", "storage: false")
    of_versions, of_status = json.loads(report("json", text))["diagnostics"]
    assert of_versions["follows_from"] is None
    assert of_status["follows_from"] == {
        "rule": of_versions["rule"],
        "message": of_versions["message"],
        "line": of_versions["line"],
        "column": of_versions["column"],
    }


NESTED = (
    "type: object\nproperties:\n  list:\n    type: array\n    maxItems: 80\n    items:\n      type: array\n      maxItems: 80\n"
    "      items: {type: string, maxLength: 2000}\nrequired: [list]\nx-kubernetes-validations:\n"
)
RULE = "- rule: \"self.list.all(x, x.all(y, y.indexOf('a') > {} || self.list.exists(z, z.size() > 1)))\"\n"


def test_the_cost_of_each_rule_follows_from_that_of_the_schema() -> None:
    lines = NESTED + "".join(RULE.format(i) for i in range(30))
    text = crd_with_schema(lines)
    shown = [
        one
        for one in lint_file(
            text, "x", CheckRequest(versions=parse_range("1.28..1.36"))
        ).diagnostics
        if not one.hidden
    ]
    costs = [one for one in shown if one.rule == "cel-schema-cost"]
    (total,) = (one for one in costs if one.field.endswith("openAPIV3Schema"))
    following = causes(shown)
    assert len(costs) > 2
    assert [one for one in costs if following.get(id(one)) is not total] == [total]


def test_a_field_that_some_servers_drop_and_others_reject_is_one_problem() -> None:
    text = HEAD.replace("    schema:", "    selectableFields: [{jsonPath: .a}]\n    schema:")
    text += "        type: object\n        properties: {a: {type: string}}\n"
    shown = [
        one
        for one in lint_file(
            text, "x", CheckRequest(versions=parse_range("1.28..1.36"))
        ).diagnostics
        if not one.hidden
    ]
    by_rule = {one.rule: one for one in shown}
    assert set(by_rule) == {"unknown-field", "kube-version-drops-field"}
    assert causes(shown) == {id(by_rule["kube-version-drops-field"]): by_rule["unknown-field"]}
