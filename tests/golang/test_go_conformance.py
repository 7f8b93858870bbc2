"""What API servers printed: bad values and pattern errors of the shared conformance cases."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crdlint.golang.printing import bad_value
from crdlint.golang.regexp import compile_error
from crdlint.golang.text import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CASES = Path(__file__).resolve().parents[3] / "shared" / "conformance"
FILES = ["upstream-create", "upstream-update", "synthetic-crd", "real"]
VALUE = re.compile(r"(?:Invalid|Unsupported|Duplicate) value: ")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
PATTERN_ERROR = "must be a valid regular expression, but isn't: "

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not here")


def cases() -> Iterator[dict[str, Any]]:
    for name in FILES:
        with (CASES / f"{name}.ndjson").open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def messages() -> set[str]:
    return {error["string"] for case in cases() for error in case["expect"].get("errors", ())}


def quoted_values() -> Iterator[tuple[str, re.Match[str]]]:
    """Yield messages about texts, and where they have the text."""
    for message in messages():
        value = VALUE.search(message)
        quoted = value and QUOTED.match(message, value.end())
        if quoted:
            yield message, quoted


def struct(pairs: list[tuple[str, object]]) -> object:
    """Make a struct whose fields are in the order read."""
    made = type(
        "Struct",
        (),
        {"GO_FIELDS": tuple((key, f"field{at}", "") for at, (key, _) in enumerate(pairs))},
    )()
    vars(made).update({f"field{at}": value for at, (_, value) in enumerate(pairs)})
    return made if pairs else {}


@pytest.mark.parametrize("hook", [struct, dict], ids=["structs", "maps"])
def test_structures(hook: Callable[..., Any] | type) -> None:
    decoder = json.JSONDecoder(object_pairs_hook=hook)
    checked = 0
    for message in messages():
        value = VALUE.search(message)
        if value is None or message[value.end()] not in "{[":
            continue
        if hook is dict and re.search(r'"[A-Z]', message):
            continue
        decoded, end = decoder.raw_decode(message, value.end())
        assert bad_value(decoded) == message[value.end() : end]
        checked += 1
    assert checked > 10


def test_strings() -> None:
    values = [quoted[0] for _, quoted in quoted_values()]
    assert [quote(ast.literal_eval(value)) for value in values] == values
    assert len(values) > 500


def test_pattern_errors() -> None:
    checked = 0
    for message, quoted in quoted_values():
        if message.startswith(f": {PATTERN_ERROR}", quoted.end()):
            assert compile_error(ast.literal_eval(quoted[0])) == message.partition(PATTERN_ERROR)[2]
            checked += 1
    assert checked > 5


def patterns(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "pattern" and isinstance(item, str):
                yield item
            yield from patterns(item)
    elif isinstance(value, list):
        for item in value:
            yield from patterns(item)


def test_accepted_patterns() -> None:
    accepted: set[Any] = set()
    for case in cases():
        if case["expect"].get("errors") == [] and case.get("yaml", "").startswith("{"):
            accepted.update(patterns(json.loads(case["yaml"])))
    assert len(accepted) > 10
    assert {pattern: error for pattern in accepted if (error := compile_error(pattern))} == {}
