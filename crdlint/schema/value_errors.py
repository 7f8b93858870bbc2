"""What validation of a value finds, and as which field errors it is told.

The texts are kube-openapi's (pkg/validation/errors, validate/schema_messages.go), the field errors those of
kubeOpenAPIResultToFieldErrors (apiextensions pkg/apiserver/validation).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import (
    INVALID,
    NOT_SUPPORTED,
    REQUIRED,
    TOO_LONG,
    TOO_MANY,
    TYPE_INVALID,
    Code,
    FieldError,
    Reason,
    too_long_detail,
    too_many_detail,
)
from crdlint.crd.paths import Key, Path, printable
from crdlint.golang.text import quote
from crdlint.golang.values import marshal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

RULE: Final = "resource-value"

# How a place is reached from the one above: a field's name, the key of an additional property, an index.
PROPERTY: Final = 0
ADDITIONAL: Final = 1
INDEX: Final = 2

# The place above (None below the root), a name or index, one of the three: cheap to make for every value.
ValuePath: TypeAlias = "tuple[ValuePath | None, Any, int] | None"


@dataclass(frozen=True, slots=True)
class Violation:
    """One error: its type, the place it is about, the bad value (None: none), and its detail for the place's text.

    ``nowhere`` are errors that upstream gives no path of their own. ``missing`` is a field that the place lacks.
    """

    type: str
    place: ValuePath
    value: Any
    detail: Callable[[str], str]
    nowhere: bool = False
    missing: str | None = None
    reason: Reason | None = None


def in_body(type_: str, place: ValuePath, value: Any, words: str, reason: Reason) -> Violation:
    """Return an error whose text is `<place> in body <words>`."""
    return Violation(type_, place, value, lambda text: f"{text} in body {words}", reason=reason)


def invalid(place: ValuePath, value: Any, words: str, reason: Reason) -> Violation:
    """Return an error about a bad value."""
    return in_body(INVALID, place, value, words, reason)


def mistyped(place: ValuePath, wanted: str, given: str) -> Violation:
    """Return an error about a value of another type."""
    reason = Reason(Code.TYPE, (wanted, given))
    return in_body(TYPE_INVALID, place, given, f"must be of type {wanted}: {quote(given)}", reason)


def unformatted(place: ValuePath, format_: str, given: str) -> Violation:
    """Return an error about a text without the format of its schema."""
    reason = Reason(Code.FORMAT, (format_,))
    return in_body(TYPE_INVALID, place, given, f"must be of type {format_}: {quote(given)}", reason)


def nowhere(place: ValuePath, detail: Callable[[str], str], reason: Reason | None = None) -> Violation:
    """Return an error without a path of its own."""
    return Violation(INVALID, place, "", detail, nowhere=True, reason=reason)


def not_in(place: ValuePath, value: Any, allowed: Sequence[Any]) -> Violation:
    """Return an error about a value that an enum has not."""
    texts = tuple(one if one.__class__ is str else marshal(one) for one in allowed)
    listed = ", ".join(map(quote, texts))
    reason = Reason(Code.ENUM, texts)
    return Violation(NOT_SUPPORTED, place, value, lambda _: f"supported values: {listed}", reason=reason)


def too_long(place: ValuePath, limit: int) -> Violation:
    """Return an error about a text of too many characters, which upstream calls bytes."""
    detail = too_long_detail(limit, of_values=True)
    return Violation(TOO_LONG, place, None, lambda _: detail, reason=Reason(Code.TOO_LONG, (limit,)))


def too_many(place: ValuePath, size: int, limit: int) -> Violation:
    """Return an error about too many items or properties."""
    detail = too_many_detail(limit)
    return Violation(TOO_MANY, place, size, lambda _: detail, reason=Reason(Code.TOO_MANY, (limit,)))


def missing(place: ValuePath, name: str) -> Violation:
    """Return an error about a field that must be there."""
    return Violation(REQUIRED, place, None, lambda _: "", missing=name)


class _Places:
    """Places as texts and paths; what places share is made once."""

    def __init__(self, path: Path | None) -> None:
        self._known: dict[int, tuple[str, Path | None]] = {id(None): ("", path)}

    def of(self, place: ValuePath) -> tuple[str, Path | None]:
        """Return a place as kube-openapi names it (`spec.list[0]`), and its path step by step."""
        new: list[tuple[Any, Any, int]] = []
        while id(place) not in self._known:
            assert place is not None  # noqa: S101  the root is known
            new.append(place)
            place = place[0]
        text, path = self._known[id(place)]
        for one in reversed(new):
            _, name, how = one
            if how == INDEX:
                text = f"{text}[{name}]"
            elif how == PROPERTY and not text:
                text = name
            else:
                text = f"{text}.{name}"
            path = Path(Key(name) if how == ADDITIONAL else name, path)
            self._known[id(one)] = (text, path)
        return text, path


def field_errors(violations: Iterable[Violation], path: Path | None) -> list[FieldError]:
    """Return the field errors of a value at ``path`` (None for a whole resource), none of the same text twice.

    An error's ``path`` prints as upstream's, its ``at`` has the same place step by step.
    """
    errors: dict[tuple[str, str, str], FieldError] = {}
    if path is not None:
        path = path.shared()  # the errors are below it
    places = _Places(path)
    for violation in violations:
        text, located = places.of(violation.place)
        name = text
        if violation.missing is not None:
            name, located = f"{text}.{violation.missing}", Path(violation.missing, located)
        detail = violation.detail(text)
        at = path
        if name not in {"", "."} and not violation.nowhere:
            at = Path(name.removeprefix("."), path)
        error = FieldError(
            RULE, violation.type, printable(at), violation.value, detail, located, reason=violation.reason
        )
        errors.setdefault((violation.type, name, detail), error)
    return list(errors.values())
