"""What only some senders can send: CRDs that server-side apply rejects, though create accepts them.

Upstream: see `crdlint.typed.applied_crds`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import APPLY_REJECTED, RULE_DUPLICATE
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.rules.engine import headlines
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.rule import Caution
from crdlint.yaml.nodes import Mapping, child, items_of

if TYPE_CHECKING:
    from crdlint.typed.applied_crds import AppliedProblem

_RULES: Final = "x-kubernetes-validations"
REJECTS: Final = "server-side apply rejects this CRD"
_SENDERS: Final = "kubectl apply --server-side, Helm 4, Flux and Argo CD with server-side apply"


@Caution(
    APPLY_REJECTED,
    "Server-side apply rejects a CRD that create accepts",
    scope="metadata",
    observed=("crd-that-apply-rejects",),
    why=f"Server-side apply checks the types of fields first, and the keys of lists: {_SENDERS} cannot install the CRD.",
    help="Remove the repeated item, or the field that only the API server sets",
    bad="finalizers: [example.com/a, example.com/a]\n",
    good="finalizers: [example.com/a]\n",
    source="apimachinery/pkg/util/managedfields/internal structuredMergeManager.Apply",
).practice
def applied(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield why server-side apply rejects a CRD, for each repeated key and field that it does not accept."""
    if crd.apply_severity is None or not _may_be_rejected(crd):
        return
    from crdlint.typed.applied_crds import applied_problems  # few CRDs need it

    for problem in applied_problems(crd.root, crd.versions.newest):
        yield _advisory(problem, crd)


@Caution(
    RULE_DUPLICATE,
    "Rule is repeated",
    observed=("repeated-rule",),
    why=f"Server-side apply rejects the CRD: {_SENDERS} cannot install it. Below `items` and `additionalProperties` the rule "
    "is evaluated twice, and users see its message twice.",
    help="Remove one of the two",
    marker="remove one `+kubebuilder:validation:XValidation`",
    bad="a: {type: integer, x-kubernetes-validations: [{rule: self % 2 == 0}, {rule: self % 2 == 0}]}",
    good="a: {type: integer, x-kubernetes-validations: [{rule: self % 2 == 0}]}",
).practice
def repeated_rules(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the rules that server-side apply accepts twice, because it does not know the types of their schemas."""
    for schema in crd.schemas:
        if len(schema.x_validations) > 1 and (crd.apply_severity is None or not _is_typed(schema)):
            for i in _repeated([rule.rule for rule in schema.x_validations]):
                path = schema.path.child(_RULES).index(i).child("rule")
                yield Advisory("the same rule is above", path, severity="info")


def _advisory(problem: AppliedProblem, crd: DecodedCRD) -> Advisory:
    """Return the finding of a problem; one of a repeated rule is that of its own rule."""
    path = problem.path or Path("metadata")
    return Advisory(
        problem.message,
        path.child("rule") if problem.is_of_rule else path,
        severity=crd.apply_severity,
        rule=RULE_DUPLICATE if problem.is_of_rule else "",
        headline=headlines.cut(f"{REJECTS}: {problem.summary}"),
    )


def _may_be_rejected(crd: DecodedCRD) -> bool:
    """Return whether server-side apply may reject a CRD that create accepts: it has keys twice, or fields of the server."""
    metadata = child(crd.root, "metadata")
    if isinstance(metadata, Mapping) and any(metadata.find(name) is not None for name in _DOUBTFUL):
        return True
    if len(items_of(child(crd.root, "status", "conditions"))) > 1:
        return True
    with_rules = (schema for schema in crd.schemas if len(schema.x_validations) > 1)
    repeated = (
        schema for schema in with_rules if _repeated([rule.rule for rule in schema.x_validations])
    )
    return any(map(_is_typed, repeated))


_DOUBTFUL: Final = ("managedFields", "uid", "finalizers", "ownerReferences")


def _repeated(texts: Sequence[str]) -> list[int]:
    """Return the indexes of texts that are earlier in a list."""
    seen: set[str] = set()
    indexes = []
    for i, text in enumerate(texts):
        if text in seen:
            indexes.append(i)
        seen.add(text)
    return indexes


def _is_typed(schema: JSONSchemaProps) -> bool:
    """Return whether server-side apply knows the type of a schema: it does not below items and additional properties."""
    current: JSONSchemaProps | None = schema
    while current is not None:
        if current.steps and current.steps[0] in _UNTYPED:
            return False
        current = current.parent
    return True


_UNTYPED: Final = frozenset({"items", "additionalItems", "additionalProperties", "dependencies"})
