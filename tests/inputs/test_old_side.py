"""Charts and kustomizations of the old side: rendered and built as those of the new side."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.rules.engine.examples import HEAD
from crdlint.sources.previous import copies
from crdlint.sources.previous.copies import is_safe

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

CRD = f"""{HEAD}        type: object
        properties:
          size: {{type: integer, maximum: 9}}
"""
TEMPLATE = CRD.replace("maximum: 9", "maximum: {{ .Values.max }}")
CHART = {
    "Chart.yaml": "apiVersion: v2\nname: demo\nversion: 0.1.0\n",
    "templates/crd.yaml": TEMPLATE,
}
TIGHTER = "`.size`: `maximum` changed from 9 to 8: values above 8 are rejected"
LINE = TEMPLATE[: TEMPLATE.index("maximum")].count("\n") + 1
COLUMN = len(TEMPLATE[: TEMPLATE.index("{{ .V")].rpartition("\n")[2]) + 1


def at(top: str, files: dict[str, str]) -> dict[str, str | bytes]:
    return {f"{top}/{name}": text for name, text in files.items()}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False)


def assert_compared(result: Result, temporary: Path) -> None:
    """One change is an error, and no temporary folder is left."""
    assert "compared with v1: 1 CRD changed: 1 breaking" in result.stdout
    assert result.exit_code == 1
    assert list(temporary.iterdir()) == []


def related(*arguments: str) -> list[str]:
    """Return the position of each change, the position of the old value, and the start of the message."""
    lines = [line.strip() for line in run("diff", *arguments, "--color=never").stdout.splitlines()]
    changes = [
        i for i, line in enumerate(lines) if line.startswith(("error[", "warning[", "info["))
    ]
    places = [lines[i + 1].removeprefix("--> ").replace(", was ", " before: ") for i in changes]
    return [f"{place} {lines[i].split(': ')[1]}" for i, place in zip(changes, places, strict=True)]


@pytest.fixture
def tools(program: Callable[[str, str], Path]) -> Path:
    """Put git on the path of the scripts, and return the folder of that path."""
    git = shutil.which("git", path=os.defpath + ":/usr/local/bin:/opt/homebrew/bin")
    assert git is not None
    folder = program("none", "").parent
    (folder / "git").symlink_to(git)
    return folder


@pytest.fixture
def fake_kustomize(program: Callable[[str, str], Path], tmp_path: Path) -> Path:
    """Put a stand-in for kustomize on the path; the folders of its builds are in the file returned."""
    source = (Path(__file__).parent / "fake_kustomize.py").read_text(encoding="utf-8")
    log = tmp_path / "kustomize.log"
    log.touch()
    program("kustomize", source.replace("LOG = os.devnull", f"LOG = {str(log)!r}"))
    return log


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary folders."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def release(checkout: Any, files: dict[str, str | bytes]) -> None:
    checkout.commit(files)
    checkout.git("tag", "-f", "v1")


@pytest.fixture
def released(tools: Path, checkout: Any) -> Any:
    """A chart that was released as v1, with a lower maximum since."""
    del tools
    release(checkout, at("charts/demo", {**CHART, "values.yaml": "max: 9\n"}))
    checkout.write(at("charts/demo", {"values.yaml": "max: 8\n"}))
    return checkout


@pytest.mark.usefixtures("fake_helm")
class TestCharts:
    """Charts of the old side."""

    @pytest.mark.parametrize("jobs", ["1", "2"])
    @pytest.mark.usefixtures("released")
    def test_changed_values_are_compared(self, temporary: Path, jobs: str) -> None:
        result = run("check", "--against", "v1", ".", "--jobs", jobs)
        assert (
            f"error[change-limit-tightened]: {TIGHTER}\n  --> charts/demo/templates/crd.yaml:{LINE}:{COLUMN}  "
            in result.stdout
        )
        assert f"{TIGHTER}\n" in result.stdout
        assert "= note: existing objects stay valid until this field is edited" in result.stdout
        assert (
            f"the old CRD at v1:charts/demo/templates/crd.yaml:{LINE}:{COLUMN}\n" in result.stdout
        )
        assert_compared(result, temporary)

    @pytest.mark.parametrize(
        ("old", "new", "name"),
        [
            ("v1", ".", "v1:charts/demo/templates/crd.yaml"),
            ("v1:charts/demo", "charts/demo", "v1:charts/demo/templates/crd.yaml"),
            (
                "v1:charts/demo/templates",
                "charts/demo/templates",
                "v1:charts/demo/templates/crd.yaml",
            ),
            ("../old.tgz", "charts/demo", "../old.tgz:demo/templates/crd.yaml"),
            ("../copy", "charts/demo", "../copy/templates/crd.yaml"),
        ],
    )
    def test_each_kind_of_side(
        self, released: Any, temporary: Path, old: str, new: str, name: str
    ) -> None:
        shutil.copytree(released.top / "charts/demo", released.top.parent / "copy")
        (released.top.parent / "copy/values.yaml").write_text("max: 9\n")
        with tarfile.open(released.top.parent / "old.tgz", "w:gz") as archive:
            archive.add(released.top.parent / "copy", "demo")
        position = f"{LINE}:{COLUMN}"
        assert related(old, new) == [
            f"charts/demo/templates/crd.yaml:{position} before: {name}:{position} `.size`"
        ]
        assert list(temporary.iterdir()) == []
        if not old.startswith("v1:"):
            result = run("check", "--format=concise", "--against", old, new)
            assert TIGHTER in result.stdout
            assert result.exit_code == 1
            assert list(temporary.iterdir()) == []

    def test_a_packed_chart_as_the_new_side_and_in_a_revision(self, released: Any) -> None:
        for name, chart in (("old", 9), ("new", 8)):
            released.write(at("packed", {"values.yaml": f"max: {chart}\n", **CHART}))
            with tarfile.open(released.top / f"{name}.tgz", "w:gz") as archive:
                archive.add(released.top / "packed", "demo")
        released.commit({})
        old, new = (
            f"{side}:demo/templates/crd.yaml:{LINE}:{COLUMN}"
            for side in ("HEAD:old.tgz", "new.tgz")
        )
        assert related("HEAD:old.tgz", "new.tgz") == [f"{new} before: {old} `.size`"]

    def test_each_values_file_is_compared_with_the_one_of_its_name(self, released: Any) -> None:
        ci = {"ci/a-values.yaml": "max: 9\n", "ci/b-values.yaml": "max: 5\n"}
        release(released, at("charts/demo", ci))
        assert (
            run("check", "--against", "v1", ".", "--ignore=helm-crd-without-keep", "-q").stdout
            == ""
        )
        released.write(at("charts/demo", {"ci/b-values.yaml": "max: 4\n"}))
        result = run(
            "check", "--against", "v1", ".", "--format=concise", "--ignore=helm-crd-without-keep"
        )
        assert [line.partition(": error")[2] for line in result.stdout.splitlines()] == [
            "[change-limit-tightened]: `.size`: `maximum` changed from 5 to 4: values above 4 are rejected"
        ]

    def test_values_of_the_command_line_are_those_of_both_sides(self, released: Any) -> None:
        options = ("--set", "max=7", "--ignore=helm-crd-without-keep", "-q")
        assert run("check", "--against", "v1", ".", *options).stdout == ""
        (released.top / "values.yaml").write_text("max: 7\n")
        assert run("diff", "v1", ".", "--values", "values.yaml").stdout.startswith("0 CRDs changed")

    def test_a_chart_in_a_chart_gets_the_values_of_the_outer_one(self, released: Any) -> None:
        inner = {
            f"charts/inner/{name}": text.replace("demo", "inner") for name, text in CHART.items()
        }
        outer = {"Chart.yaml": CHART["Chart.yaml"], "values.yaml": "inner: {max: 9}\n", **inner}
        shutil.rmtree(released.top / "charts")
        release(released, at("charts/demo", outer))
        released.write(at("charts/demo", {"values.yaml": "inner: {max: 8}\n"}))
        assert (
            f"error[change-limit-tightened]: {TIGHTER}\n"
            in run("check", "--against", "v1", ".", "--format=concise").stdout
        )

    def test_a_chart_at_the_top_of_the_repository(self, released: Any) -> None:
        shutil.rmtree(released.top / "charts")
        release(released, {**CHART, "values.yaml": "max: 9\n"})
        released.write({"values.yaml": "max: 8\n"})
        assert related("v1") == [
            f"templates/crd.yaml:{LINE}:{COLUMN} before: v1:templates/crd.yaml:{LINE}:{COLUMN} `.size`"
        ]
        assert (
            f"the old CRD at v1:templates/crd.yaml:{LINE}:{COLUMN}"
            in run("check", "--against", "v1", ".").stdout
        )

    def test_a_name_that_helm_fills_in(self, released: Any) -> None:
        named = TEMPLATE.replace("name: foos.example.com", "name: foos.{{ .Values.group }}")
        release(
            released,
            at(
                "charts/demo",
                {"templates/crd.yaml": named, "values.yaml": "max: 9\ngroup: example.com\n"},
            ),
        )
        released.write(at("charts/demo", {"values.yaml": "max: 8\ngroup: example.com\n"}))
        assert (
            f"error[change-limit-tightened]: {TIGHTER}\n"
            in run("check", "--against", "v1", ".", "--format=concise").stdout
        )

    def test_several_crds_of_a_template_are_counted(self, released: Any) -> None:
        both = TEMPLATE + "---\n" + TEMPLATE.replace("foos", "bars").replace("Foo", "Bar")
        release(
            released, at("charts/demo", {"templates/crd.yaml": both, "values.yaml": "max: 9\n"})
        )
        released.write(at("charts/demo", {"values.yaml": "max: 8\n"}))
        assert run("diff", "v1").stdout.startswith("2 CRDs changed: 2 breaking\n")

    def test_a_crd_that_the_values_leave_out_is_read_without_helm(self, released: Any) -> None:
        plain = "{{- if .Values.install }}\n" + CRD + "{{- end }}\n"
        release(
            released,
            at("charts/demo", {"templates/crd.yaml": plain, "values.yaml": "install: false\n"}),
        )
        released.write(
            at("charts/demo", {"templates/crd.yaml": plain.replace("maximum: 9", "maximum: 8")})
        )
        assert (
            f"error[change-limit-tightened]: {TIGHTER}\n"
            in run("check", "--against", "v1", ".", "--format=concise").stdout
        )

    def test_an_old_chart_that_helm_does_not_render(self, released: Any, temporary: Path) -> None:
        broken = {"templates/a.yaml": '{{ fail "set a" }}\n', "templates/crd.yaml": TEMPLATE}
        release(released, at("charts/demo", {**broken, "values.yaml": "max: 9\n"}))
        (released.top / "charts/demo/templates/a.yaml").unlink()
        for command in (("check", "--against", "v1", "."), ("diff", "v1")):
            result = run(*command)
            assert (
                "the old chart v1:charts/demo: helm does not render v1:charts/demo: execution error"
                in (result.stderr + result.stdout)
            )
            assert "0 CRDs changed\n" in result.stdout  # its values are known
        assert list(temporary.iterdir()) == []

    def test_links_in_the_repository_are_followed(self, released: Any) -> None:
        (released.top / "values.yaml").write_text("max: 9\n")
        values = released.top / "charts/demo/values.yaml"
        values.unlink()
        values.symlink_to("../shared")
        (released.top / "charts/shared").symlink_to("../values.yaml")
        release(released, {})
        (released.top / "values.yaml").write_text("max: 8\n")
        assert len(related("v1")) == 1
        assert (
            f"error[change-limit-tightened]: {TIGHTER}\n"
            in run("check", "--against", "v1", ".", "--format=concise").stdout
        )

    @pytest.mark.parametrize("target", ["../../../secret", "/etc/passwd", "loop", ""])
    def test_other_links_are_not(self, released: Any, temporary: Path, target: str) -> None:
        (released.top.parent / "secret").write_text("max: 9\n")
        blob = released.git("hash-object", "-w", "--stdin-paths").strip() if not target else ""
        link = released.top / "charts/demo/loop"
        if target:
            link.symlink_to(target)
            released.commit({})
        else:
            empty = released.top.parent / "empty"
            empty.touch()
            blob = released.git("hash-object", "-w", str(empty)).strip()
            released.git("add", "-A")
            released.git("update-index", "--add", "--cacheinfo", f"120000,{blob},charts/demo/loop")
            released.git("commit", "-qm", "x")
            link.unlink(missing_ok=True)
        if link.is_symlink():
            link.unlink()
        result = run("check", "--against", "HEAD", ".")
        reasons = {"loop": "too many levels of symbolic links", "": "not a link that can be read"}
        reason = reasons.get(target, "charts/demo/loop leads out of the repository")
        assert reason in " ".join(result.stdout.split())
        assert "1 not compared" in result.stdout
        result = run("diff", "HEAD")
        assert reason in result.stderr
        assert result.exit_code == 2
        assert list(temporary.iterdir()) == []

    @pytest.mark.parametrize(("name", "limit"), [("MAX_BYTES", 100), ("MAX_FILES", 1)])
    def test_the_size_of_a_copy_is_limited(
        self, released: Any, monkeypatch: pytest.MonkeyPatch, name: str, limit: int
    ) -> None:
        monkeypatch.setattr(copies, name, limit)
        result = run("check", "--against", "v1", ".")
        assert "the old chart v1:charts/demo: more than" in result.stdout
        assert "1 not compared" in result.stdout
        del released

    def test_git_runs_no_program_of_the_repository(self, released: Any, trap: Any) -> None:
        released.write({".gitattributes": "* filter=x diff=x merge=x export-subst\n"})
        released.commit({})
        released.write(at("charts/demo", {"values.yaml": "max: 7\n"}))
        (released.top / ".git/config").write_text(trap.config(), encoding="utf-8")
        assert "`maximum` changed from 8 to 7" in run("check", "--against", "HEAD", ".").stdout
        assert len(related("HEAD")) == 1
        assert trap.ran == ""

    def test_a_missing_file_of_the_chart(self, released: Any) -> None:
        name = released.git("rev-parse", "v1:charts/demo/values.yaml").strip()
        (released.top / ".git/objects" / name[:2] / name[2:]).unlink()
        result = run("check", "--against", "v1", ".")
        assert (
            "the old chart v1:charts/demo: charts/demo/values.yaml: its content is missing"
            in " ".join(result.stdout.split())
        )
        assert "1 not compared" in result.stdout

    def test_a_chart_is_only_rendered_if_one_of_its_crds_is_needed(
        self, released: Any, fake_helm: Path
    ) -> None:
        released.commit(at("charts/other", {**CHART, "values.yaml": "max: 8\n"}))
        run("check", "--against", "v1", "charts/demo")
        templates = [
            line for line in fake_helm.read_text().splitlines() if line.startswith("template")
        ]
        assert len(templates) == 2

    def test_a_file_with_another_version_of_a_crd_is_an_added_copy(self, released: Any) -> None:
        released.write({f"{side}/v1.0/crd.yaml": CRD for side in ("old", "new")})
        released.write({"new/v2.0/crd.yaml": CRD.replace("name: v1", "name: v2")})
        assert run("diff", "old", "new").stdout == "0 CRDs changed\n"
        (released.top / "new/v1.0/crd.yaml").unlink()
        assert "change-version-renamed" in run("diff", "old", "new").stdout

    def test_a_vendored_crd_that_is_gone_is_not_removed(self, released: Any) -> None:
        released.write(
            {
                "old/vendor/example.com/a/crd.yaml": CRD,
                "old/b.yaml": "a: 1\n",
                "new/b.yaml": "a: 1\n",
            }
        )
        assert run("diff", "old", "new").stdout == "0 CRDs changed\n"
        (released.top / "old/c.yaml").write_text(CRD)
        assert "change-crd-removed" in run("diff", "old", "new").stdout

    def test_copies_of_a_crd_are_compared_with_those_in_their_place(self, released: Any) -> None:
        released.write(
            {
                f"{side}/{n}.yaml": CRD.replace("9", str(n))
                for side in ("old", "new")
                for n in (1, 2)
            }
        )
        assert run("diff", "old", "new").stdout == "0 CRDs changed\n"


@pytest.mark.usefixtures("released", "tools")
class TestWithoutHelm:
    """What only Helm can read is never reported as unchanged."""

    def test_known_values_are_compared(self) -> None:
        assert TIGHTER in run("diff", "v1").stdout

    def test_it_is_not_compared(self, released: Any) -> None:
        released.write(at("charts/demo", {"ci/a-values.yaml": "max: 8\n"}))
        result = run("diff", "v1")
        assert result.stdout == "0 CRDs changed; 1 not compared\n"
        position = f"charts/demo/templates/crd.yaml:{LINE}"
        assert f"{position}: not compared: this CRD is not checked without Helm: " in result.stderr
        result = run("check", "--against", "v1", ".")
        assert "warning[helm-skipped]" in result.stdout
        assert "compared with v1: 0 CRDs changed; 1 not compared" in result.stdout

    @pytest.mark.usefixtures("fake_helm")
    def test_with_the_option(self, released: Any) -> None:
        released.write(at("charts/demo", {"ci/a-values.yaml": "max: 8\n"}))
        assert "1 not compared" in run("diff", "v1", "--no-helm").stdout


PATCH = "[{{op: add, path: /spec/versions/0/schema/openAPIV3Schema/properties/size/maximum, value: {}}}]"


def overlay(maximum: int | None) -> str:
    if maximum is None:
        return "resources: [../base]\n"
    target = "{kind: CustomResourceDefinition, name: foos.example.com}"
    return (
        f"resources: [../base]\npatches:\n- target: {target}\n  patch: '{PATCH.format(maximum)}'\n"
    )


def tree(maximum: int | None) -> dict[str, str | bytes]:
    return {
        "config/base/kustomization.yaml": "resources: [crd.yaml]\n",
        "config/base/crd.yaml": CRD,
        "config/overlay/kustomization.yaml": overlay(maximum),
    }


@pytest.fixture
def patched(tools: Path, checkout: Any) -> Any:
    del tools
    release(checkout, tree(6))
    return checkout


@pytest.mark.usefixtures("fake_kustomize")
class TestKustomizations:
    """Kustomizations of the old side."""

    def test_a_changed_patch(self, patched: Any, temporary: Path) -> None:
        patched.write(tree(5))
        result = run("check", "--against", "v1", ".")
        assert (
            "error[change-limit-tightened]: `.size`: `maximum` changed from 6 to 5: values above 5 are rejected\n"
            "  --> config/overlay/kustomization.yaml:3:3  "
        ) in result.stdout
        assert "the old CRD at v1:config/overlay/kustomization.yaml:3:3\n" in result.stdout
        assert_compared(result, temporary)

    @pytest.mark.parametrize(
        ("old", "new", "name"),
        [
            ("v1", ".", "v1:config/overlay/kustomization.yaml"),
            ("v1:config/overlay", "config/overlay", "v1:config/overlay/kustomization.yaml"),
            ("../old/config", "config", "../old/config/overlay/kustomization.yaml"),
        ],
    )
    def test_each_kind_of_side(
        self, patched: Any, temporary: Path, old: str, new: str, name: str
    ) -> None:
        shutil.copytree(patched.top / "config", patched.top.parent / "old/config")
        patched.write(tree(5))
        assert related(old, new) == [
            f"config/overlay/kustomization.yaml:3:3 before: {name}:3:3 `.size`"
        ]
        assert list(temporary.iterdir()) == []

    def test_a_base_that_is_not_below_the_path_has_its_own_name(self, patched: Any) -> None:
        patched.commit({"config/base/crd.yaml": CRD.replace("type: integer", "type: int")})
        result = run("diff", "v1:config/overlay", "HEAD:config/overlay", "--format=concise")
        assert {
            line.partition(":1")[0].partition(":3")[0] for line in result.stdout.splitlines()
        } == {
            "HEAD:config/base/crd.yaml",
            "HEAD:config/overlay/kustomization.yaml",
        }

    def test_a_crd_of_a_base_that_is_not_below_the_path_is_not_new(self, patched: Any) -> None:
        assert run("diff", "v1:config/overlay", "config/overlay").stdout == "0 CRDs changed\n"
        patched.write({"config/base/crd.yaml": CRD.replace("maximum: 9", "minimum: 1, maximum: 9")})
        position = "config/overlay/kustomization.yaml:3:3"
        assert related("v1:config/overlay", "config/overlay") == [
            f"{position} before: v1:{position} `.size`"
        ]

    def test_an_unchanged_patch(self, patched: Any) -> None:
        patched.write({"config/base/crd.yaml": CRD + "# changed\n"})
        assert run("diff", "v1").stdout == "0 CRDs changed\n"

    def test_a_patch_that_is_gone(self, patched: Any) -> None:
        patched.write(tree(None))
        assert run("diff", "v1").stdout.startswith("1 CRD changed, without consequence\n")
        assert "  --> config/overlay/kustomization.yaml:1:1" in run("diff", "v1", "--all").stdout

    def test_a_new_patch_is_compared_with_the_old_resource(self, patched: Any) -> None:
        release(patched, tree(None))
        patched.write(tree(5))
        assert related("v1") == [
            "config/overlay/kustomization.yaml:3:3 before: v1:config/base/crd.yaml:17:42 `.size`"
        ]

    def test_a_patch_file_and_a_link(self, patched: Any) -> None:
        target = "{kind: CustomResourceDefinition, name: foos.example.com}"
        file = f"resources: [../base]\npatches:\n- path: patch.json\n  target: {target}\n"
        (patched.top / "config/overlay/patch.json").symlink_to("real.json")
        release(
            patched,
            {
                "config/overlay/kustomization.yaml": file,
                "config/overlay/real.json": PATCH.format(6),
            },
        )
        patched.write({"config/overlay/real.json": PATCH.format(5)})
        assert related("v1") == [
            "config/overlay/kustomization.yaml:3:3 before: v1:config/overlay/kustomization.yaml:3:3 `.size`"
        ]

    def test_a_new_kustomization(self, patched: Any) -> None:
        files = {name.replace("overlay", "other"): text for name, text in tree(4).items()}
        patched.write(files)
        assert "`maximum` changed from 9 to 4" in run("diff", "v1").stdout

    def test_each_is_built_once(self, patched: Any, fake_kustomize: Path) -> None:
        more = overlay(None).replace("../base", "../overlay")
        release(patched, {"config/more/kustomization.yaml": more})
        patched.write(tree(5))
        run("check", "--against", "v1", ".")
        # The old one, and the new one without schemas and with them, as a patch changes them.
        assert fake_kustomize.read_text().split() == ["overlay"] * 3

    def test_an_old_one_that_cannot_be_built(self, patched: Any) -> None:
        broken = overlay(6).replace("../base", "../base, ../none")
        release(patched, {"config/overlay/kustomization.yaml": broken})
        patched.write(tree(5))
        result = run("check", "--against", "v1", ".")
        problem = (
            "config/overlay/kustomization.yaml: not compared with its old version: v1:config/overlay/kustomization.yaml: "
            "not built: no local file for `resources[1]` (../none)"
        )
        assert problem in result.stderr
        assert result.exit_code == 2
        result = run("diff", "v1")
        assert (
            "v1:config/overlay/kustomization.yaml: not built: no local file for `resources[1]`"
            in result.stderr
        )
        assert result.exit_code == 2

    def test_an_old_build_that_fails(
        self, patched: Any, program: Callable[[str, str], Path]
    ) -> None:
        patched.write(tree(5))
        program(
            "kustomize",
            "import sys\ntext = open('kustomization.yaml').read()\n"
            f"sys.exit('Error: no') if 'value: 6' in text else sys.stdout.write({CRD.replace('9', '5')!r})\n",
        )
        result = run("check", "--against", "v1", ".")
        assert "v1:config/overlay/kustomization.yaml: kustomize build fails: no" in result.stderr
        assert result.exit_code == 2

    @pytest.mark.parametrize("reference", ["../../../secret", "../../../secret/crd.yaml"])
    def test_no_reference_leads_out_of_the_repository(
        self, patched: Any, temporary: Path, reference: str
    ) -> None:
        for folder in (
            patched.top.parent / "secret",
            temporary.parent / "secret",
            temporary / "secret",
        ):
            folder.mkdir(exist_ok=True)
            (folder / "kustomization.yaml").write_text("resources: [crd.yaml]\n")
            (folder / "crd.yaml").write_text(CRD.replace("foos", "secrets"))
        file = overlay(6).replace("../base", f"../base, {reference}")
        release(patched, {"config/overlay/kustomization.yaml": file})
        patched.write(tree(5))
        result = run("check", "--against", "v1", "config")
        assert "v1:config/overlay/kustomization.yaml: not built: " in result.stderr
        assert "secrets.example.com" not in result.stdout + result.stderr

    def test_options_that_build_nothing(self, patched: Any, fake_kustomize: Path) -> None:
        patched.write(tree(5))
        assert run("diff", "v1", "--no-kustomize").stdout == "0 CRDs changed\n"
        assert run("check", "--against", "v1", ".", "--no-kustomize", "-q").stdout == ""
        assert fake_kustomize.read_text() == ""


def test_without_kustomize_nothing_is_reported_as_unchanged(patched: Any) -> None:
    patched.write(tree(5))
    result = run("diff", "v1")
    assert result.stdout == "0 CRDs changed; 1 not compared\n"
    assert (
        "config/overlay/kustomization.yaml: note: neither kustomize nor kubectl is on the path"
        in result.stderr
    )


def packed(path: Path, names: dict[str, bytes]) -> str:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in names.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return str(path)


_OUT = "is not the path of a file below a folder"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../escaped.yaml", _OUT),
        ("/escaped.yaml", _OUT),
        ("demo/../../escaped.yaml", _OUT),
        ("a/" * 1990 + "escaped.yaml", "a file is more than 256 folders deep"),
    ],
)
def test_no_file_of_an_archive_leads_out_of_its_folder(
    tmp_path: Path, temporary: Path, name: str, message: str
) -> None:
    archive = packed(
        tmp_path / "demo.tgz", {"demo/Chart.yaml": b"name: demo\n", name: CRD.encode()}
    )
    (tmp_path / "new").mkdir()
    (tmp_path / "new/crd.yaml").write_text(CRD)
    for command in (
        ("check", "--against", archive, str(tmp_path / "new")),
        ("diff", archive, str(tmp_path / "new")),
    ):
        result = run(*command)
        assert message in " ".join(result.stderr.replace("│", "").split())
        assert result.exit_code == 2
    assert list(temporary.iterdir()) == []
    assert not list(tmp_path.glob("**/escaped.yaml"))


@pytest.mark.parametrize("data", [b"", b"no archive", b"\x1f\x8b\x08damaged"])
def test_a_damaged_archive(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "demo.tgz").write_bytes(data)
    (tmp_path / "crd.yaml").write_text(CRD)
    for command in (
        ("check", "--against", str(tmp_path / "demo.tgz"), str(tmp_path)),
        ("diff", str(tmp_path / "demo.tgz")),
    ):
        result = run(*command)
        assert "cannot be unpacked" in " ".join(result.stderr.split())
        assert result.exit_code == 2


@pytest.mark.parametrize(
    ("path", "safe"),
    [
        ("a/b.yaml", True),
        ("a/.gitignore", True),
        ("..", False),
        ("a/../../b", False),
        ("/a", False),
        ("a//b", False),
        ("./a", False),
        (".git/config", False),
        ("a/.GIT/hooks/x", False),
        ("a\\..\\b", sys.platform != "win32"),
        ("a\0b", False),
        ("", False),
    ],
)
def test_paths_that_are_written(path: str, safe: bool) -> None:
    assert is_safe(path) == safe
    if sys.platform == "win32":
        assert not is_safe("c:a")
