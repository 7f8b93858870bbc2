"""The commands of `python -m tests.upstream`."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import IO, Any, Final, TypeVar

import click

from crdlint.cli import console

from . import parity_page, records, sampling
from .answers import is_comparable
from .changed import changes, read_up_to
from .comparison import TRIES, Question, Tally, Verdict, compare, compare_all
from .fuzzing import Corpus, Fuzzer, random_request
from .live.command import live
from .recorder import UnavailableError, recorder
from .rows import Request, RowError, asked_of, read, recorded_requests, write
from .versions import Build, builds, newest

T = TypeVar("T")

_INPUT: Final = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


class _Version(click.ParamType[Build]):
    """The name of a build: a minor version, or a patch release that versions.toml names."""

    name = "version"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Build:
        if isinstance(value, Build):
            return value
        build = builds().get(str(value).removeprefix("v"))
        if build is None:
            self.fail(f"{value} is not one of {', '.join(builds())}", param, ctx)
        return build


_VERSION: Final = click.option(
    "--version",
    "build",
    type=_Version(),
    default=newest,
    help="The Kubernetes version to ask; the newest by default.",
)


class _Group(click.Group):
    """A group whose commands say in one line why the recorder cannot be built, or a file cannot be read."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (UnavailableError, RowError) as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Ask the API server's own packages, and compare crdlint with their answers."""


main.add_command(live)


@main.command()
@_VERSION
@click.argument("requests", type=_INPUT, default="-")
@click.argument("answers", type=click.File("w", encoding="utf-8"), default="-")
def ask(build: Build, requests: Path, answers: IO[str]) -> None:
    """Write an answer for each of the REQUESTS: a line with the id, and the answer as `expect`.

    Both are NDJSON; standard input and standard output are used by default.
    """
    asked = list(read(requests))
    with recorder(build) as running:
        answered = zip(asked, running.ask_all(asked), strict=True)
        for request, answer in _shown(answered, f"asking {build.release}", len(asked)):
            write(answers, {"id": request.get("id"), "expect": answer})


@main.command()
@_VERSION
@click.option(
    "--file",
    "files",
    type=_INPUT,
    multiple=True,
    help="Requests to ask instead of the recorded ones.",
)
@click.option(
    "--show", type=int, default=5, show_default=True, help="How many differences to print."
)
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
        questions = _questions(build, chosen)
    asked = list(questions)
    answered = [question for question in asked if _is_answered(question)]
    verdicts: Iterable[Verdict] = _shown(compare_all(answered), "asking crdlint", len(answered))
    if not recorded:
        verdicts = _asked_again(build, answered, verdicts)
    tally = _tally(verdicts, show)
    _print_unanswered(asked)
    _print_tally(tally, build)
    if not tally.compared:
        raise click.ClickException("nothing was compared")
    if tally.alike != tally.compared:
        sys.exit(1)


@main.command()
@click.option(
    "--version",
    "chosen",
    type=_Version(),
    multiple=True,
    help="Only record this version (repeatable).",
)
@click.option("--only", default="", help="Only record requests whose id contains this text.")
def record(chosen: Sequence[Build], only: str) -> None:
    """Ask every recorded request four times, and write the answers to answers/.

    Without --only, the page docs/parity.md is written anew from the answers, which takes some minutes.
    """
    recordings = records.load_all()
    requests = [request for request in recorded_requests() if only in request["id"]]
    for build in chosen or builds().values():
        asked = [request for request in requests if asked_of(request, build.minor)]
        _record(build, asked, recordings, is_whole=not only)
    in_order = {name: recordings[name] for name in builds() if name in recordings}
    records.save_all(in_order)
    if not only:
        _write_page()


@main.command()
@_VERSION
@click.option(
    "--every",
    type=int,
    default=1,
    show_default=True,
    help="Only ask every Nth request.",
    metavar="N",
)
def reask(build: Build, every: int) -> None:
    """Ask the server's packages again, and exit with 1 if an answer is none of the recorded ones."""
    recording = records.load_all()[build.name]
    requests = [request for request in recorded_requests() if asked_of(request, build.minor)][
        ::every
    ]
    changed_ids = []
    with recorder(build) as running:
        answered = zip(requests, running.ask_all(requests), strict=True)
        for request, answer in _shown(answered, f"asking {build.release}", len(requests)):
            if not records.is_recorded(answer, recording.answers[request["id"]]):
                changed_ids.append(request["id"])
    for id_ in changed_ids:
        console.out(f"--- {id_}: the answer is none of the recorded ones")
    console.out(
        f"{build.release}: {len(requests)} requests asked again, {len(changed_ids)} answers differ"
    )
    if changed_ids:
        sys.exit(1)


@main.command()
def parity() -> None:
    """Ask crdlint all recorded requests of all versions, and write docs/parity.md."""
    _write_page()


def _write_page() -> None:
    for measured in parity_page.write():
        _print_tally(measured.tally, measured.recording.build)


def _record(
    build: Build,
    requests: Sequence[Request],
    recordings: dict[str, records.Recording],
    *,
    is_whole: bool,
) -> None:
    recording = recordings.get(build.name)
    if recording is None or is_whole:
        recording = recordings[build.name] = records.Recording(build, records.header_of(build))
    repeated = [request for request in requests for _ in range(records.TIMES)]
    with recorder(build) as running:
        answers = list(
            _shown(running.ask_all(repeated), f"recording {build.release}", len(repeated))
        )
    for number, request in enumerate(requests):
        first = number * records.TIMES
        recording.answers[request["id"]] = records.distinct(answers[first : first + records.TIMES])
    console.out(f"{build.name}: {len(requests)} requests recorded with Kubernetes {build.release}")


@main.command()
@_VERSION
@click.option("--minutes", type=float, default=10, show_default=True, help="How long to go on.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Where the random numbers begin."
)
@click.option(
    "--output",
    type=click.File("a", encoding="utf-8", lazy=True),
    help="Append each difference as a request to FILE.",
)
def fuzz(build: Build, minutes: float, seed: int, output: IO[str] | None) -> None:
    """Ask random requests, print where crdlint differs, and exit with 1 if it does.

    Each difference is made as small as possible. The same seed makes the same requests.
    """
    end = time.monotonic() + 60 * minutes
    asked = found = 0
    with recorder(build) as running:
        for difference in Fuzzer(build, running, seed).run():
            asked += 1
            if difference is not None:
                found += 1
                request = {"id": f"found/{build.name}-{seed}-{asked}", **difference.request}
                console.out(f"--- {json.dumps(request, ensure_ascii=False)}")
                console.out("\n".join(difference.differences))
                if output is not None:
                    write(output, request)
            if time.monotonic() > end:
                break
    console.out(f"{build.name}, seed {seed}: {asked} requests asked, {found} differences")
    if found:
        sys.exit(1)


@main.command()
@click.option(
    "--count", type=int, default=100, show_default=True, help="How many requests to print."
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Where the random numbers begin."
)
def generate(count: int, seed: int) -> None:
    """Print random requests as NDJSON. The same seed makes the same requests."""
    random, corpus = Random(seed), Corpus.recorded()
    for number in range(count):
        row = {"id": f"generated/{seed}-{number}", **random_request(random, corpus)}
        console.out(json.dumps(row, ensure_ascii=False))


@main.command()
@_VERSION
@click.option(
    "--count", type=int, default=100, show_default=True, help="How many requests to print at most."
)
@click.argument("requests", type=_INPUT, default="-")
def sample(build: Build, count: int, requests: Path) -> None:
    """Print those of the REQUESTS that together cover the most different answers, the shortest first."""
    asked = list(read(requests))
    with recorder(build) as running:
        answers = list(_shown(running.ask_all(asked), f"asking {build.release}", len(asked)))
    for request in sampling.sample(zip(asked, answers, strict=True), count):
        console.out(json.dumps(request, ensure_ascii=False))


@main.command()
@click.argument("old", default=read_up_to)
@click.argument("new")
@click.option("--diff", is_flag=True, help="Print the changed lines.")
def changed(old: str, new: str, *, diff: bool) -> None:
    """List the watched files of upstream that differ between the releases OLD and NEW (1.37.2, 1.38.0-beta.0)."""
    for change in changes(old, new):
        followers = ", ".join(change.watched.followers)
        console.out(
            f"{change.watched.module}/{change.file}  +{change.added} -{change.removed}  -> {followers}"
        )
        for line in change.diff if diff else ():
            console.out(f"  {line}")


def _questions(build: Build, requests: Sequence[Request]) -> list[Question]:
    """Ask the server's packages, and return what crdlint is asked."""
    with recorder(build) as running:
        answers = _shown(running.ask_all(requests), f"asking {build.release}", len(requests))
        return [
            Question(request, build.name, (answer,))
            for request, answer in zip(requests, answers, strict=True)
        ]


def _asked_again(
    build: Build, questions: Sequence[Question], verdicts: Iterable[Verdict]
) -> Iterator[Verdict]:
    """Yield the verdicts; where crdlint differs, the server is asked again.

    Go iterates over maps in another order each time, so some answers vary: one of them must be crdlint's.
    """
    compared = list(zip(questions, verdicts, strict=True))
    differing = [question.request for question, verdict in compared if verdict.differences]
    repeated = [request for request in differing for _ in range(TRIES)]
    with recorder(build) as running:
        answers = running.ask_all(repeated)
        for question, verdict in compared:
            if verdict.differences:
                others = itertools.islice(answers, TRIES)
                yield compare(question._replace(wanted=(*question.wanted, *others)))
            else:
                yield verdict


def _tally(verdicts: Iterable[Verdict], show: int) -> Tally:
    tally = Tally()
    shown = itertools.count()
    for verdict in verdicts:
        tally.add(verdict)
        if verdict.differences and next(shown) < show:
            console.out(f"--- {verdict.id}")
            console.out("\n".join(verdict.differences))
    return tally


def _print_unanswered(questions: Iterable[Question]) -> None:
    """Print why requests ask nothing, such as one whose CRD is rejected."""
    reasons = Counter(
        question.wanted[0]["unanswered"].partition(":")[0]
        for question in questions
        if not _is_answered(question)
    )
    for reason, count in reasons.most_common():
        console.out(f"{count} not compared: {reason}")


def _is_answered(question: Question) -> bool:
    return any(map(is_comparable, question.wanted))


def _print_tally(tally: Tally, build: Build) -> None:
    for family, compared in sorted(tally.compared.items()):
        console.out(f"{build.name} {family}: {tally.alike[family]} of {compared} alike")
    compared = tally.compared.total()
    console.out(f"{build.name}: {tally.alike.total()} of {compared} alike ({tally.share():.2f} %)")


def _shown(items: Iterable[T], label: str, length: int) -> Iterator[T]:
    """Yield the items, with a progress bar on a terminal."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(
        items, length=length, label=label, file=sys.stderr, hidden=hidden
    ) as bar:
        yield from bar
