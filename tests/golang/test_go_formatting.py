"""Texts without arguments as Go's fmt prints them."""

from __future__ import annotations

from tables import each

from crdlint.golang.text import sprintf


@each(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("100%%", "100%"),
        ("a '%' b", "a '%!'(MISSING) b"),
        ("%s and %+5.2d", "%!s(MISSING) and %!d(MISSING)"),
        ("%é", "%!é(MISSING)"),
        ("100%", "100%!(NOVERB)"),
        ("%*d", "%!(BADWIDTH)%!d(MISSING)"),
        ("%.*d", "%!(BADPREC)%!d(MISSING)"),
        ("%[1]d", "%!d(BADINDEX)"),
        ("%[x", "%!x(BADINDEX)"),
        ("%[1", "%!(NOVERB)"),
        ("%12", "%!(NOVERB)"),
        ("%99999999d rest", "%!(NOVERB)"),
    ],
)
def test_verbs_miss_their_arguments(text: str, expected: str) -> None:
    assert sprintf(text) == expected
