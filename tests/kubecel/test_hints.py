"""What is said about an expression's error besides the server's text."""

from __future__ import annotations

import pytest
from counting import recording
from kubecel_support import compile_rule
from tables import each

from crdlint.cel import compiler
from crdlint.cel.source_ranges import error_range
from crdlint.kubecel.compilation import requirement
from crdlint.kubecel.hints import hint
from crdlint.kubecel.reasoning.optional_fields import unguarded
from crdlint.kubecel.repair.meaning import meaning
from crdlint.kubecel.repair.state import CompiledText
from crdlint.kubernetes.servers import parse_range
from crdlint.safety.work import Effort

FIELDS = (
    "{replicas: {type: integer}, a-b: {type: string}, namespace: {type: string}, raw: {}, empty: {type: object},"
    " list: {type: array, items: {type: object, properties: {x: {type: integer}}}}, must: {type: string, default: a}}"
)


@each(
    ("rule", "help_", "version"),
    [
        ("self.replica > 0", "Write `replicas` instead", 36),
        ("has(self.list[0])", "Write `has(self.list) && size(self.list) > 0` instead", 36),
        ("has(self.list[2])", "Write `has(self.list) && size(self.list) > 2` instead", 36),
        ("self.list.map('a') == ['a']", "Call `map` with a variable and an expression", 36),
        ("self.list.all('a')", "Call `all` with a variable and a condition", 36),
        ("self.must == True", "Write `'true'` or `'True'` instead of `True`", 36),
        ("has(self.in) || true", "Write `self.__in__` instead of `self.in`", 36),
        ("!has(self.null)", "Write `self.__null__` instead of `self.null`", 36),
        ("2 ** self.replicas > 1", "CEL has no powers", 36),
        ("self['a-b'] == ''", "Write `self.a__dash__b` instead of `self['a-b']`", 36),
        ("self.namespace == ''", "Write `__namespace__` instead", 30),
        ("__namespace__ == ''", "Write `self.__namespace__` instead", 36),
        ("has(self.raw)", "Add a `type` to the schema of `raw`", 36),
        ("self.empty.x == 1", "Add `x` to the `properties` of the object", 36),
        ("self.qqq == 1", "read one of its fields: replicas, a__dash__b", 36),
        ("replicas > 0", "Write `self.replicas` instead", 36),
        ("slef.replicas > 0", "Write `self` instead", 36),
        ("isIP('a')", "Remove `isIP`, or require Kubernetes 1.31", 30),
        (
            "self.list.all(i, v, i > 0)",
            "Remove `all() over two variables`, or require Kubernetes 1.33",
            32,
        ),
        ("self.replicas == 'a'", "Compare values of the same type", 36),
        (
            "self.must.startWith('a')",
            "Write `self.must.startsWith('a')` instead of `self.must.startWith('a')`",
            36,
        ),
        ("self.must.startsWith(1)", "Call it as string.startsWith(string)", 36),
        ("self.replicas", "Write `has(self.replicas)` instead of `self.replicas`", 36),
        ("self.?replicas", "Use its value with `.orValue(...)`", 36),
        ("oldSelf.hasValue()", "`optionalOldSelf: true`", 36),
        (
            "self.list.x == 1",
            "Write `self.list.all(x, x.x == 1)` or `self.list.exists(x, x.x == 1)`",
            36,
        ),
        ("self.replicas.all(x, true)", "on a list or a map", 36),
        ("[1, 'a'].size() == 2", "the elements of a list or map must have the same type", 36),
        ("self.replicas && true", "Write `has(self.replicas)` instead of `self.replicas`", 36),
        ("timestamp('x') == timestamp('y')", "RFC 3339", 36),
        ("self.must.matches('(?!a)')", "RE2", 36),
        ("(self.replicas > 0", "Close the `(`", 36),
        ("self.replicas = 1", "Write `==` instead of `=`", 36),
        (
            "self.replicas // 2 < 9",
            "Write `/` to divide, or remove `// 2 < 9`: CEL reads it as a",
            36,
        ),
        ("self.must == “", "Write a text in straight quotes, such as `''`, instead of `“`", 36),
        ("self.must != ”", "Write `''` instead of `”`, which gofmt makes of `''`", 36),
        ("self.must == 'a", "Write `'` after `self.must == 'a`", 36),
        ("self.all == true ?", "Write a value after `?`", 36),
        ("self.replicas 1", "Write `==` or `<` after `self.replicas`", 36),
        ("self.list.all(x, x.)", "Write a field or a function after `x.`", 36),
        ("1 % % 2 > 3 %", "Write a value before `%`", 36),
        ("break == 1", "a reserved word cannot be a name", 36),
    ],
)
def test_hint(rule: str, help_: str, version: int) -> None:
    given = hint(compile_rule(rule, FIELDS, f"1.{version}").rule, Effort()).text
    assert given is not None
    assert help_ in given


@each(
    ("rule", "marked"),
    [
        ("self.replica > 0", "replica"),
        ("self.replicas == 'a'", "=="),
        ("self.must.startWith('a')", "startWith"),
        ("foo(1)", "foo"),
        ("slef == 1", "slef"),
        ("[1, 'a'] == []", "'a'"),
        ("'é' == self.replica", "replica"),
        ("true &&\n  self.replica", "replica"),
        ("(true", ""),
    ],
)
def test_place(rule: str, marked: str) -> None:
    compiled = compile_rule(rule, FIELDS).rule.compiled
    found = error_range(compiled.errors[0], compiled.source)
    assert found is not None
    assert rule[slice(*found)] == marked


@each(
    ("rule", "paths"),
    [
        ("self.replicas > 0", ["self.replicas"]),
        ("!has(self.replicas) || self.replicas > 0", []),
        ("has(self.replicas) && self.replicas > 0", []),
        ("self.replicas > 0 && has(self.replicas)", []),
        ("has(self.replicas) || self.replicas > 0", ["self.replicas"]),
        ("has(self.replicas) ? self.replicas > 0 : true", []),
        ("!has(self.replicas) ? self.replicas > 0 : true", ["self.replicas"]),
        ("!(has(self.replicas) && self.replicas > 5)", []),
        ("has(self.empty) && has(self.replicas) && self.replicas > 1", []),
        ("self.must == 'a'", []),
        ("self.?replicas.orValue(1) > 0", []),
        ("self.list.all(i, i.x > 0)", ["self.list", "i.x"]),
        ("!has(self.list) || self.list.all(i, !has(i.x) || i.x > 0)", []),
        ("!has(self.list) || self.list[0].x > 0", ["self.list[0].x"]),
        ("self.__namespace__ == self.namespace", ["self.__namespace__", "self.namespace"]),
    ],
)
def test_unguarded(rule: str, paths: list[str]) -> None:
    expression = compile_rule(rule, FIELDS).rule
    assert expression.error is None
    assert [one.path for one in unguarded(expression)] == paths


@each(
    ("rule", "version", "reason"),
    [
        (
            "isIP('a')",
            (1, 31),
            "`isIP()` came with 1.30, and new rules may use it from 1.31 on",
        ),
        (
            "self.namespace == ''",
            (1, 32),
            "`namespace` as a field's name came with 1.31, and new rules may use it from 1.32 on",
        ),
        (
            "!self.list.all(i, v, i >= 0)",
            (1, 33),
            "macros over two variables came with 1.32, and new rules may use it from 1.33 on",
        ),
        (
            "isSemver('1.0.0') && isIP('a')",
            (1, 34),
            "`isSemver()` came with 1.33, and new rules may use it from 1.34 on",
        ),
    ],
)
def test_requirement(rule: str, version: tuple[int, int], reason: str) -> None:
    needs = requirement(compile_rule(rule, FIELDS).rule, parse_range("1.29..1.36"))
    assert needs is not None
    assert (needs.server.version, needs.reason) == (version, reason)


def test_no_requirement() -> None:
    assert (
        requirement(compile_rule("self.replicas > 0", FIELDS).rule, parse_range("1.28..1.36"))
        is None
    )
    assert (
        requirement(compile_rule("self.nope > 0", FIELDS).rule, parse_range("1.28..1.36")) is None
    )


PLACEHOLDERS = (
    "@MAX@", "@max-size@", "%MAX%", "%(max)s", "<MAX>", "<max-size>", "<% max %>", "__MAX_SIZE__", "$(MAX)", "$MAX", "${MAX}",
    "#{max}", "{{ .Values.max }}", "{{ max | default 3 }}", "[[ max ]]", "TODO", "???",
)  # fmt: skip


@each("placeholder", PLACEHOLDERS)
def test_a_placeholder_is_named_and_no_other_name_is_offered(placeholder: str) -> None:
    for rule in (
        f"self.replicas <= {placeholder}",
        f"{placeholder} > self.replicas",
        f"self.replicas in [1, {placeholder}] || true",
    ):
        expression = compile_rule(rule, FIELDS).rule
        found = hint(expression, Effort())
        assert found == (f"Write the value in place of the placeholder `{placeholder}`", None), rule
        assert meaning(CompiledText.of(expression), Effort()) is None


@each(
    "rule",
    [
        "self.replicas <= self.list.size()[0] <b> 3",
        "self.namespace == '@MAX@' &&",
        "${self.replicas} > 1",
        "self.a < replicas > self.b",
        "this.replicas % max % 3 == 0",
    ],
)
def test_what_only_looks_like_a_placeholder(rule: str) -> None:
    found = hint(compile_rule(rule, FIELDS).rule, Effort())
    assert "placeholder" not in (found.text or "")


@each(
    ("rule", "help_"),
    [
        ("immutable", "Write `self == oldSelf` instead of `immutable`"),
        ("regexMatch('^a', self.must)", "Write `self.must.matches('^a')` instead of `regexMatch('^a', self.must)`"),
        ("self.must == selfOld.must", "Write `oldSelf` instead of `selfOld`"),
        ("enabled", "an expression has no other variables"),
        ("kind == 'a'", "an expression has no other variables"),
        ("'a' != kind", "an expression has no other variables"),
    ],
)  # fmt: skip
def test_words_in_place_of_conditions(rule: str, help_: str) -> None:
    found = hint(compile_rule(rule, FIELDS).rule, Effort())
    assert help_ in (found.text or "")


@each(
    ("clauses", "most"),
    [(1, 150), (8, 112), (20, 45)],
)
def test_a_search_for_repairs_takes_less_the_longer_an_expression_is(
    clauses: int, most: int
) -> None:
    texts: list[str] = []
    text = " && ".join(["self.replicas > 1 ? {'a'} < if"] * clauses)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("compile_text", "compile_valid"):
            target = f"crdlint.kubecel.repair.meaning.{name}"
            patch.setattr(target, recording(texts, getattr(compiler, name)))
        effort = Effort()
        hint(compile_rule(text, FIELDS).rule, effort)
    assert texts
    assert len(texts) <= most
    assert sum(map(len, texts)) <= 30_000
    # Each text was charged, those that do not parse more than once.
    assert Effort().left - effort.left >= sum(map(len, texts))


# `map` has one variable, and a condition in front of its last argument.
TWO_VARIABLES = (
    ("self.list.map(i: v, v.x).size() > 0", "(i, v, "),
    ("self.list.map(i: int, v.x > 1).size() > 0", "(i, int, "),
    ("map(self.list, i, v, v.x > 1).size() > 0", ".map(i, v, "),
)


@each(("rule", "unwanted"), TWO_VARIABLES)
def test_no_help_writes_map_with_two_variables(rule: str, unwanted: str) -> None:
    found = hint(compile_rule(rule, FIELDS).rule, Effort())
    assert found is not None
    assert unwanted not in str(found.text)
