"""Which of the known names was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], cutoff: float) -> str | None:
    """Return the known name most like one, whatever its case; None where none is as like as ``cutoff`` (up to 1)."""
    from difflib import get_close_matches

    folded = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), folded, n=1, cutoff=cutoff)
    return folded[near[0]] if near else None
