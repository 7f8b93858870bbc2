"""Texts within XML."""

from __future__ import annotations

import re
from typing import Final
from xml.sax import saxutils

HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>'
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def content(text: str) -> str:
    """Return a text as an element's content; characters that XML has not are replaced."""
    return saxutils.escape(_NO_XML.sub("\ufffd", text))


def attribute(text: object) -> str:
    """Return a value as an attribute's, in quotes."""
    return saxutils.quoteattr(_NO_XML.sub("\ufffd", str(text)))
