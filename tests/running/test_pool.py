"""Files over several processes: the same results in the same order, whatever happens to one of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import crdlint.checking
from crdlint.checking import Checked, Checker, Settings, Task
from crdlint.running import pool, workers

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FILES = sorted(str(path) for path in (FIXTURES / "invalid").iterdir())


def tasks() -> list[Task]:
    return [Task(path, "1.36") for path in FILES]


def told(checked: Checked) -> tuple[str, list[object], str | None]:
    return checked.name, [one for result in checked.results for one in result.diagnostics], checked.problem


def test_the_same_in_the_same_order():
    alone = [told(one) for one in pool.run(tasks(), Settings(), 1)]
    spread = [told(one) for one in pool.run(tasks(), Settings(), 2)]
    assert spread == alone
    assert [name for name, _, _ in alone] == FILES


def test_small_runs_start_no_processes(monkeypatch):
    monkeypatch.setattr(workers, "Workers", None)
    assert len(list(pool.run(tasks()[:5], Settings(), None))) == 5


def test_texts_that_nobody_needs_do_not_travel(tmp_path):
    clean = tmp_path / "clean.yaml"
    clean.write_text((FIXTURES / "valid" / "minimal.yaml").read_text())
    commented = tmp_path / "commented.yaml"
    commented.write_text(clean.read_text() + "# crdlint: ignore-file[ref]\n")
    found = list(pool.run([Task(str(clean), "1.36"), Task(str(commented), "1.36"), *tasks()[:1]], Settings(), 2))
    assert [bool(one.results[0].text) for one in found] == [False, True, True]


def test_a_process_that_dies_takes_its_own_file_with_it_only(monkeypatch):
    real = Checker.check

    def deadly(self: Checker, task: Task) -> Checked:
        if task.path == FILES[7]:
            os._exit(9)
        return real(self, task)

    monkeypatch.setattr(crdlint.checking.Checker, "check", deadly)
    found = list(pool.run(tasks(), Settings(), 2))
    assert [one.name for one in found] == FILES
    assert [one.name for one in found if one.bug is not None] == [FILES[7]]
    assert all(one.results for one in found if one.name != FILES[7])


def test_what_cannot_be_read_is_told():
    found = list(pool.run([Task("missing.yaml", "1.36"), *tasks()[:3]], Settings(), 2))
    assert [one.problem for one in found] == ["No such file or directory", None, None, None]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_kept_stays_in_the_process(jobs):
    found = list(pool.run(tasks()[-20:], Settings(keep=True), jobs))
    assert any(result.definitions for one in found for result in one.results)
