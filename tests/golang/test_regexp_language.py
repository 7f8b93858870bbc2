"""The texts that patterns match, compared by automata, against what RE2 says of single texts."""

from __future__ import annotations

import itertools
import random

import pytest

from crdlint.golang import matching
from crdlint.golang.regexp_language import PartialError, UnsupportedError, compare, lengths

TEXTS = ["".join(one) for length in range(5) for one in itertools.product("ab-", repeat=length)]


@pytest.mark.parametrize(
    ("first", "second", "only_first", "only_second"),
    [
        ("^a$", "^a$", None, None),
        ("^a$", "^b$", "a", "b"),
        ("^(http(s)?)$", "^https?$", None, None),
        ("^(?:a|b|c)$", "^[a-c]$", None, None),
        (r"^\d+$", "^[0-9]+$", None, None),
        (r"\Aa\z", "^a$", None, None),
        ("^a{2,3}$", "^aaa?$", None, None),
        ("^a+?$", "^aa*$", None, None),
        (r"^\x41\056\Q.*\E$", r"^A\.\.\*$", None, None),
        ("^[[:alpha:]]$", "^[a-zA-Z]$", None, None),
        ("^[^a]$", "^[^ab]$", "b", None),
        ("^[a-z]+$", "^[a-z0-9]+$", None, "0"),
        ("a", "^a", "ba", None),
        ("", ".*", None, None),
        ("", "^.*$", "\n", None),
        ("", r"^(?s:.*)$", None, None),
        ("^a|b$", "^(a|b)$", "aa", None),
        ("^$", "^a?$", None, "a"),
        ("^[]a-]$", r"^[\]\-a]$", None, None),
        ("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "^[a-z0-9]([-a-z0-9]{0,3}[a-z0-9])?$", "aaaaaa", None),
        ("^é$", "^.$", None, "a"),
    ],
)
def test_two_patterns(first: str, second: str, only_first: str | None, only_second: str | None) -> None:
    found = compare(first, second)
    assert (found.only_first, found.only_second) == (only_first, only_second)
    back = compare(second, first)
    assert (back.only_first, back.only_second) == (only_second, only_first)


@pytest.mark.parametrize(
    "pattern", [r"\bword\b", "(?i)a", r"\pL", "(", "^[a-z]{1000}{9}$", "(a{1,99}){1,99}", "(" * 99 + ")" * 99]
)
def test_what_is_not_compared(pattern: str) -> None:
    with pytest.raises(UnsupportedError):
        compare(pattern, "a")


def test_a_search_that_takes_too_long_is_ended() -> None:
    hard = "(a|b)*a(a|b){60}$"
    with pytest.raises(UnsupportedError):
        compare(hard, f"^({hard})")
    with pytest.raises(PartialError) as stopped:
        compare(f"^c$|{hard}", hard)
    assert stopped.value.only_first == "c"


@pytest.mark.parametrize(
    ("pattern", "shortest", "longest"),
    [
        ("^[a-z]{1,5}$", 1, 5),
        ("^$|^a{3}b?$", 0, 4),
        ("a", 1, None),
        ("^a*$", 0, None),
        ("^(ab|c)?$", 0, 2),
        ("^a", 1, None),
        ("^a{0,253}$", 0, 253),
    ],
)
def test_the_lengths_of_texts(pattern: str, shortest: int, longest: int | None) -> None:
    assert lengths(pattern) == (shortest, longest)


def test_a_pattern_that_matches_no_text_has_no_lengths() -> None:
    with pytest.raises(UnsupportedError):
        lengths("a^b")


def _random(rng: random.Random, depth: int = 0) -> str:
    choice = rng.random()
    if depth > 3 or choice < 0.4:
        return rng.choice(["a", "b", "-", ".", "[ab]", "[^a]", "[a-b]", r"\w", r"\-", "^", "$"])
    if choice < 0.6:
        return _random(rng, depth + 1) + _random(rng, depth + 1)
    if choice < 0.8:
        inner = _random(rng, depth + 1)
        return f"({inner}|{_random(rng, depth + 1)})"
    return f"(?:{_random(rng, depth + 1)}){rng.choice(['*', '+', '?', '{2}', '{1,2}', '{2,}'])}"


@pytest.mark.parametrize("seed", range(150))
def test_the_answers_agree_with_re2_on_short_texts(seed: int) -> None:
    rng = random.Random(seed)
    first, second = _random(rng), _random(rng)
    found = compare(first, second)
    for text, pattern, other in ((found.only_first, first, second), (found.only_second, second, first)):
        if text is None:
            assert [one for one in TEXTS if matching.matches(pattern, one) and not matching.matches(other, one)] == []
        else:
            assert matching.matches(pattern, text)
            assert not matching.matches(other, text)
