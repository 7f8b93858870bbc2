"""Which kustomizations are built, how often, and what a failed build says."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from built import write
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.rules.engine.examples import HEAD
from crdlint.safety.programs import Limits
from crdlint.sources.kustomize.build import changes_crds
from crdlint.sources.kustomize.kustomization import read_kustomization

if TYPE_CHECKING:
    from collections.abc import Callable

CRD = HEAD + "        type: object\n"
COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
OPERATION = '{"op": "test", "path": "/kind", "value": "CustomResourceDefinition"}'
DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"
PATCH = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\n"


def target(**selector: str) -> str:
    fields = ", ".join(f"{key}: '{value}'" for key, value in selector.items())
    return f"patches: [{{patch: '[]', target: {{{fields}}}}}]\n"


LABELS = "transformers: ['{{apiVersion: builtin, kind: LabelTransformer, labels: {{{}}}, fieldSpecs: [{{path: {}}}]}}']\n"
REPLACED = (
    "replacements: [{{source: {{kind: Service}}, targets: [{{select: {{}}, fieldPaths: [{}]}}]}}]\n"
)
CHANGES = {
    "a patch of a CRD": ("patches: [{path: crd-patch.yaml}]\n", True),
    "a patch of a Deployment": ("patches: [{path: deployment.yaml}]\n", False),
    "a patch of both": ("patches: [{path: both.yaml}]\n", True),
    "a patch of nothing that can be read": ("patches: [{path: broken.yaml}]\n", True),
    "a patch in the text": ("patches: [{patch: 'kind: CustomResourceDefinition'}]\n", True),
    "another in the text": ("patches: [{patch: 'kind: Deployment'}]\n", False),
    "operations without a target": ("patches: [{patch: '[]'}]\n", True),
    "a target of a CRD": (target(kind="CustomResourceDefinition"), True),
    "a target of a Deployment": (target(kind="Deployment"), False),
    "a target of two kinds": (target(kind="Deployment|CustomResourceDefinition"), True),
    "a target of two other kinds": (target(kind="Deployment|Job"), False),
    "a target of a pattern": (target(kind="Custom.*"), True),
    "a target of a name": (target(name="foos.example.com"), True),
    "a target of a group": (target(group="apps"), False),
    "a target of another group's CRD": (
        target(group="apps", kind="CustomResourceDefinition"),
        False,
    ),
    "patchesStrategicMerge": ("patchesStrategicMerge: [crd-patch.yaml]\n", True),
    "patchesStrategicMerge of a Deployment": ("patchesStrategicMerge: [deployment.yaml]\n", False),
    "patchesStrategicMerge in the text": (
        "patchesStrategicMerge: ['{kind: CustomResourceDefinition}']\n",
        True,
    ),
    "patchesJson6902": (
        "patchesJson6902: [{patch: '[]', target: {kind: Deployment, name: a, version: v1}}]\n",
        False,
    ),
    "labels": ("labels: [{pairs: {a: b}}]\n", False),
    "labels that are refused": ("labels: [{pairs: {a: 'b c'}}]\n", True),
    "labels of no text": ("labels: [{pairs: {a: 1}}]\n", True),
    "labels in other fields": ("labels: [{pairs: {a: b}, fields: [{path: spec/scope}]}]\n", True),
    "labels of no shape": ("labels: {a: b}\n", True),
    "commonLabels": ("commonLabels: {a.b/c: D}\n", False),
    "commonLabels that are refused": ("commonLabels: {A.b/c: D}\n", True),
    "commonAnnotations": ("commonAnnotations: {A.b/c: 'any text'}\n", False),
    "commonAnnotations that are refused": ("commonAnnotations: {'a b': c}\n", True),
    "an approval": ("commonAnnotations: {api-approved.kubernetes.io: unapproved}\n", True),
    "long annotations": (f"commonAnnotations: {{a: {'b' * 20_000}}}\n", True),
    "namespace": ("namespace: a\n", False),
    "names": ("namePrefix: a\nnameSuffix: b\n", False),
    "images": ("images: [{name: a, newTag: b}]\n", False),
    "a custom openapi": ("namespace: a\nopenapi: {path: deployment.yaml}\n", True),
    "an openapi by version": ("namespace: a\nopenapi: {version: v1.20.4}\n", False),
    "configurations of services": ("namespace: a\nconfigurations: [services.yaml]\n", False),
    "configurations of CRDs": ("namespace: a\nconfigurations: [configuration.yaml]\n", True),
    "configurations alone": ("configurations: [configuration.yaml]\n", False),
    "vars": ("vars: [{name: A, objref: {kind: Deployment, name: a}}]\n", True),
    "transformers": ("transformers: ['{apiVersion: builtin, kind: HashTransformer}']\n", True),
    "a transformer of labels": (LABELS.format("a: b", "metadata/labels"), False),
    "a transformer of labels that are refused": (LABELS.format("a: b c", "metadata/labels"), True),
    "a transformer of labels elsewhere": (LABELS.format("a: b", "spec/scope"), True),
    "a replacement of an annotation": (REPLACED.format("'metadata.annotations.[a.b/c]'"), False),
    "a replacement of one without brackets": (REPLACED.format(".metadata.annotations.a"), False),
    "a replacement of an approval": (
        REPLACED.format("'metadata.annotations.[api-approved.kubernetes.io]'"),
        True,
    ),
    "a replacement of another field": (REPLACED.format("metadata.annotations.a, spec.scope"), True),
    "replacements": (
        "replacements: [{targets: [{select: {kind: CustomResourceDefinition}}]}]\n",
        True,
    ),
    "replacements elsewhere": (
        "replacements: [{targets: [{select: {kind: Deployment}}]}]\n",
        False,
    ),
    "replacements of no shape": ("replacements: [{}]\n", True),
    "replacements in a file": ("replacements: [{path: replacement.yaml}]\n", False),
    "a component": ("components: [component]\n", True),
    "a component of another kind": ("components: [other]\n", False),
    "generators": ("configMapGenerator: [{name: a, literals: [a=b]}]\n", False),
    "nothing": ("", False),
}
FILES = {
    "crd.yaml": CRD,
    "crd-patch.yaml": PATCH,
    "deployment.yaml": DEPLOYMENT,
    "both.yaml": f"{DEPLOYMENT}---\n{PATCH}",
    "broken.yaml": "a: [\n",
    "services.yaml": (
        "nameReference:\n- kind: Service\n  fieldSpecs:\n  - kind: CustomResourceDefinition\n"
        "    path: spec/conversion/webhook/clientConfig/service/name\n"
        "namespace:\n- kind: CustomResourceDefinition\n  path: spec/conversion/webhook/clientConfig/service/namespace\n"
        "- kind: Deployment\n  path: spec/a\n  create: true\n"
    ),
    "configuration.yaml": "namespace:\n- path: spec/scope\n",
    "replacement.yaml": "targets: [{select: {kind: Deployment}}]\n",
    "component/kustomization.yaml": f"{COMPONENT}patches: [{{patch: 'kind: CustomResourceDefinition'}}]\n",
    "other/kustomization.yaml": f"{COMPONENT}patches: [{{patch: 'kind: Deployment'}}]\n",
}


def test_what_changes_crds(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name, (text, changes) in CHANGES.items():
        with subtests.test(name):
            folder = write(
                tmp_path, {**FILES, "kustomization.yaml": f"resources: [crd.yaml]\n{text}"}
            )
            found = read_kustomization(folder)
            assert found is not None
            assert found.problem is None
            assert changes_crds(found) is changes


def layered(tmp_path: Path, overlay: str = "") -> str:
    return write(
        tmp_path,
        {
            "base/crd.yaml": CRD,
            "base/patch.yaml": PATCH,
            "base/kustomization.yaml": "resources: [crd.yaml]\npatches: [{path: patch.yaml}]\n",
            "rbac/kustomization.yaml": "labels: [{pairs: {a: 'b c'}}]\n",
            "overlay/kustomization.yaml": f"resources: [../base, ../rbac]\nnamespace: a\n{overlay}",
        },
    )


def test_changes_of_a_base_that_is_built_itself_count_once(tmp_path: Path) -> None:
    root = layered(tmp_path)
    found = read_kustomization(f"{root}/overlay")
    assert found is not None
    assert changes_crds(found)
    assert not changes_crds(found, {str(Path(root, "base").resolve())})
    layered(tmp_path, "patches: [{patch: 'kind: CustomResourceDefinition'}]\n")
    again = read_kustomization(f"{root}/overlay")
    assert again is not None
    assert changes_crds(again, {str(Path(root, "base").resolve())})


COUNTING = """\
import os, sys
with open({log!r}, "a") as log:
    log.write(os.path.basename(os.getcwd()) + "\\n")
print(open({crd!r}).read().replace("Namespaced", "Clusterish"))
"""


BUILT = "base\nbase\n"  # without schemas, and with them, as it has a finding


@pytest.fixture
def log(
    program: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Return the file that has a line for each build."""
    monkeypatch.setenv("CRDLINT_CACHE_DIR", str(tmp_path / "cache"))
    log = tmp_path / "log"
    log.touch()
    (tmp_path / "crd.yaml").write_text(CRD, encoding="utf-8")
    program("kustomize", COUNTING.format(log=str(log), crd=str(tmp_path / "crd.yaml")))
    return log


def check(folder: str, *options: str) -> str:
    return CliRunner().invoke(cli, ["check", folder, "--format", "concise", *options]).output


def test_a_build_is_kept_until_something_that_it_reads_changes(log: Path, tmp_path: Path) -> None:
    root = layered(tmp_path / "k")
    first = check(root)
    assert "base/kustomization.yaml:2:11: error[scope-invalid]" in first
    assert check(root) == first
    assert log.read_text(encoding="utf-8") == BUILT
    (tmp_path / "k/base/unrelated.txt").touch()
    assert check(root) == first
    assert log.read_text(encoding="utf-8") == BUILT
    (tmp_path / "k/base/patch.yaml").write_text(PATCH + "spec: {}\n", encoding="utf-8")
    check(root)
    assert log.read_text(encoding="utf-8") == BUILT * 2
    check(root, "--kube-version", "1.30")
    assert log.read_text(encoding="utf-8") == BUILT * 3
    check(root, "--no-cache")
    assert log.read_text(encoding="utf-8") == BUILT * 4


def test_a_build_of_another_program_is_another(
    log: Path, program: Callable[[str, str], Path], tmp_path: Path
) -> None:
    root = layered(tmp_path / "k")
    check(root)
    program("kustomize", COUNTING.format(log=str(log), crd=str(tmp_path / "crd.yaml")) + "#\n")
    check(root)
    assert log.read_text(encoding="utf-8") == BUILT * 2


def test_an_equal_kustomization_elsewhere_is_known(log: Path, tmp_path: Path) -> None:
    first = check(layered(tmp_path / "one"))
    second = check(layered(tmp_path / "two"))
    assert first.replace("/one/", "/two/") == second
    assert log.read_text(encoding="utf-8") == BUILT


# Either end of a named pipe waits for the other.
MEETING = """\
import os
open({pipe!r}, "w" if os.path.basename(os.getcwd()) == "a" else "r").close()
"""


def test_builds_run_side_by_side(program: Callable[[str, str], Path], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    program("kustomize", MEETING.format(pipe=str(tmp_path / "pipe")))
    text = "resources: [crd.yaml]\npatches: [{patch: 'kind: CustomResourceDefinition'}]\n"
    root = write(
        tmp_path / "k",
        {
            f"{name}/{file}": data
            for name in "ab"
            for file, data in {"kustomization.yaml": text, "crd.yaml": CRD}.items()
        },
    )
    assert "fails" not in check(root, "--jobs", "2", "--no-cache")


FAILURES = {
    "warnings": (
        "# Warning: 'bases' is deprecated. Please use 'resources' instead.\n# Warning: 'vars' is deprecated.\n"
        "error: no such thing\n",
        "fails: no such thing;",
    ),
    "a warning without a cause": (
        "# Warning: 'bases' is deprecated.\n",
        "fails: it prints no reason;",
    ),
    "a log": (
        "2026/11/21 22:03:04 well: this is old\nW1121 22:03:04.123456    4711 a.go:12] beware\nError: it is broken\n",
        "fails: it is broken;",
    ),
    "a log alone": ("2026/11/21 22:03:04 it is broken\n", "fails: it is broken;"),
    "the copy's path": ("Error: CWD/crd.yaml is broken\n", "fails: base/crd.yaml is broken;"),
    "no memory": (
        "fatal error: runtime: out of memory\ngoroutine 1 [running]: 0xc000\n",
        "fails: it needs more than 1 GiB",
    ),
}


@pytest.mark.parametrize(("errors", "words"), FAILURES.values(), ids=FAILURES)
def test_a_failure_is_named_by_its_cause(
    errors: str, words: str, program: Callable[[str, str], Path], tmp_path: Path
) -> None:
    program(
        "kustomize",
        f"import os, sys\nsys.stderr.write({errors!r}.replace('CWD', os.getcwd()))\nsys.exit(1)\n",
    )
    root = layered(tmp_path)
    done = [CliRunner().invoke(cli, ["check", root, "--no-cache"]) for _ in range(2)]
    assert words in " ".join(done[0].stdout.split())
    lines = [[line for line in one.stdout.splitlines() if "checked " not in line] for one in done]
    assert lines[0] == lines[1]


def test_a_build_that_prints_without_end_is_ended(
    program: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from crdlint.files import offline

    monkeypatch.setattr(offline, "MAX_BYTES", 1024 * 1024)
    program("kustomize", "import sys\nwhile True: sys.stdout.write('a: b\\n' * 1000)\n")
    assert "kustomize printed more than 1 MiB; its resources are read" in check(
        layered(tmp_path), "--no-cache"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")
def test_the_memory_of_a_build_is_limited(
    program: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from crdlint.files import offline

    monkeypatch.setattr(offline, "_LIMITS", Limits(1024 * 1024 * 1024, seconds=30))
    wait = "import resource, sys\nwhile resource.getrlimit(resource.RLIMIT_DATA)[0] < 0: pass\n"
    program(
        "kustomize",
        wait + "try: bytearray(2 * 1024 ** 3)\nexcept MemoryError: sys.exit('error: no memory')\n",
    )
    assert "fails: no memory;" in check(layered(tmp_path), "--no-cache")


@pytest.mark.skipif(sys.platform != "linux", reason="resources are limited on Linux")
def test_a_build_without_end_is_tried_once(
    program: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build with whole schemas takes at least as long as the one without, which comes first."""
    from crdlint.files import offline

    monkeypatch.setattr(offline, "_LIMITS", Limits(1024 * 1024 * 1024, seconds=1))
    log = tmp_path / "log"
    start = f"open({str(log)!r}, 'a').write('.')\n"
    out_of_memory = "import sys\nsys.exit('fatal error: runtime: out of memory')\n"
    for work, words in (
        ("while True: pass\n", "took more than 1 s of CPU time"),
        (out_of_memory, "more than 1 GiB"),
    ):
        log.write_text("")
        program("kustomize", start + work)
        root = layered(tmp_path / "k", f"{target(kind='CustomResourceDefinition')}namePrefix: a\n")
        assert words in check(root, "--no-cache")
        assert log.read_text() == ".."  # the base and the overlay


LEVELS = "".join(f"  a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10))
BOMB = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n{LEVELS}"
EXPANDING = {
    "a resource": ("resources: [crd.yaml, bomb.yaml]\n", "bomb.yaml"),
    "a patch": ("resources: [crd.yaml]\npatches: [{path: bomb.yaml}]\n", "bomb.yaml"),
    "a patch in the text": (
        f"resources: [crd.yaml]\npatches:\n- patch: {json.dumps(BOMB)}\n",
        "a text in ",
    ),
    "a strategic merge": (
        "resources: [crd.yaml]\npatchesStrategicMerge: [bomb.yaml]\n",
        "bomb.yaml",
    ),
    "an openapi": ("resources: [crd.yaml]\nopenapi: {path: bomb.yaml}\n", "bomb.yaml"),
    "a configuration": ("resources: [crd.yaml]\nconfigurations: [bomb.yaml]\n", "bomb.yaml"),
    "a replacement": ("resources: [crd.yaml]\nreplacements: [{path: bomb.yaml}]\n", "bomb.yaml"),
    "a plugin": (
        "resources: [crd.yaml]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n"
        "  metadata: {name: a}\n  path: bomb.yaml\n",
        "bomb.yaml",
    ),
    "a second document": ("resources: [crd.yaml, second.yaml]\n", "second.yaml"),
    "a base": ("resources: [base]\n", "base/bomb.yaml"),
}


@pytest.mark.parametrize(("text", "name"), EXPANDING.values(), ids=EXPANDING)
def test_what_crdlint_does_not_expand_is_not_built(
    text: str, name: str, program: Callable[[str, str], Path], tmp_path: Path
) -> None:
    program("kustomize", "raise SystemExit('it is built')\n")
    patch = f"patches: [{{target: {{kind: CustomResourceDefinition}}, patch: '[{OPERATION}]'}}]\n"
    kustomization = text if "patches:" in text else text + patch
    files = {
        "kustomization.yaml": kustomization,
        "crd.yaml": CRD,
        "bomb.yaml": BOMB,
        "second.yaml": f"a: b\n---\n{BOMB}",
    }
    base = {
        "base/kustomization.yaml": "resources: [crd.yaml, bomb.yaml]\n",
        "base/crd.yaml": CRD,
        "base/bomb.yaml": BOMB,
    }
    write(tmp_path / "k", {**files, **base})
    output = check(str(tmp_path / "k"), "--no-cache")
    assert f"not built: {'' if name[:2] == 'a ' else tmp_path / 'k'}" in output
    assert name in output
    assert "has too many aliases of aliases" in output
    assert "it is built" not in output


def test_folders_that_are_included_in_many_ways_are_not_built(
    program: Callable[[str, str], Path], tmp_path: Path
) -> None:
    program("kustomize", "raise SystemExit('it is built')\n")
    files = {
        "crd.yaml": CRD,
        "kustomization.yaml": f"resources: [crd.yaml, 0a, 0b]\n{target(kind='CustomResourceDefinition')}",
    }
    for depth in range(20):
        following = (
            f"resources: [../{depth + 1}a, ../{depth + 1}b]\n" if depth < 19 else "namePrefix: a\n"
        )
        files |= {f"{depth}{name}/kustomization.yaml": following for name in "ab"}
    write(tmp_path / "k", files)
    output = check(str(tmp_path / "k"), "--no-cache")
    assert "its folders are included more than 1,000 times" in output
