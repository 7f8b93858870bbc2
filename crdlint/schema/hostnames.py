"""Host names of kube-openapi's format `hostname`. Upstream: pkg/validation/strfmt (IsHostname).

Letters and symbols of any script are allowed. Upstream's regular expression is split here: its bounded repetitions of
large classes would need hundreds of megabytes.
"""

from __future__ import annotations

import re
from typing import Final

from crdlint.golang.matching import matches

_LONGEST: Final = 255  # bytes of UTF-8
_LONGEST_LABEL: Final = 63
_ASCII: Final = re.compile(
    r"[a-zA-Z0-9$+<=>^`|~](?:-?[a-zA-Z0-9$+<=>^`|~]{0,62})?"
    r"|(?:[a-zA-Z0-9$+<=>^`|~](?:[-a-zA-Z0-9$+<=>^`|~]{0,61}[a-zA-Z0-9$+<=>^`|~])?\.)+[a-zA-Z]{2,63}"
)


def is_hostname(text: str) -> bool:
    """Return whether a text is a host name: one label, or several labels of which the last has only letters."""
    octets = text.encode("utf-8", "surrogatepass")
    if len(octets) > _LONGEST or any(len(label) > _LONGEST_LABEL for label in octets.split(b".")):
        return False
    if text.isascii():
        return _ASCII.fullmatch(text) is not None
    labels = text.split(".")
    if len(labels) == 1:
        # One dash may follow the first character, even as the last.
        return matches(r"^[a-zA-Z0-9\p{S}\p{L}]+$", text[0] + text[1:].removeprefix("-"))
    top = labels.pop()
    return (
        len(top) > 1
        and matches(r"^[a-zA-Z\p{L}]+$", top)
        and all(label and not (label[0] == "-" or label[-1] == "-") for label in labels)
        and matches(r"^[a-zA-Z0-9\-\p{S}\p{L}]+$", "".join(labels))
    )
