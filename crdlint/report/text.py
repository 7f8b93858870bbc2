"""What a person reads: findings by file and CRD, each with its source line, the server's message and a way out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from crdlint.crd.shared import SHARED, is_within
from crdlint.report.escapes import printable, printable_line
from crdlint.report.fold import fold, wrapped
from crdlint.report.snippet import snippet
from crdlint.yaml.lines import split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome
    from crdlint.report.summary import Summary


def plain(text: str, _style: str) -> str:
    """Style nothing."""
    return text


class TextReport:
    """Writes results as text for a terminal of ``width`` columns, or for a file or a pipe if ``width`` is None.

    Those get no line breaks of ours, so that a message can be searched for, and no time, so that runs can be compared.
    ``style(text, name)`` colours text.
    """

    def __init__(
        self,
        *,
        width: int | None,
        style: Callable[[str, str], str] = plain,
        hidden: bool = False,
        notices: bool = True,
        noun: str = "CRD",
    ) -> None:
        self._width = width
        self._style = style
        self._hidden = hidden
        self._notices = notices
        self._noun = noun

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the text about a file."""
        return (f"{line}\n" for line in self.lines(result))

    def end(self, outcome: Outcome) -> Iterable[str]:
        """Return nothing: commands write their own closing lines."""
        del outcome
        return ()

    def lines(self, result: FileResult) -> Iterator[str]:
        """Yield the lines about a file; none if there is nothing to report."""
        for notice in result.notices if self._notices else ():
            yield printable_line(f"{result.file}: note: {notice}")
        lines = split_lines(result.text) if result.diagnostics else []
        for crd, found in _by_crd(result.diagnostics):
            said = sorted((d for d in found if not d.hidden), key=lambda d: _SEVERITIES[d.severity])
            held = [d for d in found if d.hidden]
            if said or (held and self._hidden):
                yield self._style(printable_line(f"{result.file}{f'  {crd}' if crd else ''}"), "bold")
                yield ""
            shown, left = _without_repeated_advice(said)
            for diagnostic in shown:
                yield from self._finding(diagnostic, lines)
            for rule, times in left.items():
                yield from self._note(f"{times:,} more {rule} here: --format concise lists them")
                yield ""
            if said:
                yield from self._moved(said)
                yield from self._stopped(said)
            if held and self._hidden:
                yield self._style("after these are fixed, the API server would also report:", "bold")
                yield ""
                for diagnostic in held:
                    yield from self._finding(diagnostic, lines)
            elif held and said:
                count = _count(len(held), "more finding")
                yield from self._note(f"{count} after these are fixed: crdlint check --hidden shows them")
                yield ""

    def _finding(self, diagnostic: Diagnostic, lines: list[str]) -> Iterator[str]:
        colour = _COLOURS[diagnostic.severity]
        place = printable_line(f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}")
        mark = "" if diagnostic.fix is None else f" {self._style('[*]', 'green')}"
        yield f"{self._style(f'{diagnostic.severity}[{diagnostic.rule}]', colour)}{mark} {place}"
        shown = snippet(lines, diagnostic, self._width or _PIPED)
        if shown is not None:
            number, line, carets = shown
            gutter = " " * len(number)
            yield self._style(f"{gutter} |", "blue")
            yield f"{self._style(f'{number} |', 'blue')} {line}".rstrip()
            yield f"{self._style(f'{gutter} |', 'blue')} {self._style(carets, colour)}"
        yield from self._message(diagnostic)
        if diagnostic.related is not None:
            other = diagnostic.related
            place = f"{other.label} at {other.file}:{other.line}:{other.column}"
            yield from wrapped(printable_line(place), self._width, "  ")
        if diagnostic.help:
            for i, text in enumerate(wrapped(diagnostic.help, self._width, "        ", "  help: ")):
                yield text.replace("help:", self._style("help:", "green"), 1) if i == 0 else text
        yield ""

    def _message(self, diagnostic: Diagnostic) -> list[str]:
        text = fold(diagnostic.message)
        lines = []
        for line in text.split("\n"):
            if line.startswith(" | "):  # a caret block of CEL's: its columns must stay
                lines.append(f"  {printable(line)}".rstrip())
            else:
                lines.extend(wrapped(line, self._width, "  "))
        return lines

    def _moved(self, found: Sequence[Diagnostic]) -> Iterator[str]:
        """Explain once the paths that the server moved up."""
        for internal, name in SHARED.items():
            if any(is_within(d.field, internal) for d in found):
                note = f"{internal} is where the API server keeps what all versions share: spec.versions[0].{name} here"
                yield from self._note(note)
                yield ""

    def _stopped(self, found: Sequence[Diagnostic]) -> Iterator[str]:
        """Explain which findings the API server reports first, since a strict request stops at unknown fields."""
        errors = [one for one in found if one.kind == "field" and one.severity == "error"]
        if errors and any(one.rule == _UNKNOWN for one in found):
            others = "the other error" if len(errors) == 1 else f"the other {len(errors):,} errors"
            yield from self._note(
                f"with fieldValidation=Strict, kubectl's default, the API server stops at unknown fields: it reports {others} "
                "after they are fixed"
            )
            yield ""

    def _note(self, text: str) -> list[str]:
        return wrapped(text, self._width, "          ", "  = note: ")

    def statistics(self, by_rule: Counter[str]) -> Iterator[str]:
        """Yield how often each rule was broken, the most frequent first."""
        for rule, count in sorted(by_rule.items(), key=lambda item: (-item[1], item[0])):
            yield f"{count:6}  {rule}"

    def summary(self, summary: Summary) -> str:
        """Return the closing line."""
        skipped = f" ({_count(summary.skipped, 'other document')} skipped)" if summary.skipped else ""
        counts = [_count(summary.errors, "error"), _count(summary.warnings, "warning")]
        findings = ", ".join([*counts, *([_count(summary.infos, "info")] if summary.infos else [])])
        seconds = "" if self._width is None else f" in {summary.seconds:.2f} s"
        colour = "red" if summary.errors else "yellow" if summary.warnings else "green"
        return (
            f"checked {_count(summary.files, 'file')}, {_count(summary.crds, self._noun)}{skipped}: "
            f"{self._style(findings, colour)}{seconds}{_fixable(summary)}"
        )


def _fixable(summary: Summary) -> str:
    """Return how many findings `--fix` would fix, as the end of the closing line."""
    safe, unsafe = summary.fixable, summary.fixable_unsafe
    if safe and unsafe:
        return f"\n[*] {safe:,} fixable with --fix, {unsafe:,} more with --unsafe-fixes"
    if safe:
        return f"\n[*] {safe:,} fixable with --fix"
    return f"\n[*] {unsafe:,} fixable with --fix --unsafe-fixes" if unsafe else ""


def _without_repeated_advice(found: Sequence[Diagnostic]) -> tuple[list[Diagnostic], Counter[str]]:
    """Return the findings of a CRD less what repeats the same advice, and how often it is left out by rule."""
    told: Counter[str] = Counter()
    left: Counter[str] = Counter()
    shown = []
    for one in found:
        if one.severity == "info":
            told[one.rule] += 1
            if told[one.rule] > _ADVICE_SHOWN:
                left[one.rule] += 1
                continue
        shown.append(one)
    return shown, left


_UNKNOWN: Final = "unknown-field"
_ADVICE_SHOWN: Final = 2  # of a rule in a CRD
_COLOURS: Final = {"error": "red", "warning": "yellow", "info": "cyan"}
_SEVERITIES: Final = {"error": 0, "warning": 1, "info": 2}
_PIPED: Final = 120  # columns of source lines, which are cut rather than wrapped


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _by_crd(diagnostics: Iterable[Diagnostic]) -> list[tuple[str | None, list[Diagnostic]]]:
    """Group consecutive findings about the same CRD."""
    groups: list[tuple[str | None, list[Diagnostic]]] = []
    for diagnostic in diagnostics:
        if not groups or groups[-1][0] != diagnostic.crd:
            groups.append((diagnostic.crd, []))
        groups[-1][1].append(diagnostic)
    return groups
