"""Evaluation of CEL expressions with cel-python: conversion of values in both directions, and a limit of steps.

cel-python has no limit of its own, evaluates both sides of `&&`, and every element in `all`. Steps are counted instead
of measuring time, so that every run stops at the same point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from celpy import Environment, celtypes
from celpy.celparser import CELParseError
from celpy.evaluation import Activation, CELEvalError, Evaluator, base_functions

from crdlint.cel.ast import Uint
from crdlint.cel.eval.errors import Error
from crdlint.cel.eval.values import Duration, Timestamp, Value
from crdlint.cel.stack import run_with_large_stack
from crdlint.golang import matching
from crdlint.kubecel.escaping import unescape
from crdlint.kubecel.values import ObjectValue
from crdlint.safety import work

if TYPE_CHECKING:
    import lark

FAILS: Final = "fails"  # the result of an expression that ends in any error
FUNCTIONS: Final = frozenset((*base_functions, "dyn"))

_TOO_MANY_STEPS: Final = "the rule takes cel-python too many steps"
_STEPS_OF_PATTERNS: Final = 200_000  # units of crdlint.safety.work, for one evaluation
_LONGEST: Final = 10_000  # characters of an expression
_BYTES_PER_STEP: Final = 64  # of text
_STEPS_PER_SCOPE: Final = 8  # the variables of an iteration
_MICROSECOND: Final = 1000  # nanoseconds
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
# Operators and functions that read all parts of their operands; the others take constant time.
_READ_ALL: Final = ("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "_in_", "_+_")
_THEIRS: Final[Mapping[type[Any], Callable[[Any], Any]]] = {
    type(None): lambda _: None, bool: celtypes.BoolType, Uint: celtypes.UintType, int: celtypes.IntType,
    float: celtypes.DoubleType, str: celtypes.StringType, bytes: celtypes.BytesType,
    Duration: lambda value: celtypes.DurationType(timedelta(microseconds=value.nanoseconds // _MICROSECOND)),
    Timestamp: lambda value: celtypes.TimestampType(_EPOCH + timedelta(microseconds=value.nanoseconds // _MICROSECOND)),
}  # fmt: skip
_OURS: Final = {theirs: ours for ours, theirs in _THEIRS.items() if isinstance(theirs, type)}


class NotEvaluatedError(Exception):
    """cel-python cannot evaluate an expression; `str()` is the reason."""


class Steps:
    """The number of steps of an evaluation, each of about five microseconds, and their limit."""

    __slots__ = ("limit", "used")

    def __init__(self, limit: int) -> None:
        self.limit: Final = limit
        self.used = 0

    def spend(self, steps: int) -> None:
        """Count steps; raise NotEvaluatedError if the limit is exceeded."""
        self.used += steps
        if self.used > self.limit:
            raise NotEvaluatedError(_TOO_MANY_STEPS)

    def spend_parts(self, values: Iterable[Any]) -> None:
        """Count one step for every part of values."""
        pending = list(values)
        while pending:
            value = pending.pop()
            self.spend(1)
            if isinstance(value, str | bytes):
                self.spend(len(value) // _BYTES_PER_STEP)
            elif isinstance(value, list | dict):
                self.spend(len(value))
                pending.extend(value.values() if isinstance(value, dict) else value)


class _CountingEvaluator(Evaluator):
    """cel-python's evaluator, which counts each visited node and each value that is read."""

    def __init__(self, ast: lark.Tree[Any], activation: Activation, steps: Steps) -> None:
        super().__init__(ast, activation)
        self._steps: Final = steps

    def sub_evaluator(self, ast: lark.Tree[Any]) -> Evaluator:
        return _CountingEvaluator(ast, self.activation, self._steps)

    def set_activation(self, values: Any) -> Evaluator:
        self._steps.spend(_STEPS_PER_SCOPE)
        return super().set_activation(values)

    def visit(self, tree: lark.Tree[Any]) -> Any:
        self._steps.spend(1)
        return super().visit(tree)

    def visit_children(self, tree: lark.Tree[Any]) -> list[Any]:
        self._steps.spend(1 + len(tree.children))
        return super().visit_children(tree)

    def function_eval(self, name_token: lark.Token, exprlist: Iterable[Any] | None = None) -> Any:
        arguments = list(exprlist or ())
        self._steps.spend_parts(arguments)
        return super().function_eval(name_token, arguments)

    def method_eval(self, object: Any, method_ident: lark.Token, exprlist: Iterable[Any] | None = None) -> Any:  # noqa: A002
        self._steps.spend_parts((object,))
        if exprlist is None or isinstance(exprlist, CELEvalError):
            return super().method_eval(object, method_ident, exprlist)
        arguments = list(exprlist)
        self._steps.spend_parts(arguments)
        return super().method_eval(object, method_ident, arguments)


def evaluate(text: str, variables: Mapping[str, Value], steps: Steps) -> Value:
    """Evaluate an expression with cel-python and return its value, or `FAILS` for an error.

    Raise NotEvaluatedError if cel-python cannot evaluate it within the limit.
    """
    if len(text) > _LONGEST:
        raise NotEvaluatedError("the rule is too long for cel-python")

    def run() -> Value:
        names = {name: _to_cel_python(value, steps) for name, value in variables.items()}
        activation = Activation(functions=_counted_functions(steps))
        with work.limited(_STEPS_OF_PATTERNS):
            result = _CountingEvaluator(_parse(text), activation, steps).evaluate(names)
        steps.spend_parts((result,))
        return _from_cel_python(result)

    try:
        return run_with_large_stack(run)
    except work.WorkLimitError:
        raise NotEvaluatedError(_TOO_MANY_STEPS) from None
    except CELEvalError:
        return FAILS
    except CELParseError:
        raise NotEvaluatedError("cel-python does not know the syntax of the rule") from None
    except NotEvaluatedError:
        raise
    except Exception as error:
        raise NotEvaluatedError(f"cel-python ends in an exception of its own, {type(error).__name__}") from error


_ENVIRONMENT: Final = Environment()


@lru_cache(maxsize=128)
def _parse(text: str) -> lark.Tree[Any]:
    return _ENVIRONMENT.compile(text)


def _counted_functions(steps: Steps) -> dict[str, Any]:
    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*operands: Any) -> Any:
            steps.spend_parts(operands)
            return function(*operands)

        return call

    return {**base_functions, **{name: counted(base_functions[name]) for name in _READ_ALL}, "matches": _matches}


def _matches(text: str, pattern: str) -> celtypes.BoolType:
    """Return whether a pattern matches; RE2 is used directly because its use by cel-python has no limit."""
    try:
        return celtypes.BoolType(matching.matches(str(pattern), str(text)))
    except matching.PatternError as error:
        raise ValueError(str(error)) from error


def _to_cel_python(value: Value, steps: Steps) -> Any:
    steps.spend(1 + (len(value) // _BYTES_PER_STEP if isinstance(value, str | bytes) else 0))
    convert = _THEIRS.get(type(value))
    if convert is not None:
        return convert(value)
    if type(value) is Error:
        raise NotEvaluatedError("a value does not fit its schema")
    if isinstance(value, Mapping):
        keys = [key for key in value if key in value]
        if isinstance(value, ObjectValue) and value.has_fields:
            # A field named by a keyword is also accessible unescaped.
            keys += [name for key in keys if (name := unescape(key)) is not None and name != key]
        return celtypes.MapType({_to_cel_python(key, steps): _to_cel_python(value[key], steps) for key in keys})
    if hasattr(value, "__iter__"):
        return celtypes.ListType([_to_cel_python(item, steps) for item in value])
    raise NotEvaluatedError("cel-python has no type for a value")


def _from_cel_python(value: Any) -> Value:
    if isinstance(value, dict):
        return {_from_cel_python(key): _from_cel_python(item) for key, item in value.items()}
    if isinstance(value, list):  # the sum of lists is a plain list
        return [_from_cel_python(item) for item in value]
    if isinstance(value, timedelta):
        return Duration(value // timedelta(microseconds=1) * _MICROSECOND)
    if isinstance(value, datetime):
        return Timestamp((value - _EPOCH) // timedelta(microseconds=1) * _MICROSECOND)
    ours = _OURS.get(type(value))
    return value if ours is None else ours(value)
