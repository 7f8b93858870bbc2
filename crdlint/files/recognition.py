"""Recognition of CRDs in bytes without parsing, and of misspelled kinds, apiVersions and keys."""

from __future__ import annotations

import codecs
import re
from binascii import b2a_base64
from functools import lru_cache
from itertools import islice
from typing import Final

from crdlint.light import regex

KIND: Final = "CustomResourceDefinition"
GROUP: Final = "apiextensions.k8s.io"
VERSION: Final = f"{GROUP}/v1"
# What begins each placeholder of a document in its structure: of envsubst, of others, and of Helm.
HELM: Final = "{{"
PLACEHOLDERS: Final = ("${", "[[", HELM)

_KIND: Final = KIND.encode()
_BASE64: Final = b2a_base64(_KIND, newline=False)
_GROUP: Final = f"{GROUP}/".encode()
_UTF_16: Final = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# Escapes of double-quoted scalars that represent an ASCII character, or nothing at the end of a line.
_ESCAPE: Final = regex(
    rb"\\(?:x([0-9A-Fa-f]{2})|u00([0-9A-Fa-f]{2})|U000000([0-9A-Fa-f]{2})|(?:\r\n|[\r\n]|\xc2\x85|\xe2\x80[\xa8\xa9])[ \t]*)"
)
_BREAKS: Final = regex(rb"[\r\n]+[ \t]*")


def key_pattern(name: str, space: str = r"\s*") -> str:
    """Return a regular expression of a key, as YAML and JSON write it, from its name to its value.

    `space` is what may be on each side of the colon. The name comes first, because `re` searches for a literal quickly.
    """
    return rf"""{name}(?<![\w.-]{name}){QUOTE}{space}:{space}"""


def kind_of_object(kind: str) -> str:
    """Return a regular expression of the kind of an object that is no part of another one: at the beginning of a line."""
    return rf"(?m)^{QUOTE}{key_pattern('kind', ' *')}{QUOTE}{kind}\b"


QUOTE: Final = """["']?"""
# The kind of a CRD that is no part of another object, and of any CRD.
CRD_OBJECT: Final = regex(kind_of_object(KIND))
CRD_KIND: Final = regex(rf"{key_pattern('kind')}{QUOTE}{KIND}\b")
# A line with the name of an object, or of a part of it.
NAME_LINE: Final = regex(rf"(?m)^ {{2,}}{QUOTE}{key_pattern('name', ' *')}{QUOTE}([^\s\"'#]+)")

_KINDS: Final = regex(rf"{key_pattern('kind')}{QUOTE}([A-Za-z][A-Za-z _.-]{{0,60}})".encode())
_API_VERSIONS: Final = regex(
    rf"""{key_pattern("apiVersion")}{QUOTE}([^\s"'/,}}]{{1,253}})/""".encode()
)
# Groups of objects that no CRD defines: those of kube-apiserver, and those of configuration files of kubectl's tools.
_NOT_BY_CRD: Final = frozenset(
    f"{name}.k8s.io"
    for name in (
        "admissionregistration", "apiextensions", "apiregistration", "audit", "authentication", "authorization",
        "certificates", "coordination", "discovery", "events", "flowcontrol.apiserver", "internal.apiserver",
        "kubeadm", "kubelet.config", "kubeproxy.config", "kubescheduler.config", "kustomize.config", "metrics",
        "networking", "node", "rbac.authorization", "resource", "scheduling", "storage", "storagemigration",
    )
)  # fmt: skip

# A file with more different kinds does not contain manifests, and comparing them takes time.
_MOST_KINDS: Final = 1000
# The maximum number of edits between a name and its misspelled form.
_KIND_EDITS: Final = 2
_GROUP_EDITS: Final = 3
_LABEL_EDITS: Final = 2
_KEY_EDITS: Final = 1
_SHORT: Final = frozenset({"crd", "crds"})


def may_hold_crd(data: bytes) -> bool:
    """Return whether a file may contain a CRD, or an object that was meant to be one."""
    if _KIND in data or _GROUP in data or names_crd(data):
        return True
    kinds = islice(dict.fromkeys(_KINDS.findall(data)), _MOST_KINDS)
    return any(is_near_kind(kind.decode("ascii", "replace")) for kind in kinds)


def may_have_crd(group: str) -> bool:
    """Return whether a CRD can define objects of a group, instead of Kubernetes itself."""
    return "." in group and group not in _NOT_BY_CRD


def groups_in(data: bytes) -> frozenset[str]:
    """Return the groups of the objects in a file that CRDs may define, as far as they are written without escapes."""
    if b"apiVersion" not in data:
        return frozenset()
    groups = set(_API_VERSIONS.findall(data))
    return frozenset(filter(may_have_crd, (group.decode("utf-8", "replace") for group in groups)))


def is_lfs_pointer(data: bytes) -> bool:
    """Return whether a file is what Git LFS commits in the place of a large file."""
    return data.startswith(b"version https://git-lfs.github.com/spec/")


LFS_POINTER: Final = "a pointer of Git LFS, not the file itself: `git lfs pull` downloads it"


def names_crd(data: bytes) -> bool:
    """Return whether the kind of a CRD occurs in the bytes, in any form that YAML and JSON allow."""
    if _KIND in data:
        return True
    if b"\0" in data:
        data = _without_zeros(data)
    if b"\\" in data:
        data = _ESCAPE.sub(
            lambda match: bytes.fromhex((match[1] or match[2] or match[3] or b"").decode()), data
        )
    if _KIND in data:
        return True
    # A tag such as `!!binary`, in any of its spellings.
    return b"!" in data and _BASE64 in _BREAKS.sub(b"", data)


def _without_zeros(data: bytes) -> bytes:
    """Return UTF-16 and UTF-32 as bytes in which ASCII characters are adjacent."""
    for mark, encoding in _UTF_16:
        if data.startswith(mark) and not data.startswith(codecs.BOM_UTF32_LE):
            return data.decode(encoding, "replace").encode("utf-8", "replace")
    return data.replace(b"\0", b"")


@lru_cache(_MOST_KINDS)
def is_near_kind(kind: str) -> bool:
    """Return whether a kind was probably meant to be that of a CRD: misspelled, plural, in other case or abbreviated."""
    letters = re.sub("[^a-z]", "", kind.lower())
    return letters in _SHORT or edits(letters, KIND.lower(), _KIND_EDITS) <= _KIND_EDITS


@lru_cache(_MOST_KINDS)
def is_near_group(group: str) -> bool:
    """Return whether an API group was probably meant to be that of CRDs."""
    folded = group.lower()
    label, _, rest = folded.partition(".")
    is_label = edits(label, GROUP.partition(".")[0], _LABEL_EDITS) <= _LABEL_EDITS
    is_other = rest and not rest.startswith(("k8s", "kube"))
    return (is_label and not is_other) or edits(folded, GROUP, _GROUP_EDITS) <= _GROUP_EDITS


@lru_cache(_MOST_KINDS)
def is_near_key(key: str, name: str) -> bool:
    """Return whether a key was probably meant to be a known one: in other case, or with one edit."""
    return key != name and edits(key.lower(), name.lower(), _KEY_EDITS) <= _KEY_EDITS


def edits(text: str, other: str, limit: int) -> int:
    """Return the number of insertions, deletions, replacements and swaps between two texts, at most `limit` + 1."""
    if abs(len(text) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, char in enumerate(text, 1):
        previous_row, row = row, [i]
        for j, other_char in enumerate(other, 1):
            cost = min(
                previous_row[j] + 1, row[j - 1] + 1, previous_row[j - 1] + (char != other_char)
            )
            if before and j > 1 and char == other[j - 2] and text[i - 2] == other_char:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before = previous_row
    return min(row[-1], limit + 1)
