"""The Python part of the playground, and its examples."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from crds import crd_with_spec, object_in_json
from examples import EXAMPLES, PLAYGROUND, parts

if TYPE_CHECKING:
    from collections.abc import Callable

sys.path.append(str(PLAYGROUND / "python"))

import costing
import editing
import tracing

import playground
from crdlint.kubernetes.servers import NEWEST_VERSION


def ask(function: Callable[[str], str], **asked: Any) -> Any:
    """Return what a function of the page answers."""
    return json.loads(
        function(json.dumps({"crd": "", "resource": "", "old": "", "version": "1.36", **asked}))
    )


def check(**texts: str) -> dict[str, Any]:
    answer: dict[str, Any] = ask(playground.check, **texts)
    return answer


def after(text: str, part: str) -> dict[str, int]:
    """Return the place behind a part of a text."""
    before = text[: text.index(part) + len(part)]
    return {"line": before.count("\n") + 1, "column": len(before) - before.rfind("\n")}


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
    finding = next(one for one in answer["crd"] if one["rule"] == "cel-rule-cost")
    line = text.splitlines()[finding["line"] - 1]
    assert (
        line[finding["column"] - 1 : finding["end_column"] - 1]
        == "\"self.hosts.all(host, host.matches('^[a-z.]+$'))\""
    )
    assert finding["fix"]["safe"] is False
    assert finding["fix"]["edits"]
    assert answer["rules"] == 1


def test_costs_have_numbers_a_sum_and_a_way_to_lower_them() -> None:
    answer = ask(costing.costs, crd=parts(EXAMPLES[0])["crd"], version=NEWEST_VERSION)
    [cost] = answer["rules"]
    assert (cost["share"] > 1, cost["limit"], answer["count"]) == (True, "10,000,000", 1)
    assert "maxItems" in cost["help"]
    assert [each["limit"] for each in answer["schemas"]] == ["100,000,000"]


def test_what_follows_from_another_finding_names_it() -> None:
    text = parts(EXAMPLES[0])["crd"].replace("items: {type: string}", "items: {type: strng}")
    found = check(crd=text)["crd"]
    first = {one["rule"]: one["follows"] for one in found}
    assert set(first.values()) <= {None, *range(len(found))}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("self.size + 1", {"type": "int", "value": "3", "cost": "3"}),
        (
            "self.no",
            {
                "error": "undefined field 'no'\nAdd `no` to `properties`, or read its only field: size"
            },
        ),
        ("oldSelf.size", {"type": "int"}),
    ],
)
def test_an_expression_is_evaluated_on_the_resource(
    expression: str, expected: dict[str, str]
) -> None:
    crd = crd_with_spec("{type: object, properties: {size: {type: integer}}}")
    resource = object_in_json({"size": 2})
    answer = ask(tracing.evaluate, crd=crd, resource=resource, field="spec", expression=expression)
    assert {key: answer[key] for key in expected} == expected


def test_an_expression_needs_a_resource() -> None:
    answer = ask(tracing.evaluate, field="", expression="1")
    assert answer == {"error": "Write a CRD, and a custom resource of it."}


def test_a_resource_that_nothing_validates_is_named() -> None:
    crd = crd_with_spec("{type: object}")
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
    [notice] = check(crd=crd, resource=pod)["notices"]
    assert "nothing in it was validated" in notice
    assert check(crd=crd, resource=object_in_json({}))["notices"] == []


SERVER = "The API server of Kubernetes 1.36"
WITH_FIELD = crd_with_spec("{type: object, properties: {a: {type: string}, b: {type: integer}}}")
WITHOUT_FIELDS = WITH_FIELD.replace("a: {type: string}, b: {type: integer}", "")


@pytest.mark.parametrize(
    ("texts", "headlines"),
    [
        pytest.param({}, ("", "Paste a CRD, drop a file, or choose an example.", ""), id="nothing"),
        pytest.param({"crd": "a: 1\n"}, ("", "There is no CRD in this text.", ""), id="no CRD"),
        pytest.param(
            {"crd": WITH_FIELD}, ("good", f"{SERVER} accepts the CRD.", ""), id="accepted"
        ),
        pytest.param(
            {"crd": WITH_FIELD, "old": WITH_FIELD},
            ("good", f"{SERVER} accepts the update of the CRD.", ""),
            id="accepted update",
        ),
        pytest.param(
            {"crd": WITHOUT_FIELDS, "old": WITH_FIELD},
            (
                "good",
                f"{SERVER} accepts the update of the CRD.",
                "Changes for clients and existing objects: 2 breaking.",
            ),
            id="fields removed",
        ),
        pytest.param(
            {"crd": WITHOUT_FIELDS.replace("Namespaced", "Cluster"), "old": WITH_FIELD},
            (
                "error",
                f"{SERVER} rejects the CRD: 1 error.",
                "Changes for clients and existing objects: 2 breaking.",
            ),
            id="fields removed in a rejected update",
        ),
        pytest.param(
            {"crd": "a: ["}, ("error", f"{SERVER} rejects the CRD: 1 error.", ""), id="no YAML"
        ),
        pytest.param(
            {"crd": WITH_FIELD, "resource": object_in_json({"a": 1, "c": 1})},
            ("error", f"{SERVER} rejects the resource: 2 errors.", ""),
            id="rejected resource",
        ),
        pytest.param(
            {"crd": parts(EXAMPLES[1])["crd"], "version": "1.28..1.36"},
            ("error", f"{SERVER.replace('1.36', '1.28..1.36')} rejects the CRD: 1 error.", ""),
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
    for text in (
        "",
        "\ufeff",
        "a: [",
        "---\n---\n",
        "x: &a [*a]",
        "kind: CustomResourceDefinition\n",
        "\x00",
    ):
        assert check(crd=text, resource=text, old=text)["rules"] == 0


def test_each_version_has_its_verdict() -> None:
    text = parts(EXAMPLES[1])["crd"]
    assert ask(playground.verdict, crd=text, version="1.30") == {
        "kind": "error",
        "verdict": "The API server of Kubernetes 1.30 rejects the CRD: 1 error.",
        "warnings": 0,
        "rules": ["cel-compilation"],
    }
    assert ask(playground.verdict, crd=text, version="1.31")["kind"] == "good"
    update = ask(
        playground.verdict, crd=WITHOUT_FIELDS, old=WITH_FIELD
    )  # breaking changes are no errors of the server
    assert (update["kind"], update["rules"]) == ("good", [])


def test_all_safe_fixes_are_made_with_a_diff() -> None:
    text = parts(EXAMPLES[3])["crd"]
    assert check(crd=text)["fixable"] == 2
    fixed = ask(playground.fixed, crd=text)
    assert fixed["count"] == 2
    assert [line.strip("+- ") for line in fixed["diff"] if line[0] in "+-"] == [
        "type: integer",
        "type: integer",
    ]
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    for edit in reversed(fixed["edits"]):
        start = starts[edit["line"] - 1] + edit["column"] - 1
        end = starts[edit["end_line"] - 1] + edit["end_column"] - 1
        text = text[:start] + edit["text"] + text[end:]
    assert check(crd=text)["kind"] == "good"
    assert ask(playground.fixed, crd=text)["edits"] == []


_PROPERTY, _SNIPPET = 10, 15  # kinds of items in the protocol


def test_completion_and_hover_know_the_crd() -> None:
    example = parts(EXAMPLES[18])
    crd, resource = example["crd"], example["resource"]
    fields = ask(editing.complete, **example, text="crd", **after(crd, "self."))
    assert {item["label"] for item in fields} == {"mode", "size"}
    assert "enum" in ask(editing.hover, **example, text="crd", **after(crd, "enu")).lower()
    values = ask(editing.complete, **example, text="resource", **after(resource, "mode: "))
    assert {"Fast", "Safe"} <= {item["label"] for item in values}
    assert "`integer`, required" in ask(
        editing.hover, **example, text="resource", **after(resource, "siz")
    )
    for text in ("", "a: [", "- 1\n"):
        offered = ask(editing.complete, crd=text, text="crd", line=1, column=1)
        assert {item["type"] for item in offered} <= {_PROPERTY, _SNIPPET}
        assert ask(editing.hover, crd=text, text="crd", line=1, column=1) == ""


def test_a_trace_says_why_a_rule_accepts_or_rejects() -> None:
    example = parts(EXAMPLES[18])
    [rejected] = ask(tracing.trace, **example)
    assert rejected == {
        "rule": "self.mode != 'Safe' || self.size > 1",
        "where": "spec, rule 1",
        "kind": "rejected",
        "verdict": "rejected, cost 6",
        "message": "spec: Invalid value: safe mode needs two or more",
        "why": [
            "self.mode != 'Safe' = false",
            '  self.mode = "Safe"',
            "self.size > 1 = false",
            "  self.size = 1",
        ],
    }
    [accepted] = ask(
        tracing.trace, **{**example, "resource": example["resource"].replace("size: 1", "size: 2")}
    )
    assert (accepted["kind"], accepted["message"]) == ("accepted", "")
    transition = example["crd"].replace("self.mode != 'Safe'", "oldSelf.mode != 'Safe'")
    [skipped] = ask(tracing.trace, **{**example, "crd": transition})
    assert skipped["verdict"] == "not evaluated: a transition rule is only evaluated on update"
    for text in (
        "",
        "a: [",
        "kind: Other\napiVersion: example.com/v1\n",
        "apiVersion: example.com/v1\nkind: Widget\n",
    ):
        assert [
            one
            for one in ask(tracing.trace, **{**example, "resource": text})
            if one["kind"] == "rejected"
        ] == []
