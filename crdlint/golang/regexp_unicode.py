r"""The class names of Go's `\p{...}`. Upstream: unicode.Categories, CategoryAliases and Scripts (Unicode 15.0)."""

from __future__ import annotations

from typing import Final


def class_size(name: str) -> int | None:
    """Return the number of runes that Go stores for a Unicode class, two per range, or None for an unknown name.

    Letter case, spaces, hyphens and underscores are ignored. Scripts are assumed to be small.
    """
    key = _canonical(name)
    size = _CATEGORIES.get(_ALIASES.get(key, key))
    if size is None and key in _SCRIPTS:
        return 2
    return size


def category(name: str) -> str | None:
    """Return the short name of a category, such as `lu`, or None for other classes."""
    key = _canonical(name)
    key = _ALIASES.get(key, key)
    return key if key in _CATEGORIES else None


def _canonical(name: str) -> str:
    return name.translate(_LOWER_ASCII)


# Only the case of ASCII letters is folded, because upstream folds bytes.
_LOWER_ASCII: Final = {code: chr(code).lower() for code in range(ord("A"), ord("Z") + 1)} | dict.fromkeys(
    map(ord, "_- ")
)
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
    "casedletter": "lc",
    "closepunctuation": "pe",
    "cntrl": "cc",
    "combiningmark": "m",
    "connectorpunctuation": "pc",
    "control": "cc",
    "currencysymbol": "sc",
    "dashpunctuation": "pd",
    "decimalnumber": "nd",
    "digit": "nd",
    "enclosingmark": "me",
    "finalpunctuation": "pf",
    "format": "cf",
    "initialpunctuation": "pi",
    "letter": "l",
    "letternumber": "nl",
    "lineseparator": "zl",
    "lowercaseletter": "ll",
    "mark": "m",
    "mathsymbol": "sm",
    "modifierletter": "lm",
    "modifiersymbol": "sk",
    "nonspacingmark": "mn",
    "number": "n",
    "openpunctuation": "ps",
    "other": "c",
    "otherletter": "lo",
    "othernumber": "no",
    "otherpunctuation": "po",
    "othersymbol": "so",
    "paragraphseparator": "zp",
    "privateuse": "co",
    "punct": "p",
    "punctuation": "p",
    "separator": "z",
    "spaceseparator": "zs",
    "spacingmark": "mc",
    "surrogate": "cs",
    "symbol": "s",
    "titlecaseletter": "lt",
    "unassigned": "cn",
    "uppercaseletter": "lu",
}
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
