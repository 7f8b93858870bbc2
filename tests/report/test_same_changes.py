"""One change at several places is one entry of reports for people, with the other places by their names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
from click.testing import CliRunner
from crds import crd_with_spec
from tables import each

from crdlint.cli.main import cli
from crdlint.diagnostics import Diagnostic
from crdlint.report.same_changes import entries, listed_fields

if TYPE_CHECKING:
    from pathlib import Path

BLOCKS: Final = ("alertmanager", "prometheus", "ruler")
TEMPLATE: Final = """\
  {name}:
    type: object
    properties:
      template:
        type: object
        properties:
          {fields}
"""
OLD_FIELDS: Final = (
    "hostUsers: {type: boolean}",
    "node: {type: string}",
    "ports: {type: array, items: {type: object, properties: {port: {type: integer}}}}",
)
NEW_FIELDS: Final = (
    "node: {type: string, maxLength: 63}",
    "ports: {type: array, items: {type: object, properties: {port: {type: integer, minimum: 1}}}}",
)
ALSO: Final = "`.spec.{prometheus, ruler}.template.hostUsers`"


def crd(fields: tuple[str, ...], name: str = "foos") -> str:
    blocks = (TEMPLATE.format(name=block, fields=f"\n{' ' * 10}".join(fields)) for block in BLOCKS)
    text = crd_with_spec("type: object\nproperties:\n" + "".join(blocks))
    return text.replace("foo", name[:-1]).replace("Foo", name[:-1].capitalize())


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for side, fields in {"old": OLD_FIELDS, "new": NEW_FIELDS}.items():
        (tmp_path / side).mkdir()
        (tmp_path / side / "foos.yaml").write_text(crd(fields))
    return tmp_path


def diff(format_: str) -> str:
    return CliRunner().invoke(cli, ["diff", "old", "new", "--format", format_]).stdout


@pytest.mark.usefixtures("sides")
class TestReports:
    """A field of three equal blocks is one entry for people, and three findings for programs."""

    def test_the_text_has_each_change_once(self) -> None:
        text = diff("text")
        assert text.startswith("1 CRD changed: 9 breaking\n\nbreaking: 9 changes\n")
        assert text.count("error[") == 3
        assert f"  = also: {ALSO}\n" in text
        assert text.count("was removed") == 1

    def test_the_effect_names_all_lists(self) -> None:
        lists = "`.spec.{alertmanager, prometheus, ruler}.template.ports`"
        assert f"  = note: existing objects stay valid until {lists} is edited\n" in diff("text")
        assert f"until {lists} is edited (also " in diff("changelog")

    def test_markdown_and_release_notes_have_it_once(self) -> None:
        markdown, changelog = diff("markdown"), diff("changelog")
        assert f"  - **also:** {ALSO}\n" in markdown
        assert f" (also {ALSO})\n" in changelog
        assert [text.count("was removed") for text in (markdown, changelog)] == [1, 1]

    def test_the_page_has_it_once(self) -> None:
        page = diff("html")
        assert f"<b>Also:</b> <code>{ALSO.strip('`')}</code>" in page
        assert page.count("was removed") == 1

    def test_numbers_are_those_of_programs(self) -> None:
        numbers = json.loads(diff("json"))["changes"]
        assert numbers["breaking"] == 9


@pytest.mark.usefixtures("sides")
@pytest.mark.parametrize("format_", ["json", "sarif", "concise", "github", "gitlab"])
def test_programs_get_each_finding(format_: str) -> None:
    output = diff(format_)
    assert all(f"`.spec.{block}.template.hostUsers` was removed" in output for block in BLOCKS)


def test_other_crds_are_named_in_text_and_have_their_own_list_in_markdown(sides: Path) -> None:
    for side, fields in {"old": OLD_FIELDS, "new": NEW_FIELDS}.items():
        (sides / side / "bars.yaml").write_text(crd(fields, "bars"))
    text = diff("text")
    assert text.count("error[") == 3
    assert f"  = also: {ALSO}; in `foos.example.com`\n" in text
    assert diff("markdown").count(f"**also:** {ALSO}\n") == 2


def test_equal_places_of_several_changes_are_listed_once(sides: Path) -> None:
    schema = "type: object\nproperties: {{a: {{type: string{}}}}}\n"
    for side, limits in {"old": "", "new": ", minLength: 1, maxLength: 9"}.items():
        (sides / side / "foos.yaml").unlink()
        text = crd_with_spec(schema.format(limits))
        for name in ("foo", "bar", "baz"):
            other = text.replace("foo", name).replace("Foo", name.capitalize())
            (sides / side / f"{name}.yaml").write_text(other)
    text = diff("text")
    assert text.count("error[") == 2
    assert text.count("  = also: in `bazs.example.com`, `foos.example.com`\n") == 1


def test_a_help_is_shown_once_for_a_crd_whatever_the_notes_are(sides: Path) -> None:
    fields = "{{a: {{type: string{}}}, b: {{type: array, items: {{type: string}}, maxItems: {}}}}}"
    for side, limits in {"old": ("", 9), "new": (", maxLength: 9", 5)}.items():
        for name in ("foo", "bar"):
            schema = f"type: object\nproperties: {fields.format(*limits)}\n"
            text = crd_with_spec(schema).replace("foo", name).replace("Foo", name.capitalize())
            (sides / side / f"{name}s.yaml").write_text(text)
    text = diff("text")
    assert text.count("  = note: ") == 2
    assert text.count("  = help: Keep the old constraint, or replace it") == 1
    assert text.count("  = help: the same as for `.spec.a` above\n") == 1


def test_a_short_help_is_repeated(sides: Path) -> None:
    schema = "type: object\nproperties: {{a: {{type: string{}}}, b: {{type: array, items: {{type: string}}{}}}}}\n"
    for side, limits in {"old": ("", ""), "new": (", enum: [x]", ", maxItems: 2")}.items():
        (sides / side / "foos.yaml").write_text(crd_with_spec(schema.format(*limits)))
    assert "the same as for" not in diff("text")


def finding(field: str, headline: str, crd: str = "a") -> Diagnostic:
    return Diagnostic(
        "crdlint",
        "advice",
        "change-type",
        "error",
        headline,
        crd=crd,
        field=field,
        headline=headline,
    )


@each(
    "fields, listed",
    [
        ([".spec.a"], "`.spec.a`"),
        ([".spec.a", ".spec.b"], "`.spec.{a, b}`"),
        ([".spec.a.x", ".spec.b.x"], "`.spec.{a, b}.x`"),
        ([".spec.a[*].x", ".spec.b[*].x"], "`.spec.{a, b}[*].x`"),
        ([".spec.a.x", ".spec.b.c.x"], "`.spec.a.x`, `.spec.b.c.x`"),
        ([".spec.a.x", ".spec.b.x", ".y"], "`.spec.{a, b}.x`, `.y`"),
        ([".spec['a.b'].x", ".spec['c.d'].x"], "`.spec.{['a.b'], ['c.d']}.x`"),
        ([".spec.a.*", ".spec.b.*"], "`.spec.{a, b}.*`"),
        ([".a.b.t.x", ".a.c.t.x", ".a.b.t.y", ".a.c.t.y"], "`.a.b.t.{x, y}`, `.a.c.t.{x, y}`"),
    ],
)
def test_paths_that_differ_in_one_step_are_one(fields: list[str], listed: str) -> None:
    assert listed_fields([finding(field, "") for field in fields], "a") == listed


@each(
    "one, other, together",
    [
        ((".a.x", "`.a.x` was removed"), (".b.x", "`.b.x` was removed"), True),
        ((".x", "`.x` was removed"), (".b.x", "`.b.x` was removed"), True),
        ((".a.x", "`.a.x` is now named `.a.y`"), (".b.x", "`.b.x` is now named `.b.y`"), True),
        ((".a.x", "`.a.x` is now named `.a.y`"), (".b.x", "`.b.x` is now named `.b.z`"), False),
        ((".a.x", "`.a.x` was removed"), (".a.y", "`.a.y` was removed"), False),
        ((".a.x", "`.a.x`: of 1 added"), (".b.x", "`.b.x`: of 2 added"), False),
        (("", "version `v1` was removed"), ("", "version `v1` was removed"), False),
    ],
)
def test_what_is_one_change(one: tuple[str, str], other: tuple[str, str], together: bool) -> None:
    assert len(entries([finding(*one), finding(*other)])) == (1 if together else 2)


def test_many_blocks_take_few_lines() -> None:
    fields = [f".spec.a{i}.b{i}.x" for i in range(65)]
    listed = listed_fields([finding(field, "") for field in fields], "a")
    assert listed.endswith("`.spec.a19.b19.x` and 45 more")
