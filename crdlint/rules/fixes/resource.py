"""Fixes for the findings of `rules/texts/resource.py`."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.finding import FixesOfRules
from crdlint.rules.fixes import value_fixes
from crdlint.rules.texts.resource import DECODE, METADATA, NO_MATCH, VALUE

FIXES: Final[FixesOfRules] = {
    VALUE.id: value_fixes.VALUE,
    METADATA.id: value_fixes.METADATA,
    DECODE.id: value_fixes.DECODE,
    NO_MATCH.id: value_fixes.NO_MATCH,
}
