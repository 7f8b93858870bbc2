"""What is wrong with a value, as a code and arguments: helps and fixes read these, never the sentence made from them."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any, NamedTuple


class Code(Enum):
    """The kinds of problems, with their arguments in brackets."""

    TYPE = auto()  # (type wanted, type given)
    FORMAT = auto()  # (format,)
    RANGE = auto()  # (type,): a number outside the range of its type and format
    ENUM = auto()  # the values allowed
    LEAST = auto()  # (limit, exclusive)
    MOST = auto()  # (limit, exclusive)
    MULTIPLE = auto()  # (factor,)
    PATTERN = auto()  # (pattern,)
    TOO_SHORT = auto()  # (least number of characters,)
    TOO_LONG = auto()  # (greatest number of characters,)
    TOO_FEW = auto()  # (least number, items or properties)
    TOO_MANY = auto()  # (greatest number,)
    NOT_UNIQUE = auto()
    ANY_OF = auto()
    ONE_OF = auto()
    NO_MAP_ITEM = auto()  # an item of a map list that is no object
    NOT_CHECKED = auto()  # rules that are not run because of other errors
    IMMUTABLE = auto()
    OUT_OF_BUDGET = auto()  # a rule whose evaluation costs too much
    NO_KEY = auto()  # (field,): a rule reads a field that the object lacks
    RULE_FAILED = auto()  # a rule that does not compile, or whose evaluation ends in an error
    UNKNOWN_FIELDS = auto()  # a default with fields that the schema does not have
    NO_FIELD = auto()  # a fieldPath that leads to no field of the schema
    MISNAMED = auto()  # (name meant,): an expression names what is not declared
    UNCLOSED = auto()  # an expression that ends before its brackets are closed
    NOT_DEPRECATED = auto()  # a deprecation warning on a version that is not deprecated
    NOT_BELOW = auto()  # (parent path,): a JSON path that does not start with its parent
    NO_WEBHOOK_STRATEGY = auto()  # a webhook under a strategy that does not call it


class Reason(NamedTuple):
    """What is wrong with a value."""

    code: Code
    arguments: tuple[Any, ...] = ()
