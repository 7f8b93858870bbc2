"""The pages of the rules and the pictures, which scripts make of the rules and of runs on a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest
from scripts import DOCS, script


def test_the_page_of_a_rule_is_what_explain_prints() -> None:
    from click.testing import CliRunner

    from crdlint.cli.rules import explain

    page = script("make_rules").pages()["list-map-key-required.md"]
    printed = CliRunner().invoke(explain, ["list-map-key-required"]).output
    for line in printed.splitlines()[2:-1]:
        text = line.strip().partition(": ")[2] if line[:1].isalpha() else line.strip()
        if "list-map-key-unknown" not in text:  # links on the page
            assert text.replace("<", "&lt;") in page


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
    """Most of them: a message that says what a rule of CEL says, or a value, has few words of its own."""
    monkeypatch.syspath_prepend(DOCS)
    messages = json.loads(script("make_rules")._messages_of_rules())  # noqa: SLF001
    recorded = list(script("make_messages").recorded_messages(37))
    missed = [
        message for rule, message in recorded if not is_found(messages.get(rule, ()), message)
    ]
    assert len(missed) <= len(recorded) / 10, missed


def is_found(messages: Sequence[str], pasted: str) -> bool:
    words = set(re.findall(r"[a-z][a-z-]+", pasted.lower()))
    return any(set(each.split()) <= words for each in messages)


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
