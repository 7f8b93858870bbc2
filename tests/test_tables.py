"""Tables of tests: one item for all rows, or with `--rows` an item for each, which `-k` can choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import tables

if TYPE_CHECKING:
    from collections.abc import Callable

    Test = Callable[..., None]

ROWS = [("a", 1), pytest.param("b", 2, id="second")]


def declared() -> Test:
    @tables.each("text, number", ROWS, ids=["first", "other"])
    def test(text: str, number: int) -> None:
        assert text * number

    return test


def test_all_rows_are_one_item(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "row_is_item", False)
    assert not hasattr(declared(), "pytestmark")


def test_each_row_is_an_item_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "row_is_item", True)
    [mark] = declared().pytestmark  # type: ignore[attr-defined]
    names, items = mark.args
    assert names == ["text", "number"]
    assert [(item.id, item.values) for item in items] == [("first", ("a", 1)), ("second", ("b", 2))]
