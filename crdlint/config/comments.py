"""Ignore comments: `# crdlint: ignore[RULE] reason` on a line or above a key, `# crdlint: ignore-file[RULE]` for a file.

A comment at the end of a line applies to findings on that line, or in a text that begins or ends there. A comment on
its own line applies to the key or item below, including its content. Similar text inside of a scalar is not a comment,
which an index of the nodes shows. The annotation `crdlint/ignore: "RULE, RULE: reason"` applies to its CRD.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from crdlint.config.rule_patterns import did_you_mean, is_known, is_matched, rule_ids, shown, unknown_rule
from crdlint.crd.positions import Span, node_span
from crdlint.diagnostics import Diagnostic
from crdlint.linting.documents import manifests
from crdlint.rules.engine.rule import Rule
from crdlint.rules.reading import MALFORMED, UNKNOWN_RULE, UNUSED
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.edit import BREAK, Edit, apply, line_and_column, line_starts, split_lines
from crdlint.yaml.nodes import Mapping, Mark, Node, Scalar, child, items_of
from crdlint.yaml.parse import Document, parse_stream

# 1-based line and column in the file.
Position: TypeAlias = "tuple[int, int]"

# An anchor and a tag before a scalar, and the text between them.
_PROPERTIES: Final = re.compile(r"(?:[&!]\S*|\s+|(?<=\s)#[^\n\r]*)*")


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
    index = NodeIndex()
    seen: set[int] = set()
    first_line = document.line_offset + 1

    def position(mark: Mark) -> Position:
        return mark.line + first_line, mark.column + 1

    # (key, node) in reverse order; a key of None is an item.
    pending: list[tuple[Node | None, Node]] = [] if document.root is None else [(None, document.root)]
    while pending:
        key, node = pending.pop()
        if id(key) in seen:
            continue
        is_alias = id(node) in seen
        seen.update((id(key), id(node)) if key is not None else (id(node),))
        if node is not document.root and not (is_alias and key is None):
            start, end = (key or node).start_mark, (key if key is not None and is_alias else node).end_mark
            index.entries.append(CommentedPart(start.index, end.index, position(start), position(end)))
        for scalar in (key, None if is_alias else node):
            if isinstance(scalar, Scalar):
                begin, end = _begin(scalar, document.text), scalar.end_mark
                index.texts.append(CommentedPart(begin, end.index, position(scalar.start_mark), position(end)))
        for parent in (None if is_alias else node, key):  # what is in a key comes first
            pairs = list(parent.pairs()) if isinstance(parent, Mapping) else [(None, item) for item in items_of(parent)]
            pending.extend(reversed(pairs))
    return index


def _begin(scalar: Scalar, text: str) -> int:
    """Return the offset of the characters of a scalar, after its properties and the header of a block."""
    index, end = scalar.start_mark.index, scalar.end_mark.index
    if text.startswith(("&", "!"), index):
        match = _PROPERTIES.match(text, index, end)
        index = match.end() if match else index
    if scalar.style in {"|", ">"}:
        line = BREAK.search(text, index, end)
        index = line.start() if line else end
    return int(index)


MARKER: Final = "crdlint:"
ANNOTATION: Final = "crdlint/ignore"
# A range of positions with an exclusive end.
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
# Searching for similar names takes time, and more messages would not be read.
_MOST_UNKNOWN: Final = 20
_MOST_PATTERNS: Final = 1000
_MOST_REMARKS: Final = 1000
# Reported by `validate`, for updates (--against) or for a range of versions, so not necessarily in each run.
_OF_OTHER_RUNS: Final = (
    "resource-*", "metadata-immutable", "spec-immutable", "stored-version-missing", "conversion-webhook-ca-bundle",
    "kube-version-too-old", UNUSED.id,
)  # fmt: skip
# All rules that `validate` reports.
_OF_RESOURCES: Final = ("resource-*", "unknown-field", "duplicate-key")
# Rules that the API server checks only if a schema or a resource has no other errors.
_WITHHELD: Final = ("cel-*", "default-*", "resource-rule")


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
        comments.report(MALFORMED, message, Span(row + 1, column + 1, row + 1, column + 1 + len(match[1].rstrip())))
    comments.remarks.sort(key=lambda finding: (finding.line, finding.column))
    if comments.dropped:
        last = comments.remarks[-1]
        message = f"{last.message} (and {comments.dropped:,} more remarks on ignore comments of this file)"
        comments.remarks[-1] = replace(last, message=message)
    return comments


def _read_document(comments: Comments, document: Document) -> None:
    text = document.text
    starts = line_starts(text)
    nodes = node_index(document)
    first = document.line_offset + 1
    lines = (first, first + len(starts) - 1)
    leads: dict[int, int] = {}  # the offset of the first character of each line that was checked
    block: tuple[Stretch, ...] = ()  # the part that consecutive comment lines apply to
    limit = len(text)  # where the comment line below begins
    for match in reversed(list(_COMMENT.finditer(text))):
        index = match.start()
        if nodes.is_text(index):
            continue
        row, column = line_and_column(starts, index)
        if _SEPARATOR.match(text, starts[row]):
            continue  # reported by read_comments
        if row not in leads:
            leads[row] = _end_of(_BLANK, text, starts[row], index)
        lead = leads[row]
        position = row + first, column + 1
        read = _rules_of(comments, match[0], position)
        if text[lead] == "#" and not nodes.is_text(lead):  # the line begins with a comment
            below = _end_of(_BELOW, text, match.end(), limit)
            if below < limit:  # else consecutive comment lines apply to the same block
                entry = None if _ALIAS_ITEM.match(text, below) else nodes.below(below)
                block = () if entry is None else ((entry.first, entry.last),)
            limit, where = index, block
        else:
            where = _line(nodes, index, position)
        if read is None:
            continue
        word, rules, reason = read
        if word == "ignore-file":
            where = (_WHOLE_FILE,)
        elif document.error is not None:
            continue  # a document that cannot be parsed has no nodes
        comments.valid.append(Comment(rules, where, lines, reason))


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
        first, last = (document.line_offset + 1 + mark.line for mark in (root.start_mark, root.end_mark))
        where: Stretch = ((first, root.start_mark.column + 1), (last, root.end_mark.column + 1))
        comments.valid.append(Comment(_valid_rules(comments, names), (where,), (first, last), reason.strip()))


def _rules_of(comments: Comments, comment: str, position: Position) -> tuple[str, tuple[NamedRule, ...], str] | None:
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
        message = problem + (did_you_mean(word, _DIRECTIVES) or ": use `ignore[RULE]` or `ignore-file[RULE]`")
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


def _end_of(pattern: re.Pattern[str], text: str, start: int, limit: int) -> int:
    match = pattern.match(text, start, limit)
    return match.end() if match else start


@dataclass(frozen=True, slots=True)
class Silenced:
    """The indexes of the findings that comments ignore, and findings about comments without effect."""

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

    `crd_lines` are the starts of CRDs: a comment in a document without a CRD is not reported. With `updates`, no
    comment is reported, because other runs check CRDs without the update. With `resources`, the lines and findings are
    those of custom resources.
    """
    if not comments.valid:
        return Silenced(frozenset(), ())
    by_rule: dict[str, list[tuple[Position, int]]] = defaultdict(list)
    for i, diagnostic in enumerate(diagnostics):
        by_rule[diagnostic.rule].append(((diagnostic.line, diagnostic.column), i))
    for positions in by_rule.values():
        positions.sort()
    undecoded, refused = (sorted(d.line for d in diagnostics if d.kind == kind) for kind in ("decode", "field"))
    reported = _Reported(sorted(crd_lines), undecoded, refused, resources)
    matched: dict[str, list[str]] = {}
    covered: dict[str, list[Stretch]] = defaultdict(list)
    unused: list[Diagnostic] = []
    for comment in comments.valid:
        for name in comment.rules:
            if name.pattern not in matched:
                matched[name.pattern] = [rule for rule in by_rule if is_matched(rule, (name.pattern,))]
            used = False
            for rule in matched[name.pattern]:
                positions = by_rule[rule]
                for start, end in comment.where:
                    if bisect_left(positions, (start, -1)) < bisect_left(positions, (end, -1)):
                        covered[rule].append((start, end))
                        used = True
            if not used and not updates and reported.had_to_match(comment, name.pattern):
                unused.append(_unused(comments.file, comment, name))
    unused.sort(key=lambda finding: (finding.line, finding.column))
    return Silenced(frozenset(_covered(by_rule, covered)), tuple(unused))


def _unused(file: str, comment: Comment, name: NamedRule) -> Diagnostic:
    message = f"`{name.pattern}` is ignored here, but has no finding"
    if not comment.where:
        message = f"`{name.pattern}` is ignored below this comment, where the file ends"
    elif comment.where == (_WHOLE_FILE,):
        message = f"`{name.pattern}` is ignored in this file, but has no finding"
    return UNUSED.diagnostic(file, "advice", message, name.span)


class _Reported(NamedTuple):
    """The sorted lines of CRDs or `resources`: all, those that could not be decoded, and those that are rejected."""

    crds: Sequence[int]
    undecoded: Sequence[int]
    refused: Sequence[int]
    resources: bool

    def had_to_match(self, comment: Comment, pattern: str) -> bool:
        """Return whether a rule would have been reported in the range of a comment if it were violated."""
        is_whole_file = not comment.where or comment.where == (_WHOLE_FILE,)
        lines = (1, _WHOLE_FILE[1][0]) if is_whole_file else comment.document
        if not _is_any_within(self.crds, lines) or _is_any_within(self.undecoded, lines):
            return False
        if not _overlaps(pattern, _OF_RESOURCES) if self.resources else not is_reported_in_each_run(pattern):
            return False
        return not (is_withheld(pattern) and _is_any_within(self.refused, lines))


def _is_any_within(lines: Sequence[int], bounds: tuple[int, int]) -> bool:
    return bisect_left(lines, bounds[0]) < bisect_right(lines, bounds[1])


def is_reported_in_each_run(pattern: str) -> bool:
    """Return whether each check of a CRD reports the rules of a pattern, and not only that of an update or a resource."""
    return not _overlaps(pattern, _OF_OTHER_RUNS)


def is_withheld(pattern: str) -> bool:
    """Return whether a rule of a pattern is only evaluated if the API server rejects nothing else."""
    return _overlaps(pattern, _WITHHELD)


@cache
def _overlaps(pattern: str, others: tuple[str, ...]) -> bool:
    """Return whether one of the rules of a pattern is among others."""
    named = (rule for rule in rule_ids() if is_matched(rule, (pattern,)))
    return is_matched(pattern, others) or any(is_matched(rule, others) for rule in named)


def _covered(by_rule: dict[str, list[tuple[Position, int]]], covered: dict[str, list[Stretch]]) -> Iterator[int]:
    """Yield the indexes of the findings within the ranges in which their rule is ignored, each once."""
    for rule, stretches in covered.items():
        positions = by_rule[rule]
        index = 0
        for start, end in sorted(stretches):
            index = max(index, bisect_left(positions, (start, -1)))
            while index < len(positions) and positions[index][0] < end:
                yield positions[index][1]
                index += 1


_IGNORED: Final = re.compile(r"#[ \t]*crdlint:[ \t]*ignore[ \t]*\[[^\]\n#]*(?=\])")


def with_ignores(text: str, findings: Sequence[Diagnostic]) -> tuple[str, frozenset[int]]:
    """Return a text with comments that ignore its findings, and the indexes of the findings that they ignore."""
    ignored = set()
    shown = ((finding.line, finding.column, i) for i, finding in enumerate(findings) if not finding.hidden)
    for _, _, i in sorted(shown, reverse=True):  # from the end, so that the other findings stay where they are
        if not match_ignore_comments(read_comments(text, findings[i].file), [findings[i]], ()).findings:
            edit = ignoring_edit(findings[i], text)
            if edit is None:
                continue
            text = apply(text, [edit])
        ignored.add(i)
    return text, frozenset(ignored)


def ignoring_edit(finding: Diagnostic, text: str) -> Edit | None:
    """Return the edit that writes a comment which ignores a finding; None if no comment does."""
    if text.lstrip()[:1] in ("{", "["):
        return None  # JSON has no comments
    for edit, added_lines in _candidates(finding, text):
        moved = replace(finding, line=finding.line + added_lines, end_line=finding.end_line + added_lines)
        comments = read_comments(apply(text, [edit]), finding.file)
        if match_ignore_comments(comments, [moved], ()).findings:
            return edit
    return None


def _candidates(finding: Diagnostic, text: str) -> Iterator[tuple[Edit, int]]:
    """Yield edits that may ignore a finding, and how many lines each adds above it."""
    lines = split_lines(text)
    number = min(finding.line, len(lines)) - 1
    start, line = line_starts(text)[number], lines[number]
    comment_end = _IGNORED.search(line)
    if comment_end is not None:
        yield Edit(start + comment_end.end(), start + comment_end.end(), f", {finding.rule}"), 0
    comment = f"# crdlint: ignore[{finding.rule}]"
    yield Edit(start + len(line.rstrip()), start + len(line), f"  {comment}"), 0
    blanks = line[: len(line) - len(line.lstrip())]
    line_break = "\r\n" if text.startswith("\r\n", start + len(line)) else "\n"
    yield Edit(start, start, f"{blanks}{comment}{line_break}"), 1
    for row in range(number - 1, max(number - _LINES_ABOVE, -1), -1):
        content = lines[row].rstrip()
        if content.endswith(_BLOCK_SCALARS):
            end = line_starts(text)[row] + len(content)
            yield Edit(end, end, f"  {comment}"), 0
            break


_BLOCK_SCALARS: Final = ("|", ">", "|-", ">-", "|+", ">+")
_LINES_ABOVE: Final = 50  # of a block scalar, whose comment is on its first line
