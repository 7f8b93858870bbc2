"""`crdlint validate`: custom resources against their CRDs, as the API server would judge them."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from crdlint.checking import Bug, Settings, bug_of, check_text, shown_name
from crdlint.cli import options
from crdlint.cli.main import report_bug
from crdlint.report.summary import Summary
from crdlint.sources.nearby import crd_folders_near
from crdlint.sources.paths import Selection, discover
from crdlint.sources.read import UnreadableError, decode, may_hold_crd, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crdlint.linter import FileResult
    from crdlint.resources.definitions import Definitions
    from crdlint.resources.report import Key

_NEWEST = "1.36"


@dataclass(slots=True)
class _Run:
    """What has come of a run so far."""

    selection: Selection
    results: list[FileResult] = field(default_factory=list)
    stored: list[dict[str, Any]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)
    bugs: list[tuple[str, Bug]] = field(default_factory=list)

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
            data = read_bytes(path)
            return None if crds_only and not may_hold_crd(data) else decode(data)
        except UnreadableError as error:
            self.problems.append((shown_name(path), str(error)))
            return None


@click.command("validate")
@options.files
@click.option(
    "--crd", "crds", multiple=True, metavar="PATH",
    help="A CRD, or a folder of them (repeatable). Without it, CRDs are looked for among and beside the resources.",
)  # fmt: skip
@click.option("--old", metavar="PATH", help="Judge as updates of the objects in this file or folder.")
@click.option("--show-defaulted", is_flag=True, help="Print the objects as they would be stored, as YAML.")
@click.option("--allow-empty", is_flag=True, help="Succeed where there is no custom resource.")
@click.option(
    "--format", "format_", type=click.Choice(["text", "server", "json"]), default="text", show_default=True,
    help="text for people, json for programs, server for nothing but the API server's sentences.",
)  # fmt: skip
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
    start = time.perf_counter()
    run = _Run(Selection(include, exclude, not no_ignore))
    texts = list(run.texts(paths))
    definitions = _definitions(run, crds, texts, paths)
    olds: dict[Key, dict[str, Any]] = {}
    if old is not None:
        from crdlint.resources.report import resources_of

        for _, text in run.texts([old]):
            olds.update(resources_of(text))
    for name, text in texts:
        _validate(run, name, text, definitions, olds)
    run.summary.unreadable = len(run.problems)
    run.summary.seconds = time.perf_counter() - start
    _print(run, definitions, format_, color, quiet=quiet or show_defaulted)
    if show_defaulted:
        _print_stored(run.stored)
    if not (run.summary.crds or run.summary.errors or run.problems or run.bugs) and not allow_empty:
        missing = (
            "custom resource of a CRD that is known" if definitions.by_kind else "CRD (--crd names where they are)"
        )
        click.echo(f"crdlint: no {missing} in {', '.join(paths)} (--allow-empty accepts that)", err=True)
        ctx.exit(2)
    ctx.exit(3 if run.bugs else 2 if run.problems else 1 if run.summary.errors else 0)


def _definitions(run: _Run, crds: tuple[str, ...], texts: list[tuple[str, str]], paths: tuple[str, ...]) -> Definitions:
    """Return the CRDs given, or those among the resources and beside them."""
    from crdlint.resources.definitions import Definitions

    definitions = Definitions()
    given = run.texts(crds, crds_only=True) if crds else ((n, t) for n, t in texts if "CustomResourceDefinition" in t)
    for name, text in given:
        _define(run, definitions, name, text)
    if not crds and not definitions.by_kind and not definitions.refused:
        for name, text in run.texts(crd_folders_near(paths), crds_only=True):
            _define(run, definitions, name, text)
    return definitions


def _define(run: _Run, definitions: Definitions, name: str, text: str) -> None:
    checked = check_text(text, name, Settings(_NEWEST, keep=True))
    if checked.bug is not None:
        run.bugs.append((name, checked.bug))
    for result in checked.results:
        definitions.add(result)


def _validate(run: _Run, name: str, text: str, definitions: Definitions, olds: dict[Key, dict[str, Any]]) -> None:
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


def _print(run: _Run, definitions: Definitions, format_: str, color: str, *, quiet: bool) -> None:
    for name, bug in run.bugs:
        report_bug(bug, name)
    for name, reason in run.problems:
        click.echo(f"crdlint: {name}: {reason}", err=True)
    for notice in () if quiet else definitions.twice:
        click.echo(f"crdlint: note: {notice}", err=True)
    if format_ == "json":
        from crdlint.report import json

        click.echo(json.render(run.results, run.problems, run.summary, hidden=False))
    elif format_ == "server":
        from crdlint.report import server

        for result in run.results:
            for line in server.render(result):
                click.echo(line)
    else:
        from crdlint.report.text import TextReport

        width = min(shutil.get_terminal_size((100, 24)).columns, 120)
        report = TextReport(width=width, style=options.style(color), notices=not quiet, noun="resource")
        for result in run.results:
            for line in report.file(result):
                click.echo(line, color=True)
        if not quiet:
            click.echo(report.summary(run.summary), color=True)


def _print_stored(stored: list[dict[str, Any]]) -> None:
    import sys

    from ruamel.yaml import YAML

    yaml = YAML(pure=True)
    yaml.explicit_start = True
    for one in stored:
        yaml.dump(one, sys.stdout)
