"""The identity of a finding across runs: CRD, version, path in the schema and rule, but not the line or the message.

Paths are those of the API server, with the name of a version instead of its index, and without the indexes of other
lists, which change when an item is inserted. A finding in a part that all versions share belongs to each of them, so
that adding a version does not change identities.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence as SequenceOf
from contextlib import suppress
from dataclasses import field
from typing import Final

from crdlint.crd.paths import SHARED, Step, is_within
from crdlint.crd.positions import steps_at
from crdlint.diagnostics import Diagnostic
from crdlint.light import NamedTuple, dataclass, regex
from crdlint.linting.documents import manifests
from crdlint.linting.result import FileResult
from crdlint.schema.deep_equal import deep_equal
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import to_json
from crdlint.yaml.nodes import Mapping, child, items_of, text_of, text_or_empty
from crdlint.yaml.parse import Document, parse_stream


class FindingIdentity(NamedTuple):
    """The identity of a finding: metadata.name, the name of the version or "", the path from the version or root, the rule."""

    crd: str
    version: str
    path: str
    rule: str


_FIRST: Final = "spec.version"
_OF_VERSION: Final = regex(r"spec\.versions\[(\d+)\]\.?")
# Below these fields, the text in brackets is a name, even if it consists of digits.
_MAPS: Final = frozenset(
    {"properties", "patternProperties", "definitions", "dependencies", "annotations", "labels"}
)
_INDEX: Final = regex(rf"(?:\b({'|'.join(sorted(_MAPS))}))?\[(\d+)\]")


@dataclass(slots=True)
class _Manifest:
    """A CRD of a document: its root, its first line (0-based within the document), and the names of its versions."""

    root: Mapping
    line: int
    name: str
    versions: tuple[str, ...]
    shared: dict[str, bool] = field(default_factory=dict)


def identities(result: FileResult) -> list[tuple[FindingIdentity, ...]]:
    """Return the identities of each finding of a file, one for each version that shares it; none without a CRD with a name."""
    if not result.diagnostics:
        return []
    documents = parse_stream(result.yaml)
    offsets = [document.line_offset for document in documents]
    looked: dict[int, list[_Manifest]] = {}
    result_identities = []
    for diagnostic in result.diagnostics:
        index = max(bisect_right(offsets, diagnostic.line - 1) - 1, 0)
        if index not in looked:
            looked[index] = _manifests(documents[index])
        of_finding = _identities(diagnostic, looked[index], offsets[index])
        if not of_finding and result.masked is not None and diagnostic.crd:
            of_finding = (_rendered_identity(diagnostic, diagnostic.crd),)
        result_identities.append(of_finding)
    return result_identities


def _rendered_identity(diagnostic: Diagnostic, crd: str) -> FindingIdentity:
    """Return the identity of a finding in a CRD that is not in the text of its template: Helm includes it from elsewhere."""
    match = _OF_VERSION.match(diagnostic.field)
    field = diagnostic.field[match.end() :] if match is not None else diagnostic.field
    path = _without_indexes(field) if field else diagnostic.user_path
    return FindingIdentity(
        crd,
        diagnostic.version,
        path,
        diagnostic.rule,
    )


def _manifests(document: Document) -> list[_Manifest]:
    try:
        return [_manifest(root) for root, _ in manifests(document)]
    except YAMLDecodeError:
        return []


def _manifest(root: Mapping) -> _Manifest:
    versions = items_of(child(root, "spec", "versions"))
    names = tuple(text_of(child(item, "name")) or str(i) for i, item in enumerate(versions))
    name = text_or_empty(child(root, "metadata", "name"))
    return _Manifest(root, root.start_mark.line, name, names)


def _identities(
    diagnostic: Diagnostic, manifests: list[_Manifest], offset: int
) -> tuple[FindingIdentity, ...]:
    row = diagnostic.line - 1 - offset
    index = bisect_right(manifests, row, key=lambda manifest_: manifest_.line) - 1
    if index < 0:
        return ()
    manifest = manifests[index]
    name = diagnostic.crd or manifest.name
    if not name:
        return ()
    if diagnostic.field:
        versions, path = _of_field(diagnostic.field, manifest)
    else:
        versions, path = _of_steps(
            steps_at(manifest.root, (row, diagnostic.column - 1)), manifest, diagnostic
        )
    return tuple(FindingIdentity(name, version, path, diagnostic.rule) for version in versions)


def _of_field(field: str, manifest: _Manifest) -> tuple[tuple[str, ...], str]:
    """Return the versions for a path of the API server, and the path within the version."""
    match = _OF_VERSION.match(field)
    if match is not None and int(match[1]) < len(manifest.versions):
        return (manifest.versions[int(match[1])],), _without_indexes(field[match.end() :])
    if not manifest.versions:
        return ("",), _without_indexes(field)
    if field == _FIRST:
        return manifest.versions[:1], "name"
    for internal, name in SHARED.items():
        if is_within(field, internal):
            path = _without_indexes(name + field.removeprefix(internal))
            return tuple(dict.fromkeys(manifest.versions)), path
    return ("",), _without_indexes(field)


def _without_indexes(path: str) -> str:
    return _INDEX.sub(lambda match: match[0] if match[1] else "[]", path)


def _of_steps(
    steps: list[Step], manifest: _Manifest, diagnostic: Diagnostic
) -> tuple[tuple[str, ...], str]:
    """Return the versions for a position in the file, and the path from there as the API server would print it."""
    if steps[:2] != ["spec", "versions"] or len(steps) < 3 or not isinstance(steps[2], int):
        return ("",), _printed(steps)
    below = steps[3:]
    # A second `versions` key may have more of them.
    version = manifest.versions[steps[2]] if steps[2] < len(manifest.versions) else str(steps[2])
    # Errors of the internal CRD are located in the first version if all share the field; decode errors are separate.
    is_internal = diagnostic.kind in {"warning", "advice"} and steps[2] == 0 and bool(below)
    if is_internal and below[0] in SHARED.values() and _is_shared(manifest, str(below[0])):
        return tuple(dict.fromkeys(manifest.versions)), _printed(below)
    return (version,), _printed(below)


def _printed(steps: SequenceOf[Step]) -> str:
    path = ""
    is_name = False  # below a map, whose keys are no fields
    for step in steps:
        if isinstance(step, int):
            path += "[]"
        elif is_name:
            path += f"[{step}]"
        else:
            path += f".{step or '?'}"  # a key that is no scalar
        is_name = not is_name and step in _MAPS
    return path.removeprefix(".")


def _is_shared(manifest: _Manifest, name: str) -> bool:
    if name not in manifest.shared:
        nodes = [child(item, name) for item in items_of(child(manifest.root, "spec", "versions"))]
        manifest.shared[name] = False
        with suppress(YAMLDecodeError):
            first, *others = (node and to_json(node) for node in nodes)
            manifest.shared[name] = bool(others) and all(
                deep_equal(first, other) for other in others
            )
    return manifest.shared[name]
