"""Ignore comments: `# crdlint: ignore[RULE] reason` on a line or above a key, `# crdlint: ignore-file[RULE]` for a file.

A comment at the end of a line applies to findings on that line, or in a text that begins or ends there. A comment on
its own line applies to the key or item below, including its content. Similar text inside of a scalar is not a comment,
which an index of the nodes shows. The annotation `crdlint/ignore: "RULE, RULE: reason"` applies to its CRD.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import field
from typing import Final, TypeAlias

from crdlint.config.rule_patterns import did_you_mean, is_known, shown, unknown_rule
from crdlint.crd.positions import Span, node_span
from crdlint.diagnostics import Diagnostic
from crdlint.light import NamedTuple, dataclass, regex, replace
from crdlint.linting.documents import manifests
from crdlint.rules.engine.rule import Rule
from crdlint.rules.texts.reading import MALFORMED, UNKNOWN_RULE
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.edit import BREAK, line_and_column, line_starts
from crdlint.yaml.nodes import Mapping, Mark, Node, Scalar, child, items_of
from crdlint.yaml.parse import Document, parse_stream

# 1-based line and column in the file.
Position: TypeAlias = "tuple[int, int]"

# An anchor and a tag before a scalar, and the text between them.
_PROPERTIES: Final = regex(r"(?:[&!]\S*|\s+|(?<=\s)#[^\n\r]*)*")


class CommentedPart(NamedTuple):
    """A key with its value, an item of a list, or the characters of a scalar, by offsets and by positions."""

    begin: int
    end: int
    first: Position
    last: Position


@dataclass(slots=True)
class NodeIndex:
    """The entries of a document, outer ones before inner ones, and its scalars, both sorted by their start."""

    entries: list[CommentedPart] = field(default_factory=list)
    texts: list[CommentedPart] = field(default_factory=list)

    def below(self, index: int) -> CommentedPart | None:
        """Return the outermost of the next entries that begin at or after an offset."""
        number = bisect_left(self.entries, index, key=lambda entry: entry.begin)
        return self.entries[number] if number < len(self.entries) else None

    def is_text(self, index: int) -> bool:
        """Return whether an offset is inside of a scalar."""
        number = bisect_right(self.texts, index, key=lambda text: text.begin)
        return number > 0 and index < self.texts[number - 1].end

    def text_around(self, index: int, position: Position) -> CommentedPart | None:
        """Return the scalar that a comment follows, or whose header (`|`) precedes it on the line."""
        number = bisect_right(self.texts, index, key=lambda text: text.begin)
        if number < len(self.texts) and self.texts[number].first < position:
            return self.texts[number]
        return self.texts[number - 1] if number else None


def node_index(document: Document) -> NodeIndex:
    """Return the index of a document; aliased nodes are at the position of their anchor."""
    walk = _IndexWalk(document)
    if document.root is not None:
        walk.run(document.root)
    return walk.index


class _IndexWalk:
    """Adds the nodes of a document to an index, in the order of the text."""

    def __init__(self, document: Document) -> None:
        self.index: Final = NodeIndex()
        self._document = document
        self._first_line = document.line_offset + 1
        self._seen: set[int] = set()

    def run(self, root: Node) -> None:
        # (key, node) in reverse order; a key of None is an item.
        pending: list[tuple[Node | None, Node]] = [(None, root)]
        while pending:
            key, node = pending.pop()
            if id(key) in self._seen:
                continue
            is_alias = id(node) in self._seen
            self._seen.update((id(key), id(node)) if key is not None else (id(node),))
            if node is not root:
                self._add_entry(key, node, is_alias=is_alias)
            own = None if is_alias else node
            for scalar in (key, own):
                if isinstance(scalar, Scalar):
                    self._add_text(scalar)
            for parent in (own, key):  # what is in a key comes first
                pending.extend(reversed(_inside(parent)))

    def _add_entry(self, key: Node | None, node: Node, *, is_alias: bool) -> None:
        """Add a key with its value, or an item; of an alias only its key is here."""
        if key is None:
            if not is_alias:
                self._add(
                    self.index.entries,
                    node.start_mark.index,
                    node.start_mark,
                    node.end_mark,
                )
            return
        last = key if is_alias else node
        self._add(
            self.index.entries,
            key.start_mark.index,
            key.start_mark,
            last.end_mark,
        )

    def _add_text(self, scalar: Scalar) -> None:
        begin = _begin(scalar, self._document.text)
        self._add(
            self.index.texts,
            begin,
            scalar.start_mark,
            scalar.end_mark,
        )

    def _add(
        self,
        parts: list[CommentedPart],
        begin: int,
        start: Mark,
        end: Mark,
    ) -> None:
        parts.append(
            CommentedPart(
                begin,
                end.index,
                self._position(start),
                self._position(end),
            )
        )

    def _position(self, mark: Mark) -> Position:
        return mark.line + self._first_line, mark.column + 1


def _inside(parent: Node | None) -> list[tuple[Node | None, Node]]:
    """Return the keys and values of a mapping, or the items of a list without keys."""
    if isinstance(parent, Mapping):
        return list(parent.pairs())
    return [(None, item) for item in items_of(parent)]


def _begin(scalar: Scalar, text: str) -> int:
    """Return the offset of the characters of a scalar, after its properties and the header of a block."""
    index, end = scalar.start_mark.index, scalar.end_mark.index
    if text.startswith(("&", "!"), index):
        index = _end_of(_PROPERTIES, text, index, end)
    if scalar.style in {"|", ">"}:
        line = BREAK.search(text, index, end)
        index = line.start() if line else end
    return int(index)


MARKER: Final = "crdlint:"
ANNOTATION: Final = "crdlint/ignore"
# A range of positions with an exclusive end.
Stretch: TypeAlias = "tuple[Position, Position]"

_COMMENT: Final = regex(
    r"(?<!\S)#[ \t]*crdlint:(?:(?![ \t]#[ \t]*crdlint:)[^\n\r\x85\u2028\u2029])*"
)
_DIRECTIVE: Final = regex(r"#[ \t]*crdlint:[ \t]*([\w-]*)[ \t]*(?:\[([^\]]*)(\])?)?")
_NAME: Final = regex(r"[^,\s](?:[^,]*[^,\s])?")
_BELOW: Final = regex(r"(?:\s|#[^\n\r\x85\u2028\u2029]*)*")
_BLANK: Final = regex(r"[ \t]*")
_ALIAS_ITEM: Final = regex(r"(?:-[ \t]+)*\*")
_SEPARATOR: Final = regex(r"^---[ \t]+(#[ \t]*crdlint:[^\n]*)", re.MULTILINE)
_DIRECTIVES: Final = ("ignore", "ignore-file")
WHOLE_FILE: Final[Stretch] = ((0, 0), (1 << 62, 0))
# Searching for similar names takes time, and more messages would not be read.
_MOST_UNKNOWN: Final = 20
_MOST_PATTERNS: Final = 1000
_MOST_REMARKS: Final = 1000


@dataclass(frozen=True, slots=True)
class NamedRule:
    """A rule or a pattern of rules in a comment, and where it is."""

    pattern: str
    span: Span


@dataclass(frozen=True, slots=True)
class Comment:
    """The rules that a comment ignores, where and why; `document` contains the first and last line of its document."""

    rules: tuple[NamedRule, ...]
    where: tuple[Stretch, ...]
    document: tuple[int, int]
    reason: str


@dataclass(slots=True)
class Comments:
    """The ignore comments of a file, and the findings about invalid ones.

    `patterns` are the names of rules so far, and whether each is known. `unknown` is the number of unknown ones.
    `dropped` is the number of findings beyond the limit.
    """

    file: str
    valid: list[Comment] = field(default_factory=list)
    remarks: list[Diagnostic] = field(default_factory=list)
    patterns: dict[str, bool] = field(default_factory=dict)
    unknown: int = 0
    dropped: int = 0

    def report(self, rule: Rule, message: str, span: Span) -> None:
        """Add a finding; the number of findings per file is limited, the others are counted."""
        if len(self.remarks) == _MOST_REMARKS:
            self.dropped += 1
        else:
            self.remarks.append(rule.diagnostic(self.file, "advice", message, span))


def read_comments(text: str, file: str) -> Comments:
    """Return the ignore comments of a text; `file` is its name in findings."""
    comments = Comments(file)
    if MARKER not in text and ANNOTATION not in text:
        return comments
    for document in parse_stream(text):
        if MARKER in document.text:
            _read_document(comments, document)
        if ANNOTATION in document.text:
            _read_annotations(comments, document)
    separators = list(_SEPARATOR.finditer(text))
    starts = line_starts(text) if separators else []
    for match in separators:
        row, column = line_and_column(starts, match.start(1))
        message = "the comment is on a line that separates documents, so it applies to none of them: nothing is ignored"
        comments.report(
            MALFORMED,
            message,
            Span(
                row + 1,
                column + 1,
                row + 1,
                column + 1 + len(match[1].rstrip()),
            ),
        )
    comments.remarks.sort(key=lambda finding: (finding.line, finding.column))
    if comments.dropped:
        last = comments.remarks[-1]
        message = f"{last.message} (and {comments.dropped:,} more remarks on ignore comments of this file)"
        comments.remarks[-1] = replace(last, message=message)
    return comments


def _read_document(comments: Comments, document: Document) -> None:
    walk = _CommentWalk(comments, document)
    for match in reversed(list(_COMMENT.finditer(document.text))):
        walk.read(match)


class _CommentWalk:
    """Reads the comments of a document from its end, so that a comment line knows what is below it."""

    def __init__(self, comments: Comments, document: Document) -> None:
        self._comments = comments
        self._document = document
        self._starts = line_starts(document.text)
        self._nodes = node_index(document)
        self._first = document.line_offset + 1
        self._leads: dict[int, int] = {}  # the offset of the first character of each line
        # The part that consecutive comment lines apply to, and where the comment line below begins.
        self._block: tuple[Stretch, ...] = ()
        self._limit = len(document.text)

    def read(self, match: re.Match[str]) -> None:
        """Add a comment to those of the file, unless it is text or invalid."""
        index, text = match.start(), self._document.text
        if self._nodes.is_text(index):
            return
        row, column = line_and_column(self._starts, index)
        if _SEPARATOR.match(text, self._starts[row]):
            return  # reported by read_comments
        position = row + self._first, column + 1
        directive = _rules_of(self._comments, match[0], position)
        where = self._where(match, row, position)
        if directive is None:
            return
        word, rules, reason = directive
        if word == "ignore-file":
            where = (WHOLE_FILE,)
        elif self._document.error is not None:
            return  # a document that cannot be parsed has no nodes
        lines = (self._first, self._first + len(self._starts) - 1)
        self._comments.valid.append(Comment(rules, where, lines, reason))

    def _where(self, match: re.Match[str], row: int, position: Position) -> tuple[Stretch, ...]:
        """Return what a comment applies to: the block below a comment line, or else its own line."""
        index, text = match.start(), self._document.text
        if row not in self._leads:
            self._leads[row] = _end_of(_BLANK, text, self._starts[row], index)
        lead = self._leads[row]
        if text[lead] != "#" or self._nodes.is_text(lead):
            return _line(self._nodes, index, position)
        below = _end_of(_BELOW, text, match.end(), self._limit)
        if below < self._limit:  # else consecutive comment lines apply to the same block
            entry = None if _ALIAS_ITEM.match(text, below) else self._nodes.below(below)
            self._block = () if entry is None else ((entry.first, entry.last),)
        self._limit = index
        return self._block


def _read_annotations(comments: Comments, document: Document) -> None:
    try:
        roots = [root for root, _ in manifests(document)]
    except YAMLDecodeError:
        return
    for root in roots:
        node = child(root, "metadata", "annotations", ANNOTATION)
        if not isinstance(node, Scalar):
            continue
        span = node_span(node, document.line_offset)
        span = span._replace(end_line=span.line)
        rules, _, reason = node.value.partition(":")
        names = [NamedRule(name[0], span) for name in _NAME.finditer(rules)]
        if not names:
            comments.report(MALFORMED, "the annotation names no rule: nothing is ignored", span)
            continue
        first, last = (
            document.line_offset + 1 + mark.line for mark in (root.start_mark, root.end_mark)
        )
        where: Stretch = ((first, root.start_mark.column + 1), (last, root.end_mark.column + 1))
        comments.valid.append(
            Comment(
                _valid_rules(comments, names),
                (where,),
                (first, last),
                reason.strip(),
            )
        )


def _rules_of(
    comments: Comments, comment: str, position: Position
) -> tuple[str, tuple[NamedRule, ...], str] | None:
    """Return the directive of a comment, its rules and the reason, or None after reporting why the comment is invalid."""
    match = _DIRECTIVE.match(comment)
    assert match is not None  # noqa: S101  the marker is what was found
    word = match[1]
    line, column = position
    names = [
        NamedRule(name[0], Span(line, column + name.start(), line, column + name.end()))
        for name in _NAME.finditer(comment, match.start(2), match.end(2))
    ]
    if word not in _DIRECTIVES:
        problem = f"unknown directive {shown(word)}" if word else "the comment has no directive"
        message = problem + (
            did_you_mean(word, _DIRECTIVES) or ": use `ignore[RULE]` or `ignore-file[RULE]`"
        )
    elif match[2] is not None and not match[3]:
        message = "the bracket is not closed: nothing is ignored"
    elif not names:
        message = "the comment names no rule: nothing is ignored"
    elif word == "ignore-file" and column > 1:
        message = "`ignore-file` must be at the start of a line: nothing is ignored"
    else:
        return word, _valid_rules(comments, names), comment[match.end() :].strip()
    comments.report(MALFORMED, message, Span(line, column, line, column + len(comment.rstrip())))
    return None


def _valid_rules(comments: Comments, names: Iterable[NamedRule]) -> tuple[NamedRule, ...]:
    """Return the names of known rules, and report the others."""
    valid = []
    for name in names:
        is_valid = comments.patterns.get(name.pattern)
        if is_valid is None:
            if len(comments.patterns) >= _MOST_PATTERNS:
                message = f"more than {_MOST_PATTERNS:,} rules are named in this file: this one is not looked at"
                comments.report(MALFORMED, message, name.span)
                continue
            is_valid = comments.patterns[name.pattern] = is_known(name.pattern)
        if is_valid:
            valid.append(name)
            continue
        comments.unknown += 1
        helped = unknown_rule(name.pattern) if comments.unknown <= _MOST_UNKNOWN else None
        message = helped or f"there is no rule {shown(name.pattern)}"
        comments.report(UNKNOWN_RULE, message, name.span)
    return tuple(valid)


def _line(nodes: NodeIndex, index: int, position: Position) -> tuple[Stretch, ...]:
    """Return the range for a comment at the end of a line: the line, and a multi-line text that begins or ends there."""
    line = position[0]
    whole_line: Stretch = ((line, 0), (line + 1, 0))
    text = nodes.text_around(index, position)
    if text is None or text.first[0] == text.last[0] or line not in {text.first[0], text.last[0]}:
        return (whole_line,)
    return whole_line, (text.first, text.last)


def _end_of(
    pattern: re.Pattern[str],
    text: str,
    start: int,
    limit: int,
) -> int:
    match = pattern.match(text, start, limit)
    return match.end() if match else start
