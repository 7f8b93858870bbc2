"""References of kustomizations: what is no local file is not built, and a build sees nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from built import check_kustomization, write
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.rules.engine.examples import HEAD
from crdlint.sources.kustomize.kustomization import local_path, patch_files, read_kustomization

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crdlint.linting.result import FileResult

CRD = HEAD + "        type: object\n"
OPERATION = '{"op": "test", "path": "/kind", "value": "CustomResourceDefinition"}'
NAMES = f"patches:\n- {{patch: '[{OPERATION}]', target: {{kind: CustomResourceDefinition}}}}\n"
PLUGIN = "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npath: "


def lint(text: str, file: str) -> FileResult:
    return lint_file(text, file, CheckRequest(skip_unfinished=True))


# Each kustomization makes kustomize fetch URL, unless crdlint refuses to build it.
FETCHING = {
    "resources": "resources: [crd.yaml, URL]\n",
    "bases": "bases: [crd.yaml, URL]\n",
    "components": "components: [URL]\n",
    "crds": "crds: [URL]\n",
    "configurations": "configurations: [URL]\n",
    "openapi": "openapi: {path: URL}\n",
    "patches": "patches:\n- path: URL\n",
    "patches with a target": "patches:\n- {path: URL, target: {kind: CustomResourceDefinition}}\n",
    "patchesStrategicMerge": "patchesStrategicMerge: [URL]\n",
    "patchesJson6902": "patchesJson6902:\n- {path: URL, target: {version: v1, kind: A, name: a}}\n",
    "replacements": "replacements:\n- path: URL\n",
    "transformers": "transformers: [URL]\n",
    "generators": "generators: [URL]\n",
    "validators": "validators: [URL]\n",
    "a plugin": f"transformers:\n- |\n  {PLUGIN.replace(chr(10), chr(10) + '  ')}URL\n",
    "a plugin in JSON": (
        'transformers: [\'{"apiVersion": "builtin", "kind": "PatchTransformer", "metadata": {"name": "a"}, "PATH": "URL"}\']\n'
    ),
    "a plugin's file": "transformers: [plugin.yaml]\n",
    "a plugin of a file that a folder lists": "transformers: [plugins]\n",
    "a generator plugin": "generators: ['{apiVersion: builtin, kind: SecretGenerator, metadata: {name: a}, files: [a=URL]}']\n",
    "files of a generator": "configMapGenerator:\n- {name: a, files: [URL]}\n",
    "files of a generator with a key": "secretGenerator:\n- {name: a, files: [key=URL]}\n",
    "envs of a generator": "configMapGenerator:\n- {name: a, envs: [URL]}\n",
    "env of a generator": "secretGenerator:\n- {name: a, env: URL}\n",
    "a component's patch": "components: [component]\n",
    "a base of a base": "resources: [crd.yaml, base]\n",
    "another case": "RESOURCES: [crd.yaml, URL]\n",
    "Unicode's case": "re\u017fources: [crd.yaml, URL]\n",
    "binary": "resources: [crd.yaml, !!binary BASE64]\n",
    "an alias": "metadata: {annotations: {a: &a URL}}\nresources: [crd.yaml, *a]\n",
    "a merge key": "generatorOptions: {labels: &x {path: URL}}\npatches:\n- {<<: *x}\n",
    "escapes": 'resources: [crd.yaml, "ESCAPED"]\n',
    "two lines": "resources:\n- crd.yaml\n- >-\n  URL\n",
}


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """Count the requests to a local server."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    serving = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=serving.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{serving.server_port}/a/x.yaml", requests
    serving.shutdown()
    thread.join()
    serving.server_close()


def fetching(root: Path, text: str, url: str) -> str:
    import base64

    encoded = base64.b64encode(url.encode()).decode()
    escaped = "".join(f"\\x{ord(char):02x}" for char in url)
    text = text.replace("URL", url).replace("BASE64", encoded).replace("ESCAPED", escaped)
    if "patches:" not in text:
        text += NAMES
    if "resources:" not in text.lower() and "bases:" not in text and "\u017f" not in text:
        text += "resources: [crd.yaml]\n"
    return write(
        root,
        {
            "crd.yaml": CRD,
            "kustomization.yaml": text,
            "plugin.yaml": PLUGIN + url,
            "plugins/kustomization.yaml": "resources: [plugin.yaml]\n",
            "plugins/plugin.yaml": PLUGIN + url,
            "component/kustomization.yaml": (
                f"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- path: {url}\n"
            ),
            "base/kustomization.yaml": f"resources: [{url}]\n",
        },
    )


@pytest.mark.parametrize("url", ["http://a.example/x.yaml", "HTTP://a.example/x.yaml"])
def test_a_kustomization_that_fetches_is_not_built(
    url: str, program: Callable[..., Path], tmp_path: Path, subtests: pytest.Subtests
) -> None:
    log = tmp_path / "log"
    program("kustomize", f"open({str(log)!r}, 'a').write('run')")
    for i, (name, text) in enumerate(FETCHING.items()):
        with subtests.test(name):
            folder = fetching(tmp_path / f"k{i}", text, url)
            results = check_kustomization(folder, lint, {})
            assert not log.exists()
            if "\u017f" not in text:  # a field that crdlint does not know has no resources either
                assert results[0].notices[0].startswith("not built: ")


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on the path")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            text,
            id=name,
            marks=[] if name in {"resources", "a plugin"} else [pytest.mark.exhaustive],
        )
        for name, text in FETCHING.items()
    ],
)
def test_the_real_kubectl_fetches_what_crdlint_refuses(
    text: str, server: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, requests = server
    folder = fetching(tmp_path, text, url)
    check_kustomization(folder, lint, {})
    assert requests == []
    subprocess.run(["kubectl", "kustomize", folder], capture_output=True, check=False)
    assert requests


REMOTE = (
    "github.com/a/b",
    "GitHub.com/a/b",
    "github.com:a/b",
    "git@example.com:a/b",
    "user@host:repo",
    "user@host/a/b",
    "ssh://host/a",
    "file:///etc",
    "git::https://a/b",
    "gh:a/b",
    "https://a/b?ref=x",
    "a/_git/b",
)


@pytest.mark.parametrize("name", REMOTE)
@pytest.mark.parametrize("field", ["resources", "components"])
def test_a_local_folder_does_not_hide_a_remote_one(
    field: str, name: str, program: Callable[..., Path], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    program("kustomize", f"open({str(log)!r}, 'a').write('run')")
    folder = write(
        tmp_path / "k",
        {
            "crd.yaml": CRD,
            "kustomization.yaml": f"resources: [crd.yaml]\n{NAMES}",
            "kustomization": "",
        },
    )
    document = {
        "resources": ["crd.yaml"],
        "labels": [{"pairs": {"a": "?"}}],
        field: ["crd.yaml", name] if field == "resources" else [name],
    }
    (tmp_path / "k/kustomization.yaml").write_text(json.dumps(document), encoding="utf-8")
    target = tmp_path / "k" / name
    target.mkdir(parents=True)
    (target / "kustomization.yaml").write_text("kind: Component\n", encoding="utf-8")
    [note, *_] = check_kustomization(folder, lint, {})
    assert name in note.notices[0]
    assert not log.exists()


OUTSIDE = {
    "a file above": ("resources: [../crd.yaml]\n", "outside of the folder"),
    "an absolute file": ("resources: [ROOT/crd.yaml]\n", "outside of the folder"),
    "a link to a file": ("resources: [link.yaml]\n", "outside of the folder"),
    "a patch above": ("patches: [{path: ../crd.yaml}]\n", "outside of the folder"),
    "a base outside of the repository": ("resources: [../../other]\n", "outside of the repository"),
    "a link to a base": ("resources: [linked]\n", "outside of the repository"),
    "an absolute base": ("resources: [ROOT/k/base]\n", "is an absolute path"),
    "a folder without a kustomization": ("resources: [empty]\n", "no readable kustomization file"),
    "a pipe": ("resources: [pipe]\n", "no readable kustomization file"),
    "a pipe as a patch": ("patches: [{path: pipe}]\n", "not a regular file but a named pipe"),
    "a device": ("patches: [{path: device}]\n", "outside of the folder"),
    "a control character": ('patches: [{path: "a\\0b"}]\n', "no local file"),
    "no string": ("resources: [1]\n", "`resources[0]` (not a string)"),
    "an unknown field": ("surprise: 1\n", "`surprise` is not a known field"),
    "an unknown field of a patch": (
        "patches: [{paths: [a]}]\n",
        "`patches[0].paths` is not a known field",
    ),
    "a field twice": ("patches: []\nPatches: []\n", "`Patches` is set twice"),
    "Helm": ("helmCharts: [{name: a}]\n", "`helmCharts` runs Helm"),
    "a plugin": (
        "transformers: ['{apiVersion: a/v1, kind: Exec}']\n",
        "runs a plugin that is not built in (a/v1, Exec)",
    ),
    "Helm as a plugin": (
        "generators: ['{apiVersion: builtin, kind: HelmChartInflationGenerator}']\n",
        "runs a plugin that is not built in",
    ),
    "not a list": ("patches: {}\n", "`patches` is not a list"),
    "nesting": (f"metadata: {'[' * 5000}{']' * 5000}\n", "nested too deeply"),
}


@pytest.mark.parametrize(("text", "words"), OUTSIDE.values(), ids=OUTSIDE)
def test_only_files_of_the_kustomization_are_read(
    text: str, words: str, program: Callable[..., Path], tmp_path: Path
) -> None:
    program("kustomize", "raise SystemExit('error: it was built')")
    write(
        tmp_path,
        {
            "repository/crd.yaml": CRD,
            "repository/k/crd.yaml": CRD,
            "repository/k/base/kustomization.yaml": "resources: []\n",
            "other/kustomization.yaml": "resources: []\n",
        },
    )
    folder = tmp_path / "repository/k"
    (tmp_path / "repository/.git").mkdir()
    (folder / "empty").mkdir()
    (folder / "link.yaml").symlink_to(tmp_path / "repository/crd.yaml")
    (folder / "linked").symlink_to(tmp_path / "other")
    (folder / "device").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    text = text.replace("ROOT", str(tmp_path / "repository")) + "labels: [{pairs: {a: '?'}}]\n"
    if "resources" not in text:
        text += "resources: [crd.yaml]\n"
    else:
        text = text.replace("resources: [", "resources: [crd.yaml, ").replace(
            "`resources[0]`", "`resources[1]`"
        )
    (folder / "kustomization.yaml").write_text(text, encoding="utf-8")
    [note, *_] = check_kustomization(str(folder), lint, {})
    assert words.replace("resources[0]", "resources[1]") in note.notices[0]
    assert note.notices[0].startswith("not built: ")


def test_a_nul_in_the_path_of_a_patch_is_input_like_any_other(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        {
            "crd.yaml": CRD,
            "kustomization.yaml": 'resources: [crd.yaml]\npatches:\n- path: "a\\0b"\n- path: crd.yaml\n',
        },
    )
    assert patch_files(folder) == {str((tmp_path / "crd.yaml").resolve())}
    done = CliRunner().invoke(cli, ["check", folder, "--no-cache"])
    assert done.exit_code == 0
    assert "not built: no local file for `patches[0].path` (a" in done.stdout


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("resources: [crd.yaml", "yaml: line 1: did not find expected ',' or ']'"),
        ("- crd.yaml\n", "it is not a mapping"),
        ("# nothing\n", "it is empty"),
        ("images: .inf\n", "a value has no JSON form"),
    ],
)
def test_a_kustomization_that_cannot_be_read_is_reported(
    tmp_path: Path, text: str, reason: str
) -> None:
    folder = write(tmp_path, {"crd.yaml": CRD, "kustomization.yaml": text})
    done = CliRunner().invoke(cli, ["check", folder, "--no-cache"])
    assert (
        f"kustomization.yaml: note: not built: kustomize cannot read this file: {reason}\n"
        in done.stdout
    )
    assert "2 files, 1 CRD: 0 errors" in done.stdout


RECORDING = """\
import json, os, sys
files = {}
for folder, _, names in os.walk(os.path.dirname(os.getcwd())):
    for name in names:
        path = os.path.join(folder, name)
        files[os.path.relpath(path)] = open(path).read()
json.dump({"arguments": sys.argv[1:], "environment": dict(os.environ), "files": files}, open(LOG, "w"))
print("")
"""
EVERYTHING = """\
Resources: [&crd crd.yaml, base, ./base/../extra.yml]
components: [component]
patches:
- path: &patch patch.yaml
- {patch: '[{"op": "test", "path": "/kind", "value": "http://a"}]', target: {kind: CustomResourceDefinition}}
patchesStrategicMerge: [*patch, "{kind: A, metadata: {name: a}}"]
configMapGenerator: [{name: a, files: [extra.yml, key=extra.yml]}]
transformers: [plugin.yaml]
replacements: [{path: replacement.yaml}]
labels: [{pairs: {a: b}}]
"""


def test_a_build_gets_a_copy_of_its_files_and_nothing_else(
    program: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    program("kustomize", RECORDING.replace("LOG", repr(str(log))))
    for name in (
        "HOME",
        "HTTPS_PROXY",
        "KUBECONFIG",
        "SECRET_TOKEN",
        "KUSTOMIZE_PLUGIN_HOME",
        "NO_PROXY",
    ):
        monkeypatch.setenv(name, "https://user.example")
    folder = write(
        tmp_path / "k",
        {
            "kustomization.yml": EVERYTHING,
            "crd.yaml": CRD,
            "extra.yml": "a: b\n",
            "patch.yaml": "kind: A\n",
            "replacement.yaml": "[]\n",
            "plugin.yaml": PLUGIN + "patch.yaml\n",
            "base/Kustomization": "resources: [crd.yaml]\n",
            "base/crd.yaml": CRD,
            "component/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n",
            "secret.txt": "of nobody's business",
        },
    )
    assert check_kustomization(folder, lint, {}) != []
    seen = json.loads(log.read_text(encoding="utf-8"))
    assert seen["arguments"] == ["build", "."]
    assert seen["files"].keys() == {
        "kustomization.yaml", "crd.yaml", "extra.yml", "patch.yaml", "replacement.yaml", "base/kustomization.yaml",
        "base/crd.yaml", "component/kustomization.yaml", "plugin.yaml",
    }  # fmt: skip
    top = json.loads(seen["files"]["kustomization.yaml"])
    assert top["resources"] == ["./crd.yaml", "./base", "./extra.yml"]
    assert top["components"] == ["./component"]
    assert top["patches"][0] == {"path": "./patch.yaml"}
    assert top["patchesStrategicMerge"][0] == "./patch.yaml"
    assert json.loads(top["patchesStrategicMerge"][1]) == {"kind": "A", "metadata": {"name": "a"}}
    assert top["configMapGenerator"] == [
        {"name": "a", "files": ["extra.yml=./extra.yml", "key=./extra.yml"]}
    ]
    assert json.loads(top["transformers"][0])["path"] == "./patch.yaml"
    assert top["replacements"] == [{"path": "./replacement.yaml"}]
    environment = seen["environment"]
    assert "SECRET_TOKEN" not in environment
    assert "NO_PROXY" not in environment
    assert [name for name, value in environment.items() if value == "https://user.example"] == []
    assert environment["HTTPS_PROXY"] == environment["http_proxy"] == "http://127.0.0.1:9"
    assert environment["HOME"] == environment["PATH"]
    assert not os.path.exists(environment["HOME"])  # it was temporary  # noqa: PTH110


def test_a_chain_of_bases_is_not_bounded_by_the_stack(tmp_path: Path) -> None:
    depth = 1_200  # beyond the limit of Python's recursion
    for i in range(depth):
        write(tmp_path, {f"{i}/kustomization.yaml": f"resources: [../{i + 1}]\n"})
    write(tmp_path, {f"{depth}/kustomization.yaml": "resources: []\n"})
    found = read_kustomization(str(tmp_path / "0"))
    assert found is not None
    assert len(found.layers) == depth + 1


def test_a_file_is_read_once_however_often_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from crdlint.sources.kustomize import kustomization

    read: list[str] = []

    def counting(path: str, *_: int) -> bytes:
        read.append(path)
        return Path(path).read_bytes()

    monkeypatch.setattr(kustomization, "read_bytes", counting)
    names = ", ".join(["crd.yaml"] * 1000)
    write(
        tmp_path,
        {"crd.yaml": CRD, "kustomization.yaml": f"resources: [{names}]\ncrds: [{names}]\n"},
    )
    read_kustomization(str(tmp_path))
    assert sorted(Path(path).name for path in read) == ["crd.yaml", "kustomization.yaml"]


def test_a_name_that_is_no_local_path(tmp_path: Path) -> None:
    names = (None, 1, "", "a\nb", "\ud800", "a:b", *REMOTE)
    assert [name for name in names if local_path(str(tmp_path), name) is not None] == []


@pytest.mark.parametrize(
    "name", ["a.yaml", "./a", "../a", "a b/c.d", "gîte/é.yaml", ".git", "a/b:c@d"]
)
def test_a_name_that_is_a_local_path(name: str, tmp_path: Path) -> None:
    assert local_path(str(tmp_path), name) == str((tmp_path / name).resolve())
