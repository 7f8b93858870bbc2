"""spec.group, spec.scope and spec.names, which do not change (apiextensions validation, ValidateCustomResourceDefinitionNames)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from functools import partial
from typing import Final

from crdlint.crd.errors import FieldError, invalid, not_supported, required
from crdlint.crd.kubenames import is_dns1035_label, is_dns1123_subdomain
from crdlint.crd.model import CustomResourceDefinitionNames, CustomResourceDefinitionSpec
from crdlint.crd.paths import Path
from crdlint.golang.text import to_lower
from crdlint.phrases import nearest
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Edits, Finding, Fixer, expect, is_null, nearest_of, texts
from crdlint.rules.engine.rule import Caution, Hint, Rule
from crdlint.yaml.nodes import Mapping, Sequence

_Rule: Final = partial(Rule, scope="spec")
_SOURCE = "apiextensions/validation ValidateCustomResourceDefinitionNames"
_SPEC = "apiextensions/validation validateCustomResourceDefinitionSpec"
_NAMES: Final = Path("spec").child("names")
_LIKE: Final = 0.75
_SCOPES: Final = ("Cluster", "Namespaced")
_ENDINGS: Final = (
    ("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("ss", "ss"), ("s", ""),
)  # fmt: skip
_REQUIRED: Final = (
    ("plural", "plural"),
    ("singular", "singular"),
    ("kind", "kind"),
    ("listKind", "list_kind"),
)
_MIXED_CASE: Final = "may have mixed case, but should otherwise match: "


@Fixer("Correct the group", "safe").example(bad="spec: {group: Example.com}")
def _group(finding: Finding) -> Edits:
    """Write the group in lower case, or add the one that metadata.name has."""
    crd = finding.crd
    written, plural, name = crd.spec.group, crd.spec.names.plural, crd.metadata.name
    group = to_lower(written)
    if is_dns1123_subdomain(group) or "." not in group:  # the name of the CRD contains the group
        group = name.removeprefix(f"{plural}.") if plural and name.startswith(f"{plural}.") else ""
        is_within = group and group in to_lower(written)  # a URL, or with a version
        if (
            written
            and not is_within
            and not nearest(to_lower(written), [group, group.partition(".")[0]], _LIKE)
        ):
            return []
    return (
        finding.write(group)
        if group != written and "." in group and not is_dns1123_subdomain(group)
        else []
    )


@Fixer("Add `scope: Namespaced`", "unsafe").example(bad="scope: ''")
def _namespaced(finding: Finding) -> Edits:
    return [] if finding.crd.spec.scope else finding.write("Namespaced")


@Fixer("Add the name that follows from others", "safe").example(
    bad="names: {kind: '', listKind: FooList}", good="names: {kind: Foo, listKind: FooList}"
)
def _missing_name(finding: Finding) -> Edits:
    """Add the plural that metadata.name begins with, or the kind of listKind."""
    crd = finding.crd
    names, group = crd.spec.names, crd.spec.group
    derived = ""
    if finding.name == "plural" and group and crd.metadata.name.endswith(f".{group}"):
        plural = crd.metadata.name.removesuffix(f".{group}")
        derived = "" if is_dns1035_label(plural) else plural
    elif finding.name == "kind" and names.list_kind != "List" and names.list_kind.endswith("List"):
        derived = names.list_kind.removesuffix("List")
    return finding.write(derived) if derived else []


@Fixer("Add a kind that is made of the singular", "unsafe").example(
    bad="names: {kind: '', singular: foo}", good="names: {kind: Foo, singular: foo}"
)
def _guessed_kind(finding: Finding) -> Edits:
    """Add a kind that is made of the singular, or of the plural, which may be that of metadata.name."""
    crd, editor = finding.crd, finding.editor
    names, group = crd.spec.names, crd.spec.group
    plural = names.plural or (crd.metadata.name.removesuffix(f".{group}") if group else "")
    singular = names.singular or _singular(plural)
    if names.kind or not singular or is_dns1035_label(singular) or is_dns1035_label(plural):
        return
    kind = "".join(word.capitalize() for word in singular.split("-"))
    spec = expect(Mapping, finding.root, "spec")
    entry = spec.find("names")
    if entry is None or is_null(entry[1]):
        fields = f"{{{editor.name('plural')}: {editor.value(plural)}, {editor.name('kind')}: {editor.value(kind)}}}"
        yield editor.set(spec, "names", fields)
    elif finding.name in {"kind", "singular", "listKind"}:
        yield editor.set(expect(Mapping, spec, "names"), "kind", editor.value(kind))


def _singular(plural: str) -> str:
    for ending, singular in _ENDINGS:
        if plural.endswith(ending):
            return plural.removesuffix(ending) + singular
    return plural


@Fixer("Write the name in lower case", "safe").example(bad="names: {shortNames: [FO]}")
def _lower_case(finding: Finding) -> Edits:
    node, editor = finding.scalar(), finding.editor
    if finding.name in {"kind", "listKind"} or is_dns1035_label(to_lower(node.value)):
        return
    listed = editor.parent(node)
    if isinstance(listed, Sequence) and to_lower(node.value) in texts(listed.items):
        yield editor.remove_at(listed, listed.items.index(node))  # it is there already
    else:
        yield editor.respell(node, to_lower(node.value))


@Fixer("Write the name without the characters that it cannot have", "unsafe").example(
    bad="names: {shortNames: [f_o]}", good="names: {shortNames: [fo]}"
)
def _plain_name(finding: Finding) -> Edits:
    """Write the name without the characters that a name cannot have, or without the group."""
    node, group, names = finding.scalar(), finding.crd.spec.group, finding.crd.spec.names
    name = node.value.removesuffix(f".{group}") if group else node.value
    name = re.sub(r"[^\w-]|_", "", name).strip("-")
    is_known = (
        f"{name}List" == names.list_kind
        or name == f"{names.kind}List"
        or to_lower(name) == names.singular
    )
    is_joined = re.search(r"\w\s+\w", node.value) and not is_known
    if (
        name in {"", node.value}
        or is_dns1035_label(to_lower(name))
        or is_joined
        or " - " in node.value
    ):
        return
    if finding.name == "listKind":
        name = f"{names.kind}List"
    yield finding.editor.respell(
        node, name if finding.name in {"kind", "listKind"} else to_lower(name)
    )


@Fixer("Name the list after the kind", "safe")
def _list_kind(finding: Finding) -> Edits:
    return finding.write(f"{finding.crd.spec.names.kind}List")


GROUP = Rule("group-invalid", "`spec.group` is not a domain name with at least one dot", scope="manifest",
    why="Groups keep the APIs of different vendors apart, so the API server accepts only domain names.",
    help="Use a lower-case domain that you own, such as `widgets.example.com`, and rename the CRD to match",
    marker="correct `+groupName`",
    bad="metadata: {name: foos.example}\nspec: {group: example}\n", good="spec: {group: example.com}", source=_SPEC,
    fixes=(_group,))  # fmt: skip
SCOPE = _Rule("scope-invalid", "`spec.scope` is neither `Cluster` nor `Namespaced`",
    why="The scope decides whether objects belong to a namespace. It cannot be changed once the CRD is established.",
    help="Set `spec.scope` to `Namespaced` or `Cluster`",
    marker="write `+kubebuilder:resource:scope=Cluster` or `Namespaced`",
    bad="scope: Namespace", good="scope: Namespaced", source=_SPEC,
    fixes=(Fixer("Correct the scope", "safe", nearest_of(_SCOPES, 0.6)), _namespaced))  # fmt: skip
NAMES_REQUIRED = _Rule("names-required", "Required name is missing in `spec.names`",
    why="`plural` and `kind` name the resource in URLs and manifests. The API server derives `singular` and `listKind` "
    "from `kind`.",
    help="Specify `plural` (lower case) and `kind` (CamelCase) in `spec.names`",
    bad="names: {kind: ''}", good="names: {kind: Foo}", source=_SPEC,
    fixes=(_missing_name, _guessed_kind, _guessed_kind.example(bad="names:", good="names: {kind: Foo, plural: foos}")))  # fmt: skip
NAMES_INVALID = _Rule("names-invalid", "Invalid name in `spec.names`",
    why="The names become parts of URLs and of RBAC rules, so they must be DNS labels.",
    help="Use lower-case letters, digits and `-`, starting with a letter (`kind` and `listKind` may contain upper-case letters)",
    marker="correct `+kubebuilder:resource`",
    bad="names: {shortNames: [f_o]}", good="names: {shortNames: [fo]}", source=_SOURCE,
    fixes=(_lower_case, _plain_name))  # fmt: skip
LIST_KIND = _Rule("names-list-kind-same", "`kind` and `listKind` are the same",
    why="Clients could not distinguish an object from a list of objects.",
    help="Set `listKind` to the kind followed by `List`, or remove `listKind`",
    bad="names: {listKind: Foo}", good="names: {listKind: FooList}", source=_SOURCE, fixes=(_list_kind,))  # fmt: skip
IMMUTABLE = _Rule("spec-immutable", "Update changes an immutable field of the spec",
    why="Group and plural are part of the resource's URL. Scope and kind decide how its objects are stored.",
    help="Restore the previous value, or create a CRD with another name and move the objects to it",
    source=f"{_SPEC}Update")  # fmt: skip


def group_and_scope(spec: CustomResourceDefinitionSpec, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with the group and the scope."""
    group_path = path.child("group")
    if not spec.group:
        yield required(GROUP.id, group_path, "")
    elif errors := is_dns1123_subdomain(spec.group):
        yield invalid(GROUP.id, group_path, spec.group, ",".join(errors))
    elif "." not in spec.group:
        yield invalid(GROUP.id, group_path, spec.group, "should be a domain with at least one dot")
    if not spec.scope:
        yield required(SCOPE.id, path.child("scope"), "")
    elif spec.scope not in _SCOPES:
        yield not_supported(SCOPE.id, path.child("scope"), spec.scope, _SCOPES)


def names_required(names: CustomResourceDefinitionNames, path: Path) -> Iterator[FieldError]:
    """Yield the names that are missing once defaults are in."""
    for name, attribute in _REQUIRED:
        if not getattr(names, attribute):
            yield required(NAMES_REQUIRED.id, path.child(name), "")


def validate(names: CustomResourceDefinitionNames, path: Path) -> Iterator[FieldError]:
    """Yield the errors of invalid names."""
    for name, value, prefix in (
        ("plural", names.plural, ""),
        ("singular", names.singular, ""),
        ("kind", names.kind, _MIXED_CASE),
        ("listKind", names.list_kind, _MIXED_CASE),
    ):
        errors = is_dns1035_label(to_lower(value) if prefix else value) if value else []
        if errors:
            yield invalid(NAMES_INVALID.id, path.child(name), value, prefix + ",".join(errors))
    yield from _each(names.short_names, path.child("shortNames"))
    if names.kind and names.kind == names.list_kind:
        yield invalid(
            LIST_KIND.id,
            path.child("listKind"),
            names.list_kind,
            "kind and listKind may not be the same",
        )
    yield from _each(names.categories, path.child("categories"))


def _each(values: SequenceOf[str], path: Path) -> Iterator[FieldError]:
    for i, value in enumerate(values):
        if errors := is_dns1035_label(value):
            yield invalid(NAMES_INVALID.id, path.index(i), value, ",".join(errors))


OWN_NAME = Hint("short-name-own-name", "Short name is another name of this CRD", scope="spec",
    observed=("short-name-of-its-own-crd",),
    why="All clients find the resource by its plural and singular anyway. If the short name is added to an established CRD, "
    "the API server finds it in use by the CRD itself. `NamesAccepted` becomes False (ShortNamesConflict), and health checks "
    "and `helm --wait` hang.",
    help="Remove the short name", marker="remove it from the `shortName` of `+kubebuilder:resource`",
    bad="names: {plural: foos, kind: Foo, singular: foo, shortNames: [foo, fo]}",
    good="names: {plural: foos, kind: Foo, singular: foo, shortNames: [fo]}",
    fixes=(Fixer("Remove the short name", "unsafe", Finding.remove_item),))  # fmt: skip
IN_USE = Caution("name-in-use", "Name belongs to another CRD of the group", scope="spec",
    observed=("name-of-another-crd",),
    why="The API server accepts a name for one CRD of a group only. `NamesAccepted` of the other one becomes False with this "
    "message, so the CRD is never established: no object of it can be created, and health checks wait for it. Helm 4 fails with "
    "`not ready. status: Failed`, in `crds/` also without `--wait`; Helm 3 succeeds.",
    help="Rename or remove the name in one of the two CRDs", marker="correct `+kubebuilder:resource`",
    source="pkg/controller/status NamingConditionController")  # fmt: skip


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
                yield Advisory(message, path.index(i), severity="error", old_path=_NAMES)
            else:
                yield Advisory(message, path.index(i))
        others[name] = "another short"
