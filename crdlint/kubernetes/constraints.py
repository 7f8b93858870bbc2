"""Constraints such as `>=1.28`, as charts have them in kubeVersion, as ranges of Kubernetes versions.

The constraint's syntax and answers are those of Masterminds/semver v3 (NewConstraint, Constraints.Check), which helm
asks (pkg/chart/v2/util, IsCompatibleRange).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Triple: TypeAlias = "tuple[int, int, int]"

_VERSION: Final = (
    r"v?([0-9|xX*]+)(\.[0-9|xX*]+)?(\.[0-9|xX*]+)?"
    r"(-(?:[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?(?:\+(?:[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?"
)
_LOOSE: Final = re.sub(r"\((?!\?)", "(?:", _VERSION)
_OPERATOR: Final = r"=|!=|>|<|>=|=>|<=|=<|~|~>|\^|"
_ONE: Final = re.compile(rf"\s*({_OPERATOR})\s*{_VERSION}\s*")
_EACH: Final = re.compile(rf"(?:!=|>=|=>|<=|=<|~>|=|>|<|~|\^|)\s*{_LOOSE}")
_SPAN: Final = re.compile(rf"\s*({_LOOSE})\s+-\s+({_LOOSE})\s*")
_SEPARATED: Final = re.compile(r"\s*,\s*|\s+")
_WILD: Final = frozenset("xX*")
_MAX_TEXT: Final = 1000


class ConstraintError(ValueError):
    """A constraint that helm cannot read; ``str`` says what is wrong."""


@dataclass(frozen=True, slots=True)
class _Constraint:
    """One comparison. ``given`` counts the parts of the version that are no wildcard."""

    operator: str
    version: Triple
    given: int
    prerelease: bool


def satisfying(constraint: str, versions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the minor versions of which some patch release satisfies a constraint. Raise ConstraintError."""
    groups = parse_constraint(constraint)
    # An answer can change only beside a patch number that the constraint names.
    named = {one.version[2] for group in groups for one in group}
    patches = sorted({0, 1, *(patch + step for patch in named for step in (-1, 0, 1) if patch + step >= 0)})
    return [one for one in versions if any(satisfies((*one, patch), groups) for patch in patches)]


def parse_constraint(text: str) -> list[list[_Constraint]]:
    """Read a constraint as alternatives of comparisons that must all hold. Raises ConstraintError."""
    if len(text) > _MAX_TEXT:
        message = f"kubeVersion has more than {_MAX_TEXT} characters"
        raise ConstraintError(message)
    text = _SPAN.sub(lambda found: f">= {found[1]}, <= {found[2]} ", text)
    groups = []
    for part in text.split("||"):
        found = _EACH.findall(part)
        between = _EACH.split(part)
        if not found or any(gap and not _SEPARATED.fullmatch(gap) for gap in between):
            message = f"improper constraint: {part!r}"
            raise ConstraintError(message)
        groups.append([_comparison(one) for one in found])
    return groups


def _comparison(text: str) -> _Constraint:
    match = _ONE.fullmatch(text)
    parts = [part.lstrip(".") for part in match.group(2, 3, 4) if part] if match else []
    given = next((i for i, part in enumerate(parts) if part in _WILD), len(parts))
    try:
        numbers = [int(part) for part in parts[:given]]
    except ValueError:
        match = None
    if match is None:
        message = f"improper constraint: {text!r}"
        raise ConstraintError(message)
    major, minor, patch = [*numbers, 0, 0, 0][:3]
    return _Constraint(match[1], (major, minor, patch), given, match[5] is not None)


def satisfies(version: Triple, groups: list[list[_Constraint]]) -> bool:
    """Tell whether a release satisfies a constraint."""
    return any(all(_OPERATORS[one.operator](version, one) for one in group) for group in groups)


def _compare(version: Triple, one: _Constraint) -> int:
    """Compare a release with a version; a prerelease comes before its release."""
    if version == one.version:
        return 1 if one.prerelease else 0
    return 1 if version > one.version else -1


def _equal(version: Triple, one: _Constraint) -> bool:
    return _tilde(version, one) if one.given < 3 else _compare(version, one) == 0


def _not_equal(version: Triple, one: _Constraint) -> bool:
    if one.given == 3:
        return _compare(version, one) != 0
    if version[: one.given] != one.version[: one.given]:
        return True
    if one.given == 0:  # upstream compares what it took a wildcard for: 0.0.0
        return version != (0, 0, 0)
    return one.given == 2 and one.prerelease


def _greater(version: Triple, one: _Constraint) -> bool:
    if one.given == 3 or (one.given == 0 and version[0] == 0):
        return _compare(version, one) > 0
    if one.given == 0:
        return True
    return version[: one.given] > one.version[: one.given]


def _less(version: Triple, one: _Constraint) -> bool:
    return _compare(version, one) < 0


def _greater_or_equal(version: Triple, one: _Constraint) -> bool:
    return _compare(version, one) >= 0


def _less_or_equal(version: Triple, one: _Constraint) -> bool:
    if one.given == 3:
        return _compare(version, one) <= 0
    kept = max(one.given, 2) if one.given != 1 else 1
    return version[:kept] <= one.version[:kept]


def _tilde(version: Triple, one: _Constraint) -> bool:
    if _compare(version, one) < 0:
        return False
    if one.version == (0, 0, 0) and one.given in {0, 3}:
        return True
    kept = 1 if one.given == 1 else 2
    return version[:kept] == one.version[:kept]


def _caret(version: Triple, one: _Constraint) -> bool:
    if _compare(version, one) < 0:
        return False
    major, minor, patch = one.version
    if major or one.given == 1:
        return version[0] == major
    if version[0]:
        return False
    if minor or one.given == 2:
        return version[1] == minor
    return not version[1] and version[2] == patch


_OPERATORS: Final[dict[str, Callable[[Triple, _Constraint], bool]]] = {
    "": _equal,
    "=": _equal,
    "!=": _not_equal,
    ">": _greater,
    "<": _less,
    ">=": _greater_or_equal,
    "=>": _greater_or_equal,
    "<=": _less_or_equal,
    "=<": _less_or_equal,
    "~": _tilde,
    "~>": _tilde,
    "^": _caret,
}
