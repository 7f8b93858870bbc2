"""Configurations as data that can be pickled, and their errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from crdlint.changes.change import Policy
from crdlint.config.rule_patterns import current_id, is_glob, is_matched
from crdlint.diagnostics import MERGE_KEY_OVERRIDE, Severity
from crdlint.files.patterns import compiled
from crdlint.kubernetes.servers import Range
from crdlint.light import NamedTuple
from crdlint.rules import SETS

Step: TypeAlias = "str | int"
# 1-based line and column.
LineColumn: TypeAlias = "tuple[int, int]"


class ConfigSource(NamedTuple):
    """The values of a configuration, `problems` (message, position) of its text, and `locate(steps, key)` for positions."""

    values: Any
    locate: Callable[[Sequence[Step], bool], LineColumn]
    problems: tuple[tuple[str, LineColumn], ...] = ()


class BrokenError(Exception):
    """A text cannot be parsed: the reason and the position."""

    def __init__(self, message: str, position: LineColumn) -> None:
        super().__init__(message, position)
        self.message = message
        self.position = position


Level: TypeAlias = Literal["error", "warning", "info", "off"]
FailOn: TypeAlias = Literal["error", "warning", "info", "never"]
FieldValidation: TypeAlias = Literal["strict", "warn", "ignore"]
# The reasons why a finding is not reported.
IgnoredBy: TypeAlias = Literal[
    "select",
    "ignore",
    "per-file-ignores",
    "severity",
    "min-severity",
    "comment",
    "baseline",
    "field-validation",
]


class ConfigProblem(NamedTuple):
    """An error in a configuration: message and position (1-based)."""

    message: str
    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class ConfigError(Exception):
    """A configuration is invalid; `str()` has one line per error, with its position."""

    def __init__(self, *faults: ConfigProblem) -> None:
        super().__init__(*faults)
        self.faults = faults

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))


class Ignore(NamedTuple):
    """An entry of `ignore`: rules not to report in some CRDs, versions and fields.

    Where a text is empty, all of them are meant, and in `crd`, `version`, `path` and `message`, `*` is any text.

    - `path`: contains what is below it; one that begins with a dot is that of a field in objects, any other that of an `Identity`
    - `reason`: why
    - `until`: the last day on which the entry counts (such as 2026-12-31), empty for all days
    - `severity`: with it, the findings are reported with that severity instead
    - `file`, `line`, `column`: the place of the entry (1-based)
    """

    rules: tuple[str, ...]
    crd: str = ""
    version: str = ""
    path: str = ""
    message: str = ""
    reason: str = ""
    until: str = ""
    severity: Severity | None = None
    file: str = ""
    line: int = 1
    column: int = 1


class Config(NamedTuple):
    """The configuration of the files below a directory; without a file, the defaults.

    Rules are ids or patterns of them (`cel-*`).

    - `folder`: absolute; patterns of files are relative to it
    - `select`, `ignore`: the rules to report, and those of them not to report
    - `ignores`: the entries of `ignore` for some CRDs only
    - `severity`, `per_file_ignores`: pairs in the order of the file
    - `exclude`: the files that are not checked
    - `exclude_samples`: the files whose custom resources are not validated with the CRDs
    - `sets`: the own sets of rules
    - `crds`: where `crdlint validate` finds the CRDs
    - `placeholders`: additional patterns of placeholders in samples; None disables all patterns
    - `change`: the policy of updates
    - `field_validation`: which fields clients let pass; without it, `in_chart` decides
    - `senders`: the names of those who send the objects, empty for anyone
    - `in_chart`: whether Helm sends the file
    - `notices`: messages for the user
    """

    file: str | None = None
    folder: str = ""
    select: tuple[str, ...] = ("*",)
    ignore: tuple[str, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    severity: tuple[tuple[str, Level], ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    kube_version: Range | None = None
    exclude: tuple[str, ...] = ()
    exclude_samples: tuple[str, ...] = ()
    fail_on: FailOn = "error"
    min_severity: Severity = "info"
    sets: tuple[tuple[str, tuple[str, ...]], ...] = ()
    required_version: str | None = None
    include_dependencies: bool = False
    crds: tuple[str, ...] = ()
    placeholders: tuple[str, ...] | None = ()
    change: Policy = Policy()
    field_validation: FieldValidation | None = None
    senders: tuple[str, ...] = ()
    in_chart: bool = False
    notices: tuple[str, ...] = ()

    def selecting(
        self, select: Iterable[str], extended: Iterable[str], ignore: Iterable[str]
    ) -> Config:
        """Return the configuration with the rules of the command line.

        `extended` is appended to what is selected, and `ignore` to what the file ignores. `select` replaces that of the
        file, unless it is empty.
        """
        return self._replace(
            select=(with_sets(select, self.sets) or self.select) + with_sets(extended, self.sets),
            ignore=(*self.ignore, *with_sets(ignore, self.sets)),
        )

    def excludes(self, path: str) -> bool:
        """Return whether a file is excluded."""
        return _is_among(self.exclude, path, self.folder)

    def excludes_samples(self, path: str) -> bool:
        """Return whether the custom resources of a file are not validated with the CRDs."""
        return _is_among(self.exclude_samples, path, self.folder)

    def ignored_by(self, rule: str, path: str) -> IgnoredBy | None:
        """Return the reason why findings of a rule in a file are not reported, or None if they are."""
        if not is_matched(rule, self.select) or (_is_on_request(rule) and not self._names(rule)):
            return "select"
        if is_matched(rule, self.ignore):
            return "ignore"
        for pattern, rules in self.per_file_ignores:
            if is_matched(rule, rules) and _is_among((pattern,), path, self.folder):
                return "per-file-ignores"
        return "severity" if self._level(rule) == "off" else None

    def selects(self, rule: str) -> bool:
        """Return whether a rule is selected by name or pattern, other than by a pattern for all rules."""
        return is_matched(rule, (pattern for pattern in self.select if pattern != "*"))

    def _names(self, rule: str) -> bool:
        """Return whether the configuration selects a rule, or names it for its severity."""
        named = (name for name, _ in self.severity if name in SETS or not is_glob(name))
        return self.selects(rule) or is_matched(rule, named)

    def requested(self) -> frozenset[str]:
        """Return the rules that are only reported on request, and that the configuration asks for."""
        if not self.severity and set(self.select) <= {"*"}:  # as in most runs
            return frozenset()
        from crdlint.rules.catalog import on_request

        return frozenset(rule for rule in on_request() if self._names(rule))

    def severity_of(self, rule: str, own: Severity) -> Severity:
        """Return the severity of the findings of a rule; `own` is the default of the rule."""
        level = self._level(rule)
        return own if level is None or level == "off" else level

    def _level(self, rule: str) -> Level | None:
        """Return the configured level of a rule: by its id, else by the last pattern that matches."""
        exact: Level | None = None
        by_pattern: Level | None = None
        for pattern, level in self.severity:
            if current_id(pattern) == rule:
                exact = level
            elif is_matched(rule, (pattern,)):
                by_pattern = level
        return exact or by_pattern


def with_sets(names: Iterable[str], sets: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """Return names of rules with each name of a set replaced by the rules in it."""
    of = dict(sets)
    return tuple(rule for name in names for rule in of.get(name, (name,)))


def _is_among(patterns: tuple[str, ...], path: str, folder: str) -> bool:
    """Return whether gitignore patterns of a directory match a file below it."""
    if not patterns or path in {"-", "<stdin>"}:
        return False
    relative = os.path.relpath(path, folder or os.curdir)
    if relative == os.pardir or relative.startswith(os.pardir + os.sep):
        return False
    return _compiled(patterns).match(relative.replace(os.sep, "/"))


_compiled: Final = cache(compiled)


def _is_on_request(rule: str) -> bool:
    """Return whether a rule is on request, and is found in any case: others are only found if they are requested."""
    if rule != MERGE_KEY_OVERRIDE and not rule.startswith("change-"):
        return False
    from crdlint.rules.catalog import on_request  # loads all rules

    return rule in on_request()
