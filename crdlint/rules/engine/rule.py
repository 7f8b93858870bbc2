"""The declaration of a rule: its id, its texts, its fixes, examples that the tests run, and the advice that it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as MappingOf
from collections.abc import Set as AbstractSet
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from crdlint.crd.errors import Code
from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.diagnostics import Diagnostic, Kind, Origin, Severity
from crdlint.light import NamedTuple
from crdlint.phrases import counted
from crdlint.rules.engine import headlines
from crdlint.rules.engine.headlines import Headline, Named
from crdlint.rules.engine.relations import EMPTY_CRD, Relation

if TYPE_CHECKING:
    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.positions import Span
    from crdlint.rules.engine.advisory import Advisory, DecodedCRD
    from crdlint.rules.engine.finding import AdviceFinding
    from crdlint.rules.engine.fixer import Fixer, Scope


class Nodes(NamedTuple):
    """The nodes of a schema that a check is about: those with one of `fields`, of one of `types`, with none of `without`.

    Fields are JSON names; no fields or types mean all nodes. `when` is a further condition on the given fields and the type.
    """

    fields: AbstractSet[str] = frozenset()
    types: AbstractSet[str] = frozenset()
    without: AbstractSet[str] = frozenset()
    when: Callable[[frozenset[str], str], bool] | None = None

    def match(self, fields: frozenset[str], type_: str) -> bool:
        """Return whether a node with such fields and such a type is among them."""
        return (
            (not self.fields or not fields.isdisjoint(self.fields))
            and (not self.types or type_ in self.types)
            and fields.isdisjoint(self.without)
            and (self.when is None or self.when(fields, type_))
        )


EVERY_NODE: Final = Nodes()


class Link(NamedTuple):
    """Another rule, None for the same one, and how its findings are related."""

    rule: Rule | None
    relation: Relation


class Rule(NamedTuple):
    """The identity, the texts and the traits of a check.

    >>> Caution("name-short", "Name is too short", why="Its meaning is unclear.", help="Write it out").severity
    'warning'
    """

    id: str
    # What is wrong, why it matters, and the help for findings without a more specific one.
    summary: str
    why: str
    help: str
    # YAML fragments that are merged into a minimal valid CRD at `scope`; tests assert that only the bad one raises the rule. A
    # rule that compares two versions of a CRD has a fragment of the new one in `bad` and of the old one in `good`.
    bad: str = ""
    good: str = ""
    # The upstream function (package path and name) that it reproduces, empty for crdlint's own advice.
    source: str = ""
    scope: Scope = "properties"
    severity: Severity = "error"
    origin: Origin = "apiserver"
    # Whether it is only reported if the configuration selects it, or the set `in_set`.
    on_request: bool = False
    in_set: str = ""
    # Whether it is about what a build or a chart may add, so that it is only checked for complete CRDs.
    of_whole_crds: bool = False
    # The fixes of advice, of which the first that applies is offered; those of the server's rules are in `rules/fixes`.
    fixes: tuple[Fixer[AdviceFinding], ...] = ()
    # Former ids, which users can still use.
    aliases: tuple[str, ...] = ()
    # The controller-gen marker in the Go source that replaces a change of the CRD, empty if there is none.
    marker: str = ""
    compares: bool = False
    # The keyword of the same schema that makes a place wrong, with `../` of the list whose items the place is in.
    because: str = ""
    # The experiments (files in `tests/upstream/claims/`) that show what the texts claim.
    observed: tuple[str, ...] = ()
    # Whether they claim nothing of a server but its own errors, which the recorded answers show.
    claims_nothing: bool = False
    # What is wrong with which field, for its errors; see `headlines`.
    headline: Headline = ""
    headline_names: Named = "field"
    # The findings that make one of this rule unnecessary, and those that it makes unnecessary: who fixes the cause gets rid of
    # both. A relation between findings of this rule has None as the rule.
    follows: tuple[Link, ...] = ()
    explains: tuple[Link, ...] = ()
    # Whether each check of a CRD reports it, and not only that of an update, a range of versions, a chart or an object.
    in_each_run: bool = True
    # Whether the API server checks it only if a schema or an object has no other errors.
    withheld: bool = False
    # Whether its fix may change the type and the fields of a schema, or only the values that it accepts.
    changes: Literal["", "values", "type"] = ""
    # Whether the server estimates no cost of a rule before it is fixed.
    hides_costs: bool = False
    # Whether the API server accepts the text, but reads it otherwise than it is written: a fix repairs it like an error.
    misread: bool = False
    # Whether the text has no effect, so that editors fade it out, or is no longer served, so that they strike it out.
    unnecessary: bool = False
    outdated: bool = False

    def advice(self, run: Callable[[DecodedCRD], Iterable[Advisory]]) -> Advice:
        """Declare that a function yields findings of this rule about a CRD; as a decorator below the rule's texts."""
        return Advice(self, run)

    def practice(self, run: Callable[[DecodedCRD], Iterable[Advisory]]) -> Advice:
        """Declare that a function yields findings of this rule about a CRD that the API server accepts."""
        return Advice(self, run, is_practice=True)

    def advice_on(
        self, nodes: Nodes, *, once: bool = False
    ) -> Callable[[Callable[[JSONSchemaProps, DecodedCRD], Iterable[Advisory]]], NodeAdvice]:
        """Declare that a function yields findings of this rule at nodes of the schemas of such a CRD.

        With `once`, those of a CRD are combined into one with their number, at the first position; its subject is the tuple
        of all their paths.
        """
        return lambda run: NodeAdvice(self, run, nodes, once)

    def diagnostic(
        self,
        file: str,
        kind: Kind,
        message: str,
        span: Span,
        help_: str | None = None,
    ) -> Diagnostic:
        """Create a finding of this rule; without `help_`, it has the help of the rule."""
        headline = headlines.of_message(message)
        return self._finding(
            file,
            kind,
            message,
            span,
            detail=message,
            help=help_ or self.help,
            headline=headline,
        )

    def diagnostic_of(
        self,
        error: FieldError,
        message: str,
        span: Span,
        *,
        file: str,
        headline: str = "",
        **fields: Any,
    ) -> Diagnostic:
        """Create a finding from a field error with the text `message`; without a help, it has the help of the rule.

        `headline` is that of the error by default, `fields` are further ones of the finding.
        """
        return self._finding(
            file,
            error.kind,
            message,
            span,
            error_type=error.type if error.kind == "field" else None,
            field=str(error.path),
            detail=str(error.detail),  # not a Wording, which cannot be sent to other processes
            help=error.help or self.help,
            errors=error.errors,
            cause=_CAUSES.get(error.code, ""),
            headline=headline
            or headlines.of_error(
                error,
                self.headline,
                self.headline_names,
                self.summary,
            ),
            **fields,
        )

    def _finding(
        self,
        file: str,
        kind: Kind,
        message: str,
        span: Span,
        **fields: Any,
    ) -> Diagnostic:
        fields |= {
            "line": span.line,
            "column": span.column,
            "end_line": span.end_line,
            "end_column": span.end_column,
        }
        return Diagnostic(
            self.origin,
            kind,
            self.id,
            self.severity,
            message,
            file=file,
            **fields,
        )


_CAUSES: Final[MappingOf[Code | None, str]] = {Code.NOTHING_DEFINED: EMPTY_CRD}
# Advice of crdlint.
Caution: Final = partial(Rule, severity="warning", origin="crdlint")
Hint: Final = partial(Rule, severity="info", origin="crdlint")
OnRequest: Final = partial(
    Rule,
    severity="info",
    origin="crdlint",
    on_request=True,
)


class Advice(NamedTuple):
    """Advice about a CRD, or only about one that the API server accepts (`is_practice`)."""

    rule: Rule
    run: Callable[[DecodedCRD], Iterable[Advisory]]
    is_practice: bool = False

    def findings(self, crd: DecodedCRD) -> list[Advisory]:
        """Return the findings about a CRD, as those of the rule unless they name another one."""
        return [
            advisory if advisory.rule else advisory._replace(rule=self.rule.id)
            for advisory in self.run(crd)
        ]


class NodeAdvice(NamedTuple):
    """Advice on the nodes of schemas, see `Rule.advice_on`."""

    rule: Rule
    run: Callable[[JSONSchemaProps, DecodedCRD], Iterable[Advisory]]
    nodes: Nodes
    once: bool = False


class NodeAdvisor:
    """Runs advice over the nodes of a CRD's schemas, and caches which of it applies to which kind of node."""

    __slots__ = ("_plans", "advice")

    def __init__(self, advice: Sequence[NodeAdvice]) -> None:
        self.advice: Final = advice
        self._plans: Final[dict[tuple[int, str], tuple[NodeAdvice, ...]]] = {}

    def findings(self, crd: DecodedCRD) -> list[Advisory]:
        """Return the findings at all nodes, parents first."""
        findings: list[Advisory] = []
        repeated: dict[str, list[Advisory]] = {}
        for schema in crd.schemas:
            for advice in self._plan(schema):
                for advisory in advice.run(schema, crd):
                    named = advisory if advisory.rule else advisory._replace(rule=advice.rule.id)
                    if advice.once:
                        repeated.setdefault(named.rule, []).append(named)
                    else:
                        findings.append(named)
        for advisories in repeated.values():
            findings += once(advisories)
        return findings

    def _plan(self, schema: JSONSchemaProps) -> tuple[NodeAdvice, ...]:
        """Return the advice for a node, which depends on its fields and its type only."""
        key = (schema.set_fields, schema.type)
        plan = self._plans.get(key)
        if plan is None:
            fields = (name for name, bit in SCHEMA_BITS.items() if schema.set_fields & bit)
            names = frozenset(fields)
            applicable = (
                advice for advice in self.advice if advice.nodes.match(names, schema.type)
            )
            plan = self._plans[key] = tuple(applicable)
        return plan


def once(advisories: Sequence[Advisory]) -> Iterator[Advisory]:
    """Yield the findings of a rule as one finding with their number, at the position of the first that is not only an info."""
    if not advisories:
        return
    first, more = (
        min(advisories, key=lambda advisory: advisory.severity == "info"),
        len(advisories) - 1,
    )
    paths = tuple(advisory.path for advisory in advisories)
    count = f" (and at {counted(more, 'more place')} of this CRD)" if more else ""
    yield first._replace(
        message=f"{first.message}{count}",
        subject=first.subject or paths,
        cause=first.cause or first.message,
    )
