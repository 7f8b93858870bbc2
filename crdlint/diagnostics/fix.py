"""Fixes of findings, as ruff has them: edits, and whether they are safe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from crdlint.yaml.edit import Edit

# As in ruff. safe: the CRD was rejected, or the text has no effect, and only one reading is meant. unsafe: a guess at the
# author's intention, or a change of the objects that are accepted.
Applicability: TypeAlias = Literal["safe", "unsafe"]


@dataclass(frozen=True, slots=True)
class Fix:
    """The edits of a file's text that fix a finding, and a title that says what they do, in the imperative."""

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]
