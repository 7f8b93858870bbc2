"""The work of a comparison grows with the CRD, not with its square."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from changes_support import changes
from counting import LINEAR, growth
from crds import small
from tables import each

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = {"type": "string"}


def fields(count: int, name: str, **more: Any) -> dict[str, Any]:
    return small(
        {"type": "object", "properties": {f"{name}{i}": {**TEXT, **more} for i in range(count)}}
    )


def renamed(count: int) -> tuple[Any, Any]:
    return fields(count, "a"), fields(count, "b")


def tightened(count: int) -> tuple[Any, Any]:
    return fields(count, "a"), fields(count, "a", maxLength=5)


def folded(count: int) -> tuple[Any, Any]:
    return fields(1, "a", allOf=[{"maxLength": 9}] * count), fields(
        1, "a", allOf=[{"maxLength": 8}] * count
    )


def enumerated(count: int) -> tuple[Any, Any]:
    return fields(1, "a", enum=[f"v{i}" for i in range(count)]), fields(
        1, "a", enum=[f"w{i}" for i in range(count)]
    )


def with_rules(count: int, rule: str) -> Any:
    """Return a CRD with a rule for each of some numbers, N and its successor M."""
    properties = {f"a{i}": {"type": "integer"} for i in range(count + 1)}
    rules = [{"rule": rule.replace("N", str(i)).replace("M", str(i + 1))} for i in range(count)]
    return small({"type": "object", "properties": properties, "x-kubernetes-validations": rules})


def ruled(count: int) -> tuple[Any, Any]:
    return with_rules(count, "true"), with_rules(count, "!has(self.aN) || self.aN < 9N")


def paired(count: int) -> tuple[Any, Any]:
    rule = "!has(self.aN) || !has(self.aM) || self.aN < self.aM"
    return with_rules(count, rule), with_rules(count, rule.replace("<", "+ 1 <"))


def of_one_field(count: int) -> tuple[Any, Any]:
    rule = "!has(self.a0) || self.a0 != 1N"
    return with_rules(count, rule), with_rules(count, rule.replace("1N", "2N"))


@each(
    ("make", "size"),
    [(renamed, 60), (tightened, 60), (folded, 60), (enumerated, 60)],
    ids=lambda one: str(one)[:20],
)
def test_linear(make: Callable[[int], tuple[Any, Any]], size: int) -> None:
    assert growth(lambda n: changes(*json.loads(json.dumps(make(n)))), size) < LINEAR


@pytest.mark.exhaustive
@pytest.mark.timeout(900)  # each line is counted, which takes minutes on a busy machine
@each(
    ("make", "size"),
    [(ruled, 120), (paired, 120), (of_one_field, 120)],
    ids=lambda one: str(one)[:20],
)
def test_rules_of_one_object_are_linear(make: Callable[[int], tuple[Any, Any]], size: int) -> None:
    assert growth(lambda n: changes(*json.loads(json.dumps(make(n)))), size) < LINEAR
