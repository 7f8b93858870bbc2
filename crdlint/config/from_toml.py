"""Parsing of [tool.crdlint] in a pyproject.toml; tokens are read once more for positions, which tomllib does not return."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from datetime import date
from functools import cache
from typing import Any, Final

from crdlint.config.model import BrokenError, ConfigSource, LineColumn, Step
from crdlint.light import regex
from crdlint.yaml.edit import line_and_column, line_starts

_Path = tuple[Step, ...]

_TABLE: Final = ("tool", "crdlint")
_WORD: Final = r"""[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*'"""
_TOKEN: Final = regex(
    r"""(?s)\"{3}(?:\\.|[^\\])*?"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*|[^\s"'#\[\]{}=,.]+|[\n\[\]{}=,.]"""
)
_ENDS: Final = frozenset({"\n", ",", "]", "}"})
_AT: Final = regex(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
# A sequence of blanks and quotes belongs to the delimiter before it, so that the search is linear.
_MENTIONED: Final = regex(rb"""[.{,\n\r][ \t"']*crdlint[ \t"']*[.=\]]""")
# An ASCII letter, as a quoted key may spell it.
_LETTER: Final = regex(rb"\\(?:u00|U000000|x)([46][1-9A-Fa-f]|[57][0-9Aa])")
# tomllib's time is quadratic in the length of a dotted key.
_LONGEST_KEY: Final = 100
_PIECE: Final = regex(rf"[ \t\[{{,]*(?:{_WORD})[ \t\]=]*")


def mentions_crdlint(data: bytes) -> bool:
    """Return whether a pyproject.toml may have a [tool.crdlint], without parsing it."""
    spelled = _LETTER.sub(lambda escape: bytes.fromhex(escape[1].decode()), data)
    return b"crdlint" in spelled and _MENTIONED.search(spelled) is not None


def read_toml(text: str) -> ConfigSource | None:
    """Parse [tool.crdlint]; return None if there is no such table. Raise BrokenError if the text is not TOML."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    _refuse_long_keys(text)
    try:
        values: Any = tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise _broken(str(error), text) from error
    except RecursionError as error:
        message = "nested too deeply"
        raise BrokenError(message, (1, 1)) from error
    except ValueError as error:  # an invalid date, or more digits than Python converts
        message = "a number of too many digits" if "digits" in str(error) else str(error)
        raise BrokenError(message, (1, 1)) from error
    for name in _TABLE:
        if not isinstance(values, dict) or name not in values:
            return None
        values = values[name]
    positions = cache(lambda: _Positions(text))

    def locate(steps: SequenceOf[Step], key: bool) -> LineColumn:
        return positions().locate((*_TABLE, *steps), key=key)

    for steps in _too_large(values):
        raise BrokenError("an integer of more than 64 bits", locate(steps, key=False))
    _write_days(values)
    return ConfigSource(values, locate)


def _write_days(values: Any) -> None:
    """Replace the days of `until`, which TOML has a type for, by their texts."""
    match values:
        case {"ignore": [*entries]}:
            for entry in entries:
                if isinstance(entry, dict) and type(entry.get("until")) is date:
                    entry["until"] = entry["until"].isoformat()


def _too_large(values: Any) -> Iterator[list[Step]]:
    """Yield the steps to each integer that exceeds TOML's range; tomllib accepts it, but Python may not be able to print it."""
    pending: list[tuple[list[Step], Any]] = [([], values)]
    while pending:
        steps, value = pending.pop()
        if isinstance(value, (dict, list)):
            inside = value.items() if isinstance(value, dict) else enumerate(value)
            pending.extend(([*steps, step], item) for step, item in inside)
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            yield steps


def _broken(message: str, text: str) -> BrokenError:
    match = _AT.search(message)
    if match is None:
        return BrokenError(message, (1, 1))
    text_before = message[: match.start()]
    if match[1]:
        return BrokenError(text_before, (int(match[1]), int(match[2])))
    lines = text.removesuffix("\n").split("\n")
    position = (len(lines), len(lines[-1]) + 1)
    return BrokenError(f"{text_before} (the file ends too early)", position)


def _refuse_long_keys(text: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") < _LONGEST_KEY:
            continue
        run = 0
        for piece in line.split("."):
            run = run + 1 if _PIECE.fullmatch(piece) else 0
            if run > _LONGEST_KEY:
                raise BrokenError(f"a key of more than {_LONGEST_KEY} parts", (number, 1))


class _Positions:
    """Where the keys and values of a valid TOML file begin, by their paths; a table begins at its first header."""

    def __init__(self, text: str) -> None:
        self.tokens: Final = deque(_tokens(text))  # those that are not read yet
        self.keys: Final[dict[_Path, LineColumn]] = {}
        self.values: Final[dict[_Path, LineColumn]] = {}
        self.lengths: Final[dict[_Path, int]] = {}  # of arrays of tables
        table: _Path = ()
        while self.tokens:
            if self.tokens[0][0] == "[":
                table = self._header()
            elif self.tokens[0][0] == "\n":
                self.tokens.popleft()
            else:
                self._assignment(table)

    def locate(self, path: _Path, *, key: bool) -> LineColumn:
        """Return the position of a value or of its key; if it does not exist, that of its closest parent."""
        if not key and path in self.values:
            return self.values[path]
        return next(
            (self.keys[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self.keys),
            (1, 1),
        )

    def _names(self) -> tuple[str, ...]:
        names = [self.tokens.popleft()[0]]
        while self.tokens[0][0] == ".":
            names += (self.tokens.popleft()[0], self.tokens.popleft()[0])
        return tuple(map(_unquoted, names[::2]))

    def _header(self) -> _Path:
        is_array = self.tokens[1][0] == "["
        for _ in range(1 + is_array):
            self.tokens.popleft()
        position = self.tokens[0][1]
        path: _Path = ()
        for name in self._names():
            path = (*path, *([self.lengths[path] - 1] if path in self.lengths else ()), name)
        self.keys.setdefault(path, position)
        if is_array:
            self.lengths[path] = self.lengths.get(path, 0) + 1
            path = (*path, self.lengths[path] - 1)
            self.keys[path] = position
        for _ in range(1 + is_array):
            self.tokens.popleft()
        return path

    def _assignment(self, table: _Path) -> None:
        position = self.tokens[0][1]
        path = (*table, *self._names())
        self.keys.setdefault(path, position)
        self.tokens.popleft()  # the equals sign
        self._value(path)

    def _value(self, path: _Path) -> None:
        word, self.values[path] = self.tokens.popleft()
        closing = {"[": "]", "{": "}"}.get(word)
        if closing is None:  # the tokens of a number or date
            while self.tokens[0][0] not in _ENDS:
                self.tokens.popleft()
            return
        index = 0
        while self.tokens[0][0] != closing:
            if self.tokens[0][0] in _ENDS:
                self.tokens.popleft()
            elif closing == "]":
                self._value((*path, index))
                index += 1
            else:
                self._assignment(path)
        self.tokens.popleft()


def _unquoted(name: str) -> str:
    """Return the key of a token, which is bare or quoted; its escapes are those of valid TOML."""
    if not name.startswith('"'):
        return name.strip("'")
    return _ESCAPED.sub(
        lambda escape: _BY_LETTER.get(escape[1]) or chr(int(escape[1][1:], 16)), name[1:-1]
    )


_ESCAPED: Final = regex(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|.)")
_BY_LETTER: Final = {
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    '"': '"',
    "\\": "\\",
}


def _tokens(text: str) -> Iterator[tuple[str, LineColumn]]:
    starts = line_starts(text)
    for match in _TOKEN.finditer(text + "\n"):
        if not match[0].startswith("#"):
            line, column = line_and_column(starts, match.start())
            yield match[0], (line + 1, column + 1)
