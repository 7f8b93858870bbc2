"""Random requests that crdlint and the server's packages are both asked, and the smallest that they answer differently."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from .answers import is_comparable
from .comparison import TRIES, Question, compare
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
    # The pairs whose CRD has the scale subresource.
    scaled: list[tuple[JSON, JSON]] = field(default_factory=list)

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
        self.rules.extend(
            part.value for crd in crds for part in parts(crd) if _is_rule(part.key, part.value)
        )
        resource = _parsed(request.get("cr"))
        if request["op"] == "cr" and crds and isinstance(resource, dict):
            self.pairs.append((crds[0], resource))
            if any(part.key == "scale" for part in parts(crds[0])):
                self.scaled.append((crds[0], resource))


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
    return {
        "op": "cr",
        "crd": _text(_some(random, crd, corpus.crds)),
        "cr": _text(_some(random, resource, others)),
    }


def _new_resource(random: Random, corpus: Corpus) -> Request:
    return {**_resource(random, corpus), "as_request": bool(random.randrange(2))}


def _resource_update(random: Random, corpus: Corpus) -> Request:
    request = _new_resource(random, corpus)
    old = json.loads(request["cr"])
    request["old_cr"] = request["cr"]
    request["cr"] = _text(mutated(random, old, [other for _, other in corpus.pairs]))
    return request


def _scale(random: Random, corpus: Corpus) -> Request:
    """Return an update of the number of replicas, of an object whose CRD has the scale subresource."""
    crd, resource = random.choice(corpus.scaled)
    replicas = random.choice((0, 1, 3, -1, 2**31 - 1))
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": replicas}}
    return {
        "op": "cr",
        "subresource": "scale",
        "crd": _text(_some(random, crd, corpus.crds)),
        "cr": _text(scale),
        "old_cr": _text(_some(random, resource, [resource])),
    }


def _apply_crd(random: Random, corpus: Corpus) -> Request:
    return {"op": "apply", "yaml": _text(mutated(random, random.choice(corpus.crds), corpus.crds))}


def _apply_resource(random: Random, corpus: Corpus) -> Request:
    return {**_resource(random, corpus), "op": "apply"}


def _some(random: Random, value: JSON, others: Sequence[JSON]) -> JSON:
    """Return a value as it is, or changed."""
    return mutated(random, value, others) if random.randrange(2) else value


_MAKERS: Final[tuple[Callable[[Random, Corpus], Request], ...]] = (
    _create,
    _create_with_rules,
    _create_with_rules,
    _update,
    _new_resource,
    _resource_update,
    _scale,
    _apply_crd,
    _apply_resource,
)


def _text(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False)


@dataclass
class Fuzzer:
    """Asks random requests of one version; the same seed makes the same requests."""

    build: Build
    running: Recorder
    seed: int

    def run(self) -> Iterator[Difference | None]:
        """Yield None for each random request that is answered alike, and the difference otherwise, without end."""
        random, corpus = Random(self.seed), Corpus.recorded()
        while True:
            request = random_request(random, corpus)
            found = self.differences(request)
            yield Difference(*self.shrink(request, found)) if found else None

    def differences(self, request: Request) -> list[str]:
        """Return how crdlint's answer differs from all that the server gives; empty if it is one of them."""
        found = self._compare(request, times=1)
        # Some answers vary with the order of Go's maps: a difference counts if it stays.
        return self._compare(request, times=TRIES) if found else []

    def _compare(self, request: Request, times: int) -> list[str]:
        wanted = tuple(self.running.ask(request) for _ in range(times))
        if not all(map(is_comparable, wanted)):
            return []
        return compare(Question(request, self.build.minor, wanted)).differences

    def shrink(self, request: Request, found: list[str]) -> tuple[Request, list[str]]:
        """Return the smallest request that differs in the same keys of the answer, and how it differs.

        Parts are removed one by one, as long as the difference stays.
        """
        kind, attempts = _kind(found), _ATTEMPTS
        candidates = _smaller_requests(request)
        while attempts and (candidate := next(candidates, None)) is not None:
            attempts -= 1
            differences = self.differences(candidate)
            if differences and _kind(differences) == kind:
                request, found = candidate, differences
                candidates = _smaller_requests(request)
        return request, found


def _kind(found: list[str]) -> list[str]:
    """Return the keys of the answer that differ; of an exception, its name."""
    return [_headline(text) for text in found]


def _headline(text: str) -> str:
    lines = text.rstrip().splitlines()
    return lines[-1].partition(":")[0] if text.startswith("Traceback") else lines[0]


def _smaller_requests(request: Request) -> Iterator[Request]:
    for name in ("yaml", "crd", "cr", "old_cr", "new", "old"):
        value = _parsed(request.get(name))
        if value is not None:
            for reduced in smaller(value):
                yield {**request, name: _text(reduced)}
