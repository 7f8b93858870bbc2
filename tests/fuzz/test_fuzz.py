"""A small part of the fuzzing that `benchmarks/fuzz.py` does, and what its driver does with inputs that fail."""

from __future__ import annotations

import datetime
import itertools
import json
import shutil
import time
from pathlib import Path
from random import Random

import pytest
import requests_of_editors
from driver import fuzz
from targets import TARGETS


@pytest.mark.parametrize("inputs", [15, pytest.param(200, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", TARGETS)
def test_no_input_fails(name: str, inputs: int) -> None:
    target = TARGETS[name]
    # An input of editors is some dozens of requests.
    count = inputs // 8 if name == "requests" else inputs
    for index in range(count):
        target.run(target.make(Random(f"{name}/ci/{index}")))


_SECONDS = 600
FOUND = sorted(Path(__file__).with_name("found").iterdir())


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_inputs_that_once_failed(path: Path) -> None:
    """The name of a file begins with that of its target; an input of several parts is in JSON."""
    text = path.read_text(encoding="utf-8")
    given = json.loads(text) if path.suffix == ".json" else text
    TARGETS[path.stem.partition("-")[0]].run(given)


@pytest.mark.exhaustive
@pytest.mark.timeout(_SECONDS)
@pytest.mark.parametrize("number", range(2))
def test_an_editor_asks_at_every_position(number: int) -> None:
    crd, resource, _ = TARGETS["requests"].make(Random(f"positions/{number}"))
    requests_of_editors.ask(crd, resource)


@pytest.mark.exhaustive
@pytest.mark.timeout(3 * _SECONDS)
def test_ten_minutes_at_the_seed_of_the_day() -> None:
    """Other inputs every day; a failure names the input, which belongs into `found`."""
    seed = datetime.datetime.now(datetime.timezone.utc).date().toordinal()
    end = time.monotonic() + _SECONDS
    failures: list[str] = []
    for index, name in enumerate(itertools.cycle(TARGETS)):
        if time.monotonic() > end:
            break
        first = index // len(TARGETS) * _STEP
        result = fuzz(name, seed=seed, first=first, last=first + _STEP - 1)
        failures += [
            f"{name} --seed {seed} --only {failure.index}: {failure.place}"
            for failure in result.failures
        ]
    assert failures == []


_STEP = 50


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_depend_on_the_seed_only(name: str) -> None:
    make = TARGETS[name].make
    assert [make(Random(f"x/{i}")) for i in range(9)] == [make(Random(f"x/{i}")) for i in range(9)]


FAKE = """
import os
from dataclasses import dataclass
from random import Random


@dataclass
class Target:
    make: object
    run: object


NUMBERS = {Random(f"fake/7/{i}").random(): i for i in range(20)}


def run(number):
    index = NUMBERS[number]
    if index == 3:
        raise ZeroDivisionError("x")
    if index == 5:
        while True:
            pass
    if index == 7:
        bytearray(500 * 1024 * 1024)
    if index == 9:
        os.abort()


TARGETS = {"fake": Target(Random.random, run)}
"""


def test_the_driver_goes_on_behind_failures(tmp_path: Path) -> None:
    worker = tmp_path / "worker.py"
    shutil.copy(Path(__file__).with_name("worker.py"), worker)
    (tmp_path / "targets.py").write_text(FAKE)
    result = fuzz("fake", seed=7, first=1, last=12, seconds=1, megabytes=256, worker=worker)
    assert result.inputs == 12
    assert [(failure.kind, failure.index) for failure in result.failures] == [
        ("crash", 3),
        ("hang", 5),
        ("memory", 7),
        ("death", 9),
    ]
    assert [failure.place for failure in result.failures][1:4:2] == ["SIGPROF", "SIGABRT"]
    assert result.failures[0].place.startswith("ZeroDivisionError at ")


def test_a_worker_that_cannot_start_is_an_error(tmp_path: Path) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text("import nothing_like_this")
    with pytest.raises(RuntimeError, match="nothing_like_this"):
        fuzz("fake", seed=7, first=1, last=2, worker=worker)
