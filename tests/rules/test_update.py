"""What an update may not do, and what it may keep."""

from __future__ import annotations

from crds import crd_with_schema
from tables import each

import crdlint

CRD = crd_with_schema("""\
type: object
""")
ESTABLISHED = """\
status:
  conditions: [{type: Established, status: "True"}]
  storedVersions: [v1]
"""
SECOND = """\
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""


def said(old: str, new: str) -> list[tuple[str, str]]:
    """Return the findings, except what the update changes for clients, which tests/changes has."""
    return [
        (d.rule, d.message)
        for d in crdlint.lint_update(old, new)
        if not d.rule.startswith(("change-", "leftover-", "not-stored"))
    ]


def test_an_unchanged_crd_may_stay() -> None:
    assert said(CRD, CRD) == []
    assert said(CRD + ESTABLISHED, CRD + ESTABLISHED) == []


@each(
    ("old", "new", "rule", "message"),
    [
        (
            CRD,
            CRD.replace("group: example.com", "group: example.org"),
            "spec-immutable",
            'spec.group: Invalid value: "example.org": field is immutable',
        ),
        (
            CRD + ESTABLISHED,
            CRD.replace("scope: Namespaced", "scope: Cluster"),
            "spec-immutable",
            'spec.scope: Invalid value: "Cluster": field is immutable',
        ),
        (
            CRD,
            CRD.replace("name: foos.example.com", "name: foos.example.com\n  uid: other"),
            "metadata-immutable",
            'metadata.uid: Invalid value: "other": field is immutable',
        ),
        (
            CRD + SECOND + "status: {storedVersions: [v1, v2]}\n",
            CRD,
            "stored-version-missing",
            'status.storedVersions[1]: Invalid value: "v2": missing from spec.versions; v2 was previously a storage version, '
            "and must remain in spec.versions until a storage migration ensures no data remains persisted in v2 and removes "
            "v2 from status.storedVersions",
        ),
    ],
)
def test_an_update_may_not(old: str, new: str, rule: str, message: str) -> None:
    assert (rule, message) in said(old, new)


def test_a_stored_version_must_appear() -> None:
    old = CRD + SECOND + "status: {storedVersions: [v1, v2]}\n"
    message = 'status.storedVersions[1]: Invalid value: "v2": must appear in spec.versions'
    assert message in [one.message for one in crdlint.lint_update(old, CRD, kube_version="1.32")]


STORED = """\
  generation: 3
  uid: one
  resourceVersion: "7"
  creationTimestamp: "2024-01-01T00:00:00Z"
  deletionTimestamp: "2025-01-01T00:00:00Z"
  deletionGracePeriodSeconds: 0
"""


@each(
    ("given", "told"),
    [
        ("", []),
        ("  generation: -1\n  creationTimestamp: null\n", []),
        ('  uid: ""\n  resourceVersion: ""\n  namespace: x\n', []),
        (
            '  creationTimestamp: "2026-01-01T00:00:00Z"\n  deletionTimestamp: "2026-01-01T00:00:00Z"\n',
            [],
        ),
        ("  uid: other\n", ['metadata.uid: Invalid value: "other": field is immutable']),
        (
            "  deletionGracePeriodSeconds: 5\n",
            ["metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable"],
        ),
        (
            "  finalizers: [a.io/b]\n",
            [
                "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
                'found new finalizers []string{"a.io/b"}'
            ],
        ),
    ],
)
def test_fields_of_the_server_stay_as_they_are(given: str, told: list[str]) -> None:
    old, new = (
        CRD.replace("foos.example.com\n", f"foos.example.com\n{fields}")
        for fields in (STORED, given)
    )
    assert [message for _, message in said(old, new)] == told


def test_the_common_fields_of_an_update_are_validated() -> None:
    for given, message in (
        (
            "name: foos.example.com\n  finalizers: [a b]",
            'metadata.finalizers: Invalid value: "a b": name part must consist',
        ),
        ("name: a/b%c", "metadata.name: Invalid value: \"a/b%c\": may not contain '/'"),
        ("name: ..", "metadata.name: Invalid value: \"..\": may not be '..'"),
        ("labels: {}", "metadata.name: Required value: name or generateName is required"),
    ):
        messages = [
            message for _, message in said(CRD, CRD.replace("name: foos.example.com", given))
        ]
        assert any(one.startswith(message) for one in messages), messages


def test_a_namespace_is_accepted_on_create_and_update() -> None:
    with_namespace = CRD.replace("name: foos.example.com", "name: foos.example.com\n  namespace: x")
    assert crdlint.lint_text(with_namespace) == crdlint.lint_text(CRD) == []
    for old, new in (
        (CRD, with_namespace),
        (with_namespace, CRD),
        (with_namespace, with_namespace),
    ):
        assert said(old, new) == []


def test_no_help_of_an_update_advises_to_delete_the_crd() -> None:
    old, new = (CRD.replace("name: foos", f"uid: {uid}\n  name: foos") for uid in "ab")
    (one,) = crdlint.lint_update(old, new)
    assert (
        one.help == "Restore the previous value, or remove the field if the API server maintains it"
    )


def test_a_crd_without_metadata_leaves_no_trace() -> None:
    bare = CRD.replace("metadata:\n  name: foos.example.com\n", "")
    before = said(CRD, bare)
    assert said(CRD.replace("foos.example.com\n", f"foos.example.com\n{STORED}"), bare)
    assert said(CRD, bare) == before


def test_what_was_not_structural_may_stay_so() -> None:
    loose = (
        CRD.replace("type: object\n", "properties: {a: {type: bogus}}\n")
        + "status: {storedVersions: [v1]}\n"
    )
    assert [rule for rule, _ in said(CRD, loose)] == [
        "structural-type-required",
        "type-unsupported",
    ]
    assert "type-unsupported" not in {rule for rule, _ in said(loose, loose)}


def test_a_bundle_without_certificates_is_refused_once_established() -> None:
    webhook = """\
  conversion:
    strategy: Webhook
    webhook:
      clientConfig:
        service: {namespace: default, name: convert}
        caBundle: Y2VydA==
      conversionReviewVersions: [v1]
"""
    new = CRD.replace("  scope:", webhook + "  scope:")
    advice = (
        "ca-bundle-without-certificate",
        "`caBundle` has no certificate: the API server does not serve the resource",
    )
    assert said(CRD + ESTABLISHED.replace('"True"', '"False"'), new) == [advice]
    assert said(CRD, new) == said(CRD + ESTABLISHED, new)
    assert said(CRD + ESTABLISHED, new) == [
        (
            "conversion-webhook-ca-bundle",
            'spec.conversion.webhookClientConfig.caBundle: Invalid value: "Y2VydA==": '
            "unable to load root certificates: unable to parse bytes as PEM block",
        )
    ]
    assert said(new + ESTABLISHED, new) == [advice]


def test_a_rule_that_costs_too_much_may_stay() -> None:
    rule = "items: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}"
    costly = CRD.replace(
        "type: object\n",
        f"type: object\n        properties: {{a: {{type: array, maxItems: 6000000, {rule}}}}}\n",
    )
    assert said(costly, costly) == []
    for old in (CRD, costly.replace("6000000", "6000001")):
        assert [rule for rule, _ in said(old, costly)] == ["cel-rule-cost"]


def test_a_format_that_was_there_is_warned_of_no_more() -> None:
    odd = CRD.replace(
        "type: object\n", "type: object\n        properties: {a: {type: string, format: odd}}\n"
    )
    assert said(CRD, odd) == [("format-unrecognized", 'unrecognized format "odd"')]
    assert said(odd, odd) == []
