"""A range of servers finds what a run for each of them finds, with little more work than one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from counting import lines_run
from crds import crd_in_json, schema_with_spec
from tables import sampled
from upstream.rows import recorded_requests

from crdlint.kubernetes.servers import KNOWN, SERVERS, parse_range
from crdlint.linting import pipeline, version_range
from crdlint.linting.manifest import check_crd
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest, Subject
from crdlint.linting.version_range import FindingsByVersion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.diagnostics import Diagnostic
    from crdlint.kubernetes.servers import Server
    from crdlint.linting.manifest import CheckedCRD

TESTS = Path(__file__).resolve().parents[1]
CASES = [*recorded_requests("cel"), *recorded_requests("crd")]
# Every sixteenth, since many differ in one place only.
CREATED = [case for case in CASES if case["op"] == "create"][::16]
FIXTURES = sorted((TESTS.parent / "fixtures").rglob("*.yaml"))


def by_server(text: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Diagnostic]]:
    """Return what a check of a range finds for each server."""
    found: dict[str, list[Diagnostic]] = {str(server): [] for server in SERVERS}

    def recorded(given: Sequence[tuple[Server, Sequence[Diagnostic]]]) -> FindingsByVersion:
        for server, diagnostics in given:
            found[str(server)] += diagnostics
        return FindingsByVersion(given)

    monkeypatch.setattr(version_range, "FindingsByVersion", recorded)
    lint_file(text, "x", CheckRequest(versions=parse_range(KNOWN)))
    monkeypatch.undo()
    return found


def one_by_one(text: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Diagnostic]]:
    """Return what a check for each server finds in CRDs, as far as it depends on the server."""
    found: dict[str, list[Diagnostic]] = {str(server): [] for server in SERVERS}

    def recorded(subject: Subject, request: CheckRequest) -> CheckedCRD:
        checked = check_crd(subject, request)
        found[str(request.versions)] += version_range.of_server(checked.diagnostics)
        return checked

    monkeypatch.setattr(pipeline, "check_crd", recorded)
    for version in found:
        lint_file(text, "x", CheckRequest(versions=parse_range(version)))
    monkeypatch.undo()
    return found


@pytest.mark.parametrize("cases", sampled(CREATED, 8))
def test_a_range_finds_what_single_runs_find(
    cases: Sequence[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for case in cases:
        assert by_server(case["yaml"], monkeypatch) == one_by_one(case["yaml"], monkeypatch), case[
            "id"
        ]


@pytest.mark.parametrize("paths", sampled(FIXTURES, 5))
def test_a_range_finds_in_the_fixtures_what_single_runs_find(
    paths: Sequence[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert by_server(text, monkeypatch) == one_by_one(text, monkeypatch), path.name


def crd(properties: dict[str, Any], rules: Sequence[str]) -> str:
    spec = {
        "type": "object",
        "properties": properties,
        "x-kubernetes-validations": [{"rule": rule} for rule in rules],
    }
    return crd_in_json(schema_with_spec(spec))


def group(number: int) -> dict[str, Any]:
    names = {"type": "array", "maxItems": 8, "items": {"type": "string", "maxLength": 63}}
    size = {
        "type": "integer",
        "format": "int32",
        "default": number,
        "x-kubernetes-validations": [{"rule": "self >= 0"}],
    }
    texts = {
        f"text{i}": {"type": "string", "maxLength": 100, "description": "A text of the group."}
        for i in range(20)
    }
    return {
        "type": "object",
        "properties": {
            **texts,
            "names": names,
            "size": size,
            "mode": {"type": "string", "enum": ["A", "B"]},
        },
        "x-kubernetes-validations": [
            {"rule": "!has(self.mode) || self.mode == oldSelf.mode"},
            {"rule": f"!has(self.names) || self.names.all(n, n.startsWith('{number}'))"},
            {
                "rule": f"!has(self.text0) || self.text0.size() < {number + 60}",
                "messageExpression": "'too long'",
            },
        ],
    }


def test_nine_servers_cost_less_than_two_and_a_half_times_one() -> None:
    text = crd({f"group{i}": group(i) for i in range(4)}, ["self.group0.size <= self.group1.size"])

    def check(versions: str) -> None:
        lint_file(text, "x", CheckRequest(versions=parse_range(versions)))

    # What is imported or made once counts for neither.
    check(str(SERVERS[-1]))
    check(KNOWN)
    one = lines_run(lambda: check(str(SERVERS[-1])))
    all_ = lines_run(lambda: check(KNOWN))
    assert all_ / one < 2.5


def test_the_fields_that_servers_decode_in_different_ways_are_known() -> None:
    fields = {name for server in SERVERS for name in server.unknown_fields | server.dropped_fields}
    assert set(version_range.FIELDS) == fields


def test_an_escaped_name_of_a_field_is_decoded_for_each_server() -> None:
    text = crd({"a": {"type": "string"}}, ["true"])
    text = text.replace(
        '"name": "v1"', '"name": "v1", "\\u0073electableFields": [{"jsonPath": ".spec.a"}]'
    )
    rules = [
        (one.rule, one.versions)
        for one in lint_file(text, "x", CheckRequest(versions=parse_range(KNOWN))).diagnostics
    ]
    assert ("unknown-field", ("1.28", "1.29")) in rules
