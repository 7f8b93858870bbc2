"""The definition of a rule: its id, its texts, and examples that the tests run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from crdlint.diagnostics.diagnostic import Diagnostic

if TYPE_CHECKING:
    from crdlint.crd.errors import FieldError
    from crdlint.crd.positions import Span
    from crdlint.diagnostics.diagnostic import Kind, Origin, Related, Severity
    from crdlint.rules.engine.finding import Fixer, Scope


class Rule(NamedTuple):
    """The identity and the texts of a check.

    `bad` and `good` are YAML fragments that are merged into a minimal valid CRD at `scope`; tests assert that only the
    bad one raises the rule. `help` is the default help for findings without a more specific one. `source` is the
    upstream function (package path and name) that it reproduces, empty for crdlint's own advice. `on_request` rules are
    only reported if the configuration selects them. The first of `fixes` that applies is offered. `marker` is the
    controller-gen marker in the Go source that replaces a change of the CRD, empty if there is none. `aliases` are
    former ids, which users can still use. A rule that `compares` two versions of a CRD has a fragment of the old one in
    `good` and of the new one in `bad`.
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
        """Create a finding of this rule; without `help_`, it has the help of the rule."""
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
        """Create a finding from a field error with the text `message`; without a help, it has the help of the rule."""
        kind = error.kind
        return Diagnostic(
            origin=self.origin,
            kind=kind,
            rule=self.id,
            severity=self.severity,
            message=message,
            error_type=error.type if kind == "field" else None,
            field=str(error.path),
            detail=str(error.detail),  # not a Wording, which cannot be sent to other processes
            file=file,
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
            help=help or error.help or self.help,
            crd=crd,
            hidden=hidden,
            related=related,
            errors=error.errors,
        )
