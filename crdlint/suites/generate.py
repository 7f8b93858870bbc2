"""The first suite of a CRD: tests of its limits and rules, each of which passes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any, Final

from crdlint.gathering import partitioned
from crdlint.light import dataclass, replace
from crdlint.resources.dump import dump
from crdlint.suites.crds import SuiteCRDs, Target
from crdlint.suites.read import read_suite
from crdlint.suites.run import run_suite
from crdlint.suites.witnesses import Witness, Witnesses

_LONGEST_NAME: Final = 120  # characters
_META: Final = {"name": "example"}


@dataclass(frozen=True, slots=True)
class GeneratedSuite:
    """A suite: its text, the number of its tests, and the parts of the CRD that none of them shows."""

    text: str
    tests: int
    missing: tuple[str, ...]


def generate(target: Target, files: SuiteCRDs) -> GeneratedSuite:
    """Return a suite of a CRD's storage version, whose tests pass; raise MissingCRDError if the CRD is rejected."""
    version = _storage_version(target)
    definition, _ = files.define(target, version)
    validator = definition.validator(version)
    identity = {
        "apiVersion": validator.api_version,
        "kind": definition.crd.spec.names.kind,
        "metadata": {**_META, **({"namespace": "default"} if definition.namespaced else {})},
    }
    server = files.versions.newest
    witnesses = Witnesses(validator, identity, server)
    every = list(_named(witnesses.all()))
    passing = _passing(target, files, version, every) if every else set()
    tests, lost = partitioned(every, lambda witness: witness.name in passing)
    missing = (*witnesses.missing, *(witness.name for witness in lost))
    return GeneratedSuite(_text(target, version, tests, missing), len(tests), missing)


def _storage_version(target: Target) -> str:
    """Return the name of the version that objects are stored in, empty if the CRD names none."""
    versions = target.value.get("spec", {}).get("versions", [])
    stored = [each for each in versions if isinstance(each, dict) and each.get("storage") is True]
    return str(stored[0].get("name", "")) if stored else ""


def _named(witnesses: Iterator[Witness]) -> Iterator[Witness]:
    """Yield witnesses whose names are short, and different from each other."""
    names: set[str] = set()
    for each in witnesses:
        name = " ".join(each.name.split())
        name = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
        others = (f"{name} ({number})" for number in count(2))
        while name in names:
            name = next(others)
        names.add(name)
        yield replace(each, name=name)


def _passing(
    target: Target,
    files: SuiteCRDs,
    version: str,
    witnesses: list[Witness],
) -> set[str]:
    """Return the names of the tests that pass."""
    suite = read_suite(_text(target, version, witnesses, ()), f"{target.file}.testsuite.yaml")
    return {each.case.name for each in run_suite(suite, target, files) if not each.failure}


def _text(
    target: Target,
    version: str,
    witnesses: list[Witness],
    missing: tuple[str, ...],
) -> str:
    return "\n".join(_lines(target, version, witnesses, missing)) + "\n"


def _lines(
    target: Target,
    version: str,
    witnesses: list[Witness],
    missing: tuple[str, ...],
) -> Iterator[str]:
    yield "apiVersion: apiextensions.k8s.io/v1"
    yield f"name: {_quoted(target.name)}"
    yield f"crdName: {_quoted(target.name)}"
    yield f"version: {_quoted(version)}"
    yield from (f"# No object was found: {_one_line(part)}" for part in missing)
    yield "tests:"
    for key, is_update in (("onCreate", False), ("onUpdate", True)):
        own = [each for each in witnesses if (each.old is not None) is is_update]
        if own:
            yield f"  {key}:"
        for each in own:
            yield from _test(each)


def _test(witness: Witness) -> Iterator[str]:
    yield f"  - name: {_quoted(witness.name)}"
    if witness.old is not None:
        yield from _object("initial", witness.old)
        yield from _object("updated", witness.sent)
    else:
        yield from _object("initial", witness.sent)
    if witness.error:
        key = "expectedStatusError" if witness.of_status else "expectedError"
        yield f"    {key}: {_quoted(witness.error)}"
    elif witness.stored is not None:
        yield from _object("expected", witness.stored)


def _object(key: str, value: dict[str, Any]) -> Iterator[str]:
    """Yield an object as a block of text, without the metadata that each test has."""
    own = {name: part for name, part in value.items() if name != "metadata"}
    yield f"    {key}: |"
    yield from (f"      {line}" for line in dump(own))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(text.split())
