"""ruamel's parser in Python, which reads texts where libyaml is missing: the same values and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

import crdlint
from crdlint.yaml import parse

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").rglob("*.yaml"))
TEXTS = [
    "a:\tb\n",
    "a: b\t# c\n",
    "a: b\tc\n",
    "a: [1,\t2]\n",
    "-\ta\n",
    "a:\n\tb: 1\n",
    "a: b: c\n",
    "a:\n  b: 1\n c: 2\n",
    "- a\nb: 1\n",
    "a: [1, 2\n",
    "a: {b: 1\n",
    "a: {b: ]\n",
    "a: @b\n",
    "a: |b\n",
    "a: - b\n",
    "? ? a\n",
    "a: &\n",
    "%\n---\na: 1\n",
    "a: 'b\n",
]


def answer(text: str) -> object:
    try:
        return crdlint.decode_yaml(text)
    except crdlint.YAMLDecodeError as error:
        return str(error)


@pytest.mark.parametrize("text", TEXTS)
def test_it_answers_as_libyaml(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    want = answer(text)
    monkeypatch.setattr(parse, "CParser", None)
    assert answer(text) == want


def test_it_reads_the_fixtures_as_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [file.read_text(encoding="utf-8") for file in FIXTURES]
    want = [answer(text) for text in texts]
    monkeypatch.setattr(parse, "CParser", None)
    assert [answer(text) for text in texts] == want
