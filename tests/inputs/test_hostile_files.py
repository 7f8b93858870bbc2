"""Loops, pipes, devices and files that cannot be read or vanish, at every kind of place: a problem, never an internal error."""

from __future__ import annotations

import ctypes
import io
import os
import shutil
import signal
import socket
import sys
import tarfile
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import pytest
from click.testing import CliRunner
from crds import SMALLEST
from scratch import commit, must, write

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHART: Final = "apiVersion: v2\nname: a\nversion: 1.0.0\n"
OTHER: Final = SMALLEST.replace("foo", "bar").replace("Foo", "Bar")
FILES: Final = {
    ".gitignore": "x\n", ".crdlint.yaml": "kube-version: '1.36'\n", "pyproject.toml": "[tool.crdlint]\n",
    "crds/foo.yaml": SMALLEST, "crds/.gitignore": "x\n", "crds/sub/bar.yaml": OTHER, "old/foo.yaml": SMALLEST,
    "chart/Chart.yaml": CHART, "chart/values.yaml": "a: 1\n", "chart/.helmignore": "x\n", "chart/ci/a-values.yaml": "a: 2\n",
    "chart/templates/foo.yaml": f"{{{{ if .Values.a }}}}\n{SMALLEST}{{{{ end }}}}\n", "chart/crds/bar.yaml": OTHER,
    "chart/charts/sub/Chart.yaml": CHART, "chart/charts/sub/crds/bar.yaml": OTHER,
    "layers/kustomization.yaml": "resources: [foo.yaml, base]\npatches: [{path: patch.yaml}]\ncrds: [crd.json]\n",
    "layers/foo.yaml": SMALLEST, "layers/patch.yaml": "a: 1\n", "layers/crd.json": "{}",
    "layers/base/kustomization.yaml": "resources: [bar.yaml]\n", "layers/base/bar.yaml": OTHER,
    "samples/a.yaml": "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\n",
    "suites/a.testsuite.yaml": "name: a\ncrdName: foos.example.com\nversion: v1\ntests: {}\n", "suites/foo.yaml": SMALLEST,
    "known.json": '{"version": 1, "findings": []}', "out.json": "",
}  # fmt: skip
# Commands, and the places of files that each of them reads.
COMMANDS: Final = {
    "check .": (
        ".gitignore", ".crdlint.yaml", "pyproject.toml", "crds/foo.yaml", "crds/.gitignore", ".git/info/exclude", ".git/config",
        ".git/index", ".git/HEAD", "layers/kustomization.yaml", "chart/Chart.yaml",
    ),
    "check crds/**/*.yaml": ("crds/foo.yaml", "crds/sub/bar.yaml"),
    "check crds": ("crds/foo.yaml", "crds/sub/bar.yaml"),
    "check crds/foo.yaml": ("crds/foo.yaml",),
    "check --against HEAD crds": (
        ".git/HEAD", ".git/config", ".git/refs/heads/*", ".git/objects/??/*", ".git/objects/pack/*.pack",
        ".git/objects/pack/*.idx", ".git/logs/HEAD", ".git/packed-refs",
    ),
    "check --against old crds": ("old/foo.yaml",),
    "check --include-dependencies chart": (
        "chart/Chart.yaml", "chart/values.yaml", "chart/.helmignore", "chart/ci/a-values.yaml", "chart/templates/foo.yaml",
        "chart/crds/bar.yaml", "chart/charts/sub/Chart.yaml", "chart/charts/sub/crds/bar.yaml", "chart/charts/x.tgz",
    ),
    "check --values chart/values.yaml chart": ("chart/values.yaml",),
    "diff packed.tgz chart": ("packed.tgz", "chart/crds/bar.yaml"),
    "check layers": (
        "layers/kustomization.yaml", "layers/foo.yaml", "layers/patch.yaml", "layers/crd.json",
        "layers/base/kustomization.yaml", "layers/base/bar.yaml",
    ),
    "check --no-cache --baseline known.json --update-baseline crds": ("known.json",),
    "check --baseline known.json --output json=out.json crds": ("known.json", "out.json"),
    "check --fix crds": ("crds/foo.yaml",),
    "check --config .crdlint.yaml crds": (".crdlint.yaml",),
    "cost crds": ("crds/foo.yaml",),
    "validate samples": ("samples/a.yaml", "crds/foo.yaml"),
    "validate --crd crds --old old samples/a.yaml": ("samples/a.yaml", "crds/foo.yaml", "old/foo.yaml"),
    "test suites": ("suites/a.testsuite.yaml", "suites/foo.yaml"),
    "eval --crd crds/foo.yaml --object samples/a.yaml true": ("samples/a.yaml", "crds/foo.yaml"),
}  # fmt: skip
PLACES: Final = [(command, place) for command, places in COMMANDS.items() for place in places]


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(path))


def _circle(path: Path) -> None:
    path.symlink_to("circle")
    path.with_name("circle").symlink_to(path.name)


def _unreadable(path: Path) -> None:
    path.write_text(SMALLEST, encoding="utf-8")
    path.chmod(0)


def _unreadable_folder(path: Path) -> None:
    path.mkdir(0)


THINGS: Final[dict[str, Callable[[Path], object]]] = {
    "link to itself": lambda path: path.symlink_to(path.name),
    "links in a circle": _circle,
    "link to nothing": lambda path: path.symlink_to("nothing"),
    "link to a name that is too long": lambda path: path.symlink_to("x" * 300),
    "link to the folder above": lambda path: path.symlink_to(".."),
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "pipe": os.mkfifo,
    "socket": _socket,
    "folder": Path.mkdir,
    "unreadable file": _unreadable,
    "unreadable folder": _unreadable_folder,
    "nothing": Path.exists,
}
# Things that programs may well find in place of a file.
HARMLESS: Final = frozenset(
    {"link to nothing", "link to the folder above", "folder", "unreadable folder", "nothing"}
)
TELLING: Final = {
    "link to itself",
    "link to the folder above",
    "link to a device",
    "pipe",
    "unreadable file",
}
# Each thing is put in every second place; which half that is differs.
HALVES: Final = {name: number % 2 for number, name in enumerate(THINGS)}
# git and Helm read these, if anybody does.
UNREAD: Final = (".git/", "chart/.helmignore", "pyproject.toml", "out.json")


@pytest.fixture(scope="module")
def tree() -> Iterator[Path]:
    """A repository with a file at every place, below a folder that everybody may enter."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        top = write(Path(folder, "tree"), FILES)
        commit(top)
        must("git", "gc", "-q", cwd=top)
        commit(write(top, {"more.txt": ""}))
        for name in ("chart/charts/x.tgz", "packed.tgz"):
            (top / name).write_bytes(packed())
        yield top


def packed() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, text in (("a/Chart.yaml", CHART), ("a/crds/foo.yaml", SMALLEST)):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return data.getvalue()


def found(top: Path, place: str) -> Path:
    """Return the path of a place; of patterns, the first file that matches."""
    return next(iter(sorted(top.glob(place))), top / place)


@contextmanager
def refused() -> Iterator[None]:
    """Refuse root, too, what the mode of a file refuses: without CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""
    if os.geteuid() != 0 or sys.platform != "linux":
        yield
        return
    libc = ctypes.CDLL(None)
    header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, sets) == 0
    effective = sets[0]
    sets[0] = effective & ~0b110
    assert libc.capset(header, sets) == 0
    try:
        yield
    finally:
        sets[0] = effective
        assert libc.capset(header, sets) == 0


class HangsError(BaseException):
    """A command waits for ever."""


def _hangs(_signal: int, _frame: object) -> None:
    raise HangsError


def run(command: str) -> tuple[int, str]:
    """Run a command, and return its exit status and all that it prints; it must not wait for ever."""
    signal.signal(signal.SIGALRM, _hangs)
    signal.alarm(30)
    try:
        with refused():
            result = CliRunner().invoke(cli, command.split())
    finally:
        signal.alarm(0)
    problem = result.exception
    if problem is not None and not isinstance(problem, SystemExit):
        return 3, repr(problem)
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("name", "first"),
    [
        *((name, first) for name, first in HALVES.items() if name in TELLING),
        *(
            pytest.param(name, 1 - first, marks=pytest.mark.exhaustive)
            for name, first in HALVES.items()
        ),
    ],
)
def test_a_thing_in_place_of_a_file(
    name: str, first: int, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put(path: Path) -> None:
        path.unlink()
        THINGS[name](path)

    # Whoever writes to a pipe waits for a reader.
    chosen = [one for one in PLACES[first::2] if (name, one[1]) != ("pipe", "out.json")]
    assert list(wrong_answers(tree, monkeypatch, put, chosen, silent=name in HARMLESS)) == []


def test_a_file_that_vanishes_before_it_is_opened(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open
    vanishing: list[Path] = []

    def opened(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if dir_fd is None and vanishing and Path(path).absolute() == vanishing[-1]:
            vanishing.pop().unlink()
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", opened)
    assert list(wrong_answers(tree, monkeypatch, vanishing.append, PLACES, silent=True)) == []


def wrong_answers(
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    put: Callable[[Path], object],
    places: list[tuple[str, str]],
    *,
    silent: bool,
) -> Iterator[tuple[str, str, int, str]]:
    """Yield commands that fail, or, if not `silent`, succeed without a word about the file that `put` has changed."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tree.parent))
    for command, place in places:
        with TemporaryDirectory(dir=tree.parent) as folder:
            top = shutil.copytree(tree, Path(folder, "copy"), symlinks=True)
            monkeypatch.chdir(top)
            path = found(top, place)
            put(path)
            status, output = run(command)
            is_silent = status == 0 and path.name not in output
            if status not in {0, 1, 2} or "a bug in crdlint" in output:
                yield place, command, status, output[-300:]
            elif is_silent and not silent and not place.startswith(UNREAD):
                yield place, command, status, "the file is not reported"
            monkeypatch.chdir(tree)
