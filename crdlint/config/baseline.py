"""The baseline: a JSON file of known findings, so that only new ones are reported (`--baseline FILE`).

Its entries are identified as in `identity.py`, with a count for equal ones. Entries of CRDs that a run did not check
are neither reported as stale nor removed.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final, TypeAlias

from crdlint.config.identity import FindingIdentity, identities
from crdlint.config.model import BrokenError, ConfigError, ConfigProblem
from crdlint.config.rule_patterns import current_id
from crdlint.files.read import reason
from crdlint.files.repository import LINK_OUT, leads_out
from crdlint.light import dataclass
from crdlint.linting.result import FileResult
from crdlint.phrases import counted
from crdlint.safety import atomic

# The known findings and the count of each.
KnownFindings: TypeAlias = Mapping[FindingIdentity, int]

FORMAT_VERSION: Final = 1
_ABOUT: Final = (
    "Known findings of crdlint, by CRD, version, path and rule. Written by "
    "`crdlint check --baseline FILE --update-baseline`: run that again rather than edit this."
)
_KEYS: Final = ("crd", "version", "path", "rule")
_MOST: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """An entry of a baseline: the identity of a finding, and its count."""

    identity: FindingIdentity
    count: int

    def __str__(self) -> str:
        crd, version, path, rule = self.identity
        words = [rule, "in", crd]
        if version:
            words.append(version)
        if path:
            words += ["at", path]
        if self.count > 1:
            words.append(f"({self.count} times)")
        return " ".join(words)


@dataclass(slots=True)
class Update:
    """A builder of a new baseline for a file; entries of CRDs that are not checked are kept."""

    earlier: KnownFindings
    file: str = ""
    counts: Counter[FindingIdentity] = field(default_factory=Counter)
    met: set[str] = field(default_factory=set)

    def ignored_in(self, result: FileResult) -> frozenset[int]:
        """Add the findings of a file that belong to a CRD, and return their indexes."""
        self.met.update(crd.name for crd in result.crds)
        identified = identities(result)
        for versions in identified:
            self.counts.update(versions)
        return frozenset(i for i, versions in enumerate(identified) if versions)

    def summary(self) -> str:
        """Return how many entries the new baseline has, and how many were added, removed and changed."""
        old, new = self.earlier, self.baseline()
        changed = sum(old[identity] != count for identity, count in new.items() if identity in old)
        changes = {
            "added": len(new.keys() - old.keys()),
            "removed": len(old.keys() - new.keys()),
            "changed": changed,
        }
        listed = ", ".join(f"{count:,} {word}" for word, count in changes.items() if count)
        return f"{counted(len(new), 'entry', 'entries')}: {listed or 'none added or removed'}"

    def end(self, _: object) -> Iterator[str]:
        """Write the new baseline, and yield a line about it; raise ConfigError if it cannot be written."""
        write(self.file, self.baseline())
        yield f"{self.file}: {self.summary()}"

    def baseline(self) -> KnownFindings:
        """Return the new baseline."""
        met = self.met.union(identity.crd for identity in self.counts)
        unchecked = {
            identity: count for identity, count in self.earlier.items() if identity.crd not in met
        }
        return unchecked | self.counts


@dataclass(slots=True)
class BaselineMatcher:
    """The remaining counts of a baseline during a run, and the CRDs that were checked.

    `reports_stale` is whether entries are reported that are no longer found.
    """

    left: Counter[FindingIdentity]
    met: set[str] = field(default_factory=set)
    reports_stale: bool = True

    def ignored_in(self, result: FileResult) -> frozenset[int]:
        """Return the indexes of the known findings of a file; findings with equal identity are known up to their count."""
        self.met.update(crd.name for crd in result.crds)
        indexes = set()
        for i, alternatives in enumerate(identities(result)):
            for identity in alternatives:
                if self.left[identity] > 0:
                    self.left[identity] -= 1
                    indexes.add(i)
        return frozenset(indexes)

    def end(self, _: object) -> Iterator[str]:
        """Yield a line for each entry that is no longer found."""
        for entry in self.stale() if self.reports_stale else ():
            yield f"note: no longer found, --update-baseline removes it: {entry}"

    def stale(self) -> tuple[BaselineEntry, ...]:
        """Return the entries without a finding, for the CRDs that were checked."""
        return tuple(
            BaselineEntry(*item) for item in sorted((+self.left).items()) if item[0].crd in self.met
        )


def read(path: str, *, missing_ok: bool = False) -> KnownFindings:
    """Read a baseline; with `missing_ok`, a missing one is empty. Raise ConfigError with the line if it is invalid."""
    from crdlint.files.read import UnreadableError, decode, read_bytes

    if not os.path.exists(path):  # noqa: PTH110  a link to a file that is not there yet counts as none
        if missing_ok:
            return {}
        raise ConfigError(ConfigProblem("there is no such file; --update-baseline makes it", path))
    try:
        text = decode(read_bytes(path))
    except UnreadableError as error:
        raise ConfigError(ConfigProblem(f"cannot be read: {error}", path)) from error
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        reason = f"not valid JSON: {error.msg}"
        if text.split("\n")[error.lineno - 1].startswith(("<<<<<<<", "=======", ">>>>>>>")):
            reason = "a merge conflict: keep the entries of both sides"
        reason += ", or delete it and run --update-baseline"
        raise ConfigError(ConfigProblem(reason, path, error.lineno, error.colno)) from error
    except (RecursionError, ValueError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else "a number too large"
        raise ConfigError(ConfigProblem(f"not a baseline: {reason}", path)) from error
    return _baseline(document, text, path)


def _baseline(document: Any, text: str, path: str) -> KnownFindings:
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise ConfigError(ConfigProblem("not a baseline: it has no list of `findings`", path))
    version = document.get("version")
    if version != FORMAT_VERSION or isinstance(version, bool):
        line, column = _locate(text, ["version"])
        shown = json.dumps(version)[:40]
        reason = f"a baseline of version {shown}, and this crdlint reads version {FORMAT_VERSION}"
        raise ConfigError(ConfigProblem(reason, path, line, column))
    counts: dict[FindingIdentity, int] = {}
    for i, entry in enumerate(document["findings"]):
        wrong = _wrong(entry)
        if wrong is not None:
            line, column = _locate(text, ["findings", i])
            raise ConfigError(ConfigProblem(f"entry {i + 1}: {wrong}", path, line, column))
        identity = FindingIdentity(*(entry.get(key, "") for key in _KEYS))
        identity = identity._replace(rule=current_id(identity.rule))
        # Duplicate entries result from a merge in which both sides have the entry.
        counts[identity] = max(counts.get(identity, 0), entry.get("count", 1))
    return counts


def _wrong(entry: Any) -> str | None:
    if not isinstance(entry, dict):
        return "no object with crd, path and rule"
    for key in _KEYS:
        if key not in entry and key != "version":
            return f"has no `{key}`"
        if not isinstance(entry.get(key, ""), str):
            return f"`{key}` is no string"
    count = entry.get("count", 1)
    is_number = type(count) is int and 1 <= count <= _MOST
    return None if is_number else "`count` is no number of findings"


def _locate(text: str, steps: list[str | int]) -> tuple[int, int]:
    """Return the 1-based position of a part of the JSON, or the first line if it is unknown."""
    from crdlint.config.from_yaml import read_yaml

    try:
        return read_yaml(text).locate(steps, False)
    except BrokenError:
        return 1, 1


def write(path: str, baseline: KnownFindings) -> bool:
    """Write a baseline atomically; return False if the file is up to date. Raise ConfigError if it cannot be written."""
    data = _rendered(baseline).encode("utf-8", "surrogatepass")
    try:
        if leads_out(path):
            raise OSError(LINK_OUT)
        if Path(path).is_file() and Path(path).read_bytes() == data:
            return False
        atomic.write(path, data)
    except OSError as error:
        raise ConfigError(ConfigProblem(f"cannot be written: {reason(error)}", path)) from error
    return True


def _rendered(baseline: KnownFindings) -> str:
    """Return a baseline as text: sorted, with one entry per line, so that diffs are readable."""
    entries = []
    for identity, count in sorted(baseline.items()):
        entry: dict[str, str | int] = identity._asdict()
        if not identity.version:
            del entry["version"]
        if count > 1:
            entry["count"] = count
        entries.append("    " + json.dumps(entry))
    findings = "[\n" + ",\n".join(entries) + "\n  ]" if entries else "[]"
    return f'{{\n  "about": {json.dumps(_ABOUT)},\n  "version": {FORMAT_VERSION},\n  "findings": {findings}\n}}\n'
