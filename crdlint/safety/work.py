"""Limits of work and of depth: the steps for one document, and calls whose depth only memory limits.

The server's cost units do not include some work: the elements of nested lists, a compiled pattern, the characters that a
function prints. That work is counted here in steps of about a microsecond and at most a hundred bytes. Steps are
counted instead of measuring time, so that every run stops at the same point.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final, Generic, ParamSpec, TypeVar

from crdlint.light import dataclass

LIMIT: Final = 2_000_000  # the maximum number of steps for one document
_BYTES_PER_STEP: Final = 64  # of text

_V = TypeVar("_V")
_P = ParamSpec("_P")
_R = TypeVar("_R")


class WorkLimitError(Exception):
    """A part of a document is not evaluated; `str()` is the reason: too many steps, or too large a value."""

    def __init__(
        self, why: str = f"crdlint stops after {LIMIT:,} steps of work on one document"
    ) -> None:
        super().__init__(why)


class Recent(Generic[_V]):
    """A cache that drops the least recently used values if their total weight exceeds the capacity."""

    __slots__ = ("_entries", "capacity", "weight")

    def __init__(self, capacity: int) -> None:
        self.capacity: Final = capacity
        self.weight = 0
        self._entries: Final[dict[Hashable, tuple[_V, int]]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> _V | None:
        """Return the value of a key, or None if it is not in the cache."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return None
        self._entries[key] = entry
        return entry[0]

    def put(self, key: Hashable, value: _V, weight: int) -> None:
        """Store the value of a key, unless it weighs more than the capacity."""
        if weight > self.capacity:
            return
        self.weight -= self._entries.pop(key, (None, 0))[1]
        self._entries[key] = (value, weight)
        self.weight += weight
        while self.weight > self.capacity:
            self.weight -= self._entries.pop(next(iter(self._entries)))[1]


class Budget:
    """The remaining steps for one document, and the shared values that it has been charged for."""

    __slots__ = ("_paid", "known", "left")

    def __init__(self, steps: int) -> None:
        self.left = steps
        # Results that later evaluations of the same document reuse.
        self.known: Final[dict[Hashable, Any]] = {}
        self._paid: Final[dict[Recent[Any], Recent[bool]]] = {}

    def spend(self, steps: int) -> None:
        """Subtract steps; raise WorkLimitError if too few remain."""
        self.left -= steps
        if self.left < 0:
            raise WorkLimitError

    def spend_once(
        self,
        cache: Recent[Any],
        key: Hashable,
        weight: int,
        steps: int,
    ) -> None:
        """Subtract the steps of a cached value, unless the document has been charged for it within a cache of that size.

        So the result does not depend on values that other documents have put into the cache.
        """
        paid = self._paid.get(cache)
        if paid is None:
            paid = self._paid[cache] = Recent(cache.capacity)
        if not paid.get(key):
            paid.put(key, True, weight)
            self.spend(steps)


_CURRENT: Final[ContextVar[Budget | None]] = ContextVar("budget", default=None)


class limited:  # noqa: N801  used as a function
    """Limit the steps within the context, or in calls of a function; a limit that is already set takes precedence."""

    __slots__ = ("_steps", "_token")

    def __init__(self, steps: int = LIMIT) -> None:
        self._steps: Final = steps

    def __enter__(self) -> None:
        self._token = _CURRENT.set(_CURRENT.get() or Budget(self._steps))

    def __exit__(self, *_: object) -> None:
        _CURRENT.reset(self._token)

    def __call__(self, function: Callable[_P, _R]) -> Callable[_P, _R]:
        """Return the function with a limit for each call."""

        @wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            with limited(self._steps):
                return function(*args, **kwargs)

        return call


@contextmanager
def continued(budget: Budget | None) -> Iterator[None]:
    """Count the steps within the context against a budget again; None means no limit."""
    token = _CURRENT.set(budget)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> Budget | None:
    """Return the budget of the document that is evaluated, or None."""
    return _CURRENT.get()


def spend(steps: int) -> None:
    """Count steps; raise WorkLimitError beyond the limit. Outside of a document nothing is counted."""
    budget = _CURRENT.get()
    if budget is not None:
        budget.spend(steps)


def spend_text(characters: int, *like: str) -> None:
    """Count the characters of a text that is made of others; raise WorkLimitError beyond the limit."""
    width = 1 if all(map(str.isascii, like)) else 4
    spend(characters * width // _BYTES_PER_STEP)


# A step takes some microseconds: all helps of a file together take about a second at most.
_STEPS: Final = 150_000


@dataclass(slots=True)
class Effort:
    """The steps that the helps of one file may still take.

    Hostile input can ask for as many suggestions as it has characters, and each of them can take long. Findings are
    always complete; a help that would take too much work falls back to a general one. A step is a node of an expression
    estimated once, or two names compared.
    """

    left: int = _STEPS
    is_wanted: bool = True  # whether anybody reads the helps

    def affords(self, steps: int) -> bool:
        """Return whether `steps` are left."""
        return steps <= self.left

    def spend(self, steps: int) -> None:
        """Count `steps` as done."""
        self.left = max(self.left - steps, 0)


NO_EFFORT: Final = Effort(0, is_wanted=False)

T = TypeVar("T")


def run_calls(call: Generator[Any, Any, T]) -> T:
    """Run a generator and return its result; where it yields another one, that is run, and `yield` returns or raises its result."""
    stack = [call]
    result: Any = None
    raised: Exception | None = None
    while True:
        try:
            below = stack[-1].send(result) if raised is None else stack[-1].throw(raised)
        except StopIteration as end:  # noqa: PERF203  the end of a call
            stack.pop()
            result, raised = end.value, None
            if not stack:
                returned: T = result
                return returned
        except Exception as error:
            stack.pop()
            if not stack:
                # Its traceback refers to this frame, which would be a reference cycle
                raised = None
                raise
            result, raised = None, error
        else:
            stack.append(below)
            result, raised = None, None
