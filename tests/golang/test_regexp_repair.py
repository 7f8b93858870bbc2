"""What is meant by patterns that Go rejects."""

from __future__ import annotations

from crdlint.golang.regexp import compile_error
from crdlint.golang.regexp_repair import cause, repair

# A pattern, and the one that is meant; or the beginning of the help if several may be meant.
MEANT = (
    ("^[a-z", "^[a-z]"),
    ("^[a-z+$", "^[a-z]+$"),
    ("^[^/]+[]a-z(-)$", "^[^/]+[]a-z](-)$"),
    (r"^[a-z\d-.{1,63}$", r"^[a-z\d-.]{1,63}$"),
    ("^(a|b$", "^(a|b)$"),
    ("^(?:a|b", "^(?:a|b)"),
    (r"^(cost\$", r"^(cost\$)"),
    ("^a|b)$", "^(a|b)$"),
    ("^ab)+$", "^(ab)+$"),
    ("^[)]ab)$", "^[)]ab$"),
    ("a**", "a*"),
    ("[a-z]++", "[a-z]+"),
    ("[z-a]", "[a-z]"),
    ("^[a-Z0-9]+$", "^[a-zA-Z0-9]+$"),
    ("^[0-9z-A]$", "^[0-9a-zA-Z]$"),
    ("[_-.]", r"[_\-.]"),
    ("a{63,1}", "a{1,63}"),
    (r"^a\Z", "^a$"),
    (r"^\u00e9$", r"^\x{00e9}$"),
    ("^a\\", "^a"),
    ("*.example.com", "Write what is repeated"),
    ("a+*", "Write one repetition"),
    ("a{1001}", "Repeat at most 1000 times"),
    # Where the bracket is missing is not known.
    ("^[a-z]([a-z0-9]*[a-z0-9]?$", "Close the `(`"),
    ("^((a|b)c$", "Close the `(`"),
    ("^[A-Za-z([a-z]*[a-z])?$", "Remove"),
    (r"(a)\1", "Write again what the group matches"),
    (r"\p{Foo}", "Write a class that RE2 has"),
    ("^[[:letter:]]+$", "Write a class that RE2 has"),
)


def test_what_is_meant() -> None:
    wrong = []
    for pattern, expected in MEANT:
        meant = repair(pattern)
        assert meant is not None, pattern
        if not (
            meant.help.startswith(expected) if meant.pattern is None else meant.pattern == expected
        ):
            wrong.append((pattern, meant))
        if meant.pattern is not None and compile_error(meant.pattern) is not None:
            wrong.append((pattern, meant))
    assert wrong == []


CAUSES = {
    "a{63,1}": "`{63,1}` counts down",
    "a{1001}": "`{1001}` is not within 1000",
    "[[:letter:]]": "RE2 has no class `[:letter:]`",
    r"\p{Foo}": r"RE2 has no class `\p{Foo}`",
    "[z-a]": "`z-a` is no range",
}


def test_the_cause_in_a_few_words() -> None:
    assert {pattern: cause(pattern, compile_error(pattern) or "") for pattern in CAUSES} == CAUSES


def test_a_valid_pattern_means_itself() -> None:
    assert repair("^[a-z]+$") is None
