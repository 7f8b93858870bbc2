"""CRDs too large for the annotation of client-side apply: how large, and what of it descriptions are."""

from __future__ import annotations

import pytest
from crds import crd_with_schema
from tables import each

import crdlint

CRD = crd_with_schema("""\
type: object
properties:
""")
FIELD = "          f{}:\n            type: string\n            description: {}\n"


def advice(fields: int, description: int) -> list[tuple[str, str | None]]:
    text = CRD + "".join(FIELD.format(i, "x" * description) for i in range(fields))
    return [
        (one.message, one.help)
        for one in crdlint.lint_text(text)
        if one.rule == "too-large-to-apply"
    ]


def test_descriptions_that_may_be_left_out() -> None:
    [(message, help_)] = advice(1000, 400)
    assert message.endswith(
        " KiB of JSON are too large for `kubectl apply`: its annotation holds 256 KiB"
    )
    assert 400 < int(message.split()[1]) < 600
    assert help_ is not None
    assert "or remove the descriptions " in help_


def test_descriptions_that_are_not_what_is_too_large() -> None:
    [(_, help_)], [(_, without_descriptions)] = advice(12000, 5), advice(12000, 0)
    assert (
        help_
        == "Use `kubectl apply --server-side`: the CRD is too large even without its descriptions (11% of it)"
    )
    assert without_descriptions == "Use `kubectl apply --server-side`"


@pytest.mark.parametrize(("bytes_left", "found"), [(0, 1), (2, 0)])
def test_the_limit(bytes_left: int, found: int) -> None:
    """What kubectl stores: compact JSON, a line break, and the annotation's own name."""
    head = crdlint.decode_yaml(CRD + FIELD.format(0, "x"))
    import json

    taken = (
        len(json.dumps(head, separators=(",", ":")))
        + 1
        + len("kubectl.kubernetes.io/last-applied-configuration")
    )
    assert len(advice(1, 262144 - taken + 2 - bytes_left)) == found


def test_the_largest_descriptions_are_named_with_their_bytes() -> None:
    fields = FIELD.format(0, "x" * 300) + FIELD.format(1, "é" * 250000) + FIELD.format(2, "z" * 100)
    [one] = [one for one in crdlint.lint_text(CRD + fields) if one.rule == "too-large-to-apply"]
    assert one.help is not None
    assert one.help.endswith(", the largest of them `f1` (500,000 bytes), `f0` (300 bytes)")
    assert "etcd" not in one.message


def test_more_than_etcd_accepts() -> None:
    [(message, _)] = advice(1000, 1600)
    assert message.endswith("; etcd rejects requests of more than 1,536 KiB by default")


def test_a_description_in_each_of_two_versions_counts_twice() -> None:
    version = CRD[CRD.index("  - name: v1") :] + FIELD.format(0, "x" * 150000)
    second = version.replace("name: v1", "name: v2").replace("storage: true", "storage: false")
    text = CRD[: CRD.index("  - name: v1")] + version + second
    [one] = [one for one in crdlint.lint_text(text) if one.rule == "too-large-to-apply"]
    assert one.help is not None
    assert "`f0` (300,000 bytes)" in one.help
    assert "100% of the CRD" in one.help


LARGE = CRD + FIELD.format(0, "x" * 300000)
SYNCED = LARGE.replace(
    "metadata:\n",
    "metadata:\n  annotations: {argocd.argoproj.io/sync-options: 'A=b,OPTION=true'}\n",
    1,
)
BY_SENDER = {
    "create": "info",
    "kubectl": "warning",
    "kubectl-apply": "error",
    "argo-cd": "error",
    "argo-cd-server-side": None,
    "kubectl-server-side": None,
    "flux": None,
    "helm-3": None,
    "helm-4": None,
}


@each(("sender", "severity"), BY_SENDER.items(), ids=BY_SENDER)
def test_the_severity_is_that_of_the_sender(sender: str, severity: str | None) -> None:
    assert _severities(LARGE, sender) == ([] if severity is None else [severity])


def test_options_of_argo_cd_in_the_crd() -> None:
    for option, severities in (("ServerSideApply", []), ("Replace", []), ("Prune", ["error"])):
        text = SYNCED.replace("OPTION", option)
        assert text != LARGE
        assert _severities(text, "argo-cd") == severities


def test_the_help_for_kubectl() -> None:
    [one] = [
        one
        for one in crdlint.lint_text(LARGE, sender="kubectl-apply")
        if one.rule == "too-large-to-apply"
    ]
    assert "too large for `kubectl apply`" in one.message
    assert str(one.help).startswith("Use `kubectl apply --server-side`, or")


def test_the_help_for_argo_cd() -> None:
    [one] = [
        one
        for one in crdlint.lint_text(LARGE, sender="argo-cd")
        if one.rule == "too-large-to-apply"
    ]
    assert (
        one.message
        == "about 293 KiB of JSON are too large for client-side apply: its annotation holds 256 KiB"
    )
    assert one.help is not None
    assert one.help.startswith("Use the sync option `ServerSideApply=true` of Argo CD, or remove ")


def _severities(text: str, sender: str) -> list[str]:
    found = crdlint.lint_text(text, sender=sender)
    return [one.severity for one in found if one.rule == "too-large-to-apply"]
