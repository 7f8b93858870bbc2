"""The characters that control terminals and CI systems, from which every escape is built, and what a run prints for `-v`."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Final

VARIABLE: Final = "CRDLINT_VERBOSE"  # in the environment, which worker processes inherit


def trace(text: str) -> None:
    """Write what a run does to standard error if that is asked for, without control characters and commands of a CI system."""
    if os.environ.get(VARIABLE):
        line = text if text.isprintable() else ascii(text)[1:-1]
        with suppress(OSError, ValueError):
            sys.stderr.write(f"crdlint: {line.replace('##', '#_')}\n")
            sys.stderr.flush()


# The content of a character class of `re`: control characters except tab and line feed, lone surrogates, characters that
# reorder text (Unicode's Bidi_Control), and characters that some programs treat as line breaks.
HIDDEN: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
# CI systems run `::name::` at the start of a line (with re.MULTILINE), and `##[name]` anywhere in one.
CI_COMMAND: Final = r"^[^\S\n]*::|##(?=(?:vso|teamcity)?\[)"
