"""The hooks, run by pre-commit itself in a scratch repository."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from commands import crdlint
from ruamel.yaml import YAML
from scratch import BAD, GOOD, NO_CRD, ROOT, commit, must, run, write

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping
    from pathlib import Path

ESTABLISHED = "status:\n  conditions:\n  - {type: Established, status: 'True'}\n"


@dataclass(frozen=True)
class PreCommit:
    """pre-commit, and crdlint's hooks as it finds them."""

    command: Path
    hooks: Path
    revision: str
    env: Mapping[str, str]

    def repository(
        self, folder: Path, files: Mapping[str, str], hook: str, **config: object
    ) -> Path:
        """Make a repository with these files that uses a hook."""
        hooks = [{"repo": str(self.hooks), "rev": self.revision, "hooks": [{"id": hook, **config}]}]
        write(folder, {**files, ".pre-commit-config.yaml": json.dumps({"repos": hooks})})
        commit(folder)
        return folder

    def run(self, repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run(self.command, "run", "--color=never", *arguments, cwd=repository, env=self.env)


@pytest.fixture(scope="module")
def pre_commit(
    new_venv: Callable[[str], Path],
    source: Path,
    offline: Mapping[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> PreCommit:
    home = tmp_path_factory.mktemp("home")
    revision = must("git", "rev-parse", "HEAD", cwd=source).strip()
    env = {**offline, "PRE_COMMIT_HOME": str(home), "CRDLINT_CACHE_DIR": str(home / "crdlint")}
    return PreCommit(new_venv("pre-commit") / "pre-commit", source, revision, env)


def test_each_hook_is_a_command_that_rejects_a_bad_crd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write(tmp_path, {"bad.yaml": BAD}))
    hooks: list[dict[str, Any]] = YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")
    assert [hook["id"] for hook in hooks] == ["crdlint", "crdlint-all"]
    for hook in hooks:
        program, *arguments = str(hook["entry"]).split()
        assert program == "crdlint"
        done = crdlint(*arguments, *(["bad.yaml"] if hook.get("pass_filenames", True) else []))
        assert done.returncode == 1, done.stderr
        assert "bad.yaml:15:15" in done.stdout


@pytest.mark.exhaustive
def test_manifest_is_valid(pre_commit: PreCommit, tmp_path: Path) -> None:
    must(
        pre_commit.command,
        "validate-manifest",
        ROOT / ".pre-commit-hooks.yaml",
        cwd=tmp_path,
        env=pre_commit.env,
    )


@pytest.mark.exhaustive
def test_changed_files_only(pre_commit: PreCommit, tmp_path: Path) -> None:
    repository = pre_commit.repository(tmp_path, {"old.yaml": BAD, "map.yaml": NO_CRD}, "crdlint")
    write(repository, {"new crd.yaml": GOOD, "notes.md": BAD, "map.yaml": NO_CRD + "  c: d\n"})
    must("git", "add", "-A", cwd=repository)
    passed = pre_commit.run(repository)
    assert passed.returncode == 0, passed.stdout
    assert "Passed" in passed.stdout
    assert "checked" not in passed.stdout

    write(repository, {"new crd.yaml": BAD})
    must("git", "add", "-A", cwd=repository)
    failed = pre_commit.run(repository)
    assert failed.returncode == 1
    assert "- exit code: 1" in failed.stdout
    assert "new crd.yaml:15:15" in failed.stdout
    assert 'Invalid value: "strange"' in failed.stdout
    assert "old.yaml" not in failed.stdout


@pytest.mark.exhaustive
def test_nothing_to_say_where_no_crd_is_changed(pre_commit: PreCommit, tmp_path: Path) -> None:
    repository = pre_commit.repository(tmp_path, {"old.yaml": BAD}, "crdlint", verbose=True)
    write(repository, {"map.yaml": NO_CRD, "package.json": "{}"})
    must("git", "add", "-A", cwd=repository)
    done = pre_commit.run(repository)
    assert done.returncode == 0, done.stdout
    assert "error" not in done.stdout.replace("0 errors", "")
    write(repository, {"notes.md": "# Notes"})
    must("git", "add", "notes.md", cwd=repository)
    must("git", "reset", "-q", "map.yaml", "package.json", cwd=repository)
    assert "Skipped" in pre_commit.run(repository).stdout


@pytest.mark.exhaustive
def test_judges_updates_of_what_is_committed(pre_commit: PreCommit, tmp_path: Path) -> None:
    repository = pre_commit.repository(
        tmp_path,
        {"crd.yaml": GOOD + ESTABLISHED},
        "crdlint",
        args=["--against=HEAD", "--format=concise"],
    )
    write(repository, {"crd.yaml": GOOD.replace("scope: Namespaced", "scope: Cluster")})
    must("git", "add", "-A", cwd=repository)
    done = pre_commit.run(repository)
    assert done.returncode == 1
    assert "crd.yaml:8:10: error[" in done.stdout
    assert "error[spec-immutable]: `spec.scope` cannot be changed to `Cluster`" in done.stdout


@pytest.mark.exhaustive
def test_mends(pre_commit: PreCommit, tmp_path: Path) -> None:
    rule = '        x-kubernetes-validations:\n        - rule: "true"\n          optionalOldSelf: true\n'
    files = {"crd.yaml": GOOD + rule}
    repository = pre_commit.repository(tmp_path, files, "crdlint", args=["--fix"])
    done = pre_commit.run(repository, "--all-files")
    assert done.returncode == 1
    assert "files were modified by this hook" in done.stdout
    assert "optionalOldSelf" not in (repository / "crd.yaml").read_text(encoding="utf-8")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "changed", ["notes.yaml", "chart/templates/_helpers.tpl", "chart/Chart.yaml", "pyproject.toml"]
)
def test_whole_repository(pre_commit: PreCommit, tmp_path: Path, changed: str) -> None:
    repository = pre_commit.repository(
        tmp_path, {"crds/old.yaml": BAD, "crds/good.yaml": GOOD}, "crdlint-all"
    )
    write(repository, {changed: "name: a\n"})
    must("git", "add", "-A", cwd=repository)
    done = pre_commit.run(repository)
    assert done.returncode == 1, done.stdout
    assert "crds/old.yaml:15:15" in done.stdout


@pytest.mark.exhaustive
def test_whole_repository_without_crds(pre_commit: PreCommit, tmp_path: Path) -> None:
    repository = pre_commit.repository(tmp_path, {"map.yaml": NO_CRD}, "crdlint-all")
    done = pre_commit.run(repository, "--all-files")
    assert done.returncode == 0, done.stdout


@pytest.mark.exhaustive
@pytest.mark.parametrize("deleted", ["crds/good.yaml", "chart/.helmignore", "chart/charts/a-1.tgz"])
def test_the_whole_repository_is_checked_if_a_file_is_only_deleted(
    pre_commit: PreCommit, tmp_path: Path, deleted: str
) -> None:
    files = {"crds/old.yaml": BAD, "crds/good.yaml": GOOD, deleted: "x"}
    repository = pre_commit.repository(tmp_path, files, "crdlint-all")
    must("git", "rm", "-q", deleted, cwd=repository)
    done = pre_commit.run(repository)
    assert done.returncode == 1, done.stdout
    assert "crds/old.yaml:15:15" in done.stdout
