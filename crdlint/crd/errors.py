"""Field errors as the API server builds and prints them, and their reasons.

A reason is a code with arguments. Helps and fixes use it instead of the message. Upstream: apimachinery
pkg/util/validation/field/errors.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import auto
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict

from crdlint.kubernetes.servers import NEWEST, ByVersion, Server
from crdlint.light import Enum, NamedTuple

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from crdlint.cel.ast import Expr
    from crdlint.crd.model import ValidationRule
    from crdlint.crd.paths import Path
    from crdlint.safety.work import WorkLimitError


class Code(Enum):
    """The kinds of problems, with their arguments in parentheses."""

    TYPE = auto()  # (expected type, actual type)
    FORMAT = auto()  # (format,)
    RANGE = auto()  # (type,): a number outside the range of its type and format
    ENUM = auto()  # the allowed values
    LEAST = auto()  # (limit, exclusive)
    MOST = auto()  # (limit, exclusive)
    MULTIPLE = auto()  # (factor,)
    PATTERN = auto()  # (pattern,)
    TOO_SHORT = auto()  # (minimum number of characters,)
    TOO_LONG = auto()  # (maximum number of characters,)
    TOO_FEW = auto()  # (minimum number, "items" or "properties")
    TOO_MANY = auto()  # (maximum number,)
    NOT_UNIQUE = auto()
    ANY_OF = auto()
    ONE_OF = auto()
    ALL_OF = auto()
    NOT = auto()  # a value that matches the schema of `not`
    UNFIT_LIMIT = auto()  # (keyword,): a limit of the schema that rejects the value whatever it is
    NO_MAP_ITEM = auto()  # an item of a map list that is not an object
    NOT_CHECKED = auto()  # rules that are not evaluated because of other errors
    IMMUTABLE = auto()
    OUT_OF_BUDGET = auto()  # a rule whose evaluation exceeds the cost budget
    NO_KEY = auto()  # (field,): a rule reads a field that the object lacks
    RULE_FAILED = auto()  # (expression, schema): a rule that does not compile
    EVALUATION_FAILED = auto()  # (text of the error,)
    # A default with fields that the schema lacks: (the field that one is like,) or ()
    UNKNOWN_FIELDS = auto()
    NO_FIELD = auto()  # a fieldPath that refers to no field of the schema
    MEANT = auto()  # (edits, is_certain): what makes an expression compile
    NOT_DEPRECATED = auto()  # a deprecation warning on a version that is not deprecated
    NOT_BELOW = auto()  # the paths of possible parents: a JSON path that starts with none of them
    COST = auto()  # (estimated cost, limit)
    NOTHING_DEFINED = auto()  # a CRD without group, names and versions
    NO_WEBHOOK_STRATEGY = auto()  # a webhook under a strategy that does not call it


class Reason(NamedTuple):
    """The reason for an error."""

    code: Code
    arguments: tuple[Any, ...] = ()


INVALID: Final = "FieldValueInvalid"
REQUIRED: Final = "FieldValueRequired"
FORBIDDEN: Final = "FieldValueForbidden"
NOT_SUPPORTED: Final = "FieldValueNotSupported"
DUPLICATE: Final = "FieldValueDuplicate"
TOO_LONG: Final = "FieldValueTooLong"
TOO_MANY: Final = "FieldValueTooMany"
TYPE_INVALID: Final = "FieldValueTypeInvalid"
INTERNAL: Final = "InternalError"
# Not from the server: crdlint reports values whose evaluation takes too much work under this rule.
NOT_EVALUATED: Final = "NotEvaluated"
EVALUATION_LIMIT: Final = "evaluation-limit"
# The rule of defaults that are not valid for their own schema.
DEFAULT_INVALID: Final = "default-invalid"
# The rules of what only server-side apply rejects, and of a rule that is repeated, which it rejects as well.
APPLY_REJECTED: Final = "apply-rejected"
RULE_DUPLICATE: Final = "rule-duplicate"
# Not from the server either: it panics, so that the request has no answer.
NO_ANSWER: Final = "NoAnswer"
_OF_CRDLINT: Final = frozenset({NOT_EVALUATED, NO_ANSWER})

# A bad value that is not printed (upstream's field.OmitValueType).
OMITTED: Final = object()

# Upstream's text for each type (field.ErrorType.String).
WORDS: Final = {
    INVALID: "Invalid value",
    REQUIRED: "Required value",
    FORBIDDEN: "Forbidden",
    NOT_SUPPORTED: "Unsupported value",
    DUPLICATE: "Duplicate value",
    TOO_LONG: "Too long",
    TOO_MANY: "Too many",
    TYPE_INVALID: "Invalid value",
    INTERNAL: "Internal error",
    NOT_EVALUATED: "Not evaluated",
    NO_ANSWER: "No answer",
}


class Wording(str):
    """A detail whose text depends on the server: the str is the newest server's text, and `on` returns that of any server."""

    __slots__ = ("_worded",)
    _worded: Callable[[Server], str]

    def __new__(cls, worded: Callable[[Server], str]) -> Wording:
        """Create a text from a function that returns it for a server."""
        text = super().__new__(cls, worded(NEWEST))
        text._worded = worded
        return text

    @classmethod
    def by_version(cls, first: str, *later: tuple[int, str]) -> Wording:
        """Create a text from its first wording, and later wordings with the minor version that introduced each."""
        return cls(ByVersion(first, *later).on)

    def on(self, server: Server) -> str:
        """Return the text of a server."""
        return self._worded(server)


class BrokenRule(NamedTuple):
    """The rule that a value violates, and the type of the value in its schema (empty: none).

    `self_path` is the path of the rule's `self`, None for the whole object. `expr` is the expression of the rule, None
    if it does not compile.
    """

    rule: ValidationRule
    type: str
    self_path: Path | None = None
    expr: Expr | None = None


class FieldError(NamedTuple):
    """One validation error: the fields of upstream's `field.Error`, the id of crdlint's rule, and its position.

    - `value`: the bad value as in Go (see `crdlint.golang.printing`), unused if upstream does not print it
    - `detail`: a text, or a `Wording` that differs between servers
    - `server`: the server that prints the error
    - `at`: the path to report if it differs from `path`; a missing field is reported at its parent in any case
    - `help`: how to fix this finding
    - `subject`: further information for the rule's fix
    - `reason`: the code and arguments of `detail`, for helps and fixes
    - `errors`: the number of errors that `detail` lists
    """

    rule: str
    type: str
    path: Path
    value: object
    detail: str
    at: Path | None = None
    help: str | None = None
    hidden: bool = False
    key: bool = False  # report the position of the key of `at` instead of its value
    # The range to report within a string: code points (start, end)
    inside: tuple[int, int] | None = None
    cause: BrokenRule | None = None
    subject: object = None
    server: Server = NEWEST
    reason: Reason | None = None
    errors: int = 1

    @property
    def code(self) -> Code | None:
        """The code of the reason, None without one."""
        return None if self.reason is None else self.reason.code

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments of the reason, none without one."""
        return () if self.reason is None else self.reason.arguments

    @property
    def kind(self) -> Literal["field", "advice"]:
        """The kind of its diagnostic: the server's own validation error, or advice of crdlint."""
        return "advice" if self.type in _OF_CRDLINT else "field"

    def on(self, server: Server) -> FieldError:
        """Return the error as a server words and prints it."""
        if server is self.server:
            return self
        detail = self.detail.on(server) if isinstance(self.detail, Wording) else self.detail
        value = self.value if self.cause is None or server.prints_failed_values else self.cause.type
        return self._replace(
            detail=detail,
            value=value,
            server=server,
        )

    def __str__(self) -> str:
        # Most runs print no values.
        from crdlint.golang.printing import (
            bad_value,
            bad_value_in_go_syntax,
        )

        body = WORDS[self.type]
        if self.type not in _WITHOUT_VALUE and self.value is not OMITTED:
            is_json = self.server.prints_json_values
            value = (
                bad_value(self.value)
                if is_json
                else bad_value_in_go_syntax(self.value, self.server.unknown_fields)
            )
            body = f"{body}: {value}"
        return f"{self.path}: {body}: {self.detail}" if self.detail else f"{self.path}: {body}"


_WITHOUT_VALUE: Final = frozenset({REQUIRED, FORBIDDEN, TOO_LONG, INTERNAL, *_OF_CRDLINT})


def too_long_detail(limit: int, *, of_values: bool = False) -> str:
    """Return the detail for a text of more than `limit` bytes; `of_values` is for values with a maxLength."""
    if limit < 0 and of_values:
        return "value is too long"
    first = f"may not be longer than {limit}" if of_values else f"must have at most {limit} bytes"
    since_1_34 = f"may not be more than {limit} byte{'' if limit == 1 else 's'}"
    return Wording.by_version(first, (32, f"may not be more than {limit} bytes"), (34, since_1_34))


def too_many_detail(limit: int) -> str:
    """Return the detail for more than `limit` items."""
    if limit < 0:
        return "has too many items"
    return Wording.by_version(
        f"must have at most {limit} items",
        (34, f"must have at most {limit} item{'' if limit == 1 else 's'}"),
    )


def not_evaluated(path: Path, limit: WorkLimitError) -> FieldError:
    """Return the error that a value and all following ones are not evaluated."""
    return FieldError(
        EVALUATION_LIMIT,
        NOT_EVALUATED,
        path,
        None,
        str(limit),
    )


class Extra(TypedDict, total=False):
    """Fields of a `FieldError` that most errors do not have.

    `at`: the path to report.
    `help`: the help.
    `reason`: the cause as data.
    `subject`: what the error is about.
    `key`: whether the key is reported, not the value.
    """

    at: Path | None
    help: str | None
    reason: Reason | None
    subject: object
    key: bool


def required(
    rule: str,
    path: Path,
    detail: str,
    **extra: Unpack[Extra],
) -> FieldError:
    """Return upstream's field.Required."""
    return FieldError(rule, REQUIRED, path, None, detail, **extra)


def forbidden(
    rule: str,
    path: Path,
    detail: str,
    **extra: Unpack[Extra],
) -> FieldError:
    """Return upstream's field.Forbidden."""
    return FieldError(rule, FORBIDDEN, path, None, detail, **extra)


def invalid(
    rule: str,
    path: Path,
    value: object,
    detail: str,
    **extra: Unpack[Extra],
) -> FieldError:
    """Return upstream's field.Invalid."""
    return FieldError(rule, INVALID, path, value, detail, **extra)


def not_supported(
    rule: str,
    path: Path,
    value: object,
    supported: Iterable[str],
    *,
    help: str | None = None,  # noqa: A002
) -> FieldError:
    """Return upstream's field.NotSupported, with the supported values in the order of `supported`."""
    from crdlint.golang.text import quote

    allowed = tuple(supported)
    detail = "supported values: " + ", ".join(map(quote, allowed))
    return FieldError(
        rule,
        NOT_SUPPORTED,
        path,
        value,
        detail,
        help=help,
        reason=Reason(Code.ENUM, allowed),
    )
