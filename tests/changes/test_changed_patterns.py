"""Patterns in place of others, with an example of a value that is rejected now."""

from __future__ import annotations

import json

from changes_support import changes, summary, with_field
from tables import each


def string(pattern: str, more: str = "") -> str:
    return f"{{type: string, pattern: {json.dumps(pattern)}{more}}}"


@each(
    ("old", "new", "severity", "text"),
    [
        ("^a$", "^b$", "warning", 'which matches other values: "a" is rejected; '),
        ("^[a-z0-9]+$", "^[a-z]+$", "warning", 'which matches fewer values: "0" is rejected; '),
        ("^[a-z]+$", "^[a-z0-9]+$", "info", 'which matches more values, such as "0"'),
        (r"\ba$", r"\bb$", "warning", 'which matches other values: "a" is rejected; '),
        (r"^\bfoo\b", "^foo$", "warning", 'which matches fewer values: "foo-" is rejected; '),
        ("(?i)^(on|off)$", "^(on|off)$", "warning", 'which matches fewer values: "oN"'),
        (r"^\p{L}+$", "^[a-zA-Z]+$", "warning", 'which matches fewer values: "é" is rejected; '),
        (
            "^" + r"\pL" * 9 + "$",
            r"^\pL{8}$",
            "warning",
            "it is not known which values are rejected now; ",
        ),
    ],
)
def test_a_changed_pattern_has_an_example(old: str, new: str, severity: str, text: str) -> None:
    [found] = changes(with_field(string(old)), with_field(string(new)))
    assert found.severity == severity
    assert text in found.message


@each(
    ("old", "new"),
    [
        ("^(http(s)?)$", "^https?$"),
        ("^(?:a|b)$", "^(a|b)$"),
        (r"^\d$", "^[0-9]$"),
        ("^[a-b]$", "^[ab]$"),
        ("(?i)^true$", "^[tT][rR][uU][eE]$"),
        (r"^\p{Lu}$", r"^\p{UppercaseLetter}$"),
        (r"^\bfoo\b$", "^foo$"),
    ],
)
def test_the_same_language_is_no_change(old: str, new: str) -> None:
    assert summary(with_field(string(old)), with_field(string(new))) == []


@each(
    ("old", "more"),
    [("^[a-z]{1,5}$", ", maxLength: 5"), ("^[a-z]+$", ", minLength: 1"), ("x", ", minLength: 1")],
)
def test_a_limit_that_the_pattern_implies_is_no_change(old: str, more: str) -> None:
    assert summary(with_field(string(old)), with_field(string(old, more))) == []


def test_a_second_pattern_that_the_first_implies_is_no_change() -> None:
    assert (
        summary(
            with_field(string("^[a-z]+$")),
            with_field(string("^[a-z]+$", ', allOf: [{pattern: "[a-z]"}]')),
        )
        == []
    )
    found = summary(
        with_field(string("^[a-z]+$")), with_field(string("^[a-z]+$", ', allOf: [{pattern: "^a"}]'))
    )
    assert found == ["error pattern-added"]


@each(
    ("old", "new", "limits", "expected"),
    [
        ("^[a-z]*$", "^[a-z]+$", "", ["warning pattern"]),
        ("^[a-z]*$", "^[a-z]+$", ", minLength: 1", []),
        ("^[a-z]*$", "^[a-z]{1,9}$", ", minLength: 1, maxLength: 9", []),
        ("^[a-z]*$", "^[a-z]{1,9}$", ", minLength: 1, maxLength: 10", ["warning pattern"]),
    ],
)
def test_only_texts_of_the_old_lengths_matter(
    old: str, new: str, limits: str, expected: list[str]
) -> None:
    assert summary(with_field(string(old, limits)), with_field(string(new, limits))) == expected


def test_a_pattern_for_every_text_of_the_old_lengths_is_no_change() -> None:
    assert (
        summary(
            with_field("{type: string, minLength: 1}"),
            with_field(string("(?s).", ", minLength: 1")),
        )
        == []
    )
    assert summary(with_field("{type: string}"), with_field(string("(?s)."))) == [
        "error pattern-added"
    ]
