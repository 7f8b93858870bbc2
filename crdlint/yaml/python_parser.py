"""ruamel's parser in Python, with libyaml's texts of errors, for platforms without libyaml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ruamel.yaml.error import MarkedYAMLError

from crdlint.light import regex
from crdlint.yaml import rereading
from crdlint.yaml.machine import loader_of

# Directives, which the states of a reading do not have, and line breaks whose events are changed.
_IS_RARE: Final = regex("^%|[\x85\u2028\u2029]", re.MULTILINE)


def events(text: str) -> Iterator[Any]:
    """Yield the events of a text, which must not be changed; raise MarkedYAMLError."""
    try:
        yield from loader_of(text).parse(text) if _IS_RARE.search(text) else rereading.events(text)
    except MarkedYAMLError as error:
        error.problem = _libyaml_text(error)
        raise


def _libyaml_text(error: MarkedYAMLError) -> str | None:
    """Return libyaml's text of an error, ruamel's if it has no other."""
    with_context = f"{error.context}: {error.problem}"
    for part, text in _LIBYAML_TEXTS.items():
        if part in with_context:
            return text
    problem: str | None = error.problem
    return problem


# Parts of ruamel's texts, after the context where that decides, and libyaml's texts.
_LIBYAML_TEXTS: Final = {
    "while parsing a block collection: expected <block end>": "did not find expected '-' indicator",
    "while parsing a block mapping: expected <block end>": "did not find expected key",
    "while parsing a flow sequence: expected": "did not find expected ',' or ']'",
    "while parsing a flow mapping: expected": "did not find expected ',' or '}'",
    "expected the node content": "did not find expected node content",
    "expected '<document start>'": "did not find expected <document start>",
    "that cannot start any token": "found character that cannot start any token",
    "mapping values are not allowed here": "mapping values are not allowed in this context",
    "mapping keys are not allowed here": "mapping keys are not allowed in this context",
    "sequence entries are not allowed here": "block sequence entries are not allowed in this context",
    "expected a comment or a line break": "did not find expected comment or line break",
    "expected chomping or indentation indicators": "did not find expected comment or line break",
    "while scanning a directive: expected alphabetic or numeric": "could not find expected directive name",
    "while scanning an anchor: expected alphabetic or numeric": "did not find expected alphabetic or numeric character",
    "while scanning an alias: expected alphabetic or numeric": "did not find expected alphabetic or numeric character",
}
