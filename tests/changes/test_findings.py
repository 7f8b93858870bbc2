"""What a finding about a change says, where it points, and how severities depend on the place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from changes_support import changes, read, with_field, with_parts, with_spec
from crds import crd_with_spec
from tables import each

import crdlint
from crdlint.changes.change import Policy
from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic

ALSO = "is rejected if the existing object breaks this, even if it changes another field"

PATHS: Final = "subresources: {scale: {specReplicasPath: %s, statusReplicasPath: .status.r}}"
SELECTOR: Final = (
    "subresources: {scale: {specReplicasPath: .spec.n, statusReplicasPath: .status.r%s}}"
)
COLUMN: Final = "additionalPrinterColumns: [{name: A, type: string, jsonPath: %s}]"


APPLY = "server-side apply of any field fails for an object that has such a value"


@each(
    ("old", "new", "fails"),
    [
        ("{type: string}", "{type: integer}", True),
        ("{type: boolean}", "{type: string}", True),
        ("{type: object}", "{type: string}", True),
        ("{type: array, items: {type: string}}", "{type: object}", True),
        ("{x-kubernetes-int-or-string: true}", "{type: string}", True),
        ("{x-kubernetes-int-or-string: true}", "{type: integer}", True),
        ("{type: object}", "{x-kubernetes-int-or-string: true}", True),
        ("{type: number}", "{type: integer}", False),
        ("{type: boolean}", "{x-kubernetes-int-or-string: true}", False),
    ],
)
def test_a_type_that_server_side_apply_cannot_read_breaks_it(
    old: str, new: str, fails: bool
) -> None:
    [one] = changes(with_field(old), with_field(new))
    assert one.message.endswith(APPLY) is fails


@each(
    ("old", "new", "help_"),
    [
        (
            "{type: string}",
            "{type: string, maxLength: 9}",
            "Keep the old constraint, or replace it",
        ),
        (
            "{type: array, items: {type: string}}",
            "{type: array, items: {type: string, maxLength: 9}}",
            "`.spec.a`, whose",
        ),
        (
            "{type: array, x-kubernetes-list-type: set, items: {type: string}}",
            "{type: array, x-kubernetes-list-type: set, items: {type: string, pattern: ^a}}",
            "`.spec.a`, whose",
        ),
        (
            "{type: array, items: {type: object, properties: {b: {type: string}}}}",
            "{type: array, items: {type: object, required: [b], properties: {b: {type: string}}}}",
            "`.spec.a`, whose",
        ),
        (
            "{type: array, items: {type: array, items: {type: string}}}",
            "{type: array, items: {type: array, items: {type: string, maxLength: 9}}}",
            "`.spec.a`, whose",
        ),
        (
            "{type: object, additionalProperties: {type: string}}",
            "{type: object, additionalProperties: {type: string, maxLength: 9}}",
            "Keep the old constraint, or replace it",
        ),
    ],
)
def test_a_help_with_the_old_value_is_for_where_there_is_one(
    old: str, new: str, help_: str
) -> None:
    [one] = changes(with_field(old), with_field(new))
    assert help_ in (one.help or "")


@each(
    ("old", "new", "message"),
    [
        ("subresources: {status: {}}", "subresources: {}", "the status subresource was removed: requests to `/status` return 404"),
        (PATHS % ".spec.n", PATHS % ".spec.m", "`specReplicasPath` changed from .spec.n to .spec.m: `kubectl scale` and"),
        (SELECTOR % ", labelSelectorPath: .status.s", SELECTOR % "", "from .status.s to nothing: horizontal autoscalers fail"),
        ("names: {categories: [all]}", "names: {categories: []}", "category `all` was removed: `kubectl get all` does not list"),
        ("names: {shortNames: []}", "names: {shortNames: [f]}", "short name `f` was added: not accepted if another CRD"),
        (COLUMN % ".spec.a", COLUMN % ".spec.b", "from .spec.a to .spec.b; scripts that read it get another value"),
    ],
)  # fmt: skip
def test_the_first_line_says_who_is_hurt(old: str, new: str, message: str) -> None:
    [one] = changes(with_parts(**parts_of(old)), with_parts(**parts_of(new)))
    assert message in one.message


@each(
    ("old", "new", "message"),
    [
        ("{type: string}", "{type: string, format: date}", "`.spec.a`: format date was added: values without"),
        ("{type: string, format: date}", "{type: string, format: uuid}", "format changed from date to uuid: values without"),
        ("{type: string, format: date}", "{type: string}", "`.spec.a`: format date was removed"),
        ("{type: integer, multipleOf: 4}", "{type: integer, multipleOf: 2}", "`multipleOf` changed from 4 to 2"),
        ("{type: integer, multipleOf: 4}", "{type: integer}", "`multipleOf` 4 was removed"),
        ("{type: object}", "{type: object, x-kubernetes-preserve-unknown-fields: true}", "unknown fields are kept now; misspelt"),
        ("{type: integer, x-kubernetes-validations: [{rule: self > 0}]}",
         "{type: integer, x-kubernetes-validations: [{rule: self > 0, reason: FieldValueForbidden}]}",
         'changed from nothing to "FieldValueForbidden"; clients that read the reason of an error get another one'),
        ("{type: string, x-kubernetes-validations: [{rule: self.lowerAscii() == self}]}", "{type: string, pattern: '^[^A-Z]*$'}",
         "are rejected; it is not known whether they were valid before"),
    ],
)  # fmt: skip
def test_the_first_line_names_what_happened_to_a_field(old: str, new: str, message: str) -> None:
    assert any(message in one.message for one in changes(with_field(old), with_field(new)))


def test_a_value_that_is_still_listed_points_to_what_rejects_it() -> None:
    old, new = "{type: string, enum: [a, b]}", "{type: string, enum: [a, b], not: {enum: [b]}}"
    [one] = changes(with_field(old), with_field(new))
    before = json.dumps(with_field(new)).partition('"not"')[0]
    assert one.column == len(before) + 1


def parts_of(text: str) -> dict[str, str]:
    name, _, value = text.partition(": ")
    return {name: value}


def test_a_webhook_without_its_ca_bundle_is_a_risk() -> None:
    versions = (
        "[{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}, "
        "{name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}]"
    )
    webhook = "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com/c'%s}}}"
    old, new = (
        with_parts(versions=versions, conversion=webhook % ca) for ca in (", caBundle: YWJj", "")
    )
    [one] = changes(old, new)
    assert (one.severity, one.rule) == ("warning", "change-conversion-webhook")
    assert "requests that convert objects fail" in one.message


@each(
    ("old", "new", "severity", "part"),
    [
        ("required: [a], properties: {a: {type: string, nullable: true}}", "required: [a], properties: {a: {type: string}}",
         "error", "null is rejected, because the field is required; every edit below `.spec`"),
        ("properties: {a: {type: string, nullable: true}}", "properties: {a: {type: string}}", "warning", "null is dropped"),
        ("properties: {a: {type: array, items: {type: string}}}",
         "properties: {a: {type: array, x-kubernetes-list-type: set, items: {type: string}}}",
         "warning", "keeps stored ones that their owner leaves out"),
        ("properties: {a: {type: object, x-kubernetes-preserve-unknown-fields: true}}", "properties: {a: {type: object}}",
         "error", "reads lack the fields that no schema specifies at once"),
        ("properties: {a: {type: object, x-kubernetes-preserve-unknown-fields: true}}",
         "properties: {a: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}}",
         "error", "also of its labels and finalizers"),
    ],
)  # fmt: skip
def test_what_happens_to_stored_objects_is_said(
    old: str, new: str, severity: str, part: str
) -> None:
    [one] = changes(with_spec(old), with_spec(new))
    assert one.severity == severity
    assert part in one.message


@each(
    ("old", "new", "kube_version", "message"),
    [
        (
            "{type: string}",
            "{type: string, maxLength: 9}",
            "1.36",
            "`.spec.a`: `maxLength` of 9 added: values of more than 9 characters are rejected; "
            "existing objects stay valid until this field is edited",
        ),
        (
            "{type: string}",
            "{type: string, maxLength: 9}",
            "1.29",
            f"`.spec.a`: `maxLength` of 9 added: values of more than 9 characters are rejected; every edit {ALSO}",
        ),
        (
            "{type: array, items: {type: string}}",
            "{type: array, items: {type: string, maxLength: 9}}",
            "1.36",
            "`.spec.a[*]`: `maxLength` of 9 added: values of more than 9 characters are rejected; "
            "existing objects stay valid until `.spec.a` is edited",
        ),
        (
            "{type: array, items: {type: string}}",
            "{type: array, maxItems: 3, items: {type: string}}",
            "1.29..1.36",
            f"`.spec.a`: `maxItems` of 3 added: lists of more than 3 items are rejected; every edit {ALSO}",
        ),
        (
            "{type: array, items: {type: string}}",
            "{type: array, maxItems: 3, items: {type: string}}",
            "1.30",
            f"`.spec.a`: `maxItems` of 3 added: lists of more than 3 items are rejected; every edit below `.spec.a` {ALSO}",
        ),
        (
            "{type: string, enum: [A, B, C], default: B}",
            "{type: string, enum: [A], default: A}",
            "1.36",
            '`.spec.a`: "B", "C" are not accepted any more; "B" was the default; '
            "existing objects stay valid until this field is edited",
        ),
    ],
)
def test_a_text_says_which_edits_are_rejected(
    old: str, new: str, kube_version: str, message: str
) -> None:
    assert message in [
        one.message for one in changes(with_field(old), with_field(new), kube_version)
    ]


def test_a_required_field_locks_the_object_around_it() -> None:
    found = changes(
        with_spec("properties: {a: {type: string}}"),
        with_spec("properties: {a: {type: string}}, required: [a]"),
    )
    assert [one.message for one in found] == [
        f"`.spec.a` is required now: objects without it are rejected; every edit below `.spec` {ALSO}"
    ]


OLD = crd_with_spec("""\
type: object
properties:
  replicas:
    type: integer
    maximum: 9
""")


def test_a_finding_points_at_both_files() -> None:
    new = OLD.replace("          spec:", "          # more\n          spec:").replace(
        "maximum: 9", "maximum: 8"
    )
    old = collect_crds(OLD, "old.yaml").by_name
    [found] = lint_file(new, "new.yaml", CheckRequest(previous=old.get)).diagnostics
    assert (found.file, found.line, found.column, found.field) == (
        "new.yaml",
        23,
        26,
        ".spec.replicas",
    )
    assert found.related is not None
    assert (found.related.file, found.related.line, found.related.column) == ("old.yaml", 22, 26)


def test_a_removed_field_is_shown_where_it_was() -> None:
    new = OLD.replace("replicas", "number").replace(
        "type: integer\n                maximum: 9", "type: string"
    )
    old = collect_crds(OLD, "old.yaml").by_name
    found = {
        one.rule: one
        for one in lint_file(new, "new.yaml", CheckRequest(previous=old.get)).diagnostics
    }
    removed = found["change-field-removed"]
    assert removed.line == 19
    assert removed.related is not None
    assert removed.related.line == 20


STATUS = "type: object, properties: {status: {type: object, properties: {a: {type: string%s}}}}"


@each(
    ("policy", "name", "severity"),
    [
        (Policy(), "v1", "warning"),
        (Policy(), "v1alpha1", "info"),
        (Policy(status="same"), "v1", "error"),
        (Policy(status="same"), "v1alpha1", "warning"),
        (Policy(status="same", alpha="same"), "v1alpha1", "error"),
        (Policy(alpha="off"), "v1alpha1", None),
        (Policy(alpha="off"), "v1beta1", "warning"),
    ],
)
def test_status_and_alpha_versions_are_lowered(
    policy: Policy, name: str, severity: str | None
) -> None:
    texts = [
        json.dumps(
            with_parts(
                versions=f"[{{name: {name}, served: true, storage: true, schema: {{openAPIV3Schema: {{{STATUS % limit}}}}}}}]"
            )
        )
        for limit in ("", ", maxLength: 5")
    ]
    old = collect_crds(texts[0], "old").by_name
    found = lint_file(texts[1], "new", CheckRequest(previous=old.get, policy=policy)).diagnostics
    severities = [one.severity for one in found if one.rule.startswith("change-")]
    assert severities == ([] if severity is None else [severity])


TWO = "[{{name: v1, served: true, storage: true, {}}}, {{name: v1beta1, served: true, storage: false, {}}}]"


def schema(spec: str) -> str:
    return f"schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{{spec}}}}}}}}}}}"


def test_the_same_change_of_several_versions_is_reported_once() -> None:
    old, new = schema("a: {type: string}"), schema("a: {type: string, maxLength: 5}")
    other = schema("a: {type: string}, b: {type: string}")
    both = changes(
        with_parts(versions=TWO.format(old, old)), with_parts(versions=TWO.format(new, new))
    )
    assert len(both) == 1
    assert "(in " not in both[0].message
    [one] = changes(
        with_parts(versions=TWO.format(old, other)), with_parts(versions=TWO.format(new, other))
    )
    assert one.headline.endswith(" are rejected (in v1)")


def test_a_version_that_is_never_served_is_not_compared() -> None:
    versions = "[{{name: v1, served: true, storage: true, {0}}}, {{name: v0, served: false, storage: false, {1}}}]"
    old, new = schema("a: {type: string}"), schema("a: {type: string, maxLength: 5}")
    assert (
        changes(
            with_parts(versions=versions.format(old, old)),
            with_parts(versions=versions.format(old, new)),
        )
        == []
    )


def test_the_api_leaves_out_what_is_reported_on_request() -> None:
    old, new = (
        json.dumps(with_field("{type: string}")),
        json.dumps(with_field("{type: string, maxLength: 5}")),
    )
    assert [one.rule for one in crdlint.lint_update(old, new)] == ["change-limit-tightened"]
    assert crdlint.lint_update(new, old) == []


@each(
    ("limit", "text"),
    [
        ("minLength: 1", "`minLength` of 1 added: empty values are rejected"),
        ("minLength: 2", "`minLength` of 2 added: values of fewer than 2 characters are rejected"),
        ("maxLength: 1", "`maxLength` of 1 added: values of more than 1 character are rejected"),
    ],
)
def test_a_limit_of_one_is_in_the_singular(limit: str, text: str) -> None:
    [found] = changes(with_field("{type: string}"), with_field(f"{{type: string, {limit}}}"))
    assert text in found.message


def test_a_list_that_one_version_lacks_is_named_once() -> None:
    lists = "l: {type: array, items: {type: array, items: {type: object, properties: {x: {type: string}}}}}"
    both = TWO.format(schema("a: {type: string}"), schema(f"a: {{type: string}}, {lists}"))
    one = f"[{{name: v1, served: true, storage: true, {schema('a: {type: string}')}}}]"
    [lost] = [
        found
        for found in changes(with_parts(versions=one), with_parts(versions=both))
        if found.rule == "change-served-pair"
    ]
    assert "version `v1` lacks `.spec.l` of `v1beta1`" in lost.message


def test_a_number_format_is_about_a_range() -> None:
    [found] = changes(with_field("{type: integer}"), with_field("{type: integer, format: int32}"))
    assert "format int32 was added: numbers outside of its range are rejected" in found.message


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("oneOf", "anyOf", "`oneOf` became `anyOf`; clients meet values"),
        (
            "anyOf",
            "oneOf",
            "`anyOf` became `oneOf`: values that match several branches are rejected",
        ),
    ],
)
def test_the_same_branches_in_another_junctor(old: str, new: str, text: str) -> None:
    fields = "properties: {a: {type: string}, b: {type: string}}"
    branches = "[{required: [a]}, {required: [b]}]"
    [found] = changes(
        with_spec(f"{fields}, {old}: {branches}"), with_spec(f"{fields}, {new}: {branches}")
    )
    assert text in found.message


def test_without_a_second_version_a_conversion_loses_nothing() -> None:
    webhook = "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com/c'}}}"
    [found] = changes(with_parts(conversion=webhook), with_parts())
    assert found.message.endswith("nothing is lost, since there is only one version")


def test_a_deprecation_with_a_warning_needs_no_warning() -> None:
    versions = "[{{name: v1, served: true, storage: true, {0}}}, {{name: v0, served: true, storage: false, {0}{1}}}]"
    old = with_parts(versions=versions.format(schema("a: {type: string}"), ""))
    new = versions.format(
        schema("a: {type: string}"), ", deprecated: true, deprecationWarning: use v1"
    )
    [found] = changes(old, with_parts(versions=new))
    assert found.help == "Use another version than `v0` in clients and manifests"


EXPLAINED: list[tuple[str, str, str]] = [
    # a text that people write instead of the pattern
    ("{type: string}", "{type: string, pattern: '^https?://.+$'}", "a"),
    ("{type: string, pattern: '^[a-z]+$'}", "{type: string, pattern: '^[a-c]+$'}", "d"),
    # long texts
    ("{type: string}", "{type: string, maxLength: 10240}", "a" * 10_241),
    ("{type: string}", "{type: string, maxLength: 32768}", "a" * 32_769),
]


@each(("old", "new", "value"), EXPLAINED)
def test_an_example_has_a_value_that_people_write(old: str, new: str, value: str) -> None:
    [finding] = explained(with_field(old), with_field(new))
    assert json.loads(finding.example or "{}")["spec"]["a"] == value


ROLES = (
    "required: [roles], properties: {roles: {type: array, minItems: 2, maxItems: 9, "
    "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], "
    "items: {type: object, required: [name, number], properties: {name: {type: string}, "
    "number: {type: integer%s}}}}}, "
    "x-kubernetes-validations: [{rule: 'self.roles.all(r, r.number == 0) || self.roles.all(r, r.number > 0)'}]"
)
TARGET = (
    "required: [target], properties: {kind: {type: string%s}, "
    "target: {type: object, required: [kind], properties: {kind: {type: string}}}}, "
    "x-kubernetes-validations: [{rule: \"self.target.kind == 'Gateway'\"}]"
)


@each(
    ("schema", "limit"),
    [(ROLES, ", maximum: 100"), (TARGET, ", maxLength: 3"), (TARGET, ", enum: [a, b]")],
)
def test_an_example_fulfils_the_rules_around_the_value(schema: str, limit: str) -> None:
    [finding] = explained(with_spec(schema % ""), with_spec(schema % limit))
    assert finding.example


def test_without_an_example_the_finding_says_that_none_was_found() -> None:
    rule = 'x-kubernetes-validations: [{rule: \'self.b == self.a.lowerAscii().replace("x", "yz") + "q"\'}]'
    schema = f"required: [a, b], properties: {{a: {{type: string%s}}, b: {{type: string}}}}, {rule}"
    [finding] = explained(with_spec(schema % ""), with_spec(schema % ", maxLength: 3"))
    assert finding.example == ""


SCALE = "{scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}}"


@each(
    ("scale", "schema", "severities"),
    [
        ("", "{type: integer, minimum: 0}", ["error"]),
        (SCALE, "{type: integer, minimum: 0}", []),
        (SCALE, "{type: integer, minimum: 0, maximum: 2147483647}", []),
        (SCALE, "{type: integer, format: int32}", []),
        ("", "{type: integer, format: int32}", ["warning"]),
        (SCALE, "{type: integer, minimum: 1}", ["error"]),
        (SCALE, "{type: integer, maximum: 100}", ["error"]),
    ],
)
def test_a_number_of_replicas_has_the_range_of_the_scale_subresource(
    scale: str, schema: str, severities: list[str]
) -> None:
    old, new = with_field("{type: integer}"), with_field(schema)
    for crd in (old, new) if scale else ():
        crd["spec"]["versions"][0]["subresources"] = read(scale)
    assert [one.severity for one in changes(old, new)] == severities


def explained(old: Any, new: Any) -> list[Diagnostic]:
    """Return the findings of an update that are about changes, with examples."""
    before = collect_crds(json.dumps(old), "old.yaml").by_name
    request = CheckRequest(previous=before.get, policy=Policy(explains=True))
    found = lint_file(json.dumps(new), "new.yaml", request).diagnostics
    return [one for one in found if one.rule.startswith("change-")]
