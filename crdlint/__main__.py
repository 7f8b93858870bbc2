"""`python -m crdlint`, and the `crdlint` command."""

import atexit
import gc
import os
import signal
import sys

# Allocations between two collections: importing the modules of a command makes many objects, and hardly any garbage.
_ALLOCATIONS = 100_000
# Modules that make Python values of YAML and write it, with the errors that libyaml's module names.
_OF_WRITING = (
    ("constructor", "ConstructorError"),
    ("emitter", "EmitterError"),
    ("representer", "RepresenterError"),
    ("serializer", "SerializerError"),
)


def main() -> None:
    """Run the command line. Signals are handled before everything else is imported."""
    gc.set_threshold(_ALLOCATIONS)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback of the imports that follow
    from crdlint.cli.interrupts import exit_on_signals

    exit_on_signals()
    try:
        _answer(sys.argv[1:])
        _leave_out_what_is_not_needed()
        from crdlint.cli.main import main as run_command

        run_command()
    finally:
        gc.freeze()  # Python collects garbage at its end, in every module: the process gives back that memory anyway


def _leave_out_what_is_not_needed() -> None:
    """Import some modules only when they are used, although libraries import them."""
    from crdlint.light import import_on_use

    import_on_use("inspect")  # Click needs it only to show a help
    import_on_use("uuid", named="UUID")  # a type of options that crdlint does not have
    import_on_use("ruamel.yaml")  # libyaml reads, with a few of its modules
    for module, error in _OF_WRITING:
        import_on_use(f"ruamel.yaml.{module}", named=error)


def _answer(arguments: list[str]) -> None:
    """Exit with the answer of an earlier run, if there is one."""
    if arguments[:1] not in (["check"], ["validate"]) or "--no-cache" in arguments:
        return
    from crdlint.cli.answers import answered

    status = answered(arguments)
    if status is not None:
        sys.exit(status)


def run() -> None:
    """Run the command line as a program, whose memory the system takes back in less time than Python frees it."""
    try:
        main()
    except SystemExit as done:
        if isinstance(done.code, int) and _is_done():
            os._exit(done.code)
        raise


def _is_done() -> bool:
    """Return whether nothing else runs or is to be run at the end, and all output is written."""
    threading = sys.modules.get("threading")
    has_callbacks = atexit._ncallbacks() > 0  # noqa: SLF001  nothing public shows it
    has_threads = threading is not None and threading.active_count() > 1
    if has_callbacks or has_threads or sys.getprofile() is not None:
        return False
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except Exception:  # Python reports it
        return False
    return True


if __name__ == "__main__":
    run()
