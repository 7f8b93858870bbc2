"""Why findings are not reported, as `crdlint check --show-ignored` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.config.rule_patterns import is_matched

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.config.apply import Ignored
    from crdlint.config.comments import Comments
    from crdlint.config.model import Config


def reasons(ignored: Iterable[Ignored], config: Config, comments: Comments | None) -> Iterator[str]:
    """Yield a line for each ignored finding: its position and message, what ignores it, and the reason given there."""
    for finding, by, entry in ignored:
        if finding.hidden:
            continue
        origin, reason = str(by), ""
        if by == "ignore" and entry is not None:
            origin, reason = f"{config.file}:{entry.line}", entry.reason
        elif by == "comment" and comments is not None:
            position = (finding.line, finding.column)
            for comment in comments.valid:
                is_rule = is_matched(finding.rule, (name.pattern for name in comment.rules))
                if is_rule and any(start <= position < end for start, end in comment.where):
                    origin, reason = f"line {comment.rules[0].line}", comment.reason
        where = f"{finding.file}:{finding.line}:{finding.column}"
        yield f"{where}: ignored {finding.severity} {finding.rule} by {origin}{f': {reason}' if reason else ''}"
