"""What a person sees: golden files of whole runs, at 80 and 40 columns, without colour."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from counting import recording
from crds import crd_with_spec

from crdlint.diagnostics import Diagnostic
from crdlint.linting.pipeline import lint_file
from crdlint.linting.result import FileResult
from crdlint.phrases import Routine
from crdlint.report import text
from crdlint.report.page import PLAIN, columns
from crdlint.report.pieces import Summary, View
from crdlint.report.terminal import Terminal
from crdlint.report.text import TextReport, fold, snippet
from crdlint.report.words import combined, sentences
from crdlint.safety.escapes import printable

if TYPE_CHECKING:
    from crdlint.diagnostics import Severity

GOLDEN = Path(__file__).parent / "golden"
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "invalid"
SHOWN = [
    "list-map-key-optional",
    "storage-twice",
    "ref",
    "several-documents",
    "unknown-field",
    "wrong-type",
    "yaml-syntax",
    "v1beta1",
    "format-unknown",
    "approval-missing",
    "hidden-behind-ref",
    "root-fields-with-status",
]


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("name", SHOWN)
def test_golden(name: str, width: int, request: pytest.FixtureRequest) -> None:
    text = (FIXTURES / f"{name}.yaml").read_text(encoding="utf-8")
    result = lint_file(text, filename=f"{name}.yaml")
    summary = Summary(files=1, seconds=0.04)
    summary.add(result)
    report = TextReport(View(Terminal(width)))
    out = "\n".join([*report.lines(result), report.summary(summary)]) + "\n"
    golden = GOLDEN / f"{name}-{width}.txt"
    if request.config.getoption("--update-expected"):
        golden.write_text(out, encoding="utf-8")
    assert out == golden.read_text(encoding="utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f]", out)


@pytest.mark.parametrize(
    ("headline", "message", "note"),
    [
        (
            "column `A` is empty",
            "column `A` is empty: `.a` is not in the schema",
            "`.a` is not in the schema",
        ),
        (
            "`a`: labels are dropped",
            "labels are dropped (and at 2 more places)",
            "and at 2 more places",
        ),
        ("`a`: labels are dropped", "labels are dropped; write none", "write none"),
        ("rule is slow", "rule is slowed down: by much", "rule is slowed down: by much"),
        ("rule is slow", "no list has a limit", "no list has a limit"),
    ],
)
def test_a_note_does_not_repeat_the_headline(headline: str, message: str, note: str) -> None:
    finding = Diagnostic("crdlint", "advice", "x", "info", message, headline=headline)
    assert sentences(finding) == [("note", note)]


def test_a_long_value_is_folded_and_a_short_one_is_not() -> None:
    long = "spec.versions: Invalid value: [" + "1," * 200 + "1]: must be one"
    assert fold(long).startswith("spec.versions: Invalid value: [1,1,")
    assert fold(long).endswith("characters): must be one")
    assert len(fold(long)) < 160
    short = 'a: Invalid value: "x": must be y'
    assert fold(short) == short
    document = f"Object 'Kind' is missing in 'apiVersion: v1\n{'a: b' * 99}\n'"
    assert fold(document) == f"{document[:88]}… (414 characters)"


def test_control_characters_are_spelt_out() -> None:
    assert printable("a\x1b[31mb\u202ec") == "a\\x1b[31mb\\u202ec"


def test_a_path_breaks_before_its_steps() -> None:
    lines = Terminal(40).wrapped(
        "spec.validation.openAPIV3Schema.properties[spec].properties[replicas].type: Required", "  "
    )
    assert all(len(line) <= 40 for line in lines)
    assert {line.strip()[0] for line in lines[1:]} <= set(".[R")
    assert len(lines) > 2


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_nothing_is_put_into_a_word_that_is_broken(width: int) -> None:
    text = 'spec.properties[spec].rule: Invalid value: {"Rule":"self.when.isURL()","Message":"","Reason":null}: no, x.y'
    lines = Terminal(width).wrapped(text, "  ")
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(word in text for line in lines for word in line.split())


@pytest.mark.parametrize(
    ("line", "start", "end", "width", "shown", "carets"),
    [
        ("type: bogus", 7, 12, 80, "type: bogus", "      ^^^^^"),
        ("名前: bogus", 5, 10, 80, "名前: bogus", "      ^^^^^"),
        ("\ttype: x", 8, 9, 80, "    type: x", "          ^"),
    ],
)
def test_the_caret_stands_below(
    line: str, start: int, end: int, width: int, shown: str, carets: str
) -> None:
    from crdlint.diagnostics import Diagnostic

    diagnostic = Diagnostic(
        "apiserver", "field", "x", "error", "m", line=1, column=start, end_line=1, end_column=end
    )
    assert snippet([line], diagnostic, width) == ("1", shown, carets)


def test_a_long_line_is_shown_around_the_caret() -> None:
    from crdlint.diagnostics import Diagnostic

    line = "x" * 300 + " here " + "y" * 300
    diagnostic = Diagnostic(
        "apiserver", "field", "x", "error", "m", line=1, column=302, end_line=1, end_column=306
    )
    found = snippet([line], diagnostic, 60)
    assert found is not None
    _, shown, carets = found
    assert len(shown) <= 60
    assert shown[carets.index("^") : carets.index("^") + 4] == "here"


@pytest.mark.parametrize(("severity", "shown", "note"), [("info", 1, True), ("warning", 5, False)])
def test_advice_that_repeats_is_counted(severity: Severity, shown: int, note: bool) -> None:
    found = tuple(
        Diagnostic(
            "crdlint", "advice", "some-rule", severity, f"m{line}", file="a.yaml", line=line, column=1, end_line=line,
            end_column=2, crd="x",
        )
        for line in range(1, 6)
    )  # fmt: skip
    lines = list(
        TextReport(View(Terminal(80))).lines(
            FileResult("a.yaml", "a\n" * 5, documents=1, diagnostics=found)
        )
    )
    assert sum("[some-rule]" in line for line in lines) == shown
    assert (
        "  = note: also in line 2, line 3, line 4 and 1 more: --show-all shows each" in lines
    ) is note


@pytest.mark.parametrize("show_all", [False, True])
def test_warnings_that_crds_of_a_file_share_are_shown_once(show_all: bool) -> None:
    found = tuple(
        Diagnostic(
            "crdlint",
            "advice",
            "some-rule",
            "warning",
            "m",
            file="a.yaml",
            line=line,
            end_column=2,
            crd=f"{plural}.example.com",
        )
        for line, plural in enumerate(["foos", "foos", "bars", "bars", "cars"], 1)
    )
    lines = list(
        TextReport(View(Terminal(80), show_all=show_all)).lines(
            FileResult("a.yaml", "a\n" * 5, documents=3, diagnostics=found)
        )
    )
    assert sum("[some-rule]" in line for line in lines) == (5 if show_all else 1)
    note = "  = note: also in line 2, line 3 (bars), line 5 (cars) and 1 more: --show-all"
    assert (note in lines) is not show_all


def test_many_infos_have_one_entry_for_each_rule() -> None:
    rows: list[tuple[str, Severity, range]] = [
        ("a", "info", range(1, 9)),
        ("b", "info", range(9, 12)),
        ("c", "error", range(12, 13)),
    ]
    found = tuple(
        Diagnostic(
            "crdlint",
            "advice",
            rule,
            severity,
            f"m{line}",
            file="a.yaml",
            line=line,
            end_column=2,
            crd="x",
        )
        for rule, severity, lines in rows
        for line in lines
    )
    result = FileResult("a.yaml", "a\n" * 12, documents=1, diagnostics=found)
    shown = list(TextReport(View(Terminal(80))).lines(result))
    assert [line for line in shown if "[" in line] == [
        "info[a]: m1",
        "info[b]: m9",
        "error[c]: m12",
    ]
    assert [line for line in shown if "also" in line] == [
        "  = note: also in line 2, line 3, line 4 and 4 more: --show-all shows each",
        "  = note: also in line 10, line 11",
    ]
    whole = list(TextReport(View(Terminal(80), show_all=True)).lines(result))
    assert sum("info[" in line for line in whole) == 11


@pytest.mark.parametrize("repeat", ["*a", "{<<: *a}"])
@pytest.mark.parametrize("show_all", [False, True])
def test_an_error_that_aliases_repeat_is_told_once(repeat: str, show_all: bool) -> None:
    aliases = "".join(f"  b{i}: {repeat}\n" for i in range(3))
    text = crd_with_spec(f"type: object\nproperties:\n  a: &a {{type: strnig}}\n{aliases}")
    result = lint_file(text, filename="a.yaml")
    assert len(result.diagnostics) == 4
    lines = list(TextReport(View(PLAIN, show_all=show_all)).lines(result))
    assert sum("[type-unsupported]" in line for line in lines) == (4 if show_all else 1)
    assert ("  = note: 3 more paths lead here: --show-all shows each" in lines) is not show_all
    assert len(combined(result.diagnostics, show_all=show_all)) == (4 if show_all else 1)


@pytest.mark.parametrize("count", [10, 11, 30])
def test_many_errors_of_a_rule_for_a_crd_end_in_one_entry(count: int) -> None:
    fields = "".join(f"  f{i:02}: {{}}\n" for i in range(count))
    result = lint_file(crd_with_spec(f"type: object\nproperties:\n{fields}"), filename="a.yaml")
    lines = list(TextReport(View(PLAIN)).lines(result))
    assert sum("[structural-type-required]" in line for line in lines) == min(count, 11)
    start = min(found.line for found in result.diagnostics)
    more = f"  = note: and 19 more of this rule in lines {start + 11} to {start + 29}: --show-all shows each"
    assert (more in lines) is (count == 30)


def test_an_error_about_whole_documents_of_a_file_is_told_once() -> None:
    crds = [crd_with_spec("type: object").replace("foos", f"foo{i}s") for i in range(2)]
    old = "---\n".join(
        crd.replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1") for crd in crds
    )
    result = lint_file(old, filename="a.yaml")
    lines = list(TextReport(View(PLAIN)).lines(result))
    assert sum("[api-version-removed]" in line for line in lines) == 1
    assert any(line.endswith(" (foo1s)") for line in lines if "also in line" in line)


def finding(severity: Severity, message: str, **given: Any) -> Diagnostic:
    return Diagnostic(
        "crdlint", "advice", "some-rule", severity, message, file="a.yaml", crd="x", **given
    )


def test_errors_are_first_within_a_crd() -> None:
    severities: list[Severity] = ["info", "warning", "error", "info", "error"]
    found = tuple(finding(severity, f"m{i}") for i, severity in enumerate(severities))
    others = (replace(found[0], crd="y"), replace(found[2], crd="y"))
    lines = list(
        TextReport(View()).lines(
            FileResult("a.yaml", "a\n", documents=1, diagnostics=found + others)
        )
    )
    messages = [line[-2:] for line in lines if re.search(r": m\d$", line)]
    assert messages == ["m2", "m4", "m1", "m0", "m0"]  # the second m2 is in the entry of the first


@pytest.mark.parametrize(
    ("infos", "counts"),
    [
        (0, "1 error, 0 warnings"),
        (1234, "1 error, 0 warnings, 1,234 infos (--min-severity info shows them)"),
    ],
)
def test_infos_are_counted_in_the_last_line(infos: int, counts: str) -> None:
    summary = Summary(files=1, crds=1, errors=1, infos=infos, seconds=1.5)
    assert (
        TextReport(View(Terminal(120))).summary(summary)
        == f"checked 1 file, 1 CRD: {counts} in 1.50 s"
    )
    assert TextReport(View()).summary(summary) == f"checked 1 file, 1 CRD: {counts}"


def test_a_message_is_one_line_where_there_is_no_terminal() -> None:
    text = "spec.versions[0].schema: Invalid value: " + "word " * 100 + "end"
    found = (finding("error", text, help=text),)
    lines = list(
        TextReport(View()).lines(FileResult("a.yaml", "a\n", documents=1, diagnostics=found))
    )
    assert lines[0] == f"error[some-rule]: {text}"


FOLDED = {
    "a struct": (": Invalid value: " + '{"a": 1}' * 30 + ": must be b", '{"a": 1}{"a"'),
    "a list": (": Unsupported value: [" + "1," * 100 + "2]", "[1,1"),
    "a text": (': Duplicate value: "' + 'a: \\"b\\" ' * 30 + '": c', '"a: \\"b'),
    "a text with more behind it": (
        ': Invalid value: "x"y: Invalid value: "' + "a" * 200 + '"',
        '"aaa',
    ),
    "a text that is not closed, and a list": (
        ': Invalid value: "x: Invalid value: [' + "1," * 100 + "]",
        "[1,1",
    ),
}


def test_folded(subtests: pytest.Subtests) -> None:
    for name, (message, start) in FOLDED.items():
        with subtests.test(name):
            shown = fold(message)
            value = message[message.rindex("value: ") + len("value: ") :]
            assert value.startswith(start)
            end = (
                value.rindex(shown.rpartition("characters)")[2])
                if not shown.endswith("characters)")
                else len(value)
            )
            assert shown == message.replace(value[:end], f"{value[:60]}… ({end:,} characters)")


@pytest.mark.parametrize(
    "part",
    [": Invalid value: {", ': Invalid value: "', ": Invalid value: []", '"\\', "]: ", " ", "a.b[", "é", ": Invalid value: {}: "],
)  # fmt: skip
def test_a_message_of_250_kilobytes(part: str) -> None:
    message = "x" + part * (250_000 // len(part))
    assert len(fold(message)) <= len(message)
    lines = Terminal(80).wrapped(message, "  ")
    assert "".join("".join(lines).split()) == "".join(message.split())


def test_work_grows_with_the_findings_and_not_with_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One line of JSON, with a character that is not ASCII and many findings."""

    def work(count: int) -> int:
        seen: list[str] = []
        monkeypatch.setattr(text, "columns", recording(seen, columns))
        line = '"é"' + ',"p":{}' * count
        found = [
            finding("error", f"m{i}", column=5 + 7 * i, end_column=10 + 7 * i) for i in range(count)
        ]
        lines = list(
            TextReport(View(Terminal(100), show_all=True)).lines(
                FileResult("a.yaml", line, documents=1, diagnostics=tuple(found))
            )
        )
        assert sum("^" in line for line in lines) == count
        return sum(map(len, seen))

    assert work(2000) < 2.3 * work(1000)


@pytest.mark.parametrize(("start", "end"), [(0, 40), (300, 340), (1, 900), (880, 900)])
def test_wide_characters_fit_into_the_window(start: int, end: int) -> None:
    line = "名前" * 450
    found = snippet([line], finding("error", "m", column=start + 1, end_column=end + 1), 60)
    assert found is not None
    _, shown, carets = found
    assert columns(shown) <= 56
    at = carets.index("^")
    assert line[start] == next(c for i, c in enumerate(shown) if columns(shown[:i]) == at)


def test_only_notices_about_what_is_usual_are_left_out() -> None:
    usual, other = "line 1: left as it is", "line 2: skipped: looks like a Kustomize patch"
    result = FileResult("a.yaml", "", documents=2, notices=(Routine(usual), other))
    shown = "\n".join(TextReport(View(Terminal(120))).lines(result))
    assert usual not in shown
    assert other in shown
    assert usual in "\n".join(TextReport(View(Terminal(120), verbose=True)).lines(result))
