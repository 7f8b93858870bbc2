"""The declaration of a fix, and the first fix of a finding that applies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import pairwise
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from crdlint.crd import gotypes
from crdlint.diagnostics import Applicability, Fix
from crdlint.light import dataclass, regex, replace
from crdlint.phrases import nearest
from crdlint.rules.engine.edits import Edits, require
from crdlint.rules.engine.finding import BaseFinding, FindingT, PathFinding, each_version
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import UneditableError
from crdlint.yaml.nodes import Mapping as MappingNode
from crdlint.yaml.nodes import key_names
from crdlint.yaml.parse import Document

# The target of an example's fragment: the whole file, or the part of the manifest into which it is
# merged (the manifest, its metadata, spec, version, its schema, or the properties of that). For
# `resource` it is a CRD and an object, for `template` and `crds` a file of a chart.
Scope: TypeAlias = Literal[
    "text",
    "manifest",
    "metadata",
    "spec",
    "version",
    "schema",
    "properties",
    "resource",
    "template",
    "crds",
]
_ADDED: Final = regex(r"\s*[\"']?([\w$-]+)[\"']?:(?=\s)")  # a new entry
_MISSPELLED: Final = 0.75  # the minimum similarity of a misspelled keyword
_GivenT = TypeVar("_GivenT", bound=BaseFinding, contravariant=True)


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class Fixer(Generic[_GivenT]):
    """A fix for findings of one kind: an imperative title, and the edits of the document's text.

    It is the decorator of the function that returns them. `edits` returns none, or raises
    UneditableError, for a finding to which it does not apply. Findings of a document for which
    `shared_by` returns the same object share their fix. Tests assert that it turns `bad`
    into `good`; if empty, these are the examples of the rule, as is a `scope` of None.
    """

    title: str
    applicability: Applicability
    edits: Callable[[_GivenT], Edits] = lambda _finding: ()
    bad: str = ""
    good: str = ""
    scope: Scope | None = None
    shared_by: Callable[[Any], object] | None = None

    def __call__(self, edits: Callable[[FindingT], Edits]) -> Fixer[FindingT]:
        """Declare that a function returns the edits of this fix."""
        return Fixer(
            self.title,
            self.applicability,
            edits,
            self.bad,
            self.good,
            self.scope,
            self.shared_by,
        )

    def example(self, bad: str = "", good: str = "", scope: Scope | None = None) -> Fixer[_GivenT]:
        """Return the same fix with another example."""
        return replace(
            self,
            bad=bad,
            good=good,
            scope=scope,
        )


@dataclass(frozen=True, slots=True)
class FixesOf(Generic[FindingT]):
    """The fixes of rules by their ids, in the order in which they are tried.

    All take findings of one kind.
    """

    kind: type[FindingT]
    fixers: Mapping[str, tuple[Fixer[FindingT], ...]]

    def fix_of(self, finding: BaseFinding, line_start: int) -> Fix | None:
        """Return the first fix that applies to a finding, None if it is of another kind."""
        if not isinstance(finding, self.kind):
            return None
        return fix_of(self.fixers.get(finding.rule, ()), finding, line_start)


def removal(finding: PathFinding) -> Edits:
    """Remove the field of the finding."""
    return finding.remove()


def replacement(text: str) -> Callable[[PathFinding], Edits]:
    """Return a function that sets the field of the finding to a text."""
    return lambda finding: finding.write(text)


def nearest_of(words: Iterable[str], like: float) -> Callable[[PathFinding], Edits]:
    """Return a function that writes the most similar of some words in place of a value.

    It writes none if no word is similar.
    """

    def edits(finding: PathFinding) -> Edits:
        near = nearest(finding.scalar().value, words, like)
        return finding.write(near) if near else []

    return edits


def fix_of(fixers: tuple[Fixer[FindingT], ...], finding: FindingT, line_start: int) -> Fix | None:
    """Return the first fix of a finding that applies; its document begins at `line_start`.

    There is none if the document ends before its object.
    """
    document = finding.manifest.document
    if document.once("ends early", lambda: _ends_early(document)):
        return None
    # Marks of nodes do not count a byte order mark.
    has_mark = document.root is not None and document.text.startswith("\ufeff")
    offset = line_start + has_mark
    versions = list(each_version(finding))
    for fixer in _different(fixers):
        fix = _shared(fixer, finding, partial(_fix_by, fixer, versions, offset))
        if fix is not None:
            return fix
    return None


@cache
def _different(fixers: tuple[Fixer[FindingT], ...]) -> tuple[Fixer[FindingT], ...]:
    """Return the fixes of a rule without those that differ from an earlier one only in their example."""
    by_edits: dict[object, Fixer[FindingT]] = {}
    for fixer in fixers:
        by_edits.setdefault((fixer.edits, fixer.shared_by), fixer)
    return tuple(by_edits.values())


def _shared(
    fixer: Fixer[FindingT], finding: FindingT, make: Callable[[], Fix | None]
) -> Fix | None:
    """Return what a function makes, once for all findings that share the fix."""
    if fixer.shared_by is None:
        return make()
    with suppress(UneditableError):
        shared = fixer.shared_by(finding)
        return finding.manifest.document.once((fixer.title, id(shared)), make)
    return None


def _fix_by(fixer: Fixer[FindingT], versions: Sequence[FindingT], offset: int) -> Fix | None:
    """Return the fix of a finding in all versions that have it, None if it does not apply."""
    with suppress(UneditableError):
        edits = [edit for version in versions for edit in fixer.edits(version)]
        if edits and _is_sound(versions[0], edits):
            moved = tuple(edit.moved(offset) for edit in _in_order(edits))
            return Fix(fixer.title, fixer.applicability, moved)
    return None


def _is_sound(finding: BaseFinding, edits: Sequence[Edit]) -> bool:
    """Return whether edits change only their own place, leave nothing misspelled, and do not overlap."""
    if finding.manifest.document.root is not None and finding.editor.touches_shared(edits):
        return False
    if isinstance(finding, PathFinding) and _adds_what_is_misspelled(finding, edits):
        return False
    return all(earlier.end <= later.start for earlier, later in pairwise(_in_order(edits)))


def _in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Return edits by their place, each once."""
    return sorted(set(edits), key=lambda edit: (edit.start, edit.end, edit.text))


def _adds_what_is_misspelled(finding: PathFinding, edits: Iterable[Edit]) -> bool:
    """Return whether edits add a field to a schema that has it already under a misspelled name.

    They would leave the misspelled one.
    """
    insertions = [edit.text for edit in edits if edit.start == edit.end]
    names = [match[1] for text in insertions if (match := _ADDED.match(text)) is not None]
    if not names:
        return False
    unknown: list[str] = []
    for path in (finding.path, finding.path.parent):
        with suppress(UneditableError):
            unknown += _unknown_keywords(finding, finding.mapping(require(path)))
    return any(nearest(name, names, _MISSPELLED) is not None for name in unknown)


def _unknown_keywords(finding: PathFinding, mapping: MappingNode) -> Iterator[str]:
    """Yield the keys of a schema that are no keywords of schemas."""
    if finding.go_type(mapping) is gotypes.SCHEMA:
        keys = filter(None, key_names(mapping))
        yield from (key for key in keys if key not in gotypes.SCHEMA.fields)


def _ends_early(document: Document) -> bool:
    """Return whether further lines of the object are after the end of a document."""
    text = document.text
    if document.is_continued:
        return True
    if document.root is None or "\n..." not in text:
        return False
    return re.search(r"^\.\.\.[ \t\r]*\n+ ", text, re.MULTILINE) is not None
