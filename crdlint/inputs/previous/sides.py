"""The two sides of a comparison as files: a path as it is, or a git revision as a copy of its files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from crdlint.inputs.git import commit_of, contents, has_revision, objects_of
from crdlint.inputs.repository import RepositoryError, repository_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crdlint.inputs.repository import Repository

_NAMES: Final = (".yaml", ".yml", ".json")
_CHART: Final = "Chart.yaml"
_CONFIGURATION: Final = frozenset({".crdlint.yaml", ".crdlint.yml", "crdlint.toml", "pyproject.toml"})


@dataclass(frozen=True, slots=True)
class Side:
    """Files to compare: their path, and the text that replaces that path in names for users."""

    path: str
    shown: str
    problems: tuple[str, ...] = ()

    def name(self, file: str) -> str:
        """Return the name for users of a file of this side."""
        if self.path == self.shown or not file.startswith(self.path):
            return file
        below = file[len(self.path) :].lstrip(os.sep)
        if not below:
            return self.shown
        return f"{self.shown}{'' if self.shown.endswith(':') else '/'}{below}"


def side(source: str, folder: str) -> Side:
    """Return a side from a path, or from a git revision, whose files are written to `folder`.

    A revision means its files below the working directory, and `REVISION:PATH` a file or directory of it. Raise
    RepositoryError if it is neither.
    """
    repository = repository_of(os.curdir)
    revision, colon, path = source.partition(":")
    if os.path.lexists(source):
        if repository is not None and not source.startswith((".", "/")) and has_revision(repository, source):
            message = f"{source!r} is both a path and a git revision: write `./{source}` or `{source}^{{commit}}`"
            raise RepositoryError(message)
        return Side(source, source)
    if repository is None:
        raise RepositoryError(f"no file or folder named {source!r}, and the working directory is in no git repository")
    here = os.path.relpath(os.path.realpath(os.curdir), repository.top)
    below = here if not colon else os.path.join(here, path) if path.startswith(("./", "../")) else path
    below = os.path.normpath(below or ".")
    try:
        commit = commit_of(repository, revision)
    except RepositoryError as error:
        message = f"no file, folder or git revision named {revision!r} (repository at {repository.top}): {error}"
        raise RepositoryError(message) from error
    problems = _export(repository, commit, below, folder)
    root = os.path.join(folder, below) if below != "." else folder
    if not os.path.lexists(root):
        if colon:
            raise RepositoryError(f"{revision} has no YAML or JSON file in {path}")
        os.makedirs(root, exist_ok=True)
    return Side(root, source if colon else f"{source}:", tuple(f"{source}: {problem}" for problem in problems))


def _export(repository: Repository, commit: str, below: str, folder: str) -> list[str]:
    """Write the YAML and JSON files of a commit below a path, and all files of charts; return the problems."""
    objects = objects_of(repository, commit)
    paths = list(_selected(objects, below))
    problems = []
    for path, content in zip(paths, contents(repository, commit, [objects[path] for path in paths]), strict=True):
        if content.problem is not None:
            problems.append(f"{path}: {content.problem}")
            continue
        target = Path(folder, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.data)
    return problems


def _selected(paths: Iterable[str], below: str) -> Iterable[str]:
    """Yield the paths to copy; none of them is outside of the folder or configures crdlint."""
    inside = [path for path in paths if below == "." or path == below or path.startswith(f"{below}/")]
    charts = tuple(f"{path.removesuffix(_CHART)}" for path in inside if PurePosixPath(path).name == _CHART)
    for path in inside:
        parts = PurePosixPath(path).parts
        if ".." in parts or ".git" in parts or path.startswith("/") or parts[-1] in _CONFIGURATION:
            continue
        if path.endswith(_NAMES) or _is_in(path, charts):
            yield path


def _is_in(path: str, folders: Sequence[str]) -> bool:
    return path.startswith(tuple(folders)) if folders else False
