"""`crdlint validate`: custom resources against their CRDs, as the API server would judge them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import click

from crdlint.checking import Bug, bug_of, shown_name
from crdlint.cli import console, options
from crdlint.cli.completion import complete_paths
from crdlint.cli.main import report_bug
from crdlint.crd.recognition import may_hold_crd
from crdlint.report import formats
from crdlint.report.checked import Checked as ReportInput
from crdlint.report.summary import Summary
from crdlint.sources.nearby import crd_folders_near
from crdlint.sources.paths import STDIN, Selection, discover
from crdlint.sources.read import UnreadableError, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crdlint.resources.definitions import BrokenDocument, Definitions
    from crdlint.resources.requests import Key
    from crdlint.results import FileResult

_NAMED: Final = 5  # kinds in one message


@dataclass(slots=True)
class _Run:
    """What has come of a run so far."""

    selection: Selection
    results: list[FileResult] = field(default_factory=list)
    stored: list[dict[str, Any]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)
    bugs: list[tuple[str, Bug]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def texts(self, paths: Sequence[str], *, crds_only: bool = False) -> Iterable[tuple[str, str]]:
        """Yield the names and texts of inputs; what cannot be read is noted."""
        found = discover(paths, self.selection)
        self.problems += [(problem.path, problem.message) for problem in found.problems if problem.fatal]
        for path in found.files:
            text = self._text(path, crds_only)
            if text is not None:
                yield shown_name(path), text

    def _text(self, path: str, crds_only: bool) -> str | None:
        try:
            return read_text(path, only_crds=crds_only)
        except UnreadableError as error:
            self.problems.append((shown_name(path), str(error)))
            return None


@click.command("validate")
@options.files
@click.option(
    "--crd", "crds", multiple=True, metavar="PATH", shell_complete=complete_paths,
    help="A CRD, or a folder of them (repeatable). Without it, CRDs are looked for among and beside the resources.",
)  # fmt: skip
@click.option(
    "--old", metavar="PATH", shell_complete=complete_paths,
    help="Judge as updates of the objects in this file or folder.",
)  # fmt: skip
@click.option("--show-defaulted", is_flag=True, help="Print the objects as they would be stored, as YAML.")
@click.option("--allow-empty", is_flag=True, help="Succeed where there is no custom resource.")
@options.format_
@click.option("-q", "--quiet", is_flag=True, help="Print findings only: no summary, no notices.")
@options.color
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    no_ignore: bool,
    crds: tuple[str, ...],
    old: str | None,
    show_defaulted: bool,
    allow_empty: bool,
    format_: str,
    quiet: bool,
    color: str,
) -> None:
    """Say what the API server would say about custom resources: on create, or with --old on update.

    Unknown fields, the schema with its defaults, list types, and the rules of x-kubernetes-validations. Objects that no
    CRD defines are passed over. Findings of severity error make the exit status 1.
    """
    if (*paths, *crds, old).count(STDIN) > 1:
        raise click.UsageError("- can be read once only")
    start = time.perf_counter()
    run = _Run(Selection(include, exclude, not no_ignore))
    texts = list(run.texts(paths))
    definitions = _definitions(run, crds, texts, paths)
    olds = None if old is None else _olds(run, old)
    for name, text in texts:
        _validate(run, name, text, definitions, olds)
    run.summary.unreadable = len(run.problems)
    run.summary.seconds = time.perf_counter() - start
    # The objects alone go to standard output, so that they can be piped on.
    _print(run, format_, color, quiet=quiet, to_stderr=show_defaulted)
    if show_defaulted:
        _print_stored(run.stored)
    if not (run.summary.crds or run.summary.errors or run.problems or run.bugs) and not allow_empty:
        missing = "CRD (--crd names where they are)"
        if definitions.by_kind:
            missing = f"custom resource of a CRD that is known, which are {_known(definitions)},"
        console.err(f"crdlint: no {missing} in {', '.join(paths)} (--allow-empty accepts that)")
        ctx.exit(2)
    ctx.exit(3 if run.bugs else 2 if run.problems else 1 if run.summary.errors else 0)


def _definitions(run: _Run, crds: tuple[str, ...], texts: list[tuple[str, str]], paths: tuple[str, ...]) -> Definitions:
    """Return the CRDs given, or those among the resources and beside them."""
    from crdlint.resources.definitions import Definitions

    definitions = Definitions()
    if crds:
        for path in crds:
            before = len(run.problems), len(definitions.by_kind), len(definitions.twice), len(definitions.refused)
            for name, text in run.texts([path], crds_only=True):
                for one in _define(run, definitions, name, text):
                    if one.may_be_crd:
                        run.problems.append((one.place, one.message))
                    else:
                        run.notes.append(f"{one.place}: {one.message}")
            after = len(run.problems), len(definitions.by_kind), len(definitions.twice), len(definitions.refused)
            if before == after:
                run.problems.append((path, "no CustomResourceDefinition in it"))
    else:
        for name, text in texts:
            if may_hold_crd(text.encode("utf-8", "replace")):
                _define(run, definitions, name, text)  # what is broken is told as findings
        _add_nearby(run, definitions, texts, paths)
    run.notes += definitions.twice
    return definitions


def _add_nearby(run: _Run, definitions: Definitions, texts: list[tuple[str, str]], paths: tuple[str, ...]) -> None:
    """Look for the CRDs of groups that are without one beside the resources, then in the folders of CRDs near them."""
    from crdlint.resources.definitions import may_have_crd
    from crdlint.resources.find import beside, groups_in

    wanted = {group for _, text in texts for group in groups_in(text) if may_have_crd(group)}
    seen = {os.path.realpath(name) for name, _ in texts}
    near = ["." if path == STDIN else path for path in paths]
    for find in (lambda: beside(near), lambda: discover(crd_folders_near(near), run.selection).files):
        wanted = {group for group in wanted if not definitions.knows(group)}
        if not wanted:
            return
        for path in find():
            if os.path.realpath(path) not in seen:
                seen.add(os.path.realpath(path))
                _add_if_wanted(run, definitions, path, wanted)


def _add_if_wanted(run: _Run, definitions: Definitions, path: str, wanted: set[str]) -> None:
    """Take the CRDs of a file that nobody named, if it has any of groups; what is wrong with it is but a note."""
    try:
        text = read_text(path, only_crds=True)
    except UnreadableError as error:
        run.notes.append(f"{path}: {error}")
        return
    if text is not None and any(group in text for group in wanted):
        run.notes += [f"{one.place}: {one.message}" for one in _define(run, definitions, path, text)]


def _olds(run: _Run, path: str) -> dict[Key, dict[str, Any]]:
    """Return the objects to judge updates from; of two alike the first one counts."""
    from crdlint.resources.report import old_objects

    found: dict[Key, dict[str, Any]] = {}
    for name, text in run.texts([path]):
        old = old_objects(text, filename=name)
        run.problems += old.broken
        found = {**old.by_key, **found}
    return found


def _known(definitions: Definitions) -> str:
    """Name the kinds that there are CRDs of."""
    named = [
        f"{kind} ({', '.join(f'{group}/{version}' for version in one.served) or f'{group}, not served'})"
        for (group, kind), one in sorted(definitions.by_kind.items())
    ]
    more = len(named) - _NAMED
    return ", ".join(named[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _define(run: _Run, definitions: Definitions, name: str, text: str) -> list[BrokenDocument]:
    """Take the CRDs of a text; return the documents that are not YAML."""
    from crdlint.linter import lint_file

    try:
        return definitions.add(lint_file(text, filename=name, skip_unfinished=True, keep=True))
    except Exception as error:
        run.bugs.append((name, bug_of(error)))
        return []


def _validate(
    run: _Run, name: str, text: str, definitions: Definitions, olds: dict[Key, dict[str, Any]] | None
) -> None:
    from crdlint.resources.report import validate_text

    run.summary.files += 1
    try:
        validated = validate_text(text, filename=name, definitions=definitions, old=olds)
    except Exception as error:
        run.bugs.append((name, bug_of(error)))
        return
    run.summary.add(validated.result)
    run.results.append(validated.result)
    run.stored.extend(validated.stored)


def _print(run: _Run, format_: str, color: str, *, quiet: bool, to_stderr: bool) -> None:
    for name, bug in run.bugs:
        report_bug(bug, name)
    for name, reason in run.problems:
        console.err(f"crdlint: {name}: {reason}")
    for notice in () if quiet else run.notes:
        console.err(f"crdlint: note: {notice}")
    write = console.out_on_err if to_stderr else console.out
    format_ = formats.choose(format_)
    if format_ != formats.TEXT:
        write(formats.render(format_, ReportInput(run.results, run.problems, run.summary)), nl=False)
    else:
        from crdlint.report.text import TextReport

        width = options.width(120)
        report = TextReport(width=width, style=options.style(color), notices=not quiet, noun="resource")
        for result in run.results:
            for line in report.lines(result):
                write(line)
        if not quiet and not (run.problems and not run.summary.files):
            write(report.summary(run.summary))


def _print_stored(stored: list[dict[str, Any]]) -> None:
    from crdlint.resources.dump import dump

    for one in stored:
        console.out("\n".join(("---", *dump(one))))
