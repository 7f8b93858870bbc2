"""What editors show above and beside lines: tests to run, changes of CRDs since the main branch, costs of rules, and links."""

from __future__ import annotations

import os
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
from crdlint.kubecel.cost import RULE_COST_LIMIT
from crdlint.light import regex
from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.result import CollectedCRDs, FileResult, FoundRule
from crdlint.lsp.checks import Checked
from crdlint.lsp.hover import cost_of, share_of
from crdlint.lsp.resources import is_suite_text
from crdlint.lsp.workspace import OpenDocument
from crdlint.phrases import counted
from crdlint.report.page import rule_link
from crdlint.report.words import headline
from crdlint.rules.catalog import all_rules
from crdlint.sources.previous.copies import CommitFiles
from crdlint.suites.read import SuiteError, read_suite

SHOW: Final = "crdlint.show"
RUN_TESTS: Final = "crdlint.runTests"
_BRANCHES: Final = ("main", "master")
_NAME: Final = Path("metadata").child("name")
_IGNORED: Final = regex(r"#[ \t]*crdlint:[ \t]*ignore(?:-file)?\[([^\]#\r\n]*)\]")
_RULE: Final = regex(r"[\w-]+")


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
    """Return the lenses of a document: tests to run, and changes, whose details a click shows."""
    lenses = list(_tests(document))
    for span, title, text in _changes(document, checked):
        command = Command(title, SHOW, arguments=[text])
        lenses.append(CodeLens(document.text.range_of(span), command))
    return lenses


def _tests(document: OpenDocument) -> Iterator[CodeLens]:
    """Yield a lens that runs all tests of a suite, and one for each test."""
    if not is_suite_text(document.text.text, document.path):
        return
    with suppress(SuiteError):
        cases = read_suite(document.text.text, document.path).cases
        yield _running(
            document,
            1,
            f"run {counted(len(cases), 'test')}",
            "",
        )
        for case in cases:
            if case.name:
                yield _running(document, case.line, "run test", case.name)


def _running(
    document: OpenDocument,
    line: int,
    title: str,
    name: str,
) -> CodeLens:
    range_ = document.text.range_of(Span(line, 1, line, 1))
    return CodeLens(range_, Command(title, RUN_TESTS, arguments=[document.uri, name]))


def _changes(document: OpenDocument, checked: Checked) -> Iterator[tuple[Span, str, str]]:
    """Yield the place of each CRD that the main branch has, the number of its changes, and their texts."""
    branch = None if checked.task is None else in_main_branch(document.path)
    if branch is None or checked.task is None:
        return
    name, old = branch
    request = replace(
        checked.task.request,
        previous=old.by_name.get,
        keep=True,
        fixes=False,
    )
    result = lint_file(document.text.text, document.path, request)
    texts = _texts_of_changes(result)
    for crd, locator, _ in result.definitions:
        if crd.metadata.name in old.by_name:
            of_crd = texts.get(crd.metadata.name, [])
            title = f"{counted(len(of_crd), 'change')} since {name}"
            yield locator.span(_NAME), title, "\n".join(of_crd) or "no change"


def _texts_of_changes(result: FileResult) -> dict[str | None, list[str]]:
    """Return the changes of each CRD, a line each."""
    rules = all_rules()
    texts: dict[str | None, list[str]] = {}
    for each in result.diagnostics:
        if each.rule in rules and rules[each.rule].compares and not each.hidden:
            texts.setdefault(each.crd, []).append(f"{each.severity}: {headline(each)}")
    return texts


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
    """Return the share of its budget beside each rule in a range, if it is one per cent or more."""
    lines = range(visible.start.line, visible.end.line + 1)
    return [
        _hint(document, rule)
        for rule in checked.rules
        if rule.span.line - 1 in lines and _is_worth_a_hint(rule)
    ]


def _is_worth_a_hint(rule: FoundRule) -> bool:
    estimated = rule.estimated
    compiles = estimated.compiled.rule.error is None
    return compiles and estimated.total_cost * 100 >= RULE_COST_LIMIT


def _hint(document: OpenDocument, rule: FoundRule) -> InlayHint:
    text, line = document.text, rule.span.line - 1
    end = text.position(text.starts[line] + len(text.line(line).rstrip()))
    label = f"{share_of(rule.estimated.total_cost)} of the budget"
    return InlayHint(
        end,
        label,
        tooltip=cost_of(rule),
        padding_left=True,
    )
