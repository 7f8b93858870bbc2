"""Adds a page for each rule, and their table, to the site when mkdocs builds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.report.escapes import markdown
from crdlint.report.rule_description import sections
from crdlint.rules.catalog import families

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

    from crdlint.report.rule_description import Section
    from crdlint.rules.engine.rule import Rule

_INDEX: Final = "README.md"
_HEAD: Final = """\
# Rules

```console
$ crdlint rules
$ crdlint explain list-map-key-required
```

The first command lists these rules, the second one prints the page of a rule. A terminal that shows links leads from the rule of
a finding to its page.

| rule | severity | what it reports | fix |
| --- | --- | --- | --- |
"""


def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    rules = [rule for family in families() for rule in family.values()]
    return {_INDEX: _HEAD + "".join(map(_row, rules)), **{f"{rule.id}.md": _page(rule) for rule in rules}}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to the files of the site."""
    from mkdocs.structure.files import File

    for name, text in pages().items():
        files.append(File.generated(config, f"rules/{name}", content=text))
    return files


def _row(rule: Rule) -> str:
    kinds = dict.fromkeys(sorted(fix.applicability for fix in rule.fixes))
    return f"| [{rule.id}]({rule.id}.md) | {rule.severity} | {_text(rule.summary)} | {', '.join(kinds)} |\n"


def _page(rule: Rule) -> str:
    heading = f"# {rule.id}\n\n{_text(rule.summary)} ({rule.severity})"
    return "\n\n".join([heading, *(part for section in sections(rule) for part in _parts(section))]) + "\n"


def _parts(section: Section) -> Iterator[str]:
    if section.title == "Related":
        yield "Related: " + ", ".join(f"[{one}]({one}.md)" for one in section.text.replace("`", "").split(", "))
    elif section.text:
        yield f"**{section.title}**: {_text(section.text)}"
    else:
        yield f"**{section.title}**:"
    if section.code:
        fence = "`" * max(3, _longest_fence(section.code) + 1)
        yield f"{fence}{section.language}\n{section.code}\n{fence}"


def _longest_fence(text: str) -> int:
    return max((len(line) - len(line.lstrip("`")) for line in map(str.strip, text.splitlines())), default=0)


def _text(text: str) -> str:
    """Return a text with its code as Markdown has it, and everything else escaped."""
    return "`".join(part if i % 2 else markdown(part) for i, part in enumerate(text.split("`")))
