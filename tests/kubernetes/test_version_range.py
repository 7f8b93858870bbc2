"""A range of servers: each finding once, with the versions that it holds for."""

from __future__ import annotations

import pytest
from counting import recording
from crds import crd_in_json, schema_with_spec
from tables import each

from crdlint import lint_text, lint_update
from crdlint.kubernetes.servers import parse_range
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.schema import default_validation

SELECTABLE = crd_in_json(
    schema_with_spec({"type": "object", "properties": {"a": {"type": "string"}}}),
    selectableFields=[{"jsonPath": ".spec.a"}],
)
# Before 1.29, an enum does not bound the length of a string.
COSTLY = crd_in_json(
    schema_with_spec({
        "type": "array",
        "maxItems": 1000,
        "items": {"type": "string", "enum": ["a"], "x-kubernetes-validations": [{"rule": "self.contains(self)"}]},
    })
)  # fmt: skip
INT32 = crd_in_json(
    schema_with_spec({"type": "integer", "format": "int32", "default": 3_000_000_000})
)


def found(text: str, versions: str) -> list[tuple[str, str, tuple[str, ...]]]:
    result = lint_file(text, "x", CheckRequest(versions=parse_range(versions)))
    return [(one.rule, one.message.partition(": ")[0], one.versions) for one in result.diagnostics]


def test_a_field_that_older_servers_reject_or_drop() -> None:
    assert found(SELECTABLE, "1.28..1.36") == [
        (
            "unknown-field",
            "rejected by Kubernetes 1.28 and 1.29, accepted from 1.30 on",
            ("1.28", "1.29"),
        ),
        (
            "kube-version-drops-field",
            "Kubernetes 1.30 drops this field",
            ("1.30",),
        ),
    ]
    assert found(SELECTABLE, "1.31..1.36") == []


def test_a_cost_that_older_servers_reject() -> None:
    costs = found(COSTLY, "1.28..1.36")
    assert {rule for rule, _, _ in costs} == {"cel-rule-cost", "cel-schema-cost"}
    assert {(text, versions) for _, text, versions in costs} == {
        ("rejected by Kubernetes 1.28, accepted from 1.29 on", ("1.28",))
    }


def test_what_only_the_newest_server_rejects() -> None:
    assert found(INT32, "1.35..1.36") == [
        ("default-invalid", "rejected from Kubernetes 1.36 on", ("1.36",))
    ]


OWNED = crd_in_json(
    schema_with_spec(
        {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
            "default": {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "Pod"}]},
            },
        }
    )
)
_OWNERS = "spec.validation.openAPIV3Schema.properties[spec].default.metadata.ownerReferences"


@each(
    ("versions", "message"),
    [
        ("1.36", f'{_OWNERS}.name: Invalid value: "": must not be empty'),
        ("1.37", f"{_OWNERS}[0].name: Required value: must not be empty"),
        ("1.36..1.37", f'{_OWNERS}.name: Invalid value: "": must not be empty'),
    ],
)
def test_each_server_validates_the_metadata_in_a_default(versions: str, message: str) -> None:
    result = lint_file(OWNED, "x", CheckRequest(versions=parse_range(versions)))
    messages = [each.server_message or each.message for each in result.diagnostics]
    assert message in messages


@each(
    ("schema", "runs"),
    [
        ({"type": "string", "default": 1}, 1),
        ({"type": "boolean", "default": "x"}, 1),
        ({"type": "integer", "default": "x"}, 1),
        ({"type": "string", "pattern": "^a", "default": "x"}, 1),
        ({"type": "integer", "format": "int32", "minimum": 2, "default": 1}, 2),
        ({"type": "string", "format": "date", "default": "x"}, 2),
        ({"type": "array", "items": {"type": "string"}, "default": [1]}, 1),
        ({"type": "array", "items": {"type": "string", "format": "date"}, "default": ["x"]}, 2),
    ],
)
def test_defaults_that_servers_treat_alike_are_validated_once(
    schema: dict[str, object], runs: int
) -> None:
    calls: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        validate = default_validation.validate_defaults
        patch.setattr(default_validation, "validate_defaults", recording(calls, validate))
        result = lint_file(
            crd_in_json(schema_with_spec(schema)), "x", CheckRequest(names_servers=True)
        )
    assert [each.rule for each in result.diagnostics if each.severity == "error"] == [
        "default-invalid"
    ]
    assert len(calls) == runs


@each(
    ("text", "versions"),
    [
        (INT32, [("1.36", "1.37")]),
        (COSTLY, []),
        (crd_in_json(schema_with_spec({"type": "string", "default": 1})), [()]),
    ],
)
def test_without_a_version_errors_name_the_servers_that_report_them(
    text: str, versions: list[tuple[str, ...]]
) -> None:
    result = lint_file(text, "x", CheckRequest(names_servers=True))
    assert [one.versions for one in result.diagnostics if one.severity == "error"] == versions


def test_what_all_servers_reject_is_reported_once_in_the_words_of_the_oldest() -> None:
    text = crd_in_json(
        {
            **schema_with_spec({"type": "object"}),
            "x-kubernetes-validations": [{"rule": "true", "fieldPath": ".nope"}],
        }
    )
    (one,) = (
        each for each in lint_text(text, kube_version="1.28..1.36") if each.severity == "error"
    )
    assert one.versions == ()
    assert one.message.endswith('Invalid value: ".nope": fieldPath must be a valid path')


def test_the_api_gives_the_servers_message_and_the_versions() -> None:
    one = lint_text(SELECTABLE, kube_version="1.29..1.31")[0]
    assert (one.message, one.versions) == (
        'unknown field "spec.versions[0].selectableFields"',
        ("1.29",),
    )


@each(
    ("text", "versions", "notices"),
    [
        (
            SELECTABLE,
            "1.28..1.36",
            ("line 1: foos.example.com is accepted as it is on Kubernetes 1.30 and newer",),
        ),
        (SELECTABLE, "1.31..1.36", ()),
        (SELECTABLE, "1.29", ()),
        (INT32, "1.28..1.36", ()),
    ],
)
def test_the_version_from_which_on_a_crd_can_be_created(
    text: str, versions: str, notices: tuple[str, ...]
) -> None:
    assert lint_file(text, "x", CheckRequest(versions=parse_range(versions))).notices == notices


def test_advice_on_the_version_that_a_rule_needs_stands_for_the_errors_of_older_servers() -> None:
    text = crd_in_json(
        schema_with_spec(
            {
                "type": "string",
                "maxLength": 40,
                "x-kubernetes-validations": [{"rule": "isIP(self)"}],
            }
        )
    )
    assert [rule for rule, _, _ in found(text, "1.28..1.36")] == ["kube-version-too-old"]


def test_an_update_for_a_range() -> None:
    fields = [{"jsonPath": f".spec.f{i}"} for i in range(9)]
    properties = {f"f{i}": {"type": "string"} for i in range(9)}
    old, new = (
        crd_in_json(
            {**schema_with_spec({"type": "object", "properties": properties}), "description": text},
            selectableFields=fields,
        )
        for text in ("a", "b")
    )
    errors = [
        one for one in lint_update(old, new, kube_version="1.33..1.36") if one.kind == "field"
    ]
    assert [(one.rule, one.versions) for one in errors] == [
        ("selectable-fields-too-many", ("1.33", "1.34"))
    ]


def test_a_duplicate_key_holds_for_every_server() -> None:
    text = SELECTABLE.replace(
        '"scope": "Namespaced"', '"scope": "Namespaced", "scope": "Namespaced"'
    )
    assert ("duplicate-key", ()) in [
        (rule, versions) for rule, _, versions in found(text, "1.28..1.36")
    ]
