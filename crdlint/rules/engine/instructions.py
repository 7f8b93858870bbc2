"""Helps of findings that have fixes: what a help prints is what the fix writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from crdlint.diagnostics import Fix
from crdlint.light import NamedTuple, regex
from crdlint.phrases import Layout, OneCommand, Sample
from crdlint.yaml.edit import Edit, apply, changed_lines, in_order

_LONGEST: Final = 70  # characters of a line that a help shows
_MOST_EDITS: Final = 16
_MOST_TEXT: Final = 2_000  # characters from the first to the last edit of a fix
_CODE: Final = regex(r"`([^`]+)`")
_LAYOUT: Final = regex(r"[\s'\"{}\[\],.:]+")
_BEGINNINGS: Final = ("{", ",", "[")


class _ChangedLines(NamedTuple):
    """The lines that a fix replaces, and those that it writes instead."""

    old: Sequence[str]
    new: Sequence[str]


def help_with_fix(
    help_: str,
    rule_help: str,
    text: str,
    fix: Fix,
) -> str:
    """Return the help of a finding with a fix in a text: what the fix writes, unless the help names that itself.

    The help of the rule, which is the same for all findings, gives way to what is known about this one.
    """
    is_general = help_ == rule_help or isinstance(help_, Sample)
    if _is_large(fix):
        return fix.title if help_ == rule_help else help_
    is_choice = _is_choice(help_, rule_help, fix)
    if _names_all(help_, fix) and not is_choice:
        return help_
    if is_general and fix.applicability == "safe":
        return _instruction(text, fix) or help_
    if not _contradicts(help_, text, fix, is_general=is_general):
        return help_
    return _instruction(text, fix) or fix.title


def _is_choice(help_: str, rule_help: str, fix: Fix) -> bool:
    """Return whether a help names other things than the fix, or several of which the fix writes one."""
    names, edits = len(_CODE.findall(help_)), len(fix.edits)
    if isinstance(help_, Sample):
        return names != edits
    return help_ == rule_help and names > edits


def _is_large(fix: Fix) -> bool:
    """Return whether a fix changes so much text that no help shows it."""
    if len(fix.edits) > _MOST_EDITS:
        return True
    start = min(edit.start for edit in fix.edits)
    return max(edit.end for edit in fix.edits) - start > _MOST_TEXT


def _names_all(help_: str, fix: Fix) -> bool:
    """Return whether a help names to the letter what the fix writes."""
    codes = "`".join(_CODE.findall(help_))
    pieces = [edit.text.strip() for edit in fix.edits]
    return any(pieces) and all(piece in codes for piece in pieces)


def _contradicts(
    help_: str,
    text: str,
    fix: Fix,
    *,
    is_general: bool,
) -> bool:
    """Return whether a help names something else than the fix writes, or less, or nothing at all."""
    if not any(map(partial(_is_visible, text), fix.edits)):
        return not isinstance(help_, Layout)
    pieces = [_plain(edit.text) for edit in fix.edits]
    if not any(pieces):  # a help describes in other words that something is removed
        return is_general and any(edit.text for edit in fix.edits)
    if isinstance(help_, OneCommand):
        commanded = _plain(_CODE.findall(help_)[0])
        return not all(piece in commanded for piece in pieces)
    names = _names_in(help_, fix)
    if not names:
        return is_general
    lines = pieces if is_general else changed_lines(text, fix.edits)[1]
    written = _plain("\n".join(lines))
    return not any(_plain(name) in written for name in names)


def _names_in(help_: str, fix: Fix) -> list[str]:
    """Return the names of a help: its entries if it has any, unless a fix does one of several things that it names."""
    names = [name for name in _CODE.findall(help_) if len(name) > 1]
    entries = [name for name in names if ": " in name]
    is_alternative = bool(entries) and names_alternative(help_, fix)
    return names if is_alternative or not entries else entries


def names_alternative(help_: str, fix: Fix) -> bool:
    """Return whether a fix does one of several things that a help names, which is the one in its title."""
    return not set(_CODE.findall(fix.title)).isdisjoint(_CODE.findall(help_))


def _is_visible(text: str, edit: Edit) -> bool:
    """Return whether an edit of a text changes more than spaces."""
    return bool((text[edit.start : edit.end] + edit.text).strip(" "))


def _plain(text: str) -> str:
    """Return a text without what only arranges it: spaces, quotes, brackets and commas."""
    return _LAYOUT.sub("", text)


def _instruction(text: str, fix: Fix) -> str | None:
    """Return what a fix does in one line, its title if it changes several; None if the line cannot be shown."""
    lines = _ChangedLines(*changed_lines(text, fix.edits))
    if not _is_in_one_line(lines):
        return _two_entries(lines) or _two_lines(text, fix) or fix.title
    shown = next(filter(None, _shown(text, fix, lines)), None)
    if shown is None:
        return None
    if not lines.new:
        return f"Remove `{shown}`" if fix.applicability == "safe" else fix.title
    return f"{'Write' if lines.old else 'Add'} `{shown}`"


def _two_entries(lines: _ChangedLines) -> str | None:
    """Return the help for a line that becomes two entries of one mapping, None for other lines."""
    if len(lines.old) != 1 or len(lines.new) != len(("first", "second")):
        return None
    first, second = (_short(_without_comment(line)) for line in lines.new)
    is_one_mapping = _width(lines.new[0]) == _width(lines.new[1])
    return f"Write `{first}` and `{second}`" if first and second and is_one_mapping else None


def _two_lines(text: str, fix: Fix) -> str | None:
    """Return the help for a fix with two edits, each of which changes one line of an entry, None for other fixes."""
    if len(fix.edits) != len(("first", "second")):
        return None
    lines = [_ChangedLines(*changed_lines(text, [edit])) for edit in fix.edits]
    if not all(len(each.old) == len(each.new) == 1 and _has_key(each) for each in lines):
        return None
    first, second = (_short(_without_comment(each.new[0])) for each in lines)
    return f"Write `{first}` and `{second}`" if first and second else None


def _has_key(lines: _ChangedLines) -> bool:
    """Return whether a line with an entry becomes one with the same key."""
    key, separator, _ = lines.new[0].strip().partition(": ")
    return bool(separator) and lines.old[0].strip().startswith(f"{key}: ")


def _width(line: str) -> int:
    """Return where the key of an entry begins in its line, after the dash of an item."""
    return len(line) - len(line.lstrip(" -"))


def _is_in_one_line(lines: _ChangedLines) -> bool:
    is_moved = [line.strip() for line in lines.old] == [line.strip() for line in lines.new]
    return len(lines.old) <= 1 and len(lines.new) <= 1 and not is_moved


def _shown(text: str, fix: Fix, lines: _ChangedLines) -> Iterator[str | None]:
    """Yield the line that a fix writes, and its end from the entry on that is written, each if it is short enough."""
    yield _short(_without_comment("".join(lines.new or lines.old)))
    if lines.new:
        yield _short(_entry(text, list(in_order(fix.edits))))


def _short(line: str) -> str | None:
    line = line.strip().removeprefix("- ")
    return line if 0 < len(line) <= _LONGEST and "`" not in line else None


def _without_comment(line: str) -> str:
    start = line.partition(" #")[0]
    is_within_text = any(start.count(quote) % 2 for quote in "'\"")
    return line if is_within_text else start


def _entry(text: str, edits: Sequence[Edit]) -> str:
    """Return what edits of a line write, from the start of the entry in brackets on that the first one is in."""
    first, end = edits[0].start, edits[-1].end
    line = text.rfind("\n", 0, first) + 1
    start = max(line, *(text.rfind(sign, line, first) + 1 for sign in _BEGINNINGS))
    entry = apply(text[start:end], [edit.moved(-start) for edit in edits]).strip(" ,")
    is_cut = any(entry.count(quote) % 2 for quote in "'\"")
    return "" if is_cut else entry
