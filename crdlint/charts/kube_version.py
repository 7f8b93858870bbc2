"""Chart.yaml's kubeVersion as a range of Kubernetes versions (Masterminds/semver constraints)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from crdlint.kubecel.versions import LATEST, OLDEST

_OR: Final = re.compile(r"\s*\|\|\s*")
_HYPHEN: Final = re.compile(r"\s*v?([\w.*+-]+)\s+-\s+v?([\w.*+-]+)\s*")
_ONE: Final = re.compile(
    r"\s*,?\s*(=|==|!=|<>|>|<|>=|=>|<=|=<|~|~>|\^)?\s*v?([0-9xX*]+)(?:\.([0-9xX*]+))?(?:\.([0-9xX*]+))?[-+\w.]*\s*"
)
_ANY: Final = frozenset({"x", "X", "*"})


class ConstraintError(ValueError):
    """A text that is no constraint."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Versions from, to (the end not within), as numbers of major, minor and patch."""

    low: tuple[int, int, int]
    high: tuple[int, int, int]
    within: bool = True  # else outside


_LOWEST: Final = (0, 0, 0)
_HIGHEST: Final = (999, 0, 0)


def minors(constraint: str) -> list[tuple[int, int]]:
    """Return the minor versions that crdlint knows of which some patch satisfies a constraint. Raises ConstraintError."""
    alternatives = [_all(part) for part in _OR.split(constraint)]
    known = [(1, minor) for minor in range(OLDEST[1], LATEST[1] + 1)]
    return [one for one in known if any(_some_patch(one, bounds) for bounds in alternatives)]


def range_of(constraint: str) -> str | None:
    """Return the range as `--kube-version` has it (`1.29..1.36`), None where no known version satisfies it."""
    found = minors(constraint)
    if not found:
        return None
    first, last = found[0], found[-1]
    return f"{first[0]}.{first[1]}" if first == last else f"{first[0]}.{first[1]}..{last[0]}.{last[1]}"


def _some_patch(minor: tuple[int, int], bounds: list[_Bounds]) -> bool:
    low, high = (*minor, 0), (minor[0], minor[1] + 1, 0)
    for one in bounds:
        if one.within:
            low, high = max(low, one.low), min(high, one.high)
        elif one.low <= low and one.high >= high:
            return False
    return low < high


def _all(text: str) -> list[_Bounds]:
    """Return the bounds that hold together."""
    hyphen = _HYPHEN.fullmatch(text)
    if hyphen is not None:
        text = f">={hyphen[1]} <={hyphen[2]}"
    found: list[_Bounds] = []
    at = 0
    while at < len(text.rstrip()):
        match = _ONE.match(text, at)
        if match is None or match.end() == at:
            raise ConstraintError(f"{text!r} is no constraint on versions")
        found.append(_bounds(match[1] or "=", (match[2], match[3], match[4])))
        at = match.end()
    return found


def _bounds(operator: str, parts: tuple[str, str | None, str | None]) -> _Bounds:
    numbers = [int(part) for part in parts if part is not None and part not in _ANY and part.isdecimal()]
    given = len(numbers)
    if given == 0:
        return _Bounds(_LOWEST, _HIGHEST)
    low = _filled(numbers)
    after = _next(numbers)
    if operator in {"=", "=="}:
        return _Bounds(low, after)
    if operator in {"!=", "<>"}:
        return _Bounds(low, after, within=False)
    if operator == ">":
        return _Bounds(after, _HIGHEST)
    if operator in {">=", "=>"}:
        return _Bounds(low, _HIGHEST)
    if operator == "<":
        return _Bounds(_LOWEST, low)
    if operator in {"<=", "=<"}:
        return _Bounds(_LOWEST, after)
    if operator in {"~", "~>"}:
        return _Bounds(low, _next(numbers[:2]))
    # A caret keeps the first number that is not zero.
    kept = next((i for i, number in enumerate(numbers) if number), given - 1)
    return _Bounds(low, _next(numbers[: kept + 1]))


def _next(numbers: list[int]) -> tuple[int, int, int]:
    """Return the first version after all that begin with some numbers."""
    return _filled([*numbers[:-1], numbers[-1] + 1])


def _filled(numbers: list[int]) -> tuple[int, int, int]:
    major, minor, patch = (*numbers, 0, 0)[:3]
    return major, minor, patch
