"""Fixes for the findings of `rules/texts/resource.py`."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.finding import AdviceFinding, FieldFinding
from crdlint.rules.engine.fixer import FixesOf
from crdlint.rules.fixes import value_fixes
from crdlint.rules.texts.resource import DECODE, METADATA, NO_MATCH, VALUE

FIXES: Final = FixesOf(
    FieldFinding, {VALUE.id: value_fixes.VALUE, METADATA.id: value_fixes.METADATA}
)
OF_OBJECTS: Final = FixesOf(
    AdviceFinding, {DECODE.id: value_fixes.DECODE, NO_MATCH.id: value_fixes.NO_MATCH}
)
