"""Comments that are written to ignore findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from crdlint.config.comments import Comments, read_comments
from crdlint.config.matched_comments import match_ignore_comments
from crdlint.diagnostics import Diagnostic
from crdlint.light import regex, replace
from crdlint.yaml.edit import Edit, apply, line_starts, split_lines

# JSON has no comments; two braces begin a template.
_JSON: Final = regex(r"\s*(?:\{(?!\{)|\[)")
# A line of a template that may become several lines, or a part of the line before.
_WRITES_LINES: Final = regex(r"\s*\{\{|.*\{\{.*\b(?:include|template|toYaml|tpl|n?indent)\b")
_IGNORED: Final = regex(r"#[ \t]*crdlint:[ \t]*ignore[ \t]*\[[^\]\n#]*(?=\])")


def with_ignores(text: str, findings: Sequence[Diagnostic]) -> tuple[str, frozenset[int]]:
    """Return a text with comments that ignore its findings, and the indexes of the findings that they ignore."""
    ignored = set()
    shown = (
        (finding.line, finding.column, i)
        for i, finding in enumerate(findings)
        if not finding.hidden
    )
    for _, _, i in sorted(
        shown, reverse=True
    ):  # from the end, so that the other findings stay where they are
        if not match_ignore_comments(_read(text, findings[i].file), [findings[i]], ()).findings:
            edit = ignoring_edit(findings[i], text)
            if edit is None:
                continue
            text = apply(text, [edit])
        ignored.add(i)
    return text, frozenset(ignored)


def _read(text: str, file: str) -> Comments:
    """Return the ignore comments of a text, of one with braces as those of a template."""
    if "{{" not in text:
        return read_comments(text, file)
    from crdlint.config.template_comments import read_template_comments  # few runs have templates

    return read_template_comments(text, file)


def ignoring_edit(finding: Diagnostic, text: str) -> Edit | None:
    """Return the edit that writes a comment which ignores a finding; None if no comment does."""
    if _JSON.match(text) or _WRITES_LINES.match(split_lines(text)[finding.line - 1]):
        return None
    for edit, added_lines in _candidates(finding, text):
        moved = replace(
            finding, line=finding.line + added_lines, end_line=finding.end_line + added_lines
        )
        comments = _read(apply(text, [edit]), finding.file)
        if match_ignore_comments(comments, [moved], ()).findings:
            return edit
    return None


def _candidates(finding: Diagnostic, text: str) -> Iterator[tuple[Edit, int]]:
    """Yield edits that may ignore a finding, and how many lines each adds above it."""
    lines = split_lines(text)
    number = min(finding.line, len(lines)) - 1
    start, line = line_starts(text)[number], lines[number]
    comment_end = _IGNORED.search(line)
    if comment_end is not None:
        yield Edit(start + comment_end.end(), start + comment_end.end(), f", {finding.rule}"), 0
    comment = f"# crdlint: ignore[{finding.rule}]"
    yield Edit(start + len(line.rstrip()), start + len(line), f"  {comment}"), 0
    blanks = line[: len(line) - len(line.lstrip())]
    line_break = "\r\n" if text.startswith("\r\n", start + len(line)) else "\n"
    yield Edit(start, start, f"{blanks}{comment}{line_break}"), 1
    for row in range(number - 1, max(number - _LINES_ABOVE, -1), -1):
        content = lines[row].rstrip()
        if content.endswith(_BLOCK_SCALARS):
            end = line_starts(text)[row] + len(content)
            yield Edit(end, end, f"  {comment}"), 0
            break


_BLOCK_SCALARS: Final = ("|", ">", "|-", ">-", "|+", ">+")
_LINES_ABOVE: Final = 50  # of a block scalar, whose comment is on its first line
