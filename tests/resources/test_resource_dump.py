"""Objects as YAML: kubectl's form, and nothing that a reader could take for something else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from present import root_of
from ruamel.yaml import YAML
from tables import each

from crdlint.resources.dump import dump
from crdlint.yaml.json_values import to_json

if TYPE_CHECKING:
    from typing import Any

LONG = "k" * 129
LAID_OUT = {
    "sorted": (
        {"b": 1, "a": {"c": [1, {"e": 2, "d": 3}]}},
        "a:\n  c:\n  - 1\n  - d: 3\n    e: 2\nb: 1",
    ),
    "empty": ({"a": {}, "b": [], "c": None}, "a: {}\nb: []\nc: null"),
    "nothing": ({}, "{}"),
    "lists in lists": ({"a": [[1, [2]], []]}, "a:\n- - 1\n  - - 2\n- []"),
    "several lines": (
        {"a": ["x\n\n y\n", "x\ny", "x\n\n"]},
        'a:\n- |\n  x\n\n   y\n- |-\n  x\n  y\n- "x\\n\\n"',
    ),
    "numbers": (
        {"a": 1.5, "b": 1e100, "c": 2**53, "d": -0.5},
        "a: 1.5\nb: 1e+100\nc: 9007199254740992\nd: -0.5",
    ),
    "words": (
        {"a": True, "b": "true", "c": "yes", "d": "plain text"},
        'a: true\nb: "true"\nc: "yes"\nd: plain text',
    ),
    "long keys": (
        {"l": [{LONG: [1, 2], "a": 1}], LONG: {"b": 1, "a": "x\ny"}, LONG[1:]: 1},
        f"{LONG[1:]}: 1\n? {LONG}\n: a: |-\n    x\n    y\n  b: 1\nl:\n- a: 1\n  ? {LONG}\n  : - 1\n    - 2",
    ),
    "keys": ({"yes": 1, "a/b.c-d": 2, "1": 3}, '"1": 3\na/b.c-d: 2\n"yes": 1'),
}


@each(("value", "wanted"), LAID_OUT.values(), ids=LAID_OUT)
def test_layout(value: dict[str, Any], wanted: str) -> None:
    assert "\n".join(dump(value)) == wanted


TEXTS = [
    *(
        "",
        "a",
        "y",
        "No",
        "on",
        "~",
        "null",
        "NaN",
        "inf",
        "010",
        "0o7",
        "0x1f",
        "1_000",
        "1e3",
        "+1",
        ".5",
        ".inf",
    ),
    *(
        "2020-01-01",
        "12:30",
        "=",
        "<<",
        "-",
        "- a",
        "?",
        "? a",
        ":",
        "a:",
        "a: b",
        "a #b",
        "#a",
        "a,b",
        "[a",
        "{a",
    ),
    *(
        "'a'",
        '"q"',
        "back\\slash",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a",
        "|",
        ">",
        "---",
        "...",
        "a  b",
        " a",
        "a ",
    ),
    *(
        "l1\nl2",
        "l1\nl2\n",
        "l1\n\nl2\n\n",
        " l\nk",
        "\tx\ny",
        "x\n\ty",
        "key\n ",
        "a\n---\nb\n",
        "line\n#x",
    ),
    *("é", "😀", "\x07", "\ufeff", "\u2028x", "a\rb", "tab\t", "http://x:80/y", "\x85"),
]


@each("text", TEXTS)
def test_texts_are_read_back(text: str) -> None:
    value = {"k": text, "l": [text, [text], {"z": text}], "m": {text: 1}}
    written = "\n".join(dump(value)) + "\n"
    assert to_json(root_of(written)) == value
    assert YAML(typ="safe", pure=True).load(written) == value


@each("key", ["k" * 1025, "é" * 600, 'a"b' * 500, "a: b" * 400, "\n" * 1500, "-" * 2000])
def test_long_keys_are_read_back(key: str) -> None:
    value = {"m": {key: {"a": 1, key: [1, {key: "x\ny"}]}, "z": 1}, "l": [{key: []}]}
    written = "\n".join(dump(value)) + "\n"
    assert to_json(root_of(written)) == value
    assert YAML(typ="safe", pure=True).load(written) == value


def test_depth_is_no_limit() -> None:
    value: object = 1
    for _ in range(3000):
        value = [{"a": value}]
    assert sum(1 for _ in dump({"a": value})) == 3001


HIDDEN = [
    "\x1b[31m",
    "\r",
    "\x9b",
    "\u202e",
    "\u200f",
    "::error::x",
    " ::error::x",
    "##[error]",
    "##vso[x]y",
]


@each("hidden", HIDDEN)
def test_no_value_controls_a_terminal_or_a_ci_log(hidden: str) -> None:
    value = {
        f"{hidden}key": [hidden, f"a\n{hidden}\nb\n", f"a\nb{hidden}\n"],
        "x": {"y": f"{hidden}{hidden}"},
    }
    text = "\n".join(dump(value))
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200f\u202e]|^\\s*::|##(vso)?\\[", text, re.MULTILINE
    )
    assert YAML(typ="safe").load(text) == value
