"""The distributions of a release: complete, accepted by PyPI, and the same bytes from the same sources."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from ruamel.yaml import YAML
from scratch import ROOT, must

from crdlint import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

SDIST = f"crdlint-{__version__}.tar.gz"
WHEEL = f"crdlint-{__version__}-py3-none-any.whl"


def build(folder: Path) -> dict[str, str]:
    """Build both distributions into a folder, and return their hashes."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600"}
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    assert set(build(folder)) == {SDIST, WHEEL}
    return folder


@pytest.mark.exhaustive
def test_the_same_sources_make_the_same_bytes(built: Path, tmp_path: Path) -> None:
    first = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in built.iterdir()}
    assert build(tmp_path) == first


@pytest.mark.exhaustive
def test_twine_accepts_them(built: Path) -> None:
    files = [str(built / name) for name in (SDIST, WHEEL)]
    done = subprocess.run(
        [sys.executable, "-m", "twine", "--no-color", "check", "--strict", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.exhaustive
def test_the_source_distribution_has_every_file_of_the_repository(built: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout of git")
    with tarfile.open(built / SDIST) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tracked = set(must("git", "ls-files", cwd=ROOT).splitlines())
    assert {name for name in tracked - names if (ROOT / name).exists()} == set()


WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_uses_what_the_repository_has(path: Path) -> None:
    workflow = YAML(typ="safe").load(path)
    runs = [
        step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step
    ]
    used = re.findall(
        r"(?:^|\s)(\.ci/[\w./]+|docs/[\w/]+\.py|fixtures/\w+|tests/[\w./]+)", "\n".join(runs)
    )
    assert [name for name in used if not (ROOT / name).exists()] == []
    modules = re.findall(r"python -m (tests(?:\.\w+)*)", "\n".join(runs))
    assert [name for name in modules if not (ROOT / name.replace(".", "/")).is_dir()] == []
    extras = re.findall(r"\.\[(\w+)\]", "\n".join(runs))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert [extra for extra in extras if f"\n{extra} = [" not in project] == []


# The jobs that may write, and what: everything else reads.
WRITES = {
    ("release.yml", "pypi"): {"id-token"},
    ("release.yml", "archives"): {"id-token", "attestations"},
    ("release.yml", "packages"): {"contents", "id-token", "attestations"},
    ("release.yml", "image"): {"packages", "id-token", "attestations"},
    ("release.yml", "site"): {"pages", "id-token"},
}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_jobs_have_the_permissions_that_they_need(path: Path) -> None:
    workflow = YAML(typ="safe").load(path)
    of_all = workflow.get("permissions")
    assert of_all is not None, "the default may be write permission"
    assert "write" not in (of_all or {}).values()
    for name, job in workflow["jobs"].items():
        granted = job.get("permissions", of_all)
        written = {permission for permission, access in granted.items() if access == "write"}
        assert written == WRITES.get((path.name, name), set()), name
        attests = any("attest-build-provenance" in step.get("uses", "") for step in job["steps"])
        assert attests == ("attestations" in written), name


def test_everything_that_a_release_publishes_is_attested() -> None:
    """PyPI's distributions are signed by their own publisher."""
    workflow = YAML(typ="safe").load(ROOT / ".github/workflows/release.yml")
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    paths = " ".join(str(step.get("with", {}).get("subject-path", "")) for step in steps)
    assert {"dist/*", "dist/*.rb", "dist/*.yaml", "dist/*.vsix"} <= set(paths.split())


def test_dependabot_covers_every_folder_with_packages() -> None:
    updates = YAML(typ="safe").load(ROOT / ".github/dependabot.yml")["updates"]
    covered = {
        update["directory"].strip("/") for update in updates if update["package-ecosystem"] == "npm"
    }
    locks = [
        path.parent.relative_to(ROOT)
        for path in ROOT.rglob("package-lock.json")
        if "node_modules" not in path.parts
    ]
    assert {str(path) for path in locks} == covered


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_the_folders_of_steps_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    folders = re.findall(r"working-directory: *([\w./-]+)", text)
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []
    for folder in re.findall(r"npm ci --prefix ([\w./-]+)", text):
        assert any(
            (ROOT / top / folder / "package-lock.json").is_file() for top in (*folders, ".")
        ), folder


def test_npm_installs_only_what_a_lock_file_names() -> None:
    for path in WORKFLOWS:
        commands = re.findall(
            r"\bnpm (install|i|add|exec)\b.*|\bnpx\b.*", path.read_text(encoding="utf-8")
        )
        assert commands == [], path.name


_PINNED = re.compile(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def test_every_action_and_image_is_pinned() -> None:
    """A tag can be moved to another commit, an image to other content."""
    files = [*(ROOT / ".github/workflows").iterdir(), ROOT / "action.yml"]
    texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    used = [(name, use) for name, text in texts.items() for use in re.findall(r"uses: *(.*)", text)]
    assert len(used) > 20
    assert [found for found in used if not _PINNED.fullmatch(found[1])] == []
    images = re.findall(
        r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [
        image
        for image in images
        if not re.fullmatch(r"python:3\.13-slim@sha256:[0-9a-f]{64}", image)
    ] == []


def test_the_formula_and_the_plugin_manifest_are_filled(tmp_path: Path) -> None:
    hashes = {}
    for platform in ("linux-amd64", "darwin-arm64"):
        (tmp_path / f"crdlint-{platform}.tar.gz").write_text(platform)
        hashes[f"crdlint-{platform}.tar.gz"] = hashlib.sha256(platform.encode()).hexdigest()
    must(ROOT / ".ci/packages/fill", "1.2.3", tmp_path, cwd=tmp_path)
    manifest = YAML(typ="safe").load(tmp_path / "crdlint.yaml")
    assert (manifest["metadata"]["name"], manifest["spec"]["version"]) == ("crdlint", "v1.2.3")
    platforms = {
        one["uri"].rpartition("/v1.2.3/")[2]: one["sha256"] for one in manifest["spec"]["platforms"]
    }
    assert platforms == hashes
    formula = (tmp_path / "crdlint.rb").read_text(encoding="utf-8")
    assert dict(re.findall(r'/v1\.2\.3/(\S+)"\n    sha256 "(\w+)"', formula)) == hashes
    assert not re.search("@[A-Z]", formula)


@pytest.mark.parametrize("name", ["requirements", "runtime", "publish"])
def test_every_package_of_a_pipeline_has_a_hash(name: str) -> None:
    text = (ROOT / f".ci/{name}.txt").read_text(encoding="utf-8")
    packages = [
        line for line in text.replace("\\\n", "").splitlines() if line and not line.startswith("#")
    ]
    assert len(packages) > 20
    form = r"[\w.-]+==[\w.]+ *(;[^#]*?)?( +--hash=sha256:[0-9a-f]{64})+"
    assert [package for package in packages if not re.fullmatch(form, package)] == []


@pytest.mark.parametrize(
    ("name", "extras"),
    [
        ("runtime", ["html", "suites"]),
        ("requirements", ["dev", "docs", "eval", "html", "lsp", "suites"]),
    ],
)
def test_the_pinned_packages_are_those_of_the_project(name: str, extras: list[str]) -> None:
    pinned: dict[str, list[str]] = {}
    for package, version in re.findall(
        r"^([\w.-]+)==([\w.]+)",
        (ROOT / f".ci/{name}.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    ):
        pinned.setdefault(canonicalize_name(package), []).append(version)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [
        *project["dependencies"],
        *(one for extra in extras for one in project["optional-dependencies"][extra]),
    ]
    wrong = {
        str(one): versions
        for one in map(Requirement, listed)
        if one.name != "crdlint"
        and not (
            (versions := pinned.get(canonicalize_name(one.name), []))
            and all(map(one.specifier.contains, versions))
        )
    }
    assert wrong == {}


def test_the_tag_of_a_release_is_compared_with_the_version() -> None:
    [command] = re.findall(
        r"\$\((sed .*)\)\"$",
        (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == __version__
