"""Running experiments and showing which answers differ from the recorded ones, or recording them anew."""

from __future__ import annotations

from datetime import datetime, timezone

from crdlint.cli import console
from crdlint.phrases import counted

from .cluster import Cluster
from .experiments import CLAIMS, Experiment, experiments, with_answers
from .programs import Programs
from .trying import Recorded, differences, run


def try_claims(cluster: Cluster, programs: Programs, rule: str, *, record: bool) -> int:
    """Run the experiments of a rule, all of them for "". Return how many differ from the recorded answers."""
    failed, chosen = 0, list(experiments(rule))
    for experiment in chosen:
        answers = run(experiment, cluster, programs)
        lines = differences(experiment, answers)
        failed += bool(lines)
        console.out(
            "\n".join([f"{'differs' if lines else 'as recorded'}: {experiment.id}", *(f"  {line}" for line in lines)])
        )
        if record and lines:
            _write(experiment, answers, cluster.server.version())
    console.out(f"{counted(len(chosen), 'experiment')}, {failed} {'recorded anew' if record else 'different'}")
    return 0 if record else failed


def _write(experiment: Experiment, answers: list[Recorded], server: str) -> None:
    path = CLAIMS / f"{experiment.id}.yaml"
    today = datetime.now(timezone.utc).date().isoformat()
    path.write_text(with_answers(path.read_text(encoding="utf-8"), answers, server, today), encoding="utf-8")
