"""Times and base64 as Go reads them."""

import base64

import pytest
from tables import each

from crdlint.golang.encodings import CorruptInputError, decode_base64
from crdlint.golang.times import check_rfc3339

LAYOUT = ' as "2006-01-02T15:04:05Z07:00": cannot parse '


@each(
    ("text", "error"),
    [
        ("2024-02-29T23:59:59Z", None),
        ("2024-02-29T3:59:59.123+24:60", None),
        ("2024-02-29T03:59:59,1-01:00", None),
        ("", '""' + LAYOUT + '"" as "2006"'),
        ("20x4-01-01", '"20x4-01-01"' + LAYOUT + '"20x4-01-01" as "2006"'),
        ("2024/01", '"2024/01"' + LAYOUT + '"/01" as "-"'),
        ("2024-1-01", '"2024-1-01"' + LAYOUT + '"1-01" as "01"'),
        ("2024-13-01T00:00:00Z", '"2024-13-01T00:00:00Z": month out of range'),
        ("2023-02-29T00:00:00Z", '"2023-02-29T00:00:00Z": day out of range'),
        ("2024-02-00T00:00:00Z", '"2024-02-00T00:00:00Z": day out of range'),
        ("2024-02-01 00:00:00Z", '"2024-02-01 00:00:00Z"' + LAYOUT + '" 00:00:00Z" as "T"'),
        ("2024-02-01T24:00:00Z", '"2024-02-01T24:00:00Z": hour out of range'),
        ("2024-02-01T00:00:00", '"2024-02-01T00:00:00"' + LAYOUT + '"" as "Z07:00"'),
        ("2024-02-01T00:00:00+0100", '"2024-02-01T00:00:00+0100"' + LAYOUT + '"+0100" as "Z07:00"'),
        (
            "2024-02-01T00:00:00+25:00",
            '"2024-02-01T00:00:00+25:00": time zone offset hour out of range',
        ),
        ("2024-02-01T00:00:00Zx", '"2024-02-01T00:00:00Zx": extra text: "x"'),
        ("é", r'"\xc3\xa9"' + LAYOUT + r'"\xc3\xa9" as "2006"'),
    ],
)
def test_time(text: str, error: str | None) -> None:
    assert check_rfc3339(text) == (error and f"parsing time {error}")


@each(
    ("text", "offset"),
    [
        ("a", 0),
        ("ab", 0),
        ("abc", 0),
        ("abcd=", 4),
        ("abcde", 4),
        ("a=bc", 1),
        ("ab=c", 2),
        ("ab=", 3),
        ("ab==cd==", 4),
        ("abc=d", 4),
        ("ab\ncé", 4),
        ("-_-_", 0),
    ],
)
def test_corrupt_base64(text: str, offset: int) -> None:
    with pytest.raises(CorruptInputError, match=f"^illegal base64 data at input byte {offset}$"):
        decode_base64(text)


@each("text", ["", "aGk=", "aG\r\nk=\n", "aGk=\n", "aR==", "QUJDREVGRw=="])
def test_base64(text: str) -> None:
    assert decode_base64(text) == base64.b64decode(text)
