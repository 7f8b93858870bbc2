"""docs/api.md, which docs/make_api.py writes from the docstrings of the Python API."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from scripts import DOCS, script

import crdlint
from crdlint import api

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def make_api() -> ModuleType:
    return script("make_api")


def test_the_page_is_what_the_docstrings_are(
    make_api: ModuleType, request: pytest.FixtureRequest
) -> None:
    if request.config.getoption("--update-expected"):
        make_api.PAGE.write_text(make_api.page(), encoding="utf-8")
    assert make_api.PAGE.read_text(encoding="utf-8") == make_api.page(), (
        "run python docs/make_api.py"
    )


def test_every_name_is_exported_and_described() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    for name in api.__all__:
        assert getattr(crdlint, name) is getattr(api, name)
        assert f"\n### {name}\n" in page
        assert name in dir(crdlint)
    assert crdlint.__all__ == api.__all__


def test_other_names_are_not_exported() -> None:
    with pytest.raises(AttributeError, match="module 'crdlint' has no attribute 'lint_file'"):
        crdlint.lint_file  # type: ignore[attr-defined]  # noqa: B018


def test_a_star_import_has_the_api() -> None:
    code = "from crdlint import *\nprint(lint_text.__name__, Diagnostic.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "lint_text Diagnostic\n"


def test_type_checkers_see_the_signatures() -> None:
    """Calls that mypy has to reject: it reports each comment here that is not needed."""
    with pytest.raises(TypeError):
        crdlint.lint_text()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        crdlint.validate_resource("", "", "")  # type: ignore[call-arg]
