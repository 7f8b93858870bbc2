"""String functions of versions 0 and 2, indexed by code points. Upstream: cel-go's ext/strings.go."""

from __future__ import annotations

from collections.abc import Sequence
from operator import methodcaller
from typing import Any, Final

from crdlint.cel.decls import member, overload
from crdlint.cel.dialect import NEWEST, CELDialect
from crdlint.cel.errors import FunctionError
from crdlint.cel.eval.values import go_text
from crdlint.cel.library.format import format_string
from crdlint.cel.types import DYN, INT, STRING, list_type
from crdlint.golang.text import SPACE
from crdlint.safety import work

_LOWER: Final = {ord(upper): ord(upper) + 32 for upper in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_UPPER: Final = {lower: upper for upper, lower in _LOWER.items()}
_LETTERS: Final = zip('\a\b\f\n\r\t\v\\"', 'abfnrtv\\"', strict=True)
# Invalid UTF-8 is one lone surrogate per byte.
_INVALID: Final = dict.fromkeys(map(chr, range(0xDC80, 0xDD00)), "\ufffd")
_ESCAPES: Final = str.maketrans({**{char: f"\\{letter}" for char, letter in _LETTERS}, **_INVALID})

# Python's rfind searches substrings of up to this many characters.
_SHORT: Final = 64


def char_at(text: str, index: int) -> str:
    """Return the character at an index, an empty string at the end; raise FunctionError if the index is out of range."""
    if not 0 <= index <= len(text):
        raise _out_of_range(index)
    return text[index : index + 1]


def _index_of_empty(
    text: str,
    part: str,
    offset: int,
    dialect: CELDialect,
) -> int | None:
    """Return where an empty `part` is found, None for others; raise FunctionError for an offset that is not accepted."""
    if not part and not dialect.checks_offsets_of_empty_text:
        return offset
    if offset < 0 or (offset >= len(text) and not dialect.allows_offsets_beyond_text):
        raise _out_of_range(offset)
    return None if part else min(offset, len(text))


def index_of(
    text: str,
    part: str,
    offset: int = 0,
    *,
    dialect: CELDialect = NEWEST,
) -> int:
    """Return the first index of `part` at or after `offset`, -1 if there is none; raise FunctionError for a wrong offset."""
    index = _index_of_empty(text, part, offset, dialect)
    return text.find(part, offset) if index is None else index


def last_index_of(
    text: str,
    part: str,
    offset: int | None = None,
    *,
    dialect: CELDialect = NEWEST,
) -> int:
    """Return the last index of `part` up to `offset`, -1 if there is none; raise FunctionError for a wrong offset."""
    if offset is None:
        if part and not text and not dialect.searches_empty_text_backwards:
            raise _out_of_range(-1)
        return _rfind(text, part)
    index = _index_of_empty(text, part, offset, dialect)
    if index is not None:
        return index
    return -1 if offset >= len(text) else _rfind(text[: offset + len(part)], part)


def _rfind(text: str, part: str) -> int:
    """Return the last index of `part` in linear time: Python searches long substrings only from the start in linear time."""
    if len(part) <= _SHORT:
        return text.rfind(part)
    reversed_index = text[::-1].find(part[::-1])
    return reversed_index if reversed_index < 0 else len(text) - reversed_index - len(part)


lower_ascii: Final = methodcaller("translate", _LOWER)
upper_ascii: Final = methodcaller("translate", _UPPER)
trim: Final = methodcaller("strip", SPACE)


def replace(
    text: str,
    old: str,
    new: str,
    limit: int = -1,
) -> str:
    """Replace the first `limit` occurrences of `old`, or all if `limit` is negative. Upstream: strings.Replace."""
    most = len(text) + 1 if limit < 0 else min(limit, len(text) + 1)
    if len(new) > len(old):
        work.spend_text(len(text) + min(most, text.count(old)) * (len(new) - len(old)), text, new)
    return text.replace(old, new, most)


def split(text: str, separator: str, limit: int = -1) -> list[str]:
    """Split a text into at most `limit` parts, if not negative; without `separator`, into characters. Upstream: strings.SplitN."""
    if limit == 0:
        return []
    if not separator:
        return (
            list(text)
            if limit < 0 or limit >= len(text)
            else [*text[: limit - 1], text[limit - 1 :]]
        )
    return text.split(separator, -1 if limit < 0 else min(limit - 1, len(text)))


def substring(text: str, start: int, end: int | None = None) -> str:
    """Return the characters from `start` up to `end`; raise FunctionError if an index is out of range."""
    if end is None:
        end = len(text)
    elif start > end:
        raise FunctionError(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            raise _out_of_range(index)
    return text[start:end]


def quote(text: str) -> str:
    """Return the text in double quotes, with CEL's escapes."""
    return f'"{text.translate(_ESCAPES)}"'


def join(texts: Sequence[Any], separator: str = "") -> str:
    """Join texts with a separator; raise FunctionError if an element is not a string. Upstream: joinValSeparator."""
    work.spend(len(texts))
    length = len(separator) * (len(texts) - 1)
    for text in texts:
        if type(text) is not str:
            raise FunctionError(f"join: invalid input: {go_text(text)}")
        length += len(text)
    work.spend_text(length, separator, *texts)
    return separator.join(texts)


def _out_of_range(index: int) -> FunctionError:
    return FunctionError(f"index out of range: {index}")


_STRINGS: Final = list_type(STRING)
VERSION_0: Final = (
    member("charAt", "string_char_at_int", (STRING, INT), STRING, char_at),
    member("indexOf", "string_index_of_string", (STRING, STRING), INT, index_of),
    member("indexOf", "string_index_of_string_int", (STRING, STRING, INT), INT, index_of),
    member("lastIndexOf", "string_last_index_of_string", (STRING, STRING), INT, last_index_of),
    member(
        "lastIndexOf",
        "string_last_index_of_string_int",
        (STRING, STRING, INT),
        INT,
        last_index_of,
    ),
    member("lowerAscii", "string_lower_ascii", (STRING,), STRING, lower_ascii),
    member("replace", "string_replace_string_string", (STRING, STRING, STRING), STRING, replace),
    member(
        "replace",
        "string_replace_string_string_int",
        (STRING, STRING, STRING, INT),
        STRING,
        replace,
    ),
    member("split", "string_split_string", (STRING, STRING), _STRINGS, split),
    member("split", "string_split_string_int", (STRING, STRING, INT), _STRINGS, split),
    member("substring", "string_substring_int", (STRING, INT), STRING, substring),
    member("substring", "string_substring_int_int", (STRING, INT, INT), STRING, substring),
    member("trim", "string_trim", (STRING,), STRING, trim),
    member("upperAscii", "string_upper_ascii", (STRING,), STRING, upper_ascii),
    member("join", "list_join", (_STRINGS,), STRING, join),
    member("join", "list_join_string", (_STRINGS, STRING), STRING, join),
)
FUNCTIONS: Final = (
    *VERSION_0,
    member("format", "string_format", (STRING, list_type(DYN)), STRING, format_string),
    overload("strings.quote", "strings_quote", (STRING,), STRING, quote),
)


# What each function does, in one sentence, for editors and prompts.
DOCS: Final = {
    "charAt": "Returns the character at an index of a string.",
    "join": "Returns the strings of a list as one, with a separator between them if one is given.",
    "lowerAscii": "Returns a string with the letters A to Z in lower case.",
    "replace": "Returns a string with occurrences of a string replaced, with a third argument at most that many.",
    "split": "Returns the parts of a string between separators, with a second argument at most that many.",
    "substring": "Returns a part of a string, from an index to the end or up to another index.",
    "trim": "Returns a string without white space at both ends.",
    "upperAscii": "Returns a string with the letters a to z in upper case.",
    "format": "Returns a string with its clauses, such as `%s` or `%d`, replaced by the values of a list.",
    "strings.quote": "Returns a string in quotes, with its special characters escaped.",
}
