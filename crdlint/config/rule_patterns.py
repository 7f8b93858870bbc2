"""Rules by ids or patterns, and suggestions for unknown rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from itertools import chain
from typing import Final

from crdlint.files.patterns import BrokenPatternError, segment
from crdlint.phrases import nearest
from crdlint.rules import SETS

# Longer words are neither rules nor typing errors, and comparing them takes time.
_LONGEST: Final = 64
_WILDCARDS: Final = frozenset("*?[")


def is_matched(rule: str, patterns: Iterable[str]) -> bool:
    """Return whether one of the patterns is the id or a former id of a rule, or matches one of them (`cel-*`)."""
    return any(pattern in {"*", rule} or rule in _rules_matched(pattern) for pattern in patterns)


@cache
def _rules_matched(pattern: str) -> frozenset[str]:
    """Return the rules with a former id, or those that a pattern with wildcards matches."""
    if pattern in SETS:
        from crdlint.rules.catalog import rule_sets

        return frozenset(rule_sets()[pattern])
    if len(pattern) > _LONGEST:
        return frozenset()
    if not is_glob(pattern):
        return frozenset({current_id(pattern)} - {pattern})
    try:
        compiled = segment(pattern.encode("utf-8", "surrogatepass"))
    except BrokenPatternError:
        return frozenset()
    from crdlint.rules.catalog import current_ids

    ids = (*rule_ids(), *current_ids())
    return frozenset(current_id(rule) for rule in ids if compiled.matches(rule.encode()))


def current_id(rule: str) -> str:
    """Return the current id of the rule with an id or former id."""
    from crdlint.rules.catalog import current_ids

    return current_ids().get(rule, rule)


@cache
def rule_ids() -> frozenset[str]:
    """Return the ids of all rules."""
    from crdlint.rules.catalog import all_rules

    return frozenset(all_rules())


def is_known(pattern: str) -> bool:
    """Return whether a pattern is the id of a rule or matches one."""
    return pattern in rule_ids() or bool(_rules_matched(pattern))


def expanded(sets: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return sets of rules with the rules of the sets that they contain, each once; no set may contain itself."""
    if not sets:
        return {}
    from graphlib import TopologicalSorter

    rules: dict[str, tuple[str, ...]] = {}
    for name in TopologicalSorter(sets).static_order():
        members = chain.from_iterable(rules[member] for member in sets.get(name, ()))
        # What is no set is a rule.
        rules[name] = tuple(dict.fromkeys(members)) if name in sets else (name,)
    return {name: rules[name] for name in sets}


def cycle_of(sets: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the names of sets each of which contains the next, and the last the first; none if there are no such sets."""
    try:
        expanded(sets)
    except ValueError as error:  # a CycleError
        names: list[str] = error.args[1]
        return names[:0:-1]
    return []


def unknown_rule(pattern: str, own_sets: Collection[str] = ()) -> str | None:
    """Return a message if a pattern matches no rule and is none of the sets, with a suggestion, or None."""
    if pattern in own_sets or is_known(pattern):
        return None
    ids = rule_ids() | {*SETS, *own_sets}
    families = {f"{rule.partition('-')[0]}-*" for rule in ids if "-" in rule}
    # As ruff calls all rules, or a family without its ending.
    meant = "*" if pattern.lower() == "all" else f"{pattern}-*"
    if meant in {"*", *families}:
        return f"no rule is called {shown(pattern)}{_meant(meant)}"
    if is_glob(pattern):
        return f"no rule matches {shown(pattern)}{did_you_mean(pattern, families)}"
    return f"there is no rule {shown(pattern)}{did_you_mean(pattern, ids)}"


def is_glob(pattern: str) -> bool:
    """Return whether a name of rules is a pattern with wildcards."""
    return not _WILDCARDS.isdisjoint(pattern)


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` if one of the known words is similar, else an empty string."""
    if len(word) > _LONGEST:
        return ""
    near = nearest(word.replace("_", "-"), words)
    return "" if near is None else _meant(near)


def shown(text: str) -> str:
    """Return a word in quotes, truncated if it is long."""
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def _meant(word: str) -> str:
    return f"; did you mean {word!r}?"
