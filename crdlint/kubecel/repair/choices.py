"""Choices of edits of an expression, of which one may be meant."""

from __future__ import annotations

from typing import NamedTuple

from crdlint.yaml.edit import Edit


class Choice(NamedTuple):
    """Edits of which one may be meant.

    `helps` are the helps for each of them, by default what they write. If it `must_complete`, it applies only if the
    expression compiles.
    """

    alternatives: tuple[tuple[Edit, ...], ...]
    is_certain: bool = True
    helps: tuple[str, ...] = ()
    must_complete: bool = False


def one_of(edits: list[Edit], *helps: str) -> Choice:
    """Return an uncertain choice of one of some edits with which the expression compiles."""
    return Choice(tuple((edit,) for edit in edits), is_certain=False, helps=helps, must_complete=True)


def named(span: tuple[int, int], names: list[str], *, certain: bool) -> Choice:
    """Return the choice of one of some names in place of another."""
    helps = tuple(f"Write `{name}` instead" for name in names)
    return Choice(tuple((Edit(*span, name),) for name in names), certain, helps)
