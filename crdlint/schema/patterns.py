"""Texts against patterns."""

from __future__ import annotations

from crdlint.golang.matching import PatternError, matches


def mismatch(pattern: str, text: str) -> str | None:
    """Return None for a text that has a match, else the pattern as it is named in the refusal; raise WorkLimitError."""
    try:
        return None if matches(pattern, text) else pattern
    except PatternError as error:
        return f"{pattern}, but pattern is invalid: {error}"
