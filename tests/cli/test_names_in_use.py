"""Names that two CRDs of a group in one run share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner
from crds import SMALLEST

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

LINE = next(i for i, line in enumerate(SMALLEST.splitlines(), 1) if "plural: foos" in line)
# The names of the second CRD, and the conditions that the API server sets for it.
CASES = {
    "{plural: bars, kind: Bar}": [],
    "{plural: bars, kind: Bar, singular: bar, shortNames: [ba, fo]}": ['ShortNamesConflict: "fo"'],
    "{plural: bars, kind: Bar, shortNames: [foos, foo]}": [
        'ShortNamesConflict: "foos"',
        'ShortNamesConflict: "foo"',
    ],
    "{plural: fo, kind: Bar}": ['PluralConflict: "fo"'],
    "{plural: bars, kind: Bar, singular: fo}": ['SingularConflict: "fo"'],
    "{plural: bars, kind: Foo, singular: bar, listKind: BarList}": ['KindConflict: "Foo"'],
    "{plural: bars, kind: Bar, listKind: Foo}": ['ListKindConflict: "Foo"'],
    "{plural: bars, kind: FooList}": ['KindConflict: "FooList"'],
    "{plural: bars, kind: Foo}": ['SingularConflict: "foo"'],  # defaulted, so at the kind
    "{plural: bars, kind: fo}": ['SingularConflict: "fo"'],
    "{plural: bars, kind: Bar, singular: foolist}": [],  # kinds are apart from the names of resources
}


def crd(names: str, group: str = "example.com") -> str:
    """Return a CRD with names, written in flow style on LINE."""
    lines = SMALLEST.replace("example.com", group).splitlines()
    plural = names.removeprefix("{plural: ").partition(",")[0]
    lines[LINE - 1] = f"  names: {names}"
    return "\n".join(lines).replace("name: foos.", f"name: {plural}.") + "\n"


FIRST = crd("{plural: foos, kind: Foo, shortNames: [fo]}")


def findings(folder: Path, *arguments: str) -> list[tuple[str, int, str]]:
    result = CliRunner().invoke(cli, ["check", "--format", "json", *arguments, str(folder)])
    found = [
        one for one in json.loads(result.stdout)["diagnostics"] if one["rule"] == "name-in-use"
    ]
    return [(one["file"].rpartition("/")[2], one["line"], one["message"]) for one in found]


def test_names_of_two_crds_of_a_group(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(FIRST)
    failures = {}
    for names, conditions in CASES.items():
        (tmp_path / "b.yaml").write_text(crd(names))
        expected = [
            ("b.yaml", LINE, f"NamesAccepted is False, {condition} is already in use")
            for condition in conditions
        ]
        for found in (findings(tmp_path), findings(tmp_path)):  # the second time from the cache
            if found != expected:
                failures[names] = found
    assert failures == {}


def test_crds_of_another_group_and_other_files_of_the_same_crd_share_names(tmp_path: Path) -> None:
    for name, text in {
        "a": FIRST,
        "b": FIRST,
        "c": FIRST.replace("example.com", "other.example.com"),
    }.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    assert findings(tmp_path) == []


def test_short_names_are_accepted_all_or_none(tmp_path: Path) -> None:
    names = ("{plural: as, kind: A, shortNames: [x]}", "{plural: bs, kind: B, shortNames: [x, z]}")
    third = "{plural: cs, kind: C, shortNames: [z]}"
    (tmp_path / "a.yaml").write_text("---\n".join(map(crd, (*names, third))))
    assert [message.partition('"')[2][0] for _, _, message in findings(tmp_path)] == ["x"]


def test_names_in_use_show_both_places_and_can_be_ignored(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(FIRST)
    (tmp_path / "b.yaml").write_text(crd("{plural: bars, kind: Bar, shortNames: [fo]}"))
    shown = CliRunner().invoke(cli, ["check", "--format", "concise", str(tmp_path)]).stdout
    assert f"b.yaml:{LINE}:49" in shown
    assert "a.yaml" in CliRunner().invoke(cli, ["check", str(tmp_path)]).stdout
    assert findings(tmp_path, "--ignore", "name-in-use") == []
    text = crd(
        "{plural: bars, kind: Bar, shortNames: [fo]} # crdlint: ignore[name-in-use] renamed in v2"
    )
    (tmp_path / "b.yaml").write_text(text)
    assert findings(tmp_path) == []
