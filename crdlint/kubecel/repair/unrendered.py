"""Placeholders of templates in expressions: nothing has replaced them, and no name of the schema is meant."""

from __future__ import annotations

from typing import Final

from crdlint.light import regex

_NAME: Final = r"(?!(?:self|oldSelf)\b)[A-Za-z][\w.-]*"
_PLACEHOLDER: Final = rf"""@{_NAME}@|%{_NAME}%|%\({_NAME}\)[sd]|<{_NAME}>|<%[=-]?\ *{_NAME}\ *%>
    |__[A-Z][A-Z0-9_]*[A-Z0-9]__|[$#]\{{\.?{_NAME}\}}|\$\({_NAME}\)|\$[A-Z][A-Z0-9_]+
    |\{{\{{-?\ *[.$]?{_NAME}(?:\ *\|[^{{}}]*)?-?\ *\}}\}}|\[\[\ *[.$]?{_NAME}\ *\]\]
    |\b(?:TODO|TBD|FIXME|XXX)\b|\?{{3,}}""".replace("\n    ", "")
# A placeholder with what an operand follows, and what follows it.
_OPERAND: Final = regex(
    rf"(?:\A|[-+*/%<>=!&|?:(,\[]|\bin)\s*({_PLACEHOLDER})(?=\s*(?:\Z|[-+*/%<>=!&|?:),\].]|in\b))"
)
# Texts in quotes; one that is not closed ends with its line.
_STRING: Final = regex(r"'(?:[^'\\\n]|\\.)*'?|\"(?:[^\"\\\n]|\\.)*\"?")


def placeholder_in(text: str) -> str | None:
    """Return the first placeholder that is a value in an expression, None without one.

    >>> placeholder_in("self.size <= @MAX@"), placeholder_in("self.a <b> self.c"), placeholder_in("self == '<name>'")
    ('@MAX@', None, None)
    """
    without_strings = _STRING.sub(lambda match: "'" * len(match[0]), text)
    operand = _OPERAND.search(without_strings)
    return None if operand is None else operand[1]
