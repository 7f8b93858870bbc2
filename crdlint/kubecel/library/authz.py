"""The authorizer: declared, but never evaluated, because CRD rules have none. Upstream: apiserver pkg/cel/library/authz.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from crdlint.cel.decls import CallCost, member
from crdlint.cel.estimates import LIST_COST, STRUCT_COST, CallEstimate, Estimate, fixed
from crdlint.cel.types import BOOL, STRING, object_type
from crdlint.kubecel.library.declaration import Library, constant, of_sizes

AUTHORIZER: Final = object_type("kubernetes.authorization.Authorizer")
PATH_CHECK: Final = object_type("kubernetes.authorization.PathCheck")
GROUP_CHECK: Final = object_type("kubernetes.authorization.GroupCheck")
RESOURCE_CHECK: Final = object_type("kubernetes.authorization.ResourceCheck")
DECISION: Final = object_type("kubernetes.authorization.Decision")

_CHECK_COST: Final = 350_000
_REQUIREMENTS_PER_CHARACTER: Final = 0.5


def _estimate_selector(_: Estimate, text: Estimate) -> CallEstimate:
    requirements = text.scaled(_REQUIREMENTS_PER_CHARACTER).scaled(float(LIST_COST + STRUCT_COST))
    return CallEstimate(fixed(LIST_COST).plus(text.traversal()).plus(requirements))


def _untracked(_values: Sequence[Any], _result: Any) -> None:
    """Return None: the standard cost of the call applies."""


_SELECTORS: Final = Library(
    "authorizer selectors",
    introduced=(1, 31),
    docs={
        "fieldSelector": "Restricts an authorization check to a field selector.",
        "labelSelector": "Restricts an authorization check to a label selector.",
    },
    functions=(
        member(
            "fieldSelector",
            "authorizer_fieldselector",
            (RESOURCE_CHECK, STRING),
            RESOURCE_CHECK,
        ),
        member(
            "labelSelector",
            "authorizer_labelselector",
            (RESOURCE_CHECK, STRING),
            RESOURCE_CHECK,
        ),
    ),
    costs=dict.fromkeys(
        ("fieldSelector", "labelSelector"), CallCost(of_sizes(2, _estimate_selector), _untracked)
    ),
)
LIBRARY: Final = Library(
    "authorizer",
    introduced=(1, 27),
    later=(_SELECTORS,),
    docs={
        "allowed": "Returns whether an authorization check allows the request.",
        "check": "Asks the authorizer whether the request is allowed.",
        "error": "Returns the error of an authorization decision.",
        "errored": "Returns whether an authorization decision ended in an error.",
        "group": "Restricts an authorization check to an API group.",
        "name": "Restricts an authorization check to the name of an object.",
        "namespace": "Restricts an authorization check to a namespace.",
        "path": "Returns an authorization check of a path that is not of a resource.",
        "reason": "Returns the reason of an authorization decision.",
        "resource": "Restricts an authorization check to a resource.",
        "serviceAccount": "Returns an authorizer for a service account.",
        "subresource": "Restricts an authorization check to a subresource.",
    },
    functions=(
        member("path", "authorizer_path", (AUTHORIZER, STRING), PATH_CHECK),
        member("group", "authorizer_group", (AUTHORIZER, STRING), GROUP_CHECK),
        member(
            "serviceAccount",
            "authorizer_serviceaccount",
            (AUTHORIZER, STRING, STRING),
            AUTHORIZER,
        ),
        member("resource", "groupcheck_resource", (GROUP_CHECK, STRING), RESOURCE_CHECK),
        member(
            "subresource",
            "resourcecheck_subresource",
            (RESOURCE_CHECK, STRING),
            RESOURCE_CHECK,
        ),
        member("namespace", "resourcecheck_namespace", (RESOURCE_CHECK, STRING), RESOURCE_CHECK),
        member("name", "resourcecheck_name", (RESOURCE_CHECK, STRING), RESOURCE_CHECK),
        member("check", "pathcheck_check", (PATH_CHECK, STRING), DECISION),
        member("check", "resourcecheck_check", (RESOURCE_CHECK, STRING), DECISION),
        member("errored", "decision_errored", (DECISION,), BOOL),
        member("error", "decision_error", (DECISION,), STRING),
        member("allowed", "decision_allowed", (DECISION,), BOOL),
        member("reason", "decision_reason", (DECISION,), STRING),
    ),
    costs={"check": CallCost(constant(fixed(_CHECK_COST)), _untracked)},
    equality=dict.fromkeys(
        (AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION), constant()
    ),
)
