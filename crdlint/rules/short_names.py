"""Advice: names that conflict with other names of their own CRD, or with those of another one of the group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crdlint.crd.paths import Path
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Finding, Fixer
from crdlint.rules.engine.rule import Caution

OWN_NAME = Caution(
    id="short-name-own-name",
    summary="Short name is another name of this CRD",
    why="If the CRD is established already, the API server finds the short name in use by the CRD itself. "
    "`NamesAccepted` becomes False (ShortNamesConflict), and health checks and `helm --wait` hang.",
    bad="names: {plural: foos, kind: Foo, singular: foo, shortNames: [foo, fo]}",
    good="names: {plural: foos, kind: Foo, singular: foo, shortNames: [fo]}",
    help="Remove the short name: kubectl finds resources by their plural and singular anyway",
    scope="spec",
    marker="correct the `shortName` of `+kubebuilder:resource`",
    fixes=(Fixer("Remove the short name", "safe", Finding.remove_item),),
)
IN_USE = Caution(
    id="name-in-use",
    summary="Name belongs to another CRD of the group",
    why="The API server accepts a name for one CRD of a group only. `NamesAccepted` of the other one becomes False with this "
    "message, so the CRD is not established, and health checks and `helm --wait` hang.",
    help="Rename or remove the name in one of the two CRDs",
    source="pkg/controller/status NamingConditionController",
    scope="spec",
    marker="correct `+kubebuilder:resource`",
)


@OWN_NAME.practice
def own_names(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the short names that are the plural, the singular, or in the list before.

    For an established CRD, the API server compares each short name that is new with the accepted names of the group.
    Upstream: NamingConditionController.calculateNamesAndConditions.
    """
    names, old = crd.spec.names, crd.old_names
    accepted = () if old is None or not old.plural else (old.singular or old.kind.lower(), old.plural)
    known = {names.singular or names.kind.lower(): "the singular", names.plural: "the plural"}
    path = _NAMES.child("shortNames")
    for i, name in enumerate(names.short_names):
        what = known.setdefault(name, "")
        if what:
            message = f"`{name}` is also {what} name of this CRD"
            if old is not None and name in accepted and name not in old.short_names:
                message += ", which is established: the API server does not accept it as a new short name"
                yield Advisory(message, path.index(i), severity="error", old_path=_NAMES)
            else:
                yield Advisory(message, path.index(i))
        known[name] = "another short"


_NAMES: Final = Path("spec").child("names")
