"""`crdlint test`: suites read, run and reported."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tables import each

from crdlint.cli import options
from crdlint.cli.main import cli
from crdlint.report.terminal import Terminal
from crdlint.suites.feature_gates import MissingCRDError, applies
from crdlint.suites.patches import Patcher
from crdlint.suites.read import SuiteError, read_suite
from crdlint.suites.run import _difference

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "suites"
SUITE = (FIXTURES / "widgets.testsuite.yaml").read_text()
CRD = (FIXTURES / "widgets.crd.yaml").read_text()
GATE = "metadata: {annotations: {include.release.openshift.io/x: 'true', release.openshift.io/feature-set: Default}}\n"


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ("test", *args), catch_exceptions=False)


def suite(tmp_path: Path, text: str) -> str:
    (tmp_path / "widgets.crd.yaml").write_text((FIXTURES / "widgets.crd.yaml").read_text())
    file = tmp_path / "widgets.testsuite.yaml"
    file.write_text(text)
    return str(file)


def test_all_pass() -> None:
    result = run(str(FIXTURES))
    assert (result.exit_code, result.stdout.splitlines()[1]) == (0, "  .......")
    assert result.stdout.splitlines()[-1].startswith("7 passed in ")


WRONG = {
    "another object stored": ("size: 1, mode: Fast}\n  - name: Should not", "size: 2, mode: Fast}\n  - name: Should not",
                              ["  -  size: 2", "  +  size: 1"]),
    "another error": ("not one", "not two", ["  the create is rejected, but not with the expected error:"]),
    "no error": ("{size: 1, mode: Safe}", "{size: 2, mode: Safe}", ["  the create should be rejected, but is accepted; expected:"]),
    "an error at last": ("expectedError: class may not be changed", 'expected: "x: 1"', ["  the object should be updated, but:"]),
    "another status error": ("equal to 9", "equal to 8",
                             ["  the update of the status is rejected, but not with the expected error:"]),
    "a status error without a status": ("      status: {ready: 10}\n", "",
                                        ["  `updated` has no status, whose update should be rejected; expected:"]),
    "an initial object that is refused": ("{size: 2, class: gold}", "{size: 0}", ["  the initial object should be created, but:"]),
    "a patch of nothing": ("properties/zones/maxItems", "properties/zone/maxItems", ["  a patch cannot be applied to"]),
    "another kind": ("kind: Widget\n      spec: {size: 1}", "kind: Gadget\n      spec: {size: 1}",
                     ['  no matches for kind "Gadget" in version "example.com/v1"']),
    "no object": ("kind: Widget\n      spec: {size: 1}", "kind: [\n", ["  `initial` is no object: yaml: "]),
}  # fmt: skip


def test_a_suite_without_tests_is_noted(tmp_path: Path) -> None:
    result = run(suite(tmp_path, "crdName: widgets.example.com\ntests: {onCreate: []}\n"))
    assert (
        result.exit_code,
        "the suite has no test" in result.stderr,
        "no suite" in result.stderr,
    ) == (2, True, False)


def test_failures(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name, (before, after, said) in WRONG.items():
        with subtests.test(name):
            assert before in SUITE
            result = run(suite(tmp_path, SUITE.replace(before, after, 1)))
            assert result.exit_code == 1
            for line in said:
                assert any(given.startswith(line) for given in result.stdout.splitlines()), (
                    result.stdout
                )


def test_servers_before_1_36_print_types(tmp_path: Path) -> None:
    text = SUITE.replace(
        "expectedError: class may", 'expectedError: "spec: Invalid value: \\"object\\": class may'
    ).replace("be changed\n", 'be changed"\n')
    assert run(suite(tmp_path, text)).exit_code == 0


BROKEN = {
    "no YAML": ("a: [", ":2: yaml: line 1: "),
    "no suite": ("tests: {}\n", "`crdName` is missing"),
    "no tests": ("crdName: x\n", "`tests` is missing"),
    "a misspelt key": (
        SUITE.replace("expectedError:", "expectError:", 1),
        ":32: a test has no `expectError`: did you mean `expectedError`?",
    ),
    "no initial": ("crdName: x\ntests: {onCreate: [{name: x}]}\n", "`initial` is missing"),
    "no list": ("crdName: x\ntests: {onCreate: {name: x}}\n", "a list is wanted here"),
    "a CRD that is not there": (SUITE.replace("widgets.example", "gadgets.example"), "no CRD gadgets.example.com for this suite"),
    "a version that is not there": (SUITE.replace("version: v1", "version: v7"), "has no version v7: there are v1, v1alpha1"),
    "no version": (SUITE.replace("version: v1\n", ""), "has the versions v1, v1alpha1: set `version` in the suite"),
}  # fmt: skip


def test_suites_that_cannot_be_run(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name, (text, said) in BROKEN.items():
        with subtests.test(name):
            result = run(suite(tmp_path, text), str(FIXTURES))
            assert result.exit_code == 2
            assert said in result.stderr
            assert "7 passed, 1 could not be run" in result.stdout


def test_a_crd_that_the_server_refuses(tmp_path: Path) -> None:
    file = suite(tmp_path, SUITE)
    crd = tmp_path / "widgets.crd.yaml"
    crd.write_text(crd.read_text().replace("type: boolean", "type: bool"))
    result = run(file)
    assert result.exit_code == 2
    assert "the API server rejects the CRD of" in result.stderr


LISTED = """\
name: widgets
crdName: widgets.example.com
version: v1
tests:
  onCreate:
  - name: {name}
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {{size: 0, mode: quick}}
    {expected}
"""
SIZE = "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"
MODE = 'spec.mode: Unsupported value: "quick": supported values: "Fast", "Safe"'
UNCHECKED = "<nil>: Invalid value: null: some validation rules were not checked"
INVALID = 'Widget.example.com "test-x7k2p" is invalid:'
EXPECTATIONS = {
    "none": ("", [f"    {INVALID}", f"    - {SIZE}", f"    - {MODE}", f"    - {UNCHECKED}"]),
    "another error": (
        "expectedError: no such error",
        [
            "    expected: no such error",
            f"    got:      {INVALID}",
            f"              - {SIZE}",
            f"              - {MODE}",
            f"              - {UNCHECKED}",
        ],
    ),
}


@each("expected, lines", EXPECTATIONS.values(), ids=EXPECTATIONS)
def test_each_error_of_an_object_has_its_line(
    expected: str, lines: list[str], tmp_path: Path
) -> None:
    result = run(suite(tmp_path, LISTED.format(name="listed", expected=expected)))
    shown = result.stdout.splitlines()
    first = shown.index(lines[0])
    assert [line[: len(start)] for line, start in zip(shown[first:], lines, strict=False)] == lines


def test_an_expected_error_may_span_several_errors(tmp_path: Path) -> None:
    expected = f"expectedError: '[{SIZE}, {MODE}, '"
    assert run(suite(tmp_path, LISTED.format(name="both", expected=expected))).exit_code == 0


def rejected(folder: Path, fields: int) -> None:
    """Write the CRD of the suite with fields whose types the API server rejects."""
    wrong = "".join(f"              field{i}: {{type: text}}\n" for i in range(fields))
    before, middle, after = CRD.partition("            properties:\n")
    assert middle
    (folder / "widgets.crd.yaml").write_text(before + middle + wrong + after)


@each("errors, shown", [(1, 1), (3, 3), (10, 10), (13, 10)])
def test_each_error_of_a_rejected_crd_has_its_line(
    errors: int, shown: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        suite(tmp_path, SUITE)
        (tmp_path / f"{name}.testsuite.yaml").write_text(SUITE)
    (tmp_path / "widgets.testsuite.yaml").unlink()
    rejected(tmp_path, errors)
    result = run(".", "--output", "junit=results.xml")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert sum("Unsupported value" in line for line in lines) == (2 if errors == 1 else shown)
    assert ("a.testsuite.yaml, b.testsuite.yaml: the API server rejects" in lines[0]) == (
        errors > 1
    )
    assert ("  and 3 more errors" in lines) == (errors > shown)
    assert ("  help: `crdlint check widgets.crd.yaml` shows them in the file" in lines) == (
        errors > 1
    )
    [problem, _] = ET.parse(tmp_path / "results.xml").iter("error")
    assert problem.attrib["message"].startswith("the API server rejects the CRD of widgets")
    assert (problem.text or "").count("Unsupported value") == (0 if errors == 1 else shown)
    generated = run("--generate", "widgets.crd.yaml")
    assert generated.exit_code == 2
    assert generated.stderr.count("\n") == len(lines) // (2 if errors == 1 else 1)


def test_errors_after_patches_are_not_those_of_the_file(tmp_path: Path) -> None:
    fields = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties"
    patch = f"    - {{op: add, path: {fields}/NAME, value: {{type: text}}}}\n"
    heading = "    initialCRDPatches:\n"
    patches = heading + patch.replace("NAME", "a") + patch.replace("NAME", "b")
    text = SUITE.replace(heading, patches)
    output = run(suite(tmp_path, text)).stdout
    assert "after the patches of the test:" in output
    assert "shows them in the file" not in output
    assert output.count("Unsupported value") == 2


def test_what_is_passed_over_is_told(tmp_path: Path) -> None:
    result = run(suite(tmp_path, SUITE + "onUpdate: []\n"))
    assert result.exit_code == 0
    assert "note: a suite has no `onUpdate`" in result.stderr


UNMARSHAL = "cannot unmarshal"
VERSIONS = CRD.index("  versions:")
# What is replaced in the CRD, what by, and what is reported.
ODD_CRDS = {
    "a number for a version": (CRD[VERSIONS:], "  versions: [1]\n", f"{UNMARSHAL} number into Go struct field CustomRes"),
    "a name that is a number": ("- name: v1\n", "- name: 1\n", "CustomResourceDefinitionVersion.spec.versions.name of type string"),
    "null for a version": (CRD[VERSIONS:], "  versions: [null]\n", "spec.versions[0].schema.openAPIV3Schema: Required value"),
    "no list of versions": (CRD[VERSIONS:], "  versions: {a: 1}\n", "cannot unmarshal object into Go struct field"),
    "no spec": (CRD[CRD.index("spec:"):], "", "metadata.name: Invalid value: \"widgets.example.com\""),
    "annotations that are a number": ("metadata: {", "metadata: {annotations: 1, ", "ObjectMeta.metadata.annotations"),
    "broken YAML": ("spec:\n", "spec: [\n", "widgets.crd.yaml:7: yaml: line 6: did not find expected ',' or ']'"),
    "an invalid key": ("spec:\n", "spec:\n  ? [a]\n  : b\n", "widgets.crd.yaml:1: yaml: invalid map key"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after", "said"), ODD_CRDS.values(), ids=ODD_CRDS)
@pytest.mark.parametrize("given", [True, False], ids=["given", "nearby"])
def test_crds_of_odd_types(before: str, after: str, said: str, given: bool, tmp_path: Path) -> None:
    assert before in CRD
    file = suite(tmp_path, SUITE)
    crd = tmp_path / "widgets.crd.yaml"
    crd.write_text(CRD.replace(before, after, 1))
    result = run(file, *(["--crd", str(crd)] if given else []))
    assert (result.exit_code, result.stdout.splitlines()[-1].partition(" in ")[0]) == (
        2,
        f"0 passed, {1 + (given and 'widgets.crd' in said)} could not be run",
    )
    assert said in result.stderr


PATCH = "    - op: remove\n      path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/zones/maxItems\n"
# A patch of the CRD, and the failure that it causes.
PATCHES = {
    "a spec that is a number": ("{op: replace, path: /spec, value: 1}", "cannot unmarshal number into Go struct field"),
    "no object": ("{op: replace, path: '', value: 1}", "is no CRD with a name"),
    "versions that are a number": ("{op: replace, path: /spec/versions, value: 1}", "cannot unmarshal number into Go struct field"),
    "a version that is a list": ("{op: replace, path: /spec/versions/0, value: []}", "cannot unmarshal array into Go struct field"),
    "a number among the versions": ("{op: add, path: /spec/versions/-, value: 1}", "cannot unmarshal number into Go struct field"),
    "no version": ("{op: replace, path: /spec/versions, value: []}", "has no version v1: there are "),
    "metadata that is a number": ("{op: replace, path: /metadata, value: 1}", "is no CRD with a name"),
    "a path below text": ("{op: add, path: /spec/versions/0/name/x, value: 1}", "a patch cannot be applied to"),
    "no such operation": ("{op: 1, path: /a}", "a patch cannot be applied to"),
    "no pointer": ("{op: add, path: /spec/~2, value: 1}", "a patch cannot be applied to"),
}  # fmt: skip


def test_patches_that_leave_no_crd(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name, (patch, said) in PATCHES.items():
        with subtests.test(name):
            assert PATCH in SUITE
            result = run(suite(tmp_path, SUITE.replace(PATCH, f"    - {patch}\n")))
            assert (result.exit_code, result.stdout.splitlines()[-1].partition(" in ")[0]) == (
                1,
                "1 failed, 6 passed",
            )
            assert said in " ".join(result.stdout.split())


def _doubling(where: str) -> str:
    return "".join(f"    - {{op: copy, from: {where!r}, path: {where}/x{i}}}\n" for i in range(40))


BOMBS = {
    "copies of the spec": _doubling("/spec"),
    "copies of the document": _doubling(""),
    "copies of a field": _doubling("/spec/versions/0/schema/openAPIV3Schema"),
    "copies to the end of a list": "    - {op: copy, from: /spec/versions, path: /spec/versions/-}\n"
    * 40,
    "copies of a copy": f"    - {{op: add, path: /spec/x, value: {{a: {'z' * 4000}}}}}\n"
    + _doubling("/spec/x"),
    "a text many times": f"    - &a {{op: add, path: /spec/x, value: {'z' * 60_000}}}\n"
    + "    - *a\n" * 20,
    "a comparison many times": f"    - {{op: add, path: /spec/x, value: &v {'z' * 60_000}}}\n"
    + "    - {op: test, path: /spec/x, value: *v}\n" * 20,
    "many operations": "    - {op: add, path: /spec/x, value: 1}\n" * 10_001,
}


def test_patches_that_grow_without_bound(
    tmp_path: Path, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "crdlint.suites.run.Patcher", lambda: Patcher(1024 * 1024)
    )  # 16 MiB take longer
    for name, patches in BOMBS.items():
        with subtests.test(name):
            result = run(suite(tmp_path, SUITE.replace(PATCH, patches)))
            assert result.exit_code == 2, result.stdout
            reason = (
                "more than 10,000 operations"
                if name == "many operations"
                else "add more than 16 MiB"
            )
            assert re.search(rf"widgets.testsuite.yaml:\d+: .*{reason}", result.stderr)


def test_a_patch_of_a_crd_of_any_depth(tmp_path: Path) -> None:
    deep = "{type: object, properties: {a: " * 500 + "{type: string}" + "}}" * 500
    file = suite(tmp_path, SUITE)
    (tmp_path / "widgets.crd.yaml").write_text(
        CRD.replace("class: {type: string}", f"class: {{type: string}}\n              deep: {deep}")
    )
    assert run(file).exit_code == 0


DEEP = "{a: " * 1500 + "1" + "}" * 1500
OBJECT = "kind: Widget\n      spec: {size: 1}"
ODD_OBJECTS = {
    "expected, nested": ("{size: 1, mode: Fast}", DEEP, 1, "the stored object is not as expected:"),
    "an initial object, nested": ("{size: 1}", f"{{size: {DEEP}}}", 1, "the object should be created, but:"),
    "metadata that is text": (OBJECT, OBJECT.replace("spec", "metadata: x\n      spec"), 1, f"{UNMARSHAL} string into Go value"),
    "metadata that is a list": (OBJECT, OBJECT.replace("spec", "metadata: []\n      spec"), 1, f"{UNMARSHAL} array into Go value"),
    "metadata of an update": ("spec: {size: 3}", "metadata: x\n      spec: {size: 3}", 1, f"{UNMARSHAL} string into Go value"),
    "metadata that is null": (OBJECT, OBJECT.replace("spec", "metadata:\n      spec"), 0, ""),
    "a name that is null": (OBJECT, OBJECT.replace("spec", "metadata: {name: null}\n      spec"), 0, ""),
    "a long key": ("{size: 1, mode: Fast}", "{size: 1, mode: Fast}\n      ? " + "k" * 3000 + "\n      : 1", 1, "-? kkk"),
    "a control character": ("{size: 1, mode: Fast}", '{size: 1, mode: "\\a"}', 1, '- mode: "\\x07"'),
}  # fmt: skip


def test_objects_of_odd_types(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name, (before, after, status, said) in ODD_OBJECTS.items():
        with subtests.test(name):
            assert before in SUITE
            result = run(suite(tmp_path, SUITE.replace(before, after, 1)))
            assert (result.exit_code, said in " ".join(result.stdout.split())) == (status, True), (
                result.output
            )


def test_a_deep_value_is_printed_as_older_servers_do(tmp_path: Path) -> None:
    text = SUITE.replace("{size: 1, mode: Safe}", f"{{size: {DEEP}, mode: Safe}}").replace(
        'expectedError: "spec.size: Forbidden: safe needs two or more, not one"',
        'expectedError: \'spec.size: Invalid value: "object": spec.size in body must be of type integer: "object"\'',
    )
    assert run(suite(tmp_path, text)).exit_code == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a: [", "x.yaml: yaml: "),
        ("- 1\n", "no feature gates of"),
        ("metadata: {annotations: 1}\n", "no feature gates of"),
        (GATE, "status.featureGates is not a list of objects"),
        (f"{GATE}status: {{featureGates: [1]}}\n", "status.featureGates is not a list of objects"),
        (
            f"{GATE}status: {{featureGates: [{{enabled: [{{name: [1]}}, 1], disabled: 1}}]}}\n",
            "no feature gate A in",
        ),
    ],
)
def test_feature_gates_of_odd_types(content: str, said: str, tmp_path: Path) -> None:
    annotations = "annotations: {release.openshift.io/feature-set: Default, include.release.openshift.io/x: 'true'}"
    file = suite(tmp_path, SUITE.replace("version: v1\n", "version: v1\nfeatureGates: [A]\n"))
    (tmp_path / "widgets.crd.yaml").write_text(
        CRD.replace("metadata: {", f"metadata: {{{annotations}, ")
    )
    gates = tmp_path / "payload-manifests" / "featuregates"
    gates.mkdir(parents=True)
    (gates / "x.yaml").write_text(content)
    result = run(file)
    assert (result.exit_code, said in result.stderr) == (2, True), result.stderr


def test_the_lines_compared_are_bounded() -> None:
    want = ["same"] * 5 + [f"a{i}" for i in range(5000)] + ["same"] * 5
    got = ["same"] * 5 + [f"b{i}" for i in range(5000)] + ["same"] * 5
    lines = list(_difference(want, got))
    assert lines[:4] == ["--- expected", "+++ got", "@@ -3,1006 +3,1006 @@", " same"]
    assert lines[-1] == "... and 8,000 more lines are not compared"
    assert list(_difference(want, want)) == []


FAILURES = {
    "a stored object": SUITE.replace("{size: 1, mode: Fast}", "{size: 1, mode: Safe}", 1),
    "an error that is not expected": SUITE.replace("safe needs two or more, not one", "no"),
    "a rejection": SUITE.replace(
        """    expectedError: "spec.size: Forbidden: safe needs two or more, not one"\n""", ""
    ),
    "an accepted object": SUITE.replace("mode: Safe", "mode: Fast"),
    "a long name": SUITE.replace("mode: Safe", "mode: Fast").replace(
        "refuse one that is safe", "refuse one that is " + "safe or fast or " * 9
    ),
}


@pytest.mark.parametrize("columns", [50, 80])
@pytest.mark.parametrize("verbose", [(), ("-v",)], ids=["marks", "names"])
@each("text", FAILURES.values(), ids=FAILURES)
def test_failures_are_wrapped_to_the_terminal(
    text: str,
    columns: int,
    verbose: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    suite(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    piped, _, _ = run(".", *verbose).stdout.rpartition(" in ")
    monkeypatch.setattr(options, "page", lambda *_: Terminal(columns))
    shown = run(".", *verbose).stdout
    assert "1 failed" in shown
    assert max(map(len, shown.splitlines())) <= columns
    assert words(piped) == words(shown.rpartition(" in ")[0])


def words(text: str) -> list[str]:
    """Return the words of a text without the lines of marks."""
    return [word for word in text.split() if set(word) != {"="}]


def test_choice_and_speed(tmp_path: Path) -> None:
    result = run(str(FIXTURES), "-k", "status", "-v")
    assert [line.split(" ", 1)[0] for line in result.stdout.splitlines()[:3]] == ["PASSED"] * 3
    assert run(str(FIXTURES), "-k", "nothing has this name").exit_code == 2
    failing = suite(tmp_path, SUITE.replace("size: 1,", "size: 7,"))
    assert "1 failed" in run(failing, "-x").stdout
    assert run(str(tmp_path / "empty")).exit_code == 2


def test_junit(tmp_path: Path) -> None:
    file = tmp_path / "out.xml"
    text = SUITE.replace("mode: Fast}", 'mode: "\\u0001"}', 1)
    run(suite(tmp_path, text), "--output", f"junit={file}")
    root = ET.fromstring(file.read_text())
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("7", "1", "0")
    (failure,) = root.iter("failure")
    assert failure.get("message") == "the stored object is not as expected:"
    assert run(str(FIXTURES), "--output", f"junit={tmp_path}").exit_code == 2


def test_a_line_of_a_test() -> None:
    assert [case.line for case in read_suite(SUITE, "x").cases][:3] == [8, 17, 27]
    with pytest.raises(SuiteError):
        read_suite("- 1", "x")


GATES = "payload-manifests/featuregates"
PROFILE = "include.release.openshift.io/self-managed"


def gates(tmp_path: Path, feature_set: str, on: str, off: str) -> None:
    folder = tmp_path / GATES
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{feature_set}.yaml").write_text(
        f"metadata: {{annotations: {{{PROFILE}: 'true', release.openshift.io/feature-set: {feature_set}}}}}\n"
        f"status: {{featureGates: [{{enabled: [{{name: {on}}}], disabled: [{{name: {off}}}]}}]}}\n"
    )


def test_feature_gates(tmp_path: Path) -> None:
    gates(tmp_path, "Default", "A", "B")
    gates(tmp_path, "TechPreview", "B", "A")
    near = str(tmp_path / "v1" / "crds")
    annotations = {PROFILE: "true"}
    assert applies(annotations, [], near)
    assert applies(annotations, ["A", "-B"], near)
    assert not applies(annotations, ["B"], near)
    assert applies({**annotations, "release.openshift.io/feature-set": "TechPreview"}, ["B"], near)
    custom = {**annotations, "release.openshift.io/feature-set": "CustomNoUpgrade"}
    assert applies(custom, ["B"], near)
    assert not applies(custom, ["-B"], near)
    assert applies({}, ["B"], near)
    with pytest.raises(MissingCRDError, match="no feature gate C"):
        applies(annotations, ["C"], near)


def test_feature_gates_that_are_nowhere(tmp_path: Path) -> None:
    with pytest.raises(MissingCRDError, match="no directory payload-manifests"):
        applies({PROFILE: "true"}, ["A"], str(tmp_path))
