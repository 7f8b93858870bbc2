"""The Python part of the playground, and its examples."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from crds import crd_with_spec, object_in_json
from examples import EXAMPLES, PLAYGROUND, parts

sys.path.append(str(PLAYGROUND / "python"))

import playground


def check(**texts: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(
        playground.check(json.dumps({"crd": "", "resource": "", "old": "", "version": "1.36", **texts}))
    )
    return answer


def test_each_example_has_its_title_and_a_finding_with_a_help(subtests: pytest.Subtests) -> None:
    assert len({parts(file)["title"] for file in EXAMPLES}) == len(EXAMPLES)
    for file in EXAMPLES:
        with subtests.test(file.stem):
            example = parts(file)
            answer = check(**{key: example[key] for key in ("crd", "resource", "old", "version")})
            found = answer["crd"] + answer["resource"]
            assert found
            assert [one["rule"] for one in found if not one["help"]] == []


def test_positions_fixes_and_costs_are_returned() -> None:
    text = parts(EXAMPLES[0])["crd"]
    answer = check(crd=text)
    finding = answer["crd"][0]
    assert finding["rule"] == "cel-rule-cost"
    line = text.splitlines()[finding["line"] - 1]
    assert (
        line[finding["column"] - 1 : finding["end_column"] - 1] == "\"self.hosts.all(host, host.matches('^[a-z.]+$'))\""
    )
    assert finding["fix"]["safe"] is False
    assert finding["fix"]["edits"]
    [cost] = answer["costs"]
    assert cost["share"] > 1


SERVER = "The API server of Kubernetes 1.36"
WITH_FIELD = crd_with_spec("{type: object, properties: {a: {type: string}, b: {type: integer}}}")
WITHOUT_FIELDS = WITH_FIELD.replace("a: {type: string}, b: {type: integer}", "")


@pytest.mark.parametrize(
    ("texts", "headlines"),
    [
        pytest.param({}, ("", "Paste a CRD, or choose an example.", ""), id="nothing"),
        pytest.param({"crd": "a: 1\n"}, ("", "There is no CRD in this text.", ""), id="no CRD"),
        pytest.param({"crd": WITH_FIELD}, ("good", f"{SERVER} accepts this.", ""), id="accepted"),
        pytest.param(
            {"crd": WITH_FIELD, "old": WITH_FIELD}, ("good", f"{SERVER} accepts this update.", ""), id="accepted update"
        ),
        pytest.param(
            {"crd": WITHOUT_FIELDS, "old": WITH_FIELD},
            ("good", f"{SERVER} accepts this update.", "2 breaking changes for clients and existing objects."),
            id="fields removed",
        ),
        pytest.param(
            {"crd": WITHOUT_FIELDS.replace("Namespaced", "Cluster"), "old": WITH_FIELD},
            ("error", f"{SERVER} rejects this: 1 error.", "2 breaking changes for clients and existing objects."),
            id="fields removed in a rejected update",
        ),
        pytest.param({"crd": "a: ["}, ("error", f"{SERVER} rejects this: 1 error.", ""), id="no YAML"),
        pytest.param(
            {"crd": WITH_FIELD, "resource": object_in_json({"a": 1, "c": 1})},
            ("error", f"{SERVER} rejects this: 2 errors.", ""),
            id="rejected resource",
        ),
        pytest.param(
            {"crd": parts(EXAMPLES[1])["crd"], "version": "1.28..1.36"},
            ("error", f"{SERVER.replace('1.36', '1.28..1.36')} rejects this: 1 error.", ""),
            id="rejected by the oldest",
        ),
    ],
)
def test_the_headlines_are_the_verdict_and_breaking_changes(
    texts: dict[str, str], headlines: tuple[str, str, str]
) -> None:
    answer = check(**texts)
    assert (answer["kind"], answer["verdict"], answer["breaking"]) == headlines


def test_a_range_of_versions_is_answered() -> None:
    answer = check(crd=parts(EXAMPLES[1])["crd"], version="1.28..1.36")
    assert [one["rule"] for one in answer["crd"]] == ["kube-version-too-old"]


def test_the_versions_are_those_of_crdlint() -> None:
    from crdlint.kubernetes.servers import NEWEST_VERSION, SERVERS

    known = json.loads(playground.versions())
    assert known["default"] == NEWEST_VERSION
    assert set(known["versions"]) > {str(server) for server in SERVERS}


def test_odd_texts_are_answered() -> None:
    for text in ("", "\ufeff", "a: [", "---\n---\n", "x: &a [*a]", "kind: CustomResourceDefinition\n", "\x00"):
        assert check(crd=text, resource=text, old=text)["costs"] == []
