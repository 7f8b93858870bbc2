"""Internal errors, contained where they happen and reported: no finding depends on helps, fixes and causes, made by `attempt`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, ParamSpec, TypeVar

from crdlint.light import NamedTuple

P = ParamSpec("P")
T = TypeVar("T")


class Bug(NamedTuple):
    """An internal error: the exception in one line, and its traceback."""

    text: str
    traceback: str


def bug_of(error: BaseException) -> Bug:
    """Return an exception as an internal error for reports."""
    import traceback

    return Bug(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))


_BUGS: Final[ContextVar[list[Bug] | None]] = ContextVar("bugs", default=None)


@contextmanager
def collected(bugs: list[Bug] | None = None) -> Iterator[None]:
    """Add the internal errors within to `bugs`, or by default to the list of the surrounding block, if there is one."""
    outer = _BUGS.get()
    token = _BUGS.set(bugs if bugs is not None else outer if outer is not None else [])
    try:
        yield
    finally:
        _BUGS.reset(token)


def contain(error: Exception) -> Bug:
    """Collect an exception as an internal error; raise it where nothing collects them."""
    bugs = _BUGS.get()
    if bugs is None:
        raise error
    bugs.append(bug_of(error))
    return bugs[-1]


def has_failed() -> bool:
    """Return whether an internal error was collected."""
    return bool(_BUGS.get())


def attempt(make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """Return what a function returns, or None if it fails, which is an internal error."""
    try:
        return make(*args, **kwargs)
    except Exception as error:
        contain(error)
        return None
