"""Random changes of texts and bytes, the same for the same random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

LONGEST: Final = 64 * 1024  # characters of an input
# One input of so many is made large, to find work that grows faster than its input.
_RARELY: Final = 60

# Pieces that parsers of YAML, JSON, TOML, Go templates and CEL treat in a special way.
PIECES: Final = (
    *(
        "\n",
        "\r\n",
        "\r",
        "\t",
        " ",
        "  ",
        "\x00",
        "\x1b[31m",
        "\x85",
        "\u2028",
        "\ufeff",
        "\ud800",
        "é",
        "😀",
        "\x07",
    ),
    *(
        "---\n",
        "...\n",
        "---",
        "%YAML 1.2\n",
        "&a ",
        "*a",
        "<<: *a",
        "<<: [*a, *b]",
        "!!binary ",
        "!!str ",
        "!x ",
        "? ",
    ),
    *(
        "|\n",
        "|2-\n",
        ">\n",
        "- ",
        ": ",
        ",",
        "{",
        "}",
        "[",
        "]",
        "{}",
        "[]",
        "#",
        "# crdlint: ignore",
        "'",
        '"',
        '"""',
    ),
    *(
        "null",
        "~",
        "true",
        "no",
        "0x1F",
        "0o7",
        "1e999",
        "-.inf",
        ".nan",
        "1_000",
        "9" * 400,
        "9" * 5000,
        "-0",
        "1.0",
    ),
    *(
        "{{",
        "}}",
        "{{-",
        "-}}",
        "{{ if",
        "{{ end }}",
        "{{/*",
        "*/}}",
        "{{ else }}",
        '{{ "',
        "{{ range .x }}",
        "`",
    ),
    *(
        "&&",
        "||",
        "==",
        "!",
        "?",
        ":",
        "self",
        "oldSelf",
        "self.",
        ".all(x, ",
        "has(",
        "size(",
        "matches('(a*)*')",
        "'a'",
    ),
    *(
        "\\",
        "\\n",
        "\\u0000",
        "\\ud800",
        "$ref",
        "x-kubernetes-",
        "properties",
        "items",
        "type",
        "default",
        "enum",
    ),
    *(
        "apiVersion",
        "kind",
        "metadata",
        "spec",
        "status",
        "ownerReferences",
        "CustomResourceDefinition",
        "List",
    ),
    *(
        "apiextensions.k8s.io/v1",
        "a.a.a.a.a",
        "-----BEGIN CERTIFICATE-----",
        ": Invalid value: {",
        "]]>",
        "<script>",
    ),
)

# Keys and tags that YAML reads as something other than a string.
KEYS: Final = (
    *(
        "{a: b}",
        "[a]",
        "{a}",
        "[]",
        "{}",
        "? [a]\n",
        "~",
        "null",
        '""',
        "!!null a",
        "&k a",
        "*a",
        "{{a}}",
    ),
    *(
        "<<",
        "!!merge x",
        "n",
        "y",
        "on",
        "off",
        "1",
        "0x1F",
        "1.5",
        ".inf",
        ".nan",
        "2001-01-01",
        "!!binary YQ==",
    ),
)
TAGS: Final = (
    "!!bool",
    "!!int",
    "!!float",
    "!!null",
    "!!str",
    "!!seq",
    "!!map",
    "!!timestamp",
    "!!binary",
    "!!merge",
)


def mutated(random: Random, text: str, others: Sequence[str] = ()) -> str:
    """Return a text with some changes; pieces of ``others`` may be put in."""
    for _ in range(1 + int(random.expovariate(0.6))):
        text = random.choice(_CHANGES)(random, text, others)[:LONGEST]
    if random.randrange(_RARELY) == 0:
        text = _amplified(random, text)
    return text


def mutated_bytes(random: Random, data: bytes) -> bytes:
    """Return bytes with some changes."""
    changed = bytearray(data)
    for _ in range(1 + int(random.expovariate(0.5))):
        at = random.randrange(len(changed) + 1)
        action = random.randrange(5)
        if action == 0 and at < len(changed):
            changed[at] = random.randrange(256)
        elif action == 1 and at < len(changed):
            changed[at] ^= 1 << random.randrange(8)
        elif action == 2:
            del changed[at : at + random.randrange(1, 64)]
        elif action == 3:
            changed[at:at] = random.randbytes(random.randrange(1, 64))
        else:
            del changed[at:]
    return bytes(changed)


def _span(random: Random, text: str) -> tuple[int, int]:
    start = random.randrange(len(text) + 1)
    return start, min(start + int(random.expovariate(0.1)), len(text))


def _lines(random: Random, text: str) -> tuple[int, int]:
    """Return where some whole lines begin and end."""
    start, end = _span(random, text)
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return first, len(text) if last < 0 else last + 1


def _delete(random: Random, text: str, _others: Sequence[str]) -> str:
    start, end = _span(random, text)
    return text[:start] + text[end:]


def _delete_lines(random: Random, text: str, _others: Sequence[str]) -> str:
    start, end = _lines(random, text)
    return text[:start] + text[end:]


def _insert(random: Random, text: str, _others: Sequence[str]) -> str:
    start, _ = _span(random, text)
    return text[:start] + random.choice(PIECES) + text[start:]


def _replace(random: Random, text: str, _others: Sequence[str]) -> str:
    start, end = _span(random, text)
    return text[:start] + random.choice(PIECES) + text[end:]


def _replace_value(random: Random, text: str, _others: Sequence[str]) -> str:
    """Replace what is behind a colon."""
    colon = text.find(":", random.randrange(len(text) + 1))
    if colon < 0:
        return text
    end = text.find("\n", colon)
    return f"{text[: colon + 1]} {random.choice(PIECES)}{text[len(text) if end < 0 else end :]}"


def _replace_key(random: Random, text: str, _others: Sequence[str]) -> str:
    """Replace what is before a colon."""
    colon = text.find(":", random.randrange(len(text) + 1))
    start = text.rfind("\n", 0, max(colon, 0)) + 1
    start += len(text[start:colon]) - len(text[start:colon].lstrip(" -"))
    return text if colon < 0 else f"{text[:start]}{random.choice(KEYS)}{text[colon:]}"


def _tag(random: Random, text: str, _others: Sequence[str]) -> str:
    """Put a tag before a value."""
    colon = text.find(": ", random.randrange(len(text) + 1))
    return text if colon < 0 else f"{text[: colon + 1]} {random.choice(TAGS)}{text[colon + 1 :]}"


def _repeat(random: Random, text: str, _others: Sequence[str]) -> str:
    start, end = random.choice((_span, _lines))(random, text)
    return text[:end] + text[start:end] * random.randrange(1, 5) + text[end:]


def _swap(random: Random, text: str, _others: Sequence[str]) -> str:
    start, end = _lines(random, text)
    following = text.find("\n", end)
    stop = len(text) if following < 0 else following + 1
    return text[:start] + text[end:stop] + text[start:end] + text[stop:]


def _indent(random: Random, text: str, _others: Sequence[str]) -> str:
    start, end = _lines(random, text)
    blanks = " " * random.randrange(1, 5)
    lines = text[start:end].splitlines(keepends=True)
    if random.randrange(2):
        changed = "".join(blanks + line for line in lines)
    else:
        changed = "".join(line.removeprefix(blanks) for line in lines)
    return text[:start] + changed + text[end:]


def _splice(random: Random, text: str, others: Sequence[str]) -> str:
    if not others:
        return text
    other = random.choice(others)
    start, end = random.choice((_span, _lines))(random, other)
    at, stop = _lines(random, text)
    return text[:at] + other[start:end] + text[stop:]


def _amplified(random: Random, text: str) -> str:
    """Return a text in which one part is there many times."""
    if random.randrange(2):
        start, end = random.choice((_span, _lines))(random, text)
        part = text[start:end]
    else:
        start = end = _span(random, text)[0]
        part = random.choice(PIECES)
    times = random.choice((10, 100, 1000, 10_000))
    room = max(LONGEST - len(text), 0)
    return text[:start] + (part * times)[:room] + text[end:]


_CHANGES: Final = (
    *(_delete, _delete_lines, _insert, _insert, _replace, _replace, _replace_value, _replace_value),
    *(_replace_key, _tag, _repeat, _swap, _indent, _splice),
)
