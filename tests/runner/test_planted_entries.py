"""Entries of the cache that crdlint did not write: none counts, blocks, leads elsewhere or ends the run."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tables import each

from crdlint.cli.main import cli
from crdlint.runner import store
from crdlint.runner.cache import Cache, open_cache
from crdlint.runner.store import user_secret

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Checkout

FILE = f"{'0' * 38}.crdlint"
BAD = Path(__file__).resolve().parents[2] / "fixtures" / "invalid" / "rule-too-expensive.yaml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CRDLINT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without a secret in the environment."""
    monkeypatch.delenv("CRDLINT_CACHE_KEY")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "crdlint"


def check() -> tuple[int, str]:
    done = CliRunner().invoke(cli, ("check", "-q", str(BAD)), catch_exceptions=False)
    return done.exit_code, done.stdout


def only_entry(folder: Path) -> Path:
    (entry,) = folder.glob("??/*")
    return entry


def forged(entry: bytes) -> bytes:
    """Return an entry that reports nothing, with the signature of the original."""
    signature, _, payload = entry.partition(b"\n")
    fields = json.loads(payload)
    fields[6] = []
    return signature + b"\n" + json.dumps(fields).encode()


def as_fifo(entry: Path) -> None:
    entry.unlink()
    os.mkfifo(entry)


def as_folder(entry: Path) -> None:
    entry.unlink()
    entry.mkdir()


def as_link(entry: Path) -> None:
    outside = entry.parents[2] / "outside"
    outside.write_bytes(entry.read_bytes())
    entry.unlink()
    entry.symlink_to(outside)


def as_link_above(entry: Path) -> None:
    entry.parent.rename(entry.parents[2] / "elsewhere")
    entry.parent.symlink_to(entry.parents[2] / "elsewhere")


PLANTED: dict[str, Callable[[Path], object]] = {
    "changed": lambda entry: entry.write_bytes(forged(entry.read_bytes())),
    "without signature": lambda entry: entry.write_bytes(entry.read_bytes().partition(b"\n")[2]),
    "another signature": lambda entry: entry.write_bytes(b"0" * 64 + entry.read_bytes()[64:]),
    "not ASCII": lambda entry: entry.write_bytes("é".encode() * 32 + entry.read_bytes()[64:]),
    "cut": lambda entry: entry.write_bytes(entry.read_bytes()[:-1]),
    "nested": lambda entry: entry.write_bytes(b"\n" + b"[" * 1_000_000),
    "a long number": lambda entry: entry.write_bytes(b"\n" + b"1" * 10_000),
    "a pipe": as_fifo,
    "a folder": as_folder,
    "a link": as_link,
    "a link above": as_link_above,
}


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_a_planted_entry_changes_nothing(
    plant: Callable[[Path], object], folder: Path, tmp_path: Path
) -> None:
    first = check()
    assert first[0] == 1
    plant(only_entry(folder))
    outside = {path: path.read_bytes() for path in (tmp_path / "outside",) if path.exists()}
    assert check() == first
    assert check() == first
    assert all(path.read_bytes() == data for path, data in outside.items())


def test_an_entry_of_another_secret_does_not_count(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = check()
    entry = only_entry(folder)
    monkeypatch.setenv("CRDLINT_CACHE_KEY", "of somebody else")
    theirs = Cache(folder)
    key = entry.parent.name + entry.stem
    assert theirs.get(key, "x", "") is None
    assert check() == first
    assert theirs.get(key, "x", "") is not None


def test_an_entry_does_not_count_under_another_key(folder: Path) -> None:
    check()
    entry = only_entry(folder)
    other = folder / "00" / f"{'0' * 38}.crdlint"
    other.parent.mkdir(exist_ok=True)
    other.write_bytes(entry.read_bytes())
    assert Cache(folder).get("0" * 40, "x", "") is None


def test_the_folder_is_the_users_alone(folder: Path) -> None:
    before = os.umask(0)
    try:
        check()
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0
    assert stat.S_IMODE(only_entry(folder).parent.stat().st_mode) & 0o077 == 0


def test_the_secret_is_made_once_and_is_private(home: Path) -> None:
    secret = user_secret()
    assert secret is not None
    assert user_secret() == secret == (home / "key").read_bytes()
    assert stat.S_IMODE((home / "key").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def _link(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to("other")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


BROKEN: dict[str, Callable[[Path], object]] = {
    "readable by others": lambda path: path.chmod(0o644),
    "too short": lambda path: path.write_bytes(b"x"),
    "a link": _link,
    "a pipe": _pipe,
}


@pytest.mark.parametrize("spoil", BROKEN.values(), ids=BROKEN)
def test_a_secret_that_others_may_know_is_replaced(
    spoil: Callable[[Path], object], home: Path
) -> None:
    before = user_secret()
    spoil(home / "key")
    after = user_secret()
    assert after not in (before, None)
    assert user_secret() == after


@pytest.mark.usefixtures("home")
def test_the_secret_does_not_move_with_the_folder(folder: Path) -> None:
    check()
    assert not (folder / "key").exists()


def test_a_relative_cache_home_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.delenv("CRDLINT_CACHE_DIR")
    assert store.cache_folder() == tmp_path / ".cache" / "crdlint"


def test_no_place_for_a_secret_is_no_cache(home: Path, folder: Path) -> None:
    home.parent.write_text("")
    assert user_secret() is None
    assert check()[0] == 1
    assert list(folder.glob("??/*")) == []


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.expanduser", str)  # which leaves the tilde as it is
    monkeypatch.delenv("CRDLINT_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert open_cache() is None
    assert check()[0] == 1


def test_a_relative_folder_of_the_system_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: Path("cache"))
    monkeypatch.delenv("CRDLINT_CACHE_DIR")
    assert open_cache() is None
    monkeypatch.delenv("CRDLINT_CACHE_KEY", raising=False)
    assert user_secret() is None


def test_the_folder_of_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CRDLINT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert store.cache_folder() == tmp_path / "crdlint"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert store.cache_folder() == tmp_path / ".cache" / "crdlint"


def test_sweeping_follows_no_link(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_LIMIT", 0)
    for name in ("outside", "cache/ab"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / FILE).write_text("x")
    (folder / "CACHEDIR.TAG").write_bytes(store._TAGGED)  # noqa: SLF001
    (folder / "cd").symlink_to(tmp_path / "outside")
    (folder / "swept").symlink_to(tmp_path / "mark")
    Cache(folder).sweep()
    assert not (folder / "ab" / FILE).exists()
    assert (tmp_path / "outside" / FILE).exists()
    assert not (tmp_path / "mark").exists()


OTHERS = {
    "an object of git": "1" * 38,
    "a longer name": "1" * 64,
    "with another suffix": f"{'1' * 38}-a",
    "a temporary file": ".crdlint-0123456789abcdef",
    "a longer suffix": f"{FILE}.bak",
}


@each("name", OTHERS.values(), ids=OTHERS)
def test_sweeping_removes_only_entries(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check()
    own, other = only_entry(folder), folder / "ab" / name
    other.parent.mkdir(exist_ok=True)
    other.write_text("x")
    (folder / "swept").unlink(missing_ok=True)
    with monkeypatch.context() as context:
        context.setattr(store, "_LIMIT", 0)
        Cache(folder).sweep()
    assert other.exists()
    assert not own.exists()
    shutil.rmtree(folder)


def test_a_folder_of_others_is_not_swept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_LIMIT", 0)
    for name in ("README", f"ab/{FILE}"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    check()
    Cache(folder).sweep()
    assert (folder / "ab" / FILE).exists()
    assert not (folder / "CACHEDIR.TAG").exists()
    (folder / "README").unlink()
    for entry in folder.glob("*/*"):
        if entry.name != FILE:
            entry.unlink()
    check()
    assert not (folder / "ab" / FILE).exists()  # now it is crdlint's own


@pytest.mark.parametrize("linked", [".cache/crdlint", ".cache"])
@pytest.mark.parametrize("target", ["{top}/.git/objects", "{top}/../outside", "{top}/src"])
def test_a_cache_behind_a_link_of_the_repository_is_not_used(
    linked: str, target: str, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`$CI_PROJECT_DIR/.cache/crdlint` is the folder that docs/ci.md recommends, and a commit may contain it."""
    monkeypatch.setattr(store, "_LIMIT", 0)
    checkout.commit({"crd.yaml": BAD.read_text(encoding="utf-8"), "src/a": ""})
    monkeypatch.setenv("CRDLINT_CACHE_DIR", str(checkout.top / ".cache/crdlint"))
    theirs = Path(target.format(top=checkout.top))
    theirs.mkdir(exist_ok=True)
    (theirs / "ab").mkdir(exist_ok=True)
    (theirs / "ab" / FILE).write_text("x")
    (theirs / "CACHEDIR.TAG").write_bytes(store._TAGGED)  # noqa: SLF001
    before = sorted(theirs.rglob("*"))
    (checkout.top / linked).parent.mkdir(exist_ok=True)
    (checkout.top / linked).symlink_to(theirs)
    assert check()[0] == 1
    assert open_cache() is None
    assert sorted(theirs.rglob("*")) == before
    (checkout.top / linked).unlink()
    assert open_cache() is not None
