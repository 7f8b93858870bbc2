"""Samples in `crdlint check`: custom resources, validated against the CRDs that the same run checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from crdlint.cli.inputs import Inputs, definitions_in
from crdlint.cli.resources import ResourceCheck
from crdlint.files.read import open_descriptor
from crdlint.light import dataclass, replace
from crdlint.resources.pipeline import ResourceOptions
from crdlint.safety.escapes import trace
from crdlint.sources.samples import SampleFiles

if TYPE_CHECKING:
    from crdlint.config.apply import Applied
    from crdlint.config.model import Config
    from crdlint.runner.plan import Planner


@dataclass(frozen=True, slots=True)
class Samples:
    """The samples of a run; `inputs` has what cannot be read."""

    planner: Planner
    inputs: Inputs
    check: ResourceCheck
    files: SampleFiles

    @classmethod
    def of(cls, inputs: Inputs, planner: Planner, named: Sequence[str]) -> Samples:
        """Return the samples for the CRDs of a plan; `named` are the arguments of the run."""
        crds = [task.path for task in planner.plan.tasks if task.text is None]
        definitions = definitions_in(inputs, planner, crds)
        options = ResourceOptions(beside_crds=True)
        check = ResourceCheck(
            inputs=inputs,
            definitions=definitions,
            options=options,
            sent=planner.configurations.sent,
        )
        return cls(planner, inputs, check, SampleFiles(named))

    def results(self, paths: Iterable[str]) -> Iterator[tuple[Applied, Config]]:
        """Yield the findings of each file with samples, whose `resources` they are, and its configuration."""
        for path in paths:
            config = self.planner.configurations.of(path)
            if config is None or config.excludes_samples(path):
                continue
            objection = self.files.objection(path)
            if objection is not None:
                trace(f"{path}: custom resources are not validated: {objection}")
                continue
            applied = self._applied(path, config)
            if applied is not None:
                result = applied.result
                result = replace(
                    result,
                    documents=0,
                    skipped=0,
                    crds=(),
                    resources=result.crds,
                )
                yield applied._replace(result=result), config

    def _applied(self, path: str, config: Config) -> Applied | None:
        """Return the findings of a file, None if it has no sample that can be read."""
        text = self.inputs.read(path, self.inputs.problem)
        if text is None:
            return None
        is_template = self._is_template(path)
        if is_template and self.inputs.charts.manifests(path) is None:
            trace(f"{path}: custom resources are not validated: only Helm renders them")
            return None
        skipped = self.check.skipped(path, text)
        if skipped is not None:
            trace(f"{path}: {skipped.notices[0]}")
            return None
        applied = self._check_of(path).check(path, text, config).applied
        if not (applied.result.crds or applied.result.diagnostics):
            return None
        is_clean = not applied.result.diagnostics
        return applied if is_clean or not self.files.is_test_data(path) else _as_test_data(applied)

    def _check_of(self, path: str) -> ResourceCheck:
        if not self.files.is_sent_by_tests(path):
            return self.check
        return replace(self.check, options=replace(self.check.options, of_tests=True))

    def _is_template(self, path: str) -> bool:
        return open_descriptor(path) is None and self.check.layout.template_at(path) is not None


def _as_test_data(applied: Applied) -> Applied:
    """Return the findings of a file for unit tests, which is not sent to a server, as infos."""
    findings = (replace(each, severity="info") for each in applied.result.diagnostics)
    result = replace(applied.result, diagnostics=tuple(findings))
    return applied._replace(
        result=result,
        accepted=Counter(),
        failed=False,
    )
