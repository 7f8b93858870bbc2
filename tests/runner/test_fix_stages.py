"""Fixes of an early stage need no check of the later ones, and are proved all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from crds import crd_with_schema

from crdlint.config.model import Config
from crdlint.kubernetes.servers import parse_range
from crdlint.linting import create, documents, manifest
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.rules.server import cel
from crdlint.runner.fix_files import Fixing
from crdlint.runner.fixes import fix, will_be_fixed
from crdlint.runner.pool import run
from crdlint.runner.task import Checker, CheckOutcome, Settings, Task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crdlint.diagnostics import Diagnostic
    from crdlint.linting.result import FileResult

REQUEST = CheckRequest(versions=parse_range("1.36"), skip_unfinished=True, fixes=True)


def crd(*fields: str) -> str:
    """Return a CRD whose field `a` has these fields of a schema, and a rule."""
    lines = (*fields, "x-kubernetes-validations:", '- {rule: "self > 0", message: x}')
    return crd_with_schema(
        "type: object\nproperties:\n  a:\n" + "".join(f"    {line}\n" for line in lines)
    )


TEXTS = {
    "decode": crd("type: integer").replace("served: true", "served: 'true'"),
    "strict": crd("type: integer", "descripton: x"),
    "field": crd("type: int"),
    "decode and field": crd("type: int").replace("served: true", "served: 'true'"),
    "defaults": crd("type: integer", "default: '1'"),
    "advice": crd("description: Issue #1", "type: integer"),
}
# An error of a rule is hidden as long as the field that it reads has no valid type.
HIDDEN = crd_with_schema("""\
type: object
properties:
  a: {type: int}
  b:
    type: object
    x-kubernetes-validations:
    - {rule: "self.missing == 1", message: x}
""")


def check(text: str) -> FileResult:
    return lint_file(text, "crd.yaml", CheckRequest(skip_unfinished=True, fixes=True))


def check_until(text: str, stop_at: Callable[[Diagnostic], bool] | None) -> FileResult:
    return lint_file(
        text, "crd.yaml", CheckRequest(skip_unfinished=True, fixes=True, stop_at=stop_at)
    )


def counted(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[str]:
    calls: list[str] = []
    function = getattr(owner, name)

    def counting(*given: object, **more: object) -> object:
        calls.append(name)
        return function(*given, **more)

    monkeypatch.setattr(owner, name, counting)
    return calls


@pytest.mark.parametrize("text", [*TEXTS.values(), HIDDEN], ids=[*TEXTS, "hidden"])
@pytest.mark.parametrize("unsafe", [False, True])
def test_the_fixed_text_and_its_result_are_those_of_complete_checks(
    text: str, unsafe: bool
) -> None:
    complete = fix(check(text), check, unsafe=unsafe)
    first = check_until(text, will_be_fixed(unsafe=unsafe))
    stopped = fix(first, check, unsafe=unsafe, check_until=check_until)
    assert complete.text != text
    assert stopped.text == complete.text
    assert stopped.result == complete.result
    assert stopped.undone == complete.undone
    assert sorted(map(str, stopped.applied)) == sorted(map(str, complete.applied))


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("decode", "decode"),
        ("strict", "decode"),
        ("field", "field"),
        ("decode and field", "decode"),
        ("advice", None),
    ],
)
def test_a_check_stops_at_the_first_stage_with_a_fix(name: str, stage: str | None) -> None:
    assert check_until(TEXTS[name], will_be_fixed(unsafe=False)).stage == stage
    assert check(TEXTS[name]).stage is None
    ranged = lint_file(
        TEXTS[name],
        "x",
        CheckRequest(
            versions=parse_range("1.29..1.36"), fixes=True, stop_at=will_be_fixed(unsafe=False)
        ),
    )
    assert ranged.stage is None


@pytest.mark.parametrize("name", ["decode", "strict", "field"])
def test_rules_and_advice_are_checked_only_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "crd.yaml"
    path.write_text(TEXTS[name])
    rules, advice = (
        counted(monkeypatch, cel, "_compiled"),
        counted(monkeypatch, manifest, "_advisories"),
    )
    hidden, parsed = (
        counted(monkeypatch, create._Stages, "hidden_errors"),  # noqa: SLF001
        counted(monkeypatch, documents, "parse_chunk"),
    )
    checker = Checker(Settings(fixes=True))
    checked = Fixing().add(
        checker.check(Task(str(path), REQUEST, config=Config())),
        checker,
    )
    assert path.read_text() != TEXTS[name]
    assert checked.results[0] == lint_file(
        path.read_text(), str(path), CheckRequest(skip_unfinished=True, fixes=True)
    ), "the result of the fixed file is complete"
    counts = [len(calls) for calls in (rules, advice, hidden, parsed)]
    # That comparison checked the file once more; the text is parsed before and after the fix, too.
    assert counts == [2, 2, 2, 3]


def test_errors_that_other_errors_hid_are_not_the_fault_of_a_fix() -> None:
    fixed = fix(
        check_until(HIDDEN, will_be_fixed(unsafe=False)),
        check,
        unsafe=False,
        check_until=check_until,
    )
    assert fixed.text == HIDDEN.replace("type: int}", "type: integer}")
    assert not fixed.undone
    assert [finding.rule for finding in fixed.result.diagnostics] == ["cel-compilation"]


@pytest.mark.parametrize("name", TEXTS)
def test_findings_without_wanted_fixes_get_a_complete_check(name: str, tmp_path: Path) -> None:
    path = tmp_path / "crd.yaml"
    path.write_text(TEXTS[name])
    ignoring = Config(ignore=("*",))
    checked = Checker(Settings(fixes=True, unsafe_fixes=True)).check(
        Task(str(path), REQUEST, config=ignoring)
    )
    assert checked.results[0] == lint_file(
        TEXTS[name], str(path), CheckRequest(skip_unfinished=True, fixes=True)
    )
    assert path.read_text() == TEXTS[name]
    assert getattr(checked.fixes, "edits", ()) == ()


@pytest.mark.parametrize("jobs", [1, 2])
def test_processes_fix_files(jobs: int, tmp_path: Path) -> None:
    paths = []
    for i, text in enumerate([*TEXTS.values(), HIDDEN] * 2):
        path = tmp_path / f"{i}.yaml"
        path.write_text(text)
        paths.append(path)
    settings = Settings(fixes=True)
    fixing, checker = Fixing(), Checker(settings)
    tasks = [Task(str(path), REQUEST, config=Config()) for path in paths]
    checked: list[CheckOutcome] = [
        fixing.add(outcome, checker) for outcome in run(tasks, settings, jobs)
    ]
    assert fixing.files == len(paths)
    for path, outcome in zip(paths, checked, strict=True):
        text = path.read_text()
        expected = lint_file(text, str(path), CheckRequest(skip_unfinished=True, fixes=True))
        assert outcome.results[0].diagnostics == expected.diagnostics


def test_errors_of_one_expression_are_counted() -> None:
    rule = (
        "x-kubernetes-validations: [{rule: \"self.nmae == 'a' && self.vlaue == 'b'\", message: x}]"
    )
    result = check(
        crd_with_schema(
            f"type: object\nproperties: {{name: {{type: string}}, value: {{type: string}}}}\n{rule}"
        )
    )
    assert [(finding.rule, finding.errors) for finding in result.diagnostics] == [
        ("cel-compilation", 2)
    ]
    fixed = fix(result, check, unsafe=True)
    assert "self.name == 'a' && self.value == 'b'" in fixed.text
    assert not fixed.undone
