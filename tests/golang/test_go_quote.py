"""strconv.Quote."""

from tables import each

from crdlint.golang.text import quote


@each(
    ("text", "quoted"),
    [
        ("", '""'),
        ("plain text", '"plain text"'),
        ("it's <ok> & `fine`", '"it\'s <ok> & `fine`"'),
        ('say "no"', r'"say \"no\""'),
        ("C:\\dir", r'"C:\\dir"'),
        ("\a\b\f\n\r\t\v", r'"\a\b\f\n\r\t\v"'),
        ("\x00\x01\x1b\x1f\x7f", r'"\x00\x01\x1b\x1f\x7f"'),
        ("\x80\x85\x9f\xa0\xad", r'"\u0080\u0085\u009f\u00a0\u00ad"'),
        ("é ß 中文 😀", '"é ß 中文 😀"'),
        ("e\u0301", '"e\u0301"'),
        ("\u200b\u2028\u2029\u3000\ufeff", r'"\u200b\u2028\u2029\u3000\ufeff"'),
        ("\ue000\uffff", r'"\ue000\uffff"'),
        ("\ufffd", '"\ufffd"'),
        ("\U000e0001\U0010ffff", r'"\U000e0001\U0010ffff"'),
        ("\ud800", r'"\xed\xa0\x80"'),
        ("a\udfffb", r'"a\xed\xbf\xbfb"'),
    ],
)
def test_quote(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@each("char", ["\U0001fae8", "\U00011f00", "\U0001e4d0"])
def test_prints_characters_of_unicode_15_on_any_python(char: str) -> None:
    assert quote(char) == f'"{char}"'


@each("char", ["\u2ffc", "\U0002ebf0", "\u1c89", "\U0001fae9"])
def test_escapes_characters_later_than_unicode_15_on_any_python(char: str) -> None:
    assert quote(char) == (
        f'"\\u{ord(char):04x}"' if ord(char) < 0x10000 else f'"\\U{ord(char):08x}"'
    )
