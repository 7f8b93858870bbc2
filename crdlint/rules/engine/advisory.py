"""Advisory rules: findings about a CRD that do not reject it.

A function that yields them stands below the declaration of its rule, see `Rule.advice`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from crdlint.crd.gotypes import SCHEMA_BITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Mapping as MappingOf

    from crdlint.crd.model import CustomResourceDefinitionNames, CustomResourceDefinitionSpec, JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.diagnostics.diagnostic import Kind, Severity
    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.kubernetes.servers import Range
    from crdlint.rules.engine.rule import NodeAdvice
    from crdlint.yaml.nodes import Mapping


class Advisory(NamedTuple):
    """A finding that does not reject the CRD: a warning header of the server, or advice of crdlint.

    `rule` is the id of the rule, empty for the only rule of the advice. `marker` is what to do in the Go source instead:
    None for the marker of the rule, empty for none.
    """

    message: str
    path: Path
    help: str | None = None
    inside: tuple[int, int] | None = None  # the range to report within a string value: code points (start, end)
    subject: object = None  # further information for the rule's fix
    severity: Severity | None = None
    old_path: Path | None = None
    marker: str | None = None
    rule: str = ""
    kind: Kind = "advice"


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


Advise: TypeAlias = "Callable[[DecodedCRD], Iterable[Advisory]]"


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
                    repeated.setdefault(advice.rule.id, []).extend(advice(schema, crd))
                else:
                    yield from advice(schema, crd)
        for advisories in repeated.values():
            yield from once(advisories)

    def _plan(self, set_fields: int, type_: str) -> tuple[NodeAdvice, ...]:
        names = frozenset(name for name, bit in SCHEMA_BITS.items() if set_fields & bit)
        return tuple(advice for advice in self.advice if advice.nodes.match(names, type_))


def once(advisories: Sequence[Advisory]) -> Iterator[Advisory]:
    """Yield the findings of a rule as one finding with their number, at the position of the first."""
    if not advisories:
        return
    first, more = advisories[0], len(advisories) - 1
    count = f" (and at {more:,} more place{'' if more == 1 else 's'} of this CRD)" if more else ""
    yield first._replace(message=f"{first.message}{count}", subject=tuple(advisory.path for advisory in advisories))
