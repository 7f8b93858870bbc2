"""spec.group, spec.scope and spec.names, which do not change (apiextensions validation, ValidateCustomResourceDefinitionNames)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from functools import partial
from typing import Final

from crdlint.crd.errors import (
    INVALID,
    Code,
    FieldError,
    Reason,
    invalid,
    not_supported,
    required,
)
from crdlint.crd.kubenames import is_dns1035_label, is_dns1123_subdomain
from crdlint.crd.model import CustomResourceDefinitionNames, CustomResourceDefinitionSpec
from crdlint.crd.paths import Path
from crdlint.golang.text import to_lower
from crdlint.rules.engine.relations import OF_EMPTY_CRD, between_fields
from crdlint.rules.engine.rule import Link, Rule

_Rule: Final = partial(Rule, scope="spec")
_SOURCE = "apiextensions/validation ValidateCustomResourceDefinitionNames"
_SPEC = "apiextensions/validation validateCustomResourceDefinitionSpec"


SCOPES: Final = ("Cluster", "Namespaced")

_REQUIRED: Final = (
    ("plural", "plural"),
    ("singular", "singular"),
    ("kind", "kind"),
    ("listKind", "list_kind"),
)
_MIXED_CASE: Final = "may have mixed case, but should otherwise match: "


_HELP_FOR_EMPTY: Final = (
    "Delete the file if no kind is missing: controller-gen writes it for a Go type that is no API, or for a package without "
    "a group"
)


GROUP = Rule(
    "group-invalid",
    "`spec.group` is not a domain name with at least one dot",
    claims_nothing=True,
    headline={INVALID: "{of} is not a lower-case domain name with a dot: {value}"},
    scope="manifest",
    why="Groups keep the APIs of different vendors apart, so the API server accepts only domain names.",
    help="Use a lower-case domain that you own, such as `widgets.example.com`, and rename the CRD to match",
    marker="correct `+groupName`",
    bad="metadata: {name: foos.example}\nspec: {group: example}\n",
    good="spec: {group: example.com}",
    source=_SPEC,
)
SCOPE = _Rule(
    "scope-invalid",
    "`spec.scope` is neither `Cluster` nor `Namespaced`",
    observed=("scope-and-kind-of-an-established-crd",),
    follows=(Link(GROUP, OF_EMPTY_CRD),),
    why="The scope decides whether objects belong to a namespace. It cannot be changed once the CRD is established.",
    help="Set `spec.scope` to `Namespaced` or `Cluster`",
    marker="write `+kubebuilder:resource:scope=Cluster` or `Namespaced`",
    bad="scope: Namespace",
    good="scope: Namespaced",
    source=_SPEC,
)
NAMES_REQUIRED = _Rule(
    "names-required",
    "Required name is missing in `spec.names`",
    observed=("names-that-the-server-adds",),
    follows=(
        Link(GROUP, OF_EMPTY_CRD),
        Link(None, between_fields("spec.names.singular", "spec.names.kind")),
        Link(None, between_fields("spec.names.listKind", "spec.names.kind")),
    ),
    why="`plural` and `kind` name the resource in URLs and manifests. The API server derives `singular` and `listKind` "
    "from `kind`.",
    help="Specify `plural` (lower case) and `kind` (CamelCase) in `spec.names`",
    bad="names: {kind: ''}",
    good="names: {kind: Foo}",
    source=_SPEC,
)
NAMES_INVALID = _Rule(
    "names-invalid",
    "Invalid name in `spec.names`",
    claims_nothing=True,
    headline={INVALID: "{of} {wrong}"},
    why="The names become parts of URLs and of RBAC rules, so they must be DNS labels.",
    help="Use lower-case letters, digits and `-`, starting with a letter (`kind` and `listKind` may contain upper-case letters)",
    marker="correct `+kubebuilder:resource`",
    bad="names: {shortNames: [f_o]}",
    good="names: {shortNames: [fo]}",
    source=_SOURCE,
)
LIST_KIND = _Rule(
    "names-list-kind-same",
    "`kind` and `listKind` are the same",
    claims_nothing=True,
    headline="`spec.names.kind` and `listKind` cannot both be {value}",
    why="Clients could not distinguish an object from a list of objects.",
    help="Set `listKind` to the kind followed by `List`, or remove `listKind`",
    bad="names: {listKind: Foo}",
    good="names: {listKind: FooList}",
    source=_SOURCE,
)
IMMUTABLE = _Rule(
    "spec-immutable",
    "Update changes an immutable field of the spec",
    observed=("scope-and-kind-of-an-established-crd",),
    headline="{of} cannot be changed to {value}",
    in_each_run=False,
    why="Group and plural are part of the resource's URL. Scope and kind decide how its objects are stored.",
    help="Restore the previous value, or create a CRD with another name and move the objects to it",
    source=f"{_SPEC}Update",
)


def group_and_scope(spec: CustomResourceDefinitionSpec, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with the group and the scope."""
    group_path = path.child("group")
    if not spec.group:
        is_empty = not (spec.names.plural or spec.names.kind or spec.versions)
        reason = Reason(Code.NOTHING_DEFINED) if is_empty else None
        help_ = _HELP_FOR_EMPTY if is_empty else None
        yield required(
            GROUP.id,
            group_path,
            "",
            reason=reason,
            help=help_,
        )
    elif errors := is_dns1123_subdomain(spec.group):
        yield invalid(GROUP.id, group_path, spec.group, ",".join(errors))
    elif "." not in spec.group:
        yield invalid(
            GROUP.id,
            group_path,
            spec.group,
            "should be a domain with at least one dot",
        )
    if not spec.scope:
        yield required(SCOPE.id, path.child("scope"), "")
    elif spec.scope not in SCOPES:
        yield not_supported(
            SCOPE.id,
            path.child("scope"),
            spec.scope,
            SCOPES,
        )


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
            yield invalid(
                NAMES_INVALID.id,
                path.child(name),
                value,
                prefix + ",".join(errors),
            )
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
            yield invalid(
                NAMES_INVALID.id,
                path.index(i),
                value,
                ",".join(errors),
            )
