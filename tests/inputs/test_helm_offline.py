"""Helm run offline: what it gets, and what it never gets."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crdlint.sources.helm import render as helm
from crdlint.sources.helm.layout import HelmValues
from crdlint.sources.helm.render import RenderedDocument, chart_digest, render

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDING = """\
import json, os, sys
if sys.argv[1] == "version":
    print("v4.1.4")
with open(LOG, "a") as log:
    print(json.dumps({"arguments": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd(),
                      "home": os.listdir(os.environ["HOME"])}), file=log)
"""


@pytest.fixture
def log(program: Callable[[str, str], Path], tmp_path: Path) -> Path:
    """Return the file that has a line for each call of Helm."""
    log = tmp_path / "log"
    program("helm", RECORDING.replace("LOG", repr(str(log))))
    return log


def chart(folder: Path, **files: str) -> str:
    for name, text in {"Chart.yaml": "name: demo\nversion: 0.1.0\n", **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(folder)


def test_helm_gets_nothing_of_the_environment(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "HOME",
        "KUBECONFIG",
        "HELM_PLUGINS",
        "HELM_REPOSITORY_CONFIG",
        "HELM_NAMESPACE",
        "HTTPS_PROXY",
        "SECRET",
    ):
        monkeypatch.setenv(name, "https://user.example")
    program = helm.helm().program
    assert program is not None
    render(
        chart(tmp_path / "c", **{"ci/a-values.yaml": ""}),
        HelmValues(sets=("a=b",)),
        program,
        ["1.30"],
    )
    version, template = (json.loads(line) for line in log.read_text(encoding="utf-8").splitlines())
    assert version["arguments"][0] == "version"
    assert template["arguments"] == [
        "template", "crdlint", f"{tmp_path}/c", "--include-crds", f"--values={tmp_path}/c/ci/a-values.yaml", "--set=a=b",
        "--kube-version=v1.30.0", "--enable-dns=false",
    ]  # fmt: skip
    for call in (version, template):
        environment = call["environment"]
        assert [name for name, value in environment.items() if "user.example" in value] == []
        assert (
            environment["HELM_PLUGINS"]
            == environment["HELM_CACHE_HOME"]
            == environment["PATH"]
            == environment["HOME"]
        )
        assert environment["KUBECONFIG"].startswith(environment["HOME"])
        assert environment["https_proxy"] == "http://127.0.0.1:9"
        assert call["home"] == []
        assert call["folder"] != environment["HOME"]


def test_files_of_values_are_never_urls(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of the checkout may be called `http:`, and a chart in it is then found by a path like a URL."""
    monkeypatch.chdir(tmp_path)
    chart(tmp_path / "http:/a.example/c", **{"ci/a-values.yaml": ""})
    program = helm.helm().program
    assert program is not None
    render("http:/a.example/c", HelmValues(), program)
    render("http:/a.example/c", HelmValues(("http:/a.example/c/ci/a-values.yaml",)), program)
    for line in log.read_text(encoding="utf-8").splitlines()[1:]:
        arguments = json.loads(line)["arguments"]
        assert arguments[2] == f"{tmp_path}/http:/a.example/c"
        assert arguments[4] == f"--values={tmp_path}/http:/a.example/c/ci/a-values.yaml"


def test_values_that_are_no_files_are_left_out(log: Path, tmp_path: Path) -> None:
    folder = chart(tmp_path / "c", **{"ci/a-values.yaml": ""})
    os.mkfifo(tmp_path / "c/ci/b-values.yaml")
    (tmp_path / "c/ci/c-values.yaml").mkdir()
    program = helm.helm().program
    assert program is not None
    render(folder, HelmValues(), program)
    assert len(log.read_text(encoding="utf-8").splitlines()) == 2


LINKS = {
    "a file": ("templates/x.yaml", "/etc/hostname", True),
    "a folder": ("files", "/etc", True),
    "a file of a linked folder": ("linked", "../shared", True),
    "a file of the repository": ("templates/x.yaml", "../../shared/a.yaml", False),
    "a loop": ("charts", ".", False),
}


@pytest.mark.parametrize(("name", "target", "is_outside"), LINKS.values(), ids=LINKS)
def test_links_out_of_the_repository(
    name: str, target: str, is_outside: bool, log: Path, tmp_path: Path
) -> None:
    root = tmp_path / "repository"
    folder = Path(chart(root / "c", **{"templates/a.yaml": ""}))
    (root / ".git").mkdir()
    (root / "shared").mkdir()
    (root / "shared/a.yaml").touch()
    if name == "linked":
        (root / "shared/passwd").symlink_to("/etc/passwd")
    (folder / name).symlink_to(target)
    program = helm.helm().program
    assert program is not None
    rendered = render(str(folder), HelmValues(), program)
    assert len(log.read_text(encoding="utf-8").splitlines()) == (1 if is_outside else 2)
    assert ["leads out of the repository" in one.why for one in rendered.failures] == [
        True
    ] * is_outside


def test_the_digest_of_a_chart(program: Callable[[str, str], Path], tmp_path: Path) -> None:
    helm_program = str(program("helm", ""))
    folder = Path(chart(tmp_path / "c", **{"templates/a.yaml": "a", "values.yaml": "b"}))
    values = tmp_path / "values.yaml"
    values.touch()

    def digest(*sets: str) -> bytes | None:
        return chart_digest(str(folder), HelmValues((str(values),), sets), helm_program)

    seen = [digest()]
    assert digest() == seen[0]
    for change in (
        lambda: (folder / "templates/a.yaml").write_text("c"),
        lambda: (folder / "templates/a.yaml").rename(folder / "templates/b.yaml"),
        lambda: (folder / "link.yaml").symlink_to("values.yaml"),
        lambda: values.write_text("d"),
        lambda: program("helm", "#"),
    ):
        change()
        seen.append(digest())
    seen.append(digest("a=b"))
    assert None not in seen
    assert len(set(seen)) == len(seen)
    (folder / ".git").mkdir()
    (folder / ".git/index").touch()
    assert digest("a=b") == seen[-1]
    os.mkfifo(folder / "pipe")
    assert digest() is None


def test_the_digest_of_a_packed_chart(tmp_path: Path) -> None:
    archive, values = tmp_path / "c.tgz", tmp_path / "values.yaml"
    archive.write_bytes(b"a")
    values.write_text("b")

    def digest() -> bytes | None:
        return chart_digest(str(archive), HelmValues((str(values),)), None)

    seen = [digest()]
    assert digest() == seen[0]
    archive.write_bytes(b"c")
    seen.append(digest())
    values.write_text("d")
    seen.append(digest())
    assert None not in seen
    assert len(set(seen)) == len(seen)


@pytest.mark.skipif(shutil.which("helm") is None, reason="helm is not on the path")
def test_the_real_helm_looks_nothing_up(tmp_path: Path) -> None:
    program = helm.helm().program
    assert program is not None
    text = (
        'a: {{ lookup "v1" "Namespace" "" "default" | toJson | quote }}\n'
        'b: {{ getHostByName "localhost" | quote }}\nkind: CustomResourceDefinition\n'
    )
    rendered = render(chart(tmp_path / "c", **{"templates/a.yaml": text}), HelmValues(), program)
    assert rendered.failures == []
    text = 'a: "{}"\nb: ""\nkind: CustomResourceDefinition\n'
    assert rendered.documents == {"templates/a.yaml": [RenderedDocument(text, ("",))]}
