"""Builds of kustomizations that change CRDs, by `kustomize build` or `kubectl kustomize`.

Findings in a resource that a build does not change are reported in its own file. Findings that only the build has are
reported in the kustomization, at the patch of the CRD if there is one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from crdlint.crd.positions import node_span
from crdlint.files.offline import reason, sandbox
from crdlint.files.read import UnreadableError, read_text
from crdlint.linting.result import CRD, ComparedCRD, FileResult
from crdlint.rules.catalog import of_whole_crds
from crdlint.safety.programs import ProgramError, find, identity_of
from crdlint.sources.kustomize.changes import changes_crds
from crdlint.sources.kustomize.kustomization import PATCHES, read_kustomization, reading_problem
from crdlint.yaml.nodes import child, items_of

if TYPE_CHECKING:
    from crdlint.crd.positions import Span
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import Lint
    from crdlint.sources.kustomize.kustomization import Kustomization, Layer, UnreadKustomization

_PROGRAMS: Final = (("kustomize", "build"), ("kubectl", "kustomize"))
_LONGEST: Final = 300  # characters of a program's error
_SHOWN: Final = 100  # the number of characters of a line of the build in a message
_INSTEAD: Final = "its resources are read as they are"
MISSING: Final = "neither kustomize nor kubectl is on the path"


@dataclass(frozen=True, slots=True)
class Program:
    """A program that builds kustomizations: its absolute path, and its command."""

    path: str
    command: str

    @property
    def name(self) -> str:
        """The command line of the program."""
        return f"{os.path.basename(self.path)} {self.command}"

    @property
    def identity(self) -> str:
        """A text that changes if the program is replaced."""
        return f"{identity_of(self.path)} {self.command}"


@dataclass(frozen=True, slots=True)
class Build:
    """A kustomization to build with `program`, and the results of its resources.

    `resources` are the results of files with CRDs. `others` are the results of files that the run does not report
    otherwise.
    """

    kustomization: Kustomization
    program: Program
    resources: Sequence[FileResult]
    others: Sequence[FileResult]

    @property
    def file(self) -> str:
        """The kustomization file, as the user spells it."""
        return self.kustomization.top.path

    def key(self) -> bytes:
        """Return a digest of all inputs of the build."""
        digest = blake2b(self.program.identity.encode("utf-8", "surrogateescape"))
        top = os.path.relpath(self.kustomization.top.folder, self.kustomization.parent)
        tree = sorted(self.kustomization.tree().items())
        for part in (os.fsencode(top), *(part for name, data in tree for part in (os.fsencode(name), data))):
            digest.update(b"%d:" % len(part))
            digest.update(part)
        return digest.digest()

    def run(self, *, exact: bool = False) -> Output:
        """Build the kustomization offline, in a copy of its files; unless `exact`, without the schemas that it leaves alone."""
        files = {
            os.path.realpath(result.file)
            for result in self.resources
            if all(finding.rule != "duplicate-key" for finding in result.diagnostics)  # which kustomize rejects
        }
        slim = None if exact else slimmed(self.kustomization, files)
        if slim is not None:
            output = run_build(self.kustomization, self.program, slim.tree)
            text = slim.restored(output.text) if output.problem is None else None
            if text is not None:
                return replace(output, text=text, exact=False)
        return run_build(self.kustomization, self.program)

    def has_findings(self, built: FileResult) -> bool:
        """Return whether the result of the output has findings that the resources do not have."""
        return bool(_new_findings(self, built))

    def lint(self, output: Output, lint: Lint) -> FileResult:
        """Return the result of checking the output of a build; a problem is a notice of a result without documents."""
        if output.problem is not None:
            return _note(self.kustomization.top, f"{output.problem}; {_INSTEAD}")
        result = lint(output.text, self.file)
        lines = output.text.split("\n")
        return replace(result, diagnostics=tuple(self._with_line(finding, lines) for finding in result.diagnostics))

    def _with_line(self, finding: Diagnostic, lines: list[str]) -> Diagnostic:
        shown = lines[finding.line - 1].strip() if finding.line <= len(lines) else ""
        origin = f"in what `{self.program.name}` prints, line {finding.line}: {shown[:_SHOWN]}"
        return replace(finding, help=f"{finding.help} ({origin})" if finding.help else origin)

    def results(self, built: FileResult) -> list[FileResult]:
        """Return the findings that only the build has, and the other results without the findings that the build fixes."""
        if not built.documents and built.notices:
            return [built, *self.others]
        return _compared(self, built)


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a build, or the reason why it failed; `final` if it does not change for the same files.

    If it is not `exact`, schemas have the lines of their source.
    """

    text: str = ""
    problem: str | None = None
    final: bool = False
    exact: bool = True


def run_build(kustomization: Kustomization, program: Program, tree: Mapping[str, bytes] | None = None) -> Output:
    """Build a kustomization offline, in a copy of its files; `tree` replaces them."""
    try:
        with sandbox() as box:
            box.write(kustomization.tree() if tree is None else tree)
            folder = os.path.relpath(kustomization.top.folder, kustomization.parent)
            done = box.run([program.path, program.command, "."], folder)
            problem = reason(done, _LONGEST).replace(os.path.join(box.files, ""), "")
    except (ProgramError, OSError) as error:
        return Output(problem=str(error))
    if done.status:
        return Output(problem=f"{program.name} fails: {problem}", final=True)
    return Output(done.output, final=True)


def plan_build(
    folder: str,
    lint: Lint,
    checked: dict[str, FileResult],
    elsewhere: Container[str] = (),
    *,
    has_changed: Callable[[], bool] = lambda: False,
) -> Build | list[FileResult]:
    """Return the build for the kustomization in a directory, or the results if there is nothing to build.

    `checked` contains the results of files that the run reports, by real path. Other files with CRDs in the
    kustomization are added to it and have results of their own. `elsewhere` contains the real paths of directories
    whose kustomizations the run checks as well. `has_changed` returns whether an old version of the kustomization
    changes CRDs, so that it is built even if it changes none itself.
    """
    kustomization = read_kustomization(folder)
    if kustomization is None:
        unread = reading_problem(folder)
        return [] if unread is None else [_note(unread, f"not built: kustomize cannot read this file: {unread.reason}")]
    if kustomization.top.is_component:
        return []
    resources: list[FileResult] = []
    others: list[FileResult] = []
    for path in kustomization.resources:
        real = os.path.realpath(path)
        result = checked.get(real)
        if result is None:
            result = _resource(path, lint)
            if result is not None:
                checked[real] = result
                others.append(result)
        if result is not None and result.crds:
            resources.append(result)
    changes = changes_crds(kustomization, elsewhere)
    if not resources or not (changes or has_changed()):
        return others
    if changes:
        incomplete = {id(result): _incomplete(result) for result in (*resources, *others)}
        resources, others = ([incomplete[id(result)] for result in results] for results in (resources, others))
    if kustomization.problem is not None:
        return [_note(kustomization.top, f"not built: {kustomization.problem}; {_INSTEAD}"), *others]
    program = find_program()
    if program is None:
        return [_note(kustomization.top, f"{MISSING}: {_INSTEAD}"), *others]
    return Build(kustomization, program, resources, others)


def resource_files(folder: str) -> list[str]:
    """Return the paths of the files that are resources of the kustomization in a directory, in all of its layers."""
    kustomization = read_kustomization(folder)
    return [] if kustomization is None or kustomization.top.is_component else kustomization.resources


def _incomplete(result: FileResult) -> FileResult:
    """Return the result of a file to whose CRDs the build may add versions or a webhook."""
    findings = tuple(finding for finding in result.diagnostics if finding.rule not in of_whole_crds())
    return result if len(findings) == len(result.diagnostics) else replace(result, diagnostics=findings)


def _note(file: Layer | UnreadKustomization, *notices: str) -> FileResult:
    """Return a result that contains only notices: what is not built is not compared with an old version either."""
    return FileResult(file.path, file.text, 0, (), 0, (), notices, compared=(ComparedCRD(file.path, "unread"),))


def _compared(build: Build, built: FileResult) -> list[FileResult]:
    """Return the result of the build, if it has findings or notices of its own, and those of the other files."""
    kustomization = build.kustomization
    new = _new_findings(build, built)
    spans = patch_spans(kustomization, {finding.crd or "" for finding in new})
    placed = ((finding, spans[finding.crd or ""]) for finding in new)
    diagnostics = tuple(
        replace(finding, line=span.line, column=span.column, end_line=span.line, end_column=span.end_column)
        for finding, span in placed
    )
    names = {crd.name for crd in built.crds}
    in_build = {_identity(finding) for finding in built.diagnostics}
    others = {id(other) for other in build.others}
    results = [other for other in build.others if not other.crds]
    notices = []
    for resource in build.resources:
        fixed = [
            finding
            for finding in resource.diagnostics
            if finding.crd in names and finding.origin == "apiserver" and _identity(finding) not in in_build
        ]
        if id(resource) in others:
            gone = {id(finding) for finding in fixed}
            results.append(replace(resource, diagnostics=tuple(d for d in resource.diagnostics if id(d) not in gone)))
        elif fixed:
            notices.append(_fix_notice(build, resource, fixed))
    if not diagnostics and not notices and not built.compared:
        return results
    crds = tuple(CRD(name, spans[name].line) for name in sorted(spans) if name)
    own = FileResult(kustomization.top.path, kustomization.top.text, 1, crds, 0, diagnostics, tuple(notices))
    return [replace(own, compared=built.compared), *results]


def _new_findings(build: Build, built: FileResult) -> list[Diagnostic]:
    known = {_identity(finding) for resource in build.resources for finding in resource.diagnostics}
    return [finding for finding in built.diagnostics if _identity(finding) not in known]


def _fix_notice(build: Build, resource: FileResult, fixed: list[Diagnostic]) -> str:
    more = f" and {len(fixed) - 1} more" if len(fixed) > 1 else ""
    folder = os.path.dirname(build.file) or "."
    return f"`{build.program.name} {folder}` fixes the finding at {resource.file}:{fixed[0].line}{more}"


def _identity(finding: Diagnostic) -> tuple[str | None, str, str | None]:
    """Return the common identity of a finding in a resource and in its build; numbers in advice depend on the layout."""
    return finding.crd, finding.rule, finding.message if finding.origin == "apiserver" else finding.field


def _patches(kustomization: Kustomization) -> list[tuple[Span, str]]:
    layer = kustomization.top
    made = []
    for name in PATCHES:
        items = items_of(child(layer.root, name))
        texts = [layer.patch_text(patch) for patch in layer.document.get(name) or ()] if items else []
        made += [(node_span(item), text) for item, text in zip(items, texts, strict=False)]
    return made


def patch_spans(kustomization: Kustomization, names: Iterable[str]) -> dict[str, Span]:
    """Return by CRD the span of the first patch that names it, else of the first field that can change CRDs."""
    patches = _patches(kustomization)
    keys = (entry[0] for field in _CHANGES if (entry := kustomization.top.root.find(field)) is not None)
    default = node_span(next(keys, kustomization.top.root))
    return {name: next((span for span, text in patches if name and name in text), default) for name in names}


_CHANGES: Final = (
    *PATCHES, "transformers", "components", "replacements", "vars", "configurations", "labels", "commonLabels",
    "commonAnnotations", "namespace", "namePrefix", "nameSuffix",
)  # fmt: skip


def _resource(path: str, lint: Lint) -> FileResult | None:
    try:
        text = read_text(path, only_crds=True)
    except UnreadableError:
        return None
    return lint(text, path) if text is not None else None


def find_program() -> Program | None:
    """Return the first of the programs that is on the PATH."""
    programs = ((find(name), command) for name, command in _PROGRAMS)
    return next((Program(path, command) for path, command in programs if path is not None), None)


_MARK: Final = "x-crdlint-schema-"
_SCHEMA: Final = re.compile(r"^( *)openAPIV3Schema: *\n((?:\1 +\S[^\n]*\n| *\n)+)", re.MULTILINE)
# A stub that is the only field, as a build leaves it unless the schema is changed.
_STUB: Final = re.compile(rf"^( *)openAPIV3Schema:\n(\1 +){_MARK}(\d+): 0\n(?!\2)", re.MULTILINE)
# Tabs and aliases are rare in CRDs; whether they are left as they are depends on the rest of the file.
_KEPT: Final = re.compile(rf"(?:^|[:\-\[{{,]) *[&*]\w|[\t\r]|{_MARK}", re.MULTILINE)
_OPENAPI: Final = ("crds", "openapi")
# kustomize changes fields by the paths in these, and does not report that a path leads to nothing.
_PATHS: Final = ("configurations", "generators", "replacements", "transformers", "validators", "vars")


@dataclass(slots=True)
class Slim:
    """Files in which stubs replace schemas, by path, and the schemas by the numbers of the stubs."""

    tree: dict[str, bytes]
    schemas: list[str] = field(default_factory=list)

    def restored(self, output: str) -> str | None:
        """Return the output of a build with its schemas, or None if a stub was changed."""

        def schema(match: re.Match[str]) -> str:
            return f"{match[1]}openAPIV3Schema:\n{_indented(self.schemas[int(match[3])], len(match[2]))}"

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
    layers = kustomization.layers.values()
    if any(layer.document.get(name) for layer in layers for name in _OPENAPI) or _has_paths(kustomization, files):
        return None
    slim = Slim({})
    replaced = {
        path: slim.add(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        for layer in layers
        for path, data in layer.files.items()
        if path in files
    }
    slim.tree = kustomization.tree(replaced)
    return slim if slim.schemas else None


def _has_paths(kustomization: Kustomization, files: Container[str]) -> bool:
    """Return whether something other than patches may change fields of schemas by their paths."""
    layers = kustomization.layers.values()
    if not any(layer.document.get(name) for layer in layers for name in _PATHS):
        return False
    patches = {path for layer in layers for path in layer.patch_paths()}
    texts = [json.dumps({**layer.document, **dict.fromkeys(PATCHES)}).encode() for layer in layers]
    pairs = [pair for layer in layers for pair in layer.files.items()]
    texts += [data for path, data in pairs if path not in files and path not in patches]
    return any(b"chema" in text for text in texts)


def _indented(text: str, depth: int) -> str:
    """Return lines with an indentation for the first one, and for the others relative to it."""
    lines = text.split("\n")
    first = next(line for line in lines if line.strip())
    shift = depth - (len(first) - len(first.lstrip(" ")))
    return "\n".join(" " * shift + line[max(-shift, 0) :] if line else line for line in lines)
