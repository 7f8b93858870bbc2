"""What the reports of `crdlint test` are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crdlint.suites.model import Suite
    from crdlint.suites.run import Result


@dataclass(frozen=True, slots=True)
class SuiteOutcome:
    """What is known at the end of a run; ``broken`` are suites that could not be run, and why."""

    results: Sequence[Result]
    broken: Sequence[tuple[str, str]]
    seconds: float

    @property
    def failed(self) -> list[Result]:
        """The results that are not as expected."""
        return [result for result in self.results if result.failure]


class SuiteReport(Protocol):
    """A run of suites in one format: the pieces of each test in order, of the end of each suite, and of the run's end."""

    def test(self, suite: Suite, result: Result) -> Iterable[str]:
        """Return the pieces about a test."""
        ...

    def end_suite(self, suite: Suite) -> Iterable[str]:
        """Return the pieces at the end of a suite."""
        ...

    def end(self, outcome: SuiteOutcome) -> Iterable[str]:
        """Return the last pieces."""
        ...
