"""Which configuration a file has: that of its directory, with the command line and with who sends the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import TYPE_CHECKING

from crdlint.diagnostics import InputProblem
from crdlint.files.read import open_descriptor
from crdlint.light import dataclass
from crdlint.sources.gitops import DefaultSenders
from crdlint.sources.helm.layout import ChartLayout

if TYPE_CHECKING:
    from crdlint.config.load import ReadConfigs
    from crdlint.config.model import Config, ConfigError


def _unchanged(config: Config) -> Config:
    return config


@dataclass(slots=True, kw_only=True)
class Configurations:
    """The configurations of files.

    - `merged`: applies the command line to a configuration
    - `config`: replaces the configurations of directories
    - `renders`: whether charts are rendered by Helm, which then sends them; None if it does not matter who sends a file
    - `keeps`: whether the cache keeps the version of Helm
    - `read`: what was read of directories
    - `layout`: finds the charts of files
    - `notices`, `problems`: what users should know, and the faults of configurations
    - `invalid`: the reported errors of configurations, by identity
    """

    merged: Callable[[Config], Config] = _unchanged
    config: Config | None = None
    renders: bool | None = None
    keeps: bool = False
    read: ReadConfigs = field(default_factory=dict)
    layout: ChartLayout = field(default_factory=ChartLayout)
    notices: list[str] = field(default_factory=list)
    problems: list[InputProblem] = field(default_factory=list)
    invalid: set[int] = field(default_factory=set)
    _senders: DefaultSenders = field(default_factory=DefaultSenders)
    # By folder as paths name it: the configurations that may exclude files, None for an invalid one
    _of_folders: dict[str, Config | None] = field(default_factory=dict)
    _helm_major: int | None = None

    def of(self, path: str) -> Config | None:
        """Return the configuration of a file, or None if it is excluded or the configuration is invalid."""
        config = self.of_excluded(path)
        if config is None or config.excludes(path):
            return None
        in_chart = open_descriptor(path) is None and self.layout.locate(path) is not None
        return config if config.in_chart == in_chart else config._replace(in_chart=in_chart)

    def of_excluded(self, path: str) -> Config | None:
        """Return the configuration of a file, which may exclude it; if it is invalid, report that once and return None."""
        folder = os.path.dirname(path)
        if folder not in self._of_folders:
            self._of_folders[folder] = self._of_file_in_folder(path)
        return self._of_folders[folder]

    def _of_file_in_folder(self, path: str) -> Config | None:
        from crdlint.config.model import ConfigError

        try:
            config = self.unmerged(path)
        except ConfigError as error:
            self._report(error)
            return None
        self.note(config.notices)
        return self.merged(config)

    def unmerged(self, path: str) -> Config:
        """Return the configuration of a file without the options of the command line; raise ConfigError."""
        from crdlint.config.load import nearest_config

        return self.config or nearest_config(path, self.read)

    def sent(self, config: Config, path: str) -> Config:
        """Return the configuration of a file with its senders, also if it names none."""
        if config.senders or self.renders is None:
            return config
        if config.in_chart:
            return config._replace(senders=self._senders_of_charts())
        senders = self._senders.beside(path)
        self.note(self._senders.notices)
        return config._replace(senders=senders) if senders else config

    def _senders_of_charts(self) -> tuple[str, ...]:
        """Return who sends a chart: Helm if it renders charts, else that is not known."""
        if not self.renders:
            return ()
        if self._helm_major is None:
            from crdlint.runner.installed_helm import helm_major

            self._helm_major = helm_major(keeps=self.keeps)
        from crdlint.sources.helm.check import senders_of_charts

        return senders_of_charts(self._helm_major)

    def note(self, notices: Iterable[str]) -> None:
        """Add the notices that are not there yet."""
        self.notices += [notice for notice in notices if notice not in self.notices]

    def _report(self, error: ConfigError) -> None:
        """Report the faults of a configuration once."""
        if id(error) in self.invalid:
            return
        self.invalid.add(id(error))
        for fault in error.faults:
            problem = InputProblem(
                fault.file,
                fault.message,
                fault.line,
                fault.column,
            )
            self.problems.append(problem)
