"""An index of the documents that may define the kinds of a group, so that only the CRDs that are needed are parsed.

It is built from the text and may contain too many groups and kinds, but never too few: every value of a key `group` or
`kind` counts, and a document in which names may contain escapes may define all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.files.recognition import KIND
from crdlint.yaml.parse import split

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult

    # Takes a file, its text and the numbers of documents.
    Lint = Callable[[str, str, frozenset[int]], FileResult]

_LONGEST: Final = 253  # the maximum number of characters of a group or kind
# The value of a key if it is a scalar; the last regex group matches any other value.
_VALUE: Final = (
    rf"""["']?\s*:\s*(?:"([^"\\\n]{{0,{_LONGEST}}})"|'([^'\n]{{0,{_LONGEST}}})'"""
    rf"""|([A-Za-z0-9][^\s"'#,\[\]{{}}]{{0,{_LONGEST}}})|([^\s\[{{-]))"""
)
_GROUP: Final = re.compile(f"group{_VALUE}")
_KIND: Final = re.compile(f"kind{_VALUE}")
# Escaped characters of names in a quoted scalar, and continued lines.
_ESCAPED: Final = re.compile(r"\\(?:(?:x|u00|U000000)(?:2[dDeE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])|\r?\n)")
_BINARY: Final = ("!!binary", "tag:yaml.org,2002:binary")


class Outline(NamedTuple):
    """The groups and kinds that a document may define; None means all."""

    groups: frozenset[str] | None
    kinds: frozenset[str] | None


def outline(text: str) -> Outline | None:
    """Return the groups and kinds that a document may define, or None if it contains no CRD."""
    if _ESCAPED.search(text) or any(tag in text for tag in _BINARY):
        return Outline(None, None)
    if KIND not in text:
        return None
    return Outline(_values(_GROUP, text) or None, _values(_KIND, text))  # a CRD without a group is invalid


def _values(pattern: re.Pattern[str], text: str) -> frozenset[str] | None:
    values = pattern.findall(text)
    if any(other for *_, other in values):
        return None
    return frozenset(double or single or plain for double, single, plain, _ in values)


@dataclass(slots=True)
class CRDFiles:
    """A set of files with CRDs; a document is parsed when a group that it may define is needed.

    `find` finds the files and is called once, `read` reads one and reports what it cannot read. `lint_others` is called
    with the documents other than CRDs that are parsed; None means not to parse them.
    """

    find: Callable[[], Iterable[str]]
    read: Callable[[str], str | None]
    lint: Lint
    lint_others: Lint | None = None
    # The documents that are not parsed yet, by file: possible CRDs, and the numbers of the others.
    _documents: dict[str, dict[int, Outline]] | None = None
    _others: dict[str, frozenset[int]] = field(default_factory=dict)

    def load(self, group: str) -> Iterator[FileResult]:
        """Yield the results for documents that may define a group, file by file, each document once."""
        for path, documents in self._index().items():
            needed = frozenset(
                number for number, outline_ in documents.items() if outline_.groups is None or group in outline_.groups
            )
            if not needed:
                continue
            for number in needed:
                del documents[number]
            text = self.read(path)
            if text is not None:
                yield self.lint(path, text, needed)
            others = self._others.pop(path, None)
            if others and text is not None and self.lint_others is not None:
                self.lint_others(path, text, others)

    def paths(self) -> list[str]:
        """Return the files that may have CRDs."""
        return list(self._index())

    def groups(self, kind: str | None = None) -> Iterator[str]:
        """Yield the groups in documents that are not parsed yet that may have a kind, or all groups for None."""
        for documents in self._index().values():
            for candidate in documents.values():
                if kind is None or candidate.kinds is None or kind in candidate.kinds:
                    yield from candidate.groups or ()

    def _index(self) -> dict[str, dict[int, Outline]]:
        if self._documents is None:
            self._documents = {}
            for path in self.find():
                text = self.read(path)
                outlines = dict(enumerate(map(outline, split(text)))) if text is not None else {}
                possible = {number: candidate for number, candidate in outlines.items() if candidate is not None}
                if possible:
                    self._documents[path] = possible
                    self._others[path] = frozenset(outlines) - possible.keys()
        return self._documents
