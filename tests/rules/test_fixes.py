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
    from typing import Any

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FIXES = [
    pytest.param(rule, fixer, id=f"{rule.id}-{i}")
    for rule in all_rules().values()
    for i, fixer in enumerate(rule.fixes)
]


def checker(rule: Any) -> Any:
    """Return what checks a text, with the rule requested if it is only reported on request."""
    requested = frozenset({rule.id})
    return lambda text: lint_file(text, filename="x", skip_unfinished=True, fixes=True, requested=requested)


def example(rule: Any, fixer: Any, which: Any) -> Any:
    scope = fixer.scope or rule.scope
    return manifest(rule._replace(scope=scope), getattr(fixer, which) or getattr(rule, which))


def errors(result: Any) -> Any:
    return [one.message for one in result.diagnostics if one.severity == "error"]


@each(("rule", "fixer"), FIXES)
def test_the_bad_example_is_fixed(rule: Any, fixer: Any) -> None:
    check = checker(rule)
    bad, good = example(rule, fixer, "bad"), example(rule, fixer, "good")
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
def test_only_unsafe_fixes_need_to_be_asked_for(rule: Any, fixer: Any) -> None:
    check = checker(rule)
    bad = example(rule, fixer, "bad")
    fixed = fix(check(bad), check, unsafe=False)
    assert (fixer.title in {one.title for one in fixed.applied}) == (fixer.applicability == "safe")


@each(("rule", "fixer"), FIXES)
@each("how", ["line ends", "comments"])
def test_the_rest_of_the_text_is_kept(rule: Any, fixer: Any, how: Any) -> None:
    check = checker(rule)
    bad, good = example(rule, fixer, "bad"), example(rule, fixer, "good")
    if bad.startswith("{"):
        pytest.skip("one line of JSON")
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
