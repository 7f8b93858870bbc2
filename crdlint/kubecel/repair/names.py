"""Choices for names that are not declared, and for values that are not conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from crdlint.cel.ast import Call, Comprehension, Expr, Ident, Select, children
from crdlint.cel.errors import ErrorCode
from crdlint.cel.source_ranges import SourceRanges, range_at
from crdlint.cel.types import BOOL, BYTES, DOUBLE, INT, UINT
from crdlint.kubecel.compilation import MESSAGE, Expression
from crdlint.kubecel.declarations import DeclType, escape, unescape
from crdlint.kubecel.environment import LIBRARIES
from crdlint.kubecel.repair.false_friends import CHECKS, CONDITIONS, NEGATED
from crdlint.kubecel.repair.state import Choice, CompiledText, comment_of, is_function, named
from crdlint.light import regex
from crdlint.phrases import nearest
from crdlint.safety.work import Effort
from crdlint.spelling import differing_letters, is_slip, meant
from crdlint.yaml.edit import Edit

_LIKE: Final = 0.6  # the minimum similarity of a function of CEL
_HYPHENATED: Final = regex(r"\w[\w-]*")
_PATH: Final = regex(r"(?:\.\w+)*(?![\w(])")
_WRONG_TYPES: Final = frozenset(
    {ErrorCode.NO_MATCHING_OVERLOAD, ErrorCode.NOT_A_RANGE, ErrorCode.NO_FIELD_SELECTION}
)
# How other languages write the literals of CEL, booleans in lower case.
_BOOLEANS: Final = frozenset({"true", "false"})
_NULLS: Final = frozenset({"null", "None", "nil", "undefined", "NULL", "Null"})
# Variables that other uses of CEL in Kubernetes have.
_OTHER_VARIABLES: Final = frozenset(
    {"request", "params", "variables", "authorizer", "namespaceObject"}
)
_NO_STRINGS: Final = _NULLS | _OTHER_VARIABLES


def in_scope(state: CompiledText, scope: list[str]) -> Iterator[Choice]:
    """Yield a variable that is almost the name, the name after a variable, and the name as a field of one."""
    if not isinstance(state.node, (Ident, Call)):
        return
    name, span = state.wrong_name
    if not name:
        return
    variables = [*scope, "oldSelf"]
    joined = [
        f"{each}.{name[len(each) :]}"
        for each in variables
        if name.startswith(each) and name != each
    ]
    yield Choice(tuple((Edit(*span, each),) for each in joined))
    if is_function(state.node):
        return
    near = meant(name, variables)
    if near is not None:
        yield named(span, [near.name], certain=near.is_known)
    yield _field_of_variable(state, name, span, scope)
    unused = [each for each in scope[:-1] if len(re.findall(rf"\b{each}\b", state.text)) == 1]
    yield named(span, unused[:1], certain=False)


def _field_of_variable(
    state: CompiledText,
    name: str,
    span: tuple[int, int],
    scope: list[str],
) -> Choice:
    """Return the name as a field of the variables that have such a field."""
    fields = [f"{each}.{escape(name) or name}" for each in scope if name in _fields(state, each)]
    choice = named(span, fields, certain=True)
    # The name of a type is not where the error is, and a dot before a name is not a part of it.
    is_name = state.code is ErrorCode.UNDECLARED_REFERENCE and state.text[span[0]] != "."
    return choice if is_name else choice._replace(helps=())


def similar(state: CompiledText, scope: list[str], effort: Effort) -> Iterator[Choice]:
    """Yield the names that are similar to a wrong one, and the name as a string."""
    name, span = state.wrong_name
    node = state.node
    if not name or node is None:
        return
    yield from _hyphenated(state, span[0])
    paths = _paths_by_name(_candidates(state, node, name, scope))
    if not effort.affords(len(paths)):
        return
    effort.spend(len(paths))
    several = _of_several(state, node)
    slips = [each for last, each in paths.items() if is_slip(name, last, typed=last in several)]
    choice = named(span, slips, certain=True)
    if is_function(node) and not slips:
        choice = _similar_function(name, span, paths)
    if isinstance(node, Ident) and name not in _NO_STRINGS:
        yield from _as_string(state, name, span, choice if slips else None)
    yield choice


def called(state: CompiledText) -> Iterator[Choice]:
    """Yield the call of a function that is written like a field of a value, which has no fields."""
    function = _SELECTED.match(state.text, state.offset)
    if state.code is ErrorCode.NO_FIELD_SELECTION and function is not None:
        yield Choice(((Edit(*function.span(1), f"{function[1]}()"),),))


_SELECTED: Final = regex(r"\.\s*([A-Za-z]\w*)(?!\w|\s*\()")


def _of_several(state: CompiledText, node: Expr) -> set[str]:
    """Return the numbers and lists among the fields of which a node selects one: `replica` counts what `replicas` does."""
    declared = state.object_of(node)
    if declared is None or getattr(node, "test_only", False):
        return set()
    types = {name: field.type for name, field in declared.fields.items()}
    return {name for name, type_ in types.items() if type_.type in (INT, DOUBLE) or _is_list(type_)}


def _is_list(type_: DeclType) -> bool:
    return type_.elem is not None and type_.key is None


def _hyphenated(state: CompiledText, offset: int) -> Iterator[Choice]:
    """Yield the name of a field with hyphens as CEL escapes it, if one is at an offset."""
    name = _HYPHENATED.match(state.text, offset)
    if name is not None and "-" in name[0]:
        yield Choice(((Edit(*name.span(), escape(name[0]) or ""),),))


def _paths_by_name(candidates: Iterable[str]) -> dict[str, str]:
    """Return paths such as `self.a` by the names that they end with, as the schema spells these; the first of each name."""
    escaped = {path.rpartition(".")[2]: path for path in reversed(list(candidates))}
    return {unescape(last) or last: path for last, path in escaped.items()}


def _similar_function(name: str, span: tuple[int, int], functions: Iterable[str]) -> Choice:
    near = nearest(name, functions, _LIKE)
    is_certain = near is not None and _is_near(name, near)
    return named(span, [] if near is None else [near], certain=is_certain)


def _as_string(
    state: CompiledText,
    name: str,
    span: tuple[int, int],
    others: Choice | None,
) -> Iterator[Choice]:
    """Yield a name with what follows as a string, beside other names that may be meant unless it is a value of an enum."""
    path = _PATH.match(state.text, span[1])
    quoted = state.text[span[0] : span[1] if path is None else path.end()]
    if state.text.strip() == quoted and state.expression.kind is not MESSAGE:
        return  # a string alone is no condition
    before, after = state.text[: span[0]], state.text[span[0] + len(quoted) :]
    if _LITERAL_BEFORE.search(before) or _LITERAL_AFTER.match(after):
        return  # two strings are always equal, or never
    if _is_beside_other_type(state):
        return
    as_string = (Edit(span[0], span[0] + len(quoted), f"'{quoted}'"),)
    is_value = any(name in _enum(state, each) for each in state.nodes)
    if others is not None and not is_value:
        yield Choice((*others.alternatives, as_string), others.is_certain)
    is_boolean = name.lower() in _BOOLEANS
    if is_boolean and not is_value:
        # The text may be spelled as YAML does, or as the language does that the rule was written in.
        in_lower_case = (Edit(span[0], span[1], f"'{name.lower()}'"),)
        yield Choice(tuple(dict.fromkeys((in_lower_case, as_string))), is_certain=False)
        return
    yield Choice((as_string,), is_certain=is_value or name[0].isupper())


def _is_beside_other_type(state: CompiledText) -> bool:
    """Return whether the node of the error is on the right of an operator that takes no string beside what is on its left."""
    types = state.compiled.result.type_map
    return any(
        isinstance(each, Call)
        and each.function in _ALIKE
        and each.args[-1] is state.node
        and types.get(each.args[0].id) in _NEVER_BESIDE_STRING
        for each in state.nodes
    )


# The operators of two values of the same type, or of two numbers, and types beside which they take no string.
_ALIKE: Final = frozenset(f"_{sign}_" for sign in ("==", "!=", "<", "<=", ">", ">=", *"+-*/%"))
_NEVER_BESIDE_STRING: Final = frozenset({BOOL, BYTES, DOUBLE, INT, UINT})


_LITERAL_BEFORE: Final = regex(r"['\"]\s*[=!]=\s*\Z")
_LITERAL_AFTER: Final = regex(r"\s*[=!]=\s*['\"]")


def _is_near(name: str, function: str) -> bool:
    """Return whether a name is a function of CEL with one wrong letter, or two that are exchanged."""
    return sorted(name) == sorted(function) or differing_letters(name, function) == 1


def other_fields(state: CompiledText) -> Iterator[Choice]:
    """Yield similar fields in place of those whose type does not fit."""
    if state.code not in _WRONG_TYPES or state.node is None:
        return
    for operand in (state.node, *children(state.node)):
        declared, offsets = state.object_of(operand), state.compiled.source.offsets.get(operand.id)
        if isinstance(operand, Select) and declared is not None and offsets is not None:
            others = [
                each
                for each in declared.fields
                if each != operand.field and is_slip(operand.field, each)
            ]
            yield named(range_at(state.text, offsets[0]), others, certain=False)


def inner_fields(state: CompiledText) -> Iterator[Choice]:
    """Yield the fields that are objects with a field of that name."""
    declared = (
        None
        if state.node is None or state.code is not ErrorCode.UNDEFINED_FIELD
        else state.object_of(state.node)
    )
    if declared is not None:
        name, span = state.wrong_name
        within = [each for each, field in declared.fields.items() if name in field.type.fields]
        yield named(span, [f"{each}.{name}" for each in within], certain=False)._replace(helps=())


def conditions(state: CompiledText) -> Iterator[Choice]:
    """Yield conditions in place of a value: whether an optional field is set, or another value is not empty."""
    if comment_of(state.text):
        return  # a condition may be in what CEL reads as a comment
    node, templates = _no_condition(state), CONDITIONS
    if isinstance(node, Call) and node.function == "!_":
        node, templates = node.args[0], NEGATED
    if node is None:
        return
    span = SourceRanges(state.compiled.expr, state.compiled.source).of(node)
    if span is None:
        return
    start = state.text.rindex("!", 0, span[0]) if templates is NEGATED else span[0]
    if isinstance(node, Call) and node.function in CHECKS:
        edits = [Edit(start, start + len(node.function), CHECKS[node.function])]
    else:
        value, field = state.text[slice(*span)], state.field(node)
        meant = templates[:1] if field is not None and field.is_optional else templates[1:]
        edits = [Edit(start, span[1], each.format(A=value)) for each in meant]
    # What is not empty can be written in two ways: one is enough.
    yield from (Choice(((edit,),), is_certain=False) for edit in edits)


def _no_condition(state: CompiledText) -> Expr | None:
    """Return the node that has to be a condition and is not one."""
    error, node = state.error, state.node
    if error is None:
        return state.compiled.expr if state.compiled.output_type is not BOOL else None
    if isinstance(node, Call) and node.function == "_?_:_":
        return node.args[0]
    is_not = isinstance(node, Call) and node.function == "!_"
    return (
        node
        if is_not or (state.code is ErrorCode.TYPE_MISMATCH and error.problem.args[0] is BOOL)
        else None
    )


def _enum(state: CompiledText, node: Expr) -> Iterable[object]:
    field = state.field(node)
    return () if field is None or field.schema is None else field.schema.enum or ()


def _fields(state: CompiledText, variable: str) -> Iterable[str]:
    type_ = state.expression.declarations.self_type if variable == "self" else None
    for node in state.nodes:
        if isinstance(node, Comprehension) and node.iter_var == variable:
            items = state.compiled.result.type_map.get(node.iter_range.id)
            type_ = items.params[0] if items is not None and items.params else None
    declared = state.declared(type_)
    # As CEL escapes names first, then as the schema spells them.
    return () if declared is None else dict.fromkeys((*declared.fields, *declared.properties))


def _functions(expression: Expression, name: str) -> Sequence[str]:
    """Return the names of functions and macros, none if `name` is a function of another version."""
    if any(row.function == name for library in LIBRARIES for row in library.functions):
        return ()
    macros = (macro for macro, *_ in expression.environment.parser.macros if macro != "existsOne")
    return [*(each for each in expression.env.functions if each.isidentifier()), *macros]


def _candidates(
    state: CompiledText,
    node: Expr,
    name: str,
    scope: list[str],
) -> Iterable[str]:
    expression = state.expression
    if state.code is ErrorCode.UNDEFINED_FIELD:
        declared = state.object_of(node)
        return (
            ()
            if declared is None
            else [*declared.fields, *(escape(each) or each for each in declared.properties)]
        )
    if is_function(node):
        return _functions(expression, name)
    return [
        *scope,
        "oldSelf",
        *(f"{each}.{field}" for each in scope for field in _fields(state, each)),
    ]
