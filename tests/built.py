"""The results of a kustomization, built in the process of the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import scratch

from crdlint.sources.kustomize.build import Build, plan_build

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from crdlint.linting.result import FileResult, Lint


def write(folder: Path, files: Mapping[str, str]) -> str:
    """Write files below a folder, and return the folder."""
    return str(scratch.write(folder, files))


def check_kustomization(folder: str, lint: Lint, known: dict[str, FileResult]) -> list[FileResult]:
    """Return the results of a kustomization as it is built, see `plan_build`."""
    planned = plan_build(folder, lint, known)
    return (
        planned.results(planned.lint(planned.run(), lint))
        if isinstance(planned, Build)
        else planned
    )
