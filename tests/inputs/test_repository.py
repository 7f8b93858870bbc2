"""Which repository a path belongs to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from crdlint.files.repository import Repository, RepositoryError, repository_at, repository_of

if TYPE_CHECKING:
    from pathlib import Path


def make(top: Path, name: str = ".git") -> Path:
    """Make what git takes as a repository."""
    folder = top / name
    for part in ("objects", "refs"):
        (folder / part).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return tmp_path


def test_the_closest_one_above(top: Path) -> None:
    make(top)
    (top / "a/b").mkdir(parents=True)
    outer = Repository(str(top), str(top / ".git"), str(top / ".git"))
    assert repository_of(str(top)) == outer
    assert repository_of(str(top / "a/b/gone/file.yaml")) == outer
    make(top / "a")
    assert repository_of(str(top / "a/b")) == Repository(
        str(top / "a"), str(top / "a/.git"), str(top / "a/.git")
    )


def test_none_beyond_a_ceiling(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(top)
    (top / "a/b").mkdir(parents=True)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.pathsep.join(["", "/nowhere", str(top)]))
    assert repository_of(str(top / "a/b")) is None
    assert repository_of(str(top)) is not None


def test_a_folder_that_looks_like_a_repository_is_none(top: Path) -> None:
    make(top, "charts")
    assert repository_of(str(top / "charts")) is None
    make(top)
    found = repository_of(str(top / "charts"))
    assert found is not None
    assert found.top == str(top)


def test_an_empty_folder_named_git_is_none(top: Path) -> None:
    make(top)
    (top / "a/.git").mkdir(parents=True)
    found = repository_of(str(top / "a"))
    assert found is not None
    assert found.top == str(top)


def test_a_linked_work_tree_and_a_submodule(checkout: Any) -> None:
    checkout.commit({"a.yaml": "a"})
    checkout.git("worktree", "add", "-q", "../linked")
    linked = checkout.top.parent / "linked"
    found = repository_of(str(linked))
    assert found == Repository(
        str(linked), str(checkout.top / ".git/worktrees/linked"), str(checkout.top / ".git")
    )
    checkout.git("init", "-q", "--separate-git-dir", "../elsewhere", "sub")
    elsewhere = str(checkout.top.parent / "elsewhere")
    assert repository_of(str(checkout.top / "sub")) == Repository(
        str(checkout.top / "sub"), elsewhere, elsewhere
    )


@pytest.mark.parametrize(
    "content", [b"gitdir: nowhere\n", b"garbage", b"gitdir: \n", b"gitdir: .\n"]
)
def test_a_git_file_that_leads_nowhere(top: Path, content: bytes) -> None:
    make(top)
    (top / "a").mkdir()
    (top / "a/.git").write_bytes(content)
    with pytest.raises(
        RepositoryError, match=r"/a/\.git leads to .*, which is not a git repository"
    ):
        repository_of(str(top / "a"))


@pytest.mark.parametrize(
    "content", [b"", b"gitdir: a\0b\n", b"gitdir: a\nb\n", b"gitdir: " + b"a" * 100_000]
)
def test_a_git_file_without_a_path_is_none(top: Path, content: bytes) -> None:
    (top / ".git").write_bytes(content)
    assert repository_at(str(top)) is None
    assert repository_of(str(top)) is None


def test_pipes_and_devices_are_not_opened(top: Path) -> None:
    os.mkfifo(top / ".git")
    assert repository_of(str(top)) is None
    (top / ".git").unlink()
    (top / ".git").symlink_to("/dev/zero")
    assert repository_of(str(top)) is None


@pytest.mark.parametrize("name", ["HEAD", "config", "index", "packed-refs"])
def test_a_repository_with_a_pipe_is_not_read(top: Path, name: str) -> None:
    folder = make(top)
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    with pytest.raises(RepositoryError, match=f"/{name} is not a regular file"):
        repository_of(str(top))


@pytest.mark.parametrize(
    "name", [".git/objects/ab/cd", ".git/refs/heads/main", ".git/objects/pack/a.idx", "other/ab/cd"]
)
def test_objects_and_references_that_are_pipes_are_not_read(top: Path, name: str) -> None:
    folder = make(top)
    (folder / "objects/info").mkdir()
    (folder / "objects/info/alternates").write_text("../../other\n")
    (folder / "refs/loop").symlink_to(".")
    (folder / "refs/self").symlink_to("self")
    found = repository_of(str(top))
    assert found is not None
    found.require_regular_files(below=True)
    (top / name).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(top / name)
    with pytest.raises(
        RepositoryError, match=f"/{name.removeprefix('.git/objects/')} is not a regular file"
    ):
        found.require_regular_files(below=True)
