"""What `crdlint.light` makes behaves as what the standard library makes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from crdlint.diagnostics import Diagnostic, Fix, Related
from crdlint.light import dataclass, replace
from crdlint.yaml.edit import Edit

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class _One:
    only: int


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
