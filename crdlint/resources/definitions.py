"""The CRDs that resources are validated against, by group and kind."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol

from crdlint.crd.convert import read_crd
from crdlint.diagnostics.spelling import nearest
from crdlint.kubernetes.servers import NEWEST_ALONE, Range, Server
from crdlint.resources.validation import ResourceValidator
from crdlint.rules.kube_versions import NEEDS_NEWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps
    from crdlint.crd.positions import Locator
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult

_SHOWN: Final = 3  # errors of a CRD that is rejected
_ALIKE: Final = 0.75  # similarity from which on another group or kind was probably meant
_TYPING_ERROR: Final = 0.85  # similarity from which on a kind is a misspelt one rather than one of its own
_LISTED: Final = 8  # kinds of a group in one help
_MOST_LOOKUPS: Final = 100  # unknown groups and kinds that are compared with all known ones
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
    """A CRD as the newest of ``versions`` has it: its file, and its validators, made when asked for.

    ``errors`` are the findings with which servers of these versions reject the CRD. ``as_requests`` is that of the
    validators.
    """

    crd: CustomResourceDefinition
    file: str
    locator: Locator
    errors: tuple[Diagnostic, ...] = ()
    as_requests: bool = True
    versions: Range = NEWEST_ALONE
    _validators: dict[str, ResourceValidator] = field(default_factory=dict)
    _by_server: dict[Server, Definition] = field(default_factory=dict)

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
            self._validators[version] = ResourceValidator(
                self.crd, version, server=self.versions.newest, as_requests=self.as_requests
            )
        return self._validators[version]

    def on(self, server: Server) -> Definition:
        """Return the CRD as one of the servers has it, without the fields of the API that it does not keep."""
        newest = self.versions.newest
        if self.versions.oldest is newest:
            return self
        if server not in self._by_server:
            keeps_alike = (server.unknown_fields, server.dropped_fields) == (
                newest.unknown_fields,
                newest.dropped_fields,
            )
            self._by_server[server] = replace(
                self,
                crd=self.crd if keeps_alike else self._read(server),
                errors=tuple(one for one in self.errors if not one.versions or str(server) in one.versions),
                versions=Range.of(server),
                _validators={},
            )
        return self._by_server[server]

    def _read(self, server: Server) -> CustomResourceDefinition:
        return read_crd(self.locator.root, stored=not self.as_requests, server=server).crd

    def schema(self, version: str) -> JSONSchemaProps | None:
        """Return the schema of a version."""
        return self.validator(version).schema


class Source(Protocol):
    """A place with CRDs."""

    def load(self, group: str) -> Iterable[FileResult]:
        """Yield what is in the documents that may define a group, each document once."""

    def groups(self, kind: str | None = None) -> Iterable[str]:
        """Yield the groups that may have a kind; all of them for None."""


@dataclass(slots=True)
class Definitions:
    """The CRDs of a run. Those of a group are parsed when the group is first asked for: the first source that has any counts.

    Of two CRDs of the same kind the first one counts. ``unreadable`` has the messages about CRDs that cannot be
    decoded, by group, ``duplicates`` those about second CRDs of a kind. ``reported`` are the messages about CRDs that
    findings have repeated already.
    """

    sources: Sequence[Source] = ()
    by_kind: dict[tuple[str, str], Definition] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    duplicates: list[str] = field(default_factory=list)
    reported: set[str] = field(default_factory=set)
    _by_group: dict[str, dict[str, Definition]] = field(default_factory=dict)
    _loaded: set[str] = field(default_factory=set)
    _groups_meant: dict[tuple[str, str], str | None] = field(default_factory=dict)
    _kinds_meant: dict[tuple[str, str, float], str | None] = field(default_factory=dict)

    def add(self, result: FileResult) -> None:
        """Add the CRDs of a file that was checked with ``keep``."""
        errors: dict[str | None, list[Diagnostic]] = {}
        for one in result.diagnostics:
            if is_rejection(one):
                errors.setdefault(one.crd, []).append(one)
        read = set()
        for found in result.definitions:
            spec = found.crd.spec
            name = found.crd.metadata.name
            read.add(name)
            key = (spec.group, spec.names.kind)
            if key in self.by_kind:
                first = self.by_kind[key].file
                self.duplicates.append(f"{result.file}: ignored {name}: {first} defines the same kind")
                continue
            made = Definition(
                found.crd, result.file, found.locator, tuple(errors.get(name, ())), versions=found.versions
            )
            self.by_kind[key] = self._by_group.setdefault(spec.group, {})[spec.names.kind] = made
        for crd in result.crds:
            if crd.name in read:
                continue
            said = errors.get(crd.name) or errors.get(None)  # findings about apiVersion or kind have no name
            if said:
                self.unreadable.setdefault(crd.name.partition(".")[2], rejection_of(crd.name, said))

    def kinds(self, group: str) -> Mapping[str, Definition]:
        """Return the CRDs of a group by kind."""
        self._load(group)
        return self._by_group.get(group, {})

    def knows(self, group: str) -> bool:
        """Return whether a group has a CRD, even one that cannot be decoded."""
        self._load(group)
        return group in self._by_group or group in self.unreadable

    def groups(self) -> Iterator[str]:
        """Yield the groups that have CRDs or may have some, none twice."""
        yield from dict.fromkeys((*self._by_group, *(group for source in self.sources for group in source.groups())))

    def group_meant(self, group: str, kind: str) -> str | None:
        """Return the group with a kind that was probably meant by the name of another group, or by none."""
        key = (group, kind)
        if key not in self._groups_meant and len(self._groups_meant) < _MOST_LOOKUPS:
            self._groups_meant[key] = self._find_group(group, kind)
        return self._groups_meant.get(key)

    def kind_meant(self, group: str, kind: str, *, misspelt: bool = False) -> str | None:
        """Return the kind of a group that was probably meant by another; ``misspelt`` takes only typing errors for one."""
        key = (group, kind, _TYPING_ERROR if misspelt else _ALIKE)
        if key not in self._kinds_meant and len(self._kinds_meant) < 2 * _MOST_LOOKUPS:
            self._kinds_meant[key] = nearest(kind, self.kinds(group), key[2])
        return self._kinds_meant.get(key)

    def describe(self, group: str) -> str:
        """Return a sentence with the kinds that the CRDs of a group define."""
        known = sorted(self.kinds(group).items())
        listed = [f"`{name}` ({', '.join(found.served) or 'not served'})" for name, found in known[:_LISTED]]
        more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
        return f"the CRDs of {group} define {', '.join(listed)}{more}" if known else f"no CRD of {group} can be decoded"

    def _load(self, group: str) -> None:
        if group in self._loaded:
            return
        self._loaded.add(group)
        for source in self.sources:
            for result in source.load(group):
                self.add(result)
            if group in self._by_group or group in self.unreadable:
                return

    def _find_group(self, group: str, kind: str) -> str | None:
        having = [known for known, kinds in self._by_group.items() if kind in kinds]
        having += dict.fromkeys(known for source in self.sources for known in source.groups(kind))
        while having:
            meant = having[0] if not group else _alike(group, having)
            if meant is None or kind in self.kinds(meant):
                return meant
            having = [known for known in having if known != meant]  # its text has the kind, but no CRD defines it
        return None


def _alike(group: str, known: Sequence[str]) -> str | None:
    longer = [one for one in known if group.endswith(f".{one}") or one.endswith(f".{group}")]
    return longer[0] if longer else nearest(group, known, _ALIKE)


def rejection_of(name: str, errors: Sequence[Diagnostic]) -> str:
    """Return the message about a CRD that the API server rejects, with its first errors."""
    shown = [f"{one.file}:{one.line}:{one.column}: {one.message}" for one in errors[:_SHOWN]]
    if len(errors) == 1:
        return f"the CRD {name} itself is rejected: {shown[0]}"
    more = [f"and {len(errors) - _SHOWN} more"] if len(errors) > _SHOWN else []
    return "\n".join([f"the CRD {name} itself is rejected:", *shown, *more])


def is_rejection(one: Diagnostic) -> bool:
    """Return whether a server rejects a CRD for a finding; one of a range may report the version that a rule needs."""
    return (one.origin == "apiserver" or one.rule == NEEDS_NEWER.id) and one.severity == "error" and not one.hidden


def may_have_crd(group: str) -> bool:
    """Return whether a CRD, rather than Kubernetes itself, can define objects of a group."""
    return "." in group and group not in _NOT_BY_CRD
