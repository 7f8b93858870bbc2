"""API groups that the Go code of a module names where it defines types: CRDs of other groups are copies of other projects."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from crdlint.files.folders import OF_OTHERS
from crdlint.files.read import readable_text, with_parents
from crdlint.light import regex

_MODULE: Final = "go.mod"
# In the names of files of Go that define or register types.
_WORDS: Final = ("type", "register", "group", "const", "doc")
_GROUP: Final = regex(r"(?:\"|groupName=)([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?=[\"\s])")
_NOT_READ: Final = OF_OTHERS | {".git", "testdata"}


def is_of_other_project(name: str, path: str) -> bool:
    """Return whether a CRD in a Go module has a group whose domain no group of the module has.

    Of several modules around the file, it is the innermost one whose code names a group. Without any, this is not known, and
    the result is False.
    """
    folders = with_parents(os.path.dirname(os.path.abspath(path)))
    modules = (each for each in folders if os.path.isfile(os.path.join(each, _MODULE)))
    domains: frozenset[str] = next(filter(None, map(_domains_of, modules)), frozenset())
    return bool(domains) and _domain(name) not in domains


def _domain(name: str) -> str:
    """Return the last two labels of a group, or of the name of a CRD: those of `widgets.apps.example.com` are `example.com`."""
    return ".".join(name.split(".")[-2:])


@lru_cache(maxsize=8)
def _domains_of(module: str) -> frozenset[str]:
    """Return the domains of the groups that the code in a directory names."""
    texts = map(readable_text, _files_of(module))
    return frozenset(map(_domain, chain.from_iterable(map(_GROUP.findall, texts))))


def _files_of(module: str) -> Iterator[str]:
    for folder, folders, names in os.walk(module):
        folders[:] = set(folders) - _NOT_READ
        for name in names:
            if name.endswith(".go") and any(word in name for word in _WORDS):
                yield os.path.join(folder, name)
