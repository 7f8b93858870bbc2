"""Values of Kubernetes' own types are equal to their like, and an error beside others."""

from __future__ import annotations

from crds import HEAD
from tables import each

import crdlint

CRD = (
    HEAD.replace("Namespaced", "Cluster")
    + """\
        type: object
        x-kubernetes-validations:
        - rule: "%s"
"""
)
FOO = "{apiVersion: example.com/v1, kind: Foo, metadata: {name: x}}"
MADE = [
    "quantity('1')",
    "ip('10.0.0.1')",
    "cidr('10.0.0.0/8')",
    "format.dns1123Label()",
    "semver('1.2.3')",
    "url('https://example.com/')",
]


def errors(rule: str) -> list[str]:
    return [error.detail for error in crdlint.validate_resource(CRD % rule, FOO).errors]


@each("made", MADE)
def test_equality(made: str) -> None:
    assert errors(f"{made} == {made}") == []
    (said,) = errors(f"dyn({made}) == dyn('x')")
    assert said.startswith("'no such overload': call arguments did not match a supported operator")
    assert errors(f"dyn('x') != dyn({made})") == []


@each("made", MADE)
def test_in_lists(made: str) -> None:
    assert errors(f"dyn({made}) in [dyn({made}), dyn('x')]") == []
    assert errors(f"!(dyn('x') in [dyn({made})])") == []
    assert errors(f"sets.contains([dyn('x'), dyn({made})], [dyn({made})])") == []
