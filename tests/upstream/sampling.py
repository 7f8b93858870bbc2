"""Choosing few requests that together cover many different answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from .rows import Answer, Request

_VARIABLE = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|\d+|\[[^\]]*\]')
_FUNCTION = re.compile(r"([A-Za-z_.]+)\(")


def sample(answered: Iterable[tuple[Request, Answer]], count: int) -> Iterator[Request]:
    """Yield at most `count` requests, the shortest first, each of which has something that none before has."""
    covered: set[str] = set()
    chosen = 0
    for request, answer in sorted(answered, key=_length):
        new = features(request, answer) - covered
        if new and chosen < count:
            covered |= new
            chosen += 1
            yield request


def _length(pair: tuple[Request, Answer]) -> int:
    return len(json.dumps(pair[0]))


def features(request: Request, answer: Answer) -> set[str]:
    """Return what an answer is about: its sentences without names and numbers, and the functions of its rules.

    >>> sorted(features({"op": "create"}, {"warnings": ['unknown field "a"']}))
    ['create unknown field _']
    """
    errors = [error["string"].partition(": ")[2] for error in answer.get("errors") or ()]
    texts = [text for key in ("strict_errors", "warnings") for text in answer.get(key) or ()]
    texts += [
        answer[key]
        for key in ("decode_error", "yaml_error", "panic", "unanswered")
        if key in answer
    ]
    found = {f"{request['op']} {_VARIABLE.sub('_', text)}" for text in [*errors, *texts]}
    for rule in answer.get("cel") or ():
        found |= {f"function {name}" for name in _FUNCTION.findall(rule["rule"])}
    return found
