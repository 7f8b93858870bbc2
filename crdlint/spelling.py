"""What a name that does not exist may mean: the one policy for every help and fix that names another.

A name is *known* to be meant if it is the only one that the written name differs from by a slip of the keyboard. Then a help
may command "Write `x` instead", and a fix may write it. A name is *likely* if it is the only one within a third of the length.
Then a help asks "Did you mean `x`?", and no fix writes it. Otherwise, a help lists the existing names. Opposites, such as
`minSize` and `maxSize`, are two things, whatever their letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from crdlint.light import NamedTuple, regex
from crdlint.phrases import differing, some
from crdlint.safety.bugs import attempt

# Longer names are not compared, because the work grows with the square of their length
_LONGEST: Final = 256
_SHOWN: Final = 8  # names in a list
_MOST_KEPT: Final = 4096  # names whose words are known, because each is compared with many
_LEAST_LETTERS: Final = 4  # of a word of which two letters may be exchanged
_LEAST_AROUND: Final = 5  # of a word that may lack a letter
_LEAST_BEFORE: Final = 3  # of a word that may lack its last letter
_LEAST_REPLACED: Final = 9  # of a word in which a letter may be another one: `node` is not `mode`
# `user` and `users`, `enable` and `enabled`, `schedule` and `scheduler` may be two things.
_ENDINGS: Final = frozenset("sdrnyte")
# The keys around each letter on an English keyboard: `protection` is no slip of `projection`.
_BESIDE: Final = {
    "a": "qwsz", "b": "vghn", "c": "xdfv", "d": "serfcx", "e": "wsdr", "f": "drtgvc", "g": "ftyhbv", "h": "gyujnb", "i": "ujko",
    "j": "huikmn", "k": "jiolm", "l": "kop", "m": "njk", "n": "bhjm", "o": "iklp", "p": "ol", "q": "wa", "r": "edft",
    "s": "awedxz", "t": "rfgy", "u": "yhji", "v": "cfgb", "w": "qase", "x": "zsdc", "y": "tghu", "z": "asx",
}  # fmt: skip
_WORD: Final = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SEPARATORS: Final = regex(r"[-_ .]")
_NO_DIGITS: Final = regex(r"\D")
_LETTERS: Final = regex(r"[a-z0-9]*")

# Words that name different things, although their letters are similar.
_GROUPS: Final = tuple(
    frozenset(group.split())
    for group in (
        "min max", "minimum maximum", "minimal maximal", "low high", "lower upper higher", "least most",
        "enable disable", "enabled disabled", "on off", "true false", "allow deny forbid", "allowed denied forbidden",
        "start end stop", "starts ends stops", "begin end", "from to form", "source target destination", "src dst dest",
        "in out", "input output", "inputs outputs", "ingress egress", "inbound outbound", "incoming outgoing", "inner outer",
        "first last", "next previous prev", "before after", "left right", "top bottom", "up down", "old new", "oldest newest",
        "include exclude", "includes excludes", "included excluded", "including excluding", "internal external interval",
        "import export", "imports exports", "public private", "parent child", "any all none one", "soft hard", "hot cold",
        "encrypt decrypt", "encryption decryption", "lock unlock", "attach detach", "add remove", "push pull", "open close",
        "create delete update", "read write", "reader writer", "request response", "requests limits", "client server",
        "primary secondary", "master slave", "cpu gpu", "http https", "success failure", "liveness readiness startup",
        "increase decrease", "increment decrement", "prefix suffix", "day days date", "width height weight", "row col",
        "project protect", "path patch", "bath batch",
        "plan plain", "port part", "read thread", "retention detention", "content context", "static status",
        "accept except", "insert invert",
        # A letter is missing, or two are exchanged, and it is another word.
        "phase phrase", "shard shared", "trial trail", "angle angel", "quiet quite", "field filed",
        "sever server", "preset present", "count county country", "driver diver", "word world",
        "window widow", "trust thrust", "causal casual", "sign sing", "united untied",
        "unite untie", "board broad", "stripe strip", "weigh weight", "crate create rate grate",
        "chart char cart", "model modal", "native naive", "patent patient",
        "through though thorough", "matter master", "tired tried", "poll pool spool",
        "lock block clock", "table stable", "order border", "link blink", "drain rain train",
        "race trace", "trace track", "tracing tracking", "tracer tracker", "sharding sharing",
        "share shard", "case cause clause", "tire tier trie", "beta beat",
        "wrap warp", "silver sliver", "stream steam", "exist exit", "contact contract",
        "contacted contracted", "resync rsync", "mongod mongodb", "storage storageo",
        "tuned turned", "backed backend", "spare sparse",
        "throughout throughput", "threat treat", "retired retried",
        "later latter", "filed filled failed", "either ether",
        "deletion depletion", "signin signing", "contained containerd", "stale stable",
        "favor flavor", "storing string", "compliant complaint", "mediation medication",
        "processor professor", "stat start status", "reset rest", "realm real", "relay rely",
        "chain chan", "identifie identitie", "over cover", "value vale", "great greater",
        "state estate", "event even", "claim calm", "rank drank",
    )
)  # fmt: skip
_PREFIXES: Final = (
    "un",
    "non",
    "dis",
    "de",
    "in",
    "re",
    "pre",
    "post",
    "no",
    "not",
    "sub",
    "m",
    "multi",
    "anti",
    "auto",
)


class SimilarName(NamedTuple):
    """A name that is probably meant; if it is known, a help may command it, otherwise it may only ask."""

    name: str
    is_known: bool


def meant(written: str, names: Iterable[str], *, typed: bool = False) -> SimilarName | None:
    """Return which of some names is known or likely to be meant by one that is not among them, or None.

    Where the use of the name is `typed`, so that only names of a fitting type are given, a word and its plural are not two
    things: `spec.replica: 3` means `replicas`, but `user` alone may not mean `users`.

    >>> meant("replcias", ["replicas", "paused"])
    SimilarName(name='replicas', is_known=True)
    >>> meant("imageTagg", ["imageTags"])
    SimilarName(name='imageTags', is_known=False)
    >>> meant("minReplicas", ["maxReplicas"])
    """
    return attempt(_meant, written, names, typed)


def name_meant(written: str, names: Iterable[str], *, typed: bool = False) -> str | None:
    """Return the name that is known to be meant, for a fix, or None."""
    similar = meant(written, names, typed=typed)
    return similar.name if similar is not None and similar.is_known else None


def listed(written: str, names: Sequence[str]) -> str:
    """Return the help for a field for which no other is known to be meant: a question, or the list of the fields.

    >>> listed("restore", ["source", "paused"])
    'Add `restore` to `properties`, or read one of its fields: source, paused'
    """
    similar = meant(written, names)
    if similar is not None:
        return f"Did you mean `{similar.name}`? The fields are {some(names, _SHOWN)}"
    which = "its only field" if len(names) == 1 else "one of its fields"
    return f"Add `{written}` to `properties`, or read {which}: {some(names, _SHOWN)}"


def is_slip(written: str, name: str, *, typed: bool = False) -> bool:
    """Return whether nothing but a slip of the keyboard makes two names differ.

    That is case, separators, or in one word a letter that is missing or too much, or two that are exchanged; in long words
    also another letter.

    >>> is_slip("max_length", "maxLength"), is_slip("imgae", "image"), is_slip("node", "mode"), is_slip("user", "users")
    (True, True, False, False)
    """
    folded, other = _folded(written), _folded(name)
    if folded == other:
        return True
    is_short = abs(len(folded) - len(other)) <= 1 and folded[:1] == other[:1]
    if not is_short and _LETTERS.fullmatch(folded + other):
        return False  # a slip is one letter, but not the first, and words have all of these
    pair = _different_words(written, name)
    return pair is not None and not _are_two_things(*pair) and _is_slip_of_word(*pair, typed)


def are_opposites(first: str, second: str) -> bool:
    """Return whether two names differ in words that name different things, such as `min` and `max`.

    >>> are_opposites("minReplicas", "maxReplicas"), are_opposites("restore", "restored")
    (True, False)
    """
    if _folded(first) == _folded(second):
        return False
    _, mine, theirs = differing(_words(first), _words(second))
    if not mine and theirs and theirs[0] in _PREFIXES:
        return True
    return any(_are_two_things(word, other) for word in mine for other in theirs)


def _meant(written: str, names: Iterable[str], typed: bool) -> SimilarName | None:
    if len(written) > _LONGEST:
        return None
    others = [name for name in dict.fromkeys(names) if name != written and len(name) <= _LONGEST]
    slips = [name for name in others if _folded(name) == _folded(written)]
    slips = slips or [name for name in others if is_slip(written, name, typed=typed)]
    if slips:
        return SimilarName(slips[0], is_known=True) if len(slips) == 1 else None
    return _nearest(written, others)


def _nearest(written: str, names: Iterable[str]) -> SimilarName | None:
    """Return the only name that differs least from another, None if two are as near."""
    near = sorted((differing_letters(written, name), name) for name in _near(written, names))
    near = [each for each in near if each[0] * 3 <= len(written)]
    is_only = len(near) == 1 or (len(near) > 1 and near[0][0] < near[1][0])
    return SimilarName(near[0][1], is_known=False) if is_only else None


def _near(written: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the names that may be meant, though not by a slip, without opposites."""
    digits = _NO_DIGITS.sub("", written)
    for name in names:
        if not _may_be_near(written, name) or _NO_DIGITS.sub("", name) != digits:
            continue
        if not are_opposites(written, name):
            yield name


def _may_be_near(written: str, name: str) -> bool:
    if len(written) < _LEAST_LETTERS or abs(len(written) - len(name)) * 3 > len(written):
        return False
    mine, theirs = written.lower(), name.lower()
    in_both = sum(min(mine.count(letter), theirs.count(letter)) for letter in {*mine})
    return (max(len(written), len(name)) - in_both) * 3 <= len(written)


def differing_letters(first: str, second: str) -> int:
    """Return how many letters of the longer of two names have no equal in the other, ignoring case.

    >>> differing_letters("restore", "source")
    5
    """
    from difflib import SequenceMatcher  # only needed for a name that is wrong

    blocks = SequenceMatcher(
        None,
        first.lower(),
        second.lower(),
        autojunk=False,
    ).get_matching_blocks()
    return max(len(first), len(second)) - sum(block.size for block in blocks)


@lru_cache(maxsize=_MOST_KEPT)
def _folded(name: str) -> str:
    return _SEPARATORS.sub("", name).lower()


@lru_cache(maxsize=_MOST_KEPT)
def _words(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(name))


def has_words_of(first: str, second: str) -> bool:
    """Return whether all words of one name are words of the other one.

    >>> has_words_of("name", "headerName"), has_words_of("minSize", "maxSize")
    (True, False)
    """
    mine, theirs = set(_words(first)), set(_words(second))
    return mine <= theirs or theirs <= mine


def _different_words(first: str, second: str) -> tuple[str, str] | None:
    """Return the only words of two names that differ, the names themselves if their words cannot be compared, None for more."""
    mine, theirs = _words(first), _words(second)
    if len(mine) != len(theirs):
        return _folded(first), _folded(second)
    pairs = [pair for pair in zip(mine, theirs, strict=True) if pair[0] != pair[1]]
    return _singular(*pairs[0]) if len(pairs) == 1 else None


def _singular(first: str, second: str) -> tuple[str, str]:
    """Return two words without the ending of the plural, if both have it: `schedules` and `schedulers` differ as without it."""
    if first.endswith("s") and second.endswith("s"):
        return first[:-1], second[:-1]
    return first, second


def _are_two_things(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    is_prefixed = any(longer == prefix + shorter for prefix in _PREFIXES)
    groups = _groups()
    return is_prefixed or not groups.get(first, _NO_GROUP).isdisjoint(groups.get(second, _NO_GROUP))


@cache
def _groups() -> dict[str, set[int]]:
    """Return the numbers of the groups that each word belongs to."""
    numbers: dict[str, set[int]] = {}
    for number, group in enumerate(_GROUPS):
        for word in group:
            numbers.setdefault(word, set()).add(number)
    return numbers


_NO_GROUP: Final[frozenset[int]] = frozenset()


def _is_slip_of_word(written: str, name: str, typed: bool) -> bool:
    start, rest, other_rest = differing(written, name)
    lone, shorter = "".join(rest + other_rest), min(len(written), len(name))
    if not start or not lone.isalpha():
        return False
    if len(rest) == len(other_rest) == 1:
        is_last = start == len(name) - 1
        is_slip_of_key = rest[0] in _BESIDE.get(other_rest[0], "")
        return shorter >= _LEAST_REPLACED and is_slip_of_key and not is_last
    is_swapped = rest == other_rest[::-1]
    if is_swapped and len(rest) == len("ab"):
        return shorter >= _LEAST_LETTERS
    return len(lone) == 1 and _is_slip_of_letter(written, start, lone, shorter, typed)


def _is_slip_of_letter(
    written: str,
    start: int,
    lone: str,
    shorter: int,
    typed: bool,
) -> bool:
    """Return whether a letter that one of two words has more is a slip, and no ending such as that of the plural."""
    is_ending = start == shorter and lone in _ENDINGS and lone != written[start - 1]
    if is_ending and typed and lone == "s":
        return shorter >= _LEAST_BEFORE
    return shorter >= _LEAST_AROUND - typed and not is_ending


def without_typographic_quotes(text: str) -> str:
    """Return a text without the quotes of a word processor around it, which are a part of the value in YAML.

    >>> without_typographic_quotes("\u201c3\u201d"), without_typographic_quotes("3")
    ('3', '3')
    """
    return text.strip(_TYPOGRAPHIC_QUOTES)


_TYPOGRAPHIC_QUOTES: Final = "\u201c\u201d\u201e\u2018\u2019\u201a\xab\xbb\u2039\u203a"
