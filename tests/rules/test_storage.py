"""A copy of an object from a cluster, whose `resourceVersion` the storage of the API server refuses on create."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from click.testing import CliRunner
from crds import SMALLEST

from crdlint import lint_text, lint_update
from crdlint.cli.main import cli
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.runner.fixes import fix

if TYPE_CHECKING:
    from pathlib import Path

RULE: Final = "resource-version-on-create"
NAME: Final = "metadata:\n  name: foos.example.com\n"
COPY: Final = SMALLEST.replace(
    NAME,
    f"{NAME}  resourceVersion: '812'\n  uid: a-b\n  generation: 3\n  creationTimestamp: '2024-01-01T00:00:00Z'\n"
    "  managedFields: [{manager: me, operation: Update}]\n",
).replace("metadata:", "status: {storedVersions: [v1]}\nmetadata:")
OBJECT: Final = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a, namespace: b, resourceVersion: '7', uid: c-d}\n"


def test_a_copy_is_one_finding_and_its_fix_leaves_the_manifest() -> None:
    result = lint_file(COPY, "x", CheckRequest(fixes=True, requested=frozenset({"leftover-field"})))
    (found,) = result.diagnostics
    assert (found.rule, found.origin, found.severity) == (RULE, "storage", "error")
    assert found.message == "resourceVersion should not be set on objects to be created"
    assert "`uid`, `generation`, `creationTimestamp`, `managedFields`, `status`" in str(found.help)
    assert (
        fix(result, lambda text: lint_file(text, "x", CheckRequest(fixes=True)), unsafe=False).text
        == SMALLEST
    )


def test_copies_in_flow_style_and_json_are_fixed() -> None:
    for given, left in {
        "name: foos.example.com, resourceVersion: '1', uid: a": "name: foos.example.com",
        "resourceVersion: '1', uid: a, name: foos.example.com, generation: 2": "name: foos.example.com",
        "uid: a, name: foos.example.com, resourceVersion: '1', labels: {a: b}": "name: foos.example.com, labels: {a: b}",
        '"uid": "a", "resourceVersion": "1", "name": "foos.example.com"': '"name": "foos.example.com"',
    }.items():
        text, wanted = (
            SMALLEST.replace(NAME, f"metadata: {{{fields}}}\n") for fields in (given, left)
        )
        result = lint_file(text, "x", CheckRequest(fixes=True))
        assert (
            fix(
                result, lambda text: lint_file(text, "x", CheckRequest(fixes=True)), unsafe=False
            ).text
            == wanted
        )


def test_other_versions_are_accepted() -> None:
    for version, refused in {
        "'1'": True, "'18446744073709551615'": True, "'007'": True,
        "'18446744073709551616'": False, "'0'": False, "''": False, "abc": False, "'-1'": False, "'1 '": False, "'\u0661'": False,
    }.items():  # fmt: skip
        text = SMALLEST.replace(NAME, f"{NAME}  resourceVersion: {version}\n")
        assert (RULE in {one.rule for one in lint_text(text)}) is refused, version
    assert RULE not in {one.rule for one in lint_update(SMALLEST, COPY)}


def test_objects(tmp_path: Path) -> None:
    for name, text in {"crd": SMALLEST, "new": OBJECT, "old": OBJECT}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    call = [
        "validate",
        "--format",
        "concise",
        "--crd",
        str(tmp_path / "crd.yaml"),
        str(tmp_path / "new.yaml"),
    ]
    created = CliRunner().invoke(cli, call)
    assert (created.exit_code, created.stdout.count(RULE)) == (1, 1)
    updated = CliRunner().invoke(cli, [*call, "--old", str(tmp_path / "old.yaml")])
    assert (updated.exit_code, updated.stdout) == (0, "")
