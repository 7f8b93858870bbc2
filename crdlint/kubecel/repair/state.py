"""An expression on the way to one that compiles, and choices of edits of it, of which one may be meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from crdlint.cel.ast import Call, Expr, Ident, Literal, Select, nodes
from crdlint.cel.compiler import Compiled
from crdlint.cel.errors import ErrorCode
from crdlint.cel.source_ranges import error_range, range_at
from crdlint.cel.types import Kind, Type
from crdlint.kubecel.compilation import OLD_SELF, SELF, Expression
from crdlint.kubecel.declarations import DeclField, DeclType
from crdlint.light import NamedTuple, regex
from crdlint.phrases import OneCommand
from crdlint.yaml.edit import Edit

# A quote that is not closed ends with its line.
_COMMENT: Final = regex(r"'(?:[^'\\\n]|\\.)*'?|\"(?:[^\"\\\n]|\\.)*\"?|(//[^\n]*)")


def comment_of(text: str) -> str:
    """Return the first comment of an expression, empty if it has none.

    >>> comment_of("self.size // 2 < 100"), comment_of("self.url != 'https://a'")
    ('// 2 < 100', '')
    """
    return next((match[1] for match in _COMMENT.finditer(text) if match[1]), "")


# A quote that is not closed ends with its line.
_STRING: Final = regex(r"'(?:[^'\\\n]|\\.)*'?|\"(?:[^\"\\\n]|\\.)*\"?")
_OF_RULES: Final = frozenset({SELF, OLD_SELF})


# A name with the fields after it, and the character that follows, which may call it.
_NAMES: Final = regex(r"(?<![\w.`])([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)(?!\w)(?=\s*(.?))")
_DECLARED: Final = regex(r"[(,]\s*(\w+)\s*(?=,)")


class UnknownName:
    """A variable that is not declared, or a path from `self` whose last field is not, to be found in other texts.

    Whatever is around it, an expression with it does not compile, unless a macro declares its first name. Nor does one
    with a macro over the object without the field: macros go over lists and maps.
    """

    def __init__(self, first: str, *fields: str) -> None:
        self.is_field: Final = bool(fields)
        self._names: Final = [first, *fields]
        self._object: Final = self._names[:-1]
        self._is_known: Final = bool(fields) and first not in _OF_RULES

    def may_be_declared_by(self, template: str) -> bool:
        """Return whether a template has the first name, which is then maybe the variable of a macro."""
        return self._names[0] in template

    def times(self, text: str) -> int:
        """Return how often the name is in a text, outside of strings; 0 for a text in which it may be known."""
        if self._is_known or "//" in text or self._names[0] in _DECLARED.findall(text):
            return 0
        has_strings = "'" in text or '"' in text
        outside = _STRING.sub("''", text) if has_strings else text
        return sum(map(self._is_in, _NAMES.finditer(outside)))

    def _is_in(self, match: re.Match[str]) -> bool:
        """Return whether a path begins with the name, which nothing calls, or ends with a macro over its object."""
        own = self._names
        if not match[1].startswith(own[0]):
            return False
        path = [name.strip() for name in match[1].split(".")]
        if path[: len(own)] == own:
            is_longer = len(path) > len(own)
            return len(own) > 1 if is_longer else match[2] not in _CALLS
        calls_macro = path[-1] in MACROS and match[2] == "("
        return calls_macro and bool(self._object) and path[:-1] == self._object


# The macros over the elements of a list, or the keys of a map.
MACROS: Final = frozenset({"all", "exists", "exists_one", "existsOne", "filter", "map"})
_CALLS: Final = frozenset("({")  # what calls a name, or makes it the name of a type


def _path(node: Expr) -> list[str]:
    """Return the names of a path such as `self.spec.name`; the first is empty if it starts with another expression."""
    fields: list[str] = []
    while isinstance(node, Select):
        fields.append(node.field)
        node = node.operand
    return [node.name if isinstance(node, Ident) else "", *reversed(fields)]


_WORD: Final = regex(r"[A-Za-z_]\w*\Z")
_ABOUT_NAMES: Final = frozenset({ErrorCode.UNDECLARED_REFERENCE, ErrorCode.UNDEFINED_FIELD})
_TYPES: Final = frozenset(
    {"type", "string", "int", "double", "bool", "bytes", "list", "map", "uint"}
)


def is_function(node: Expr) -> bool:
    """Return whether a node calls a function that has a name, and no operator."""
    return isinstance(node, Call) and _WORD.match(node.function) is not None


class CompiledText:
    """A text in place of an expression, with the result of compiling it."""

    def __init__(self, expression: Expression, text: str, compiled: Compiled) -> None:
        self.expression: Final = expression
        self.text: Final = text
        self.compiled: Final = compiled
        self.is_parsed: Final = bool(compiled.result.type_map)
        self.error: Final = min(compiled.errors, key=lambda each: each.location, default=None)
        has_location = self.error is not None and self.error.location.line > 0
        self.offset: Final = (
            compiled.source.offset_of(self.error.location)
            if self.error is not None and has_location
            else len(text)
        )
        # The parser, the checker, the validators of literals, and the type of the result.
        stage = (
            3
            if not self.is_parsed
            else 2
            if compiled.result.errors
            else 1
            if self.error is not None
            else 0
        )
        output = expression.kind.output
        self.stage: Final = (
            -1 if stage == 0 and (output is None or compiled.output_type is output) else stage
        )

    @classmethod
    def of(cls, expression: Expression) -> CompiledText:
        """Return the text of an expression itself."""
        return cls(expression, expression.text, expression.compiled)

    @property
    def is_accepted(self) -> bool:
        """Whether the expression compiles."""
        return self.stage < 0

    def is_further(self, before: CompiledText, edits: Iterable[Edit]) -> bool:
        """Return whether some edits lead to a later stage, or to a first error after that of the text `before` them."""
        if self.stage != before.stage:
            return self.stage < before.stage
        by, pieces = 0, list(edits)
        for edit in pieces:
            start = edit.start + by
            if start <= self.offset <= start + len(edit.text):
                return False  # what is written has an error itself
            by += len(edit.text) - (edit.end - edit.start)
        return self.stage > 0 and self.offset > before.offset_after(pieces)

    def offset_after(self, edits: Iterable[Edit]) -> int:
        """Return where the first error is after some edits that leave it."""
        offset = self.offset
        for edit in edits:
            if edit.start <= self.offset:
                offset += len(edit.text) - (min(edit.end, self.offset) - edit.start)
        return offset

    @property
    def code(self) -> ErrorCode | None:
        """The code of the first error."""
        return None if self.error is None else self.error.problem.code

    @cached_property
    def node(self) -> Expr | None:
        """The node of the first error."""
        error = self.error
        return (
            None
            if error is None
            else next((each for each in self.nodes if each.id == error.expr_id), None)
        )

    @cached_property
    def nodes(self) -> list[Expr]:
        """The nodes of the expression, parents before children."""
        return list(nodes(self.compiled.expr))

    @property
    def pattern(self) -> str:
        """The pattern of a call of matches() that the first error is about, empty if it is about another one."""
        problem = None if self.error is None else self.error.problem
        is_pattern = problem is not None and (problem.code, problem.args) == (
            ErrorCode.INVALID_LITERAL,
            ("matches",),
        )
        return str(self.node.value) if is_pattern and isinstance(self.node, Literal) else ""

    def keeps_error(self, text: str) -> bool:
        """Return whether a text certainly has the first error, too: the unknown name is in it as often as in this one."""
        name = self.unknown_name
        return name is not None and name.times(text) >= self._times

    @cached_property
    def _times(self) -> int:
        """How often the unknown name of the first error is in the text."""
        return 0 if self.unknown_name is None else self.unknown_name.times(self.text)

    @cached_property
    def unknown_name(self) -> UnknownName | None:
        """The name that the first error is about, None if it is about something else, or the text has it in another form."""
        node = self.node
        if self.code is ErrorCode.UNDECLARED_REFERENCE and isinstance(node, Ident):
            name = UnknownName(node.name)
        elif self.code is ErrorCode.UNDEFINED_FIELD and isinstance(node, Select):
            name = UnknownName(*_path(node))
        else:
            return None
        return name if name.times(self.text) else None

    @cached_property
    def wrong_name(self) -> tuple[str, tuple[int, int]]:
        """The name that the first error is about, empty if it is about none, and its offsets."""
        error, node = self.error, self.node
        span = self._type_as_value()
        if error is not None and error.problem.code in _ABOUT_NAMES:
            span = error_range(error, self.compiled.source) or span
        name = self.text[slice(*span)]
        if not _WORD.match(name):
            return "", (0, 0)
        has_dot = isinstance(node, Ident) and self.text.startswith(".", max(span[0] - 1, 0))
        return name, (span[0] - has_dot, span[1])

    def _type_as_value(self) -> tuple[int, int]:
        """Return the offsets of the name of a type among the operands of an operator, (0, 0) without one.

        It may also be the name of a field.
        """
        node = self.node
        if not isinstance(node, Call) or self.code is not ErrorCode.NO_MATCHING_OVERLOAD:
            return 0, 0
        operands = [] if is_function(node) else node.args
        types = [each for each in operands if isinstance(each, Ident) and each.name in _TYPES]
        offsets = self.compiled.source.offsets
        return range_at(self.text, offsets[types[0].id][0]) if types else (0, 0)

    def declared(self, type_: Type | None) -> DeclType | None:
        """Return the declaration of an object's type."""
        unwrapped = None if type_ is None else type_.unwrapped
        if unwrapped is None or unwrapped.kind is not Kind.STRUCT:
            return None
        return self.expression.declarations.object(unwrapped.name)

    def object_of(self, node: Expr) -> DeclType | None:
        """Return the declaration of the object that a node selects a field from."""
        operand = node.operand if isinstance(node, Select) else None
        if isinstance(node, Call) and node.args:
            operand = node.args[0]
        return (
            None
            if operand is None
            else self.declared(self.compiled.result.type_map.get(operand.id))
        )

    def field(self, node: Expr) -> DeclField | None:
        """Return the declaration of the field that a node selects."""
        declared = self.object_of(node) if isinstance(node, Select) else None
        return (
            None
            if declared is None or not isinstance(node, Select)
            else declared.fields.get(node.field)
        )


class Choice(NamedTuple):
    """Edits of which one may be meant.

    `helps` are the helps for each of them, by default what they write. If it `must_complete`, it applies only if the
    expression compiles.
    """

    alternatives: tuple[tuple[Edit, ...], ...]
    is_certain: bool = True
    helps: tuple[str, ...] = ()
    must_complete: bool = False


def one_of(edits: list[Edit], *helps: str) -> Choice:
    """Return an uncertain choice of one of some edits with which the expression compiles."""
    return Choice(
        tuple((edit,) for edit in edits),
        is_certain=False,
        helps=helps,
        must_complete=True,
    )


def named(span: tuple[int, int], names: list[str], *, certain: bool) -> Choice:
    """Return the choice of one of some names in place of another."""
    helps = tuple(OneCommand(f"Write `{name}` instead") for name in names)
    return Choice(tuple((Edit(*span, name),) for name in names), certain, helps)
