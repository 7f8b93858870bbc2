"""Copies of a CRD share what compiling their rules resulted in, within bounds."""

from __future__ import annotations

import gc
from collections import Counter
from typing import Any

import pytest
from counting import without_collector
from crds import crd_in_json, schema_with_spec
from tables import each

import crdlint
from crdlint.cel.compiler import compile_text
from crdlint.kubecel import compilation, sharing
from crdlint.kubernetes.servers import NEWEST, OLDEST, SERVERS
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.rules.engine.examples import HEAD


def crd(rules: list[str], bound: int = 8) -> str:
    lines = "".join(f"        - rule: {rule!r}\n" for rule in rules)
    schema = (
        f"        type: object\n        properties: {{size: {{type: integer}}, names: {{type: array, maxItems: {bound},"
        " items: {type: string, maxLength: 8}}}\n        required: [size, names]\n        x-kubernetes-validations:\n"
    )
    return HEAD + schema + lines


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the expressions compiled, from an empty state on."""
    counted: Counter[str] = Counter()
    original = compile_text

    def counting(text: str, *others: Any) -> object:
        counted[text] += 1
        return original(text, *others)

    monkeypatch.setattr(sharing, "_shared", sharing.Sharing())
    monkeypatch.setattr(compilation, "compile_text", counting)
    return counted


def test_a_rule_is_compiled_once_for_all_copies_of_a_crd(compiled: Counter[str]) -> None:
    first = crdlint.lint_text(crd(["self.size > 1", "self.sise > 1"]))
    assert crdlint.lint_text(crd(["self.size > 1", "self.sise > 1"])) == first
    assert compiled == {"self.size > 1": 1, "self.sise > 1": 1}


BROKEN = (
    "self.sise > 1",
    "self.size.missing > 1",
    "self.names.sise() > 1",
    "self.names.all(n, n && true)",
    "isIP(self.size)",
    "optional.of(self.size)",
    "self.size == duration(1)",
    "self.size >",
)


@each("rule", BROKEN)
def test_a_rule_that_all_servers_reject_names_none_of_them(rule: str) -> None:
    """Some reject them for other reasons, at other positions."""
    (finding,) = lint_file(crd([rule]), "x", NAMES_SERVERS).diagnostics
    assert finding.versions == ()


def test_a_rule_that_fails_in_other_words_on_the_oldest_server_is_compiled_once(
    compiled: Counter[str],
) -> None:
    rule = "self.name.size > 1"
    name = {"type": "string"}
    rules = [{"rule": rule}]
    spec = {"type": "object", "properties": {"name": name}, "x-kubernetes-validations": rules}
    text = crd_in_json(schema_with_spec(spec))
    lint_file(text, "x", NAMES_SERVERS)
    assert compiled == {rule: 1}
    (newest,), (oldest,) = (
        crdlint.lint_text(text, kube_version=str(server)) for server in (NEWEST, OLDEST)
    )
    assert newest.message.rpartition("Rule:")[2] != oldest.message.rpartition("Rule:")[2]
    assert compiled == {rule: 2}


NAMES_SERVERS = CheckRequest(names_servers=True)


@each("rule", BROKEN)
def test_a_broken_rule_is_reported_as_if_each_server_were_alone(
    rule: str, compiled: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of them fail for other reasons, or in other words, on the oldest server."""
    text = crd([rule])
    alone = {}
    for server in SERVERS:
        monkeypatch.setattr(sharing, "_shared", sharing.Sharing())
        alone[server] = crdlint.lint_text(text, kube_version=str(server))
    monkeypatch.setattr(sharing, "_shared", sharing.Sharing())
    compiled.clear()
    crdlint.lint_text(text, kube_version=f"{OLDEST}..{NEWEST}")
    assert compiled[rule] < len(SERVERS)
    for server, expected in alone.items():
        assert crdlint.lint_text(text, kube_version=str(server)) == expected


def test_a_rule_on_another_type_is_compiled_anew(compiled: Counter[str]) -> None:
    rule = "self.names.all(a, self.names.all(b, a == b))"
    assert crdlint.lint_text(crd([rule])) == []
    [finding, *_] = crdlint.lint_text(crd([rule], bound=100_000))
    assert finding.rule == "cel-rule-cost"
    assert compiled == {rule: 2}


def test_what_is_shared_is_bounded(compiled: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "_LARGEST", 100)
    for i in range(20):
        crdlint.lint_text(crd([f"self.size > {i}", f"self.size > {i + 1000}"]))
        assert sharing.shared().size <= 100
    assert sum(compiled.values()) == 40


def test_a_crd_is_freed_without_the_collector() -> None:
    text = crd(["self.size > 1"]).replace("type: integer}", "type: integer, default: 3, enum: [3]}")
    # A class is compiled when 20 values of it are made, and leaves some objects for the collector then.
    for _ in range(25):
        crdlint.lint_text(text)
    with without_collector():
        crdlint.lint_text(text)
        assert gc.collect() == 0
