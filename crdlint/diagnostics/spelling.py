"""Which of the known names was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from difflib import SequenceMatcher

# Names beyond this many characters are not compared: the work grows with the square of their length.
_LONGEST: Final = 256


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name most like `name`, ignoring case; None where no similarity reaches `cutoff` (up to 1).

    Of names equally alike, the last in alphabetical order is returned, as difflib.get_close_matches does.
    """
    wanted = name.lower()
    folded = {one.lower(): one for one in known}
    if wanted in folded:
        return folded[wanted]
    if len(wanted) > _LONGEST:
        return None
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(b=wanted)
    best, found = cutoff, None
    # Upper bounds come first: the ratio itself is only worked out for names that can still win.
    for bound, candidate in sorted(_bounds(matcher, folded, cutoff), reverse=True):
        if bound < best:
            break
        matcher.set_seq1(candidate)
        ratio = matcher.ratio()
        if ratio > best or (ratio == best and (found is None or candidate > found)):
            best, found = ratio, candidate
    return None if found is None else folded[found]


def _bounds(matcher: SequenceMatcher[str], names: Iterable[str], cutoff: float) -> Iterable[tuple[float, str]]:
    """Yield each name that may reach `cutoff`, with an upper bound of its similarity."""
    for name in names:
        if len(name) > _LONGEST:
            continue
        matcher.set_seq1(name)
        if matcher.real_quick_ratio() >= cutoff:
            bound = matcher.quick_ratio()
            if bound >= cutoff:
                yield bound, name
