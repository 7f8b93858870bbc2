"""The check of the custom resources in files, which `crdlint validate` and `crdlint check` share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import TYPE_CHECKING, Any

from crdlint.config.apply import Applied, apply, comments_of
from crdlint.files.read import STDIN, open_descriptor
from crdlint.light import NamedTuple, dataclass, replace
from crdlint.linting.result import FileResult
from crdlint.resources.pipeline import ResourceOptions, Validated, validate_text
from crdlint.resources.placeholders import PlaceholderPatterns
from crdlint.runner.task import shown_name
from crdlint.sources.fragments import Fragments
from crdlint.sources.helm.layout import ChartLayout

if TYPE_CHECKING:
    from crdlint.cli.inputs import Inputs
    from crdlint.config.apply import Known
    from crdlint.config.model import Config
    from crdlint.resources.definitions import Definitions
    from crdlint.resources.objects import Key
    from crdlint.runner.fix_files import Fixing


class CheckedResources(NamedTuple):
    """The findings of a file after configuration, and its objects as the server would store them."""

    applied: Applied
    stored: tuple[dict[str, Any], ...]


@dataclass(slots=True, kw_only=True)
class ResourceCheck:
    """Validates the custom resources of files, and fixes them if that is asked for.

    - `inputs`: reads the files
    - `definitions`: the CRDs
    - `options`: apply to all files
    - `sent`: adds the senders of a file to its configuration
    - `olds`: the objects that are updated, None to create all
    - `fixing`: writes fixes
    - `unsafe_fixes`: whether it writes unsafe ones as well
    - `baseline`: has the known findings
    - `layout`, `fragments`: find the charts of files, and what is no object by itself
    """

    inputs: Inputs
    definitions: Definitions
    options: ResourceOptions
    sent: Callable[[Config, str], Config]
    olds: dict[Key, dict[str, Any]] | None = None
    fixing: Fixing | None = None
    unsafe_fixes: bool = False
    baseline: Known | None = None
    layout: ChartLayout = field(default_factory=ChartLayout)
    fragments: Fragments = field(default_factory=Fragments)
    # What applies to a file, by the settings that it depends on
    _options: dict[tuple[object, ...], ResourceOptions] = field(default_factory=dict)

    def skipped(self, path: str, text: str) -> FileResult | None:
        """Return the result of a file whose objects are not applied, such as assertions of a test; None for others."""
        if open_descriptor(path) is not None:
            return None
        fragment = self.fragments.of(path, text.encode("utf-8", "replace"))
        if fragment is None or not fragment.includes_complete:
            return None
        return FileResult(
            path,
            documents=1,
            skipped=1,
            notices=(str(fragment.notice),),
        )

    def check(self, path: str, text: str, config: Config) -> CheckedResources:
        """Validate the objects of a file, and fix them if that is asked for; the inputs have the internal errors."""
        name, options = shown_name(path), self._options_for(config, path)

        def validate(text: str) -> Validated:
            return validate_text(
                text,
                filename=name,
                definitions=self.definitions,
                old=self.olds,
                options=options,
            )

        rendered = self.inputs.charts.manifests(path) if "{{" in text else None
        with self.inputs.bugs_of(path):
            validated = (
                validate(text)
                if rendered is None
                else _in_template(name, text, map(validate, rendered))
            )
            if self.fixing is not None and options.fixes:
                validated = self._fixed(self.fixing, path, validated, validate, config)
        result, updates = validated.result, self.olds is not None
        applied = apply(
            result,
            config,
            comments_of(result),
            self.baseline,
            updates=updates,
            resources=True,
        )
        return CheckedResources(applied, validated.stored)

    def _options_for(self, config: Config, path: str) -> ResourceOptions:
        is_fixable = path == STDIN or self.layout.template_at(path) is None
        senders = self.sent(config, path).senders
        key = (config.placeholders, is_fixable, senders)
        if key not in self._options:
            placeholders = PlaceholderPatterns(
                config.placeholders or (), built_in=config.placeholders is not None
            )
            self._options[key] = replace(
                self.options,
                placeholders=placeholders,
                fixes=is_fixable,
                senders=senders,
            )
        return self._options[key]

    def _fixed(
        self,
        fixing: Fixing,
        path: str,
        validated: Validated,
        validate: Callable[[str], Validated],
        config: Config,
    ) -> Validated:
        """Fix a file, and return its result; if that cannot be written, the result of the unchanged file."""
        from crdlint.runner.fixes import fix

        def check(text: str) -> FileResult:
            return validate(text).result

        fixed = fix(
            validated.result,
            check,
            unsafe=self.unsafe_fixes,
            config=config,
            of_resources=True,
        )
        problem = fixing.write(path, shown_name(path), fixed)
        if problem is not None:
            self.inputs.problem(shown_name(path), problem)
        return validated if problem is not None or not fixed.edits else validate(fixed.text)


def _in_template(path: str, text: str, validated: Iterable[Validated]) -> Validated:
    """Return what is validated of the documents of a template as one."""
    from crdlint.sources.helm.rendered import in_template

    each = list(validated)
    stored = tuple(object_ for part in each for object_ in part.stored)
    return Validated(in_template(path, text, (part.result for part in each)), stored)
