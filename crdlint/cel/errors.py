"""Errors in an expression: kind, location and message. Upstream: cel-go's common/error.go and errors.go."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.ast import Location, SourceInfo

MAX_ERRORS = 100
_MAX_SNIPPET_BYTES = 16384


class Code(Enum):
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


class Problem(NamedTuple):
    """A message with its code and arguments."""

    message: str
    code: Code = Code.OTHER
    args: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class CELError:
    """A problem at a location in the text; `expr_id` is the id of the node, 0 if the error belongs to no node."""

    location: Location
    problem: Problem
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
    shown = sorted(errors[:MAX_ERRORS], key=lambda error: error.location)
    lines = [error.display(source) for error in shown]
    if len(errors) > MAX_ERRORS:
        lines.append(f"{len(errors) - MAX_ERRORS} more errors were truncated")
    return "\n".join(lines)
