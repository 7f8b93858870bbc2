"""The command in the process of the test: what it prints and its exit status, as a shell has them."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING
from unittest import mock

from click.testing import CliRunner

from crdlint.cli import console, main

if TYPE_CHECKING:
    from subprocess import CompletedProcess


def crdlint(*arguments: str, stdin: str | bytes = "", **environment: str) -> CompletedProcess[str]:
    """Run crdlint with arguments, standard input and more environment; no stream of it is a terminal."""
    status: object = None
    with (
        CliRunner().isolation(stdin, environment) as (output, errors, _),
        mock.patch.object(sys, "argv", ["crdlint", *arguments]),
        mock.patch.object(console, "prepare"),  # these streams have no file descriptors
    ):
        try:
            main._run()  # noqa: SLF001  main() itself replaces the handlers of signals
        except SystemExit as ended:
            status = ended.code
        sys.stdout.flush()
        sys.stderr.flush()
    assert status is None or isinstance(status, int)
    return subprocess.CompletedProcess(
        arguments, status or 0, output.getvalue().decode(), errors.getvalue().decode()
    )
