"""Files with custom resources that are meant for a cluster, by name and neighbours; the others are no samples."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import field
from typing import Final

from crdlint.files.folders import OF_OTHERS, below, is_of_design, is_sent_by_tests, is_test_data
from crdlint.files.read import open_descriptor
from crdlint.light import dataclass, regex
from crdlint.sources.go_tests import GoTests
from crdlint.sources.kustomize import DataFiles, Patches

# Words in the name of a folder or a file whose objects are meant to be rejected, or are no longer used as they fail.
_MEANT_TO_FAIL: Final = frozenset(
    (
        "invalid", "bad", "broken", "malformed", "negative", "fail", "fails", "failed", "failing", "failure", "failures",
        "reject", "rejects", "rejected", "rejection", "wrong", "incorrect", "faulty", "illegal", "unknown",
        "quarantine", "quarantined",
    )
)  # fmt: skip
_WORD: Final = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(slots=True)
class SampleFiles:
    """Decides which files have samples. `named` are the paths of the command line: their own words do not count."""

    named: Sequence[str] = ()
    _patches: Patches = field(default_factory=Patches)
    _data: DataFiles = field(default_factory=DataFiles)
    _tests: GoTests = field(default_factory=GoTests)

    def objection(self, path: str) -> str | None:
        """Return why the objects of a file are not validated, or None if they are."""
        if open_descriptor(path) is not None:
            return None
        parts = below(path, self.named).split(os.sep)
        if not OF_OTHERS.isdisjoint(parts[:-1]):
            return "it is in a folder with the files of other projects"
        word = next(
            filter(_is_meant_to_fail, (word for part in parts for word in _words(part))), ""
        )
        if word:
            return f"its objects are meant to be rejected: `{word}`"
        if self._patches.has(path):
            return "it is a patch of a kustomization"
        if self._data.has(path):
            return "a kustomization puts it into a ConfigMap or Secret"
        return None

    def is_test_data(self, path: str) -> bool:
        """Return whether a file is for unit tests, or describes a design."""
        is_meant = is_test_data(path, self.named) or is_of_design(path, self.named)
        return is_meant or self._tests.read(path)

    def is_sent_by_tests(self, path: str) -> bool:
        """Return whether tests send the objects of a file to a server, which shows what is wrong."""
        return open_descriptor(path) is None and is_sent_by_tests(path, self.named)


def _is_meant_to_fail(word: str) -> bool:
    """Return whether a word is one of those, or begins with an adjective that a name follows, as in `badmetric`."""
    return word in _MEANT_TO_FAIL or _BEGINNING.match(word) is not None


_BEGINNING: Final = regex(r"(?:invalid|broken|malformed|bad(?!ge|min))[a-z]{3}")


def _words(name: str) -> list[str]:
    """Return the words of a name, in lower case: `InvalidWidget-v1` has `invalid` and `widget`."""
    return [word.lower() for word in _WORD.findall(name)]
