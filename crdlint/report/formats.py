"""The formats by name, and where each is written."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crdlint import atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.report.checked import Checked

TEXT: Final = "text"
AUTO: Final = "auto"
# Name: module, what it is for. Each has `render(checked) -> str`.
WHOLE: Final = {
    "concise": ("crdlint.report.concise", "a line for each finding"),
    "server": ("crdlint.report.server", "nothing but the API server's sentences"),
    "json": ("crdlint.report.json", "for programs (docs/json-output.md)"),
    "sarif": ("crdlint.report.sarif", "SARIF 2.1.0, for code scanning"),
    "junit": ("crdlint.report.junit", "JUnit XML, for test reports"),
    "github": ("crdlint.report.github", "annotations of GitHub Actions"),
    "gitlab": ("crdlint.report.gitlab", "GitLab's Code Quality"),
    "checkstyle": ("crdlint.report.checkstyle", "Checkstyle XML"),
    "markdown": ("crdlint.report.markdown", "for job summaries and comments"),
}
NAMES: Final = (AUTO, TEXT, *WHOLE)


class OutputError(ValueError):
    """An output that cannot be; ``str`` says why."""


def choose(name: str) -> str:
    """Return the format that a name stands for: `auto` is GitHub's within its Actions, else text."""
    if name != AUTO:
        return name
    return "github" if os.environ.get("GITHUB_ACTIONS") == "true" else TEXT


def render(name: str, checked: Checked) -> str:
    """Return a run in a format of `WHOLE`."""
    text: str = import_module(WHOLE[name][0]).render(checked)
    return text.encode("utf-8", "replace").decode()  # lone surrogates are no text to anyone


def parse_outputs(given: Iterable[str]) -> list[tuple[str, Path]]:
    """Return the formats and files of `FORMAT=FILE` arguments. Raises OutputError."""
    found: list[tuple[str, Path]] = []
    for one in given:
        name, equals, file = one.partition("=")
        if not equals or not file:
            raise OutputError(f"{one!r} is not FORMAT=FILE")
        if name not in WHOLE:
            from difflib import get_close_matches

            near = get_close_matches(name, WHOLE, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(WHOLE)}"
            raise OutputError(f"there is no format {name!r} for files: {hint}")
        path = Path(file)
        if any(os.path.realpath(path) == os.path.realpath(other) for _, other in found):
            raise OutputError(f"{file} is written to twice")
        if path.is_dir() or not path.absolute().parent.is_dir():
            raise OutputError(f"{file} cannot be written: {'it is a folder' if path.is_dir() else 'no such folder'}")
        found.append((name, path))
    return found


def write_all(outputs: Iterable[tuple[str, Path]], checked: Checked) -> Iterator[str]:
    """Write a run to files, each in its format; yield which ones cannot be written, and why."""
    for name, path in outputs:
        try:
            atomic.write(path, render(name, checked).encode())
        except OSError as error:  # noqa: PERF203  a few files at most
            yield f"{path} cannot be written: {error.strerror or error}"
