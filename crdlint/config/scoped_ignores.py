"""Ignores by place: entries of `ignore` in a configuration that are for some CRDs, versions and fields only."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from datetime import date
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from crdlint.config.matched_comments import is_reported_in_each_run, is_withheld
from crdlint.config.rule_patterns import is_matched, shown
from crdlint.crd.positions import Span
from crdlint.files.patterns import is_in_order
from crdlint.light import dataclass
from crdlint.linting.result import CRD, FileResult
from crdlint.rules.texts.reading import UNUSED

if TYPE_CHECKING:
    from crdlint.config.identity import FindingIdentity
    from crdlint.config.model import Config, Ignore
    from crdlint.diagnostics import Diagnostic


def scoped_ignores(result: FileResult, config: Config) -> dict[int, Ignore]:
    """Return the entry that ignores each of the ignored findings of a file, by the finding's index."""
    valid = [entry for entry in config.ignores if not has_ended(entry)]
    patterns = set(chain.from_iterable(entry.rules for entry in valid))
    if not any(is_matched(finding.rule, patterns) for finding in result.diagnostics):
        return {}
    from crdlint.config.identity import identities

    matched: dict[int, Ignore] = {}
    identified = zip(result.diagnostics, identities(result), strict=True)
    for i, (finding, versions) in enumerate(identified):
        ignoring = filter(partial(_ignores, finding=finding, versions=versions), valid)
        entry = next(ignoring, None)
        if entry is not None:
            matched[i] = entry
    return matched


def _ignores(entry: Ignore, finding: Diagnostic, versions: Sequence[FindingIdentity]) -> bool:
    """Return whether an entry ignores a finding: in all versions of the CRD that have it."""
    if not versions or not _is_about(entry, finding):
        return False
    return all(_is_at(entry, version, finding.user_path) for version in versions)


def has_ended(entry: Ignore) -> bool:
    """Return whether the last day of an entry is over, by the local date."""
    return bool(entry.until) and entry.until < date.today().isoformat()


def _is_about(entry: Ignore, finding: Diagnostic) -> bool:
    """Return whether an entry is about findings of a rule with such a message."""
    is_named = _may_be(entry.message, finding.message) or _may_be(entry.message, finding.headline)
    return is_named and is_matched(finding.rule, entry.rules)


def _is_at(entry: Ignore, identity: FindingIdentity, user_path: str) -> bool:
    if not (_may_be(entry.crd, identity.crd) and _may_be(entry.version, identity.version)):
        return False
    path = user_path if entry.path.startswith(".") else identity.path
    return any(_may_be(entry.path, part) for part in _beginnings(path))


def _beginnings(path: str) -> Iterator[str]:
    """Yield the paths of what contains the value at a path, and the path itself."""
    for match in re.finditer(r"[.\[]", path):
        yield path[: match.start()]
    yield path


def _may_be(pattern: str, name: str) -> bool:
    return not pattern or is_in_order(pattern.split("*"), name)


@dataclass(slots=True)
class UsedIgnores:
    """The entries of the configurations of a run, and those that need no report: they ignored a finding, or could not."""

    configs: dict[str, Config] = field(default_factory=dict)
    met: set[Ignore] = field(default_factory=set)
    settled: set[Ignore] = field(default_factory=set)

    def add(self, result: FileResult, config: Config, used: Iterable[Ignore]) -> None:
        """Add a file, and the entries of its configuration that ignored a finding in it."""
        if not config.ignores or config.file is None:
            return
        self.configs[config.file] = config
        self.settled.update(used)
        kinds = frozenset(finding.kind for finding in result.diagnostics)
        met = [entry for entry in config.ignores if _is_for_any(entry, result.crds)]
        self.met.update(met)
        if "decode" in kinds:
            self.settled.update(met)
        elif "field" in kinds:
            self.settled.update(entry for entry in met if any(map(is_withheld, entry.rules)))

    def unused(self, paths: Iterable[str]) -> Iterator[tuple[FileResult, Config]]:
        """Yield the findings about entries that ignored nothing, by configuration.

        An entry for one CRD is reported if the run checked it, any other only if `paths` contain the configuration's folder.
        """
        tops = tuple(os.path.join(os.path.abspath(path), "") for path in paths)  # noqa: PTH100, PTH118  links are kept
        for file, config in self.configs.items():
            is_whole = os.path.join(config.folder, "").startswith(tops)  # noqa: PTH118
            entries: Iterable[Ignore] = config.ignores
            if not is_whole:
                entries = filter(self._is_of_met_crd, entries)
            for entry in entries:
                finding = self._finding(entry, config)
                if finding is not None:
                    yield FileResult(entry.file or file, diagnostics=(finding,)), config

    def _is_of_met_crd(self, entry: Ignore) -> bool:
        """Return whether an entry is for one CRD, and the run checked that."""
        return bool(entry.crd) and "*" not in entry.crd and entry in self.met

    def _finding(self, entry: Ignore, config: Config) -> Diagnostic | None:
        """Return the finding about an entry that has ended or ignored nothing, None if there is none."""
        if has_ended(entry):
            return _remark(entry, f"the entry ended on {entry.until}", _ENDED)
        if self._is_needed(entry, config):
            return None
        names = (entry.crd, entry.version, entry.path, entry.message)
        where = " ".join(filter(None, names))
        rules = ", ".join(entry.rules)
        message = f"the entry ignores nothing: no finding of {rules} in {shown(where or '*')}"
        return _remark(entry, message, "Remove the entry, or correct its names")

    def _is_needed(self, entry: Ignore, config: Config) -> bool:
        """Return whether an entry ignored a finding, or whether this run could not show that it ignores none."""
        if entry in self.settled or not all(map(is_reported_in_each_run, entry.rules)):
            return True
        file = entry.file or config.file or ""
        return all(config.ignored_by(rule, file) is not None for rule in entry.rules)


def _is_for_any(entry: Ignore, crds: Iterable[CRD]) -> bool:
    return any(_may_be(entry.crd, crd.name) for crd in crds)


_ENDED: Final = "Fix its findings, which are reported again, or set a later day"


def _remark(entry: Ignore, message: str, help_: str) -> Diagnostic:
    span = Span(entry.line, entry.column, entry.line, entry.column)
    return UNUSED.diagnostic(
        entry.file,
        "advice",
        message,
        span,
        help_,
    )
