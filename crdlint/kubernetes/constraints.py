"""Version constraints such as `>=1.28`, as in the kubeVersion of charts, as ranges of Kubernetes versions.

Syntax and results are those of Masterminds/semver v3 (NewConstraint, Constraints.Check), which helm uses
(pkg/chart/v2/util, IsCompatibleRange).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

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
    """Helm cannot parse a constraint; `str()` is the reason."""


@dataclass(frozen=True, slots=True)
class _Constraint:
    """One comparison; `parts` is the number of parts of the version that are not wildcards."""

    operator: str
    version: Triple
    parts: int
    prerelease: bool


def satisfying(constraint: str, versions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the minor versions of which some patch release satisfies a constraint; raise ConstraintError."""
    groups = parse_constraint(constraint)
    # The result can change only next to a patch number in the constraint.
    named = {comparison.version[2] for group in groups for comparison in group}
    patches = sorted({0, 1, *(patch + step for patch in named for step in (-1, 0, 1) if patch + step >= 0)})
    return [minor for minor in versions if any(satisfies((*minor, patch), groups) for patch in patches)]


def parse_constraint(text: str) -> list[list[_Constraint]]:
    """Parse a constraint as alternatives of comparisons that must all hold; raise ConstraintError."""
    if len(text) > _MAX_TEXT:
        message = f"kubeVersion has more than {_MAX_TEXT} characters"
        raise ConstraintError(message)
    text = _SPAN.sub(lambda match: f">= {match[1]}, <= {match[2]} ", text)
    groups = []
    for part in text.split("||"):
        matches = _EACH.findall(part)
        between = _EACH.split(part)
        if not matches or any(gap and not _SEPARATED.fullmatch(gap) for gap in between):
            message = f"improper constraint: {part!r}"
            raise ConstraintError(message)
        groups.append([_comparison(comparison) for comparison in matches])
    return groups


def _comparison(text: str) -> _Constraint:
    match = _ONE.fullmatch(text)
    parts = [part.lstrip(".") for part in match.group(2, 3, 4) if part] if match else []
    count_of_parts = next((i for i, part in enumerate(parts) if part in _WILD), len(parts))
    try:
        numbers = [int(part) for part in parts[:count_of_parts]]
    except ValueError:
        match = None
    if match is None:
        message = f"improper constraint: {text!r}"
        raise ConstraintError(message)
    major, minor, patch = [*numbers, 0, 0, 0][:3]
    return _Constraint(match[1], (major, minor, patch), count_of_parts, match[5] is not None)


def satisfies(version: Triple, groups: list[list[_Constraint]]) -> bool:
    """Return whether a release satisfies a constraint."""
    return any(all(_OPERATORS[comparison.operator](version, comparison) for comparison in group) for group in groups)


def _compare(version: Triple, comparison: _Constraint) -> int:
    """Compare a release with a version; a prerelease comes before its release."""
    if version == comparison.version:
        return 1 if comparison.prerelease else 0
    return 1 if version > comparison.version else -1


def _equal(version: Triple, comparison: _Constraint) -> bool:
    return _tilde(version, comparison) if comparison.parts < 3 else _compare(version, comparison) == 0


def _not_equal(version: Triple, comparison: _Constraint) -> bool:
    if comparison.parts == 3:
        return _compare(version, comparison) != 0
    if version[: comparison.parts] != comparison.version[: comparison.parts]:
        return True
    if comparison.parts == 0:  # upstream replaces a wildcard by 0.0.0
        return version != (0, 0, 0)
    return comparison.parts == 2 and comparison.prerelease


def _greater(version: Triple, comparison: _Constraint) -> bool:
    if comparison.parts == 3 or (comparison.parts == 0 and version[0] == 0):
        return _compare(version, comparison) > 0
    if comparison.parts == 0:
        return True
    return version[: comparison.parts] > comparison.version[: comparison.parts]


def _less_or_equal(version: Triple, comparison: _Constraint) -> bool:
    if comparison.parts == 3:
        return _compare(version, comparison) <= 0
    compared = max(comparison.parts, 2) if comparison.parts != 1 else 1
    return version[:compared] <= comparison.version[:compared]


def _tilde(version: Triple, comparison: _Constraint) -> bool:
    if _compare(version, comparison) < 0:
        return False
    if comparison.version == (0, 0, 0) and comparison.parts in {0, 3}:
        return True
    compared = 1 if comparison.parts == 1 else 2
    return version[:compared] == comparison.version[:compared]


def _caret(version: Triple, comparison: _Constraint) -> bool:
    if _compare(version, comparison) < 0:
        return False
    major, minor, patch = comparison.version
    if major or comparison.parts == 1:
        return version[0] == major
    if version[0]:
        return False
    if minor or comparison.parts == 2:
        return version[1] == minor
    return not version[1] and version[2] == patch


_OPERATORS: Final[dict[str, Callable[[Triple, _Constraint], bool]]] = {
    "": _equal,
    "=": _equal,
    "!=": _not_equal,
    ">": _greater,
    "<": lambda version, comparison: _compare(version, comparison) < 0,
    ">=": lambda version, comparison: _compare(version, comparison) >= 0,
    "=>": lambda version, comparison: _compare(version, comparison) >= 0,
    "<=": _less_or_equal,
    "=<": _less_or_equal,
    "~": _tilde,
    "~>": _tilde,
    "^": _caret,
}
