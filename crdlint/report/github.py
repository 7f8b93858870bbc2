"""Annotations of GitHub Actions: workflow commands, escaped as actions/toolkit does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.report.escapes import command_data, command_property
from crdlint.report.uris import relative

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic
    from crdlint.report.checked import Checked

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "notice"}


def render(checked: Checked) -> str:
    """Return a command for each finding, the gravest first: GitHub shows ten of each level for a step."""
    found = sorted(checked.diagnostics(), key=lambda one: list(_LEVELS).index(one.severity))
    lines = [
        f"::error file={command_property(relative(file))}::{command_data(reason)}" for file, reason in checked.problems
    ]
    return "".join(f"{line}\n" for line in (*lines, *map(_command, found)))


def _command(one: Diagnostic) -> str:
    given = {"file": relative(one.file), "line": one.line, "endLine": one.end_line, "title": f"crdlint {one.rule}"}
    if one.line == one.end_line:  # columns go with one line only
        given |= {"col": one.column, "endColumn": max(one.end_column - 1, one.column)}
    properties = ",".join(f"{name}={command_property(str(value))}" for name, value in given.items())
    text = one.message + (f"\nhelp: {one.help}" if one.help else "")
    return f"::{_LEVELS[one.severity]} {properties}::{command_data(text)}"
