"""What holds for the fixes of any text: accepted CRDs stay accepted, values change only where a fix says, twice is once."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from breakages import BREAKAGES, OTHER, Breakage

from crdlint.linting.pipeline import lint_file
from crdlint.runner.fixes import fix
from crdlint.yaml import YAMLDecodeError, decode_yaml
from crdlint.yaml.edit import apply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.linting.result import FileResult

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*/*.yaml"))
CONFORMANCE = Path(__file__).parents[3] / "shared/conformance"


def check(text: str) -> FileResult:
    return lint_file(text, filename="x", skip_unfinished=True, fixes=True)


def errors(result: FileResult) -> list[str]:
    return [one.message for one in result.diagnostics if one.severity == "error"]


# The fields that safe fixes of an accepted CRD change, by rule; other rules only remove what is empty.
NAMED = {
    "unknown-field-ignored": ("maxLenght", "maxLength"),
    "format-unrecognized": ("format",),
    "keyword-without-effect": ("type",),
    "never-valid": ("enum",),
    "leftover-field": ("status", "creationTimestamp"),
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
        "status" if path[0] == "status" else [str(step) for step in path if isinstance(step, str)][-1]
        for path in changed
    }


def assert_sound(text: str) -> None:
    before = check(text)
    for unsafe in (False, True):
        fixed = fix(before, check, unsafe=unsafe)
        if not errors(before):
            assert errors(fixed.result) == []
            if not unsafe:
                named = {name for one in fixed.applied for name in NAMED.get(one.rule, ())}
                assert changed_names(text, fixed.text) - named == set()
        assert (fixed.text == text) == (fixed.edits == ())
        assert apply(text, fixed.edits) == fixed.text
        assert fix(fixed.result, check, unsafe=unsafe).text == fixed.text


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_fixtures(path: Path) -> None:
    assert_sound(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", range(30))
def test_several_breakages_at_once(seed: int) -> None:
    chance = random.Random(seed)
    text = chance.choice(BREAKAGES).text
    for one in chance.sample(BREAKAGES, 3):
        text = text.replace(one.old, one.new, 1)
    assert_sound(text)


@pytest.mark.parametrize("seed", range(60))
def test_mutated_texts(seed: int) -> None:
    chance = random.Random(seed)
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
    assert_sound("\n".join(lines))


def leaves(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], object]]:
    """Yield the path of every scalar of a value."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from leaves(one, (*path, name))
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from leaves(one, (*path, i))
    else:
        yield path, value


@pytest.mark.parametrize("breakage", [pytest.param(one, id=one.name) for one in BREAKAGES if one.fixed != OTHER])
def test_other_values_do_not_change(breakage: Breakage) -> None:
    """Every fix names what it changes: values outside of the changed lines are those of before."""
    try:
        before = dict(leaves(decode_yaml(breakage.text)))
    except YAMLDecodeError:
        return
    fixed = fix(check(breakage.text), check, unsafe=True)
    after = dict(leaves(decode_yaml(fixed.text)))
    meant = dict(leaves(decode_yaml(breakage.repaired)))
    stable = {path for path, value in before.items() if path in meant and meant[path] == value}
    assert {path for path in stable if path in after and after[path] != before[path]} == set()


@pytest.mark.skipif(not CONFORMANCE.is_dir(), reason="needs the recorded requests")
@pytest.mark.parametrize("name", ["real", "synthetic-crd", "upstream-create", "yaml"])
def test_recorded_requests(name: str) -> None:
    import json

    lines = (CONFORMANCE / f"{name}.ndjson").read_text(encoding="utf-8").splitlines()
    for line in lines[:: max(len(lines) // 40, 1)]:
        assert_sound(json.loads(line)["yaml"])
