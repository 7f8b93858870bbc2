"""What a value's validation says (kube-openapi pkg/validation/errors), and as which field errors it is told.

Reproduces kubeOpenAPIResultToFieldErrors of apiextensions pkg/apiserver/validation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import INVALID, NOT_SUPPORTED, REQUIRED, TOO_LONG, TOO_MANY, TYPE_INVALID, FieldError
from crdlint.crd.paths import Path
from crdlint.golang.quote import quote
from crdlint.golang.values import marshal

if TYPE_CHECKING:
    from collections.abc import Iterator


class Code(Enum):
    """What sort of error it is, as far as it is told differently."""

    OTHER = auto()  # an error about a value
    PLAIN = auto()  # an error about nothing in particular
    TYPE = auto()
    REQUIRED = auto()
    ENUM = auto()
    TOO_LONG = auto()
    TOO_MANY = auto()


@dataclass(frozen=True, slots=True)
class OpenAPIError:
    """An error: where (`spec.list[0]`), its text, the value it is about, and what would have been allowed."""

    code: Code
    path: str
    text: str
    value: Any = None
    allowed: Any = None


@dataclass(slots=True)
class Result:
    """Errors in the order found, none twice, and how much matched: upstream's measure of the nearest alternative."""

    errors: list[OpenAPIError] = field(default_factory=list)
    matched: int = 0
    _seen: set[str] = field(default_factory=set)

    def add(self, error: OpenAPIError) -> None:
        """Add an error whose text is new."""
        if error.text not in self._seen:
            self._seen.add(error.text)
            self.errors.append(error)

    def merge(self, other: Result) -> None:
        """Add another result's errors and matches."""
        for error in other.errors:
            self.add(error)
        self.matched += other.matched


# What Go prints for a path that is nil.
NO_PATH: Final = Path("<nil>")


def field_errors(rule: str, path: Path | None, errors: list[OpenAPIError]) -> Iterator[FieldError]:
    """Yield the errors as the server tells them; ``path`` is that of the value, None for an object as a whole."""
    for error in errors:
        if error.code is Code.PLAIN:
            yield FieldError(rule, INVALID, path or NO_PATH, "", error.text)
            continue
        at = path
        name = error.path.removeprefix(".")
        if error.path not in ("", "."):
            at = Path(name) if path is None else path.child(name)
        yield _told(rule, at or NO_PATH, error)


def _told(rule: str, at: Path, error: OpenAPIError) -> FieldError:
    value = "" if error.value is None else error.value
    if error.code is Code.REQUIRED:
        return FieldError(rule, REQUIRED, at, None, "")
    if error.code is Code.ENUM:
        allowed = ", ".join(quote(one if isinstance(one, str) else marshal(one)) for one in error.allowed)
        return FieldError(rule, NOT_SUPPORTED, at, error.value, f"supported values: {allowed}")
    if error.code is Code.TOO_LONG:
        return FieldError(rule, TOO_LONG, at, None, f"may not be more than {error.allowed} byte{_s(error.allowed)}")
    if error.code is Code.TOO_MANY:
        return FieldError(rule, TOO_MANY, at, error.value, f"must have at most {error.allowed} item{_s(error.allowed)}")
    return FieldError(rule, TYPE_INVALID if error.code is Code.TYPE else INVALID, at, value, error.text)


def _s(count: int) -> str:
    return "" if count == 1 else "s"
