"""Detection of kustomizations that change CRDs: only these need a build."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.kubenames import is_label_key, is_label_value
from crdlint.files.read import UnreadableError, decode
from crdlint.files.recognition import GROUP, KIND, may_hold_crd
from crdlint.sources.kustomize.kustomization import PATCHES, json_documents

if TYPE_CHECKING:
    from crdlint.sources.kustomize.kustomization import Kustomization, Layer

# By default these do not change CRDs, except for the name and namespace of a service, which the server does not check.
# With configurations they can change any field. Upstream: api/internal/konfig/builtinpluginconsts.
_CONFIGURABLE: Final = ("commonAnnotations", "commonLabels", "images", "imageTags", "labels", "namePrefix", "nameSuffix",
                        "namespace", "replicas")  # fmt: skip
_UNCHECKED: Final = tuple(
    f"spec/conversion/{config}/service/{name}"
    for config in ("webhook/clientConfig", "webhookClientConfig")
    for name in ("name", "namespace")
)


def changes_crds(kustomization: Kustomization, elsewhere: Container[str] = ()) -> bool:
    """Return whether a kustomization changes its CRDs in a way that is relevant for the server.

    `elsewhere` contains the real paths of directories whose kustomizations are built in any case, so that their changes
    are not relevant in a kustomization that includes them.
    """
    layers = kustomization.layers
    includes = {folder: [*layer.bases, *layer.components] for folder, layer in layers.items()}
    components = {folder: layer.components for folder, layer in layers.items()}
    own = [folder for folder, layer in layers.items() if any(map(may_hold_crd, layer.files.values()))]
    # The fields of a component apply to all resources of the kustomization that includes it.
    with_crds = _closure(_closure(own, _inverse(includes)), components)
    configured = _closure([folder for folder, layer in layers.items() if _configures_crds(layer)], _inverse(includes))
    changing = [folder for folder in with_crds if _changes_crds(layers[folder], configured=folder in configured)]
    top = kustomization.top.folder
    return any(
        folder == top or (folder not in elsewhere and not layers[folder].is_component)
        for folder in _closure(changing, _inverse(components))
    )


def _inverse(following: dict[str, list[str]]) -> dict[str, list[str]]:
    inverse: dict[str, list[str]] = {node: [] for node in following}
    for node, others in following.items():
        for other in others:
            inverse[other].append(node)
    return inverse


def _closure(start: Iterable[str], following: dict[str, list[str]]) -> set[str]:
    reached: set[str] = set()
    pending = list(start)
    while pending:
        node = pending.pop()
        if node not in reached:
            reached.add(node)
            pending += following[node]
    return reached


def _changes_crds(layer: Layer, *, configured: bool) -> bool:
    document = layer.document
    return (
        bool(document.get("vars"))
        or (configured and any(document.get(name) for name in _CONFIGURABLE))
        or any(_adds_invalid(document.get(name), name) for name in ("commonAnnotations", "commonLabels", "labels"))
        or any(map(_transforms_crds, document.get("transformers") or ()))
        or any(_patches_crds(layer, patch) for name in PATCHES for patch in document.get(name) or ())
        or any(_replaces_in_crds(layer, replacement) for replacement in document.get("replacements") or ())
    )


def _configures_crds(layer: Layer) -> bool:
    """Return whether a layer configures which fields of CRDs are changed, or replaces kustomize's schema of CRDs."""
    openapi = layer.document.get("openapi") or {}
    documents = [_documents(layer, path, None) for path in layer.document.get("configurations") or ()]
    return "path" in openapi or any(
        specs_by_kind is None
        or any(_configures(spec) for document in specs_by_kind for specs in document.values() for spec in _list(specs))
        for specs_by_kind in documents
    )


def _configures(spec: Any) -> bool:
    """Return whether a field of a configuration may be a field of CRDs that the server checks."""
    if not isinstance(spec, dict):
        return True
    if "fieldSpecs" in spec:
        return any(map(_configures, _list(spec["fieldSpecs"])))
    return _selects_crds(spec) and (bool(spec.get("create")) or spec.get("path") not in _UNCHECKED)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _transforms_crds(configuration: str) -> bool:
    """Return whether configurations of plugins change more than labels, or add labels that may be invalid."""
    documents = json_documents(configuration)
    return documents is None or any(
        document.get("kind") != "LabelTransformer"
        or _adds_invalid(document.get("labels"), "commonLabels")
        or any(
            not isinstance(spec, dict) or spec.get("path") != "metadata/labels"
            for spec in _list(document.get("fieldSpecs"))
        )
        for document in documents
    )


def _adds_invalid(value_of_field: Any, field: str) -> bool:
    """Return whether the labels or annotations that are added to all resources may be invalid."""
    if not value_of_field:
        return False
    listed = value_of_field if field == "labels" else [{"pairs": value_of_field}]
    if not isinstance(listed, list) or not all(isinstance(entry, dict) and entry.keys() <= _LABELS for entry in listed):
        return True
    if not all(isinstance(entry.get("pairs"), dict) for entry in listed):
        return True
    pairs = [pair for entry in listed for pair in entry["pairs"].items()]
    if field == "commonAnnotations":
        size = sum(len(str(value)) for _, value in pairs)
        return size > _SHORT or any(key == _APPROVAL or is_label_key(key.lower()) for key, _ in pairs)
    return any(is_label_key(key) or not isinstance(value, str) or is_label_value(value) for key, value in pairs)


_APPROVAL: Final = "api-approved.kubernetes.io"  # a CRD of a protected group is rejected without it
_SHORT: Final = 10_000  # characters of annotations; the server accepts 262,144
_LABELS: Final = {"pairs", "includeSelectors", "includeTemplates"}


def _patches_crds(layer: Layer, patch: Any) -> bool:
    """Return whether a patch, or its path or text, may apply to CRDs."""
    patch_fields = patch if isinstance(patch, dict) else {"path" if patch.startswith(".") else "patch": patch}
    target = patch_fields.get("target")
    if isinstance(target, dict):
        return _selects_crds(target)
    documents = _documents(layer, patch_fields.get("path"), patch_fields.get("patch"))
    return documents is None or any(document_.get("kind") == KIND for document_ in documents)


def _replaces_in_crds(layer: Layer, replacement: dict[str, Any]) -> bool:
    if replacement.get("path"):
        documents = _documents(layer, replacement["path"], None)
        return documents is None or any(_replaces_in_crds(layer, {**document, "path": None}) for document in documents)
    targets = replacement.get("targets")
    if not isinstance(targets, list):
        return True
    return any(
        not isinstance(target, dict) or (_selects_crds(target.get("select")) and not _is_of_annotations(target))
        for target in targets
    )


def _is_of_annotations(target: dict[str, Any]) -> bool:
    """Return whether a target of a replacement is only annotations, which the server does not check."""
    paths = target.get("fieldPaths")
    keys = [_ANNOTATION.fullmatch(path) for path in paths if isinstance(path, str)] if isinstance(paths, list) else []
    return len(keys) == len(_list(paths)) and all(
        key is not None and key[1] != _APPROVAL and not is_label_key(key[1].lower()) for key in keys
    )


_ANNOTATION: Final = re.compile(r"\.?metadata\.annotations\.(?:(?=\[[^\[\]]+\]$)\[)?([^\[\]]+)\]?")


def _documents(layer: Layer, path: Any, text: Any) -> list[dict[str, Any]] | None:
    """Return the documents of a referenced file or else of a text, or None if they are not mappings."""
    try:
        content = decode(layer.content(path)) if isinstance(path, str) else text
    except (KeyError, UnreadableError):
        return None
    return json_documents(content) if isinstance(content, str) else None


def _selects_crds(selector: Any) -> bool:
    """Return whether a selector may match a CRD by its kind and group. Upstream: types.SelectorRegex."""
    if not isinstance(selector, dict):
        return True
    fields = {key.lower(): value for key, value in selector.items()}
    return _matches(fields.get("kind"), KIND) and _matches(fields.get("group"), GROUP)


def _matches(pattern: Any, text: str) -> bool:
    """Return whether a pattern may match a text: a list of names is compared, any other pattern may match."""
    if not isinstance(pattern, str) or not pattern or not pattern.replace("|", "").isalnum():
        return True
    return text in pattern.split("|")
