"""Unification and substitution of types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tables import each

from crdlint.cel.types import (
    DYN,
    INT,
    NULL,
    STRING,
    list_type,
    map_type,
    object_type,
    type_param,
    type_type,
)
from crdlint.cel.unification import Substitution, most_general

if TYPE_CHECKING:
    from crdlint.cel.types import Type

A, B, C = map(type_param, "ABC")
THING = object_type("Thing")

UNIFIED = [
    ([(INT, A)], A, "int"),
    ([(INT, A), (DYN, A)], A, "dyn"),
    ([(DYN, A), (INT, A)], A, "dyn"),
    ([(list_type(A), list_type(INT))], A, "int"),
    ([(A, B), (INT, A)], B, "int"),
    ([(list_type(A), B), (STRING, A)], B, "list(string)"),
    ([(map_type(A, B), C), (INT, A)], C, "map(int, <B>)"),
    ([(NULL, A), (THING, A)], A, "null_type"),
    ([(THING, A), (NULL, A)], A, "Thing"),
    ([(type_type(INT), A), (type_type(STRING), A)], A, "type(string)"),
]


@each(("pairs", "asked", "answer"), UNIFIED, ids=str)
def test_unify(pairs: list[tuple[Type, Type]], asked: Type, answer: str) -> None:
    substitution = Substitution()
    assert all(substitution.assignable(source, target) for source, target in pairs)
    assert str(substitution.substitute(asked)) == answer


@each(
    ("source", "target"),
    [(INT, STRING), (list_type(A), A), (INT, NULL), (list_type(INT), map_type(INT, INT))],
)
def test_no_unification(source: Type, target: Type) -> None:
    assert not Substitution().assignable(source, target)


def test_failure_leaves_nothing_behind() -> None:
    substitution = Substitution()
    assert substitution.assignable(A, INT)
    assert not substitution.all_assignable([list_type(B), A], [list_type(INT), STRING])
    assert substitution.substitute(map_type(A, B)).params == (INT, B)
    assert substitution.substitute(map_type(A, B), to_dyn=True).params == (INT, DYN)


def test_what_was_resolved_is_resolved_further() -> None:
    substitution = Substitution()
    assert substitution.assignable(list_type(A), B)
    assert str(substitution.substitute(B)) == "list(<A>)"
    assert substitution.assignable(INT, A)
    assert str(substitution.substitute(B)) == "list(int)"
    assert substitution.assignable(DYN, A)
    assert str(substitution.substitute(B)) == "list(dyn)"


def test_the_more_general() -> None:
    assert most_general(list_type(INT), list_type(DYN)).params == (DYN,)
    assert most_general(list_type(A), list_type(INT)).params == (A,)
