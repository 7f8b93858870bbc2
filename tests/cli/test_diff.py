"""`crdlint diff`: files, folders and revisions compared, and the report in each format."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from crds import crd_with_spec

from crdlint.cli.main import cli
from crdlint.rules.texts.changes import LIMIT_TIGHTENED, REMOVED_FIELD
from crdlint.safety.escapes import markdown_source

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result
    from conftest import Checkout

OLD = crd_with_spec("""\
type: object
properties:
  size: {type: integer, maximum: 9}
  name: {type: string}
""")
TIGHTER = OLD.replace("maximum: 9", "maximum: 8")
OTHER = OLD.replace("foos", "bars").replace("Foo", "Bar")


def diff(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["diff", *arguments], catch_exceptions=False)


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for folder, texts in {"old": (OLD, OTHER), "new": (TIGHTER, OTHER)}.items():
        (tmp_path / folder).mkdir()
        for name, text in zip(("foos.yaml", "bars.yaml"), texts, strict=True):
            (tmp_path / folder / name).write_text(text)
    return tmp_path


VALID = "existing objects stay valid until this field is edited"
TEXT = f"""\
1 CRD changed: 1 breaking

breaking: 1 change

foos.example.com

error[change-limit-tightened]: `.spec.size`: `maximum` changed from 9 to 8: values above 8 are rejected
  --> new/foos.yaml:20:46, was old/foos.yaml:20:46
20 - size: {{type: integer, maximum: 9}}
                                    ^
20 + size: {{type: integer, maximum: 8}}
                                    ^
  = note: {VALID}
  = help: {LIMIT_TIGHTENED.help}
"""


@pytest.mark.usefixtures("sides")
class TestPaths:
    """Files and folders."""

    def test_folders(self) -> None:
        result = diff("old", "new")
        assert result.stdout == TEXT
        assert result.exit_code == 1

    def test_files(self) -> None:
        result = diff("old/foos.yaml", "new/foos.yaml", "-q")
        assert result.stdout.splitlines()[1:4] == TEXT.splitlines()[2:5]
        assert diff("old/bars.yaml", "new/bars.yaml").stdout == "0 CRDs changed\n"
        assert diff("old", "old").exit_code == 0

    def test_a_change_of_copies_is_shown_once(self, sides: Path) -> None:
        for folder, text in {"old": OLD, "new": TIGHTER}.items():
            (sides / folder / "goos.yaml").write_text(text)
        result = diff("old", "new")
        assert result.stdout == f"{TEXT}not shown: 1 equal change in 1 copy of these CRDs\n"
        assert result.exit_code == 1

    def test_a_kind_of_note_is_told_once(self, sides: Path) -> None:
        patch = "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nmetadata: {name: a.b.c}\n"
        for name in ("p.yaml", "q.yaml", "r.yaml"):
            (sides / "new" / name).write_text(patch)
        notes = [line for line in diff("old", "new").stderr.splitlines() if "note:" in line]
        assert [note.partition(":")[0] for note in notes] == ["new/p.yaml", "crdlint"]
        assert notes[-1] == "crdlint: note: 2 more notes of the same kinds"

    def test_a_change_that_breaks_nothing_is_reported_with_all(self) -> None:
        assert diff("new", "old").stdout == "1 CRD changed, without consequence\n"
        result = diff("new", "old", "--all")
        assert "info[change-limit-loosened]" in result.stdout
        assert result.exit_code == 0

    def test_severities_and_rules_are_configured(self, sides: Path) -> None:
        (sides / ".crdlint.yaml").write_text("severity: {change-limit-tightened: warning}\n")
        result = diff("old", "new")
        assert "warning[change-limit-tightened]" in result.stdout
        assert result.exit_code == 0
        assert diff("old", "new", "--fail-on", "warning").exit_code == 1
        assert (
            diff("old", "new", "--ignore", "change-*").stdout
            == "1 CRD changed, without consequence\n"
        )

    @pytest.mark.parametrize(("alpha", "severity"), [("lower", "warning"), ("same", "error")])
    def test_the_configuration_decides_about_alpha_versions(
        self, sides: Path, alpha: str, severity: str
    ) -> None:
        for folder in ("old", "new"):
            file = sides / folder / "foos.yaml"
            file.write_text(file.read_text().replace("name: v1", "name: v1alpha1"))
        (sides / ".crdlint.yaml").write_text(f"change: {{alpha: {alpha}}}\n")
        assert f"{severity}[change-limit-tightened]" in diff("old", "new").stdout
        (sides / ".crdlint.yaml").write_text("change: {alpha: 'off'}\n")
        assert diff("old", "new").stdout == "1 CRD changed, without consequence\n"

    def test_a_removed_and_an_added_crd(self, sides: Path) -> None:
        (sides / "new" / "bars.yaml").unlink()
        result = diff("old", "new")
        assert result.stdout.startswith("1 CRD changed; 1 removed: 2 breaking\n")
        assert "CRD bars.example.com was removed: no file contains it" in result.stdout
        result = diff("new", "old")
        assert result.stdout == "1 CRD changed, without consequence; 1 added\n"

    def test_what_the_api_server_rejects_comes_first(self, sides: Path) -> None:
        (sides / "new" / "foos.yaml").write_text(TIGHTER.replace("Namespaced", "Cluster"))
        lines = diff("old", "new").stdout.splitlines()
        assert lines[0] == "1 CRD changed: 1 rejected on update, 1 breaking"
        assert lines[2] == "rejected on update: 1 change"

    def test_markdown_has_a_list_for_each_crd(self) -> None:
        assert diff("old", "new", "--format", "markdown").stdout == (
            "## 1 CRD changed: 1 breaking\n"
            "\n"
            "### `foos.example.com`\n"
            "\n"
            "🔴 **breaking**\n"
            "\n"
            "- `.spec.size`: `maximum` changed from 9 to 8: values above 8 are rejected "
            "([change-limit-tightened](https://crdlint.github.io/crdlint/rules/change-limit-tightened/), "
            "`new/foos.yaml:20`, was `old/foos.yaml:20`)\n"
            f"  - {VALID}\n"
            f"  - **help:** {markdown_source(LIMIT_TIGHTENED.help)}\n"
        )

    def test_a_changelog_has_everything_by_what_it_breaks(self, sides: Path) -> None:
        (sides / "new" / "foos.yaml").write_text(
            TIGHTER.replace("name: {type: string}", "x: {type: object}")
        )
        (sides / "new" / "news.yaml").write_text(OLD.replace("foos", "news").replace("Foo", "New"))
        assert diff("old", "new", "--format", "changelog").stdout == (
            "### Breaking changes\n"
            "\n"
            "- `foos.example.com`\n"
            f"  - `.spec.name` was removed: {REMOVED_FIELD}\n"
            "  - `.spec.size`: `maximum` changed from 9 to 8: values above 8 are rejected; "
            "existing objects stay valid until this field is edited\n"
            "\n"
            "### Other changes\n"
            "\n"
            "- `foos.example.com`\n"
            "  - `.spec.x` was added\n"
            "\n"
            "### New CRDs\n"
            "\n"
            "- `news.example.com`\n"
        )

    def test_json_has_both_places(self) -> None:
        [one] = json.loads(diff("old", "new", "--format", "json").stdout)["diagnostics"]
        assert (one["file"], one["line"], one["field"]) == ("new/foos.yaml", 20, ".spec.size")
        assert one["related"] == {
            "label": "the old CRD",
            "file": "old/foos.yaml",
            "line": 20,
            "column": 46,
        }

    def test_a_report_goes_to_a_file_too(self, sides: Path) -> None:
        diff("old", "new", "--output", "markdown=changes.md")
        assert (sides / "changes.md").read_text().startswith("## 1 CRD changed")

    def test_a_file_that_cannot_be_read_is_an_error(self, sides: Path) -> None:
        (sides / "new" / "foos.yaml").write_bytes(b"kind: CustomResourceDefinition\n\xff\xfe\n")
        result = diff("old", "new")
        assert result.exit_code == 2
        assert "new/foos.yaml: " in result.stderr
        result = diff("new", "old")
        assert result.exit_code == 2
        assert "new/foos.yaml: " in result.stderr

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (
                ("none", "new"),
                "no file or folder named 'none', and the working directory is in no git repository",
            ),
            (("old", "new", "--select", "change-typ"), "there is no rule 'change-typ'"),
        ],
    )
    def test_wrong_usage(self, arguments: tuple[str, ...], message: str) -> None:
        result = diff(*arguments)
        assert result.exit_code == 2
        assert message in result.stderr


@pytest.mark.usefixtures("sides")
def test_check_against_counts_what_has_changed() -> None:
    result = CliRunner().invoke(
        cli, ["check", "--no-cache", "--against", "old", "new"], catch_exceptions=False
    )
    counted, *_, last = result.stdout.splitlines()
    assert counted == "compared with old: 1 CRD changed: 1 breaking"
    assert last == "checked 2 files, 2 CRDs: 1 error, 0 warnings"
    assert "the old CRD at old/foos.yaml:20:46" in result.stdout
    quiet = CliRunner().invoke(
        cli, ["check", "-q", "--no-cache", "--against", "old", "new"], catch_exceptions=False
    )
    assert "compared with" not in quiet.stdout
    assert "the old CRD at old/foos.yaml:20:46" in quiet.stdout
    result = CliRunner().invoke(
        cli, ["check", "--against", "old", "new", "--format", "concise"], catch_exceptions=False
    )
    assert "compared with old" not in result.stdout
    assert "compared with old" in result.stderr


class TestRevisions:
    """Sides in git."""

    @pytest.fixture
    def released(self, checkout: Any) -> Any:
        checkout.commit({"crds/foos.yaml": OLD, "other/bars.yaml": OTHER})
        checkout.git("tag", "v1")
        checkout.commit({"crds/foos.yaml": TIGHTER})
        checkout.git("tag", "v2")
        return checkout

    @pytest.mark.parametrize(
        ("arguments", "places"),
        [
            (("v1",), ("crds/foos.yaml:20:46", "v1:crds/foos.yaml:20:46")),
            (("v1", "v2"), ("v2:crds/foos.yaml:20:46", "v1:crds/foos.yaml:20:46")),
            (("v1:crds", "v2:crds"), ("v2:crds/foos.yaml:20:46", "v1:crds/foos.yaml:20:46")),
            (
                ("v1:crds/foos.yaml", "v2:crds/foos.yaml"),
                ("v2:crds/foos.yaml:20:46", "v1:crds/foos.yaml:20:46"),
            ),
            (("v1:crds", "crds"), ("crds/foos.yaml:20:46", "v1:crds/foos.yaml:20:46")),
        ],
    )
    @pytest.mark.usefixtures("released")
    def test_a_revision(self, arguments: tuple[str, ...], places: tuple[str, str]) -> None:
        result = diff(*arguments)
        lines = [line.strip() for line in result.stdout.splitlines()]
        assert lines[0] == "1 CRD changed: 1 breaking"
        assert lines[7] == f"--> {places[0]}, was {places[1]}"

    def test_a_removed_crd_is_named_by_its_revision(self, released: Any) -> None:
        released.git("rm", "-q", "crds/foos.yaml")
        released.git("commit", "-qm", "x")
        result = diff("v1", "HEAD")
        assert "  --> v1:crds/foos.yaml:4:9\n" in result.stdout
        assert "CRD foos.example.com was removed" in result.stdout

    def test_an_excluded_file_is_not_missed(self, released: Any) -> None:
        (released.top / "crds/foos.yaml").unlink()
        (released.top / ".crdlint.yaml").write_text("exclude: [crds/]\n", encoding="utf-8")
        for revisions in (("v1",), ("v1", "v2"), ("v1", "HEAD"), ("v1:crds", "v2:crds")):
            assert diff(*revisions).stdout == "0 CRDs changed\n"
        assert "change-crd-removed" in diff("v1", "--isolated").stdout

    def test_a_revision_stands_for_the_working_directory(
        self, released: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(released.top / "other")
        assert diff("v1", "v2").stdout == "0 CRDs changed\n"

    def test_a_name_of_a_path_and_a_revision_is_ambiguous(self, released: Any) -> None:
        released.git("branch", "crds")
        assert "'crds' is both a path and a git revision" in diff("v1", "crds").stderr

    @pytest.mark.usefixtures("released")
    def test_unknown_revisions_and_paths(self) -> None:
        assert "no file, folder or git revision named 'v9'" in diff("v9").stderr
        assert "v1 has no YAML or JSON file in none" in diff("v1:none", "v2").stderr
        assert diff("v9").exit_code == 2


def test_versions_that_no_server_serves_are_no_change(sides: Path) -> None:
    for side, text in (("old", OLD), ("new", OLD.replace("maximum: 9", "maximum: 8"))):
        (sides / side / "foos.yaml").write_text(text.replace("k8s.io/v1\n", "k8s.io/v1beta1\n"))
    result = diff("old", "new")
    assert (result.exit_code, "1 not compared\n" in result.output) == (0, True), result.output
    assert result.output.endswith("already rejected before: 1\n")
    (sides / "old" / "foos.yaml").write_text(OLD)
    assert "rejected on update: 1 change\n" in diff("old", "new").output


def test_rejections_of_both_sides_are_counted_only(sides: Path) -> None:
    broken = OLD.replace("name: {type: string}", "name: {type: array}")
    (sides / "old" / "foos.yaml").write_text(broken)
    (sides / "new" / "foos.yaml").write_text(
        broken.replace("maximum: 9", "maximum: 9, nullible: true")
    )
    result = diff("old", "new")
    assert "unknown-field" in result.output
    assert "rejected on update: 1 change\n" in result.output
    assert result.output.endswith("already rejected before: 1\n")
    assert diff("old", "old").exit_code == 0
    selected = diff("old", "new", "--select", "change-type")
    assert selected.exit_code == 0
    assert "1 error of the API server is accepted by `select`" in selected.output


def test_a_rejection_of_one_crd_is_not_known_of_another(sides: Path) -> None:
    good = OLD.replace("foos", "bars").replace("Foo", "Bar")
    broken = "name: {type: array}"
    old = OLD.replace("name: {type: string}", broken)
    (sides / "old" / "foos.yaml").write_text(f"{old}---\n{good}")
    new = good.replace("name: {type: string}", broken)
    (sides / "new" / "foos.yaml").write_text(
        f"{old.replace('maximum: 9', 'maximum: 10')}---\n{new}"
    )
    assert "rejected on update: 1" in diff("old", "new").output


def test_explain_shows_an_object_that_is_not_valid_any_more(sides: Path) -> None:
    (sides / "new" / "foos.yaml").write_text(
        OLD.replace("{type: string}", "{type: string, default: a}").replace(
            "            type: object\n", "            type: object\n            required: [size]\n"
        )
    )
    shown = "  = example: valid before, and not any more\n    apiVersion: "
    assert shown in diff("old", "new", "--explain").output
    assert shown not in diff("old", "new").output
    [finding] = [
        each
        for each in json.loads(diff("old", "new", "--format", "json").output)["diagnostics"]
        if each["severity"] == "error"
    ]
    assert finding["example"]["spec"] == {}


def test_a_crd_whose_old_manifest_is_broken_is_not_added(sides: Path) -> None:
    (sides / "old/bars.yaml").write_text(OTHER.replace("  scope", " scope"))
    done = diff("old", "new")
    assert (done.exit_code, done.stdout.splitlines()[0]) == (
        2,
        "1 CRD changed; 1 not compared: 1 breaking",
    )
    assert "old/bars.yaml: line 7: not compared: yaml: " in done.stderr


def test_an_invalid_file_pattern_is_a_usage_error(sides: Path) -> None:  # noqa: ARG001
    result = diff("old", "new", "--exclude", "[z")
    assert (result.exit_code, "'[z' is not a valid file pattern" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("version", "known"), [("1.28", 1), ("1.28..1.36", 1), ("1.30..1.36", 0), ("1.36", 0)]
)
def test_fields_that_older_servers_do_not_know_are_no_change(
    sides: Path, version: str, known: int
) -> None:
    for folder in ("old", "new"):
        text = OLD.replace(
            "    storage: true\n",
            "    storage: true\n    selectableFields: [{jsonPath: .spec.name}]\n",
        )
        assert text != OLD
        (sides / folder / "foos.yaml").write_text(text)
    result = diff("old", "new", "--kube-version", version)
    assert (result.exit_code, "already rejected before: 1" in result.output) == (0, bool(known))
    assert result.stdout.startswith("0 CRDs changed")


def test_the_help_fits_the_change(sides: Path) -> None:
    new = crd_with_spec("""\
type: object
required: [size]
x-kubernetes-validations: [{rule: "!has(self.size) || self.size < 10"}]
properties:
  size: {type: integer, maximum: 9}
  name: {type: string}
""")
    (sides / "new/foos.yaml").write_text(new)
    text = diff("old", "new", "--all").stdout
    assert "help: Leave it: existing objects fulfil the rule" in text
    assert "`has(self.size) || !has(oldSelf.size)`" in text


@pytest.mark.skipif(sys.platform == "win32", reason="a backslash separates folders there")
def test_a_file_with_a_backslash_in_its_name(checkout: Checkout) -> None:
    checkout.commit({r"a\b.yaml": OLD})
    checkout.write({r"a\b.yaml": TIGHTER})
    done = diff("HEAD")
    assert done.exit_code == 1
    assert LIMIT_TIGHTENED.id in done.stdout
    assert "1 added" not in done.output
