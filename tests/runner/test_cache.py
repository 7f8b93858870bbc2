"""Results kept from run to run: what they are told apart by, and what is done with entries that are none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import crdlint.linting.pipeline
from crdlint.cli.main import cli
from crdlint.linting.pipeline import lint_file
from crdlint.linting.result import FileResult
from crdlint.phrases import Routine
from crdlint.runner import cache, store
from crdlint.runner import packs as packed
from crdlint.runner.cache import Cache
from crdlint.runner.store import cache_folder

if TYPE_CHECKING:
    from crdlint.linting.request import CheckRequest

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BAD = FIXTURES / "invalid" / "rule-too-expensive.yaml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CRDLINT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("??/*"))


def check(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ("check", "-q", *args), catch_exceptions=False)
    return result.exit_code, result.stdout


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which every file is added that is really judged."""
    judged: list[str] = []

    def noted(
        text: str, filename: str, request: CheckRequest, *, earlier: FileResult | None = None
    ) -> FileResult:
        if request.details:  # one without names the servers of an error
            judged.append(filename)
        return lint_file(text, filename, request, earlier=earlier)

    monkeypatch.setattr(crdlint.linting.pipeline, "lint_file", noted)
    return judged


def test_a_second_run_judges_nothing_and_says_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = counted(monkeypatch)
    first = check(str(BAD))
    assert len(entries(folder)) == len(judged) == 1
    assert check(str(BAD)) == first
    assert len(judged) == 1


def test_an_error_that_servers_word_differently_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    linted = counted(monkeypatch)
    crd = tmp_path / "crd.yaml"
    text = (FIXTURES / "valid" / "minimal.yaml").read_text(encoding="utf-8")
    crd.write_text(text.split("    schema:")[0], encoding="utf-8")
    first = check(str(crd))
    assert "schema-required" in first[1]
    assert check(str(crd)) == first
    assert len(linted) == len(entries(folder)) == 1


def test_what_a_result_hangs_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    judged = counted(monkeypatch)
    copy = tmp_path / "copy.yaml"
    copy.write_text(BAD.read_text())
    check(str(BAD))
    _, said = check(str(copy))
    assert len(judged) == 1  # the same content under another name
    assert f"{copy}:30:21" in said
    check(str(copy), "--kube-version", "1.30")
    copy.write_text(BAD.read_text() + "# more\n")
    check(str(copy))
    check(str(copy), "--no-cache")
    check(str(copy), "--against", str(BAD))
    assert judged == [str(BAD), str(copy), str(copy), str(copy), str(copy)]
    assert len(entries(folder)) == 3


@pytest.mark.usefixtures("folder")
def test_a_copy_shows_its_own_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = counted(monkeypatch)
    keys = FIXTURES / "invalid" / "list-map-key-optional.yaml"
    copy = tmp_path / "copy.yaml"
    copy.write_text(keys.read_text())
    first = check(str(keys))[1]
    assert "set here" in first
    assert check(str(copy))[1] == first.replace(str(keys), str(copy))
    assert judged == [str(keys)]


@pytest.mark.usefixtures("folder")
def test_another_version_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = counted(monkeypatch)
    check(str(BAD))
    monkeypatch.setattr(cache, "program_digest", lambda: b"of another one")
    check(str(BAD))
    assert len(judged) == 2


BROKEN = {
    "empty": b"",
    "no JSON": b"{",
    "no list": b"{}",
    "too short": b"[1, 2]",
    "of another key": None,
    "pickle": b"\x80\x04cos\nsystem\n(S'true'\ntR.",
    "binary": bytes(range(256)),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_an_entry_that_is_none_is_made_anew(
    data: bytes | None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = check(str(BAD))
    (entry,) = entries(folder)
    key = entry.stem.encode()
    entry.write_bytes(entry.read_bytes().replace(key, b"x" * len(key)) if data is None else data)
    judged = counted(monkeypatch)
    assert check(str(BAD)) == first
    assert len(judged) == 1
    assert check(str(BAD)) == first
    assert len(judged) == 1


def test_a_folder_that_cannot_be_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CRDLINT_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert check(str(BAD))[0] == 1


def test_nothing_of_the_text_is_kept(folder: Path) -> None:
    check(str(BAD))
    (entry,) = entries(folder)
    assert b"without maxItems" not in entry.read_bytes()


def test_the_oldest_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_LIMIT", 250)
    for i in range(4):
        path = tmp_path / f"{i:02}" / f"{'0' * 38}.crdlint"
        path.parent.mkdir()
        path.write_bytes(b"x" * 100)
        os.utime(path, (1000 + i, 1000 + i))
    (tmp_path / "CACHEDIR.TAG").write_bytes(store._TAGGED)  # noqa: SLF001
    Cache(tmp_path).sweep()
    assert [path.parent.name for path in entries(tmp_path)] == ["02", "03"]
    (tmp_path / "02" / f"{'1' * 38}.crdlint").write_bytes(b"x" * 1000)
    Cache(tmp_path).sweep()  # looked at today
    assert len(entries(tmp_path)) == 3
    os.utime(tmp_path / "swept", (0, 0))
    Cache(tmp_path).sweep()
    assert len(entries(tmp_path)) == 0


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CRDLINT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "crdlint"
    monkeypatch.setenv("CRDLINT_CACHE_DIR", str(tmp_path / "given"))
    assert cache_folder() == tmp_path / "given"


MANY = 40


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A folder with more CRDs than have an entry each, of which one has an error."""
    folder = tmp_path / "crds"
    folder.mkdir()
    text = (FIXTURES / "valid" / "minimal.yaml").read_text(encoding="utf-8")
    for number in range(MANY):
        (folder / f"{number:02}.yaml").write_text(f"{text}# {number}\n", encoding="utf-8")
    (folder / "bad.yaml").write_bytes(BAD.read_bytes())
    return folder


def packs(folder: Path) -> list[Path]:
    return sorted((folder / "packs").glob("*"))


def test_the_results_of_many_files_are_in_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, many: Path
) -> None:
    judged = counted(monkeypatch)
    first = check(str(many))
    assert len(judged) == MANY + 1
    assert (len(packs(folder)), len(entries(folder))) == (1, 0)
    assert check(str(many)) == first
    assert len(judged) == MANY + 1
    (many / "00.yaml").write_bytes(BAD.read_bytes().replace(b"widgets", b"gadgets"))
    check(str(many))
    assert judged[MANY + 1 :] == [str(many / "00.yaml")]
    assert len(packs(folder)) == 2
    check(str(many))
    check(str(many), "--jobs", "2")
    assert len(judged) == MANY + 2


def test_one_of_many_files_has_an_entry_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch, many: Path
) -> None:
    check(str(many / "bad.yaml"))
    judged = counted(monkeypatch)
    check(str(many))
    assert len(judged) == MANY
    assert (len(packs(folder)), len(entries(folder))) == (1, 1)


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_pack_that_is_none_is_made_anew(
    data: bytes | None, folder: Path, monkeypatch: pytest.MonkeyPatch, many: Path
) -> None:
    first = check(str(many))
    (pack,) = packs(folder)
    pack.write_bytes(pack.read_bytes().replace(b"[", b"{", 1) if data is None else data)
    judged = counted(monkeypatch)
    assert check(str(many)) == first
    assert len(judged) == MANY + 1
    assert check(str(many)) == first
    assert len(judged) == MANY + 1


def test_packs_without_a_use_are_removed_when_there_are_many(
    folder: Path, monkeypatch: pytest.MonkeyPatch, many: Path
) -> None:
    monkeypatch.setattr(packed, "_MOST_PACKS", 2)
    for round_ in range(4):
        for path in many.glob("*.yaml"):
            path.write_text(f"{path.read_text(encoding='utf-8')}# {round_}\n", encoding="utf-8")
        check(str(many))
    assert len(packs(folder)) <= 3


def test_a_folder_of_packs_that_is_a_link_is_not_used(
    folder: Path, tmp_path: Path, many: Path
) -> None:
    folder.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (folder / "packs").symlink_to(tmp_path / "elsewhere")
    check(str(many))
    assert [*(tmp_path / "elsewhere").iterdir()] == []


@pytest.mark.parametrize("target", ["loop", "missing", "/dev/null"])
def test_a_link_that_leads_nowhere_is_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "loop").symlink_to(target)
    without = check("--no-cache", str(BAD))
    for folder in ("loop", "loop/below"):
        monkeypatch.setenv("CRDLINT_CACHE_DIR", str(tmp_path / folder))
        assert check(str(BAD)) == without
    assert not (tmp_path / "missing").exists()


def test_packs_are_removed_with_the_entries(folder: Path, many: Path) -> None:
    check(str(many))
    check(str(BAD))
    assert Cache(folder).clear() == 2
    assert packs(folder) == []


def test_notices_stay_what_they_are(folder: Path) -> None:
    results = Cache(folder)
    kept = FileResult("a.yaml", "a", documents=1, notices=(Routine("usual"), "to be known"))
    key = results.key(b"a", "")
    results.put(key, kept)
    found = results.get(key, "b.yaml", "a")
    assert found is not None
    assert [(str(each), type(each)) for each in found.notices] == [
        ("usual", Routine),
        ("to be known", str),
    ]
