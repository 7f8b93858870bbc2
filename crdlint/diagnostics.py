"""What a finding is: the frozen Diagnostic, which rules create and reports read."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from crdlint.light import NamedTuple, dataclass, replace
from crdlint.yaml.edit import Edit, apply

# As in ruff. safe: the CRD was rejected, or the text has no effect, and there is only one possible intention.
# unsafe: a guess of the author's intention, or a change of the accepted objects.
Applicability: TypeAlias = Literal["safe", "unsafe"]


@dataclass(frozen=True, slots=True)
class Fix:
    """The edits of a file that fix a finding, and an imperative title."""

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]

    def apply(self, text: str) -> str:
        """Return the text of the file with the edits applied."""
        return apply(text, self.edits)


Origin: TypeAlias = Literal["apiserver", "storage", "crdlint"]
Kind: TypeAlias = Literal["decode", "strict", "field", "warning", "advice"]
Severity: TypeAlias = Literal["error", "warning", "info"]

RANKS: Final = {"error": 0, "warning": 1, "info": 2}  # of severities
# The kinds with which a server rejects an object.
REJECTIONS: Final = frozenset({"decode", "strict", "field"})
# Those of all that a server answers with.
ANSWERS: Final = REJECTIONS | {"warning"}

# The rule of findings about documents that are not checked
INTERNAL_ERROR: Final = "internal-error"
NOT_RENDERED: Final = "helm-skipped"  # that of findings about CRDs which only Helm can render
REMOVED_VERSION: Final = (
    "api-version-removed"  # that of CRDs of a version that Kubernetes has removed
)
FAILED_RULE: Final = "resource-rule"  # that of rules which an object breaks
UNKNOWN_FIELD: Final = "unknown-field"  # that of fields which the API does not have
MERGE_KEY_OVERRIDE: Final = "merge-key-override"  # that of keys which a merge key brings as well
OLD_CRD: Final = "the old CRD"  # the label of a place in it


class InputProblem(NamedTuple):
    """Why an input could not be read: its name, the reason, and a position in it (1-based), zeros without one."""

    file: str
    reason: str
    line: int = 0
    column: int = 0

    @property
    def position(self) -> str:
        """The name, with line and column if there are any."""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Related:
    """Another position of a finding (1-based), with a label; `text` are the lines there, if it is in a CRD that is compared."""

    label: str
    file: str
    line: int
    column: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, with 1-based lines and columns (in characters); `end_column` is exclusive.

    - `origin`: `apiserver` for errors of the API server, `storage` for those of its storage after validation, and `crdlint` for
      crdlint's own advice
    - `kind`: the part of the server that rejects or warns, or `advice`
    - `rule`: the id of its rule
    - `severity`: how serious it is; a configuration may change it
    - `hidden`: the API server reports it only after others are fixed
    - `versions`: the Kubernetes versions of a range that report it, empty for all of them
    - `message`: the string as the API server prints it, unless `server_message` is set
    - `server_message`: the server's, empty if its message of an earlier finding contains that of this one
    - `error_type`: the kind of a validation error, such as `FieldValueInvalid`
    - `field`: the path in its message
    - `detail`: the text in its message after the path and the value
    - `headline`: what is wrong with which field, in at most 90 characters
    - `help`: how to correct it
    - `fix`: the edits that fix it, if fixes are requested and there is one
    - `file`: the name of the file
    - `related`: another place, such as that of what it contradicts
    - `crd`: the name of the CRD
    - `user_path`: the path that users know, of a field of the objects (`.spec.ports[].protocol`) in a `version` of the CRD, else
      of the file (`spec.names.kind`)
    - `example`: the JSON of an object that it breaks
    - `is_alpha`: a breaking change that is a warning in alpha versions
    - `missing_in`: the sides of a comparison that do not have what a change is about; their positions are the closest ones
    - `errors`: the number of errors in `detail`, since those of a CEL expression are one finding; 0 for one that only follows from
      others. Reports do not show it
    - `lacks`: a mapping and a field that it lacks, which the finding requires, or which an unknown field probably was meant to be;
      see `rules.consequences`. Reports do not show it
    - `cause`: what several findings of the rule have in common although their messages differ, such as the field that two printer
      columns miss; empty if their messages are equal. Reports for people show these as one entry
    """

    origin: Origin
    kind: Kind
    rule: str
    severity: Severity
    message: str
    error_type: str | None = None
    field: str = ""
    detail: str = ""
    file: str = "<stdin>"
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    help: str | None = None
    crd: str | None = None
    hidden: bool = False
    related: Related | None = None
    server_message: str | None = None
    fix: Fix | None = None
    versions: tuple[str, ...] = ()
    lacks: str = ""
    cause: str = ""
    errors: int = 1
    example: str | None = None
    is_alpha: bool = False
    missing_in: tuple[Literal["old", "new"], ...] = ()
    headline: str = ""
    user_path: str = ""
    version: str = ""

    @property
    def rule_and_position(self) -> tuple[str, str | None, int, int]:
        """What two runs over a text have in common if they report the same problem."""
        return self.rule, self.crd, self.line, self.column

    @property
    def has_safe_fix(self) -> bool:
        """Whether it has a fix that keeps the meaning."""
        return self.fix is not None and self.fix.applicability == "safe"

    @property
    def is_rejection(self) -> bool:
        """Whether the API server rejects an object because of the finding."""
        is_error = self.origin == "apiserver" and self.severity == "error"
        return is_error and self.kind in REJECTIONS and not self.hidden

    @property
    def before(self) -> Related | None:
        """The place in the old CRD."""
        return self.related if self.related is not None and self.related.label == OLD_CRD else None

    def with_moved_fix(self, characters: int) -> Diagnostic:
        """Return the finding with the edits of its fix further down in the file."""
        fix = self.fix
        if fix is None:
            return self
        return replace(
            self, fix=replace(fix, edits=tuple(edit.moved(characters) for edit in fix.edits))
        )


def in_server_words(diagnostic: Diagnostic) -> Diagnostic:
    """Return a finding with the API server's own message."""
    message = diagnostic.server_message
    return (
        diagnostic
        if not message
        else replace(
            diagnostic,
            message=message,
            detail=message,
            server_message=None,
        )
    )
