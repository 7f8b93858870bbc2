"""The answer of an earlier run to the same question: what it wrote, and its exit status.

A hook or an editor checks the same files again and again, and waits for imports: those of the commands take five times as
long as Python's own start. So a check of named files, and a validation against named CRDs, look for their answer before they
begin.

The key of an answer is all that the run asked for: the command line, the working directory, the environment, the content of
each named file and of the manifests beside it, the configurations above them, and which charts, kustomizations and repositories
there are; for `validate` also what is in the named folders. What a run asks for besides is noticed by Python's audit events,
and then its answer is not kept: no list can be incomplete.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any, Final, TextIO

from crdlint.cli import streams
from crdlint.files.read import UnreadableError, open_descriptor, read_bytes, with_parents
from crdlint.light import NamedTuple
from crdlint.runner.program import program_digest, states_of
from crdlint.runner.store import Store, default_folder, usable_folder
from crdlint.safety.bugs import has_failed
from crdlint.safety.escapes import printable_line

_VALIDATE: Final = "validate"
# What is read in the folder of a file and in those above it.
_READ: Final = (
    ".crdlint.yaml",
    ".crdlint.yml",
    "pyproject.toml",
    ".gitignore",
    os.path.join(".git", "info", "exclude"),
)
# What a run looks for there: a test compares them with what it asks for.
LOOKED_FOR: Final = (
    *_READ,
    ".git",
    os.path.join(".git", "commondir"),
    "Chart.yaml",
    "kustomization.yaml",
    "kustomization.yml",
    "Kustomization",
    "chainsaw-test.yaml",
    "chainsaw-test.yml",
)
_MANIFESTS: Final = (".yaml", ".yml", ".json")
_MOST_ENTRIES: Final = 2_000  # in the folders of a question
_MOST_BYTES: Final = 64 * 1024 * 1024  # of all files of a question
_OF_SHELLS: Final = frozenset({"_", "OLDPWD", "PWD", "SHLVL"})  # variables that nothing here reads
_WRITERS: Final = ("click", "rich")  # the libraries by which output is made
_PROGRAM: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_LARGEST: Final = 1_000_000  # characters of an answer
# Audit events of Python about paths, with the number of these.
_OPEN, _LIST, _SCAN = "open", "os.listdir", "os.scandir"
_OF_PATHS: Final = {
    _OPEN: 1,
    _LIST: 1,
    _SCAN: 1,
    "os.mkdir": 1,
    "os.rename": 2,
    "os.remove": 1,
    "os.rmdir": 1,
    "os.utime": 1,
}
# Those after which an answer depends on more than files.
_OF_OTHERS: Final = frozenset(
    {
        "os.chdir",
        "os.chmod",
        "os.exec",
        "os.fork",
        "os.link",
        "os.posix_spawn",
        "os.putenv",
        "os.symlink",
        "os.system",
        "os.truncate",
        "os.unsetenv",
        "shutil.copyfile",
        "socket.connect",
        "socket.getaddrinfo",
        "subprocess.Popen",
        "tempfile.mkdtemp",
        "tempfile.mkstemp",
    }
)
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_IMPORTED: Final = (".dist-info", ".pth", ".py", ".pyd", ".so")
_MODULES: Final = tuple(f"{suffix}{os.sep}" for suffix in (".py", ".pyc", ".so", ".pyd"))


class Question:
    """What a command line asks for.

    `files` are the absolute paths that its answer may depend on, `folders` those above them, and `listed` the content of the
    folders whose entries are all part of the question, by path.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        """Read the files that are named; raise OSError, ValueError or UnreadableError if one cannot be read."""
        self.arguments: Final = tuple(arguments)
        self.files: Final[set[str]] = set()
        self.folders: Final[dict[str, None]] = {}
        self.listed: Final[dict[str, list[tuple[str, int | bytes]]]] = {}
        self._lists_folders = self.arguments[:1] == (_VALIDATE,)
        self._left = _MOST_BYTES
        self._add_above(os.getcwd())
        named = list(map(self._named, self.arguments))
        around = [(folder, *self._looked_for(folder)) for folder in self.folders]
        parts = (sys.argv, self.arguments, named, self.listed, around, *_circumstances())
        self._parts: Final = repr(parts).encode("utf-8", "surrogatepass")

    def key(self, secret: bytes) -> str:
        """Return the key of its answer, which shows nothing of the environment to those without the secret."""
        return blake2b(self._parts, digest_size=20, key=secret).hexdigest()

    def _named(self, argument: str) -> tuple[str, bytes] | None:
        """Return the real path of the file that an argument names and the digest of its content, None if it names none."""
        path = os.path.abspath(argument)
        if any(open_descriptor(each) is not None for each in (argument, path)):
            raise UnreadableError(f"{path} can be read only once")
        if not os.path.lexists(path):
            return None
        real = os.path.realpath(path)
        self._add_above(os.path.dirname(path))
        self._add_above(os.path.dirname(real))
        if self._lists_folders and os.path.isdir(path):
            self._list_all(path)
            return real, b""
        content = self._content(path)
        # Objects of Flux and Argo CD beside it decide who sends it.
        self._list(os.path.dirname(path))
        return real, content

    def _list_all(self, top: str) -> None:
        """Add the content of a folder and of those below it, but for hidden ones."""
        pending = [top]
        while pending:
            folder = pending.pop()
            self._add_above(folder)
            kinds = self._list(folder)
            below = (name for name, kind in kinds if kind == stat.S_IFDIR and name[0] != ".")
            pending.extend(os.path.join(folder, name) for name in below)

    def _list(self, folder: str) -> list[tuple[str, int | bytes]]:
        """Return what is in a folder, by name: the digest of a manifest, or the kind of another entry."""
        if folder not in self.listed:
            names = sorted(os.listdir(folder))
            if sum(map(len, self.listed.values())) + len(names) > _MOST_ENTRIES:
                raise UnreadableError(f"{folder} has too many files")
            self.listed[folder] = [(name, self._entry(folder, name)) for name in names]
        return self.listed[folder]

    def _entry(self, folder: str, name: str) -> int | bytes:
        path = os.path.join(folder, name)
        kind = _kind_of(path)
        is_read = kind == stat.S_IFREG and name.lower().endswith(_MANIFESTS)
        return self._content(path) if is_read else kind

    def _add_above(self, folder: str) -> None:
        self.folders.update(dict.fromkeys(with_parents(folder)))

    def _looked_for(self, folder: str) -> Iterator[tuple[str, int | bytes]]:
        """Yield what a folder has of that which a check looks for, with the kind, or the digest of a configuration."""
        for name in LOOKED_FOR:
            path = os.path.join(folder, name)
            with suppress(FileNotFoundError, NotADirectoryError):
                kind = _kind_of(path)
                yield name, self._content(path) if name in _READ else kind

    def _content(self, path: str) -> bytes:
        """Return the digest of a regular file."""
        data = read_bytes(path, self._left, follow_link=False)
        self._left -= len(data)
        self.files.add(path)
        return blake2b(data, digest_size=32).digest()


def _kind_of(path: str) -> int:
    """Return the kind of what a path names; raise UnreadableError for a link."""
    kind = stat.S_IFMT(os.lstat(path).st_mode)
    if stat.S_ISLNK(kind):
        raise UnreadableError(f"{path} is a link, which may lead elsewhere later")
    return kind


def _circumstances() -> Iterator[object]:
    """Yield what the answer of each question depends on."""
    yield program_digest(), [*states_of(_WRITERS)]
    yield sys.flags, [(path, _installed(path)) for path in sys.path]
    yield os.getcwd(), time.strftime("%Y-%m-%d")  # an ignore may end with a day
    yield sorted(item for item in os.environ.items() if item[0] not in _OF_SHELLS)
    yield [stream and (stream.encoding, stream.errors) for stream in _standard_streams()]


def _installed(folder: str) -> list[str]:
    """Return the names of what can be imported from a folder, and of what is installed there, with the versions."""
    with suppress(OSError), os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if entry.name.endswith(_IMPORTED))
    return []


def _standard_streams() -> tuple[TextIO | None, ...]:
    """Return the streams as Python has opened them, None for one that is closed."""
    return sys.__stdin__, sys.__stdout__, sys.__stderr__


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def question_of(arguments: Sequence[str]) -> Question | None:
    """Return what a command line asks for, None if it is not answered here.

    At a terminal, reports show the time that the run took.
    """
    if None in _standard_streams() or any(map(_is_terminal, _standard_streams()[1:])):
        return None
    try:
        question = Question(arguments)
    except (OSError, ValueError, UnreadableError):
        return None
    return question if question.files else None


class StoredAnswer(NamedTuple):
    """What a run has written, in pieces (whether to standard error, and the text), and its exit status."""

    pieces: Sequence[tuple[bool, str]]
    status: int

    def give(self) -> int:
        """Write it as the run did, and return the exit status."""
        streams.prepare()
        try:
            for is_error, text in self.pieces:
                write = _write_error if is_error else _write_out
                write(text)
        except streams.StreamError as error:
            return streams.status_of(error, lambda line: _write_error(f"{printable_line(line)}\n"))
        return self.status


def _write_out(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _write_error(text: str) -> None:
    """Write to standard error; what cannot be written is lost."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        streams.discard(sys.stderr)


class _Run:
    """A run whose answer may be kept: what it writes, and whether it asks for more than its question has."""

    def __init__(self, question: Question, store: Store, secret: bytes) -> None:
        self._question: Final = question
        self._store: Final = store
        self._secret: Final = secret
        self._key: Final = question.key(secret)
        self._pieces: Final[list[tuple[bool, str]]] = []
        self._left = _LARGEST
        self._asked_more = False
        self._listed: Final = frozenset(map(_in_full, sys.path))
        own = {*self._listed, *map(_in_full, (_PROGRAM, str(store.folder), str(default_folder())))}
        self._roots: Final = [root for root in own if not any(map(_is_in(root), question.files))]

    def stored(self) -> StoredAnswer | None:
        """Return the answer of an earlier run to this question, None without one, or for another entry under its name."""
        payload = self._store.read(self._key)
        entry = None if payload is None else json.loads(payload)
        if not isinstance(entry, dict) or entry.get("key") != self._key:
            return None
        return StoredAnswer(entry["pieces"], entry["status"])

    def add(self, text: str, *, is_error: bool) -> None:
        """Add what the run writes."""
        self._left -= len(text)
        if self._left >= 0:
            self._pieces.append((is_error, text))

    def keep(self, status: int) -> None:
        """Keep the answer, unless the run asked for more, has failed, or something has changed meanwhile."""
        # Other processes are not listened to.
        if self._asked_more or self._left < 0 or has_failed() or "multiprocessing" in sys.modules:
            return
        self._asked_more = True  # it is kept once
        question = question_of(self._question.arguments)
        if question is not None and question.key(self._secret) == self._key:
            entry = {"key": self._key, "pieces": self._pieces, "status": status}
            self._store.write(self._key, json.dumps(entry).encode())

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take notice of an audit event of Python."""
        if event in _OF_OTHERS:
            self._asked_more = True
        elif event in _OF_PATHS and not self._asked_more:
            used = [path for path in arguments[: _OF_PATHS[event]] if not isinstance(path, int)]
            paths = [_in_full(os.fsdecode(path or os.curdir)) for path in used]
            others = [path for path in paths if not any(map(path.startswith, self._roots))]
            self._asked_more = any(not self._is_known(event, path, arguments) for path in others)

    def _is_known(self, event: str, path: str, arguments: tuple[Any, ...]) -> bool:
        """Return whether the question has what an event is about, or importing modules causes it."""
        if event in {_LIST, _SCAN}:
            return path in self._listed or path[: -len(os.sep)] in self._question.listed
        if event != _OPEN:
            return False
        is_read = not arguments[2] & _WRITING
        return is_read and (path[: -len(os.sep)] in self._question.files or path.endswith(_MODULES))


def _in_full(path: str) -> str:
    """Return an absolute path with a separator behind it, which all paths below it begin with."""
    return os.path.join(os.path.abspath(path), "")


def _is_in(folder: str) -> Callable[[str], bool]:
    return lambda path: path.startswith(folder)


def answered(arguments: Sequence[str]) -> int | None:
    """Give the answer of an earlier run to a command line, and return the exit status; None to run it.

    The answer of that run may be kept then.
    """
    question = question_of(arguments)
    folder = None if question is None else usable_folder()
    if question is None or folder is None:
        return None
    store = Store(folder)
    if store.secret is None:
        return None
    run = _Run(question, store, store.secret)
    answer = run.stored()
    if answer is not None:
        return answer.give()
    streams.listen(run)
    sys.addaudithook(run.hear)
    return None
