"""What holds for the fixes of any text: accepted CRDs stay accepted, values change only where a fix says, twice is once."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from breakages import BREAKAGES, OTHER
from repairs import check, errors, fixed, leaves

from crdlint.yaml import YAMLDecodeError, decode_yaml
from crdlint.yaml.edit import apply

if TYPE_CHECKING:
    from collections.abc import Callable

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*/*.yaml"))
CONFORMANCE = Path(__file__).parents[3] / "shared/conformance"


# The fields that safe fixes of an accepted CRD change, by rule; other rules only remove what is empty.
NAMED = {
    "unknown-field-ignored": ("maxLenght", "maxLength"),
    "format-unrecognized": ("format",),
    "keyword-without-effect": ("type",),
    "never-valid": ("enum",),
    "leftover-field": ("status", "creationTimestamp"),
    "enum-value-duplicate": ("enum",),
    "status-subresource-null": ("status",),
    "short-name-own-name": ("shortNames",),
    "yaml-boolean": ("enum", "default"),
    "yaml-text-cut": ("description", "title", "message"),
}


def changed_names(before: str, after: str) -> set[str]:
    """Return the names of fields whose values differ; nothing is known of texts that are not one document of YAML."""
    try:
        old, new = (dict(leaves(decode_yaml(text))) for text in (before, after))
    except YAMLDecodeError:
        return set()
    changed = {
        path
        for path, value in {**old, **new}.items()
        if old.get(path) != new.get(path) or (path in new) > (path in old)
    }
    changed -= {path for path, value in old.items() if path not in new and not value}
    return {
        "status"
        if path[0] == "status"
        else [str(step) for step in path if isinstance(step, str)][-1]
        for path in changed
    }


def assert_sound(text: str) -> None:
    before = check(text)
    for unsafe in (False, True):
        done = fixed(text, unsafe=unsafe)
        if not errors(before):
            assert errors(done.result) == []
            if not unsafe:
                named = {name for one in done.applied for name in NAMED.get(one.rule, ())}
                assert changed_names(text, done.text) - named == set()
        assert (done.text == text) == (done.edits == ())
        assert apply(text, done.edits) == done.text
        assert fixed(done.text, unsafe=unsafe).text == done.text


@pytest.mark.parametrize("part", range(4))
def test_fixtures(part: int, subtests: pytest.Subtests) -> None:
    for path in FIXTURES[part::4]:
        with subtests.test(f"{path.parent.name}/{path.stem}"):
            assert_sound(path.read_text(encoding="utf-8"))


def several_breakages(chance: random.Random) -> str:
    text = chance.choice(BREAKAGES).text
    for one in chance.sample(BREAKAGES, 3):
        text = text.replace(one.old, one.new, 1)
    return text


def mutated(chance: random.Random) -> str:
    lines = chance.choice(BREAKAGES).repaired.split("\n")
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(lines))
        how = chance.randrange(4)
        if how == 0:
            del lines[at]
        elif how == 1:
            lines[at] = " " * chance.randrange(1, 4) + lines[at]
        elif how == 2:
            lines.insert(at, lines[chance.randrange(len(lines))])
        else:
            where = chance.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:where] + chance.choice("xX:-'\"{[ ") + lines[at][where + 1 :]
    return "\n".join(lines)


@pytest.mark.parametrize("broken", [several_breakages, mutated])
@pytest.mark.parametrize(
    "seeds", [range(15), pytest.param(range(15, 200), marks=pytest.mark.exhaustive)], ids=str
)
def test_texts_with_several_errors(
    broken: Callable[[random.Random], str], seeds: range, subtests: pytest.Subtests
) -> None:
    for seed in seeds:
        with subtests.test(str(seed)):
            assert_sound(broken(random.Random(seed)))


@pytest.mark.parametrize("part", range(2))
def test_other_values_do_not_change(part: int, subtests: pytest.Subtests) -> None:
    """Every fix names what it changes: values outside of the changed lines are those of before."""
    for breakage in BREAKAGES[part::2]:
        if breakage.fixed == OTHER:
            continue
        with subtests.test(breakage.name):
            try:
                before = dict(leaves(decode_yaml(breakage.text)))
            except YAMLDecodeError:
                continue
            after = dict(leaves(decode_yaml(fixed(breakage.text, unsafe=True).text)))
            meant = dict(leaves(decode_yaml(breakage.repaired)))
            stable = {
                path for path, value in before.items() if path in meant and meant[path] == value
            }
            assert {
                path for path in stable if path in after and after[path] != before[path]
            } == set()


@pytest.mark.skipif(not CONFORMANCE.is_dir(), reason="needs the recorded requests")
@pytest.mark.parametrize("most", [5, pytest.param(40, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", ["real", "synthetic-crd", "upstream-create", "yaml"])
def test_recorded_requests(name: str, most: int) -> None:
    lines = (CONFORMANCE / f"{name}.ndjson").read_text(encoding="utf-8").splitlines()
    for line in lines[:: max(len(lines) // most, 1)]:
        assert_sound(json.loads(line)["yaml"])
