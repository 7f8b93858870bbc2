"""Phrases of messages: numbers with their nouns, and lists of names."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, such as `1 file` or `2 files`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Return parts as a list in words: `a`, `a and b`, `a, b and c`."""
    return f" {word} ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def some(parts: Sequence[str], most: int) -> str:
    """Return a list of at most `most` parts, and how many more there are: `a, b and 3 more`."""
    shown = ", ".join(parts[:most])
    return f"{shown} and {len(parts) - most:,} more" if len(parts) > most else shown
