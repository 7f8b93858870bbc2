"""Access to git repositories: the files of a commit, and the tracked files. Nothing is checked out.

Every call of git is made by `_git`. A checkout may be hostile, so a call gets its repository explicitly, does not
read the work tree, runs no program that the repository configures, and accesses no other repository.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from crdlint.files.read import MAX_BYTES, too_large
from crdlint.files.repository import Repository, RepositoryError
from crdlint.light import dataclass
from crdlint.safety.programs import Done, ProgramError, find, run, shortened

# The bytes of content in memory at a time, unless a single file is larger.
_CHUNK: Final = 16 * 1024 * 1024
_LONGEST_OUTPUT: Final = MAX_BYTES + _CHUNK  # bytes; a small tree may list billions of files
_MOST_RESTARTS: Final = 16
_SHA1_LENGTH: Final = 40  # hexadecimal digits
_LONGEST_REASON: Final = 300  # characters
_REGULAR_FILES: Final = (b"100644", b"100755")
_LINKS: Final = b"120000"

# Settings on the command line override those of the repository.
_SETTINGS: Final = {
    "color.ui": "false",
    "core.alternateRefsCommand": "false",
    "core.askPass": "false",
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.fsmonitor": "false",
    "core.gitProxy": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "credential.helper": "",
    "diff.external": "",
    "fetch.bundleURI": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
}
_OPTIONS: Final = (
    "--no-pager",
    "--literal-pathspecs",
    *(part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")),
)
_INHERITED: Final = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
_ENVIRONMENT: Final = {
    "GIT_ALLOW_PROTOCOL": "",  # none, regardless of `protocol.NAME.allow`
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",  # the content of an object must match its id
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class Content:
    """The content of an object; `problem` is the reason why it cannot be read, or None."""

    data: bytes = b""
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class CommitTree:
    """The regular files and the symbolic links of a commit: the id of each object by its path."""

    files: Mapping[str, str]
    links: Mapping[str, str]


def commit_of(repository: Repository, revision: str) -> str:
    """Return the commit id of a revision; raise RepositoryError."""
    repository.require_regular_files(below=True)
    done = _git(
        repository,
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        revision + "^{commit}",
    )
    if done.status:
        raise RepositoryError(_reason(done) or "there is no such revision")
    return done.output.strip()


def has_revision(repository: Repository, name: str) -> bool:
    """Return whether a repository has a revision with a name."""
    try:
        commit_of(repository, name)
    except RepositoryError:
        return False
    return True


def tree_of(repository: Repository, commit: str) -> CommitTree:
    """Return the files and links of a commit; raise RepositoryError."""
    files: dict[str, str] = {}
    links: dict[str, str] = {}
    for row in _output(repository, "ls-tree", "-rz", "--full-tree", commit).split(b"\0"):
        information, _, path = row.partition(b"\t")
        if information.startswith((*_REGULAR_FILES, _LINKS)):
            entries = links if information.startswith(_LINKS) else files
            entries[os.fsdecode(path)] = information.rpartition(b" ")[2].decode("ascii")
    return CommitTree(files, links)


def contents(repository: Repository, commit: str, objects: Sequence[str]) -> Iterator[Content]:
    """Yield the contents of objects of a commit, in order and with bounded memory; raise RepositoryError."""
    reader = _ObjectReader(repository, commit)
    sizes = {name: size for name, size, _ in reader.read("--batch-check", objects)}
    reader.unreadable.update(
        (name, too_large(MAX_BYTES)) for name, size in sizes.items() if size > MAX_BYTES
    )
    for chunk in _chunks(objects, sizes):
        data_by_id = {name: data for name, _, data in reader.read("--batch", chunk)}
        for name in chunk:
            yield (
                Content(data_by_id[name])
                if name in data_by_id
                else Content(problem=reader.unreadable[name])
            )


def tracked_files(repository: Repository, folder: str) -> list[str]:
    """Return the files below a directory that git tracks, relative to the directory; raise RepositoryError."""
    below = os.path.relpath(os.path.realpath(folder), repository.top)
    names = _output(
        repository,
        "ls-files",
        "-z",
        "--cached",
        "--",
        below,
    ).split(b"\0")
    return [os.path.relpath(os.fsdecode(name), below) for name in names if name]


@dataclass(slots=True)
class _ObjectReader:
    """Reads objects of a commit. git stops at an object that it cannot read; it is then called again for the remaining ones."""

    repository: Repository
    commit: str
    unreadable: dict[str, str] = field(default_factory=dict)
    restarts: int = 0

    def read(self, option: str, objects: Iterable[str]) -> Iterator[tuple[str, int, bytes]]:
        """Yield the readable objects, their sizes and, with `--batch`, their contents; raise RepositoryError."""
        pending = self._readable(objects)
        while pending:
            done = _git(
                self.repository,
                "cat-file",
                option,
                data="\n".join((*pending, "")).encode(),
            )
            answered = 0
            for name, size, content in _answers(
                done.data, pending, with_content=option == "--batch"
            ):
                answered += 1
                if size is None:
                    self.unreadable[name] = _missing(name)
                else:
                    yield name, size, content
            pending = pending[answered:]
            if pending:
                self._skip(pending[0], done)
                pending = self._readable(pending)

    def _readable(self, objects: Iterable[str]) -> list[str]:
        return [name for name in dict.fromkeys(objects) if name not in self.unreadable]

    def _skip(self, name: str, done: Done) -> None:
        """Record the objects that cannot be read after git stopped at `name`; raise RepositoryError."""
        reason = _reason(done) if done.status else "its content does not match its id"
        if self.restarts == _MOST_RESTARTS:
            raise RepositoryError(
                f"more than {_MOST_RESTARTS} objects are broken, {name} among them: {reason}"
            )
        if not self.restarts:  # a partial clone lacks many objects, and git stops at the first one
            options = ("--objects", "--no-object-names", "--missing=print")
            listed = _output(
                self.repository,
                "rev-list",
                *options,
                f"{self.commit}^{{tree}}",
            ).decode("ascii")
            missing = (line[1:] for line in listed.splitlines() if line.startswith("?"))
            self.unreadable.update((object_id, _missing(object_id)) for object_id in missing)
        self.restarts += 1
        self.unreadable.setdefault(name, f"git cannot read its content: {reason}")


def _answers(
    data: bytes, names: Iterable[str], *, with_content: bool
) -> Iterator[tuple[str, int | None, bytes]]:
    """Yield git cat-file's answer for each name: its size, None for a missing object, and its content.

    Stop before the first answer that is incomplete or that does not match the id: for a corrupt object, git may print
    less than it announces.
    """
    start = 0
    for name in names:
        end = data.find(b"\n", start)
        answered_name, _, kind = data[start:end].partition(b" ")
        if end < 0 or answered_name != name.encode():
            return
        start = end + 1
        if kind == b"missing":
            yield name, None, b""
            continue
        size = int(kind.rpartition(b" ")[2])
        content = b""
        if with_content:
            content = data[start : start + size]
            start += size + 1
            algorithm = hashlib.sha1 if len(name) == _SHA1_LENGTH else hashlib.sha256
            if algorithm(kind + b"\0" + content, usedforsecurity=False).hexdigest() != name:
                return
        yield name, size, content


def _missing(name: str) -> str:
    return f"its content is missing from the repository; in a partial clone, run `git cat-file -e {name}` to fetch it"


def _chunks(objects: Sequence[str], sizes: dict[str, int]) -> Iterator[list[str]]:
    """Yield groups of objects whose total content does not exceed the chunk size, except for single large objects."""
    chunk: list[str] = []
    chunk_size = 0
    for name in objects:
        size = sizes.get(name, 0)
        if chunk and chunk_size + size > _CHUNK:
            yield chunk
            chunk, chunk_size = [], 0
        chunk.append(name)
        chunk_size += size
    if chunk:
        yield chunk


def _output(repository: Repository, *arguments: str) -> bytes:
    done = _git(repository, *arguments)
    if done.status:
        raise RepositoryError(f"git {arguments[0]}: {_reason(done)}")
    return done.data


def _reason(done: Done) -> str:
    return shortened(done.errors, _LONGEST_REASON)


def _git(repository: Repository, *arguments: str, data: bytes = b"") -> Done:
    """Call git for a repository, without configuration that runs programs; raise RepositoryError."""
    program = find("git")
    if program is None:
        raise RepositoryError("git is not installed")
    location = (
        "-C",
        repository.top,
        f"--git-dir={repository.folder}",
        f"--work-tree={repository.top}",
    )
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    try:
        command = (program, *location, *_OPTIONS, *arguments)
        return run(
            command,
            data=data,
            environment=inherited | _ENVIRONMENT,
            limit=_LONGEST_OUTPUT,
        )
    except ProgramError as error:
        raise RepositoryError(str(error)) from error
