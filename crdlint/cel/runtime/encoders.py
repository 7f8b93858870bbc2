"""The functions base64.encode and base64.decode (cel-go's ext/encoders.go)."""

from __future__ import annotations

import base64
import re
from typing import Final

from crdlint.cel.runtime.errors import FunctionError
from crdlint.golang.base64 import CorruptInputError, decode_base64

_FOREIGN: Final = re.compile(r"[^A-Za-z0-9+/\r\n]")


def base64_encode(data: bytes) -> str:
    """Return the bytes as base64 with padding."""
    return base64.b64encode(data).decode("ascii")


def base64_decode(text: str) -> bytes:
    """Return the bytes that a text encodes, with or without padding; raise FunctionError for other texts."""
    try:
        return decode_base64(text)
    except CorruptInputError:
        return _decode_raw(text)


def _decode_raw(text: str) -> bytes:
    """Decode a text without padding (base64.RawStdEncoding); raise FunctionError with the 0-based offset of the fault."""
    wrong = _FOREIGN.search(text)
    if wrong is not None:
        raise _corrupt(len(text[: wrong.start()].encode("utf-8", "surrogatepass")))
    digits = text.replace("\r", "").replace("\n", "")
    if len(digits) % 4 == 1:
        raise _corrupt(len(text) - 1)
    return base64.b64decode(digits + "=" * (-len(digits) % 4))


def _corrupt(offset: int) -> FunctionError:
    return FunctionError(f"illegal base64 data at input byte {offset}")
