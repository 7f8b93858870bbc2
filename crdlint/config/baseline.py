"""The baseline: a JSON file of findings that are known, so that only new ones are told (``--baseline FILE``).

Its entries are told apart as ``identity.py`` says, with a count where several are alike. Entries of CRDs that a run did
not meet are neither missed nor dropped by it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crdlint.config.model import ConfigError, ConfigProblem
from crdlint.config.rule_patterns import current_id
from crdlint.safety import atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crdlint.config.identity import Identity
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult

FORMAT_VERSION: Final = 1
_ABOUT: Final = (
    "Known findings of crdlint, by CRD, version, path and rule. Written by "
    "`crdlint check --baseline FILE --update-baseline`: run that again rather than edit this."
)
_KEYS: Final = ("crd", "version", "path", "rule")
_MOST: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a baseline: what the finding is, and how many alike."""

    identity: Identity
    count: int

    def __str__(self) -> str:
        crd, version, path, rule = self.identity
        times = f" ({self.count} times)" if self.count > 1 else ""
        return f"{rule} in {crd}{f' {version}' if version else ''}{f' at {path}' if path else ''}{times}"


@dataclass(frozen=True, slots=True)
class Filtered:
    """What a baseline leaves of results: those with the findings that are new, the known ones, and entries not met."""

    results: tuple[FileResult, ...]
    known: tuple[Diagnostic, ...]
    stale: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class KnownFindings:
    """Known findings and how often each is known."""

    counts: Mapping[Identity, int] = field(default_factory=dict)

    def matching(self) -> BaselineMatcher:
        """Return the state of a run against this baseline."""
        return BaselineMatcher(Counter(self.counts))

    def filter(self, results: Iterable[FileResult]) -> Filtered:
        """Take the known findings out of results, given in the order in which they are told."""
        matching = self.matching()
        left: list[FileResult] = []
        known: list[Diagnostic] = []
        for result in results:
            found = matching.take(result)
            known += [d for i, d in enumerate(result.diagnostics) if i in found]
            left.append(replace(result, diagnostics=tuple(_without(result.diagnostics, found))))
        return Filtered(tuple(left), tuple(known), matching.stale())

    def update(self) -> Update:
        """Return what makes a new baseline of a run's findings."""
        return Update(self.counts)

    def updated(self, results: Iterable[FileResult]) -> KnownFindings:
        """Return the baseline of the findings in results."""
        update = self.update()
        for result in results:
            update.add(result)
        return update.baseline()


@dataclass(slots=True)
class Update:
    """A new baseline in the making; of CRDs that are not met, what was known is kept."""

    known: Mapping[Identity, int]
    counts: Counter[Identity] = field(default_factory=Counter)
    met: set[str] = field(default_factory=set)

    def add(self, result: FileResult) -> None:
        """Add the findings of a file."""
        from crdlint.config.identity import identities

        self.met.update(crd.name for crd in result.crds)
        for alternatives in identities(result):
            self.counts.update(alternatives)

    def baseline(self) -> KnownFindings:
        """Return the baseline of what was added."""
        met = self.met.union(identity.crd for identity in self.counts)
        kept = {identity: count for identity, count in self.known.items() if identity.crd not in met}
        return KnownFindings(kept | self.counts)


@dataclass(slots=True)
class BaselineMatcher:
    """What is left of a baseline's counts while a run goes on, and the CRDs that it met."""

    left: Counter[Identity]
    met: set[str] = field(default_factory=set)

    def take(self, result: FileResult) -> frozenset[int]:
        """Return which findings of a file are known, by index; those of equal identity are known up to their count."""
        from crdlint.config.identity import identities

        self.met.update(crd.name for crd in result.crds)
        known = set()
        for i, alternatives in enumerate(identities(result)):
            for identity in alternatives:
                if self.left[identity] > 0:
                    self.left[identity] -= 1
                    known.add(i)
        return frozenset(known)

    def stale(self) -> tuple[Entry, ...]:
        """Return the entries that no finding was met for, of the CRDs that were checked."""
        return tuple(
            Entry(identity, count)
            for identity, count in sorted(self.left.items())
            if count > 0 and identity.crd in self.met
        )


def _without(diagnostics: Iterable[Diagnostic], known: frozenset[int]) -> list[Diagnostic]:
    return [diagnostic for i, diagnostic in enumerate(diagnostics) if i not in known]


def read(path: str, *, missing_ok: bool = False) -> KnownFindings:
    """Read a baseline; ``missing_ok`` makes one that is not there empty. Raises ConfigError, with the line."""
    from crdlint.inputs.read import UnreadableError, decode, read_bytes

    if not os.path.exists(path):  # noqa: PTH110  a link to a file that is not there yet counts as none
        if missing_ok:
            return KnownFindings()
        raise ConfigError((ConfigProblem("there is no such file; --update-baseline makes it", path),))
    try:
        text = decode(read_bytes(path))
    except UnreadableError as error:
        raise ConfigError((ConfigProblem(f"cannot be read: {error}", path),)) from error
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        lines = text.split("\n")
        is_conflict = lines[error.lineno - 1].startswith(("<<<<<<<", "=======", ">>>>>>>"))
        said = "a merge conflict: keep the entries of both sides" if is_conflict else f"not valid JSON: {error.msg}"
        raise ConfigError(
            (ConfigProblem(f"{said}, or delete it and run --update-baseline", path, error.lineno, error.colno),)
        ) from error
    except (RecursionError, ValueError) as error:
        said = "nested too deeply" if isinstance(error, RecursionError) else "a number too large"
        raise ConfigError((ConfigProblem(f"not a baseline: {said}", path),)) from error
    return _baseline(document, text, path)


def _baseline(document: Any, text: str, path: str) -> KnownFindings:
    from crdlint.config.identity import Identity

    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise ConfigError((ConfigProblem("not a baseline: it has no list of `findings`", path),))
    version = document.get("version")
    if version != FORMAT_VERSION or isinstance(version, bool):
        line, column = _place(text, ["version"])
        shown = json.dumps(version)[:40]
        said = f"a baseline of version {shown}, and this crdlint reads version {FORMAT_VERSION}"
        raise ConfigError((ConfigProblem(said, path, line, column),))
    counts: dict[Identity, int] = {}
    for i, entry in enumerate(document["findings"]):
        wrong = _wrong(entry)
        if wrong is not None:
            line, column = _place(text, ["findings", i])
            raise ConfigError((ConfigProblem(f"entry {i + 1}: {wrong}", path, line, column),))
        identity = Identity(*(entry.get(key, "") for key in _KEYS))
        identity = identity._replace(rule=current_id(identity.rule))
        # The same twice comes of a merge, where both sides know it.
        counts[identity] = max(counts.get(identity, 0), entry.get("count", 1))
    return KnownFindings(counts)


def _wrong(entry: Any) -> str | None:
    """Return what is wrong with an entry, None where nothing is."""
    if not isinstance(entry, dict):
        return "no object with crd, path and rule"
    for key in _KEYS:
        if key not in entry and key != "version":
            return f"has no `{key}`"
        if not isinstance(entry.get(key, ""), str):
            return f"`{key}` is no string"
    count = entry.get("count", 1)
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= _MOST:
        return "`count` is no number of findings"
    return None


def _place(text: str, steps: list[str | int]) -> tuple[int, int]:
    """Return where a part of the JSON stands, 1-based; the first line where that cannot be told."""
    from crdlint.config.model import BrokenError
    from crdlint.config.yaml_file import read_yaml

    try:
        return read_yaml(text).place(steps, False)
    except BrokenError:
        return 1, 1


def write(path: str, baseline: KnownFindings) -> bool:
    """Write a baseline, whole or not at all; return False where the file has it already. Raises ConfigError."""
    data = _rendered(baseline).encode("utf-8", "surrogatepass")
    target = Path(path).resolve()
    try:
        if target.is_file() and target.read_bytes() == data:
            return False
        atomic.write(path, data)
    except OSError as error:
        raise ConfigError((ConfigProblem(f"cannot be written: {error.strerror or error}", path),)) from error
    return True


def _rendered(baseline: KnownFindings) -> str:
    """Return a baseline as text: sorted, an entry a line, so that a change shows as what it is."""
    entries = []
    for identity, count in sorted(baseline.counts.items()):
        entry: dict[str, Any] = {key: value for key, value in identity._asdict().items() if value or key != "version"}
        if count > 1:
            entry["count"] = count
        entries.append("    " + json.dumps(entry))
    findings = "[\n" + ",\n".join(entries) + "\n  ]" if entries else "[]"
    return f'{{\n  "about": {json.dumps(_ABOUT)},\n  "version": {FORMAT_VERSION},\n  "findings": {findings}\n}}\n'
