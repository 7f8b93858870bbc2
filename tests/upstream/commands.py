"""The commands of `python -m tests.upstream`."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import click

from . import records
from .live.command import live
from .comparison import Question, Tally, Verdict, compare_all
from .recorder import UnavailableError, ask_all, recorder
from .rows import Request, parse, read, recorded_requests, write
from .versions import Build, builds, newest

T = TypeVar("T")

_EXISTING: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


class _Version(click.ParamType):
    """The name of a build: a minor version, or a patch release that versions.toml names."""

    name = "version"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Build:
        if isinstance(value, Build):
            return value
        build = builds().get(str(value).removeprefix("v"))
        if build is None:
            self.fail(f"{value} is not one of {', '.join(builds())}", param, ctx)
        return build


_VERSION: Final = click.option(
    "--version", "build", type=_Version(), default=newest, help="The Kubernetes version to ask; the newest by default."
)


class _Group(click.Group):
    """A group whose commands say in one line why the recorder cannot be built."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UnavailableError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Ask the API server's own packages, and compare crdlint with their answers."""


main.add_command(live)


@main.command()
@_VERSION
@click.argument("requests", type=click.File("r", encoding="utf-8"), default="-")
@click.argument("answers", type=click.File("w", encoding="utf-8"), default="-")
def ask(build: Build, requests: IO[str], answers: IO[str]) -> None:
    """Write an answer for each of the REQUESTS: a line with the id, and the answer as `expect`.

    Both are NDJSON; standard input and standard output are used by default.
    """
    for request, answer in ask_all(build, _shown(list(parse(requests)), f"asking {build.release}")):
        write(answers, {"id": request.get("id"), "expect": answer})


@main.command()
@_VERSION
@click.option("--file", "files", type=_EXISTING, multiple=True, help="Requests to ask instead of the recorded ones.")
@click.option("--show", type=int, default=5, show_default=True, help="How many differences to print.")
@click.option("--only", default="", help="Only ask requests whose id contains this text.")
@click.option("--recorded", is_flag=True, help="Use the recorded answers, without the program.")
def verify(build: Build, files: Sequence[Path], show: int, only: str, *, recorded: bool) -> None:
    """Compare crdlint with the answers of the server's packages, and exit with 1 if they differ."""
    if files and recorded:
        raise click.UsageError("--recorded is for the recorded requests; leave out --file")
    requests = [row for path in files for row in read(path)] if files else recorded_requests()
    chosen = [request for request in requests if only in str(request.get("id", ""))]
    if recorded:
        questions: Iterable[Question] = records.questions(records.load_all()[build.name], chosen)
    else:
        answers = ask_all(build, _shown(chosen, f"asking {build.release}"))
        questions = [Question(request, build.minor, (answer,)) for request, answer in answers]
    tally = _tally(compare_all(_shown(list(questions), "asking crdlint")), show)
    _print_tally(tally, build)
    if tally.alike != tally.compared:
        sys.exit(1)


@main.command()
@click.option("--version", "chosen", type=_Version(), multiple=True, help="Only record this version (repeatable).")
@click.option("--only", default="", help="Only record requests whose id contains this text.")
def record(chosen: Sequence[Build], only: str) -> None:
    """Ask every recorded request four times, and write the answers to answers/.

    The page docs/parity.md is written anew from the answers.
    """
    recordings = records.load_all()
    requests = [request for request in recorded_requests() if only in request["id"]]
    for build in chosen or builds().values():
        _record(build, requests, recordings, is_whole=not only)
    in_order = {name: recordings[name] for name in builds() if name in recordings}
    records.save_all(in_order)


def _record(
    build: Build, requests: Sequence[Request], recordings: dict[str, records.Recording], *, is_whole: bool
) -> None:
    recording = recordings.get(build.name)
    if recording is None or is_whole:
        recording = recordings[build.name] = records.Recording(build, records.header_of(build))
    with recorder(build) as running:
        for request in _shown(requests, f"recording {build.release}"):
            answers = [running.ask(request) for _ in range(records.TIMES)]
            recording.answers[request["id"]] = records.distinct(answers)


def _tally(verdicts: Iterable[Verdict], show: int) -> Tally:
    tally = Tally()
    shown = itertools.count()
    for verdict in verdicts:
        tally.add(verdict)
        if verdict.differences and next(shown) < show:
            click.echo(f"--- {verdict.id}")
            click.echo("\n".join(verdict.differences))
    return tally


def _print_tally(tally: Tally, build: Build) -> None:
    for family, compared in sorted(tally.compared.items()):
        click.echo(f"{build.name} {family}: {tally.alike[family]} of {compared} alike")
    compared = tally.compared.total()
    click.echo(f"{build.name}: {tally.alike.total()} of {compared} alike ({tally.share():.2f} %)")


def _shown(items: Sequence[T], label: str) -> Iterator[T]:
    """Yield the items, with a progress bar on a terminal."""
    with click.progressbar(items, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        yield from bar
