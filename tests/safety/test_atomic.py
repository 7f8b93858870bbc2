"""Files are written as a whole or not at all."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crdlint.safety import atomic

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FIXABLE = FIXTURES / "invalid" / "rule-optional-old-self-unused.yaml"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    return path


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_a_file_is_replaced_and_keeps_its_mode(file: Path) -> None:
    before = file.stat()
    atomic.write(file, b"new")
    assert file.read_bytes() == b"new"
    after = file.stat()
    assert stat.S_IMODE(after.st_mode) == 0o640
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert after.st_ino != before.st_ino
    assert names(file.parent) == ["file"]


def test_a_read_only_file_is_not_written(file: Path) -> None:
    """Root may write to it, and a new file may be renamed to it."""
    file.chmod(0o440)
    second = file.with_name("second")
    for _ in range(2):
        with pytest.raises(PermissionError, match="the file is read-only"):
            atomic.write(file, b"new")
        if not second.exists():
            second.hardlink_to(file)
    assert file.read_bytes() == b"old"
    assert names(file.parent) == ["file", "second"]


def test_other_hard_links_refer_to_the_written_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = file.with_name("second")
    second.hardlink_to(file)
    for content in (b"longer than before", b"short"):
        atomic.write(file, content, made_from=second.read_bytes())
        assert second.read_bytes() == content
    with pytest.raises(atomic.ChangedError):
        atomic.write(file, b"newer", made_from=b"old")
    monkeypatch.setattr(atomic, "_fill", _failing_once(atomic._fill))  # noqa: SLF001
    with pytest.raises(OSError, match="No space left"):
        atomic.write(file, b"half of a longer text")
    assert (file.read_bytes(), file.samefile(second)) == (b"short", True)
    assert names(file.parent) == ["file", "second"]


def _failing_once(fill: Callable[..., None]) -> Callable[..., None]:
    """Return a function whose first call writes half of the data and fails."""
    calls: list[None] = []

    def failing(file: FileIO, data: bytes) -> None:
        calls.append(None)
        fill(file, data[: len(data) // 2] if len(calls) == 1 else data)
        if len(calls) == 1:
            raise OSError(errno.ENOSPC, "No space left on device")

    return failing


@pytest.mark.skipif(
    sys.platform != "linux", reason="Python reads extended attributes on Linux only"
)
def test_a_replaced_file_keeps_its_extended_attributes(file: Path) -> None:
    try:
        os.setxattr(file, "user.note", b"kept")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    atomic.write(file, b"new")
    assert (file.read_bytes(), os.getxattr(file, "user.note")) == (b"new", b"kept")


def test_a_new_file_has_the_mode_that_the_umask_allows(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        atomic.write(tmp_path / "new", b"new")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_name_may_be_as_long_as_names_can_be(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 255)
    atomic.write(path, b"new")
    assert path.read_bytes() == b"new"


def test_a_link_keeps_pointing_at_its_file(file: Path) -> None:
    folder = file.parent / "folder"
    folder.mkdir()
    link, second, dangling = folder / "link", folder / "second", folder / "dangling"
    link.symlink_to("../file")
    second.symlink_to("link")
    dangling.symlink_to("../made")
    atomic.write(second, b"new")
    atomic.write(dangling, b"made")
    assert all(one.is_symlink() for one in (link, second, dangling))
    assert file.read_bytes() == b"new"
    assert (file.parent / "made").read_bytes() == b"made"
    assert names(folder) == ["dangling", "link", "second"]


def test_a_pipe_is_written_to_in_place(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        atomic.write(pipe, b"new")
        assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_standard_output_that_is_a_file_is_written_to_in_place(file: Path) -> None:
    code = "from crdlint.safety import atomic; atomic.write('/dev/stdout', b'new')"
    before = file.stat().st_ino
    with file.open("wb") as output:
        subprocess.run([sys.executable, "-c", code], stdout=output, check=True)
    assert file.read_bytes() == b"new"
    assert file.stat().st_ino == before


def _fail(error: BaseException) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("owner", "call"),
    [(os, "fdopen"), (shutil, "copystat"), (Path, "replace")],
    ids=["write", "mode", "replace"],
)
@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()]
)
def test_no_temporary_file_is_left_behind(
    file: Path, monkeypatch: pytest.MonkeyPatch, owner: object, call: str, error: BaseException
) -> None:
    monkeypatch.setattr(owner, call, _fail(error))
    with pytest.raises(type(error)):
        atomic.write(file, b"new")
    monkeypatch.undo()
    assert file.read_bytes() == b"old"
    assert names(file.parent) == ["file"]


def test_a_file_that_was_changed_meanwhile_is_not_replaced(file: Path) -> None:
    atomic.write(file, b"new", made_from=b"old")
    with pytest.raises(atomic.ChangedError):
        atomic.write(file, b"newer", made_from=b"old")
    assert file.read_bytes() == b"new"
    file.unlink()
    with pytest.raises(atomic.ChangedError):
        atomic.write(file, b"newer", made_from=b"new")
    assert names(file.parent) == []


def _full_disk() -> None:
    """Let no write reach beyond the first 16 bytes of a file; writes to pipes work as usual."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        pytest.param(["--fix", "--no-cache"], "crd.yaml: cannot be written: File too large", 2, id="fix"),
        pytest.param(["--no-cache", "--output", "json=out.json"], "out.json cannot be written: File too large", 2, id="output"),
        pytest.param(
            ["--no-cache", "--baseline", "known.json", "--update-baseline"], "cannot be written: File too large", 2, id="baseline"
        ),
        pytest.param([], "", 1, id="cache"),
    ],
)  # fmt: skip
def test_a_full_disk_leaves_no_temporary_file(
    tmp_path: Path, arguments: list[str], message: str, status: int
) -> None:
    file = tmp_path / "crd.yaml"
    file.write_bytes(FIXABLE.read_bytes())
    cache = tmp_path / "cache"
    done = subprocess.run(
        [sys.executable, "-m", "crdlint", "check", "--format=concise", *arguments, "crd.yaml"],
        cwd=tmp_path,
        # Python would keep half of its bytecode
        env={**os.environ, "CRDLINT_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_full_disk,
    )
    assert done.returncode == status, done.stderr
    assert ("crd.yaml:" in done.stdout) is ("--update-baseline" not in arguments)
    assert message in done.stderr
    assert file.read_bytes() == FIXABLE.read_bytes()
    assert [one for one in tmp_path.rglob("*") if one.is_file() and one.name != "swept"] == [file]


def test_a_link_that_is_written_to_stays_one(tmp_path: Path) -> None:
    """`--output`, `--baseline` and `--fix` write to the file that a link names."""
    for name in ("out.json", "known.json", "crd.yaml"):
        (tmp_path / "real").mkdir(exist_ok=True)
        (tmp_path / "real" / name).write_bytes(FIXABLE.read_bytes() if name == "crd.yaml" else b"")
        (tmp_path / name).symlink_to(f"real/{name}")
    (tmp_path / "real/known.json").unlink()
    options = [
        "--fix",
        "--output",
        "json=out.json",
        "--baseline",
        "known.json",
        "--update-baseline",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "crdlint", "check", "--no-cache", *options, "crd.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name in ("out.json", "known.json", "crd.yaml"):
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / "real" / name).read_bytes()
    assert b"optionalOldSelf: true" not in (tmp_path / "real/crd.yaml").read_bytes()
    assert names(tmp_path / "real") == ["crd.yaml", "known.json", "out.json"]
