"""String functions, versions 0 to 4 (cel-go's ext/strings.go)."""

from __future__ import annotations

from typing import Final

from crdlint.cel.decls import Overload, member, overload
from crdlint.cel.types import DYN, INT, STRING, list_type

_BASE: Final[tuple[Overload, ...]] = (
    member("charAt", "string_char_at_int", (STRING, INT), STRING),
    member("indexOf", "string_index_of_string", (STRING, STRING), INT),
    member("indexOf", "string_index_of_string_int", (STRING, STRING, INT), INT),
    member("lastIndexOf", "string_last_index_of_string", (STRING, STRING), INT),
    member("lastIndexOf", "string_last_index_of_string_int", (STRING, STRING, INT), INT),
    member("lowerAscii", "string_lower_ascii", (STRING,), STRING),
    member("replace", "string_replace_string_string", (STRING, STRING, STRING), STRING),
    member("replace", "string_replace_string_string_int", (STRING, STRING, STRING, INT), STRING),
    member("split", "string_split_string", (STRING, STRING), list_type(STRING)),
    member("split", "string_split_string_int", (STRING, STRING, INT), list_type(STRING)),
    member("substring", "string_substring_int", (STRING, INT), STRING),
    member("substring", "string_substring_int_int", (STRING, INT, INT), STRING),
    member("trim", "string_trim", (STRING,), STRING),
    member("upperAscii", "string_upper_ascii", (STRING,), STRING),
    member("join", "list_join", (list_type(STRING),), STRING),
    member("join", "list_join_string", (list_type(STRING), STRING), STRING),
)

_VERSION_1: Final[tuple[Overload, ...]] = (
    member("format", "string_format", (STRING, list_type(DYN)), STRING),
    overload("strings.quote", "strings_quote", (STRING,), STRING),
)

_VERSION_3: Final[tuple[Overload, ...]] = (member("reverse", "string_reverse", (STRING,), STRING),)

FORMAT_OVERLOAD: Final = "string_format"


def functions(version: int) -> tuple[Overload, ...]:
    """Return the overloads of a version; what 2 and 4 change is not a declaration."""
    return _BASE + (_VERSION_1 if version >= 1 else ()) + (_VERSION_3 if version >= 3 else ())
