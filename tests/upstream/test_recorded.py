"""crdlint answers each recorded request as the API server of each version did. README.md says how they were recorded."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import pytest
from _pytest.mark.structures import ParameterSet

from . import records
from .answers import is_comparable
from .comparison import Question, compare
from .known import known_differences
from .records import Recording
from .rows import Request, asked_of, recorded_requests
from .versions import builds, newest

# Of the requests that a version answers otherwise than the next newer one, so many are asked by default.
_OLDER_EACH = 120


@cache
def _recordings() -> dict[str, Recording]:
    return records.load_all()


@cache
def _requests() -> dict[str, Request]:
    return {request["id"]: request for request in recorded_requests()}


def _rows(name: str, ids: Iterable[str], *, exhaustive: bool = False) -> list[ParameterSet]:
    marks = [pytest.mark.exhaustive] if exhaustive else []
    return [
        pytest.param(name, id_, id=f"{name}-{id_}", marks=marks)
        for id_ in ids
        if _is_answered(name, id_)
    ]


def _is_answered(name: str, id_: str) -> bool:
    return any(map(is_comparable, _recordings()[name].answers[id_]))


def _by_default() -> list[ParameterSet]:
    """Return all requests for the newest version, and some of those that older versions answer differently."""
    rows = _rows(newest().name, list(_requests()))
    for name in _recordings():
        if name != newest().name:
            different = records.differing(name, _recordings())
            step = 1 + len(different) // _OLDER_EACH
            rows += _rows(name, different[::step])
            rows += _rows(
                name, [id_ for n, id_ in enumerate(different) if n % step], exhaustive=True
            )
    return rows


def _differences(name: str, id_: str) -> list[str]:
    recording = _recordings()[name]
    question = Question(_requests()[id_], recording.build.name, tuple(recording.answers[id_]))
    return compare(question).differences


@pytest.mark.parametrize(("version", "request_id"), _by_default())
def test_crdlint_answers_as_the_api_server(version: str, request_id: str) -> None:
    found = _differences(version, request_id)
    if request_id in known_differences(version):
        assert found, "the known difference is gone: remove it from known.toml"
    else:
        assert not found, "\n".join(found)


@pytest.mark.exhaustive
@pytest.mark.parametrize("version", list(_recordings()))
def test_crdlint_answers_all_requests_as_the_api_server(version: str) -> None:
    asked = [id_ for id_ in _recordings()[version].answers if _is_answered(version, id_)]
    failed = [id_ for id_ in asked if _differences(version, id_)]
    assert set(failed) == set(known_differences(version))


def test_every_request_is_recorded_for_every_version() -> None:
    recordings = records.load_all()
    assert recordings.keys() == builds().keys()
    for recording in recordings.values():
        asked = {
            id_ for id_, request in _requests().items() if asked_of(request, recording.build.minor)
        }
        assert recording.answers.keys() == asked
