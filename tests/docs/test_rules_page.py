"""docs/rules.md and the pictures, which scripts write from the rules and from runs on a terminal."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crdlint.report.page import rule_link
from crdlint.rules.catalog import all_rules

if TYPE_CHECKING:
    from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"


def script(name: str) -> ModuleType:
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_the_texts_of_the_rules(request: pytest.FixtureRequest) -> None:
    make = script("make_rules")
    if request.config.getoption("--update-expected"):
        make.PAGE.write_text(make.page(), encoding="utf-8")
    assert make.PAGE.read_text(encoding="utf-8") == make.page(), "run python docs/make_rules.py"


def test_the_link_of_each_rule_leads_to_its_heading() -> None:
    headings = set(re.findall(r"^## (.*)$", (DOCS / "rules.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert {rule_link(heading) for heading in headings} == set(map(rule_link, all_rules()))
    assert rule_link("yaml-syntax").endswith("/docs/rules.md#yaml-syntax")


@pytest.mark.parametrize("name", ["check", "cost", "explain"])
def test_a_picture_shows_what_the_command_prints(name: str, request: pytest.FixtureRequest) -> None:
    make = script("make_pictures")
    file = make.PICTURES / f"{name}.svg"
    if request.config.getoption("--update-expected"):
        file.write_text(make.picture(name), encoding="utf-8")
    # The time that a run takes differs, and with it the lengths and places of what is on its line.
    times = re.compile(r"in(?:&#160;|\s)\d+\.\d\d(?:&#160;|\s)s")
    recorded, drawn = (times.sub("in T s", text) for text in (file.read_text(encoding="utf-8"), make.picture(name)))
    assert re.sub(r'(?:textLength|x)="[\d.]+"', "", recorded) == re.sub(r'(?:textLength|x)="[\d.]+"', "", drawn), (
        "run python docs/make_pictures.py"
    )
