"""`crdlint validate`: custom resources against their CRDs."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import click

from crdlint.cli import console, options
from crdlint.cli.bugs import STATUS
from crdlint.cli.completion import complete_paths
from crdlint.cli.help import Command
from crdlint.cli.inputs import Inputs
from crdlint.cli.nothing import nothing_found
from crdlint.cli.reports import Reports, add_file, note_rejections
from crdlint.files.paths import Selection
from crdlint.files.read import STDIN
from crdlint.report import formats
from crdlint.report.pieces import Outcome, SpoolError, Summary, View
from crdlint.runner.plan import Planner
from crdlint.runner.task import shown_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.config.model import Config
    from crdlint.files.paths import Found
    from crdlint.linting.result import FileResult
    from crdlint.resources.definitions import Definitions
    from crdlint.resources.report import ResourceOptions
    from crdlint.resources.requests import Key

_NAMED: Final = 5  # groups in one message


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidateOptions(options.RunOptions):
    """The arguments and options of a call, by the names of their parameters."""

    crds: tuple[str, ...]
    old: str | None
    skipped: tuple[str, ...]
    strict_kinds: bool
    show_defaulted: bool
    require_resources: bool | None
    second_opinion: bool


@click.command("validate", cls=Command)
@options.files
@click.option(
    "--crd", "crds", multiple=True, metavar="PATH", shell_complete=complete_paths,
    help="A CRD file, or a directory of them (repeatable). Default: CRDs among and near the resources.",
)  # fmt: skip
@click.option(
    "--old", metavar="PATH", shell_complete=complete_paths,
    help="Validate updates of the objects in this file or directory.",
)  # fmt: skip
@click.option(
    "--skip", "skipped", multiple=True, metavar="KIND",
    help="Do not validate objects of KIND, GROUP/KIND or GROUP/VERSION/KIND (repeatable).",
)  # fmt: skip
@click.option("--strict-kinds", is_flag=True, help="Report an error for a kind that no CRD of its group defines.")
@options.second_opinion
@click.option("--show-defaulted", is_flag=True, help="Print the objects as the API server would store them, as YAML.")
@click.option(
    "--require-resources/--no-require-resources",
    default=None,
    help="Exit with status 2 if no custom resource is found, or do not. By default, do so only if PATH contains a file or -.",
)
@click.option("--allow-empty", is_flag=True, hidden=True, help="Deprecated: the same as --no-require-resources.")
@options.format_
@options.output
@options.kube_version
@options.configuration
@click.option("-q", "--quiet", is_flag=True, help="Only print findings: no summary, no notices.")
@options.color
@click.pass_context
def command(ctx: click.Context, /, **arguments: Any) -> None:
    """Validate custom resources as the API server does when they are created, or with --old updated.

    Checks unknown fields, the schema with its defaults, list types, and the rules of x-kubernetes-validations. Skips
    objects that no CRD defines. The exit status is 1 if there is a finding of severity error (see --fail-on).

    \b
    Examples:
      crdlint validate --crd config/crd samples/
      crdlint validate --crd config/crd --old before.yaml after.yaml
    """  # noqa: D301  \b keeps the lines below it as they are
    validate_options = ValidateOptions(**arguments)
    if (*validate_options.paths, *validate_options.crds, validate_options.old).count(STDIN) > 1:
        raise click.UsageError("- can be read only once")
    try:
        ctx.exit(_Command(validate_options).run())
    except SpoolError as error:
        raise click.ClickException(str(error)) from error


@dataclass(slots=True)
class ValidateState:
    """The totals of a run so far."""

    summary: Summary = field(default_factory=Summary)
    excluded: set[str] = field(default_factory=set)
    has_findings: bool = False
    failed: bool = False
    rejections: int = 0


class _Command:
    """One call of `crdlint validate`."""

    def __init__(self, validate_options: ValidateOptions) -> None:
        self._options = validate_options
        self._paths = validate_options.paths
        self._quiet = validate_options.quiet
        self._inputs = Inputs(
            Selection(validate_options.include, validate_options.exclude, not validate_options.no_ignore)
        )
        view = View(options.page(validate_options.color, 120), quiet=validate_options.quiet, noun="resource")
        # Only the objects go to standard output if they are asked for, so that they can be piped to another program.
        write = console.out_on_err if validate_options.show_defaulted else console.out
        self._reports = Reports(formats.findings, validate_options.format_, validate_options.outputs, view, write)
        config = options.read_config(validate_options.config, isolated=validate_options.isolated)
        self._planner = Planner(
            validate_options.kube_version, options.override(validate_options), config, kustomize=False
        )
        self._run = ValidateState()
        self._second_opinions = options.new_tally() if validate_options.second_opinion else None

    def run(self) -> int:
        """Validate, report, and return the exit status."""
        start = time.perf_counter()
        run, inputs = self._run, self._inputs
        discovered = inputs.discover(self._paths)
        definitions = self._definitions(discovered)
        olds = None if self._options.old is None else self._old_objects(self._options.old)
        for path in discovered.files:
            config = self._planner.config_of(path)
            if config is None:
                run.excluded.add(path)
            else:
                self._validate(path, config, definitions, olds)
        inputs.notices.update(dict.fromkeys((*self._planner.plan.notices, *definitions.duplicates)))
        inputs.problems.update(dict.fromkeys(self._planner.plan.problems))
        if self._second_opinions is not None:
            inputs.notices[self._second_opinions.notice()] = None
        run.summary.unreadable = len(inputs.problems)
        run.summary.seconds = time.perf_counter() - start
        unwritten = self._end()
        if inputs.bugs:
            return STATUS
        if inputs.problems or unwritten:
            return 2
        if not (run.summary.crds or run.has_findings) and self._is_missing_resources(discovered, definitions):
            return 2
        return 1 if run.failed else 0

    def _definitions(self, discovered: Found) -> Definitions:
        from crdlint.cli.crds import given_definitions, nearby_definitions

        if self._options.crds:
            return given_definitions(self._inputs, self._planner, self._options.crds)
        return nearby_definitions(self._inputs, self._planner, self._paths, discovered.files)

    def _old_objects(self, path: str) -> dict[Key, dict[str, Any]]:
        """Return the objects to validate updates of; of several with the same identity, the first is used."""
        from crdlint.resources.report import old_objects

        objects: dict[Key, dict[str, Any]] = {}
        for file in self._inputs.discover([path]).files:
            text = self._inputs.read(file, self._inputs.problem)
            if text is not None:
                old = old_objects(text, filename=shown_name(file))
                self._inputs.problems.update(dict.fromkeys(old.broken))
                objects = {**old.by_key, **objects}
        return objects

    def _validate(
        self, path: str, config: Config, definitions: Definitions, olds: dict[Key, dict[str, Any]] | None
    ) -> None:
        """Validate the resources of a file, and print its findings."""
        from crdlint.resources.report import validate_text

        text = self._inputs.read(path, self._inputs.problem)
        if text is None:
            return
        self._run.summary.files += 1
        with self._inputs.bugs_of(path):
            validated = validate_text(
                text, filename=shown_name(path), definitions=definitions, old=olds, options=self._options_for(config)
            )
        self._take(validated.result, config)
        if self._options.show_defaulted:
            _print_stored(validated.stored)

    def _options_for(self, config: Config) -> ResourceOptions:
        from crdlint.resources.placeholders import Patterns
        from crdlint.resources.report import ResourceOptions

        placeholders = Patterns(config.placeholders or (), built_in=config.placeholders is not None)
        return ResourceOptions(
            placeholders, frozenset(self._options.skipped), self._options.strict_kinds, self._second_opinions
        )

    def _take(self, result: FileResult, config: Config) -> None:
        """Report a file's findings, except those that its configuration and ignore comments exclude."""
        from crdlint.config.apply import apply, comments_of

        run, updates = self._run, self._options.old is not None
        applied = apply(result, config, comments_of(result), updates=updates, resources=True)
        run.summary.add(applied.result)
        run.has_findings |= bool(applied.result.diagnostics)
        run.failed |= applied.failed
        run.rejections += len(applied.rejections)
        add_file(self._reports, applied.result, quiet=self._quiet)

    def _end(self) -> bool:
        """Write the end of the run; return whether a file of the command line could not be written."""
        run, inputs = self._run, self._inputs
        outcome = Outcome(list(inputs.problems), run.summary, bugs=inputs.bugs.by_file)
        unwritten = self._reports.save(lambda report: report.end(outcome))
        inputs.bugs.report_repeated()
        notices = [] if self._quiet else [f"crdlint: note: {notice}" for notice in inputs.notices]
        problems = [f"crdlint: {file}: {message}" for file, message in inputs.problems]
        for line in (*notices, *problems, *(f"crdlint: {problem}" for problem in unwritten)):
            console.err(line)
        self._reports.show(lambda report: report.end(outcome))
        accepted = self._options.accept_rejections
        note_rejections(self._reports, run.rejections, self._options.fail_on, accepted=accepted)
        return bool(unwritten)

    def _is_missing_resources(self, discovered: Found, definitions: Definitions) -> bool:
        """Report that no custom resource was found, and return whether that is an error."""
        required = self._options.require_resources
        if required is None and self._options.allow_empty:
            required = False
        from crdlint.resources.definitions import may_have_crd

        groups = [group for group in definitions.groups() if may_have_crd(group)]
        known = f"the CRDs here are of {_listed(groups)}" if groups else "no CRD was found (--crd names where they are)"
        nothing = nothing_found(
            self._paths,
            discovered,
            self._run.excluded,
            skipped=self._run.summary.skipped,
            required=required,
            option="--no-require-resources",
        )
        if nothing.is_error or not self._quiet:
            console.err(f"crdlint: {nothing.message}; {known}")
        return nothing.is_error


def _listed(groups: list[str]) -> str:
    more = len(groups) - _NAMED
    return ", ".join(groups[:_NAMED]) + (f" and {more:,} more groups" if more > 0 else "")


def _print_stored(stored: Iterable[dict[str, Any]]) -> None:
    from crdlint.resources.dump import dump

    for stored_object in stored:
        console.out("\n".join(("---", *dump(stored_object))))
