"""Commands that answer for the server of `--kube-version`."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import HEAD

from crdlint.cli.main import cli
from crdlint.kubernetes.servers import OLDEST

if TYPE_CHECKING:
    from pathlib import Path

CRD = (
    HEAD
    + """\
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, format: int32}
"""
)
FOO = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a, namespace: b}\nspec: {size: 3000000000}\n"
SUITE = """\
apiVersion: apiextensions.k8s.io/v1
name: Foo
crd: foos.crd.yaml
tests:
  onCreate:
  - name: Should accept a large size
    initial: |
      apiVersion: example.com/v1
      kind: Foo
      spec: {size: 3000000000}
    expected: |
      apiVersion: example.com/v1
      kind: Foo
      spec: {size: 3000000000}
"""


@pytest.mark.parametrize(("version", "status"), [("1.28", 0), ("1.35", 0), ("1.36", 1), ("1.28..1.36", 1)])
def test_validate_answers_for_a_server(tmp_path: Path, version: str, status: int) -> None:
    (tmp_path / "crd.yaml").write_text(CRD)
    (tmp_path / "foo.yaml").write_text(FOO)
    result = CliRunner().invoke(cli, ["validate", f"--kube-version={version}", str(tmp_path / "foo.yaml")])
    assert result.exit_code == status, result.output


@pytest.mark.parametrize(("version", "status"), [("1.28", 0), ("1.35", 0), ("1.36", 1)])
def test_test_answers_for_a_server(tmp_path: Path, version: str, status: int) -> None:
    (tmp_path / "foos.crd.yaml").write_text(CRD)
    (tmp_path / "foos.testsuite.yaml").write_text(SUITE)
    result = CliRunner().invoke(cli, ["test", f"--kube-version={version}", str(tmp_path / "foos.testsuite.yaml")])
    assert result.exit_code == status, result.output


@pytest.mark.parametrize("command", ["check", "validate", "test", "cost"])
def test_unknown_versions_are_usage_errors(command: str) -> None:
    result = CliRunner().invoke(cli, [command, "--kube-version=1.27", "."])
    assert result.exit_code == 2
    assert "'1.27' is not within 1.28..1.36" in result.output


def test_a_server_is_the_same_one_in_another_process() -> None:
    assert pickle.loads(pickle.dumps(OLDEST)) is OLDEST
