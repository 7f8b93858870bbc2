"""The cause of a YAML syntax error, with an edit that fixes it; an edit is offered only if the parser gets further with it.

The parser reports the line where it has to stop; the wrong line is often an earlier one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from collections.abc import Sequence as SequenceOf
from itertools import accumulate
from typing import Final, TypeAlias

from crdlint.light import NamedTuple, regex
from crdlint.search import Search, TrialBudget
from crdlint.yaml import (
    flow_causes,
    layout_causes,
    marker_causes,
    pasted_causes,
    value_causes,
)
from crdlint.yaml.broken_text import BrokenText, Cause
from crdlint.yaml.edit import Edit, apply
from crdlint.yaml.nodes import Mapping, Node, Scalar
from crdlint.yaml.parse import Document, parse_first
from crdlint.yaml.swallowed import repeats_keys, swallows_keys

# Longer documents are not parsed again, and others at most this often.
_LONGEST: Final = 4_000_000  # characters
_ATTEMPTS: Final = 40
_CHARACTERS: Final = 12 * _LONGEST  # of all attempts

# Functions that find causes, with what is wrong then.
_Finders: TypeAlias = dict[Callable[[BrokenText], Iterator[Cause]], str]

# Where the causes are searched, and what is wrong then. The first of two edits with which the parser gets equally far is taken.
# So what replaces whole lines comes before what changes a line, and what is certain before what is guessed from the
# indentation: a merge conflict also looks like text that is not YAML, and each missing quote like a wrong indentation.
_IN_ANY_TEXT: Final[_Finders] = {
    pasted_causes.conflicts: "a merge conflict is not resolved",
    layout_causes.separators: "text after `---`",
    pasted_causes.patches: "marks of a patch in front of lines",
    pasted_causes.line_numbers: "numbers in front of lines",
    pasted_causes.entities: "HTML entities instead of characters",
    marker_causes.markers: "a marker of controller-gen, which is not YAML",
    pasted_causes.comments: "a comment that does not begin with `#`",
    pasted_causes.json_comments: "JSON has no comments",
    layout_causes.tabs: "a tab where YAML needs spaces",
    layout_causes.special_spaces: "a character that only looks like a space",
}
_IN_YAML: Final[_Finders] = {
    layout_causes.directives: "template syntax that is not rendered",
    layout_causes.strays: "text that is not YAML",
    layout_causes.ellipses: "lines are left out",
    pasted_causes.marked_keys: "marks of Markdown around a key",
    pasted_causes.commas_of_json: "a comma after the value",
    value_causes.several: "a colon, a space or a backslash is missing",
    value_causes.json_slips: "a colon, quote or bracket is missing",
    value_causes.dashes: "a dash is missing, or is not a plain `-` with a space",
    layout_causes.missing_properties: "`properties` is missing above it",
    layout_causes.missing_list_keys: "the key of the list is missing above it",
    layout_causes.odd_indentation: "wrong indentation",
    value_causes.escapes: "a backslash between double quotes",
    flow_causes.missing_commas: "a comma is missing",
    flow_causes.indexed: "a value in brackets needs quotes",
    value_causes.unquoted: "the value needs quotes",
    value_causes.unquoted_in_brackets: "a value in brackets needs quotes",
    value_causes.unquoted_lines: "the text needs quotes",
    value_causes.inner_quotes: "a quote inside of the quoted value is not escaped",
    value_causes.wrong_brackets: "brackets are closed in the wrong order",
    value_causes.brackets: "a bracket is not closed",
    flow_causes.commas: "a comma is missing",
    value_causes.quotes: "a quote is not closed",
    value_causes.colons: "a colon, or the space after it, is missing",
    layout_causes.lists_below_text: "a value and a list for one key",
    layout_causes.indentation: "wrong indentation",
    pasted_causes.sentences: "text that is not YAML",
}


_KEY: Final = regex(r" *(?:- +)*[\"']?([\w$./-]+)[\"']?[ \t]*:")
# Fields of a schema among the text of a description.
_SWALLOWED: Final = regex(
    r"^ *(?:(?:properties|items):|type: (?:array|boolean|integer|number|object|string))$",
    re.MULTILINE,
)


class _Progress(NamedTuple):
    """How far the parser gets with an edit, and how few oddities the result has; the greater the better."""

    is_parsed: bool
    line: int = 0  # where the parser stops
    oddities: int = 0  # zero or negative


_PERFECT: Final = _Progress(is_parsed=True)


def syntax_cause(document: Document, problems: Callable[[Node], int]) -> Cause | None:
    """Return the cause of a syntax error, or None; of several edits the one that leaves the fewest `problems`, wrong fields."""
    problem = document.error
    if problem is None or len(document.text) > _LONGEST:
        return None
    search = _CauseSearch(_broken_text(document, problem.line, problem.message), problems)
    # What is there in any text is never meant, whatever else is wrong.
    for finders in (_IN_ANY_TEXT, _IN_YAML):
        if search.ends_with(finders):
            break
    return search.cause


class _CauseSearch:
    """The search for the edit with which the parser gets furthest; `without_edits` is a cause that nothing repairs."""

    def __init__(self, text: BrokenText, problems: Callable[[Node], int]) -> None:
        self._text: Final = text
        self._problems: Final = problems
        self._budget: Final = TrialBudget(_ATTEMPTS, _CHARACTERS)
        self._search: Final[Search[Cause, _Progress]] = Search(
            self._budget,
            self._with,
            lambda _, progress: progress,
            least=_Progress(is_parsed=False, line=text.stop + 1),
        )
        self._without_edits: Cause | None = None

    @property
    def cause(self) -> Cause | None:
        """The cause that is found: of equal ones the first."""
        best = next(iter(self._search.leading), None)
        other = self._without_edits
        if best is None or (other is not None and self._is_doubtful(*best, other)):
            return other
        return best[0]

    def ends_with(self, finders: _Finders) -> bool:
        """Try what some functions find, and return whether nothing else has to be tried."""
        for cause in _causes(self._text, finders):
            if not cause.edits:
                self._without_edits = cause
                return True
            self._search.try_(cause, apply(self._text.document.text, cause.edits))
            if self._search.highest >= _PERFECT or not self._budget.is_left:
                return True
        return bool(self._search.highest[0])

    def _with(self, cause: Cause, fixed: str) -> _Progress:
        return _progress(self._text, cause.edits, fixed, self._problems)

    def _is_doubtful(self, cause: Cause, progress: _Progress, other: Cause) -> bool:
        """Return whether a document has more oddities with the edits of a cause than without the lines of both causes."""
        if not progress.oddities:
            return False
        text = self._text
        lines = {bisect_right(text.starts, edit.start) - 1 for edit in cause.edits}
        lines.add(other.line - 1 - text.document.line_offset)
        removed = tuple(
            Edit(text.starts[i], text.starts[i] + len(text.lines[i]), "") for i in sorted(lines)
        )
        rest = apply(text.document.text, removed)
        without = _progress(text, removed, rest, self._problems)
        return not without.is_parsed or progress.oddities < without.oddities


def _causes(text: BrokenText, finders: _Finders) -> Iterator[Cause]:
    """Yield possible causes, the likely ones first."""
    for find, fault in finders.items():
        for cause in find(text):
            yield cause._replace(headline=_headline(text, cause, fault))


def _headline(text: BrokenText, cause: Cause, fault: str) -> str:
    """Return what is wrong in the line of a cause, with the key there; its own headline is more exact than the fault."""
    fault = cause.headline or fault
    key = _KEY.match(text.lines[cause.line - 1 - text.document.line_offset])
    return fault if key is None else f"`{key[1]}`: {fault}"


def conversion_cause(document: Document, node: Node) -> Cause | None:
    """Return the cause for which a node of a document cannot be converted to JSON, or None if it is not known."""
    text = _broken_text(document, node.start_mark.line + document.line_offset, "")
    cause = next(layout_causes.directives(text), None)
    is_here = cause is not None and cause.line == text.line(text.stop)
    return cause if is_here else next(value_causes.collections_as_keys(text), None)


def _broken_text(document: Document, line: int, message: str) -> BrokenText:
    """Return the lines of a document that the parser rejects at a line of the file (0-based)."""
    lines = document.text.split("\n")
    starts = list(accumulate((len(text_line) + 1 for text_line in lines), initial=0))
    stop = max(min(line - document.line_offset, len(lines) - 1), 0)
    return BrokenText(document, lines, starts, stop, message)


def _progress(
    text: BrokenText,
    edits: SequenceOf[Edit],
    fixed: str,
    problems: Callable[[Node], int],
) -> _Progress:
    """Return how far the parser gets with the text that some edits make of a document."""
    read = parse_first(fixed)
    if read.error is not None:
        return _Progress(is_parsed=False, line=read.error.line - read.line_offset)
    if read.root is None or not _keeps_keys(text, edits, read.root):
        return _Progress(is_parsed=False)
    return _Progress(is_parsed=True, oddities=-(_oddities(read.root) + problems(read.root)))


def _keeps_keys(text: BrokenText, edits: SequenceOf[Edit], root: Node) -> bool:
    """Return whether a document is an object or a list after edits, and its keys can all be read."""
    if isinstance(root, Scalar):
        return False
    return not swallows_keys(text, edits, root) and not repeats_keys(edits, root)


def _is_empty(value: Node) -> bool:
    return isinstance(value, Scalar) and not value.value and not value.style


def _oddities(root: Node) -> int:
    """Return how many keys are set twice or empty, and how many texts contain fields, as where indentation is wrong."""
    count = 0
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Scalar):
            count += node.style in {"|", ">"} and _SWALLOWED.search(node.value) is not None
            continue
        if isinstance(node, Mapping):
            names = [key.value for key in node.items[::2] if isinstance(key, Scalar)]
            count += len(names) - len(set(names)) + sum(map(_is_empty, node.items[1::2]))
        pending += node.items
    return count
