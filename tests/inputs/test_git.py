"""What git knows of a repository, and that no checkout makes git run a program or reach another repository."""

from __future__ import annotations

import ast
import itertools
import os
import subprocess
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from counting import recording

import crdlint
from crdlint.files.git import Content, commit_of, contents, tracked_files, tree_of
from crdlint.files.repository import Repository, RepositoryError, repository_of
from crdlint.safety import programs as program

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = Path(crdlint.__file__).parent


def repository(path: Path) -> Repository:
    found = repository_of(str(path))
    assert found is not None
    return found


def read(at: Repository, revision: str) -> dict[str, Content]:
    commit = commit_of(at, revision)
    objects = tree_of(at, commit).files
    return dict(zip(objects, contents(at, commit, list(objects.values())), strict=True))


def test_the_trap_works(checkout: Any, trap: Any) -> None:
    """Otherwise the tests below would prove nothing."""
    checkout.commit({"a.yaml": "a", ".gitattributes": "* filter=x diff=x merge=x\n"})
    (checkout.top / ".git/config").write_text(trap.config(), encoding="utf-8")
    with suppress(subprocess.CalledProcessError):
        checkout.git("status")
    assert str(trap.program) in trap.ran


def test_a_revision_is_read_and_nothing_else(checkout: Any) -> None:
    commit = checkout.commit({"a.yaml": "old", "sub/é\n.yaml": b"\xff\0", "b.txt": "b"})
    (checkout.top / "link.yaml").symlink_to("a.yaml")
    newer = checkout.commit({"a.yaml": "new"})
    at = repository(checkout.top)
    assert (commit_of(at, "HEAD~"), commit_of(at, "main")) == (commit, newer)
    assert read(at, "HEAD~") == {
        "a.yaml": Content(b"old"),
        "b.txt": Content(b"b"),
        "sub/é\n.yaml": Content(b"\xff\0"),
    }
    assert set(read(at, "HEAD")) == {"a.yaml", "b.txt", "sub/é\n.yaml"}


@pytest.mark.parametrize(
    "revision", ["nothing", "--output=x", "HEAD:sub", "HEAD^{tree}", "", "-h", "@{-9}"]
)
def test_what_is_no_commit(checkout: Any, revision: str) -> None:
    checkout.commit({"sub/a.yaml": "a"})
    with pytest.raises(RepositoryError):
        commit_of(repository(checkout.top), revision)
    assert not (checkout.top / "x").exists()


def test_files_that_git_tracks(checkout: Any) -> None:
    checkout.commit({"a.yaml": "a", "sub/*.yaml": "b", "sub/deep/é.yaml": "c", "subs/d.yaml": "d"})
    checkout.write({"sub/new.yaml": "e"})
    at = repository(checkout.top)
    assert tracked_files(at, str(checkout.top / "sub")) == ["*.yaml", "deep/é.yaml"]
    assert tracked_files(at, ".") == ["a.yaml", "sub/*.yaml", "sub/deep/é.yaml", "subs/d.yaml"]


def test_contents_are_read_some_at_a_time(checkout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crdlint.files.git._CHUNK", 10)
    monkeypatch.setattr("crdlint.files.git.MAX_BYTES", 25)
    files = {
        "a": "1234567",
        "b": "123",
        "c": "1",
        "d": "x" * 20,
        "e": "y" * 26,
        "f": "1234567",
        "g": "",
    }
    checkout.commit(files)
    calls: list[Any] = []
    real = program.run
    monkeypatch.setattr("crdlint.files.git.run", recording(calls, real))
    found = read(repository(checkout.top), "HEAD")
    assert found.pop("e") == Content(problem="larger than 0 KiB: not read")
    assert found == {name: Content(text.encode()) for name, text in files.items() if name != "e"}
    assert [command[-1] for command in calls].count("--batch") == 4


def test_other_owners_do_not_matter(checkout: Any) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    checkout.commit({"a.yaml": "a"})
    for path in (checkout.top, *checkout.top.rglob("*")):
        os.chown(path, 12345, 12345)
    assert set(read(repository(checkout.top), "HEAD")) == {"a.yaml"}


class TestHostile:
    """No program of a checkout is run, whatever git is asked for."""

    @pytest.fixture
    def calls(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Return a list to which the subcommand of every call of git is added."""
        found: list[str] = []
        real = program.run
        options = {"-C", "-c"}

        def recorded(command: Any, *given: Any, **more: Any) -> Any:
            words = [word for before, word in itertools.pairwise(command) if before not in options]
            found.append(next(word for word in words if not word.startswith("-")))
            return real(command, *given, **more)

        monkeypatch.setattr("crdlint.files.git.run", recorded)
        return found

    def test_a_configuration_runs_nothing(self, checkout: Any, trap: Any, calls: list[str]) -> None:
        checkout.commit(
            {
                "a.yaml": "a",
                ".gitattributes": "* filter=x diff=x merge=x\n",
                ".gitignore": "*.tmp\n",
            }
        )
        (checkout.top / ".git/config").write_text(trap.config(), encoding="utf-8")
        at = repository(checkout.top)
        assert read(at, "HEAD")["a.yaml"] == Content(b"a")
        assert tracked_files(at, ".") == [".gitattributes", ".gitignore", "a.yaml"]
        assert set(calls) == {"rev-parse", "ls-tree", "cat-file", "ls-files"}
        assert trap.ran == ""

    @pytest.mark.parametrize("include", ["include", 'includeIf "gitdir:/**"'])
    def test_nor_does_an_included_one(self, checkout: Any, trap: Any, include: str) -> None:
        checkout.commit({"a.yaml": "a"})
        checkout.write({"more": trap.config()})
        with (checkout.top / ".git/config").open("a", encoding="utf-8") as file:
            file.write(f"[{include}]\n\tpath = ../more\n")
        at = repository(checkout.top)
        assert read(at, "HEAD")["a.yaml"] == Content(b"a")
        assert tracked_files(at, ".") == ["a.yaml"]
        assert trap.ran == ""

    @pytest.mark.parametrize(
        "settings",
        [
            pytest.param({"remote.origin.uploadpack": "{program}"}, id="uploadpack"),
            pytest.param(
                {"remote.origin.url": "ext::{program} x", "protocol.ext.allow": "always"}, id="ext"
            ),
            pytest.param(
                {"remote.origin.url": "ssh://x/y", "core.sshCommand": "{program}"}, id="ssh"
            ),
            pytest.param(
                {"remote.origin.url": "git://x/y", "core.gitProxy": "{program}"}, id="proxy"
            ),
            pytest.param({"remote.origin.vcs": "trap"}, id="vcs"),
            pytest.param(
                {"fetch.bundleURI": "file:///dev/null", "remote.origin.uploadpack": "{program}"},
                id="bundle",
            ),
        ],
    )
    def test_a_partial_clone_fetches_nothing(
        self,
        new_checkout: Callable[[str], Any],
        trap: Any,
        calls: list[str],
        settings: dict[str, str],
    ) -> None:
        source, clone = new_checkout("source"), new_checkout("clone")
        files = {f"{i}.yaml": f"old {i}" for i in range(40)}
        source.commit({"kept.yaml": "kept", **files})
        source.commit({name: text.replace("old", "new") for name, text in files.items()})
        source.git("config", "uploadpack.allowFilter", "true")
        clone.git("remote", "add", "origin", f"file://{source.top}")
        clone.git("fetch", "-q", "--filter=blob:none", "origin", "main")
        clone.git("checkout", "-q", "FETCH_HEAD")
        for name, value in settings.items():
            clone.git("config", name, value.format(program=trap.program))
        found = read(repository(clone.top), "HEAD~")
        assert found.pop("kept.yaml") == Content(b"kept")
        assert len(found) == 40
        for content in found.values():
            assert content.data == b""
            assert "missing from the repository; in a partial clone, run `git cat-file -e " in str(
                content.problem
            )
        assert trap.ran == ""
        # git is not started again for each of them
        assert calls == ["rev-parse", "ls-tree", "cat-file", "rev-list", "cat-file", "cat-file"]

    def test_the_hint_for_a_partial_clone_works(self, new_checkout: Callable[[str], Any]) -> None:
        source, clone = new_checkout("source"), new_checkout("clone")
        source.commit({"a.yaml": "old"})
        source.commit({"a.yaml": "new"})
        source.git("config", "uploadpack.allowFilter", "true")
        source.git("config", "uploadpack.allowAnySHA1InWant", "true")
        clone.git("remote", "add", "origin", f"file://{source.top}")
        clone.git("fetch", "-q", "--filter=blob:none", "origin", "main")
        clone.git("checkout", "-q", "FETCH_HEAD")
        problem = str(read(repository(clone.top), "HEAD~")["a.yaml"].problem)
        command = problem.partition("`")[2].partition("`")[0].split()
        clone.git(*command[1:])
        assert read(repository(clone.top), "HEAD~") == {"a.yaml": Content(b"old")}

    def test_programs_are_started_in_one_place(self) -> None:
        """A new call of git cannot pass by the options that the others have."""
        starters, calls = (
            {"subprocess", "pty"},
            {"system", "popen", "posix_spawn", "execv", "execvp"},
        )
        importers, callers = set(), set()
        for path in PACKAGE.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if not any(name in text for name in (*starters, *calls)):
                continue
            for node in ast.walk(ast.parse(text)):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom):
                    names = [node.module or ""]
                if starters.intersection(name.partition(".")[0] for name in names):
                    importers.add(path.relative_to(PACKAGE).as_posix())
                if isinstance(node, ast.Attribute) and node.attr in calls:
                    callers.add(path.relative_to(PACKAGE).as_posix())
        assert importers == {"safety/programs.py"}
        assert callers == set()


def test_an_object_that_is_missing(checkout: Any) -> None:
    checkout.commit({"a.yaml": "a", "b.yaml": "b", "c.yaml": "c"})
    name = checkout.git("rev-parse", "HEAD:b.yaml").strip()
    (checkout.top / ".git/objects" / name[:2] / name[2:]).unlink()
    found = read(repository(checkout.top), "HEAD")
    assert str(found.pop("b.yaml").problem).startswith("its content is missing from the repository")
    assert found == {"a.yaml": Content(b"a"), "c.yaml": Content(b"c")}


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"garbage",
        b"x\x9c",
        *map(zlib.compress, (b"blob 100\0short", b"blob 1\0x", b"blob 1\0longer", b"tree 1\0b")),
    ],
)
def test_an_object_that_is_broken(checkout: Any, damage: bytes) -> None:
    checkout.commit({"a.yaml": "a", "b.yaml": "b", "c.yaml": "c"})
    name = checkout.git("rev-parse", "HEAD:b.yaml").strip()
    path = checkout.top / ".git/objects" / name[:2] / name[2:]
    path.chmod(0o644)
    path.write_bytes(damage)
    found = read(repository(checkout.top), "HEAD")
    assert found.pop("b.yaml").problem
    assert found == {"a.yaml": Content(b"a"), "c.yaml": Content(b"c")}


def test_an_object_is_not_replaced_by_another(checkout: Any) -> None:
    checkout.commit({"a.yaml": "a", "b.yaml": "b"})
    checkout.git("replace", "HEAD:a.yaml", "HEAD:b.yaml")
    assert read(repository(checkout.top), "HEAD")["a.yaml"] == Content(b"a")


def test_a_repository_with_longer_ids(checkout: Any) -> None:
    (checkout.top / ".git").rename(checkout.top / ".old")
    checkout.git("init", "-q", "-b", "main", "--object-format=sha256")
    checkout.commit({"a.yaml": "a"})
    assert read(repository(checkout.top), "HEAD")["a.yaml"] == Content(b"a")


def test_a_small_tree_of_billions_of_files(checkout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crdlint.files.git._LONGEST_OUTPUT", 3 * 1024 * 1024)
    blob = checkout.git("hash-object", "-w", "--stdin").strip()
    rows = "".join(f"100644 blob {blob}\t{i}.yaml\n" for i in range(10))
    for _ in range(9):
        tree = subprocess.run(
            ["git", "mktree"],
            cwd=checkout.top,
            input=rows.encode(),
            capture_output=True,
            check=True,
        ).stdout.decode()
        rows = "".join(f"040000 tree {tree.strip()}\t{i}\n" for i in range(10))
    commit = checkout.git("commit-tree", "-m", "bomb", tree.strip()).strip()
    with pytest.raises(RepositoryError, match="git printed more than 3 MiB"):
        tree_of(repository(checkout.top), commit)


def test_many_objects_that_are_broken_end_the_reading(
    checkout: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{i}.yaml": str(i) for i in range(30)}
    checkout.commit(files)
    for name in files:
        found = checkout.git("rev-parse", f"HEAD:{name}").strip()
        path = checkout.top / ".git/objects" / found[:2] / found[2:]
        path.chmod(0o644)
        path.write_bytes(zlib.compress(b"blob 100\0short"))
    calls: list[Any] = []
    real = program.run
    monkeypatch.setattr("crdlint.files.git.run", recording(calls, real))
    with pytest.raises(RepositoryError, match="more than 16 objects are broken"):
        read(repository(checkout.top), "HEAD")
    assert len(calls) == 21  # rev-parse, ls-tree, the sizes, rev-list, and 17 times the contents


def test_without_git(checkout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(checkout.top))
    with pytest.raises(RepositoryError, match="git is not installed"):
        commit_of(repository(checkout.top), "HEAD")
