"""What is left of findings: severities, what ignored the others, and the exit status where the server refuses them."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from typing import Final

import pytest

from crdlint.config.apply import apply, closing_line
from crdlint.config.baseline import BaselineMatcher, Update
from crdlint.config.comments import read_comments
from crdlint.config.model import Config
from crdlint.diagnostics import Diagnostic
from crdlint.linting.result import CRD, FileResult

REFUSED = Diagnostic(
    "apiserver", "field", "pattern-invalid", "error", "refused", file="/r/x.yaml", line=1
)
WARNED = Diagnostic(
    "apiserver", "warning", "format-unrecognized", "warning", "warned", file="/r/x.yaml", line=2
)
ADVISED = Diagnostic(
    "crdlint", "advice", "yaml-boolean", "warning", "advised", file="/r/x.yaml", line=3
)
NOTED = Diagnostic(
    "crdlint", "advice", "too-large-to-apply", "info", "noted", file="/r/x.yaml", line=4
)
HELD = replace(REFUSED, rule="cel-compilation", hidden=True)
RESULT = FileResult(
    "/r/x.yaml",
    documents=1,
    crds=(CRD("a", 1),),
    diagnostics=(REFUSED, WARNED, ADVISED, NOTED, HELD),
)
OURS = replace(RESULT, diagnostics=(WARNED, ADVISED, NOTED))
PER_FILE = (("*.yaml", ("*",)),)


LEFT: Final[list[tuple[FileResult, Config, str, dict[str, int], int, bool]]] = [
    (RESULT, Config(), "rwanh", {}, 0, True),
    (OURS, Config(), "wan", {}, 0, False),
    (OURS, Config(fail_on="warning"), "wan", {}, 0, True),
    (OURS, Config(fail_on="info"), "wan", {}, 0, True),
    (RESULT, Config(fail_on="never"), "rwanh", {}, 0, False),
    (RESULT, Config(ignore=("pattern-invalid",)), "wanh", {"ignore": 1}, 1, False),
    (RESULT, Config(ignore=("pattern-invalid",), fail_on="never"), "wanh", {"ignore": 1}, 1, False),
    (RESULT, Config(ignore=("*",)), "", {"ignore": 4}, 1, False),
    (OURS, Config(ignore=("*",), fail_on="info"), "", {"ignore": 3}, 0, False),
    (RESULT, Config(select=("yaml-*",)), "a", {"select": 3}, 1, False),
    (RESULT, Config(folder="/r", per_file_ignores=PER_FILE), "", {"per-file-ignores": 4}, 1, False),
    (RESULT, Config(folder="/s", per_file_ignores=PER_FILE), "rwanh", {}, 0, True),
    (RESULT, Config(severity=(("pattern-*", "off"),)), "wanh", {"severity": 1}, 1, False),
    (RESULT, Config(severity=(("pattern-*", "warning"),)), "rwanh", {}, 1, False),
    (RESULT, Config(severity=(("pattern-*", "info"),), fail_on="info"), "rwanh", {}, 1, True),
    (
        RESULT,
        Config(severity=(("pattern-*", "info"),), min_severity="warning"),
        "wah",
        {"min-severity": 2},
        1,
        False,
    ),
    (RESULT, Config(severity=(("pattern-*", "error"),)), "rwanh", {}, 0, True),
    (OURS, Config(severity=(("yaml-boolean", "error"),)), "wan", {}, 0, True),
    (OURS, Config(severity=(("yaml-boolean", "info"),), fail_on="warning"), "wan", {}, 0, True),
    (RESULT, Config(ignore=("cel-*",)), "rwan", {}, 0, True),
]


def test_what_is_left(subtests: pytest.Subtests) -> None:
    for result, config, told, ignored, refused, failed in LEFT:
        with subtests.test(str(result)[:60]):
            applied = apply(result, config)
            assert (
                "".join("h" if d.hidden else d.message[0] for d in applied.result.diagnostics)
                == told
            )
            assert Counter(one.by for one in applied.ignored if not one.finding.hidden) == ignored
            assert applied.accepted.total() == refused
            assert applied.failed is failed
            assert pickle.loads(pickle.dumps(applied)) == applied


def test_severities_are_changed() -> None:
    config = Config(severity=(("*", "info"), ("yaml-boolean", "error")))
    assert [d.severity for d in apply(RESULT, config).result.diagnostics] == [
        "info",
        "info",
        "error",
        "info",
        "info",
    ]


@pytest.mark.parametrize(
    ("diagnostic", "expected"),
    [
        (REFUSED, True),
        (replace(REFUSED, kind="strict"), True),
        (replace(REFUSED, kind="decode"), True),
        (HELD, False),
        (WARNED, False),
        (ADVISED, False),
        (replace(ADVISED, severity="error"), False),
    ],
)
def test_what_the_server_refuses(diagnostic: Diagnostic, expected: bool) -> None:
    assert diagnostic.is_rejection is expected


def test_the_closing_line() -> None:
    assert closing_line({}) is None
    assert closing_line({"min-severity": 3, "field-validation": 1}) is None
    assert closing_line({"comment": 1}) == (
        "1 error of the API server is accepted by ignore comments"
    )
    assert closing_line({"baseline": 1200}) == (
        "1,200 errors of the API server are accepted by the baseline"
    )
    assert closing_line({"baseline": 2, "comment": 1, "select": 4}) == (
        "7 errors of the API server are accepted: 4 by `select`, 1 by ignore comments and 2 by the baseline"
    )


TEXT = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          a: {pattern: x} # crdlint: ignore[pattern-invalid]
          b: {pattern: x}
"""


def test_comments_and_the_baseline() -> None:
    found = tuple(
        replace(
            REFUSED,
            line=line,
            column=24,
            field=f"spec.validation.openAPIV3Schema.properties[{name}].pattern",
        )
        for line, name in ((10, "a"), (11, "b"))
    )
    result = FileResult(
        "x.yaml", TEXT, documents=1, crds=(CRD("foos.example.com", 1),), diagnostics=found
    )
    comments = read_comments(TEXT, "x.yaml")
    assert apply(result, Config()).result.diagnostics == found
    applied = apply(result, Config(), comments)
    assert (applied.result.diagnostics, [one.by for one in applied.ignored]) == (
        found[1:],
        ["comment"],
    )
    update = Update({})
    update.ignored_in(applied.result)
    known = update.baseline()
    assert sum(known.values()) == 1
    applied = apply(result, Config(), comments, BaselineMatcher(Counter(known)))
    assert applied.result.diagnostics == ()
    assert [one.by for one in applied.ignored] == ["comment", "baseline"]
    assert applied.accepted == {"comment": 1, "baseline": 1}
    assert not applied.failed
    state = BaselineMatcher(Counter(known))
    apply(result, Config(ignore=("pattern-invalid",)), comments, state)
    assert len(state.stale()) == 1
    # What the configuration ignores makes no comment unused.
    assert apply(result, Config(ignore=("pattern-invalid",)), comments).result.diagnostics == ()
