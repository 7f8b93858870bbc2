"""Files that the API server accepts stay as they are: what a run only counts, `--fix` leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from crds import SMALLEST, crd_with_schema
from repairs import check, errors
from tables import each

from crdlint.config.model import Config
from crdlint.runner.fixes import fix

ROOT = Path(__file__).parents[2]
FOLDERS = (
    ROOT / "fixtures" / "valid",
    Path(__file__).parent / "crds",
    *(ROOT.parent / "shared" / name for name in ("crds", "crds-3")),
)
FILES = [path for folder in FOLDERS for path in sorted(folder.glob("*.yaml"))]
KEPT = SMALLEST.replace("spec:\n", "spec:\n  preserveUnknownFields: false\n", 1)
INT_OR_STRING = crd_with_schema(
    "type: object\nproperties:\n  a: {type: string, x-kubernetes-int-or-string: true}\n"
)


def after(text: str, *select: str, unsafe: bool = False) -> str:
    """Return what the fixes of a run make of a text."""
    return fix(check(text), check, unsafe=unsafe, config=Config(select=("*", *select))).text


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@each("path", FILES)
def test_an_accepted_file_stays_byte_for_byte(path: Path, unsafe: bool) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        text = file.read()
    if not errors(check(text)):
        assert after(text, unsafe=unsafe) == text


def test_there_are_accepted_files() -> None:
    assert (
        sum(not errors(check(path.read_text(encoding="utf-8"))) for path in FILES) > len(FILES) // 2
    )


def test_a_hint_is_fixed_only_if_it_is_selected() -> None:
    assert {finding.rule for finding in check(KEPT).diagnostics} == {"not-stored"}
    assert after(KEPT) == after(KEPT, unsafe=True) == KEPT
    assert after(KEPT, "not-stored") == SMALLEST


def test_a_hint_with_a_higher_severity_is_fixed() -> None:
    config = Config(severity=(("not-stored", "warning"),))
    assert fix(check(KEPT), check, unsafe=False, config=config).text == SMALLEST


def test_a_type_that_server_side_apply_reads_is_removed_only_if_that_is_selected() -> None:
    rule = "keyword-without-effect"
    assert after(INT_OR_STRING) == after(INT_OR_STRING, unsafe=True) == INT_OR_STRING
    assert after(INT_OR_STRING, rule) == INT_OR_STRING
    assert "type: string" not in after(INT_OR_STRING, rule, unsafe=True)
