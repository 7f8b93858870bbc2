"""Writes docs/assets/recorded-messages.json: by rule, the fixed words of the messages that API servers were recorded with.

The filter of the rules and the search of the site find a rule by them, for a message that someone pastes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import crdlint

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic

ROOT: Final = Path(__file__).parents[1]
_RULES: Final = import_module("make_rules")  # beside this file
_MOST: Final = 24  # sets of words that are kept of a rule


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


def messages() -> dict[str, list[str]]:
    """Return sets of fixed words by rule, the most frequent ones first, without those that contain another one."""
    counts: dict[str, dict[frozenset[str], int]] = {}
    for rule, message in recorded_messages():
        words = frozenset(_RULES.fixed_words(message))
        if len(words) >= _RULES.FEWEST:
            own = counts.setdefault(rule, {})
            own[words] = own.get(words, 0) + 1
    return {rule: _smallest(own) for rule, own in sorted(counts.items())}


def _smallest(counts: dict[frozenset[str], int]) -> list[str]:
    smallest = [words for words in counts if not any(other < words for other in counts)]
    smallest.sort(key=lambda words: (-counts[words], sorted(words)))
    return [" ".join(sorted(words)) for words in smallest[:_MOST]]


if __name__ == "__main__":
    _RULES.MESSAGES.write_text(json.dumps(messages(), indent=0) + "\n", encoding="utf-8")
