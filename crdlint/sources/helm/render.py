"""Charts rendered by Helm itself, offline."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cache
from typing import Final

from crdlint.files.offline import reason, sandbox
from crdlint.files.paths import NEVER_ENTERED
from crdlint.files.read import UnreadableError, entries_of, is_folder, read_bytes
from crdlint.files.recognition import may_hold_crd
from crdlint.light import NamedTuple, dataclass, regex
from crdlint.safety.programs import Done, ProgramError, find, identity_of, shortened
from crdlint.sources.helm.chart import is_near
from crdlint.sources.helm.failures import INSTEAD, Failure, with_values
from crdlint.sources.helm.layout import HelmValues

# The first release that looks up no host names for templates (getHostByName).
OLDEST_HELM: Final = (3, 11, 1)
_SOURCE: Final = regex(r"^# Source: (.+)$", re.MULTILINE)
_SPLIT: Final = regex(r"^---\n(?=# Source: )", re.MULTILINE)
_VERSION: Final = regex(r"v(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?")
_LONGEST: Final = 400  # characters of an error of Helm
_RELEASE: Final = "crdlint"
_INCOMPATIBLE: Final = "incompatible with Kubernetes"
_LARGEST: Final = 100 * 1024 * 1024  # bytes of a chart whose results are cached


@dataclass(frozen=True, slots=True)
class Helm:
    """The Helm on the PATH; `program` is None if it cannot be used, `problem` is the reason if there is one."""

    program: str | None
    problem: str | None = None
    major: int = 0  # of its version


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A document that Helm renders, and the names of the chart's values files (`ci/`) that it is rendered with.

    `versions` are the versions of Kubernetes that it is rendered for, oldest first, empty if all are rendered alike.
    """

    text: str
    values: tuple[str, ...]
    versions: tuple[str, ...] = ()


class RenderedManifest(NamedTuple):
    """A document of a chart as Helm prints it: the path of its file below the chart, and its text."""

    path: str
    text: str


@dataclass(slots=True)
class Rendered:
    """The output of Helm for a chart: by path below the chart, the documents of each file that may be CRDs.

    `runs` has all documents for the newest version of Kubernetes, by the name of the chart's values file, which is empty if
    it has none. `failures` are the reasons why some or all could not be rendered, `problem` that Helm cannot be used;
    `final` is whether the output is reproducible.
    """

    documents: dict[str, list[RenderedDocument]] = field(default_factory=dict)
    runs: dict[str, tuple[RenderedManifest, ...]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    problem: str | None = None
    final: bool = True

    @property
    def notices(self) -> list[str]:
        """What could not be rendered, as notices."""
        return [
            *filter(None, [self.problem]),
            *(failure.notice for failure in self.failures),
        ]


def helm() -> Helm:
    """Return the Helm on the PATH, which is asked for its version once as long as it is the same program."""
    program = find("helm")
    return Helm(None) if program is None else _helm_at(program, identity_of(program))


@cache
def _helm_at(program: str, _identity: str) -> Helm:
    """Return the Helm at a path; a program that replaces it has another identity and is asked again."""
    try:
        with sandbox() as box:
            done = box.run([program, "version", "--short"])
    except (ProgramError, OSError) as error:
        return Helm(None, f"{error}: {INSTEAD}")
    version = _VERSION.search(done.output)
    if version is None:
        printed = reason(done, _LONGEST) if done.status else shortened(done.output, _LONGEST)
        return Helm(None, f"helm does not print its version ({printed}): {INSTEAD}")
    if tuple(int(part or 0) for part in version.groups()) < OLDEST_HELM:
        oldest = ".".join(map(str, OLDEST_HELM))
        return Helm(
            None, f"helm {version[0]} is too old, crdlint needs {oldest} or later: {INSTEAD}"
        )
    return Helm(program, major=int(version[1]))


def render(
    chart: str,
    values: HelmValues,
    program: str,
    versions: Sequence[str] = (),
    *,
    defaults: bool = False,
) -> Rendered:
    """Render a chart with the values, or with each of its ci/*-values.yaml, or else with its defaults.

    With `defaults`, a chart with ci/*-values.yaml is rendered with its defaults, too, if Helm can do that.

    `versions` are those of the clusters that templates see, such as `1.36`, the newest first; without any, it is Helm's own.
    The chart may also be a packed one.
    """
    outside = _outside(chart)
    if outside is not None:
        return Rendered(failures=[Failure(chart, f"{outside} leads out of the repository")])
    rendering = _Rendering(chart, values, program)
    rendered = rendering.run(versions)
    if defaults and "" not in rendered.runs and rendered.runs:
        rendering.add_defaults(versions[0] if versions else None)
    return rendered


@dataclass(slots=True)
class _Rendering:
    """The runs of Helm for one chart, and what they print."""

    chart: str
    values: HelmValues
    program: str
    rendered: Rendered = field(default_factory=Rendered)
    failures: dict[str, list[HelmValues]] = field(default_factory=dict)
    # Path, text, version, values
    documents: dict[str, dict[str, dict[str, dict[str, None]]]] = field(default_factory=dict)

    def run(self, versions: Sequence[str]) -> Rendered:
        newest, *older = versions or (None,)
        for run in runs_of(self.chart, self.values):
            for version in (newest, *older):
                if not self._add(run, version, is_newest=version == newest):
                    break
        rendered = self.rendered
        rendered.documents = {
            path: [_document(text, by_version, versions) for text, by_version in texts.items()]
            for path, texts in self.documents.items()
        }
        rendered.failures += [
            Failure(
                self.chart,
                why,
                with_values(*runs),
                self.values.are_given,
            )
            for why, runs in self.failures.items()
        ]
        return rendered

    def add_defaults(self, version: str | None) -> None:
        """Render the chart with its own values; these may be incomplete, so a failure is not reported."""
        try:
            done = _template(
                self.chart,
                self.values,
                self.program,
                version,
                "--include-crds",
            )
        except (ProgramError, OSError):
            return
        if not done.status:
            self.rendered.runs[""] = tuple(_manifests(done.output))

    def _add(self, run: HelmValues, version: str | None, *, is_newest: bool) -> bool:
        """Render the chart, and return whether Helm does."""
        if not self.rendered.final:
            return False
        try:
            done = _template(
                self.chart,
                run,
                self.program,
                version,
                "--include-crds",
            )
        except (ProgramError, OSError) as error:
            self.rendered.failures.append(
                Failure(
                    self.chart,
                    str(error),
                    with_values(run),
                    self.values.are_given,
                )
            )
            self.rendered.final = False
            return False
        if done.status:
            why = reason(done, _LONGEST)
            # A constraint may exclude the first patch release of an older version.
            if is_newest or _INCOMPATIBLE not in why:
                self.failures.setdefault(why, []).append(run)
            return not is_newest
        name = (
            os.path.basename(run.files[0]) if run.files and run.files != self.values.files else ""
        )
        manifests = tuple(_manifests(done.output))
        if is_newest:
            self.rendered.runs[name] = manifests
        for manifest in manifests:
            if may_hold_crd(manifest.text.encode()):
                by_version = self.documents.setdefault(manifest.path, {}).setdefault(
                    manifest.text, {}
                )
                by_version.setdefault(version or "", {})[name] = None
        return True


def _document(
    text: str, by_version: Mapping[str, Mapping[str, None]], versions: Sequence[str]
) -> RenderedDocument:
    names = tuple(dict.fromkeys(name for names in by_version.values() for name in names))
    is_always = len(versions) < 2 or all(version in by_version for version in versions)
    own = (
        ()
        if is_always
        else tuple(version for version in reversed(versions) if version in by_version)
    )
    return RenderedDocument(text, names, own)


def render_manifest(
    chart: str,
    values: HelmValues,
    program: str,
    kube_version: str,
) -> str | None:
    """Return all that the templates of a chart are rendered to with the values, or None if Helm does not render them."""
    if _outside(chart) is not None:
        return None
    try:
        done = _template(chart, values, program, kube_version)
    except (ProgramError, OSError):
        return None
    return None if done.status else done.output


def _template(
    chart: str,
    values: HelmValues,
    program: str,
    kube_version: str | None,
    *options: str,
) -> Done:
    """Run `helm template`; raise ProgramError or OSError."""
    # Helm fetches a file whose name looks like a URL; an absolute path never does.
    files = [f"--values={os.path.abspath(file)}" for file in values.files]
    sets = [f"--set={assignment}" for assignment in values.sets]
    cluster = [f"--api-versions={name}" for name in values.api_versions]
    cluster += [f"--namespace={values.namespace}"] if values.namespace else []
    cluster += [f"--kube-version=v{kube_version}.0"] if kube_version is not None else []
    command = [program, "template", values.release or _RELEASE, os.path.abspath(chart), *options]
    # Helm before OLDEST_HELM rejects the option.
    cluster.append("--enable-dns=false")
    with sandbox() as box:
        return box.run([*command, *files, *sets, *values.others, *cluster])


def chart_digest(chart: str, values: HelmValues, program: str | None) -> bytes | None:
    """Return a digest of all inputs of rendering a chart, or None if they are too large or not readable."""
    from hashlib import blake2b

    identity = "" if program is None else identity_of(program)
    digest = blake2b(repr((identity, *values)).encode("utf-8", "backslashreplace"))
    left = _LARGEST
    entries = list(_entries(chart))  # a packed chart has none
    files = sorted(entry.path for entry in entries if not is_folder(entry))
    if os.path.isfile(chart):
        files = [chart]
    try:
        for link in filter(os.DirEntry.is_symlink, entries):
            name = os.path.relpath(link.path, chart)
            digest.update(os.fsencode(f"{name}\0{os.readlink(link.path)}\0"))
        for path in (*files, *values.files):
            name = os.path.relpath(path, chart)
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
            if (
                enters
                and entry.name not in NEVER_ENTERED
                and (real := os.path.realpath(entry.path)) not in seen
            ):
                seen.add(real)
                pending.append(entry.path)


def _outside(chart: str) -> str | None:
    """Return a link in a chart whose target may not be read, or None."""
    links = (entry.path for entry in _entries(chart) if entry.is_symlink())
    return next((path for path in links if not is_near(path, chart)), None)


def runs_of(chart: str, values: HelmValues) -> list[HelmValues]:
    """Return the sets of values that a chart is rendered with: those given, or those of `ci/`, or its own."""
    if values.files:
        return [values]
    files: list[str] = []
    with suppress(OSError):
        entries = entries_of(os.path.join(chart, "ci"))
        paths = (
            entry.path for entry in entries if entry.name.endswith(("-values.yaml", "-values.yml"))
        )
        files += filter(os.path.isfile, paths)
    return [values._replace(files=(file,)) for file in files] or [values]


def _manifests(output: str) -> Iterator[RenderedManifest]:
    """Yield the documents that Helm prints; those of a file of `crds/` are one."""
    for text in _SPLIT.split(output):
        source = _SOURCE.search(text)
        if source is not None:
            yield RenderedManifest(source[1].partition("/")[2], text[source.end() + 1 :])
