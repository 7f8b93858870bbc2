"""What an author may have meant by a pattern that Go's regexp package rejects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from crdlint.golang.regexp import compile_error
from crdlint.light import NamedTuple, regex

_ERROR: Final = regex(r"error parsing regexp: (?P<code>[^:]+): `(?P<part>.*)`\Z", re.DOTALL)
_LOOKAROUND: Final = regex(r"\(\?<?[=!]")
_BACK_REFERENCE: Final = regex(r"\\[1-9k]")
_CLASS: Final = ("[:", "\\p", "\\P")  # how the name of a class of characters begins
_CLASSES: Final = "Write a class that RE2 has, such as `[:alnum:]`, `[:digit:]` or `[:space:]` within brackets, or `\\p{L}`"
_LONGEST_PART: Final = 12  # characters of a pattern that a cause shows
# What is wrong with a part of a pattern, by Go's error.
_CAUSES: Final = {
    "missing closing ]": "`{part}` is not closed",
    "missing closing )": "a `(` is not closed",
    "unexpected )": "a `)` closes nothing",
    "invalid nested repetition operator": "`{part}` repeats twice",
    "missing argument to repetition operator": "`{part}` repeats nothing",
    "invalid character class range": "`{part}` is no range",
    "invalid repeat count": "`{part}` is not within 1000",
    "invalid escape sequence": "RE2 has no escape `{part}`",
    "invalid named capture": "RE2 has no group `{part}`",
    "invalid or unsupported Perl syntax": "RE2 has no `{part}`",
    "trailing backslash at end of expression": "a `\\` at the end",
}
_JAVASCRIPT: Final = regex(r"/(\^.*\$)/([a-z]*)", re.DOTALL)
_IN_CLASS: Final = regex(r"\[\^?\]?(?:\\.|\[:\w+:\]|[^\\\]+*?{()|$])*")
_TOKEN: Final = regex(r"\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\\\]])*\]|.", re.DOTALL)
_REPEATS: Final = tuple("*+?{")
_ESCAPES: Final = {r"\Z": "$", r"\<": r"\b", r"\>": r"\b", r"\h": r"[ \t]"}


class Meant(NamedTuple):
    """The help for a pattern, and a valid pattern that is probably meant, None if that is not known."""

    help: str
    pattern: str | None = None


def cause(pattern: str, error: str) -> str:
    """Return in a few words why Go's regexp package rejects a pattern with an error.

    >>> cause("^(?!a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?!`")
    'RE2 has no lookahead `(?!`'
    """
    around = _LOOKAROUND.search(pattern)
    if around is not None:
        name = "lookbehind" if "<" in around[0] else "lookahead"
        return f"RE2 has no {name} `{around[0]}`"
    match = _ERROR.match(error)
    if match is None:
        return error.removeprefix("error parsing regexp: ")
    part = match["part"]
    if _BACK_REFERENCE.fullmatch(part):
        return f"RE2 has no back reference `{part}`"
    if match["code"] == "invalid repeat count" and _turned(part):
        return f"`{part}` counts down"
    if part.startswith(_CLASS):
        return f"RE2 has no class `{part}`"
    words = _CAUSES.get(match["code"], f"{match['code']}: `{{part}}`")
    if len(part) > _LONGEST_PART:
        part = f"{part[:_LONGEST_PART]}…"
    return words.format(part=part)


def repair(pattern: str) -> Meant | None:
    """Return what is meant by a pattern that is not valid, or None if nothing is known about its error.

    >>> repair("^[a-z+$")
    Meant(help='Write the pattern as `^[a-z]+$`', pattern='^[a-z]+$')
    """
    literal = _JAVASCRIPT.fullmatch(pattern)
    if literal is not None and set(literal[2]) <= _JAVASCRIPT_FLAGS:
        meant = _with_flags(literal[1], set(literal[2]) & _GO_FLAGS)
        return Meant(f"Write the pattern without the slashes of JavaScript: `{meant}`", meant)
    match = _ERROR.match(compile_error(pattern) or "")
    row = None if match is None else _ROWS.get(match["code"])
    if match is None or row is None:
        return None
    help_, rewrite = row
    rewritten = rewrite(pattern, match["part"])
    if rewritten is not None and compile_error(rewritten) is None:
        return Meant(f"Write the pattern as `{rewritten}`", rewritten)
    return Meant(_help_of_part(match["code"], match["part"]) or help_)


_GO_FLAGS: Final = frozenset({"i", "m", "s"})
_JAVASCRIPT_FLAGS: Final = _GO_FLAGS | {"g", "u"}


def _with_flags(pattern: str, flags: Iterable[str]) -> str:
    joined = "".join(sorted(flags))
    return f"(?{joined}){pattern}" if joined else pattern


def _help_of_part(code: str, part: str) -> str | None:
    """Return a help that names what is wrong, None where the help of the error does."""
    if _BACK_REFERENCE.fullmatch(part):
        return f"Write again what the group matches instead of `{part}`: RE2 has no back references"
    if code == "invalid escape sequence" and not part.isascii():
        return f"Write `{part[1:]}` without the backslash, or an escape of RE2, such as `\\d` for a digit"
    if part.startswith(_CLASS):
        return _CLASSES
    return None


def _closed_class(pattern: str, part: str) -> str:
    start = len(pattern) - len(part)
    content = _IN_CLASS.match(part)
    end = start + (content.end() if content is not None else len(part))
    return f"{pattern[:end]}]{pattern[end:]}"


def _closed_group(pattern: str, _part: str) -> str | None:
    """Close the only group at the end; None if it may end before, as in `(http|https://.*` and `([a-z]?$`."""
    _, mark, last = pattern.rpartition("|")
    ends_in_alternative = bool(mark) and not last.removesuffix("$").isalnum()
    groups = [token[0] for token in _TOKEN.finditer(pattern)].count("(")
    if ends_in_alternative or groups > 1 or pattern.removesuffix("$").endswith(("(", "?")):
        return None
    has_end = pattern.endswith("$") and not pattern.endswith("\\$")
    return f"{pattern[:-1]})$" if has_end else f"{pattern})"


def _opened_group(pattern: str, _part: str) -> str | None:
    """Add the bracket that a later one closes, at the start; remove that if it encloses no alternatives and is not repeated.

    Return None if a class contains a bracket, so that a `]` may be what is missing.
    """
    classes = (token[0][1:] for token in _TOKEN.finditer(pattern) if token[0][0] == "[")
    if any(bracket in each.replace("[:", "") for each in classes for bracket in "(["):
        return None
    depth = 0
    for token in _TOKEN.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth < 0:
            before, after = pattern[: token.start()], pattern[token.end() :]
            is_needed = "|" in before or after.startswith(_REPEATS)
            if not is_needed:
                return before + after
            start = 1 if before.startswith("^") else 0
            return f"{before[:start]}({before[start:]}){after}"
    return pattern


def _range(pattern: str, part: str) -> str | None:
    low, dash, high = part.partition("-")
    if not dash or not high:
        return None
    if part in _BOTH_CASES:
        return pattern.replace(part, _BOTH_CASES[part], 1)
    is_turned = len(part) == 3 and low.isalnum() and high.isalnum()
    meant = f"{high}-{low}" if is_turned else f"{low}\\-{high}"
    return pattern.replace(part, meant, 1)


# Ranges from a small letter to a capital one, which precedes it, by the letters that are meant.
_BOTH_CASES: Final = {"a-Z": "a-zA-Z", "z-A": "a-zA-Z", "a-A": "aA"}


def _count(pattern: str, part: str) -> str | None:
    turned = _turned(part)
    return pattern.replace(part, turned, 1) if turned else None


def _turned(part: str) -> str:
    """Return a repetition whose lower count is first, empty if it is first already."""
    low, _, high = part.strip("{}").partition(",")
    return f"{{{high},{low}}}" if high and int(low) > int(high) else ""


def _once(pattern: str, part: str) -> str | None:
    """Return the pattern with one sign instead of several equal ones."""
    return pattern.replace(part, part[0], 1) if len(set(part)) == 1 else None


def _escape(pattern: str, part: str) -> str | None:
    if part == r"\u":
        return re.sub(r"\\u([0-9A-Fa-f]{4})", r"\\x{\1}", pattern)
    return pattern.replace(part, _ESCAPES[part]) if part in _ESCAPES else None


# By Go's error: the help, and what writes the pattern that is probably meant.
_ROWS: Final[dict[str, tuple[str, Callable[[str, str], str | None]]]] = {
    "missing closing ]": ("Close the `[`, or write `\\[` for a bracket in the text", _closed_class),
    "missing closing )": ("Close the `(`, or write `\\(` for a bracket in the text", _closed_group),
    "unexpected )": ("Remove the `)`, or write `\\)` for a bracket in the text", _opened_group),
    "invalid nested repetition operator": (
        "Write one repetition",
        _once,
    ),
    "missing argument to repetition operator": (
        "Write what is repeated: `.*` is any text, and `\\*` a `*` in the text",
        lambda *_: None,
    ),
    "invalid character class range": (
        "Write a range from low to high, as in `a-z`, or a class of Go, as in `\\pL`",
        _range,
    ),
    "invalid repeat count": ("Repeat at most 1000 times, and write the lower count first", _count),
    "invalid escape sequence": ("Use an escape of RE2, which has no back references", _escape),
    "trailing backslash at end of expression": (
        "Remove the `\\` at the end",
        lambda pattern, _: pattern[:-1],
    ),
}
