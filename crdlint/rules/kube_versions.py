"""Advice for a range of Kubernetes versions: which rules need more than the oldest of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.rules.engine.advisory import Advisory
from crdlint.rules.engine.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.kubernetes.servers import Server
    from crdlint.rules.engine.advisory import DecodedCRD

_ADDRESS = """\
type: object
required: [address]
properties:
  address: {{type: string, maxLength: 39}}
x-kubernetes-validations:
- rule: {}
"""

NEEDS_NEWER = Rule(
    id="kube-version-too-old",
    summary="Rule needs a newer Kubernetes version than the oldest requested one",
    why="A server compiles new rules with the CEL features of the version before its own, so that it can be rolled "
    "back. With `--kube-version 1.29..1.36` every rule must compile on all of these servers.",
    bad=_ADDRESS.format("isIP(self.address)"),
    good=_ADDRESS.format("self.address != '0.0.0.0'"),
    help="Raise the oldest version in `--kube-version`, or rewrite the rule without the newer feature",
    severity="error",
    origin="crdlint",
)

RULES = (NEEDS_NEWER,)


def newer_than_oldest(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield for each expression what it needs, where that is more than the oldest version."""
    versions = crd.versions
    if versions.oldest is versions.newest or not crd.rules:
        return
    from crdlint.kubecel.requirements import requirement

    found = []
    for judged in crd.rules:
        compiled = judged.compiled
        for expression, name in ((compiled.rule, "rule"), (compiled.message, "messageExpression")):
            if expression is not None:
                needs = requirement(expression, versions)
                if needs is not None:
                    found.append((judged.path.child(name), needs))
    if not found:
        return
    lowest = max((needs.server for _, needs in found), key=_version)
    help_ = f"the whole CRD needs Kubernetes {lowest}: support {lowest} and newer, or write its rules without"
    for path, needs in found:
        message = f"needs Kubernetes >= {needs.server}{f': {needs.reason}' if needs.reason else ''}"
        yield Advisory("advice", NEEDS_NEWER.id, message, path, help_)


def _version(server: Server) -> tuple[int, int]:
    return server.version


ADVICE: Final = (newer_than_oldest,)
