"""The texts that patterns match, compared by automata, against what RE2 says of single texts."""

from __future__ import annotations

import itertools
import random

import pytest
from tables import each

from crdlint.golang import matching
from crdlint.golang.regexp import compile_error
from crdlint.golang.regexp_classes import folded
from crdlint.golang.regexp_language import (
    PartialError,
    UnsupportedError,
    common_text,
    compare,
    lengths,
)

# The kelvin sign is another case of k.
TEXTS = [
    "".join(one) for length in range(5) for one in itertools.product("aK-_\u212a\n", repeat=length)
]


@each(
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
        ("(?i)^a$", "^[aA]$", None, None),
        ("(?i)^k$", "^[kK]$", "\u212a", None),
        ("^(?i:ss)$", "^[sS\u017f]{2}$", None, None),
        ("(?i)^[^a-y]$", "^[^a-yA-Y\u017f\u212a]$", None, None),
        (r"(?i)^\W$", "^[^\\w\u017f\u212a]$", None, None),
        ("^a(?i)b|c$", "^a[bB]|[cC]$", None, None),
        ("^(?i:a(?-i)b)c$", "^[aA]bc$", None, None),
        ("^((?i)a)b$", "^[aA]b$", None, None),
        (r"^\p{Lu}\PL$", r"^\p{UppercaseLetter}[^\p{Letter}]$", None, None),
        (r"^\p{Greek}$", r"^\p{^Greek}$", "\u0370", "a"),
        (r"(?i)^\p{Lu}$", r"^[\p{L}\p{Lt}\p{M}\p{N}\p{S}]$", None, "0"),
        (r"\bword\b", r"(^|\W)word($|\W)", None, None),
        (r"\bword\b", "word", None, "aword"),
        (r"^\b.*\b$", r"^\w(.*\w)?$", None, None),
        (r"^a\Bb$", "^ab$", None, None),
        (r"^\B$", "^$", None, None),
        (r"a\bb", "[^\x00-\U0010ffff]", None, None),
        ("(?m)^a$", "(^|\n)a(\n|$)", None, None),
        ("(?m:^)a", "^a", "\na", None),
        ("(?s)^.$", "^[^a]$|a", None, "aa"),
        (r"^\Qab\E*$", "^ab*$", None, None),
        ("^a(?i)*$", "^a*$", None, None),
        (r"^a{01}$", r"^a\{01\}$", None, None),
    ],
)
def test_two_patterns(
    first: str, second: str, only_first: str | None, only_second: str | None
) -> None:
    found = compare(first, second)
    assert (found.only_first, found.only_second) == (only_first, only_second)
    back = compare(second, first)
    assert (back.only_first, back.only_second) == (only_second, only_first)


@each(
    ("first", "second", "text"),
    [
        ("^a", "^b", None),
        ("a$", "^b", "ba"),
        ("a", "b", "ab"),
        ("^(a|b)$", "^(?:c|d)$", None),
        ("^(a|b)$", "^[b-d]$", "b"),
        ("^a+$", "^.{3}$", "aaa"),
        ("", "^$", ""),
        ("(?i)^abc$", "^ABC$", "ABC"),
        (r"^\d+$", "^[a-f]*$", None),
    ],
)
def test_a_text_of_both_patterns(first: str, second: str, text: str | None) -> None:
    assert common_text(first, second)[0] == text
    assert common_text(second, first)[0] == text


@each(
    "pattern",
    [
        "(",
        r"(?=a)",
        "^[a-z]{1000}{9}$",
        "(a{1,99}){1,99}",
        "(" * 300 + ")" * 300,
        "a" + "*(?i)" * 300,
    ],
)
def test_what_is_not_compared(pattern: str) -> None:
    with pytest.raises(UnsupportedError):
        compare(pattern, "a")
    with pytest.raises(UnsupportedError):
        common_text(pattern, "^b$")


@each(
    ("first", "second", "shortest", "longest", "only_first", "only_second"),
    [
        ("^a*$", "^a+$", 0, None, "", None),
        ("^a*$", "^a+$", 1, None, None, None),
        ("^a*$", "^a{1,9}$", 1, 9, None, None),
        ("^a*$", "^a{1,9}$", 1, 10, "aaaaaaaaaa", None),
        ("^a*$", "^b*$", 2, 5, "aa", "bb"),
        ("^(aa)*$", "^(aaaa)*$", 3, None, "aaaaaa", None),
        ("a", "b", 0, 0, None, None),
    ],
)
def test_texts_of_some_lengths(
    first: str,
    second: str,
    shortest: int,
    longest: int | None,
    only_first: str | None,
    only_second: str | None,
) -> None:
    found = compare(first, second, shortest, longest)
    assert (found.only_first, found.only_second) == (only_first, only_second)


def test_cases_are_those_of_re2() -> None:
    cased = [code for code in range(0x1E944) if chr(code).swapcase() != chr(code)]
    assert len(cased) > 2500
    for code in cased:
        cases = {other for low, high in folded(((code, code),)) for other in range(low, high + 1)}
        candidates = {
            ord(one)
            for one in (chr(code).upper(), chr(code).lower(), chr(code).title())
            if len(one) == 1
        }
        pattern = f"^(?i:\\x{{{code:x}}})$"
        assert {
            other for other in cases | candidates if matching.matches(pattern, chr(other))
        } == cases


def test_a_search_that_takes_too_long_is_ended() -> None:
    hard = "(a|b)*a(a|b){60}$"
    with pytest.raises(UnsupportedError):
        compare(hard, f"^({hard})")
    with pytest.raises(PartialError) as stopped:
        compare(f"^c$|{hard}", hard)
    assert stopped.value.only_first == "c"


@each(
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


ATOMS = [
    *(
        "a",
        "k",
        "-",
        ".",
        "[ak]",
        "[^a]",
        "[a-k]",
        "^",
        "$",
        "\n",
        "s",
        r"\w",
        r"\W",
        r"[^\w]",
        r"\s",
        r"\-",
        r"\A",
        r"\z",
    ),
    *(
        r"\b",
        r"\b",
        r"\B",
        r"\p{Lu}",
        r"\PL",
        r"\p{^Ll}",
        r"[\p{L}_]",
        r"[\W\pL]",
        "[[:upper:]]",
        "[[:^lower:]]",
    ),
    *(r"\Qk-\E", "(?i)", "(?m)", "(?s)", "(?-i)"),
]


def _random(rng: random.Random, depth: int = 0) -> str:
    choice = rng.random()
    if depth > 3 or choice < 0.45:
        return rng.choice(ATOMS)
    if choice < 0.65:
        return _random(rng, depth + 1) + _random(rng, depth + 1)
    if choice < 0.8:
        return f"({_random(rng, depth + 1)}|{_random(rng, depth + 1)})"
    if choice < 0.9:
        return f"(?{rng.choice(['', 'i', 'm', 'im', 's', '-i', 'i-m'])}:{_random(rng, depth + 1)})"
    return f"(?:{_random(rng, depth + 1)}){rng.choice(['*', '+', '?', '{2}', '{1,2}', '{2,}'])}"


@each("seed", range(150))
def test_the_answers_agree_with_re2_on_short_texts(seed: int) -> None:
    rng = random.Random(seed)
    first, second = _random(rng), _random(rng)
    if compile_error(first) is not None or compile_error(second) is not None:
        pytest.skip("Go rejects the pattern")
    found = compare(first, second)
    for text, pattern, other in (
        (found.only_first, first, second),
        (found.only_second, second, first),
    ):
        if text is None:
            assert [
                one
                for one in TEXTS
                if matching.matches(pattern, one) and not matching.matches(other, one)
            ] == []
        else:
            assert matching.matches(pattern, text)
            assert not matching.matches(other, text)
    common, _ = common_text(first, second)
    if common is None:
        assert not any(
            matching.matches(first, one) and matching.matches(second, one) for one in TEXTS
        )
    else:
        assert matching.matches(first, common)
        assert matching.matches(second, common)
