"""What crdlint has to say: the frozen Diagnostic every rule ends in and every report starts from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from crdlint.yaml.edit import Edit


# As in ruff. safe: the CRD was rejected, or the text has no effect, and only one reading is meant. unsafe: a guess at the
# author's intention, or a change of the objects that are accepted.
Applicability: TypeAlias = Literal["safe", "unsafe"]


@dataclass(frozen=True, slots=True)
class Fix:
    """The edits of a file's text that fix a finding, and a title that says what they do, in the imperative."""

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]


Origin: TypeAlias = Literal["apiserver", "crdlint"]
Kind: TypeAlias = Literal["decode", "strict", "field", "warning", "advice"]
Severity: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a finding is about (1-based), and what it is: the rule of a CRD that an object breaks."""

    label: str
    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, at 1-based lines and columns (in characters); ``end_column`` is just past the last character.

    ``origin`` is ``apiserver`` for what the API server itself reports and ``crdlint`` for our own advice; ``message`` is
    the whole string as the API server prints it, unless ``server_message`` is set, which is then the server's.
    ``crd`` is the name of the CRD it is about, ``hidden`` marks what the API server reports only after other findings
    are fixed. ``versions`` are the Kubernetes versions of a range that it holds for, empty if it holds for all of them.
    ``fix`` has the edits of the file's text that fix it, where fixes are asked for and there is one.
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


def in_server_words(diagnostic: Diagnostic) -> Diagnostic:
    """Return a finding with the API server's own message."""
    said = diagnostic.server_message
    return diagnostic if said is None else replace(diagnostic, message=said, detail=said, server_message=None)
