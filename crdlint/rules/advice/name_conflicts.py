"""Names that belong to another CRD, or twice to this one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crdlint.crd.paths import Path
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.rule import Caution, Hint

_NAMES: Final = Path("spec").child("names")


OWN_NAME = Hint(
    "short-name-own-name",
    "Short name is another name of this CRD",
    scope="spec",
    observed=("short-name-of-its-own-crd", "short-name-twice"),
    why="All clients find the resource by its plural and singular anyway. If the short name is added to an established CRD, "
    "the API server finds it in use by the CRD itself. `NamesAccepted` becomes False (ShortNamesConflict), and health checks "
    "and `helm --wait` hang.",
    help="Remove the short name",
    marker="remove it from the `shortName` of `+kubebuilder:resource`",
    bad="names: {plural: foos, kind: Foo, singular: foo, shortNames: [foo, fo]}",
    good="names: {plural: foos, kind: Foo, singular: foo, shortNames: [fo]}",
    fixes=(Fixer("Remove the short name", "unsafe", AdviceFinding.remove_item),),
)


IN_USE = Caution(
    "name-in-use",
    "Name belongs to another CRD of the group",
    scope="spec",
    observed=("name-of-another-crd",),
    why="The API server accepts a name for one CRD of a group only: the other CRD is never established, and no object of it can "
    "be created. Helm 4 fails with `not ready. status: Failed` if it waits, as it always does for `crds/`, where this is an error. "
    "Helm 3 succeeds.",
    help="Rename or remove the name in one of the two CRDs",
    marker="correct `+kubebuilder:resource`",
    source="pkg/controller/status NamingConditionController",
)


COPIES_DIFFER = Caution(
    "crd-copies-differ",
    "Copy of a CRD differs from the generated one",
    scope="spec",
    in_each_run=False,
    observed=("crd-copies-applied",),
    why="Some users install the CRD of `config/crd`, others that of the chart, the bundle or the manifests, which then has "
    "other fields or limits. The copy that is applied last wins: reads lack the fields that only the other one has, and the next "
    "write deletes them. Versions, examples and tests are not compared, and neither are descriptions, annotations and the "
    "conversion.",
    help="Replace it with the CRD of `config/crd`",
)


TWICE_IN_FILE = Caution(
    "crd-twice-in-file",
    "File contains a CRD twice, with different specs",
    scope="spec",
    in_each_run=False,
    observed=("crd-twice-in-a-file",),
    why="`kubectl apply` applies both, so that the last one stays in the cluster. `kubectl create` fails at the second one.",
    help="Remove one of the two",
)


@OWN_NAME.practice
def own_names(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the short names that are the plural, the singular, or in the list before.

    For an established CRD, the API server compares each short name that is new with the accepted names of the group.
    Upstream: NamingConditionController.calculateNamesAndConditions.
    """
    names, old = crd.spec.names, crd.old_names
    accepted = (
        () if old is None or not old.plural else (old.singular or old.kind.lower(), old.plural)
    )
    others = {names.singular or names.kind.lower(): "the singular", names.plural: "the plural"}
    path = _NAMES.child("shortNames")
    for i, name in enumerate(names.short_names):
        what = others.setdefault(name, "")
        if what:
            message = f"`{name}` is also {what} name of this CRD"
            if old is not None and name in accepted and name not in old.short_names:
                message += (
                    ", which is established: the API server does not accept it as a new short name"
                )
                yield Advisory(
                    message,
                    path.index(i),
                    severity="error",
                    old_path=_NAMES,
                )
            else:
                consequence = _LISTED_TWICE if what == _OTHER else _IF_ADDED
                yield Advisory(f"{message}{consequence}", path.index(i))
        others[name] = _OTHER


_OTHER: Final = "another short"
_LISTED_TWICE: Final = ": `kubectl api-resources` lists it twice"
_IF_ADDED: Final = ": if it is added to an established CRD, `NamesAccepted` becomes False"
