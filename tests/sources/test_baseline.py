"""What CRDs were before: from a file, a folder or a revision."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from crdlint.sources.baseline import Baseline, load_baseline
from crdlint.sources.git import RevisionError, revision_files
from crdlint.sources.paths import Selection

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {plural}.example.com
spec:
  group: example.com
  names: {{plural: {plural}, kind: Foo}}
  scope: {scope}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {{type: object}}
"""


def git(*arguments: str) -> None:
    identity = {f"GIT_{who}_{what}": "x@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", *arguments], check=True, capture_output=True, env={**clean, **identity})


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    git("init", "-q", "-b", "main")
    Path("config").mkdir()
    Path("config/é\n.yaml").write_text(CRD.format(plural="foos", scope="Cluster"), encoding="utf-8")
    Path("config/list.json").write_text('{"kind": "ConfigMap"}', encoding="utf-8")
    Path("notes.md").write_text("CustomResourceDefinition", encoding="utf-8")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    Path("config/é\n.yaml").write_text(CRD.format(plural="foos", scope="Namespaced"), encoding="utf-8")
    return tmp_path


def load(place: str, near: str = ".") -> Baseline:
    baseline, complaints = load_baseline(place, near=near, selection=Selection())
    assert complaints == []
    return baseline


def test_a_revision_gives_the_crds_it_held(repository: Path) -> None:
    assert [path for path, _ in revision_files("main", near=str(repository))] == ["main:config/é\n.yaml"]
    baseline = load("HEAD", near="config/gone/deeper.yaml")
    assert baseline["foos.example.com"].crd.spec.scope == "Cluster"
    assert list(baseline) == ["foos.example.com"]
    assert "bars.example.com" not in baseline


def test_a_file_or_folder_gives_the_crds_it_holds(repository: Path) -> None:
    del repository
    assert load("config")["foos.example.com"].crd.spec.scope == "Namespaced"
    assert load("config/é\n.yaml")["foos.example.com"].crd.spec.scope == "Namespaced"


@pytest.mark.parametrize("revision", ["no-such-branch", "--output=x", "HEAD:config", ""])
def test_what_is_no_revision_is_said(repository: Path, revision: str) -> None:
    with pytest.raises(RevisionError, match="no git revision, file or folder named"):
        list(revision_files(revision, near=str(repository)))
    assert not (repository / "x").exists()


def test_a_revision_without_crds_is_an_empty_baseline(repository: Path) -> None:
    del repository
    git("rm", "-q", "--cached", "-r", "config")
    git("commit", "-q", "-m", "two")
    baseline = load("HEAD")
    assert not baseline
    assert len(baseline) == 0


def test_outside_a_repository_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(RevisionError, match="is in no git repository"):
        list(revision_files("HEAD", near=str(tmp_path)))


def test_without_git_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RevisionError, match="git is not installed"):
        list(revision_files("HEAD", near=str(tmp_path)))


def test_only_texts_that_hold_the_name_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    monkeypatch.setattr("crdlint.linter.collect_crds", lambda text: read.append(text) or {})
    baseline = Baseline(["a: foos.example.com", "b: bars.example.com"])
    assert "foos.example.com" not in baseline
    assert "foos.example.com" not in baseline
    assert read == ["a: foos.example.com"]
    assert list(baseline) == []
    assert read == ["a: foos.example.com", "b: bars.example.com"]


def test_what_cannot_be_read_is_complained_of(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"kind: CustomResourceDefinition\n\xff")
    _, complaints = load_baseline(str(tmp_path), near=".", selection=Selection())
    assert complaints == [f"{tmp_path}/a.yaml: not UTF-8: byte 0xff at line 2, column 1 (byte offset 31)"]
