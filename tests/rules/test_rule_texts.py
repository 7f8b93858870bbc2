"""The texts of rules have one shape: what is wrong, why it matters, and what to do, in plain words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest
from plain_english import avoided

from crdlint.rules.catalog import all_rules

if TYPE_CHECKING:
    from crdlint.rules.engine.rule import Rule

RULES: Final = list(all_rules().values())
LONGEST_SUMMARY: Final = 72
# The verbs that a help starts with: someone who does that gets rid of the finding.
VERB: Final = re.compile(
    "(Add|Change|Check|Convert|Correct|Escape|Fix|Install|Keep|Make|Move|Put|Raise|Remove|Rename|Replace|Require|Restore|Set|"
    "Simplify|Specify|Use|Write) "
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_summary_is_a_short_phrase(rule: Rule) -> None:
    assert len(rule.summary) <= LONGEST_SUMMARY
    assert not rule.summary.endswith((".", "!", "?"))
    assert ". " not in rule.summary
    assert re.match(r"[A-Z]|`|apiVersion |cel-python ", rule.summary)
    assert not rule.summary.startswith(("A ", "An ", "The "))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_reason_is_one_or_two_sentences(rule: Rule) -> None:
    assert rule.why.endswith(".")
    assert re.match(r"[A-Z]|`|crdlint |kubectl ", rule.why)
    assert rule.why.count(". ") <= 2
    assert max(len(sentence.split()) for sentence in rule.why.split(". ")) <= 30


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_help_is_an_instruction(rule: Rule) -> None:
    assert VERB.match(rule.help)
    assert not rule.help.endswith(".")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_texts_of_a_rule_are_plain_english(rule: Rule) -> None:
    texts = [rule.summary, rule.why, rule.help, *(fix.title for fix in rule.fixes)]
    assert [found for text in texts for found in avoided(text)] == []


def test_no_two_rules_have_the_same_summary() -> None:
    assert len({rule.summary for rule in RULES}) == len(RULES)
