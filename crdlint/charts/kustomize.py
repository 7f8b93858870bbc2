"""Kustomizations: what a build changes about CRDs, by `kustomize build` or `kubectl kustomize`.

A resource that a build leaves alone is told of at its own file. What only the build has is told of at the kustomization,
at the patch that names the CRD where there is one. Nothing is fetched: a kustomization of remote resources is not built.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from crdlint.charts.layout import kustomization_of
from crdlint.crd.positions import node_span
from crdlint.program import TIMEOUT, ProgramError, run, shortened
from crdlint.results import CRD, FileResult
from crdlint.sources.read import UnreadableError, read_text
from crdlint.yaml.nodes import Mapping, Scalar, Sequence
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from crdlint.charts.templates import Lint
    from crdlint.diagnostics import Diagnostic
    from crdlint.yaml.nodes import Node

_RESOURCES: Final = ("resources", "bases", "components")
_PATCHES: Final = ("patches", "patchesStrategicMerge", "patchesJson6902")
# What changes the resources that are built, or makes others of them.
_CHANGES: Final = (
    *_PATCHES, "transformers", "components", "replacements", "vars", "configurations", "labels", "commonLabels",
    "commonAnnotations", "namespace", "namePrefix", "nameSuffix", "generators", "helmCharts",
)  # fmt: skip
_REMOTE: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*://|git@|git::|(?:github|gitlab|bitbucket)\.[a-z]+[/:])|.*[?&]ref=")
_PROGRAMS: Final = (("kustomize", "build"), ("kubectl", "kustomize"))
_LONGEST: Final = 300  # characters of what a program says
_INSTEAD: Final = "its resources are read as they are"


@dataclass(slots=True)
class _Kustomization:
    """A kustomization with all that it is made of: local files, remote resources, whether anything is changed."""

    path: str
    text: str
    root: Mapping
    files: list[str] = field(default_factory=list)
    remote: list[str] = field(default_factory=list)
    changes: bool = False


def check_kustomization(
    folder: str, lint: Lint, judged: dict[str, FileResult], timeout: float = TIMEOUT
) -> list[FileResult]:
    """Judge the CRDs of a kustomization as they are built.

    ``judged`` has by real path what is known of files that are told of already. Other files with CRDs that the build is
    made of are added to it and come with results of their own, but for what the build mends in them. Programs end after
    ``timeout`` seconds.
    """
    found = _read(folder)
    if found is None:
        return []
    resources: list[FileResult] = []
    others: list[FileResult] = []
    for path in found.files:
        real = os.path.realpath(path)
        result = judged.get(real)
        if result is None:
            result = _resource(path, lint)
            if result is not None:
                judged[real] = result
                others.append(result)
        if result is not None and result.crds:
            resources.append(result)
    if not resources or not found.changes:
        return others
    if found.remote:
        return [_note(found, f"not built, since that would fetch {', '.join(found.remote)}: {_INSTEAD}"), *others]
    built, problem = _build(folder, timeout)
    if built is None:
        return [_note(found, problem), *others]
    return _compared(found, built, lint(built, found.path), resources, others)


def patch_files(folder: str) -> set[str]:
    """Return the real paths of files that the kustomization of a folder, if it has one, lays over others."""
    path = kustomization_of(folder)
    text = _text(path) if path is not None else None
    root = parse_first(text).root if text is not None else None
    if not isinstance(root, Mapping):
        return set()
    lists = [entry[1] for key in _PATCHES if (entry := root.find(key)) is not None]
    pending = [item for one in lists if isinstance(one, Sequence) for item in one.items]
    names = []
    for item in pending:
        found = item.find("path") if isinstance(item, Mapping) else None
        node = found[1] if found is not None else item
        if isinstance(node, Scalar) and "\n" not in node.value:
            names.append(node.value)
    return {os.path.realpath(os.path.join(folder, name)) for name in names}


def _note(found: _Kustomization, *notices: str) -> FileResult:
    """Return a result that has only notices."""
    return FileResult(found.path, found.text, 0, (), 0, (), notices)


def _compared(
    found: _Kustomization,
    built: str,
    result: FileResult,
    resources: list[FileResult],
    others: list[FileResult],
) -> list[FileResult]:
    """Return what the build has beyond its resources, and the resources without what it mends."""
    known = {(one.crd, one.rule, one.message) for resource in resources for one in resource.diagnostics}
    in_build = {(one.crd, one.rule, one.message) for one in result.diagnostics}
    names = {crd.name for crd in result.crds}
    lines = built.split("\n")
    new = [one for one in result.diagnostics if (one.crd, one.rule, one.message) not in known]
    program = _shown(found)
    diagnostics = tuple(_at_patch(one, found, lines, program) for one in new)
    told = {id(other) for other in others}
    kept = [other for other in others if not other.crds]
    notices = []
    for resource in resources:
        mended = [
            one
            for one in resource.diagnostics
            if one.crd in names and (one.crd, one.rule, one.message) not in in_build and one.origin == "apiserver"
        ]
        if id(resource) in told:
            gone = {id(one) for one in mended}
            kept.append(replace(resource, diagnostics=tuple(d for d in resource.diagnostics if id(d) not in gone)))
        elif mended:
            where = f"{resource.file}:{mended[0].line}"
            more = f" and {len(mended) - 1} more" if len(mended) > 1 else ""
            notices.append(f"{program} mends what is found at {where}{more}")
    patched = {one.crd for one in new if one.crd}
    crds = tuple(CRD(name, _patch_line(found, name)[0]) for name in sorted(patched))
    if diagnostics or notices:
        return [FileResult(found.path, found.text, 1, crds, 0, diagnostics, tuple(notices)), *kept]
    return kept


def _at_patch(one: Diagnostic, found: _Kustomization, lines: list[str], program: str) -> Diagnostic:
    line, column, end_column = _patch_line(found, one.crd or "")
    shown = lines[one.line - 1].strip() if one.line <= len(lines) else ""
    origin = f"in what {program} gives, line {one.line}: {shown[:100]}"
    help_ = f"{one.help} ({origin})" if one.help else origin
    return replace(one, line=line, column=column, end_line=line, end_column=end_column, help=help_)


def _shown(found: _Kustomization) -> str:
    return f"`{' '.join(_program() or _PROGRAMS[1])} {os.path.dirname(found.path) or '.'}`"


def _patch_line(found: _Kustomization, name: str) -> tuple[int, int, int]:
    """Return where to point at (line, column, end column): the patch that names a CRD, else what changes resources."""
    first: Node | None = None
    for key in _CHANGES:
        entry = found.root.find(key)
        if entry is None:
            continue
        first = first or entry[0]
        if key in _PATCHES and isinstance(entry[1], Sequence):
            for item in entry[1].items:
                if name and name in _patch_text(item, os.path.dirname(found.path)):
                    span = node_span(item)
                    return span.line, span.column, span.end_column
    span = node_span(first or found.root)
    return span.line, span.column, span.end_column


def _patch_text(item: Node, folder: str) -> str:
    """Return what a patch says: its own text, what it aims at, and the file that it names."""
    texts = []
    pending = [item]
    while pending:
        node = pending.pop()
        if isinstance(node, Scalar):
            texts.append(node.value)
            if "\n" not in node.value and node.value.endswith((".yaml", ".yml", ".json")):
                texts.append(_text(os.path.join(folder, node.value)) or "")
        else:
            pending.extend(node.items)
    return "\n".join(texts)


def _resource(path: str, lint: Lint) -> FileResult | None:
    text = _text(path, only_crds=True)
    return lint(text, path) if text is not None else None


def _text(path: str, *, only_crds: bool = False) -> str | None:
    """Return a file's text; None where it cannot be read, or can hold no CRD where only those are asked for."""
    try:
        return read_text(path, only_crds=only_crds) if os.path.isfile(path) else None
    except UnreadableError:
        return None


def _read(folder: str) -> _Kustomization | None:
    """Read the kustomization of a folder, and those that it is made of; None where it is none to be built."""
    top: _Kustomization | None = None
    pending, seen = [folder], set()
    while pending:
        at = pending.pop()
        path = kustomization_of(at)
        text = _text(path) if path is not None else None
        if path is None or text is None or os.path.realpath(path) in seen:
            continue
        seen.add(os.path.realpath(path))
        root = parse_first(text).root
        if not isinstance(root, Mapping):
            continue
        if top is None:
            kind = root.find("kind")
            if kind is not None and isinstance(kind[1], Scalar) and kind[1].value == "Component":
                return None  # a part of others, which are built
            top = _Kustomization(os.path.normpath(path), text, root)
        top.changes |= any(root.find(key) is not None for key in _CHANGES)
        for name in _entries(root):
            below = os.path.normpath(os.path.join(at, name))
            if os.path.isdir(below):
                pending.append(below)
            elif os.path.isfile(below):
                if below not in top.files:
                    top.files.append(below)
            elif _REMOTE.match(name) and name not in top.remote:
                top.remote.append(name)
    return top


def _entries(root: Mapping) -> list[str]:
    """Return the resources that a kustomization names."""
    lists = [entry[1] for key in _RESOURCES if (entry := root.find(key)) is not None]
    return [item.value for one in lists if isinstance(one, Sequence) for item in one.items if isinstance(item, Scalar)]


def _program() -> tuple[str, str] | None:
    """Return the first of the programs that is on the path, with what makes it build."""
    return next((one for one in _PROGRAMS if shutil.which(one[0])), None)


def _build(folder: str, timeout: float) -> tuple[str | None, str]:
    """Return what a folder's kustomization is built to; None, and why, where it is not."""
    program = _program()
    if program is None:
        return None, f"neither kustomize nor kubectl is on the path: {_INSTEAD}"
    try:
        done = run([*program, os.path.abspath(folder)], timeout)
    except ProgramError as error:
        return None, f"{error}: {_INSTEAD}"
    if done.status:
        said = " ".join(done.errors.split()).removeprefix("error: ").removeprefix("Error: ")
        return None, f"{' '.join(program)} fails: {shortened(said, _LONGEST) or 'it says nothing'}; {_INSTEAD}"
    return done.output, ""
