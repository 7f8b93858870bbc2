"""What reading a text holds on to."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

from counting import without_collector
from tables import each

from crdlint.linting.pipeline import lint_file
from crdlint.yaml.json_values import to_json
from crdlint.yaml.parse import Document, iter_documents, parse_first

CRD = (Path(__file__).resolve().parents[2] / "fixtures" / "valid" / "minimal.yaml").read_text(
    encoding="utf-8"
)


def alive() -> int:
    return sum(isinstance(one, Document) for one in gc.get_objects())


@each("document", ["a: b", "}", "? [", "a: *b", "a: [*b]", "&a [*a]", "x: ! y: z"])
def test_documents_are_freed_one_by_one(document: str) -> None:
    """Without the collector, which is paused while a file is checked."""
    with without_collector():
        assert max(alive() for _ in iter_documents(f"{document}\n---\n" * 12)) <= 2


def peak(text: str) -> int:
    tracemalloc.start()
    try:
        lint_file(text, filename="x.yaml")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@each("document", ["{}", "", "a: b"])
def test_documents_that_are_no_crds_take_no_memory(document: str) -> None:
    few, many = (CRD + f"---\n{document}\n" * count for count in (250, 1000))
    lint_file(few, filename="x.yaml")  # imports modules, and makes regular expressions
    assert peak(many) - peak(few) < 2 * (len(many) - len(few))


def test_values_are_made_without_a_list_of_what_is_left() -> None:
    root = parse_first("[" + "a," * 20_000 + "a]").root
    assert root is not None
    tracemalloc.start()
    try:
        value = to_json(root)
        held, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert value == ["a"] * 20_001
    assert most < 1.2 * held


NESTED = "a: {b: [1, {c: d}, [e, f]], g: {}}\nh: [[], x, {i: j}]\nk: l"


def test_values_keep_their_order() -> None:
    root = parse_first(NESTED).root
    assert root is not None
    assert repr(to_json(root)) == repr(
        {"a": {"b": [1, {"c": "d"}, ["e", "f"]], "g": {}}, "h": [[], "x", {"i": "j"}], "k": "l"}
    )
