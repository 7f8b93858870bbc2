"""Templates without Helm: directives are replaced by as many other characters, so that positions stay valid.

Control directives and comments become blanks, and so do outputs on lines of their own. One branch of an `if` is kept;
definitions are not. A value within a line becomes filler, so the content of such a line is unknown. White space that
`{{-` and `-}}` remove is tracked: lines that it joins or moves are recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field
from typing import Final

from crdlint.light import dataclass, regex

OPENING: Final = frozenset({"if", "range", "with", "define", "block"})
_KEYWORDS: Final = frozenset({*OPENING, "else", "end", "break", "continue"})
# Functions without output, although they are not keywords: they stop the rendering.
_STOPS: Final = regex(r"fail\b")
_COMMENT: Final = regex(r"\{\{(?:-\s)?\s*/\*")
_COMMENT_END: Final = regex(r"\*/\s*-?\}\}")
# Tokens that end a directive, or start a text in which closing braces are ignored.
_MARK: Final = regex(r"[\"'`]|\}\}")
_TEXTS: Final = {
    '"': regex(r'"(?:[^"\\\n]|\\.)*"'),
    "'": regex(r"'(?:[^'\\\n]|\\.)+'"),
    "`": regex(r"`[^`]*`"),
}
_WORD: Final = regex(r"[a-zA-Z]+(?![\w.:(])")
_ASSIGNMENT: Final = regex(r"\$\w*\s*(?:,\s*\$\w+\s*)?:?=")


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive.

    - `start`, `end`: its range in code points
    - `line`, `end_line`: its first and last line (1-based)
    - `column`: where it begins (0-based)
    - `body`: the text between its braces
    - `keyword`: empty if it outputs a value
    - `trims_left`, `trims_right`: whether it begins with `{{-`, and ends with `-}}`
    - `closed`: whether it has an end
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


def directives(text: str) -> Iterator[Directive]:
    """Yield the directives in order; one without an end includes its line and is the last, because Go stops there as well."""
    start, line, counted, line_start = text.find("{{"), 1, 0, 0
    while start >= 0:
        end = _end(text, start)
        closed = end >= 0
        if not closed:
            end = start + len(text[start:].partition("\n")[0])
        line += text.count("\n", counted, start)
        line_start = text.rfind("\n", counted, start) + 1 or line_start
        end_line = line + text.count("\n", start, end)
        yield _directive(
            text,
            start,
            end,
            (line, end_line, start - line_start),
            closed=closed,
        )
        if not closed:
            return
        line_start = text.rfind("\n", start, end) + 1 or line_start
        line, counted = end_line, end
        start = text.find("{{", end)


def _directive(
    text: str,
    start: int,
    end: int,
    position: tuple[int, int, int],
    *,
    closed: bool,
) -> Directive:
    trims_left = text[start + 2 : start + 3] == "-" and text[start + 3 : start + 4].isspace()
    stop = end - 2 if closed else end
    trims_right = (
        closed
        and text[stop - 1] == "-"
        and (text[stop - 2].isspace() or text[stop - 3 : stop - 1] == "*/")
    )
    body = text[start + 2 + trims_left : stop - trims_right].strip()
    word = _WORD.match(body)
    keyword = word[0] if word and word[0] in _KEYWORDS else ""
    return Directive(
        start,
        end,
        *position,
        body,
        keyword,
        trims_left,
        trims_right,
        closed,
    )


def _end(text: str, start: int) -> int:
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


def has_output(directive: Directive) -> bool:
    """Return whether a directive writes something."""
    body = directive.body
    return not (
        directive.keyword or directive.is_comment or _ASSIGNMENT.match(body) or _STOPS.match(body)
    )


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


_ASSIGNED_NAME: Final = regex(r"(\$[A-Za-z_]\w*)\s*:?=\s*")


def variables_of(text: str) -> dict[str, str]:
    """Return the pipelines that a template sets its variables to, without those that it sets more than once."""
    entry_of_path: dict[str, list[str]] = {}
    for directive in directives(text):
        match = _ASSIGNED_NAME.match(directive.body)
        if match is not None:
            entry_of_path.setdefault(match[1], []).append(directive.body[match.end() :])
    return {name: pipelines[0] for name, pipelines in entry_of_path.items() if len(pipelines) == 1}


# The fields of a template's root object (helm's engine and chartutil.ToRenderValues).
_ROOT: Final = frozenset(
    {"Values", "Release", "Chart", "Files", "Capabilities", "Template", "Subcharts"}
)
_FROM_ROOT: Final = regex(r"(?<![\w$)\].])\.([A-Za-z_]\w*)?")
# A name before a dot, which is never a function of Helm.
_OTHER_OBJECT: Final = regex(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_]|\[)")
_ONE_WORD: Final = regex(r"[A-Za-z_]\w*\Z")
# Functions of sprig and Go that have a result without arguments.
_WITHOUT_ARGUMENTS: Final = frozenset(
    {
        "now",
        "uuidv4",
        "list",
        "dict",
        "tuple",
        "true",
        "false",
        "nil",
        "end",
        "else",
        "break",
        "continue",
        "hello",
    }
)
_STARTS: Final = regex(r"[A-Za-z_.$\"`'(0-9+-]|/\*")


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


_BLANK: Final = regex(r"[^\n]")
FILLER: Final = "x"


@dataclass(frozen=True, slots=True)
class TemplateOutput:
    """An output: its directive, the index of its piece, and whether it is alone on its lines."""

    directive: Directive
    piece: int
    alone: bool


@dataclass(frozen=True, slots=True)
class Block:
    """An `if`, `with` or `range` with kept content: the opening directive, and its first and last line (1-based).

    `elses` are the directives of its other branches without `else`, such as `if .Values.a`; empty for a plain `else`.
    `is_else` is whether the kept content is that of the last of them, else that of the first branch.
    """

    directive: Directive
    line: int
    end_line: int
    elses: tuple[str, ...] = ()
    is_else: bool = False

    @property
    def has_else(self) -> bool:
        """Whether it has another branch."""
        return bool(self.elses)

    def is_kept(self, holds: Callable[[str], bool | None]) -> bool | None:
        """Return whether Helm renders the kept content, None if that is not certain; `holds` evaluates a condition."""
        if self.directive.keyword == "range":
            return None
        conditions = list(map(_condition, (self.directive.body, *self.elses)))
        if not self.is_else:
            return holds(conditions[0])
        *others, last = conditions
        results = [_negated(holds(condition)) for condition in others]
        if last:
            results.append(holds(last))
        return all_certainly(results)


def all_certainly(results: Sequence[bool | None]) -> bool | None:
    """Return whether all results are true, None if that is not certain."""
    if False in results:
        return False
    return None if None in results else True


def _condition(body: str) -> str:
    """Return the pipeline of an `if` or `with`, empty for an `else` without one."""
    return body.removeprefix("if").removeprefix("with").strip()


def _negated(value: bool | None) -> bool | None:
    return None if value is None else not value


@dataclass(slots=True)
class Masked:
    """A template as YAML, in pieces: `text` joins them with unchanged positions.

    `outputs` and `blocks` are in the order of their start and end. `moved` describes for lines (1-based) how Helm moves them by
    removing white space. `braces` are directives that Helm would execute although they have no meaning for it. `defined` are the
    directives that start definitions, and their ends. `broken` is the line and the reason if Helm cannot parse the template.
    """

    pieces: list[str] = field(default_factory=list)
    outputs: list[TemplateOutput] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    moved: dict[int, str] = field(default_factory=dict)
    braces: list[Directive] = field(default_factory=list)
    defined: list[tuple[Directive, int]] = field(default_factory=list)
    broken: tuple[int, str] | None = None

    @property
    def text(self) -> str:
        """The text as YAML."""
        return "".join(self.pieces)


@dataclass(slots=True)
class _Open:
    """An open block; `keeps` is whether the current branch is kept, `elses` are the directives of its other branches."""

    directive: Directive
    keeps: bool
    elses: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Masking:
    """The state of masking: the open blocks, and the line that Helm would be writing."""

    text: str
    branches: Set[int]  # the starts of the branches that are kept
    masked: Masked = field(default_factory=Masked)
    open: list[_Open] = field(default_factory=list)
    dropping: int = 0
    scopes: int = 0  # open `range` and `with` blocks, in which a dot has another meaning
    column: int = 0
    # The template line of the content of the line being written, 0 if it is empty
    content_line: int = 0

    def plain(
        self,
        start: int,
        end: int,
        line: int,
        *,
        trims_start: bool,
        trims_end: bool,
    ) -> None:
        """Handle text between directives, which may trim its start and its end; `line` is its first line."""
        piece = self.text[start:end]
        if self.dropping:
            self.masked.pieces.append(_BLANK.sub(" ", piece))
            return
        self.masked.pieces.append(piece)
        written = piece.lstrip() if trims_start else piece
        start += len(piece) - len(written)
        line += piece.count("\n", 0, len(piece) - len(written))
        if trims_end:
            written = written.rstrip()
        first, newline, _ = written.partition("\n")
        if first.strip():
            self._first(first, start, line)
            self.content_line = line
        self.column += len(first)
        if newline:
            last = written.rpartition("\n")[2]
            self.column = len(last)
            self.content_line = line + written.count("\n") if last.strip() else 0

    def _first(self, first: str, start: int, line: int) -> None:
        """Check whether the text after a directive stays at its position."""
        if self.content_line:
            if self.content_line != line:
                self.masked.moved[line] = (
                    f"Helm joins it to line {self.content_line}, as `-}}}}` and `{{{{-` ask"
                )
            return
        blanks = len(first) - len(first.lstrip())
        seen = start + blanks - (self.text.rfind("\n", 0, start) + 1)
        if seen != self.column + blanks:
            self.masked.moved[line] = (
                f"Helm writes it {self.column + blanks} blanks deep, not {seen}"
            )

    def directive(self, directive: Directive) -> None:
        """Handle a directive."""
        source = self.text[directive.start : directive.end]
        if has_output(directive) and not self.dropping:
            alone = _alone(self.text, directive)
            self.masked.outputs.append(TemplateOutput(directive, len(self.masked.pieces), alone))
            self.masked.pieces.append(_BLANK.sub(" " if alone else FILLER, source))
            self.content_line = directive.end_line
        else:
            self.masked.pieces.append(_BLANK.sub(" ", source))
        if not self.scopes and not directive.is_comment and is_foreign(directive):
            self.masked.braces.append(directive)
        self._follow(directive)

    def _close(self, block: _Open, end: Directive) -> None:
        """Note a block or a named template that ends."""
        opening = block.directive
        if opening.keyword == "define":
            self.masked.defined.append((opening, end.start))
        if not self.dropping and opening.keyword in {"if", "with", "range"}:
            elses = tuple(block.elses)
            self.masked.blocks.append(Block(opening, opening.line, end.end_line, elses))

    def _follow(self, directive: Directive) -> None:
        keeps = directive.start in self.branches
        if directive.keyword in OPENING:
            self.open.append(_Open(directive, keeps))
            self.dropping += not keeps
            self.scopes += directive.keyword in {"range", "with"}
        elif directive.keyword == "else" and self.open:
            block = self.open[-1]
            self.dropping += block.keeps - keeps
            block.keeps = keeps
            block.elses.append(directive.body.removeprefix("else").strip())
        elif directive.keyword == "end" and self.open:
            block = self.open.pop()
            self.dropping -= not block.keeps
            self.scopes -= block.directive.keyword in {"range", "with"}
            self._close(block, directive)
        elif directive.keyword in {"else", "end"} and self.masked.broken is None:
            self.masked.broken = directive.line, f"`{directive.keyword}` belongs to nothing"
        if not directive.closed:
            self.masked.broken = (
                directive.line,
                "a directive has no end: `}}` is missing, or the end of a quoted text",
            )


def masked_text(text: str) -> str | None:
    """Return a template with its directives masked, None for a text without any."""
    return mask(text).text if "{{" in text else None


def mask(text: str, *, takes_else: bool = False) -> Masked:
    """Mask the directives of a template in linear time; of an `if` keep the first branch or, with `takes_else`, the last."""
    all_directives = list(directives(text))
    masking = _Masking(text, _branches(all_directives, takes_else=takes_else))
    end, line, trims = 0, 1, False
    for directive in all_directives:
        masking.plain(
            end,
            directive.start,
            line,
            trims_start=trims,
            trims_end=directive.trims_left,
        )
        masking.directive(directive)
        end, line, trims = directive.end, directive.end_line, directive.trims_right
    masking.plain(
        end,
        len(text),
        line,
        trims_start=trims,
        trims_end=False,
    )
    masked = masking.masked
    if masking.open and masked.broken is None:
        opening = masking.open[-1].directive
        masked.broken = opening.line, f"`{opening.keyword}` has no `end`"
    return masked


def _branches(all_directives: Iterable[Directive], *, takes_else: bool) -> set[int]:
    """Return the starts of the first branches of all blocks but definitions, or of the last ones."""
    starts: set[int] = set()
    innermost: list[int] = []
    for directive in all_directives:
        if directive.keyword in OPENING:
            innermost.append(directive.start)
            if directive.keyword != "define":
                starts.add(directive.start)
        elif directive.keyword == "else" and innermost and takes_else and innermost[-1] in starts:
            starts.remove(innermost[-1])
            starts.add(directive.start)
            innermost[-1] = directive.start
        elif directive.keyword == "end" and innermost:
            innermost.pop()
    return starts


_KNOWN: Final = r"\{\{-? *\$?\.(?:Chart\.(?:AppVersion|Version|Name)|Values(?:\.\w+)+) *-?\}\}"
_LINE_OF_KNOWN: Final = regex(
    rf"""^(?P<key>[ \t]*(?:- )?[\w./-]+:[ \t]+)(?P<value>["']?(?:[^\s{{}}"']|{_KNOWN})+["']?)[ \t]*$""",
    re.MULTILINE,
)
# In a list or a mapping in flow style
_IN_FLOW: Final = regex(rf"""(?P<key>(?<=[:,\[] ))(?P<value>(["']?){_KNOWN}\3)(?=\s*[,}}\]])""")
_PLAIN: Final = regex(r"[\w./-]+")
_DIRECTIVE: Final = regex(_KNOWN)
_NAME: Final = regex(r"\.(Chart|Values)\.([\w.]+)")
_PLAIN_NUMBERS: Final = 1_000_000  # from which on Go prints a number with an exponent


def with_known_values(
    text: str, metadata: Mapping[str, object], values: Mapping[str, object] | None
) -> str:
    """Return a template in which known values that are a whole value are filled in, with unchanged positions.

    `metadata` is what is in Chart.yaml, `values` are those of the chart, None if they are not known.
    """

    def printed(directive: str) -> str | None:
        name = _NAME.search(directive)
        if name is None:
            return None
        source: object = values if name[1] == "Values" else metadata
        for key in name[2].split("."):
            key = _METADATA.get(key, key) if name[1] == "Chart" else key
            source = source.get(key) if isinstance(source, Mapping) else None
        return _printed(source)

    def filled(match: re.Match[str]) -> str:
        values_of = {each: printed(each) for each in _DIRECTIVE.findall(match["value"])}
        if not values_of or None in values_of.values():
            return match[0]
        value = _DIRECTIVE.sub(lambda directive: values_of[directive[0]] or "", match["value"])
        line = match["key"] + value
        return line.ljust(len(match[0])) if len(line) <= len(match[0]) else match[0]

    def filled_in_flow(match: re.Match[str]) -> str:
        value = filled(match)
        is_plain = _PLAIN.fullmatch(value.strip(" \"'")) is not None
        return value if is_plain else match[0]

    if "{{" not in text:
        return text
    return _IN_FLOW.sub(filled_in_flow, _LINE_OF_KNOWN.sub(filled, text))


_METADATA: Final = {"AppVersion": "appVersion", "Version": "version", "Name": "name"}


def _printed(value: object) -> str | None:
    """Return what Go's templates print of a value of YAML, None for a value that is empty, of several lines, or not a scalar."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) < _PLAIN_NUMBERS:
        return str(value)
    is_line = isinstance(value, str) and value.strip() and "\n" not in value and "{" not in value
    return str(value) if is_line else None


def known_span(line: str) -> tuple[int, int]:
    """Return where the first directive of a line begins that `with_known_values` fills in, and where the last one ends."""
    matches = list(_DIRECTIVE.finditer(line))
    return matches[0].start(), matches[-1].end()


_AFTER: Final = regex(r"[ \t]*(?:\r?\n|\Z)")


def _alone(text: str, directive: Directive) -> bool:
    start = directive.start
    while start and text[start - 1] in " \t":
        start -= 1
    return (start == 0 or text[start - 1] == "\n") and _AFTER.match(text, directive.end) is not None
