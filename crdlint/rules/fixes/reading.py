"""Fixes for the findings of `rules/texts/reading.py`."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.finding import (
    AdviceFinding,
    DecodeFinding,
    DocumentFinding,
    RepeatedKeyFinding,
)
from crdlint.rules.engine.fixer import FixesOf
from crdlint.rules.fixes import field_fixes, shifts, type_fixes, v1beta1, value_fixes
from crdlint.rules.texts.reading import (
    API_VERSION_REMOVED,
    CRD_MISSPELLED,
    DECODE_TYPE,
    DUPLICATE_KEY,
    UNKNOWN_FIELD,
    UNKNOWN_FIELD_IGNORED,
    V1_FULL,
    V1BETA1_FULL,
    YAML_SYNTAX,
)

OF_DOCUMENTS: Final = FixesOf(
    DocumentFinding,
    {
        YAML_SYNTAX.id: field_fixes.SYNTAX,
        DECODE_TYPE.id: (field_fixes.JOINED, type_fixes.TYPE_KEYS),
        CRD_MISSPELLED.id: (type_fixes.type_keys,),
        API_VERSION_REMOVED.id: (v1beta1.rewritten.example(V1BETA1_FULL, V1_FULL),),
    },
)
OF_KEYS: Final = FixesOf(RepeatedKeyFinding, {DUPLICATE_KEY.id: field_fixes.DUPLICATE})
FIXES: Final = FixesOf(
    DecodeFinding,
    {
        DECODE_TYPE.id: (field_fixes.OF_SCHEMA, *type_fixes.DECODE),
        UNKNOWN_FIELD.id: (shifts.indented, *field_fixes.UNKNOWN),
        UNKNOWN_FIELD_IGNORED.id: field_fixes.IGNORED,
    },
)
OF_RESOURCES: Final = FixesOf(AdviceFinding, {UNKNOWN_FIELD.id: value_fixes.UNKNOWN})
