"""A way out of an error in an expression: the field that was meant, the version that brings a function, ..."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.ast import Call, Literal, Select
from crdlint.cel.errors import Code
from crdlint.cel.format import format_type
from crdlint.cel.traversal import nodes
from crdlint.cel.types import BOOL, Kind
from crdlint.diagnostics.spelling import nearest
from crdlint.kubecel.compilation import MESSAGE
from crdlint.kubecel.environment import LIBRARIES
from crdlint.kubecel.escaping import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from collections.abc import Sequence as SequenceOf

    from crdlint.cel.ast import Expr
    from crdlint.cel.decls import Overload
    from crdlint.cel.errors import CELError
    from crdlint.kubecel.compilation import Expression
    from crdlint.kubecel.declarations import DeclType
    from crdlint.kubecel.library.declaration import Library
    from crdlint.safety.effort import Effort

_SHOWN_FIELDS: Final = 8
_LIKE: Final = 0.6  # how like a name is that was meant


@dataclass(frozen=True, slots=True)
class _Case:
    """An error of an expression, and the arguments of its code."""

    expression: Expression
    error: CELError
    args: SequenceOf[Any]
    effort: Effort


def hint(expression: Expression, effort: Effort) -> str | None:
    """Return what to do about the first error of an expression, None where its text says all there is to say."""
    compiled = expression.compiled
    if not compiled.errors:
        return _output_type(expression)
    error = min(compiled.errors, key=lambda one: one.location)
    find = _HINTS.get(error.problem.code)
    return None if find is None else find(_Case(expression, error, error.problem.args, effort))


def _nearest(name: str, effort: Effort, *groups: Collection[str]) -> str | None:
    """Return the name in `groups` most like `name`, None where none is alike or the comparison takes too long."""
    steps = sum(map(len, groups))
    if not effort.affords(steps):
        return None
    effort.spend(steps)
    return nearest(name, chain(*groups), _LIKE)


def _output_type(expression: Expression) -> str:
    given = format_type(expression.compiled.output_type)
    if expression.kind is MESSAGE:
        return f"the expression gives {given}: a message is a string, such as `'was ' + string(self.replicas)`"
    if expression.compiled.output_type.is_optional:
        return f"the rule gives {given}: take its value with `.orValue(...)`, or ask `.hasValue()`"
    return f"the rule gives {given}: compare it with something, as in `self.replicas > 0`"


def _node(expression: Expression, error: CELError) -> Expr | None:
    return next((node for node in nodes(expression.compiled.expr) if node.id == error.expr_id), None)


def _object(expression: Expression, operand: Expr) -> DeclType | None:
    type_ = expression.compiled.result.type_map.get(operand.id)
    while type_ is not None and type_.is_optional:
        type_ = type_.params[0]
    if type_ is None or type_.kind is not Kind.STRUCT:
        return None
    return expression.declarations.object(type_.name)


def _undefined_field(case: _Case) -> str | None:
    expression, name = case.expression, case.args[0]
    node = _node(expression, case.error)
    operand = node.operand if isinstance(node, Select) else node.args[0] if isinstance(node, Call) else None
    declared = None if operand is None else _object(expression, operand)
    if declared is None:
        return None
    fields = declared.fields or {}
    given = {} if declared.schema is None else declared.schema.properties
    if name in given and escape(name) not in fields:
        return f"`{name}` has no type that CEL knows: give it one (x-kubernetes-preserve-unknown-fields is none)"
    if escape(name) in fields:
        return f"CEL spells the field `{name}` as `{escape(name)}`"
    near = _nearest(name, case.effort, fields, given)
    if near is not None:
        return f"did you mean `{near if near in fields else escape(near) or near}`?"
    if not fields:
        return "the object has no properties: declare the field under `properties`"
    shown = ", ".join(islice(fields, _SHOWN_FIELDS))
    return f"the fields are: {shown}{', ...' if len(fields) > _SHOWN_FIELDS else ''}"


def _library_of(names: Callable[[Library], bool], expression: Expression) -> Library | None:
    """Return the library that would help and that the version lacks."""
    known = expression.environment.libraries
    return next((one for one in LIBRARIES if one not in known and names(one)), None)


def version_text(library: Library) -> str:
    """Return the first Kubernetes version whose new expressions may use a library."""
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
            f"`{used}` needs Kubernetes {version_text(library)}: {library.name} came with {brought},"
            " and a new rule may use it one release later"
        )
    if isinstance(node, Call):
        near = _nearest(name, case.effort, [one for one in expression.env.function_names() if one.isidentifier()])
        return f"did you mean `{near}`?" if near is not None else f"there is no function `{name}`"
    declared = _object_of_self(expression)
    if declared is not None and escape(name) in (declared.fields or {}):
        return f"fields are reached through self: `self.{escape(name)}`"
    near = _nearest(name, case.effort, ("self", "oldSelf"), (declared.fields if declared is not None else None) or {})
    if near is None:
        return "the names are `self` and, in a transition rule, `oldSelf`"
    return f"did you mean `{near if near in ('self', 'oldSelf') else f'self.{near}'}`?"


def _object_of_self(expression: Expression) -> DeclType | None:
    self_type = expression.declarations.self_type
    return expression.declarations.object(self_type.name) if self_type.kind is Kind.STRUCT else None


def _no_overload(case: _Case) -> str | None:
    expression, name = case.expression, case.args[0]
    node = _node(expression, case.error)
    if not isinstance(node, Call):
        return None
    if name == "_[_]" and isinstance(node.args[1], Literal) and isinstance(node.args[1].value, str):
        declared = _object(expression, node.args[0])
        escaped = escape(node.args[1].value)
        if declared is not None and escaped in (declared.fields or {}):
            return f"an object's field is selected, not indexed: `.{escaped}`"
    if name in ("hasValue", "value", "orValue", "or") and _is_old_self(node.target):
        return "oldSelf is an optional value only where the rule sets `optionalOldSelf: true`"
    function = expression.env.find_function(expression.compiled.result.namespaced.get(node.id, name))
    if function is None or name in _OPERATORS:
        return _OPERATORS.get(name)
    return "it takes " + " or ".join(map(_signature, function.overloads[:4]))


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
    **dict.fromkeys(("_==_", "_!=_"), f"both sides must have one type: {_CONVERT}"),
    **dict.fromkeys(("_<_", "_<=_", "_>_", "_>=_"), f"both sides must be comparable: {_CONVERT}"),
    **dict.fromkeys(
        ("_+_", "_-_", "_*_", "_/_", "_%_"),
        "both sides must have one type: convert with `int()`, `double()` or `string()`",
    ),
    "@in": "on the right stands a list, or a map whose keys are looked through; on the left a value of its elements' type",
    "_[_]": "a list is indexed by an int, a map by a key of its type; an object's field is selected with a dot",
    "!_": "`!` negates a boolean",
    "-_": "`-` negates an int or a double",
    "_?_:_": "before `?` stands a boolean, and both results have one type",
}


def _type_mismatch(case: _Case) -> str | None:
    expected, actual = case.args
    if expected is BOOL:
        return f"`&&`, `||`, `?` and macros take conditions: compare the {format_type(actual)} with something"
    return (
        "the elements of one list or map must have one type:"
        f" write the {format_type(actual)} as {format_type(expected)}, or wrap it in `dyn()`"
    )


def _literal(case: _Case) -> str | None:
    return {
        "duration": "write a Go duration as a string: `duration('1h30m')`, with the units h, m, s, ms, us, ns",
        "timestamp": "write an RFC 3339 time: `timestamp('2026-01-31T12:00:00Z')`",
        "matches": "mend the regular expression: it is of Go's RE2 syntax, without look-around and back-references",
    }.get(case.args[0])


def _range(_case: _Case) -> str:
    return "all(), exists(), map() and filter() go over lists and maps: call them on one, or drop the macro"


def _selection(case: _Case) -> str | None:
    (type_,) = case.args
    if type_.kind is Kind.LIST:
        return "a list has no fields: take an element, `[0]`, or all of them, `.all(x, x.name != '')`"
    return f"a value of type {format_type(type_)} has no fields: end the path here"


def _unrecognized(case: _Case) -> str:
    (text,) = case.args
    if text.startswith(("=", "&", "|")):
        return _OPERATORS_HELP
    if text.startswith(_QUOTES) or text.endswith(_QUOTES):
        return "a string is not closed: end it with the quote it begins with"
    return _SYNTAX_HELP


def _unexpected_end(case: _Case) -> str:
    text = case.expression.text
    opened = next((a for a, b in ("()", "[]", "{}") if text.count(a) > text.count(b)), None)
    return "the expression ends too early" + ("" if opened is None else f": `{opened}` is not closed")


def _reserved(_case: _Case) -> str:
    return "a reserved word is no name: write the field `__word__`, a variable otherwise"


_QUOTES: Final = ("'", '"')
_OPERATORS_HELP: Final = "CEL compares with `==` and joins with `&&` and `||`"
_SYNTAX_HELP: Final = "it is no CEL: see https://kubernetes.io/docs/reference/using-api/cel/"

_HINTS: Final[Mapping[Code, Callable[[_Case], str | None]]] = {
    Code.UNDEFINED_FIELD: _undefined_field,
    Code.UNDECLARED_REFERENCE: _undeclared,
    Code.NO_MATCHING_OVERLOAD: _no_overload,
    Code.TYPE_MISMATCH: _type_mismatch,
    Code.INVALID_LITERAL: _literal,
    Code.NOT_A_RANGE: _range,
    Code.NO_FIELD_SELECTION: _selection,
    Code.UNRECOGNIZED_TOKEN: _unrecognized,
    Code.UNEXPECTED_END: _unexpected_end,
    Code.UNEXPECTED_TOKEN: lambda _case: _SYNTAX_HELP,
    Code.RESERVED_IDENTIFIER: _reserved,
}
