"""Advice for a range of Kubernetes versions: which rules need more than the oldest of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.rules.engine.finding import Remark
from crdlint.rules.engine.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Sequence as SequenceOf

    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.kubernetes.servers import Range, Server

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
    summary="A rule that the oldest Kubernetes version asked for does not take (--kube-version 1.29..1.36).",
    why="A server compiles a new rule with what the version before its own had, so that it can be rolled back.",
    bad=_ADDRESS.format("isIP(self.address)"),
    good=_ADDRESS.format("self.address != '0.0.0.0'"),
    help="raise the oldest version, or write the rule without it",
    severity="error",
    origin="crdlint",
)

RULES = (NEEDS_NEWER,)


def remarks(rules: SequenceOf[EstimatedRule], versions: Range) -> Iterator[Remark]:
    """Yield for each expression what it needs, where that is more than the oldest version."""
    if versions.oldest is versions.newest or not rules:
        return
    from crdlint.kubecel.requirements import requirement

    found = []
    for judged in rules:
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
        yield Remark("advice", NEEDS_NEWER.id, message, path, help_)


def _version(server: Server) -> tuple[int, int]:
    return server.version
