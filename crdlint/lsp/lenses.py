"""What editors show above and beside lines: the cost of each rule, the changes of each CRD since the main branch, and links."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Final

from lsprotocol.types import CodeLens, Command, DocumentLink, InlayHint, Range

from crdlint.crd.paths import Path
from crdlint.crd.positions import Span
from crdlint.files.git import commit_of, has_revision
from crdlint.files.read import UnreadableError, decode
from crdlint.files.repository import RepositoryError, repository_of
from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.result import CollectedCRDs
from crdlint.lsp.checks import Checked
from crdlint.lsp.hover import cost_of, share_of
from crdlint.lsp.workspace import OpenDocument
from crdlint.phrases import counted
from crdlint.report.page import rule_link
from crdlint.report.words import headline
from crdlint.rules.catalog import all_rules
from crdlint.sources.previous.copies import CommitFiles

SHOW: Final = "crdlint.show"
_BRANCHES: Final = ("main", "master")
_NAME: Final = Path("metadata").child("name")
_IGNORED: Final = re.compile(r"#[ \t]*crdlint:[ \t]*ignore(?:-file)?\[([^\]#\r\n]*)\]")
_RULE: Final = re.compile(r"[\w-]+")


@cache
def in_main_branch(path: str) -> tuple[str, CollectedCRDs] | None:
    """Return the main branch and the CRDs of a file in it, None if it is in no repository or not in that branch.

    Each file is read once, until `cache_clear` is called.
    """
    with suppress(RepositoryError, UnreadableError):
        return _in_branch(path)
    return None


def _in_branch(path: str) -> tuple[str, CollectedCRDs] | None:
    repository = repository_of(path)
    name = repository and next((name for name in _BRANCHES if has_revision(repository, name)), None)
    if repository is None or name is None:
        return None
    files = CommitFiles(repository, commit_of(repository, name))
    inside = os.path.relpath(os.path.realpath(path), repository.top).replace(os.sep, "/")
    if not files.has_file(inside):
        return None
    [(_, content)] = files.contents([inside])
    return (
        None if content.problem else (name, collect_crds(decode(content.data), f"{name}:{inside}"))
    )


def lenses_of(document: OpenDocument, checked: Checked) -> list[CodeLens]:
    """Return the lenses of a document; a click on one shows the details."""

    def lens(span: Span, title: str, text: str) -> CodeLens:
        return CodeLens(document.text.range_of(span), Command(title, SHOW, arguments=[text]))

    lenses = []
    for rule in () if checked.crds is None else checked.crds.rules:
        if rule.estimated.compiled.rule.error is None:
            cost = rule.estimated.total_cost
            lenses.append(
                lens(rule.span, f"cost {cost:,}, {share_of(cost)} of the budget", cost_of(rule))
            )
    return lenses + [lens(*each) for each in _changes(document, checked)]


def _changes(document: OpenDocument, checked: Checked) -> Iterator[tuple[Span, str, str]]:
    """Yield the place of each CRD that the main branch has, the number of its changes, and their texts."""
    branch = None if checked.task is None else in_main_branch(document.path)
    if branch is None or checked.task is None:
        return
    name, old = branch
    request = replace(checked.task.request, previous=old.by_name.get, keep=True, fixes=False)
    result = lint_file(document.text.text, document.path, request)
    rules = all_rules()
    changes = [
        each
        for each in result.diagnostics
        if each.rule in rules and rules[each.rule].compares and not each.hidden
    ]
    for crd, locator, _ in result.definitions:
        if crd.metadata.name in old.by_name:
            texts = [
                f"{each.severity}: {headline(each)}"
                for each in changes
                if each.crd == crd.metadata.name
            ]
            yield (
                locator.span(_NAME),
                f"{counted(len(texts), 'change')} since {name}",
                "\n".join(texts) or "no change",
            )


def links_of(document: OpenDocument) -> list[DocumentLink]:
    """Return the links of the rules that comments name to their pages."""
    text, rules = document.text, all_rules()
    return [
        DocumentLink(text.range(start + word.start(), start + word.end()), rule_link(word[0]))
        for comment in _IGNORED.finditer(text.text)
        for start in (comment.start(1),)
        for word in _RULE.finditer(comment[1])
        if word[0] in rules
    ]


def hints_of(document: OpenDocument, checked: Checked, visible: Range) -> list[InlayHint]:
    """Return the share of its budget beside each rule in a range."""
    text, hints = document.text, []
    for rule in () if checked.crds is None else checked.crds.rules:
        line = rule.span.line - 1
        if (
            rule.estimated.compiled.rule.error is None
            and visible.start.line <= line <= visible.end.line
        ):
            end = text.position(text.starts[line] + len(text.line(line).rstrip()))
            label = f"{share_of(rule.estimated.total_cost)} of the budget"
            hints.append(InlayHint(end, label, tooltip=cost_of(rule), padding_left=True))
    return hints
