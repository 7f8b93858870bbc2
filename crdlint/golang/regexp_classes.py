r"""Classes of characters of Go's regular expressions: ranges of code points, and the names of `\p{...}`.

Upstream: unicode.Categories, CategoryAliases and Scripts (Unicode 15.0).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

# Sorted ranges of code points, both ends included.
Ranges: TypeAlias = "tuple[tuple[int, int], ...]"

LAST: Final = 0x10FFFF  # the largest code point
EVERY: Final[Ranges] = ((0, LAST),)
SURROGATES: Final = range(0xD800, 0xE000)
_LAST_CASED: Final = 0x1E943  # the largest code point that has another case (Adlam)


def joined(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Return sorted ranges, with adjacent ones joined."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(result[-1][1], high))
        else:
            result.append((low, high))
    return tuple(result)


def negated(ranges: Ranges) -> Ranges:
    """Return all other code points."""
    result = []
    start = 0
    for low, high in ranges:
        if start < low:
            result.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        result.append((start, LAST))
    return tuple(result)


def contains(ranges: Ranges, code: int) -> bool:
    """Return whether a code point is in one of the ranges."""
    index = bisect_left(ranges, (code + 1,)) - 1
    return index >= 0 and ranges[index][1] >= code


def folded(ranges: Ranges) -> Ranges:
    """Return ranges with the other cases of their characters, for the flag `i`. Upstream: unicode.SimpleFold."""
    cases, cased = _cases(), _cased()
    others = {
        other
        for low, high in ranges
        for code in cased[bisect_left(cased, low) : bisect_right(cased, high)]
        for other in cases[code]
    }
    return joined((*ranges, *((code, code) for code in others)))


@lru_cache
def _cases() -> Mapping[int, tuple[int, ...]]:
    """Return all cases of each character that has several, by its code point."""
    orbits: dict[str, list[int]] = {}
    for code in range(_LAST_CASED + 1):
        char = chr(code)
        common = char.casefold()
        if len(common) > 1:  # a text of several characters, which simple folding does not use
            common = char.lower()
        orbits.setdefault(common if len(common) == 1 else char, []).append(code)
    return {code: tuple(orbit) for orbit in orbits.values() if len(orbit) > 1 for code in orbit}


@lru_cache
def _cased() -> Sequence[int]:
    return sorted(_cases())


def _of(text: str) -> Ranges:
    """Return the ranges of pairs of characters: `azAZ` is both alphabets."""
    return joined((ord(low), ord(high)) for low, high in zip(text[::2], text[1::2], strict=True))


WORDS: Final = _of("09AZ__az")
NEWLINE: Final = _of("\n\n")
_DIGITS, _SPACES = _of("09"), _of("\t\n\f\r  ")
# The classes of one letter; those of capital letters are their negations.
PERL: Final = {"d": _DIGITS, "s": _SPACES, "w": WORDS}
POSIX: Final = {
    "alnum": _of("09AZaz"),
    "alpha": _of("AZaz"),
    "ascii": _of("\x00\x7f"),
    "blank": _of("\t\t  "),
    "cntrl": _of("\x00\x1f\x7f\x7f"),
    "digit": _DIGITS,
    "graph": _of("!~"),
    "lower": _of("az"),
    "print": _of(" ~"),
    "punct": _of("!/:@[`{~"),
    "space": _of("\t\r  "),
    "upper": _of("AZ"),
    "word": WORDS,
    "xdigit": _of("09AFaf"),
}


def class_size(name: str) -> int | None:
    """Return the number of runes that Go stores for a Unicode class, two per range, or None for an unknown name.

    Letter case, spaces, hyphens and underscores are ignored. Scripts are assumed to be small.
    """
    key = _canonical(name)
    size = _CATEGORIES.get(_ALIASES.get(key, key))
    return 2 if size is None and key in _SCRIPTS else size


def category(name: str) -> str | None:
    """Return the short name of a category, such as `lu`, or None for other classes."""
    key = _canonical(name)
    key = _ALIASES.get(key, key)
    return key if key in _CATEGORIES else None


def _canonical(name: str) -> str:
    return name.translate(_LOWER_ASCII)


# Only the case of ASCII letters is folded, because upstream folds bytes.
_LOWER_ASCII: Final = {
    code: chr(code).lower() for code in range(ord("A"), ord("Z") + 1)
} | dict.fromkeys(map(ord, "_- "))
_CATEGORIES: Final = {
    "any": 2, "assigned": 1414, "ascii": 2,
    "c": 1424, "cc": 4, "cf": 42, "cn": 1414, "co": 6, "cs": 2,
    "l": 1318, "lc": 286, "ll": 1316, "lm": 142, "lo": 1020, "lt": 20, "lu": 1292,
    "m": 620, "mc": 364, "me": 10, "mn": 692,
    "n": 274, "nd": 128, "nl": 24, "no": 144,
    "p": 382, "pc": 12, "pd": 38, "pe": 152, "pf": 20, "pi": 22, "po": 374, "ps": 158,
    "s": 464, "sc": 42, "sk": 62, "sm": 128, "so": 368,
    "z": 16, "zl": 2, "zp": 2, "zs": 14,
}  # fmt: skip
_ALIASES: Final = {
    "casedletter": "lc", "closepunctuation": "pe", "cntrl": "cc", "combiningmark": "m", "connectorpunctuation": "pc",
    "control": "cc", "currencysymbol": "sc", "dashpunctuation": "pd", "decimalnumber": "nd", "digit": "nd",
    "enclosingmark": "me", "finalpunctuation": "pf", "format": "cf", "initialpunctuation": "pi", "letter": "l",
    "letternumber": "nl", "lineseparator": "zl", "lowercaseletter": "ll", "mark": "m", "mathsymbol": "sm",
    "modifierletter": "lm", "modifiersymbol": "sk", "nonspacingmark": "mn", "number": "n", "openpunctuation": "ps",
    "other": "c", "otherletter": "lo", "othernumber": "no", "otherpunctuation": "po", "othersymbol": "so",
    "paragraphseparator": "zp", "privateuse": "co", "punct": "p", "punctuation": "p", "separator": "z",
    "spaceseparator": "zs", "spacingmark": "mc", "surrogate": "cs", "symbol": "s", "titlecaseletter": "lt",
    "unassigned": "cn", "uppercaseletter": "lu",
}  # fmt: skip
_SCRIPTS: Final = frozenset(
    """
    adlam ahom anatolianhieroglyphs arabic armenian avestan balinese bamum bassavah batak bengali bhaiksuki bopomofo
    brahmi braille buginese buhid canadianaboriginal carian caucasianalbanian chakma cham cherokee chorasmian common
    coptic cuneiform cypriot cyprominoan cyrillic deseret devanagari divesakuru dogra duployan egyptianhieroglyphs
    elbasan elymaic ethiopic georgian glagolitic gothic grantha greek gujarati gunjalagondi gurmukhi han hangul
    hanifirohingya hanunoo hatran hebrew hiragana imperialaramaic inherited inscriptionalpahlavi
    inscriptionalparthian javanese kaithi kannada katakana kawi kayahli kharoshthi khitansmallscript khmer khojki
    khudawadi lao latin lepcha limbu lineara linearb lisu lycian lydian mahajani makasar malayalam mandaic
    manichaean marchen masaramgondi medefaidrin meeteimayek mendekikakui meroiticcursive meroitichieroglyphs miao
    modi mongolian mro multani myanmar nabataean nagmundari nandinagari newtailue newa nko nushu
    nyiakengpuachuehmong ogham olchiki oldhungarian olditalic oldnortharabian oldpermic oldpersian oldsogdian
    oldsoutharabian oldturkic olduyghur oriya osage osmanya pahawhhmong palmyrene paucinhau phagspa phoenician
    psalterpahlavi rejang runic samaritan saurashtra sharada shavian siddham signwriting sinhala sogdian sorasompeng
    soyombo sundanese sylotinagri syriac tagalog tagbanwa taile taitham taiviet takri tamil tangsa tangut telugu
    thaana thai tibetan tifinagh tirhuta toto ugaritic vai vithkuqi wancho warangciti yezidi yi zanabazarsquare
    """.split()  # noqa: SIM905
)
