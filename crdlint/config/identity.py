"""What a finding is told apart by from run to run: CRD, version, place in the schema and rule; never a line or message.

Places are told as the API server tells them, with the version's name for its index, and without the indexes of other
lists, which move when something is put before. What all versions share stands for each of them, so that nothing
changes when a version is added.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crdlint.config.node_index import places_of
from crdlint.crd.paths import SHARED, is_within
from crdlint.linting.documents import manifests
from crdlint.schema.values import deep_equal
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.nodes import Mapping, child, items_of, text_of
from crdlint.yaml.parse import parse_stream
from crdlint.yaml.values import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Sequence as SequenceOf

    from crdlint.config.node_index import NodeIndex, Step
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.yaml.nodes import Node
    from crdlint.yaml.parse import Document


class Identity(NamedTuple):
    """A finding's identity: metadata.name, the version's name or "", the path from the version or the root, the rule."""

    crd: str
    version: str
    path: str
    rule: str


_FIRST: Final = "spec.version"
_OF_VERSION: Final = re.compile(r"spec\.versions\[(\d+)\]\.?")
# Below these, what is in brackets is a name, though it may be digits.
_MAPS: Final = frozenset({"properties", "patternProperties", "definitions", "dependencies", "annotations", "labels"})
_INDEX: Final = re.compile(rf"(?:\b({'|'.join(sorted(_MAPS))}))?\[(\d+)\]")


@dataclass(slots=True)
class _Manifest:
    """A CRD of a document: its root, the line it starts at (0-based within the document), and its versions' names."""

    root: Mapping
    line: int
    name: str
    versions: tuple[str, ...]
    shared: dict[str, bool] = field(default_factory=dict)


@dataclass(slots=True)
class _Looked:
    """A document that findings were looked up in."""

    places: NodeIndex
    manifests: list[_Manifest]


def identities(result: FileResult) -> list[tuple[Identity, ...]]:
    """Return the identities of each finding of a file: one for each version that shares it.

    None for what has no CRD that can be named, such as a document that is no YAML.
    """
    if not result.diagnostics:
        return []
    documents = parse_stream(result.text).documents
    offsets = [document.line_offset for document in documents]
    looked: dict[int, _Looked | None] = {}
    found = []
    for diagnostic in result.diagnostics:
        at = max(bisect_right(offsets, diagnostic.line - 1) - 1, 0)
        if at not in looked:
            looked[at] = _look(documents[at])
        found.append(_identities(diagnostic, looked[at], offsets[at]))
    return found


def _look(document: Document) -> _Looked | None:
    if document.root is None:
        return None
    try:
        roots = list(manifests(document))
    except YAMLDecodeError:
        return None
    return _Looked(places_of(document.root, document.text), [_manifest(root) for root in roots])


def _manifest(root: Mapping) -> _Manifest:
    versions = items_of(child(root, "spec", "versions"))
    names = tuple(text_of(child(item, "name")) or str(i) for i, item in enumerate(versions))
    return _Manifest(root, root.start_mark.line, text_of(child(root, "metadata", "name")) or "", names)


def _identities(diagnostic: Diagnostic, looked: _Looked | None, offset: int) -> tuple[Identity, ...]:
    if looked is None:
        return ()
    row = diagnostic.line - 1 - offset
    at = bisect_right(looked.manifests, row, key=lambda one: one.line) - 1
    if at < 0:
        return ()
    manifest = looked.manifests[at]
    name = diagnostic.crd or manifest.name
    if not name:
        return ()
    if diagnostic.field:
        versions, path = _of_field(diagnostic.field, manifest)
    else:
        entry = looked.places.at((row, diagnostic.column - 1))
        steps = _below(looked.places.steps(entry), manifest.root)
        versions, path = _of_steps(steps, manifest, diagnostic)
    return tuple(Identity(name, version, path, diagnostic.rule) for version in versions)


def _of_field(given: str, manifest: _Manifest) -> tuple[tuple[str, ...], str]:
    """Return the versions that a path of the API server's is about, and the path from there."""
    match = _OF_VERSION.match(given)
    if match is not None and int(match[1]) < len(manifest.versions):
        return (manifest.versions[int(match[1])],), _without_indexes(given[match.end() :])
    if manifest.versions:
        if given == _FIRST:
            return manifest.versions[:1], "name"
        for internal, name in SHARED.items():
            if is_within(given, internal):
                return tuple(dict.fromkeys(manifest.versions)), _without_indexes(name + given[len(internal) :])
    return ("",), _without_indexes(given)


def _without_indexes(path: str) -> str:
    return _INDEX.sub(lambda match: match[0] if match[1] else "[]", path)


def _below(steps: list[tuple[Step, Node]], root: Node) -> list[Step]:
    """Return the steps below a manifest, which may be an item of a list."""
    above = next((i for i, (_, node) in enumerate(steps) if node is root), -1)
    return [step for step, _ in steps[above + 1 :]]


def _of_steps(steps: list[Step], manifest: _Manifest, diagnostic: Diagnostic) -> tuple[tuple[str, ...], str]:
    """Return the versions that a place in the file is about, and the path from there as the API server would print it."""
    if steps[:2] != ["spec", "versions"] or len(steps) < 3 or not isinstance(steps[2], int):
        return ("",), _printed(steps)
    below = steps[3:]
    version = _version(manifest, steps[2])
    # What is said of the internal CRD is said of the first version where all share it; a decoder reads them one by one.
    is_internal = diagnostic.kind in {"warning", "advice"} and steps[2] == 0 and bool(below)
    if is_internal and below[0] in SHARED.values() and _is_shared(manifest, str(below[0])):
        return tuple(dict.fromkeys(manifest.versions)), _printed(below)
    return (version,), _printed(below)


def _version(manifest: _Manifest, index: int) -> str:
    """Return the name of a version, its index if it is of a second `versions` key."""
    return manifest.versions[index] if index < len(manifest.versions) else str(index)


def _printed(steps: SequenceOf[Step]) -> str:
    path = ""
    above: Step = ""
    for step in steps:
        if isinstance(step, int):
            path += "[]"
        elif above in _MAPS:
            path += f"[{step}]"
        else:
            path += f".{step}" if path else step
        above = step if above not in _MAPS else ""
    return path


def _is_shared(manifest: _Manifest, name: str) -> bool:
    """Tell whether all versions have the same under a name."""
    if name not in manifest.shared:
        first, *others = _values(manifest, name)
        manifest.shared[name] = bool(others) and all(deep_equal(first, other) for other in others)
    return manifest.shared[name]


def _values(manifest: _Manifest, name: str) -> Iterator[Any]:
    for item in items_of(child(manifest.root, "spec", "versions")):
        node = child(item, name)
        try:
            yield to_json(node) if node is not None else None
        except YAMLDecodeError:
            yield object()  # like nothing else
