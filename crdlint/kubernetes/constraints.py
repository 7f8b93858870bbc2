"""Version constraints such as `>=1.28`, as in the kubeVersion of charts, as ranges of Kubernetes versions.

Syntax and results are those of Masterminds/semver v3 (NewConstraint, Constraints.Check), which helm uses
(pkg/chart/v2/util, IsCompatibleRange).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from crdlint.light import dataclass, regex

# Major, minor, patch, and 0, or -1 for a prerelease, which comes before its release.
Release: TypeAlias = "tuple[int, int, int, int]"

_VERSION: Final = (
    r"v?([0-9|xX*]+)(\.[0-9|xX*]+)?(\.[0-9|xX*]+)?"
    r"(-(?:[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?(?:\+(?:[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?"
)
_LOOSE: Final = re.sub(r"\((?!\?)", "(?:", _VERSION)
_OPERATOR: Final = r"=|!=|>|<|>=|=>|<=|=<|~|~>|\^|"
_ONE: Final = regex(rf"\s*({_OPERATOR})\s*{_VERSION}\s*")
_EACH: Final = regex(rf"(?:!=|>=|=>|<=|=<|~>|=|>|<|~|\^|)\s*{_LOOSE}")
_SPAN: Final = regex(rf"\s*({_LOOSE})\s+-\s+({_LOOSE})\s*")
_SEPARATED: Final = regex(r"\s*,\s*|\s+")
_WILD: Final = frozenset("xX*")
_MAX_TEXT: Final = 1000


class ConstraintError(ValueError):
    """Helm cannot parse a constraint; `str()` is the reason."""


@dataclass(frozen=True, slots=True)
class _Constraint:
    """One comparison; `parts` is the number of parts of the version that are not wildcards."""

    operator: str
    version: Release
    parts: int


def satisfying(constraint: str, versions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the minor versions of which some patch release satisfies a constraint; raise ConstraintError."""
    groups = parse_constraint(constraint)
    # The result can change only next to a patch number in the constraint.
    named = {comparison.version[2] for group in groups for comparison in group}
    patches = sorted(
        {0, 1, *(patch + step for patch in named for step in (-1, 0, 1) if patch + step >= 0)}
    )

    def is_satisfied(version: Release) -> bool:
        return any(
            all(_OPERATORS[each.operator](version, each) for each in group) for group in groups
        )

    return [
        minor for minor in versions if any(is_satisfied((*minor, patch, 0)) for patch in patches)
    ]


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
        groups.append(list(map(_comparison, matches)))
    return groups


def _comparison(text: str) -> _Constraint:
    match = _ONE.fullmatch(text)
    parts = [part.lstrip(".") for part in match.group(2, 3, 4) if part] if match else []
    count_of_parts = next((i for i, part in enumerate(parts) if part in _WILD), len(parts))
    try:
        numbers = list(map(int, parts[:count_of_parts]))
    except ValueError:
        match = None
    if match is None:
        raise ConstraintError(f"improper constraint: {text!r}")
    major, minor, patch = [*numbers, 0, 0, 0][:3]
    return _Constraint(
        match[1], (major, minor, patch, 0 if match[5] is None else -1), count_of_parts
    )


def _equal(version: Release, comparison: _Constraint) -> bool:
    return _tilde(version, comparison) if comparison.parts < 3 else version == comparison.version


def _not_equal(version: Release, comparison: _Constraint) -> bool:
    parts, other = comparison.parts, comparison.version
    if parts == 3:
        return version != other
    if parts == 0:  # upstream replaces a wildcard by 0.0.0
        return version[:3] != (0, 0, 0)
    return version[:parts] != other[:parts] or (parts == 2 and other[3] < 0)


def _greater(version: Release, comparison: _Constraint) -> bool:
    parts, other = comparison.parts, comparison.version
    if parts == 3 or (parts == 0 and version[0] == 0):
        return version > other
    return parts == 0 or version[:parts] > other[:parts]


def _less_or_equal(version: Release, comparison: _Constraint) -> bool:
    compared = {3: 4, 1: 1}.get(comparison.parts, 2)
    return version[:compared] <= comparison.version[:compared]


def _tilde(version: Release, comparison: _Constraint) -> bool:
    other, compared = comparison.version, 1 if comparison.parts == 1 else 2
    is_any = other[:3] == (0, 0, 0) and comparison.parts in {0, 3}
    return version >= other and (is_any or version[:compared] == other[:compared])


def _caret(version: Release, comparison: _Constraint) -> bool:
    parts, other = comparison.parts, comparison.version
    # The part before the first one that is not zero may not change, nor may that one itself.
    fixed = 1 if other[0] or parts == 1 else 2 if other[1] or parts == 2 else 3
    return version >= other and version[:fixed] == other[:fixed]


_OPERATORS: Final[dict[str, Callable[[Release, _Constraint], bool]]] = {
    "": _equal,
    "=": _equal,
    "!=": _not_equal,
    ">": _greater,
    "<": lambda version, comparison: version < comparison.version,
    ">=": lambda version, comparison: version >= comparison.version,
    "=>": lambda version, comparison: version >= comparison.version,
    "<=": _less_or_equal,
    "=<": _less_or_equal,
    "~": _tilde,
    "~>": _tilde,
    "^": _caret,
}
