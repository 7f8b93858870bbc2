"""Counting how many answers are alike, and why requests were not asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from crdlint.phrases import counted

from .asking import Compared


@dataclass
class Counts:
    """How many answers were compared, and how many are alike, by what was asked."""

    asked: Counter[str] = field(default_factory=Counter)
    alike: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, *, is_alike: bool) -> None:
        self.asked[name] += 1
        self.alike[name] += is_alike

    @property
    def different(self) -> int:
        return self.asked.total() - self.alike.total()

    def summary(self) -> str:
        """Return a line for each name."""
        return "\n".join(
            f"{name}: {self.alike[name]:,} of {asked:,} alike" for name, asked in self.asked.items()
        )


@dataclass
class Tally:
    """How many requests were asked, how many answers differ, and for which reasons others were not asked."""

    asked: int = 0
    different: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, compared: Compared) -> None:
        if compared.outcome.server is None:
            self.skipped[compared.outcome.why] += 1
            return
        self.asked += 1
        self.different += bool(compared.lines)

    def summary(self) -> str:
        """Return the figures in lines: what was asked, and each reason for what was not."""
        alike = self.asked - self.different
        share = f" ({100 * alike / self.asked:.2f} %)" if self.asked else ""
        lines = [
            f"{counted(self.asked, 'request')} asked, {alike} alike{share}, {self.different} different"
        ]
        lines += [f"{count} not asked: {why}" for why, count in self.skipped.most_common()]
        return "\n".join(lines)
