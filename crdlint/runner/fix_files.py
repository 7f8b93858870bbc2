"""`--fix` and `--diff`: write fixed files, or print the changes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Final

from crdlint.files.read import UnreadableError, decode, encoding_of, read_bytes, reason
from crdlint.files.repository import LINK_OUT, leads_out
from crdlint.light import dataclass
from crdlint.phrases import counted

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult
    from crdlint.runner.fixes import AppliedFix, Fixed, Undone
    from crdlint.runner.task import Checker, CheckOutcome
    from crdlint.yaml.edit import Edit


_CHANGED: Final = "not fixed: the file was changed while crdlint ran; run it again"


@dataclass(slots=True)
class Fixing:
    """Writes fixed files or, with `diff`, collects the changes."""

    diff: bool = False
    files: int = 0
    findings: int = 0
    applied: dict[str, list[AppliedFix]] = field(default_factory=dict)
    undone: list[Undone] = field(default_factory=list)
    diffs: list[str] = field(default_factory=list)

    def add(self, checked: CheckOutcome, checker: Checker) -> CheckOutcome:
        """Write the fixes of a file, and return its result; if they cannot be written, that of the unchanged file."""
        fixes = checked.fixes
        if fixes is None:
            return checked
        problem = self.write(checked.task.path, checked.results[0].file, fixes)
        if problem is None:
            return checked
        return checker.check_text(fixes.before, checked.task)._replace(problem=problem)

    def write(self, path: str, name: str, fixes: Fixed) -> str | None:
        """Write the fixes of a file, and return why they cannot be written, or None."""
        self.undone += fixes.undone
        if not fixes.edits:
            return None
        if self.diff:
            diff = diff_of(name, fixes.before, fixes.edits)
            if diff is None:
                return "not in the diff: not UTF-8; --fix changes it"
            self.diffs.append(diff)
        else:
            problem = replace_text(path, fixes.before, fixes.text)
            if problem is not None:
                return problem
        self.files += 1
        self.findings += len(fixes.applied)
        self.applied[name] = list(fixes.applied)
        return None

    def summary(self) -> str:
        """Return a summary in one line."""
        done = "would fix" if self.diff else "fixed"
        return f"{done} {counted(self.findings, 'finding')} in {counted(self.files, 'file')}"

    def shown(self) -> Iterator[str]:
        """Yield lines that list the applied fixes by file and rule."""
        for file, applied in self.applied.items():
            yield f"- {file}:"
            for (rule, title), times in Counter(
                (finding.rule, finding.title) for finding in applied
            ).items():
                yield f"    {times:,} x {rule} ({title})"

    def problems(self) -> Iterator[str]:
        """Yield a line for each fix that was undone."""
        for undone in self.undone:
            diagnostic = undone.diagnostic
            title = "" if diagnostic.fix is None else diagnostic.fix.title
            where = f"{diagnostic.file}:{diagnostic.line}"
            yield f"{where}: fix of {diagnostic.rule} undone ({title}): it would bring: {undone.brings[0]}"


@dataclass(slots=True)
class AddedIgnores:
    """Writes comments that ignore the findings of files."""

    files: int = 0
    findings: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)

    def ignored_in(self, result: FileResult) -> frozenset[int]:
        """Write the comments of a file, and return the indexes of the findings that they ignore."""
        from crdlint.config.added_comments import with_ignores

        if not os.path.lexists(result.file):  # it is in a packed chart
            return frozenset()
        text, ignored = with_ignores(result.text, result.diagnostics)
        if text != result.text:
            problem = replace_text(result.file, result.text, text)
            if problem is not None:
                self.problems.append((result.file, problem))
                return frozenset()
            self.files += 1
            self.findings += len(ignored)
        return ignored

    def end(self, _: object) -> Iterator[str]:
        """Yield a summary: the comments are written already."""
        yield self.summary()

    def summary(self) -> str:
        """Return a summary in one line."""
        return f"ignored {counted(self.findings, 'finding')} in {counted(self.files, 'file')}"


def diff_of(file: str, text: str, edits: Iterable[Edit]) -> str | None:
    """Return the edits of a file as a unified diff, or None if the file is not UTF-8."""
    from crdlint.report.locations import patch, relative

    try:
        mark, encoding = encoding_of(read_bytes(file))
    except UnreadableError:  # standard input, or a file that is gone
        mark, encoding = b"", "utf-8"
    if encoding != "utf-8":
        return None
    name = os.path.normpath(relative(file)).removeprefix("/")
    start = mark.decode()  # the byte order mark belongs to the first line
    return patch(name, start + text, [edit.moved(len(start)) for edit in edits])


def replace_text(path: str, checked: str, fixed: str) -> str | None:
    """Write the fixed text of a file whose text was `checked`, in its encoding, and return why it cannot be written, or None."""
    from crdlint.safety import atomic  # most runs write no files

    if leads_out(path):
        return f"not changed: {LINK_OUT}"
    try:
        data = read_bytes(path)
        if decode(data) != checked:
            return _CHANGED
        mark, encoding = encoding_of(data)
        atomic.write(path, mark + fixed.encode(encoding), made_from=data)
    except (UnreadableError, atomic.ChangedError):
        return _CHANGED
    except OSError as error:
        return f"cannot be written: {reason(error)}"
    return None
