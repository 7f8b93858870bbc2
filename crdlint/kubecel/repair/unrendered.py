"""Placeholders of templates in expressions: nothing has replaced them, and no name of the schema is meant."""

from __future__ import annotations

from typing import Final

from crdlint.light import regex

_NAME: Final = r"(?!(?:self|oldSelf)\b)[A-Za-z][\w.-]*"
_PLACEHOLDER: Final = regex(
    rf"""@{_NAME}@|%{_NAME}%|%\({_NAME}\)[sd]|<{_NAME}>|<%[=-]?\ *{_NAME}\ *%>
    |__[A-Z][A-Z0-9_]*[A-Z0-9]__|[$#]\{{\.?{_NAME}\}}|\$\({_NAME}\)|\$[A-Z][A-Z0-9_]+
    |\{{\{{-?\ *[.$]?{_NAME}(?:\ *\|[^{{}}]*)?-?\ *\}}\}}|\[\[\ *[.$]?{_NAME}\ *\]\]
    |\b(?:TODO|TBD|FIXME|XXX)\b|\?{{3,}}""".replace("\n    ", ""),
)
_STRING: Final = regex(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"")
# What an operand follows, and what follows it.
_BEFORE: Final = regex(r"(?:\A|[-+*/%<>=!&|?:(,\[]|\bin)\s*\Z")
_AFTER: Final = regex(r"\s*(?:\Z|[-+*/%<>=!&|?:),\].]|in\b)")


def placeholder_in(text: str) -> str | None:
    """Return the first placeholder that is a value in an expression, None without one.

    >>> placeholder_in("self.size <= @MAX@"), placeholder_in("self.a <b> self.c"), placeholder_in("self == '<name>'")
    ('@MAX@', None, None)
    """
    without_strings = _STRING.sub(lambda match: "'" * len(match[0]), text)
    for match in _PLACEHOLDER.finditer(without_strings):
        if _BEFORE.search(text[: match.start()]) and _AFTER.match(text, match.end()):
            return match[0]
    return None
