"""`crdlint validate`: custom resources against their CRDs."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from crdlint.cli import console, options, streams
from crdlint.cli.fields import (
    Declared,
    file_option,
    flag,
    many,
    no_cache,
    option,
    second_opinion,
)
from crdlint.cli.help import Group
from crdlint.cli.options import ChartOptions, FixOptions
from crdlint.cli.reports import Reports, Totals, nothing_found
from crdlint.diagnostics import InputProblem
from crdlint.files.paths import Found, Selection
from crdlint.files.read import STDIN
from crdlint.light import replace
from crdlint.phrases import some
from crdlint.report import formats
from crdlint.report.pieces import View
from crdlint.runner.configurations import Configurations
from crdlint.runner.plan import Planner
from crdlint.runner.task import shown_name
from crdlint.sources.helm.on_demand import ChartsOnDemand

if TYPE_CHECKING:
    from crdlint.cli.resources import ResourceCheck
    from crdlint.config.model import Config
    from crdlint.linting.result import FileResult
    from crdlint.resources.definitions import Definitions
    from crdlint.resources.objects import Key

_NAMED: Final = 5  # groups in one message


class ValidateOptions(FixOptions, ChartOptions):
    """The arguments and options of `crdlint validate`."""

    crds: Declared[tuple[str, ...]] = file_option(
        "A CRD file, or a directory of them (repeatable). Default: CRDs among and near the resources.",
        "--crd",
        metavar="PATH",
        multiple=True,
        group=Group.FILES,
    )
    old: Declared[str | None] = file_option(
        "Validate updates of the objects in this file or directory.",
        metavar="PATH",
        group=Group.FILES,
    )
    skipped: Declared[tuple[str, ...]] = many(
        "KIND",
        "Do not validate objects of KIND, GROUP/KIND or GROUP/VERSION/KIND",
        "--skip",
        group=Group.FILES,
    )
    strict_kinds: Declared[bool] = flag(
        "Report an error for a kind that no CRD of its group defines.", group=Group.FILES, rare=True
    )
    second_opinion: Declared[bool] = second_opinion()
    show_defaulted: Declared[bool] = flag(
        "Print the objects as the API server would store them, as YAML.", group=Group.OUTPUT
    )
    required: Declared[bool | None] = option(
        "Exit with status 2 if no custom resource is found, or do not. By default, do so only if PATH contains a file or -.",
        "--require-resources/--no-require-resources",
        default=None,
        group=Group.FILES,
        rare=True,
    )
    no_cache: Declared[bool] = no_cache()

    def searched(self) -> list[str]:
        """Return the files and folders where the CRDs of resources are looked for."""
        from crdlint.sources.crd_lookup import crd_folders_near, files_beside

        return [] if self.crds else [*files_beside(self.paths), *crd_folders_near(self.paths)]


@options.command("validate", ValidateOptions)
def command(arguments: ValidateOptions) -> int:
    """Validate custom resources as the API server does when they are created, or with --old updated.

    Checks unknown fields, the schema with its defaults, list types, and the rules of x-kubernetes-validations. Skips
    objects that no CRD defines. The exit status is 1 if there is a finding of severity error (see --fail-on).

    \b
    Examples:
      crdlint validate --crd config/crd samples/
      crdlint validate --crd config/crd --old before.yaml after.yaml
    """  # noqa: D301  \b keeps the lines below it as they are
    inputs = (*arguments.paths, *arguments.crds, arguments.old)
    arguments.require_files()
    options.require((inputs.count(STDIN) > 1, "- can be read only once"))
    return _ValidateCommand(arguments).run()


class _ValidateCommand:
    def __init__(self, arguments: ValidateOptions) -> None:
        self._options = arguments
        self._paths = arguments.paths
        self._quiet = arguments.quiet
        from crdlint.cli.inputs import Inputs

        self._charts = ChartsOnDemand(arguments.values())
        self._inputs = Inputs(
            Selection(arguments.include, arguments.exclude, not arguments.no_ignore), self._charts
        )
        page = options.page(arguments.color, 120)
        view = View(
            page,
            show_all=arguments.show_all,
            quiet=arguments.quiet,
            noun="resource",
            kube_version=options.shown_versions(arguments.kube_version),
        )
        # Only the objects go to standard output if they are asked for, so that they can be piped to another program.
        write = console.out_on_err if arguments.show_defaulted else console.out
        self._reports = Reports(
            formats.findings,
            arguments.format_,
            arguments.outputs,
            view,
            write,
        )
        self._planner = Planner(
            arguments.kube_version,
            Configurations(
                merged=arguments.override(),
                config=arguments.read_config(),
                renders=not arguments.no_helm,
                keeps=not arguments.no_cache,
            ),
            kustomize=False,
        )
        self._run = Totals(
            bugs=self._inputs.bugs,
            show_all=arguments.show_all,
        )
        self._excluded: set[str] = set()
        self._fixing = arguments.fixing()
        self._second_opinions = options.new_tally() if arguments.second_opinion else None

    def run(self) -> int:
        start = time.perf_counter()
        discovered = self._inputs.discover(self._paths)
        definitions = self._definitions(discovered)
        self._validate_all(discovered.files, self._check(definitions))
        self._run.problems = [
            *(InputProblem(*problem) for problem in self._inputs.problems),
            *self._planner.plan.problems,
        ]
        self._run.summary.seconds = time.perf_counter() - start
        self._report()
        is_empty = self._has_found_nothing()
        is_missing = is_empty and self._is_missing_resources(discovered, definitions)
        status = 2 if is_missing else self._run.status_after(self._fixing)
        if self._is_repeatable():
            streams.keep(status)
        return status

    def _is_repeatable(self) -> bool:
        """Return whether a later run with the same command line and files writes the same.

        CRDs near the resources are looked for in places that no file of the command line shows.
        """
        arguments = self._options
        is_of_named_crds = bool(arguments.crds)
        return is_of_named_crds and not (arguments.no_cache or self._reports.tell_time)

    def _definitions(self, discovered: Found) -> Definitions:
        """Return the CRDs that are named, or else those among and near the inputs."""
        from crdlint.cli.inputs import given_definitions, nearby_definitions

        inputs, planner = self._inputs, self._planner
        if self._options.crds:
            return given_definitions(inputs, planner, self._options.crds)
        return nearby_definitions(
            inputs,
            planner,
            self._paths,
            discovered.files,
        )

    def _validate_all(self, files: Sequence[str], check: ResourceCheck) -> None:
        """Validate the objects of all files, and report what is found about their charts."""
        for path in console.watched(files, () if self._quiet else files):
            config = self._planner.configurations.of(path)
            if config is None:
                self._excluded.add(path)
            else:
                self._validate(path, config, check)
        self._report_charts(files)
        self._inputs.notices.update(dict.fromkeys(self._planner.plan.notices))
        if self._second_opinions is not None:
            self._inputs.notices[self._second_opinions.notice()] = None

    def _report(self) -> None:
        """Report what was fixed and found; a diff is the whole report."""
        run = self._run
        if self._fixing is not None:
            self._options.report(self._fixing, run.problems)
        if self._options.diff:
            return
        run.report_trouble(() if self._quiet else self._inputs.notices)
        version = self._planner.kube_version
        run.remark(None if version is None else version.preview_note)
        run.end(self._reports)

    def _has_found_nothing(self) -> bool:
        run = self._run
        return not (run.summary.crds or run.has_findings or run.has_trouble)

    def _check(self, definitions: Definitions) -> ResourceCheck:
        """Return the check of the objects, with those to update."""
        from crdlint.cli.resources import ResourceCheck
        from crdlint.resources.pipeline import ResourceOptions

        arguments = self._options
        options = ResourceOptions(
            skipped_kinds=frozenset(arguments.skipped),
            strict_kinds=arguments.strict_kinds,
            second_opinions=self._second_opinions,
        )
        return ResourceCheck(
            inputs=self._inputs,
            definitions=definitions,
            options=options,
            sent=self._planner.configurations.sent,
            olds=None if arguments.old is None else self._old_objects(arguments.old),
            fixing=self._fixing,
            unsafe_fixes=arguments.unsafe_fixes,
        )

    def _old_objects(self, path: str) -> dict[Key, dict[str, Any]]:
        """Return the objects to validate updates of; of several with the same identity, the first is used."""
        from crdlint.resources.pipeline import old_objects

        objects: dict[Key, dict[str, Any]] = {}
        for file in self._inputs.discover([path]).files:
            text = self._inputs.read(file, self._inputs.problem)
            if text is not None:
                old = old_objects(text, filename=shown_name(file))
                self._inputs.problems.update(dict.fromkeys(old.broken))
                objects = {**old.by_key, **objects}
        return objects

    def _validate(self, path: str, config: Config, check: ResourceCheck) -> None:
        text = self._inputs.read(path, self._inputs.problem)
        if text is None:
            return
        skipped = check.skipped(path, text)
        if skipped is not None:
            self._run.summary.add(skipped)
            self._run.show_file(self._reports, skipped, quiet=self._quiet)
            return
        self._run.summary.files += 1
        checked = check.check(path, text, config)
        self._run.count(checked.applied)
        if not self._options.diff:
            self._run.show_file(self._reports, checked.applied.result, quiet=self._quiet)
        if self._options.show_defaulted:
            from crdlint.resources.dump import dump

            for stored_object in checked.stored:
                console.out("\n".join(("---", *dump(stored_object))))

    def _report_charts(self, paths: Sequence[str]) -> None:
        """Report the objects of charts that Helm does not create, and why it does not render a chart."""
        charts = dict.fromkeys(filter(None, map(self._charts.chart_of, paths)))
        if not charts:
            return
        from crdlint.rules.advice.charts import NO_MATCHES, OBJECT_IN_CRDS
        from crdlint.rules.advice.deployment import RENDER

        rules = {NO_MATCHES.id, OBJECT_IN_CRDS.id, RENDER.id}
        named = set(map(os.path.normpath, paths))
        for result in (result for chart in charts for result in self._charts.results(chart)):
            findings = tuple(finding for finding in result.diagnostics if finding.rule in rules)
            is_broken = any(each.rule == RENDER.id for each in findings)
            if is_broken or os.path.normpath(result.file) in named:
                self._report_chart(replace(result, diagnostics=findings))

    def _report_chart(self, result: FileResult) -> None:
        from crdlint.config.apply import apply, comments_of

        config = self._planner.configurations.of(result.file)
        if config is None or not result.diagnostics:
            return
        applied = apply(result, config, comments_of(result), resources=True)
        self._run.count(applied)
        self._run.show_file(self._reports, applied.result, quiet=self._quiet)

    def _is_missing_resources(self, discovered: Found, definitions: Definitions) -> bool:
        """Report that no custom resource was found, and return whether that is an error."""
        from crdlint.files.recognition import may_have_crd

        groups = list(filter(may_have_crd, definitions.groups()))
        reason = (
            f"the CRDs here are of {some(groups, _NAMED)}"
            if groups
            else "no CRD was found (--crd names where they are)"
        )
        skipped, accepting = self._run.summary.skipped, "--no-require-resources"
        return nothing_found(
            self._options,
            self._options.required,
            discovered,
            self._excluded,
            skipped,
            accepting,
            f"; {reason}",
        )
