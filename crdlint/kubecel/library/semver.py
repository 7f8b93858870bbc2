"""Semantic versions. Upstream: apiserver pkg/cel/library/semverlib.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.decls import member, overload
from crdlint.cel.types import BOOL, INT, STRING
from crdlint.kubecel.library.declaration import ARGUMENT, Library, accepts, constant, constant_for
from crdlint.kubecel.types.opaque import SEMVER

if TYPE_CHECKING:
    from crdlint.kubecel.types.semver import Semver


def _semver(text: str, normalize: bool = False) -> Semver:
    from crdlint.kubecel.types.semver import parse_semver

    return parse_semver(text, normalize=normalize)


def _int64(number: int) -> int:
    """Return an unsigned 64-bit number as int64, which wraps on overflow."""
    return (number + 2**63) % 2**64 - 2**63


LIBRARY: Final = Library(
    "semver",
    introduced=(1, 33),
    functions=(
        overload("semver", "string_to_semver", (STRING,), SEMVER, _semver),
        overload("semver", "string_bool_to_semver", (STRING, BOOL), SEMVER, _semver),
        overload("isSemver", "is_semver_string", (STRING,), BOOL, accepts(_semver)),
        overload("isSemver", "is_semver_string_bool", (STRING, BOOL), BOOL, accepts(_semver)),
        member(
            *("isGreaterThan", "semver_is_greater_than", (SEMVER, SEMVER), BOOL),
            lambda left, right: left.compare(right) > 0,
        ),
        member(
            *("isLessThan", "semver_is_less_than", (SEMVER, SEMVER), BOOL),
            lambda left, right: left.compare(right) < 0,
        ),
        member("compareTo", "semver_compare_to", (SEMVER, SEMVER), INT, lambda left, right: left.compare(right)),
        member("major", "semver_major", (SEMVER,), INT, lambda version: _int64(version.major)),
        member("minor", "semver_minor", (SEMVER,), INT, lambda version: _int64(version.minor)),
        member("patch", "semver_patch", (SEMVER,), INT, lambda version: _int64(version.patch)),
    ),
    costs={
        "semver": ARGUMENT,
        "isSemver": ARGUMENT,
        **constant_for("isGreaterThan", "isLessThan", "compareTo", "major", "minor", "patch"),
    },
    equality={SEMVER: constant()},
)
