"""Kubernetes versions, as (major, minor)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

Version: TypeAlias = "tuple[int, int]"

LATEST: Final = (1, 36)
OLDEST: Final = (1, 28)
# How the versions that can be answered for are named.
KNOWN: Final = f"{OLDEST[0]}.{OLDEST[1]}..{LATEST[0]}.{LATEST[1]}"


@dataclass(frozen=True, slots=True)
class Range:
    """The versions to answer for, both ends among them."""

    oldest: Version
    newest: Version

    @property
    def is_known(self) -> bool:
        """Whether all of them can be answered for."""
        return self.oldest >= OLDEST and self.newest <= LATEST


def parse_range(text: str) -> Range:
    """Read a version, or two as in `1.29..1.36`; raises ValueError with what is wrong."""
    first, dots, last = text.partition("..")
    oldest = parse_version(first)
    newest = parse_version(last) if dots else oldest
    if newest < oldest:
        message = f"{text!r} ends before it begins"
        raise ValueError(message)
    return Range(oldest, newest)


def parse_version(text: str) -> Version:
    """Read `1.36`, `v1.36` or `1.36.2`; raises ValueError with what is wrong."""
    major, _, rest = text.removeprefix("v").partition(".")
    minor = rest.partition(".")[0]
    if not (_is_number(major) and _is_number(minor)):
        given = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
        message = f"{given!r} is not a Kubernetes version such as {LATEST[0]}.{LATEST[1]}"
        raise ValueError(message)
    return int(major), int(minor)


_LONGEST: Final = 40  # characters of a version in a message


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST
