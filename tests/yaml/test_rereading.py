"""Reading a text anew after an edit by the parser in Python: as if no text had been read before."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml.error import YAMLError

from crdlint.yaml import python_parser, rereading
from crdlint.yaml.machine import Reading

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").rglob("*.yaml"))
PIECES = [
    " ", "\n", "  ", "\t", "#", ": ", "- ", "'", '"', "{", "}", "[", "]", "|", ">", "&a ", "*a", "!!str ", "? ", "x",
    "\n---\n", "\n...\n", "\nname: value\n", "\n      - item: {a: 1, b: [2]}\n", "\n# comment\n", "  text: |\n    a\n\n    b\n",
    "\ufeff", "\r\n", "ä", "😀", "\n\n", "key", ",",
]  # fmt: skip
OTHER_END = "kind: Other\nspec: [1, 2]\n"


def read(text: str) -> list[Any]:
    """Return what the events of a text say, and the error at which they end."""
    shown: list[Any] = []
    try:
        for event in python_parser.events(text):
            fields = ["anchor", "tag", "value", "style", "flow_style"]
            values = [getattr(event, name, None) for name in fields]
            shown.append(
                (type(event).__name__, *values, *map(place, (event.start_mark, event.end_mark)))
            )
            if type(event).__name__ == "DocumentEndEvent":
                break
    except YAMLError as error:
        marks = (getattr(error, name, None) for name in ("context_mark", "problem_mark"))
        shown.append((str(getattr(error, "problem", error)), *map(place, marks)))
    return shown


def place(mark: Any) -> Any:
    return mark and (mark.index, mark.line, mark.column)


def anew(text: str) -> list[Any]:
    rereading.READINGS.clear()
    return read(text)


def edited(text: str, choice: random.Random) -> str:
    start = choice.randrange(len(text) + 1)
    end = min(len(text), start + choice.choice([0, 0, 0, 1, 1, 3, 12, 60]))
    return text[:start] + choice.choice([*PIECES, ""]) + text[end:]


def compare(text: str, choice: random.Random, edits: int) -> None:
    rereading.READINGS.clear()
    read(text)
    for _ in range(edits):
        text = edited(text, choice)
        kept = list(rereading.READINGS)
        expected = anew(text)
        rereading.READINGS[:] = kept
        assert read(text) == expected, text


@pytest.mark.parametrize("seed", range(12))
def test_an_edited_text_is_read_as_a_new_one(seed: int) -> None:
    choice = random.Random(seed)
    for file in choice.sample(FIXTURES, 12):
        compare(file.read_text(encoding="utf-8"), choice, 12)


@pytest.mark.exhaustive
@pytest.mark.parametrize("file", FIXTURES[::3], ids=lambda file: file.stem)
def test_edits_of_each_fixture_are_read_as_new_texts(file: Path) -> None:
    compare(file.read_text(encoding="utf-8"), random.Random(file.stem), 100)


def count_read(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many events of a text are read, rather than taken over."""
    count = 0
    next_event = Reading.next_event

    def counted(reading: Reading) -> Any:
        nonlocal count
        count += 1
        return next_event(reading)

    with monkeypatch.context() as patch:
        patch.setattr(Reading, "next_event", counted)
        read(text)
    return count


TEXT = "".join(
    f"key{i}:\n  - a: {i}\n    b: [{i}, x]\n  - text of\n    two lines\n" for i in range(300)
)


@pytest.mark.parametrize(
    ("before", "after", "most"),
    [
        ("a: 150", "a: 1505", 100),
        ("a: 150", "\n\n    # comment\n    a: 150", 100),
        ("a: 150", "a: 150\n    c: {d: 1}", 100),
        ("key0", "# first\nkey0", 100),
        ("key299", "key", 100),
        ("a: 150", "a: 'five", 5_000),  # the quote ends far below
        ("a: 150", "a: x: y", 100),  # the rest is not read
        ("", "", 0),
    ],
)
def test_only_what_changes_is_read(
    before: str, after: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rereading.READINGS.clear()
    read(TEXT)
    assert count_read(TEXT.replace(before, after, 1), monkeypatch) <= most
    assert count_read(TEXT, monkeypatch) == 0


def test_the_readings_that_are_kept_are_few() -> None:
    rereading.READINGS.clear()
    for number in range(40):
        read(f"a{number}: {'x' * 400_000}\n")
    assert sum(len(each.text) for each in rereading.READINGS) <= rereading.MOST_CHARACTERS
