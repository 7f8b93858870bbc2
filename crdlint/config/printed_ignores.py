"""Entries of `ignore` that are printed for a configuration (`--add-ignore --to-config`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Final

from crdlint.config.identity import identities
from crdlint.light import NamedTuple, dataclass, regex
from crdlint.linting.result import FileResult
from crdlint.phrases import agreeing, counted

_PLAIN: Final = regex(r"[A-Za-z][\w./\[\]-]*")
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


class _Part(NamedTuple):
    """A part of a CRD, which an entry is for; without a version it is a part of each."""

    crd: str
    version: str
    path: str


@dataclass(slots=True)
class PrintedIgnores:
    """The findings of a run that entries of `ignore` would ignore: the rules by the part of a CRD that has them."""

    findings: int = 0
    _rules: dict[_Part, set[str]] = field(default_factory=dict)

    def ignored_in(self, result: FileResult) -> frozenset[int]:
        """Add the findings of a file that belong to a CRD, and return their indexes."""
        ignored = set()
        for i, versions in enumerate(identities(result)):
            if not versions or result.diagnostics[i].hidden:
                continue
            first = versions[0]
            version = first.version if len(versions) == 1 else ""
            part = _Part(first.crd, version, first.path)
            self._rules.setdefault(part, set()).add(first.rule)
            self.findings += 1
            ignored.add(i)
        return frozenset(ignored)

    def end(self, write: Callable[[str], None]) -> Iterator[str]:
        """Write the entries line by line, and yield a summary."""
        for line in self.lines():
            write(line)
        yield self.summary()

    def lines(self) -> Iterator[str]:
        """Yield the entries as lines of YAML, none without any."""
        if self._rules:
            yield "ignore:"
        for part, rules in sorted(self._rules.items()):
            yield f"- rules: [{', '.join(sorted(rules))}]"
            for key, value in part._asdict().items():
                if value:
                    yield f"  {key}: {_scalar(value)}"

    def summary(self) -> str:
        """Return a summary in one line."""
        count = len(self._rules)
        entries = counted(count, "entry", "entries")
        verb = agreeing(count, "ignores", "ignore")
        findings = counted(self.findings, "finding")
        return f"{entries} for the configuration, which {verb} {findings}"


def _scalar(text: str) -> str:
    is_plain = _PLAIN.fullmatch(text) is not None and text.lower() not in _WORDS
    return text if is_plain else json.dumps(text)
