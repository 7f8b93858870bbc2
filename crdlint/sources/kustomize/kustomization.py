"""The content of a kustomization: every reference in every field, resolved to a local file or directory.

kustomize downloads references that look like a URL or a git repository, in many fields and spellings. So it never reads
the user's own kustomization files: each is replaced by JSON that contains only known fields and resolved references.
Anything else is a problem, and a kustomization with a problem is not built.
"""

from __future__ import annotations

import json
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as MappingOf
from dataclasses import field
from functools import partial
from itertools import chain
from typing import Any, Final

from crdlint.files.read import MAX_BYTES, UnreadableError, decode, read_bytes
from crdlint.files.repository import is_below, repository_top
from crdlint.gathering import without_none
from crdlint.light import NamedTuple, dataclass
from crdlint.phrases import some
from crdlint.safety.programs import shortened
from crdlint.sources.kustomize import kustomization_files
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import as_json_text, to_json
from crdlint.yaml.nodes import Mapping, Node
from crdlint.yaml.parse import expands_too_much, parse_first, parse_stream

PATCHES: Final = ("patches", "patchesStrategicMerge", "patchesJson6902")
_LONGEST: Final = 100  # characters of a reference in a problem
_SHOWN: Final = 1  # problems in a notice
# Of layers by kustomize, which loads a layer each time that another one includes it
_MOST_LOADS: Final = 1_000


@dataclass(slots=True)
class Layer:
    """A kustomization file with its references resolved.

    - `folder`: the real path of its directory
    - `path`: the path of the file as the user spells it
    - `document`: the input of kustomize
    - `manifest`: the same as JSON
    - `files`: the content of each referenced file, by its real path
    - `resources`: resource files as the user spells them
    - `bases`, `components`: real paths of directories
    - `problems`: the reasons why it is not built
    """

    folder: str
    path: str
    text: str
    root: Mapping
    document: dict[str, Any]
    manifest: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)
    resources: list[str] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    components: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def included(self) -> list[str]:
        """The real paths of the directories that it includes, as often as it does."""
        return [*self.bases, *self.components]

    @property
    def is_component(self) -> bool:
        """Whether it is a component, which is not built on its own."""
        return self.document.get("kind") == "Component"

    def content(self, reference: str) -> bytes:
        """Return the content of a file that `document` refers to."""
        return self.files[self._path(reference)]

    def _path(self, reference: str) -> str:
        return os.path.normpath(os.path.join(self.folder, reference))

    def patch_text(self, patch: Any) -> str:
        """Return an entry of a list of patches as JSON, with the content of its file."""
        path = _patch_path(patch)
        content = b"" if path is None else self.content(path)
        return f"{json.dumps(patch)}\n{content.decode('utf-8', 'replace')}"

    def patch_paths(self) -> set[str]:
        """Return the real paths of the files of patches."""
        patches = chain.from_iterable(self.document.get(name) or () for name in PATCHES)
        return set(map(self._path, filter(None, map(_patch_path, patches))))


def _patch_path(patch: Any) -> str | None:
    path = patch.get("path") if isinstance(patch, dict) else patch
    return path if isinstance(path, str) and path[:1] == "." else None


@dataclass(slots=True)
class Kustomization:
    """A kustomization with all layers that it refers to, by the real paths of their directories; its own layer is the first."""

    layers: dict[str, Layer]

    @property
    def top(self) -> Layer:
        """The layer of the kustomization itself."""
        return next(iter(self.layers.values()))

    @property
    def resources(self) -> list[str]:
        """The paths of the files that are resources of its layers."""
        return _distinct(layer.resources for layer in self.layers.values())

    def files(self) -> dict[str, bytes]:
        """Return the contents of the files of all layers by their real paths."""
        files: dict[str, bytes] = {}
        for layer in self.layers.values():
            files |= layer.files
        return files

    def values(self, *names: str) -> Iterator[Any]:
        """Yield the values of some fields in all layers, None for a layer that lacks one."""
        for layer in self.layers.values():
            yield from map(layer.document.get, names)

    @property
    def problem(self) -> str | None:
        """The reason why the kustomization is not built, or None."""
        problems = _distinct(layer.problems for layer in self.layers.values())
        if self._loads() > _MOST_LOADS:
            problems.append(f"its folders are included more than {_MOST_LOADS:,} times")
        return some(problems, _SHOWN) or None

    def _loads(self) -> int:
        """Return how often kustomize loads a layer: for each way in which other layers lead to it."""
        times = dict.fromkeys(self.layers, 0)
        times[self.top.folder] = 1
        including = Counter(chain.from_iterable(each.included for each in self.layers.values()))
        pending = [self.top.folder]
        while pending:
            folder = pending.pop()
            for included in self.layers[folder].included:
                times[included] += times[folder]
                including[included] -= 1
                if not including[included]:
                    pending.append(included)
        return sum(times.values())

    @property
    def parent(self) -> str:
        """The real path of the nearest common parent directory of all layers."""
        return os.path.dirname(os.path.commonpath(list(self.layers)))

    def tree(self, replaced: MappingOf[str, bytes] | None = None) -> dict[str, bytes]:
        """Return the files to build from, by their paths below `parent`; `replaced` has other contents by real path."""
        parent = self.parent
        files = {**self.files(), **(replaced or {})}
        tree = {os.path.relpath(path, parent): data for path, data in files.items()}
        for layer in self.layers.values():
            # The resources of a layer may be kustomization files of other layers, which are replaced as well.
            for name in kustomization_files(layer.folder):
                tree.pop(os.path.relpath(os.path.join(layer.folder, name), parent), None)
            tree[os.path.relpath(os.path.join(layer.folder, "kustomization.yaml"), parent)] = (
                layer.manifest
            )
        return tree


def _distinct(lists: Iterable[list[str]]) -> list[str]:
    """Return what is in some lists, each once."""
    return list(dict.fromkeys(chain.from_iterable(lists)))


def read_kustomization(folder: str) -> Kustomization | None:
    """Return the kustomization in a directory, or None if there is none or it is not a mapping."""
    real = os.path.realpath(folder)
    reader = _LayerReader(repository_top(real))
    reader.add(real, folder)
    while reader.pending:
        reader.pending.popleft().resolve()
    return Kustomization(reader.layers) if reader.layers else None


class UnreadKustomization(NamedTuple):
    """A kustomization file that kustomize cannot read, and the reason."""

    path: str
    text: str
    reason: str


def reading_problem(folder: str) -> UnreadKustomization | None:
    """Return the kustomization file in a directory if kustomize cannot read it, or None."""
    layer = _read(folder)
    return layer if isinstance(layer, UnreadKustomization) else None


def patch_files(folder: str) -> set[str]:
    """Return the real paths of the patch files that the kustomization of a folder names."""
    patches = _listed(_document_of(folder), *PATCHES)
    return _existing(folder, map(_path_of_patch, patches))


def patch_targets(folder: str) -> Iterator[dict[str, Any]]:
    """Yield the targets of the patches that the kustomization of a folder has, with the names of fields in small letters."""
    for patch in _listed(_document_of(folder), *PATCHES):
        target = _canonical(patch).get("target") if isinstance(patch, dict) else None
        if isinstance(target, dict):
            yield {key.lower(): value for key, value in target.items()}


def _path_of_patch(patch: Any) -> object:
    return _canonical(patch).get("path") if isinstance(patch, dict) else patch


def data_files(folder: str) -> set[str]:
    """Return the real paths of the files that generators of the kustomization of a folder put into ConfigMaps and Secrets."""
    generators = _listed(_document_of(folder), *_GENERATORS)
    mappings = (entry for entry in generators if isinstance(entry, dict))
    files = chain.from_iterable(_listed(entry, "files") for entry in mappings)
    names = (file for file in files if isinstance(file, str))
    return _existing(folder, (name.rpartition("=")[2] for name in names))


_GENERATORS: Final = ("configMapGenerator", "secretGenerator")


def _document_of(folder: str) -> dict[str, Any]:
    """Return the kustomization of a folder with the names of fields as kustomize has them, empty if it cannot be read."""
    layer = _read(folder)
    return _canonical(layer.document) if isinstance(layer, Layer) else {}


def _listed(document: dict[str, Any], *keys: str) -> Iterator[Any]:
    """Yield the items of some fields of a mapping, as far as these are lists."""
    for key in keys:
        value = document.get(key)
        if isinstance(value, list):
            yield from value


def _existing(folder: str, names: Iterable[object]) -> set[str]:
    """Return the real paths of the existing files that a kustomization of a folder names."""
    return set(filter(None, map(partial(_local_file, os.path.realpath(folder)), names)))


def local_path(folder: str, reference: object) -> str | None:
    """Return the real path of a reference from a directory, which may not exist, or None if it is not a local path.

    A reference that kustomize would download is not local, even if a file has that name. Upstream: git.NewRepoSpecFromURL.
    """
    if not isinstance(reference, str) or not reference or not reference.isprintable():
        return None
    head = reference.partition("/")[0]
    if ":" in head or "@" in head or head.lower() == "github.com" or "_git/" in reference:
        return None
    return os.path.realpath(os.path.normpath(os.path.join(folder, reference)))


def _local_file(folder: str, reference: object) -> str | None:
    """Return the real path of a reference from a directory if it is that of a local file, or None."""
    path = local_path(folder, reference)
    return path if path is not None and os.path.isfile(path) else None


def _read(folder: str) -> Layer | UnreadKustomization | None:
    """Return the kustomization file in a directory, with its references as they are, or None if there is none."""
    names = kustomization_files(folder)
    if not names:
        return None
    path, real = os.path.normpath(os.path.join(folder, names[0])), os.path.realpath(folder)
    if not is_below(os.path.realpath(path), real):
        return UnreadKustomization(path, "", "it is a link that leads out of its folder")
    try:
        text = decode(read_bytes(path))
    except UnreadableError as error:
        return UnreadKustomization(path, "", str(error))
    document = parse_first(text)
    if document.error is not None:
        return UnreadKustomization(path, text, document.error.message)
    root = document.root
    if root is None:
        return UnreadKustomization(path, text, "it is empty")
    if not isinstance(root, Mapping):
        return UnreadKustomization(path, text, "it is not a mapping")
    value = _json(root)
    if not isinstance(value, dict):
        return UnreadKustomization(path, text, "a value has no JSON form")
    return Layer(real, path, text, root, value)


def _json(root: Node | None) -> Any:
    """Return a document as kustomize sees it, or None if it is empty or has no JSON value."""
    try:
        return None if root is None else as_json_text(to_json(root))
    except YAMLDecodeError:
        return None


def json_documents(text: str) -> list[dict[str, Any]] | None:
    """Return the documents of a text, or None unless all of them are mappings."""
    values = []
    for document in parse_stream(text):
        if document.root is None and document.error is None:
            continue  # there is nothing in it
        value = _json(document.root)
        if not isinstance(value, dict):
            return None
        values.append(value)
    return values or None


def _strings(value: Any) -> Iterator[str]:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, (dict, list)):
            pending += item.values() if isinstance(item, dict) else item


def _canonical(document: dict[str, Any]) -> dict[str, Any]:
    """Return a mapping with its known fields spelled as kustomize does, which ignores their case."""
    return {_KNOWN.get(key.lower(), key): value for key, value in document.items()}


@dataclass(slots=True)
class _LayerReader:
    """Reads layers. References must be inside of `repository`; `left` is the number of bytes that may still be read."""

    repository: str
    layers: dict[str, Layer] = field(default_factory=dict)
    pending: deque[_Resolver] = field(default_factory=deque)
    left: int = MAX_BYTES

    def add(self, real: str, folder: str) -> str | None:
        """Add the layer of a directory, given its real path and its name for messages; return the reason if there is none."""
        if real in self.layers:
            return None
        if real != self.repository and not is_below(real, self.repository):
            return "is outside of the repository"
        layer = _read(folder)
        if not isinstance(layer, Layer):
            return "has no readable kustomization file"
        self.layers[real] = layer
        self.pending.append(_Resolver(self, layer))
        return None


@dataclass(slots=True)
class _Resolver:
    """Resolves the references of one layer."""

    reader: _LayerReader
    layer: Layer

    def resolve(self) -> None:
        """Fill in the layer."""
        layer = self.layer
        if len(kustomization_files(layer.folder)) > 1:
            self.reject(f"{os.path.dirname(layer.path) or '.'} has several kustomization files")
        layer.document = _ROOT(self, layer.document, "")
        self.reject_aliases()
        try:
            layer.manifest = json.dumps(layer.document).encode()
        except RecursionError:
            self.reject(f"{layer.path} is nested too deeply")

    def reject_aliases(self) -> None:
        """Add a problem for each file and inline text that kustomize would expand to more than crdlint and kubectl read."""
        layer = self.layer
        named: list[tuple[str, str]] = []
        for path, data in layer.files.items():
            name = self.shown(os.path.relpath(path, layer.folder))
            named.append((name, data.decode("utf-8", "replace")))
        named += [(f"a text in {layer.path}", text) for text in _strings(layer.document)]
        for name, text in named:
            if expands_too_much(text):
                self.reject(f"{name} has too many aliases of aliases")

    def reject(self, problem: str) -> None:
        """Add a problem."""
        self.layer.problems.append(problem)

    def path(self, reference: object, field: str) -> str | None:
        """Return the real path of a reference that exists, None with a problem."""
        path = local_path(self.layer.folder, reference)
        if path is None or not os.path.exists(path):
            self.reject(f"no local file for {_shown(reference, field)}")
            return None
        return path

    def file(self, reference: object, field: str) -> str | None:
        """Read a referenced file and return the reference to it, or None after adding a problem."""
        path = self.path(reference, field)
        if path is None:
            return None
        if not is_below(path, self.layer.folder):
            self.reject(f"{_shown(reference, field)} is outside of the folder of its kustomization")
            return None
        try:
            data = self.layer.files.get(path)
            if data is None:
                data = self.layer.files[path] = read_bytes(path, self.reader.left)
                self.reader.left -= len(data)
        except UnreadableError as error:
            self.reject(f"{_shown(reference, field)} cannot be read ({error})")
            return None
        return self.relative(path)

    def folder(self, reference: object, field: str, folders: list[str]) -> str | None:
        """Add a referenced directory to `folders` and return the reference to it, or None after adding a problem."""
        path = self.path(reference, field)
        if path is None:
            return None
        problem: str | None = "is an absolute path"
        if not os.path.isabs(str(reference)):
            problem = self.reader.add(path, self.shown(str(reference)))
        if problem is not None:
            self.reject(f"{_shown(reference, field)} {problem}")
            return None
        folders.append(path)
        return self.relative(path)

    def shown(self, reference: str) -> str:
        """Return the path of a reference as the user spells it."""
        return os.path.normpath(os.path.join(os.path.dirname(self.layer.path), reference))

    def relative(self, path: str) -> str:
        """Return the reference to a path, starting with a dot, because kustomize never treats such references as URLs."""
        relative = os.path.relpath(path, self.layer.folder).replace(os.sep, "/")
        return relative if relative.startswith("../") else f"./{relative}"

    def text(self, reference: str, field: str) -> str | None:
        """Return the text of a field that has a file's path or the file's content, None with a problem."""
        if _local_file(self.layer.folder, reference) is None:
            return reference
        relative = self.file(reference, field)
        try:
            return None if relative is None else decode(self.layer.content(relative))
        except UnreadableError as error:
            self.reject(f"{_shown(reference, field)} cannot be read ({error})")
            return None


def _shown(reference: object, field: str) -> str:
    shown = shortened(reference, _LONGEST) if isinstance(reference, str) else "not a string"
    return f"`{field}` ({shown})"


# Returns the value of a field with its references resolved, given its position.
_Handler = Callable[[_Resolver, Any, str], Any]


def _plain(_resolver: _Resolver, value: Any, _field: str) -> Any:
    """Return a value for which kustomize reads no files."""
    return value


def _source(resolver: _Resolver, value: Any, field: str) -> str | None:
    """Resolve `key=path` or a path, whose last part is the key. Upstream: generators.ParseFileSource."""
    key, equals, reference = value.partition("=") if isinstance(value, str) else ("", "", value)
    if not equals:
        key, reference = key.rpartition("/")[2], value
    relative = resolver.file(reference, field)
    return None if relative is None else f"{key}={relative}"


def _resource(resolver: _Resolver, value: Any, field: str) -> str | None:
    layer = resolver.layer
    path = _local_file(layer.folder, value)
    if path is None:
        return resolver.folder(value, field, layer.bases)
    if is_below(path, resolver.reader.repository):
        layer.resources.append(resolver.shown(value))
    return resolver.file(value, field)


def _merge(resolver: _Resolver, value: Any, field: str) -> str | None:
    """Resolve a strategic merge patch: a file or the patch itself."""
    is_file = _local_file(resolver.layer.folder, value) is not None
    documents = json_documents(value) if isinstance(value, str) and not is_file else None
    return resolver.file(value, field) if documents is None else _joined(documents)


def _plugins(resolver: _Resolver, value: Any, field: str) -> str | None:
    """Resolve configurations of plugins, in a file or inline: only those of built-in plugins."""
    text = resolver.text(value, field) if isinstance(value, str) else None
    documents = None if text is None else json_documents(text)
    if documents is None:
        resolver.reject(
            f"{_shown(value, field)} is not a local file with configurations of plugins"
        )
        return None
    items = []
    for configuration in documents:
        api_version, kind = configuration.get("apiVersion"), configuration.get("kind")
        references = _PLUGINS.get(str(kind)) if api_version == "builtin" else None
        if references is None or not all(key.isascii() for key in configuration):
            resolver.reject(f"`{field}` runs a plugin that is not built in ({api_version}, {kind})")
            return None
        items.append(_resolved_plugin(resolver, configuration, references, field))
    return _joined(items)


def _resolved_plugin(
    resolver: _Resolver,
    configuration: dict[str, Any],
    references: dict[str, _Handler],
    field: str,
) -> dict[str, Any]:
    """Return the configuration of a built-in plugin with the content of its files; the case of names is irrelevant."""
    names = {name.lower(): name for name in references}
    resolved = {}
    for key, value in configuration.items():
        name = names.get(key.lower(), key)
        resolved[name] = references.get(name, _plain)(resolver, value, f"{field}.{key}")
    return resolved


def _joined(documents: list[dict[str, Any]]) -> str:
    return "\n---\n".join(map(json.dumps, documents))


def _each(handler: _Handler) -> _Handler:
    def handle(resolver: _Resolver, value: Any, field: str) -> list[Any] | None:
        if not isinstance(value, list):
            resolver.reject(f"`{field}` is not a list")
            return None
        return without_none(
            handler(resolver, item, f"{field}[{i}]") for i, item in enumerate(value)
        )

    return handle


def _fields(table: dict[str, _Handler]) -> _Handler:
    """Return a handler for a mapping that has only the fields of a table, ignoring case."""
    names = {name.lower(): name for name in table}

    def handle(resolver: _Resolver, value: Any, field: str) -> dict[str, Any] | None:
        if not isinstance(value, dict):
            resolver.reject(f"`{field}` is not a mapping")
            return None
        fields: dict[str, Any] = {}
        for key, item in value.items():
            name = names.get(key.lower()) if key.isascii() else None
            where = f"{field}.{key}" if field else key
            if name is None:
                resolver.reject(f"`{shortened(where, _LONGEST)}` is not a known field")
            elif name in fields:
                resolver.reject(f"`{shortened(where, _LONGEST)}` is set twice")
            elif item is not None:
                fields[name] = table[name](resolver, item, where)
        return {name: item for name, item in fields.items() if item is not None}

    return handle


_file: Final = _Resolver.file
_SOURCES: Final[dict[str, _Handler]] = {"files": _each(_source), "envs": _each(_file), "env": _file}
_PATCH: Final = _fields({"path": _file, "patch": _plain, "target": _plain, "options": _plain})
_REPLACEMENTS: Final = _each(_fields({"path": _file, "source": _plain, "targets": _plain}))
_GENERATOR: Final = _fields(
    {
        **_SOURCES,
        **dict.fromkeys(("literals", "name", "namespace", "behavior", "options", "type"), _plain),
    }
)
_TABLE: Final[dict[str, _Handler]] = {
    **dict.fromkeys(
        ("apiVersion", "kind", "metadata", "namePrefix", "nameSuffix", "namespace", "commonLabels", "labels",
         "commonAnnotations", "images", "imageTags", "replicas", "vars", "sortOptions", "generatorOptions", "buildMetadata"),
        _plain,
    ),
    "openapi": _fields({"path": _file, "version": _plain}),
    "resources": _each(_resource),
    "bases": _each(_resource),
    "components": _each(lambda resolver, value, field: resolver.folder(value, field, resolver.layer.components)),
    "crds": _each(_file),
    "configurations": _each(_file),
    "patches": _each(_PATCH),
    "patchesJson6902": _each(_PATCH),
    "patchesStrategicMerge": _each(_merge),
    "replacements": _REPLACEMENTS,
    "configMapGenerator": _each(_GENERATOR),
    "secretGenerator": _each(_GENERATOR),
    "generators": _each(_plugins),
    "transformers": _each(_plugins),
    "validators": _each(_plugins),
    **dict.fromkeys(
        ("helmGlobals", "helmCharts", "helmChartInflationGenerator"),
        lambda resolver, _value, field: resolver.reject(f"`{field}` runs Helm"),
    ),
}  # fmt: skip
_ROOT: Final = _fields(_TABLE)
_KNOWN: Final = {name.lower(): name for name in (*_TABLE, "path")}
_WITHOUT_FILES: Final = (
    "Annotations",
    "Hash",
    "ImageTag",
    "Label",
    "Namespace",
    "PrefixSuffix",
    "Prefix",
    "ReplicaCount",
    "Suffix",
)
# The fields of each built-in plugin that refer to files (api/internal/builtins); those that run Helm are missing.
_PLUGINS: Final[dict[str, dict[str, _Handler]]] = {
    "ConfigMapGenerator": _SOURCES,
    "SecretGenerator": _SOURCES,
    "PatchJson6902Transformer": {"path": _file},
    "PatchTransformer": {"path": _file},
    "PatchStrategicMergeTransformer": {"paths": _each(_merge)},
    "ReplacementTransformer": {"replacements": _REPLACEMENTS},
    "ValueAddTransformer": {"targetFilePath": _file},
    "IAMPolicyGenerator": {},
    **{f"{name}Transformer": {} for name in _WITHOUT_FILES},
}
