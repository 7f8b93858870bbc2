"""`crdlint check --fix` and `--diff`: fixed files written back, or what would be changed in them."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from crdlint.inputs.helm.layout import TEMPLATES
from crdlint.inputs.read import UnreadableError, decode, encoding_of, read_bytes
from crdlint.safety import atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.config.model import Config
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.runner.fixes import Applied, Undone
    from crdlint.runner.task import Checker, CheckOutcome, Task
    from crdlint.yaml.edit import Edit


_CHANGED: Final = "not fixed: the file was changed while crdlint ran; run it again"


class UnwritableError(Exception):
    """A file that cannot be written; ``str`` says why."""


@dataclass(slots=True)
class Fixing:
    """Fixes files, or with ``diff`` collects what would be changed in them."""

    unsafe: bool
    diff: bool = False
    files: int = 0
    findings: int = 0
    applied: dict[str, list[Applied]] = field(default_factory=dict)
    undone: list[Undone] = field(default_factory=list)
    diffs: list[str] = field(default_factory=list)

    def fix(self, task: Task, checker: Checker, config: Config, result: FileResult) -> CheckOutcome | None:
        """Fix a file, and return what checking it again finds; None if nothing was changed. Raises UnwritableError."""
        from crdlint.runner.fixes import fix

        if not any(one.fix is not None for one in result.diagnostics) and not (
            _is_template(task) and result.diagnostics
        ):
            return None

        def check(text: str) -> FileResult:
            checked = checker.check_text(text, replace(task, text=text))
            if checked.bug is not None:
                raise RuntimeError(checked.bug.traceback)
            return checked.results[0]

        start = check(result.text) if _is_template(task) else result  # without Helm: what is written is the template
        fixed = fix(start, check, unsafe=self.unsafe, shown=lambda one: reported(one, config))
        self.undone += fixed.undone
        if not fixed.edits:
            return None
        if self.diff:
            diff = diff_of(result.file, result.text, fixed.edits)
            if diff is None:
                raise UnwritableError("not in the diff: not UTF-8; --fix changes it")
            self.diffs.append(diff)
        else:
            _replace(task.path, result.text, fixed.text)
        self.files += 1
        self.findings += len(fixed.applied)
        self.applied[result.file] = list(fixed.applied)
        return checker.check_text(fixed.text, replace(task, text=fixed.text))

    def summary(self) -> str:
        """Return a line on what was done."""
        done = "would fix" if self.diff else "fixed"
        return f"{done} {_count(self.findings, 'finding')} in {_count(self.files, 'file')}"

    def shown(self) -> Iterator[str]:
        """Yield the lines that list what was applied, by file and rule."""
        for file, applied in self.applied.items():
            yield f"- {file}:"
            counts = Counter((one.rule, one.title) for one in applied)
            for (rule, title), times in counts.items():
                yield f"    {times:,} x {rule} ({title})"

    def problems(self) -> Iterator[str]:
        """Yield a line for each fix that was undone."""
        for one in self.undone:
            found = one.diagnostic
            title = "" if found.fix is None else found.fix.title
            yield f"{found.file}:{found.line}: fix of {found.rule} undone ({title}): it would bring: {one.brings[0]}"


def _is_template(task: Task) -> bool:
    return task.place is not None and task.place.part == TEMPLATES


def reported(result: FileResult, config: Config) -> tuple[Diagnostic, ...]:
    """Return the findings of a file that its configuration and its comments do not ignore."""
    from crdlint.config.apply import apply
    from crdlint.config.comments import read_comments

    text = result.text if result.masked is None else result.masked
    comments = read_comments(text, result.file) if "crdlint:" in text else None
    return apply(result, config, comments).result.diagnostics


def diff_of(file: str, text: str, edits: Iterable[Edit]) -> str | None:
    """Return the edits of a file as a unified diff; None if the file is not UTF-8, which no diff can be of."""
    from crdlint.report.patch import patch
    from crdlint.report.uris import relative

    mark = _mark(file)
    if mark is None:
        return None
    name = os.path.normpath(relative(file)).removeprefix("/")
    return patch(name, mark + text, [edit.moved(len(mark)) for edit in edits])


def _mark(path: str) -> str | None:
    """Return the byte order mark of a file, which is part of its first line, None if the file is not UTF-8."""
    try:
        mark, encoding = encoding_of(read_bytes(path))
    except UnreadableError:
        return ""  # standard input, or a file that is gone: nothing is known
    return mark.decode() if encoding == "utf-8" else None


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _replace(path: str, checked: str, fixed: str) -> None:
    """Write the fixed text of a file whose text was ``checked``, in the file's encoding. Raises UnwritableError."""
    try:
        data = read_bytes(path)
        if decode(data) != checked:
            raise UnwritableError(_CHANGED)
        mark, encoding = encoding_of(data)
        atomic.write(path, mark + fixed.encode(encoding), made_from=data)
    except (UnreadableError, atomic.ChangedError) as error:
        raise UnwritableError(_CHANGED) from error
    except OSError as error:
        raise UnwritableError(f"cannot be written: {error.strerror or error}") from error
