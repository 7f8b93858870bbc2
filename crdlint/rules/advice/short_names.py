"""Advice: short names that kubectl resolves to a built-in resource."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crdlint.crd.paths import Path
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.rule import Caution

_SHORT_NAMES: Final = frozenset({
    "cs", "cm", "ep", "ev", "limits", "ns", "no", "pvc", "pv", "po", "rc", "quota", "sa", "svc", "crd", "crds", "ds", "deploy",
    "rs", "sts", "hpa", "cj", "csr", "ing", "netpol", "pdb", "pc", "sc", "ip", "vac",
})  # fmt: skip
# Short names of resources that are newer than the oldest of the supported servers.
_SINCE: Final = {"ip": "1.33", "vac": "1.34"}


@Caution(
    "short-name-shadows-builtin",
    "Short name is the same as that of a built-in resource",
    scope="spec",
    observed=("short-name-of-a-builtin",),
    why="kubectl resolves the name to the built-in resource, so the short name never finds this one.",
    help="Use another short name",
    marker="correct the `shortName` of `+kubebuilder:resource`",
    bad="names: {plural: foos, kind: Foo, shortNames: [svc]}",
    good="names: {plural: foos, kind: Foo, shortNames: [fo]}",
).practice
def _short(crd: DecodedCRD) -> Iterator[Advisory]:
    path = Path("spec").child("names", "shortNames")
    for i, name in enumerate(crd.spec.names.short_names):
        if name in _SHORT_NAMES:
            since = f" since Kubernetes {_SINCE[name]}" if name in _SINCE else ""
            message = f"`kubectl get {name}` lists the built-in resource{since}"
            yield Advisory(message, path.index(i))
