"""Texts against patterns."""

from __future__ import annotations

from crdlint.golang.matching import PatternError, compiled


def mismatch(pattern: str, text: str) -> str | None:
    """Return None for a text that has a match, else the pattern as it is named in the refusal."""
    try:
        expression = compiled(pattern)
    except PatternError as error:
        return f"{pattern}, but pattern is invalid: {error}"
    return None if expression.search(text.encode("utf-8", "surrogatepass")) is not None else pattern
