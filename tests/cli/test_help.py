"""`--help` of every command: what it does and for whom, two examples, and an instruction for each option."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click
import pytest
from click.testing import CliRunner
from plain_english import avoided

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMANDS: Final = ["", *cli.list_commands(click.Context(cli))]


def shown(command: str) -> str:
    return CliRunner().invoke(cli, [*command.split(), "--help"], prog_name="crdlint").stdout


def commands() -> Iterator[click.Command]:
    yield cli
    for name in COMMANDS[1:]:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        yield command


OPTIONS: Final = {
    f"{command.name} {option.opts[0]}": option.help
    for command in commands()
    for option in command.params
    if isinstance(option, click.Option) and option.help is not None
}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_opens_with_what_the_command_does_and_has_two_examples(command: str) -> None:
    help_ = shown(command)
    assert avoided(help_) == []
    first = help_.split("\n\n")[1].strip()
    assert re.match("(Check|Evaluate|Validate|Run|Show|List|Explain|Print|Write|Remove) ", first)
    assert first.endswith(".")
    examples = help_.partition("  Examples:\n")[2].partition("\n\n")[0].splitlines()
    assert len(examples) >= 2
    name = command or "(check|explain)"
    assert all(re.search(rf"\bcrdlint {name}\b", example) for example in examples)


def options_of(help_: str) -> list[str]:
    return re.findall(r"^  (-[^ ,).]+)(?=[ ,]|$)", help_, re.MULTILINE)


def test_help_shows_groups_of_24_options_and_the_others_on_request() -> None:
    for command in commands():
        name = command.name if command is not cli else ""
        options = options_of(shown(str(name)))
        assert len(options) == len(set(options)) <= 24, name
        everything = CliRunner().invoke(
            cli, [*filter(None, [name]), "--help-all"], prog_name="crdlint"
        )
        assert everything.exit_code == 0, name
        if "--help-all" not in options:
            assert everything.stdout == shown(str(name))
        else:
            all_ = options_of(CliRunner().invoke(cli, [str(name), "--help-all"]).stdout)
            assert (
                set(options)
                < set(all_)
                == {next(iter(o.opts)) for o in command.get_params(ctx_of(command)) if is_shown(o)}
            )
    assert {"--all", "--explain"} <= set(options_of(shown("diff")))  # what only this command has
    headings = re.findall(r"^(\S.*):$", shown("check"), re.MULTILINE)
    assert headings == [
        "What to check",
        "Kubernetes and Helm",
        "Rules",
        "Fixes",
        "Comparison",
        "Output",
        "Help",
    ]


def ctx_of(command: click.Command) -> click.Context:
    return click.Context(command, help_option_names=["-h", "--help"])


def is_shown(param: click.Parameter) -> bool:
    return isinstance(param, click.Option) and not param.hidden


def test_help_is_a_command_too() -> None:
    for name in COMMANDS:
        assert CliRunner().invoke(
            cli, ["help", *name.split()], prog_name="crdlint"
        ).stdout == shown(name)
    unknown = CliRunner().invoke(cli, ["help", "chek"])
    assert (unknown.exit_code, "Did you mean 'check'?" in unknown.output) == (2, True)


def test_an_option_is_described_by_a_sentence() -> None:
    wrong = {
        name
        for name, help_ in OPTIONS.items()
        if not re.match("[A-Z]|text |auto ", help_) or help_[-1] != "."
    }
    assert wrong == set()
