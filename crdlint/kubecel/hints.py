"""Helps for errors in expressions: similar field names, the version that introduced a function, and so on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import accumulate, chain
from typing import Final

from crdlint.cel.ast import Call, Expr, Literal, Select
from crdlint.cel.decls import Overload
from crdlint.cel.errors import CodedMessage, ErrorCode
from crdlint.cel.types import BOOL, STRING, Kind, Type
from crdlint.crd.errors import Code, Reason
from crdlint.kubecel.compilation import MESSAGE, OLD_SELF, SELF, Expression
from crdlint.kubecel.declarations import DeclField, escape, type_text
from crdlint.kubecel.environment import LIBRARIES
from crdlint.kubecel.library.declaration import Library
from crdlint.kubecel.repair.false_friends import CURLY_QUOTES
from crdlint.kubecel.repair.meaning import is_prose, meaning
from crdlint.kubecel.repair.patterns import Tokens
from crdlint.kubecel.repair.state import MACROS, CompiledText, comment_of
from crdlint.kubecel.repair.unrendered import placeholder_in
from crdlint.light import NamedTuple, regex
from crdlint.phrases import Sample
from crdlint.safety.work import Effort
from crdlint.spelling import listed
from crdlint.yaml.resolve import WORDS

# Fields of ObjectMeta that no rule can read.
_OBJECT_META: Final = frozenset(
    {
        "namespace",
        "labels",
        "annotations",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "finalizers",
        "deletionTimestamp",
        "ownerReferences",
        "managedFields",
    }
)
_OPTIONAL_OLD_SELF: Final = (1, 29)  # what new expressions of Kubernetes 1.30 may use
_NAMES: Final = frozenset({"name", "generateName"})
_ONLY_NAMES: Final = (
    "Copy the value into `spec`, or use a ValidatingAdmissionPolicy: "
    "rules can read only `metadata.name` and `metadata.generateName`"
)


class Hint(NamedTuple):
    """A help, None if the error's message needs none; ``reason`` is what a fix of the error needs to know."""

    text: str | None
    reason: Reason | None = None


def hint(expression: Expression, effort: Effort) -> Hint:
    """Return the help for the first error of an expression."""
    state = CompiledText.of(expression)
    meant = meaning(state, effort)
    if meant is not None:
        asks_for_metadata = not meant.edits and _reads_metadata(state)
        reason = Reason(Code.MEANT, (meant.edits, meant.is_certain))
        return Hint(_ONLY_NAMES) if asks_for_metadata else Hint(meant.help, reason)
    placeholder = placeholder_in(expression.text)
    if placeholder is not None and expression.error is not None:
        return Hint(f"Write the value in place of the placeholder `{placeholder}`")
    if is_prose(expression):
        return Hint(_prose(expression.text))
    if state.error is None:
        return Hint(_output_type(expression) if expression.has_wrong_type else _CONSTANTS)
    return Hint(_of_problem(state, state.error.problem, effort))


def _of_problem(state: CompiledText, problem: CodedMessage, effort: Effort) -> str | None:
    """Return the help for an error of the language, None if its message needs none."""
    fold = _FOLD.search(state.text)
    if fold is not None:
        return _NO_FOLD.format(fold[1])
    argument = _HAS.match(state.text, _start_of_call(state))
    if not state.is_parsed and argument is not None:
        return _wrong_argument(argument, state)
    if problem.code is ErrorCode.UNDEFINED_FIELD:
        return _undefined_field(state, str(problem.args[0]), effort)
    find = _HINTS.get(problem.code)
    return find(state, *problem.args) if callable(find) else find


def _prose(text: str) -> str:
    """Return the help for a sentence in place of an expression."""
    if _SELF.search(text) is None and "'" not in text:
        return "Rename `messageExpression` to `message`, or put the text in quotes within the expression"
    return "Put the text in quotes and join values with `+`, as in `'is ' + string(self.replicas)`"


_FOLD: Final = regex(r"\.(reduce|fold|foldl|aggregate|accumulate)\(")
_NO_FOLD: Final = Sample(
    "Use `sum()` of a list of numbers, or `all`, `exists`, `filter` and `map`: CEL has no `{}`"
)
_CONSTANTS: Final = "Correct the constant: the API server converts it when the CRD is applied"


_SELF: Final = regex(r"\b(?:self|oldSelf)\b")
_HAS: Final = regex(r"has\(\s*(?:(self|oldSelf)|([\w.]+)\[\s*(\d+)\s*\])\s*\)")
_OF_METADATA: Final = regex(
    rf"(?<![\w.])self\.(?:\w+\.)*metadata\.(?:{'|'.join(sorted(_OBJECT_META))})\b"
)


def _start_of_call(state: CompiledText) -> int:
    """Return where the call of has() begins whose argument is wrong; the error is at its bracket or its argument."""
    return max(state.text.rfind("has(", 0, state.offset + len("has(")), 0)


def _wrong_argument(argument: re.Match[str], state: CompiledText) -> str:
    """Return the help for has() of what is always set, or of an element of a list."""
    name, items, index = argument[1], argument[2], argument[3]
    if name == "self":
        return "Remove `has(self)`: `self` is always set, and has() takes a field, as in `has(self.name)`"
    if name:
        instead = (
            "write `oldSelf.hasValue()`"
            if state.expression.optional_old_self
            else "`oldSelf` is always set in a transition rule"
        )
        return f"Remove `has(oldSelf)`: {instead}"
    meant = f"size({items}) > {index}"
    if _may_be_unset(items, state):
        meant = f"has({items}) && {meant}"
    return f"Write `{meant}` instead of `{argument[0]}`: has() takes a field, not an element"


def _reads_metadata(state: CompiledText) -> bool:
    """Return whether an expression reads a field of metadata that no rule can read, unless the schema declares it."""
    path = _OF_METADATA.search(state.text)
    return path is not None and _declared_field(path[0].split(".")[1:], state) is None


def _may_be_unset(path: str, state: CompiledText) -> bool:
    """Return whether a path may end at a field that is not set; only paths of self have fields that are known."""
    first, *names = path.split(".")
    if first != SELF:
        return bool(names)
    field = _declared_field(names, state)
    return bool(names) and (field is None or field.is_optional)


def _declared_field(names: list[str], state: CompiledText) -> DeclField | None:
    """Return the declaration of the field at the end of a path from self, None if there is none."""
    declared = state.declared(state.expression.declarations.self_type)
    field = None
    for name in names:
        field = None if declared is None else declared.fields.get(name)
        declared = None if field is None else field.type
    return field


def _output_type(expression: Expression) -> str:
    actual = type_text(expression.compiled.output_type)
    if expression.kind is MESSAGE:
        return Sample(
            "Return a string, such as `'was ' + string(self.replicas)`: "
            f"the expression evaluates to {actual}"
        )
    comment = comment_of(expression.text)
    if comment:
        return f"Write `/` to divide, or remove `{comment}`: CEL reads it as a comment"
    if expression.compiled.output_type.is_optional:
        return f"Use its value with `.orValue(...)`, or check `.hasValue()`: the rule evaluates to {actual}"
    return f"Compare it with a value, as in `self.replicas > 0`: the rule evaluates to {actual}"


def _undefined_field(state: CompiledText, name: str, effort: Effort) -> str | None:
    node = state.node
    declared = None if node is None else state.object_of(node)
    if declared is None:
        return None
    fields = declared.fields
    if name in declared.properties and escape(name) not in fields:
        return f"Add a `type` to the schema of `{name}`: without one CEL cannot read the field"
    if escape(name) in fields:
        return f"Write `{escape(name)}`, the CEL name of the field `{name}`"
    if name in _OBJECT_META and _is_metadata(node, fields):
        return _ONLY_NAMES
    if not fields:
        return _without_fields(name)
    if _misread(name) in declared.properties:
        return f'Write `"{name}"` in `properties`: YAML reads `{name}` as {_misread(name)} there'
    if not effort.affords(len(fields)):
        return None
    effort.spend(len(fields))
    return listed(name, list(fields))


def _is_metadata(node: Expr | None, fields: Mapping[str, DeclField]) -> bool:
    """Return whether the object that a node selects from has only the names of a resource, or none but is called `metadata`."""
    if fields:
        return fields.keys() <= _NAMES
    return isinstance(node, Select) and getattr(node.operand, "field", "") == "metadata"


def _without_fields(name: str) -> str:
    """Return the help for a field of an object without properties."""
    help_ = f"Add `{name}` to the `properties` of the object, which has none"
    if name in _OBJECT_META:
        return f"{help_}; of a resource's metadata, rules can read only `name` and `generateName`"
    return help_


def _misread(name: str) -> str:
    """Return the boolean that YAML reads a name as, such as `false` for `n`; empty for other names."""
    value = WORDS.get(name)
    return str(value).lower() if isinstance(value, bool) else ""


def _undeclared(state: CompiledText, name: str) -> str | None:
    node = state.node
    library = _library_with(name, state)
    if library is not None and library.removed is None:
        return _not_yet(name, library)
    if not isinstance(node, Call):
        return (
            "Use `self` or, in a transition rule, `oldSelf`: an expression has no other variables"
        )
    if name not in MACROS:
        return f"Use another function: CEL has no `{name}`"
    what = "an expression" if name == "map" else "a condition"
    example = "x.name" if name == "map" else "x != ''"
    return f"Call `{name}` with a variable and {what}, as in `self.hosts.{name}(x, {example})`"


def _library_with(name: str, state: CompiledText) -> Library | None:
    """Return the first library of another version of Kubernetes with what an expression calls or names, None without one."""
    arguments = len(state.node.args) if isinstance(state.node, Call) else -1
    libraries = _libraries()
    bringing = (*libraries.get((name, arguments), ()), *libraries.get((name, None), ()))
    own = state.expression.environment.libraries
    others = [each for each in bringing if each not in own]
    return min(others, key=LIBRARIES.index, default=None)


@cache
def _libraries() -> dict[tuple[str, int | None], list[Library]]:
    """Return the libraries by their macros with as many arguments, and by their functions and the names that these are below."""
    libraries: dict[tuple[str, int | None], list[Library]] = {}
    for library in LIBRARIES:
        functions = dict.fromkeys(row.function for row in library.functions)
        names = chain.from_iterable(map(_with_qualifiers, functions))
        macros = [(name, arguments) for name, arguments, _ in library.macros]
        for key in dict.fromkeys((*macros, *((name, None) for name in names))):
            libraries.setdefault(key, []).append(library)
    return libraries


def _with_qualifiers(function: str) -> Iterator[str]:
    """Yield the name of a function, and what is before each of its dots, such as `sets` of `sets.contains`."""
    return accumulate(function.split("."), "{}.{}".format)


def _not_yet(name: str, library: Library) -> str:
    """Return the help for what a library has that was added in a later version of Kubernetes."""
    major, minor = library.introduced
    is_macro = any(name == macro for macro, *_ in library.macros)
    used = f"{name}() over two variables" if is_macro else name
    return (
        f"Remove `{used}`, or require Kubernetes {major}.{minor + 1}: {library.name} was added in {major}.{minor},"
        " and new rules may use it one release later"
    )


def _no_overload(state: CompiledText, name: str, *_: object) -> str | None:
    node = state.node
    if not isinstance(node, Call):
        return None
    if name == "_[_]" and isinstance(node.args[1], Literal) and isinstance(node.args[1].value, str):
        declared = state.object_of(node)
        escaped = escape(node.args[1].value)
        if declared is not None and escaped in declared.fields:
            return f"Select the field of an object with a dot: `.{escaped}`"
    if (
        name in ("hasValue", "value", "orValue", "or")
        and getattr(node.target, "name", None) == OLD_SELF
    ):
        if state.expression.optional_old_self:
            return "Compare `oldSelf.value()`, which has the type of `self`"
        if state.expression.environment.version < _OPTIONAL_OLD_SELF:
            return "Support only Kubernetes 1.30 and later: older versions drop `optionalOldSelf`"
        return "Set `optionalOldSelf: true` on the rule: otherwise oldSelf is not an optional value"
    overloads = state.expression.env.find_function(state.compiled.result.function(node))
    if not overloads or name in _OPERATORS:
        return _OPERATORS.get(name)
    return "Call it as " + " or ".join(map(_signature, overloads[:4]))


def _signature(overload: Overload) -> str:
    target, args = "", list(map(type_text, overload.args))
    if overload.member:
        target, *args = f"{args[0]}.", *args[1:]
    return f"{target}{overload.function}({', '.join(args)})"


_CONVERT: Final = "convert one side to the type of the other, as in `string(self.port) == '80'` or `int(self.port) == 80`"
_OPERATORS: Final = {
    **dict.fromkeys(("_==_", "_!=_"), f"Compare values of the same type: {_CONVERT}"),
    **dict.fromkeys(
        ("_<_", "_<=_", "_>_", "_>=_"), f"Compare values that can be ordered: {_CONVERT}"
    ),
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


def _type_mismatch(_state: CompiledText, expected: Type, actual: Type) -> str | None:
    if expected is BOOL:
        return f"Compare the {type_text(actual)} with a value: `&&`, `||`, `?` and macros need conditions"
    return (
        f"Write the {type_text(actual)} as {type_text(expected)}, or wrap it in `dyn()`:"
        " the elements of a list or map must have the same type"
    )


def _literal(state: CompiledText, function: str) -> str | None:
    from crdlint.golang.regexp_repair import repair  # few rules have a wrong literal

    meant = repair(state.pattern) if state.pattern else None
    if meant is not None:
        return meant.help
    return {
        "duration": "Write a Go duration as a string: `duration('1h30m')`, with the units h, m, s, ms, us, ns",
        "timestamp": "Write an RFC 3339 time: `timestamp('2026-01-31T12:00:00Z')`",
        "matches": "Write the regular expression in RE2 syntax, without lookaround and back references",
    }.get(function)


def _selection(state: CompiledText, type_: Type) -> str | None:
    if type_.kind is Kind.LIST:
        return "Select an element, `[0]`, or use all of them, `.all(x, x.name != '')`: a list has no fields"
    overloads = chain.from_iterable(state.expression.env.functions.values())
    own = [each.function for each in overloads if each.member and each.args[0].name == type_.name]
    names = dict.fromkeys(name for name in own if name.isidentifier())
    if names and type_ is not STRING:
        return f"Call one of its functions: {', '.join(f'{name}()' for name in names)}"
    return f"End the path here: a value of type {type_text(type_)} has no fields"


_LANGUAGE: Final = (
    "Write the expression in CEL: https://kubernetes.io/docs/reference/using-api/cel/"
)


def _unexpected(state: CompiledText, *_: object) -> str:
    before = state.text[: state.offset].rstrip()
    if before.endswith("."):
        return f"Write a field or a function after `{before.rsplit(maxsplit=1)[-1]}`"
    tokens = Tokens(state.text).tokens
    text = next((each.text for each in tokens if each.end > state.offset), "")
    if not text:
        return _LANGUAGE
    if text in CURLY_QUOTES:
        return f"Write a text in straight quotes, such as `''`, instead of `{text}`"
    if text in ("'", '"'):
        return "Close the string with the quote that it starts with"
    earlier = [each.text for each in tokens if each.end <= state.offset]
    return _beside(earlier[-1] if earlier else "", text)


def _beside(previous: str, text: str) -> str:
    """Return the help for a token that cannot follow another one, which is empty at the start of an expression."""
    if previous == text == "*":
        return Sample(
            "Multiply the value by itself, as in `self.size * self.size`: CEL has no powers"
        )
    if not _ENDS_VALUE.search(previous):
        return f"Write a value before `{text}`"
    where = "before" if _BEGINS_VALUE.match(text) else "instead of"
    return Sample(f"Write an operator, such as `&&`, {where} `{text}`")


_ENDS_VALUE: Final = regex(r"(?:[^\W_]|[_'\")\]}])\Z")
_BEGINS_VALUE: Final = regex(r"[^\W_]|[_'\"(\[{]")


def _absent_in_chain(text: str) -> str:
    """Return the field before the first `?.` of a text, or after it if only a variable is before it; empty without one."""
    before, chained, after = text.partition("?.")
    path = _BESIDE_PATHS.split(before)[-1]
    if not chained or not path:
        return ""
    name = _BESIDE_PATHS.split(after)[0].partition(".")[0]
    return path if "." in path else f"{path}.{name}"


_BESIDE_PATHS: Final = regex(r"[^A-Za-z0-9_.]")


def _unexpected_end(state: CompiledText, *_: object) -> str:
    text = Tokens(state.text)
    absent = _absent_in_chain(state.text)
    if absent:
        return f"Check `has({absent})` before: CEL has no `?.`"
    if text.opened:
        return f"Close the `{text.opened[0].text}`: the expression ends too early"
    return f"Write a value after `{text.tokens[-1].text}`" if text.tokens else _LANGUAGE


def _reserved(state: CompiledText, name: str) -> str:
    if state.text[: state.offset].rstrip().endswith(".") or f".{name}" in state.text:
        return f"Write `__{name}__`, the name of the field `{name}` in all versions of Kubernetes"
    return "Rename the variable: a reserved word cannot be a name"


_HINTS: Final[Mapping[ErrorCode, str | Callable[..., str | None]]] = {
    ErrorCode.UNDECLARED_REFERENCE: _undeclared,
    ErrorCode.NO_MATCHING_OVERLOAD: _no_overload,
    ErrorCode.TYPE_MISMATCH: _type_mismatch,
    ErrorCode.INVALID_LITERAL: _literal,
    ErrorCode.NO_FIELD_SELECTION: _selection,
    ErrorCode.UNRECOGNIZED_TOKEN: _unexpected,
    ErrorCode.UNEXPECTED_END: _unexpected_end,
    ErrorCode.UNEXPECTED_TOKEN: _unexpected,
    ErrorCode.NOT_A_RANGE: "Call all(), exists(), map() and filter() on a list or a map, or remove the macro",
    ErrorCode.NOT_A_VARIABLE: "Write a variable and then a condition, as in `self.hosts.all(x, x != '')`",
    ErrorCode.RESERVED_IDENTIFIER: _reserved,
}
