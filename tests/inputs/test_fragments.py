"""Files with CRDs that are not for a cluster, told by their names and by the files beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.sources.fragments import Fragments

if TYPE_CHECKING:
    from pathlib import Path

PARTIAL = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\n"
BROKEN = PARTIAL + "spec: {group: example.com}\n"
SUITE = """\
apiVersion: apiextensions.k8s.io/v1 # for controller-gen
name: Foos
crdName: foos.example.com
tests:
  onCreate:
  - name: a CustomResourceDefinition
    initial: |
      kind: Foo
"""
TEST = """\
apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
spec:
  steps:
  - try:
    - apply: {file: crd.yaml}
    - assert: {file: crd-ready.yaml}
    - error: {file: "gone/*.yaml"}
    - assert: {file: crd.yaml}
    - assert: {resource: {kind: CustomResourceDefinition}}
"""


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def check(*arguments: str) -> tuple[int, str, list[str]]:
    done = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "concise", *arguments])
    return done.exit_code, done.stdout, done.stderr.splitlines()


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("e2e/00-assert.yaml", "an assertion of kuttl"),
        ("e2e/01-errors.yml", "an assertion of kuttl"),
        ("e2e/02-assert-crd.yaml", "an assertion of kuttl"),
        ("e2e/03-step/assert.yaml", "an assertion of kuttl"),
        ("api/manual-override-crd-manifests/foos/a.yaml", "an override of a generated CRD"),
        ("api/foos.testsuite.yaml", "a test suite"),
        ("e2e/assert.yaml", None),
        ("e2e/00-install.yaml", None),
        ("e2e/assertions.yaml", None),
    ],
)
def test_files_are_recognised_by_name(tmp_path: Path, path: str, what: str | None) -> None:
    found = Fragments().of(str(tmp_path / path), PARTIAL.encode())
    assert (None if found is None else found.what) == what


def test_what_chainsaw_compares_is_skipped_and_what_it_applies_is_checked(tmp_path: Path) -> None:
    write(
        tmp_path, dict.fromkeys(("crd-ready.yaml", "gone/a.yaml", "crd.yaml", "other.yaml"), BROKEN)
    )
    write(tmp_path, {"chainsaw-test.yaml": TEST, "partial.yaml": PARTIAL})
    status, output, errors = check("--show-all", "-v", str(tmp_path))
    checked = {line.partition(":")[0] for line in output.splitlines()}
    assert checked == {f"{tmp_path}/crd.yaml", f"{tmp_path}/other.yaml"}
    part = "(no spec.group, names, scope or versions)"
    assert sorted(errors) == [
        f"{tmp_path}/crd-ready.yaml: note: skipped: an assertion of chainsaw",
        f"{tmp_path}/gone/a.yaml: note: skipped: an assertion of chainsaw",
        f"{tmp_path}/partial.yaml: note: line 1: skipped: looks like an assertion of chainsaw {part}",
    ]
    assert status == 1


def test_assertions_of_kuttl_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, {"00-assert.yaml": BROKEN, "00-install.yaml": BROKEN})
    status, output, errors = check("-v", str(tmp_path))
    assert {line.partition(":")[0] for line in output.splitlines()} == {
        f"{tmp_path}/00-install.yaml"
    }
    assert errors == [f"{tmp_path}/00-assert.yaml: note: skipped: an assertion of kuttl"]
    assert status == 1


def test_test_suites_are_named_in_one_notice(tmp_path: Path) -> None:
    write(tmp_path, {f"tests/foos{i}/a.yaml": SUITE for i in range(5)})
    status, output, errors = check(str(tmp_path))
    named = ", ".join(f"{tmp_path}/tests/foos{i}/a.yaml" for i in range(3))
    message = f"5 test suites are not checked as CRDs, `crdlint test` runs them: {named} and 2 more"
    assert errors[0] == f"crdlint: note: {message}"
    assert (status, output) == (0, "")
    path = str(tmp_path / "tests/foos0/a.yaml")
    status, output, errors = check(path)
    assert (
        errors[0]
        == f"crdlint: note: a test suite is not checked as CRDs, `crdlint test` runs them: {path}"
    )
    assert (status, output) == (2, "")


def test_a_test_of_chainsaw_that_cannot_be_read_names_nothing(tmp_path: Path) -> None:
    (tmp_path / "chainsaw-test.yaml").symlink_to("/dev/zero")
    assert Fragments().of(str(tmp_path / "a.yaml"), PARTIAL.encode()) is None
    (tmp_path / "chainsaw-test.yaml").unlink()
    write(tmp_path, {"chainsaw-test.yaml": "a: &a [*a]\n---\nassert: {file: b.yaml}\n---\n{"})
    found = Fragments().of(str(tmp_path / "b.yaml"), PARTIAL.encode())
    assert found is not None
    assert found.includes_complete
