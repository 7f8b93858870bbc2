"""Patterns of a .gitignore, compared with git itself where it is installed."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from crdlint.files import patterns
from crdlint.files.patterns import compiled, is_pattern

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

ATOMS = (
    *("a", "b", "c", "-", ".", "#", ":", "é", " ", "\\ ", "*", "**", "?", "/", "/", "**/", "/**", "!", "^", "\\", "\\/", "[", "]"),
    *("[a-c]", "[!a]", "[^b]", "[[:alpha:]]", "[[:space:]]", "[[:alpha:]x]", "[[:foo:]]", "[z-a]", "[]]", "[]-a]", "[a-]"),
    *("[\\]]", "[[:", "[[:]", "[[:a]", "[a/b]"),
)  # fmt: skip
NAMES = (
    "a",
    "b",
    "ab",
    "abc",
    "a.b",
    "a b",
    "a ",
    "x",
    "A",
    "1",
    "-",
    "]",
    "[",
    "^",
    "\\",
    "#",
    "!a",
    ":",
    "é",
    "\udcff",
    "**",
)


@pytest.mark.parametrize(
    ("line", "path", "matches"),
    [
        ("a[[:space:]]b", "a b", True),
        ("[[:alpha:]]x", "ax", True),
        ("[[:alpha:]]x", "1x", False),
        ("[z-a]", "b", False),
        ("[z-a]", "z", True),
        ("[", "[", False),
        ("a\\", "a\\", False),
        ("?.yaml", "\udcff.yaml", True),
        ("?.yaml", "é.yaml", False),  # two bytes
        ("vendor/", "vendor/a/b.yaml", True),
        ("vendor/", "vendor", False),
        ("a/**/b", "a/b", True),
        ("a/**", "a", False),
        ("a/**", "a/b", True),
    ],
)
def test_patterns_match_as_they_do_in_git(line: str, path: str, *, matches: bool) -> None:
    assert compiled([os.fsencode(line)]).match(path) is matches


@pytest.mark.parametrize(
    ("text", "valid"),
    [("*.yaml", True), ("[z-a]", True), ("[", False), ("[[:foo:]]", False), ("#", False)],
)
def test_a_pattern_that_never_matches_is_none(text: str, *, valid: bool) -> None:
    assert is_pattern(text) is valid


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not on the path")
def test_random_patterns_match_as_they_do_in_git(tmp_path: Path) -> None:
    chance = random.Random(10)
    folders = ["/".join(chance.choices(NAMES, k=chance.randint(1, 3))) for _ in range(80)]
    made = sorted(
        {
            *folders,
            *(f"{folder}/{name}.yaml" for folder in folders for name in chance.sample(NAMES, 2)),
        }
    )
    for path in made:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch() if path.endswith(".yaml") else (tmp_path / path).mkdir(
            exist_ok=True
        )
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    matched = 0
    for _ in range(15):
        lines = [
            "!" * (chance.random() < 0.2) + "".join(chance.choices(ATOMS, k=chance.randint(1, 6)))
            for _ in range(4)
        ]
        data = os.fsencode("\n".join(lines))
        (tmp_path / ".gitignore").write_bytes(data)
        ours = compiled(data.split(b"\n"))
        expected = dict(zip(made, _ignored_by_git(tmp_path, made), strict=True))
        found = {
            path: ours.match(path + "/" if (tmp_path / path).is_dir() else path) for path in made
        }
        assert found == expected, lines
        matched += sum(expected.values())
    assert matched > 150


def _ignored_by_git(root: Path, paths: list[str]) -> list[bool]:
    command = ["git", "check-ignore", "--no-index", "--stdin", "-z", "--verbose", "--non-matching"]
    given = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
    fields = subprocess.run(
        command, cwd=root, input=given, capture_output=True, check=False
    ).stdout.split(b"\0")
    return [
        bool(source) and not line.startswith(b"!")
        for source, line in zip(fields[::4], fields[2::4], strict=False)
    ]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        pytest.param("*a" * 60 + "*b", "a" * 250, id="stars"),
        pytest.param("*[ab]" * 60 + "*c", "a" * 250, id="stars and classes"),
        pytest.param("**/a/" * 60 + "b", "a/" * 250 + "a", id="folders"),
    ],
)
def test_matching_does_not_backtrack(monkeypatch: pytest.MonkeyPatch, line: str, path: str) -> None:
    calls = 0

    def count(function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: bytes | int) -> Any:
            nonlocal calls
            calls += 1
            return function(*given)

        return counted

    for name in ("_is_at", "_in_order"):
        monkeypatch.setattr(patterns, name, count(vars(patterns)[name]))
    assert not compiled([line.encode()]).decision(path.encode())
    assert 0 < calls < 2 * (len(path) + len(line))
