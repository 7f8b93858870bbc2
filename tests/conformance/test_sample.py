"""Requests that a real API server answered: crdlint answers each one alike. README.md says how they were recorded."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from answers import answers, without_helps

with gzip.open(Path(__file__).with_name("sample.ndjson.gz"), "rt", encoding="utf-8") as lines:
    CASES = [json.loads(line) for line in lines]
FAMILIES = sorted({case["id"].partition("/")[0] for case in CASES})


@pytest.mark.parametrize("family", FAMILIES)
def test_crdlint_answers_as_the_api_server_did(family: str) -> None:
    with without_helps():
        for case in CASES:
            if case["id"].startswith(f"{family}/"):
                got, want = answers(case)
                assert got == want, case["id"]


def test_the_sample_has_requests_of_every_family() -> None:
    counts = Counter(case["id"].partition("/")[0] for case in CASES)
    assert counts == {"cel": 600, "crd": 540, "fresh": 360, "metadata": 189, "resources": 850, "versions": 512}
