"""Ignore comments of templates, which are read without the directives."""

from __future__ import annotations

from crdlint.config.comments import Comments, read_comments
from crdlint.sources.helm.masking import mask


def read_template_comments(text: str, file: str) -> Comments:
    """Return the ignore comments of a template, in all branches of its conditions."""
    masked = mask(text)
    comments = read_comments(masked.text, file)
    if any(block.has_else for block in masked.blocks):
        _add(comments, read_comments(mask(text, takes_else=True).text, file))
    return comments


def _add(comments: Comments, others: Comments) -> None:
    """Add the comments and remarks that are not there yet."""
    listed = {each.rules for each in comments.valid}  # with their places
    comments.valid += (each for each in others.valid if each.rules not in listed)
    remarks = {(each.line, each.column, each.message) for each in comments.remarks}
    comments.remarks += (
        each for each in others.remarks if (each.line, each.column, each.message) not in remarks
    )
