"""What `crdlint.light` makes behaves as what the standard library makes."""

from __future__ import annotations

import dataclasses
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from crdlint.diagnostics import Diagnostic, Fix, Related
from crdlint.light import dataclass, replace
from crdlint.yaml.edit import Edit

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class _One:
    only: int


def _shapes(make: Callable[..., Any]) -> list[Any]:
    """Return classes with all kinds of fields, made by a function."""

    @make(slots=True)
    class All:
        required: int
        default: str = "a"
        made: list[int] = field(default_factory=list)
        _made: dict[str, int] = field(default_factory=dict)
        later: int = field(init=False, default=4)
        new: set[int] = field(init=False, default_factory=set)
        unset: int = field(init=False)
        known: ClassVar[int] = 5

    @make(kw_only=True)
    class Named:
        required: int
        default: str = "a"

        def __post_init__(self) -> None:
            self.default += "b"

    @make
    class Below(Named):
        more: int = field(default=1, kw_only=False)
        last: bool = field(default=False, kw_only=True)

    @make
    class Empty:
        pass

    return [All, Named, Below, Empty]


CALLS: tuple[tuple[int, tuple[object, ...], dict[str, object]], ...] = (
    (0, (1,), {}),
    (0, (1, "b", [2], {"c": 3}), {}),
    (0, (1,), {"_made": {}, "default": "c"}),
    (0, (), {}),
    (0, (1,), {"later": 1}),
    (1, (), {"required": 1}),
    (1, (1,), {}),
    (2, (7,), {"required": 1, "last": True}),
    (2, (), {}),
    (3, (), {}),
    (3, (1,), {}),
)


@pytest.mark.parametrize(("kind", "arguments", "named"), CALLS)
def test_values_are_made_as_by_the_standard_library(
    kind: int, arguments: tuple[object, ...], named: dict[str, object]
) -> None:
    calls = [(make, arguments, named) for make in (dataclass, dataclasses.dataclass)]
    results = {_values(make, kind, *given, **rest) for make, given, rest in calls}
    assert len(results) == 1


def _values(make: Callable[..., Any], kind: int, *arguments: object, **named: object) -> str:
    """Return what two calls of a class give its fields, of which the first one compiles it, or the error of the first."""
    cls = _shapes(make)[kind]
    try:
        values = [cls(*arguments, **named) for _ in range(2)]
    except TypeError as error:
        return str(error).rpartition(".")[2]
    names = [each.name for each in dataclasses.fields(cls)]
    return str([[getattr(value, name, "unset") for name in names] for value in values])


def test_each_value_has_a_list_of_its_own() -> None:
    kind = _shapes(dataclass)[0]
    first, second = kind(1), kind(2)
    first.made.append(3)
    assert (first.made, second.made) == ([3], [])


VALUES: tuple[tuple[DataclassInstance, dict[str, object]], ...] = (
    (_One(1), {"only": (1, 2)}),
    (Edit(1, 2, "a"), {"text": "b", "start": 0}),
    (Fix("Write it", "safe", (Edit(1, 2, "a"),)), {"applicability": "unsafe"}),
    (Related("here", "a.yaml", 1, 2), {}),
    (Diagnostic("storage", "advice", "a-rule", "info", "A sentence."), {"hidden": True, "version": "v1"}),
)  # fmt: skip


def test_a_copy_is_that_of_the_standard_library() -> None:
    for value, changes in VALUES:
        copy = replace(value, **changes)
        assert copy == dataclasses.replace(value, **changes)
        assert copy is not value
        assert type(copy) is type(value)


def test_a_copy_with_an_unknown_field_is_an_error() -> None:
    with pytest.raises(KeyError):
        replace(_One(1), other=2)  # type: ignore[call-arg]
