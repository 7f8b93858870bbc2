"""Running experiments and showing which answers differ from the recorded ones, or recording them anew."""

from __future__ import annotations

import json
from datetime import datetime, timezone

from crdlint.cli import console
from crdlint.phrases import counted

from .api import Server
from .cluster import Cluster
from .experiments import CLAIMS, Experiment, experiments, with_answers
from .programs import Programs
from .remedies import RECORD, follow, remedies
from .trying import Recorded, differences, run


def try_claims(cluster: Cluster, programs: Programs, rule: str, *, record: bool) -> int:
    """Run the experiments of a rule, all of them for "". Return how many differ from the recorded answers."""
    failed, chosen = 0, list(experiments(rule))
    for experiment in chosen:
        answers = run(experiment, cluster, programs)
        lines = differences(experiment, answers)
        failed += bool(lines)
        _show(experiment.id, lines)
        if record and lines:
            _write(experiment, answers, cluster.server.version())
    console.out(
        f"{counted(len(chosen), 'experiment')}, {failed} {'recorded anew' if record else 'different'}"
    )
    return 0 if record else failed


def try_remedies(server: Server, rule: str, *, record: bool) -> int:
    """Follow the helps and fixes of a rule, all of them for "". Return how many break something else than is recorded."""
    known: dict[str, list[str]] = (
        json.loads(RECORD.read_text(encoding="utf-8"))["breaks"] if RECORD.exists() else {}
    )
    failed, followed = 0, []
    broken: dict[str, list[str]] = {}
    for remedy in remedies(rule):
        name = f"{remedy.rule}: {remedy.title}"
        lines = follow(server, remedy)
        followed.append(name)
        if lines:
            broken[name] = sorted({*broken.get(name, []), *lines})
        new = [line for line in lines if line not in known.get(name, [])]
        failed += bool(new)
        _show(name, new)
    console.out(
        f"{counted(len(followed), 'example')} of helps and fixes followed, {failed} {'recorded anew' if record else 'different'}"
    )
    if record and not rule:
        values = {
            "server": server.version(), "date": today(), "breaks": dict(sorted(broken.items())), "followed": sorted(set(followed))
        }  # fmt: skip
        RECORD.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if record else failed


def _show(name: str, lines: list[str]) -> None:
    console.out(
        "\n".join(
            [f"{'differs' if lines else 'as recorded'}: {name}", *(f"  {line}" for line in lines)]
        )
    )


def _write(experiment: Experiment, answers: list[Recorded], server: str) -> None:
    path = CLAIMS / f"{experiment.id}.yaml"
    path.write_text(
        with_answers(path.read_text(encoding="utf-8"), answers, server, today()), encoding="utf-8"
    )


def today() -> str:
    """Return the date in UTC, such as 2026-11-28."""
    return datetime.now(timezone.utc).date().isoformat()
