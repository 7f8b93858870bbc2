"""Writes docs/assets/recorded-messages.json: by rule, the fixed words of the messages that API servers were recorded with.

The filter of the rules and the search of the site find a rule by them, for a message that someone pastes.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import crdlint

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic

ROOT: Final = Path(__file__).parents[1]
_RULES: Final = import_module("make_rules")  # beside this file
_MOST: Final = 24  # sets of words that are kept of a rule, of each kind
_COMPARED: Final = 60  # sets of words of a rule that are compared with each other


def recorded_messages(every: int = 1) -> Iterator[tuple[str, str]]:
    """Yield the rule and the server's message of the errors of each recorded request, or of one in `every`."""
    sys.path.insert(0, str(ROOT / "tests"))
    requests = import_module("upstream.rows").recorded_requests()
    for request in list(requests)[::every]:
        for finding in _findings(request):
            if finding.kind != "advice":
                yield finding.rule, finding.server_message or finding.message


def _findings(request: dict[str, Any]) -> Iterable[Diagnostic]:
    """Return the findings about the CRD, the update or the resource of a request."""
    try:
        if "yaml" in request:
            return crdlint.lint_text(request["yaml"])
        if "new" in request:
            return crdlint.lint_update(request["old"], request["new"])
        if "cr" in request:
            return crdlint.validate_resource(request["crd"], request["cr"]).errors
    except (crdlint.YAMLDecodeError, ValueError):
        pass
    return []


Words = frozenset[str]


class _Message(NamedTuple):
    """A message of a rule: its fixed words, and all words of it."""

    rule: str
    fixed: Words
    pasted: Words


def messages(recorded: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return sets of fixed words by rule, that find the rule for a message which has all words of one of them.

    Those of single messages, those that messages of a rule share, and for what these do not find sets that are shorter.
    """
    known = [
        _Message(rule, frozenset(_RULES.fixed_words(text)), frozenset(_RULES.words_of(text)))
        for rule, text in recorded
    ]
    counts = _by_rule(known)
    shared = {rule: _shared(of_rule) for rule, of_rule in counts.items()}
    found = {rule: _smallest(of_rule) for rule, of_rule in counts.items()}
    found = _with_shared(found, shared, known, is_long)
    missed = [one for one in known if not _is_found(found, one.pasted)]
    for rule, of_rule in _by_rule(missed).items():
        shared[rule] += _shared(of_rule)
    found = _with_shared(found, shared, missed, is_short)
    return {rule: [" ".join(sorted(words)) for words in sets] for rule, sets in found.items()}


def is_long(words: Words) -> bool:
    """Return whether words are as many as tell rules apart."""
    return len(words) >= int(_RULES.FEWEST)


def is_short(words: Words) -> bool:
    """Return whether words find a rule only if no longer ones find another one."""
    return 0 < len(words) < int(_RULES.FEWEST)


def _by_rule(known: Iterable[_Message]) -> dict[str, Counter[Words]]:
    """Return how often messages have the same fixed words, by rule."""
    counts: dict[str, Counter[Words]] = {}
    for one in known:
        counts.setdefault(one.rule, Counter())[one.fixed] += 1
    return dict(sorted(counts.items()))


def _smallest(counts: Counter[Words]) -> list[Words]:
    """Return the sets that are long enough, the most frequent ones first, without those that contain another one."""
    known = [words for words in counts if is_long(words)]
    smallest = [words for words in known if not any(other < words for other in known)]
    return sorted(smallest, key=lambda words: (-counts[words], sorted(words)))[:_MOST]


def _is_found(found: Mapping[str, Sequence[Words]], pasted: Words) -> bool:
    return any(words <= pasted for sets in found.values() for words in sets)


def _with_shared(
    found: Mapping[str, Sequence[Words]],
    shared: Mapping[str, Sequence[Words]],
    known: Sequence[_Message],
    is_wanted: Callable[[Words], bool],
) -> dict[str, list[Words]]:
    """Return the sets, and those that messages of a rule share and that find few messages of other rules."""
    longer = {}
    for rule, sets in found.items():
        added: list[Words] = []
        for words in filter(is_wanted, shared[rule]):
            is_known = any(other <= words for other in (*sets, *added))
            if not is_known and _tells(words, rule, known):
                added.append(words)
        longer[rule] = [*sets, *added[:_MOST]]
    return longer


def _shared(counts: Counter[Words]) -> list[Words]:
    """Return the words that two messages of a rule share, the most frequent ones first."""
    frequent = [words for words, _ in counts.most_common(_COMPARED)]
    shared = Counter(one & other for one, other in combinations(frequent, 2))
    return sorted(shared, key=lambda words: (-shared[words], sorted(words)))[:_COMPARED]


def _tells(words: Words, rule: str, known: Sequence[_Message]) -> bool:
    """Return whether a third of the messages that have some words are of a rule."""
    rules = [one.rule for one in known if words <= one.pasted]
    return rules.count(rule) * 3 >= len(rules)


if __name__ == "__main__":
    _RULES.MESSAGES.write_text(
        json.dumps(messages(recorded_messages()), indent=0) + "\n", encoding="utf-8"
    )
