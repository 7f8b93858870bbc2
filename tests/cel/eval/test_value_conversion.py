"""Maps, joined lists and objects that bring their own behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tables import each

from crdlint.cel.ast import Uint
from crdlint.cel.errors import Error
from crdlint.cel.eval.equality import compare, contains, equal
from crdlint.cel.eval.values import MISSING, ConcatList, Map, Optional_, native
from crdlint.cel.types import DYN, list_type, opaque_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crdlint.cel.eval.program import Program


class OwnList:
    """A list whose order does not matter, `+` a union, read through a converter."""

    cel_type = list_type(DYN)

    def __init__(self, *values: Any) -> None:
        self.values = list(values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: int) -> Any:
        return self.values[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def cel_equal(self, other: Any) -> bool | Error:
        return (
            Error("no such overload")
            if isinstance(other, int)
            else sorted(self.values) == sorted(other)
        )

    def cel_add(self, other: Any) -> OwnList:
        return OwnList(*self.values, *(value for value in other if value not in self.values))

    def cel_get(self, index: Any) -> Any:
        return self.values[index] if type(index) is int else Error(f"unsupported index: {index}")

    def cel_native(self) -> list[Any]:
        return [f"raw {value}" for value in self.values]


VARIABLES = {"x": 0, "self": {"l": OwnList(1, 2), "opt": Optional_(OwnList(1, 2))}}


@each(
    ("text", "value"),
    [
        ("self.l == [2, 1]", True),
        ("[2, 1] == self.l", False),
        ("self.l == dyn(1)", Error("no such overload")),
        ("self.l != dyn(1)", True),
        ("[self.l] == [dyn(1)]", True),
        ("(self.l + [2, 3]).size() == 3 && ([] + self.l) == [2, 1]", True),
        ("self.l.map(i, i + 1) == [2, 3] && 2 in self.l && self.l[1] == 2", True),
        ("self.l[dyn(1.0)]", Error("unsupported index: 1.0")),
        ("dyn(self.opt)[0].value()", "raw 1"),
        ("self.opt.value()[0]", 1),
        ("dyn(self.opt) == optional.of([2, 1])", True),
    ],
)
def test_own_behaviour(program: Callable[..., Program], text: str, value: Any) -> None:
    got = program(text).evaluate(VARIABLES).value
    assert (got.message if type(got) is Error else got) == (
        value.message if type(value) is Error else value
    )


def test_keys_of_maps() -> None:
    mapping = Map([(1, "int"), (2.0, "double"), (True, "bool"), ("a", "string"), (Uint(3), "uint")])
    keys = (1, Uint(1), 1.0, 2.0, 2, True, "a", 3, 3.0, False, None, float("nan"))
    assert [mapping.find(key) for key in keys[:9]] == [
        "int", "int", "int", "double", MISSING, "bool", "string", "uint", "uint",
    ]  # fmt: skip
    assert all(mapping.find(key) is MISSING for key in keys[9:])
    assert list(mapping) == [1, 2.0, True, "a", 3]
    assert mapping["a"] == "string"
    with pytest.raises(KeyError):
        mapping["b"]


def test_bytes_are_no_keys(program: Callable[..., Program]) -> None:
    result = program("{dyn(b'a' + b'b'): 1}").evaluate({})
    assert result.error == "internal error: runtime error: hash of unhashable type types.Bytes"


def test_joined_lists_are_put_together_once() -> None:
    values: Any = [0]
    for _ in range(40):
        values = ConcatList(values, values)
    assert len(values) == 2**40
    short = ConcatList(ConcatList([1], [2]), (3,))
    assert (list(short), short[-1], short[1:]) == ([1, 2, 3], 3, [2, 3])


def test_deep_values_are_compared() -> None:
    one: Any = []
    other: Any = []
    for _ in range(20_000):
        one, other = [one], [other]
    assert equal(one, other) is True
    assert equal(one, [other]) is False


def test_joined_lists_are_compared_from_the_start() -> None:
    assert equal(ConcatList([Error("a")], [Error("b")]), [1, 2]) == Error("a")


@each(
    ("first", "second", "order"),
    [(1, Uint(2), -1), (2.5, 2, 1), (Uint(1), 1.0, 0), (False, True, -1), (-1, Uint(2**63), -1)],
)
def test_order(first: Any, second: Any, order: int) -> None:
    assert compare(first, second) == order


def test_membership() -> None:
    assert contains([1, 2.0], Uint(2)) is True
    assert contains(Map([(1, 2)]), 1.0) is True
    assert contains("abc", "a") == Error("no such overload")


def test_native_values() -> None:
    assert native(Optional_(Optional_(OwnList(1)))) == ["raw 1"]
    assert native(opaque_type("a.B")) == "a.B"
    assert native(ConcatList([OwnList(1)], [2])) == [["raw 1"], 2]
