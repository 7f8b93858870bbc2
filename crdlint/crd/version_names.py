"""The order of versions, in which clients prefer them. Upstream: apimachinery pkg/version CompareKubeAwareVersionStrings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from crdlint.light import regex

_VERSION: Final = regex(r"v([1-9]\d{0,18})(?:(alpha|beta)([1-9]\d{0,18}))?\Z", re.ASCII)
_MAX_INT64: Final = 2**63 - 1
_OTHER: Final = (-1, 0, 0)  # the rank of every other name
_STABILITIES: Final = ("alpha", "beta", None)


def preferred(names: Iterable[str]) -> str | None:
    """Return the version that kubectl uses if none is named, of the served ones; None without any.

    >>> preferred(["v1beta1", "v2alpha1", "v1", "foo"])
    'v1'
    """
    by_name = sorted(names)  # of other names the first one is preferred
    return max(by_name, key=_rank, default=None)


def _rank(name: str) -> tuple[int, int, int]:
    match = _VERSION.match(name)
    if match is None:
        return _OTHER
    major, stability, minor = match.groups()
    numbers = int(major), int(minor or 0)
    return (_STABILITIES.index(stability), *numbers) if max(numbers) <= _MAX_INT64 else _OTHER
