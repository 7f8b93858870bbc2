"""Charts whose results are cached: Helm runs again only if something changes that it reads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import crd_with_schema

from crdlint.cli.main import cli
from crdlint.runner import pool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CRD = crd_with_schema("""\
type: object
properties:
  a:
    type: string
    format: {{ .Values.format }}
""")


@pytest.fixture
def folder(fake_helm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a chart with two templates."""
    assert fake_helm.exists()
    monkeypatch.setenv("CRDLINT_CACHE_DIR", str(tmp_path / "cache"))
    for name, text in {
        "Chart.yaml": "apiVersion: v2\nname: demo\nversion: 0.1.0\n",
        "values.yaml": "format: x\n",
        "templates/a.yaml": CRD,
        "templates/b.yaml": CRD.replace("foo", "bar").replace("Foo", "Bar"),
    }.items():
        path = tmp_path / "c" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "c"


def check(folder: Path, *options: str) -> str:
    return CliRunner().invoke(cli, ["check", str(folder), "--format", "concise", *options]).output


def calls(log: Path) -> list[str]:
    return [line.split()[0] for line in log.read_text(encoding="utf-8").splitlines()]


def test_a_chart_is_rendered_once_for_all_runs(folder: Path, fake_helm: Path) -> None:
    first = check(folder)
    assert first.count("warning[format-unrecognized]") == 2
    assert check(folder) == first
    assert calls(fake_helm) == ["version", "template"]
    assert check(folder, "--no-cache") == first
    assert calls(fake_helm) == ["version", "template", "template"]


CHANGES = {
    "values": lambda folder: (folder / "values.yaml").write_text("format: date\n"),
    "a template": lambda folder: (folder / "templates/a.yaml").write_text(CRD + "# more\n"),
    "a file": lambda folder: (folder / "more.txt").touch(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_the_chart(
    change: Callable[[Path], object], folder: Path, fake_helm: Path
) -> None:
    check(folder)
    change(folder)
    again = check(folder)
    assert calls(fake_helm) == ["version", "template", "template"]
    assert again == check(folder, "--no-cache")


@pytest.mark.parametrize("options", [("--set", "format=y"), ("--kube-version", "1.30")])
def test_other_options(options: tuple[str, ...], folder: Path, fake_helm: Path) -> None:
    first = check(folder)
    other = check(folder, *options)
    assert calls(fake_helm)[:3] == ["version", "template", "template"]
    assert other == check(folder, *options, "--no-cache")
    assert check(folder) == first
    before = calls(fake_helm)
    without = check(folder, "--no-helm")
    assert without == check(folder, "--no-helm", "--no-cache")
    assert calls(fake_helm) == before


def test_what_keeps_a_chart_from_being_rendered_is_reported_in_each_run(
    folder: Path, fake_helm: Path
) -> None:
    (folder / "templates/b.yaml").write_text(
        '{{ fail "a type is required" }}\n' + CRD, encoding="utf-8"
    )
    first = check(folder)
    assert first.count("a type is required") == 1
    assert check(folder) == first
    assert calls(fake_helm) == ["version", "template"]


def test_comments_of_a_template_count_in_cached_results(folder: Path) -> None:
    ignore = "            # crdlint: ignore[format-unrecognized] why\n"
    text = (folder / "templates/a.yaml").read_text(encoding="utf-8")
    (folder / "templates/a.yaml").write_text(
        text.replace("            format:", ignore + "            format:"), encoding="utf-8"
    )
    first = check(folder)
    assert first.count("warning[format-unrecognized]") == 1
    assert check(folder) == first


def test_the_same_file_outside_of_templates_is_another(folder: Path) -> None:
    check(folder)
    (folder / "crds").mkdir()
    (folder / "templates/a.yaml").rename(folder / "crds/a.yaml")
    assert "error[yaml-syntax]: Helm does not render " in check(folder)


# Either end of a named pipe waits for the other.
MEETING = """\
import os, sys
if sys.argv[1] == "version":
    print("v4.1.4")
else:
    open({pipe!r}, "w" if os.path.basename(sys.argv[3]) == "a" else "r").close()
"""


@pytest.mark.parametrize("options", [["--jobs", "2"], []], ids=["processes", "threads"])
def test_charts_are_rendered_side_by_side(
    options: list[str],
    program: Callable[[str, str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool, "processors", lambda: 2)
    os.mkfifo(tmp_path / "pipe")
    program("helm", MEETING.format(pipe=str(tmp_path / "pipe")))
    for name in "ab":
        folder = tmp_path / "charts" / name / "templates"
        folder.mkdir(parents=True)
        (folder.parent / "Chart.yaml").write_text("name: demo\nversion: 0.1.0\n", encoding="utf-8")
        (folder / "a.yaml").write_text(CRD, encoding="utf-8")
    output = check(tmp_path / "charts", *options, "--no-cache")
    assert "took more than" not in output
    assert output.count("helm-skipped") == 2
