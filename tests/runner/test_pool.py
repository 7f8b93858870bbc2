"""Files over several processes: the same results in the same order, whatever happens to one of them."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import crdlint.runner.task
from crdlint.kubernetes.servers import parse_range
from crdlint.linting.request import CheckRequest
from crdlint.runner import pool, workers
from crdlint.runner.task import Checker, CheckOutcome, Settings, Task

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

REQUEST = CheckRequest(versions=parse_range("1.36"), skip_unfinished=True, fixes=True)
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FILES = sorted(str(path) for path in (FIXTURES / "invalid").iterdir())[:24]


def tasks() -> list[Task]:
    return [Task(path, REQUEST) for path in FILES]


def told(checked: CheckOutcome) -> tuple[str, list[object], str | None]:
    return (
        checked.name,
        [one for result in checked.results for one in result.diagnostics],
        checked.problem,
    )


def test_the_same_in_the_same_order() -> None:
    alone = [told(one) for one in pool.run(tasks(), Settings(), 1)]
    spread = [told(one) for one in pool.run(tasks(), Settings(), 2)]
    assert spread == alone
    assert [name for name, _, _ in alone] == FILES


def test_small_runs_start_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "Workers", None)
    assert len(list(pool.run(tasks()[:5], Settings(), None))) == 5


def test_texts_that_nobody_needs_do_not_travel(tmp_path: Path) -> None:
    clean = tmp_path / "clean.yaml"
    clean.write_text((FIXTURES / "valid" / "minimal.yaml").read_text())
    commented = tmp_path / "commented.yaml"
    commented.write_text(clean.read_text() + "# crdlint: ignore-file[ref]\n")
    found = list(
        pool.run(
            [Task(str(clean), REQUEST), Task(str(commented), REQUEST), *tasks()[:1]], Settings(), 2
        )
    )
    assert [bool(one.results[0].text) for one in found] == [False, True, True]


def test_a_process_that_dies_takes_its_own_file_with_it_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = Checker.check

    def deadly(self: Checker, task: Task) -> CheckOutcome:
        if task.path == FILES[7]:
            os._exit(9)
        return real(self, task)

    monkeypatch.setattr(crdlint.runner.task.Checker, "check", deadly)
    found = list(pool.run(tasks(), Settings(), 2))
    assert [one.name for one in found] == FILES
    assert [one.name for one in found if one.bugs] == [FILES[7]]
    assert all(one.results for one in found if one.name != FILES[7])


def test_what_cannot_be_read_is_told() -> None:
    found = list(pool.run([Task("missing.yaml", REQUEST), *tasks()[:3]], Settings(), 2))
    assert [one.problem for one in found] == ["No such file or directory", None, None, None]


def test_standard_input_is_read_by_the_first_process(monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path(FILES[0]).read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    found = list(pool.run([*tasks()[1:3], Task("-", REQUEST), *tasks()[3:5]], Settings(), 2))
    assert [one.name for one in found] == [*FILES[1:3], "<stdin>", *FILES[3:5]]
    assert found[2].results[0].diagnostics


def test_what_is_checked_already_is_passed_on_in_its_place() -> None:
    done = CheckOutcome("done", tasks()[0])
    for jobs in (None, 1, 2):
        found = list(
            pool.run([done, *tasks()[:2], done, done, *tasks()[2:4], done], Settings(), jobs)
        )
        assert [one.name for one in found] == [
            "done",
            *FILES[:2],
            "done",
            "done",
            *FILES[2:4],
            "done",
        ]


@pytest.mark.parametrize("jobs", [None, 1, 2, 3])
def test_tasks_are_taken_as_results_are(jobs: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than a few chunks of tasks are ahead of the results, whatever the length of the run."""
    monkeypatch.setattr(pool, "_READ_AHEAD", 5_000)
    monkeypatch.setattr(pool, "_CHUNK_TASKS", 4)
    taken = done = most = 0

    def lazily() -> Iterator[Any]:
        nonlocal taken
        for task in tasks() * 3:
            taken += 1
            yield task

    for _ in pool.run(lazily(), Settings(), jobs):
        done += 1
        most = max(most, taken - done)
    assert done == 3 * len(FILES)
    processes = jobs or 1
    assert most <= 4 * (3 * processes + 2)


SIZES = {
    "little to check": (1, 10_000, 0),
    "much to check": (5, 10_000, 2),
    "much in all, most of it in the cache": (100, 1, 0),
}


@pytest.mark.parametrize(("count", "size", "processes"), SIZES.values(), ids=SIZES)
def test_processes_are_started_for_what_is_not_in_the_cache(
    count: int, size: int, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [CheckOutcome(f"known{i}", tasks()[0]) for i in range(100)]
    started: list[int] = []

    class Counted(workers.Workers):
        def __init__(self, count: int, settings: Settings) -> None:
            started.append(count)
            super().__init__(count, settings)

    monkeypatch.setattr(workers, "Workers", Counted)
    monkeypatch.setattr(pool, "_WORTHWHILE", 30_000)
    monkeypatch.setattr(pool, "free_processors", lambda: 2)
    monkeypatch.setattr(pool, "_size", lambda task: 0 if isinstance(task, CheckOutcome) else size)
    found = list(pool.run([*known, *(tasks() * 5)[:count]], Settings(), None))
    assert len(found) == 100 + count
    assert sum(started) == processes


def test_one_process_where_no_processor_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "Workers", None)
    monkeypatch.setattr(pool, "_WORTHWHILE", 0)
    monkeypatch.setattr(pool, "free_processors", lambda: 1)
    assert len(list(pool.run(tasks()[:5], Settings(), None))) == 5


PROCESSORS = {
    "idle": ({0, 1, 2, 3}, 0.2, None, 4),
    "half of them in use": ({0, 1, 2, 3}, 2.1, None, 2),
    "all of them in use": ({0, 1}, 7.5, None, 1),
    "a container with a quota": ({0, 1, 2, 3}, 0.0, "150000 100000\n", 2),
    "a container without a quota": ({0, 1, 2, 3}, 0.0, "max 100000\n", 4),
    "a part of a processor": ({0, 1, 2, 3}, 0.0, "10000 100000\n", 1),
    "very many": (set(range(64)), 1.0, None, 8),
}


@pytest.mark.parametrize(
    ("affinity", "load", "quota", "expected"), PROCESSORS.values(), ids=PROCESSORS
)
def test_free_processors(
    affinity: set[int],
    load: float,
    quota: str | None,
    expected: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    file = tmp_path / "cpu.max"
    if quota is not None:
        file.write_text(quota)
    monkeypatch.setattr(pool, "_QUOTA", file)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: affinity, raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0), raising=False)
    assert pool.free_processors() == expected
