"""`crdlint check --against`: updates, CRDs that are gone, and old files that cannot be read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result


def crd(
    plural: str = "foos", *, kind: str = "", scope: str = "Namespaced", group: str = "example.com"
) -> str:
    return f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {plural}.{group}
spec:
  group: {group}
  names: {{plural: {plural}, kind: {kind or plural.removesuffix("s").title()}}}
  scope: {scope}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {{type: object}}
"""


def check(*arguments: str, against: str = "HEAD") -> Result:
    return CliRunner().invoke(
        cli,
        ["check", "--no-cache", "--format=concise", "--against", against, *arguments],
        catch_exceptions=False,
    )


def findings(*arguments: str, against: str = "HEAD") -> list[str]:
    """Return the findings, after which the run has the exit status that they ask for."""
    result = check(*arguments, against=against)
    lines = result.stdout.splitlines()
    assert result.exit_code == (1 if lines else 0), result.stderr
    return lines


GONE = "error[change-crd-removed]: CRD {} was removed: no file contains it"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("scope: Namespaced", "scope: Cluster"),
            "error[spec-immutable]: `spec.scope` cannot be changed to `Cluster`",
        ),
        (
            ("kind: Foo", "kind: Bar"),
            "error[spec-immutable]: `spec.names.kind` cannot be changed to `Bar`",
        ),
        (
            ("plural: foos", "plural: bars"),
            "error[spec-immutable]: `spec.names.plural` cannot be changed to `bars`",
        ),
        (
            ("group: example.com", "group: example.org"),
            "error[spec-immutable]: `spec.group` cannot be changed to `example.org`",
        ),
    ],
)
@pytest.mark.parametrize(
    "status",
    ["", "status: {acceptedNames: {kind: '', plural: ''}, conditions: [], storedVersions: []}\n"],
)
def test_a_crd_of_a_file_is_established(
    checkout: Any, change: tuple[str, str], message: str, status: str
) -> None:
    checkout.commit({"crd.yaml": crd() + status})
    checkout.write({"crd.yaml": crd().replace(*change)})
    assert any(message in line for line in findings("."))


@pytest.mark.parametrize(
    "status",
    [
        "conditions: [{type: Established, status: 'False'}]",
        "acceptedNames: {kind: Foo, plural: foos}",
    ],
)
def test_unless_its_status_says_otherwise(checkout: Any, status: str) -> None:
    checkout.commit({"crd.yaml": crd() + f"status: {{{status}}}\n"})
    checkout.write({"crd.yaml": crd(scope="Cluster")})
    assert findings(".") == []


def test_a_new_crd_is_created(checkout: Any) -> None:
    checkout.commit({"crd.yaml": crd()})
    checkout.write({"new.yaml": crd("bars", scope="Cluster")})
    assert findings(".") == []


def test_a_copy_is_compared_with_its_own_old_file(checkout: Any) -> None:
    checkout.commit({"a/crd.yaml": crd(scope="Cluster"), "b/crd.yaml": crd()})
    checkout.write({"b/crd.yaml": crd() + "# changed\n"})
    assert findings("b") == []
    assert len(findings(".", against="a")) == 1


class TestGone:
    """A CRD that no file contains any more."""

    @pytest.mark.parametrize("argument", [".", "crd.yaml", "*.yaml", "./**/*.yaml"])
    def test_the_only_file_is_deleted(self, checkout: Any, argument: str) -> None:
        checkout.commit({"crd.yaml": crd()})
        (checkout.top / "crd.yaml").unlink()
        assert findings(argument) == [f"crd.yaml:4:9: {GONE.format('foos.example.com')}"]

    def test_the_folder_is_deleted(self, checkout: Any) -> None:
        checkout.commit(
            {
                "crds/a.yaml": crd(),
                "crds/b.yaml": crd("bars"),
                "crds/c.json": "{}",
                "crds/d.txt": crd("d"),
            }
        )
        for path in (checkout.top / "crds").iterdir():
            path.unlink()
        (checkout.top / "crds").rmdir()
        assert [line.partition(":")[0] for line in findings("crds")] == [
            "crds/a.yaml",
            "crds/b.yaml",
        ]

    def test_one_of_several_in_a_file(self, checkout: Any) -> None:
        checkout.commit({"crds.yaml": crd() + "---\n" + crd("bars")})
        checkout.write({"crds.yaml": crd("bars")})
        assert findings(".") == [f"crds.yaml:1:1: {GONE.format('foos.example.com')}"]
        assert findings("crds.yaml") == findings(".")

    @pytest.mark.parametrize("new", [crd("bars", kind="Foo"), crd(group="example.org")])
    def test_another_name(self, checkout: Any, new: str) -> None:
        checkout.commit({"crds.yaml": crd("others") + "---\n" + crd()})
        checkout.write({"crds.yaml": crd("others") + "---\n" + new})
        name = new.partition("  name: ")[2].partition("\n")[0]
        message = f"CRD foos.example.com is now named {name}"
        assert findings(".") == [f"crds.yaml:19:9: error[change-crd-removed]: {message}"]

    def test_not_if_it_has_moved(self, checkout: Any) -> None:
        checkout.commit({"a.yaml": crd(), "b.yaml": crd("bars")})
        checkout.git("mv", "a.yaml", "c.yaml")
        assert findings(".") == []
        assert findings("a.yaml", "c.yaml") == []
        assert findings("a.yaml") == []
        assert "c.yaml: not checked, but contains foos.example.com now" in check("a.yaml").stderr

    def test_not_if_the_run_does_not_check_the_file(self, checkout: Any) -> None:
        checkout.commit(
            {
                "a/a.yaml": crd(),
                "b/b.yaml": crd("bars"),
                ".crdlint.yaml": "exclude: [c]\n",
                "c/c.yaml": crd("c"),
            }
        )
        for name in ("a/a.yaml", "c/c.yaml"):
            (checkout.top / name).unlink()
        assert findings("b") == []
        assert findings("b/b.yaml") == []
        assert len(findings(".")) == 1
        result = CliRunner().invoke(cli, ["check", "--exclude", "a", "--against", "HEAD", "."])
        assert result.exit_code == 0

    def test_not_while_the_new_file_is_broken(self, checkout: Any) -> None:
        checkout.commit({"a.yaml": crd()})
        checkout.write({"a.yaml": crd().replace("  group", " group")})
        lines = findings(".")
        assert len(lines) == 1
        assert "error[yaml-syntax]: " in lines[0]

    def test_from_a_folder_and_a_file(self, checkout: Any) -> None:
        checkout.write({"old/a.yaml": crd(), "old/b.yaml": crd("bars"), "new/b.yaml": crd("bars")})
        assert findings("new", against="old") == [
            "old/a.yaml:4:9: error[change-crd-removed]: CRD foos.example.com was removed: no file contains it"
        ]
        assert findings("new/b.yaml", against="old") == []  # the others were not asked for
        assert len(findings("new/b.yaml", against="old/a.yaml")) == 1

    def test_what_the_deleted_file_ignores_does_not_count(self, checkout: Any) -> None:
        checkout.commit({"a.yaml": "# crdlint: ignore-file[change-crd-removed]\n" + crd()})
        (checkout.top / "a.yaml").unlink()
        assert len(findings(".")) == 1
        checkout.write({".crdlint.yaml": "ignore: [change-crd-removed]\n"})
        assert findings(".") == []

    def test_every_format_takes_it(self, checkout: Any) -> None:
        checkout.commit({"a.yaml": crd(), "b.yaml": crd("bars") + "---\n" + crd("others")})
        checkout.git("rm", "-q", "a.yaml")
        checkout.write({"b.yaml": crd("others")})
        for name in (
            "text",
            "json",
            "sarif",
            "junit",
            "github",
            "gitlab",
            "checkstyle",
            "markdown",
        ):
            done = CliRunner().invoke(
                cli, ["check", "--format", name, "--against", "HEAD", "."], catch_exceptions=False
            )
            assert done.exit_code == 1
            assert "foos.example.com was removed" in done.stdout
        document = json.loads(
            CliRunner().invoke(cli, ["check", "--format=json", "--against=HEAD", "."]).stdout
        )
        assert [one["crd"] for one in document["diagnostics"]] == [
            "foos.example.com",
            "bars.example.com",
        ]


class TestUnreadable:
    """Old files that cannot be read never count as empty."""

    @pytest.mark.parametrize(
        ("old", "reason"),
        [
            (crd().replace("  group", " group"), "HEAD:a.yaml: line 7: not compared: yaml: "),
            (
                crd().replace("scope: Namespaced", "scope: 5"),
                "HEAD:a.yaml: line 8: not compared: json: cannot unmarshal number",
            ),
            (crd().replace("served: true", "served: !!binary x"), "HEAD:a.yaml:"),
            (
                crd().replace("apiVersion: apiextensions.k8s.io/v1\n", ""),
                "HEAD:a.yaml: line 1: not compared: ",
            ),
            (crd().encode("utf-16"), None),
            (crd().encode() + b"# \xff", "HEAD:a.yaml: not UTF-8: byte 0xff"),
            (crd().encode() + b"# \0", "HEAD:a.yaml: binary data"),
        ],
    )
    def test_a_broken_old_file(self, checkout: Any, old: str | bytes, reason: str | None) -> None:
        checkout.commit({"a.yaml": old})
        checkout.write({"a.yaml": crd(scope="Cluster"), "b.yaml": crd("bars", scope="None")})
        result = check(".")
        assert (
            "b.yaml:8:10: error[scope-invalid]: `spec.scope` cannot be `None`" in result.stdout
        )  # others are checked
        if reason is None:
            assert (
                "a.yaml:8:10: error[spec-immutable]: `spec.scope` cannot be changed to `Cluster`"
                in result.stdout
            )
        else:
            assert reason in result.stderr
            assert "HEAD:a.yaml:1:1: error[unreadable]: " in result.stdout
            assert result.exit_code == 2

    def test_a_broken_old_file_elsewhere(self, checkout: Any) -> None:
        broken = crd().replace("  group", " group")
        checkout.commit(
            {
                "old.yaml": broken,
                "unrelated.yaml": crd("others").replace("  group", " group"),
                "x.yaml": crd("x"),
            }
        )
        checkout.write({"sub/new.yaml": crd(scope="Cluster"), "sub/x.yaml": crd("x")})
        result = check("sub/new.yaml")
        assert result.exit_code == 2
        assert (
            "sub/new.yaml: not compared with its old version: HEAD:old.yaml:7: yaml: "
            in result.stderr
        )
        assert "unrelated" not in result.stderr
        assert findings("sub/x.yaml") == []

    def test_a_missing_blob(self, checkout: Any) -> None:
        checkout.commit({"a.yaml": crd(), "b/b.yaml": crd("bars")})
        checkout.write({"a.yaml": crd(scope="Cluster")})
        name = checkout.git("rev-parse", "HEAD:a.yaml").strip()
        (checkout.top / ".git/objects" / name[:2] / name[2:]).unlink()
        result = check(".")
        assert result.exit_code == 2
        assert "HEAD:a.yaml: its content is missing from the repository" in result.stderr
        # one that the run does not check counts where an old CRD is looked for and not found
        assert findings("b") == []
        checkout.write({"b/new.yaml": crd("new")})
        result = check("b")
        assert result.exit_code == 2
        assert (
            "b/new.yaml: not compared with its old version: HEAD:a.yaml: its content is missing"
            in result.stderr
        )

    @pytest.mark.parametrize("damage", ["HEAD", "objects", "refs"])
    def test_a_broken_repository(self, checkout: Any, damage: str) -> None:
        checkout.commit({"a.yaml": crd()})
        (checkout.top / ".git" / damage).rename(checkout.top / ".git/other")
        result = check(".")
        assert result.exit_code == 2
        assert (
            "--against: no file or folder named 'HEAD', and . is in no git repository"
            in " ".join(result.stderr.split())
        )

    def test_missing_trees(self, checkout: Any) -> None:
        checkout.commit({"sub/a.yaml": crd()})
        for path in (checkout.top / ".git/objects").glob("??/*"):
            if checkout.git("cat-file", "-t", path.parent.name + path.name).strip() == "tree":
                path.unlink()
        result = check(".")
        assert result.exit_code == 2
        assert "--against: git ls-tree: " in result.stderr

    @pytest.mark.parametrize("jobs", ["1", "2"])
    def test_in_other_processes(self, checkout: Any, jobs: str) -> None:
        checkout.commit({"old.yaml": crd().replace("  group", " group")})
        checkout.write({f"sub/{i}.yaml": crd("foos" if i == 3 else f"f{i}") for i in range(6)})
        result = check("sub", "--jobs", jobs)
        assert result.exit_code == 2
        assert (
            "sub/3.yaml: not compared with its old version: HEAD:old.yaml:7: yaml: "
            in result.stderr
        )

    def test_templates_are_no_errors_and_removed_versions_are_converted(
        self, checkout: Any
    ) -> None:
        v1beta1 = crd("bars").replace("io/v1\n", "io/v1beta1\n")
        checkout.commit(
            {"t.yaml": crd().replace("group: ", "{{ .Values.x }}: {{"), "v1beta1.yaml": v1beta1}
        )
        checkout.write({"t.yaml": crd(), "v1beta1.yaml": crd("bars")})
        result = check(".")
        assert [line.partition(": ")[2] for line in result.stdout.splitlines()] == [
            "error[change-pruning]: `preserveUnknownFields`, which is true in v1beta1, is false in v1"
        ]
        assert "HEAD:t.yaml: line 6: not compared: a template" in result.stderr

    def test_a_template_is_compared_without_its_directives(self, checkout: Any) -> None:
        chart = {"chart/Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\n"}
        labels = 'metadata:\n  labels:\n    {{- include "a.labels" . | nindent 4 }}\n'
        template = (
            "{{- if .Values.crds }}\n" + crd().replace("metadata:\n", labels) + "{{- end }}\n"
        )
        decided = crd("bars").replace("scope: Namespaced", "scope: {{ .Values.scope }}")
        both = template + "---\n" + decided
        checkout.commit({**chart, "chart/templates/crds.yaml": both})
        checkout.write(
            {"chart/templates/crds.yaml": both.replace("scope: Namespaced", "scope: Cluster")}
        )
        result = check("--no-helm", ".")
        assert (
            "chart/templates/crds.yaml:11:10: error[spec-immutable]: `spec.scope` cannot be"
            in result.stdout
        )
        assert (
            "HEAD:chart/templates/crds.yaml: line 27: not compared: `{{ .Values.scope }}` is the value of `scope`"
            in result.stderr
        )
        assert result.exit_code == 1
        checkout.write(
            {"chart/templates/crds.yaml": "{{- if .Values.crds }}\n" + decided + "{{- end }}\n"}
        )
        lines = [line for line in findings("--no-helm", ".") if "change-crd-removed" in line]
        gone = "error[change-crd-removed]: `helm upgrade` deletes {}.example.com and all of its objects"
        assert lines == [
            f"chart/templates/crds.yaml:3:1: {gone.format('bars')}",
            f"chart/Chart.yaml:1:1: {gone.format('foos')}",
        ]

    def test_a_test_suite_is_no_old_crd(self, checkout: Any) -> None:
        suite = "apiVersion: apiextensions.k8s.io/v1 # CustomResourceDefinition\nname: foos\ntests: {}\n"
        checkout.commit({"suite.yaml": suite, "crd.yaml": crd()})
        checkout.write({"suite.yaml": crd("bars")})
        assert findings(".") == []

    def test_a_long_reason_is_cut(self, checkout: Any) -> None:
        checkout.commit(
            {
                "a.yaml": crd().replace("apiVersion: apiextensions.k8s.io/v1\n", "")
                + "# long\n" * 100
            }
        )
        checkout.write({"a.yaml": crd()})
        result = check(".")
        assert result.exit_code == 2
        assert "HEAD:a.yaml: line 1: not compared: " in result.stderr
        assert max(map(len, result.stderr.splitlines())) < 300

    def test_a_patch_is_no_old_crd(self, checkout: Any) -> None:
        patch = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: foos.example.com\n"
        checkout.commit({"a/patch.yaml": patch, "b/crd.yaml": crd()})
        checkout.write({"b/crd.yaml": crd(scope="Cluster")})
        lines = findings("b")
        assert len(lines) == 1
        assert "error[spec-immutable]: `spec.scope` cannot be changed to `Cluster`" in lines[0]


class TestWhat:
    """What `--against` may name."""

    def test_a_path_that_is_a_revision_too(self, checkout: Any) -> None:
        """A checkout cannot choose what it is compared with, by a folder that is named as a branch is."""
        checkout.commit({"a.yaml": crd()})
        checkout.git("update-ref", "refs/remotes/origin/main", "HEAD")
        checkout.write({"a.yaml": crd(scope="Cluster"), "origin/main": crd(scope="Cluster")})
        result = check("a.yaml", against="origin/main")
        assert result.exit_code == 2
        assert (
            "'origin/main' is both a path and a git revision: write `./origin/main` or `origin/main^{commit}`"
            in (" ".join(result.stderr.split()))
        )
        assert findings("a.yaml", against="./origin/main") == []
        assert len(findings("a.yaml", against="origin/main^{commit}")) == 1

    @pytest.mark.parametrize(
        "settings",
        [
            {"color.ui": "always", "color.grep": "always"},
            {"submodule.recurse": "true"},
            {"core.quotePath": "true"},
        ],
    )
    def test_settings_of_git_change_nothing(
        self,
        checkout: Any,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        settings: dict[str, str],
    ) -> None:
        checkout.commit({"é.yaml": crd(), "sub/a.yaml": crd("bars")})
        checkout.write({"é.yaml": crd(scope="Cluster")})
        lines = findings(".")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
        for name, value in settings.items():
            checkout.git("config", name, value)
            checkout.git("config", "--file", str(tmp_path / "config"), name, value)
        assert findings(".") == lines
        assert len(lines) == 1

    def test_several_repositories(
        self, new_checkout: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, other = new_checkout("one"), new_checkout("other")
        one.commit({"a.yaml": crd()})
        other.commit({"b.yaml": crd("bars")})
        other.write({"b.yaml": crd("bars", scope="Cluster")})
        monkeypatch.chdir(one.top.parent)
        assert [line.partition(":")[0] for line in findings("one", "other")] == ["other/b.yaml"]

    @pytest.mark.parametrize("against", ["nowhere", "--output=x", "HEAD:a.yaml", ""])
    def test_neither_path_nor_revision(self, checkout: Any, against: str) -> None:
        checkout.commit({"a.yaml": crd()})
        result = CliRunner().invoke(cli, ["check", f"--against={against}", "."])
        assert result.exit_code == 2
        assert not (checkout.top / "x").exists()

    def test_without_a_repository(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
        monkeypatch.chdir(tmp_path)
        (tmp_path / "a.yaml").write_text(crd())
        result = check("a.yaml")
        assert result.exit_code == 2
        assert "no file or folder named 'HEAD', and a.yaml is in no git repository" in " ".join(
            result.stderr.split()
        )

    def test_standard_input(self, checkout: Any) -> None:
        checkout.commit({"a.yaml": crd(), "b.yaml": crd("bars")})
        done = CliRunner().invoke(
            cli, ["check", "--format=concise", "--against=HEAD", "-"], input=crd(scope="Cluster")
        )
        assert done.exit_code == 1
        assert len(done.stdout.splitlines()) == 1
        assert "error[spec-immutable]: `spec.scope` cannot be changed to `Cluster`" in done.stdout
        (checkout.top / "old.yaml").write_text(crd() + "---\n" + crd("bars"))
        done = CliRunner().invoke(
            cli, ["check", "--format=concise", "--against=old.yaml", "-"], input=crd()
        )
        assert done.stdout == (
            "old.yaml:19:9: error[change-crd-removed]: CRD bars.example.com was removed: no file contains it\n"
        )


def test_many_files_are_read_once(checkout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unchanged files are read for the CRDs in them, and not again to find what is gone."""
    import crdlint.sources.previous.crds as module

    read: list[str] = []
    real = module.PreviousCRDs.of_file

    def noted(self: Any, index: int) -> Any:
        if index not in self._cache:
            read.append(self.files[index].path)
        return real(self, index)

    files = {f"{i:02}.yaml": crd(f"f{i}") for i in range(20)}
    checkout.commit(files)
    monkeypatch.setattr(module.PreviousCRDs, "of_file", noted)
    assert findings(".") == []
    assert read == sorted(files)
    read.clear()
    assert findings("03.yaml") == []
    assert read == ["03.yaml"]
