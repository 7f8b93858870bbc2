"""The fenced blocks of the documentation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = sorted(
    [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")]
    + list((ROOT / "docs").glob("*.md"))
)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A fenced block: the page's path from the root, its 1-based line, its language and its text."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a console block, and the output that the page shows below it."""

    page: str
    line: int
    text: str
    output: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"


def snippets(*languages: str) -> list[Snippet]:
    """Return the fenced blocks in these languages."""
    return [
        Snippet(str(page.relative_to(ROOT)), token.map[0] + 1, token.info, token.content)
        for page in PAGES
        for token in MarkdownIt().parse(page.read_text(encoding="utf-8"))
        if token.type == "fence" and token.map is not None and token.info in languages
    ]


def commands() -> list[Command]:
    """Return the commands of all console blocks, without comments; sh blocks hold a command a line."""
    found = []
    for snippet in snippets("console"):
        prompts = list(re.finditer(r"^\$ (.*)\n", snippet.text, re.MULTILINE))
        ends = [prompt.start() for prompt in prompts[1:]] + [len(snippet.text)]
        for prompt, end in zip(prompts, ends, strict=True):
            line = snippet.line + 1 + snippet.text.count("\n", 0, prompt.start())
            found.append(
                Command(
                    snippet.page,
                    line,
                    _without_comment(prompt[1]),
                    snippet.text[prompt.end() : end],
                )
            )
    for snippet in snippets("sh"):
        for number, text in enumerate(snippet.text.splitlines(), snippet.line + 1):
            found.append(Command(snippet.page, number, _without_comment(text), ""))
    return found


def _without_comment(line: str) -> str:
    return re.sub(r"\s+# .*$", "", line).strip()
