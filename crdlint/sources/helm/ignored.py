"""The files of a chart that Helm does not load: those that `.helmignore` names. Upstream: helm pkg/ignore/rules.go."""

from __future__ import annotations

import posixpath
import re
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crdlint.files.read import UnreadableError, read_text

IGNORE_FILE: Final = ".helmignore"
_DEFAULT: Final = "templates/.?*"


@dataclass(frozen=True, slots=True)
class _Line:
    """A pattern of an ignore file. It matches paths if `is_path`, and names otherwise."""

    pattern: re.Pattern[str]
    is_path: bool
    is_negated: bool
    only_folders: bool


@dataclass(frozen=True, slots=True)
class Ignored:
    """The patterns of an ignore file, in order."""

    lines: tuple[_Line, ...]

    @staticmethod
    def of(path: str) -> Ignored:
        """Return the patterns of a file and Helm's own; of a file that Helm rejects, only the patterns before the error."""
        try:
            text = read_text(path) or ""
        except UnreadableError:
            text = ""
        lines = []
        for line in text.splitlines():
            stripped = line.strip()
            if stripped and not stripped.startswith("#"):
                parsed = _line(stripped)
                if parsed is None:
                    break
                lines.append(parsed)
        default = _line(_DEFAULT)
        return Ignored((*lines, *([default] if default is not None else [])))

    def matches(self, path: str, *, is_folder: bool) -> bool:
        """Return whether Helm leaves a file or folder out, given its path in the chart.

        As in Helm, a negated pattern leaves out all that it does not match.
        """
        for line in self.lines:
            is_match = (is_folder or not line.only_folders) and (
                line.pattern.fullmatch(path if line.is_path else posixpath.basename(path)) is not None
            )
            if is_match != line.is_negated:
                return True
        return False


def _line(text: str) -> _Line | None:
    if "**" in text:
        return None
    is_negated = text.startswith("!")
    rule = text[is_negated:]
    only_folders = rule.endswith("/")
    rule = rule[: len(rule) - only_folders]
    pattern = _compiled(rule.removeprefix("/"))
    return None if pattern is None else _Line(pattern, "/" in rule, is_negated, only_folders)


@lru_cache(maxsize=256)
def _compiled(glob: str) -> re.Pattern[str] | None:
    """Return a pattern of Go's filepath.Match as a regular expression, or None if it is malformed."""
    pieces, rest = [], deque(glob)
    try:
        while rest:
            character = rest.popleft()
            if character == "[":
                pieces.append(_class(rest))
            elif character in _WILDCARDS:
                pieces.append(_WILDCARDS[character])
            else:
                pieces.append(re.escape(rest.popleft() if character == "\\" else character))
        return re.compile("".join(pieces), re.DOTALL)
    except (IndexError, re.error):  # it ends too early, or has a range in the wrong order
        return None


_WILDCARDS: Final = {"*": "[^/]*", "?": "[^/]"}


def _class(rest: deque[str]) -> str:
    """Return the class of characters whose opening bracket has been read; raise IndexError if it does not end."""
    is_negated = rest[0] == "^"
    if is_negated:
        rest.popleft()
    members: list[str] = []
    while not members or rest[0] != "]":
        character = rest.popleft()
        if character == "\\":
            character = rest.popleft()
        members.append("-" if character == "-" else re.escape(character))
    rest.popleft()
    return f"(?!/)[^{''.join(members)}]" if is_negated else f"[{''.join(members)}]"
