"""`crdlint cost` and `crdlint check --fix` on the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from counting import recording
from crds import crd_with_spec
from tables import each
from terminal import on_terminal

from crdlint.cli.main import cli
from crdlint.kubecel.sharing import Sharing
from crdlint.report.cost_text import bar, percent

if TYPE_CHECKING:
    from click.testing import Result

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
EXPENSIVE = FIXTURES / "invalid" / "rule-too-expensive.yaml"
RULES = FIXTURES / "valid" / "rules.yaml"


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, args, catch_exceptions=False)


def test_table() -> None:
    result = run("cost", str(EXPENSIVE), str(RULES))
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("widgets.example.com  ")
    assert lines[1].split()[1:] == ["3.3", "million", "times", "33", "trillion", "spec"]
    assert any("self.hosts.all(a, self.hosts.exists_one(b, a == b))" in line for line in lines)
    assert any(line.startswith("  help: Set `max") for line in lines)
    assert lines[-4] == "  3,389 in all, <0.01% of the 100,000,000 that a schema's rules may cost"
    assert lines[-2].startswith("Bars are logarithmic")
    assert lines[-1] == "4 rules in 2 CRDs: 1 over budget, 3.3 million times at most"


def test_a_cost_without_room_is_below_its_bar() -> None:
    done = on_terminal([sys.executable, "-m", "crdlint", "cost", str(EXPENSIVE)], 40)
    lines = re.sub(r"\x1b\[[^m]*m", "", done.stdout).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("  ██"))
    assert lines[first].endswith("█ 3.3 million times")
    assert lines[first + 1] == "    33 trillion  spec"


RULE = "- {{rule: 'self.items{0}.all(i, i < {0})'}}\n"
LIST = "  items{0}: {{type: array, maxItems: {1}, items: {{type: integer}}}}\n"


def crd_of_rules(limits: list[int]) -> str:
    """Return a CRD whose rules each go through a list with one of these limits."""
    lists = "".join(LIST.format(i, limit) for i, limit in enumerate(limits))
    rules = "".join(RULE.format(i) for i in range(len(limits)))
    schema = f"type: object\nproperties:\n{lists}x-kubernetes-validations:\n{rules}"
    return crd_with_spec(schema)


CHEAP, DEAR = 3, 5_000
FOLDED = [
    ("a few cheap rules are shown", [CHEAP] * 5, 5, 0),
    ("two more are not worth a line", [CHEAP] * 7, 7, 0),
    ("three are", [CHEAP] * 8, 5, 3),
    ("beside expensive ones all are", [DEAR] * 5 + [CHEAP] * 4, 5, 4),
    ("expensive ones never", [DEAR] * 9, 9, 0),
    ("the first cheap ones fill up", [DEAR] * 2 + [CHEAP] * 6, 5, 3),
]


@each("limits, shown, folded", [row[1:] for row in FOLDED], ids=[row[0] for row in FOLDED])
def test_rules_that_cost_next_to_nothing_are_counted(
    limits: list[int], shown: int, folded: int, tmp_path: Path
) -> None:
    file = tmp_path / "crd.yaml"
    file.write_text(crd_of_rules(limits))
    for order in ("cost", "place"):
        output = run("cost", str(file), "--sort", order).stdout
        assert output.count("    line ") == shown
        more = f"  {folded} more rules below 0.1% each, "
        assert output.count(more) == (folded > 0)
        assert f"{len(limits)} rules in 1 CRD: none over budget" in output
        total = re.findall(r"^  ([\d,]+) in all, ", output, re.MULTILINE)
        every = run("cost", str(file), "--sort", order, "--top", str(len(limits))).stdout
        assert every.count("    line ") == len(limits)
        assert " more rules below" not in every
        assert re.findall(r"^  ([\d,]+) in all, ", every, re.MULTILINE) == total


@pytest.mark.parametrize(
    ("share", "shown", "filled"),
    [
        (0, "0%", "····················│····"),
        (0.00001, "<0.01%", "····················│····"),
        (0.0003, "0.03%", "██▍·················│····"),
        (0.0123, "1.2%", "██████████▌·········│····"),
        (0.3, "30%", "█████████████████▍··│····"),
        (1, "100%", "████████████████████│····"),
        (3, "300%", "██████████████████████▍··"),
        (120, "120 times", "█████████████████████████"),
        (3.3e6, "3.3 million times", "█████████████████████████"),
        (1.8e12, "1.8 trillion times", "█████████████████████████"),
    ],
)
def test_a_share_reads_whether_it_is_small_or_large(share: float, shown: str, filled: str) -> None:
    assert percent(share) == shown
    assert bar(share, 25) == filled


@pytest.mark.parametrize(
    "arguments", [["--explain", "hosts"], pytest.param([], marks=pytest.mark.exhaustive)]
)
def test_lines_are_as_wide_as_the_terminal(arguments: list[str]) -> None:
    done = on_terminal(
        [sys.executable, "-m", "crdlint", "cost", "--color", "never", *arguments, str(EXPENSIVE)],
        60,
    )
    assert done.returncode == 1
    lines = [
        line
        for line in done.stdout.splitlines()
        if not line.lstrip().startswith(("widgets", "spec."))
    ]
    assert 40 < max(map(len, lines)) <= 60


def test_a_rule_is_whole_where_there_is_no_terminal() -> None:
    (rule,) = (
        line.strip()
        for line in run("cost", str(EXPENSIVE)).stdout.splitlines()
        if "exists_one" in line
    )
    assert rule == "self.hosts.all(a, self.hosts.exists_one(b, a == b))"


def test_within_budget() -> None:
    result = run("cost", str(RULES), "--top", "1")
    assert result.exit_code == 0
    assert result.stdout.count("    line ") == 1
    assert "3,389 in all" in result.stdout


def test_sorted_by_place() -> None:
    rules = json.loads(run("cost", str(RULES), "--format", "json", "--sort", "place").stdout)[
        "rules"
    ]
    assert [rule["line"] for rule in rules] == sorted(rule["line"] for rule in rules)
    by_cost = json.loads(run("cost", str(RULES), "--format", "json").stdout)["rules"]
    costs = [rule["expression_cost"] for rule in by_cost]
    assert costs == sorted(costs, reverse=True)


def test_json() -> None:
    document = json.loads(run("cost", str(EXPENSIVE), "--format", "json").stdout)
    assert document["limits"] == {"rule": 10_000_000, "schema": 100_000_000}
    (rule,) = document["rules"]
    assert rule["place"] == "spec"
    assert rule["expression_cost"] > 10_000_000
    assert rule["max_cardinality"] == 1
    assert rule["crd"] == "widgets.example.com"


def test_explain() -> None:
    result = run("cost", str(EXPENSIVE), "--explain", "exists_one")
    assert "evaluated once in an object" in result.stdout
    assert "spec.hosts has no maxItems: 1,048,575 assumed" in result.stdout
    assert "        COST  PART\n  33 trillion  self" in result.stdout
    assert "\n   31,457,254    self.hosts.exists_one(b, a == b)\n" in result.stdout


def test_explain_nothing() -> None:
    result = CliRunner().invoke(cli, ["cost", str(EXPENSIVE), "--explain", "nope"])
    assert result.exit_code == 2
    assert "no rule has 'nope'" in result.output


def test_suggestions_are_a_patch(tmp_path: Path) -> None:
    file = tmp_path / "crd.yaml"
    file.write_bytes(EXPENSIVE.read_bytes())
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    patch = run("cost", str(file), "--suggest").stdout.replace(
        str(tmp_path).removeprefix("/") + "/", ""
    )
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, check=True, input=patch.encode())
    assert run("cost", str(file)).exit_code == 0


def test_fix_sets_limits_only_where_told(tmp_path: Path) -> None:
    file = tmp_path / "crd.yaml"
    before = EXPENSIVE.read_text()
    file.write_text(before)
    result = run("check", str(file), "--fix")
    assert result.exit_code == 1
    assert "fixable with --fix --unsafe-fixes" in result.stdout
    assert "fixed 0 findings" in result.stderr
    assert file.read_text() == before
    file.chmod(0o640)
    assert run("check", str(file), "--fix", "--unsafe-fixes").exit_code == 0
    after = file.read_text()
    assert [line for line in after.splitlines() if "max" not in line] == [
        line for line in before.splitlines() if "max" not in line
    ]
    assert file.stat().st_mode & 0o777 == 0o640


def test_fix_takes_out_what_means_nothing(tmp_path: Path) -> None:
    file = tmp_path / "crd.yaml"
    text = (FIXTURES / "invalid" / "rule-optional-old-self-unused.yaml").read_text()
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert run("check", str(file), "--fix").exit_code == 0
    after = file.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf")
    assert b"optionalOldSelf: true" not in after


@pytest.mark.parametrize("args", [["-", "--fix"], ["x.yaml", "--unsafe-fixes"]])
def test_fix_needs_files(args: list[str]) -> None:
    assert CliRunner().invoke(cli, ["check", *args]).exit_code == 2


def test_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"CustomResourceDefinition \xff")
    result = run("cost", str(tmp_path))
    assert result.exit_code == 2
    assert "not UTF-8" in result.stderr


CRD = crd_with_spec("""\
type: object
properties:
  a: {type: integer}
x-kubernetes-validations:
- rule: self.a > 0
""")
UNESTIMATED = {
    "a missing type": (
        CRD.replace("            type: object\n", ""),
        "structural-type-required",
        17,
        11,
    ),
    "a missing type far from the rule": (
        CRD.replace(
            "a: {type: integer}",
            "a: {type: integer}\n              b: {properties: {c: {type: string}}}",
        ),
        "structural-type-required",
        21,
        15,
    ),
    "an unknown type at the rule": (CRD.replace("integer", "integr"), "type-unsupported", 20, 25),
    "an unsupported construct": (
        CRD.replace("a: {type: integer}", "a: {type: integer, uniqueItems: true}"),
        "unique-items-forbidden",
        20,
        47,
    ),
    "v1beta1": (CRD.replace("io/v1\n", "io/v1beta1\n"), "api-version-removed", 1, 13),
    "broken YAML": (CRD.replace("group: example.com", "group: [example.com"), "yaml-syntax", 6, 10),
    "a wrong type": (CRD.replace("served: true", "served: maybe"), "decode-type", 11, 13),
    "a rule that does not compile": (CRD.replace("self.a", "self.b"), "cel-compilation", 22, 26),
    "a rule without bool": (CRD.replace("self.a > 0", "self.a"), "cel-output-type", 22, 21),
    "a rule without text": (CRD.replace("rule: self.a > 0", "message: a"), "rule-required", 22, 15),
    "a message that does not compile": (
        CRD + "              messageExpression: self.b\n",
        "cel-compilation",
        23,
        39,
    ),
}


@pytest.mark.parametrize(("text", "rule", "line", "column"), UNESTIMATED.values(), ids=UNESTIMATED)
def test_what_is_not_estimated_is_reported(
    text: str, rule: str, line: int, column: int, tmp_path: Path
) -> None:
    file = tmp_path / "crd.yaml"
    file.write_text(text)
    as_text = run("cost", str(file))
    assert as_text.exit_code == 1
    assert f"error[{rule}]: " in as_text.stdout
    assert f"  --> {file}:{line}:{column}" in as_text.stdout
    assert as_text.stdout.splitlines()[-1] == "1 finding keeps rules from being estimated"
    as_json = run("cost", str(file), "--format", "json")
    assert as_json.exit_code == 1
    (found,) = json.loads(as_json.stdout)["unestimated"]
    assert (found["rule"], found["line"], found["column"], found["file"]) == (
        rule,
        line,
        column,
        str(file),
    )
    assert found["help"]
    page = run("cost", str(file), "--format", "html")
    assert page.exit_code == 1
    assert f"<b>{rule}</b>" in page.stdout
    patch = run("cost", str(file), "--suggest")
    assert patch.exit_code == 1
    assert f"{file}:{line}:{column}: not estimated: " in patch.stderr


@pytest.mark.parametrize(
    "text",
    [
        CRD,
        CRD.replace("spec:\n  group", "spec:\n  unknown: 1\n  group"),
        CRD.replace("Namespaced", "Nowhere"),
        CRD.partition("            x-kube")[0].replace("            type: object\n", ""),
    ],
    ids=[
        "nothing is wrong",
        "an unknown field",
        "a wrong scope",
        "an unstructured schema without rules",
    ],
)
def test_findings_that_leave_all_rules_estimated(text: str, tmp_path: Path) -> None:
    file = tmp_path / "crd.yaml"
    file.write_text(text)
    result = run("cost", str(file), "--format", "json")
    assert json.loads(result.stdout)["unestimated"] == []
    assert result.exit_code == 0


def test_unreadable_input_beside_what_is_not_estimated(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CRD.replace("self.a", "self.b"))
    (tmp_path / "b.yaml").write_bytes(b"kind: CustomResourceDefinition \xff")
    result = run("cost", str(tmp_path), "--format", "json")
    assert result.exit_code == 2
    document = json.loads(result.stdout)
    assert [one["rule"] for one in document["unestimated"]] == ["cel-compilation"]
    assert [Path(one["file"]).name for one in document["unreadable"]] == ["b.yaml"]


def test_skipped_templates_are_noted(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("{% if crds %}\n" + CRD + "{% endif %}\n")
    result = run("cost", str(tmp_path))
    assert result.exit_code == 0
    assert "a.yaml: note: line 1: skipped a template" in result.stderr


def test_the_cost_of_a_rule_that_does_not_compile(tmp_path: Path) -> None:
    file = tmp_path / "crd.yaml"
    file.write_text(CRD.replace("self.a", "self.b"))
    lines = run("cost", str(file)).stdout.splitlines()
    assert lines[1].split()[2] == "-"
    assert (
        "  0 in all, 0% of the 100,000,000 that a schema's rules may cost, without 1 rule not estimated"
        in lines
    )
    assert (
        "not estimated: compilation failed: "
        in run("cost", str(file), "--explain", "self.b").stdout
    )


_MODES = crd_with_spec("""\
type: object
properties: {mode: {type: string, enum: [always, never]}, words: {type: array, maxItems: 4, items: {type: string}}}
x-kubernetes-validations:
- rule: self.mode.contains(self.mode)
- rule: self.mode == 'always'
- rule: self.words.map(w, w).size() > 0
- rule: isIP(self.mode)
- rule: 'true'
  messageExpression: "self.words.map(w, w).all(w, true) ? 'yes' : 'no'"
""")


def test_costs_by_version(tmp_path: Path) -> None:
    path = tmp_path / "crd.yaml"
    path.write_text(_MODES)
    document = json.loads(run("cost", "--sort", "place", "--format", "json", str(path)).stdout)
    contains, equals, size, address, message = (one["by_version"] for one in document["rules"])
    expensive = 314573 * 314573 + 4  # a string without a limit has 3,145,726 bytes
    assert contains == {
        "1.28": {"max_cost": expensive, "expression_cost": expensive, "message_max_cost": 0},
    }
    assert equals == {}
    assert size == {}
    assert address == {}  # what a server does not compile has no cost there
    assert list(message) == ["1.28", "1.29"]
    assert {one["message_max_cost"] for one in message.values()} == {(1 << 64) - 1}


def test_the_table_names_versions_whose_servers_reject_the_cost(tmp_path: Path) -> None:
    path = tmp_path / "crd.yaml"
    path.write_text(_MODES)
    lines = [line.strip() for line in run("cost", str(path)).stdout.splitlines()]
    assert (
        sum(
            re.fullmatch(r"1\.28: [\d,.]+( \w+)? times the budget", line) is not None
            for line in lines
        )
        == 1
    )
    assert (
        sum(
            re.fullmatch(r"1\.28, 1\.29: [\d,.]+( \w+)? times the budget", line) is not None
            for line in lines
        )
        == 1
    )
    assert not any(
        line.startswith(("1.28", "1.29"))
        for line in (
            one.strip()
            for one in run("cost", "--kube-version", "1.28", str(path)).stdout.splitlines()
        )
    )


def test_estimates_for_other_versions_take_twice_the_work_for_twice_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from crdlint.cel import compiler
    from crdlint.cel.checker import check

    calls: list[object] = []
    monkeypatch.setattr(compiler, "check", recording(calls, check))
    counts = []
    head, _, _ = _MODES.partition("            - rule")
    for rules in (20, 40):
        monkeypatch.setattr(
            "crdlint.kubecel.sharing._shared", Sharing()
        )  # what other tests compiled is not reused
        calls.clear()
        path = tmp_path / f"{rules}.yaml"
        path.write_text(
            head
            + "".join(f"            - rule: self.mode != 'm{rules}{i}'\n" for i in range(rules))
        )
        assert run("cost", str(path)).exit_code == 0
        counts.append(len(calls))
    assert counts[1] / counts[0] < 2.3
