"""What a configuration says, as data that can be pickled, and what is wrong with one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from crdlint.config.rule_patterns import current_id, is_glob, is_matched
from crdlint.rules.sets import ON_REQUEST, SETS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.diagnostics.diagnostic import Severity
    from crdlint.inputs.patterns import Patterns


Step: TypeAlias = "str | int"
# 1-based line and column.
LineColumn: TypeAlias = "tuple[int, int]"


@dataclass(frozen=True, slots=True)
class Source:
    """The values of a configuration, and ``place(steps, key)``, which tells where the value, or its key, stands.

    ``said`` are faults of the text itself: (message, place).
    """

    values: Any
    place: Callable[[Sequence[Step], bool], LineColumn]
    said: tuple[tuple[str, LineColumn], ...] = ()


class BrokenError(Exception):
    """A text that cannot be read at all: why, and where."""

    def __init__(self, message: str, place: LineColumn) -> None:
        super().__init__(message, place)
        self.message = message
        self.place = place


Level: TypeAlias = Literal["error", "warning", "info", "off"]
FailOn: TypeAlias = Literal["error", "warning", "info", "never"]
# What keeps a finding from being told.
IgnoredBy: TypeAlias = Literal[
    "select", "ignore", "per-file-ignores", "severity", "min-severity", "comment", "baseline"
]


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """Something wrong with a configuration: what, and where (1-based)."""

    message: str
    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class ConfigError(Exception):
    """A configuration that cannot be used; ``str`` has a line for each fault, with its place."""

    def __init__(self, faults: tuple[ConfigProblem, ...]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))

    @property
    def message(self) -> str:
        """What is wrong, of the first fault."""
        return self.faults[0].message

    @property
    def file(self) -> str:
        """The configuration's file."""
        return self.faults[0].file

    @property
    def line(self) -> int:
        """The 1-based line of the first fault."""
        return self.faults[0].line

    @property
    def column(self) -> int:
        """The 1-based column of the first fault, in characters."""
        return self.faults[0].column


@dataclass(frozen=True, slots=True)
class Config:
    """What is told of the files below a folder; without a file, the defaults.

    Rules are named by ids or patterns of them (``cel-*``); ``severity`` and ``per_file_ignores`` are pairs in the
    order given. ``folder`` is absolute, and patterns of files are relative to it. ``notices`` are for the user.
    ``crds`` are files and folders of CRDs, relative to ``folder``, and URLs of git repositories that are checked out.
    ``placeholders`` are patterns of values in samples besides the usual ones; None recognises no placeholder.
    ``sets`` are the configuration's own named lists of rules, whose names are already replaced by their rules elsewhere.
    ``min_severity`` hides what is below. ``accept_rejections`` is the command line's alone.
    """

    file: str | None = None
    folder: str = ""
    select: tuple[str, ...] = ("*",)
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, Level], ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    kube_version: str | None = None
    exclude: tuple[str, ...] = ()
    fail_on: FailOn = "error"
    min_severity: Severity = "info"
    sets: tuple[tuple[str, tuple[str, ...]], ...] = ()
    required_version: str | None = None
    include_dependencies: bool = False
    crds: tuple[str, ...] = ()
    placeholders: tuple[str, ...] | None = ()
    accept_rejections: bool = False
    notices: tuple[str, ...] = ()

    def merged(
        self,
        *,
        select: tuple[str, ...] = (),
        ignore: tuple[str, ...] = (),
        severity: tuple[tuple[str, Level], ...] = (),
        kube_version: str | None = None,
        fail_on: FailOn | None = None,
        min_severity: Severity | None = None,
        include_dependencies: bool | None = None,
        accept_rejections: bool = False,
    ) -> Config:
        """Return the configuration with what the command line says laid over it.

        ``ignore`` and ``severity`` are added to; everything else given stands in for what the file says.
        """
        return replace(
            self,
            select=with_sets(select, self.sets) or self.select,
            ignore=(*self.ignore, *with_sets(ignore, self.sets)),
            severity=(*self.severity, *severity),
            kube_version=kube_version or self.kube_version,
            fail_on=fail_on or self.fail_on,
            min_severity=min_severity or self.min_severity,
            include_dependencies=(self.include_dependencies if include_dependencies is None else include_dependencies),
            accept_rejections=self.accept_rejections or accept_rejections,
        )

    def excludes(self, path: str) -> bool:
        """Tell whether a file is to be left out."""
        return _is_among(self.exclude, path, self.folder)

    def ignored_by(self, rule: str, path: str) -> IgnoredBy | None:
        """Return what keeps a rule's findings in a file from being told, None where they are told."""
        if not is_matched(rule, self.select) or (rule in ON_REQUEST and not self._names(rule)):
            return "select"
        if is_matched(rule, self.ignore):
            return "ignore"
        for pattern, rules in self.per_file_ignores:
            if is_matched(rule, rules) and _is_among((pattern,), path, self.folder):
                return "per-file-ignores"
        return "severity" if self._level(rule) == "off" else None

    def _names(self, rule: str) -> bool:
        """Return whether the configuration asks for a rule by name or pattern, and not only for all rules."""
        patterns = [pattern for pattern in self.select if pattern != "*"]
        named = [name for name, _ in self.severity if name in SETS or not is_glob(name)]
        return is_matched(rule, (*patterns, *named))

    def requested(self) -> frozenset[str]:
        """Return the rules that are only reported on request, and that the configuration asks for."""
        patterns = [pattern for pattern in self.select if pattern != "*"]
        if not patterns and not self.severity:  # as in most runs
            return frozenset()
        return frozenset(rule for rule in ON_REQUEST if self._names(rule))

    def severity_of(self, rule: str, own: Severity) -> Severity:
        """Return the severity of a rule's findings, which is ``own`` where the configuration says nothing of it."""
        level = self._level(rule)
        return own if level is None or level == "off" else level

    def _level(self, rule: str) -> Level | None:
        """Return what is said of a rule: the last that names it, else the last pattern that it matches."""
        exact: Level | None = None
        found: Level | None = None
        for pattern, level in self.severity:
            if current_id(pattern) == rule:
                exact = level
            elif is_matched(rule, (pattern,)):
                found = level
        return exact or found


def with_sets(names: Iterable[str], sets: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """Return names of rules with each name of a set replaced by the rules in it."""
    of = dict(sets)
    return tuple(rule for name in names for rule in of.get(name, (name,)))


def _is_among(patterns: tuple[str, ...], path: str, folder: str) -> bool:
    """Tell whether gitignore patterns of a folder match a file below it."""
    if not patterns or path in {"-", "<stdin>"}:
        return False
    relative = os.path.relpath(path, folder or os.curdir)
    if relative == os.pardir or relative.startswith(os.pardir + os.sep):
        return False
    return _compiled(patterns).match(relative.replace(os.sep, "/"))


@cache
def _compiled(patterns: tuple[str, ...]) -> Patterns:
    from crdlint.inputs.patterns import compiled

    return compiled(map(os.fsencode, patterns))
