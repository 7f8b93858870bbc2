"""Helps for errors in expressions: similar field names, the version that introduced a function, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crdlint.cel.ast import Call, Literal, Select, nodes
from crdlint.cel.checker_errors import format_type
from crdlint.cel.errors import Code
from crdlint.cel.types import BOOL, Kind
from crdlint.crd.errors import Code as ReasonCode
from crdlint.crd.errors import Reason
from crdlint.kubecel.compilation import MESSAGE
from crdlint.kubecel.environment import LIBRARIES
from crdlint.kubecel.escaping import escape
from crdlint.kubecel.repair.meaning import meaning
from crdlint.kubecel.repair.patterns import BRACKETS, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Sequence as SequenceOf

    from crdlint.cel.ast import Expr
    from crdlint.cel.decls import Overload
    from crdlint.cel.errors import CELError
    from crdlint.kubecel.compilation import Expression
    from crdlint.kubecel.declarations import DeclType
    from crdlint.kubecel.library.declaration import Library
    from crdlint.safety.work import Effort

_SHOWN_FIELDS: Final = 8


@dataclass(frozen=True, slots=True)
class _Case:
    """An error of an expression, and the arguments of its code."""

    expression: Expression
    error: CELError
    args: SequenceOf[Any]


class Hint(NamedTuple):
    """A help, None if the error's message needs none; ``reason`` is what a fix of the error needs to know."""

    text: str | None
    reason: Reason | None = None


def hint(expression: Expression, effort: Effort) -> Hint:
    """Return the help for the first error of an expression."""
    meant = meaning(expression, effort)
    if meant is not None:
        return Hint(meant.help, Reason(ReasonCode.MEANT, (meant.edits, meant.is_certain)))
    compiled = expression.compiled
    if not compiled.errors:
        return Hint(_output_type(expression))
    error = min(compiled.errors, key=lambda each: each.location)
    find = _HINTS.get(error.problem.code)
    return Hint(None if find is None else find(_Case(expression, error, error.problem.args)))


def _output_type(expression: Expression) -> str:
    actual = format_type(expression.compiled.output_type)
    if expression.kind is MESSAGE:
        return f"Return a string, such as `'was ' + string(self.replicas)`: the expression evaluates to {actual}"
    if expression.compiled.output_type.is_optional:
        return f"Use its value with `.orValue(...)`, or check `.hasValue()`: the rule evaluates to {actual}"
    return f"Compare it with a value, as in `self.replicas > 0`: the rule evaluates to {actual}"


def _node(expression: Expression, error: CELError) -> Expr | None:
    return next((node for node in nodes(expression.compiled.expr) if node.id == error.expr_id), None)


def _object(expression: Expression, operand: Expr) -> DeclType | None:
    type_ = expression.compiled.result.type_map.get(operand.id)
    object_type = None if type_ is None else type_.unwrapped
    if object_type is None or object_type.kind is not Kind.STRUCT:
        return None
    return expression.declarations.object(object_type.name)


def _undefined_field(case: _Case) -> str | None:
    expression, name = case.expression, case.args[0]
    node = _node(expression, case.error)
    operand = node.operand if isinstance(node, Select) else node.args[0] if isinstance(node, Call) else None
    declared = None if operand is None else _object(expression, operand)
    if declared is None:
        return None
    fields = declared.fields or {}
    properties = {} if declared.schema is None else declared.schema.properties
    if name in properties and escape(name) not in fields:
        return f"Add a `type` to the schema of `{name}`: without one CEL cannot read the field"
    if escape(name) in fields:
        return f"Write `{escape(name)}`, the CEL name of the field `{name}`"
    if not fields:
        return "Add the field to the `properties` of the object, which has none"
    shown = ", ".join(islice(fields, _SHOWN_FIELDS))
    return f"Use one of the fields: {shown}{', ...' if len(fields) > _SHOWN_FIELDS else ''}"


def _library_of(names: Callable[[Library], bool], expression: Expression) -> Library | None:
    """Return the library that declares one of the names and that the version lacks."""
    known = expression.environment.libraries
    return next((library for library in LIBRARIES if library not in known and names(library)), None)


def version_text(library: Library) -> str:
    """Return the first Kubernetes version in which new expressions may use a library."""
    major, minor = library.introduced
    return f"{major}.{minor + 1}"


def _undeclared(case: _Case) -> str | None:
    expression, name = case.expression, case.args[0]
    node = _node(expression, case.error)
    arguments = len(node.args) if isinstance(node, Call) else -1

    def brings(library: Library) -> bool:
        return any(row.function == name or row.function.startswith(f"{name}.") for row in library.functions) or any(
            macro == name and count == arguments for macro, count, _ in library.macros
        )

    library = _library_of(brings, expression)
    if library is not None and library.removed is None:
        brought = ".".join(map(str, library.introduced))
        used = f"{name}() over two variables" if any(name == macro for macro, *_ in library.macros) else f"{name}"
        return (
            f"Remove `{used}`, or require Kubernetes {version_text(library)}: {library.name} was added in {brought},"
            " and new rules may use it one release later"
        )
    if isinstance(node, Call):
        return f"Use another function: CEL has no `{name}`"
    return "Use `self` or, in a transition rule, `oldSelf`: an expression has no other variables"


def _no_overload(case: _Case) -> str | None:
    expression, name = case.expression, case.args[0]
    node = _node(expression, case.error)
    if not isinstance(node, Call):
        return None
    if name == "_[_]" and isinstance(node.args[1], Literal) and isinstance(node.args[1].value, str):
        declared = _object(expression, node.args[0])
        escaped = escape(node.args[1].value)
        if declared is not None and escaped in (declared.fields or {}):
            return f"Select the field of an object with a dot: `.{escaped}`"
    if name in ("hasValue", "value", "orValue", "or") and _is_old_self(node.target):
        return "Set `optionalOldSelf: true` on the rule: otherwise oldSelf is not an optional value"
    function = expression.env.find_function(expression.compiled.result.namespaced.get(node.id, name))
    if function is None or name in _OPERATORS:
        return _OPERATORS.get(name)
    return "Call it as " + " or ".join(map(_signature, function.overloads[:4]))


def _is_old_self(node: Expr | None) -> bool:
    return getattr(node, "name", None) == "oldSelf"


def _signature(overload: Overload) -> str:
    args = [format_type(arg) for arg in overload.args]
    if overload.member:
        return f"{args[0]}.{overload.function}({', '.join(args[1:])})"
    return f"{overload.function}({', '.join(args)})"


_CONVERT: Final = (
    "convert one side to the type of the other, as in `string(self.port) == '80'` or `int(self.port) == 80`"
)
_OPERATORS: Final = {
    **dict.fromkeys(("_==_", "_!=_"), f"Compare values of the same type: {_CONVERT}"),
    **dict.fromkeys(("_<_", "_<=_", "_>_", "_>=_"), f"Compare values that can be ordered: {_CONVERT}"),
    **dict.fromkeys(
        ("_+_", "_-_", "_*_", "_/_", "_%_"),
        "Use operands of the same type: convert with `int()`, `double()` or `string()`",
    ),
    "@in": "Write a list or a map on the right, and a value of the type of its elements or keys on the left",
    "_[_]": "Index a list with an int and a map with a key of its type; select the field of an object with a dot",
    "!_": "Use `!` with a bool",
    "-_": "Use `-` with an int or a double",
    "_?_:_": "Write a bool before `?`, and two results of the same type after it",
}


def _type_mismatch(case: _Case) -> str | None:
    expected, actual = case.args
    if expected is BOOL:
        return f"Compare the {format_type(actual)} with a value: `&&`, `||`, `?` and macros need conditions"
    return (
        f"Write the {format_type(actual)} as {format_type(expected)}, or wrap it in `dyn()`:"
        " the elements of a list or map must have the same type"
    )


def _literal(case: _Case) -> str | None:
    return {
        "duration": "Write a Go duration as a string: `duration('1h30m')`, with the units h, m, s, ms, us, ns",
        "timestamp": "Write an RFC 3339 time: `timestamp('2026-01-31T12:00:00Z')`",
        "matches": "Write the regular expression in RE2 syntax, without lookaround and back references",
    }.get(case.args[0])


def _range(_case: _Case) -> str:
    return "Call all(), exists(), map() and filter() on a list or a map, or remove the macro"


def _selection(case: _Case) -> str | None:
    (type_,) = case.args
    if type_.kind is Kind.LIST:
        return "Select an element, `[0]`, or use all of them, `.all(x, x.name != '')`: a list has no fields"
    return f"End the path here: a value of type {format_type(type_)} has no fields"


def _unexpected(case: _Case) -> str:
    text = case.args[0]
    before = case.expression.text[: case.expression.compiled.source.offset_of(case.error.location)].rstrip()
    if before.endswith("."):
        return f"Write a field or a function after `{before.rsplit(maxsplit=1)[-1]}`"
    if text in ("'", '"'):
        return "Close the string with the quote that it starts with"
    return "Write the expression in CEL: https://kubernetes.io/docs/reference/using-api/cel/"


def _unexpected_end(case: _Case) -> str:
    text = Text(case.expression.text)
    opened = [
        token.text for index, token in enumerate(text.tokens) if token.text in BRACKETS and index not in text.closing
    ]
    return f"Close the `{opened[0]}`: the expression ends too early" if opened else _TOO_EARLY


_TOO_EARLY: Final = "Complete the expression: it ends too early"


def _reserved(_case: _Case) -> str:
    return "Write the field as `__word__`, or rename the variable: a reserved word cannot be a name"


_HINTS: Final[Mapping[Code, Callable[[_Case], str | None]]] = {
    Code.UNDEFINED_FIELD: _undefined_field,
    Code.UNDECLARED_REFERENCE: _undeclared,
    Code.NO_MATCHING_OVERLOAD: _no_overload,
    Code.TYPE_MISMATCH: _type_mismatch,
    Code.INVALID_LITERAL: _literal,
    Code.NOT_A_RANGE: _range,
    Code.NO_FIELD_SELECTION: _selection,
    Code.UNRECOGNIZED_TOKEN: _unexpected,
    Code.UNEXPECTED_END: _unexpected_end,
    Code.UNEXPECTED_TOKEN: _unexpected,
    Code.RESERVED_IDENTIFIER: _reserved,
}
