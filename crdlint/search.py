"""The search for what repairs something: the text of a document, an expression of CEL, all findings of a file.

Each search has the same three parts, and nothing repairs that has not passed all of them:

- Changes are *proposed*, the likely ones first. Each room knows its own: another spelling, value, place or indentation.
- Each is *tried*: the text is checked again with it, once, while a budget lasts. This is the only proof.
- The one of the highest rank is *chosen*. What is accepted is above what only leads further, and then what leaves less is above
  what leaves more. Changes of one rank are a tie, in the order in which they were proposed: the caller takes the first, or asks
  which one is meant.

Changes that can be made together, such as the fixes of a file, do not compete: `passing` finds those that pass together.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import inf
from typing import Final, Generic, TypeVar

from crdlint.gathering import partitioned
from crdlint.light import dataclass
from crdlint.safety.work import Effort

Change = TypeVar("Change")
Outcome = TypeVar("Outcome")
Fault = TypeVar("Fault")


@dataclass(slots=True)
class TrialBudget:
    """What a search may still spend.

    - `trials`: how many texts it may check
    - `characters`: how many characters these may have together
    - `effort`: the steps of work, one a character, that it shares with other helps of the file; None without such a limit
    """

    trials: int
    characters: int
    effort: Effort | None = None

    @property
    def is_left(self) -> bool:
        """Whether another text may be checked."""
        return self.trials > 0

    def pays(self, text: str) -> bool:
        """Count the check of a text, and return whether the budget affords it."""
        size = len(text)
        self.characters -= size
        if self.characters < 0:
            self.trials = 0
        if self.trials == 0 or not (self.effort is None or self.effort.affords(size)):
            return False
        self.trials -= 1
        if self.effort is not None:
            self.effort.spend(size)
        return True


class Search(Generic[Change, Outcome]):
    """Tries changes within a budget, and knows the leading ones: those of the highest rank, each with what its check shows.

    `check` returns what it shows for a text with a change, None if the change is out of the question. `rank` makes a rank of that:
    the greater the better. Only what ranks above `least` leads.

    >>> search = Search(TrialBudget(3, 99), lambda change, text: len(text), lambda change, length: (length,))
    >>> for change in "aa", "b", "aa", "cc", "ddd":
    ...     search.try_(change, f"text {change}")
    >>> search.leading
    [('aa', 7), ('cc', 7)]
    """

    __slots__ = ("_budget", "_check", "_rank", "_tried", "highest", "leading")

    def __init__(
        self,
        budget: TrialBudget,
        check: Callable[[Change, str], Outcome | None],
        rank: Callable[[Change, Outcome], tuple[int, ...]],
        least: tuple[int, ...] = (),
    ) -> None:
        self._budget: Final = budget
        self._check: Final = check
        self._rank: Final = rank
        self._tried: Final[set[Hashable]] = set()
        self.highest = least
        self.leading: list[tuple[Change, Outcome]] = []

    def try_(self, change: Change, text: str, *conditions: Hashable) -> None:
        """Check the text with a change, unless it was tried under the same conditions or the budget does not afford it."""
        trial = (text, *conditions)
        if trial in self._tried or not self._budget.pays(text):
            return
        self._tried.add(trial)
        outcome = self._check(change, text)
        if outcome is None:
            return
        rank = self._rank(change, outcome)
        if rank > self.highest:
            self.highest, self.leading = rank, [(change, outcome)]
        elif rank == self.highest and self.leading:
            self.leading.append((change, outcome))


def passing(
    changes: Sequence[Change],
    faults: Callable[[Sequence[Change]], Sequence[Fault]],
    blamed: Callable[[Fault], Change | None] = lambda _: None,
    most: float = inf,
) -> tuple[list[Change], list[tuple[Change, Sequence[Fault]]]]:
    """Return the changes that pass together, and each other one with its faults.

    `faults` tries some changes together, and returns what is wrong with that: nothing if they pass. All are tried at once. A change
    that a fault blames (`blamed`) fails if the fault is gone without it: a few trials for any number of them. Of the others, the
    halves of what fails are tried, each with what passed before: for k bad ones of n about k log n trials. After `most` trials, a
    group that fails is not halved.

    >>> passing([1, 2, 3, 4], lambda some: ["3 is odd"] if 3 in some else [])
    ([1, 2, 4], [(3, ['3 is odd'])])
    """
    trials = _Trials(faults, most)
    failed, pending = _without_blamed(changes, trials, blamed)
    passed: list[Change] = []
    while pending:
        group = pending.pop()
        together = [*passed, *group]
        present = trials.of(together)
        if not present:
            passed = together
        elif len(group) == 1 or not trials.are_left:
            failed += [(change, present) for change in group]
        else:
            middle = len(group) // 2
            pending += [group[middle:], group[:middle]]
    return passed, failed


class _Trials(Generic[Change, Fault]):
    """Trials of changes together, each made once."""

    def __init__(self, faults: Callable[[Sequence[Change]], Sequence[Fault]], most: float) -> None:
        self._faults, self._most = faults, most
        self._known: dict[frozenset[int], Sequence[Fault]] = {}

    @property
    def are_left(self) -> bool:
        return len(self._known) < self._most

    def of(self, changes: Sequence[Change]) -> Sequence[Fault]:
        """Return the faults of some changes together. A half comes back with the other one, which passed."""
        key = frozenset(map(id, changes))
        if key not in self._known:
            self._known[key] = self._faults(changes)
        return self._known[key]


def _without_blamed(
    changes: Sequence[Change],
    trials: _Trials[Change, Fault],
    blamed: Callable[[Fault], Change | None],
) -> tuple[list[tuple[Change, Sequence[Fault]]], list[list[Change]]]:
    """Return the changes that fail because they are blamed, each with its faults, and the groups of others, the first one last."""
    rest = list(changes)
    failed: dict[int, tuple[Change, Sequence[Fault]]] = {}
    faults_of: dict[int, list[Fault]] = {}
    while rest and trials.are_left:
        faults_of = _by_blamed(trials.of(rest), blamed)
        new, others = _with_faults(rest, faults_of)
        if not new:
            break
        failed |= {id(change): (change, faults_of[id(change)]) for change in new}
        rest = others
    if not rest:
        return list(failed.values()), []
    # The faults of these are still there without them.
    acquitted = [change for key, (change, _) in failed.items() if key in faults_of]
    remaining = [each for key, each in failed.items() if key not in faults_of]
    return remaining, list(filter(None, (acquitted, rest)))


def _with_faults(
    changes: Sequence[Change], faults_of: Mapping[int, Sequence[Fault]]
) -> tuple[list[Change], list[Change]]:
    """Return the changes that have faults, and the others."""
    return partitioned(changes, lambda change: id(change) in faults_of)


def _by_blamed(
    faults: Sequence[Fault], blamed: Callable[[Fault], Change | None]
) -> dict[int, list[Fault]]:
    """Return faults by the identity of the change that each blames, or that of None."""
    by_blamed: dict[int, list[Fault]] = {}
    for fault in faults:
        by_blamed.setdefault(id(blamed(fault)), []).append(fault)
    return by_blamed
