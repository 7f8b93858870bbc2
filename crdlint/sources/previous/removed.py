"""CRDs of old files that no current file contains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from crdlint.crd.positions import Span
from crdlint.files.paths import Problem, Selection, discover
from crdlint.files.read import UnreadableError, decode, read_bytes
from crdlint.files.recognition import may_hold_crd
from crdlint.linting.result import FileResult
from crdlint.rules.changes import REMOVED
from crdlint.safety.programs import shortened
from crdlint.sources.previous.crds import LONGEST_REASON, collect

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import OldCRD
    from crdlint.sources.previous.crds import OldFile, PreviousCRDs


@dataclass(slots=True)
class Comparison:
    """Findings of removed CRDs by file, and old documents that cannot be read or are not plain YAML."""

    results: list[FileResult] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class NewFiles(NamedTuple):
    """The new side: the names of the CRDs in each checked file, and the inputs that cannot be read.

    `tops` are directories to whose other files a CRD may have been moved.
    """

    crds: Mapping[str, Sequence[str]]
    unread: Sequence[str] = ()
    tops: Sequence[str] = ()


def compare(previous: PreviousCRDs, new: NewFiles, is_checked: Callable[[str], bool]) -> Comparison:
    """Return the findings of removed CRDs of the old files in scope.

    `is_checked` returns whether the configuration includes a file. If an input of the new side cannot be read, it may
    contain the missing CRDs: then none of them is reported as removed.
    """
    comparison = Comparison()
    crds = new.crds
    names = {name for names_in_file in crds.values() for name in names_in_file}
    missing: dict[str, tuple[OldFile, OldCRD]] = {}
    for index, file in enumerate(previous.files):
        if not file.in_scope or _is_unchanged(file) or not (file.path == "" or is_checked(file.path)):
            continue
        old_crds = previous.of_file(index)
        for document in old_crds.unread:
            message = f"line {document.line}: not compared: {shortened(document.reason, LONGEST_REASON)}"
            comparison.problems.append(Problem(file.name, message, fatal=document.cause == "broken"))
        for name, old in old_crds.by_name.items():
            if name not in names:
                missing.setdefault(name, (file, old))
    if missing:
        others = discover(new.tops, Selection()).files
        for name, path in _moved(missing, (*crds, *others)):
            del missing[name]
            if path not in crds:
                comparison.problems.append(Problem(path, f"not checked, but contains {name} now", fatal=False))
    if new.unread:
        comparison.problems += (
            Problem(file.name, f"not compared: {name} may be in {new.unread[0]}, which cannot be read")
            for name, (file, _) in missing.items()
        )
    else:
        comparison.results += _results(missing, previous, crds)
    return comparison


def _is_unchanged(file: OldFile) -> bool:
    try:
        return file.path != "" and read_bytes(file.path) == file.data
    except UnreadableError:
        return False


def _moved(names: Iterable[str], paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the names that another file contains, each with the first such file.

    A document that cannot be read is treated as containing every name in its text.
    """
    pending = set(names)
    for path in dict.fromkeys(paths):
        if not pending:
            return
        try:
            data = read_bytes(path)
            text = decode(data) if may_hold_crd(data) else ""
        except UnreadableError:
            continue
        near = sorted(name for name in pending if name in text)
        collected = collect(text if near else "")
        for name in near:
            if name in collected.by_name or any(name in document.text for document in collected.unread):
                pending.remove(name)
                yield name, path


def _results(
    missing: Mapping[str, tuple[OldFile, OldCRD]], previous: PreviousCRDs, crds: Mapping[str, Sequence[str]]
) -> Iterator[FileResult]:
    by_file: dict[str, tuple[OldFile, dict[str, OldCRD]]] = {}
    for name, (file, old) in missing.items():
        by_file.setdefault(file.name, (file, {}))[1][name] = old
    for file, gone in by_file.values():
        text = _current_text(file)
        if text is None:
            diagnostics = [_diagnostic(file, name, old.span) for name, old in gone.items()]
            yield FileResult(file.path or file.name, file.text, 0, (), 0, tuple(diagnostics))
            continue
        span, new_name = Span(1, 1, 1, 1), None
        new = [name for name in crds.get(file.path, ()) if previous.find(name, file.path)[0] is None]
        if len(gone) == len(new) == 1:
            new_name = new[0]
            renamed = collect(text).by_name.get(new_name)  # not if only Helm can render it
            span = span if renamed is None else renamed.span
        diagnostics = [_diagnostic(file, name, span, new_name) for name in gone]
        yield FileResult(file.path, text, 0, (), 0, tuple(diagnostics))


def _current_text(file: OldFile) -> str | None:
    """Return the current text of a file, or None if it no longer exists."""
    try:
        return decode(read_bytes(file.path)) if file.path else None
    except UnreadableError:
        return None


def _diagnostic(file: OldFile, name: str, span: Span, renamed: str | None = None) -> Diagnostic:
    message, help_ = f"CRD {name} of {file.name} was removed: no file contains it", None
    if renamed is not None:
        message = f"CRD {name} of {file.name} is now named {renamed}"
        help_ = f"Keep the name {name}; to rename a CRD, keep both until no cluster has objects of the old one"
    finding = REMOVED.diagnostic(file.path or file.name, "advice", message, span, help_)
    return replace(finding, crd=name)
