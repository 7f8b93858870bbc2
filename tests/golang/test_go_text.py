"""Text changed as Go's strings package does."""

from __future__ import annotations

from tables import each

from crdlint.golang.text import to_lower


@each(
    ("text", "lower"),
    [
        ("FooBar", "foobar"),
        ("\u0391\u03a3", "\u03b1\u03c3"),
        ("\u0130", "i"),
        ("\u212a", "k"),
        ("ß", "ß"),
    ],
)
def test_to_lower(text: str, lower: str) -> None:
    assert to_lower(text) == lower
