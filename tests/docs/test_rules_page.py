"""The pages of the rules and the pictures, which scripts make of the rules and of runs on a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import pytest
from scripts import DOCS, script
from tables import each


def test_the_page_of_a_rule_is_what_explain_prints() -> None:
    from click.testing import CliRunner

    from crdlint.cli.rules import explain

    page = script("make_rules").pages()["list-map-key-required.md"]
    printed = CliRunner().invoke(explain, ["list-map-key-required"]).output
    for line in printed.splitlines()[2:-1]:
        text = line.strip().partition(": ")[2] if line[:1].isalpha() else line.strip()
        is_other = "list-map-key-unknown" in text or "{" in text  # links, and fields of their lines
        if not is_other:
            assert text.replace("<", "&lt;") in page


@pytest.mark.exhaustive
def test_an_example_in_block_style_is_reported_alike() -> None:
    from crdlint.report.rule_description import findings
    from crdlint.rules.catalog import families

    in_block_style = script("make_rules").in_block_style
    rules = [rule for family in families() for rule in family.values()]
    rewritten = 0
    for rule in rules:
        block = in_block_style(rule.bad.rstrip())
        assert in_block_style(block) == block
        rewritten += block != rule.bad.rstrip()
        reported = {finding.rule for finding in findings(rule, block)}
        before = {finding.rule for finding in findings(rule, rule.bad)}
        assert (rule.id in reported) == (rule.id in before), rule.id
    assert rewritten > len(rules) / 2


BROKEN = "a: [b\nc: {"
STYLES = {
    "a mapping": ("a: {b: {c: 1}}", "a:\n  b:\n    c: 1"),
    "a list of scalars": ("a: {b: [c, d]}", "a:\n  b: [c, d]"),
    "a list of mappings": ("a: [{b: 1}, {c: 2}]", "a:\n- b: 1\n- c: 2"),
    "an empty mapping": ("a: {b: {}}", "a:\n  b: {}"),
    "a comment": ("a: {b: 1} # c", "a:        # c\n  b: 1"),
    "quotes": ("a: {b: '1', c: \"2\"}", "a:\n  b: '1'\n  c: \"2\""),
    "an anchor": ("a: &x {b: 1}\nc: *x", "a: &x\n  b: 1\nc: *x"),
    "broken YAML": (BROKEN, BROKEN),
    "a text of two lines": ("a: {b: [c\n  d]}", "a: {b: [c\n  d]}"),
    "a block of text": ("a:\n  b: >-\n    c\n    d", "a:\n  b: >-\n    c\n    d"),
    "a template": ("a: {{ .Values.a }}", "a: {{ .Values.a }}"),
}


@each("text, block", STYLES.values(), ids=STYLES)
def test_a_field_has_its_line_in_block_style(text: str, block: str) -> None:
    assert script("make_rules").in_block_style(text) == block


def test_a_pasted_message_of_the_api_server_finds_its_rule() -> None:
    """Read the index as the filter of the page does: all fixed words of a message are in the pasted text."""
    index = script("make_rules").pages()["README.md"]
    rows = re.findall(r'<li data-messages="([^"]*)".*?<code>([\w-]+)</code>', index)
    messages = {rule: [set(each.split()) for each in text.split("|")] for text, rule in rows}
    pasted = {
        "list-map-key-required": "spec.versions[2].schema.openAPIV3Schema.properties[a].items.properties[b].default: "
        "Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required "
        "property",
        "storage-version-exactly-one": 'spec.versions: Invalid value: [{"Name":"v9"}]: must have exactly one version '
        "marked as storage version",
        "metadata-name": 'metadata.name: Invalid value: "x.y": must be spec.names.plural+"."+spec.group',
        "names-required": "spec.names.singular: Required value",
    }
    for rule, message in pasted.items():
        words = set(re.findall(r"[a-z][a-z-]+", message.lower()))
        assert any(len(each) >= 3 and each <= words for each in messages[rule]), rule


def test_recorded_messages_find_their_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)
    messages = json.loads(script("make_rules")._messages_of_rules())  # noqa: SLF001
    recorded = list(script("make_messages").recorded_messages(37))
    missed = [message for rule, message in recorded if rule not in found(messages, message)]
    assert len(missed) <= len(recorded) / 50, missed


@pytest.mark.exhaustive
def test_messages_that_were_not_read_find_their_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)
    make = script("make_messages")
    recorded = list(make.recorded_messages())
    messages = make.messages(recorded[::2])
    aside = [(rule, message) for rule, message in recorded[1::2] if rule in messages]
    missed = [message for rule, message in aside if rule not in found(messages, message)]
    assert len(missed) <= len(aside) / 20, missed


@pytest.mark.parametrize(
    ("pasted", "rule"),
    [
        ("spec.replicas: Required value", "resource-value"),
        ('spec: Invalid value: "object": failed rule: self.a < self.b', "resource-rule"),
        ("spec.size: Invalid value: 3: a disk cannot become smaller", "resource-rule"),
        ("spec.host: Forbidden: ask the team of the network", "resource-rule"),
        (
            "spec.versions[0].schema.openAPIV3Schema.properties[spec].default.zone: Required value",
            "default-invalid",
        ),
        (
            "json: cannot unmarshal array into Go struct field JSONSchemaProps.spec.versions.schema."
            "openAPIV3Schema.minItems of type int64",
            "decode-type",
        ),
    ],
)
def test_messages_with_few_words_of_their_own(
    pasted: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(DOCS)
    messages = json.loads(script("make_rules")._messages_of_rules())  # noqa: SLF001
    assert rule in found(messages, pasted)
    assert len(found(messages, pasted)) < 10


def found(messages: Mapping[str, Sequence[str]], pasted: str) -> list[str]:
    """Return the rules that the page finds for a message, as javascripts/site.js does."""
    words = set(re.findall(r"[a-z][a-z-]+", pasted.lower()))
    sets = [(rule, set(each.split())) for rule, of_rule in messages.items() for each in of_rule]
    known = [(rule, each) for rule, each in sets if each <= words]
    sure = [rule for rule, each in known if len(each) >= 3]
    return list(dict.fromkeys(sure or [rule for rule, _ in known]))


# The time that a run takes differs, and with it the lengths and places of what is on its line.
_VARYING = re.compile(r'in(?:&#160;|\s)\d+\.\d\d(?:&#160;|\s)s|(?:textLength|x)="[\d.]+"')


def drawn_alike(one: str, other: str) -> bool:
    """Return whether two pictures show the same, but for the time of the run."""
    return _VARYING.sub("", one) == _VARYING.sub("", other)


@pytest.mark.parametrize("name", ["check", "fix", "diff", "cost", "validate", "explain"])
def test_a_picture_shows_what_the_command_prints(name: str, request: pytest.FixtureRequest) -> None:
    make = script("make_pictures")
    file = make.PICTURES / f"{name}.svg"
    picture = make.picture(name)
    recorded = file.read_text(encoding="utf-8")
    assert "# <-" not in recorded
    if request.config.getoption("--update-expected") and not drawn_alike(recorded, picture):
        file.write_text(picture, encoding="utf-8")
        file.with_suffix(".html").write_text(make.text_in_html(name), encoding="utf-8")
    recorded = file.read_text(encoding="utf-8")
    assert drawn_alike(recorded, picture), "run python docs/make_pictures.py"


def test_the_time_of_a_run_draws_no_other_picture() -> None:
    line = '<text x="1.5" textLength="{}">checked 1 file in&#160;{}&#160;s</text>'
    assert drawn_alike(line.format("61.5", "0.10"), line.format("73.2", "12.34"))
    assert not drawn_alike(
        line.format("1", "0.10"), line.format("1", "0.10").replace("1 file", "2")
    )
