"""The texts of rules have one shape: what is wrong, why it matters, and what to do, in plain words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from plain_english import avoided

import crdlint
from crdlint.rules.catalog import all_rules, fixes
from crdlint.rules.engine.examples import manifest

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.rules.engine.rule import Rule

RULES: Final = list(all_rules().values())
LONGEST_SUMMARY: Final = 72
# The verbs that a help starts with: someone who does that gets rid of the finding, or of what an upgrade does.
VERB: Final = re.compile(
    "(Add|Apply|Change|Check|Close|Compare|Convert|Correct|Delete|Do not indent|Escape|Fix|Indent|Install|Keep|Make|Move|"
    "Put|Raise|Remove|Rename|Replace|Require|Restore|Return|Set|Simplify|Specify|Upgrade|Use|Write) "
)
CODE: Final = re.compile("`[^`]*`")
ALTERNATIVE: Final = re.compile("[,;:] or ")
FIXTURES: Final = sorted((Path(__file__).resolve().parents[2] / "fixtures" / "invalid").iterdir())


def misshapen_summary(rule: Rule) -> bool:
    """Return whether the summary is no short phrase without an article."""
    text = rule.summary
    return (
        len(text) > LONGEST_SUMMARY
        or text.endswith((".", "!", "?"))
        or ". " in text
        or text.startswith(("A ", "An ", "The "))
        or not re.match(r"[A-Z]|`|apiVersion |cel-python ", text)
    )


def misshapen_reason(rule: Rule) -> bool:
    """Return whether the reason is not one to three sentences of at most 30 words."""
    sentences = CODE.sub(lambda code: code[0].replace(". ", " "), rule.why).split(". ")
    return (
        not rule.why.endswith(".")
        or not re.match(r"[A-Z]|`|crdlint |kubectl ", rule.why)
        or len(sentences) > 3
        or max(len(sentence.split()) for sentence in sentences) > 30
    )


def is_misshapen(help_: str) -> bool:
    """Return whether a help is not one instruction with at most one alternative."""
    text = CODE.sub("`", help_)
    return (
        not VERB.match(help_)
        or text.endswith(".")
        or ". " in text
        or len(ALTERNATIVE.findall(text)) > 1
    )


def misshapen_help(rule: Rule) -> bool:
    return is_misshapen(rule.help)


def untrimmed(rule: Rule) -> bool:
    """Return whether a text is missing or begins or ends with a blank, or the id is not in lower case."""
    return rule.id != rule.id.lower() or any(
        not text or text != text.strip() for text in texts(rule)[:3]
    )


def vague(rule: Rule) -> bool:
    """Return whether a text has words that plain English avoids."""
    return any(avoided(text) for text in texts(rule))


def texts(rule: Rule) -> list[str]:
    return [rule.summary, rule.why, rule.help, *(fix.title for fix in fixes(rule.id))]


@pytest.mark.parametrize(
    "fault", [misshapen_summary, misshapen_reason, misshapen_help, untrimmed, vague]
)
def test_the_texts_of_rules(fault: Callable[[Rule], bool]) -> None:
    assert [rule.id for rule in RULES if fault(rule)] == []


def test_a_finding_has_one_thing_to_do() -> None:
    texts = [path.read_bytes().decode() for path in FIXTURES]
    texts += [manifest(rule, rule.bad) for rule in RULES if rule.bad and not rule.compares]
    findings = [finding for text in texts for finding in crdlint.lint_text(text)]
    assert {(one.rule, one.help) for one in findings if is_misshapen(one.help or "")} == set()


def test_no_two_rules_have_the_same_summary() -> None:
    assert len({rule.summary for rule in RULES}) == len(RULES)
