"""Which documents may define a group: what their text says, and which of them are parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counting import recording
from tables import each

from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.resources.definitions import CRDFiles, Definitions, outline, outlines

if TYPE_CHECKING:
    import pytest

    from crdlint.linting.result import FileResult

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: foos.{group}}}
spec:
  group: {written}
  scope: Cluster
  names: {{plural: foos, kind: {kind}}}
  versions:
  - {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}
"""
# How a group may be written, and whether the text tells it.
WRITTEN = {
    "plain": ("example.com", True),
    "quoted": ('"example.com"', True),
    "single quotes": ("'example.com'", True),
    "on the next line": ("\n    example.com", True),
    "an escape": ('"example\\x2ecom"', False),
    "a continued line": ('"example.\\\n    com"', False),
    "an anchor": ("&g example.com", False),
    "a tag": ("!!str example.com", False),
    "binary": ("!!binary ZXhhbXBsZS5jb20=", False),
    "a comment": ("# the group\n    example.com", False),
    "a block": (">-\n    example.com", False),
}


def files(texts: dict[str, str], parsed: list[tuple[str, frozenset[int]]]) -> CRDFiles:
    def lint(path: str, only: frozenset[int], _others: frozenset[int]) -> FileResult:
        parsed.append((path, only))
        return lint_file(texts[path], path, CheckRequest(keep=True), only=only)

    return CRDFiles(lambda: texts, lambda path: outlines(texts[path]), lint)


def crd(group: str, written: str | None = None, kind: str = "Foo") -> str:
    return CRD.format(group=group, written=written or group, kind=kind)


@each(("written", "is_told"), WRITTEN.values(), ids=WRITTEN)
def test_a_group_is_found_however_it_is_written(written: str, is_told: bool) -> None:
    text = crd("example.com", written)
    found = outline(text)
    assert found is not None
    assert (found.groups is not None and "example.com" in found.groups) is is_told
    assert (found.groups is None) is not is_told
    definitions = Definitions([files({"a": text}, [])])
    assert list(definitions.kinds("example.com")) == ["Foo"]


def test_json_and_flow_mappings_are_outlined() -> None:
    found = outline(
        '{"kind": "CustomResourceDefinition", "spec": {"group": "a.io", "names": {"kind":"Foo"}}}'
    )
    assert found is not None
    assert found.groups == frozenset({"a.io"})
    assert found.kinds == frozenset({"CustomResourceDefinition", "Foo"})
    assert outline("kind: ClusterRole\ngroup: a.io\n") is None


def test_each_document_is_parsed_once_and_only_if_its_group_is_asked_for() -> None:
    parsed: list[tuple[str, frozenset[int]]] = []
    texts = {
        "a": f"{crd('a.io')}---\n{crd('b.io')}",
        "b": crd("b.io", kind="Bar"),
        "c": crd("c.io"),
    }
    definitions = Definitions([files(texts, parsed)])
    assert sorted(definitions.kinds("b.io")) == ["Bar", "Foo"]
    assert definitions.knows("b.io")
    assert not definitions.knows("d.io")
    assert parsed == [("a", frozenset({1})), ("b", frozenset({0}))]
    assert list(definitions.kinds("a.io")) == ["Foo"]
    assert parsed[2:] == [("a", frozenset({0}))]


def test_a_list_of_crds_of_two_groups_is_parsed_once() -> None:
    parsed: list[tuple[str, frozenset[int]]] = []
    items = "\n".join(
        "- " + crd(group).replace("\n", "\n  ").rstrip() for group in ("a.io", "b.io")
    )
    definitions = Definitions(
        [files({"a": f"apiVersion: v1\nkind: List\nitems:\n{items}\n"}, parsed)]
    )
    assert (definitions.knows("a.io"), definitions.knows("b.io")) == (True, True)
    assert (parsed, definitions.duplicates) == ([("a", frozenset({0}))], [])


def test_a_later_source_counts_if_no_earlier_one_has_the_group() -> None:
    first: list[Any] = []
    second: list[Any] = []
    sources = [
        files({"a": crd("a.io")}, first),
        files({"b": crd("a.io", kind="Bar"), "c": crd("c.io")}, second),
    ]
    definitions = Definitions(sources)
    assert list(definitions.kinds("a.io")) == ["Foo"]
    assert list(definitions.kinds("c.io")) == ["Foo"]
    assert second == [("c", frozenset({0}))]


def test_the_group_that_was_meant_is_found_before_it_is_parsed() -> None:
    definitions = Definitions(
        [files({"a": crd("example.com"), "b": crd("other.io", kind="Bar")}, [])]
    )
    assert definitions.group_meant("exampel.com", "Foo") == "example.com"
    assert definitions.group_meant("", "Bar") == "other.io"
    assert definitions.group_meant("exampel.com", "Bar") is None
    assert definitions.group_meant("example.com" + ".a" * 100_000, "Foo") is None


def test_the_number_of_groups_that_are_compared_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    definitions = Definitions([files({"a": crd("example.com")}, [])])
    looked: list[object] = []
    find = Definitions._find_group  # noqa: SLF001
    monkeypatch.setattr(Definitions, "_find_group", recording(looked, find))
    for i in range(1000):
        definitions.group_meant(f"group{i}.io", "Foo")
    assert len(looked) == 100
