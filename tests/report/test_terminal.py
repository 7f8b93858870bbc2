"""What a person sees on a terminal: styles, links and tables, at any width, with nothing of the input taken as markup."""

from __future__ import annotations

import os
import re
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from rich.cells import cell_len
from rich.color import ColorSystem
from tables import each
from terminal import on_terminal

from crdlint.diagnostics import Diagnostic, Fix
from crdlint.linting.result import FileResult
from crdlint.report.page import PLAIN, CellPart, Column, Row
from crdlint.report.pieces import View
from crdlint.report.terminal import Terminal, breaks, has_links
from crdlint.report.text import TextReport
from crdlint.rules.catalog import all_rules
from crdlint.yaml.edit import Edit

if TYPE_CHECKING:
    from collections.abc import Mapping

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if name
    not in {
        "NO_COLOR",
        "FORCE_COLOR",
        "COLORTERM",
        "GITHUB_ACTIONS",
        "TERM_PROGRAM",
        "VTE_VERSION",
        "FORCE_HYPERLINK",
    }
} | {"TERM": "xterm-256color"}
ANSI = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\")
MARKUP = "[bold red]x[/] [link=https://evil.example]y[/link] :smile: [/nothing]"
COLOURED = Terminal(80, ColorSystem.STANDARD, links=True)


def shown(*arguments: str, environment: Mapping[str, str]) -> str:
    done = on_terminal([sys.executable, "-m", "crdlint", *arguments], 80, {**CLEAN, **environment})
    assert done.stderr == ""
    return done.stdout


def plain(text: str) -> str:
    return ANSI.sub("", text)


def words(text: str) -> str:
    return "".join(plain(text).split())


BROKEN: Final = (
    "",
    "a",
    "  a b",
    "spec.versions[0].schema.openAPIV3Schema.properties[spec]: Required",
    "x" * 200,
    "漢字" * 60,
    "a  b" * 40,
    "`.spec.{a, b}.c`, `.spec.{d, e}` and " * 3,
    f"`.spec.{{{', '.join(['name'] * 40)}}}.limit`",
    "{a, b" * 20,
)


def test_lines_are_broken_where_there_is_no_room_and_nothing_is_lost(
    subtests: pytest.Subtests,
) -> None:
    for text, room, used in product(BROKEN, (16, 33, 78), (0, 7)):
        with subtests.test(text, room=room, used=used):
            offsets = breaks(text, room, used)
            pieces = [
                text[start:end]
                for start, end in zip([0, *offsets], [*offsets, len(text)], strict=True)
            ]
            assert "".join(pieces) == text
            assert all(
                cell_len(piece.rstrip()) <= room - (used if i == 0 else 0)
                for i, piece in enumerate(pieces)
            )
            assert offsets == sorted(set(offsets))


@each(
    ("text", "lines"),
    [
        ("`.spec.{a, b}.c`, `.spec.{d, e}`", ["`.spec.{a, b}.c`,", "`.spec.{d, e}`"]),
        ("fields `.spec.{first, b}`", ["fields", "`.spec.{first, b}`"]),
        ("`.{first, second, third}.b`, `.c`", ["`.{first, second,", "third}.b`, `.c`"]),
        ("`.a`, `.b.{c, second, third}.d`", ["`.a`,", "`.b.{c, second,", "third}.d`"]),
        ("`{a: 1, b: 2}` has two keys", ["`{a: 1, b: 2}` has", "two keys"]),
    ],
)
def test_paths_are_broken_in_their_braces_only_without_room_for_the_whole_path(
    text: str, lines: list[str]
) -> None:
    assert Terminal(20).wrapped(text, "") == lines


@each(
    ("text", "lines"),
    [
        ("checked 9 CRDs in 0.28 s", ["checked 9 CRDs in", "0.28 s"]),
        ("a build of at most 16 MiB", ["a build of at most", "16 MiB"]),
        ("a list of 12 standard items", ["a list of 12", "standard items"]),
    ],
)
def test_a_number_stays_with_its_unit(text: str, lines: list[str]) -> None:
    assert Terminal(20).wrapped(text, "") == lines
    assert [line.rstrip() for line in Terminal(20).flow(CellPart(text))] == lines


@each(
    ("text", "lines"),
    [
        ("Page: https://a.example.com/b", ["Page:", "https://a.example.com/b"]),
        ("see http://a.example.com/b.c, too", ["see", "http://a.example.com/b.c,", "too"]),
    ],
)
def test_a_link_is_not_broken(text: str, lines: list[str]) -> None:
    assert Terminal(20).wrapped(text, "") == lines


def test_markup_of_rich_is_text() -> None:
    for page in (
        PLAIN,
        Terminal(None, ColorSystem.STANDARD),
        Terminal(200),
        Terminal(200, ColorSystem.TRUECOLOR, links=True),
    ):
        assert plain(page.styled(MARKUP, "error")) == MARKUP
        assert [plain(line) for line in page.wrapped(MARKUP, "  ")] == [f"  {MARKUP}"]
        assert [plain(line) for line in page.yaml(MARKUP)] == [MARKUP]
        assert [plain(line) for line in page.flow(CellPart(MARKUP))] == [MARKUP]
        table = page.table(
            [Column("A"), Column("B")],
            [Row([[CellPart("1")], [CellPart(MARKUP)]])],
        )
        assert plain("\n".join(table)).count(MARKUP) == 1


def test_controls_in_wrapped_text_are_spelled_out() -> None:
    line = COLOURED.wrapped("a \x1b[31mred\x1b]8;;https://evil.example\x07 b", "")[0]
    assert "\\x1b[31mred\\x1b]8;;https://evil.example\\x07" in line
    assert "\x1b[31m" not in line


def test_a_file_whose_names_are_markup_and_controls(tmp_path: Path) -> None:
    text = (FIXTURES / "invalid" / "rule-too-expensive.yaml").read_text(encoding="utf-8")
    file = tmp_path / "[red]\x1b[31m[link=x].yaml"
    file.write_text(text.replace("hosts", '"[/][blink]"', 1), encoding="utf-8")
    for arguments in (("check", "--no-cache"), ("cost",)):
        done = on_terminal(
            [sys.executable, "-m", "crdlint", *arguments, str(file)],
            200,
            {**CLEAN, "FORCE_HYPERLINK": "1"},
        )
        assert "[red]\\x1b[31m[link=x].yaml" in plain(done.stdout)
        assert "\x1b" not in plain(done.stdout)
        assert "]8;;x" not in done.stdout


@pytest.mark.parametrize(
    ("environment", "styles", "links"),
    [
        ({"FORCE_HYPERLINK": "1"}, True, True),
        *(
            pytest.param(*row, marks=pytest.mark.exhaustive)
            for row in (
                ({"FORCE_HYPERLINK": "0", "TERM": "xterm-kitty"}, True, False),
                ({}, True, False),
                ({"VTE_VERSION": "7600"}, True, True),
                ({"FORCE_HYPERLINK": "1", "NO_COLOR": "1"}, False, False),
            )
        ),
        ({"FORCE_HYPERLINK": "1", "TERM": "dumb"}, False, False),
    ],
    ids=str,
)
def test_styles_and_links_are_for_terminals_that_have_them(
    environment: dict[str, str], styles: bool, links: bool
) -> None:
    bad = FIXTURES / "invalid" / "list-map-key-optional.yaml"
    for arguments in (
        ("check", "--no-cache", str(bad)),
        ("explain", "list-map-key-required"),
        ("rules",),
    ):
        out = shown(*arguments, environment=environment)
        assert ("\x1b[" in out) is styles
        assert ("crdlint/rules/list-map-key-required/\x1b\\" in out) is links
    assert (
        bad.as_uri().removeprefix("file://") + "\x1b\\"
        in shown("check", "--no-cache", str(bad), environment=environment)
    ) is links


TERMINALS: Final[list[tuple[dict[str, str], bool]]] = [
    ({}, False),
    ({"TERM": "xterm-256color"}, False),
    ({"TERM": "xterm-kitty"}, True),
    ({"TERM": "screen-256color", "TERM_PROGRAM": "iTerm.app"}, False),
    ({"TERM_PROGRAM": "vscode"}, True),
    ({"TERM_PROGRAM": "Apple_Terminal"}, False),
    ({"WT_SESSION": "1"}, True),
    ({"VTE_VERSION": "5000"}, False),
    ({"VTE_VERSION": "5202"}, True),
    ({"FORCE_HYPERLINK": "1"}, True),
]


def test_which_terminals_have_links(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    for environment, expected in TERMINALS:
        with subtests.test(str(environment)):
            monkeypatch.setattr(os, "environ", environment)
            assert has_links() is expected


AT_80 = pytest.param(80, marks=pytest.mark.exhaustive)


@pytest.mark.parametrize("columns", [40, AT_80])
@pytest.mark.parametrize("arguments", [("rules",), ("cost", "--explain", "self", ".")], ids=str)
def test_nothing_is_wider_than_the_terminal(
    arguments: tuple[str, ...], columns: int, tmp_path: Path
) -> None:
    text = (FIXTURES / "valid" / "rules.yaml").read_text(encoding="utf-8")
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    done = on_terminal(
        [sys.executable, "-m", "crdlint", *arguments],
        columns,
        {**CLEAN, "PYTHONPATH": str(FIXTURES.parent)},
        cwd=tmp_path,
    )
    lines = plain(done.stdout).splitlines()
    assert len(lines) > 5
    assert max(map(cell_len, lines)) <= columns


@pytest.mark.parametrize(
    ("columns", "every"),
    [(40, 6), *(pytest.param(one, 1, marks=pytest.mark.exhaustive) for one in (40, 80))],
)
def test_every_rule_is_explained_in_full_at_any_width(columns: int, every: int) -> None:
    from click.testing import CliRunner

    from crdlint.cli import rules

    page = Terminal(columns, ColorSystem.STANDARD)
    for rule in list(all_rules().values())[::every]:
        lines = [line for part in rules._paragraphs(rule, page) for line in part]  # noqa: SLF001
        whole = CliRunner().invoke(rules.explain, [rule.id]).stdout
        assert words("\n".join(lines)) == words(whole)
        assert max(cell_len(plain(line)) for line in lines if "://" not in line) <= columns


def test_the_colours_of_a_line_of_yaml() -> None:
    (line,) = COLOURED.yaml("""- name: "a # b"  # c: 'd'""")
    assert plain(line) == """- name: "a # b"  # c: 'd'"""
    assert [match[1] for match in re.finditer(r"\x1b\[\d+m([^\x1b]+)\x1b", line)] == [
        "name",
        '"a # b"',
        "# c: 'd'",
    ]
    (rule,) = COLOURED.yaml("self.mode != 'Safe' || self.size > 10")
    assert [match[1] for match in re.finditer(r"\x1b\[\d+m([^\x1b]+)\x1b", rule)] == [
        "'Safe'",
        "10",
    ]


@pytest.mark.parametrize("columns", [50, 80, 200])
def test_a_fix_is_shown_where_it_changes_a_long_line(columns: int) -> None:
    text = "a: " + "x" * 100 + " wrong " + "y" * 20 + "\n"
    start = text.index("wrong")
    fix = Fix("Write it", "safe", (Edit(start, start + 5, "right"),))
    finding = Diagnostic(
        "crdlint", "advice", "bool", "info", "m", file="a.yaml", line=1, column=start + 1, fix=fix
    )
    report = TextReport(View(Terminal(columns, None)))
    lines = [
        line
        for line in report.lines(FileResult("a.yaml", text, 1, diagnostics=(finding,)))
        if line[:3] in {"1 -", "1 +"}
    ]
    assert [("wrong" in line, "right" in line) for line in lines] == [(True, False), (False, True)]
    assert all(len(line) <= columns for line in lines)
    assert all(("…" in line) == (columns < len(text)) for line in lines)
