"""Results of checking files: CRDs, diagnostics, and names that CRDs share. It imports little, for the sake of cached results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from crdlint.diagnostics import INTERNAL_ERROR, NOT_RENDERED, Diagnostic, Related
from crdlint.gathering import grouped
from crdlint.golang.text import quote
from crdlint.light import NamedTuple, dataclass, replace

if TYPE_CHECKING:
    from crdlint.crd.model import CustomResourceDefinition
    from crdlint.crd.positions import Locator, Span
    from crdlint.kubecel.cost import EstimatedRule
    from crdlint.kubernetes.servers import Range


State: TypeAlias = Literal["added", "unread", "unchanged", "changed"]
Stage: TypeAlias = Literal["decode", "field"]
# Checks a text under the name of a file.
Lint: TypeAlias = Callable[[str, str], "FileResult"]
# The stages of the API server in their order: it reports the errors of a stage only if the earlier ones have none.
STAGES: Final[tuple[Stage, ...]] = ("decode", "field")


class ResourceName(NamedTuple):
    """A name of a CRD: its field in `spec.names`, the name with the group, and the position (1-based)."""

    what: str
    name: str
    line: int
    column: int
    end_column: int


class CRD(NamedTuple):
    """A CustomResourceDefinition of a file: its metadata.name, the 1-based line where it starts, and its other names."""

    name: str
    line: int
    names: tuple[ResourceName, ...] = ()

    def moved(self, lines: Callable[[int], int]) -> CRD:
        """Return the CRD at other lines."""
        return CRD(
            self.name,
            lines(self.line),
            tuple(name._replace(line=lines(name.line)) for name in self.names),
        )


class OldCRD(NamedTuple):
    """An old CRD to validate an update against: the positions of its parts and of its name, and the file's name.

    `problems` are the messages of the decoder, such as unknown fields.
    """

    crd: CustomResourceDefinition
    positions: Locator
    span: Span
    file: str
    problems: frozenset[str] = frozenset()


class ComparedCRD(NamedTuple):
    """A CRD that was compared with the old one of its name, which does not exist, or whose spec is equal or different.

    It is "unread" if only Helm can read it, or the old one cannot be read. Its name may then be its position. `rejections` are the
    messages with which the API server rejects the old one, too.
    """

    name: str
    state: State
    rejections: frozenset[str] = frozenset()


class UnreadDocument(NamedTuple):
    """A document that may contain a CRD but cannot be read: its line in the file, its text and the reason."""

    line: int
    text: str
    reason: str
    cause: Literal["broken", "template", "unserved version"] = "broken"


class CollectedCRDs(NamedTuple):
    """The CRDs of a text by name (the first one of each name), and the documents that cannot be read.

    `by_values` contains those of a template by the chart's values file that it is rendered with, if it has several.
    """

    by_name: Mapping[str, OldCRD]
    unread: tuple[UnreadDocument, ...] = ()
    by_values: Mapping[str, Mapping[str, OldCRD]] | None = None

    def get(self, name: str, values: str = "") -> OldCRD | None:
        """Return the CRD with a name, preferably as it is rendered with a values file."""
        rendered = {} if self.by_values is None else self.by_values.get(values, {})
        return rendered.get(name) or self.by_name.get(name)


class FoundCRD(NamedTuple):
    """A CRD that the newest of `versions` can decode, in its internal version, and the locator of its parts."""

    crd: CustomResourceDefinition
    locator: Locator
    versions: Range


@dataclass(frozen=True, slots=True)
class RuleCost:
    """The cost of one rule, in cost units, and its position in the file (1-based).

    - `version`: the version whose schema contains the rule, empty if all versions share the schema
    - `max_cost`: the cost of one evaluation
    - `max_cardinality`: how often the value can occur in an object, None if that is unbounded
    - `min_size_cardinality`: how many such values fit into a request
    - `expression_cost`: what is compared with the limit of a rule: the cost times `max_cardinality`, or times
        `min_size_cardinality` without one
    - `error`: the server's error about a rule that does not compile, whose cost is 0
    - `message_expression`: the messageExpression, which is evaluated at most once, None if the rule has none
    - `message_max_cost`: its cost
    - `message_error`: its error
    """

    crd: str
    version: str
    path: str
    rule: str
    max_cost: int
    max_cardinality: int | None
    min_size_cardinality: int
    expression_cost: int
    uses_old_self: bool
    error: str | None
    message_expression: str | None
    message_max_cost: int
    message_error: str | None
    file: str
    line: int
    column: int


class FoundRule(NamedTuple):
    """A rule of x-kubernetes-validations that the server compiles, and its position.

    `crd` is the name of its CRD, `version` the version whose schema contains it, empty if all versions share the schema.
    """

    crd: str
    version: str
    estimated: EstimatedRule
    locator: Locator

    @property
    def span(self) -> Span:
        """The span of the rule's text."""
        return self.locator.span(self.estimated.path.child("rule"))

    def cost(self, file: str) -> RuleCost:
        """Return the cost of the rule of a file."""
        estimated = self.estimated
        rule, message = estimated.compiled.rule, estimated.compiled.message
        return RuleCost(
            crd=self.crd,
            version=self.version,
            path=str(estimated.path),
            rule=rule.text,
            max_cost=estimated.cost,
            max_cardinality=estimated.cardinality,
            min_size_cardinality=estimated.min_size_cardinality,
            expression_cost=estimated.total_cost,
            uses_old_self=estimated.compiled.uses_old_self,
            error=rule.error,
            message_expression=estimated.rule.message_expression or None,
            message_max_cost=estimated.message_cost,
            message_error=None if message is None else message.error,
            file=file,
            line=self.span.line,
            column=self.span.column,
        )


def by_schema(rules: Iterable[FoundRule]) -> list[list[FoundRule]]:
    """Return rules grouped by schema: that of a version, or the one that all versions share."""
    groups = grouped(rules, lambda rule: id(rule.estimated.node.root_schema))
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """What one document of a file adds to its result: 1 or 0 `documents` and `skipped` ones, CRDs and findings."""

    documents: int
    skipped: int
    crds: tuple[CRD, ...]
    diagnostics: tuple[Diagnostic, ...]
    notices: tuple[str, ...]

    def moved(self, lines: int, characters: int) -> DocumentResult | None:
        """Return the result of the document further down in the file, or None if findings or notices name their lines."""
        if not lines and not characters:
            return self
        if not lines:
            return replace(
                self,
                diagnostics=tuple(
                    finding.with_moved_fix(characters) for finding in self.diagnostics
                ),
            )
        if self.diagnostics or self.notices:
            return None
        return replace(self, crds=tuple(crd.moved(lines.__add__) for crd in self.crds))


@dataclass(frozen=True, slots=True)
class FileResult:
    """The CRDs of a file and its diagnostics.

    - `skipped`: the number of documents that are not CRDs
    - `templates`: the number of those that are Go templates instead of YAML
    - `definitions`, `rules`: kept on request
    - `masked`: the text of a template without its directives, with unchanged positions, None for other texts
    - `blocking`: the CRD and the message of each error because of which rules have no cost
    - `compared`: the CRDs of a check of updates
    - `reusable`: the results of documents, by number, that depend on nothing else in the file
    - `stage`: the first stage at which the check of a CRD stopped, None if all checks are complete
    - `resources`: the custom resources that are validated beside the CRDs of a run
    """

    file: str
    text: str = ""
    documents: int = 0
    crds: tuple[CRD, ...] = ()
    skipped: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()
    notices: tuple[str, ...] = ()
    definitions: tuple[FoundCRD, ...] = ()
    rules: tuple[FoundRule, ...] = ()
    masked: str | None = None
    blocking: frozenset[tuple[str | None, str]] = frozenset()
    compared: tuple[ComparedCRD, ...] = ()
    reusable: Mapping[int, DocumentResult] = field(
        default_factory=dict,
        compare=False,
        repr=False,
    )
    stage: Stage | None = None
    templates: int = 0
    resources: tuple[CRD, ...] = ()

    @property
    def yaml(self) -> str:
        """The text that can be read as YAML: that of a template without its directives."""
        return self.masked or self.text

    @property
    def unestimated(self) -> tuple[Diagnostic, ...]:
        """The findings because of which rules have no cost: they do not compile, or their CRD is not decoded or checked."""
        return tuple(
            finding
            for finding in self.diagnostics
            if finding.kind == "decode"
            or finding.rule in {INTERNAL_ERROR, NOT_RENDERED}
            or (finding.crd, finding.message) in self.blocking
        )


_SHORT: Final = "shortNames"
_KINDS: Final = frozenset({"kind", "listKind"})  # other names of a group may be equal to these


class CRDPlace(NamedTuple):
    """A CRD by its file and its metadata.name."""

    file: str
    crd: str


@dataclass(slots=True)
class SharedNames:
    """The names accepted for the CRDs of a run. Upstream: NamingConditionController.calculateNamesAndConditions.

    `failing` are sets of CRDs that one client creates together, and does not if one of them has a name of another.
    """

    failing: list[frozenset[CRDPlace]] = field(default_factory=list)
    _accepted: dict[tuple[bool, str], tuple[ResourceName, str, str]] = field(default_factory=dict)

    def add(self, result: FileResult) -> FileResult:
        """Return a result with findings about names of its accepted CRDs that earlier ones of the same group have."""
        rejected = {
            d.crd for d in result.diagnostics if d.origin == "apiserver" and d.severity == "error"
        }
        accepted = (crd for crd in result.crds if crd.name not in rejected)
        findings = [finding for crd in accepted for finding in self._add(crd, result.file)]
        return replace(result, diagnostics=(*result.diagnostics, *findings)) if findings else result

    def _add(self, crd: CRD, file: str) -> Iterator[Diagnostic]:
        others = {}
        for name in crd.names:
            accepted = self._accepted.get((name.what in _KINDS, name.name))
            if accepted is not None and accepted[1] != crd.name:
                others[name] = accepted
        are_short_names_accepted = all(name.what != _SHORT for name in others)
        reported = set()
        for name in crd.names:
            if name not in others:
                if name.what != _SHORT or are_short_names_accepted:
                    self._accepted.setdefault(
                        (name.what in _KINDS, name.name), (name, crd.name, file)
                    )
            elif (name.line, name.column) not in reported:  # a defaulted name is where the kind is
                reported.add((name.line, name.column))
                finding = _finding(crd, name, file, *others[name])
                _, owner, owner_file = others[name]
                pair = {_location(file, crd.name), _location(owner_file, owner)}
                fails = any(pair <= together for together in self.failing)
                yield _as_failure(finding, name) if fails else finding


def _location(file: str, crd: str) -> CRDPlace:
    return CRDPlace(os.path.normpath(file), crd)


def _as_failure(finding: Diagnostic, name: ResourceName) -> Diagnostic:
    """Return a finding about a name in use as one of CRDs that Helm 4 creates together."""
    from crdlint.rules.engine.headlines import of_message

    in_use = f"{quote(name.name.partition('.')[0])} is already in use"
    message = f"Helm 4 does not install the chart: {in_use}"
    return replace(
        finding,
        severity="error",
        message=message,
        detail=message,
        headline=of_message(message),
        help=_RENAME,
    )


_RENAME: Final = (
    "Rename or remove the name in one of the two CRDs. Helm 3 installs both, and the API server "
    "serves only one of them"
)


def _finding(
    crd: CRD,
    name: ResourceName,
    file: str,
    other: ResourceName,
    owner: str,
    other_file: str,
) -> Diagnostic:
    from crdlint.crd.positions import Span
    from crdlint.rules.advice.name_conflicts import IN_USE

    reason = f"{name.what[0].upper()}{name.what[1:]}Conflict"
    message = (
        f"NamesAccepted is False, {reason}: {quote(name.name.partition('.')[0])} is already in use"
    )
    span = Span(name.line, name.column, name.line, name.end_column)
    related = Related(
        f"the names of {owner}",
        other_file,
        other.line,
        other.column,
    )
    return replace(IN_USE.diagnostic(file, "advice", message, span), crd=crd.name, related=related)
