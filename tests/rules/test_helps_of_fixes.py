"""What a help prints is what the fix of the finding writes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from crds import crd_with_spec
from tables import each

from crdlint.diagnostics import Diagnostic
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.phrases import Layout, OneCommand
from crdlint.rules.catalog import all_rules
from crdlint.rules.engine.examples import manifest
from crdlint.yaml.edit import apply, changed_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

FIXTURES = sorted(Path("fixtures").rglob("*.yaml"))
CODE = re.compile(r"`([^`]+)`")
ONE_COMMAND = re.compile(r"(?:Write|Set|Add) `([^`]+)`(?: instead)?")


def fixable(text: str) -> list[Diagnostic]:
    """Return the findings of a text that have fixes."""
    result = lint_file(text, "x", CheckRequest(fixes=True, skip_unfinished=True))
    return [finding for finding in result.diagnostics if finding.fix is not None]


def plain(text: str) -> str:
    """Return a text without what only arranges it."""
    return re.sub(r"[\s'\"{}\[\],.:]+", "", text)


HELPS = {
    "a map as Rust writes it": (
        "properties:\n  a: {type: 'HashMap<String, int>'}",
        "Write `a: {type: 'object', additionalProperties: {type: integer}}`",
    ),
    "a list as Python writes it": (
        "properties:\n  a: {type: 'list[str]'}",
        "Write `a: {type: 'array', items: {type: string}}`",
    ),
    "the format of an integer or a string": (
        "properties:\n  a: {format: int-or-string}",
        "Write `x-kubernetes-int-or-string: true` instead of `format`",
    ),
    "a boolean with a comment": (
        "properties:\n  a: {type: string, nullable: true // maybe}",
        "Write `true`, and begin a comment after it with ` #`",
    ),
    "fields of items beside their key": (
        "properties:\n  a:\n    type: array\n    items:\n    type: object\n    properties:\n      b: {type: string}",
        "Indent the lines below the key without a value, which changes the type of the field",
    ),
    "a pattern of JavaScript": (
        "properties:\n  a: {type: string, pattern: '/^[a-z]+$/i'}",
        "Write the pattern without the slashes of JavaScript: `(?i)^[a-z]+$`",
    ),
    "examples of OpenAPI": (
        "properties:\n  a: {type: string, examples: [a]}",
        "Remove the field: the API server keeps it in no schema",
    ),
    "the type of a map, with what it accepts": (
        "properties:\n  a:\n    type: map[string]string",
        "Write `type: object` and `additionalProperties: {type: string}`",
    ),
    "the type of a map in brackets": (
        "properties: {a: {type: 'map[string]string'}}",
        "Write `type: 'object', additionalProperties: {type: string}`",
    ),
    "a number with its unit": (
        "properties:\n  a: {type: integer, minimum: 10 seconds}",
        "Write `a: {type: integer, minimum: 10}`",
    ),
}  # fmt: skip


@each("body, expected", HELPS.values(), ids=HELPS)
def test_help_names_all_that_the_fix_writes(body: str, expected: str) -> None:
    [finding] = fixable(crd_with_spec("type: object\n" + body))
    assert finding.help == expected


def test_long_line_shows_the_entry_that_is_written() -> None:
    fields = ", ".join(f"field{number}: {{type: string}}" for number in range(9))
    text = crd_with_spec(
        f"{{type: object, properties: {{{fields}, a: {{type: integer, minimum: 10 seconds}}}}}}"
    )
    [finding] = fixable(text)
    assert finding.help == "Write `minimum: 10`"


def test_helps_of_fixtures_command_what_their_fixes_write() -> None:
    commanded = 0
    for path in FIXTURES:
        text = path.read_text(encoding="utf-8")
        for finding in fixable(text):
            command = ONE_COMMAND.fullmatch(finding.help or "")
            if command is None or finding.fix is None:
                continue
            commanded += 1
            assert all(plain(edit.text) in plain(command[1]) for edit in finding.fix.edits), path
            assert plain(command[1]) in plain(apply(text, finding.fix.edits)), path
    assert commanded > len(FIXTURES) / 9


def test_helps_of_fixtures_name_no_other_value_than_their_fixes_write() -> None:
    for path in FIXTURES:
        text = path.read_text(encoding="utf-8")
        for finding in fixable(text):
            assert finding.fix is not None
            names = CODE.findall(finding.help or "")
            written = plain("".join(edit.text for edit in finding.fix.edits))
            new = plain("\n".join(changed_lines(text, finding.fix.edits)[1]))
            if names and written and ONE_COMMAND.fullmatch(finding.help or "") is None:
                assert any(plain(name) in new or written in plain(name) for name in names), path


def texts() -> list[str]:
    """Return the texts of all fixtures, and the bad examples of all rules."""
    examples = [manifest(rule, rule.bad) for rule in all_rules().values() if rule.bad]
    return [*(path.read_text(encoding="utf-8") for path in FIXTURES), *examples]


def test_entries_that_a_help_prints_are_what_the_fix_writes() -> None:
    compared = 0
    for text in texts():
        for finding in fixable(text):
            assert finding.fix is not None
            codes = CODE.findall(finding.help or "")
            entries = [code for code in codes if ": " in code]
            written = plain("\n".join(changed_lines(text, finding.fix.edits)[1]))
            is_written = any(plain(entry) in written for entry in entries)
            is_choice = not set(CODE.findall(finding.fix.title)).isdisjoint(codes)
            if entries and any(edit.text.strip() for edit in finding.fix.edits):
                compared += 1
                edits = [plain(edit.text) in plain("".join(codes)) for edit in finding.fix.edits]
                assert is_written or is_choice or all(edits), (finding.rule, finding.help)
    assert compared > len(all_rules()) / 9


def helps() -> Iterator[str]:
    """Yield the helps of all texts as they are without fixes."""
    for text in texts():
        result = lint_file(text, "x", CheckRequest(skip_unfinished=True))
        yield from (finding.help for finding in result.diagnostics if finding.help)


def test_helps_that_command_one_text_are_declared_as_commands() -> None:
    commands = {help_: type(help_) for help_ in helps() if ONE_COMMAND.fullmatch(help_)}
    assert len(commands) > 9
    assert {help_ for help_, type_ in commands.items() if type_ is not OneCommand} == set()


def test_commands_consist_of_one_text() -> None:
    commands = {help_ for help_ in helps() if isinstance(help_, OneCommand)}
    assert commands == {help_ for help_ in commands if ONE_COMMAND.fullmatch(help_)}


def test_helps_about_the_layout_stay_beside_fixes_of_spaces() -> None:
    """The help names lines and columns, the title of the fix does not."""
    compared = 0
    for text in texts():
        own = {}
        for finding in lint_file(text, "x", CheckRequest(skip_unfinished=True)).diagnostics:
            own[finding.line, finding.rule, finding.message] = finding.help
        for finding in fixable(text):
            before = own.get((finding.line, finding.rule, finding.message))
            if isinstance(before, Layout):
                compared += 1
                assert finding.help == before
    assert compared
