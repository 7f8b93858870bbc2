"""The inputs of `crdlint validate`: found, read, and reported if they cannot be read; its CRDs are given or near the others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from crdlint.cli.console import Bugs
from crdlint.cli.reports import find_files
from crdlint.files.paths import Found, Selection, has_yaml_suffix
from crdlint.files.read import UnreadableError, open_descriptor, read_text
from crdlint.kubernetes.servers import NEWEST_ALONE
from crdlint.light import dataclass
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult
from crdlint.resources.definitions import CRDFiles, Definitions, outlines
from crdlint.rules.advice.deployment import SKIPPED, newer_than_oldest
from crdlint.runner.task import shown_name
from crdlint.safety.bugs import Bug, collected
from crdlint.sources.crd_lookup import configured_crds, crd_folders_near, files_beside
from crdlint.sources.helm.layout import is_archive
from crdlint.sources.helm.on_demand import ChartsOnDemand

if TYPE_CHECKING:
    from crdlint.runner.plan import Planner

    # Takes a place and a message.
    Report = Callable[[str, str], None]

# Only its rejection, and what cannot be read of it, are reported about a CRD: no other advice is asked for.
_REJECTIONS: Final = (newer_than_oldest.findings,)


@dataclass(slots=True)
class Inputs:
    """The inputs of a run. ``problems``, places and messages, make the exit status 2; ``notices`` do not."""

    selection: Selection
    charts: ChartsOnDemand = field(default_factory=ChartsOnDemand)
    problems: dict[tuple[str, str], None] = field(default_factory=dict)
    notices: dict[str, None] = field(default_factory=dict)
    bugs: Bugs = field(default_factory=Bugs)
    unreadable: set[str] = field(default_factory=set)
    _streams: dict[str, str] = field(default_factory=dict)  # texts that can be read only once

    def discover(self, paths: Sequence[str], report: Report | None = None) -> Found:
        """Return the files of paths, and report what cannot be read: as problems by default.

        A packed chart is replaced by its files, whose texts are kept.
        """
        problem = report or self.problem
        discovered = find_files(
            paths,
            self.selection,
            problem,
            report or self.notice,
        )
        if not any(map(is_archive, discovered.files)):
            return discovered
        files = chain.from_iterable(
            self._unpacked(path, problem) if is_archive(path) else (path,)
            for path in discovered.files
        )
        return discovered._replace(files=tuple(files))

    def _unpacked(self, archive: str, report: Report) -> Iterator[str]:
        """Yield the names of the files of a packed chart that are YAML or JSON by their names."""
        chart = self.charts.unpacked(archive)
        for file, message in chart.problems:
            report(file, message)
        if not chart.files and not chart.problems:
            report(archive, "no Chart.yaml in it, so it is no packed chart")
        for loaded in chart.all_files():
            if has_yaml_suffix(loaded.name):
                self.keep(loaded.shown, loaded.text)
                yield loaded.shown

    def read(self, path: str, report: Report, *, only_crds: bool = False) -> str | None:
        """Return the text of an input; None if it cannot be read (this is reported) or cannot contain a CRD."""
        if path in self._streams:
            return self._streams[path]
        is_stream = open_descriptor(path) is not None
        try:
            text = read_text(path, only_crds=only_crds and not is_stream)
        except UnreadableError as error:
            self.unreadable.add(path)
            report(shown_name(path), str(error))
            return None
        if is_stream and text is not None:
            self._streams[path] = text
        return text

    def keep(self, path: str, text: str) -> None:
        """Keep the text of an input that can be read only once, and is read already."""
        self._streams[path] = text

    def problem(self, file: str, message: str) -> None:
        """Report an input that cannot be read, once."""
        self.problems[file, message] = None

    def notice(self, file: str, message: str) -> None:
        """Report a notice once; it has no effect on the exit status."""
        self.notices[f"{file}: {message}"] = None

    @contextmanager
    def bugs_of(self, path: str) -> Iterator[None]:
        """Report the internal errors within as those of an input."""
        bugs: list[Bug] = []
        with collected(bugs):
            yield
        self.bugs.add(shown_name(path), bugs)


def definitions_in(inputs: Inputs, planner: Planner, files: Sequence[str]) -> Definitions:
    """Return the CRDs of files whose CRDs are checked in the same run, which reports what cannot be read."""
    return Definitions([_DefinitionReader(inputs, planner).files(lambda: files, None)])


def given_definitions(inputs: Inputs, planner: Planner, crds: Sequence[str]) -> Definitions:
    """Return the CRDs of the arguments of --crd; report an argument without a CRD."""
    by_argument = {argument: inputs.discover([argument]) for argument in crds}
    all_files = dict.fromkeys(
        path for discovered in by_argument.values() for path in discovered.files
    )
    files = _DefinitionReader(inputs, planner).files(lambda: all_files, inputs.problem)
    with_crds = set(files.paths())
    for argument, discovered in by_argument.items():
        is_broken = any(problem.fatal for problem in discovered.problems)
        if not is_broken and (with_crds | inputs.unreadable).isdisjoint(discovered.files):
            inputs.problem(argument, "no CustomResourceDefinition in it")
    return Definitions([files])


def nearby_definitions(
    inputs: Inputs,
    planner: Planner,
    paths: Sequence[str],
    files: Sequence[str],
) -> Definitions:
    """Return the CRDs among the files of resources, then beside them, then in the folders of CRDs near them."""
    near = [os.curdir if open_descriptor(path) is not None else path for path in paths]
    seen = set(map(os.path.realpath, files))

    def unseen(candidates: Iterable[str]) -> Iterator[str]:
        for path in candidates:
            real = os.path.realpath(path)
            if real not in seen:
                seen.add(real)
                yield path

    files_of = _DefinitionReader(inputs, planner).files
    return Definitions(
        [
            files_of(lambda: files, None),  # broken files are reported with the resources
            files_of(lambda: unseen(files_beside(near)), inputs.notice),
            files_of(
                lambda: unseen(inputs.discover(crd_folders_near(near), inputs.notice).files),
                inputs.notice,
            ),
            files_of(lambda: unseen(_configured(inputs, planner, near)), inputs.notice),
        ]
    )


def _configured(inputs: Inputs, planner: Planner, near: Iterable[str]) -> Iterator[str]:
    """Yield the files with CRDs that the configurations of paths name."""
    for path in near:
        config = planner.configurations.of(path)
        if config is not None and config.crds:
            yield from inputs.discover(configured_crds(config.crds, config.folder)).files


@dataclass(slots=True)
class _DefinitionReader:
    """Reads files with CRDs. Each template is read once, with all of its CRDs."""

    inputs: Inputs
    planner: Planner
    _templates: set[str] = field(default_factory=set)

    def files(self, find: Callable[[], Iterable[str]], report: Report | None) -> CRDFiles:
        """Return files with CRDs; `report` receives unreadable files and CRDs; with None they are not reported."""
        receive: Report = report or (lambda _file, _message: None)
        read = partial(self.inputs.read, report=receive, only_crds=True)

        def lint(path: str, only: frozenset[int], others: frozenset[int]) -> FileResult | None:
            text = read(path)
            if text is None:
                return None
            result = self._lint(receive, path, text, only)
            if others and report is not None:
                self._lint(self.inputs.notice, path, text, others)
            return result

        return CRDFiles(find, lambda path: outlines(read(path) or ""), lint)

    def _lint(
        self,
        report: Report,
        path: str,
        text: str,
        only: frozenset[int],
    ) -> FileResult:
        config = self.planner.configurations.of(path)
        configured = None if config is None else config.kube_version
        request = CheckRequest(
            versions=self.planner.kube_version or configured or NEWEST_ALONE,
            skip_unfinished=True,
            keep=True,
            advice=_REJECTIONS,
        )
        with self.inputs.bugs_of(path):
            result = self._read(
                path,
                text,
                partial(lint_file, request=request),
                only,
            )
        from crdlint.rules.texts.reading import YAML_SYNTAX

        for finding in result.diagnostics:
            if finding.rule == YAML_SYNTAX.id:
                position = f"{shown_name(path)}:{finding.line}:{finding.column}"
                is_yaml = finding.origin == "crdlint"  # which stops within its brackets
                why = "not read" if is_yaml else "not YAML, so it is not read"
                report(position, f"the document is {why}: {finding.message}")
        return result

    def _read(
        self,
        path: str,
        text: str,
        lint: Callable[..., FileResult],
        only: frozenset[int],
    ) -> FileResult:
        """Return the result of some documents; of a template that of all of them, without CRDs after the first call."""
        if path in self._templates:
            return FileResult(path, text)
        result = self.inputs.charts.lint_template(path, text, lint)
        if result is None:
            result = lint(text, shown_name(path), only=only)
            if not result.templates:
                return result
            from crdlint.sources.helm.check import check_templates

            result = check_templates(shown_name(path), text, lint)
        self._templates.add(path)
        for notice in result.notices:
            self.inputs.notice(path, notice)
        self._note_skipped(path, result)
        return result

    def _note_skipped(self, path: str, result: FileResult) -> None:
        """Report the CRDs that only Helm can read."""
        for finding in result.diagnostics:
            if finding.rule == SKIPPED.id:
                self.inputs.notice(f"{path}:{finding.line}", f"{finding.message}. {finding.help}")
