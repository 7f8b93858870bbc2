"""Checks of documents with unsaved text: the same findings as those of the commands for the same text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crdlint.config.load import NAMES, ReadConfigs
from crdlint.config.model import Config
from crdlint.diagnostics import Diagnostic
from crdlint.files.read import stamp_of, with_parents
from crdlint.files.recognition import groups_in
from crdlint.kubernetes.servers import NEWEST_ALONE, Range
from crdlint.linting.documents import unchecked
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult, FoundRule
from crdlint.lsp import resources
from crdlint.lsp.workspace import OpenDocument, Workspace
from crdlint.rules.texts import reading
from crdlint.runner.configurations import Configurations
from crdlint.runner.fixes import CheckFailedError, Fixed, fix, reported
from crdlint.runner.plan import Planner
from crdlint.runner.task import Checker, Settings, Task
from crdlint.safety.bugs import Bug, collected, contain
from crdlint.sources.helm.layout import ChartLayout
from crdlint.yaml.edit import composed


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking a version of a document.

    ``findings`` are those that its configuration and ignore comments leave. ``crds`` is the result of its CRDs, with
    everything that was decoded. ``task`` is the check that led to it. None where the document has no CRD to check.
    ``resources`` is the result of its custom resources, and ``validate`` returns that of another text.
    ``problems`` are why the document is not checked, such as a broken configuration.
    """

    config: Config = field(default_factory=Config)
    findings: tuple[Diagnostic, ...] = ()
    crds: FileResult | None = None
    task: Task | None = None
    problems: tuple[str, ...] = ()
    bugs: tuple[Bug, ...] = ()
    resources: FileResult | None = None
    validate: Callable[[str], FileResult] | None = None

    @property
    def rules(self) -> Sequence[FoundRule]:
        """The rules of its CRDs that the API server compiles, with their costs."""
        return () if self.crds is None else self.crds.rules


_REQUEST: Final = CheckRequest(
    skip_unfinished=True,
    keep=True,
    fixes=True,
)


class Checks:
    """Checks documents one at a time; each version of a document once.

    Types and compiled rules that are equal in several versions are shared by all checks of the process
    (`crdlint.kubecel.sharing`), so an edit costs the parsing of the text and the rules that it changes.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace: Final = workspace
        self._known: dict[
            str, tuple[OpenDocument, Checked]
        ] = {}  # of each URI, the newest version checked
        # Of each URI, the newest result whose fixes were asked for: editors ask again at each move of the cursor.
        self._fixed: Final[dict[str, tuple[Checked, Fixed | None]]] = {}
        self.index: Final = resources.CRDIndex(workspace)
        self._configs: ReadConfigs = {}
        self._stamps: dict[str, object] = {}
        self._checker: Final = Checker(Settings(values=None))

    def forget(self, documents: Iterable[OpenDocument]) -> None:
        """Forget the results of documents: files that they depend on have changed."""
        for document in documents:
            self.close(document.uri)
        self.index.forget()

    def of(self, document: OpenDocument) -> Checked:
        """Return the result of a version of a document."""
        is_fresh = not self._has_other_configuration(document)
        latest = self._known.get(document.uri)
        if latest is not None and latest[0] is document and is_fresh:
            return latest[1]
        checked = self._check(document)
        if self._workspace.is_current(document):
            self._known[document.uri] = document, checked
        return checked

    def test_results(self, document: OpenDocument, name: str) -> str:
        """Return how the tests of a suite end, or the one with a name."""
        versions = self.versions(self.of(document))
        lines = resources.results(
            document.text.text,
            document.path,
            self.index,
            versions,
            name,
        )
        return "\n".join(lines)

    def close(self, uri: str) -> None:
        """Forget the result of a document."""
        self._known.pop(uri, None)
        self._fixed.pop(uri, None)

    def fixed(self, document: OpenDocument) -> Fixed | None:
        """Return a document with all safe fixes applied that bring no new error; None if it has no CRD or resource."""
        checked = self.of(document)
        latest = self._fixed.get(document.uri)
        if latest is not None and latest[0] is checked:
            return latest[1]
        fixed = self._fix(checked)
        if self._workspace.is_current(document):
            self._fixed[document.uri] = checked, fixed
        return fixed

    def _fix(self, checked: Checked) -> Fixed | None:
        """Return what `fixed` does of a checked document."""
        of_crds = self._fixed_crds(checked)
        if checked.resources is None or checked.validate is None:
            return of_crds
        start, validate = checked.resources, checked.validate
        if of_crds is not None and of_crds.edits:
            start = validate(of_crds.text)
        fixed = fix(
            start,
            validate,
            unsafe=False,
            config=checked.config,
            of_resources=True,
        )
        return (
            fixed
            if of_crds is None
            else replace(fixed, edits=tuple(composed(of_crds.edits, fixed.edits)))
        )

    def _fixed_crds(self, checked: Checked) -> Fixed | None:
        if checked.crds is None or checked.task is None:
            return None
        task = checked.task

        def check(text: str) -> FileResult:
            outcome = self._checker.check_text(text, task._replace(text=text))
            if len(outcome.bugs) > len(checked.bugs):
                raise CheckFailedError(outcome.bugs[-1])
            return outcome.results[0]

        return fix(
            checked.crds,
            check,
            unsafe=False,
            config=checked.config,
        )

    def _check(self, document: OpenDocument) -> Checked:
        version = self._workspace.settings.kube_version
        planner = Planner(
            version,
            Configurations(renders=True, read=self._configs),
            kustomize=False,
            request=_REQUEST,
        )
        text = document.text.text
        plan = planner.add_text(document.path, text)
        config = planner.configurations.of(document.path)
        problems = tuple(f"{problem.position}: {problem.reason}" for problem in plan.problems)
        if config is None:
            return Checked(problems=problems)
        config = planner.configurations.sent(config, document.path)
        checked = Checked(config, problems=problems)
        if plan.tasks:
            task = plan.tasks[0]._replace(text=text)
            outcome = self._checker.check_text(text, task)
            result = outcome.results[0]
            shows_hidden = self._workspace.settings.hidden
            findings = tuple(
                each for each in reported(result, config) if shows_hidden or not each.hidden
            )
            checked = replace(
                checked,
                findings=findings,
                crds=result,
                task=task,
                bugs=outcome.bugs,
            )
        bugs = list(checked.bugs)
        with collected(bugs):
            try:
                checked, others = self._others(document, checked)
            except Exception as error:
                others = unchecked(document.path, text, contain(error)).diagnostics
        findings = tuple(dict.fromkeys((*checked.findings, *others)))
        return replace(checked, findings=findings, bugs=tuple(bugs))

    def _others(
        self, document: OpenDocument, checked: Checked
    ) -> tuple[Checked, Iterable[Diagnostic]]:
        """Return the findings of resources or a suite, and the checked document with how its resources are validated."""
        text, path = document.text.text, document.path
        versions = self.versions(checked)
        if resources.is_suite_text(text, path):
            return checked, resources.tested(text, path, self.index, versions)
        groups = groups_in(text.encode("utf-8", "replace"))
        if not groups:
            return checked, ()
        definitions = self.index.definitions(document, checked.config, versions)
        is_template = "{{" in text and ChartLayout().template_at(path) is not None
        config = checked.config

        def validate(text: str) -> FileResult:
            return resources.validated(
                text,
                path,
                definitions,
                config,
                is_template=is_template,
            )

        result = validate(text)
        checked = replace(checked, resources=result, validate=validate)
        if not any(map(definitions.knows, groups)):
            # Other servers of the editor report the syntax errors of other files.
            diagnostics = (
                finding for finding in result.diagnostics if finding.rule != reading.YAML_SYNTAX.id
            )
            result = replace(result, diagnostics=tuple(diagnostics))
        return checked, reported(result, config, resources=True)

    def versions(self, checked: Checked) -> Range:
        """Return the servers that a document is checked for."""
        if checked.task is not None:
            return checked.task.request.versions
        return self._workspace.settings.kube_version or checked.config.kube_version or NEWEST_ALONE

    def _has_other_configuration(self, document: OpenDocument) -> bool:
        """Return whether a configuration that may be a document's has changed, and drop what is known of it then."""
        folder = os.path.abspath(os.path.dirname(document.path))
        stamps = [
            stamp_of(os.path.join(parent, name))
            for parent in with_parents(folder)
            for name in NAMES
        ]
        has_changed = self._stamps.get(folder, stamps) != stamps
        self._stamps[folder] = stamps
        if has_changed:
            self._configs.clear()
            self._known.clear()
        return has_changed
