"""Random requests that crdlint and the server's packages are both asked, and the smallest that they answer differently."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from .answers import is_comparable
from .comparison import Question, compare
from .mutations import JSON, mutated, mutated_rule, parts, smaller
from .recorder import Recorder
from .rows import Request, recorded_requests
from .versions import Build

# Attempts to make one failing request smaller.
_ATTEMPTS: Final = 400


@dataclass(frozen=True, slots=True)
class Difference:
    """A request that crdlint answers otherwise than the server, made small, and how the answers differ."""

    request: Request
    differences: list[str]


@dataclass
class Corpus:
    """The values that random requests are made of."""

    crds: list[JSON] = field(default_factory=list)
    pairs: list[tuple[JSON, JSON]] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)

    @classmethod
    def recorded(cls) -> Corpus:
        """Return the corpus of the recorded requests, as far as these are JSON."""
        corpus = cls()
        for request in recorded_requests():
            corpus._add(request)
        return corpus

    def _add(self, request: Request) -> None:
        texts = [request.get(name) for name in ("yaml", "crd", "old", "new")]
        values = [_parsed(text) for text in texts if text is not None]
        crds = [value for value in values if isinstance(value, dict)]
        self.crds.extend(crds)
        self.rules.extend(part.value for crd in crds for part in parts(crd) if _is_rule(part.key, part.value))
        resource = _parsed(request.get("cr"))
        if request["op"] == "cr" and crds and isinstance(resource, dict):
            self.pairs.append((crds[0], resource))


def _is_rule(key: Any, value: JSON) -> bool:
    return key == "rule" and isinstance(value, str)


def _parsed(text: str | None) -> JSON:
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return None


def random_request(random: Random, corpus: Corpus) -> Request:
    """Return a random request: a CRD, one with changed rules, an update, or a custom resource with or without an old one."""
    make = random.choice(_MAKERS)
    return make(random, corpus)


def _create(random: Random, corpus: Corpus) -> Request:
    return {"op": "create", "yaml": _text(mutated(random, random.choice(corpus.crds), corpus.crds))}


def _create_with_rules(random: Random, corpus: Corpus) -> Request:
    crd = json.loads(_text(random.choice(corpus.crds)))
    for part in parts(crd):
        if _is_rule(part.key, part.value):
            base = random.choice((part.value, random.choice(corpus.rules)))
            part.holder[part.key] = mutated_rule(random, base, corpus.rules)
    return {"op": "create", "yaml": _text(crd)}


def _update(random: Random, corpus: Corpus) -> Request:
    old = random.choice(corpus.crds)
    return {"op": "update", "old": _text(old), "new": _text(mutated(random, old, corpus.crds))}


def _resource(random: Random, corpus: Corpus) -> Request:
    crd, resource = random.choice(corpus.pairs)
    others = [other for _, other in corpus.pairs]
    return {"op": "cr", "crd": _text(_some(random, crd, corpus.crds)), "cr": _text(_some(random, resource, others))}


def _resource_update(random: Random, corpus: Corpus) -> Request:
    request = _resource(random, corpus)
    old = json.loads(request["cr"])
    request["old_cr"] = request["cr"]
    request["cr"] = _text(mutated(random, old, [other for _, other in corpus.pairs]))
    return request


def _some(random: Random, value: JSON, others: Sequence[JSON]) -> JSON:
    """Return a value as it is, or changed."""
    return mutated(random, value, others) if random.randrange(2) else value


_MAKERS: Final[tuple[Callable[[Random, Corpus], Request], ...]] = (
    _create,
    _create_with_rules,
    _create_with_rules,
    _update,
    _resource,
    _resource_update,
)


def _text(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False)


def fuzz(build: Build, running: Recorder, seed: int, requests: int) -> Iterator[Difference | None]:
    """Yield None for each random request that is answered alike, and the difference otherwise."""
    random, corpus = Random(seed), Corpus.recorded()
    for _ in range(requests):
        request = random_request(random, corpus)
        found = differences_of(build, running, request)
        yield Difference(*shrunk(build, running, request, found)) if found else None


def differences_of(build: Build, running: Recorder, request: Request) -> list[str]:
    """Return how crdlint's answer differs from the server's; empty if it does not, or if the server's answer varies."""
    wanted = tuple(running.ask(request) for _ in range(2))
    if not all(map(is_comparable, wanted)):
        return []
    found = compare(Question(request, build.minor, wanted)).differences
    if found and len(wanted) < _TRIES:
        wanted = tuple(running.ask(request) for _ in range(_TRIES))
        found = compare(Question(request, build.minor, wanted)).differences
    return found


# How often the server is asked before a difference counts, because some answers vary with the order of Go's maps.
_TRIES: Final = 8


def shrunk(build: Build, running: Recorder, request: Request, found: list[str]) -> tuple[Request, list[str]]:
    """Return the smallest request that differs in the same keys of the answer, as far as removing parts leads, and how."""
    kind = _kind(found)
    attempts = _ATTEMPTS
    improved = True
    while improved and attempts > 0:
        improved = False
        for smaller_request in _smaller_requests(request):
            attempts -= 1
            if attempts <= 0:
                break
            now = differences_of(build, running, smaller_request)
            if now and _kind(now) == kind:
                request, found, improved = smaller_request, now, True
                break
    return request, found


def _kind(found: list[str]) -> list[str]:
    """Return the keys of the answer that differ; of an exception, its name."""
    return [text.rstrip().splitlines()[-1].partition(":")[0] if text.startswith("Traceback") else text.split("\n")[0] for text in found]


def _smaller_requests(request: Request) -> Iterator[Request]:
    for name in ("yaml", "crd", "cr", "old_cr", "new", "old"):
        value = _parsed(request.get(name))
        if value is not None:
            for reduced in smaller(value):
                yield {**request, name: _text(reduced)}
