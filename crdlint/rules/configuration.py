"""Advice about ignore comments: those that cannot be read, name no rule that there is, or match nothing."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.rule import Rule

_GOOD: Final = """\
type: object
properties:
  mode:
    type: string
    # crdlint: ignore[yaml-boolean] the old clients send true and false
    enum: [on, off]
"""

MALFORMED: Final = Rule(
    id="ignore-malformed",
    summary="An ignore comment that cannot be read, so that it ignores nothing.",
    why="A comment that names no rules would hide what nobody has looked at; one that is misspelt hides nothing.",
    bad="type: object # crdlint: ignore\n",
    good=_GOOD,
    help="write `# crdlint: ignore[RULE] reason`, with the ids of one or more rules: `crdlint rules` lists them",
    severity="warning",
    origin="crdlint",
)
UNKNOWN_RULE: Final = Rule(
    id="ignore-unknown-rule",
    summary="An ignore comment that names a rule that there is not.",
    why="It ignores nothing: the id is misspelt, or of another version of crdlint.",
    bad="type: object # crdlint: ignore[unknown-feild]\n",
    good=_GOOD,
    help="`crdlint rules` lists the ids",
    severity="warning",
    origin="crdlint",
)
UNUSED: Final = Rule(
    id="ignore-unused",
    summary="An ignore comment that matches no finding.",
    why="What it was for has been mended, or it stands in the wrong place; left there it hides the next finding.",
    bad="type: object # crdlint: ignore[pattern-invalid]\n",
    good=_GOOD,
    help="take it out. At the end of a line it is for findings on that line, on a line of its own for the key or item "
    "below with all that is in it; `# crdlint: ignore-file[RULE]` at the start of a line is for the whole file",
    severity="warning",
    origin="crdlint",
)

RULES: Final = (MALFORMED, UNKNOWN_RULE, UNUSED)
