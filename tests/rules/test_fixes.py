"""Every fix turns its bad example into its good one, and changes nothing else of the text."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tables import each

from crdlint.linting.pipeline import lint_file
from crdlint.rules.catalog import all_rules
from crdlint.rules.engine.examples import manifest
from crdlint.runner.fixes import fix
from crdlint.yaml import decode_yaml
from crdlint.yaml.edit import apply

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.linting.result import FileResult
    from crdlint.rules.engine.finding import Fixer
    from crdlint.rules.engine.rule import Rule

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FIXES = [
    pytest.param(rule, fixer, id=f"{rule.id}-{i}")
    for rule in all_rules().values()
    for i, fixer in enumerate(rule.fixes)
]


def checker(rule: Rule) -> Callable[[str], FileResult]:
    """Return what checks a text, with the rule requested if it is only reported on request."""
    requested = frozenset({rule.id})
    return lambda text: lint_file(text, filename="x", skip_unfinished=True, fixes=True, requested=requested)


def examples(rule: Rule, fixer: Fixer) -> tuple[str, str]:
    """Return the manifests before and after a fix."""
    scoped = rule._replace(scope=fixer.scope or rule.scope)
    return manifest(scoped, fixer.bad or rule.bad), manifest(scoped, fixer.good or rule.good)


def errors(result: FileResult) -> list[str]:
    return [diagnostic.message for diagnostic in result.diagnostics if diagnostic.severity == "error"]


# Fragments are laid over a line of JSON where a rule is about a whole object.
IN_LINES = [row for row in FIXES if not examples(*row.values)[0].startswith("{")]  # type: ignore[arg-type]


@each(("rule", "fixer"), FIXES)
def test_the_bad_example_is_fixed(rule: Rule, fixer: Fixer) -> None:
    check = checker(rule)
    bad, good = examples(rule, fixer)
    before = check(bad)
    offered = [one.fix for one in before.diagnostics if one.rule == rule.id and one.fix is not None]
    assert (fixer.title, fixer.applicability) in {(one.title, one.applicability) for one in offered}
    fixed = fix(before, check, unsafe=fixer.applicability == "unsafe")
    assert (rule.id, fixer.title) in {(one.rule, one.title) for one in fixed.applied}
    assert fixed.undone == ()
    assert errors(fixed.result) == []
    assert apply(bad, fixed.edits) == fixed.text
    if bad.startswith("{"):  # fragments are laid over JSON, whose order is not theirs
        assert decode_yaml(fixed.text) == decode_yaml(good)
    else:
        assert fixed.text == good
    again = fix(fixed.result, check, unsafe=fixer.applicability == "unsafe")
    assert again.edits == ()


@each(("rule", "fixer"), FIXES)
def test_only_unsafe_fixes_need_to_be_asked_for(rule: Rule, fixer: Fixer) -> None:
    check = checker(rule)
    bad, _ = examples(rule, fixer)
    fixed = fix(check(bad), check, unsafe=False)
    assert (fixer.title in {one.title for one in fixed.applied}) == (fixer.applicability == "safe")


@each(("rule", "fixer"), IN_LINES)
@each("how", ["line ends", "comments"])
def test_the_rest_of_the_text_is_kept(rule: Rule, fixer: Fixer, how: str) -> None:
    check = checker(rule)
    bad, good = examples(rule, fixer)
    if how == "line ends":
        bad, good = bad.replace("\n", "\r\n"), good.replace("\n", "\r\n")
    else:
        bad, good = f"# first\n---\n# above\n{bad}# below\n", f"# first\n---\n# above\n{good}# below\n"
    assert fix(check(bad), check, unsafe=fixer.applicability == "unsafe").text == good


@each("value", ["[]", "{}", "~", "[1]", "[a, b]", "{a: 1}", "1", "x"])
def test_values_of_other_types_are_fixed_or_left(value: str) -> None:
    """Every scalar of a CRD is replaced in turn; the fix of what is found ends, and brings no new error."""
    text = (FIXTURES / "valid" / "minimal.yaml").read_text(encoding="utf-8")
    for match in re.finditer(r"(?<=: )\S.*$", text, re.MULTILINE):
        check = partial(lint_file, filename="x", skip_unfinished=True, fixes=True)
        before = check(f"{text[: match.start()]}{value}{text[match.end() :]}")
        fixed = fix(before, check, unsafe=True)
        assert len(errors(fixed.result)) <= len(errors(before))
