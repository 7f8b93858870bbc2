"""Which documents may define the kinds of a group: found in their text, so that only CRDs that are needed are parsed.

The text gives too many groups and kinds rather than too few: every value of a key ``group`` or ``kind`` counts, and a
document in which names may be spelt with escapes may define all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.crd.recognition import KIND
from crdlint.yaml.parse import split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crdlint.linting.result import FileResult

    # Takes a file, its text and the numbers of documents; returns None for a bug of crdlint's, which it reports.
    Lint = Callable[[str, str, frozenset[int]], FileResult | None]

_LONGEST: Final = 253  # characters of a group or kind
# The value of a key as far as it is a scalar; the last group is a value that is written in some other way.
_VALUE: Final = (
    rf"""["']?\s*:\s*(?:"([^"\\\n]{{0,{_LONGEST}}})"|'([^'\n]{{0,{_LONGEST}}})'"""
    rf"""|([A-Za-z0-9][^\s"'#,\[\]{{}}]{{0,{_LONGEST}}})|([^\s\[{{-]))"""
)
_GROUP: Final = re.compile(f"group{_VALUE}")
_KIND: Final = re.compile(f"kind{_VALUE}")
# Characters of names that a quoted scalar writes as escapes, and lines that it continues.
_ESCAPED: Final = re.compile(r"\\(?:(?:x|u00|U000000)(?:2[dDeE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])|\r?\n)")
_BINARY: Final = ("!!binary", "tag:yaml.org,2002:binary")


@dataclass(frozen=True, slots=True)
class Outline:
    """The groups and kinds that a document may define; None stands for all."""

    groups: frozenset[str] | None
    kinds: frozenset[str] | None


def outline(text: str) -> Outline | None:
    """Return what a document may define, None if there is no CRD in it."""
    if _ESCAPED.search(text) or any(tag in text for tag in _BINARY):
        return Outline(None, None)
    if KIND not in text:
        return None
    return Outline(_values(_GROUP, text) or None, _values(_KIND, text))  # without any group, it is a broken CRD


def _values(pattern: re.Pattern[str], text: str) -> frozenset[str] | None:
    found: set[str] = set()
    for double, single, plain, other in pattern.findall(text):
        if other:
            return None
        found.add(double or single or plain)
    return frozenset(found)


class CRDFiles:
    """A set of files with CRDs, each document of which is parsed when a group that it may define is asked for."""

    def __init__(
        self,
        find: Callable[[], Iterable[str]],
        read: Callable[[str], str | None],
        lint: Lint,
        lint_others: Lint | None = None,
    ) -> None:
        """Take what finds the files, called once, and what reads and lints one; ``read`` reports what it cannot read.

        ``lint_others`` is called with the documents beside CRDs that are parsed, None not to parse them.
        """
        self._find = find
        self._read = read
        self._lint = lint
        self._lint_others = lint_others
        # The documents by file that are not parsed yet: those that may be CRDs, and the numbers of the others.
        self._documents: dict[str, dict[int, Outline]] | None = None
        self._others: dict[str, frozenset[int]] = {}

    def load(self, group: str) -> Iterator[FileResult]:
        """Yield what is in the documents that may define a group, file by file, each document once."""
        for path, documents in self._index().items():
            wanted = frozenset(number for number, one in documents.items() if one.groups is None or group in one.groups)
            if not wanted:
                continue
            for number in wanted:
                del documents[number]
            text = self._read(path)
            result = None if text is None else self._lint(path, text, wanted)
            if result is not None:
                yield result
            others = self._others.pop(path, None)
            if others and text is not None and self._lint_others is not None:
                self._lint_others(path, text, others)

    def paths(self) -> list[str]:
        """Return the files that may have CRDs."""
        return list(self._index())

    def groups(self, kind: str | None = None) -> Iterator[str]:
        """Yield the groups, in documents that are not parsed yet, that may have a kind; all of them for None."""
        for documents in self._index().values():
            for one in documents.values():
                if kind is None or one.kinds is None or kind in one.kinds:
                    yield from one.groups or ()

    def _index(self) -> dict[str, dict[int, Outline]]:
        if self._documents is None:
            self._documents = {}
            for path in self._find():
                text = self._read(path)
                outlines = [] if text is None else [outline(document) for document in split(text)]
                found = {number: one for number, one in enumerate(outlines) if one is not None}
                if found:
                    self._documents[path] = found
                    self._others[path] = frozenset(range(len(outlines))) - found.keys()
        return self._documents
