"""Search for suites: `*.testsuite.yaml`, and files in openshift/api's `tests/<CRD>/` directories."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from crdlint.inputs.fragments import SUITE_SUFFIX
from crdlint.inputs.paths import Problem, Selection, discover
from crdlint.inputs.read import UnreadableError, decode, read_bytes
from crdlint.suites.read import is_suite


def find_suites(paths: Sequence[str], selection: Selection) -> Iterator[tuple[str, str] | Problem]:
    """Yield the file and text of each suite, and problems with reading; files named by the user are always suites."""
    discovered = discover(paths, selection)
    yield from (problem for problem in discovered.problems if problem.fatal)
    named = set(paths)
    for path in discovered.files:
        if path not in named and not _may_be(path):
            continue
        text = _text(path)
        if isinstance(text, Problem) or path in named or path.endswith(SUITE_SUFFIX) or is_suite(text):
            yield text if isinstance(text, Problem) else (path, text)


def _may_be(path: str) -> bool:
    return (
        path.endswith(SUITE_SUFFIX)
        or os.path.basename(os.path.dirname(os.path.dirname(os.path.abspath(path)))) == "tests"
    )


def _text(path: str) -> str | Problem:
    try:
        return decode(read_bytes(path))
    except UnreadableError as error:
        return Problem(path, str(error))
