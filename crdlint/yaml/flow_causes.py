"""Causes of syntax errors between brackets in one line: commas that are missing between entries or items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crdlint.light import NamedTuple, regex
from crdlint.yaml import repairs
from crdlint.yaml.broken_text import FIELDS, BrokenText, Cause
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import quoted

_TOKEN: Final = regex(
    r"'(?:[^'\n]|'')*':?|\"(?:[^\"\\\n]|\\.)*\":?|[\[\]{},]|[^\s\[\]{},'\"][^\s\[\]{},]*"
)
_SEPARATORS: Final = ";|"
_KEY: Final = regex(r"[A-Za-z$][\w$./-]*:\Z")
_PROSE: Final = frozenset({"description:", "message:", "title:"})
_CLOSED: Final = ("]", "}", "'", '"')
_OPENED: Final = ("[", "{", "'", '"')
_NO_VALUES: Final = frozenset({"", ",", "[", "{"})


class Gap(NamedTuple):
    """Where a comma is missing in a line: the end of a value, and the start of what follows (0-based columns).

    `is_certain`: the value is closed, or the key that follows is a field of CRDs. `value`: its column, after its key.
    """

    end: int
    start: int
    value: int
    is_certain: bool


def gaps(line: str) -> list[Gap]:
    """Return where commas are missing between the brackets of a line."""
    tokens = [(match[0], match.start()) for match in _TOKEN.finditer(line)]
    gaps_: list[Gap] = []
    opened: list[str] = []
    for index, (token, start) in enumerate(tokens):
        if opened and index > 1:
            before, value = tokens[index - 2], tokens[index - 1]
            gap = _gap_before(opened[-1], before, value, (token, start))
            gaps_ += [] if gap is None else [gap]
        if token in {"[", "{"}:
            opened.append(token)
        elif token in {"]", "}"} and opened:
            opened.pop()
    return gaps_


_Token = tuple[str, int]


def _gap_before(
    bracket: str,
    before: _Token,
    value: _Token,
    token: _Token,
) -> Gap | None:
    """Return the gap between a value and what follows it between brackets, None if there is a comma or no second value."""
    begins = _is_key(token[0]) if bracket == "{" else token[0].startswith(_OPENED)
    text = value[0].rstrip(_SEPARATORS)
    if not begins or text in _NO_VALUES or _is_key(text):
        return None
    is_closed = text.endswith(_CLOSED)
    is_one_word = bracket == "{" and _is_key(before[0]) and before[0] not in _PROSE
    if not is_closed and not is_one_word:
        return None
    is_certain = is_closed or token[0].rstrip(":") in FIELDS
    return Gap(value[1] + len(text), token[1], value[1], is_certain)


def _is_key(token: str) -> bool:
    return token.endswith(("':", '":')) or _KEY.match(token) is not None


def missing_commas(text: BrokenText) -> Iterator[Cause]:
    """Find entries and items between the brackets of a line without a comma between them."""
    for i in text.near():
        missing = gaps(text.lines[i])
        if not missing:
            continue
        begin, line = text.starts[i], text.lines[i]
        edits = tuple(Edit(begin + gap.end, begin + gap.start, ", ") for gap in missing)
        help_ = f"Add a comma between the entries in line {text.line(i)}"
        doubtful = next((gap for gap in missing if not gap.is_certain), None)
        if doubtful is None:
            repair, shown = repairs.ENTRY_COMMA, missing[0]
        else:
            repair, shown = repairs.COMMA, doubtful
            pair = line[shown.value :].split(",")[0].rstrip(" ]}\r")
            help_ += f", or put `{pair}` in quotes if it is a text"
        columns = (shown.value, min(shown.start + 1, len(line)))
        cause = text.cause(repair, i, help_, edits, columns)
        yield cause._replace(headline="a comma is missing")


_OPENING: Final = regex(r"[\[{]")
_INDEXED: Final = regex(
    r"(?<=: )(?:(?:\[\])+[*A-Za-z][\w.]*|[^\s\[\]{},'\"][^\s\[\]{},]*(?:\[(?:[^\[\]'\"]|'[^']*'|\"[^\"]*\")*\][^\s\[\]{},]*)+)"
)


def indexed(text: BrokenText) -> Iterator[Cause]:
    """Find values between brackets that have brackets themselves, such as paths and types of Go, without quotes."""
    for i in text.near():
        line, begin = text.lines[i], text.starts[i]
        opening = _OPENING.search(line)
        start = len(line) if opening is None else opening.start()
        missing = [match for match in _INDEXED.finditer(line) if start < match.start()]
        if missing:
            edits = tuple(
                Edit(begin + match.start(), begin + match.end(), quoted(match[0].strip("`")))
                for match in missing
            )
            value = quoted(missing[0][0].strip("`"))
            help_ = f"Put the value in line {text.line(i)} in quotes: `{value}`"
            yield text.cause(
                repairs.QUOTES,
                i,
                help_,
                edits,
                missing[0].span(),
            )


def commas(text: BrokenText) -> Iterator[Cause]:
    """Find an item or entry in brackets without a comma at the end of its line."""
    if "',' or" not in text.message:
        return
    for i in list(text.near())[1:]:
        line = text.lines[i].rstrip()
        if line and line[-1] not in ",[{:":
            help_ = f"Add a comma at the end of line {text.line(i)}"
            new = f"{line},{text.lines[i][len(line) :]}"
            yield text.line_cause(
                repairs.COMMA,
                i,
                new,
                help_,
                (len(line) - 1, len(line)),
            )
