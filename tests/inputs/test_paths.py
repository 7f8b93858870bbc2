"""Which files are found: named, below folders, by glob, less what git ignores."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from counting import recording

from crdlint.files.paths import Selection, UnreadInput, discover
from crdlint.files.read import STDIN

EVERYTHING = Selection()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*paths: str, text: str = "") -> None:
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")


def files(*arguments: str, selection: Selection = EVERYTHING) -> list[str]:
    found = discover(arguments, selection)
    assert found.problems == ()
    return [path.replace(os.sep, "/") for path in found.files]


def test_a_folder_gives_its_yaml_and_json_in_order_files_before_folders() -> None:
    write("d/z.yml", "d/a.yaml", "d/b/c.json", "d/a.txt", "d/.git/config.yaml", "d/B/x.yaml")
    assert files("d") == ["d/a.yaml", "d/z.yml", "d/B/x.yaml", "d/b/c.json"]


def test_vendored_go_modules_are_left_out_unless_they_are_named() -> None:
    write(
        "vendor/modules.txt",
        "vendor/a/crd.yaml",
        "chart/vendor/crd.yaml",
        "vendors/modules.txt",
        "vendors/b.yaml",
    )
    assert files(".") == ["chart/vendor/crd.yaml", "vendors/b.yaml"]
    assert files("**/*.yaml") == ["chart/vendor/crd.yaml", "vendors/b.yaml"]
    assert files("vendor") == ["vendor/a/crd.yaml"] == files("vendor/a/crd.yaml")


def test_each_file_is_taken_once_as_first_spelt() -> None:
    write("a.yaml")
    Path("b.yaml").symlink_to("a.yaml")
    assert files("./a.yaml", "a.yaml", "b.yaml", ".", STDIN, STDIN) == ["./a.yaml", STDIN]


def test_a_named_file_is_taken_whatever_its_suffix_and_though_ignored() -> None:
    write(".gitignore", text="*.tpl\n")
    write("crd.tpl")
    assert files("crd.tpl") == ["crd.tpl"]


@pytest.mark.parametrize(
    ("ignore", "kept"),
    [
        pytest.param({}, ["a.yaml", "gen/b.yaml", "gen/deep/c.yaml"], id="none"),
        pytest.param({".gitignore": "gen/\n"}, ["a.yaml"], id="folder"),
        pytest.param(
            {".gitignore": "/b.yaml\n"}, ["a.yaml", "gen/b.yaml", "gen/deep/c.yaml"], id="anchored"
        ),
        pytest.param({".gitignore": "*.yaml\n!c.yaml\n"}, ["gen/deep/c.yaml"], id="negated"),
        pytest.param(
            {".gitignore": "gen/\n!c.yaml\n"},
            ["a.yaml"],
            id="nothing comes back below an ignored folder",
        ),
        pytest.param(
            {"gen/.gitignore": "b.yaml\n"}, ["a.yaml", "gen/deep/c.yaml"], id="deeper file"
        ),
        pytest.param(
            {".gitignore": "b.yaml\n", "gen/.gitignore": "!b.yaml\n"},
            ["a.yaml", "gen/b.yaml", "gen/deep/c.yaml"],
            id="deeper file wins",
        ),
        pytest.param({".git/info/exclude": "deep\n"}, ["a.yaml", "gen/b.yaml"], id="info/exclude"),
        pytest.param(
            {".git/info/exclude": "a.yaml\n", ".gitignore": "!a.yaml\n"},
            ["a.yaml", "gen/b.yaml", "gen/deep/c.yaml"],
            id=".gitignore over info/exclude",
        ),
        pytest.param(
            {".gitignore": "deep/*\n", "gen/deep/.git/HEAD": ""},
            ["a.yaml", "gen/b.yaml", "gen/deep/c.yaml"],
            id="a repository inside starts anew",
        ),
    ],
)
def test_what_git_ignores_is_left_out(ignore: dict[str, str], kept: list[str]) -> None:
    write(".git/HEAD", "a.yaml", "gen/b.yaml", "gen/deep/c.yaml")
    for path, text in ignore.items():
        write(path, text=text)
    assert files(".") == kept
    assert files(".", selection=Selection(gitignore=False)) == [
        "a.yaml",
        "gen/b.yaml",
        "gen/deep/c.yaml",
    ]


def test_patterns_above_the_named_folder_count_up_to_the_repository() -> None:
    write("outer/.gitignore", text="*.yaml\n")
    write("outer/repo/.gitignore", text="gen-*\n")
    write("outer/repo/.git/HEAD", "outer/repo/sub/a.yaml", "outer/repo/sub/gen-b.yaml")
    assert files("outer/repo/sub") == ["outer/repo/sub/a.yaml"]


def test_a_worktree_takes_the_exclude_file_of_its_repository() -> None:
    write("main/.git/info/exclude", text="b.yaml\n")
    write(
        "main/.git/objects/x",
        "main/.git/refs/x",
        "main/.git/worktrees/w/HEAD",
        text="ref: refs/heads/main\n",
    )
    write("main/.git/worktrees/w/commondir", text="../..\n")
    write("w/.git", text="gitdir: ../main/.git/worktrees/w\n")
    write("w/a.yaml", "w/b.yaml")
    assert files("w") == ["w/a.yaml"]


def test_include_stands_in_for_the_suffixes_and_exclude_holds_for_named_files() -> None:
    write("d/a.yaml", "d/b.tpl", "d/vendor/c.tpl")
    assert files("d", selection=Selection(include=("*.tpl",))) == ["d/b.tpl", "d/vendor/c.tpl"]
    assert files("d", selection=Selection(include=("*.tpl",), exclude=("vendor/",))) == ["d/b.tpl"]
    assert files("d/a.yaml", "d/b.tpl", selection=Selection(exclude=("/d/a.yaml",))) == ["d/b.tpl"]


def test_a_glob_that_the_shell_left_alone_is_expanded() -> None:
    write(".gitignore", text="gen\n")
    write("d/a.yaml", "d/e/b.yaml", "d/e/b.go", "gen/c.yaml", ".git/HEAD")
    assert files("d/*.yaml") == ["d/a.yaml"]
    assert files("d/**") == ["d/a.yaml", "d/e/b.yaml"]
    assert files("d/**/b.*") == ["d/e/b.yaml"]
    assert files("d/**/*.go") == ["d/e/b.go"]
    assert discover(["*.nothing"], EVERYTHING).problems == (
        UnreadInput("*.nothing", "no file matches"),
    )


def test_a_name_with_a_bracket_is_a_name_where_it_exists() -> None:
    write("a[1].yaml")
    assert files("a[1].yaml") == ["a[1].yaml"]


def test_what_is_missing_is_said_and_the_rest_is_found() -> None:
    write("a.yaml")
    found = discover(["gone.yaml", "a.yaml", "nul\0l"], EVERYTHING)
    assert found.files == ("a.yaml",)
    assert [problem.path for problem in found.problems] == ["gone.yaml", "nul\0l"]
    assert found.problems[0].message == "No such file or directory"
    assert all(problem.fatal for problem in found.problems)


def test_links_neither_loop_nor_hide() -> None:
    write("d/a.yaml")
    Path("d/up").symlink_to("..")
    Path("d/self.yaml").symlink_to("self.yaml")
    Path("d/z.yaml").symlink_to("gone")
    found = discover(["d", "d/up/d"], EVERYTHING)
    assert found.files == ("d/a.yaml",)
    unread = ["d/self.yaml", "d/z.yaml", "d/up/d/self.yaml", "d/up/d/z.yaml"]
    assert [problem.path for problem in found.problems] == unread


def test_links_to_other_parts_of_the_repository_are_followed() -> None:
    write("charts/a/Chart.yaml", "config/crd/bases/a.yaml", "outside/b.yaml")
    Path("charts/a/crds").symlink_to("../../config/crd/bases")
    Path("charts/a/again").symlink_to("../../config/crd")
    Path("config/crd/back").symlink_to("../../charts")
    plain = ("charts/a/Chart.yaml",)
    assert discover(["charts"], EVERYTHING).files == plain  # it is in no repository
    Path(".git").mkdir()
    linked = discover(["charts"], EVERYTHING).files
    assert [os.path.realpath(path) for path in linked] == [
        os.path.realpath(path) for path in (*plain, "config/crd/bases/a.yaml")
    ]
    for named in (["."], ["charts", "config"], ["config", "charts"]):
        assert "config/crd/bases/a.yaml" in discover(named, EVERYTHING).files
    Path("charts/.git").mkdir()
    assert discover(["charts"], EVERYTHING).files == plain  # the link leads out of its repository


def test_a_pipe_is_a_file_to_read() -> None:
    """Reading it reports that it is none."""
    Path("d").mkdir()
    os.mkfifo("d/p.yaml")
    assert files("d") == files("d/p.yaml") == ["d/p.yaml"]


def test_a_folder_that_may_not_be_entered_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    write("d/shut/a.yaml", "d/open/b.yaml")
    scandir = os.scandir

    def reject(path: str) -> Any:
        if path == "d/shut":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", reject)
    found = discover(["d"], EVERYTHING)
    assert found.files == ("d/open/b.yaml",)
    assert found.problems == (UnreadInput("d/shut", "Permission denied"),)


def test_lines_that_are_no_patterns_do_not_count() -> None:
    write(".git/HEAD", "a.yaml", "b.yaml")
    write(".gitignore", text="!\n\\\n# b.yaml\n\na.yaml\n")
    assert files(".") == ["b.yaml"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not on the path")
def test_what_git_tracks_is_not_ignored(here: Path) -> None:
    """A folder that is ignored but for what was added all the same: charts/*/charts with a chart of one's own."""
    write(
        "a.yaml",
        "charts/a/charts/own/crd.yaml",
        "charts/a/charts/own/x.txt",
        "charts/a/charts/b.yaml",
    )
    write(".gitignore", text="/charts/*/charts\n")
    for arguments in (["init", "-q"], ["add", "-f", ".gitignore", "a.yaml", "charts/a/charts/own"]):
        subprocess.run(["git", *arguments], cwd=here, check=True)
    assert files(".") == ["a.yaml", "charts/a/charts/own/crd.yaml"]
    assert files("charts") == ["charts/a/charts/own/crd.yaml"]
    assert files(".", selection=Selection(exclude=("own/",))) == ["a.yaml"]
    Path("charts/a/charts/own/crd.yaml").unlink()
    assert files("charts") == []


@pytest.mark.parametrize("line", ["[[:space:]]", "[[:alpha:]]x.yaml", "[z-a]", "["])
def test_bracket_expressions_are_read_as_git_reads_them(line: str) -> None:
    write(".git/HEAD", "a.yaml", "ax.yaml")
    write(".gitignore", text=f"{line}\n")
    matched = {"ax.yaml"} if line == "[[:alpha:]]x.yaml" else set()
    kept = sorted({"a.yaml", "ax.yaml"} - matched)
    assert files(".") == kept
    assert files(".", selection=Selection(gitignore=False, exclude=(line,))) == kept
    assert files(".", selection=Selection(gitignore=False, include=(line,))) == sorted(matched)


def test_names_that_are_not_utf_8_are_matched(here: Path) -> None:
    write(".git/HEAD")
    write(".gitignore", text="b?.yaml\n")
    for name in (b"a\xff.yaml", b"b\xff.yaml"):
        (here / os.fsdecode(name)).touch()
    assert files(".") == ["a\udcff.yaml"]
    assert files(".", selection=Selection(exclude=("a*",))) == []


@pytest.mark.parametrize("kind", ["link", "pipe", "large"])
def test_a_gitignore_that_cannot_be_read_is_reported_and_has_no_effect(kind: str) -> None:
    write(".git/HEAD", "a.yaml")
    if kind == "link":
        Path(".gitignore").symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(".gitignore")
    else:
        write(".gitignore", text="*\n" + "#" * (1 << 20))
    found = discover(["."], EVERYTHING)
    said = {"link": "a symbolic link", "pipe": "a named pipe"}
    message = (
        f"not a regular file but {said[kind]}" if kind in said else "larger than 1 MiB: not read"
    )
    assert found.files == ("a.yaml",)
    assert found.problems == (UnreadInput(".gitignore", f"skipped: {message}", fatal=False),)


def test_a_git_file_with_a_null_character_has_no_effect() -> None:
    write("w/.git", text="gitdir: a\0b\n")
    write("w/a.yaml")
    assert files("w") == ["w/a.yaml"]


def test_a_glob_reports_a_folder_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    write("w/shut/a.yaml", "w/open/b.yaml")
    scandir = os.scandir

    def reject(path: str) -> Any:
        if "shut" in path:
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", reject)
    for glob in ("w/**/*.yaml", "w/*/*.yaml", "w/**"):
        found = discover([glob], EVERYTHING)
        assert found.files == ("w/open/b.yaml",)
        assert found.problems == (UnreadInput("w/shut/", "Permission denied"),)


def test_a_glob_enters_no_folder_that_git_ignores(monkeypatch: pytest.MonkeyPatch) -> None:
    write(".git/HEAD", "a/b.yaml", "gen/c.yaml", "gen/deep/d.yaml")
    write(".gitignore", text="gen/\n")
    entered: list[Any] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", recording(entered, scandir))
    assert files("**/*.yaml") == ["a/b.yaml"]
    assert not any("gen" in path for path in entered)


def test_a_folder_that_is_named_is_looked_at_though_git_ignores_it() -> None:
    write(".git/HEAD", "gen/c.yaml", "gen/deep/d.yaml")
    write(".gitignore", text="gen/\n")
    assert files("gen") == ["gen/c.yaml", "gen/deep/d.yaml"]
    assert files("gen/**/*.yaml") == ["gen/c.yaml", "gen/deep/d.yaml"]


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("*/*.yaml", ["d/a.yaml"]),
        ("**/a.yaml", ["d/a.yaml", "d/e/a.yaml"]),
        ("**/link/*.yaml", ["link/a.yaml"]),
        ("d/**", ["d/a.yaml", "d/e/a.yaml"]),
        ("d/**/", ["d/a.yaml", "d/e/a.yaml"]),
        ("d/*", ["d/a.yaml", "d/e/a.yaml"]),
        ("d/?", ["d/e/a.yaml"]),
        ("d/e*/", ["d/e/a.yaml"]),
        ("./d/[ab].yaml", ["./d/a.yaml"]),
        ("d/.h*/*.yaml", ["d/.hidden/a.yaml"]),
        ("d/*/*.[!y]?t", ["d/e/a.txt"]),
    ],
)
def test_globs_match_as_they_do_in_a_shell(glob: str, found: list[str]) -> None:
    write("d/a.yaml", "d/e/a.yaml", "d/e/a.txt", "d/.hidden/a.yaml")
    Path("link").symlink_to("d")
    Path("d/e/loop").symlink_to("..")
    assert files(glob, selection=Selection(gitignore=False)) == found


def test_a_glob_that_never_matches_is_a_name() -> None:
    assert discover(["[a"], EVERYTHING).problems == (
        UnreadInput("[a", "No such file or directory"),
    )


def test_what_is_left_out_is_counted() -> None:
    write(".git/HEAD", "a.yaml", "b.yaml", "gen/c.yaml")
    write(".gitignore", text="gen/\n")
    found = discover(["."], Selection(exclude=("b.yaml",)))
    assert (found.files, found.ignored, found.excluded) == (("a.yaml",), 1, 1)


def found(*paths: str) -> tuple[list[str], dict[str, bool]]:
    """Return the files of paths, and the inputs that are not read, with whether they end a run."""
    discovered = discover(paths, Selection())
    return list(discovered.files), {each.path: each.fatal for each in discovered.problems}


def test_a_link_beside_its_target_is_not_the_file_that_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b").mkdir()
    for name in ("z.yaml", "b/y.yaml"):
        (tmp_path / name).write_text("a: 1\n")
    (tmp_path / "a.yaml").symlink_to("z.yaml")
    (tmp_path / "c.yaml").symlink_to("b/y.yaml")
    (tmp_path / "b" / "x.yaml").symlink_to("../z.yaml")
    for paths in ((".",), ("*.yaml", "b/*"), ("**",)):
        assert sorted(found(*paths)[0]) == ["b/y.yaml", "z.yaml"]
    assert found("a.yaml", "z.yaml")[0] == ["a.yaml"]  # as it is named
    assert found("*a.yaml")[0] == ["a.yaml"]


def test_links_that_lead_to_no_file_are_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "z.yaml").write_text("a: 1\n")
    (tmp_path / "gone.yaml").symlink_to("nowhere.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "long.yaml").symlink_to("x" * 300)
    notes = dict.fromkeys(("gone.yaml", "loop.yaml", "long.yaml"), False)
    assert found(".") == (["z.yaml"], notes)
    assert found("*.yaml") == (["z.yaml"], notes)
    assert found("gone.yaml", "loop.yaml") == ([], dict.fromkeys(("gone.yaml", "loop.yaml"), True))
