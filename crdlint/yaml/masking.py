r"""Rewrites input that the API server accepts and libyaml rejects.

The libyaml of ruamel.yaml rejects a colon within a plain scalar of a flow collection (`{url: https://x}`), and `\'` in
double quotes; go-yaml v2 accepts both. A byte order mark at the start of a line is ignored by libyaml, but is text in
Go. Such characters are replaced by private-use characters that the text does not contain, one by one so that all marks
stay valid. Afterwards the original characters are restored in scalars.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as MappingOf
from typing import Final

from ruamel.yaml.error import MarkedYAMLError

from crdlint.light import NamedTuple, regex

# By libyaml's error: what is written, what is masked of it, and the text before the mask.
_MASKED: Final = {
    "found unexpected ':'": (":", ":", ""),
    "found unknown escape character": ("\\'", "", "'"),
}

_BOM: Final = "\ufeff"
_PRIVATE: Final = regex(r"[\ue000-\uf7ff]|\\[uU](?:0000)?([eEfF][0-9a-fA-F]{3})")
_BLOCKS: Final = (0xE000, 0xE800, 0xF000)
_BLOCK_SIZE: Final = 0x800

# Directives, then words that may be plain scalars: those that do not start with a quote, tag, anchor or comment sign.
_WORD: Final = regex(r"^%.*$|(?<![^\s\[\]{},])[^\s\[\]{},!&*#\"'][^\s\[\]{},]*", re.MULTILINE)


class Mask(NamedTuple):
    """A text for libyaml, and the private-use character in place of each original text: a colon, a byte order mark, nothing."""

    text: str
    characters: MappingOf[str, str]

    def restore(self, value: str) -> str:
        """Return the original text of a scalar's value."""
        for original, character in self.characters.items():
            value = value.replace(character, original)
        return value


def without_marks(text: str) -> Mask:
    """Return a text whose byte order marks, except at its start, are ordinary characters for libyaml."""
    bom = _unused(text)
    return Mask(text[:1] + text[1:].replace(_BOM, bom), {_BOM: bom}) if bom else Mask(text, {})


def masked(text_or_mask: Mask | str, error: MarkedYAMLError) -> Mask | None:
    """Return a text without the character that libyaml reports, or None if Go rejects it as well."""
    mask = Mask(text_or_mask, {}) if isinstance(text_or_mask, str) else text_or_mask
    text = mask.text
    index = error.problem_mark.index + text.startswith(_BOM)  # libyaml does not count it
    if error.problem not in _MASKED:
        return None
    written, original, before = _MASKED[error.problem]
    character = mask.characters.get(original) or _unused(text)
    if not character or not text.startswith(written, index):
        return None
    is_first_colon = original == ":" and original not in mask.characters
    if is_first_colon:  # a later one does not seem to be in a plain scalar: [x':y]
        text = _without_colons(text, character)
    end = index + len(written)
    characters = {**mask.characters, original: character}
    return Mask(f"{text[:index]}{before}{character}{text[end:]}", characters)


def _without_colons(text: str, colon: str) -> str:
    """Return a text with another character in place of the colons in plain scalars."""

    def spelt(match: re.Match[str]) -> str:
        word = match[0]
        if ":" not in word or word[0] == "%":
            return word
        after = text[match.end() : match.end() + 1]
        ends_line_or_item = not after or after.isspace()
        stop = len(word) - 1 if ends_line_or_item else len(word)
        return _COLON_INSIDE.sub(colon, word[:stop]) + word[stop:]

    return _WORD.sub(spelt, text)


# A colon that is neither the first character nor after a quote.
_COLON_INSIDE: Final = regex(r"(?<=[^\"']):")


def _unused(text: str) -> str:
    """Return the first character of a private-use block that a text does not use, not even escaped; empty if it uses all."""
    used = set()
    for match in _PRIVATE.finditer(text):
        code = int(match[1], 16) if match[1] else ord(match[0])
        used.add(code // _BLOCK_SIZE)
    for block in _BLOCKS:
        if block // _BLOCK_SIZE not in used:
            return chr(block)
    return ""
