"""What the reports of `crdlint cost` are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.cost_entries import Entry
    from crdlint.linting.result import FileResult


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of the rules of a run, in order.

    ``top`` is how many of them are shown, None for all; totals count them all. ``parts`` asks for what each part of a rule
    costs. ``problems`` are (file, reason) of inputs that could not be read.
    """

    entries: Sequence[Entry]
    results: Sequence[FileResult]
    problems: Sequence[tuple[str, str]] = ()
    top: int | None = None
    parts: bool = False

    @property
    def shown(self) -> Sequence[Entry]:
        """The rules to show."""
        return self.entries[: self.top]

    @property
    def unestimated(self) -> list[Diagnostic]:
        """The findings that keep rules from being estimated."""
        return [one for result in self.results for one in result.unestimated]


class CostReport(Protocol):
    """The costs of a run in one format."""

    def pieces(self, costs: Costs) -> Iterable[str]:
        """Return the pieces of the report."""
        ...
