"""How to correct what `rules/server/subresources.py` rejects, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from crdlint.light import regex
from crdlint.phrases import OneCommand, Sample, nearest

# A simple path without its dot, or as kubectl, JSONPath, CEL and JSON Pointer write it.
SIMPLE_PATH: Final = regex(
    r"[\"“”]?\{?(?:\$|self(?=\.(?:spec|status|metadata)\b))?[./]{0,2}([A-Za-z_](?:[^{}\s$\[]|\[[^\]{}]*\])*?)\}?[\"“”]?\Z"
)
_LIKE: Final = 0.7
# The types of columns that other words mean.
MEANT_TYPES: Final = {
    "int": "integer",
    "int32": "integer",
    "int64": "integer",
    "bool": "boolean",
    "str": "string",
    "text": "string",
    "array": "string",
    "object": "string",
    "float": "number",
    "double": "number",
    "datetime": "date",
    "date-time": "date",
    "time": "date",
    "timestamp": "date",
}


_NO_WORDS: Final[Mapping[str, str]] = {}


def meant_word(
    word: str, words: Sequence[str], others: Mapping[str, str] = _NO_WORDS
) -> str | None:
    """Return the one of some words that is meant by another, which may be a key of `others`; None if it is unknown."""
    return others.get(word.lower()) or nearest(word, words, _LIKE)


def one_of(word: str, words: Sequence[str], others: Mapping[str, str] = _NO_WORDS) -> str:
    """Return the help for a word in the place of one of `words`."""
    near = meant_word(word, words, others)
    return (
        OneCommand(f"Write `{near}`")
        if near
        else f"Write one of {', '.join(f'`{name}`' for name in words)}"
    )


def of_path(json_path: str) -> str:
    """Return the help for the path of a column without a dot at its beginning."""
    path = SIMPLE_PATH.match(json_path)
    if path is None:
        return Sample("Write the path of a field, such as `.status.phase`")
    return OneCommand(f"Write `.{path[1]}`")
