"""Work that must not grow faster than the input: counted as calls, in the places that once were quadratic."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from commands import crdlint
from crds import crd_with_schema, crd_with_spec

from crdlint.api import validate_resource
from crdlint.crd import positions
from crdlint.files import folders
from crdlint.kubecel import hints
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.report import differences
from crdlint.rules.engine import fixer
from crdlint.rules.server.cel_cost import RULE_COST
from crdlint.schema import value_errors
from crdlint.yaml.editor import Editor

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def counted(monkeypatch: pytest.MonkeyPatch, holder: Any, name: str) -> list[object]:
    """Return a list that grows by one with each call of a function."""
    calls: list[object] = []
    function: Callable[..., Any] = getattr(holder, name)

    def count(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        return function(*args, **kwargs)

    monkeypatch.setattr(holder, name, count)
    return calls


def test_a_document_is_searched_for_its_end_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, fixer, "_ends_early")
    fields = "".join(f"  a{i}: {{type: strnig}}\n" for i in range(50))
    done = crdlint(
        "check", "--no-cache", "-", stdin=crd_with_spec(f"type: object\nproperties:\n{fields}")
    )
    assert done.returncode == 1
    assert len(calls) == 1


def test_the_objects_of_a_list_share_an_editor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls = counted(monkeypatch, Editor, "__init__")
    crd = crd_with_spec("type: object\nproperties: {size: {type: integer}}\n")
    item = '- {{apiVersion: example.com/v1, kind: Foo, metadata: {{name: a{0}}}, spec: {{size: "{0}"}}}}\n'
    items = "".join(item.format(number) for number in range(20))
    (tmp_path / "crd.yaml").write_text(crd, encoding="utf-8")
    text = f"apiVersion: v1\nkind: List\nitems:\n{items}"
    done = crdlint("validate", "--crd", str(tmp_path / "crd.yaml"), "-", stdin=text)
    assert "20 resources: 20 errors" in done.stdout
    assert len(calls) == 1


_COSTLY = """\
type: object
properties:
  a: {type: array, items: {type: string}}
  b: {type: array, items: {type: string}}
x-kubernetes-validations:
- &r {rule: "self.a.all(x, self.a.all(y, x != y))"}
"""


def test_equal_rules_share_their_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, Editor, "set")
    rules = '- {rule: "self.b.all(x, self.b.all(y, x != y))"}\n' * 20
    crd = crd_with_spec(f"{_COSTLY}{rules}")
    result = lint_file(crd, "a.yaml", CheckRequest(fixes=True))
    fixes = {id(each.fix) for each in result.diagnostics if each.rule == RULE_COST.id}
    assert len(fixes) == 2
    assert len(calls) == 8  # of the two rules, and of all


def test_a_rule_over_its_budget_gets_its_own_limits() -> None:
    other = '- {rule: "self.b.all(x, self.b.all(y, x != y))"}\n'
    crd = crd_with_spec(f"{_COSTLY}{other}")
    result = lint_file(crd, "a.yaml", CheckRequest(fixes=True))
    lines = crd.splitlines()
    changed: dict[int, set[str]] = {}
    for finding in result.diagnostics:
        if finding.rule == RULE_COST.id:
            assert finding.fix is not None
            starts = (crd.count("\n", 0, edit.start) for edit in finding.fix.edits)
            changed[finding.line] = {lines[number].split(":")[0].strip() for number in starts}
    assert list(changed.values()) == [{"a"}, {"b"}]


def test_the_same_two_lines_are_compared_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls = counted(monkeypatch, differences, "_joined")
    differences.changed_parts.cache_clear()
    for name, limit in (("old", ""), ("new", ", maxLength: 3")):
        fields = ", ".join(f"a{i}: {{type: string{limit}}}" for i in range(20))
        crd = crd_with_spec(f"{{type: object, properties: {{{fields}}}}}")
        (tmp_path / f"{name}.yaml").write_text(crd, encoding="utf-8")
    done = crdlint("diff", str(tmp_path / "old.yaml"), str(tmp_path / "new.yaml"))
    assert "20 changes" in done.stdout
    assert len(calls) <= 2


def test_the_values_of_an_enum_are_listed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, value_errors._Enum, "of")  # noqa: SLF001
    crd = crd_with_spec(
        "type: object\nproperties: {sizes: {type: array, items: {type: string, enum: [a, b, c]}}}\n"
    )
    values = ", ".join(f"x{number}" for number in range(30))
    text = f"apiVersion: example.com/v1\nkind: Foo\nmetadata: {{name: a}}\nspec: {{sizes: [{values}]}}\n"
    assert validate_resource(crd, text).errors
    assert len(calls) <= 1


def test_a_position_is_found_without_a_copy_of_the_items(monkeypatch: pytest.MonkeyPatch) -> None:
    from crdlint.yaml.parse import parse_first

    root = parse_first("".join(f"k{i}: [{i}]\n" for i in range(1000))).root
    assert root is not None
    calls = counted(monkeypatch, positions, "_start")
    assert positions.steps_at(root, (777, 7)) == ["k777", 0]
    assert len(calls) < 20


def test_positions_in_order_are_found_from_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    from crdlint.yaml.parse import parse_first

    text = "a: {b: [" + ", ".join("{c: 1}" for _ in range(300)) + "]}\nd: 2\n"
    root = parse_first(text).root
    assert root is not None
    columns = [*range(0, len(text) - 6, 3), 5, 3, 900]
    alone = [positions.UserPaths(root).path_at(1, column + 1) for column in columns]
    calls = counted(monkeypatch, positions._StepFinder, "_entry_before")  # noqa: SLF001
    paths = positions.UserPaths(root)
    assert [paths.path_at(1, column + 1) for column in columns] == alone
    assert len(calls) < 3 * len(columns)
    assert paths.path_at(2, 1).path == "d"


def test_all_positions_in_the_value_of_a_keyword_have_its_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from crdlint.yaml.parse import parse_first

    text = crd_with_schema(
        "type: object\n"
        "properties:\n"
        "  a: {type: array, items: {type: string, enum: [x, {y: 1}]}, default: [1, [2], {b: 3}]}\n"
        "  default: {properties: {c: {x-kubernetes-list-map-keys: [d, e], maximum: 2}}}\n"
        "allOf: [{properties: {a: {default: [1]}}}, {default: {properties: {a: {type: string}}}}]\n"
    )
    root = parse_first(text).root
    assert root is not None
    positions_ = [
        (line + 1, column + 1)
        for line, content in enumerate(text.splitlines())
        for column in range(len(content) + 1)
    ]
    alone = [positions.UserPaths(root).path_at(*position) for position in positions_]
    for order in (positions_, positions_[::-1], sorted(positions_, key=lambda each: each[1])):
        paths = positions.UserPaths(root)
        found = {position: paths.path_at(*position) for position in order}
        assert [found[position] for position in positions_] == alone
    assert {path.path for path in alone} >= {".a", ".a[]", ".default", ".default.c", "."}

    calls = counted(monkeypatch, positions._StepFinder, "steps_at")  # noqa: SLF001
    start = text.index("[1, [2]") - text.rindex("\n", 0, text.index("[1, [2]"))
    line = text.count("\n", 0, text.index("[1, [2]")) + 1
    paths = positions.UserPaths(root)
    for column in range(start, start + 16):
        assert paths.path_at(line, column).path == ".a"
    assert len(calls) == 1


def test_the_costs_of_the_rules_of_a_schema_share_its_declarations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from crdlint.kubecel.cost import explain

    calls = counted(monkeypatch, explain, "RuleCompiler")
    rules = ", ".join(f"{{rule: self.a > {i}}}" for i in range(9))
    spec = (
        f"type: object\nproperties: {{a: {{type: integer}}}}\nx-kubernetes-validations: [{rules}]\n"
    )
    done = crdlint("cost", "-", stdin=crd_with_spec(spec))
    assert "9 rules in 1 CRD" in done.stdout
    assert 1 <= len(calls) <= 3, "a compiler for each way in which servers declare a schema"


def test_a_rule_is_explained_for_one_server(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, hints, "hint")
    rules = "x-kubernetes-validations: [{rule: self.a > 0}, {rule: self.b > 0}]\n"
    spec = f"type: object\nproperties: {{name: {{type: string}}}}\n{rules}"
    done = crdlint("check", "--no-cache", "-", stdin=crd_with_spec(spec))
    assert "2 errors" in done.stdout
    assert len(calls) == 2


def test_the_paths_of_a_command_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, os.path, "normpath")
    named = tuple(f"crds/{number}.yaml" for number in range(20))
    assert {folders.below(path, named) for path in named} == {""}
    assert len(calls) == 2 * len(named)
