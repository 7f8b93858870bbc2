"""The CRD's own metadata (apimachinery pkg/api/validation/objectmeta.go, pkg/apis/meta/v1/validation)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from functools import partial
from typing import Final

from crdlint.crd import object_meta
from crdlint.crd.errors import FieldError, invalid, required
from crdlint.crd.kubenames import (
    is_dns1035_label,
    is_dns1123_subdomain,
    is_path_segment,
    mask_trailing_dash,
)
from crdlint.crd.model import CustomResourceDefinition, CustomResourceDefinitionNames, ObjectMeta
from crdlint.crd.object_meta import ANNOTATIONS_LIMIT
from crdlint.crd.paths import Path
from crdlint.golang.text import to_lower
from crdlint.kubernetes.servers import Server
from crdlint.phrases import nearest
from crdlint.rules.engine.finding import Edits, Finding, Fixer, expect
from crdlint.rules.engine.rule import Rule
from crdlint.yaml.editor import UneditableError
from crdlint.yaml.nodes import Mapping, Scalar

_SOURCE = "apimachinery/pkg/api/validation ValidateObjectMeta"
_Rule: Final = partial(Rule, source=_SOURCE, scope="metadata")
_UPDATE = "apimachinery/pkg/api/validation ValidateObjectMetaUpdate"
_LIKE: Final = 0.6
_ALIKE: Final = 0.85  # of a whole name, most of which is the group
_PATH: Final = Path("metadata")
_GROUP: Final = "apiextensions.k8s.io"


def _wanted_name(finding: Finding) -> tuple[str, str]:
    """Return the name that the spec asks for, and the one that is given; raise UneditableError if the spec is wrong."""
    crd = finding.crd
    group, plural = crd.spec.group, crd.spec.names.plural
    is_wrong = (
        not plural or "." not in group or is_dns1035_label(plural) or is_dns1123_subdomain(group)
    )
    if is_wrong or crd.metadata.generate_name:
        raise UneditableError
    return f"{plural}.{group}", crd.metadata.name


@Fixer("Name the CRD `<plural>.<group>`", "safe")
def _name_of_spec(finding: Finding) -> Edits:
    """Name the CRD as its spec asks for, where the name is missing or one part of it is right."""
    expected, name = _wanted_name(finding)
    if not name:
        return _missing_name(finding, expected)
    plural, _, group = expected.partition(".")
    first, _, rest = name.partition(".")
    names = finding.crd.spec.names
    is_partly_right = (
        (
            rest == group
            and first in {names.singular, to_lower(names.kind)}
            and plural in _plurals(names)
        )
        or (rest == group and plural in _plurals(names) and nearest(first, [plural], _LIKE))
        or name in {plural, names.singular, names.kind, group}
        or to_lower(name) == expected
        or re.sub(r"[/_ -]", ".", name) == expected.replace("-", ".")
        or (
            first == plural
            and rest != group
            and _mentions(finding, group) > 1
            and nearest(rest, [group], _LIKE)
        )
    )
    return finding.write(expected) if is_partly_right else []


def _mentions(finding: Finding, group: str) -> int:
    """Return how often a document mentions a group, without the names that contain it."""
    return len(re.findall(rf"(?<![\w.-]){re.escape(group)}(?![\w-])", finding.editor.text))


@Fixer("Correct the plural or the group", "safe").example(
    bad="metadata: {name: foos.example.com}\nspec: {names: {plural: fooz, kind: Foo}}\n",
    good="metadata: {name: foos.example.com}\nspec: {names: {plural: foos, kind: Foo}}\n",
    scope="manifest",
)
def _names_of_name(finding: Finding) -> Edits:
    """Correct the plural or the group, if the name of the CRD and its kind show that the error is there."""
    editor, spec = finding.editor, expect(Mapping, finding.root, "spec")
    name, names = _wanted_name(finding)[1], finding.crd.spec.names
    plural, _, group = name.partition(".")
    written = finding.crd.spec.group
    if plural == names.plural and "." in group:
        if written == name or (_mentions(finding, group) and _mentions(finding, written) < 2):
            yield editor.respell(expect(Scalar, spec, "group"), group)
    elif group == written and plural in _plurals(names) and names.plural not in _plurals(names):
        yield editor.respell(expect(Scalar, spec, "names", "plural"), plural)


def _plurals(names: CustomResourceDefinitionNames) -> set[str]:
    words = {names.singular, to_lower(names.kind)} - {""}
    return {
        form for word in words for form in (f"{word}s", f"{word}es", f"{word.removesuffix('y')}ies")
    }


def _missing_name(finding: Finding, expected: str) -> Edits:
    """Add the name, and the metadata where these are missing as well."""
    editor, root = finding.editor, finding.root
    metadata = root.find("metadata")
    if metadata is not None and isinstance(metadata[1], Mapping):
        return finding.write(expected)
    name = f"{editor.name('name')}: {editor.value(expected)}"
    if metadata is None and not root.flow:
        return [editor.insert(root, "metadata", f"\n  {name}", after="kind")]
    return [editor.set(root, "metadata", f"{{{name}}}", after="kind")]


@Fixer("Name the CRD after its plural and group", "unsafe").example(bad="name: things.example.org")
def _other_name(finding: Finding) -> Edits:
    return finding.write(_wanted_name(finding)[0])


@Fixer("Remove the field that the server writes", "safe")
def _server_owned(finding: Finding) -> Edits:
    name = str(finding.path.steps()[1])
    return [finding.editor.remove(expect(Mapping, finding.root, "metadata"), name)]


NAME = Rule("metadata-name", "CRD name is not `<plural>.<group>`", scope="metadata",
    why="Clients and controllers find the CRD of a resource by this name, so the API server accepts no other.",
    help="Set `metadata.name` to `spec.names.plural` and `spec.group`, joined by a dot",
    bad="name: foo.example.com", good="name: foos.example.com",
    source="apiextensions/validation ValidateCustomResourceDefinition",
    fixes=(_names_of_name, _name_of_spec, _other_name))  # fmt: skip
LABELS = _Rule("metadata-labels", "Invalid label key or value",
    why="Label selectors support only a restricted syntax, so the API server rejects other keys and values.",
    help="Use at most 63 letters, digits, `-`, `_` and `.`, starting and ending with a letter or digit; a key may have "
    "a prefix such as `example.com/`", marker="correct `+kubebuilder:metadata:labels`",
    bad="labels: {app: my app}", good="labels: {app: my-app}")  # fmt: skip
ANNOTATIONS = _Rule("metadata-annotations", "Invalid annotation key",
    why="An annotation key is a qualified name: an optional DNS prefix with a slash, and a name of at most 63 characters.",
    help="Write the key as `name` or `example.com/name`, with letters, digits, `-`, `_` and `.`",
    marker="correct `+kubebuilder:metadata:annotations`",
    bad="annotations: {my key: x}", good="annotations: {example.com/my-key: x}")  # fmt: skip
ANNOTATIONS_SIZE = _Rule("metadata-annotations-too-long", "Annotations are larger than 262144 bytes in total",
    why="Every response that contains the object contains its annotations, so the API server limits their size.",
    help="Move the data to a ConfigMap; if the annotation is kubectl.kubernetes.io/last-applied-configuration, remove "
    "it and use `kubectl apply --server-side`",
    bad=f"annotations: {{example.com/data: {'x' * 10}{'{0}'}}}\n".replace("{0}", "y" * ANNOTATIONS_LIMIT),
    good="annotations: {example.com/data: x}")  # fmt: skip
OWNERS = _Rule("metadata-owner-references", "Invalid owner reference",
    why="The garbage collector deletes objects whose owners do not exist. A wrong reference can delete the CRD with "
    "all of its objects.",
    help="Specify `apiVersion`, `kind`, `name` and `uid` of the owner, or remove the reference",
    bad="ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: ''}]",
    good="ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: 0b7c}]")  # fmt: skip
FINALIZERS = _Rule("metadata-finalizers", "Invalid finalizer name",
    why="Each controller finds its own finalizer by name, so the API server accepts only qualified names.",
    help="Write the finalizer as `example.com/name`",
    bad="finalizers: [my finalizer]", good="finalizers: [example.com/cleanup]")  # fmt: skip
SERVER_OWNED = _Rule("metadata-server-owned", "Invalid value in a metadata field that the API server maintains",
    why="The API server maintains `generation` and `managedFields`. A manifest contains them only if it was copied "
    "from a cluster.",
    help="Remove the field from the manifest",
    bad=f"managedFields: [{{manager: {'m' * 129}, operation: Update, apiVersion: apiextensions.k8s.io/v1, "
    "fieldsType: FieldsV1, fieldsV1: {f:spec: {}}}]",
    good="name: foos.example.com", fixes=(_server_owned,))  # fmt: skip
IMMUTABLE = Rule("metadata-immutable", "Update changes an immutable metadata field", scope="metadata",
    why="Name, namespace, uid and timestamps identify an object, so the API server rejects an update that changes them.",
    help="Restore the previous value, or remove the field if the API server maintains it", source=_UPDATE)  # fmt: skip

IDS: Final = object_meta.Rules(
    NAME.id,
    LABELS.id,
    ANNOTATIONS.id,
    ANNOTATIONS_SIZE.id,
    OWNERS.id,
    FINALIZERS.id,
    SERVER_OWNED.id,
    IMMUTABLE.id,
)


def validate(crd: CustomResourceDefinition, server: Server) -> Iterator[FieldError]:
    """Yield what is wrong with the metadata of a new CRD."""
    meta = crd.metadata
    plural, group = crd.spec.names.plural, crd.spec.group
    expected = f"{plural}.{group}"
    missing = " and ".join(
        name for name, value in (("spec.names.plural", plural), ("spec.group", group)) if not value
    )
    first = None
    if missing:
        first = f"Set {missing} first: the CRD is named `<plural>.<group>`"
    elif is_dns1123_subdomain(expected):
        first = f"Correct spec.names.plural or spec.group first: `{expected}` is not a valid name"
    if meta.generate_name:
        path = _PATH.child("generateName")
        for message in _name(mask_trailing_dash(meta.generate_name), meta.generate_name, expected):
            yield invalid(
                NAME.id,
                path,
                meta.generate_name,
                message,
                help=first or f"Write `name: {expected}` instead",
            )
    name = meta.name
    if not name and meta.generate_name:
        name = object_meta.generated_name(meta.generate_name)
    if not name:
        help_ = first or f"Add `name: {expected}`"
        yield required(NAME.id, _PATH.child("name"), "name or generateName is required", help=help_)
    else:
        help_, meant = (first, "") if first else (_both(name, expected), expected)
        for message in _name(name, name, expected):
            yield invalid(NAME.id, _PATH.child("name"), name, message, help=help_, subject=meant)
    yield from object_meta.validate_object_meta(as_managed(meta), _PATH, IDS, server)


def as_managed(meta: ObjectMeta) -> ObjectMeta:
    """Return metadata of a manifest with the managed fields that the server keeps."""
    if not meta.managed_fields:
        return meta
    managed = copy(meta)
    managed.managed_fields = object_meta.kept_managed_fields(meta, _GROUP)
    return managed


def _both(name: str, expected: str) -> str:
    """Return the help for a name that differs from the expected one, in which either may have the error."""
    plural, _, group = name.partition(".")
    expected_plural, _, expected_group = expected.partition(".")
    other = (
        f"set `spec.group` to `{group}`"
        if plural == expected_plural
        else f"set `spec.names.plural` to `{plural}`"
    )
    is_other = "." in group and (plural == expected_plural) != (group == expected_group)
    return f"Rename it to `{expected}`{f', or {other}' if is_other else ''}"


def _name(text: str, name: str, expected: str) -> list[str]:
    errors = is_dns1123_subdomain(text)
    return errors if name == expected else [*errors, 'must be spec.names.plural+"."+spec.group']


def validate_update(
    crd: CustomResourceDefinition, old: CustomResourceDefinition, server: Server
) -> Iterator[FieldError]:
    """Yield what is wrong with the metadata of an update. Upstream: rest.validateCommonFields."""
    meta = as_managed(crd.metadata)
    yield from object_meta.validate_any_object_meta(
        meta, _PATH, server, rules=IDS, requires_namespace=False, name_check=is_path_segment
    )
    yield from object_meta.validate_object_meta_update(meta, old.metadata, _PATH, IDS, server)
