"""docs/parity.md: how many recorded requests crdlint answers as the API server does, by version and family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from . import records
from .answers import differences
from .comparison import Tally, compare_all
from .known import known_differences
from .live_counts import live_counts
from .records import Recording
from .rows import families, recorded_requests

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "parity.md"

_HEAD: Final = """\
# How exact crdlint is

crdlint reports what kube-apiserver reports: {least} to {most} of up to {requests} recorded answers, depending on the version of
Kubernetes. [Every difference](#known-differences) is listed.

## How it is measured

A program that links the API server's own packages answers {requests} requests for each version: CRDs, updates of CRDs, custom
resources, and YAML. crdlint is asked the same. An answer is alike only if **everything** in it is equal:

- the verdict, and the type, field path, bad value and text of each error;
- unknown and duplicate fields, and warnings;
- the defaulted object, and the cost of each CEL rule.

{running}

## Result by version

The numbers of requests whose answers are alike, by what they are about. `reported` are those of users' findings. Versions without a
patch number are the newest patch release.

"""

_TAIL: Final = """\

## Repeat the measurement

With Go, a checkout repeats each number. The first build of a version takes some minutes. `python -m tests.upstream record` writes
this page.

| `python -m tests.upstream` | asks |
| --- | --- |
| `verify --version {newest}` | the server's packages, and crdlint |
| `live --version {newest}` | a running kube-apiserver and etcd, and crdlint |
| `verify --file requests.ndjson` | your own requests |
| `fuzz --minutes 10 --seed 1` | random requests |

[tests/upstream](https://github.com/crdlint/crdlint/tree/main/tests/upstream) describes the requests, the recorded answers
and how to add one.

## Versions of the modules

{modules}
"""


@dataclass
class Parity:
    """How crdlint's answers compare with those of one recording: counts by family, and each different request with its reason."""

    recording: Recording
    tally: Tally = field(default_factory=Tally)
    differing: list[tuple[str, str]] = field(default_factory=list)


def measure(recordings: Mapping[str, Recording]) -> list[Parity]:
    """Ask crdlint all recorded requests of all versions."""
    requests = recorded_requests()
    return [_measured(recording, requests) for recording in recordings.values()]


def _measured(recording: Recording, requests: Iterable[dict[str, Any]]) -> Parity:
    parity = Parity(recording)
    for verdict in compare_all(records.questions(recording, requests)):
        parity.tally.add(verdict)
        if verdict.differences:
            reason = known_differences(recording.build.name).get(verdict.id, "Not known yet.")
            parity.differing.append((verdict.id, reason))
    return parity


def page(measured: Iterable[Parity], live: Mapping[str, Any]) -> str:
    """Return the page; `live` has the counts of running servers by version."""
    measured = list(measured)
    shares = [parity.tally.share() for parity in measured]
    head = _HEAD.format(
        requests=f"{len(recorded_requests()):,}",
        least=_percent(min(shares)),
        most=_percent(max(shares)),
        running="\n".join(_running(live)),
    )
    names = families()
    results = _table(["version", "all", *names], [_cells(parity, names) for parity in measured])
    recordings = records.load_all()
    patches = [
        _patch_line(recording, recordings)
        for name, recording in recordings.items()
        if name != recording.build.minor
    ]
    lines = [*results, "", "## Known differences", ""]
    lines += list(_known(measured)) or ["None."]
    lines += ["", _NOT_COMPARED]
    lines += ["", "## First patch releases", "", _PATCHES, "", *(patches or ["None."])]
    columns = ["version", "release", "cel-go", "kube-openapi", "recorded"]
    modules = _table(columns, [_modules(parity.recording) for parity in measured])
    newest = measured[0].recording.build.name
    return head + "\n".join(lines) + "\n" + _TAIL.format(newest=newest, modules="\n".join(modules))


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    return [_row(columns), _row(["---"] * len(columns)), *map(_row, rows)]


def _known(measured: Sequence[Parity]) -> Iterator[str]:
    """Yield a line for each cause of known differences, with its requests and the versions that have it."""
    versions: dict[tuple[str, str], list[str]] = {}
    for parity in measured:
        for request, reason in parity.differing:
            versions.setdefault((request, reason), []).append(parity.recording.build.name)
    causes: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (request, reason), names in versions.items():
        causes.setdefault((reason, tuple(names)), []).append(f"`{request}`")
    for (reason, releases), requests in causes.items():
        where = "every version" if len(releases) == len(measured) else ", ".join(releases)
        yield f"- **{where[0].upper()}{where[1:]}**: {reason} ({', '.join(requests)})"


def _patch_line(recording: Recording, recordings: Mapping[str, Recording]) -> str:
    """Return how many answers of a first patch release are not those of the newest one, and in which keys."""
    different = records.differing(recording.build.name, recordings)
    newest = recordings[recording.build.minor]
    keys: set[str] = set()
    for id_ in different:
        keys |= {
            text.split("\n")[0]
            for text in differences(newest.answers[id_][0], recording.answers[id_][0])
        }
    release = newest.build.release
    count = f"{len(different):,} answers are not those of {release} ({', '.join(sorted(keys))})"
    return f"- {recording.build.name}: {count}. {recording.build.differs}"


_NOT_COMPARED: Final = """\
What no linter can know is not compared: addresses of memory, which 1.28 to 1.33 print for pointers in bad values, the order of
Go's maps, the time, and identifiers that the server makes."""

_PATCHES: Final = """\
`--kube-version 1.34` answers as the newest patch release of 1.34, and `--kube-version 1.34.0` as the first one.
`--kube-version 1.34 --min-severity info` also reports what 1.34.0 alone rejects or warns of. Listed are the first patch
releases whose answers differ. 1.31.0, 1.33.0, 1.35.0, 1.36.0 and 1.37.0 answer all requests as the newest ones. The code that
crdlint follows differs in 1.33.0 only for the status of a resource without a schema, which a CRD of
`apiextensions.k8s.io/v1` cannot have."""


_JOINED = "\N{NO-BREAK SPACE}"  # a figure stays in one line of its cell


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(parity: Parity, names: Iterable[str]) -> list[str]:
    tally = parity.tally
    counts = [_count(tally.alike[family], tally.compared[family]) for family in names]
    return [parity.recording.build.name, _percent(tally.share()), *counts]


def _percent(share: float) -> str:
    return f"{share:.2f}{_JOINED}%"


def _running(live: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each running server that was asked."""
    for asked in live.values():
        server = f"A running kube-apiserver {asked['server']} was asked, too: crdlint repeats"
        yield f"{server} {_count(asked['alike'], asked['asked'])} answers."


def _count(alike: int, compared: int) -> str:
    return f"{compared:,}" if alike == compared else f"{alike:,}{_JOINED}of{_JOINED}{compared:,}"


def _modules(recording: Recording) -> list[str]:
    header = recording.header
    modules = header["modules"]
    openapi = modules["k8s.io/kube-openapi"].rpartition("-")[2]
    return [
        recording.build.name,
        header["kubernetes"],
        modules["github.com/google/cel-go"],
        openapi,
        header["recorded"],
    ]


def write() -> list[Parity]:
    """Ask crdlint all recorded requests, and write the page."""
    measured = measure(records.load_all())
    PAGE.write_text(page(measured, live_counts()), encoding="utf-8")
    return measured
