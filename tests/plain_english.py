"""Words and constructions that texts do not contain, each with what to write instead, and names to avoid.

One table for everything that people read: the texts of rules, `--help`, notices, helps, documentation and docstrings.
"""

from __future__ import annotations

import re
from typing import Final

# Pattern: what to write instead.
AVOIDED: Final = {
    r"tell(s|ing)?|told": "report, show",
    r"say(s|ing)?|said": "report, specify, mean",
    r"speaks?( of| for)?|spoken": "apply to, refer to",
    r"mend(s|ed|ing)?": "fix",
    r"pass(es|ed|ing)? over": "skip",
    r"hangs? (on|together)|hung on": "depend on",
    r"(leads?|led|leading) back": "map to",
    r"(takes?|taken|took|taking)( \S+){0,3} for (an?|the|its|one|it)": "treat as",
    r"(holds?|held) against": "validate against",
    r"stands?|stood|standing": "be, mean, refer to",
    r"look(s|ed|ing)? into": "check, read",
    r"judg(e|es|ed|ing|ement)": "validate, check",
    r"ways? out": "fix, help",
    r"refus(es?|ed|ing|al)": "reject",
    r"(that|where|what) there (is|are)( not?| none)?": "name the field, list, rule or file",
    r"(that|who|which) (is|are) none|of which there (is|are)|such as (has|have)": "name the noun",
    r"(is|are) no \S+'s": "is not a valid ...",
    r"(is|are) to be (kept|read|said|given|had|found)": "active voice",
    r"nobody|naught|aught|anew|whence|wherein|hence|lest": "plain words",
    r"gravest": "most severe",
    r"goes? (on to|through)": "read, iterate over",
}
# Names that do not say what they refer to, and names from vocabulary that only crdlint would use.
VAGUE_NAMES: Final = frozenset(
    {
        "above",
        "at",
        "asked",
        "culprit",
        "extents",
        "found",
        "given",
        "held",
        "known",
        "judge",
        "judged",
        "made",
        "kept",
        "laid_over",
        "mend",
        "nearby",
        "one",
        "place",
        "places",
        "said",
        "stands",
        "stood",
        "surrounding",
        "taken",
        "told",
        "trouble",
        "wanted",
        "way_out",
        "whole",
    }
)
_ALL: Final = {
    re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE): instead
    for pattern, instead in AVOIDED.items()
}
_CODE: Final = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def avoided(text: str) -> list[str]:
    """Return what `text` contains of the table, outside of code, as "found -> instead"."""
    prose = _CODE.sub(" ", text)
    return [
        f"{match[0]} -> {instead}"
        for pattern, instead in _ALL.items()
        for match in pattern.finditer(prose)
    ]
