"""What was observed on a running API server: experiments whose requests and answers show what rules claim.

They are written to `observations.json` from the files in `tests/upstream/claims/`, which can be run again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from crdlint.light import NamedTuple
from crdlint.phrases import joined
from crdlint.rules.engine.rule import Rule


class Observation(NamedTuple):
    """An experiment: what it shows in a sentence, the version and the date of the server, and its (request, answer) pairs."""

    claim: str
    server: str
    date: str
    steps: tuple[tuple[str, str], ...]

    @property
    def protocol(self) -> str:
        """The requests and answers in lines."""
        return "\n".join(f"{request}\n  → {answer}" for request, answer in self.steps)


def origin(experiments: Iterable[Observation]) -> str:
    """Return a sentence with the servers and the dates of observations."""
    servers = sorted({f"kube-apiserver {each.server} ({each.date})" for each in experiments})
    return f"Observed on {joined(servers)}."


def observations(rule: Rule) -> list[Observation]:
    """Return the experiments that a rule names, in the order in which it names them."""
    recorded = _recorded()
    return [_observation(recorded[name]) for name in rule.observed]


@cache
def _recorded() -> dict[str, Any]:
    text = Path(__file__).with_name("observations.json").read_text(encoding="utf-8")
    recorded: dict[str, Any] = json.loads(text)
    return recorded


def _observation(values: dict[str, Any]) -> Observation:
    steps = tuple((request, answer) for request, answer in values["steps"])
    return Observation(
        values["claim"],
        values["server"],
        values["date"],
        steps,
    )
