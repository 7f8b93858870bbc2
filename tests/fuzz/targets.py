"""What is fuzzed: how to make an input of each kind, and what to do with it. Only expected errors are caught."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import tarfile
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grammar
from mutation import mutated, mutated_bytes

import crdlint
from crdlint.linting.request import CheckRequest
from crdlint.safety.bugs import Bug, collected

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from crdlint.config.identity import FindingIdentity
    from crdlint.kubecel.compilation import RuleCompiler
    from crdlint.linting.result import FileResult

FIXTURES: Final = Path(__file__).resolve().parents[2] / "fixtures"


@dataclass(frozen=True, slots=True)
class Target:
    """A part of crdlint: `make` returns a random input, and `use` raises for a bug only."""

    make: Callable[[Random], Any]
    use: Callable[[Any], object]

    def run(self, given: Any) -> None:
        """Use an input; raise for a bug, even if it is contained."""
        bugs: list[Bug] = []
        with collected(bugs):
            self.use(given)
        if bugs:
            raise RuntimeError(bugs[0].traceback)


@cache
def _crds() -> tuple[str, ...]:
    """Return the texts of the fixtures."""
    files = sorted(
        one
        for folder in ("valid", "invalid")
        for one in (FIXTURES / folder).glob("*")
        if one.is_file()
    )
    return tuple(one.read_bytes().decode("utf-8", "replace") for one in files)


def _crd_text(random: Random) -> str:
    """Return a fixture with changes, a random CRD, or a random CRD with changes."""
    kind = random.randrange(3)
    if kind == 0:
        return mutated(random, random.choice(_crds()), _crds())
    text = grammar.written(random, grammar.crd(random))
    return text if kind == 1 else mutated(random, text, _crds())


def _lint(text: str) -> None:
    for diagnostic in crdlint.lint_text(text):
        _check(diagnostic, text)


def _check(diagnostic: crdlint.Diagnostic, text: str) -> None:
    """Check that a finding is in the text, and has all that a report shows."""
    lines = (
        text.count("\n")
        + text.count("\r")
        + text.count("\x85")
        + text.count("\u2028")
        + text.count("\u2029")
        + 2
    )
    assert 1 <= diagnostic.line <= diagnostic.end_line <= lines
    assert diagnostic.column >= 1
    assert diagnostic.rule
    assert diagnostic.message


def _pair(random: Random) -> tuple[str, str]:
    old = _crd_text(random)
    return old, mutated(random, old, _crds()) if random.randrange(3) else _crd_text(random)


def _update(pair: tuple[str, str]) -> None:
    for diagnostic in crdlint.lint_update(*pair):
        _check(diagnostic, "\n".join(pair))


def _resource(random: Random) -> tuple[str, str, str | None]:
    crd = grammar.crd(random)
    of = grammar.written(random, crd)
    if random.randrange(6) == 0:
        of = mutated(random, of)
    texts = [grammar.written(random, grammar.resource(random, crd)) for _ in range(2)]
    new, old = (mutated(random, one) if random.randrange(2) else one for one in texts)
    return of, new, old if random.randrange(3) == 0 else None


def _validate(texts: tuple[str, str, str | None]) -> None:
    from crdlint.resources.validation import UnknownVersionError

    crd, new, old = texts
    with suppress(crdlint.YAMLDecodeError, UnknownVersionError):
        crdlint.validate_resource(crd, new, old_resource=old)


def _decode(text: str) -> None:
    with suppress(crdlint.YAMLDecodeError):
        crdlint.decode_yaml(text)


_SELF: Final = """\
{type: object, required: [s], properties: {
s: {type: string, maxLength: 20}, i: {type: integer}, n: {type: number}, b: {type: boolean},
any: {x-kubernetes-int-or-string: true}, time: {type: string, format: date-time},
l: {type: array, items: {type: string}}, m: {type: object, additionalProperties: {type: integer}},
o: {type: object, properties: {a-b: {type: string}, namespace: {type: string}, l: {type: array, maxItems: 3,
items: {type: object, properties: {name: {type: string}}}}}}}, x-kubernetes-validations: [{rule: "true"}]}
"""


@cache
def _compiler() -> RuleCompiler:
    from crdlint.kubecel.compilation import RuleCompiler
    from crdlint.kubecel.declarations import SchemaContext
    from crdlint.kubernetes.servers import NEWEST
    from crdlint.linting.pipeline import lint_file

    lines = "".join(f"            {line}\n" for line in _SELF.splitlines())
    head = _crds()[0].partition("        type: object")[0]
    result = lint_file(
        f"{head}        type: object\n        properties:\n          spec:\n{lines}",
        "x",
        CheckRequest(keep=True),
    )
    return RuleCompiler(SchemaContext(NEWEST.cel).declared(result.rules[0].estimated.node.schema))


def _expression(random: Random) -> str:
    text = grammar.condition(random, random.choice((2, 4, 6, 8)))
    return text if random.randrange(3) == 0 else mutated(random, text)


def _compile(text: str) -> None:
    from crdlint.cel.source_ranges import error_range
    from crdlint.kubecel.compilation import MESSAGE, RULE
    from crdlint.kubecel.environment import new_expressions
    from crdlint.kubecel.hints import hint
    from crdlint.kubecel.reasoning.optional_fields import unguarded
    from crdlint.kubernetes.servers import NEWEST
    from crdlint.safety.work import Effort

    for kind in (RULE, MESSAGE):
        expression = _compiler().expression(
            text, kind, new_expressions(NEWEST), optional_old_self=False
        )
        if expression.error is None:
            assert expression.highest_cost >= 0
            unguarded(expression)
        else:
            hint(expression, Effort())
            for error in expression.compiled.errors:
                error_range(error, expression.compiled.source)


def _archive(random: Random) -> bytes:
    """Return a packed chart with CRDs, changed in its tar blocks, its compressed bytes, or not at all."""
    packed = io.BytesIO()
    form = random.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT))
    with tarfile.open(fileobj=packed, mode="w", format=form) as tar:
        for i in range(1 + random.randrange(4)):
            name = random.choice(
                (
                    "x/Chart.yaml",
                    f"x/crds/{i}.yaml",
                    f"x/templates/{'d/' * 20}{i}.yaml",
                    "x/charts/y.tgz",
                )
            )
            data = mutated(random, random.choice(_crds()), _crds())[:4096].encode(
                "utf-8", "surrogatepass"
            )
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.type = random.choice(
                (
                    tarfile.REGTYPE,
                    tarfile.REGTYPE,
                    tarfile.SYMTYPE,
                    tarfile.DIRTYPE,
                    tarfile.AREGTYPE,
                )
            )
            if form == tarfile.PAX_FORMAT and random.randrange(2):
                member.pax_headers = {
                    random.choice(("path", "size", "comment", "GNU.sparse.map")): random.choice(
                        ("1", "9" * 30, "é" * 200)
                    )
                }
            tar.addfile(member, io.BytesIO(data))
    raw = packed.getvalue()
    if random.randrange(2):
        raw = mutated_bytes(random, raw)
    data = gzip.compress(raw, 1, mtime=0)
    return mutated_bytes(random, data) if random.randrange(3) == 0 else data


def _unpack(data: bytes) -> None:
    from crdlint.sources.helm.archive import packed_files

    with tempfile.TemporaryDirectory() as chart:
        path = Path(chart, "charts", "x.tgz")
        path.parent.mkdir()
        path.write_bytes(data)
        for found in packed_files(chart):
            assert found


_CONFIGURATIONS: Final = (
    "select: ['*']\nignore: [cel-*]\nseverity: {unknown-field: warning}\nfail-on: warning\nexclude: ['a/**', '!b']\n"
    "per-file-ignores:\n  'x/*.yaml': [yaml-syntax]\nrequired-version: '>=0.1'\nkube-version: 1.30..1.36\n",
    '[tool.other]\nx = """a\n"""\n[tool.crdlint]\nselect = ["*"]\nfail-on = "error"\n[tool.crdlint.severity]\n'
    "unknown-field = 'off'\n[tool.crdlint.per-file-ignores]\n\"*.yaml\" = [\n  'yaml-syntax', # a\n]\n",
)


def _configuration(random: Random) -> tuple[str, str]:
    return mutated(random, random.choice(_CONFIGURATIONS), _CONFIGURATIONS), random.choice(
        (".yaml", ".toml")
    )


def _configure(given: tuple[str, str]) -> None:
    from crdlint.config.load import read_config
    from crdlint.config.model import ConfigError

    text, suffix = given
    with _file(text, suffix) as path, suppress(ConfigError):
        config = read_config(path)
        config.excludes("a/b.yaml")
        config.ignored_by("yaml-syntax", "x/a.yaml")
        config.severity_of("unknown-field", "error")


_COMMENTS: Final = (
    *(
        "# crdlint: ignore",
        "# crdlint: ignore[unknown-field]",
        "# crdlint: ignore[cel-*] -- why",
        "# crdlint: ignore-next",
    ),
    *(
        "# crdlint: ignore-file",
        "# crdlint: ignore[",
        "# crdlint: ignore[a, b,,c]",
        "# crdlint:ignore",
        "#crdlint: disable",
    ),
)


def _commented(random: Random) -> str:
    lines = random.choice(_crds()).split("\n")
    for _ in range(1 + random.randrange(6)):
        at = random.randrange(len(lines))
        lines[at] += random.choice((" ", "\n", "  \n  ")) + random.choice(_COMMENTS)
    return mutated(random, "\n".join(lines), _crds())


def _comment(text: str) -> None:
    from crdlint.config.comments import read_comments
    from crdlint.config.matched_comments import match_ignore_comments
    from crdlint.linting.pipeline import lint_file

    result = lint_file(text, "x.yaml", CheckRequest(skip_unfinished=True))
    match_ignore_comments(
        read_comments(text, "x.yaml"), result.diagnostics, [crd.line for crd in result.crds]
    )


_BASELINE: Final = """\
{"version": 1, "findings": [
{"crd": "foos.example.com", "version": "v1", "path": ".spec", "rule": "unknown-field", "count": 2},
{"crd": "a", "path": "", "rule": "yaml-syntax"}
]}
"""


def _baseline(random: Random) -> tuple[str, str]:
    return mutated(random, _BASELINE, (_BASELINE,)), _crd_text(random)


def _known(given: tuple[str, str]) -> None:
    from crdlint.config import baseline
    from crdlint.config.model import ConfigError
    from crdlint.linting.pipeline import lint_file

    text, crd = given
    known: Mapping[FindingIdentity, int] = {}
    with _file(text, ".json") as path, suppress(ConfigError):
        known = baseline.read(path)
    result = lint_file(crd, filename="x.yaml")
    baseline.BaselineMatcher(Counter(known)).ignored_in(result)
    update = baseline.Update(known)
    update.ignored_in(result)
    baseline.BaselineMatcher(Counter(update.baseline())).ignored_in(result)


_TEMPLATES: Final = (
    "{{- if .Values.crds }}\n%s{{- end }}\n",
    '{{/* a comment */}}\n%s---\n{{ include "x" . | nindent 2 }}\n',
    "{{- range $i, $x := .Values.list }}\n---\n%s{{ else }}\na: b\n{{- end -}}\n",
    '{{- define "x" }}\n%s{{- end }}\n',
)


_ACTIONS: Final = (
    ".Values.x",
    "$x",
    'include "a" . | quote',
    ".Values.y | default `b`",
    "toYaml .Values.z | nindent 4",
)


def _template(random: Random) -> str:
    text = random.choice(_crds())
    for _ in range(random.randrange(4)):
        at = text.find(":", random.randrange(len(text)))
        if at >= 0:
            text = f"{text[: at + 1]} {{{{ {random.choice(_ACTIONS)} }}}}{text[at + 1 :]}"
    return mutated(random, random.choice(_TEMPLATES).replace("%s", text), _crds())


def _render(text: str) -> None:
    from crdlint.linting.pipeline import lint_file
    from crdlint.sources.helm.templates import check_template, check_unrendered

    def lint(given: str, file: str) -> Any:
        return lint_file(given, filename=file)

    check_template("x/templates/a.yaml", text, lint)
    check_unrendered("x/crds/a.yaml", text, lint)


def _rendering(random: Random) -> tuple[str, str]:
    """Return a template and a text as what it renders to."""
    template = _template(random)
    made = template
    for action in _ACTIONS:
        made = made.replace(f"{{{{ {action} }}}}", random.choice(("x", "", "int", "a\n  b: c")))
    return template, mutated(random, made, _crds())


def _map_back(texts: tuple[str, str]) -> None:
    from crdlint.linting.pipeline import lint_file
    from crdlint.sources.helm.render import RenderedDocument
    from crdlint.sources.helm.rendered import check_rendered

    template, made = texts
    check_rendered(
        "x/templates/a.yaml",
        template,
        [RenderedDocument(made, ("",))],
        lambda given, file: lint_file(given, filename=file),
    )


_KUSTOMIZATIONS: Final = (
    "resources: [&a a.yaml, base, *a]\nPatches: [{path: a.yaml}]\npatchesStrategicMerge: [a.yaml, '{kind: A}']\n",
    "components: [base]\nconfigMapGenerator: [{name: a, files: [a.yaml, b=a.yaml], envs: [a.yaml]}]\n",
    "transformers: ['{apiVersion: builtin, kind: PatchTransformer, path: a.yaml}', a.yaml]\nlabels: [{pairs: {a: b}}]\n",
    "openapi: {path: a.yaml}\nconfigurations: [a.yaml]\nnamespace: a\nreplacements: [{path: a.yaml}, {targets: []}]\n",
)
_REFERENCES: Final = (
    *(
        "http://a.example/a/b",
        "HTTPS://a.example/a/b",
        "github.com/a/b",
        "git@a.example:a/b",
        "a@b:c/d",
        "!!binary aHR0cA==",
    ),
    *(
        "../a.yaml",
        "/etc/passwd",
        "a.yaml",
        "./base/../a.yaml",
        "base",
        "..",
        ".",
        "file:///a",
        "a/_git/b",
        "ssh://a/b",
    ),
)


def _kustomization(random: Random) -> str:
    text = random.choice(_KUSTOMIZATIONS)
    for _ in range(random.randrange(3)):
        text = text.replace(random.choice(("a.yaml", "base")), random.choice(_REFERENCES), 1)
    return mutated(random, text, _KUSTOMIZATIONS)


def _resolve(text: str) -> None:
    """Read a kustomization; the copy that is built refers to nothing but files of the copy."""
    from crdlint.sources.kustomize.build import changes_crds
    from crdlint.sources.kustomize.kustomization import patch_files, read_kustomization

    with tempfile.TemporaryDirectory() as folder:
        for name, content in (
            ("a.yaml", "kind: A\n"),
            ("base/kustomization.yaml", "resources: [a.yaml]\n"),
            ("base/a.yaml", ""),
        ):
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, encoding="utf-8")
        Path(folder, "kustomization.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
        patch_files(folder)
        found = read_kustomization(folder)
        if found is None or found.problem is not None:
            return
        changes_crds(found)
        names = {Path(found.parent, name) for name in found.tree()}
        document = found.top.document
        references = [
            *(
                one
                for key in ("resources", "bases", "components", "crds", "configurations")
                for one in document.get(key) or ()
            ),
            *(
                one["path"]
                for key in ("patches", "replacements")
                for one in document.get(key) or ()
                if "path" in one
            ),
        ]
        for one in references:
            path = Path(folder, one).resolve()
            assert one.startswith(("./", "../")), one
            assert not {path, path / "kustomization.yaml"}.isdisjoint(names), one


def _cost(text: str) -> None:
    from rich.color import ColorSystem

    from crdlint.linting.cost_entries import entries
    from crdlint.linting.pipeline import lint_file
    from crdlint.report.cost_text import tables
    from crdlint.report.html import CostPage
    from crdlint.report.pieces import Costs, View
    from crdlint.report.terminal import Terminal
    from crdlint.runner.fixes import fix

    result = lint_file(text, "x.yaml", CheckRequest(keep=True, fixes=True))
    found = entries(result)
    costs = Costs(found, [result])
    list(CostPage(View()).pieces(costs))
    list(tables(costs, Terminal(80, ColorSystem.STANDARD)))
    fix(result, lambda given: lint_file(given, "x.yaml", CheckRequest(fixes=True)), unsafe=True)


def fix_to_the_end(text: str) -> None:
    """Apply fixes, only safe ones and all: a second run changes nothing."""
    from crdlint.linting.pipeline import lint_file
    from crdlint.runner.fixes import fix

    def check(given: str) -> FileResult:
        return lint_file(given, "x.yaml", CheckRequest(skip_unfinished=True, fixes=True))

    for unsafe in (False, True):
        fixed = fix(check(text), check, unsafe=unsafe)
        again = fix(check(fixed.text), check, unsafe=unsafe)
        assert again.text == fixed.text, [applied.title for applied in again.applied]


def _run(*arguments: str) -> str:
    """Run a command, and return what it prints, without times; an internal error is raised."""
    from click.testing import CliRunner

    from crdlint.cli.main import cli

    done = CliRunner().invoke(cli, arguments)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in {0, 1, 2}, done.output
    return re.sub(r"\d+(?:\.\d+)? m?s\b", "", done.stdout)


def _object_and_expression(random: Random) -> tuple[str, str]:
    crd = grammar.crd(random)
    text = grammar.written(random, grammar.resource(random, crd))
    return mutated(random, text) if random.randrange(3) == 0 else text, _expression(random)


def _evaluate(given: tuple[str, str]) -> None:
    text, expression = given
    with _file(text, ".yaml") as path:
        _run("eval", "--object", path, "--", expression)


def _suite(random: Random) -> tuple[str, str]:
    crd = grammar.crd(random)
    paths = (
        "/spec",
        "/spec/versions",
        "/spec/versions/0",
        "/metadata",
        "",
        "/spec/x",
        "/spec/versions/-",
    )
    operation = {
        "op": random.choice(("copy", "add", "remove", "test", "move")),
        "from": random.choice(paths),
    }
    patches = [
        {**operation, "path": random.choice(paths), "value": [1]}
        for _ in range(random.randrange(30))
    ]
    initial, updated = (grammar.written(random, grammar.resource(random, crd)) for _ in range(2))
    name = crd["metadata"]["name"] if isinstance(crd.get("metadata"), dict) else "x"
    case = {"name": "a", "initial": initial, "updated": updated, "initialCRDPatches": patches}
    suite = json.dumps({"crdName": str(name), "tests": {"onUpdate": [case], "onCreate": []}})
    return grammar.written(random, crd), mutated(random, suite) if random.randrange(
        3
    ) == 0 else suite


def _test(given: tuple[str, str]) -> None:
    crd, suite = given
    with _file(crd, ".yaml") as crd_path, _file(suite, ".testsuite.yaml") as path:
        _run("test", "--crd", crd_path, path)


def _compare(pair: tuple[str, str]) -> None:
    old, new = pair
    with _file(old, ".yaml") as old_path, _file(new, ".yaml") as new_path:
        _run("diff", "--explain", old_path, new_path)
        _run("diff", "--all", "--format", "json", old_path, new_path)


def _run_in_every_way(text: str) -> None:
    """Check a file without and with the cache, from the cache, and beside a copy in two processes: the findings are equal."""
    with _file(text, ".yaml") as path, tempfile.TemporaryDirectory() as folder:
        os.environ["CRDLINT_CACHE_DIR"] = folder
        command = ("check", "--format", "concise", path)
        first = _run(*command, "--no-cache")
        assert _run(*command) == first
        assert _run(*command) == first
        assert _run(*command, "--jobs", "2", "--no-cache") == first


def _open_documents(random: Random) -> tuple[str, str, int]:
    """Return a CRD and an object that are half written, and how far the positions are apart that are asked for."""
    crd = grammar.crd(random)
    texts = [
        grammar.written(random, crd),
        grammar.written(random, grammar.resource(random, crd)),
    ]
    crd_text, resource = (mutated(random, text) if random.randrange(2) else text for text in texts)
    longest = max(len(crd_text), len(resource))
    return crd_text, resource, max(longest // 20, 1)


def _ask(given: tuple[str, str, int]) -> None:
    from requests_of_editors import ask

    ask(*given)


class _file:  # noqa: N801  used as a function
    """A text in a file, for as long as a `with` block lasts."""

    def __init__(self, text: str, suffix: str) -> None:
        descriptor, self._path = tempfile.mkstemp(suffix)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))

    def __enter__(self) -> str:
        return self._path

    def __exit__(self, *_: object) -> None:
        Path(self._path).unlink()


TARGETS: Final[dict[str, Target]] = {
    "lint_text": Target(_crd_text, _lint),
    "decode_yaml": Target(_crd_text, _decode),
    "lint_update": Target(_pair, _update),
    "validate_resource": Target(_resource, _validate),
    "cel": Target(_expression, _compile),
    "costs": Target(_crd_text, _cost),
    "archives": Target(_archive, _unpack),
    "configuration": Target(_configuration, _configure),
    "comments": Target(_commented, _comment),
    "baselines": Target(_baseline, _known),
    "templates": Target(_template, _render),
    "rendered": Target(_rendering, _map_back),
    "fixes": Target(_crd_text, fix_to_the_end),
    "evaluations": Target(_object_and_expression, _evaluate),
    "suites": Target(_suite, _test),
    "differences": Target(_pair, _compare),
    "runs": Target(_crd_text, _run_in_every_way),
    "kustomizations": Target(_kustomization, _resolve),
    "requests": Target(_open_documents, _ask),
}
