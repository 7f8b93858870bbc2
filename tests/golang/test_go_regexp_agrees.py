"""Our two ways of judging a pattern agree, and agree with C++'s RE2 where Go means to."""

import random

import pytest
from tables import each

from crdlint.golang import regexp
from crdlint.golang.regexp_syntax import InvalidPatternError, check

TOKENS = [
    *"abz019-^$.|()[]{}*+?,:<>=!&_ é",
    r"\d", r"\W", r"\.",
    r"\-", r"\]", r"\b", r"\n", r"\8", r"\12", r"\x41", r"\x{263a}", r"\pL", r"\p{Greek}", r"\p{Nope}",
    "[a-z]", "[^0-9]", "[-a]", "[a-]", "[z-a]", "[\\w-]", "[[:alpha:]]", "[[:nope:]]",
    "{2}", "{2,}", "{1,3}", "{3,1}", "{,2}", "{0,200}", "{1001}",
    "(?:", "(?i)", "(?i:", "(?)", "(?s-m:", "(?P<n>", "(?=", "(?!", "*?", "+?", "??", "(a", ")", "))", ")*", "){2}",
]  # fmt: skip
CLASSES = [
    "[",
    "]",
    "[^",
    "a",
    "z",
    "0",
    "9",
    "5",
    "-",
    "^",
    "a-z",
    "A-F",
    "\\",
    "\\w",
    "\\]",
    "\\d-",
    "\\x41",
    "(",
    ")",
    "[a-",
    "-]",
]
COUNTS = [
    "a",
    "\\d",
    "(",
    ")",
    "{",
    "}",
    "{1,",
    "2",
    "0",
    "99",
    ",",
    "*",
    "?",
    "+",
    "{2}",
    "{1,3}",
    "{0,}",
    "(?:",
    "|",
    "[a]",
]
# Go takes \pN by Unicode 15 and any spelling of names, RE2 not; RE2 takes \C, refuses a name used twice, and looks at
# patterns that begin with (?< only in newer versions. None of them is among the tokens, but a name can come twice.


def generated(tokens: list[str], count: int) -> list[str]:
    source = random.Random(20250107)
    return ["".join(source.choices(tokens, k=source.randint(1, 9))) for _ in range(count)]


def is_valid(pattern: str) -> bool:
    try:
        check(pattern)
    except InvalidPatternError:
        return False
    return True


@each("tokens", [TOKENS, CLASSES, COUNTS], ids=["all", "classes", "counts"])
def test_what_looks_plain_is_valid(tokens: list[str]) -> None:
    plain = [pattern for pattern in generated(tokens, 20_000) if regexp._is_plain(pattern)]  # noqa: SLF001
    assert len(plain) > 1000
    assert [pattern for pattern in plain if not is_valid(pattern)] == []


def test_agrees_with_re2() -> None:
    re2 = pytest.importorskip("re2")
    options = re2.Options()
    options.log_errors = False
    disagreed = []
    seen = {True: 0, False: 0}
    for pattern in generated(TOKENS, 3000) + generated(CLASSES, 2000) + generated(COUNTS, 2000):
        if pattern.count("(?P<n>") > 1 or pattern.count("(?<") > 0:
            continue
        try:
            re2.compile(pattern, options)
        except re2.error:
            theirs = False
        else:
            theirs = True
        seen[theirs] += 1
        if is_valid(pattern) is not theirs:
            disagreed.append(pattern)
    assert min(seen.values()) > 500
    assert disagreed == []
