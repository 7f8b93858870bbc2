"""Loading of old files: those of a file, a directory, or a git revision."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crdlint.crd.recognition import may_hold_crd
from crdlint.inputs.git import commit_of, contents, has_revision, objects_of
from crdlint.inputs.kustomize import Patches
from crdlint.inputs.paths import Problem, discover
from crdlint.inputs.previous.crds import OldFile, PreviousCRDs, pack
from crdlint.inputs.previous.scope import Scope
from crdlint.inputs.read import UnreadableError, decode, open_descriptor, read_bytes
from crdlint.inputs.repository import RepositoryError, repository_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.inputs.paths import Selection
    from crdlint.inputs.repository import Repository


@dataclass(slots=True)
class Loaded:
    """Old files that may contain CRDs, and those that cannot be read.

    `covered` are the arguments of the run for which there are old files, so that misspelled ones can be reported.
    `tops` are the directories in which a removed CRD may still be.
    """

    files: list[OldFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    covered: set[str] = field(default_factory=set)
    tops: list[str] = field(default_factory=list)

    def crds(self) -> PreviousCRDs:
        """Return the CRDs of the files."""
        return PreviousCRDs(self.files, self.unreadable)

    def add(self, name: str, path: str, data: bytes | None, problem: str | None, *, in_scope: bool) -> None:
        """Add an old file if it may contain a CRD; `problem` is the reason why its data is unknown."""
        if data is not None and may_hold_crd(data):
            try:
                decode(data)
            except UnreadableError as error:
                problem = str(error)
            else:
                self.files.append(OldFile(name, path, pack(data), in_scope))
        if problem is None:
            return
        if in_scope:
            self.problems.append(Problem(name, problem))
        else:
            self.unreadable.append(f"{name}: {problem}")


def load(source: str, arguments: Sequence[str], selection: Selection) -> Loaded:
    """Return the old files of a file, a directory, or else of a git revision of the repositories of `arguments`.

    Raise RepositoryError if `source` is none of the three, or both a path and a revision.
    """
    repositories = _repositories(arguments)
    if not os.path.lexists(source):
        return _of_revision(source, repositories, arguments, selection)
    if not source.startswith((".", "/")) and any(has_revision(repository, source) for repository in repositories):
        # A checkout must not choose what it is compared with.
        message = f"{source!r} is both a path and a git revision: write `./{source}` or `{source}^{{commit}}`"
        raise RepositoryError(message)
    return _of_path(source, arguments, selection)


def _repositories(arguments: Sequence[str]) -> list[Repository]:
    repositories = (repository_of(argument if open_descriptor(argument) is None else ".") for argument in arguments)
    return list(dict.fromkeys(argument for argument in repositories if argument is not None))


def _of_path(source: str, arguments: Sequence[str], selection: Selection) -> Loaded:
    loaded = Loaded()
    discovered = discover([source], selection)
    loaded.problems += [problem for problem in discovered.problems if problem.fatal]
    in_scope = not os.path.isdir(source) or Scope(arguments, selection.filter()).has_folder
    for path in discovered.files:
        try:
            loaded.add(path, "", read_bytes(path), None, in_scope=in_scope)
        except UnreadableError as error:  # noqa: PERF203  a file at a time
            loaded.add(path, "", None, str(error), in_scope=True)
    return loaded


def _of_revision(
    revision: str, repositories: Sequence[Repository], arguments: Sequence[str], selection: Selection
) -> Loaded:
    if not repositories:
        raise RepositoryError(f"no file or folder named {revision!r}, and {arguments[0]} is in no git repository")
    loaded = Loaded(tops=[repository.top for repository in repositories])
    scope = Scope(arguments, selection.filter())
    patches = Patches()
    for repository in repositories:
        commit = _commit(repository, revision)
        selected: list[tuple[str, str, bool]] = []
        objects = []
        for path, name in objects_of(repository, commit).items():
            absolute = os.path.join(repository.top, path)
            argument = scope.find(absolute)
            if argument is not None:
                loaded.covered.add(argument[0])
            if (argument is not None or scope.filter.wants(absolute)) and not patches.has(absolute):
                spelled = os.path.relpath(absolute) if argument is None else argument[1]
                selected.append((path, spelled, argument is not None))
                objects.append(name)
        for (path, spelled, in_scope), content in zip(selected, contents(repository, commit, objects), strict=True):
            data = None if content.problem else content.data
            loaded.add(f"{revision}:{path}", spelled, data, content.problem, in_scope=in_scope)
    return loaded


def _commit(repository: Repository, revision: str) -> str:
    try:
        return commit_of(repository, revision)
    except RepositoryError as error:
        message = f"no file, folder or git revision named {revision!r} (repository at {repository.top}): {error}"
        raise RepositoryError(message) from error
