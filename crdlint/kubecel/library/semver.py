"""Semantic versions. Upstream: apiserver pkg/cel/library/semverlib.go, with github.com/blang/semver/v4."""

from __future__ import annotations

from typing import ClassVar, Final, TypeAlias

from crdlint.cel.decls import member, overload
from crdlint.cel.errors import FunctionError
from crdlint.cel.eval.values import MAX_UINT
from crdlint.cel.types import BOOL, INT, STRING, Type
from crdlint.golang.text import quote
from crdlint.kubecel.library import declaration
from crdlint.kubecel.library.declaration import ARGUMENT, SEMVER, Library, constant
from crdlint.light import dataclass, regex
from crdlint.safety import work

PreRelease: TypeAlias = int | str

_NUMBER: Final = regex(r"[0-9]*")
_IDENTIFIER: Final = regex(r"[0-9A-Za-z-]*")


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class Semver(declaration.Opaque):
    """A version; numeric identifiers of `pre` are ints, and `build` does not affect the order."""

    cel_type: ClassVar[Type] = SEMVER
    go_type: ClassVar[str] = "cel.Semver"

    major: int
    minor: int
    patch: int
    pre: tuple[PreRelease, ...] = ()
    build: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and self.compare(other) == 0

    __hash__ = None  # type: ignore[assignment]

    def compare(self, other: Semver) -> int:
        """Return -1, 0 or 1 by precedence, which ignores the build."""
        left, right = (self.major, self.minor, self.patch), (other.major, other.minor, other.patch)
        if left != right:
            return 1 if left > right else -1
        if not self.pre or not other.pre:
            return int(bool(other.pre)) - int(bool(self.pre))
        work.spend(len(self.pre) + len(other.pre))
        keys = [
            [(isinstance(part, str), part) for part in version.pre] for version in (self, other)
        ]
        return int(keys[0] > keys[1]) - int(keys[0] < keys[1])

    def __str__(self) -> str:
        pre = f"-{'.'.join(map(str, self.pre))}" if self.pre else ""
        build = f"+{'.'.join(self.build)}" if self.build else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}{build}"


def parse_semver(text: str, normalize: bool = False) -> Semver:
    """Parse a version or raise FunctionError; `normalize` drops a `v` and leading zeros, and adds missing numbers."""
    work.spend(len(text) >> 1)
    if normalize:
        text = _normalized(text)
    if not text:
        raise FunctionError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise FunctionError("No Major.Minor.Patch elements found")
    major, minor = _number(parts[0], "Major number"), _number(parts[1], "Minor number")
    rest, plus, build = parts[2].partition("+")
    patch, dash, pre = rest.partition("-")
    return Semver(
        *(major, minor, _number(patch, "Patch number")),
        tuple(map(_pre_release, pre.split("."))) if dash else (),
        tuple(_identifier(part, "Build meta data") for part in build.split(".")) if plus else (),
    )


def _normalized(text: str) -> str:
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        # Upstream counts bytes.
        if len(part) > 1 or not part.isascii():
            stripped = part.lstrip("0")
            parts[index] = stripped if "0" <= stripped[:1] <= "9" else f"0{stripped}"
    if len(parts) < 3:
        if "+" in parts[-1] or "-" in parts[-1]:
            raise FunctionError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)


def _number(text: str, what: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise FunctionError(f"Invalid character(s) found in {what.lower()} {quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise FunctionError(f"{what} must not contain leading zeroes {quote(text)}")
    if not text:
        raise FunctionError('strconv.ParseUint: parsing "": invalid syntax')
    if len(text) > len(str(MAX_UINT)) or int(text) > MAX_UINT:
        raise FunctionError(f"strconv.ParseUint: parsing {quote(text)}: value out of range")
    return int(text)


def _pre_release(text: str) -> PreRelease:
    is_number = text and _NUMBER.fullmatch(text)
    return (
        _number(text, "Numeric PreRelease version")
        if is_number
        else _identifier(text, "Prerelease")
    )


def _identifier(text: str, what: str) -> str:
    if not text:
        raise FunctionError(f"{what} is empty")
    if not _IDENTIFIER.fullmatch(text):
        raise FunctionError(f"Invalid character(s) found in {what.lower()} {quote(text)}")
    return text


def _int64(number: int) -> int:
    """Return an unsigned 64-bit number as int64, which wraps on overflow."""
    return (number + 2**63) % 2**64 - 2**63


LIBRARY: Final = Library(
    "semver",
    introduced=(1, 33),
    docs={
        "isSemver": "Returns whether a string is a semantic version.",
        "major": "Returns the major version of a semantic version.",
        "minor": "Returns the minor version of a semantic version.",
        "patch": "Returns the patch version of a semantic version.",
        "semver": "Parses a semantic version; with `true`, also one such as `v1.0`.",
    },
    functions=(
        overload("semver", "string_to_semver", (STRING,), SEMVER, parse_semver),
        overload("semver", "string_bool_to_semver", (STRING, BOOL), SEMVER, parse_semver),
        overload(
            "isSemver",
            "is_semver_string",
            (STRING,),
            BOOL,
            declaration.accepts(parse_semver),
        ),
        overload(
            "isSemver",
            "is_semver_string_bool",
            (STRING, BOOL),
            BOOL,
            declaration.accepts(parse_semver),
        ),
        *declaration.ordering(SEMVER, "semver"),
        member("major", "semver_major", (SEMVER,), INT, lambda version: _int64(version.major)),
        member("minor", "semver_minor", (SEMVER,), INT, lambda version: _int64(version.minor)),
        member("patch", "semver_patch", (SEMVER,), INT, lambda version: _int64(version.patch)),
    ),
    costs=dict.fromkeys(("semver", "isSemver"), ARGUMENT),
    equality={SEMVER: constant()},
)
