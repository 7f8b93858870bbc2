"""The `crdlint` command. Subcommands are imported when they are called, so that `crdlint --version` stays quick."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Final

import click

from crdlint.__about__ import COMMIT, __version__
from crdlint.cli import console
from crdlint.cli.flags import CommandWithHelp, ending_option, show_help
from crdlint.cli.interrupts import handled
from crdlint.cli.streams import status_of
from crdlint.safety.bugs import Bug, bug_of, collected

_DIGITS: Final = 12  # of a commit

# Name: module, the name in it unless that is `command`, one line for --help.
_COMMANDS: Final = {
    "check": ("crdlint.cli.check", "Check CRDs as the API server does."),
    "diff": ("crdlint.cli.diff", "Show what has changed between two versions of CRDs."),
    "cost": ("crdlint.cli.cost", "Show the estimated costs of CEL rules."),
    "eval": ("crdlint.cli.eval", "Evaluate CEL expressions and rules on an object."),
    "validate": ("crdlint.cli.validate", "Validate custom resources as the API server does."),
    "test": ("crdlint.cli.test", "Run declarative tests of CRDs."),
    "rules": ("crdlint.cli.rules", "List all rules."),
    "explain": ("crdlint.cli.rules:explain", "Explain a rule, with a bad and a good example."),
    "lsp": ("crdlint.cli.help:lsp", "Run the language server for editors."),
    "completion": ("crdlint.cli.help:completion", "Print a completion script for a shell."),
    "init": ("crdlint.cli.setup:init", "Write a configuration to begin with."),
    "clean": ("crdlint.cli.setup:clean", "Remove the cache of results."),
    "help": ("crdlint.cli.help", "Show the help of a command."),
}


# What the names of other tools' commands are here.
_MEANT: Final = {
    "config": "crdlint check --show settings",
    "convert": "crdlint check --format FORMAT",
    "fix": "crdlint check --fix",
    "fmt": "crdlint check --fix",
    "format": "crdlint check --fix",
    "ignore": "crdlint check --add-ignore",
    "lint": "crdlint check",
    "ls": "crdlint check --show files",
    "breaking": "crdlint diff",
    "compare": "crdlint diff",
    "list": "crdlint rules",
    "rule": "crdlint explain RULE",
    "linter": "crdlint rules",
    "scan": "crdlint check",
    "server": "crdlint lsp",
    "verify": "crdlint check",
    "version": "crdlint --version",
}


class _Commands(CommandWithHelp, click.Group):
    """A group that knows its commands by name and imports each one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        entry = _COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry[0].partition(":")
        command = getattr(import_module(module), attribute or "command")
        assert isinstance(command, click.Command)  # noqa: S101  that is what these names are of
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            meant = _meant(args[0])
            if meant is None:
                raise
            raise click.UsageError(f"{error.message} Did you mean '{meant}'?", ctx) from error


def _meant(name: str) -> str | None:
    """Return what was probably meant by a name that is no command: a command, or to check a file."""
    from crdlint.phrases import nearest
    from crdlint.safety.escapes import printable_line

    if name.startswith("-"):
        return None
    if os.path.lexists(name) or name.endswith((".yaml", ".yml", ".json", ".tgz")):
        return f"crdlint check {printable_line(name)}"
    return _MEANT.get(name.lower()) or nearest(name, _COMMANDS)


def _commit() -> str:
    """Return the commit that pip installed from a git URL, or that of the working copy, empty if there is neither."""
    import json
    from pathlib import Path

    folder = Path(__file__).parents[2]
    for origin in folder.glob(
        "crdlint-*.dist-info/direct_url.json"
    ):  # importlib.metadata takes 30 ms to find it
        return str(json.loads(origin.read_bytes()).get("vcs_info", {}).get("commit_id", ""))
    from crdlint.safety.programs import ProgramError, find, run

    git = find("git")
    if git is None or not (folder / ".git").exists():
        return ""
    try:
        done = run([git, "rev-parse", "HEAD"], folder=str(folder))
    except ProgramError:
        return ""
    return "" if done.status else done.output.strip()


_VERSION_HELP: Final = "Show the version and the Kubernetes versions, and exit."


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        from crdlint.kubernetes.servers import NEWEST, OLDEST

        commit = COMMIT or _commit()
        about = f"crdlint {__version__}{f' ({commit[:_DIGITS]})' if commit else ''}"
        console.out(f"{about}, Kubernetes {OLDEST} to {NEWEST}")
        ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Check CustomResourceDefinitions as kube-apiserver does, without a cluster.

    For authors of operators, charts and APIs: crdlint reports the API server's own errors and warnings before a
    manifest is applied, with the line and column of each.

    Exit status: 0 nothing is rejected, 1 findings, 2 wrong usage or unreadable input, 3 a bug in crdlint.

    \b
    Examples:
      crdlint check config/crd/
      crdlint explain list-map-key-required
    """  # noqa: D301  \b keeps the lines below it as they are


cli.params += [
    ending_option(["-V", "--version"], _show_version, _VERSION_HELP),
    ending_option(["--help-all"], show_help, None, hidden=True),
]


def main() -> None:
    """Run the command line; a bug in crdlint ends with a report and exit status 3, never with a bare traceback."""
    with handled():
        _run()


def _run() -> None:
    console.prepare()
    bugs: list[Bug] = []  # that no command reports
    try:
        with collected(bugs):
            status = cli.main(standalone_mode=False, prog_name="crdlint")
        sys.exit(_report(bugs) or status)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.ClickException as error:
        console.show_error(error)
        sys.exit(_report(bugs) or 2)
    except console.StreamError as error:
        sys.exit(status_of(error, console.err))
    except Exception as error:
        sys.exit(_report([*bugs, bug_of(error)]))


def _report(bugs: list[Bug]) -> int:
    """Report internal errors, and return the exit status, 0 without any."""
    if not bugs:
        return 0
    console.Bugs().add("", bugs)
    return console.BUG


if __name__ == "__main__":
    main()
