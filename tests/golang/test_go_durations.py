"""Go's durations: what is taken, and how many nanoseconds it is."""

from __future__ import annotations

from tables import each

from crdlint.golang.times import parse_duration


@each(
    ("text", "valid"),
    [
        ("0", True),
        ("", False),
        ("1", False),
        (".s", False),
        ("2562048h", False),
        ("9223372036854775807ns", True),
        ("9223372036854775808ns", False),
        ("-9223372036854775808ns", True),
        ("1." + "1" * 9999 + "s", True),
        ("1" * 99_999, False),
        ("1" * 9999 + "s", False),
    ],
    ids=lambda value: str(value)[:24],
)
def test_duration(text: str, valid: bool) -> None:
    assert (parse_duration(text) is not None) is valid


@each(
    ("text", "nanoseconds"),
    [
        ("1h2m3.5s", 3723500000000),
        ("-1.5us", -1500),
        ("+.5ms", 500000),
        ("0.1h", 360000000000),
        ("-9223372036854775808ns", -(2**63)),
        # A fraction is a double to Go: nanoseconds that a product of whole numbers would have are lost.
        ("0.999999999999999999h", 3600000000000),
        ("0.3333333333333333333h", 1200000000000),
    ],
)
def test_nanoseconds(text: str, nanoseconds: int) -> None:
    assert parse_duration(text) == nanoseconds
