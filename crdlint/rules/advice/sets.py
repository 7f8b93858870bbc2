"""Sets of objects or lists, which server-side apply cannot merge."""

from __future__ import annotations

from collections.abc import Iterator

from crdlint.crd.model import JSONSchemaProps
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.rule import Caution, Nodes
from crdlint.rules.server.list_types import list_with, mergeable_set_item
from crdlint.rules.server.schema_warnings import set_warning, type_in_set

SET_OF_OBJECTS = Caution(
    "list-set-of-objects",
    "Set of objects or lists",
    observed=(
        "atomic-list-of-objects-applies",
        "set-of-objects-breaks-apply",
        "set-of-lists-breaks-apply",
    ),
    why="Server-side apply fails with status 500 for each object that has such a set, even if it applies another field. A CEL "
    "rule that compares the set ends in an error. Kubernetes 1.37 and later return a warning.",
    help="Set `x-kubernetes-list-type` to `map` with the keys of the items, or to `atomic`",
    marker="write `+listType=map`",
    bad=list_with("set", "type: object, x-kubernetes-map-type: atomic"),
    good=list_with("atomic", "type: object, x-kubernetes-map-type: atomic"),
)


@SET_OF_OBJECTS.advice_on(Nodes({"x-kubernetes-list-type"}))
def sets_of_objects(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield sets whose items are objects or lists, unless the server itself warns of them."""
    type_ = "" if crd.versions.newest.warns_of_sets_of_objects else type_in_set(schema)
    is_rejected = type_ == "object" and mergeable_set_item(schema) is not None
    if type_ and not is_rejected:
        yield Advisory(set_warning(type_), schema.path.child("x-kubernetes-list-type"))
