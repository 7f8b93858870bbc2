"""What a rule is: its id, what it says about itself, and an example of each kind that the tests run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crdlint.diagnostics.diagnostic import Diagnostic

if TYPE_CHECKING:
    from crdlint.crd.errors import FieldError
    from crdlint.crd.positions import Span
    from crdlint.diagnostics.diagnostic import Kind, Origin, Related, Severity
    from crdlint.rules.engine.finding import Fixer, Scope


@dataclass(frozen=True, slots=True)
class Rule:
    """A check's identity and texts.

    ``bad`` and ``good`` are YAML fragments laid over a minimal valid CRD at ``scope``: the bad one raises the rule and
    the good one does not, which a test holds. ``help`` is the default way out where a finding has no closer one.
    ``source`` names the upstream function (package path and name) whose answer it reproduces, empty for our own advice.
    ``on_request`` rules are only reported where the configuration names them. Of ``fixes``, the first that fits is offered.
    ``marker`` is what controller-gen wants in the Go source instead of a change of the CRD, empty if it has no such marker.
    ``aliases`` are former ids, which remain valid wherever a user names a rule.
    A rule that ``compares`` two versions of a CRD has a fragment of the old one in ``good`` and of the new one in ``bad``.
    """

    id: str
    summary: str
    why: str
    bad: str
    good: str
    help: str
    source: str = ""
    scope: Scope = "schema"
    severity: Severity = "error"
    origin: Origin = "apiserver"
    on_request: bool = False
    fixes: tuple[Fixer, ...] = ()
    aliases: tuple[str, ...] = ()
    marker: str = ""
    compares: bool = False

    def diagnostic(self, file: str, kind: Kind, message: str, span: Span, help_: str | None = None) -> Diagnostic:
        """Make a finding of this rule; the rule's own help where none is closer."""
        return Diagnostic(
            origin=self.origin,
            kind=kind,
            rule=self.id,
            severity=self.severity,
            message=message,
            detail=message,
            file=file,
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
            help=help_ or self.help,
        )

    def diagnostic_of(
        self,
        error: FieldError,
        message: str,
        span: Span,
        *,
        file: str,
        crd: str | None = None,
        help: str | None = None,  # noqa: A002
        hidden: bool = False,
        related: Related | None = None,
    ) -> Diagnostic:
        """Make a finding of a field error, whose text is ``message``; the rule's own help where none is closer."""
        kind = error.kind
        return Diagnostic(
            origin=self.origin,
            kind=kind,
            rule=self.id,
            severity=self.severity,
            message=message,
            error_type=error.type if kind == "field" else None,
            field=str(error.path),
            detail=str(error.detail),  # not a Wording, which no other process can read
            file=file,
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
            help=help or error.help or self.help,
            crd=crd,
            hidden=hidden,
            related=related,
        )
