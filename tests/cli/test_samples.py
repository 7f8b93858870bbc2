"""Samples: `crdlint check` validates the custom resources of the CRDs that it checks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from crds import crd_with_schema, crd_with_spec

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = (
    "type: object\nproperties: {size: {type: integer}, mode: {type: string, enum: [Fast, Safe]}}"
)
CRD = crd_with_spec(SCHEMA)
SCALED = crd_with_schema(
    "{type: object, properties: {"
    "spec: {type: object, properties: {size: {type: integer}, mode: {type: string}}}, "
    "status: {type: object, properties: {size: {type: integer}}}}}"
).replace(
    "    schema:\n",
    "    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}\n    schema:\n",
    1,
)
GOOD = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\nspec: {size: 1, mode: Safe}\n"
BAD = GOOD.replace("Safe", "Fats")
MODE = ["resource-value"]
KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def check(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", "--no-cache", *arguments], catch_exceptions=False)


def found(folder: Path, *arguments: str) -> dict[str, list[str]]:
    """Return the rules of the findings by file."""
    document = json.loads(check("--format", "json", *arguments, str(folder)).stdout)
    rules: dict[str, list[str]] = {}
    for finding in document["diagnostics"]:
        name = finding["file"].removeprefix(f"{folder}/")
        rules.setdefault(name, []).append(finding["rule"])
    return rules


# The files beside `crd.yaml`, and the rules of their findings.
CASES: dict[str, tuple[dict[str, str], dict[str, list[str]]]] = {
    "a good sample": ({"samples/a.yaml": GOOD}, {}),
    "a bad sample": ({"samples/a.yaml": BAD}, {"samples/a.yaml": MODE}),
    "a bad sample beside a good one": (
        {"samples/a.yaml": f"{GOOD}---\n{BAD.replace('name: a', 'name: b')}"},
        {"samples/a.yaml": MODE},
    ),
    "a placeholder in braces": ({"samples/a.yaml": GOOD.replace("Safe", "{mode_name}")}, {}),
    **{
        f"the placeholder {text}": ({"samples/a.yaml": GOOD.replace("Safe", f'"{text}"')}, {})
        for text in (
            "%MODE%", "{0}", "a-{1}",
            "__MODE__", "[[ .Mode ]]", "REPLACE_ME", "CHANGEME", "REPLACE-WITH-MODE", "YOUR_MODE", "TODO", "TODO: mode",
        )
    },
    **{
        f"the text {text}": ({"samples/a.yaml": GOOD.replace("Safe", f'"{text}"')}, {"samples/a.yaml": MODE})
        for text in ("REPLACE", "CHANGES", "YOURS", "Todo", "100%", "a%20b%20c", "__init__", "[[]]", "ADDING")
    },
    "a choice": ({"samples/a.yaml": GOOD.replace("Safe", "Slow | Safe")}, {}),
    "a version with a joker": ({"samples/a.yaml": GOOD.replace("/v1", "/v?alpha?")}, {}),
    **{
        f"a name in capitals: {text}": (
            {"samples/a.yaml": GOOD.replace("name: a", f"name: {text}")},
            {} if rules is None else {"samples/a.yaml": rules},
        )
        for text, rules in (
            ("NAME", None), ("CLUSTER_NAME", None), ("MY_ID", None),
            ("PROD", ["resource-metadata"]), ("Name", ["resource-metadata"]),
        )
    },
    **{
        f"a number in capitals: {text}": (
            {"samples/a.yaml": GOOD.replace("size: 1", f"size: {text}")},
            {} if rules is None else {"samples/a.yaml": rules},
        )
        for text, rules in (
            ("MIN_REPLICAS_REPLACEMENT", None), ("SIZE_2", None),
            ("LARGE", MODE), ("min_size", MODE), ('"MIN_SIZE"', MODE), ("MIN_SIZE - 1", MODE),
        )
    },
    "a value of an enumeration in capitals": ({"samples/a.yaml": GOOD.replace("Safe", "FAST_NAME")}, {"samples/a.yaml": MODE}),
    "a path with a placeholder in braces": (
        {"samples/a.yaml": GOOD.replace("Safe", "{REGISTRY}/a")},
        {},
    ),
    "a number of replicas in capitals": (
        {"crd.yaml": SCALED, "samples/a.yaml": GOOD.replace("size: 1", "size: MIN_SIZE")},
        {},
    ),
    "a number of replicas that is a text": (
        {"crd.yaml": SCALED, "samples/a.yaml": GOOD.replace("size: 1", "size: large")},
        {"samples/a.yaml": ["resource-value", "resource-scale"]},
    ),
    "meant to fail, in one word": ({"samples/badfoo2.yaml": BAD}, {}),
    "a badge": ({"samples/badge.yaml": BAD}, {"samples/badge.yaml": MODE}),
    "another group": ({"a.yaml": BAD.replace("example.com", "example.org")}, {}),
    "another kind": ({"a.yaml": BAD.replace("Foo", "Settings")}, {}),
    "a version that is not served": (
        {"a.yaml": GOOD.replace("/v1", "/v2")},
        {"a.yaml": ["resource-no-match"]},
    ),
    "in a list": (
        {"a.yaml": "apiVersion: v1\nkind: List\nitems:\n- " + BAD.replace("\n", "\n  ")},
        {"a.yaml": MODE},
    ),
    "JSON": (
        {"a.json": '{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a"}, "spec": {"mode": "x"}}'},
        {"a.json": MODE},
    ),
    "a file of a ConfigMap": (
        {"kustomization.yaml": f"{KUSTOMIZATION}configMapGenerator:\n- name: c\n  files: [a.yaml]\n", "a.yaml": BAD},
        {},
    ),
    "a file of a Secret, under another name": (
        {"kustomization.yaml": f"{KUSTOMIZATION}secretGenerator:\n- files: [x=d/a.yaml]\n", "d/a.yaml": BAD},
        {},
    ),
    "a resource of a kustomization": (
        {"d/kustomization.yaml": f"{KUSTOMIZATION}resources: [a.yaml]\n", "d/a.yaml": BAD},
        {"d/a.yaml": MODE},
    ),
    "a patch of a kustomization": (
        {"kustomization.yaml": f"{KUSTOMIZATION}patches:\n- path: a.yaml\n", "a.yaml": BAD},
        {},
    ),
    "values of another program": ({"a.yaml": "kind: Foo\napi_version: example.com/v1\nsize: x\n"}, {}),
    "placeholders": (
        {
            f"{number}.yaml": f"{GOOD.partition('spec')[0]}spec:\n  size: {text}\n".replace(
                "name: a", f"name: p{number}"
            )
            for number, text in enumerate(
                (
                    "<size>",
                    "<00-size>",
                    "${SIZE}",
                    '"@size@"',
                    "$(SIZE)",
                    '"{{ .size }}"',
                    "@size@",
                    "%SIZE%",
                    "%%_SIZE_%%",
                )
            )
        },
        {},
    ),
    "fixtures that are meant to fail": (
        dict.fromkeys(
            ("invalid/a.yaml", "x/foo_bad.yaml", "x/quarantine/a.yaml", "t/testFailing.yaml", "InvalidFoo.yml"), BAD
        ),
        {},
    ),
    "lines that a program replaces": (
        {"a.yaml": f"{GOOD.partition('spec')[0]}spec:\n  mode: |\n${{text}}\n  size: 1\n---\n{BAD.replace('name: a', 'name: b')}"},
        {"a.yaml": MODE},
    ),
    "a line that a program replaces, which is not why the rest is not YAML": (
        {"a.yaml": f"{GOOD}   x: |\n${{text}}\n"},
        {"a.yaml": ["yaml-syntax"]},
    ),
    "names that only look like such": ({"badger/failsafe.yaml": BAD}, {"badger/failsafe.yaml": MODE}),
    "files of others": (
        dict.fromkeys(("vendor/x/a.yaml", "node_modules/p/a.yaml", "a/third_party/a.yaml"), BAD),
        {},
    ),
    "a template without a chart's values": (
        {
            "c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n",
            "c/templates/a.yaml": BAD.replace("Fats", "{{ .Values.mode }}"),
        },
        {},
    ),
    "notes of a chart that quote a sample": (
        {
            "c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n",
            "c/templates/NOTES.txt": f"Create it:\n\ncat <<EOF | kubectl apply -f-\n{BAD}EOF\n",
        },
        {},
    ),
    "excluded by the configuration": (
        {".crdlint.yaml": "exclude-samples: [e2e/]\n", "e2e/a.yaml": BAD, "b.yaml": BAD.replace("name: a", "name: b")},
        {"b.yaml": MODE},
    ),
    "a sample that is no YAML": ({"a.yaml": GOOD + "x: [\n"}, {"a.yaml": ["yaml-syntax"]}),
    "beside its CRD in one file": ({"all.yaml": f"{CRD}---\n{BAD}"}, {"all.yaml": MODE}),
    "ignored by a comment": ({"a.yaml": f"# crdlint: ignore-file[resource-value] on purpose\n{BAD}"}, {}),
    "a patch of a test of chainsaw": (
        {
            "t/chainsaw-test.yaml": "kind: Test\nspec: {steps: [{try: [{patch: {file: a.yaml}}, {apply: {file: b.yaml}}]}]}\n",
            "t/a.yaml": BAD, "t/b.yaml": BAD.replace("name: a", "name: b"),
        },
        {"t/b.yaml": MODE},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_samples(
    files: dict[str, str],
    expected: dict[str, list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, {"crd.yaml": CRD, **files})
    monkeypatch.setenv("PATH", "")  # without Helm
    assert found(tmp_path, "--min-severity", "warning") == expected


def test_the_switch_and_the_count(tmp_path: Path) -> None:
    write(tmp_path, {"crd.yaml": CRD, "a.yaml": BAD, "b.yaml": GOOD})
    with_samples, without = check(str(tmp_path)), check("--no-samples", str(tmp_path))
    assert "3 files, 1 CRD, 2 resources: 1 error" in with_samples.stdout
    assert (with_samples.exit_code, without.exit_code) == (1, 0)
    assert "resource" not in without.stdout


@pytest.mark.parametrize(
    ("folder", "severity"),
    [
        ("pkg/testdata", "info"),
        ("api/src/test/resources", "info"),
        ("src/test", "info"),
        ("src/tests", "error"),
        ("docs/proposals/1-quota", "info"),
        ("docs/designer", "error"),
        ("test/src", "error"),
        ("test/e2e", "error"),
    ],
)
def test_samples_in_test_data_are_infos(folder: str, severity: str, tmp_path: Path) -> None:
    write(tmp_path, {"crd.yaml": CRD, f"{folder}/a.yaml": BAD})
    document = json.loads(check("--format", "json", str(tmp_path)).stdout)
    assert [each["severity"] for each in document["diagnostics"]] == [severity]
    named = check(str(tmp_path / "crd.yaml"), str(tmp_path / folder))
    assert named.exit_code == 1


def test_standard_input(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["check", "-"], input=f"{CRD}---\n{BAD}")
    assert (done.exit_code, "`mode` cannot be `Fats`" in done.stdout) == (1, True)
    assert tmp_path.exists()


@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_samples_are_fixed(option: str, tmp_path: Path) -> None:
    write(tmp_path, {"crd.yaml": CRD, "a.yaml": BAD.replace("Fats", "fast")})
    done = check(option, "--unsafe-fixes", str(tmp_path))
    is_written = "mode: Fast" in (tmp_path / "a.yaml").read_text()
    assert (is_written, "mode: Fast" in done.stdout) == (option == "--fix", option == "--diff")


def test_a_baseline_knows_samples(tmp_path: Path) -> None:
    write(tmp_path, {"crd.yaml": CRD, "a.yaml": BAD})
    baseline = str(tmp_path / "known.json")
    check("--baseline", baseline, "--update-baseline", str(tmp_path))
    again = check("--baseline", baseline, str(tmp_path))
    assert "0 errors" in again.stdout


V1, V2 = CRD, CRD.replace("name: v1", "name: v2")
RENAMED = CRD.replace("size:", "count:")
# Two CRDs of one kind and a sample, and the rules of its findings.
PAIRS: dict[str, tuple[dict[str, str], dict[str, list[str]]]] = {
    "each serves one version": (
        {"a/crd.yaml": V1, "b/crd.yaml": V2, "x.yaml": GOOD.replace("/v1", "/v2")},
        {},
    ),
    "none serves it": (
        {"a/crd.yaml": V1, "b/crd.yaml": V2, "x.yaml": GOOD.replace("/v1", "/v3")},
        {"x.yaml": ["resource-no-match"]},
    ),
    "the other one accepts it": ({"a/crd.yaml": RENAMED, "b/crd.yaml": V1, "x.yaml": GOOD}, {}),
    "all reject it": ({"a/crd.yaml": V1, "b/crd.yaml": RENAMED, "x.yaml": BAD}, {"x.yaml": MODE}),
    "the one that accepts most of it explains": (
        {"a/crd.yaml": V1, "b/crd.yaml": RENAMED, "x.yaml": BAD.replace("size:", "count:")},
        {"x.yaml": MODE},
    ),
    "one that cannot decode it does not explain": (
        {"a/crd.yaml": V1, "b/crd.yaml": RENAMED, "x.yaml": GOOD.replace("name: a", "name: [a]")},
        {"x.yaml": ["resource-decode"]},
    ),
    "one that knows all fields explains": (
        {
            "a/crd.yaml": crd_with_spec("type: object\nproperties: {mode: {type: string}}"),
            "b/crd.yaml": CRD.replace("{type: integer}", "{type: integer, maximum: 1}"),
            "x.yaml": BAD.replace("size: 1", "size: 2"),
        },
        {"x.yaml": MODE * 2},
    ),
    "the nearest one explains": (
        {"a/crd.yaml": RENAMED, "b/crd.yaml": V1, "b/x/a.yaml": BAD},
        {"b/x/a.yaml": MODE},
    ),
}


@pytest.mark.parametrize(("files", "expected"), PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("command", ["check", "validate"])
def test_several_crds_of_one_kind(
    command: str, files: dict[str, str], expected: dict[str, list[str]], tmp_path: Path
) -> None:
    write(tmp_path, files)
    arguments = ["--no-cache"] if command == "check" else []
    done = CliRunner().invoke(cli, [command, *arguments, "--format", "json", str(tmp_path)])
    findings = [
        each for each in json.loads(done.stdout)["diagnostics"] if each["severity"] == "error"
    ]
    rules: dict[str, list[str]] = {}
    for finding in findings:
        rules.setdefault(finding["file"].removeprefix(f"{tmp_path}/"), []).append(finding["rule"])
    assert rules == expected
