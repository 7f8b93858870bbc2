"""Quotes of a word processor around numbers and booleans: the value without them is written."""

from __future__ import annotations

from typing import Final

from crds import crd_with_spec
from tables import each

import crdlint

QUOTES: Final = (
    "\u201c{}\u201d",
    "\u2018{}\u2019",
    "\u201d{}\u201d",
    "\u201e{}\u201c",
    "\xab{}\xbb",
)
# A field with the value in quotes, and what else the schema has.
FIELDS: Final = {
    "maxLength": ("3", "type: string"),
    "minLength": ("0", "type: string"),
    "maximum": ("1.5", "type: number"),
    "minimum": ("-1", "type: integer"),
    "multipleOf": ("2", "type: integer"),
    "maxItems": ("3", "type: array, items: {type: string}"),
    "maxProperties": ("3", "type: object"),
    "nullable": ("true", "type: string"),
    "exclusiveMinimum": ("true", "type: integer, minimum: 1"),
    "x-kubernetes-preserve-unknown-fields": ("true", "type: object"),
    "default": ("3", "type: integer"),
}


@each("quotes", QUOTES)
@each("field", FIELDS)
def test_numbers_and_booleans_are_written_without_quotes(field: str, quotes: str) -> None:
    value, schema = FIELDS[field]
    text, meant = (
        crd_with_spec(f"type: object\nproperties:\n  a: {{{schema}, {field}: {each_}}}")
        for each_ in (quotes.format(value), value)
    )
    assert crdlint.fix_text(text, filename="x.yaml") == meant


@each("quotes", QUOTES)
def test_words_in_quotes_are_no_numbers(quotes: str) -> None:
    text = crd_with_spec(
        f"type: object\nproperties:\n  a: {{type: string, maxLength: {quotes.format('many')}}}"
    )
    assert crdlint.fix_text(text, filename="x.yaml", unsafe=True) == text
