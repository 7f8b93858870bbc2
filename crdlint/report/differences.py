"""How two lines differ: the words of each that the other one lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from crdlint.light import NamedTuple, regex
from crdlint.phrases import differing
from crdlint.report.page import columns, fitting
from crdlint.safety.escapes import printable_line

_WORD: Final = regex(r"[\w$./-]+|\s+|[^\w\s]")
_MOST_WORDS: Final = 400  # of two lines, which are compared with each other


class Part(NamedTuple):
    """A part of a line; `is_changed` if the other line does not have it."""

    text: str
    is_changed: bool


@lru_cache(maxsize=16)
def changed_parts(old: str, new: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return two lines as parts, which differ or not; the same lines often have many findings."""
    words, others = _WORD.findall(old), _WORD.findall(new)
    if len(words) > _MOST_WORDS or len(others) > _MOST_WORDS:
        first, rest, other_rest = differing(words, others)
        return _around(words, first, len(rest)), _around(others, first, len(other_rest))
    removed: list[Part] = []
    added: list[Part] = []
    for kind, start, end, other_start, other_end in SequenceMatcher(
        None,
        words,
        others,
        autojunk=False,
    ).get_opcodes():
        is_changed = kind != "equal"
        removed += _part(words[start:end], is_changed=is_changed)
        added += _part(others[other_start:other_end], is_changed=is_changed)
    return tuple(_joined(removed)), tuple(_joined(added))


def _part(words: Sequence[str], *, is_changed: bool) -> Iterator[Part]:
    """Yield words as one part, none without words."""
    if words:
        yield Part("".join(words), is_changed)


def has_same_key(old: str, new: str) -> bool:
    """Return whether two texts begin with the same key of a mapping."""
    return _key(old) == _key(new)


def _key(text: str) -> str:
    return text.partition("\n")[0].strip().removeprefix("- ").partition(":")[0]


def _joined(parts: Sequence[Part]) -> Iterator[Part]:
    """Yield parts of which those that differ are one if there are only spaces between them."""
    for i, part in enumerate(parts):
        is_between = not part.text.strip() and 0 < i < len(parts) - 1
        yield part._replace(is_changed=True) if is_between else part


def _around(words: Sequence[str], first: int, count: int) -> tuple[Part, ...]:
    """Return words as up to three parts, of which only the one with `count` words from the index `first` on differs."""
    last = first + count
    return (
        *_part(words[:first], is_changed=False),
        *_part(words[first:last], is_changed=True),
        *_part(words[last:], is_changed=False),
    )


def fitted(parts: Sequence[Part], room: int) -> Iterator[Part]:
    """Yield the parts of a line, escaped, without its start and end if these do not fit into some columns."""
    shown = [
        Part(printable_line(part.text.replace("\t", "    ")), part.is_changed) for part in parts
    ]
    before = 0
    for part in shown:
        if part.is_changed:
            break
        before += columns(part.text)
    width = sum(columns(part.text) for part in shown)
    skipped = max(min(before - room // 3, width - room + 1), 0) if width > room else 0
    left = room - (1 if skipped else 0)
    if skipped:
        yield Part("…", False)
    for part in shown:
        text = part.text
        hidden = min(skipped, columns(text))
        skipped -= hidden
        text = text[len(fitting(text, hidden)) :]
        if columns(text) > left:
            yield Part(f"{fitting(text, left - 1)}…", part.is_changed)
            return
        left -= columns(text)
        if text:
            yield Part(text, part.is_changed)


def carets(parts: Sequence[Part]) -> str:
    """Return the carets below the parts that differ, without spaces at the start of these; empty without any."""
    marks = ""
    for part in parts:
        width = columns(part.text)
        blank = width - columns(part.text.lstrip()) if part.is_changed else width
        marks += " " * blank + "^" * (width - blank)
    return marks.rstrip()
