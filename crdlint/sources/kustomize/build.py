"""Builds of kustomizations that change CRDs, by `kustomize build` or `kubectl kustomize`.

Findings in a resource that a build does not change are reported in its own file. Findings that only the build has are
reported in the kustomization, at the patch of the CRD if there is one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from hashlib import blake2b
from itertools import chain, starmap
from typing import Any, Final

from crdlint.crd.kubenames import is_label_key, is_label_value
from crdlint.crd.positions import Span, node_span
from crdlint.diagnostics import Diagnostic
from crdlint.files.offline import needs_memory, reason, sandbox
from crdlint.files.read import UnreadableError, decode, text_if_readable
from crdlint.files.recognition import GROUP, KIND, may_hold_crd
from crdlint.gathering import object_of
from crdlint.light import dataclass, regex, replace
from crdlint.linting.result import CRD, ComparedCRD, FileResult, Lint
from crdlint.phrases import some
from crdlint.rules.catalog import of_whole_crds
from crdlint.rules.texts import reading
from crdlint.safety.programs import ProgramError, find, identity_of
from crdlint.sources.kustomize.kustomization import (
    PATCHES,
    Kustomization,
    Layer,
    UnreadKustomization,
    json_documents,
    read_kustomization,
    reading_problem,
)
from crdlint.yaml.nodes import child, items_of
from crdlint.yaml.parse import parse_first

_PROGRAMS: Final = (("kustomize", "build"), ("kubectl", "kustomize"))
_LONGEST: Final = 300  # characters of a program's error
_SHOWN: Final = 100  # the number of characters of a line of the build in a message
_INSTEAD: Final = "its resources are read as they are"
MISSING: Final = "neither kustomize nor kubectl is on the path"


@dataclass(frozen=True, slots=True)
class KustomizeProgram:
    """A program that builds kustomizations: its absolute path, and its command."""

    path: str
    command: str

    @property
    def name(self) -> str:
        """The command line of the program."""
        return f"{os.path.basename(self.path)} {self.command}"


@dataclass(frozen=True, slots=True)
class Build:
    """A kustomization to build with `program`, and the results of its resources.

    `resources` are the results of files with CRDs. `others` are the results of files that the run does not report otherwise.
    """

    kustomization: Kustomization
    program: KustomizeProgram
    resources: Sequence[FileResult]
    others: Sequence[FileResult]

    @property
    def file(self) -> str:
        """The kustomization file, as the user spells it."""
        return self.kustomization.top.path

    def key(self) -> bytes:
        """Return a digest of all inputs of the build."""
        program = f"{identity_of(self.program.path)} {self.program.command}"
        digest = blake2b(program.encode("utf-8", "surrogateescape"))
        top = os.path.relpath(self.kustomization.top.folder, self.kustomization.parent)
        parts = [os.fsencode(top)]
        for name, data in sorted(self.kustomization.tree().items()):
            parts += (os.fsencode(name), data)
        for part in parts:
            digest.update(b"%d:" % len(part))
            digest.update(part)
        return digest.digest()

    def run(self, *, exact: bool = False) -> BuildOutput:
        """Build the kustomization offline, in a copy of its files; unless `exact`, without the schemas that it leaves alone."""
        return (None if exact else self._run_slim()) or run_build(self.kustomization, self.program)

    def _run_slim(self) -> BuildOutput | None:
        """Build without the schemas that the kustomization leaves alone, None if the output is not known to be the same."""
        files = {os.path.realpath(result.file) for result in self.resources if _is_readable(result)}
        slim = slimmed(self.kustomization, files)
        if slim is None:
            return None
        output = run_build(self.kustomization, self.program, slim.tree)
        if not output.final:  # all files take at least as long
            return output
        text = slim.restored(output.text) if output.problem is None else None
        return None if text is None else replace(output, text=text, exact=False)

    def new_findings(self, built: FileResult) -> list[Diagnostic]:
        """Return the findings of the output that the resources do not have."""
        others = chain.from_iterable(resource.diagnostics for resource in self.resources)
        return _without(built.diagnostics, others)

    def lint(self, output: BuildOutput, lint: Lint) -> FileResult:
        """Return the result of checking the output of a build; a problem is a notice of a result without documents."""
        if output.problem is not None:
            return _note(self.kustomization.top, f"{output.problem}; {_INSTEAD}")
        result = lint(output.text, self.file)
        lines = output.text.split("\n")
        return replace(
            result,
            diagnostics=tuple(self._with_line(finding, lines) for finding in result.diagnostics),
        )

    def _with_line(self, finding: Diagnostic, lines: list[str]) -> Diagnostic:
        shown = lines[finding.line - 1].strip() if finding.line <= len(lines) else ""
        origin = f"in what `{self.program.name}` prints, line {finding.line}: {shown[:_SHOWN]}"
        return replace(finding, help=f"{finding.help} ({origin})" if finding.help else origin)

    def results(self, built: FileResult) -> list[FileResult]:
        """Return the findings that only the build has, and the other results without the findings that the build fixes."""
        if built.notices and not built.documents:
            return [built, *self.others]
        return _compared(self, built)


def _is_readable(resource: FileResult) -> bool:
    """Return whether a file has no duplicate keys, which kustomize rejects."""
    return all(finding.rule != reading.DUPLICATE_KEY.id for finding in resource.diagnostics)


def _without(findings: Iterable[Diagnostic], others: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings that are not among others."""
    identities = set(map(_identity, others))
    return [finding for finding in findings if _identity(finding) not in identities]


@dataclass(frozen=True, slots=True)
class BuildOutput:
    """A build's output, or why it failed; `final` if the same files give the same; not `exact` with lines of schemas' sources."""

    text: str = ""
    problem: str | None = None
    final: bool = False
    exact: bool = True


def run_build(
    kustomization: Kustomization, program: KustomizeProgram, tree: Mapping[str, bytes] | None = None
) -> BuildOutput:
    """Build a kustomization offline, in a copy of its files; `tree` replaces them."""
    try:
        with sandbox() as box:
            box.write(kustomization.tree() if tree is None else tree)
            folder = os.path.relpath(kustomization.top.folder, kustomization.parent)
            done = box.run([program.path, program.command, "."], folder)
            problem = reason(done, _LONGEST).replace(os.path.join(box.files, ""), "")
    except (ProgramError, OSError) as error:
        return BuildOutput(problem=str(error))
    if done.status:
        return BuildOutput(problem=f"{program.name} fails: {problem}", final=not needs_memory(done))
    return BuildOutput(done.output, final=True)


def plan_build(
    folder: str,
    lint: Lint,
    checked: dict[str, FileResult],
    elsewhere: Container[str] = (),
    *,
    has_changed: Callable[[], bool] = lambda: False,
    alone: bool = False,
) -> Build | list[FileResult]:
    """Return the build for the kustomization in a directory, or the results if there is nothing to build.

    `checked` contains the results of files that the run reports, by real path. Other files with CRDs in the
    kustomization are added to it and have results of their own, unless it is to be built `alone`. `elsewhere` contains the
    real paths of directories whose kustomizations the run checks as well. `has_changed` returns whether an old version of
    the kustomization changes CRDs, so that it is built even if it changes none itself.
    """
    kustomization = read_kustomization(folder)
    if kustomization is None:
        return _unread(folder)
    if kustomization.top.is_component:
        return []
    resources, others = _linted(kustomization, lint, checked, alone=alone)
    changes = changes_crds(kustomization, elsewhere)
    if not resources or not (changes or has_changed()):
        return others
    if changes:
        resources, others = list(map(_incomplete, resources)), list(map(_incomplete, others))
    program = None if kustomization.problem is not None else find_program()
    if program is None:
        return [_note(kustomization.top, _why_not_built(kustomization)), *others]
    return Build(kustomization, program, resources, others)


def _unread(folder: str) -> list[FileResult]:
    """Return why the kustomization in a directory cannot be read, nothing if there is none."""
    unread = reading_problem(folder)
    if unread is None:
        return []
    return [_note(unread, f"not built: kustomize cannot read this file: {unread.reason}")]


def _linted(
    kustomization: Kustomization,
    lint: Lint,
    checked: dict[str, FileResult],
    *,
    alone: bool,
) -> tuple[list[FileResult], list[FileResult]]:
    """Return the results of the resources with CRDs, and those of all files that the run reports because of the build."""
    resources: list[FileResult] = []
    others: list[FileResult] = []
    for path in kustomization.resources:
        real = os.path.realpath(path)
        earlier = checked.get(real)
        result = _result_of(path, lint) if earlier is None else earlier
        if result is None:
            continue
        if earlier is None and not alone:
            checked[real] = result
            others.append(result)
        if result.crds:
            resources.append(result)
    return resources, others


def _result_of(path: str, lint: Lint) -> FileResult | None:
    """Return the result of a file that may contain a CRD, None for others."""
    text = text_if_readable(path, only_crds=True)
    return None if text is None else lint(text, path)


def _why_not_built(kustomization: Kustomization) -> str:
    """Return why a kustomization is not built: what it requires cannot be read, or there is no kustomize."""
    problem = kustomization.problem
    return f"{MISSING}: {_INSTEAD}" if problem is None else f"not built: {problem}; {_INSTEAD}"


def resource_files(folder: str) -> list[str]:
    """Return the paths of the files that are resources of the kustomization in a directory, in all of its layers."""
    kustomization = read_kustomization(folder)
    if kustomization is None or kustomization.top.is_component:
        return []
    return kustomization.resources


def _incomplete(result: FileResult) -> FileResult:
    """Return the result of a file to whose CRDs the build may add versions or a webhook."""
    rules = of_whole_crds()
    findings = tuple(finding for finding in result.diagnostics if finding.rule not in rules)
    if len(findings) == len(result.diagnostics):
        return result
    return replace(result, diagnostics=findings)


def _note(file: Layer | UnreadKustomization, *notices: str) -> FileResult:
    """Return a result that contains only notices: what is not built is not compared with an old version either."""
    return FileResult(
        file.path,
        file.text,
        notices=notices,
        compared=(ComparedCRD(file.path, "unread"),),
    )


def _compared(build: Build, built: FileResult) -> list[FileResult]:
    """Return the result of the build, if it has findings or notices of its own, and those of the other files."""
    kustomization = build.kustomization
    new = build.new_findings(built)
    names = [finding.crd or "" for finding in new]
    spans = patch_spans(kustomization, set(names))
    new = [_explained(finding, kustomization) for finding in new]
    diagnostics = tuple(map(_placed, new, [spans[name] for name in names]))
    results, notices = _of_resources(build, built)
    if not diagnostics and not notices and not built.compared:
        return results
    crds = tuple(CRD(name, spans[name].line) for name in sorted(spans) if name)
    top = kustomization.top
    own = FileResult(
        top.path,
        top.text,
        1,
        crds,
        0,
        diagnostics,
        tuple(notices),
        compared=built.compared,
    )
    return [own, *results]


def _of_resources(build: Build, built: FileResult) -> tuple[list[FileResult], list[str]]:
    """Return the results of the other files without what the build fixes, and notices of what it fixes in checked files."""
    results = [other for other in build.others if not other.crds]
    notices = []
    others = {other.file for other in build.others}
    for resource in build.resources:
        fixed = _fixed(resource, built)
        if resource.file in others:
            rest = _without(resource.diagnostics, fixed)
            results.append(replace(resource, diagnostics=tuple(rest)))
            continue
        shown = [each for each in fixed if each.severity != "info"]
        if shown:
            notices.append(_fixes_of_build(build, resource, shown))
    return results, notices


def _explained(finding: Diagnostic, kustomization: Kustomization) -> Diagnostic:
    """Return a finding of the server about versions with its cause, if a patch replaces the list of them."""
    is_of_versions = finding.origin == "apiserver" and (finding.field or "").startswith(_VERSIONS)
    texts = (text for _, text in _patches(kustomization) if (finding.crd or "") in text)
    if not is_of_versions or not any(map(_replaces_versions, texts)):
        return finding
    effect = finding.headline.partition(": ")[0]
    return replace(finding, headline=f"{_CAUSE}: {effect}", help=_INSTEAD_OF_LIST)


def _replaces_versions(patch: str) -> bool:
    """Return whether a patch, as `patch_text` has it, has a list of versions, which is not merged with that of the CRD."""
    entry, _, content = patch.partition("\n")
    inline = object_of(json.loads(entry)).get("patch")
    texts = (content, inline if isinstance(inline, str) else "")
    roots = (parse_first(text).root for text in texts)
    return any(items_of(child(root, *_VERSIONS.split("."))) for root in roots)


_VERSIONS: Final = "spec.versions"
_CAUSE: Final = "a patch replaces all `versions`"
_INSTEAD_OF_LIST: Final = (
    "Write a JSON patch instead, such as `{op: add, path: /spec/versions/0/additionalPrinterColumns, value: [...]}`: "
    "kustomize does not merge lists of a CRD"
)


def _placed(finding: Diagnostic, span: Span) -> Diagnostic:
    """Return a finding at the first line of a span."""
    return replace(
        finding,
        line=span.line,
        column=span.column,
        end_line=span.line,
        end_column=span.end_column,
    )


def _fixes_of_build(build: Build, resource: FileResult, fixed: Sequence[Diagnostic]) -> str:
    """Return a notice about the findings of a resource that its build does not have."""
    command = f"{build.program.name} {os.path.dirname(build.file) or '.'}"
    positions = some([f"{resource.file}:{finding.line}" for finding in fixed], 1)
    return f"`{command}` fixes the finding at {positions}"


def _fixed(resource: FileResult, built: FileResult) -> list[Diagnostic]:
    """Return the server's errors in a resource that its build does not have."""
    names = {crd.name for crd in built.crds}
    of_server = (each for each in resource.diagnostics if each.origin == "apiserver")
    in_question = (finding for finding in of_server if finding.crd in names)
    return _without(in_question, built.diagnostics)


def _identity(finding: Diagnostic) -> tuple[str | None, str, str | None]:
    """Return the common identity of a finding in a resource and in its build; numbers in advice depend on the layout."""
    is_of_server = finding.origin == "apiserver"
    return finding.crd, finding.rule, finding.message if is_of_server else finding.field


def _patches(kustomization: Kustomization) -> Iterator[tuple[Span, str]]:
    """Yield the patches of a kustomization: where each is, and its text."""
    layer = kustomization.top
    for name in PATCHES:
        items = items_of(child(layer.root, name))
        for item, patch in zip(items, layer.document.get(name) or (), strict=False):
            yield node_span(item), layer.patch_text(patch)


def patch_spans(kustomization: Kustomization, names: Iterable[str]) -> dict[str, Span]:
    """Return by CRD the span of the first patch that names it, else of the first field that can change CRDs."""
    root = kustomization.top.root
    entries = filter(None, map(root.find, _CHANGES))
    key, _ = next(entries, (root, None))
    spans = dict.fromkeys(names, node_span(key))
    patches = list(_patches(kustomization))
    for name in filter(None, spans):
        naming = (span for span, text in patches if name in text)
        spans[name] = next(naming, spans[name])
    return spans


_CHANGES: Final = (
    *PATCHES,
    "transformers",
    "components",
    "replacements",
    "vars",
    "configurations",
    "labels",
    "commonLabels",
    "commonAnnotations",
    "namespace",
    "namePrefix",
    "nameSuffix",
)


def find_program() -> KustomizeProgram | None:
    """Return the first of the programs that is on the PATH."""
    for name, command in _PROGRAMS:
        path = find(name)
        if path is not None:
            return KustomizeProgram(path, command)
    return None


_MARK: Final = "x-crdlint-schema-"
_SCHEMA: Final = regex(r"^( *)openAPIV3Schema: *\n((?:\1 +\S[^\n]*\n| *\n)+)", re.MULTILINE)
# A stub that is the only field, as a build leaves it unless the schema is changed.
_STUB: Final = regex(rf"^( *)openAPIV3Schema:\n(\1 +){_MARK}(\d+): 0\n(?!\2)", re.MULTILINE)
# Tabs and aliases are rare in CRDs; whether they are left as they are depends on the rest of the file.
_KEPT: Final = regex(rf"(?:^|[:\-\[{{,]) *[&*]\w|[\t\r]|{_MARK}", re.MULTILINE)
_OPENAPI: Final = ("crds", "openapi")
# kustomize changes fields by the paths in these, and does not report that a path leads to nothing.
_PATHS: Final = (
    "configurations",
    "generators",
    "replacements",
    "transformers",
    "validators",
    "vars",
)


@dataclass(slots=True)
class Slim:
    """Files in which stubs replace schemas, by path, and the schemas by the numbers of the stubs."""

    tree: dict[str, bytes]
    schemas: list[str] = field(default_factory=list)

    def restored(self, output: str) -> str | None:
        """Return the output of a build with its schemas, or None if a stub was changed."""

        def schema(match: re.Match[str]) -> str:
            own = _indented(self.schemas[int(match[3])], len(match[2]))
            return f"{match[1]}openAPIV3Schema:\n{own}"

        text, count = _STUB.subn(schema, output)
        return text if count == output.count(_MARK) else None

    def add(self, text: str) -> str:
        """Return a text with stubs in place of its schemas."""

        def stub(match: re.Match[str]) -> str:
            self.schemas.append(match[2])
            return f"{match[1]}openAPIV3Schema:\n{match[1]}  {_MARK}{len(self.schemas) - 1}: 0\n"

        return text if _KEPT.search(text) else _SCHEMA.sub(stub, text)


def slimmed(kustomization: Kustomization, files: Container[str]) -> Slim | None:
    """Return a kustomization with stubs for the schemas in files, by their real paths.

    It is None if there are none, or if kustomize may change them unnoticed. A patch of a schema fails or adds to the stub.
    """
    if any(kustomization.values(*_OPENAPI)) or _has_paths(kustomization, files):
        return None
    slim = Slim({})
    replaced: dict[str, bytes] = {}
    for path, data in kustomization.files().items():
        if path in files:
            text = slim.add(data.decode("utf-8", "surrogateescape"))
            replaced[path] = text.encode("utf-8", "surrogateescape")
    slim.tree = kustomization.tree(replaced)
    return slim if slim.schemas else None


def _has_paths(kustomization: Kustomization, files: Container[str]) -> bool:
    """Return whether something other than patches may change fields of schemas by their paths."""
    if not any(kustomization.values(*_PATHS)):
        return False
    return any(b"chema" in text for text in _beside_patches(kustomization, files))


def _beside_patches(kustomization: Kustomization, files: Container[str]) -> Iterator[bytes]:
    """Yield the layers of a kustomization without their patches, and their files that are neither patches nor some others."""
    patches: set[str] = set()
    for layer in kustomization.layers.values():
        patches |= layer.patch_paths()
        yield json.dumps({**layer.document, **dict.fromkeys(PATCHES)}).encode()
    for path, data in kustomization.files().items():
        if path not in files and path not in patches:
            yield data


def _indented(text: str, depth: int) -> str:
    """Return lines with an indentation for the first one, and for the others relative to it."""
    lines = text.split("\n")
    first = next(line for line in lines if line.strip())
    shift = depth - (len(first) - len(first.lstrip(" ")))
    return "\n".join(" " * shift + line[max(-shift, 0) :] if line else line for line in lines)


# By default these do not change CRDs, except for the name and namespace of a service, which the server does not check.
# With configurations they can change any field. Upstream: api/internal/konfig/builtinpluginconsts.
_CONFIGURABLE: Final = (
    "commonAnnotations",
    "commonLabels",
    "images",
    "imageTags",
    "labels",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "replicas",
)
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
    # The fields of a component apply to all resources of the kustomization that includes it.
    including = _closure(_folders(layers, _has_crds), _inverse(includes))
    with_crds = _closure(including, components)
    configured = _closure(_folders(layers, _configures_crds), _inverse(includes))
    changing = [
        folder
        for folder in with_crds
        if _changes_crds(layers[folder], configured=folder in configured)
    ]
    reached = _closure(changing, _inverse(components))
    if kustomization.top.folder in reached:
        return True
    bases = (folder for folder in reached if not layers[folder].is_component)
    return any(folder not in elsewhere for folder in bases)


def _folders(layers: Mapping[str, Layer], fits: Callable[[Layer], bool]) -> list[str]:
    """Return the folders of the layers that fit."""
    return [folder for folder, layer in layers.items() if fits(layer)]


def _has_crds(layer: Layer) -> bool:
    return any(map(may_hold_crd, layer.files.values()))


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
        or (configured and any(map(document.get, _CONFIGURABLE)))
        or any(_adds_invalid(document.get(name), name) for name in _ADDING)
        or any(map(_transforms_crds, _entries(document, "transformers")))
        or any(_patches_crds(layer, patch) for patch in _entries(document, *PATCHES))
        or any(_replaces_in_crds(layer, each) for each in _entries(document, "replacements"))
    )


_ADDING: Final = ("commonAnnotations", "commonLabels", "labels")


def _entries(document: Mapping[str, Any], *names: str) -> Iterator[Any]:
    """Yield the entries of some lists of a kustomization, which may lack them."""
    for name in names:
        yield from document.get(name) or ()


def _configures_crds(layer: Layer) -> bool:
    """Return whether a layer configures which fields of CRDs are changed, or replaces kustomize's schema of CRDs."""
    openapi = layer.document.get("openapi") or {}
    if "path" in openapi:
        return True
    paths = layer.document.get("configurations") or ()
    return any(_is_configuration_of_crds(_documents(layer, path, None)) for path in paths)


def _is_configuration_of_crds(documents: list[dict[str, Any]] | None) -> bool:
    """Return whether a file configures fields of CRDs, as one that cannot be read may."""
    if documents is None:
        return True
    values = chain.from_iterable(document.values() for document in documents)
    return any(map(_configures, chain.from_iterable(map(_list, values))))


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
    return documents is None or not all(map(_adds_valid_labels, documents))


def _adds_valid_labels(plugin: dict[str, Any]) -> bool:
    """Return whether the configuration of a plugin only adds valid labels to the metadata of resources."""
    is_of_labels = plugin.get("kind") == "LabelTransformer"
    if not is_of_labels or _adds_invalid(plugin.get("labels"), "commonLabels"):
        return False
    return all(map(_is_of_labels, _list(plugin.get("fieldSpecs"))))


def _is_of_labels(spec: Any) -> bool:
    return isinstance(spec, dict) and spec.get("path") == "metadata/labels"


def _adds_invalid(added: Any, field: str) -> bool:
    """Return whether the labels or annotations that are added to all resources may be invalid."""
    if not added:
        return False
    entries = added if field == "labels" else [{"pairs": added}]
    if not isinstance(entries, list) or not all(map(_has_pairs, entries)):
        return True
    pairs = list(chain.from_iterable(entry["pairs"].items() for entry in entries))
    if field == "commonAnnotations":
        return _may_be_rejected(pairs)
    return any(starmap(_is_invalid_label, pairs))


def _may_be_rejected(annotations: Sequence[tuple[str, Any]]) -> bool:
    """Return whether annotations are long together, or the server may reject one because of its key."""
    size = sum(len(str(value)) for _, value in annotations)
    return size > _SHORT or any(_is_checked_annotation(key) for key, _ in annotations)


def _has_pairs(entry: Any) -> bool:
    """Return whether an entry of labels has a mapping of them, and only known fields."""
    is_known = isinstance(entry, dict) and entry.keys() <= _LABELS
    return is_known and isinstance(entry.get("pairs"), dict)


def _is_checked_annotation(key: str) -> bool:
    """Return whether the server may reject an annotation because of its key, or a CRD that lacks it."""
    return key == _APPROVAL or bool(is_label_key(key.lower()))


def _is_invalid_label(key: str, value: Any) -> bool:
    return bool(is_label_key(key)) or not isinstance(value, str) or bool(is_label_value(value))


_APPROVAL: Final = "api-approved.kubernetes.io"  # a CRD of a protected group is rejected without it
_SHORT: Final = 10_000  # characters of annotations; the server accepts 262,144
_LABELS: Final = {"pairs", "includeSelectors", "includeTemplates"}


def _patches_crds(layer: Layer, patch: Any) -> bool:
    """Return whether a patch, or its path or text, may apply to CRDs."""
    if isinstance(patch, str):
        patch = {"path" if patch.startswith(".") else "patch": patch}
    target = patch.get("target")
    if isinstance(target, dict):
        return _selects_crds(target)
    documents = _documents(layer, patch.get("path"), patch.get("patch"))
    return documents is None or any(document.get("kind") == KIND for document in documents)


def _replaces_in_crds(layer: Layer, replacement: dict[str, Any]) -> bool:
    if not replacement.get("path"):
        targets = replacement.get("targets")
        return not isinstance(targets, list) or any(map(_is_target_in_crds, targets))
    documents = _documents(layer, replacement["path"], None)
    if documents is None:
        return True
    inline = ({**document, "path": None} for document in documents)
    return any(_replaces_in_crds(layer, each) for each in inline)


def _is_target_in_crds(target: Any) -> bool:
    """Return whether a target of a replacement may be in CRDs, beside annotations that the server does not check."""
    if not isinstance(target, dict):
        return True
    paths = target.get("fieldPaths")
    is_of_annotations = isinstance(paths, list) and all(map(_is_unchecked_annotation, paths))
    return _selects_crds(target.get("select")) and not is_of_annotations


def _is_unchecked_annotation(path: Any) -> bool:
    key = _ANNOTATION.fullmatch(path) if isinstance(path, str) else None
    return key is not None and not _is_checked_annotation(key[1])


_ANNOTATION: Final = regex(r"\.?metadata\.annotations\.(?:(?=\[[^\[\]]+\]$)\[)?([^\[\]]+)\]?")


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
