"""Lines of dashes or dots inside of a CRD: both halves are findings, and neither is repaired as if it were whole."""

from __future__ import annotations

from typing import Final

from crds import HEAD, SMALLEST
from tables import each

import crdlint
from crdlint.diagnostics import Diagnostic
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest

SCHEMA: Final = """\
        type: object
        properties:
          spec:
            properties:
              a:
                type: string
              b:
                type: object
                properties:
                  c:
                    type: string
              d:
                type: integer
          status:
            type: object
    subresources:
      status: {}
"""
WHOLE: Final = f"{HEAD}{SCHEMA}"
LINES: Final = WHOLE.splitlines(keepends=True)
# From the first field of the spec on: a half without a kind of its own begins here.
BELOW_SPEC: Final = range(WHOLE[: WHOLE.index("spec:\n")].count("\n") + 1, len(LINES))
ENDS_HERE: Final = "`---` ends the document here; the lines below are not read as a part of it"
JSON: Final = """\
{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "foos.example.com"},
 "spec": {"group": "example.com", "names": {"kind": "Foo", "plural": "foos"}, "scope": "Namespaced",
---
  "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]
---
}}
"""


def separated(at: int, separator: str = "---\n") -> str:
    """Return the CRD with a separator above one of its lines (0-based)."""
    return "".join([*LINES[:at], separator, *LINES[at:]])


def cuts(text: str) -> list[Diagnostic]:
    """Return the findings that name a line of dashes as the cause."""
    found = lint_file(text, "x.yaml", CheckRequest(fixes=True)).diagnostics
    return [one for one in found if one.headline == ENDS_HERE]


@each("at", BELOW_SPEC)
def test_dashes_above_each_line_below_spec_are_named(at: int) -> None:
    text = separated(at)
    (cut,) = cuts(text)
    assert (cut.severity, cut.line, cut.column) == ("error", at + 1, 1)
    assert crdlint.fix_text(text, filename="x.yaml") == text
    assert cut.fix is not None
    assert cut.fix.applicability == "unsafe"
    assert cut.fix.apply(text) == WHOLE


@each(
    "separator",
    [
        "---\n\n",
        "--- # next\n",
        "---\n# next\n\n",
        "\n---\n",
        "...\n---\n",
        "---\n---\n",
        "---\n\n---\n# next\n---\n",
        "--- \r\n",
    ],
)
def test_dashes_beside_blank_lines_comments_and_dots(separator: str) -> None:
    for at in (BELOW_SPEC[0], BELOW_SPEC[-4]):
        text = separated(at, separator)
        assert cuts(text)
        assert crdlint.fix_text(text, filename="x.yaml") == text
        fixed = crdlint.fix_text(text, filename="x.yaml", unsafe=True)
        assert not cuts(fixed)
        assert "---" not in fixed


def test_several_lines_of_dashes_are_named_and_removed() -> None:
    text = "".join(f"---\n{line}" if n in BELOW_SPEC else line for n, line in enumerate(LINES))
    assert [cut.line for cut in cuts(text)] == [2 * n - BELOW_SPEC[0] + 1 for n in BELOW_SPEC]
    assert crdlint.fix_text(text, filename="x.yaml") == text
    assert crdlint.fix_text(JSON, filename="x.yaml") == JSON
    fixed = crdlint.fix_text(JSON, filename="x.yaml", unsafe=True)
    assert fixed == JSON.replace("---\n", "")


def test_the_other_half_of_an_object_is_named_at_its_first_fields() -> None:
    for name in ("metadata", "spec"):
        assert len(cuts(SMALLEST.replace(f"{name}:", f"---\n{name}:"))) == 1


def test_dots_inside_of_a_crd_leave_it_as_it_is() -> None:
    for at in BELOW_SPEC:
        text = separated(at, "...\n")
        assert crdlint.fix_text(text, filename="x.yaml") == text
        found = lint_file(text, "x.yaml", CheckRequest(fixes=True)).diagnostics
        assert "Remove the line `...`, if the lines below it belong to the document" in {
            one.help for one in found
        }


@each(
    "text",
    [
        f"{SMALLEST}---\n{WHOLE}",
        f"{SMALLEST}---\n# nothing\n---\n{WHOLE}",
        f"{SMALLEST}---\n  # nothing\n",
        SMALLEST + "---\n" + "".join(f"  {line}" for line in LINES),
        f"{SMALLEST}---\n{{{{ if .Values.a }}}}\n  a: 1\n",
        f"{SMALLEST}---\na: 1\n",
        "a: 1\n---\n  b: 1\n",
        "a: 1\n---\n# next\n---\n  b: 1\n",
    ],
)
def test_other_documents_are_no_halves(text: str) -> None:
    assert cuts(text) == []
