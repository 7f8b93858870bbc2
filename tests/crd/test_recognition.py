"""CRDs are found in whatever way YAML and JSON write them, misspelled ones are reported, and parts of CRDs are skipped."""

from __future__ import annotations

import base64
import json
import re
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from counting import recording
from crds import SMALLEST
from tables import each

from crdlint import lint_text
from crdlint.cli.main import cli
from crdlint.files import recognition
from crdlint.files.recognition import (
    CRD_KIND,
    CRD_OBJECT,
    KIND,
    NAME_LINE,
    edits,
    is_near_group,
    is_near_kind,
    may_hold_crd,
    names_crd,
)
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest

if TYPE_CHECKING:
    from pathlib import Path

CRD = SMALLEST
BAD = CRD.replace("scope: Namespaced", "scope: Somewhere")
KIND_LINE = f"kind: {KIND}"
BINARY = base64.b64encode(KIND.encode()).decode()
VALUE = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": KIND,
    "metadata": {"name": "foos.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"plural": "foos", "kind": "Foo"},
        "scope": "Somewhere",
        "versions": [],
    },
}

ESCAPED = "".join("\\u" + format(ord(char), "04x") for char in KIND)
WRITTEN = {
    "hexadecimal escape": 'kind: "Custom\\x52esourceDefinition"',
    "escape of 16 bits": 'kind: "Custom\\u0052esourceDefinition"',
    "escape of 32 bits": 'kind: "Custom\\U00000052esourceDefinition"',
    "every character escaped": f'kind: "{ESCAPED}"',
    "escaped line break": 'kind: "Custom\\\n    ResourceDefinition"',
    "tag of a string": f"kind: !!str {KIND}",
    "tag of a string in full": f"kind: !<tag:yaml.org,2002:str> {KIND}",
    "binary": f"kind: !!binary {BINARY}",
    "binary in full": f"kind: !<tag:yaml.org,2002:binary> {BINARY}",
    "binary over lines": f"kind: !!binary |\n  {BINARY[:10]}\n  {BINARY[10:]}",
    "binary with an escape": f'kind: !!binary "\\x{ord(BINARY[0]):02x}{BINARY[1:]}"',
    "folded": f"kind: >-\n  {KIND}",
    "literal": f"kind: |-\n  {KIND}",
    "alias": f"x-kind: &kind {KIND}\nkind: *kind",
    "merged": f"x-base: &base {{kind: {KIND}}}\n<<: *base",
    "complex key": f"? kind\n: {KIND}",
    "escaped key": f'"k\\u0069nd": {KIND}',
    "quoted": f"'kind': '{KIND}'",
}


def check(path: Path, *arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(
        cli, ["check", "--no-cache", "--format", "concise", *arguments, str(path)]
    )
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_a_crd_is_found_however_its_kind_is_written(tmp_path: Path, written: str) -> None:
    text = BAD.replace(KIND_LINE, written)
    assert lint_text(text) != []
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    status, output, _ = check(tmp_path)
    assert "scope-invalid" in output
    assert status == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", [BAD, BAD.replace(KIND_LINE, WRITTEN["escape of 16 bits"])], ids=["plain", "escaped"]
)
def test_a_crd_is_found_in_every_encoding(tmp_path: Path, encoding: str, text: str) -> None:
    mark = "\ufeff" if encoding.endswith("e") else ""
    (tmp_path / "a.yaml").write_bytes((mark + text).encode(encoding))
    assert "scope-invalid" in check(tmp_path)[1]


def test_a_crd_is_found_in_json_with_escapes(tmp_path: Path) -> None:
    text = json.dumps(VALUE).replace(KIND, "\\u0043ustom\\u0052esourceDefinition")
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert "scope-invalid" in check(tmp_path)[1]


def test_utf_32_is_unreadable_rather_than_ignored(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(BAD.encode("utf-32"))
    status, _, errors = check(tmp_path)
    assert "UTF-32" in errors
    assert status == 2


@each(
    "data",
    [
        b"kind: Deployment",
        b"kind: CompositeResourceDefinition",
        b"apiVersion: v1\nkind: List",
        b"\\u0041",
        b"a: !b c",
    ],
)
def test_other_files_need_not_be_parsed(data: bytes) -> None:
    assert not may_hold_crd(data)
    assert not names_crd(data)


# Misspelled CRDs


@pytest.mark.parametrize(
    ("right", "written", "place", "message"),
    [
        (KIND_LINE, "kind: CustomResourceDefinitions", (2, 7), 'no matches for kind "CustomResourceDefinitions" in version'),
        (KIND_LINE, "kind: customresourcedefinition", (2, 7), 'no matches for kind "customresourcedefinition" in version'),
        (KIND_LINE, "kind: CustomResourceDefintion", (2, 7), 'no matches for kind "CustomResourceDefintion" in version'),
        (KIND_LINE, "kind: CRD", (2, 7), 'no matches for kind "CRD" in version "apiextensions.k8s.io/v1"'),
        ("apiextensions.k8s.io/v1", "apiextension.k8s.io/v1", (1, 13), 'in version "apiextension.k8s.io/v1"'),
        ("apiextensions.k8s.io/v1", "apiextensions.k8s/v1", (1, 13), 'in version "apiextensions.k8s/v1"'),
        ("apiextensions.k8s.io/v1", "apiextension.k8s.io/v1beta1", (1, 13), 'in version "apiextension.k8s.io/v1beta1"'),
        ("apiextensions.k8s.io/v1", "apiextensions.k8s.io", (1, 13), 'in version "apiextensions.k8s.io"'),
        ("apiextensions.k8s.io/v1", "v1", (1, 13), 'in version "v1"'),
        ("apiextensions.k8s.io/v1", "Apiextensions.k8s.io/v1", (1, 13), 'in version "Apiextensions.k8s.io/v1"'),
    ],
)  # fmt: skip
def test_a_misspelled_crd_is_reported(
    tmp_path: Path, right: str, written: str, place: tuple[int, int], message: str
) -> None:
    text = CRD.replace(right, written)
    (found,) = lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics
    assert (found.rule, (found.line, found.column)) == ("crd-misspelled", place)
    assert message in found.message
    assert found.help is not None
    assert right in found.help
    assert lint_text(text) == []  # the API server itself does not know what was meant
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    assert check(tmp_path)[0] == 1


@pytest.mark.parametrize(
    ("right", "written", "rule"),
    [
        ("spec:", "Spec:", "unknown-field"),
        ("  group:", "  Group:", "unknown-field"),
        ("kind: Custom", "Kind: Custom", "unknown-field"),
        ("apiVersion:", "apiversion:", "unknown-field"),
        ("kind: Custom", "knid: Custom", "decode-type"),
        ("apiVersion:", "apiVersoin:", "decode-type"),
    ],
)
def test_a_misspelled_key_makes_no_patch_of_a_crd(
    tmp_path: Path, right: str, written: str, rule: str
) -> None:
    text = CRD.replace(right, written, 1)
    result = lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True))
    assert result.notices == ()
    assert result.diagnostics[0].rule == rule
    assert [one.message for one in result.diagnostics] == [one.message for one in lint_text(text)]
    assert any(right.strip(": ").partition(":")[0] in str(one.help) for one in result.diagnostics)
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    assert check(tmp_path)[0] == 1


def test_a_misspelled_kind_without_api_version() -> None:
    text = CRD.replace("apiVersion: apiextensions.k8s.io/v1\n", "").replace(KIND, "CRD")
    (found,) = lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics
    assert found.message.startswith("Object 'apiVersion' is missing in 'kind: CRD\n")
    assert found.help == "Write `apiVersion: apiextensions.k8s.io/v1`"


def test_both_kind_and_group_may_be_misspelled(tmp_path: Path) -> None:
    text = CRD.replace(KIND, "CustomResourceDefintion").replace("apiextensions", "apiextention")
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    assert "crd-misspelled" in check(tmp_path)[1]


@each(
    ("kind", "near"),
    [
        ("CustomResourceDefinitions", True), ("Custom-Resource-Definition", True), ("customResourceDefinition", True),
        ("CustomeResourceDefinitoin", True), ("crds", True), ("CompositeResourceDefinition", False),
        ("CustomResourceDefinitionList", False), ("ClusterResourceDefinition", False), ("Deployment", False), ("", False),
    ],
)  # fmt: skip
def test_near_kinds(kind: str, *, near: bool) -> None:
    assert is_near_kind(kind) is near


@each(
    ("group", "near"),
    [
        ("apiextension.k8s.io", True), ("apiextensions", True), ("apiextensions.k8s", True), ("APIExtensions.k8s.io", True),
        ("apiextensions.kubernetes.io", True), ("apiextensions.crossplane.io", False), ("apiregistration.k8s.io", False),
        ("admissionregistration.k8s.io", False), ("extensions", False), ("apps", False), ("", False),
    ],
)  # fmt: skip
def test_near_groups(group: str, *, near: bool) -> None:
    assert is_near_group(group) is near


@each(
    ("text", "other", "number"),
    [
        ("kind", "kind", 0),
        ("knid", "kind", 1),
        ("kin", "kind", 1),
        ("kinds", "kind", 1),
        ("kand", "kind", 1),
        ("abcd", "kind", 3),
        ("kkk", "k", 2),
    ],
)
def test_edits_are_counted_up_to_a_limit(text: str, other: str, number: int) -> None:
    assert edits(text, other, 2) == number


@each(
    "text",
    [
        CRD.replace("apiextensions.k8s.io", "apiextensions.crossplane.io").replace(KIND, "CompositeResourceDefinition"),
        "apiVersion: apiextensions.k8s.io/v1\nkind: ConversionReview\n",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nrules: [{apiGroups: [apiextensions.k8s.io/v1]}]\n",
    ],
    ids=["composite", "review", "role"],
)  # fmt: skip
def test_other_objects_are_no_crds(text: str) -> None:
    result = lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True))
    assert (result.diagnostics, result.notices, result.skipped) == ((), (), 1)


def test_the_kind_in_a_foreign_group_is_named() -> None:
    result = lint_file(
        f"apiVersion: foo.io/v1\n{KIND_LINE}\n", "a.yaml", CheckRequest(skip_unfinished=True)
    )
    assert result.notices == ("line 1: skipped: apiVersion foo.io/v1 is not that of a CRD",)


def test_a_document_that_is_not_yaml_is_reported_beside_crds_only() -> None:
    broken = "---\nkind: Role\n a: b\n"
    assert (
        lint_file(CRD + broken, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics[0].rule
        == "yaml-syntax"
    )
    review = "apiVersion: apiextensions.k8s.io/v1\nkind: ConversionReview\n"
    assert (
        lint_file(review + broken, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics == ()
    )


def test_the_text_is_searched_once_for_all_broken_documents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[Any] = []
    monkeypatch.setattr("crdlint.linting.pipeline.names_crd", recording(calls, lambda _: False))
    lint_file("kind: x\na: b: c\n---\n" * 50, "a.yaml", CheckRequest(skip_unfinished=True))
    assert len(calls) == 1


def test_few_of_many_kinds_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def count(_kind: str) -> bool:
        nonlocal calls
        calls += 1
        return False

    monkeypatch.setattr(recognition, "is_near_kind", count)
    assert not may_hold_crd(
        "".join(f"kind: {''.join(word)}\n" for word in product("abcdefghij", repeat=4)).encode()
    )
    assert calls == 1000


@each("indent", ["  ", ""], ids=["below the metadata", "at the root"])
def test_a_crd_without_the_line_of_its_spec_is_no_patch(indent: str) -> None:
    head, _, spec = CRD.partition("spec:\n")
    text = head + "".join(indent + line[2:] for line in spec.splitlines(keepends=True))
    result = lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True))
    messages = [one.message for one in result.diagnostics]
    assert result.notices == ()
    assert f'unknown field "{"metadata." if indent else ""}group"' in messages


@each("name", ["annotations", "labels"])
def test_a_crd_whose_spec_is_in_a_map_of_its_metadata_is_no_patch(name: str) -> None:
    head, _, spec = CRD.partition("spec:\n")
    inner = "".join(f"    {line}" for line in spec.splitlines(keepends=True))
    text = f"{head}  {name}:\n    x: a\n    spec:\n{inner}"
    result = lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True))
    assert result.notices == ()
    first = next(one for one in result.diagnostics if one.rule == "decode-type")
    assert first.help == "Move `spec` out of `metadata`: it is a field of the object"


@each("name", ["annotations", "labels"])
def test_a_patch_of_metadata_is_skipped(name: str) -> None:
    text = PARTIAL.replace(
        "{name: foos.example.com}", f"{{name: foos.example.com, {name}: {{spec: a, group: b}}}}"
    )
    result = lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True))
    assert (result.diagnostics, result.skipped) == ((), 1)


# Parts and templates of CRDs

PARTIAL = (
    f"apiVersion: apiextensions.k8s.io/v1\n{KIND_LINE}\nmetadata: {{name: foos.example.com}}\n"
)


@each("spec", ["", "spec: {}\n", "spec: {conversion: {strategy: None}}\n"])
@each("version", ["v1", "v1beta1"])
def test_a_part_of_a_crd_is_skipped(spec: str, version: str) -> None:
    text = PARTIAL.replace("k8s.io/v1", f"k8s.io/{version}") + spec
    result = lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True))
    message = (
        "line 1: skipped: looks like a Kustomize patch (no spec.group, names, scope or versions)"
    )
    assert (result.diagnostics, result.notices, result.skipped) == ((), (message,), 1)


@each(
    "spec",
    [
        "spec: {group: example.com}\nspec: {}\n",
        "spec: {}\nspec: {}\n",
        '"spec": {scope: Namespaced}\nspec: {conversion: {strategy: None}}\n',
        '"\\x73pec": {scope: Namespaced}\nspec:\n',
    ],
)
def test_a_second_spec_hides_no_crd(spec: str) -> None:
    result = lint_file(PARTIAL + spec, "a.yaml", CheckRequest(skip_unfinished=True))
    assert (result.notices, result.skipped) == ((), 0)
    rules = {finding.rule for finding in result.diagnostics}
    assert {"duplicate-key", "group-invalid"} <= rules


@each(
    ("right", "written", "notice"),
    [
        ("foos.example.com", "${NAME}", "line 4: skipped a template: ${NAME} replaces a part of the CRD"),
        ("foos.example.com", "${PLURAL}.${GROUP}", "line 4: skipped a template: ${PLURAL} replaces a part of the CRD"),
        ("foos.example.com", '"{{ .Plural }}"', "line 4: skipped a template: {{ .Plural }} replaces a part of the CRD"),
        ("group: example.com", "group: [[ .Group ]]", "line 6: skipped a template: [[ .Group ]] replaces a part of the CRD"),
        ("{type: object}", "[[ .Schema ]]", "line 14: skipped a template: [[ .Schema ]] replaces a part of the CRD"),
        ("  scope: Namespaced", "${SCOPE}", "line 7: skipped a template; check its rendered output"),
        ("  scope: Namespaced", "{scope}", "line 7: skipped a template; check its rendered output"),
        ("Namespaced", "{scopes[foo]}", "line 7: skipped a template; check its rendered output"),
        ("Namespaced", "{scope}-{name}", "line 7: skipped a template; check its rendered output"),
        ("  scope: Namespaced", "[[ if .Scope ]]", "line 7: skipped a template; check its rendered output"),
        ("  scope: Namespaced", "  {% if scope %}", "line 7: skipped a template; check its rendered output"),
        (
            "  scope: Namespaced", "{{ if .Scope }}",
            "line 7: skipped a template; check its rendered output: helm template ... | crdlint check -",
        ),
    ],
)  # fmt: skip
def test_a_template_is_skipped(right: str, written: str, notice: str) -> None:
    result = lint_file(CRD.replace(right, written), "a.yaml", CheckRequest(skip_unfinished=True))
    assert (result.diagnostics, result.notices, result.skipped) == ((), (notice,), 1)


@each("text", ["use {{ .Value }}", "use ${VALUE}", "use [[ value ]]"])
def test_placeholders_in_texts_hide_no_finding(text: str) -> None:
    described = CRD.replace(
        "{type: object}", f"\n        type: object\n        description: {text}"
    )
    assert lint_file(described, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics == ()
    wrong = described.replace("scope: Namespaced", "scope: Somewhere")
    assert (
        lint_file(wrong, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics[0].rule
        == "scope-invalid"
    )
    broken = described.replace("  scope:", " scope:")
    assert (
        lint_file(broken, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics[0].rule
        == "yaml-syntax"
    )


@each("value", ["version: ${VERSION}", "owner: '${TEAM}'"])
def test_placeholders_in_values_hide_no_syntax_error(value: str) -> None:
    text = CRD.replace("metadata:\n", f"metadata:\n  annotations:\n    {value}\n")
    broken = text.replace("  scope: Namespaced", "  scope Namespaced")
    assert lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics == ()
    (finding,) = lint_file(broken, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics
    assert finding.rule == "yaml-syntax"


@each("written", ["{scope", "{}", "{scope} {name}", "{scope}\n nope: 1"])
def test_what_is_no_placeholder_of_python_hides_no_error(written: str) -> None:
    broken = CRD.replace("  scope: Namespaced", written)
    (finding,) = lint_file(broken, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics
    assert finding.rule == "yaml-syntax"


def test_a_crd_behind_a_number_without_json_form() -> None:
    text = "  .nan # comment\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
    [finding] = lint_text(text)
    assert (finding.rule, finding.message) == ("yaml-syntax", "json: unsupported value: NaN")


def test_placeholders_behind_lone_carriage_returns() -> None:
    text = CRD.replace("  scope:", '  labels: "${LABELS}"\r  scope:') + "nope: 1"
    result = lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True))
    assert "unknown-field" in {one.rule for one in result.diagnostics}


def test_a_placeholder_for_a_value_is_not_checked_and_the_rest_is() -> None:
    webhook = """\
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {caBundle: "${CA_BUNDLE}", service: {name: a, namespace: b}}
"""
    text = CRD.replace("  scope:", f"{webhook}  scope:")
    result = lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True))
    assert result.diagnostics == ()
    assert result.notices == ('line 11: not checked: "${CA_BUNDLE}" is a placeholder',)
    assert [one.rule for one in lint_text(text)] == ["decode-type"]
    wrong = text.replace("scope: Namespaced", "scope: Somewhere")
    (found,) = lint_file(wrong, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics
    assert (found.rule, found.hidden) == ("scope-invalid", False)


def test_a_class_of_characters_is_no_placeholder() -> None:
    schema = "{type: object, properties: {a: {type: string, pattern: '[[:foo:]]'}}}"
    text = re.sub(r"openAPIV3Schema:.*(?:\n +.*)*", f"openAPIV3Schema: {schema}", CRD)
    result = lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True))
    assert [each.rule for each in result.diagnostics] == ["pattern-invalid"]
    assert result.notices == ()


@each("text, objects, mentions", [
    (f"kind: {KIND}\n", 1, 1),
    (f"apiVersion: x\nkind: '{KIND}'\n", 1, 1),
    (f'"kind": "{KIND}"\n', 1, 1),
    (f"kind : {KIND}\n", 1, 1),
    (f'{{"kind":"{KIND}"}}\n', 0, 1),
    (f"- kind: {KIND}\n", 0, 1),
    (f"target: {{kind: {KIND}}}\n", 0, 1),
    (f"kind: {KIND}\n---\nkind: {KIND}\n", 2, 2),
    (f"kind: {KIND}List\n", 0, 0),
    (f"listkind: {KIND}\n", 0, 0),
    (f"a.kind: {KIND}\n", 0, 0),
])  # fmt: skip
def test_kinds_in_a_text_that_is_not_parsed(text: str, objects: int, mentions: int) -> None:
    assert len(CRD_OBJECT.findall(text)) == objects
    assert len(CRD_KIND.findall(text)) == mentions


@each("line, name", [
    ("  name: a.b", "a.b"),
    ("  name:   'a.b' # comment", "a.b"),
    ('    "name" : "a.b"', "a.b"),
    ("name: a.b", None),
    ("  - name: a.b", None),
    ("  app.kubernetes.io/name: a.b", None),
])  # fmt: skip
def test_lines_with_the_name_of_an_object(line: str, name: str | None) -> None:
    match = NAME_LINE.search(f"metadata:\n{line}\n")
    assert (match and match[1]) == name


@each("version", ["v2", "v1alpha1", "v1beta2", "V1"])
def test_a_version_that_no_server_ever_had_is_misspelled(version: str) -> None:
    text = CRD.replace("apiextensions.k8s.io/v1", f"apiextensions.k8s.io/{version}")
    for found in (
        *lint_file(text, "a.yaml", CheckRequest(skip_unfinished=True)).diagnostics,
        *lint_text(text),
    ):
        assert (found.rule, found.line) == ("crd-misspelled", 1)
        assert found.help == "Write `apiVersion: apiextensions.k8s.io/v1`"
    assert lint_text(text)
