"""Validation of regular expressions with Go's error messages. Upstream: regexp.Compile (Go 1.25, Perl syntax)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final


def compile_error(pattern: str) -> str | None:
    """Return the error of regexp.Compile for a pattern, or None if it is valid.

    The time is linear in the length of the pattern, regardless of its nesting.
    """
    return _cached_error(pattern) if len(pattern) <= _PLAIN_LENGTH else _compile_error(pattern)


@lru_cache(maxsize=4096)
def _cached_error(pattern: str) -> str | None:
    return _compile_error(pattern)


def _compile_error(pattern: str) -> str | None:
    if _is_plain(pattern):
        return None
    from crdlint.golang.regexp_syntax import InvalidPatternError, check  # most patterns do not need it

    try:
        check(pattern)
    except InvalidPatternError as error:
        return str(error)
    return None


def _is_plain(pattern: str) -> bool:
    """Return whether a pattern is certainly valid: only common tokens, balanced, too short to exceed a limit."""
    if len(pattern) > _PLAIN_LENGTH or not _PLAIN.fullmatch(pattern):
        return False
    parens = _NOT_PARENS.sub("", pattern)
    while "()" in parens:
        parens = parens.replace("()", "")
    return not parens


# Shorter patterns cannot exceed Go's limits of nesting and repetition.
_PLAIN_LENGTH: Final = 900
# The alternatives start with different characters, so that matching does not backtrack far.
_ESCAPE: Final = r"\\(?:[dDsSwWnrtfv.\-/\\^$|()\[\]{}*+?_:@#]|x[0-9A-Fa-f]{2})"
_ATOM: Final = (
    rf"(?:[^\\\[\](){{}}|*+?\ud800-\udfff]|\\[bBAz]|{_ESCAPE}"
    r"|\[(?:\^|(?!\^))-?(?:0-[0-9]|[1-9]-9|a-[a-z]|[b-z]-z|A-[A-Z]|[B-Z]-Z"
    rf"|{_ESCAPE}(?!-(?!\]))|[^\\\[\]\-\ud800-\udfff])+-?\])"
)
_COUNT: Final = r"\{(?:[1-9][0-9]{0,2}|[01],[1-9][0-9]{0,2}|[2-9],[1-9][0-9]{1,2}|[0-9],)\}"
_PLAIN: Final = re.compile(
    rf"(?:{_ATOM}(?:[*+?]\??|{_COUNT})?(?![*+?{{])|\)(?:[*+?]\??)?(?![*+?{{])|\((?:\?[imsU]*[:)])?(?![*+?{{])|\|(?![*+?{{]))*"
)
_NOT_PARENS: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|[^()\\\[]+", re.DOTALL)
