"""Advisory rules: findings about a CRD that do not reject it.

The declaration of a rule is the decorator of the function that yields them, see `Rule.advice`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from crdlint.crd.model import CustomResourceDefinitionNames, CustomResourceDefinitionSpec, JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.diagnostics.diagnostic import Kind, Severity
    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.kubernetes.servers import Range
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
