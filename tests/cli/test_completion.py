"""Tab completion, typed into real shells: paths, rule ids, formats, versions."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from commands import crdlint

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

LOAD = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        'eval "$(crdlint completion bash)"; echo READY$((1+1))',
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        'autoload -U compinit; compinit -u -D; bindkey -e; eval "$(crdlint completion zsh)"; echo READY$((1+1))',
    ),
    "fish": (
        ["fish", "--no-config", "-i"],
        "crdlint completion fish | source; echo READY(math 1+1)",
    ),
}
SHELLS = [shell for shell in LOAD if shutil.which(shell) is not None]
# what is typed, and the line after the tab key
CASES = [
    ("crdlint check uni", "crdlint check unique-folder"),
    ("crdlint check unique-folder/one", "crdlint check unique-folder/one.yaml"),
    ("crdlint check --quiet unique-folder/one", "crdlint check --quiet unique-folder/one.yaml"),
    ("crdlint validate --crd uni", "crdlint validate --crd unique-folder"),
    ("crdlint check --config uni", "crdlint check --config unique-folder"),
    ("crdlint check --ignore list-map-key-req", "crdlint check --ignore list-map-key-required"),
    ("crdlint explain list-map-key-req", "crdlint explain list-map-key-required"),
    ("crdlint check --format sar", "crdlint check --format sarif"),
    ("crdlint check --output sar", "crdlint check --output sarif="),
    ("crdlint check --kube-version 1.29..1.35", "crdlint check --kube-version 1.29..1.35"),
    ("crdlint check --kube-version 1.28..1.28", "crdlint check --kube-version 1.28..1.28"),
    ("crdlint vali", "crdlint validate"),
]


def typed(shell: str, lines: list[str], folder: Path) -> list[str]:
    """Type each line and the tab key into an interactive shell; return what the shell made of the lines."""
    argv, load = LOAD[shell]
    (folder / "bin").mkdir()
    command = folder / "bin" / "crdlint"
    command.write_text(
        f"#!{sys.executable}\nfrom crdlint.cli.main import main\nmain()\n", encoding="utf-8"
    )
    command.chmod(0o755)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(folder), "TERM": "dumb", "PS1": "$ "}
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe(argv[0], argv, environment)
    try:
        os.write(terminal, load.encode() + b"\n")
        read_until(terminal, rb"READY2\r")
        completed = []
        for line in lines:
            # Ctrl-A, "echo", Ctrl-E: print the completed line, with a last word that was not typed in one piece
            os.write(terminal, line.encode() + b"\t\x01echo \x05 'E'ND\n")
            output = read_until(terminal, rb"\n(crdlint [^\n]*) END\r")
            completed.append(" ".join(output[1].decode().split()))
        return completed
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


def read_until(terminal: int, pattern: bytes) -> re.Match[bytes]:
    """Read the terminal up to a pattern; it ends when the shell does."""
    output = b""
    while True:
        output += os.read(terminal, 65536)
        match = re.search(pattern, output)
        if match is not None:
            return match


def test_each_line_completes(subtests: pytest.Subtests) -> None:
    for line, completed in CASES:
        with subtests.test(line):
            word = str(len(line.split()) - 1)
            done = crdlint(_CRDLINT_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=word)
            wanted = completed.split()[-1]
            assert (
                done.stdout == f"file,{line.split()[-1]}\n"
                if "folder" in wanted
                else f"plain,{wanted}\n" in done.stdout
            )


@pytest.mark.exhaustive
@pytest.mark.parametrize("shell", SHELLS)
def test_the_tab_key_completes(shell: str, tmp_path: Path) -> None:
    (tmp_path / "unique-folder").mkdir()
    (tmp_path / "unique-folder" / "one.yaml").touch()
    completed = typed(shell, [line for line, _ in CASES], tmp_path)
    assert [line.removesuffix("/") for line in completed] == [line for _, line in CASES]


def test_every_option_that_takes_a_file_completes_to_files() -> None:
    context = cli.make_context("crdlint", ["rules"])
    checked = 0
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            if (
                re.search("FILE|PATH|SUITE", str(parameter.metavar))
                and parameter.metavar != "RULE_OR_PATH"
            ):
                typed_word = "sarif=" if parameter.metavar == "FORMAT=FILE" else ""
                items = parameter.shell_complete(context, typed_word)
                assert [item.type for item in items] == ["file"], (name, parameter.name)
                checked += 1
    assert checked >= 10
