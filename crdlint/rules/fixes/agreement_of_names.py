"""Which names of a CRD agree with each other, and two that are exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Final

from crdlint.crd.kubenames import is_dns1035_label, is_dns1123_subdomain
from crdlint.crd.model import CustomResourceDefinition, CustomResourceDefinitionNames
from crdlint.golang.text import to_lower
from crdlint.light import regex
from crdlint.rules.engine.edits import Edits
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.spelling import differing_letters
from crdlint.yaml.editor import UneditableError
from crdlint.yaml.nodes import Scalar, Sequence, child

_WITH_ES: Final = regex(r"(?:s|x|z|ch|sh|o)\Z")
_WITH_IES: Final = regex(r"[^aeiou]y\Z")
_OF_NAMES: Final = ("plural", "singular", "kind", "listKind")


def plurals(names: CustomResourceDefinitionNames) -> set[str]:
    """Return the plurals that the singular and the kind may have."""
    return {form for word in {names.singular, to_lower(names.kind)} for form in _plurals_of(word)}


def _plurals_of(word: str) -> Iterator[str]:
    if not word:
        return
    yield f"{word}s"
    if _WITH_ES.search(word):
        yield f"{word}es"
    if _WITH_IES.search(word):
        yield f"{word.removesuffix('y')}ies"


def own_names(names: CustomResourceDefinitionNames) -> set[str]:
    """Return the names of a CRD in lower case, without its short names."""
    return {to_lower(name) for name in (names.plural, names.singular, names.kind, names.list_kind)}


@Fixer("Exchange the two names", "safe").example(
    bad="metadata: {name: foos.example.com}\nspec: {names: {plural: foo, singular: foos, kind: Foo}}\n",
    good="metadata: {name: foos.example.com}\nspec: {names: {plural: foos, singular: foo, kind: Foo}}\n",
    scope="manifest",
)
def exchanged(finding: FieldFinding) -> Edits:
    """Exchange two names, if all names of the CRD agree then, and for no other two."""
    nodes = _nodes(finding)
    values = {path: node.value for path, node in nodes.items()}
    pairs = [pair for pair in combinations(nodes, 2) if _agree(_with_exchanged(values, pair))]
    if len(pairs) != 1 or not _is_about(finding, pairs[0]):
        return
    first, second = pairs[0]
    if _is_misspelled(values[first], values[second]):
        return  # each is where it belongs
    yield finding.editor.respell(nodes[first], values[second])
    yield finding.editor.respell(nodes[second], values[first])


def _is_misspelled(first: str, second: str) -> bool:
    """Return whether one of two names is the other one with a wrong letter, and not its plural."""
    shorter, longer = sorted(map(to_lower, (first, second)), key=len)
    return longer != f"{shorter}s" and differing_letters(shorter, longer) == 1


def _nodes(finding: FieldFinding) -> dict[str, Scalar]:
    """Return the nodes of the names of a CRD by their paths; raise UneditableError without the main ones."""
    root, spec = finding.root, child(finding.root, "spec")
    names = child(spec, "names")
    nodes = {
        "metadata.name": child(root, "metadata", "name"),
        "spec.group": child(spec, "group"),
        **{f"spec.names.{name}": child(names, name) for name in _OF_NAMES},
    }
    short_names = child(names, "shortNames")
    if isinstance(short_names, Sequence) and len(short_names.items) <= _MOST_SHORT_NAMES:
        for i, node in enumerate(short_names.items):
            nodes[f"spec.names.shortNames[{i}]"] = node
    scalars = {path: node for path, node in nodes.items() if isinstance(node, Scalar)}
    if not scalars.keys() >= {
        "metadata.name",
        "spec.group",
        "spec.names.plural",
        "spec.names.kind",
    }:
        raise UneditableError
    return scalars


_MOST_SHORT_NAMES: Final = 8


def _with_exchanged(values: Mapping[str, str], pair: tuple[str, str]) -> dict[str, str]:
    first, second = pair
    return {**values, first: values[second], second: values[first]}


def _is_about(finding: FieldFinding, pair: tuple[str, str]) -> bool:
    """Return whether a finding follows from the exchange of two names."""
    return str(finding.path) in {*pair, "metadata.name"}


def _agree(values: Mapping[str, str]) -> bool:
    """Return whether names by their paths are those that one kind has, in one group."""
    names = CustomResourceDefinitionNames.of(
        plural=values["spec.names.plural"],
        singular=values.get("spec.names.singular", ""),
        kind=values["spec.names.kind"],
        list_kind=values.get("spec.names.listKind", ""),
    )
    short_names = [value for path, value in values.items() if "shortNames" in path]
    return (
        _is_of_one_kind(names)
        and _is_named(values["metadata.name"], names.plural, values["spec.group"])
        and own_names(names).isdisjoint(short_names)
        and not any(map(is_dns1035_label, short_names))
    )


def _is_of_one_kind(names: CustomResourceDefinitionNames) -> bool:
    kind = names.kind
    return (
        kind[:1].isupper()
        and names.singular in {"", to_lower(kind)}
        and names.list_kind in {"", f"{kind}List"}
        and names.plural in plurals(names)
    )


def _is_named(name: str, plural: str, group: str) -> bool:
    return name == f"{plural}.{group}" and "." in group and not is_dns1123_subdomain(name)


def is_agreed(crd: CustomResourceDefinition, field: str, name: str) -> bool:
    """Return whether a name in lower case fits as a field of `spec.names` with the other names of the CRD."""
    names = crd.spec.names
    if field == "plural":
        return f"{name}.{crd.spec.group}" == crd.metadata.name or name in plurals(names)
    if field == "singular":
        return name == to_lower(names.kind)
    return name not in own_names(names)
