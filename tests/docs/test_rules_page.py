"""The pages of the rules and the pictures, which scripts make of the rules and of runs on a terminal."""

from __future__ import annotations

import re

import pytest
from scripts import script


def test_the_page_of_a_rule_is_what_explain_prints() -> None:
    from click.testing import CliRunner

    from crdlint.cli.rules import explain

    page = script("make_rules").pages()["list-map-key-required.md"]
    printed = CliRunner().invoke(explain, ["list-map-key-required"]).output
    for line in printed.splitlines()[2:-1]:
        text = line.strip().partition(": ")[2] if line[:1].isalpha() else line.strip()
        if "list-map-key-unknown" not in text:  # links on the page
            assert text.replace("<", "&lt;") in page


@pytest.mark.parametrize("name", ["check", "fix", "diff", "cost", "validate", "explain"])
def test_a_picture_shows_what_the_command_prints(name: str, request: pytest.FixtureRequest) -> None:
    make = script("make_pictures")
    file = make.PICTURES / f"{name}.svg"
    if request.config.getoption("--update-expected"):
        file.write_text(make.picture(name), encoding="utf-8")
    # The time that a run takes differs, and with it the lengths and places of what is on its line.
    times = re.compile(r"in(?:&#160;|\s)\d+\.\d\d(?:&#160;|\s)s")
    recorded, drawn = (
        times.sub("in T s", text) for text in (file.read_text(encoding="utf-8"), make.picture(name))
    )
    assert re.sub(r'(?:textLength|x)="[\d.]+"', "", recorded) == re.sub(
        r'(?:textLength|x)="[\d.]+"', "", drawn
    ), "run python docs/make_pictures.py"
