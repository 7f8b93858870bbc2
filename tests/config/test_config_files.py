"""Configuration files: which one is used, what it says, and what is said of a broken one, with the place."""

from __future__ import annotations

import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from tables import each

import crdlint.config
from crdlint.config.from_toml import mentions_crdlint
from crdlint.config.load import MAX_BYTES, nearest_config, read_config
from crdlint.config.model import Config, ConfigError
from crdlint.config.rule_patterns import is_known
from crdlint.kubernetes.servers import NEWEST, OLDEST, parse_range

WHOLE_YAML = """\
# ours
select: [cel-*, pattern-invalid]
ignore:
- cel-rule-cost-near-limit
severity: {yaml-boolean: off, cel-*: warning}
per-file-ignores:
  /generated/: ["*"]
kube-version: 1.30
exclude: ["*.tmpl.yaml", /vendor/]
fail-on: never
required-version: ">=0.1"
include-dependencies: true
"""
WHOLE_TOML = """\
[project]
name = "x"

[tool.crdlint]
select = ["cel-*", "pattern-invalid"]
ignore = ["cel-rule-cost-near-limit"]
severity = {yaml-boolean = "off", "cel-*" = "warning"}
kube-version = 1.30
exclude = [
  "*.tmpl.yaml",  # "not me"
  "/vendor/",
]
fail-on = "never"
required-version = ">=0.1"
include-dependencies = true

[tool.crdlint.per-file-ignores]
"/generated/" = ["*"]

[tool.other]
select = 1
"""


def put(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def faults(folder: Path, text: str, name: str = ".crdlint.yaml") -> list[tuple[int, int, str]]:
    with pytest.raises(ConfigError) as caught:
        read_config(put(folder, name, text))
    return [(fault.line, fault.column, fault.message) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("name", "text"), [(".crdlint.yaml", WHOLE_YAML), ("pyproject.toml", WHOLE_TOML)]
)
def test_every_key(tmp_path: Path, name: str, text: str) -> None:
    config = read_config(put(tmp_path, name, text))
    assert config == Config(
        file=str(tmp_path / name),
        folder=str(tmp_path),
        select=("cel-*", "pattern-invalid"),
        ignore=("cel-rule-cost-near-limit",),
        severity=(("yaml-boolean", "off"), ("cel-*", "warning")),
        per_file_ignores=(("/generated/", ("*",)),),
        kube_version=parse_range("1.30"),
        exclude=("*.tmpl.yaml", "/vendor/"),
        fail_on="never",
        required_version=">=0.1",
        include_dependencies=True,
    )
    assert pickle.loads(pickle.dumps(config)) == config


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "null\n", "{}\n"])
def test_an_empty_file_is_the_defaults(tmp_path: Path, text: str) -> None:
    path = put(tmp_path, ".crdlint.yaml", text)
    assert read_config(path) == Config(file=path, folder=str(tmp_path))


def test_the_schema_has_every_field_of_a_config() -> None:
    schema = json.loads((Path(crdlint.config.__file__).parent / "schema.json").read_text())
    own = {"file", "folder", "notices", "in_chart", "ignores"}
    settings = {name.replace("-", "_") for name in schema["properties"]}
    assert settings - {"extend"} == set(Config._fields) - own
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(schema)


# The closest one


def test_the_closest_one_upwards(tmp_path: Path) -> None:
    put(tmp_path, ".crdlint.yaml", "ignore: [yaml-boolean]\n")
    put(tmp_path / "a", "pyproject.toml", "[project]\nname = 'crdlint-user'\n")
    put(tmp_path / "b", ".crdlint.yml", "ignore: [pattern-invalid]\n")
    put(tmp_path / "c", "pyproject.toml", "[tool.crdlint]\n")
    cache: dict[Any, Any] = {}
    assert nearest_config(str(tmp_path / "a/deep/er/x.yaml"), cache).ignore == ("yaml-boolean",)
    assert nearest_config(str(tmp_path / "b/deep/x.yaml"), cache).ignore == ("pattern-invalid",)
    assert nearest_config(str(tmp_path / "c/x.yaml"), cache).ignore == ()
    assert nearest_config(str(tmp_path / "x.yaml"), cache).ignore == ("yaml-boolean",)
    assert len({id(config) for config in cache.values()}) == 3


def test_it_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, ".crdlint.yaml", "ignore: [yaml-boolean]\n")
    cache: dict[Any, Any] = {}
    first = nearest_config(str(tmp_path / "a/x.yaml"), cache)
    monkeypatch.setattr("crdlint.config.load.of_folder", lambda _: pytest.fail("read again"))
    assert nearest_config(str(tmp_path / "a/y.yaml"), cache) is first
    assert nearest_config(str(tmp_path / "y.yaml"), cache) is first


def test_without_one_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not str(nearest_config("x.yaml", {}).file).startswith(str(tmp_path))
    put(tmp_path, ".crdlint.yaml", "fail-on: info\n")
    assert nearest_config("-", {}).fail_on == "info"
    assert nearest_config("sub/../x.yaml", {}).file == ".crdlint.yaml"


def test_two_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "pyproject.toml", "[tool.crdlint]\nfail-on = 'never'\n")
    assert nearest_config("x.yaml", {}).notices == ()
    put(tmp_path, ".crdlint.yaml", "fail-on: info\n")
    found = nearest_config("x.yaml", {})
    assert found.fail_on == "info"
    assert found.notices == (".crdlint.yaml is used; pyproject.toml beside it is not",)
    put(tmp_path, ".crdlint.yml", "fail-on: warning\n")
    assert nearest_config("x.yaml", {}).notices == (
        ".crdlint.yaml is used; .crdlint.yml and pyproject.toml beside it are not",
    )


def test_a_broken_one_is_the_same_error_for_all_below(tmp_path: Path) -> None:
    put(tmp_path, "a/.crdlint.yaml", "ignor: []\n")
    cache: dict[Any, Any] = {}
    errors = []
    for name in ("a/x.yaml", "a/b/y.yaml", "a/b/z.yaml"):
        with pytest.raises(ConfigError) as caught:
            nearest_config(str(tmp_path / name), cache)
        errors.append(caught.value)
    assert errors[0] is errors[1] is errors[2]
    assert nearest_config(str(tmp_path / "x.yaml"), cache).ignore == ()
    again = pickle.loads(pickle.dumps(errors[0]))
    [problem] = again.faults
    assert (problem.message, problem.line, problem.column) == (
        "unknown key 'ignor'; did you mean 'ignore'?",
        1,
        1,
    )
    assert (
        str(again) == f"{tmp_path}/a/.crdlint.yaml:1:1: unknown key 'ignor'; did you mean 'ignore'?"
    )


# What is wrong, and where


FAULTS_OF_YAML: Final[list[tuple[str, list[tuple[int, int, str]]]]] = [
    ("select: []\nignor: []\n", [(2, 1, "unknown key 'ignor'; did you mean 'ignore'?")]),
    ("kube_version: 1.30\n", [(1, 1, "unknown key 'kube_version'; did you mean 'kube-version'?")]),
    ("zzz: 1\n", [(1, 1, "unknown key 'zzz'")]),
    ("ignore:\n- cel-rule-cots\n", [(2, 3, "there is no rule 'cel-rule-cots'; did you mean 'cel-rule-cost'?")]),
    ("select: [cel]\n", [(1, 10, "no rule is called 'cel'; did you mean 'cel-*'?")]),
    ("select: [ALL]\n", [(1, 10, "no rule is called 'ALL'; did you mean '*'?")]),
    ("select: [clel-*]\n", [(1, 10, "no rule matches 'clel-*'; did you mean 'cel-*'?")]),
    ("select: cel-*\n", [(1, 9, "'select' must be a list, not 'cel-*'")]),
    ("select:\n", [(1, 1, "'select' must be a list, not nothing")]),
    ("select: [[a]]\n", [(1, 10, "an entry of 'select' must be text, not a list")]),
    ("select: ['']\n", [(1, 10, "an entry of 'select' is empty")]),
    ("- a\n", [(1, 1, "the configuration must be keys with values, not a list")]),
    ("fail\n", [(1, 1, "the configuration must be keys with values, not 'fail'")]),
    (
        "severity:\n  yaml-boolean: warn\n",
        [(2, 17, "severity: 'yaml-boolean' is error, warning, info or off, not 'warn'; did you mean 'warning'?")],
    ),
    (
        "severity: {yaml-bolean: off}\n",
        [(1, 12, "there is no rule 'yaml-bolean'; did you mean 'yaml-boolean'?")],
    ),
    ("fail-on: errors\n", [(1, 10, "'fail-on' is error, warning, info or never, not 'errors'; did you mean 'error'?")]),
    ("include-dependencies: yes\n", [(1, 23, "'include-dependencies' must be true or false, not 'yes'")]),
    ("kube-version: new\n", [(1, 15, f"'kube-version': 'new' is not a Kubernetes version such as {NEWEST}")]),
    ("kube-version: 1.3\n", [(1, 15, f"'kube-version': '1.3' is not within {OLDEST}..{NEWEST}")]),
    ("kube-version: 1.36..1.30\n", [(1, 15, "'kube-version': '1.36..1.30' ends before it begins")]),
    ("exclude: ['!']\n", [(1, 11, "'!' is not a pattern of files")]),
    ("per-file-ignores: {a: b}\n", [(1, 23, "per-file-ignores: 'a' must be a list, not 'b'")]),
    (
        "per-file-ignores:\n  '*.yaml':\n  - yaml-boolaen\n",
        [(3, 5, "there is no rule 'yaml-boolaen'; did you mean 'yaml-boolean'?")],
    ),
    ("select: [*]\n", [
        (1, 11, "not valid YAML: yaml: did not find expected alphabetic or numeric character: "
                "put what begins with * in quotes"),
    ]),
    ("select: [*-cost]\n", [
        (1, 10, "not valid YAML: yaml: unknown anchor '-cost' referenced: put what begins with * in quotes"),
    ]),
    ("select: []\nselect: []\n", [(2, 1, "'select' is given twice")]),
    ("? [a]\n: 1\n", [(1, 3, "a key that is a list or mapping, not a name")]),
    ("select: []\n---\nignore: []\n", [(3, 1, "a second document: a configuration is one")]),
    ("a: &a [*a]\n", [(1, 8, "not valid YAML: yaml: anchor 'a' value contains itself")]),
    (
        "required-version: '>=99'\nnew-key: 1\n",
        [(1, 19, "this is crdlint 0.1.0, and the configuration is for >=99: pip install 'crdlint>=99'")],
    ),
    (
        "required-version: 0.4\n",
        [(1, 19, "'required-version': '0.4' is not a version specifier; did you mean '>=0.4'?")],
    ),
    ("required-version: [1]\n", [(1, 1, "'required-version' must be text, not a list")]),
    ("fail-on: x\nselect: 1\n", [
        (1, 10, "'fail-on' is error, warning, info or never, not 'x'"),
        (2, 9, "'select' must be a list, not '1'"),
    ]),
]  # fmt: skip


def test_faults_of_yaml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    for text, expected in FAULTS_OF_YAML:
        with subtests.test(str(text)[:60]):
            monkeypatch.setattr("crdlint.config.validate.__version__", "0.1.0")
            assert faults(tmp_path, text) == expected


FAULTS_OF_TOML: Final[list[tuple[str, list[tuple[int, int, str]]]]] = [
    ("[tool.crdlint]\nignor = []\n", [(2, 1, "unknown key 'ignor'; did you mean 'ignore'?")]),
    ("[tool.crdlint]\nselect = [\n  'cel-*',\n  'cell-*',\n]\n", [
        (4, 3, "no rule matches 'cell-*'; did you mean 'cel-*'?"),
    ]),
    ("[tool]\ncrdlint.fail-on = 'nevr'\n", [
        (2, 19, "'fail-on' is error, warning, info or never, not 'nevr'; did you mean 'never'?"),
    ]),
    ("[tool.crdlint.severity]\nyaml-boolean = 'warn'\n", [
        (2, 16, "severity: 'yaml-boolean' is error, warning, info or off, not 'warn'; did you mean 'warning'?"),
    ]),
    ("[tool.crdlint]\nseverity = {yaml-bolean = 'off'}\n", [
        (2, 13, "there is no rule 'yaml-bolean'; did you mean 'yaml-boolean'?"),
    ]),
    ("[tool]\ncrdlint = 3\n", [(2, 11, "the configuration must be keys with values, not 3")]),
    ("[tool]\ncrdlint = {select = 3}\n", [(2, 21, "'select' must be a list, not 3")]),
    ("[tool.crdlint]\nkube-version = 1\n", [(2, 16, "'kube-version' must be text, not 1")]),
    ('x = """\n[tool.crdlint]\nselect = 1\n"""\n[tool.crdlint]\nselect = 2\n', [
        (6, 10, "'select' must be a list, not 2"),
    ]),
    ("[tool.crdlint]\nselect = [\n", [(2, 11, "not valid TOML: Invalid value (the file ends too early)")]),
    ("[tool.crdlint]\nselect == 1\n", [(2, 9, "not valid TOML: Invalid value")]),
    ("[tool.crdlint]\na = 1\na = 2\n", [(3, 6, "not valid TOML: Cannot overwrite a value")]),
    ("[tool.crdlint]\na = " + "[" * 100_000, [(1, 1, "not valid TOML: nested too deeply")]),
    ("[tool.crdlint]\n" + "a." * 100_000 + "a = 1\n", [(2, 1, "not valid TOML: a key of more than 100 parts")]),
    ("[tool.crdlint]\nselect = 2020-01-01\n", [(2, 10, "'select' must be a list, not 2020-01-01")]),
]  # fmt: skip


def test_faults_of_toml(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for text, expected in FAULTS_OF_TOML:
        with subtests.test(str(text)[:60]):
            assert faults(tmp_path, text, "pyproject.toml") == expected


def test_a_pyproject_that_is_not_ours_may_be_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, ".crdlint.yaml", "fail-on: never\n")
    for text in ("[[[", "dependencies = ['crdlint'\n", "x" * (MAX_BYTES + 5), "\0"):
        put(tmp_path, "a/pyproject.toml", text)
        assert nearest_config("a/x.yaml", {}).fail_on == "never"


# What cannot be read


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / ".crdlint.yaml").mkdir()
    with pytest.raises(ConfigError, match="cannot be read: not a regular file but a directory"):
        nearest_config(str(tmp_path / "x.yaml"), {})
    (tmp_path / "a").mkdir()
    (tmp_path / "a/.crdlint.yaml").symlink_to("nowhere")
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        nearest_config(str(tmp_path / "a/x.yaml"), {})
    (tmp_path / "b").mkdir()
    os.mkfifo(tmp_path / "b/.crdlint.yaml")
    with pytest.raises(ConfigError, match="cannot be read: not a regular file but a named pipe"):
        nearest_config(str(tmp_path / "b/x.yaml"), {})


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read(tmp_path: Path) -> None:
    path = Path(put(tmp_path, ".crdlint.yaml", "{}"))
    path.chmod(0)
    with pytest.raises(ConfigError, match="cannot be read: Permission denied"):
        nearest_config(str(tmp_path / "x.yaml"), {})


def test_the_first_of_many_unknown_keys_have_suggestions(tmp_path: Path) -> None:
    found = faults(tmp_path, "".join(f"ignore{i}: 1\n" for i in range(40)))
    suggestion = "; did you mean 'ignore'?"
    assert [text for *_, text in found] == [
        f"unknown key 'ignore{i}'{suggestion}" for i in range(20)
    ]


def test_suggestions_are_searched_for_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    monkeypatch.setattr(
        "crdlint.config.rule_patterns.nearest", lambda word, _: searched.append(word)
    )
    for text in ("".join(f"ignore{i}: 1\n" for i in range(400)), f"ignore: [{'a, ' * 400}]\n"):
        searched.clear()
        faults(tmp_path, text)
        assert 0 < len(searched) <= 20


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xff", "cannot be read: not UTF-8"),
        (b"a\0", "cannot be read: binary data"),
        (b"#" * (MAX_BYTES + 1), "cannot be read: larger than 256 KiB"),
        (b"[" * 200_000, "exceeded max depth"),
        (b"{a: " * 9_000, "not valid YAML"),
        (b"[" * 9_000 + b"]" * 9_000, "must be keys with values"),
        (b"ignore: [" + b"x," * 20_000 + b"]", "there is no rule 'x'"),
        (b"ignore: [" + b"a*b*c*," * 8_000 + b"]", "no rule matches"),
        (b"\n".join(b"k%d: 1" % i for i in range(5_000)), "unknown key 'k0'"),
        (
            b"a: &a [" + b"x," * 20 + b"]\n"
            + b"".join(b"%c: &%c [%s]\n" % (c, c, b"*%c," % (c - 1) * 20) for c in range(98, 106)),
            "excessive aliasing",
        ),
        (b"".join(b"k%d: &k%d\n" % (i, i) for i in range(10_000)), "unknown key"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)  # fmt: skip
def test_hostile_input_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / ".crdlint.yaml").write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        nearest_config(str(tmp_path / "x.yaml"), {})
    assert said in str(caught.value)
    assert len(caught.value.faults) <= 20
    assert len(str(caught.value)) < 20_000


# What it decides

CONFIG = Config(
    folder="/repo",
    select=("cel-*", "yaml-boolean"),
    ignore=("cel-rule-cost",),
    severity=(("cel-output-type", "info"), ("cel-*", "warning"), ("yaml-*", "off")),
    per_file_ignores=(("gen/*.yaml", ("cel-compilation",)),),
    exclude=("/vendor/", "*.tmpl.yaml"),
)


@pytest.mark.parametrize(
    ("rule", "path", "by"),
    [
        ("cel-compilation", "/repo/a.yaml", None),
        ("cel-compilation", "/repo/gen/a.yaml", "per-file-ignores"),
        ("cel-compilation", "/repo/sub/gen/a.yaml", None),
        ("cel-compilation", "/elsewhere/gen/a.yaml", None),
        ("cel-compilation", "<stdin>", None),
        ("cel-rule-cost", "/repo/a.yaml", "ignore"),
        ("pattern-invalid", "/repo/a.yaml", "select"),
        ("yaml-boolean", "/repo/a.yaml", "severity"),
    ],
)
def test_what_ignores_a_rule(rule: str, path: str, by: str | None) -> None:
    assert CONFIG.ignored_by(rule, path) == by


def test_severities() -> None:
    assert CONFIG.severity_of("cel-output-type", "error") == "info"
    assert CONFIG.severity_of("cel-compilation", "error") == "warning"
    assert CONFIG.severity_of("pattern-invalid", "error") == "error"


def test_excluded_files() -> None:
    paths = (
        "/repo/vendor/a.yaml",
        "/repo/x/vendor/a.yaml",
        "/repo/x/a.tmpl.yaml",
        "/vendor/a.yaml",
        "-",
    )
    assert [CONFIG.excludes(path) for path in paths] == [True, False, True, False, False]


def test_the_command_line_is_laid_over() -> None:
    merged = CONFIG.selecting(["pattern-*"], ["style-*"], ["x"])
    assert (merged.select, merged.ignore) == (("pattern-*", "style-*"), ("cel-rule-cost", "x"))
    assert CONFIG.selecting((), ("x",), ()).select == (*CONFIG.select, "x")
    assert CONFIG.selecting((), (), ()) == CONFIG


# Values of every type in every place


WRONG_VALUES: Final[list[tuple[str, str]]] = [
    ("fail-on: [error]", "'fail-on' must be text, not a list"),
    ("fail-on: true", "'fail-on' must be text, not true"),
    ("fail-on: {a: b}", "'fail-on' must be text, not keys with values"),
    ("severity: {a: [b]}", "severity: 'a' must be text, not a list"),
    ("severity: {a: true}", "severity: 'a' must be text, not true"),
    (f"required-version: '>={'1' * 4301}'", "is not a version specifier"),
    (f"required-version: '>={'1.' * 50_000}'", "is not a version specifier"),
    (f"kube-version: '1.{'1' * 4301}'", "'kube-version'"),
    (f"kube-version: {'1' * 4301}", "'kube-version'"),
    (f"select: ['{'*a' * 50_000}']", "no rule matches"),
    ("select: ['cel-[']", "no rule matches 'cel-['"),
    ("exclude: ['[[:foo:]]']", "'[[:foo:]]' is not a pattern of files"),
]


def test_values_of_a_wrong_type_or_size_are_reported_once(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for text, message in WRONG_VALUES:
        with subtests.test(str(text)[:60]):
            found = faults(tmp_path, text)
            assert [message in said for _, _, said in found] == [True]
            assert len(found[0][2]) < 400


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        ("9" * 4301, (1, 1, "not valid TOML: a number of too many digits")),
        (f"0x{'f' * 5000}", (2, 11, "not valid TOML: an integer of more than 64 bits")),
        ("9223372036854775808", (2, 11, "not valid TOML: an integer of more than 64 bits")),
        ("9223372036854775807", (2, 11, "'fail-on' must be text, not 9223372036854775807")),
    ],
)
def test_a_number_too_large_is_reported(
    tmp_path: Path, number: str, fault: tuple[int, int, str]
) -> None:
    assert faults(tmp_path, f"[tool.crdlint]\nfail-on = {number}\n", "pyproject.toml") == [fault]


MENTIONS: Final[list[tuple[str, bool]]] = [
    ("[tool.crdlint]", True),
    ("[ tool . 'crdlint' ]", True),
    ("[tool.crdlint.severity]", True),
    ("[tool]\ncrdlint.select = []", True),
    ('[tool]\r\n\t"crdlint" = {select = []}', True),
    ("tool = {crdlint = {}}", True),
    ("tool = {ruff = {}, crdlint = {}}", True),
    (r'["to\u006fl"."crdl\u0069nt"]', True),
    (r'["tool"."\U00000063rdlint"]', True),
    (r'tool = {"crdlin\u0074" = {}}', True),
    (r'[tool."crdlint\u0073"]', False),
    ("[project]\ndependencies = ['crdlint', 'ruff']", False),
    ("dependencies = ['crdlint>=0.1']", False),
    ("[crdlint]", False),
]


def test_a_table_of_ours_is_recognised(subtests: pytest.Subtests) -> None:
    for text, mentioned in MENTIONS:
        with subtests.test(str(text)[:60]):
            assert mentions_crdlint(f"\n{text}\n".encode()) is mentioned


@each(
    "table",
    [
        r'["to\u006fl"."crdl\u0069nt"]',
        r'["\U00000074ool".crdlint]',
        "[tool.'crdlint']",
        '["tool"."crdlint"]',
    ],
)
def test_the_table_is_read_as_toml_spells_it(tmp_path: Path, table: str) -> None:
    path = put(tmp_path, "pyproject.toml", f"{table}\nkube-version = '1.29'\n")
    assert str(nearest_config(path, {}).kube_version) == "1.29"
    text = f'{table}\n"f\\u0061il-on" = 1\n'
    assert faults(tmp_path, text, "pyproject.toml") == [(2, 18, "'fail-on' must be text, not 1")]


@pytest.mark.parametrize("blank", [b" ", b"\n", b"\t \n", b'"', b"crdlint tool ", b"; crdlint "])
def test_the_look_for_a_table_is_linear_in_blanks(blank: bytes) -> None:
    """A run of blanks is read once, for the delimiter before it: 400 KB took over 20 s when each blank began a search."""
    assert not mentions_crdlint(b"crdlint tool" + blank * (400_000 // len(blank)))


@pytest.mark.parametrize("pattern", ["a/b*", "v1l/-*", "*/", "[!a]/?"])
def test_rule_patterns_with_a_slash_match_nothing(pattern: str) -> None:
    assert not is_known(pattern)
