"""Ignore comments: `# crdlint: ignore[RULE] reason` on a line or above a key, `# crdlint: ignore-file[RULE]` for a file.

A comment at the end of a line is for what is found on that line, or in the text that begins or ends there; on a line of
its own it is for the key or item below, with all that is in it. What looks like one within a scalar is none: the
tree tells.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from crdlint.config.node_index import places_of
from crdlint.config.rule_patterns import did_you_mean, is_known, is_matched, rule_ids, shown, unknown_rule
from crdlint.crd.positions import Span
from crdlint.rules.configuration import MALFORMED, UNKNOWN_RULE, UNUSED
from crdlint.yaml.edit import line_and_column, line_starts
from crdlint.yaml.parse import parse_stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crdlint.config.node_index import NodeIndex
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.rules.engine.rule import Rule
    from crdlint.yaml.parse import Document

MARKER: Final = "crdlint:"
# 1-based line and column of the file; a stretch is from one up to another.
Position: TypeAlias = "tuple[int, int]"
Stretch: TypeAlias = "tuple[Position, Position]"

_COMMENT: Final = re.compile(r"(?<!\S)#[ \t]*crdlint:(?:(?![ \t]#[ \t]*crdlint:)[^\n\r\x85\u2028\u2029])*")
_DIRECTIVE: Final = re.compile(r"#[ \t]*crdlint:[ \t]*([\w-]*)[ \t]*(?:\[([^\]]*)(\])?)?")
_NAME: Final = re.compile(r"[^,\s](?:[^,]*[^,\s])?")
_BELOW: Final = re.compile(r"(?:\s|#[^\n\r\x85\u2028\u2029]*)*")
_BLANK: Final = re.compile(r"[ \t]*")
_ALIAS_ITEM: Final = re.compile(r"(?:-[ \t]+)*\*")
_SEPARATOR: Final = re.compile(r"^---[ \t]+(#[ \t]*crdlint:[^\n]*)", re.MULTILINE)
_DIRECTIVES: Final = ("ignore", "ignore-file")
_WHOLE_FILE: Final[Stretch] = ((0, 0), (1 << 62, 0))
# Looking for what was meant takes time; nobody reads more of them.
_MOST_UNKNOWN: Final = 20
_MOST_PATTERNS: Final = 1000
_MOST_REMARKS: Final = 1000
# Found by `validate`, in updates (--against) or for a range of versions: a run may well not meet them.
_OF_OTHER_RUNS: Final = (
    "resource-*",
    "metadata-immutable",
    "spec-immutable",
    "stored-version-missing",
    "conversion-webhook-ca-bundle",
    "kube-version-too-old",
    UNUSED.id,
)
# All that `validate` finds.
_OF_RESOURCES: Final = ("resource-*", "unknown-field", "duplicate-key")
# What the API server looks for only where nothing else is wrong with a schema or a resource.
_WITHHELD: Final = ("cel-*", "default-*", "resource-rule")


@dataclass(frozen=True, slots=True)
class Named:
    """A rule, or a pattern of rules, that a comment names, and where: 1-based, the end just past it."""

    pattern: str
    line: int
    column: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Comment:
    """What a comment ignores, and where; ``document`` are the first and last line of the document it stands in."""

    rules: tuple[Named, ...]
    where: tuple[Stretch, ...]
    document: tuple[int, int]


@dataclass(slots=True)
class Comments:
    """The ignore comments of a file, and what there is to say about those that are not taken.

    ``patterns`` are the rules named so far, and whether there are such; ``unknown`` counts where there are not. ``dropped``
    counts the remarks beyond those that are kept.
    """

    file: str
    found: list[Comment] = field(default_factory=list)
    remarks: list[Diagnostic] = field(default_factory=list)
    patterns: dict[str, bool] = field(default_factory=dict)
    unknown: int = 0
    dropped: int = 0

    def say(self, rule: Rule, message: str, at: Position, end_column: int) -> None:
        """Add a remark at a place. A file has a limited number of them, the others are counted."""
        if len(self.remarks) == _MOST_REMARKS:
            self.dropped += 1
            return
        self.remarks.append(rule.diagnostic(self.file, "advice", message, Span(*at, at[0], end_column)))


def read_comments(text: str, file: str) -> Comments:
    """Return the ignore comments of a text; ``file`` is how it is named in findings."""
    comments = Comments(file)
    if MARKER not in text:
        return comments
    for document in parse_stream(text).documents:
        if MARKER in document.text:
            _read_document(comments, document)
    line, start = 1, 0
    for match in _SEPARATOR.finditer(text):
        line += text.count("\n", start, match.start())
        start = match.start()
        column = match.start(1) - match.start() + 1
        message = "the comment is on a line that separates documents, so it applies to none of them: nothing is ignored"
        comments.say(MALFORMED, message, (line, column), column + len(match[1].rstrip()))
    comments.remarks.sort(key=lambda said: (said.line, said.column))
    if comments.dropped:
        last = comments.remarks[-1]
        message = f"{last.message} (and {comments.dropped:,} more remarks on ignore comments of this file)"
        comments.remarks[-1] = replace(last, message=message)
    return comments


def _read_document(comments: Comments, document: Document) -> None:
    text = document.text
    starts = line_starts(text)
    places = places_of(document.root, text) if document.root is not None else None
    first = document.line_offset + 1
    lines = (first, first + len(starts) - 1)
    leads: dict[int, int] = {}  # where the first character of each line looked at stands
    below: tuple[int, int] | None = None  # (where the next comment is, what comes below it)
    blocks: dict[int, tuple[Stretch, ...]] = {}  # comments above each other are for the same block
    for match in reversed(list(_COMMENT.finditer(text))):
        index = match.start()
        if places is not None and _is_text(places, index):
            continue
        row, column = line_and_column(starts, index)
        if _SEPARATOR.match(text, starts[row]):
            continue  # told of by read_comments
        if row not in leads:
            leads[row] = _end_of(_BLANK, text, starts[row])
        lead = leads[row]
        own_line = lead >= index or (text[lead] == "#" and not (places is not None and _is_text(places, lead)))
        read = _rules_of(comments, match[0], (row + first, column + 1), is_first=not column)
        if not own_line:
            where = _line(places, index, (row, column), document.line_offset)
        else:
            below = (index, _next(text, match.end(), below))
            if below[1] not in blocks:
                blocks[below[1]] = _block(places, text, below[1], document.line_offset)
            where = blocks[below[1]]
        if read is None:
            continue
        word, rules = read
        if word == "ignore-file":
            where = (_WHOLE_FILE,)
        elif document.error is not None:
            continue  # nothing stands anywhere in a document that cannot be read
        comments.found.append(Comment(rules, where, lines))


def _rules_of(
    comments: Comments, comment: str, at: Position, *, is_first: bool
) -> tuple[str, tuple[Named, ...]] | None:
    """Return a comment's directive and the rules it names; None, and something said, where it is not taken."""
    match = _DIRECTIVE.match(comment)
    assert match is not None  # noqa: S101  the marker is what was found
    word = match[1]
    line, column = at
    names = (
        [
            Named(name[0], line, column + name.start(), column + name.end())
            for name in _NAME.finditer(comment, match.start(2), match.end(2))
        ]
        if match[2] is not None
        else []
    )
    if word not in _DIRECTIVES:
        said = f"unknown directive {shown(word)}" if word else "the comment has no directive"
        message = said + (did_you_mean(word, _DIRECTIVES) or ": use `ignore[RULE]` or `ignore-file[RULE]`")
    elif match[2] is not None and not match[3]:
        message = "the bracket is not closed: nothing is ignored"
    elif not names:
        message = "the comment names no rule: nothing is ignored"
    elif word == "ignore-file" and not is_first:
        message = "`ignore-file` must be at the start of a line: nothing is ignored"
    else:
        return word, _known(comments, names)
    comments.say(MALFORMED, message, at, column + len(comment.rstrip()))
    return None


def _known(comments: Comments, names: Iterable[Named]) -> tuple[Named, ...]:
    """Return those names that are of rules, and say which are not."""
    known = []
    for name in names:
        taken = comments.patterns.get(name.pattern)
        if taken is None:
            if len(comments.patterns) >= _MOST_PATTERNS:
                message = f"more than {_MOST_PATTERNS:,} rules are named in this file: this one is not looked at"
                comments.say(MALFORMED, message, (name.line, name.column), name.end_column)
                continue
            taken = comments.patterns[name.pattern] = is_known(name.pattern)
        if taken:
            known.append(name)
            continue
        comments.unknown += 1
        helped = unknown_rule(name.pattern) if comments.unknown <= _MOST_UNKNOWN else None
        message = helped or f"there is no rule {shown(name.pattern)}"
        comments.say(UNKNOWN_RULE, message, (name.line, name.column), name.end_column)
    return tuple(known)


def _is_text(places: NodeIndex, index: int) -> bool:
    """Tell whether a place of the text is within a scalar."""
    text = places.text_before(index)
    return text is not None and index < text.end


def _line(places: NodeIndex | None, index: int, position: Position, offset: int) -> tuple[Stretch, ...]:
    """Return what a comment at the end of a line is for: the line, and a text of several that begins or ends there."""
    row = position[0]
    whole: Stretch = ((row + offset + 1, 0), (row + offset + 2, 0))
    text = places.text_around(index, position) if places is not None else None
    if text is None or text.first[0] == text.last[0] or row not in {text.first[0], text.last[0]}:
        return (whole,)
    first, last = ((line + offset + 1, column + 1) for line, column in (text.first, text.last))
    return whole, (first, last)


def _next(text: str, end: int, below: tuple[int, int] | None) -> int:
    """Return where what comes below a comment begins; ``below`` is that of the next comment."""
    limit = len(text) if below is None else below[0]
    at = _end_of(_BELOW, text, end, limit)
    return below[1] if below is not None and at == limit else at


def _end_of(pattern: re.Pattern[str], text: str, start: int, limit: int | None = None) -> int:
    """Return where what a pattern takes from a place on ends."""
    match = pattern.match(text, start, len(text) if limit is None else limit)
    return match.end() if match else start


def _block(places: NodeIndex | None, text: str, index: int, offset: int) -> tuple[Stretch, ...]:
    """Return the stretch of the key or item that begins at an index; none where nothing does, or only an alias."""
    entry = places.below(index) if places is not None else None
    if entry is None or _ALIAS_ITEM.match(text, index):
        return ()
    (row, column), (end_row, end_column) = entry.start, entry.end
    return (((row + offset + 1, column + 1), (end_row + offset + 1, end_column + 1)),)


@dataclass(frozen=True, slots=True)
class Silenced:
    """Which findings comments ignore, by their index, and what there is to say about comments that match none."""

    findings: frozenset[int]
    unused: tuple[Diagnostic, ...]


def match_ignore_comments(
    comments: Comments,
    diagnostics: Sequence[Diagnostic],
    crd_lines: Sequence[int],
    *,
    updates: bool = False,
    resources: bool = False,
) -> Silenced:
    """Match comments with the findings of their file.

    ``crd_lines`` are where CRDs begin: a comment in a document without one is not told of. With ``updates`` none
    is: what an API server lets pass in an update is judged by another run. With ``resources`` the lines and findings are
    those of custom resources.
    """
    if not comments.found:
        return Silenced(frozenset(), ())
    by_rule: dict[str, list[tuple[Position, int]]] = defaultdict(list)
    for i, diagnostic in enumerate(diagnostics):
        by_rule[diagnostic.rule].append(((diagnostic.line, diagnostic.column), i))
    for found in by_rule.values():
        found.sort()
    judged = _Reported(
        sorted(crd_lines),
        sorted(d.line for d in diagnostics if d.kind == "decode"),
        sorted(d.line for d in diagnostics if d.kind == "field"),
        resources,
    )
    matched: dict[str, list[str]] = {}
    covered: dict[str, list[Stretch]] = defaultdict(list)
    unused: list[Diagnostic] = []
    for comment in comments.found:
        for name in comment.rules:
            rules = matched.get(name.pattern)
            if rules is None:
                rules = matched[name.pattern] = [rule for rule in by_rule if is_matched(rule, (name.pattern,))]
            used = False
            for rule in rules:
                for stretch in comment.where:
                    if _holds(by_rule[rule], stretch):
                        covered[rule].append(stretch)
                        used = True
            if not used and not updates and judged.had_to_match(comment, name.pattern):
                unused.append(_unused(comments.file, comment, name))
    unused.sort(key=lambda said: (said.line, said.column))
    return Silenced(frozenset(_covered(by_rule, covered)), tuple(unused))


def _unused(file: str, comment: Comment, name: Named) -> Diagnostic:
    message = f"`{name.pattern}` is ignored here, but has no finding"
    if not comment.where:
        message = f"`{name.pattern}` is ignored below this comment, where the file ends"
    elif comment.where == (_WHOLE_FILE,):
        message = f"`{name.pattern}` is ignored in this file, but has no finding"
    return UNUSED.diagnostic(file, "advice", message, Span(name.line, name.column, name.line, name.end_column))


@dataclass(frozen=True, slots=True)
class _Reported:
    """The lines at which CRDs, or ``resources``, begin, could not be decoded, and are refused, each sorted."""

    crds: Sequence[int]
    undecoded: Sequence[int]
    refused: Sequence[int]
    resources: bool

    def had_to_match(self, comment: Comment, pattern: str) -> bool:
        """Tell whether a rule would have been found broken where a comment is for, if it were."""
        whole = not comment.where or comment.where == (_WHOLE_FILE,)
        lines = (1, _WHOLE_FILE[1][0]) if whole else comment.document
        if not _is_any_within(self.crds, lines) or _is_any_within(self.undecoded, lines):
            return False
        if not _overlaps(pattern, _OF_RESOURCES) if self.resources else _overlaps(pattern, _OF_OTHER_RUNS):
            return False
        return not (_overlaps(pattern, _WITHHELD) and _is_any_within(self.refused, lines))


def _is_any_within(lines: Sequence[int], bounds: tuple[int, int]) -> bool:
    at = bisect_left(lines, bounds[0])
    return at < len(lines) and lines[at] <= bounds[1]


@cache
def _overlaps(pattern: str, others: tuple[str, ...]) -> bool:
    """Tell whether a rule that a pattern means is among others."""
    if is_matched(pattern, others):
        return True
    return any(is_matched(rule, (pattern,)) and is_matched(rule, others) for rule in rule_ids())


def _holds(positions: Sequence[tuple[Position, int]], stretch: Stretch) -> bool:
    at = bisect_left(positions, (stretch[0], -1))
    return at < len(positions) and positions[at][0] < stretch[1]


def _covered(by_rule: dict[str, list[tuple[Position, int]]], covered: dict[str, list[Stretch]]) -> Iterator[int]:
    """Yield the indexes of the findings within stretches that are told off for their rule, each once."""
    for rule, stretches in covered.items():
        positions = by_rule[rule]
        at = 0
        for start, end in sorted(stretches):
            at = max(at, bisect_left(positions, (start, -1)))
            while at < len(positions) and positions[at][0] < end:
                yield positions[at][1]
                at += 1
