"""Tests of a table whose rows are cheap: all rows in one item, and each that fails reported by itself.

With `pytest --rows`, each row is an item of its own, which `-k` can choose.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from _pytest.mark.structures import ParameterSet

    Test = Callable[..., None]

Row = TypeVar("Row")

# Whether each row is an item, which `--rows` asks for.
row_is_item = False
_SUBTESTS: Final = inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)


def each(
    names: str | Sequence[str],
    rows: Iterable[object],
    *,
    ids: Iterable[object] | Callable[[Any], object] | None = None,
) -> Callable[[Test], Test]:
    """Call a test once for each row, as `pytest.mark.parametrize` does, but within one item.

    Rows share the fixtures of the item, so this is for tests whose rows leave nothing behind.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = list(rows)
    table = [_arguments(columns, row) for row in rows]
    labels = [
        getattr(row, "id", None) or label
        for row, label in zip(rows, _labels(table, ids), strict=True)
    ]

    if row_is_item:
        marks = [getattr(row, "marks", ()) for row in rows]
        items = [
            pytest.param(*row.values(), id=label, marks=marked)
            for row, label, marked in zip(table, labels, marks, strict=True)
        ]
        return pytest.mark.parametrize(columns, items)

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        others = [one for one in signature.parameters.values() if one.name not in columns]
        nested = any(one.name == _SUBTESTS.name for one in others)

        @functools.wraps(test)
        def run(*, subtests: pytest.Subtests, **fixtures: object) -> None:
            for label, arguments in zip(labels, table, strict=True):
                with subtests.test(label):
                    test(**arguments, **fixtures, **({"subtests": subtests} if nested else {}))

        del run.__wrapped__  # pytest would read its parameters
        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[
                *(
                    one.replace(kind=one.KEYWORD_ONLY)
                    for one in others
                    if one.name != _SUBTESTS.name
                ),
                _SUBTESTS,
            ]
        )
        return run

    return decorate


def _arguments(columns: Sequence[str], row: object) -> Mapping[str, object]:
    values = getattr(row, "values", row) if type(row).__name__ == "ParameterSet" else row
    if len(columns) == 1:
        return {columns[0]: values[0] if values is not row else row}  # type: ignore[index]
    return dict(zip(columns, values, strict=True))  # type: ignore[call-overload]


def _labels(
    table: Sequence[Mapping[str, object]], ids: Iterable[object] | Callable[[Any], object] | None
) -> Sequence[str]:
    if ids is None:
        return [
            ", ".join(getattr(value, "__name__", repr(value)) for value in row.values())
            for row in table
        ]
    if callable(ids):
        return [", ".join(str(ids(value)) for value in arguments.values()) for arguments in table]
    return [str(label) for label in ids]


def sampled(rows: Sequence[Row], step: int) -> Sequence[ParameterSet]:
    """Return the parameters of a test of many rows: every `step`-th row by default, all in the exhaustive set."""
    return [
        pytest.param(rows[::step], id="sample"),
        pytest.param(rows, id="all", marks=pytest.mark.exhaustive),
    ]
