"""The files of a chart that its `.helmignore` leaves out. Upstream: helm pkg/ignore/rules.go."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final

from crdlint.files.patterns import BrokenPatternError, Segment, segment
from crdlint.files.read import readable_text
from crdlint.light import NamedTuple

IGNORE_FILE: Final = ".helmignore"
_DEFAULT: Final = "templates/.?*"


class _IgnoreLine(NamedTuple):
    """A pattern of an ignore file, by its components. It matches paths if `is_path`, and names otherwise."""

    components: tuple[Segment, ...]
    is_path: bool
    is_negated: bool
    only_folders: bool

    def matches(self, names: Sequence[bytes]) -> bool:
        """Return whether a path in the chart, or the last of its names, matches."""
        if not self.is_path:
            return len(self.components) == 1 and self.components[0].matches(names[-1])
        return len(names) == len(self.components) and all(
            map(Segment.matches, self.components, names)
        )


def ignore_lines(path: str) -> list[_IgnoreLine]:
    """Return the patterns of a file and Helm's own; of a file that Helm rejects, only the patterns before the error."""
    lines = []
    for text in filter(None, map(str.strip, readable_text(path).splitlines())):
        if not text.startswith("#"):
            parsed = _line(text)
            if parsed is None:
                break
            lines.append(parsed)
    return [*lines, *filter(None, [_line(_DEFAULT)])]


def is_ignored(lines: Iterable[_IgnoreLine], path: str, *, is_folder: bool) -> bool:
    """Return whether Helm leaves out a path in a chart; as there, a negated pattern leaves out all that it does not match."""
    names = os.fsencode(path).split(b"/")
    return any(
        (line.matches(names) and (is_folder or not line.only_folders)) != line.is_negated
        for line in lines
    )


def _line(text: str) -> _IgnoreLine | None:
    if "**" in text:
        return None
    is_negated = text.startswith("!")
    rule = text[is_negated:]
    only_folders = rule.endswith("/")
    rule = rule[: len(rule) - only_folders]
    try:
        components = tuple(segment(os.fsencode(part)) for part in rule.removeprefix("/").split("/"))
    except BrokenPatternError:
        return None
    return _IgnoreLine(
        components,
        "/" in rule,
        is_negated,
        only_folders,
    )
