"""File patterns with git's rules: the lines of a .gitignore, and of `--include`, `--exclude` and `exclude`.

File names are bytes, as in git, and need no encoding. Matching never backtracks: between two wildcards, the leftmost
match always suffices. Upstream: git wildmatch.c, dir.c (parse_path_pattern, last_matching_pattern).

Globs that no shell expanded have bash's rules for `globstar`: they match one path component at a time during a walk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import field
from functools import partial
from typing import Final, TypeAlias, TypeVar

from crdlint.light import NamedTuple, dataclass, regex

# Literal characters, or for each character the set of those that match.
_Piece: TypeAlias = "bytes | tuple[frozenset[int], ...]"
_P = TypeVar("_P", bound="Sized")
_T = TypeVar("_T", bound="Sized")
_STAR: Final = -1
_SLASH: Final = -2
# The code of a character, a set of codes (`?`, a bracket expression), or one of the two marks above.
_Part: TypeAlias = "int | frozenset[int]"
_ANY: Final = frozenset(range(256))
_MAGIC: Final = regex(rb"[*?\[\\]")


class BrokenPatternError(ValueError):
    """A pattern never matches: it has an unclosed bracket expression, or a backslash at the end."""


class Segment(NamedTuple):
    """A pattern of one path component: pieces that are separated by `*`."""

    pieces: tuple[_Piece, ...]

    def matches(self, name: bytes) -> bool:
        """Return whether the name of a file or directory matches."""
        return _in_order(self.pieces, name, _is_at)

    def selects(self, parts: Sequence[bytes]) -> bool:
        """Return whether the last component of a relative path matches."""
        return self.matches(parts[-1])


def is_in_order(pieces: Iterable[str], text: str) -> bool:
    """Return whether a text has the pieces in order, with anything between them: the first at its start, the last at its end."""
    encoded, *parts = (part.encode("utf-8", "surrogatepass") for part in (text, *pieces))
    return _in_order(parts, encoded, _is_at)


def _in_order(
    pieces: Sequence[_P],
    text: _T,
    is_at: Callable[[_P, _T, int], bool],
    least: int = 0,
) -> bool:
    """Return whether a text has the pieces in order; the last one counts as at least as long as `least`."""
    first, *between = pieces
    if not between:
        return len(text) == len(first) and is_at(first, text, 0)
    last = between.pop()
    start, end = len(first), len(text) - max(len(last), least)
    if start > end or not is_at(first, text, 0) or not is_at(last, text, len(text) - len(last)):
        return False
    for piece in between:
        if isinstance(piece, bytes) and isinstance(text, bytes):
            position = text.find(piece, start, end)
        else:
            starts = range(start, end - len(piece) + 1)
            position = next((i for i in starts if is_at(piece, text, i)), -1)
        if position < 0:
            return False
        start = position + len(piece)
    return True


def _is_at(piece: _Piece, name: bytes, start: int) -> bool:
    if isinstance(piece, bytes):
        return name.startswith(piece, start)
    return all(name[start + i] in fitting for i, fitting in enumerate(piece))


class PathGlob(NamedTuple):
    """A pattern of paths: runs of segments that are separated by `**`."""

    runs: tuple[tuple[Segment, ...], ...]

    def selects(self, parts: Sequence[bytes]) -> bool:
        """Return whether the components of a relative path match."""
        # `a/**` matches the content of a, not a itself.
        return _in_order(self.runs, parts, _fits, 1)


def _fits(run: Sequence[Segment], parts: Sequence[bytes], start: int) -> bool:
    return all(segment.matches(parts[start + i]) for i, segment in enumerate(run))


class _Rule(NamedTuple):
    """The effect of a line on paths that it matches; later lines have a higher `number`."""

    number: int
    negated: bool
    only_folders: bool

    def is_for(self, *, folder: bool) -> bool:
        """Return whether the line is for the path of a folder, or for one of a file."""
        return folder or not self.only_folders


@dataclass(slots=True)
class IgnoreLines:
    """The lines of a .gitignore, of which the last match decides: those without wildcards are looked up, `_globs` are in order."""

    _names: dict[bytes, list[_Rule]] = field(default_factory=dict)
    _paths: dict[bytes, list[_Rule]] = field(default_factory=dict)
    _globs: list[tuple[_Rule, Segment | PathGlob]] = field(default_factory=list)

    def decision(self, path: bytes, *, folder: bool = False) -> bool | None:
        """Return True if the last line that matches `path` selects it, False if that line starts with `!`, None without a match.

        `path` is relative to the directory of the patterns. Its parent directories are not considered.
        """
        parts = path.split(b"/")
        literal = (*self._names.get(parts[-1], ()), *self._paths.get(path, ()))
        best = max(filter(partial(_Rule.is_for, folder=folder), literal), default=None)
        for rule, pattern in reversed(self._globs):
            if best is not None and rule.number < best.number:
                break
            if rule.is_for(folder=folder) and pattern.selects(parts):
                best = rule
                break
        return None if best is None else not best.negated

    def match(self, path: str) -> bool:
        """Return whether the lines select a relative path or one of its parents; the path of a directory ends in a slash."""
        encoded = os.fsencode(path)
        parts = encoded.removesuffix(b"/").split(b"/")
        parents = (b"/".join(parts[:i]) for i in range(1, len(parts)))
        if any(self.decision(folder, folder=True) for folder in parents):
            return True
        return bool(self.decision(b"/".join(parts), folder=encoded.endswith(b"/")))


def compiled(lines: Iterable[str | bytes]) -> IgnoreLines:
    """Return the patterns of lines. Blank lines, comments and patterns that never match have no effect, as in git."""
    names: dict[bytes, list[_Rule]] = {}
    paths: dict[bytes, list[_Rule]] = {}
    globs: list[tuple[_Rule, Segment | PathGlob]] = []
    for number, line in enumerate(lines):
        text = _without_trailing_spaces(os.fsencode(line))
        if text.startswith(b"#"):
            continue
        negated = text.startswith(b"!")
        only_folders = text.endswith(b"/")
        text = text[negated : len(text) - only_folders]
        rule = _Rule(number, negated, only_folders)
        if text and not _MAGIC.search(text):
            (paths if b"/" in text else names).setdefault(text.removeprefix(b"/"), []).append(rule)
        elif text:
            try:
                patterns = map(_glob, _without_quirks(text)) if b"/" in text else (segment(text),)
                globs.extend((rule, pattern) for pattern in patterns)
            except BrokenPatternError:
                continue
    return IgnoreLines(names, paths, globs)


def is_pattern(text: str) -> bool:
    """Return whether a pattern can match anything."""
    return compiled([text]) != IgnoreLines()


def _without_trailing_spaces(line: bytes) -> bytes:
    """Return a line without trailing spaces; a space after a backslash is kept."""
    text = line.rstrip(b" ")
    backslashes = len(text) - len(text.rstrip(b"\\"))
    return line[: len(text) + 1] if backslashes % 2 else text


def segment(text: bytes) -> Segment:
    """Compile a pattern of one path component; raise BrokenPatternError."""
    tokens = _tokens(text)
    if _SLASH in tokens:
        raise BrokenPatternError
    return _segment(tokens)


def _without_quirks(text: bytes) -> list[bytes]:
    """Return patterns with the meaning of `text` in git, which compares a literal prefix separately.

    The text after the prefix is then treated as the start of the pattern: `a**/b` matches ab and a1/2/b. Upstream:
    match_pathname.
    """
    text = _ESCAPED_SLASH.sub(rb"\1*/**/", text)
    match = _AFTER_PREFIX.match(text)
    if match is None:
        return [text]
    prefix, rest = match[1], text[match.end() :]
    return [prefix + (rest or b"*"), prefix + b"*/**" + (b"/" + rest if match[2] else b"")]


_AFTER_PREFIX: Final = regex(rb"([^*?\[\\]*[^*?\[\\/])\*\*+(?:(/)|$)")
# In git, `**` before an escaped slash matches one or more directories.
_ESCAPED_SLASH: Final = regex(rb"(^|/)\*\*+\\/")


def _glob(text: bytes) -> PathGlob:
    runs: list[list[Segment]] = [[]]
    parts: list[list[_Part]] = [[]]
    for token in _tokens(text.removeprefix(b"/")):
        if token == _SLASH:
            parts.append([])
        else:
            parts[-1].append(token)
    for i, part in enumerate(parts):
        is_any_path = len(part) > 1 and set(part) == {_STAR}
        if not is_any_path:
            runs[-1].append(_segment(part))
        elif runs[-1] or i == 0 or len(runs) == 1:
            runs.append([])
    return PathGlob(tuple(map(tuple, runs)))


def _segment(tokens: Sequence[_Part]) -> Segment:
    pieces: list[list[int | frozenset[int]]] = [[]]
    for token in tokens:
        if token != _STAR:
            pieces[-1].append(token)
        elif pieces[-1] or len(pieces) == 1:
            pieces.append([])
    return Segment(tuple(map(_piece, pieces)))


def _piece(tokens: Sequence[int | frozenset[int]]) -> _Piece:
    codes = [token for token in tokens if isinstance(token, int)]
    if len(codes) == len(tokens):
        return bytes(codes)
    return tuple(frozenset((token,)) if isinstance(token, int) else token for token in tokens)


def _tokens(text: bytes) -> list[_Part]:
    tokens: list[_Part] = []
    position = 0
    while position < len(text):
        char = text[position]
        position += 1
        if char == _BACKSLASH:
            if position == len(text):
                raise BrokenPatternError
            escaped = text[position]
            tokens.append(_SLASH if escaped == _SLASH_CHAR else escaped)
            position += 1
        elif char == _BRACKET:
            fitting, position = _bracket(text, position)
            tokens.append(fitting)
        else:
            tokens.append(_SPECIAL.get(char, char))
    return tokens


_BACKSLASH, _BRACKET, _SLASH_CHAR = b"\\[/"
_SPECIAL: Final[dict[int, _Part]] = {ord("*"): _STAR, ord("/"): _SLASH, ord("?"): _ANY}


def _bracket(text: bytes, position: int) -> tuple[frozenset[int], int]:
    """Return the characters of the bracket expression that begins before `position`, and its end."""
    negated = text[position : position + 1] in {b"!", b"^"}
    start = position = position + negated
    fitting: set[int] = set()
    while position == start or text[position : position + 1] != b"]":
        member = _MEMBER.match(text, position)
        if member is None:
            raise BrokenPatternError
        position = member.end()
        name, first, last = member.groups()
        if name is None:
            fitting.update((first[-1], *range(first[-1], (last or first)[-1] + 1)))
        elif name in _CLASSES:
            fitting.update(map(ord, re.findall(_CLASSES[name], _ASCII)))
        else:
            raise BrokenPatternError
    matching = _ANY - fitting if negated else frozenset(fitting)
    return matching - {_SLASH_CHAR}, position + 1


_ASCII: Final = "".join(map(chr, range(128)))


# A named class, or a character with the last one of its range.
_MEMBER: Final = regex(rb"\[:([^\]]*):\]|(\\.|.)(?:-(\\.|[^\]]))?", re.DOTALL)

_CLASSES: Final = {
    b"alnum": r"[A-Za-z0-9]",
    b"alpha": r"[A-Za-z]",
    b"blank": r"[ \t]",
    b"cntrl": r"[\x00-\x1f\x7f]",
    b"digit": r"[0-9]",
    b"graph": r"[!-~]",
    b"lower": r"[a-z]",
    b"print": r"[ -~]",
    b"punct": r"[!-/:-@\[-`{-~]",
    b"space": r"[ \t\n\v\f\r]",
    b"upper": r"[A-Z]",
    b"xdigit": r"[0-9A-Fa-f]",
}


# The indexes of the components that may match next; the number of components if all have matched.
States: TypeAlias = "frozenset[int]"
_WILDCARD: Final = regex(r"[*?\[]")


class _Component(NamedTuple):
    """A component of a glob; `segment` is None for `**`; if `hidden`, names that begin with a dot match."""

    segment: Segment | None
    hidden: bool


class Glob(NamedTuple):
    """A glob: the directory to start in (empty or with a closing slash), and the components below it.

    `text` is the original glob. `only_folders` is true if it ends in a slash (other than `**/`), `open_end` if it ends in a `*`.
    """

    text: str
    base: str
    components: tuple[_Component, ...]
    only_folders: bool
    open_end: bool

    @staticmethod
    def of(text: str) -> Glob | None:
        """Return a text as a glob, or None for a plain path and for a pattern that never matches."""
        parts = text.replace(os.sep, "/").split("/")
        first = next((i for i, part in enumerate(parts) if _WILDCARD.search(part)), None)
        if first is None:
            return None
        below = [part for part in parts[first:] if part not in {"", "."}]
        try:
            segments = [None if part == "**" else segment(os.fsencode(part)) for part in below]
        except BrokenPatternError:
            return None
        hidden = [part.startswith(".") for part in below]
        components = tuple(map(_Component, segments, hidden))
        base = "".join(f"{part}/" for part in parts[:first])
        only_folders = not parts[-1] and components[-1].segment is not None
        return Glob(
            text,
            base,
            components,
            only_folders,
            below[-1].endswith("*"),
        )

    def start(self) -> States:
        """Return the states of the directory to start in."""
        return self._with_optional({0})

    def step(self, states: States, name: str, *, is_link: bool = False) -> States:
        """Return the states after an entry of a directory, empty if it does not match; `**` does not match links to directories."""
        encoded = os.fsencode(name)
        is_hidden = name.startswith(".")
        after: set[int] = set()
        for i in states - {len(self.components)}:
            component = self.components[i]
            if is_hidden and not component.hidden:
                continue
            if component.segment is None:
                if not is_link:
                    after |= {i, i + 1} if i + 1 == len(self.components) else {i}
            elif component.segment.matches(encoded):
                after.add(i + 1)
        return self._with_optional(after)

    def states_of(self, path: str) -> States:
        """Return the states of a path relative to ``base``."""
        states = self.start()
        for part in path.replace(os.sep, "/").split("/"):
            states = self.step(states, part)
        return states

    def accepts(self, states: States) -> bool:
        """Return whether the entry with these states matches the glob."""
        return len(self.components) in states

    def accepts_whole(self, states: States) -> bool:
        """Return whether the directory with these states itself matches, other than by `**`."""
        return self.accepts(states) and self.components[-1].segment is not None

    def leads_on(self, states: States, *, is_whole: bool) -> bool:
        """Return whether an entry below the directory with these states may match; one that is taken as a whole has it already."""
        if is_whole and self.open_end:
            return False
        return bool(states - {len(self.components)})

    def _with_optional(self, states: set[int]) -> States:
        """Add the component after each `**`, which may match no directory; at the end it matches at least one entry."""
        for i in range(len(self.components) - 1):
            if i in states and self.components[i].segment is None:
                states.add(i + 1)
        return frozenset(states)
