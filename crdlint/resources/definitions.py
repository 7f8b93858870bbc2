"""The CRDs that resources are validated against, by group and kind; a kind may have several, in different files.

Only the documents that may define a needed kind are parsed. The index of these is built from the text and may contain
too many groups and kinds, but never too few: every value of a key `group` or `kind` counts, and a document in which
names may contain escapes may define all of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, takewhile
from typing import Final

from crdlint.crd.convert import read_crd
from crdlint.crd.model import CustomResourceDefinition
from crdlint.crd.positions import Locator
from crdlint.crd.record import semantic_equal
from crdlint.diagnostics import INTERNAL_ERROR, Diagnostic
from crdlint.files.recognition import KIND, key_pattern
from crdlint.gathering import grouped
from crdlint.kubernetes.servers import NEWEST_ALONE, Range, Server
from crdlint.light import NamedTuple, dataclass, regex, replace
from crdlint.linting.result import FileResult
from crdlint.phrases import nearest, some
from crdlint.resources.validation import ResourceValidator
from crdlint.rules.advice.deployment import NEEDS_NEWER
from crdlint.yaml.parse import split

# Takes a file, the numbers of documents with CRDs and of others, and returns the result of the first, None if it cannot be read.
Lint = Callable[[str, frozenset[int], frozenset[int]], "FileResult | None"]


_LONGEST: Final = 253  # the maximum number of characters of a group or kind
# The value of a key if it is a scalar; the last regex group matches any other value.
_VALUE: Final = (
    rf"""(?:"([^"\\\n]{{0,{_LONGEST}}})"|'([^'\n]{{0,{_LONGEST}}})'"""
    rf"""|([A-Za-z0-9][^\s"'#,\[\]{{}}]{{0,{_LONGEST}}})|([^\s\[{{-]))"""
)
_GROUP: Final = regex(key_pattern("group") + _VALUE)
_KIND: Final = regex(key_pattern("kind") + _VALUE)
# Escaped characters of names in a quoted scalar, and continued lines.
_ESCAPED: Final = regex(
    r"\\(?:(?:x|u00|U000000)(?:2[dDeE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])|\r?\n)"
)
_BINARY: Final = ("!!binary", "tag:yaml.org,2002:binary")


class DefinedKinds(NamedTuple):
    """The groups and kinds that a document may define; None means all."""

    groups: frozenset[str] | None
    kinds: frozenset[str] | None

    def may_have(self, kind: str | None) -> bool:
        """Return whether the document may define a kind, or any for None."""
        return kind is None or self.kinds is None or kind in self.kinds


def outline(text: str) -> DefinedKinds | None:
    """Return the groups and kinds that a document may define, or None if it contains no CRD."""
    is_escaped = "\\" in text and _ESCAPED.search(text) is not None
    if is_escaped or any(tag in text for tag in _BINARY):
        return DefinedKinds(None, None)
    if KIND not in text:
        return None
    # A CRD without a group is invalid.
    return DefinedKinds(_values(_GROUP, text) or None, _values(_KIND, text))


def _values(pattern: re.Pattern[str], text: str) -> frozenset[str] | None:
    values = pattern.findall(text)
    if any(other for *_, other in values):
        return None
    return frozenset(double or single or plain for double, single, plain, _ in values)


def outlines(text: str) -> dict[int, DefinedKinds | None]:
    """Return the outline of each document by its number, None for one that contains no CRD."""
    return dict(enumerate(map(outline, split(text))))


@dataclass(slots=True)
class CRDFiles:
    """A set of files with CRDs; a document is parsed when a group that it may define is needed.

    `find` finds the files and is called once, `outlines` returns those of the documents of one. `lint` is called with the
    numbers of documents that may define the group, the first time also with those that have no CRD.
    """

    find: Callable[[], Iterable[str]]
    outlines: Callable[[str], Mapping[int, DefinedKinds | None]]
    lint: Lint
    # The documents that are not parsed yet, by file: possible CRDs, and the numbers of the others.
    _documents: dict[str, dict[int, DefinedKinds]] | None = None
    _others: dict[str, frozenset[int]] = field(default_factory=dict)

    def load(self, group: str) -> Iterator[FileResult]:
        """Yield the results for documents that may define a group, file by file, each document once."""
        for path, documents in self._index().items():
            needed = frozenset(
                number
                for number, outline_ in documents.items()
                if outline_.groups is None or group in outline_.groups
            )
            for number in needed:
                del documents[number]
            result = (
                self.lint(path, needed, self._others.pop(path, frozenset())) if needed else None
            )
            if result is not None:
                yield result

    def paths(self) -> list[str]:
        """Return the files that may have CRDs."""
        return list(self._index())

    def groups(self, kind: str | None = None) -> Iterator[str]:
        """Yield the groups in documents that are not parsed yet that may have a kind, or all groups for None."""
        for documents in self._index().values():
            for candidate in documents.values():
                if candidate.may_have(kind):
                    yield from candidate.groups or ()

    def _index(self) -> dict[str, dict[int, DefinedKinds]]:
        if self._documents is None:
            self._documents = {}
            for path in self.find():
                documents = self.outlines(path)
                possible = {
                    number: candidate
                    for number, candidate in documents.items()
                    if candidate is not None
                }
                if possible:
                    self._documents[path] = possible
                    self._others[path] = frozenset(documents) - possible.keys()
        return self._documents


_SHOWN: Final = 3  # the number of errors in the message about a rejected CRD
_ALIKE: Final = 0.75  # the minimum similarity of a suggested group or kind
# The minimum similarity of a kind that is treated as misspelled instead of unknown
_TYPING_ERROR: Final = 0.85
_LISTED: Final = 8  # the number of kinds in one help
# The number of unknown groups and kinds that are compared with all known ones
_MOST_LOOKUPS: Final = 100


@dataclass(slots=True)
class Definition:
    """A CRD as the newest of `versions` stores it: its file, and its validators, which are created on demand.

    `errors` are the findings for which servers of these versions reject the CRD. `as_requests` is the argument of the validators.
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
        """Return the names of the versions that are served."""
        return [version.name for version in self.crd.spec.versions if version.served]

    @property
    def namespaced(self) -> bool:
        """Whether its objects are namespaced."""
        return self.crd.spec.scope == "Namespaced"

    def validator(self, version: str) -> ResourceValidator:
        """Return the validator of a version; raise UnknownVersionError if the CRD does not have it."""
        if version not in self._validators:
            self._validators[version] = ResourceValidator(
                self.crd,
                version,
                server=self.versions.newest,
                as_requests=self.as_requests,
            )
        return self._validators[version]

    def on(self, server: Server) -> Definition:
        """Return the CRD as a server stores it, without the API fields that it does not keep."""
        newest = self.versions.newest
        if self.versions.oldest is newest:
            return self
        if server not in self._by_server:
            knows_alike = server.unknown_fields == newest.unknown_fields
            keeps_alike = knows_alike and server.dropped_fields == newest.dropped_fields
            stored = not self.as_requests
            self._by_server[server] = replace(
                self,
                crd=self.crd
                if keeps_alike
                else read_crd(self.locator.root, stored=stored, server=server).crd,
                errors=tuple(
                    error
                    for error in self.errors
                    if not error.versions or str(server) in error.versions
                ),
                versions=Range.of(server),
                _validators={},
            )
        return self._by_server[server]


@dataclass(slots=True)
class Definitions:
    """The CRDs of a run. The CRDs of a group are parsed when needed; the first source that has any is used.

    `by_kind` has the first CRD of each kind, `copies` the others of the same kind with another spec. `unreadable` contains
    the messages about CRDs that cannot be decoded, by group. `reported` contains the messages about CRDs that findings
    have already repeated.
    """

    sources: Sequence[CRDFiles] = ()
    by_kind: dict[tuple[str, str], Definition] = field(default_factory=dict)
    copies: dict[tuple[str, str], list[Definition]] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    reported: set[str] = field(default_factory=set)
    _by_group: dict[str, dict[str, Definition]] = field(default_factory=dict)
    _loaded: set[str] = field(default_factory=set)
    _groups_meant: dict[tuple[str, str], str | None] = field(default_factory=dict)
    _kinds_meant: dict[tuple[str, str, float], str | None] = field(default_factory=dict)

    def add(self, result: FileResult) -> None:
        """Add the CRDs of a file that was checked with `keep`."""
        errors = grouped(filter(is_rejection, result.diagnostics), lambda finding: finding.crd)
        read = set()
        for crd, locator, versions in result.definitions:
            name, group, kind = crd.metadata.name, crd.spec.group, crd.spec.names.kind
            read.add(name)
            others = self.of_kind(group, kind)
            neighbours = (*others[:1], *others[-1:])  # comparing all is quadratic
            if any(semantic_equal(other.crd.spec, crd.spec) for other in neighbours):
                continue
            definition = Definition(
                crd,
                result.file,
                locator,
                tuple(errors.get(name, ())),
                versions=versions,
            )
            if others:
                self.copies.setdefault((group, kind), []).append(definition)
            else:
                self.by_kind[group, kind] = self._by_group.setdefault(group, {})[kind] = definition
        for listed in result.crds:
            # Findings about apiVersion or kind have no CRD name.
            crd_errors = errors.get(listed.name) or errors.get(None)
            if listed.name not in read and crd_errors:
                self.unreadable.setdefault(
                    listed.name.partition(".")[2], rejection_of(listed.name, crd_errors)
                )

    def kinds(self, group: str) -> Mapping[str, Definition]:
        """Return the first CRD of each kind of a group."""
        self._load(group)
        return self._by_group.get(group, {})

    def of_kind(self, group: str, kind: str) -> list[Definition]:
        """Return the CRDs of a kind that are loaded, in the order of their files."""
        first = self.by_kind.get((group, kind))
        return [] if first is None else [first, *self.copies.get((group, kind), ())]

    @property
    def duplicates(self) -> list[str]:
        """The messages about CRDs that are not used where a kind can have only one."""
        return [
            f"`{each.crd.metadata.name}` in `{each.file}` is not used: "
            f"`{self.by_kind[key].file}` defines the kind with another spec"
            for key, copies in self.copies.items()
            for each in copies
        ]

    def near(self, group: str, kind: str, path: str) -> list[Definition]:
        """Return the CRDs of a kind, those first whose files share the most folders with a path."""
        self._load(group)
        definitions = self.of_kind(group, kind)
        if len(definitions) < 2:
            return definitions
        folders = _folders(path)
        return sorted(definitions, key=lambda each: -_shared(folders, _folders(each.file)))

    def knows(self, group: str) -> bool:
        """Return whether a group has a CRD, even one that cannot be decoded."""
        self._load(group)
        return group in self._by_group or group in self.unreadable

    def groups(self) -> Iterator[str]:
        """Yield the groups that have or may have CRDs, without duplicates."""
        yield from dict.fromkeys(
            (*self._by_group, *(group for source in self.sources for group in source.groups()))
        )

    def group_meant(self, group: str, kind: str) -> str | None:
        """Return the group with a kind that was probably meant by an unknown or empty group."""
        key = (group, kind)
        if key not in self._groups_meant and len(self._groups_meant) < _MOST_LOOKUPS:
            self._groups_meant[key] = self._find_group(group, kind)
        return self._groups_meant.get(key)

    def kind_meant(self, group: str, kind: str, *, misspelt: bool = False) -> str | None:
        """Return the kind of a group that was probably meant by an unknown kind; with `misspelt`, consider only typing errors."""
        key = (group, kind, _TYPING_ERROR if misspelt else _ALIKE)
        if key not in self._kinds_meant and len(self._kinds_meant) < 2 * _MOST_LOOKUPS:
            self._kinds_meant[key] = nearest(kind, self.kinds(group), key[2])
        return self._kinds_meant.get(key)

    def describe(self, group: str) -> str:
        """Return a sentence that lists the kinds that the CRDs of a group define."""
        by_kind = sorted(self.kinds(group).items())
        kinds = [f"`{name}` ({', '.join(crd.served) or 'not served'})" for name, crd in by_kind]
        return (
            f"the CRDs of {group} define {some(kinds, _LISTED)}"
            if kinds
            else f"no CRD of {group} can be decoded"
        )

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
        having = [other for other, kinds in self._by_group.items() if kind in kinds]
        in_sources = chain.from_iterable(source.groups(kind) for source in self.sources)
        having += dict.fromkeys(in_sources)
        while having:
            meant = _likely_group(group, having)
            if meant is None or kind in self.kinds(meant):
                return meant
            # Its text contains the kind, but no CRD defines it.
            having = [other for other in having if other != meant]
        return None


def _likely_group(group: str, candidates: Sequence[str]) -> str | None:
    """Return the group that a group without the kind likely refers to: a longer, a shorter, or a similar one."""
    if not group:
        return candidates[0]
    for other in candidates:
        if group.endswith(f".{other}") or other.endswith(f".{group}"):
            return other
    return nearest(group, candidates, _ALIKE)


def rejection_of(name: str, errors: Sequence[Diagnostic]) -> str:
    """Return the message about a CRD that the API server rejects, with its first errors."""
    what = "cannot be checked" if errors[0].rule == INTERNAL_ERROR else "itself is rejected"
    shown = [
        f"{error.file}:{error.line}:{error.column}: {error.message}" for error in errors[:_SHOWN]
    ]
    if len(errors) == 1:
        return f"the CRD {name} {what}: {shown[0]}"
    more = [f"and {len(errors) - _SHOWN} more"] if len(errors) > _SHOWN else []
    return "\n".join([f"the CRD {name} {what}:", *shown, *more])


def is_rejection(finding: Diagnostic) -> bool:
    """Return whether a server may reject a CRD because of a finding, including the required version of a rule in a range."""
    return (
        (finding.origin == "apiserver" or finding.rule in {NEEDS_NEWER.id, INTERNAL_ERROR})
        and finding.severity == "error"
        and not finding.hidden
    )


def _folders(path: str) -> Sequence[str]:
    return os.path.dirname(os.path.abspath(path)).split(os.sep)


def _shared(folders: Sequence[str], others: Sequence[str]) -> int:
    """Return the number of folders, from the root on, that two paths have in common."""
    pairs = zip(folders, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
