"""What older servers say of the same CRDs and resources: one test a switch of the table."""

from __future__ import annotations

from typing import Any

import pytest
from crds import crd_in_json, object_in_json
from tables import each

from crdlint import lint_text, lint_update, validate_resource


def spec(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def foo(**fields: Any) -> str:
    return object_in_json(fields)


def said(text: str, version: str, kind: str) -> list[str]:
    """Return the API server's own texts of a kind."""
    return [
        one.message
        for one in lint_text(text, kube_version=version)
        if (one.origin, one.kind) == ("apiserver", kind)
    ]


def refused(crd_text: str, resource: str, version: str, old: str | None = None) -> list[str]:
    report = validate_resource(crd_text, resource, old_resource=old, kube_version=version)
    return [error.message for error in report.errors]


SELECTABLE = crd_in_json(spec(a={"type": "string"}), selectableFields=[{"jsonPath": ".spec.nope"}])
UNUSED_OLD_SELF = crd_in_json(
    {**spec(), "x-kubernetes-validations": [{"rule": "true", "optionalOldSelf": True}]}
)


@each(
    ("version", "strict", "errors"),
    [("1.28", 1, 0), ("1.29", 1, 0), ("1.30", 0, 0), ("1.31", 0, 1), ("1.36", 0, 1)],
)
def test_selectable_fields_are_unknown_then_dropped_then_checked(
    version: str, strict: int, errors: int
) -> None:
    assert (
        said(SELECTABLE, version, "strict")
        == ['unknown field "spec.versions[0].selectableFields"'] * strict
    )
    assert len(said(SELECTABLE, version, "field")) == errors


def test_help_names_the_version_that_has_a_field() -> None:
    (found,) = (one for one in lint_text(SELECTABLE, kube_version="1.29") if one.kind == "strict")
    assert (
        found.help == "Remove the field, or support only Kubernetes 1.31 and later, which have it"
    )


@each(
    ("version", "strict", "errors"),
    [("1.28", 1, 0), ("1.29", 0, 0), ("1.30", 0, 1), ("1.36", 0, 1)],
)
def test_optional_old_self_is_unknown_then_dropped_then_checked(
    version: str, strict: int, errors: int
) -> None:
    assert len(said(UNUSED_OLD_SELF, version, "strict")) == strict
    assert len(said(UNUSED_OLD_SELF, version, "field")) == errors


def test_a_dropped_field_stays_where_the_old_crd_has_it() -> None:
    rule = {"rule": "true", "optionalOldSelf": True}
    old, new = (
        crd_in_json({**spec(), "description": text, "x-kubernetes-validations": [rule]})
        for text in ("a", "b")
    )
    without = crd_in_json(spec())
    assert [
        one.field for one in lint_update(old, new, kube_version="1.29") if one.kind == "field"
    ] == ["spec.validation.openAPIV3Schema.x-kubernetes-validations[0].optionalOldSelf"]
    assert [
        one for one in lint_update(without, new, kube_version="1.29") if one.kind == "field"
    ] == []


@each(("version", "errors"), [("1.28", 1), ("1.29", 1), ("1.30", 0), ("1.36", 0)])
def test_unchanged_values(version: str, errors: int) -> None:
    text = crd_in_json(spec(a={"type": "string", "maxLength": 1}, b={"type": "string"}))
    assert len(refused(text, foo(a="long", b="new"), version, foo(a="long", b="old"))) == errors


@pytest.mark.parametrize(("version", "errors"), [("1.35", 0), ("1.36", 1)])
def test_ranges_of_numbers_in_resources_and_defaults(version: str, errors: int) -> None:
    number = {"type": "integer", "format": "int32"}
    assert len(refused(crd_in_json(spec(a=number)), foo(a=3_000_000_000), version)) == errors
    assert (
        len(said(crd_in_json(spec(a={**number, "default": 3_000_000_000})), version, "field"))
        == errors
    )


@each(("version", "of_resource", "of_default"), [("1.33", 0, 0), ("1.34", 0, 1), ("1.35", 1, 1)])
def test_formats_of_names(version: str, of_resource: int, of_default: int) -> None:
    name = {"type": "string", "format": "k8s-short-name"}
    assert len(refused(crd_in_json(spec(a=name)), foo(a="A"), version)) == of_resource
    assert len(said(crd_in_json(spec(a={**name, "default": "A"})), version, "field")) == of_default


@each(
    ("version", "formats"),
    [
        ("1.33", []),
        ("1.34", ["ip", "k8s-short-name"]),
        ("1.35", ["ip"]),
        ("1.36", ["ip", "port"]),
    ],
)
def test_warnings_of_formats(version: str, formats: list[str]) -> None:
    text = crd_in_json(
        spec(
            a={"type": "string", "format": "ip"},
            b={"type": "string", "format": "k8s-short-name"},
            c={"type": "integer", "format": "port"},
        )
    )
    assert said(text, version, "warning") == [f'unrecognized format "{name}"' for name in formats]


@each(
    ("versions", "format_", "count"),
    [
        ("1.33", "int64", 0),
        ("1.34", "int64", 1),
        ("1.34", "int32", 1),
        ("1.33..1.35", "int64", 1),
        ("1.35", "int64", 0),
        ("1.34", "uint8", 1),
        ("1.34", "date", 0),
    ],
)
def test_formats_of_numbers_in_the_first_patch_release(
    versions: str, format_: str, count: int
) -> None:
    number = {"type": "integer", "format": format_}
    found = lint_text(crd_in_json(spec(a=number, b=number)), kube_version=versions)
    texts = [finding.message for finding in found if finding.rule == "format-unrecognized"]
    text = f'Kubernetes 1.34.0 warns of this, later patch releases do not: unrecognized format "{format_}"'
    assert texts == [text] * count


_AS_TEXT = "'a'.replace('a', self.a).lowerAscii() == self.a + self.a"


@each(
    ("versions", "rule", "severities"),
    [
        ("1.27.0", _AS_TEXT, None),
        ("1.28.0", _AS_TEXT, ["error"]),
        ("v1.28.0", _AS_TEXT, ["error"]),
        ("1.28", _AS_TEXT, ["info"]),
        ("1.28.15", _AS_TEXT, ["info"]),
        ("1.28..1.30", _AS_TEXT, ["info"]),
        ("1.29", _AS_TEXT, []),
        ("1.29.0", _AS_TEXT, []),
        ("1.37", _AS_TEXT, []),
    ],
)
def test_cost_that_only_the_first_patch_release_rejects(
    versions: str, rule: str, severities: list[str] | None
) -> None:
    text = crd_in_json(
        {
            "type": "object",
            "properties": {"a": {"type": "string", "maxLength": 100}},
            "x-kubernetes-validations": [{"rule": rule}],
        }
    )
    if severities is None:
        with pytest.raises(ValueError, match="is not within"):
            lint_text(text, kube_version=versions)
        return
    found = lint_text(text, kube_version=versions)
    costs = [finding for finding in found if finding.rule == "cel-rule-cost"]
    assert [finding.severity for finding in costs] == severities
    if severities == ["info"]:
        assert costs[0].message.startswith(
            "Kubernetes 1.28.0 rejects this, later patch releases do not: "
        )
        assert costs[0].versions == ("1.28.0",)
        assert costs[0].headline.endswith("(Kubernetes 1.28.0 only)")


def test_what_only_the_first_patch_release_rejects_has_no_fix() -> None:
    """Its help is to update the clusters."""
    rule = {"rule": "self.a == 'a'", "optionalOldSelf": True}
    text = crd_in_json(
        {
            "type": "object",
            "properties": {"a": {"type": "string", "maxLength": 100}},
            "x-kubernetes-validations": [rule],
        }
    )
    found = lint_text(text, kube_version="1.28..1.37", fixes=True)
    by_severity = {each.severity: each for each in found if each.rule.startswith("cel-optional")}
    assert by_severity["error"].fix is not None
    assert by_severity["info"].fix is None
    assert by_severity["info"].help == "Update clusters of Kubernetes 1.29.0"


@pytest.mark.parametrize(("version", "errors"), [("1.34", 1), ("1.35", 0)])
def test_too_many_selectable_fields_stay(version: str, errors: int) -> None:
    names = [f"f{i}" for i in range(9)]
    fields = [{"jsonPath": f".spec.{name}"} for name in names]
    old, new = (
        crd_in_json(
            {**spec(**{name: {"type": "string"} for name in names}), "description": text},
            selectableFields=fields,
        )
        for text in ("a", "b")
    )
    assert (
        len([one for one in lint_update(old, new, kube_version=version) if one.kind == "field"])
        == errors
    )


@pytest.mark.parametrize(
    ("version", "blocked"),
    [("1.28", False), ("1.29", True)],
)
def test_whether_an_unsupported_value_blocks_rules(version: str, blocked: bool) -> None:
    text = crd_in_json(
        spec(
            a={
                "type": "string",
                "enum": ["x"],
                "x-kubernetes-validations": [{"rule": "self == 'x'"}],
            }
        )
    )
    errors = refused(text, foo(a="y"), version)
    assert any("some validation rules were not checked" in error for error in errors) is blocked
    assert any("failed rule" in error for error in errors) is not blocked


@each(
    ("version", "text"),
    [
        ("1.33", "spec.a: Invalid value: \"string\": failed rule: self == 'x'"),
        ("1.34", "spec.a: Invalid value: \"string\": failed rule: self == 'x'"),
        ("1.35", "spec.a: Invalid value: \"y\": failed rule: self == 'x'"),
    ],
)
def test_the_bad_value_of_a_failed_rule(version: str, text: str) -> None:
    rule = crd_in_json(
        spec(a={"type": "string", "x-kubernetes-validations": [{"rule": "self == 'x'"}]})
    )
    assert refused(rule, foo(a="y"), version) == [text]


@each(
    ("version", "text"),
    [
        ("1.31", "spec.a: Too long: may not be longer than 1"),
        ("1.32", "spec.a: Too long: may not be more than 1 bytes"),
        ("1.34", "spec.a: Too long: may not be more than 1 byte"),
    ],
)
def test_too_long(version: str, text: str) -> None:
    assert refused(
        crd_in_json(spec(a={"type": "string", "maxLength": 1})), foo(a="yy"), version
    ) == [text]


@pytest.mark.parametrize(("version", "path"), [("1.34", "items"), ("1.35", "items.maxLength")])
def test_paths_of_decode_errors(version: str, path: str) -> None:
    text = crd_in_json(spec(a={"type": "array", "items": {"type": "string", "maxLength": "x"}}))
    assert said(text, version, "decode") == [
        "json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema."
        f"properties.properties.{path} of type int64"
    ]


@pytest.mark.parametrize(
    ("version", "text"),
    [
        ("1.33", "fieldPath must be a valid path"),
        ("1.34", "must be a valid path"),
    ],
)
def test_reworded_details(version: str, text: str) -> None:
    rule = crd_in_json(
        {**spec(), "x-kubernetes-validations": [{"rule": "true", "fieldPath": ".nope"}]}
    )
    assert said(rule, version, "field") == [
        f'spec.validation.openAPIV3Schema.x-kubernetes-validations[0].fieldPath: Invalid value: ".nope": {text}'
    ]


def labelled(key: str, value: str) -> str:
    return crd_in_json(spec()).replace(
        '"metadata": {', f'"metadata": {{"labels": {{"{key}": "{value}"}}, '
    )


@each(("version", "name"), [("1.34", "a qualified name"), ("1.35", "a valid label key")])
def test_the_name_of_a_key(version: str, name: str) -> None:
    (message,) = said(labelled("a/b/c", ""), version, "field")
    assert message.startswith(
        f'metadata.labels: Invalid value: "a/b/c": {name} must consist of alphanumeric characters'
    )


def test_the_unit_of_a_length_of_labels() -> None:
    for version, unit in (("1.28", "characters"), ("1.34", "characters"), ("1.35", "bytes")):
        assert [
            message.rpartition('": ')[2]
            for message in said(labelled(f"{'a' * 254}/{'b' * 64}", "c" * 64), version, "field")
        ] == [
            f"prefix part must be no more than 253 {unit}",
            f"name part must be no more than 63 {unit}",
            f"must be no more than 63 {unit}",
        ]


def test_the_first_letter_of_an_error_of_keys() -> None:
    text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {~: a}\n"
    for version, letter in (("1.28", "U"), ("1.30", "U"), ("1.31", "u"), ("1.37", "u")):
        assert said(text, version, "decode") == [
            f'{letter}nsupported map key of type: %!s(<nil>), key: <nil>, value: "a"'
        ]


def test_offsets_beyond_texts() -> None:
    for rule, versions in (
        ("self.a.indexOf('b') < 0", ("1.32", "1.37")),
        ("self.a.indexOf('b', 3) < 0", ("1.32", "1.37")),
        ("self.a.lastIndexOf('b', 3) < 0", ("1.32", "1.37")),
        ("self.a.lastIndexOf('b') < 0", ("1.34", "1.37")),
    ):
        schema = spec(a={"type": "string"})
        schema["properties"]["spec"]["x-kubernetes-validations"] = [{"rule": rule}]
        accepted = [
            f"1.{n}" for n in range(28, 38) if not refused(crd_in_json(schema), foo(a=""), f"1.{n}")
        ]
        assert (accepted[0], accepted[-1]) == versions, rule


def test_a_version_that_the_crd_lacks() -> None:
    schema = spec()
    schema["properties"]["spec"]["x-kubernetes-validations"] = [{"rule": "false"}]
    for api_version, fails_before in (
        ("Bar", False),
        ("example.com/v9", False),
        ("other.com/v1", True),
    ):
        resource = foo().replace("example.com/v1", api_version)
        for version, fails in (("1.28", fails_before), ("1.29", True)):
            errors = refused(crd_in_json(schema), resource, version)
            assert any("failed rule" in error for error in errors) is fails, (api_version, version)


def test_examples_in_structural_schemas() -> None:
    types = [{"type": "integer", "example": 1}, {"type": "string"}]
    schema = spec(a={"x-kubernetes-int-or-string": True, "anyOf": types})
    schema["properties"]["metadata"] = {
        "type": "object",
        "externalDocs": {"url": "https://example.com"},
    }
    text = crd_in_json(schema)
    assert said(text, "1.35", "field") == []
    fields = {
        one.field.rpartition("openAPIV3Schema.")[2]
        for one in lint_text(text, kube_version="1.28..1.37")
        if one.field
    }
    assert fields == {
        "properties[metadata]",
        *(f"properties[spec].properties[a].anyOf[{i}].type" for i in range(2)),
    }
    assert {one.versions for one in lint_text(text, kube_version="1.28..1.37") if one.field} == {
        ("1.36", "1.37")
    }


def test_errors_of_ranges_and_indexes_that_fail() -> None:
    lists = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
    schema = spec(a=lists, b={"type": "string"})
    for rule, version, text in (
        ("self.a[0].all(i, v, v > 0)", "1.32", "unsupported comprehension range type: *types.Err"),
        ("self.a[0].all(i, v, v > 0)", "1.33", "index out of bounds: 0"),
        ("self.a[int(self.b)] == []", "1.30", "type conversion error from 'string' to 'int'"),
        ("self.a[int(self.b) + 1] == []", "1.28", "type conversion error from 'string' to 'int'"),
        ("self.a[1 / 0] == []", "1.28", "division by zero"),
        ("self.a[self.a[0][0]] == []", "1.30", "index out of bounds: 0"),
    ):
        schema["properties"]["spec"]["x-kubernetes-validations"] = [{"rule": rule}]
        assert any(
            text in error for error in refused(crd_in_json(schema), foo(a=[], b="x"), version)
        ), (rule, version)


def test_the_tokens_that_older_grammars_expect() -> None:
    for rule, before, since in (
        (
            "self.a.?== b",
            "extraneous input '==' expecting IDENTIFIER",
            "expecting {IDENTIFIER, ESC_IDENTIFIER}",
        ),
        ("self.a.?== 'b'", "missing IDENTIFIER at '=='", "expecting {IDENTIFIER, ESC_IDENTIFIER}"),
        (
            "Foo{?}",
            "mismatched input '}' expecting IDENTIFIER",
            "expecting {IDENTIFIER, ESC_IDENTIFIER}",
        ),
        (
            "Foo{: 1}",
            "expecting {'}', ',', '?', IDENTIFIER}",
            "expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}",
        ),
    ):
        text = crd_in_json(
            {**spec(a={"type": "string"}), "x-kubernetes-validations": [{"rule": rule}]}
        )
        for version, expected in (
            ("1.28", before),
            ("1.32", before),
            ("1.33", since),
            ("1.37", since),
        ):
            (message,) = said(text, version, "field")
            assert f"{expected}\n" in message, (rule, version, message)
