"""Ignores by place: entries of `ignore` in a configuration, and the annotation of a CRD."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import TYPE_CHECKING

from click.testing import CliRunner
from crds import crd_with_spec
from tables import each

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from crdlint.safety.bugs import Bug

CRD = crd_with_spec("""\
type: object
properties:
  mode: {type: string, enum: [on]}
  rows: {type: array, items: {type: object, properties: {mode: {type: string, enum: [off]}}}}
  keys: {type: object, additionalProperties: {type: string, enum: [no]}}
""")
ALL = ["on", "off", "no"]
UNUSED = "the entry ignores nothing: no finding of yaml-boolean in "
OTHERS = "the entry ignores nothing: no finding of "
# An entry of `ignore`, the booleans that are still reported, and the finding about the entry.
ENTRIES: dict[str, tuple[list[str], str]] = {
    "crd: foos.example.com": ([], ""),
    "crd: '*.example.com'": ([], ""),
    "crd: foos.example": (ALL, UNUSED + "'foos.example'"),
    "path: .spec": ([], ""),
    "path: .spec.mode": (["off", "no"], ""),
    "path: .spec.mod": (ALL, UNUSED + "'.spec.mod'"),
    "path: .spec.*": ([], ""),
    "path: .spec.rows": (["on", "no"], ""),
    "path: '.spec.rows[].mode'": (["on", "no"], ""),
    "path: '.spec.keys.*'": (["on", "off"], ""),
    "path: '*.mode'": (["on", "off", "no"], UNUSED + "'*.mode'"),  # no dot: the path in the CRD
    "path: '.*.mode'": (["no"], ""),
    "path: 'schema.openAPIV3Schema.properties[spec].properties[mode]'": (["off", "no"], ""),
    "version: v1": ([], ""),
    "version: v2": (ALL, UNUSED + "'v2'"),
    "crd: foos.example.com, version: v1, path: .spec.mode": (["off", "no"], ""),
    "crd: foos.example.com, version: v2, path: .spec.mode": (
        ALL,
        UNUSED + "'foos.example.com v2 .spec.mode'",
    ),
    "rules: ['yaml-*', pattern-invalid], crd: foos.example.com": ([], ""),
    "rules: [pattern-invalid]": (ALL, f"{OTHERS}pattern-invalid in '*'"),
    "rules: [ours]": ([], ""),
    "rules: [resource-*]": (ALL, ""),  # of other runs
}


def check(folder: Path, *arguments: str) -> tuple[list[str], str, int]:
    """Return the reported booleans, the last finding about an entry, and the exit status."""
    result = CliRunner().invoke(cli, ["check", "--format", "json", *arguments, str(folder)])
    found = json.loads(result.stdout)["diagnostics"]
    booleans = [one["message"].split("`")[1] for one in found if one["rule"] == "yaml-boolean"]
    return (
        booleans,
        "".join(one["message"] for one in found if one["rule"] == "ignore-unused"),
        result.exit_code,
    )


def test_entries_of_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CRD)
    failures = {}
    for entry, (left, unused) in ENTRIES.items():
        rules = "" if "rules:" in entry else "rules: [yaml-boolean], "
        text = f"sets: {{ours: [yaml-boolean]}}\nignore: [cel-cost-*, {{{rules}{entry}, reason: old clients}}]\n"
        (tmp_path / ".crdlint.yaml").write_text(text.replace("cel-cost-*", "cel-rule-cost"))
        found = check(tmp_path)
        if found != (left, unused, 0):
            failures[entry] = found
    assert failures == {}


def test_entries_in_toml_have_positions(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CRD)
    table = '[[tool.crdlint.ignore]]\nrules = ["yaml-boolean"]\ncrd = "{}.example.com"\n'
    (tmp_path / "pyproject.toml").write_text(table.format("foos") + table.format("bars"))
    shown = CliRunner().invoke(cli, ["check", "--format", "concise", str(tmp_path)]).stdout
    assert "pyproject.toml:4:3: warning[ignore-unused]" in shown
    assert "yaml-boolean:" not in shown


def test_entries_are_judged_by_runs_over_what_they_are_for(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/a.yaml").write_text(CRD)
    for name, judged in {
        "crd: foos.example.com": True,
        "crd: bars.example.com": False,
        "crd: '*'": False,
    }.items():
        (tmp_path / ".crdlint.yaml").write_text(f"ignore: [{{rules: [pattern-invalid], {name}}}]\n")
        assert bool(check(tmp_path / "a")[1]) is judged


def test_ignored_rejections_do_not_fail_and_nothing_hides_what_cannot_be_read(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.yaml").write_text(CRD.replace("enum: [on]", 'pattern: "("'))
    (tmp_path / "b.yaml").write_bytes(b"kind: CustomResourceDefinition\n\xff")
    (tmp_path / ".crdlint.yaml").write_text(
        "ignore: [{rules: ['*'], path: '.*'}, {rules: ['*'], crd: '*'}]\n"
    )
    assert check(tmp_path) == ([], "", 2)
    (tmp_path / "b.yaml").unlink()
    assert check(tmp_path) == ([], "", 0)


def test_an_entry_with_a_severity_reports_its_findings_with_it(tmp_path: Path) -> None:
    entry = "ignore: [{{rules: ['*'], crd: foos.example.com, path: {}, severity: {}, reason: no client reads it}}]\n"
    changed = CRD.replace(
        "mode: {type: string, enum: [on]}", "mode: {type: string, maxLength: 9, pattern: a}"
    )
    for folder, text in {"old": CRD.replace("enum: [on]", "maxLength: 10"), "new": changed}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.yaml").write_text(text)
    sides = ["--against", str(tmp_path / "old"), str(tmp_path / "new")]
    for path, severity in (
        (".spec.mode", "info"),
        (".spec.mode", "warning"),
        (".spec.other", "warning"),
    ):
        (tmp_path / "new/.crdlint.yaml").write_text(entry.format(path, severity))
        done = CliRunner().invoke(cli, ["check", "--format", "json", *sides])
        changes = [
            one
            for one in json.loads(done.stdout)["diagnostics"]
            if one["rule"].startswith("change-")
        ]
        is_lowered = path == ".spec.mode"
        assert {one["severity"] for one in changes} == {severity if is_lowered else "error"}
        assert (
            all(
                one["help"].endswith(f". Configured as {severity}: no client reads it")
                for one in changes
            )
            is is_lowered
        )
        assert (
            (done.exit_code, "ignore-unused" in done.stdout) == (0, False)
            if is_lowered
            else (1, True)
        )


def test_an_error_of_the_server_that_is_lowered_for_a_field_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CRD.replace("enum: [on]", 'pattern: "("'))
    (tmp_path / ".crdlint.yaml").write_text(
        "ignore: [{rules: [pattern-invalid], path: .spec, severity: info}]\n"
    )
    done = CliRunner().invoke(cli, ["check", "--format", "json", str(tmp_path)])
    [lowered] = [
        one for one in json.loads(done.stdout)["diagnostics"] if one["rule"] == "pattern-invalid"
    ]
    assert (lowered["severity"], done.exit_code) == ("info", 0)
    assert done.stderr == "1 error of the API server is accepted by `ignore`\n"


def annotated(value: str) -> str:
    return CRD.replace("metadata:\n", f"metadata:\n  annotations: {{crdlint/ignore: {value}}}\n")


def test_internal_errors_cannot_be_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, internal_errors: list[Bug]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("crdlint.linting.pipeline.check_crd", broken)
    (tmp_path / "a.yaml").write_text(annotated("'*: all of it'"))
    (tmp_path / ".crdlint.yaml").write_text("ignore: [{rules: ['*'], crd: '*'}]\n")
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--jobs", "1", str(tmp_path)])
    assert (result.exit_code, "internal-error" in result.stdout) == (3, True)
    internal_errors.clear()


# The value of the annotation, the booleans that are still reported, and findings about the annotation.
ANNOTATIONS: dict[str, tuple[list[str], list[str]]] = {
    "yaml-boolean": ([], []),
    "'pattern-invalid, yaml-*: old clients'": ([], ["ignore-unused"]),
    "yaml-bolean": (ALL, ["ignore-unknown-rule"]),
    "':'": (ALL, ["ignore-malformed"]),
}


def test_annotations(tmp_path: Path) -> None:
    for value, (left, remarks) in ANNOTATIONS.items():
        other = CRD.replace("foos", "bars").replace("Foo", "Bar")
        (tmp_path / "a.yaml").write_text(f"{annotated(value)}---\n{other}")
        found = json.loads(
            CliRunner().invoke(cli, ["check", "--format", "json", str(tmp_path)]).stdout
        )["diagnostics"]
        assert [one["rule"] for one in found if one["rule"].startswith("ignore-")] == remarks, value
        assert check(tmp_path)[0] == left + ALL, value


ENTRY = "ignore: [{{rules: [yaml-boolean], {}}}]\n"
ONE = crd_with_spec("type: object\nproperties:\n  mode: {type: string, enum: [on]}\n")


def configured(folder: Path, keys: str) -> tuple[list[str], int]:
    """Return the messages of the findings with an entry of a configuration, and the exit status."""
    (folder / "a.yaml").write_text(ONE)
    (folder / ".crdlint.yaml").write_text(ENTRY.format(keys))
    done = CliRunner().invoke(
        cli, ["check", "--format", "json", "--fail-on", "warning", str(folder)]
    )
    return [one["message"] for one in json.loads(done.stdout)["diagnostics"]], done.exit_code


@each(
    "pattern, is_ignored",
    [
        ("*", True),
        ("*`on`*", True),
        ("*on*", True),
        ("*ON*", False),
        ("on", False),
        ("*never such a text*", False),
    ],
)
def test_an_entry_is_for_findings_with_a_message(
    pattern: str, is_ignored: bool, tmp_path: Path
) -> None:
    messages, status = configured(tmp_path, f"message: '{pattern}'")
    assert (status == 0) is is_ignored
    assert any("ignores nothing" in text for text in messages) is not is_ignored


def test_an_entry_is_for_a_headline_too(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(ONE)
    done = CliRunner().invoke(cli, ["check", "--isolated", "--format", "json", str(tmp_path)])
    [headline] = {one["headline"] for one in json.loads(done.stdout)["diagnostics"]}
    assert configured(tmp_path, f"message: {json.dumps(headline)}") == ([], 0)


@each("until, is_over", [("2999-12-31", False), ("2026-01-01", True), ("2000-02-29", True)])
def test_an_entry_ends_after_its_last_day(until: str, is_over: bool, tmp_path: Path) -> None:
    messages, status = configured(tmp_path, f"until: {until}")
    assert (status == 1) is is_over
    assert (f"the entry ended on {until}" in messages) is is_over


def test_an_entry_counts_on_its_last_day(tmp_path: Path) -> None:
    today, yesterday = date.today(), date.today() - timedelta(days=1)
    assert configured(tmp_path, f"until: {today}")[1] == 0
    assert configured(tmp_path, f"until: {yesterday}")[1] == 1


@each("until", ["2026-13-01", "tomorrow", "20261231", "2026-1-1", "''"])
def test_a_day_that_is_none_is_an_error(until: str, tmp_path: Path) -> None:
    (tmp_path / ".crdlint.yaml").write_text(ENTRY.format(f"until: {until}"))
    (tmp_path / "a.yaml").write_text(ONE)
    done = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert (done.exit_code, ".crdlint.yaml:1:" in done.stderr) == (2, True)


def test_a_day_in_toml(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(ONE)
    for until, status in (("2999-12-31", 0), ('"2999-12-31"', 0), ("2000-01-01", 1)):
        (tmp_path / "pyproject.toml").write_text(
            f"[[tool.crdlint.ignore]]\nrules = ['yaml-boolean']\nuntil = {until}\n"
        )
        done = CliRunner().invoke(cli, ["check", "--fail-on", "warning", str(tmp_path)])
        assert done.exit_code == status, done.output
