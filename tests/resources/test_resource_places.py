"""Where a resource's paths stand, as steps and as the server prints them."""

from __future__ import annotations

import time

import pytest

from crdlint.crd.paths import Path
from crdlint.resources.places import ResourceLocator
from crdlint.yaml.parse import parse_first

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
def locator():
    return ResourceLocator(parse_first(TEXT).root, 0, TEXT)


@pytest.mark.parametrize(("path", "key", "wanted"), PRINTED.values(), ids=PRINTED)
def test_a_printed_path(locator, path, key, wanted):
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


@pytest.mark.parametrize(("path", "wanted"), STEPS.values(), ids=STEPS)
def test_steps(locator, path, wanted):
    span = locator.span(path)
    assert (span.line, span.column) == wanted


def test_odd_keys_end():
    text = "{" + "a.a: {" * 400 + "x: 1" + "}" * 400 + "}"
    locator = ResourceLocator(parse_first(text).root, 0, text)
    start = time.perf_counter()
    locator.find_text(".".join(["a.a"] * 400) + ".y")
    locator.find_text(".".join(["a"] * 8001))
    assert time.perf_counter() - start < 5
