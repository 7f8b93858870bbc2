"""Characters that control terminals and CI systems: one list, from which every escape is built."""

from __future__ import annotations

from typing import Final

# The content of a character class of `re`: control characters except tab and line feed, lone surrogates, characters that
# reorder text (Unicode's Bidi_Control), and characters that some programs treat as line breaks.
HIDDEN: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
# CI systems run `::name::` at the start of a line (with re.MULTILINE), and `##[name]` anywhere in one.
CI_COMMAND: Final = r"^[^\S\n]*::|##(?=(?:vso|teamcity)?\[)"
