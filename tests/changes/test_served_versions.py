"""A new served version beside others without a conversion webhook: what it drops and rejects of their objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from changes_support import changes, with_parts
from tables import each

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic

A = "a: {type: string}"
AB = "a: {type: string}, b: {type: string}"
SHORT = "a: {type: string, maxLength: 5}"


def version(name: str, fields: str, *, more: str = "", storage: bool = False) -> str:
    schema = (
        f"{{type: object, properties: {{spec: {{type: object, properties: {{{fields}}}{more}}}}}}}"
    )
    return f"{{name: {name}, served: true, storage: {str(storage).lower()}, schema: {{openAPIV3Schema: {schema}}}}}"


def of_pairs(old: list[str], new: list[str], **parts: str) -> list[Diagnostic]:
    """Return the findings about pairs of versions of two CRDs."""
    found = changes(
        with_parts(versions=f"[{', '.join(old)}]"),
        with_parts(versions=f"[{', '.join(new)}]", **parts),
    )
    return [
        one for one in found if one.rule in {"change-served-pair", "change-served-version-stricter"}
    ]


V1 = version("v1", A, storage=True)
WEBHOOK = "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com/convert'}}}"


@each(
    ("stored", "added", "expected"),
    [
        ((A, ""), (A, ""), []),
        ((SHORT, ""), (A, ""), []),
        ((A, ""), (SHORT, ""), ["error served-version-stricter"]),
        ((A, ""), (A, ", required: [a]"), ["error served-version-stricter"]),
        ((A, ""), ("a: {type: integer}", ""), ["error served-version-stricter"]),
        (
            (A, ""),
            (A, ", x-kubernetes-validations: [{rule: self == oldSelf}]"),
            ["warning served-version-stricter"],
        ),
        ((AB, ""), (A, ""), ["warning served-pair"]),
        ((A, ""), (AB, ""), ["warning served-pair"]),
        ((AB, ""), (SHORT, ""), ["error served-version-stricter", "warning served-pair"]),
    ],
)
def test_a_new_version(
    stored: tuple[str, str], added: tuple[str, str], expected: list[str]
) -> None:
    old = [version("v1", stored[0], more=stored[1], storage=True)]
    found = of_pairs(old, [*old, version("v2", added[0], more=added[1])])
    assert sorted(f"{one.severity} {one.rule.removeprefix('change-')}" for one in found) == expected
    assert of_pairs(old, [*old, version("v2", added[0], more=added[1])], conversion=WEBHOOK) == []


@pytest.mark.parametrize(("name", "is_default"), [("v2", True), ("v2beta1", False), ("v0", False)])
def test_the_version_that_kubectl_uses_is_named(name: str, is_default: bool) -> None:
    [found] = of_pairs([V1], [V1, version(name, SHORT)])
    assert ("which kubectl uses by default" in found.message) == is_default
    assert found.severity == ("error" if is_default else "warning")


def test_other_fields_are_named_in_the_same_finding() -> None:
    old = version("v1", AB, storage=True)
    fields = "a: {type: string, maxLength: 5}, b: {type: string, maxLength: 5}"
    [found] = of_pairs([old], [old, version("v2", fields)])
    assert found.headline.startswith(
        "version `v2` rejects objects of `v1`: `.spec.a`: `maxLength` of 5 added"
    )
    assert found.headline.endswith("(and others in `.spec.b`)")


def test_a_field_that_the_storage_version_lacks_is_never_stored() -> None:
    [found] = of_pairs([V1], [V1, version("v2", AB)])
    assert "version `v1` lacks `.spec.b` of `v2`" in found.headline
    assert found.message.endswith("it is never stored, because `v1` is the storage version")


def test_an_older_version_drops_a_field_of_a_new_storage_version() -> None:
    [found] = of_pairs([V1], [version("v1", A), version("v2", AB, storage=True)])
    assert found.severity == "warning"
    assert found.message.endswith(
        "of `v2`, and there is no conversion webhook: writing an object in `v1` drops it"
    )


def test_versions_that_were_served_before_are_not_compared() -> None:
    both = [V1, version("v2", SHORT)]
    assert of_pairs(both, both) == []
    assert of_pairs(both, [V1, version("v3", SHORT)]) == []  # the same one with another name
