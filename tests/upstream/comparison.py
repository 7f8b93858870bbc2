"""Comparing crdlint with answers of the API server, in as many processes as there are cores."""

from __future__ import annotations

import os
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from .answers import crdlint_answer, differences, is_comparable
from .rows import Answer, Request, family_of

# How often the server is asked before a difference counts: some answers vary with the order of Go's maps, and the one
# with all errors of server-side apply may be rare.
TRIES: Final = 64


class Question(NamedTuple):
    """A request, the version that it is for, and the answers that the server gives, usually one."""

    request: Request
    version: str
    wanted: tuple[Answer, ...]


class Verdict(NamedTuple):
    """The id of a request, and a text for each key in which crdlint's answer differs from the server's."""

    id: str
    differences: list[str]


@dataclass
class Tally:
    """Counts of requests by family: all that were compared, and those that are alike."""

    compared: Counter[str] = field(default_factory=Counter)
    alike: Counter[str] = field(default_factory=Counter)

    def add(self, verdict: Verdict) -> None:
        """Count a verdict."""
        family = family_of({"id": verdict.id})
        self.compared[family] += 1
        self.alike[family] += not verdict.differences

    def share(self) -> float:
        """Return the percentage of requests that are alike."""
        compared = self.compared.total()
        return 100 * self.alike.total() / compared if compared else 100.0


def compare(question: Question) -> Verdict:
    """Ask crdlint a question; an exception is a difference."""
    request, version, wanted = question
    try:
        got = crdlint_answer(request, version)
    except Exception:
        return Verdict(str(request.get("id")), [traceback.format_exc()])
    found = [differences(got, want) for want in wanted]
    return Verdict(str(request.get("id")), min(found, key=len, default=[]))


def compare_all(questions: Iterable[Question], processes: int | None = None) -> Iterator[Verdict]:
    """Yield a verdict for each question that the server answers, in their order."""
    answered = (question for question in questions if any(map(is_comparable, question.wanted)))
    if processes == 1:
        yield from map(compare, answered)
        return
    with ProcessPoolExecutor(processes or os.cpu_count()) as pool:
        yield from pool.map(compare, answered, chunksize=16)
