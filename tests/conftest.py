"""Options of the whole suite."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest
import tables

from crdlint.safety import bugs
from crdlint.safety.bugs import Bug, bug_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from editor import Editor


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-expected",
        action="store_true",
        help="write fixtures/expected and golden files anew",
    )
    parser.addoption(
        "--rows",
        action="store_true",
        help="make each row of a table an item, which -k can choose",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the options, and let programs get SIGINT, which a background job of a script ignores, and keep their bytecode."""
    tables.row_is_item = config.getoption("--rows")
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the recorded answers first: they show at once whether crdlint still answers as the API server does."""
    items.sort(key=lambda item: "upstream/test_recorded.py" not in item.nodeid)


def pytest_collection_finish() -> None:
    """Leave what lives until the end to no collection of garbage: each would visit millions of objects again."""
    _freeze()


def pytest_sessionfinish() -> None:
    _freeze()


def _freeze() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the suite's results out of the user's cache."""
    os.environ["CRDLINT_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    os.environ["CRDLINT_CACHE_KEY"] = "of these tests"
    yield
    del os.environ["CRDLINT_CACHE_DIR"], os.environ["CRDLINT_CACHE_KEY"]


_BUGS: Final[list[Bug]] = []


@pytest.fixture(scope="session", autouse=True)
def _recorded_bugs() -> None:
    """Record the internal errors that crdlint contains."""

    def recorded(error: BaseException) -> Bug:
        _BUGS.append(bug_of(error))
        return _BUGS[-1]

    bugs.bug_of = recorded


@pytest.fixture(autouse=True)
def internal_errors() -> Iterator[list[Bug]]:
    """Fail a test that ends with internal errors in this list."""
    _BUGS.clear()
    yield _BUGS
    assert not _BUGS


@dataclass(frozen=True)
class Checkout:
    """A git repository with a work tree, made and changed by git itself."""

    top: Path

    def git(self, *arguments: str) -> str:
        """Call git in the top folder, with nobody's configuration, and return what it prints."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        settings = ("user.name=t", "user.email=t@example.com", "commit.gpgSign=false")
        options = [part for one in settings for part in ("-c", one)]
        return subprocess.run(
            ["git", *options, *arguments],
            cwd=self.top,
            env={**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files below the top folder."""
        for name, content in files.items():
            path = self.top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: Mapping[str, str | bytes]) -> str:
        """Commit all files of the work tree, after these are written, and return the commit."""
        self.write(files)
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "--allow-empty", "-m", "files")
        return self.git("rev-parse", "HEAD").strip()


@pytest.fixture
def new_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Checkout]:
    """Make repositories below `tmp_path`, outside of which no repository is looked for."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    def make(name: str) -> Checkout:
        checkout = Checkout(tmp_path / name)
        checkout.top.mkdir()
        checkout.git("init", "-q", "-b", "main")
        return checkout

    return make


@pytest.fixture
def checkout(new_checkout: Callable[[str], Checkout], monkeypatch: pytest.MonkeyPatch) -> Checkout:
    """An empty repository, which is the working directory."""
    made = new_checkout("checkout")
    monkeypatch.chdir(made.top)
    return made


HOOKS: Final = (
    "fsmonitor-watchman",
    "post-checkout",
    "post-index-change",
    "post-merge",
    "pre-commit",
    "reference-transaction",
    "sendemail-validate",
    "update",
)
# Everything in a repository's configuration that names a program, as far as git's documentation of 2.39 to 2.51 has it.
PROGRAMS: Final = (
    "alias.cat-file", "alias.ls-files", "alias.ls-tree", "alias.rev-list", "alias.rev-parse", "browser.x.cmd",
    "core.alternateRefsCommand", "core.askPass", "core.editor", "core.fsmonitor", "core.gitProxy", "core.pager",
    "core.sshCommand", "core.virtualFilesystem", "credential.helper", "diff.external", "diff.x.command",
    "diff.x.textconv", "difftool.x.cmd", "filter.x.clean", "filter.x.process", "filter.x.smudge", "gpg.program",
    "gpg.ssh.defaultKeyCommand", "hook.x.command", "interactive.diffFilter", "man.x.cmd", "merge.x.driver",
    "mergetool.x.cmd", "pager.cat-file", "pager.ls-files", "pager.ls-tree", "pager.rev-list", "pager.rev-parse",
    "remote.origin.receivepack", "remote.origin.uploadpack", "remote.origin.vcs", "sendemail.sendmailCmd",
    "sequence.editor", "submodule.x.update", "trailer.x.command", "uploadpack.packObjectsHook",
)  # fmt: skip
SHELL: Final = frozenset(
    {"alias", "credential", "submodule"}
)  # a command of the shell's begins with an exclamation mark


class Trap:
    """A program that leaves a mark if it is run, and configurations of git that name it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.mark = folder / "mark"
        self.program = folder / "program"
        self.program.write_text(
            f'#!/bin/sh\necho "$0 $@" >> {self.mark}\nexit 1\n', encoding="utf-8"
        )
        self.program.chmod(0o755)
        self.hooks = folder / "hooks"
        self.hooks.mkdir()
        for name in HOOKS:
            (self.hooks / name).symlink_to(self.program)

    @property
    def ran(self) -> str:
        return self.mark.read_text(encoding="utf-8") if self.mark.exists() else ""

    def config(self) -> str:
        """Return a configuration in which every program is the trap."""
        lines = ["[core]", "\trepositoryFormatVersion = 0", f"\thooksPath = {self.hooks}"]
        for name in PROGRAMS:
            section, _, rest = name.partition(".")
            middle, _, key = rest.rpartition(".")
            command = f"!{self.program}" if section in SHELL else str(self.program)
            lines += [
                f'[{section} "{middle}"]' if middle else f"[{section}]",
                f"\t{key} = {command}",
            ]
        lines += ['[hook "x"]', *(f"\tevent = {name}" for name in HOOKS)]
        lines += ['[protocol "ext"]', "\tallow = always", '[protocol "file"]', "\tallow = always"]
        lines += ["[color]", "\tui = always", "\tgrep = always", "[submodule]", "\trecurse = true"]
        return "\n".join(lines) + "\n"


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path / "trap")


@pytest.fixture(scope="session")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """Start the language server that most tests share; it must end with status 0."""
    from editor import Editor

    with Editor(tmp_path_factory.mktemp("workspace"), process=True) as made:
        yield made


@pytest.fixture
def editor(_server: Editor, tmp_path: Path) -> Iterator[Editor]:
    """Return an editor in an empty folder."""
    _server.move(tmp_path)
    yield _server
    _server.close_all()
