"""The maintainers' larger records of the API server's answers, if they lie beside the checkout."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import crdlint

from .answers import crdlint_answer, differences, without_helps
from .rows import read

CONFORMANCE = Path(__file__).resolve().parents[3] / "shared" / "conformance"
pytestmark = pytest.mark.skipif(
    not CONFORMANCE.is_dir(), reason="the records are not beside this checkout"
)
WITH_CARETS = ("upstream-create", "synthetic-crd")
# Metadata was recorded without the server's field manager, which resets what it cannot decode, and without generated names.
_METADATA: Final = ("managedFields", "generateName")
_OLD_VERSION: Final = "apiextensions.k8s.io/v1beta1"


def is_recorded_otherwise(name: str, case: dict[str, Any]) -> bool:
    """Return whether a running server answers otherwise than the program that made the record."""
    text = json.dumps(case)
    return _OLD_VERSION in text or ("real" not in name and any(word in text for word in _METADATA))


def cases(name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file."""
    plain = CONFORMANCE / f"{name}.ndjson"
    yield from read(plain if plain.exists() else CONFORMANCE / f"{name}.ndjson.gz")


def found_differences(case: dict[str, Any]) -> list[str]:
    """Return how crdlint's answer differs, in the keys that the record has."""
    wanted = case["expect"]
    if case["op"] == "cr" and "decode_error" in wanted:
        return []
    got = crdlint_answer(case, case.get("version", "1.36"))
    if case["op"] != "create" or "cel" not in wanted:
        got.pop("cel", None)
    if case["op"] == "update":
        wanted = {"errors": wanted["errors"]}
        got = {"errors": got.get("errors", [])}
    if case["op"] == "cr":
        got.pop("warnings", None)
        wanted = {key: value for key, value in wanted.items() if key != "warnings"}
    return differences(got, wanted)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("real", 127),
        ("synthetic-cel", 2972),
        ("synthetic-crd", 1437),
        ("synthetic-metadata", 370),
        ("synthetic-resources", 2221),
        ("upstream-create", 1407),
        ("upstream-resources", 654),
        ("upstream-update", 46),
        ("yaml", 301),
        ("fresh-1.37-real", 164),
        ("fresh-1.37-synth-res", 315),
        ("fresh-1.37-mut-update", 643),
    ],
)
def test_crdlint_answers_as_the_api_server_did(name: str, count: int) -> None:
    compared = 0
    for case in cases(name):
        if not is_recorded_otherwise(name, case):
            found = found_differences(case)
            assert not found, (case["id"], "\n".join(found))
            compared += 1
    assert compared == count


def test_the_caret_is_at_the_named_field() -> None:
    with without_helps():
        checked = sum(carets(case) for name in WITH_CARETS for case in list(cases(name))[::25])
    assert checked >= 8


@pytest.mark.exhaustive
def test_every_caret_is_at_the_named_field() -> None:
    with without_helps():
        assert sum(carets(case) for name in WITH_CARETS for case in cases(name)) >= 180


def carets(case: dict[str, Any]) -> int:
    """Compare what is under the carets with the paths: the path's own key, its value, or the key of a parent that lacks it.

    Return the number of findings compared.
    """
    text, checked = case["yaml"], 0
    for d in crdlint.lint_text(text, kube_version=case.get("version", "1.36")):
        # At a place in an expression or pattern (tests/yaml/test_scalars.py), or in a default.
        inside = d.rule.startswith(("cel-", "default-", "pattern-"))
        if inside or d.kind != "field" or "openAPIV3Schema." not in d.field or d.line != d.end_line:
            continue
        line = text.split("\n")[d.line - 1]
        under = line[d.column - 1 : d.end_column - 1].strip("\"'")
        before = re.findall(r'"((?:[^"\\]|\\.)*)":\s*$', line[: d.column - 1])
        steps = {s for step in re.findall(r"\[([^\]]*)\]|([^.\[\]]+)", d.field) for s in step if s}
        if d.rule == "rule-message-invalid":
            steps.add("rule")  # a missing message is asked for at the rule that needs it
        if d.rule.startswith("list-map-key-"):
            steps.update(
                re.findall(r'"([^"]*)"', d.message)
            )  # the key in question in the list of keys
        if line[d.column - 1] not in "[{":
            assert not steps.isdisjoint((under, *before)), (case["id"], d)
        checked += 1
    return checked
