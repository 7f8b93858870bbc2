"""The walk over the documents of a file that CRDs and custom resources share."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field

from counting import without_collector

from crdlint.linting.documents import DocumentWalk
from crdlint.linting.pipeline import lint_file
from crdlint.resources.definitions import Definitions
from crdlint.resources.pipeline import old_objects, validate_text
from crdlint.yaml.parse import Document

OBJECT = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n"
# Go reads keys before values, and reports the first that JSON does not have.
NOT_JSON = "apiVersion: v1\nkind: List\nmetadata: {? [1] : 1}\nitems: [{? {a: 1} : 1}]\n"


@dataclass(slots=True)
class CountingWalk(DocumentWalk):
    alive: list[int] = field(default_factory=list)

    def check_objects(self, document: Document) -> bool:
        self.alive.append(sum(isinstance(one, Document) for one in gc.get_objects()))
        return document.root is not None

    def skips_unparsed(self, document: Document) -> bool:
        return "{{" in document.text


def test_documents_are_held_one_at_a_time() -> None:
    walk = CountingWalk("x.yaml", f"{OBJECT}---\n" * 12)
    with without_collector():
        result = walk.run()
    assert len(walk.alive) == 12
    assert max(walk.alive) - min(walk.alive) <= 1
    assert (result.documents, result.skipped) == (12, 0)


@dataclass(slots=True)
class SkippingWalk(CountingWalk):
    def check_objects(self, document: Document) -> bool:
        self.alive.append(0)
        return "Widget" in document.text


def test_equal_documents_that_are_skipped_are_read_once() -> None:
    text = "a: 1\n---\n" * 9 + f"b: 1\n---\na: 1\n---\n{OBJECT}---\n{OBJECT}"
    walk = SkippingWalk("x.yaml", text)
    result = walk.run()
    assert len(walk.alive) == 5
    assert (result.documents, result.skipped) == (13, 11)


def test_broken_documents_keep_none_of_the_others_from_being_checked() -> None:
    result = CountingWalk("x.yaml", f"a: [\n---\n{OBJECT}---\na: {{{{ b }}\n---\n---\nb: [\n").run()
    assert [(one.rule, one.line) for one in result.diagnostics] == [
        ("yaml-syntax", 1),
        ("yaml-syntax", 10),
    ]
    assert (result.documents, result.skipped) == (4, 1)


def test_checks_and_validation_report_the_same_first_error() -> None:
    checked = lint_file(NOT_JSON, filename="x.yaml").diagnostics
    validated = validate_text(
        NOT_JSON, filename="x.yaml", definitions=Definitions()
    ).result.diagnostics
    assert [(one.message, one.line) for one in checked] == [
        (one.message, one.line) for one in validated
    ]
    assert checked[0].line == 3


def test_old_objects_are_read_beside_broken_documents() -> None:
    found = old_objects(
        f"{OBJECT}---\na: [\n---\n{OBJECT.replace('name: a', 'name: b')}", filename="x.yaml"
    )
    assert {key[3] for key in found.by_key} == {"a", "b"}
    assert [place for place, _ in found.broken] == ["x.yaml:6:1"]
