"""Files of a commit, and copies of parts of it for Helm and kustomize, without git's hooks or filters."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, filterfalse
from pathlib import PurePosixPath
from typing import Final

from crdlint.files.git import CommitTree, Content, contents, tree_of
from crdlint.files.offline import sandbox
from crdlint.files.paths import has_yaml_suffix
from crdlint.files.read import UnreadableError, decode
from crdlint.files.repository import Repository, RepositoryError
from crdlint.light import dataclass
from crdlint.sources.helm.layout import CHART, MAX_BYTES
from crdlint.sources.kustomize import KUSTOMIZATIONS
from crdlint.yaml.nodes import nodes_of, text_of
from crdlint.yaml.parse import iter_documents

MAX_FILES: Final = 20_000
_DEEPEST: Final = 256  # folders; Python makes them recursively
_MOST_LINKS: Final = 40  # on the way to one file, as in Linux
_LONGEST_LINK: Final = 4096  # bytes
_PLUGIN: Final = b"builtin"  # the apiVersion of a plugin's configuration, which may refer to files


@dataclass
class CommitFiles:
    """The files of a commit, read on demand. Paths are relative to the top of the repository, which is `.` itself."""

    repository: Repository
    commit: str

    @cached_property
    def tree(self) -> CommitTree:
        """The files and links of the commit."""
        return tree_of(self.repository, self.commit)

    @cached_property
    def _targets(self) -> dict[str, str]:
        """What the links of the commit contain; all are read at once."""
        links = self.contents(self.tree.links)
        return {path: os.fsdecode(content.data[: _LONGEST_LINK + 1]) for path, content in links}

    def has_file(self, path: str) -> bool:
        """Return whether an absolute path, from the top of the repository, is that of a file."""
        return path.replace(os.sep, "/").lstrip("/") in self.tree.files

    def links_out(self) -> list[str]:
        """Return the links by names of YAML files that cannot be followed, because they lead out of the repository."""
        links = filter(has_yaml_suffix, self.tree.links)
        return [link for link in links if self._real(link) is None]

    def contents(self, paths: Iterable[str]) -> Iterator[tuple[str, Content]]:
        """Yield files and links of the commit with their contents, in order; raise RepositoryError."""
        named = list(paths)
        objects = [self.tree.files.get(path) or self.tree.links[path] for path in named]
        return zip(named, contents(self.repository, self.commit, objects), strict=True)

    def copy(self, paths: Iterable[str], folder: str, written: Container[str] = ()) -> None:
        """Write files and folders of the commit, with what their links refer to, to a folder; raise RepositoryError.

        The files that are `written` already are left out. An empty `.git` marks the folder as a repository, so that no
        reference in a file leads out of it.
        """
        files, links = self._closure(paths)
        files = {path: None for path in files if path not in written}
        if len(files) + len(links) > MAX_FILES:
            raise RepositoryError(f"more than {MAX_FILES:,} files")
        try:
            os.makedirs(os.path.join(folder, ".git"), exist_ok=True)
            for path, data in self._read(files):
                with open(target_of(folder, path), "xb") as file:
                    file.write(data)
            for path in links:  # after the files, so that no file is written through a link
                if path not in written:
                    os.symlink(self._targets[path], target_of(folder, path))
        except OSError as error:
            file_name = error.filename2 or error.filename
            raise RepositoryError(f"{file_name}: {error.strerror}") from error

    def with_references(self, folders: Iterable[str]) -> set[str]:
        """Return the files of kustomizations and of all that they include, by texts that are paths; raise RepositoryError."""
        reached: set[str] = set()
        layers = set(folders)
        level = list(chain.from_iterable(map(self._kustomization_files, sorted(layers))))
        while level:
            paths = [path for _, path in level]
            reached.update(paths)
            following: dict[tuple[str, str], None] = {}
            for (layer, path), (_, data) in zip(level, self._read(paths), strict=True):
                for target in _targets(layer, path, data):
                    following.update(dict.fromkeys(self._included(layer, target, layers)))
            level = [pair for pair in following if pair[1] not in reached]
        return reached

    def _included(self, layer: str, target: str, layers: set[str]) -> list[tuple[str, str]]:
        """Return the files that a reference includes, each with its layer, and add a new layer to `layers`."""
        real = self._real(target)
        if real in self.tree.files:
            return [(layer, target)]
        if real is None or real in layers:
            return []
        layers.add(real)
        return self._kustomization_files(real)

    def _kustomization_files(self, folder: str) -> list[tuple[str, str]]:
        paths = (posixpath.normpath(posixpath.join(folder, name)) for name in KUSTOMIZATIONS)
        return [(folder, path) for path in paths if self._real(path) in self.tree.files]

    def _closure(self, paths: Iterable[str]) -> tuple[dict[str, None], dict[str, None]]:
        """Return the files at and below paths and those that links there lead to, and all these links."""
        files: dict[str, None] = {}
        links: dict[str, None] = {}
        pending, seen = list(paths), set()
        while pending:
            real, passed = self._resolved(pending.pop())
            links.update(dict.fromkeys(passed))
            if real in seen:
                continue
            seen.add(real)
            if real in self.tree.files:
                files[real] = None
                continue
            below = "" if real == "." else f"{real}/"
            files.update((path, None) for path in self.tree.files if path.startswith(below))
            pending += [path for path in self.tree.links if path.startswith(below)]
        return files, links

    def _resolved(self, path: str) -> tuple[str, list[str]]:
        """Return a path without links, and the links on the way; raise RepositoryError if one leads out of the repository."""
        passed: list[str] = []
        while (link := self._first_link(path)) is not None:
            passed.append(link)
            if len(passed) > _MOST_LINKS:
                raise RepositoryError(f"{passed[0]}: too many levels of symbolic links")
            rest = path[len(link) + 1 :]
            path = posixpath.normpath(
                posixpath.join(posixpath.dirname(link), self._content_of(link), rest)
            )
            if path.startswith(("/", "../")) or path == "..":
                raise RepositoryError(f"{link} leads out of the repository")
        return path, passed

    def _real(self, path: str) -> str | None:
        """Return a path without links, or None if a link of it cannot be followed."""
        try:
            return self._resolved(path)[0]
        except RepositoryError:
            return None

    def _first_link(self, path: str) -> str | None:
        if not self.tree.links:
            return None
        parts = path.split("/")
        prefixes = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
        return next((prefix for prefix in prefixes if prefix in self.tree.links), None)

    def _content_of(self, link: str) -> str:
        target = self._targets[link]
        if not target or len(target) > _LONGEST_LINK or "\0" in target:
            raise RepositoryError(f"{link}: not a link that can be read")
        return target

    def _read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield files and their contents, as much as a copy may have; raise RepositoryError."""
        named = list(paths)
        left = MAX_BYTES
        real = (self._resolved(path)[0] for path in named)
        for path, (_, content) in zip(named, self.contents(real), strict=True):
            left -= len(content.data)
            if content.problem is not None:
                raise RepositoryError(f"{path}: {content.problem}")
            if left < 0:
                raise RepositoryError(f"more than {MAX_BYTES // 1024 // 1024} MiB")
            yield path, content.data


@dataclass(frozen=True, slots=True)
class OldFolder:
    """A folder of the old side: its name for messages, and its path on disk, or in `commit` if that is not None."""

    name: str
    path: str
    commit: CommitFiles | None = None

    @contextmanager
    def opened(self, *, is_kustomization: bool = False) -> Iterator[str]:
        """Return the path of the folder on disk, for a commit of a copy during the context; raise RepositoryError if that fails."""
        if self.commit is None:
            yield self.path
            return
        with sandbox() as box:
            paths = self.commit.with_references([self.path]) if is_kustomization else [self.path]
            self.commit.copy(paths, box.files)
            yield os.path.normpath(os.path.join(box.files, self.path))

    def beside(self, other: OldFolder, opened: str) -> str:
        """Return the path of another folder of the old side on disk while this one is opened."""
        return other.path if self.commit is None else os.path.join(self._top(opened), other.path)

    def _top(self, opened: str) -> str:
        """Return the top of the copy of the repository, given the path of the opened folder in it."""
        if self.path == ".":
            return opened
        return opened.removesuffix(os.path.normpath(self.path)).rstrip(os.sep)

    def named(self, text: str, opened: str) -> str:
        """Return a text about the opened folder with the name of the folder in place of its path."""
        if self.commit is None:
            return text.replace(self.path, self.name)
        revision = self.name
        if self.path != ".":
            revision = revision.removesuffix(self.path)
        top = os.path.join(self._top(opened), "")
        return text.replace(opened, self.name).replace(top, revision)


def is_safe(path: str) -> bool:
    """Return whether a path of a commit or an archive is one below the folder that it is written to, on this system."""
    parts = path.lower().split("/")
    return _UNSAFE_PARTS.isdisjoint(parts) and _UNSAFE_CHARACTERS.isdisjoint(path)


_UNSAFE_PARTS: Final = frozenset({"", ".", "..", ".git"})
_UNSAFE_CHARACTERS: Final = frozenset("\0\\:" if os.name == "nt" else "\0")


def target_of(folder: str, path: str) -> str:
    """Return where to write a path of the commit, after its folder is made; raise RepositoryError."""
    if not is_safe(path):
        raise RepositoryError(f"{path!r} is not the path of a file below a folder")
    if path.count("/") > _DEEPEST:
        raise RepositoryError(f"a file is more than {_DEEPEST} folders deep")
    target = os.path.join(folder, *path.split("/"))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    return target


def _references(data: bytes) -> Iterator[str]:
    """Yield the texts of a YAML file that may be paths: single lines, and what follows the equals sign of `key=path`."""
    try:
        text = decode(data)
    except UnreadableError:
        return
    for node in chain.from_iterable(nodes_of(document.root) for document in iter_documents(text)):
        value = text_of(node)
        if value and "\n" not in value and len(value) <= _LONGEST_LINK:
            yield value
            if "=" in value:
                yield value.partition("=")[2]


def _targets(layer: str, path: str, data: bytes) -> Iterator[str]:
    """Yield the paths that a file of a kustomization may refer to; the path of others is ignored."""
    if posixpath.basename(path) in KUSTOMIZATIONS or _PLUGIN in data:
        for reference in _references(data):
            yield posixpath.normpath(posixpath.join(layer, reference))


# A revision neither configures crdlint nor hides files from it.
_LEFT_OUT: Final = frozenset(
    {".crdlint.yaml", ".crdlint.yml", "crdlint.toml", "pyproject.toml", ".gitignore"}
)


def export(files: CommitFiles, below: str, folder: str) -> list[str]:
    """Write what a commit has below a path to a folder, and return the problems.

    These are YAML and JSON files, all files of charts, and what kustomizations and links in charts refer to.
    """
    os.makedirs(os.path.join(folder, ".git"), exist_ok=True)  # no reference leads out of the copy
    objects = files.tree.files
    inside = [path for path in objects if is_at_or_below(path, below)]
    charts = _charts(objects, inside, below)
    plain = (path for path in inside if has_yaml_suffix(path) or path == below)
    of_charts = (path for path in objects if charts and path.startswith(tuple(charts)))
    names = dict.fromkeys((*plain, *of_charts))
    copied = list(filter(_is_copied, names))
    paths = list(filter(is_safe, copied))
    unsafe = filterfalse(is_safe, copied)
    problems = [f"{path}: this system has no file of such a name" for path in unsafe]
    problems += _write(files, paths, folder)
    problems += _copy_references(files, inside, charts, folder, set(paths))
    return problems


def _has_link(files: CommitFiles, chart: str) -> bool:
    return any(link.startswith(chart) for link in files.tree.links)


def _is_copied(path: str) -> bool:
    return posixpath.basename(path) not in _LEFT_OUT


def _is_kustomization(path: str) -> bool:
    return posixpath.basename(path) in KUSTOMIZATIONS


def is_at_or_below(path: str, top: str) -> bool:
    """Return whether a path of a commit is another one, or below it."""
    return top == "." or path == top or path.startswith(f"{top}/")


def _write(files: CommitFiles, paths: Iterable[str], folder: str) -> Iterator[str]:
    """Write files of a commit to a folder, and yield the problems."""
    for path, content in files.contents(paths):
        if content.problem is not None:
            yield f"{path}: {content.problem}"
            continue
        try:
            with open(target_of(folder, path), "xb") as file:
                file.write(content.data)
        except OSError as error:
            yield f"{path}: {error.strerror}"


def _copy_references(
    files: CommitFiles,
    inside: Iterable[str],
    charts: Iterable[str],
    folder: str,
    written: set[str],
) -> Iterator[str]:
    """Write what kustomizations and links in charts refer to, unless it is written, and yield the problems."""
    folders = {posixpath.dirname(path) or "." for path in inside if _is_kustomization(path)}
    with_links = (chart for chart in charts if _has_link(files, chart))
    linked = ([chart.rstrip("/") or "."] for chart in with_links)
    # What kustomizations refer to is read within `copy`.
    for references in (*linked, chain.from_iterable(map(files.with_references, [folders]))):
        copied = filter(_is_copied, references)
        try:
            files.copy(copied, folder, written)
        except RepositoryError as error:
            yield str(error)


def _charts(paths: Container[str], inside: Iterable[str], below: str) -> list[str]:
    """Return the folders, with a closing slash, of the charts below a path and of those that contain the path."""
    charts = [path.removesuffix(CHART) for path in inside if posixpath.basename(path) == CHART]
    parents = [
        f"{parent}/" if str(parent) != "." else "" for parent in PurePosixPath(below).parents
    ]
    return [*charts, *(parent for parent in parents if f"{parent}{CHART}" in paths)]
