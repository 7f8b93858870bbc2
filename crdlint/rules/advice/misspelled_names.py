"""Advice: names that the API server accepts, and that are almost other ones which clients expect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from crdlint.crd.model import CustomResourceDefinitionNames, JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.light import regex
from crdlint.phrases import OneCommand
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.edits import Edits
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.rule import Caution, Nodes
from crdlint.schema.defaulting import META_FIELDS
from crdlint.spelling import differing_letters, is_slip

_OfVersion: Final = partial(Caution, scope="version")
_ROOT_FIELDS: Final = (*sorted(META_FIELDS), "spec", "status")
_OPTIONS: Final = frozenset({"omitempty", "omitzero", "inline", "string"})
_MOST_LETTERS: Final = 2  # in which the kind of lists may differ from the one that is meant
_OBJECT: Final = "{type: object, properties: {size: {type: integer}}}"
_ROOT: Final = "schema: {{openAPIV3Schema: {{type: object, properties: {{{}: {}}}}}}}\n"


@_OfVersion(
    "root-field-misspelled",
    "Root field is misspelled",
    observed=("root-field-misspelled",),
    why="The API server accepts any field at the root of a schema. The fields that objects have are then unknown: they are "
    "dropped, or rejected. After a correction, stored values of the old name are lost.",
    help="Write the name of the field that objects have",
    marker="correct the `json` tag of the field",
    bad=_ROOT.format("Spec", _OBJECT),
    good=_ROOT.format("spec", _OBJECT),
).practice
def _root_fields(crd: DecodedCRD) -> Iterator[Advisory]:
    for root in crd.spec.root_schemas():
        missing = [name for name in _ROOT_FIELDS if name not in root.properties]
        for name, schema in root.properties.items():
            meant = None if name in _ROOT_FIELDS else _meant(name, missing)
            if meant is not None and _may_be(schema, meant):
                yield Advisory(_of_root(name, meant), schema.path, OneCommand(f"Write `{meant}`"))


def _may_be(schema: JSONSchemaProps, field: str) -> bool:
    """Return whether a schema may be that of a root field, by its type: a list of `specs` is a field of its own."""
    is_text = field in {"apiVersion", "kind"}
    return not schema.type or ((schema.type == "string") == is_text and schema.type != "array")


def _meant(name: str, fields: Iterable[str]) -> str | None:
    """Return the root field that a name is a slip of; a schema may have very many names that are not."""
    letters = set(filter(str.isalnum, name.lower()))
    if len(letters - _ALL_LETTERS) > 1:
        return None
    for field in fields:
        has_others = len(letters - _LETTERS[field]) > 1  # a slip brings one
        if not has_others and is_slip(name, field, typed=True):
            return field
    return None


_LETTERS: Final = {field: frozenset(field.lower()) for field in _ROOT_FIELDS}
_ALL_LETTERS: Final = frozenset("".join(_ROOT_FIELDS).lower())


def _of_root(name: str, meant: str) -> str:
    if meant in META_FIELDS:
        return f"`{name}` is a field beside `{meant}`, which every object has"
    return f"the schema has `{name}` and no `{meant}`, so `{meant}` is an unknown field"


@Caution(
    "property-with-tag-options",
    "Name of a property has options of a Go tag",
    observed=("property-with-tag-options",),
    why="In Go, `omitempty` in the `json` tag of a field is an option of its encoding. In a schema, it is a part of the name, so "
    "the field that objects have is unknown. After a correction, stored values of the old name are lost.",
    help="Write the name alone",
    marker="correct the `json` tag of the field",
    bad="spec: {type: object, properties: {'size,omitempty': {type: integer}}}",
    good="spec: {type: object, properties: {size: {type: integer}}}",
).advice_on(Nodes({"properties"}))
def _with_options(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    for name, property_ in schema.properties.items():
        plain = None if name.isidentifier() else _without_tag(name)
        if plain is not None:
            shown = name.replace("`", "'")
            message = f"the name of the property is `{shown}`, with an option of a Go tag"
            yield Advisory(message, property_.path, OneCommand(f"Write `{plain}`"))


def _without_tag(name: str) -> str | None:
    """Return a name without the Go tag, or the options of one, after it; None if there is none."""
    tagged = _TAGGED.fullmatch(name)
    if tagged is not None:
        return tagged[1]
    plain, comma, options = name.partition(",")
    return plain if comma and plain and _OPTIONS.issuperset(options.split(",")) else None


_TAGGED: Final = regex(r"(\w+)\s*`\w+:\"[^`]*`?")


@Caution(
    "list-kind-misspelled",
    "Kind of lists does not fit the kind",
    scope="spec",
    observed=("list-kind-that-does-not-fit",),
    why="The API server sends lists with this kind, and clients that expect the kind with `List` do not recognize them.",
    help="Write the kind with `List`, or correct the kind",
    marker="rename the Go type, or the type of its list",
    bad="names: {plural: foos, kind: Foo, listKind: Foolist}",
    good="names: {plural: foos, kind: Foo, listKind: FooList}",
).practice
def _list_kind(crd: DecodedCRD) -> Iterator[Advisory]:
    names = crd.spec.names
    kind, list_kind = names.kind, names.list_kind
    path = Path("spec").child("names")
    if kind == f"{list_kind}List":
        message = f"`kind` and `listKind` are exchanged: the kind is `{kind}`"
        help_ = f"Write `kind: {list_kind}` and `listKind: {kind}`"
        yield Advisory(message, path.child("kind"), help_)
    elif list_kind and (_is_almost(names) or not list_kind.endswith("List")):
        message = f"the kind of lists is `{list_kind}`, and the kind `{kind}`"
        help_ = f"Write `{kind}List`, or correct the kind"
        yield Advisory(message, path.child("listKind"), help_)


def _is_almost(names: CustomResourceDefinitionNames) -> bool:
    """Return whether the kind of lists is almost the kind with `List`, but not quite."""
    expected = f"{names.kind}List"
    return (
        names.list_kind != expected
        and differing_letters(names.list_kind, expected) <= _MOST_LETTERS
    )


@Fixer("Write the kind in lower case", "unsafe")
def _kind_in_lower_case(finding: AdviceFinding) -> Edits:
    yield finding.editor.respell(finding.scalar(), finding.subject_as(str))


@Caution(
    "singular-unlike-kind",
    "Singular name is not the kind in lower case",
    scope="spec",
    observed=("singular-unlike-the-kind",),
    why="`kubectl get` finds a kind by its plural, its singular or a short name. Without a `singular`, the API server uses "
    "the kind in lower case, which is what users type.",
    help="Write the kind in lower case, add that to `shortNames`, or correct the kind",
    marker="remove `singular` from `+kubebuilder:resource`",
    bad="names: {plural: foos, kind: Foo, singular: fooo}",
    good="names: {plural: foos, kind: Foo, singular: foo}",
    fixes=(_kind_in_lower_case,),
).practice
def _singular(crd: DecodedCRD) -> Iterator[Advisory]:
    names = crd.spec.names
    expected = names.kind.lower()
    is_kind_wrong = not names.kind[:1].isupper() or names.kind == f"{names.list_kind}List"
    if is_kind_wrong:
        return  # which may be exchanged with another name
    if names.singular and expected not in {names.singular, names.plural, *names.short_names}:
        yield Advisory(
            f"`kubectl get {expected}` fails: the singular is `{names.singular}`",
            Path("spec").child("names", "singular"),
            f"Write `singular: {expected}`, add `{expected}` to `shortNames`, or correct the kind",
            subject=expected,
        )
