"""Advisory rules: what is reported about a CRD without rejecting it.

A family's module lists its functions in ``ADVICE``; each has the signature of `Advice`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.crd.model import CustomResourceDefinitionSpec, JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.diagnostics.diagnostic import Kind
    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.kubernetes.servers import Range
    from crdlint.yaml.nodes import Mapping


@dataclass(frozen=True, slots=True)
class Advisory:
    """A finding that does not reject the CRD: a warning header of the server, or advice of crdlint."""

    kind: Kind
    rule: str
    message: str
    path: Path
    help: str | None = None
    inside: tuple[int, int] | None = None  # the part of a string value to point at: code points from, to
    subject: object = None  # what the rule's fix needs to know besides


@dataclass(frozen=True, slots=True)
class DecodedCRD:
    """A CRD as advisory rules read it.

    ``root`` is its node and ``text`` that of its document. ``schemas`` are all schemas of its versions, ``old_schemas``
    those of the CRD that it replaces, empty on create. ``rules`` are those that the server compiles, with their costs.
    ``versions`` are the servers that the run is for, ``dropped`` the fields that the newest of them drops: path and name.
    """

    root: Mapping
    text: str
    spec: CustomResourceDefinitionSpec
    schemas: Sequence[JSONSchemaProps]
    old_schemas: Sequence[JSONSchemaProps]
    rules: Sequence[EstimatedRule]
    versions: Range
    dropped: Sequence[tuple[Path, str]] = ()


Advice: TypeAlias = Callable[[DecodedCRD], Iterator[Advisory]]
