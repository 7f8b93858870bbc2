"""The directives of a Helm template: their positions and kinds (a partial lexer of Go's text/template)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

OPENING: Final = frozenset({"if", "range", "with", "define", "block"})
_KEYWORDS: Final = frozenset({*OPENING, "else", "end", "break", "continue"})
# Functions without output, although they are not keywords: they stop the rendering.
_STOPS: Final = re.compile(r"fail\b")
_COMMENT: Final = re.compile(r"\{\{(?:-\s)?\s*/\*")
_COMMENT_END: Final = re.compile(r"\*/\s*-?\}\}")
# Tokens that end a directive, or start a text in which closing braces are ignored.
_MARK: Final = re.compile(r"[\"'`]|\}\}")
_TEXTS: Final = {
    '"': re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    "'": re.compile(r"'(?:[^'\\\n]|\\.)+'"),
    "`": re.compile(r"`[^`]*`"),
}
_WORD: Final = re.compile(r"[a-zA-Z]+(?![\w.:(])")
_ASSIGNMENT: Final = re.compile(r"\$\w*\s*(?:,\s*\$\w+\s*)?:?=")


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive: its range in code points, its lines (1-based) and column (0-based), the text between its braces, its keyword.

    The keyword is empty if it outputs a value. `trims_left` and `trims_right` are true for `{{-` and `-}}`; `closed` is
    false if it has no end.
    """

    start: int
    end: int
    line: int
    end_line: int
    column: int
    body: str
    keyword: str
    trims_left: bool = False
    trims_right: bool = False
    closed: bool = True

    @property
    def is_comment(self) -> bool:
        """Whether it is a comment of the template language."""
        return self.body.startswith("/*")

    @property
    def is_output(self) -> bool:
        """Whether it outputs a value."""
        return not (self.keyword or self.is_comment or _ASSIGNMENT.match(self.body) or _STOPS.match(self.body))


def directives(text: str) -> Iterator[Directive]:
    """Yield the directives in order; one without an end includes its line and is the last, because Go stops there as well."""
    start, line, counted, line_start = text.find("{{"), 1, 0, 0
    while start >= 0:
        end = _end(text, start)
        closed = end >= 0
        if not closed:
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
        line += text.count("\n", counted, start)
        line_start = text.rfind("\n", counted, start) + 1 or line_start
        end_line = line + text.count("\n", start, end)
        yield _directive(text, start, end, (line, end_line, start - line_start), closed=closed)
        if not closed:
            return
        line_start = text.rfind("\n", start, end) + 1 or line_start
        line, counted = end_line, end
        start = text.find("{{", end)


def _directive(text: str, start: int, end: int, position: tuple[int, int, int], *, closed: bool) -> Directive:
    trims_left = text[start + 2 : start + 3] == "-" and text[start + 3 : start + 4].isspace()
    stop = end - 2 if closed else end
    trims_right = closed and text[stop - 1] == "-" and (text[stop - 2].isspace() or text[stop - 3 : stop - 1] == "*/")
    body = text[start + 2 + trims_left : stop - trims_right].strip()
    word = _WORD.match(body)
    keyword = word[0] if word and word[0] in _KEYWORDS else ""
    return Directive(start, end, *position, body, keyword, trims_left, trims_right, closed)


def _end(text: str, start: int) -> int:
    """Return the end of a directive, or -1."""
    if _COMMENT.match(text, start):
        closing = _COMMENT_END.search(text, start)
        return -1 if closing is None else closing.end()
    offset = start + 2
    while (mark := _MARK.search(text, offset)) is not None:
        if mark[0] == "}}":
            return mark.end()
        quoted = _TEXTS[mark[0]].match(text, mark.start())
        if quoted is None:
            return -1  # Go stops at a quote without an end
        offset = quoted.end()
    return -1


def without_texts(body: str) -> str:
    """Return the text between the braces of a directive, with its quoted texts emptied."""
    parts, offset = [], 0
    while (mark := _MARK.search(body, offset)) is not None:
        quoted = _TEXTS[mark[0]].match(body, mark.start()) if mark[0] != "}}" else None
        if quoted is None:
            break
        parts.append(body[offset : mark.start()] + '""')
        offset = quoted.end()
    return "".join([*parts, body[offset:]])


# The fields of a template's root object (helm's engine and chartutil.ToRenderValues).
_ROOT: Final = frozenset({"Values", "Release", "Chart", "Files", "Capabilities", "Template", "Subcharts"})
_FROM_ROOT: Final = re.compile(r"(?<![\w$)\].])\.([A-Za-z_]\w*)?")
# A name before a dot, which is never a function of Helm.
_OTHER_OBJECT: Final = re.compile(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_]|\[)")
_ONE_WORD: Final = re.compile(r"[A-Za-z_]\w*\Z")
# Functions of sprig and Go that have a result without arguments.
_WITHOUT_ARGUMENTS: Final = frozenset(
    {"now", "uuidv4", "list", "dict", "tuple", "true", "false", "nil", "end", "else", "break", "continue", "hello"}
)
_STARTS: Final = re.compile(r"[A-Za-z_.$\"`'(0-9+-]|/\*")


def is_foreign(directive: Directive) -> bool:
    """Return whether a directive has no meaning in Helm: there is no such root object or function."""
    body = directive.body
    if not _STARTS.match(body):
        return bool(body)
    if body == "." or _OTHER_OBJECT.match(body):
        return True
    if _ONE_WORD.match(body):
        return body not in _WITHOUT_ARGUMENTS
    names = [name for name in _FROM_ROOT.findall(without_texts(body)) if name]
    return bool(names) and "$" not in body and not any(name in _ROOT for name in names)
