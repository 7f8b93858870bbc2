"""The CRDs that resources are held against, by group and kind."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.crd.recognition import may_hold_crd
from crdlint.resources.validation import ResourceValidator
from crdlint.yaml.parse import parse_stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps
    from crdlint.crd.positions import Locator
    from crdlint.diagnostics import Diagnostic
    from crdlint.results import FileResult

_SHOWN: Final = 3  # errors of a CRD that is refused
_ALIKE: Final = 0.75  # how near a group's name has to be for another to be meant
# Groups of objects that no CRD defines: kube-apiserver's own, and those of files that kubectl's tools read.
_NOT_BY_CRD: Final = frozenset(
    f"{name}.k8s.io"
    for name in (
        "admissionregistration", "apiextensions", "apiregistration", "audit", "authentication", "authorization",
        "certificates", "coordination", "discovery", "events", "flowcontrol.apiserver", "internal.apiserver",
        "kubeadm", "kubelet.config", "kubeproxy.config", "kubescheduler.config", "kustomize.config", "metrics",
        "networking", "node", "rbac.authorization", "resource", "scheduling", "storage", "storagemigration",
    )
)  # fmt: skip


@dataclass(slots=True)
class Definition:
    """A CRD: where it stands, what the server says of it where it refuses it, and its validators, made when asked for.

    ``said`` has the server's errors, their places before them. ``as_requests`` is that of the validators.
    """

    crd: CustomResourceDefinition
    file: str
    locator: Locator
    said: tuple[str, ...] = ()
    as_requests: bool = True
    _validators: dict[str, ResourceValidator] = field(default_factory=dict)

    @property
    def refusal(self) -> str | None:
        """The first of the server's errors, None where it takes the CRD."""
        return self.said[0] if self.said else None

    @property
    def served(self) -> list[str]:
        """The names of the versions that are served."""
        return [version.name for version in self.crd.spec.versions if version.served]

    @property
    def namespaced(self) -> bool:
        """Whether its objects are in namespaces."""
        return self.crd.spec.scope == "Namespaced"

    def validator(self, version: str) -> ResourceValidator:
        """Return the validator of a version. Raises UnknownVersionError."""
        if version not in self._validators:
            self._validators[version] = ResourceValidator(self.crd, version, as_requests=self.as_requests)
        return self._validators[version]

    def schema(self, version: str) -> JSONSchemaProps | None:
        """Return the schema of a version."""
        return self.validator(version).schema


class BrokenDocument(NamedTuple):
    """A document that is not YAML: its place, why, and whether it may be a CRD."""

    place: str
    message: str
    may_be_crd: bool


def _broken_documents(result: FileResult, errors: Sequence[Diagnostic]) -> Iterator[BrokenDocument]:
    if not errors:
        return
    documents = parse_stream(result.text).documents
    offsets = [document.line_offset for document in documents]
    for error in errors:
        text = documents[max(bisect_right(offsets, error.line - 1) - 1, 0)].text
        message = f"the document is not YAML, so it is not read: {error.message}"
        place = f"{error.file}:{error.line}:{error.column}"
        yield BrokenDocument(place, message, may_hold_crd(text.encode("utf-8", "replace")))


@dataclass(slots=True)
class Definitions:
    """CRDs found so far; of two of the same kind the first one counts.

    ``refused`` has what to tell of CRDs that cannot even be read, by group, and ``twice`` what to tell of second ones.
    """

    by_kind: dict[tuple[str, str], Definition] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    twice: list[str] = field(default_factory=list)
    _by_group: dict[str, dict[str, Definition]] = field(default_factory=dict)

    def add(self, result: FileResult) -> list[BrokenDocument]:
        """Take the CRDs of a file that was checked, with what was found kept; return the documents that are not YAML."""
        broken: list[Diagnostic] = []
        said: dict[str | None, list[str]] = {}
        for one in result.diagnostics:
            if one.origin == "apiserver" and one.severity == "error" and not one.hidden:
                said.setdefault(one.crd, []).append(f"{one.file}:{one.line}:{one.column}: {one.message}")
            if one.rule == "yaml-syntax":
                broken.append(one)
        read = set()
        for found in result.definitions:
            spec = found.crd.spec
            name = found.crd.metadata.name
            read.add(name)
            key = (spec.group, spec.names.kind)
            if key in self.by_kind:
                first = self.by_kind[key].file
                self.twice.append(f"{result.file}: {name} is there already, in {first}: that one counts")
                continue
            made = Definition(found.crd, result.file, found.locator, tuple(said.get(name, ())))
            self.by_kind[key] = self._by_group.setdefault(spec.group, {})[spec.names.kind] = made
        for crd in result.crds:
            if crd.name in read:
                continue
            errors = said.get(crd.name) or said.get(None)  # what has no apiVersion or kind is not told by name
            if errors:
                self.refused.setdefault(crd.name.partition(".")[2], refusal_of(crd.name, errors))
        return list(_broken_documents(result, broken))

    def kinds(self, group: str) -> Mapping[str, Definition]:
        """Return the CRDs of a group by kind."""
        return self._by_group.get(group, {})

    def knows(self, group: str) -> bool:
        """Tell whether a group has a CRD, be it one that is refused."""
        return group in self._by_group or group in self.refused

    def group_meant(self, group: str, kind: str) -> str | None:
        """Return the group that has a kind and that is probably meant by another's name, or by none."""
        having = [known for known, kinds in self._by_group.items() if kind in kinds]
        if not group:
            return having[0] if having else None
        near = [(SequenceMatcher(None, group, known).ratio(), known) for known in having]
        near += [(1.0, known) for known in having if group.endswith(f".{known}") or known.endswith(f".{group}")]
        best = max(near, default=(0.0, ""))
        return best[1] if best[0] >= _ALIKE else None


def refusal_of(name: str, errors: Sequence[str]) -> str:
    """Return what to tell of a CRD that is refused: its first errors."""
    if len(errors) == 1:
        return f"the CRD {name} is refused: {errors[0]}"
    more = [f"and {len(errors) - _SHOWN} more"] if len(errors) > _SHOWN else []
    return "\n".join([f"the CRD {name} is refused:", *errors[:_SHOWN], *more])


def may_have_crd(group: str) -> bool:
    """Tell whether objects of a group can be defined by a CRD, rather than by Kubernetes itself."""
    return "." in group and group not in _NOT_BY_CRD
