"""`python -m crdlint`, and the `crdlint` command."""

import signal


def main() -> None:
    """Run the command line. Signals are handled before everything else is imported."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback of the imports that follow
    from crdlint.cli.interrupts import exit_on_signals

    exit_on_signals()
    from crdlint.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
