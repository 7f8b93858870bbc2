"""Advisory rules: findings about a CRD that do not reject it.

The module of a family lists its functions, each with the signature of `Advice`, in `ADVICE`, or in `PRACTICES` if they
apply to CRDs that the API server accepts. Advice on single nodes of the schemas of such a CRD is in `NODES`, each a
`NodeAdvice`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from crdlint.crd.gotypes import SCHEMA_BITS

if TYPE_CHECKING:
    from collections.abc import Mapping as MappingOf
    from collections.abc import Sequence

    from crdlint.crd.model import CustomResourceDefinitionNames, CustomResourceDefinitionSpec, JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.diagnostics.diagnostic import Kind, Severity
    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.kubernetes.servers import Range
    from crdlint.yaml.nodes import Mapping


class Advisory(NamedTuple):
    """A finding that does not reject the CRD: a warning header of the server, or advice of crdlint.

    `marker` is what to do in the Go source instead: None for the marker of the rule, empty for none.
    """

    kind: Kind
    rule: str
    message: str
    path: Path
    help: str | None = None
    inside: tuple[int, int] | None = None  # the range to report within a string value: code points (start, end)
    subject: object = None  # further information for the rule's fix
    severity: Severity | None = None
    old_path: Path | None = None
    marker: str | None = None


@dataclass(frozen=True, slots=True)
class DecodedCRD:
    """A CRD as the input of advisory rules.

    `root` is its node and `text` the text of its document. `schemas` are all schemas of its versions, `old_schemas`
    those of the CRD that it replaces, empty on create. `old_names` are the names that the API server has accepted for
    that CRD, None on create. `rules` are those that the server compiles, with their costs.
    `requested` are the rules to run that are only reported on request, `annotations` those of the CRD. `versions` are
    the servers of the run, `dropped` the fields that the newest of them drops: path and name.
    """

    root: Mapping
    text: str
    spec: CustomResourceDefinitionSpec
    schemas: Sequence[JSONSchemaProps]
    old_schemas: Sequence[JSONSchemaProps]
    rules: Sequence[EstimatedRule]
    versions: Range
    dropped: Sequence[tuple[Path, str]] = ()
    requested: frozenset[str] = frozenset()
    annotations: MappingOf[str, str] = field(default_factory=dict)
    old_names: CustomResourceDefinitionNames | None = None


Advice: TypeAlias = Callable[[DecodedCRD], Iterator[Advisory]]


class NodeAdvice(NamedTuple):
    """Advice on the nodes of a schema that set one of `fields`, or on all nodes if it is empty.

    `when` is a further condition on the JSON names of the set fields and the type. Findings of a rule that is reported
    `once` per CRD are combined into one, at the first position, with their number; its subject is the tuple of all
    their paths.
    """

    rule: str
    run: Callable[[JSONSchemaProps, DecodedCRD], Iterable[Advisory]]
    fields: tuple[str, ...] = ()
    when: Callable[[frozenset[str], str], bool] | None = None
    once: bool = False

    def applies(self, fields: frozenset[str], type_: str) -> bool:
        """Return whether the advice can have a finding at such a node."""
        return (not self.fields or not fields.isdisjoint(self.fields)) and (
            self.when is None or self.when(fields, type_)
        )


@dataclass(slots=True)
class NodeAdvisor:
    """Runs advice over the nodes of a CRD's schemas, and caches which of it applies to which kind of node."""

    advice: Sequence[NodeAdvice]
    _plans: dict[tuple[int, str], tuple[NodeAdvice, ...]] = field(default_factory=dict)

    def run(self, crd: DecodedCRD) -> Iterator[Advisory]:
        """Yield the findings at all nodes, parents first."""
        plans = self._plans
        repeated: dict[str, list[Advisory]] = {}
        for schema in crd.schemas:
            key = (schema.set_fields, schema.type)
            plan = plans.get(key)
            if plan is None:
                plan = plans[key] = self._plan(*key)
            for advice in plan:
                if advice.once:
                    repeated.setdefault(advice.rule, []).extend(advice.run(schema, crd))
                else:
                    yield from advice.run(schema, crd)
        for advisories in repeated.values():
            yield from once(advisories)

    def _plan(self, set_fields: int, type_: str) -> tuple[NodeAdvice, ...]:
        names = frozenset(name for name, bit in SCHEMA_BITS.items() if set_fields & bit)
        return tuple(advice for advice in self.advice if advice.applies(names, type_))


def once(advisories: Sequence[Advisory]) -> Iterator[Advisory]:
    """Yield the findings of a rule as one finding with their number, at the position of the first."""
    if not advisories:
        return
    first, more = advisories[0], len(advisories) - 1
    count = f" (and at {more:,} more place{'' if more == 1 else 's'} of this CRD)" if more else ""
    yield first._replace(message=f"{first.message}{count}", subject=tuple(advisory.path for advisory in advisories))
