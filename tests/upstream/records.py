"""The recorded answers: one file a version, with only what differs from the answers of the next newer one."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from .answers import comparable, is_comparable
from .comparison import Question
from .recorder import digest
from .rows import ANSWERS, Answer, Request, asked_of, read, recorded_requests, write
from .versions import Build, builds

# How often a request is asked, because Go iterates over maps in another order each time.
TIMES: Final = 4


@dataclass
class Recording:
    """The answers of one version.

    `answers` has a list for each id: one answer, or several where the server's answer varies.
    `header` describes the recording: the releases of the modules, the date, and the digest of the recorder.
    """

    build: Build
    header: dict[str, Any]
    answers: dict[str, list[Answer]] = field(default_factory=dict)


def header_of(build: Build) -> dict[str, Any]:
    """Return the header of a recording that is made now."""
    return {
        "kubernetes": build.release,
        "modules": build.modules(),
        "recorded": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "recorder": digest(build)[:16],
    }


def distinct(answers: Iterable[Answer]) -> list[Answer]:
    """Return the different answers to one request, in a fixed order.

    The order of errors, warnings and rules does not count: it is made one of its own.
    """
    by_content = {
        json.dumps(comparable(answer), sort_keys=True): in_order(answer) for answer in answers
    }
    return [by_content[content] for content in sorted(by_content)]


def is_recorded(answer: Answer, recorded: Iterable[Answer]) -> bool:
    """Return whether an answer is one of the recorded ones.

    The order of the lines of a text does not count: structured-merge-diff lists errors in the order of a map.
    """
    (answer,) = distinct([answer])
    return any(_with_sorted_lines(answer) == _with_sorted_lines(each) for each in recorded)


def _with_sorted_lines(answer: Answer) -> Answer:
    error = answer.get("decode_error")
    return answer if error is None else {**answer, "decode_error": sorted(error.split("\n"))}


def in_order(answer: Answer) -> Answer:
    """Return an answer with its lists sorted."""
    ordered = dict(answer)
    for name in ("errors", "strict_errors", "warnings", "cel", "unknown_fields"):
        if name in ordered:
            ordered[name] = sorted(ordered[name], key=lambda row: json.dumps(row, sort_keys=True))
    return ordered


def packed(answer: Answer) -> Answer:
    """Return an answer as it is written: of each error only the part of its sentence that no other field has.

    >>> packed({"errors": [{"type": "T", "field": "a", "detail": "no", "string": "a: Invalid value: 1: no"}]})
    {'errors': [{'type': 'T', 'field': 'a', 'detail': 'no', 'between': 'Invalid value: 1'}]}
    """
    if "errors" not in answer:
        return answer
    return {**answer, "errors": [_packed_error(error) for error in answer["errors"]]}


def _packed_error(error: dict[str, str]) -> dict[str, str]:
    start, end = f"{error['field']}: ", f": {error['detail']}"
    sentence = error["string"]
    if (
        not sentence.startswith(start)
        or not sentence.endswith(end)
        or len(sentence) < len(start) + len(end)
    ):
        return error
    kept = {name: text for name, text in error.items() if name != "string"}
    return {**kept, "between": sentence[len(start) : -len(end)]}


def unpacked(answer: Answer) -> Answer:
    """Return an answer that was packed as it was before."""
    if "errors" not in answer:
        return answer
    return {**answer, "errors": [_unpacked_error(error) for error in answer["errors"]]}


def _unpacked_error(error: dict[str, str]) -> dict[str, str]:
    if "between" not in error:
        return error
    kept = {name: text for name, text in error.items() if name != "between"}
    return {**kept, "string": f"{error['field']}: {error['between']}: {error['detail']}"}


def load_all() -> dict[str, Recording]:
    """Return all recordings by version, the newest first, with those of first patch releases."""
    requests = recorded_requests()
    recordings: dict[str, Recording] = {}
    for name, build in builds().items():
        path = ANSWERS / f"{name}.ndjson"
        if path.exists():
            recordings[name] = _load(build, path, requests, recordings)
    return recordings


def _load(
    build: Build, path: Path, requests: Iterable[Request], newer: Mapping[str, Recording]
) -> Recording:
    header, *rows = read(path)
    base = _base(build, newer)
    inherited = {} if base is None else base.answers
    asked = {request["id"] for request in requests if asked_of(request, build.minor)}
    recording = Recording(
        build, header, {id_: answers for id_, answers in inherited.items() if id_ in asked}
    )
    for row in rows:
        if row["answers"]:
            recording.answers[row["id"]] = [unpacked(answer) for answer in row["answers"]]
        else:
            recording.answers.pop(row["id"], None)
    return recording


def _base(build: Build, recordings: Mapping[str, Recording]) -> Recording | None:
    """Return the recording that a version's file is compared with.

    This is the next newer minor version, or, for a first patch release, the newest one of its own minor version.
    """
    if build.name != build.minor:
        return recordings.get(build.minor)
    minors = [name for name, other in builds().items() if name == other.minor]
    newer = minors[: minors.index(build.name)]
    return recordings[newer[-1]] if newer else None


def save_all(recordings: Mapping[str, Recording]) -> None:
    """Write all recordings, each with only what differs from the next newer one."""
    ANSWERS.mkdir(exist_ok=True)
    order = [request["id"] for request in recorded_requests()]
    for name, recording in recordings.items():
        with (ANSWERS / f"{name}.ndjson").open("w", encoding="utf-8", newline="\n") as stream:
            write(stream, recording.header)
            for row in _rows(recording, _base(recording.build, recordings), order):
                write(stream, row)


def _rows(
    recording: Recording, base: Recording | None, order: Iterable[str]
) -> Iterator[dict[str, Any]]:
    inherited = {} if base is None else base.answers
    for id_ in order:
        answers = recording.answers.get(id_, [])
        if not _are_alike(answers, inherited.get(id_, [])):
            yield {"id": id_, "answers": [packed(answer) for answer in answers]}


def _are_alike(answers: Sequence[Answer], others: Sequence[Answer]) -> bool:
    """Return whether two lists of answers only differ in what does not count, such as addresses of memory."""
    return answers == others or list(map(_what_counts, answers)) == list(map(_what_counts, others))


def _what_counts(answer: Answer) -> tuple[Answer, bool]:
    return comparable(answer), is_comparable(answer)


def differing(name: str, recordings: Mapping[str, Recording]) -> list[str]:
    """Return the ids of requests that a version answers otherwise than the next newer one, or all of the newest."""
    recording = recordings[name]
    base = _base(recording.build, recordings)
    inherited = {} if base is None else base.answers
    return [
        id_
        for id_, answers in recording.answers.items()
        if not _are_alike(answers, inherited.get(id_, []))
    ]


def questions(recording: Recording, requests: Iterable[Request]) -> Iterator[Question]:
    """Yield what crdlint is asked for a recorded version: each request with the answers recorded."""
    for request in requests:
        answers = recording.answers.get(request["id"])
        if answers:
            yield Question(request, recording.build.name, tuple(answers))
