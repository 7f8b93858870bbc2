"""docs/kubernetes-versions.md, which docs/make_versions.py writes from the table of servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_type_hints

import pytest
from scripts import script

from crdlint.cel.dialect import CELDialect
from crdlint.kubernetes.servers import SERVERS, Server

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def make_versions() -> ModuleType:
    return script("make_versions")


def test_the_page_is_what_the_table_has(
    make_versions: ModuleType, request: pytest.FixtureRequest
) -> None:
    if request.config.getoption("--update-expected"):
        make_versions.PAGE.write_text(make_versions.page(), encoding="utf-8")
    assert make_versions.PAGE.read_text(encoding="utf-8") == make_versions.page(), (
        "run python docs/make_versions.py"
    )


def test_every_server_has_a_section(make_versions: ModuleType) -> None:
    page = make_versions.page()
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        *(f"## Kubernetes {one}" for one in SERVERS),
        "## What crdlint does not reproduce",
    ]


@pytest.mark.parametrize("of", [Server, CELDialect])
def test_every_switch_is_described(
    make_versions: ModuleType, of: type[Server | CELDialect]
) -> None:
    switches = {name for name, type_ in get_type_hints(of).items() if type_ is bool}
    described = make_versions._sentences(of).keys() | make_versions._WORDING  # noqa: SLF001
    assert switches <= described
