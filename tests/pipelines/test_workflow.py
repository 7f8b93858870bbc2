"""The folders that the workflow of CI names."""

from __future__ import annotations

from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]


def test_the_job_of_windows_runs_folders_with_tests() -> None:
    workflow = YAML(typ="safe").load(ROOT / ".github/workflows/ci.yml")
    [windows] = [
        row
        for row in workflow["jobs"]["tests"]["strategy"]["matrix"]["include"]
        if row["system"] == "windows-latest"
    ]
    folders = windows["tests"].split()
    assert len(folders) > 10
    assert [name for name in folders if not list((ROOT / name).rglob("test_*.py"))] == []
