"""A CRD that the API server accepts keeps its meaning, and a safe fix changes nothing that it does not name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from crds import crd_with_schema
from repairs import check, errors

from crdlint.config.model import Config
from crdlint.runner.fixes import fix
from crdlint.runner.proof import unnamed_changes
from crdlint.yaml.edit import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFORMANCE = Path(__file__).parents[3] / "shared/conformance"
LONGEST = 200_000  # characters
STATUS = crd_with_schema(
    "type: object\nproperties:\n  status: {type: object, properties: {a: {type: integer}}}\n"
)


def accepted() -> Iterator[str]:
    """Yield real CRDs, and CRDs of upstream's tests, that the API server accepts."""
    for name, step in (("real", 1), ("upstream-create", 5)):
        for line in (
            (CONFORMANCE / f"{name}.ndjson").read_text(encoding="utf-8").splitlines()[::step]
        ):
            text = json.loads(line)["yaml"]
            if len(text) < LONGEST and not errors(check(text)):
                yield text


@pytest.mark.skipif(not CONFORMANCE.is_dir(), reason="needs the recorded requests")
def test_accepted_crds_keep_their_meaning() -> None:
    texts = list(accepted())
    assert len(texts) > 100
    fixed = [(text, fix(check(text), check, unsafe=True)) for text in texts]
    assert [
        unnamed_changes(text, one.edits, keeps_meaning=True) for text, one in fixed if one.edits
    ] == [[] for _, one in fixed if one.edits]


def test_advice_that_changes_a_crd_is_applied_if_its_rule_is_named() -> None:
    assert fix(check(STATUS), check, unsafe=True).edits == ()
    for select, is_fixed in ((("status-*",), True), (("*",), False), (("cel-*",), False)):
        fixed = fix(check(STATUS), check, unsafe=True, config=Config(select=select))
        assert ("status: {}" in fixed.text) == is_fixed, select


def test_changes_outside_of_the_edited_lines_are_not_named() -> None:
    text = crd_with_schema(
        "type: object\nproperties:\n  a:\n    type: string\n  b: {type: string}\n"
    )
    end = text.index("\n", text.index("type: string"))
    for new, changed in (
        ("\n            maxLength: 3", []),
        ("\n---", ["foos.example.com: `.b` was removed"]),
    ):
        assert unnamed_changes(text, [Edit(end, end, new)]) == changed
        assert unnamed_changes(text, [Edit(end, end, new)], keeps_meaning=True) != []
    key = text.index("a:")
    assert unnamed_changes(text, [Edit(key, key + 1, "c")]) == []
