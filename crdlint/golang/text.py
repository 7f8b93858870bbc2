"""Text as Go's strings, strconv and unicode packages treat it, whatever Python's own tables.

Classes of characters are those of Go 1.25 (Unicode 15.0).
"""

from __future__ import annotations

import re
from base64 import b85decode
from bisect import bisect_right
from functools import cache
from typing import Final
from zlib import decompress

# What strings.TrimSpace takes off: unicode.IsSpace, which differs from str.strip() in U+001C to U+001F.
SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


def to_lower(text: str) -> str:
    """Lower each rune by itself, as strings.ToLower does: no final sigma, and one rune for one."""
    return text.lower() if text.isascii() else "".join(char.lower()[0] for char in text)


def is_print(rune: int) -> bool:
    """Say whether Go prints the code point as it is (unicode.IsPrint): letters, marks, numbers, signs and " "."""
    if rune < 0x7F:
        return rune >= 0x20
    return bisect_right(_bounds(), rune) % 2 == 1


@cache  # most runs print plain text only
def _bounds() -> list[int]:
    """Unpack where printable runs begin and end, beginning with a beginning."""
    bounds: list[int] = []
    at = step = 0
    for byte in decompress(b85decode(_RUNS)):
        step = step << 7 | byte & 0x7F
        if byte < 0x80:
            at += step
            step = 0
            bounds.append(at)
    return bounds


# The lengths of alternating runs of characters that are not and that are printable, from U+0000: seven bits a byte, the
# high bit on all but a number's last byte; deflated. tests/golang/test_go_unicode.py makes them, with Python 3.12.
_RUNS: Final = (
    b"c-mD|NpBoQ6z09!tE;;`_IPGI`<U@K8Sio8J;ou4apDjeB{7Kzi3M3C5RgL@HW8`XHVH!FfH-g?2gC&-?m2=ua^?^4LwMCz5OjB~uip2T{$90j"
    b"k2*NKh>|M+D8haWJv@O77IlrwLJ9l^%;GBEO;&LZQ>Y_ABwFSo_zq}9ECDGpj)vx314j@zLi&;)$uPX6BxubTC=Q?smVp5VM{<Fd<_sa_=#--Q"
    b"3)~<JxJ<DechDk80^xKR02u)?$3@s70VKmBChal|U_j>z11fT~s+8~BfOjO3NIGQK1&w(K{tjT3#z9sg-vAXIlVn9pi_ER?##pc^phA5a1@#In"
    b"^7a;V`8aeTg?P+wh7*{5O4uQt9FJ4${JTnFnfkNXW>vXME*!oDb#_CQOvMy)N6_6uE3Hf*k~h?Z*t9Kh+;L!i6wxHF%80Gw8E9Y>PGM{Abv6SJ"
    b"^%_grnwr2!Pl$sOA@`_hIC@%mio8ou!VvuzQ>f^f0%8qf)=4|5cl@wC5)FS-#5QDai>W+>C51`FDER;Tc(e*PoZqcF@e1tXeK7&I;HsMe|Mv%M"
    b"(PTG^eo6ank!Py1%B)<{o7%~TQIlPUh<9MoBxvz|rEVp8D02&I{4oXnSJ##K+;2Sl5Z~)5CqxxOk^_Cd7}!6J3kuqOIS)g?xd5-YUuQW6k$_NQ"
    b"L<d!p5{)n!{ai3U#jaC~Ff;A3!RFFB@0zBV5KS24N#8fgW|w#QF?}*}l%K%1=x98fEt-<m6$yPX=ZPsWNn`^o!<II)WI}XUO~A$yFX9PWY5H>w"
    b"WZWvFHrnIdnFZFsny4!7)Xs&)`FLJUYn%021jrD#Cv?A5?bVBAbD5l42N91bD^J0o9yfbXj0Rz5J!cI06UkL!CI4?t5bvla0^@}uo(dn`1kv2m"
    b"*7p{$H+nv@G9FrycA<tTFZ<=SJ6D{hL~2rQQZYJXH#JUURNK;5;tR_9M+T-Ku?^NH8_9)WWs-&D8*Qbeag3T&Hd`1`1vt*?yO5rUpVaPs1S0b1"
    b"zPt2p{B(Ap^h5vPwcnQymQ@QZe*>&+qO_aVlH0>#=y3L}yW4zO6*feK$*-U2uXg+9kNZ3iDtkGF2E~+cz3;x|?~9ljMfLUL-ZYlY!!`fNj^joB"
    b"V0iPhqAR*L&4^dm;I(kIgo_7UUXW*~yflq<N*%F>h>=~ztc!>1sett9PD@IEO+f+kJc{)WJeXp{NRHV?tFR(qf2V(VPmwm!2>f{*IDUzf^vlAz"
    b"OQ-#-9BL#8pQR)8$fE&5>E`<{p0Emm@%(^=f?(uO;Us3sB){WQx(ZSlvwnK15l?bM)h2!Q$#q^}G5eU`mQ?bo<4ctNW4eiWIlJl-3@Mogr4v#x"
    b"$`8Tfn0+d<Klj?tR;0g$zhLrw?)%n3^Xqqh+7{3Dety2=AN&LKy^Ul"
)


_ESCAPES: Final = {
    '"': r"\"",
    "\\": r"\\",
    "\a": r"\a",
    "\b": r"\b",
    "\f": r"\f",
    "\n": r"\n",
    "\r": r"\r",
    "\t": r"\t",
    "\v": r"\v",
}
_UNUSUAL: Final = re.compile(r"[^ !#-\[\]-~]")


def quote(text: str) -> str:
    r"""Return the text as Go's ``%q`` prints it (strconv.Quote); a lone surrogate as its invalid bytes, ``\xed...``."""
    return f'"{_UNUSUAL.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    known = _ESCAPES.get(char)
    if known is not None:
        return known
    rune = ord(char)
    if is_print(rune):
        return char
    if rune < 0x80:
        return f"\\x{rune:02x}"
    if 0xD800 <= rune < 0xE000:
        return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
    return f"\\u{rune:04x}" if rune < 0x10000 else f"\\U{rune:08x}"
