"""Ctrl-C and other signals that end a run: end at once, leave nothing behind, print no traceback."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NoReturn

from crdlint.safety.signals import ENDING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs
    from types import FrameType

_GRACE: Final = 1.0  # seconds in which the run may clean up
_STATUS: Final = 128  # plus the number of the signal, as shells report it


class Interrupted(BaseException):
    """A signal ends the run."""


def exit_on_signals() -> None:
    """Exit with status 128 + N on signal N, such as 130 on Ctrl-C, while there is nothing to clean up."""
    _replace_handlers(_leave)


@contextmanager
def handled() -> Iterator[None]:
    """Clean up and exit with status 128 + N on signal N, unless the shell ignores it, as for a job in the background."""
    _replace_handlers(_interrupt)
    sys.unraisablehook = _unraisable
    try:
        yield
    except Interrupted as interrupted:
        # Nothing is flushed: whoever reads standard output may have stopped reading.
        _exit(interrupted.args[0])
    finally:
        _replace_handlers(signal.SIG_DFL)
        sys.unraisablehook = sys.__unraisablehook__


def _replace_handlers(
    handler: Callable[[int, FrameType | None], NoReturn] | signal.Handlers,
) -> None:
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    _replace_handlers(_leave)
    if hasattr(signal, "setitimer"):  # an import in C may swallow the exception
        signal.signal(signal.SIGALRM, lambda *_: _exit(number))
        signal.setitimer(signal.ITIMER_REAL, _GRACE)
    raise Interrupted(number)


def _unraisable(raised: UnraisableHookArgs, /) -> None:
    """Exit where Python would ignore Interrupted, as in the callback of a weak reference."""
    if isinstance(raised.exc_value, Interrupted):
        _exit(raised.exc_value.args[0])
    sys.__unraisablehook__(raised)


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    """Exit without cleaning up, on a second signal."""
    _exit(number)


def _exit(number: int) -> NoReturn:
    # Most runs start none, and need not import it.
    programs = sys.modules.get("crdlint.safety.programs")
    if programs is not None:
        programs.end_running()
    os._exit(_STATUS + number)
