"""Every format of a run: what it says, what it escapes, and that its readers take it."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from click.testing import CliRunner
from present import present

from crdlint.cli.main import cli
from crdlint.diagnostics import Diagnostic, InputProblem, Related
from crdlint.linting.result import CRD, FileResult
from crdlint.report import formats
from crdlint.report.pieces import RunOutcome, Summary, View

if TYPE_CHECKING:
    from typing import Any

    from click.testing import Result

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[1] / "fixtures"
NAMES = formats.names("findings")
NASTY = 'a|b `c` <d> "e" %0A ]]> \x01 \ud800 😀\nsecond, line: *x* _y_ [z]'


def made(message: str = "m", **given: Any) -> Diagnostic:
    given = {
        "origin": "apiserver",
        "kind": "field",
        "rule": "default-invalid",
        "severity": "error",
        **given,
    }
    given = {
        "file": "dir/a b.yaml",
        "line": 2,
        "column": 3,
        "end_line": 2,
        "end_column": 5,
        "crd": "foos.x",
        **given,
    }
    return Diagnostic(message=message, **given)


@dataclass(frozen=True)
class Run:
    """A run that is over."""

    results: list[FileResult]
    problems: list[InputProblem]
    summary: Summary


def render(name: str, run: Run) -> str:
    """Return the report of a run."""
    report = formats.findings(name, View())
    pieces = [piece for result in run.results for piece in report.file(result)]
    return "".join((*pieces, *report.end(RunOutcome(run.problems, run.summary))))


def checked(*diagnostics: Diagnostic, problems: tuple[Any, ...] | list[InputProblem] = ()) -> Run:
    result = FileResult(
        "dir/a b.yaml",
        documents=1,
        crds=(CRD("foos.x", 1), CRD("bars.x", 9)),
        diagnostics=diagnostics,
    )
    summary = Summary(files=1, seconds=0.25)
    summary.add(result)
    return Run([result], list(problems), summary)


ALL = checked(
    made("first"),
    made("first"),
    made(NASTY, severity="warning", rule="format-unrecognized", end_line=4, help="do %that|"),
    made(
        "advice",
        severity="info",
        origin="crdlint",
        kind="advice",
        related=Related("rule `x`", "b.yaml", 7, 9),
    ),
    problems=[
        InputProblem("no file", "cannot: be, read"),
    ],
)


@pytest.mark.parametrize("name", NAMES)
def test_every_format_takes_what_there_is(name: str) -> None:
    text = render(name, checked(made("first"), made("behind the others", hidden=True)))
    assert "first" in text
    assert ("behind the others" in text) == (name != "server")
    text.encode("utf-8")
    assert render(name, checked()) == render(name, checked())


def server(*diagnostics: Diagnostic) -> list[str]:
    one = checked(*diagnostics)
    return render("server", Run(one.results, [], one.summary)).splitlines()


DECODE = made("decode", kind="decode")
STRICT = made("file's", kind="strict", severity="warning", server_message="server's")
FIELD = made("field")
LATER = made("later", hidden=True)
WARNING = made("warned", kind="warning", severity="warning")
ADVICE = made("ours", kind="advice", origin="crdlint")


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        ([DECODE, FIELD], ["decode"]),
        ([STRICT, FIELD, WARNING], ["server's"]),
        ([FIELD, LATER, WARNING], ["field"]),
        ([WARNING, ADVICE], ["warned"]),
        ([ADVICE, LATER], []),
    ],
)
def test_the_server_format_has_the_answer_to_one_request(
    found: list[Diagnostic], answer: list[str]
) -> None:
    assert server(*found) == answer


def test_the_server_format_has_an_answer_for_each_object() -> None:
    assert server(STRICT, FIELD, made("other", line=9, crd="bars.x")) == ["server's", "other"]
    assert server(STRICT, FIELD, made("same name", line=9)) == ["server's", "same name"]


def test_concise() -> None:
    lines = render("concise", ALL).splitlines()
    assert lines[0] == "dir/a b.yaml:2:3: error[default-invalid]: first"
    assert lines[4:] == ["no file:1:1: error[unreadable]: cannot: be, read"]


def test_github() -> None:
    lines = render("github", ALL).splitlines()
    assert lines[0] == "::error file=no file::cannot: be, read"
    assert lines[1] == (
        "::error file=dir/a b.yaml,line=2,endLine=2,title=first,col=3,endColumn=4::"
        "dir/a b.yaml:2:3: default-invalid: first%0Aat: foos.x"
    )
    assert lines[3].startswith("::warning file=dir/a b.yaml,line=2,endLine=4,title=a|b `c`")
    assert "%250A" in lines[3]
    assert lines[-1] == "crdlint: 2 errors, 1 warning, 1 info in 1 file"
    assert lines[4].startswith("::notice ")


def test_azure() -> None:
    lines = render("azure", ALL).splitlines()
    start = "##vso[task.logissue type=error;sourcepath=dir/a b.yaml;linenumber=2;columnnumber=3;code=default-invalid;]"
    assert lines[0] == f"{start}default-invalid: first%0Aat: foos.x"
    assert "type=warning;" in lines[2]
    assert "%AZP250A" in lines[2]
    assert "%0Asecond" in lines[2]
    assert lines[3].startswith("dir/a b.yaml:")
    assert "##vso[task.logissue type=error;sourcepath=no file;]cannot: be, read" in lines
    assert re.fullmatch(r"\d+ errors?, \d+ warnings?, \d+ infos?", lines[-1])


def test_gitlab() -> None:
    found = json.loads(render("gitlab", ALL))
    assert [one["severity"] for one in found] == ["major", "major", "minor", "info", "major"]
    assert len({one["fingerprint"] for one in found}) == 5
    moved = checked(made("first", line=90, end_line=90), made("first", line=80, end_line=80))
    prints = [one["fingerprint"] for one in json.loads(render("gitlab", moved))]
    assert prints == [one["fingerprint"] for one in found[:2]]
    assert render("gitlab", checked()) == "[]\n"


def test_markdown() -> None:
    text = render("markdown", ALL)
    assert "❌ 2 errors, 1 warning, 1 info in 2 CRDs" in text
    assert "a\\|b <code>c</code> &lt;d&gt;" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(len(row.replace("\\|", "").split("|")) == 5 for row in rows)


def advice(rule: str, line: int) -> Diagnostic:
    return made(
        f"line {line}",
        severity="info",
        origin="crdlint",
        kind="advice",
        rule=rule,
        line=line,
        end_line=line,
    )


def places(text: str) -> list[str]:
    rows = [
        line.split(" | ")[2]
        for line in text.splitlines()
        if line.startswith(("| 🔴", "| 🟡", "| 🔵"))
    ]
    return [row.partition("#L")[2].partition(")")[0] for row in rows]


def test_markdown_has_errors_first_and_many_infos_once_a_rule() -> None:
    many = [advice("plain-secret" if line % 2 else "category-all", line) for line in range(1, 12)]
    run = checked(*many[:6], made("late", line=90), *many[6:])
    text = render("markdown", run)
    assert places(text) == ["90", "1", "2"]
    assert "also in line 3, line 5, line 7 and 2 more" in text
    report = formats.findings("markdown", View(show_all=True))
    assert report.file(run.results[0]) == ()
    assert len(places("".join(report.end(RunOutcome([], run.summary))))) == 12


@pytest.mark.parametrize(
    "name",
    ["json", "sarif", "gitlab", "concise", "github", "azure", "checkstyle", "junit", "rdjson"],
)
def test_formats_for_programs_have_each_info(name: str) -> None:
    text = render(name, checked(*(advice("plain-secret", line) for line in range(1, 21))))
    assert all(f"line {line}" in text for line in range(1, 21))


def test_markdown_has_a_limit() -> None:
    results = [
        FileResult(
            f"{i}.yaml",
            documents=1,
            diagnostics=tuple(made("x" * 10_000, line=n, rule=f"r{n}") for n in range(30)),
        )
        for i in range(10)
    ]
    text = render("markdown", Run(results, [], Summary()))
    assert len(text.encode()) < 1024 * 1024
    assert text.endswith("… and 202 more findings, for which there is no room here.\n")


def test_checkstyle() -> None:
    root = ET.fromstring(render("checkstyle", ALL))
    errors = root.findall("file/error")
    assert [one.get("severity") for one in errors] == ["error", "error", "warning", "info", "error"]
    assert errors[0].attrib == {
        "line": "2", "column": "3", "severity": "error", "message": "first\nat: foos.x", "source": "crdlint.default-invalid"
    }  # fmt: skip


def test_junit() -> None:
    root = ET.fromstring(render("junit", ALL))
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == (
        "testsuites",
        "3",
        "1",
        "1",
    )
    by_name = {case.get("name"): case for case in root.iter("testcase")}
    assert present(by_name["foos.x"].find("failure")).get("message") == "first (and 1 more)"
    assert "format-unrecognized" in present(by_name["foos.x"].findtext("system-out"))
    assert len(by_name["bars.x"]) == 0
    assert present(by_name["file"].find("error")).get("message") == "cannot: be, read"


def test_junit_fits_the_schema() -> None:
    """What Jenkins, GitLab and others read: names, places and counts (schemas/xml.json says which)."""
    schema = json.loads((HERE / "schemas" / "xml.json").read_text())

    def tree(node: ET.Element) -> dict[str, object]:
        return {
            "tag": node.tag,
            "attributes": node.attrib,
            "children": [tree(child) for child in node],
        }

    for name in ("junit", "checkstyle"):
        jsonschema.validate(tree(ET.fromstring(render(name, ALL))), schema[name])


def test_sarif_fits_the_schema() -> None:
    schema = json.loads((HERE / "schemas" / "sarif.json").read_text())
    for run in (ALL, checked(), checked(problems=[InputProblem("x", "y")])):
        jsonschema.validate(json.loads(render("sarif", run)), schema)


def test_what_was_passed_over_is_told() -> None:
    passed = Run(
        [FileResult("a.yaml", documents=1, skipped=1, notices=("line 1: skipped",))], [], Summary()
    )
    assert json.loads(render("json", passed))["files"][0]["notices"] == ["line 1: skipped"]
    document = json.loads(render("sarif", passed))
    [told] = document["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert (told["level"], told["message"]["text"]) == ("note", "line 1: skipped")
    jsonschema.validate(document, json.loads((HERE / "schemas" / "sarif.json").read_text()))


@pytest.mark.parametrize(("name", "told"), [("concise", True), ("json", True), ("text", False)])
def test_notices_go_to_standard_error_where_the_format_is_not_for_people(
    name: str, told: bool, tmp_path: Path
) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("a: {% CustomResourceDefinition %}: b\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["check", "--no-require-crds", "--format", name, str(path)])
    assert ("note: line 1: skipped a template" in done.stderr) is told
    quiet = CliRunner().invoke(
        cli, ["check", "--no-require-crds", "--quiet", "--format", name, str(path)]
    )
    assert "note:" not in quiet.stderr


def test_sarif() -> None:
    (run,) = json.loads(render("sarif", ALL))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["default-invalid", "format-unrecognized"]
    first, _, nasty, advice = run["results"]
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "dir/a%20b.yaml", "uriBaseId": "SRCROOT"},
        "region": {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 5},
    }
    assert (nasty["ruleIndex"], nasty["level"]) == (1, "warning")
    assert advice["relatedLocations"][0]["physicalLocation"]["region"] == {
        "startLine": 7,
        "startColumn": 9,
    }
    assert not run["invocations"][0]["executionSuccessful"]
    assert len({one["partialFingerprints"]["crdlint/v1"] for one in run["results"]}) == 4


def run(*args: str, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(
        cli, ("check", *args), catch_exceptions=False, env={"GITHUB_ACTIONS": "", **(env or {})}
    )


BAD = str(FIXTURES / "invalid" / "default-out-of-range.yaml")


def test_auto_is_text_but_that_of_a_ci_system_within_one() -> None:
    assert run(BAD).stdout.startswith("error[default-invalid]: ")
    assert run(BAD, env={"GITHUB_ACTIONS": "true"}).stdout.startswith("::error file=")
    assert run(BAD, env={"TF_BUILD": "True"}).stdout.startswith("##vso[task.logissue type=error;")


def test_several_outputs_in_one_run(tmp_path: Path) -> None:
    result = run(
        BAD, "--output", f"sarif={tmp_path}/a.sarif", "--output", f"junit={tmp_path}/a.xml"
    )
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-2:] == [
        "checked 1 file, 1 CRD: 4 errors, 0 warnings",
        "[*] 1 fixable with --fix, 1 more with --unsafe-fixes",
    ]
    assert json.loads((tmp_path / "a.sarif").read_text())["version"] == "2.1.0"
    assert (tmp_path / "a.xml").read_text().startswith("<?xml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sarif", "a.xml"]


OUTPUTS = {
    "no file": ("sarif", "'sarif' is not FORMAT=FILE"),
    "another format": ("sariff=x", "there is no format 'sariff' for files: did you mean sarif?"),
    "a folder": ("json=.", ". cannot be written: it is a folder"),
    "no such folder": ("json=no/x", "no/x cannot be written: no such folder"),
}


@pytest.mark.parametrize(("given", "said"), OUTPUTS.values(), ids=OUTPUTS)
def test_outputs_that_cannot_be(
    given: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(BAD, "--output", given)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_a_file_is_written_once() -> None:
    assert "is written to twice" in " ".join(
        run(BAD, "--output", "json=x", "--output", "sarif=x").stderr.split()
    )


def test_what_is_no_plain_file_is_written_to() -> None:
    assert run(BAD, "--output", "json=/dev/null").exit_code == 1


def test_the_page_describes_each_format() -> None:
    page = (HERE.parents[1] / "docs" / "output-formats.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z]+)` \|", page, re.MULTILINE) == list(formats.FORMATS)
