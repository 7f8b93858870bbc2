"""Helps follow from what is wrong, not from the sentence that says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schema_support import schema, value
from tables import each

from crdlint.schema.validator import ValueValidator
from crdlint.schema.value_help import suggestion

if TYPE_CHECKING:
    from crdlint.crd.errors import FieldError

# A schema, a value that breaks it, and the help.
CASES = {
    "type": ("{type: integer}", '"x"', "Write an integer without quotes, such as `1`"),
    "a number for a string": ("{type: string}", "1.5", "Put it in quotes"),
    "null": ("{type: integer}", "null", "Set a value, or remove the field"),
    "format": ("{type: string, format: email}", '"foo"', "Write a value of the format `email`"),
    "enum": ("{type: string, enum: [Fast, Safe]}", '"fast"', "Write `Fast` instead"),
    "enum with a quote": ("{type: string, enum: ['a\"b', c]}", '"z"', 'Write one of `a"b`, `c`'),
    "minimum": ("{type: integer, minimum: 3}", "1", "Write 3 or a number greater than 3"),
    "exclusive maximum": (
        "{type: integer, maximum: 3, exclusiveMaximum: true}",
        "3",
        "Write a number less than 3",
    ),
    "multiple": ("{type: integer, multipleOf: 3}", "1", "Write a multiple of 3"),
    "pattern": ("{type: string, pattern: 'a{2}'}", '"a"', "Write a string that matches `a{2}`"),
    "too short": ("{type: string, minLength: 3}", '"a"', "Write at least 3 characters"),
    "too long": (
        "{type: string, maxLength: 3}",
        '"aaaa"',
        "Shorten the value to at most 3 characters",
    ),
    "too few": (
        "{type: array, minItems: 2, items: {type: string}}",
        '["a"]',
        "Write at least 2 items",
    ),
    "too many": (
        "{type: array, maxItems: 1, items: {type: string}}",
        '["a", "b"]',
        "Remove some: at most 1 are allowed",
    ),
}


def errors(text: str, given: str) -> list[FieldError]:
    found = schema(f"{{type: object, properties: {{a: {text}}}}}")
    return ValueValidator(found).validate(value(f'{{"a": {given}}}'))


@each(("text", "given", "expected"), CASES.values(), ids=CASES)
def test_a_help_survives_another_wording(text: str, given: str, expected: str) -> None:
    (error,) = errors(text, given)
    assert suggestion(error, None) == expected
    assert suggestion(error._replace(detail="worded otherwise"), None) == expected
