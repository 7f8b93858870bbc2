"""Changes of CRDs as a part of release notes: a list for each group, breaking changes first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.report.changes import BEHAVIOUR, BREAKS, OTHER, REFUSED, ChangesReport
from crdlint.report.changes_markdown import code
from crdlint.report.escapes import html_text, printable_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.report.pieces import Outcome

_TITLES: Final = {
    REFUSED: "Updates that the API server rejects",
    BREAKS: "Breaking changes",
    BEHAVIOUR: "Changed behaviour",
    OTHER: "Other changes",
}


class Report(ChangesReport):
    """The changes of a run, written at its end."""

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the complete text."""
        del outcome
        groups = self._changes.groups()
        added = sorted(name for name, state in self._changes.states.items() if state == "added")
        if not groups and not added:
            yield "No change of the CRDs has a consequence.\n"
        sections: dict[str, dict[str, list[Diagnostic]]] = {}
        for name, by_crd in groups:
            for crd, findings in by_crd.items():
                for finding in findings:
                    sections.setdefault(_title(name, finding), {}).setdefault(crd, []).append(finding)
        for i, (title, of_title) in enumerate(sections.items()):
            yield f"{'' if i == 0 else chr(10)}### {title}\n\n"
            for crd, findings in sorted(of_title.items()):
                yield f"- <code>{html_text(printable_line(crd))}</code>\n"
                for finding in findings:
                    yield f"  - {code(finding.message)}\n"
        if added:
            yield f"{chr(10) if groups else ''}### New CRDs\n\n"
            yield from (f"- <code>{html_text(printable_line(name))}</code>\n" for name in added)


def _title(group: str, finding: Diagnostic) -> str:
    """Return the title for a finding; what breaks alpha versions only was removed or changed."""
    if not finding.is_alpha:
        return _TITLES[group]
    return "Removed" if finding.rule.endswith(("-removed", "-unserved", "-renamed")) else "Changed"
