"""The syntax tree of a CEL expression, as cel-go's common/ast has it.

Ids are those of cel-go's parser; `SourceInfo.offsets` maps them to places in the text. Treat nodes as immutable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias


class Uint(int):
    """An unsigned literal, told apart from `int` by its class."""

    __slots__ = ()


Value: TypeAlias = bool | int | Uint | float | str | bytes | None


@dataclass(slots=True)
class Unspecified:
    """The place of an expression that could not be read."""

    id: int


@dataclass(slots=True)
class Literal:
    """A constant; `type(value)` says which: bool, int, Uint, float, str, bytes or NoneType."""

    id: int
    value: Value


@dataclass(slots=True)
class Ident:
    """A name, with a leading dot where the text has one."""

    id: int
    name: str


@dataclass(slots=True)
class Select:
    """`operand.field`, or the presence test `has(operand.field)`."""

    id: int
    operand: Expr
    field: str
    test_only: bool = False


@dataclass(slots=True)
class Call:
    """A function, operator or, with a target, member call."""

    id: int
    function: str
    target: Expr | None
    args: list[Expr]


@dataclass(slots=True)
class ListExpr:
    """A list literal; `optional_indices` are those of the elements written `?e`."""

    id: int
    elements: list[Expr]
    optional_indices: list[int]


@dataclass(slots=True)
class StructField:
    """`field: value` of a message literal."""

    id: int
    field: str
    value: Expr
    optional: bool = False


@dataclass(slots=True)
class StructExpr:
    """A message literal."""

    id: int
    type_name: str
    fields: list[StructField]


@dataclass(slots=True)
class MapEntry:
    """`key: value` of a map literal."""

    id: int
    key: Expr
    value: Expr
    optional: bool = False


@dataclass(slots=True)
class MapExpr:
    """A map literal."""

    id: int
    entries: list[MapEntry]


@dataclass(slots=True)
class Comprehension:
    """A fold; `iter_var2` is empty where there is one iteration variable."""

    id: int
    iter_range: Expr
    iter_var: str
    iter_var2: str
    accu_var: str
    accu_init: Expr
    loop_condition: Expr
    loop_step: Expr
    result: Expr


Expr: TypeAlias = Unspecified | Literal | Ident | Select | Call | ListExpr | StructExpr | MapExpr | Comprehension
