"""A second evaluation of rules with cel-python, and the evaluations in which its result differs.

`KNOWN` lists the known differences between cel-python and cel-go. A different result that one of them explains is
counted under its name; any other is a disagreement. cel-python has no limit of its own, evaluates both sides of `&&`,
and every element in `all`. Steps are counted instead of measuring time, so that every run stops at the same point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import Any, Final, Literal

import lark
from celpy import Environment, celtypes
from celpy.celparser import CELParseError
from celpy.evaluation import Activation, CELEvalError, Evaluator, base_functions

from crdlint.cel import ast
from crdlint.cel.ast import Uint, children, nodes
from crdlint.cel.compiler import Compiled
from crdlint.cel.errors import Error
from crdlint.cel.eval.equality import equal
from crdlint.cel.eval.program import Evaluated
from crdlint.cel.eval.values import Duration, Timestamp, Value, kind_of
from crdlint.cel.stack import run_with_large_stack
from crdlint.cel.types import DYN, Kind, Type
from crdlint.crd.errors import BrokenRule
from crdlint.golang import matching
from crdlint.kubecel.compilation import Expression
from crdlint.kubecel.declarations import unescape
from crdlint.kubecel.evaluation import Evaluation
from crdlint.kubecel.values import ListValue, MapListValue, ObjectValue, SetValue
from crdlint.light import NamedTuple, dataclass
from crdlint.phrases import some
from crdlint.safety import work

FAILS: Final = "fails"  # the result of an expression that ends in any error
_FUNCTIONS: Final = frozenset((*base_functions, "dyn"))

_TOO_MANY_STEPS_OF_RULE: Final = "the rule takes cel-python too many steps"
_STEPS_OF_PATTERNS: Final = 200_000  # units of crdlint.safety.work, for one evaluation
_LONGEST: Final = 10_000  # characters of an expression
_BYTES_PER_STEP: Final = 64  # of text
_STEPS_PER_SCOPE: Final = 8  # the variables of an iteration
_MICROSECOND: Final = 1000  # nanoseconds
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
# Operators and functions that read all parts of their operands; the others take constant time.
_READ_ALL: Final = ("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "_in_", "_+_")
_THEIRS: Final[Mapping[type[Any], Callable[[Any], Any]]] = {
    type(None): lambda _: None,
    bool: celtypes.BoolType,
    Uint: celtypes.UintType,
    int: celtypes.IntType,
    float: celtypes.DoubleType,
    str: celtypes.StringType,
    bytes: celtypes.BytesType,
    Duration: lambda value: celtypes.DurationType(
        timedelta(microseconds=value.nanoseconds // _MICROSECOND)
    ),
    Timestamp: lambda value: celtypes.TimestampType(
        _EPOCH + timedelta(microseconds=value.nanoseconds // _MICROSECOND)
    ),
}
_OURS: Final = {theirs: ours for ours, theirs in _THEIRS.items() if isinstance(theirs, type)}
STEPS_OF_RULE: Final = 50_000  # steps of cel-python for one evaluation
_STEPS_OF_OBJECT: Final = 200_000
_LISTED: Final = 8  # the number of functions in a notice
_TOO_MANY_STEPS: Final = "the rules of the object take cel-python too many steps"
# Operators that compare operands, and whether the last operand is a container of values to compare with.
_EQUALITY: Final = ("_==_", "_!=_", "@in", "_+_")
_KINDS_OF_TIME: Final = (Kind.DURATION, Kind.TIMESTAMP)
_CONTAINERS: Final = (Kind.LIST, Kind.MAP, Kind.STRUCT, Kind.DYN)
_COMPARED: Final = {
    **dict.fromkeys(("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"), False),
    "@in": True,
}

# Traits of an expression in addition to the overloads that it calls.
_MIXED: Final = "operands of different types"
_HAS_BELOW: Final = "has() of a field below another"
_MAP: Final = "map literal"
_LIST: Final = "list literal"
_TIMES: Final = "durations and timestamps"
_UNORDERED: Final = "lists of type set and map"
_UNDESCRIBED: Final = "fields that the schema does not describe"


class KnownDifference(NamedTuple):
    """A known difference between cel-python and cel-go.

    `traits` are the overloads and other traits of the affected expressions; one of them suffices. `failing` names the
    side that fails, if the difference never shows otherwise.
    """

    summary: str
    traits: tuple[str, ...]
    failing: Literal["cel-go", "cel-python"] | None = None


_CONVERTED: Final = (
    "string_to_int64",
    "string_to_uint64",
    "string_to_double",
    "double_to_int64",
    "string_to_bool",
)
_SUMS: Final = (
    "add_string",
    "add_bytes",
    "add_list",
    "add_duration_duration",
    "add_duration_timestamp",
    "add_timestamp_duration",
    "subtract_duration_duration",
    "subtract_timestamp_duration",
    "subtract_timestamp_timestamp",
)
# Before each row: where cel-go v0.26.0, or the API server, defines the behaviour.
KNOWN: Final = (
    # common/types/int.go, Int.Equal and Int.Compare
    KnownDifference("it compares values of different types otherwise", (_MIXED,)),
    # common/types/double.go, Double.Divide
    KnownDifference("it divides by zero, and compares NaN, otherwise", ("divide_double",)),
    # common/types/double.go, Double.ConvertToType
    KnownDifference("it converts to string otherwise", ("bool_to_string", "double_to_string")),
    # common/types/string.go, String.ConvertToType
    KnownDifference("it reads more texts as numbers", _CONVERTED, "cel-go"),
    # common/types/string.go, String.Add
    KnownDifference("it loses the type of a sum or difference", _SUMS, "cel-python"),
    # interpreter/attributes.go, refQualify
    KnownDifference("a negative index counts from the end of the list", ("index_list",), "cel-go"),
    # interpreter/attributes.go, attrFactory
    KnownDifference(
        "has() is false if an object on the way to the field is missing", (_HAS_BELOW,), "cel-go"
    ),
    # interpreter/interpretable.go, evalMap.Eval
    KnownDifference("an error inside of a list or map literal is lost", (_MAP, _LIST), "cel-go"),
    KnownDifference("a map literal must not repeat a key", (_MAP,), "cel-python"),
    # common/types/types.go
    KnownDifference("it has other names of types", ("type",)),
    # common/types/timestamp.go and duration.go
    KnownDifference("its durations and timestamps have microseconds and other limits", (_TIMES,)),
    # kubernetes apiserver pkg/cel/common/values.go
    KnownDifference("the order of lists of type set or map counts", (_UNORDERED,)),
    # kubernetes apiserver pkg/cel/common/valuesunstructured.go
    KnownDifference("it does not see fields that the schema does not describe", (_UNDESCRIBED,)),
)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An evaluation for which crdlint and cel-python have different results."""

    cause: BrokenRule
    ours: str
    theirs: str


@dataclass(slots=True)
class Tally:
    """The numbers of evaluations.

    `agreed`, `disagreed`: those that had the same value, and those that had another one.
    `differences`: those that a known difference explains, by the difference.
    `skipped`: those that were not compared, by the reason.
    `functions`: the functions that cel-python does not have.
    """

    agreed: int = 0
    disagreed: int = 0
    differences: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    functions: set[str] = field(default_factory=set)  # functions that cel-python does not have

    def notice(self) -> str:
        """Return a summary in one line."""
        total = self.agreed + self.disagreed
        parts = [
            f"second opinion of cel-python: {self.agreed:,} of {total:,} evaluations of rules agree"
        ]
        if self.differences:
            parts.append(f"known differences: {_counts(self.differences)}")
        if self.skipped:
            parts.append(f"not compared: {_counts(self.skipped)}")
        if self.functions:
            parts.append(f"functions: {some(sorted(self.functions), _LISTED)}")
        return "; ".join(parts)


def _counts(reasons: Counter[str]) -> str:
    return ", ".join(f"{reason} ({count:,})" for reason, count in sorted(reasons.items()))


@dataclass(frozen=True, slots=True)
class Opinion:
    """cel-python's answer for one evaluation.

    `value`: its value, `FAILS` for an error.
    `agrees`: whether that is the value of cel-go.
    `difference`: the known difference that explains another value, None if there is none.
    `skipped`: the reason why there is no answer, else None.
    """

    value: Value = None
    agrees: bool = False
    difference: str | None = None
    skipped: str | None = None


def opinion(
    expression: Expression,
    variables: Mapping[str, Value],
    result: Evaluated,
    steps: Steps,
    functions: set[str],
) -> Opinion:
    """Evaluate an expression again with cel-python; add the functions that it does not have to `functions`."""
    try:
        _check_support(expression.compiled, functions)
        theirs = evaluate(expression.text, variables, steps)
    except NotEvaluatedError as error:
        return Opinion(skipped=str(error))
    failing = {"cel-go": result.error is not None, "cel-python": theirs is FAILS}
    if any(failing.values()):
        agrees = all(failing.values())
    else:
        agrees = kind_of(result.value) is kind_of(theirs) and equal(result.value, theirs) is True
    if agrees:
        return Opinion(theirs, agrees)
    traits = frozenset(_traits(expression.compiled, variables.values()))
    return Opinion(theirs, agrees, _known_difference(traits, failing))


def _known_difference(traits: frozenset[str], failing: Mapping[str, bool]) -> str | None:
    """Return the known difference that explains another value, by which of the two fails."""
    for reason in KNOWN:
        is_possible = reason.failing is None or failing[reason.failing]
        if is_possible and not traits.isdisjoint(reason.traits):
            return reason.summary
    return None


def compare(evaluations: Iterable[Evaluation], tally: Tally) -> Iterator[Disagreement]:
    """Evaluate the rules of one object again with cel-python, yield the disagreements, and count all in `tally`."""
    left = _STEPS_OF_OBJECT
    for evaluation in evaluations:
        expression, result = evaluation.compiled.rule, evaluation.result
        if left <= 0:
            tally.skipped[_TOO_MANY_STEPS] += 1
            continue
        steps = Steps(min(left, STEPS_OF_RULE))
        theirs = opinion(
            expression,
            evaluation.variables,
            result,
            steps,
            tally.functions,
        )
        left -= steps.used
        if theirs.skipped is not None:
            tally.skipped[theirs.skipped] += 1
        elif theirs.agrees:
            tally.agreed += 1
        elif theirs.difference is not None:
            tally.differences[theirs.difference] += 1
        else:
            tally.disagreed += 1
            yield Disagreement(
                evaluation.cause, _answer(result.value, result.error), _answer(theirs.value, None)
            )


def _answer(value: Value, error: str | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "an error" if error is None else f"an error ({error})"


def _check_support(compiled: Compiled, functions: set[str]) -> None:
    """Raise NotEvaluatedError if cel-python cannot evaluate an expression; add missing functions to `functions`."""
    if any(type_.is_optional for type_ in compiled.result.type_map.values()):
        raise NotEvaluatedError("cel-python has no optional values")
    for node in nodes(compiled.expr):
        if isinstance(node, ast.Comprehension) and node.iter_var2:
            raise NotEvaluatedError("cel-python has no macros with two variables")
        if isinstance(node, ast.Call):
            name = compiled.result.function(node)
            if name not in _FUNCTIONS and not name.startswith("@"):
                functions.add(name)
                raise NotEvaluatedError("cel-python does not have a function")


def _traits(compiled: Compiled, values: Iterable[Value]) -> Iterator[str]:
    types = compiled.result.type_map
    for node in nodes(compiled.expr):
        yield from compiled.result.overload_ids(node)
        if types.get(node.id, DYN).kind in _KINDS_OF_TIME:
            yield _TIMES
        trait = _trait_of_node(node, types)
        if trait is not None:
            yield trait
    equated = _operands_of_equality(compiled)
    if any(types.get(operand.id, DYN).kind in _CONTAINERS for operand in equated):
        yield from _traits_of_values(values)


def _trait_of_node(node: ast.Expr, types: Mapping[int, Type]) -> str | None:
    match node:
        case ast.Select(test_only=True):
            return None if isinstance(node.operand, ast.Ident) else _HAS_BELOW
        case ast.MapExpr():
            return _MAP
        case ast.ListExpr():
            return _LIST
        case ast.Call() if node.function in _COMPARED:
            return _MIXED if _compares_other_types(node, types) else None
        case _:
            return None


def _compares_other_types(call: ast.Call, types: Mapping[int, Type]) -> bool:
    """Return whether a comparison is, or may be, one of values that differ in type."""
    operands = [types.get(operand.id, DYN) for operand in children(call)]
    compares_items = _COMPARED[call.function]
    if compares_items:
        operands[-1:] = operands[-1].params[:1] or [DYN]
    is_dynamic = any("dyn" in str(type_) for type_ in operands)
    return is_dynamic or not operands[0].is_exact(operands[-1])


def _operands_of_equality(compiled: Compiled) -> Iterator[ast.Expr]:
    for call in ast.calls(compiled.expr, _EQUALITY):
        yield from children(call)


def _traits_of_values(values: Iterable[Value]) -> Iterator[str]:
    pending = list(values)
    while pending:
        value = pending.pop()
        if isinstance(value, SetValue | MapListValue):
            yield _UNORDERED
        if isinstance(value, ObjectValue):
            if len(list(value)) < len(value):
                yield _UNDESCRIBED
            pending.extend(value[key] for key in value if key in value)
        elif isinstance(value, ListValue):
            pending.extend(value)


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
            raise NotEvaluatedError(_TOO_MANY_STEPS_OF_RULE)

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

    def method_eval(
        self,
        object: Any,  # noqa: A002  the name that the base class has
        method_ident: lark.Token,
        exprlist: Iterable[Any] | None = None,
    ) -> Any:
        self._steps.spend_parts((object,))
        if exprlist is None or isinstance(exprlist, CELEvalError):
            return super().method_eval(object, method_ident, exprlist)
        arguments = list(exprlist)
        self._steps.spend_parts(arguments)
        return super().method_eval(object, method_ident, arguments)


def evaluate(text: str, variables: Mapping[str, Value], steps: Steps) -> Value:
    """Return cel-python's value of an expression, `FAILS` for an error; raise NotEvaluatedError, also above the limit."""
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
        raise NotEvaluatedError(_TOO_MANY_STEPS_OF_RULE) from None
    except CELEvalError:
        return FAILS
    except CELParseError:
        raise NotEvaluatedError("cel-python does not know the syntax of the rule") from None
    except NotEvaluatedError:
        raise
    except Exception as error:
        raise NotEvaluatedError(
            f"cel-python ends in an exception of its own, {type(error).__name__}"
        ) from error


_parse: Final = lru_cache(maxsize=128)(Environment().compile)


def _counted_functions(steps: Steps) -> dict[str, Any]:
    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*operands: Any) -> Any:
            steps.spend_parts(operands)
            return function(*operands)

        return call

    return {
        **base_functions,
        **{name: counted(base_functions[name]) for name in _READ_ALL},
        "matches": _matches,
    }


def _matches(text: str, pattern: str) -> celtypes.BoolType:
    """Return whether a pattern matches; RE2 is used directly because its use by cel-python has no limit."""
    try:
        return celtypes.BoolType(matching.matches(str(pattern), str(text)))
    except matching.PatternError as error:
        raise ValueError(str(error)) from error


def _to_cel_python(value: Value, steps: Steps) -> Any:
    size = len(value) if isinstance(value, str | bytes) else 0
    steps.spend(1 + size // _BYTES_PER_STEP)
    convert = _THEIRS.get(type(value))
    if convert is not None:
        return convert(value)
    if type(value) is Error:
        raise NotEvaluatedError("a value does not fit its schema")
    if isinstance(value, Mapping):
        entries = {
            _to_cel_python(key, steps): _to_cel_python(value[key], steps) for key in _keys(value)
        }
        return celtypes.MapType(entries)
    if hasattr(value, "__iter__"):
        return celtypes.ListType([_to_cel_python(item, steps) for item in value])
    raise NotEvaluatedError("cel-python has no type for a value")


def _keys(value: Mapping[Any, Value]) -> list[Any]:
    """Return the keys that are set, and for fields named by a keyword also the name itself, by which they are accessible."""
    keys = [key for key in value if key in value]
    if not isinstance(value, ObjectValue) or not value.has_fields:
        return keys
    names = map(unescape, keys)
    others = [name for name, key in zip(names, keys, strict=True) if name not in (None, key)]
    return keys + others


def _from_cel_python(value: Any) -> Value:
    if isinstance(value, dict):
        return {_from_cel_python(key): _from_cel_python(item) for key, item in value.items()}
    if isinstance(value, list):  # the sum of lists is a plain list
        return list(map(_from_cel_python, value))
    if isinstance(value, timedelta):
        return Duration(value // timedelta(microseconds=1) * _MICROSECOND)
    if isinstance(value, datetime):
        return Timestamp((value - _EPOCH) // timedelta(microseconds=1) * _MICROSECOND)
    ours = _OURS.get(type(value))
    return value if ours is None else ours(value)
