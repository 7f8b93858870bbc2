"""Errors of expressions and of evaluation. Upstream: cel-go's common/error.go, checker/errors.go, format.go, types/err.go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import auto
from typing import Any, ClassVar, Final

from crdlint.cel.ast import Location, SourceInfo
from crdlint.cel.dialect import CELDialect
from crdlint.cel.types import ERROR, Kind, Type, written_type
from crdlint.light import Enum, NamedTuple, dataclass

MAX_ERRORS = 100
_MAX_SNIPPET_BYTES = 16384


class ErrorCode(Enum):
    """The kind of an error, with its arguments in parentheses: names and `Type`s."""

    OTHER = auto()
    UNEXPECTED_END = auto()  # ()
    UNEXPECTED_TOKEN = auto()  # (text)
    UNRECOGNIZED_TOKEN = auto()  # (text)
    RESERVED_IDENTIFIER = auto()  # (name)
    UNDEFINED_FIELD = auto()  # (field)
    UNDECLARED_REFERENCE = auto()  # (name)
    NO_MATCHING_OVERLOAD = auto()  # (function, types of the arguments)
    TYPE_MISMATCH = auto()  # (expected type, actual type)
    NO_FIELD_SELECTION = auto()  # (type)
    NOT_A_VARIABLE = auto()  # ()
    NOT_A_RANGE = auto()  # (type)
    INVALID_LITERAL = auto()  # (function)


class CodedMessage(NamedTuple):
    """A message with its code and arguments."""

    message: str
    code: ErrorCode = ErrorCode.OTHER
    args: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class CELError:
    """A problem at a location in the text; `expr_id` is the id of the node, 0 if the error belongs to no node."""

    location: Location
    problem: CodedMessage
    expr_id: int = 0

    @property
    def message(self) -> str:
        """The message as cel-go words it."""
        return self.problem.message

    def display(self, source: SourceInfo) -> str:
        """Return the message with the source line and a caret below the column. Upstream: Error.ToDisplayString."""
        line, column = self.location
        text = f"ERROR: <input>:{line}:{column + 1}: {self.message}"
        snippet = source.snippet(line)
        if snippet is None or len(snippet.encode("utf-8", "surrogatepass")) > _MAX_SNIPPET_BYTES:
            return text
        snippet = snippet.replace("\t", " ")
        dots = "".join("\uff0e" if char > "\x7f" else "." for char in snippet[: max(column, 0)])
        marked = snippet[column : column + 1] if column >= 0 else snippet[:1]
        return f"{text}\n | {snippet}\n | {dots}{chr(0xFF3E) if marked > chr(0x7F) else '^'}"


def display_errors(errors: Sequence[CELError], source: SourceInfo) -> str:
    """Return all errors sorted by location; beyond the first hundred, only their number. Upstream: Errors.ToDisplayString."""
    lines = [
        error.display(source)
        for error in sorted(errors[:MAX_ERRORS], key=lambda error: error.location)
    ]
    if len(errors) > MAX_ERRORS:
        lines.append(f"{len(errors) - MAX_ERRORS} more errors were truncated")
    return "\n".join(lines)


def type_mismatch(expected: Type, actual: Type, dialect: CELDialect) -> CodedMessage:
    """Return the problem for a type that differs from the expected one."""
    return CodedMessage(
        f"expected type '{format_type(expected, dialect)}' but found '{format_type(actual, dialect)}'",
        ErrorCode.TYPE_MISMATCH,
        (expected, actual),
    )


_NAMES: Final = {
    kind: kind.name.lower() for kind in (Kind.ANY, Kind.DURATION, Kind.NULL, Kind.TIMESTAMP)
} | {Kind.ERROR: "!error!"}
_NAMES_OF_MESSAGES: Final = _NAMES | {Kind.TYPE: "type()"}


def format_type(
    type_: Type,
    dialect: CELDialect | None = None,
    name_of: Callable[[Type], str | None] = lambda _: None,
) -> str:
    """Return a type as in messages, e.g. `map(string, dyn)`; `name_of` returns other names. Upstream: checker.FormatCELType."""
    names_optional_type = dialect is None or dialect.names_optional_type
    generics = {} if names_optional_type else {"optional_type": "optional"}
    is_of_cel = dialect is None or dialect.formats_selected_types
    names = _NAMES if is_of_cel else _NAMES_OF_MESSAGES
    return written_type(
        type_,
        lambda part: (
            name_of(part) or _of_nothing(part) or (None if part.params else names.get(part.kind))
        ),
        generics,
    )


def _of_nothing(type_: Type) -> str | None:
    """Return the type of a value whose own type is not known, because its function is not declared; None for others."""
    is_of_nothing = type_.kind is Kind.TYPE and type_.params and _is_unknown(type_.params[0])
    return "type()" if is_of_nothing else None


def _is_unknown(type_: Type) -> bool:
    return type_.kind is Kind.UNKNOWN


_PRIMITIVES: Final = (Kind.BOOL, Kind.BYTES, Kind.DOUBLE, Kind.INT, Kind.STRING, Kind.UINT)


def format_message(type_: Type) -> str:
    """Return a type as the protocol buffer message of cel-go before 0.17, e.g. `list_type:{elem_type:{dyn:{}}}`.

    Go prints one or two spaces between fields, depending on a hash of the program; this function prints one.
    """
    write = _MESSAGES.get(type_.kind)
    if write is None:
        return type_.name
    if _of_nothing(type_):
        return write(type_, [""])
    return write(type_, list(map(format_message, type_.params)))


def _primitive(type_: Type, _params: Sequence[str]) -> str:
    bits = "64" if type_.kind in (Kind.INT, Kind.UINT) else ""
    return f"{'wrapper' if type_.wrapper else 'primitive'}:{type_.kind.name}{bits}"


def _well_known(type_: Type, _params: Sequence[str]) -> str:
    return f"well_known:{type_.kind.name}"


def _abstract(type_: Type, params: Sequence[str]) -> str:
    parameters = "".join(f" parameter_types:{{{param}}}" for param in params)
    return f'abstract_type:{{name:"{type_.name}"{parameters}}}'


# By the kind of a type: what writes it with its written parameters.
_MESSAGES: Final[dict[Kind, Callable[[Type, Sequence[str]], str]]] = {
    **dict.fromkeys(_PRIMITIVES, _primitive),
    **dict.fromkeys((Kind.ANY, Kind.DURATION, Kind.TIMESTAMP), _well_known),
    Kind.LIST: lambda _, params: f"list_type:{{elem_type:{{{params[0]}}}}}",
    Kind.MAP: lambda _, params: f"map_type:{{key_type:{{{params[0]}}} value_type:{{{params[1]}}}}}",
    Kind.OPAQUE: _abstract,
    Kind.TYPE: lambda _, params: f"type:{{{''.join(params)}}}",
    Kind.TYPE_PARAM: lambda type_, _: f'type_param:"{type_.name}"',
    Kind.STRUCT: lambda type_, _: f'message_type:"{type_.name}"',
    Kind.DYN: lambda _type, _params: "dyn:{}",
    Kind.ERROR: lambda _type, _params: "error:{}",
    Kind.NULL: lambda _type, _params: "null:NULL_VALUE",
}


NO_SUCH_OVERLOAD: Final = "no such overload"


@dataclass(frozen=True, slots=True)
class Error:
    """An error as a value. Upstream: types.Err."""

    cel_type: ClassVar[Type] = ERROR

    message: str

    def cel_equal(self, _: object) -> Error:
        """Return this error: comparing with an error fails."""
        return self

    def __str__(self) -> str:
        return self.message


NO_OVERLOAD: Final = Error(NO_SUCH_OVERLOAD)


def no_overload(value: object) -> Error:
    """Return `value` if it is an error, else the error "no such overload". Upstream: types.MaybeNoSuchOverloadErr."""
    return value if type(value) is Error else NO_OVERLOAD


class FunctionError(ValueError):
    """A function cannot compute a result; `str()` is the text of the `Error` evaluation goes on with. Upstream: types.NewErr."""


class PlanError(Exception):
    """A checked expression cannot be planned; `str()` is cel-go's text."""


class CancelledError(Exception):
    """Evaluation is cancelled and no operator can absorb it: the cost limit is exceeded, or cel-go panics."""


NO_SUCH_KEY: Final = "no such key: "  # before the key
COST_LIMIT_EXCEEDED: Final = "operation cancelled: actual cost limit exceeded"
