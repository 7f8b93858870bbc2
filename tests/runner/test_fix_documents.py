"""Fixes of a file lead to another check of those CRDs only that they change or that have findings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from crds import crd_with_schema

from crdlint.config.model import Config
from crdlint.kubernetes.servers import parse_range
from crdlint.linting.documents import DocumentWalk
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.runner.fix_files import Fixing
from crdlint.runner.fixes import fix
from crdlint.runner.task import Checker, Settings, Task

if TYPE_CHECKING:
    from pathlib import Path

    from crdlint.linting.result import FileResult
    from crdlint.yaml.parse import Document

REQUEST = CheckRequest(versions=parse_range("1.36"), skip_unfinished=True, fixes=True)
CLEAN = crd_with_schema("type: object")
WRONG = crd_with_schema("type: object\nproperties: {a: {type: integer, default: '1'}}")
LONGER = crd_with_schema(
    "type: object\nproperties:\n  a: {type: integer, default: '1', description: x}"
)


def text(*parts: str) -> str:
    return "---\n".join(part.replace("foos", f"foos{i}") for i, part in enumerate(parts))


def checked_by(monkeypatch: pytest.MonkeyPatch, name: str = "_check") -> list[str]:
    seen: list[str] = []
    check = getattr(DocumentWalk, name)

    def recording(self: DocumentWalk, document: Document) -> bool:
        seen.append(document.text)
        return bool(check(self, document))

    monkeypatch.setattr(DocumentWalk, name, recording)
    return seen


@pytest.mark.parametrize("clean", [10, 20])
def test_fixes_check_only_the_changed_document_again(
    clean: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "crds.yaml"
    path.write_text(text(*[CLEAN] * clean, WRONG, "kind: ConfigMap\n"))
    checker, task = (
        Checker(Settings(fixes=True)),
        Task(str(path), REQUEST, config=Config()),
    )
    seen = checked_by(monkeypatch)
    fixed = Fixing().add(checker.check(task), checker)
    assert len(seen) == clean + 4  # also the ConfigMap, which has no result
    assert "default: 1" in seen[-2]
    assert fixed.results[0] == lint_file(
        path.read_text(), str(path), CheckRequest(fixes=True, skip_unfinished=True)
    )
    assert len(fixed.results[0].crds) == clean + 1


BROKEN = "a: [\nkind: CustomResourceDefinition\n"
CHANGES = {
    "nothing": ((CLEAN, WRONG, CLEAN), (CLEAN, WRONG, CLEAN)),
    "a document": ((CLEAN, WRONG, CLEAN), (CLEAN, CLEAN, CLEAN)),
    "a new error": ((CLEAN, CLEAN, CLEAN), (CLEAN, WRONG, CLEAN)),
    "lines before others": (
        (WRONG, CLEAN, "a: 1\n", WRONG),
        (f"# x\n# y\n{CLEAN}", CLEAN, "a: 1\n", WRONG),
    ),
    "a document more": ((CLEAN, CLEAN), (CLEAN, WRONG, CLEAN)),
    "an empty document": ((CLEAN, "", CLEAN), (CLEAN, "# x\n", CLEAN)),
    "the only kind of a CRD": (("a: [\n", CLEAN), ("a: [\n", "a: 1\n")),
    "a syntax error": ((CLEAN, "a: 1\n"), (CLEAN, BROKEN)),
    "text after a separator": ((CLEAN, CLEAN), (CLEAN, f"--- x\n{CLEAN}")),
    "lists": (
        ("kind: List\napiVersion: v1\nitems: []\n", CLEAN),
        ("kind: List\napiVersion: v1\nitems: []\n", LONGER),
    ),
}


@pytest.mark.parametrize(("before", "after"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("version", ["1.36", "1.29..1.36"])
@pytest.mark.parametrize("keep", [False, True])
def test_known_documents_do_not_change_the_result(
    before: tuple[str, ...], after: tuple[str, ...], version: str, keep: bool
) -> None:
    def check(text_: str) -> FileResult:
        return lint_file(
            text_,
            "x",
            CheckRequest(versions=parse_range(version), skip_unfinished=True, fixes=True),
        )

    old, new = check(text(*before)), text(*after)
    whole = check(new)
    again = lint_file(
        new,
        "x",
        CheckRequest(versions=parse_range(version), skip_unfinished=True, fixes=True, keep=keep),
        earlier=old,
    )
    assert replace(again, definitions=(), rules=()) == whole
    assert again.reusable == whole.reusable
    assert bool(again.definitions) == (keep and bool(whole.crds))


@pytest.mark.parametrize("wrong", ["b", "d", "bd", "abcd"])
def test_no_text_is_checked_twice_to_find_the_fixes_to_undo(wrong: str) -> None:
    fields = ", ".join(
        f"{name}: {{type: integer, default: '1'{', minimum: 5' if name in wrong else ''}}}"
        for name in "abcd"
    )
    seen: list[str] = []

    def check(text_: str) -> FileResult:
        seen.append(text_)
        return lint_file(text_, "x", CheckRequest(fixes=True))

    start = check(crd_with_schema(f"type: object\nproperties: {{{fields}}}"))
    fixed = fix(start, check, unsafe=False)
    assert len(fixed.undone) == len(wrong)
    assert len(fixed.applied) == 4 - len(wrong)
    assert len(seen) == len(set(seen))
