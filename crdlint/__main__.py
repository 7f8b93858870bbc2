"""`python -m crdlint`, and the `crdlint` command."""

import gc
import signal
import sys

# Allocations between two collections: importing the modules of a command makes many objects, and hardly any garbage.
_ALLOCATIONS = 100_000


def main() -> None:
    """Run the command line. Signals are handled before everything else is imported."""
    gc.set_threshold(_ALLOCATIONS)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback of the imports that follow
    from crdlint.cli.interrupts import exit_on_signals

    exit_on_signals()
    try:
        _answer(sys.argv[1:])
        from crdlint.cli.main import main as run

        run()
    finally:
        gc.freeze()  # Python collects garbage at its end, in every module: the process gives back that memory anyway


def _answer(arguments: list[str]) -> None:
    """Exit with the answer of an earlier run, if there is one."""
    if arguments[:1] not in (["check"], ["validate"]) or "--no-cache" in arguments:
        return
    from crdlint.cli.answers import answered

    status = answered(arguments)
    if status is not None:
        sys.exit(status)


if __name__ == "__main__":
    main()
