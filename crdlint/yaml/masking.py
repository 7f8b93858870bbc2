r"""What libyaml refuses though the API server takes it, put so that libyaml reads it too.

ruamel.yaml's libyaml is older than the one that go-yaml v2 descends from by now: it refuses a colon within a plain
scalar of a flow collection (``{url: https://x}``), and ``\'`` in double quotes. JSON, which Go reads as such, may write one
character as two escaped surrogates. A byte order mark, which libyaml passes over where a line begins, is text to Go. What is
in the way is replaced, character for character so that all marks hold, by characters for private use that the text
does not have; scalars get back what they stand for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ruamel.yaml.error import MarkedYAMLError

_COLON: Final = "found unexpected ':'"
_ESCAPED: Final = "found unknown escape character"
_SURROGATE: Final = "found invalid Unicode character escape code"

_BOM: Final = "\ufeff"
_PRIVATE: Final = re.compile(r"[\ue000-\uf7ff]|\\[uU](?:0000)?([eEfF][0-9a-fA-F]{3})")
_BLOCKS: Final = (0xE000, 0xE800, 0xF000)
_BLOCK_SIZE: Final = 0x800
_FIRST_SURROGATE: Final = 0xD800

# Directives; then words that may be plain: what begins with a quote, a tag, an anchor or a comment's sign is none.
_WORD: Final = re.compile(r"^%.*$|(?<![^\s\[\]{},])[^\s\[\]{},!&*#\"'][^\s\[\]{},]*", re.MULTILINE)
_ESCAPE: Final = re.compile(r"\\(?:u([dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Mask:
    """A text for libyaml to read, and what its private characters stand for.

    They are a colon, a byte order mark, nothing (``filler``), and surrogates from a block's first.
    """

    text: str
    colon: str = ""
    surrogates: int = 0
    bom: str = ""
    filler: str = ""

    def restore(self, value: str) -> str:
        """Return a scalar's value as the text that was masked has it."""
        if self.colon:
            value = value.replace(self.colon, ":")
        if self.bom:
            value = value.replace(self.bom, _BOM)
        if self.filler:
            value = value.replace(self.filler, "")
        if self.surrogates and _PRIVATE.search(value):
            value = "".join(map(self._surrogate, value))
            value = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return value

    def _surrogate(self, char: str) -> str:
        at = ord(char) - self.surrogates
        return chr(_FIRST_SURROGATE + at) if 0 <= at < _BLOCK_SIZE else char


def without_marks(mask: Mask) -> Mask:
    """Return a text whose byte order marks, but for one at its start, libyaml takes for characters like others."""
    block = _unused(mask.text)
    if block is None:
        return mask
    bom = chr(block)
    return replace(mask, text=mask.text[:1] + mask.text[1:].replace(_BOM, bom), bom=bom)


def masked(mask: Mask, error: MarkedYAMLError) -> Mask | None:
    """Return a text without what libyaml says it stumbled on, None where Go refuses that as well."""
    at = error.problem_mark.index + mask.text.startswith(_BOM)  # libyaml counts from behind it
    if error.problem == _COLON:
        return _without_colon(mask, at)
    if error.problem == _SURROGATE and not mask.surrogates and mask.text.lstrip().startswith("{"):
        return _without_surrogates(mask)
    if error.problem == _ESCAPED:
        return _without_apostrophe(mask, at)
    return None


def _without_colon(mask: Mask, at: int) -> Mask | None:
    text = mask.text
    if text[at : at + 1] != ":":
        return None
    if mask.colon:  # one that does not look like a plain scalar's, such as that of [x':y]
        return replace(mask, text=text[:at] + mask.colon + text[at + 1 :])
    block = _unused(text)
    if block is None:
        return None
    colon = chr(block)

    def spelt(match: re.Match[str]) -> str:
        word = match[0]
        if ":" not in word or word[0] == "%":
            return word
        after = text[match.end() : match.end() + 1]
        stop = len(word) if after and not after.isspace() else len(word) - 1
        return "".join(
            colon if char == ":" and 0 < i < stop and word[i - 1] not in "\"'" else char for i, char in enumerate(word)
        )

    made = _WORD.sub(spelt, text)
    return replace(mask, text=made[:at] + colon + made[at + 1 :], colon=colon)


def _without_apostrophe(mask: Mask, at: int) -> Mask | None:
    text = mask.text
    block = _unused(text)
    filler = mask.filler or (chr(block) if block is not None else "")
    if text[at : at + 2] != "\\'" or not filler:
        return None
    return replace(mask, text=f"{text[:at]}'{filler}{text[at + 2 :]}", filler=filler)


def _without_surrogates(mask: Mask) -> Mask | None:
    block = _unused(mask.text)
    if block is None:
        return None

    def escaped(match: re.Match[str]) -> str:
        return rf"\u{int(match[1], 16) - _FIRST_SURROGATE + block:04x}" if match[1] else match[0]

    return replace(mask, text=_ESCAPE.sub(escaped, mask.text), surrogates=block)


def _unused(text: str) -> int | None:
    """Return the first code point of a private block of which a text has nothing, neither as such nor escaped."""
    used = {(int(match[1], 16) if match[1] else ord(match[0])) // _BLOCK_SIZE for match in _PRIVATE.finditer(text)}
    return next((block for block in _BLOCKS if block // _BLOCK_SIZE not in used), None)
