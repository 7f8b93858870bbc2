"""Patterns in place of others, with an example of a value that is rejected now."""

from __future__ import annotations

import json

import pytest
from changes_support import changes, summary, with_field


def string(pattern: str, more: str = "") -> str:
    return f"{{type: string, pattern: {json.dumps(pattern)}{more}}}"


@pytest.mark.parametrize(
    ("old", "new", "severity", "text"),
    [
        ("^a$", "^b$", "warning", 'which matches other values: "a" is rejected; '),
        ("^[a-z0-9]+$", "^[a-z]+$", "warning", 'which matches fewer values: "0" is rejected; '),
        ("^[a-z]+$", "^[a-z0-9]+$", "info", 'which matches more values, such as "0"'),
        (r"\ba$", r"\bb$", "warning", "it is not known which values are rejected now; "),
    ],
)
def test_a_changed_pattern_has_an_example(old: str, new: str, severity: str, text: str) -> None:
    [found] = changes(with_field(string(old)), with_field(string(new)))
    assert found.severity == severity
    assert text in found.message


@pytest.mark.parametrize(
    ("old", "new"),
    [("^(http(s)?)$", "^https?$"), ("^(?:a|b)$", "^(a|b)$"), (r"^\d$", "^[0-9]$"), ("^[a-b]$", "^[ab]$")],
)
def test_the_same_language_is_no_change(old: str, new: str) -> None:
    assert summary(with_field(string(old)), with_field(string(new))) == []


@pytest.mark.parametrize(
    ("old", "more"),
    [("^[a-z]{1,5}$", ", maxLength: 5"), ("^[a-z]+$", ", minLength: 1"), ("x", ", minLength: 1")],
)
def test_a_limit_that_the_pattern_implies_is_no_change(old: str, more: str) -> None:
    assert summary(with_field(string(old)), with_field(string(old, more))) == []


def test_a_second_pattern_that_the_first_implies_is_no_change() -> None:
    assert (
        summary(with_field(string("^[a-z]+$")), with_field(string("^[a-z]+$", ', allOf: [{pattern: "[a-z]"}]'))) == []
    )
    found = summary(with_field(string("^[a-z]+$")), with_field(string("^[a-z]+$", ', allOf: [{pattern: "^a"}]')))
    assert found == ["error pattern-added"]
