"""Violations of a schema, and their conversion to field errors.

The texts are kube-openapi's (pkg/validation/errors, validate/schema_messages.go). The field errors are those of
kubeOpenAPIResultToFieldErrors (apiextensions pkg/apiserver/validation).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

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
from crdlint.crd.paths import ADDITIONAL, INDEX, NIL, PROPERTY, Key, Path, ValuePath
from crdlint.gathering import without_none
from crdlint.golang.printing import marshal
from crdlint.golang.text import quote
from crdlint.light import NamedTuple
from crdlint.safety.work import Recent

RULE: Final = "resource-value"


class Violation(NamedTuple):
    """One error.

    `type`: its type.
    `value_path`: the path of the value.
    `value`: the bad value, None without one.
    `detail`: a function from the printed path to the detail.
    `nowhere`: whether upstream reports it without a path.
    `missing`: the name of a missing field.
    `reason`: its cause as data.
    """

    type: str
    value_path: ValuePath
    value: Any
    detail: Callable[[str], str]
    nowhere: bool = False
    missing: str | None = None
    reason: Reason | None = None


def invalid(
    value_path: ValuePath,
    value: Any,
    words: str,
    reason: Reason,
    type_: str = INVALID,
) -> Violation:
    """Return an error with the text `<path> in body <words>`."""
    return Violation(
        type_,
        value_path,
        value,
        lambda text: f"{text} in body {words}",
        reason=reason,
    )


def mistyped(value_path: ValuePath, expected: str, actual: str) -> Violation:
    """Return an error for a value of the wrong type."""
    words = f"must be of type {expected}: {quote(actual)}"
    return invalid(
        value_path,
        actual,
        words,
        Reason(Code.TYPE, (expected, actual)),
        TYPE_INVALID,
    )


def unformatted(value_path: ValuePath, format_: str, actual: str) -> Violation:
    """Return an error for a text that does not match the format of its schema."""
    words = f"must be of type {format_}: {quote(actual)}"
    return invalid(
        value_path,
        actual,
        words,
        Reason(Code.FORMAT, (format_,)),
        TYPE_INVALID,
    )


def nowhere(
    value_path: ValuePath, detail: Callable[[str], str], reason: Reason | None = None
) -> Violation:
    """Return an error without a path."""
    return Violation(
        INVALID,
        value_path,
        "",
        detail,
        nowhere=True,
        reason=reason,
    )


def not_in(value_path: ValuePath, value: Any, allowed: Sequence[Any]) -> Violation:
    """Return an error for a value that is not in an enum."""
    enum = _ENUMS.get(id(allowed))
    if enum is None or enum.allowed is not allowed:
        enum = _Enum.of(allowed)
        _ENUMS.put(id(allowed), enum, len(enum.detail))
    detail = enum.detail
    return Violation(
        NOT_SUPPORTED,
        value_path,
        value,
        lambda _: detail,
        reason=Reason(Code.ENUM, enum.accepted),
    )


class _Enum(NamedTuple):
    """The values of an enum, the detail of the errors of other values, and the values that the server finds in it."""

    allowed: Sequence[Any]
    detail: str
    accepted: tuple[str, ...]

    @classmethod
    def of(cls, allowed: Sequence[Any]) -> _Enum:
        """Return what the errors of an enum have in common."""
        texts = tuple(map(_text, allowed))
        # The server finds null in no enum.
        accepted = tuple(map(_text, without_none(allowed)))
        return cls(allowed, f"supported values: {', '.join(map(quote, texts))}", accepted)


def _text(value: Any) -> str:
    return value if value.__class__ is str else marshal(value)


# Many values may be in none of a long list, and their errors have the same text.
_ENUMS: Final[Recent[_Enum]] = Recent(8 * 1024 * 1024)


def too_long(value_path: ValuePath, limit: int) -> Violation:
    """Return an error for a text with too many characters, which upstream calls bytes."""
    detail = too_long_detail(limit, of_values=True)
    return Violation(
        TOO_LONG,
        value_path,
        None,
        lambda _: detail,
        reason=Reason(Code.TOO_LONG, (limit,)),
    )


def too_many(value_path: ValuePath, size: int, limit: int) -> Violation:
    """Return an error for too many items or properties."""
    detail = too_many_detail(limit)
    return Violation(
        TOO_MANY,
        value_path,
        size,
        lambda _: detail,
        reason=Reason(Code.TOO_MANY, (limit,)),
    )


def missing(value_path: ValuePath, name: str) -> Violation:
    """Return an error for a missing required field."""
    return Violation(
        REQUIRED,
        value_path,
        None,
        lambda _: "",
        missing=name,
    )


class _PrintedPaths:
    """Paths of values as texts and as `Path`s; common parts are created once."""

    def __init__(self, path: Path | None) -> None:
        self._root: Final = ("", path)
        self._known: dict[int, tuple[str, Path | None]] = {id(None): self._root}

    def of(self, value_path: ValuePath) -> tuple[str, Path | None]:
        """Return a path as kube-openapi prints it (`spec.list[0]`), and as a `Path`."""
        if value_path is None:
            return self._root
        new: list[tuple[Any, Any, int]] = []
        while id(value_path) not in self._known:
            assert value_path is not None  # noqa: S101  the root is in it
            new.append(value_path)
            value_path = value_path[0]
        text, path = self._known[id(value_path)]
        for part in reversed(new):
            _, name, how = part
            if how == INDEX:
                text = f"{text}[{name}]"
            elif how == PROPERTY and not text:
                text = name
            else:
                text = f"{text}.{name}"
            path = Path(Key(name) if how == ADDITIONAL else name, path)
            self._known[id(part)] = (text, path)
        return text, path


def field_errors(violations: Iterable[Violation], path: Path | None) -> list[FieldError]:
    """Return the field errors of a value at `path` (None for a whole resource), without errors of the same text.

    `path` of an error prints as upstream's, `error_path` is the same path step by step.
    """
    errors: dict[tuple[str, str, str], FieldError] = {}
    if path is not None:
        path = path.shared()  # the paths of the errors start with it
    printed_paths = _PrintedPaths(path)
    for violation in violations:
        text, located = printed_paths.of(violation.value_path)
        name = text
        if violation.missing is not None:
            name, located = f"{text}.{violation.missing}", Path(violation.missing, located)
        is_at_root = name in {"", "."} or violation.nowhere
        where = path if is_at_root else Path(name.removeprefix("."), path)
        detail = violation.detail(text)
        error = FieldError(
            RULE,
            violation.type,
            where or NIL,
            violation.value,
            detail,
            located,
            reason=violation.reason,
        )
        errors.setdefault((violation.type, name, detail), error)
    return list(errors.values())
