"""Go's IP addresses (net.ParseIP), and those of before Go 1.17 with leading zeros (k8s.io/utils/net ParseIPSloppy)."""

from __future__ import annotations

import re
from typing import Final

_IPV4: Final = re.compile(r"([0-9]{1,4000})\.([0-9]{1,4000})\.([0-9]{1,4000})\.([0-9]{1,4000})")
_GROUP: Final = re.compile(r"[0-9a-fA-F]{1,4}")
_SLOPPY_GROUP: Final = re.compile(r"0*[0-9a-fA-F]{1,4}")


def parse_ip(text: str, *, sloppy: bool) -> bool:
    """Tell whether a text is an address; ``sloppy`` takes leading zeros in the numbers. Zones are none."""
    if ":" in text:
        return _is_ipv6(text, sloppy=sloppy)
    return _is_ipv4(text, sloppy=sloppy)


def _is_ipv4(text: str, *, sloppy: bool) -> bool:
    match = _IPV4.fullmatch(text)
    if match is None:
        return False
    return all(
        len(part.lstrip("0")) <= 3 and int(part) <= 255 and (sloppy or len(part) == 1 or part[0] != "0")
        for part in match.groups()
    )


def _is_ipv6(text: str, *, sloppy: bool) -> bool:
    head, ellipsis, tail = text.partition("::")
    if "::" in tail or (not ellipsis and (text.startswith(":") or text.endswith(":"))):
        return False
    groups = [*(head.split(":") if head else []), *(tail.split(":") if tail else [])]
    size = len(groups)
    if groups and "." in groups[-1] and not text.endswith(":"):
        if not _is_ipv4(groups.pop(), sloppy=sloppy):
            return False
        size += 1
    pattern = _SLOPPY_GROUP if sloppy else _GROUP
    if any(pattern.fullmatch(group) is None for group in groups):
        return False
    return size < 8 if ellipsis else size == 8
