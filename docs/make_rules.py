"""Writes docs/rules.md from the texts of the rules: `python docs/make_rules.py`."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crdlint.report.escapes import markdown
from crdlint.rules.catalog import all_rules
from crdlint.rules.engine.examples import EXAMPLE_LIMIT, place_of_example

if TYPE_CHECKING:
    from crdlint.rules.engine.rule import Rule

PAGE: Final = Path(__file__).with_name("rules.md")

_HEAD: Final = """\
<!-- Written by docs/make_rules.py from the texts of the rules: do not edit. -->

# Rules

`crdlint rules` lists these rules, `crdlint explain RULE` describes one. A terminal that shows links leads from the rule of a
finding to its description on this page.
"""


def page() -> str:
    """Return the text of docs/rules.md."""
    return "\n".join([_HEAD, *map(_section, all_rules().values())]).rstrip() + "\n"


def _section(rule: Rule) -> str:
    parts = [f"## {rule.id}", f"{_text(rule.summary)} ({rule.severity})", _text(rule.why)]
    where = place_of_example(rule)
    for label, example in (("Bad", rule.bad), ("Good", rule.good)):
        if example and len(example) < EXAMPLE_LIMIT:
            parts += [f"{label}{where}:", textwrap.indent(example.rstrip(), "    ")]
    parts.append(f"Help: {_text(rule.help)}")
    if rule.source:
        parts.append(f"Upstream: {_text(rule.source)}")
    return "\n\n".join(parts) + "\n"


def _text(text: str) -> str:
    """Return a text with its code as Markdown has it, and everything else escaped."""
    return "`".join(part if i % 2 else markdown(part) for i, part in enumerate(text.split("`")))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
