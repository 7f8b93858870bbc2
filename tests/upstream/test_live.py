"""The parts of the live server's tests that need no server."""

from __future__ import annotations

import pytest

from crdlint.phrases import joined

from .live.answers import Answer, as_request, differences, of_record, of_reply
from .live.api import Reply
from .live.asking import Compared, Outcome
from .live.experiments import ACTIONS, crd_of, experiments, object_of, with_answers
from .live.releases import PATCHES, release_of
from .live.tally import Tally

_UPSTREAM = """\
module k8s.io/kubernetes

go 1.26.0

require (
	k8s.io/api v0.0.0
	k8s.io/klog/v2 v2.140.0
	k8s.io/utils v0.0.0-20260626114624-be93311217bd
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
)
"""


def test_only_modules_of_the_same_release_are_replaced() -> None:
    assert release_of("1.37").go_mod(_UPSTREAM) == (
        "module server\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes v1.37.2\n\nreplace (\n\tk8s.io/api => k8s.io/api v0.37.2\n)\n"
    )


def test_the_version_that_a_program_reports_is_that_of_the_release() -> None:
    flags = release_of("1.31").linker_flags
    assert "-X k8s.io/component-base/version.gitVersion=v1.31.14" in flags
    assert "-X k8s.io/component-base/version.gitMinor=31" in flags


@pytest.mark.parametrize("version", ["1.37", "v1.37.2", "1.28.0"])
def test_a_version_is_a_minor_version_or_a_release(version: str) -> None:
    release = release_of(version)
    assert str(release).startswith(f"v{version.removeprefix('v')}")
    assert f"1.{release.minor}" in PATCHES


@pytest.mark.parametrize("version", ["1.99", "2", "1.37.x", "1.37.2.1", ""])
def test_other_versions_are_refused_by_name(version: str) -> None:
    with pytest.raises(ValueError, match=r"choose one of 1\.28, "):
        release_of(version)


_CAUSES = [
    {"reason": "FieldValueInvalid", "message": "Invalid value: 1: too small", "field": "spec.a"},
    {"reason": "FieldValueRequired", "message": "Required value", "field": "spec.b"},
]


def test_a_refusal_names_its_fields() -> None:
    body = {"reason": "Invalid", "message": "many words", "details": {"causes": _CAUSES}}
    answer = of_reply(Reply(422, body, ()))
    assert answer == Answer(
        False,
        frozenset({"spec.a: Invalid value: 1: too small", "spec.b: Required value"}),
        "",
        None,
    )


def test_a_refusal_without_fields_has_its_message() -> None:
    assert of_reply(Reply(400, {"message": "no such thing"}, ())) == Answer(
        False, frozenset(), "no such thing", None
    )


def test_alike_answers_have_no_differences() -> None:
    recorded = of_record(
        {"errors": [], "strict_errors": ['unknown field "spec.x"'], "warnings": ["w"]}
    )
    server = of_reply(Reply(201, {}, ("w", 'unknown field "spec.x"')))
    assert differences(server, recorded, "record") == []


def test_what_the_server_read_before_its_message_is_no_difference() -> None:
    server = Answer(
        False,
        message="CustomResourceDefinition in version v1 cannot be handled: json: bad",
        warnings=None,
    )
    assert differences(server, Answer(False, message="json: bad"), "crdlint") == []


def test_differences_name_who_has_the_text() -> None:
    server, other = (
        Answer(False, frozenset({"a", "b"}), warnings=None),
        Answer(False, frozenset({"b", "c"})),
    )
    assert differences(server, other, "crdlint") == ["only server: a", "only crdlint: c"]
    assert differences(Answer(True), other, "crdlint")[0] == "server accepts, crdlint refuses"


def test_errors_of_fields_that_the_server_writes_are_none_of_a_request() -> None:
    recorded = Answer(False, frozenset({"metadata.managedFields[0].operation: Required value"}))
    assert as_request(recorded) == Answer(True)


def test_a_tally_counts_what_was_asked_and_why_not() -> None:
    tally = Tally()
    tally.add(Compared("a", Outcome(Answer(True))))
    tally.add(Compared("b", Outcome(Answer(True)), ("only server: x",)))
    tally.add(Compared("c", Outcome(None, why="the server refuses the CRD")))
    assert tally.summary() == (
        "2 requests asked, 1 alike (50.00 %), 1 different\n1 not asked: the server refuses the CRD"
    )


def test_a_step_names_what_differs_from_the_smallest_crd() -> None:
    crd = crd_of({"fields": {"a": {"type": "string"}}, "version": {"subresources": {"status": {}}}})
    [version] = crd["spec"]["versions"]
    assert crd["metadata"]["name"] == "foos.claims.example.com"
    assert version["subresources"] == {"status": {}}
    assert version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] == {
        "a": {"type": "string"}
    }


def test_a_length_in_braces_is_a_text_of_that_length() -> None:
    assert object_of({"spec": {"a": ["{3}", "b"]}}, "v2")["spec"] == {"a": ["xxx", "b"]}


def test_answers_are_written_below_their_steps() -> None:
    text = "claim: c  # why\nrules: [a]\nsteps:\n- create: {}\n"
    written = with_answers(text, [{"status": 201}], "v1.37.2", "2026-11-28")
    assert written == (
        "claim: c  # why\nrules: [a]\nsteps:\n- create: {}\n  answer: {status: 201}\nanswered:\n  server: v1.37.2\n"
        "  date: '2026-11-28'\n"
    )


def test_every_experiment_is_recorded() -> None:
    found = list(experiments())
    incomplete = [
        one.id for one in found if not one.server or any(step.answer is None for step in one.steps)
    ]
    assert found
    assert not incomplete, joined(incomplete)
    assert {step.action for one in found for step in one.steps} <= set(ACTIONS)
