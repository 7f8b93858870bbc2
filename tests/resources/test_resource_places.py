"""Where a resource's paths stand, as steps and as the server prints them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from present import root_of
from tables import each

from crdlint.crd.paths import Path
from crdlint.resources.objects import ResourceLocator
from crdlint.yaml.nodes import Scalar

if TYPE_CHECKING:
    from crdlint.crd.positions import SourceLocation

TEXT = """\
spec:
  version: v1
  a.b: 1
  a: {c: 2}
  "x[0]": 3
  list:
  - {k: 4}
  - {k: 5}
  empty:
  "": 6
"""
# A printed path, whether the key is asked for: line and column.
PRINTED = {
    "a scalar": ("spec.version", False, (2, 12)),
    "its key": ("spec.version", True, (2, 3)),
    "a key with a dot": ("spec.a.b", False, (3, 8)),
    "the shorter key where it leads on": ("spec.a.c", False, (4, 10)),
    "a key with brackets": ("spec.x[0]", False, (5, 11)),
    "a key in brackets": ("spec[version]", False, (2, 12)),
    "an item": ("spec.list[1]", False, (8, 5)),
    "below an item": ("spec.list[1].k", False, (8, 9)),
    "an empty key": ("spec.", True, (10, 3)),
    "an empty value": ("spec.empty", False, (9, 3)),
    "a collection": ("spec.list", False, (6, 3)),
    "missing: its parent": ("spec.list[0].m", False, (7, 5)),
    "missing further up": ("spec.none.m", False, (1, 1)),
    "the root": ("", False, (1, 1)),
    "a leading dot": (".spec.version", False, (2, 12)),
    "no index": ("spec.list[9].k", False, (6, 3)),
}


@pytest.fixture
def locator() -> ResourceLocator:
    return ResourceLocator(root_of(TEXT), 0, TEXT)


@each(("path", "key", "wanted"), PRINTED.values(), ids=PRINTED)
def test_a_printed_path(
    locator: ResourceLocator, path: str, key: bool, wanted: tuple[int, int]
) -> None:
    span = locator.span_of(locator.find_text(path), key=key)
    assert (span.line, span.column) == wanted


# Nothing is moved, though a CRD's spec.version is: a resource may have such a field.
STEPS = {
    "spec.version": (Path("spec").child("version"), (2, 12)),
    "a name with a dot": (Path("spec").child("a.b"), (3, 8)),
    "a key": (Path("spec").key("a.b"), (3, 8)),
    "an index": (Path("spec").child("list").index(1).child("k"), (8, 9)),
    "a printed one below": (Path("spec").child("list[1].k"), (8, 9)),
    "missing": (Path("spec").child("a").child("d"), (4, 3)),
    "nowhere": (Path("<nil>"), (1, 1)),
}


@each(("path", "wanted"), STEPS.values(), ids=STEPS)
def test_steps(locator: ResourceLocator, path: Path, wanted: tuple[int, int]) -> None:
    span = locator.span(path)
    assert (span.line, span.column) == wanted


class CountingLocator(ResourceLocator):
    """Counts the places that ways are looked for from."""

    looked = 0

    def _ways(self, place: SourceLocation, text: str, at: int) -> Any:
        self.looked += 1
        return super()._ways(place, text, at)


ODD = "{" + "a.a: {" * 40 + "x: 1" + "}" * 40 + "}"


@each(
    ("document", "path"),
    [
        (ODD, "a.a." * 40 + "y"),
        (ODD, "a." * 81 + "a"),
        ("{a: {a: 1, a.a: {a: 1}}, a.a: {a: 1}}", "a." * 9 + "y"),
    ],
    ids=["missing below", "missing", "ambiguous"],
)
def test_the_work_on_odd_keys_grows_with_the_number_of_paths(document: str, path: str) -> None:
    looked = []
    for count in (1000, 2000):
        locator = CountingLocator(root_of(document), 0, document)
        for _ in range(count):
            locator.find_text(path)
        looked.append(locator.looked)
    assert looked[1] / looked[0] < 2.3


@each(
    "key",
    ["a." * 100_000, "[" * 100_000, "a[" + "1" * 5000 + "]"],
    ids=["dots", "brackets", "digits"],
)
def test_keys_of_any_length_are_found(key: str) -> None:
    text = f"spec:\n  a: [1]\n  ? {json.dumps(key)}\n  : 1\n"
    place = ResourceLocator(root_of(text), 0, text).find_text(f"spec.{key}")
    assert isinstance(place.key, Scalar)
    assert (place.exact, place.key.value) == (True, key)
