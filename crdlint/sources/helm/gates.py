"""What a template of a chart depends on, read from its text and from the named templates that it includes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import zip_longest
from typing import Final

from crdlint.light import regex
from crdlint.sources.helm.chart import Chart
from crdlint.sources.helm.layout import TEMPLATES

_VERSION: Final = regex(r"\.Capabilities(?:\.KubeVersion\b|(?!\s*\.))")
_INCLUDED: Final = regex(r"\b(?:include|template)\s+(\"[^\"]+\"|`[^`]+`)")
_INCLUDES: Final = regex(r"\b(?:include|template)\s")
_FILES: Final = regex(r"\.Files\b|\btpl\s")
_DEFINED: Final = regex(r"\{\{-?\s*(?:define|block)\s+(\"[^\"]+\"|`[^`]+`)")


def asks_for_version(chart: Chart) -> bool:
    """Return whether what Helm renders of a chart may depend on the version of Kubernetes."""
    if not _may_ask(chart):
        return False
    defined = _named_templates(chart)
    texts = (directives_in(file.text) for _, file in chart.all_templates() if b"{{" in file.data)
    return any(_asks(text, defined, set()) for text in texts)


def names_that_ask(chart: Chart) -> frozenset[str]:
    """Return the names of the named templates whose output may depend on the version of Kubernetes."""
    if not _may_ask(chart):
        return frozenset()
    defined = _named_templates(chart)
    return frozenset(name for name, text in defined.items() if _asks(text, defined, set()))


def included_names(pipeline: str) -> set[str]:
    """Return the names of the named templates that a pipeline includes."""
    return {name[1:-1] for name in _INCLUDED.findall(pipeline)}


def _may_ask(chart: Chart) -> bool:
    return any(b".Capabilities" in file.data for file in chart.all_files())


def _named_templates(chart: Chart) -> dict[str, str]:
    """Return the texts of the named templates of a chart and of those in it by their names."""
    defined: dict[str, str] = {}
    for file in chart.all_files():
        if file.name.startswith(f"{TEMPLATES}/") and b"define" in file.data:
            defined |= _definitions(file.text)
    return defined


_DIRECTIVE: Final = regex(r"\{\{.*?(?:\}\}|\Z)", re.DOTALL)


def directives_in(text: str) -> str:
    """Return the directives of a template without the text between them, which is long in CRDs."""
    return "\n".join(_DIRECTIVE.findall(text))


def _definitions(text: str) -> dict[str, str]:
    """Return the named templates of a text; a text ends where the next one begins."""
    starts = list(_DEFINED.finditer(text))
    ends = [match.start() for match in starts[1:]]
    return {match[1][1:-1]: text[match.end() : end] for match, end in zip_longest(starts, ends)}


def _asks(text: str, defined: Mapping[str, str], seen: set[str]) -> bool:
    pending = [text]
    while pending:
        current = pending.pop()
        if _VERSION.search(current):
            return True
        names = included_names(current)
        is_dynamic = len(_INCLUDES.findall(current)) > len(
            _INCLUDED.findall(current)
        ) or _FILES.search(current)
        if is_dynamic:
            names |= defined.keys()
        pending += (defined[name] for name in names - seen if name in defined)
        seen |= names
    return False
