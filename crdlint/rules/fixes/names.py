"""Fixes for the findings of `rules/server/names.py`."""

from __future__ import annotations

import re
from typing import Final

from crdlint.crd.kubenames import is_dns1035_label, is_dns1123_subdomain
from crdlint.crd.model import CustomResourceDefinitionNames
from crdlint.golang.text import to_lower
from crdlint.phrases import nearest
from crdlint.rules.engine.edits import Edits, expect, is_null, texts
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf, nearest_of
from crdlint.rules.fixes.agreement_of_names import exchanged, is_agreed, own_names, plurals
from crdlint.rules.server.names import (
    GROUP,
    LIST_KIND,
    NAMES_INVALID,
    NAMES_REQUIRED,
    SCOPE,
    SCOPES,
)
from crdlint.yaml.nodes import Mapping, Scalar, Sequence

_LIKE: Final = 0.75


_ENDINGS: Final = (
    ("ies", "y"),
    ("sses", "ss"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ss", "ss"),
    ("s", ""),
)


@Fixer("Correct the group", "safe").example(bad="spec: {group: Example.com}")
def _group(finding: FieldFinding) -> Edits:
    """Write the group in lower case, or add the one that metadata.name has."""
    crd = finding.crd
    written, plural, name = crd.spec.group, crd.spec.names.plural, crd.metadata.name
    group = to_lower(written)
    if is_dns1123_subdomain(group) or "." not in group:  # the name of the CRD contains the group
        group = name.removeprefix(f"{plural}.") if plural and name.startswith(f"{plural}.") else ""
        if written and not _is_likely_group(group, to_lower(written)):
            return []
    return (
        finding.write(group)
        if group != written and "." in group and not is_dns1123_subdomain(group)
        else []
    )


def _is_likely_group(group: str, written: str) -> bool:
    """Return whether a text means a group: a URL of it, the group with a version, or a similar word."""
    is_within = bool(group) and group in written
    return is_within or bool(nearest(written, [group, group.partition(".")[0]], _LIKE))


@Fixer("Add the name that follows from others", "safe").example(
    bad="names: {kind: '', listKind: FooList}", good="names: {kind: Foo, listKind: FooList}"
)
def _missing_name(finding: FieldFinding) -> Edits:
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
def _guessed_kind(finding: FieldFinding) -> Edits:
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
def _lower_case(finding: FieldFinding) -> Edits:
    """Write a name in lower case, unless it is another one of this CRD."""
    node, editor = finding.scalar(), finding.editor
    name = to_lower(node.value)
    if finding.name in {"kind", "listKind"} or is_dns1035_label(name):
        return
    if not is_agreed(finding.crd, finding.name, name):
        return
    listed = editor.parent(node)
    if isinstance(listed, Sequence) and name in texts(listed.items):
        yield editor.remove_at(listed, listed.items.index(node))  # it is there already
    else:
        yield editor.respell(node, name)


@Fixer("Write the kind in lower case as the singular", "unsafe").example(
    bad="names: {kind: Foo, singular: FooList}", good="names: {kind: Foo, singular: foo}"
)
def _singular_of_kind(finding: FieldFinding) -> Edits:
    """Write the singular that the API server would derive from the kind."""
    names = finding.crd.spec.names
    singular = to_lower(names.kind)
    if finding.name != "singular" or is_dns1035_label(singular) or singular == names.plural:
        return []
    return finding.write(singular)


@Fixer("Write the name without the characters that it cannot have", "unsafe").example(
    bad="names: {shortNames: [f_o]}", good="names: {shortNames: [fo]}"
)
def _plain_name(finding: FieldFinding) -> Edits:
    """Write the name without the characters that a name cannot have, or without the group."""
    node, names = finding.scalar(), finding.crd.spec.names
    name = _without_group(finding, node.value)
    if "." in name.strip("."):  # it is a group, or the name of another CRD
        return
    name = re.sub(r"[^\w-]|_", "", name).strip("-")
    is_known = (
        f"{name}List" == names.list_kind
        or name == f"{names.kind}List"
        or to_lower(name) == names.singular
    )
    is_joined = re.search(r"\w[\s;,|/]+\w", node.value) and not is_known
    if (
        name in {"", node.value}
        or is_dns1035_label(to_lower(name))
        or is_joined
        or " - " in node.value
        or _is_another_name(finding, to_lower(name))
    ):
        return
    if finding.name == "listKind":
        name = f"{names.kind}List"
    yield finding.editor.respell(
        node, name if finding.name in {"kind", "listKind"} else to_lower(name)
    )


def _without_group(finding: FieldFinding, name: str) -> str:
    """Return a name without the group after it, which is another one only behind the plural of the CRD's name."""
    crd, first = finding.crd, name.partition(".")[0]
    group = crd.spec.group
    if finding.name == "plural" and crd.metadata.name == f"{first}.{group}":
        return first
    return name.removesuffix(f".{group}") if group else name


def _is_another_name(finding: FieldFinding, name: str) -> bool:
    """Return whether a name in lower case, written for the finding, would be another name of the CRD."""
    names, field = finding.crd.spec.names, finding.name
    if field == "kind":
        return name == names.plural and name != names.singular
    if field in {"plural", "listKind"}:
        return False
    return name in own_names(names) and name != to_lower(names.kind)


@Fixer("Name the list after the kind", "safe")
def _list_kind(finding: FieldFinding) -> Edits:
    """Name the list after the kind, unless the plural shows that the kind is that of the list."""
    names = finding.crd.spec.names
    item = names.kind.removesuffix("List")
    if item == names.kind or names.plural in _plurals_of_kind(names.kind):
        yield from finding.write(f"{names.kind}List")
    elif names.plural in _plurals_of_kind(item):
        entry = expect(Mapping, finding.root, "spec", "names")
        yield finding.editor.respell(expect(Scalar, entry, "kind"), item)


def _plurals_of_kind(kind: str) -> set[str]:
    return plurals(CustomResourceDefinitionNames.of(kind=kind))


FIXES: Final = FixesOf(
    FieldFinding,
    {
        GROUP.id: (
            exchanged.example(
                bad="spec: {group: foos, names: {plural: example.com}}",
                good="spec: {group: example.com, names: {plural: foos}}",
            ),
            _group,
        ),
        SCOPE.id: (Fixer("Correct the scope", "safe", nearest_of(SCOPES, 0.6)),),
        NAMES_REQUIRED.id: (
            _missing_name,
            _guessed_kind,
            _guessed_kind.example(bad="names:", good="names: {kind: Foo, plural: foos}"),
        ),
        NAMES_INVALID.id: (
            exchanged.example(
                bad="names: {kind: foo, singular: Foo}",
                good="names: {kind: Foo, singular: foo}",
            ),
            _lower_case,
            _plain_name,
            _singular_of_kind,
        ),
        LIST_KIND.id: (
            _list_kind,
            _list_kind.example(
                bad="names: {plural: foos, kind: FooList, listKind: FooList}",
                good="names: {plural: foos, kind: Foo, listKind: FooList}",
            ),
        ),
    },
)
