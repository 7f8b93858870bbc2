"""Charts rendered by Helm itself, offline."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from typing import Final

from crdlint.files.offline import reason, sandbox
from crdlint.files.paths import NEVER_ENTERED
from crdlint.files.read import UnreadableError, entries_of, is_folder, read_bytes
from crdlint.files.recognition import may_hold_crd
from crdlint.files.repository import is_below, repository_top
from crdlint.phrases import some
from crdlint.safety.programs import Done, ProgramError, find, identity_of, shortened
from crdlint.sources.helm.failures import INSTEAD, Failure
from crdlint.sources.helm.layout import HelmValues

# The first release that looks up no host names for templates (getHostByName).
OLDEST_HELM: Final = (3, 11, 1)
_SOURCE: Final = re.compile(r"^# Source: (.+)$", re.MULTILINE)
_SPLIT: Final = re.compile(r"^---\n(?=# Source: )", re.MULTILINE)
_VERSION: Final = re.compile(r"v(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?")
_LONGEST: Final = 400  # characters of an error of Helm
_LARGEST: Final = 100 * 1024 * 1024  # bytes of a chart whose results are cached


@dataclass(frozen=True, slots=True)
class Helm:
    """The Helm on the PATH; `program` is None if it cannot be used, `problem` is the reason if there is one."""

    program: str | None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A document that Helm renders, and the names of the chart's values files (`ci/`) that it is rendered with."""

    text: str
    values: tuple[str, ...]


@dataclass(slots=True)
class Rendered:
    """The output of Helm for a chart: by path below the chart, the documents of each template.

    `failures` are the reasons why some or all could not be rendered, `problem` that Helm cannot be used; `final` is whether
    the output is reproducible.
    """

    documents: dict[str, list[RenderedDocument]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    problem: str | None = None
    final: bool = True

    @property
    def notices(self) -> list[str]:
        """What could not be rendered, as notices."""
        return [*([self.problem] if self.problem else []), *(failure.notice for failure in self.failures)]


@cache
def helm() -> Helm:
    """Return the Helm on the PATH."""
    program = find("helm")
    if program is None:
        return Helm(None)
    try:
        with sandbox() as box:
            done = box.run([program, "version", "--short", "--client"])
            if done.status:  # Helm 4 does not know --client, which keeps Helm 2 from asking a cluster
                done = box.run([program, "version", "--short"])
    except (ProgramError, OSError) as error:
        return Helm(None, f"{error}: {INSTEAD}")
    version = _VERSION.search(done.output)
    if version is None:
        printed = reason(done, _LONGEST) if done.status else shortened(done.output, _LONGEST)
        return Helm(None, f"helm does not print its version ({printed}): {INSTEAD}")
    if tuple(int(part or 0) for part in version.groups()) < OLDEST_HELM:
        oldest = ".".join(map(str, OLDEST_HELM))
        return Helm(None, f"helm {version[0]} is too old, crdlint needs {oldest} or later: {INSTEAD}")
    return Helm(program)


def render(chart: str, values: HelmValues, program: str, kube_version: str | None = None) -> Rendered:
    """Render a chart with the values, or with each of its ci/*-values.yaml, or else with its defaults.

    `kube_version` is the version of the cluster that templates see, such as `1.36`; by default it is Helm's own.
    """
    outside = _outside(chart)
    if outside is not None:
        return Rendered(failures=[Failure(chart, f"{outside} leads out of the repository")])
    rendered = Rendered()
    is_chosen = bool(values.files or values.sets)
    failures: dict[str, list[HelmValues]] = {}
    documents: dict[str, dict[str, list[str]]] = {}
    for run in _runs(chart, values):
        try:
            done = _template(chart, run, program, kube_version, "--include-crds")
        except (ProgramError, OSError) as error:
            rendered.failures.append(Failure(chart, str(error), _with(run), is_chosen))
            rendered.final = False
            break
        if done.status:
            failures.setdefault(reason(done, _LONGEST), []).append(run)
            continue
        name = os.path.basename(run.files[0]) if run.files and run.files != values.files else ""
        for path, document in _documents(done.output):
            documents.setdefault(path, {}).setdefault(document, []).append(name)
    rendered.documents = {
        path: [RenderedDocument(text, tuple(dict.fromkeys(names))) for text, names in texts.items()]
        for path, texts in documents.items()
    }
    rendered.failures += [Failure(chart, why, _with(*runs), is_chosen) for why, runs in failures.items()]
    return rendered


def render_manifest(chart: str, values: HelmValues, program: str, kube_version: str) -> str | None:
    """Return all that the templates of a chart are rendered to with the values, or None if Helm does not render them."""
    if _outside(chart) is not None:
        return None
    try:
        done = _template(chart, values, program, kube_version)
    except (ProgramError, OSError):
        return None
    return None if done.status else done.output


def _template(chart: str, values: HelmValues, program: str, kube_version: str | None, *options: str) -> Done:
    """Run `helm template`; raise ProgramError or OSError."""
    # Helm fetches a file whose name looks like a URL; an absolute path never does.
    files = [f"--values={os.path.abspath(file)}" for file in values.files]
    sets = [f"--set={assignment}" for assignment in values.sets]
    version = [f"--kube-version=v{kube_version}.0"] if kube_version is not None else []
    with sandbox() as box:
        return box.run([program, "template", "crdlint", os.path.abspath(chart), *options, *files, *sets, *version])


def chart_digest(chart: str, values: HelmValues, program: str | None) -> bytes | None:
    """Return a digest of all inputs of rendering a chart, or None if they are too large or not readable."""
    identity = "" if program is None else identity_of(program)
    digest = blake2b(repr((identity, values.files, values.sets)).encode("utf-8", "backslashreplace"))
    left = _LARGEST
    names = [(os.path.relpath(entry.path, chart), entry) for entry in _entries(chart)]
    files = [(name, entry.path) for name, entry in names if not is_folder(entry)]
    try:
        for name, entry in names:
            if entry.is_symlink():
                digest.update(os.fsencode(f"{name}\0{os.readlink(entry.path)}\0"))
        for name, path in (*sorted(files), *(("", file) for file in values.files)):
            data = read_bytes(path, left)
            left -= len(data)
            digest.update(b"%d:%d:" % (len(os.fsencode(name)), len(data)))
            digest.update(os.fsencode(name))
            digest.update(data)
    except (OSError, UnreadableError):  # a link that is gone, or a file
        return None
    return digest.digest()


def _entries(chart: str) -> Iterator[os.DirEntry[str]]:
    """Yield the content of a chart, except directories. Links to directories are yielded and followed, each directory once."""
    pending, seen = [chart], {os.path.realpath(chart)}
    while pending:
        try:
            entries = entries_of(pending.pop())
        except OSError:
            continue
        for entry in entries:
            enters = is_folder(entry)
            if entry.is_symlink() or not enters:
                yield entry
            if enters and entry.name not in NEVER_ENTERED and (real := os.path.realpath(entry.path)) not in seen:
                seen.add(real)
                pending.append(entry.path)


def _outside(chart: str) -> str | None:
    """Return a link in a chart whose target is outside of its repository, or of the chart if it is in none."""
    real = os.path.realpath(chart)
    repository = repository_top(real)
    top = real if os.path.dirname(repository) == repository else repository
    links = (entry.path for entry in _entries(chart) if entry.is_symlink())
    return next((path for path in links if not is_below(os.path.realpath(path), top)), None)


def _runs(chart: str, values: HelmValues) -> list[HelmValues]:
    if values.files:
        return [values]
    files: list[str] = []
    with suppress(OSError):
        entries = entries_of(os.path.join(chart, "ci"))
        paths = (entry.path for entry in entries if entry.name.endswith(("-values.yaml", "-values.yml")))
        files += filter(os.path.isfile, paths)
    return [HelmValues((file,), values.sets) for file in files] or [values]


def _with(*values: HelmValues) -> str:
    files = [", ".join(run.files) for run in values if run.files]
    return f" with {some(files, 1)}" if files else ""


def _documents(output: str) -> Iterator[tuple[str, str]]:
    """Yield the path below the chart, and the text, of each document that may be a CRD or contain one."""
    for text in _SPLIT.split(output):
        source = _SOURCE.search(text)
        if source is not None and may_hold_crd(text.encode()):
            yield source[1].partition("/")[2], text[source.end() + 1 :]
