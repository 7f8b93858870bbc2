"""The size of the Secret with the release of a chart: what counts, the share of each CRD, and what descriptions cost."""

from __future__ import annotations

import base64
import gzip
import json
import random
from typing import TYPE_CHECKING, Final

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.files.read import read_bytes
from crdlint.rules.engine.examples import HEAD
from crdlint.sources.helm import release as module
from crdlint.sources.helm.ignored import ignore_lines, is_ignored
from crdlint.sources.helm.release import LIMIT, chart_files, release_of

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from crdlint.sources.helm.release import ChartFiles, Release

CHART = "apiVersion: v2\nname: demo\nversion: 0.1.0\n"
KEEP = "metadata:\n  annotations: {helm.sh/resource-policy: keep}\n"


def noise(size: int, seed: int = 1) -> str:
    """Return text that gzip can hardly compress."""
    return base64.b64encode(random.Random(seed).randbytes(size * 3 // 4)).decode()


def crd(size: int, name: str = "foo", seed: int = 1) -> str:
    """Return a CRD with a description of a size."""
    head = (
        HEAD.replace("foos", f"{name}s").replace("Foo", name.title()).replace("metadata:\n", KEEP)
    )
    properties = f"          big: {{type: string, description: {noise(size, seed)}}}\n"
    return f"{head}        type: object\n        description: {name}\n        properties:\n{properties}"


def chart(folder: Path, files: dict[str, str]) -> str:
    for name, text in {"Chart.yaml": CHART, **files}.items():
        path = folder / "demo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(folder / "demo")


def size(folder: Path, files: dict[str, str], manifest: str | None = "") -> int:
    release = release_of(chart_files(chart(folder, files)), manifest)
    assert release is not None
    return release.size


def check(folder: str, *arguments: str) -> Result:
    options = ("--select=helm-release-too-large", "--min-severity=info", *arguments)
    return CliRunner().invoke(
        cli, ["check", "--no-cache", folder, *options], catch_exceptions=False
    )


def encoded(release: dict[str, object]) -> int:
    """Return the length of a release as Helm encodes it."""
    return len(
        base64.b64encode(gzip.compress(json.dumps(release, separators=(",", ":")).encode(), 9))
    )


def file(name: str, text: str) -> dict[str, str]:
    return {"name": name, "data": base64.b64encode(text.encode()).decode()}


class TestSize:
    """What Helm stores."""

    @pytest.mark.parametrize("manifest", ["", crd(100_000, "bar", 2)])
    def test_it_is_that_of_the_encoded_release(self, tmp_path: Path, manifest: str) -> None:
        files = {
            "crds/foos.yaml": crd(200_000),
            "templates/a.yaml": noise(50_000, 3),
            "values.yaml": f"a: {noise(20_000, 4)}\n",
            "README.md": noise(30_000, 5),
        }
        release: dict[str, object] = {
            "chart": {
                "metadata": {"name": "demo", "version": "0.1.0", "apiVersion": "v2"},
                "templates": [file("templates/a.yaml", files["templates/a.yaml"])],
                "values": {"a": noise(20_000, 4)},
                "files": [file(name, files[name]) for name in ("README.md", "crds/foos.yaml")],
            },
            "manifest": manifest,
        }
        assert size(tmp_path, files, manifest) == pytest.approx(encoded(release), rel=0.01)

    def test_files_of_charts_within_the_chart_are_not_stored(self, tmp_path: Path) -> None:
        own = size(tmp_path / "a", {"values.yaml": "a: b\n"})
        inner = {
            "Chart.yaml": CHART,
            "crds/foos.yaml": crd(100_000),
            "templates/a.yaml": noise(50_000),
        }
        files = {
            "values.yaml": "a: b\n",
            **{f"charts/inner/{name}": text for name, text in inner.items()},
        }
        assert size(tmp_path / "b", {**files, "charts/packed-1.0.0.tgz": noise(90_000)}) == own
        assert size(tmp_path / "b", files, None) == pytest.approx(
            own + 50_000, rel=0.1
        )  # what its template renders
        assert size(tmp_path / "b", {**files, "charts/a.tgz.prov": noise(90_000)}) > own + 80_000

    def test_files_that_helm_ignores_are_not_stored(self, tmp_path: Path) -> None:
        own = size(tmp_path, {".helmignore": "docs/\n*.png\n"})
        ignored = {
            "docs/a.md": noise(9_000),
            "a/b.png": noise(9_000),
            "templates/.hidden": noise(9_000),
        }
        assert size(tmp_path, {".helmignore": "docs/\n*.png\n", **ignored}) == own

    def test_helpers_and_notes_are_not_rendered(self, tmp_path: Path) -> None:
        files = {
            f"templates/{name}": noise(60_000) for name in ("_helpers.tpl", "NOTES.txt", "a.yaml")
        }
        stored = size(tmp_path, files)
        assert size(tmp_path, files, None) == pytest.approx(stored + 60_000, rel=0.05)

    def test_requirements_of_version_2_are_not_stored(self, tmp_path: Path) -> None:
        own = size(tmp_path, {})
        assert size(tmp_path, {"requirements.yaml": noise(9_000)}) == own
        assert size(tmp_path, {"Chart.yaml": CHART.replace("v2", "v1")}) > own + 5_000

    def test_values_and_metadata_that_are_not_yaml(self, tmp_path: Path) -> None:
        broken = {"values.yaml": "a: [", "Chart.yaml": "\t", "Chart.lock": "- a\n"}
        assert size(tmp_path, broken) < 1000

    def test_a_file_that_is_too_large(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "_LARGEST", 1000)
        assert release_of(chart_files(chart(tmp_path, {"a": noise(2000)}))) is None

    def test_a_bound_needs_only_the_sizes(self, tmp_path: Path) -> None:
        files = {
            "crds/foos.yaml": crd(100_000),
            "templates/a.yaml": noise(50_000),
            "charts/a/templates/b.yaml": noise(9),
        }
        found = chart_files(chart(tmp_path, files))
        release = release_of(found)
        assert release is not None
        assert release.size < found.at_most() < 2 * release.size


class TestShares:
    """What of the release each CRD needs."""

    def test_each_crd_of_files_and_templates(self, tmp_path: Path) -> None:
        files = {
            "crds/both.yaml": crd(80_000, "foo") + "---\n" + crd(40_000, "bar", 2),
            "templates/baz.yaml": crd(20_000, "baz", 3),
            "README.md": noise(10_000, 4),
        }
        release = release_of(chart_files(chart(tmp_path, files)))
        assert release is not None
        shares = release.shares
        assert list(shares) == ["foos.example.com", "bars.example.com", "bazs.example.com"]
        assert shares["foos.example.com"] == pytest.approx(2 * shares["bars.example.com"], rel=0.05)
        assert shares["bazs.example.com"] == pytest.approx(
            shares["bars.example.com"], rel=0.1
        )  # stored and rendered
        assert sum(shares.values()) == pytest.approx(release.size - 10_000, rel=0.05)

    def test_a_description_saves_what_it_saves(self, tmp_path: Path) -> None:
        files = {"crds/foo.yaml": crd(80_000), "templates/bar.yaml": crd(30_000, "bar", 2)}
        folder = chart(tmp_path, files)
        release = release_of(chart_files(folder))
        assert release is not None
        (first, path, saved), (second, _, twice) = release.largest_descriptions(2)
        assert (first, path, second) == ("foos.example.com", ".big", "bars.example.com")
        chart(tmp_path, {"crds/foo.yaml": files["crds/foo.yaml"].replace(noise(80_000), "''")})
        smaller = release_of(chart_files(folder))
        assert smaller is not None
        assert saved == pytest.approx(release.size - smaller.size, rel=0.01)
        chart(
            tmp_path,
            {"templates/bar.yaml": files["templates/bar.yaml"].replace(noise(30_000, 2), "''")},
        )
        smallest = release_of(chart_files(folder))
        assert smallest is not None
        assert twice == pytest.approx(smaller.size - smallest.size, rel=0.01)
        assert release.without_descriptions() == pytest.approx(saved + twice, rel=0.01)

    def test_descriptions_below_lists_maps_and_junctors(self, tmp_path: Path) -> None:
        schema = (
            "          spec:\n            description: a\n            allOf: [{description: b}]\n"
            "            additionalProperties: {description: c}\n            items: {properties: {x: {description: >-\n"
            "              }}}\n          description: {type: string}\n"
        )
        text = f"{HEAD}        properties:\n{schema}".replace(
            "{description: >-\n              }", '{description: "d"}'
        )
        release = release_of(chart_files(chart(tmp_path, {"crds/foo.yaml": text})))
        assert release is not None
        [part] = [part for part in release.parts if part.crd]
        found = [(each.path, text[each.start : each.end]) for each in module.descriptions(part)]
        assert found == [
            (".spec", "description: a"),
            (".spec", "description: b"),
            (".spec[*]", "description: c"),
            (".spec[*].x", 'description: "d"'),
        ]

    def test_a_template_that_is_not_yaml(self, tmp_path: Path) -> None:
        text = (
            "{{- if .Values.a }}\n"
            + crd(1000).replace("type: string", "type: {{ .Values.type }}")
            + "{{- end }}\n"
        )
        release = release_of(chart_files(chart(tmp_path, {"templates/a.yaml": text})))
        assert release is not None
        assert [(name, path) for name, path, _ in release.largest_descriptions(1)] == [
            ("foos.example.com", ".big")
        ]


def test_a_release_that_is_too_large_for_a_secret(tmp_path: Path) -> None:
    files = {
        f"crds/{name}.yaml": crd(400_000, name, seed)
        for seed, name in enumerate(("foo", "bar", "baz"))
    }
    result = check(chart(tmp_path, files), "--no-helm", "--format=json")
    [finding] = json.loads(result.stdout)["diagnostics"]
    assert (finding["rule"], finding["line"], finding["column"]) == ("helm-release-too-large", 2, 1)
    assert finding["file"].endswith("demo/Chart.yaml")
    message = finding["message"]
    assert message.startswith("the release needs about 1,49")
    assert "more than the 1,024 KiB that a Secret can store; 1,49" in message
    assert " KiB are CRDs: " in message
    assert message.count("(33%)") == 3
    assert result.exit_code == 0


SMALL: Final = LIMIT // 8


class TestFinding:
    """The rule helm-release-too-large, for Secrets of an eighth of the size."""

    @pytest.fixture(autouse=True)
    def _small_secrets(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "LIMIT", SMALL)
        monkeypatch.setattr(module, "NEAR", SMALL * 3 // 4)

    def test_a_release_that_is_too_large(self, tmp_path: Path) -> None:
        files = {
            f"crds/{name}.yaml": crd(50_000, name, seed)
            for seed, name in enumerate(("foo", "bar", "baz"))
        }
        result = check(chart(tmp_path, files), "--no-helm", "--fail-on=warning")
        text = " ".join(result.stdout.split())
        assert (
            "help: Remove the descriptions of the CRDs (controller-gen `crd:maxDescLen=0`): that saves about 18"
            in text
        )
        assert "Or move the CRDs to the `crds/` folder of a chart in `charts/`" in text
        assert "The largest descriptions, with what each saves: `big` of " in text
        assert result.exit_code == 1

    def test_a_release_near_the_limit(self, tmp_path: Path) -> None:
        result = check(
            chart(tmp_path, {"crds/a.yaml": crd(87_500)}), "--no-helm", "--format=concise"
        )
        assert ": info[helm-release-too-large]: the release needs about " in result.stdout
        assert " KiB of the 128 KiB that a Secret can store; " in result.stdout

    def test_many_crds_are_counted(self, tmp_path: Path) -> None:
        files = {f"crds/{i}.yaml": crd(16_250, f"foo{chr(97 + i)}", i) for i in range(8)}
        assert ' and 3 more"' in check(chart(tmp_path, files), "--no-helm", "--format=json").stdout

    def test_descriptions_that_are_not_what_is_too_large(self, tmp_path: Path) -> None:
        files = {
            "crds/a.yaml": crd(12_500),
            "templates/a.txt": noise(SMALL, 2),
            "b": noise(SMALL, 3),
        }
        text = " ".join(check(chart(tmp_path, files), "--no-helm").stdout.split())
        assert "KiB, which is not enough. " in text
        text = " ".join(
            check(
                chart(tmp_path, {**files, "crds/a.yaml": HEAD + "        type: object\n"})
            ).stdout.split()
        )
        assert "help: Move the CRDs to the `crds/` folder" in text

    def test_other_charts_are_not_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read: list[str] = []

        def noted(path: str, limit: int) -> bytes:
            read.append(path)
            return read_bytes(path, limit)

        monkeypatch.setattr(module, "read_bytes", noted)
        small = chart(tmp_path, {"crds/a.yaml": crd(37_500), "templates/a.yaml": noise(12_500)})
        assert "helm-release" not in check(small, "--no-helm").stdout
        assert read == []

    @pytest.mark.usefixtures("fake_helm")
    def test_what_helm_renders_counts(self, tmp_path: Path) -> None:
        template = "{{- if .Values.crds }}\n" + crd(56_250) + "{{- end }}\n"
        folder = chart(tmp_path, {"templates/a.yaml": template, "values.yaml": "crds: false\n"})
        assert "helm-release-too-large" in check(folder, "--no-helm").stdout
        assert "helm-release-too-large" not in check(folder).stdout
        assert "helm-release-too-large" in check(folder, "--set", "crds=true").stdout

    def test_the_chart_within_a_chart_counts_for_the_outer_one(self, tmp_path: Path) -> None:
        inner = {"charts/inner/Chart.yaml": CHART, "charts/inner/crds/a.yaml": crd(LIMIT)}
        assert "helm-release-too-large" not in check(chart(tmp_path, inner), "--no-helm").stdout

    def test_it_is_cached(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CRDLINT_CACHE_DIR", str(tmp_path / "cache"))
        folder = chart(tmp_path, {"crds/a.yaml": crd(112_500)})
        levels: list[int] = []

        def noted(
            files: ChartFiles, manifest: str | None = None, *, level: int = 9
        ) -> Release | None:
            levels.append(level)
            return release_of(files, manifest, level=level)

        monkeypatch.setattr(module, "release_of", noted)
        outputs = set()
        for _ in range(2):
            arguments = [
                "check",
                folder,
                "--no-helm",
                "--format=concise",
                "--ignore=too-large-to-apply",
            ]
            outputs.add(CliRunner().invoke(cli, arguments, catch_exceptions=False).stdout)
        assert len(outputs) == 1
        assert levels == [1, 9]
        chart(tmp_path, {"README.md": "changed"})
        CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert levels == [1, 9, 1, 9]

    def test_it_can_be_ignored(self, tmp_path: Path) -> None:
        files = {
            "crds/a.yaml": crd(112_500),
            "Chart.yaml": CHART.replace("demo", "demo # crdlint: ignore[helm-release-too-large] x"),
        }
        assert (
            "helm-release"
            not in check(chart(tmp_path, files), "--no-helm", "--format=concise").stdout
        )


IGNORED: Final = (
    ("helm.txt", "helm.txt", False, True),
    ("helm.*", "helm.txt", False, True),
    ("helm.*", "rudder.txt", False, False),
    ("*.txt", "tiller.txt", False, True),
    ("*.txt", "cargo/a.txt", False, True),
    ("cargo", "cargo", True, True),
    ("cargo/", "cargo", True, True),
    ("cargo/", "mast", True, False),
    ("helm.txt/", "helm.txt", False, False),
    ("/a.txt", "a.txt", False, True),
    ("/a.txt", "cargo/a.txt", False, False),
    ("/*.txt", "a.txt", False, True),
    ("/cargo/*.txt", "cargo/a.txt", False, True),
    ("mast/", "mast/a.txt", False, False),
    ("cargo/*.txt", "cargo/a.txt", False, True),
    ("!helm.txt", "helm.txt", False, False),
    ("!helm.txt", "tiller.txt", False, True),
    ("!*.txt", "cargo", True, True),
    ("!cargo/", "mast", True, True),
    ("a[b-d]?", "acx", False, True),
    ("a[^b-d]", "ae", False, True),
    ("a[^b-d]", "ab", False, False),
    ("a[^b]c", "a/c", False, False),
    (r"a\*", "a*", False, True),
    (r"a\*", "ab", False, False),
    (r"a[\]]", "a]", False, True),
    ("# a", "# a", False, False),
    ("", "a", False, False),
    ("**/a\nb", "b", False, False),
    ("a[\nb", "b", False, False),
    ("a", "templates/.hidden", False, True),
    ("a", "templates/.", False, False),
    ("a", "templates/b/.hidden", False, False),
)


def test_ignore_files(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Cases of Helm's own tests (pkg/ignore/rules_test.go), and more."""
    for lines, path, is_folder, matches in IGNORED:
        with subtests.test(f"{lines!r} of {path}"):
            (tmp_path / ".helmignore").write_text(f"{lines}\n", encoding="utf-8")
            assert (
                is_ignored(ignore_lines(str(tmp_path / ".helmignore")), path, is_folder=is_folder)
                == matches
            )


def test_a_page_of_costs_renders_the_release_as_it_was_asked(
    fake_helm: Path, tmp_path: Path
) -> None:
    folder = chart(tmp_path, {"templates/crd.yaml": f"# {{{{ .Values.a }}}}\n{crd(100)}"})
    page = CliRunner().invoke(cli, ["cost", "--format", "html", "--no-helm", folder])
    assert "The release of" in page.stdout
    assert fake_helm.read_text(encoding="utf-8") == ""
    for outputs in (["--format", "html"], ["--output", f"html={tmp_path / 'page.html'}"]):
        CliRunner().invoke(cli, ["cost", *outputs, "--set", "a=1", folder])
        calls = fake_helm.read_text(encoding="utf-8").splitlines()
        rendered = [call for call in calls if call.startswith("template")]
        assert len(rendered) >= 2
        assert all("--set a=1" in call or "--set=a=1" in call for call in rendered), rendered
