"""Kubernetes versions, as (major, minor)."""

from __future__ import annotations

from typing import Final, TypeAlias

Version: TypeAlias = "tuple[int, int]"

LATEST: Final = (1, 36)
OLDEST: Final = (1, 28)


def parse_version(text: str) -> Version:
    """Read `1.36`, `v1.36` or `1.36.2`; raises ValueError with what is wrong."""
    major, _, rest = text.removeprefix("v").partition(".")
    minor = rest.partition(".")[0]
    if not (major.isascii() and major.isdigit() and minor.isascii() and minor.isdigit()):
        message = f"{text!r} is no Kubernetes version such as {LATEST[0]}.{LATEST[1]}"
        raise ValueError(message)
    return int(major), int(minor)
