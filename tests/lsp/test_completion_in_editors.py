"""Completion through the protocol; every item leads to a text without a new error."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from editor import Editor, applied
from lsprotocol import types as lsp
from test_reading import CRD, WIDGET

from crdlint.kubecel.completion import DOCS, complete, type_of
from crdlint.kubecel.environment import stored_expressions
from crdlint.kubernetes.servers import NEWEST
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest

if TYPE_CHECKING:
    from pathlib import Path

SNIPPETS = lsp.ClientCapabilities(
    text_document=lsp.TextDocumentClientCapabilities(
        completion=lsp.CompletionClientCapabilities(
            completion_item=lsp.ClientCompletionItemOptions(snippet_support=True)
        )
    )
)


def at_mark(text: str) -> tuple[str, lsp.Position]:
    """Return a text without its mark, and where that was."""
    index = text.index("‸")
    return text.replace("‸", ""), lsp.Position(
        text.count("\n", 0, index), index - (text.rfind("\n", 0, index) + 1)
    )


def items(editor: Editor, name: str, marked: str) -> dict[str, lsp.CompletionItem]:
    text, at = at_mark(marked)
    editor.open(name, text)
    found = editor.do(
        editor.client.text_document_completion_async(
            lsp.CompletionParams(editor.document(name), at)
        )
    )
    return {one.label: one for one in found}


def with_rule(rule: str) -> str:
    return re.sub(r"rule: .*", lambda _: f"rule: {rule}", CRD)


@pytest.mark.parametrize(
    ("rule", "included", "excluded"),
    [
        ("self.‸", {"size", "mode", "ports"}, {"self", "startsWith()"}),
        ("self.si‸ > 0", {"size"}, set()),
        (
            "self.mode.‸",
            {"startsWith()", "size()", "matches()", "format()"},
            {"exists()", "size", "isLessThan()"},
        ),
        ("self.ports.‸", {"all()", "exists()", "map()", "size()"}, {"startsWith()"}),
        ("self.ports.all(p, p.‸)", {"name"}, {"size", "ports"}),
        ("self.ports.all(p, p.name.‸)", {"startsWith()"}, {"name"}),
        ("self.ports.all(i, p, p.‸)", {"name"}, set()),
        ("self.ports.map(p, p.name).‸", {"exists()", "join()"}, {"name"}),
        ("self.ports[0].‸", {"name"}, set()),
        ("‸", {"self", "oldSelf", "has()", "quantity()", "duration()"}, {"startsWith()", "size"}),
        ("self.ports.all(p, ‸", {"p", "self"}, set()),
        ("quantity('1').‸", {"isLessThan()", "asInteger()"}, {"startsWith()"}),
        ("optional.‸", {"of()", "none()"}, set()),
        ("'self.‸'", {"size"}, set()),
        ("'self.mode == ''x‸'''", set(), {"self"}),
    ],
)
def test_completion_in_expressions(
    editor: Editor, rule: str, included: set[str], excluded: set[str]
) -> None:
    found = set(items(editor, "crd.yaml", with_rule(rule)))
    assert (included - found, excluded & found) == (set(), set())


@pytest.mark.parametrize(
    "before",
    [
        "self.mode == ‸",
        "self.mode != '‸",
        "self.mode != 'B' || self.mode in [‸",
        "self.mode in ['A', '‸",
    ],
)
@pytest.mark.parametrize("style", ["{}", '"{}"'])
def test_values_of_an_enum_are_offered_where_a_field_is_compared(
    editor: Editor, before: str, style: str
) -> None:
    marked = with_rule(style.format(before))
    found = items(editor, "crd.yaml", marked)
    assert {"A", "B"} <= set(found)
    text, _ = at_mark(marked)
    edit = found["B"].text_edit
    assert isinstance(edit, lsp.TextEdit)
    assert f"{before.partition('‸')[0].rstrip(chr(39))}'B'" in applied(text, [edit])


def test_only_the_text_of_a_literal_is_replaced(editor: Editor) -> None:
    marked = with_rule("self.mode == 'x‸y' && true")
    edit = items(editor, "crd.yaml", marked)["B"].text_edit
    assert isinstance(edit, lsp.TextEdit)
    assert "rule: self.mode == 'B' && true" in applied(at_mark(marked)[0], [edit])


@pytest.mark.parametrize(
    ("marked", "included"),
    [
        ("‸", {"CustomResourceDefinition", "apiVersion", "kind", "Widget"}),
        ("a: 1\n---\n‸", {"CustomResourceDefinition", "apiVersion"}),
        ("kind: ‸", {"CustomResourceDefinition", "Widget"}),
        ("apiVersion: example.com/v1\nkind: ‸", {"Widget"}),
        ("apiVersion: apiextensions.k8s.io/v1\nkind: ‸", {"CustomResourceDefinition"}),
        ("kind: Widget\napiVersion: ‸", {"example.com/v1"}),
        (CRD.replace("  - name: v1\n", "  - ‸\n  - name: v1\n"), {"version", "name"}),
        (
            CRD.replace("            - rule: self", "            - ‸\n            - rule: self"),
            {"rule"},
        ),
        (CRD.replace("    - {name: Size", "    - ‸\n    - {name: Size"), {"column"}),
    ],
)
def test_new_objects_and_items_are_offered(editor: Editor, marked: str, included: set[str]) -> None:
    editor.open("crds/crd.yaml", CRD, saved=True)
    assert included <= set(items(editor, "new.yaml", marked))


def test_the_snippet_of_a_crd_is_a_crd_without_findings(editor: Editor) -> None:
    found = items(editor, "new.yaml", "‸")["CustomResourceDefinition"]
    assert isinstance(found.text_edit, lsp.TextEdit)
    text = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", found.text_edit.new_text) + "\n"
    assert editor.retype("new.yaml", text) == []
    assert lint_file(text, "crd.yaml", CheckRequest()).crds


def test_the_snippets_of_items_have_no_findings(editor: Editor) -> None:
    for place, label in (
        ("  - name: v1\n", "version"),
        ("            - rule: self", "rule"),
        ("    - {name: Size", "column"),
    ):
        indent = place[: place.index("-")]
        marked = CRD.replace(place, f"{indent}- ‸\n{place}", 1)
        edit = items(editor, "crd.yaml", marked)[label].text_edit
        assert isinstance(edit, lsp.TextEdit)
        text = applied(at_mark(marked)[0], [edit])
        assert [one.message for one in editor.retype("crd.yaml", text)] == []


def test_only_what_the_server_has_is_offered(tmp_path: Path) -> None:
    for version, expected in (("1.28", set()), ("1.36", {"quantity()"})):
        with Editor(tmp_path, {"kubeVersion": version}) as editor:
            assert set(items(editor, "crd.yaml", with_rule("‸"))) & {"quantity()"} == expected


@pytest.mark.parametrize("quote", ["'", '"', ""])
def test_an_item_is_written_as_its_scalar_needs_it(editor: Editor, quote: str) -> None:
    marked = with_rule(f"{quote}self.mode.‸{quote}")
    text, _ = at_mark(marked)
    edit = items(editor, "crd.yaml", marked)["startsWith()"].text_edit
    assert isinstance(edit, lsp.TextEdit)
    assert editor.retype("crd.yaml", applied(text, [edit])) == []


def test_snippets_have_places_to_fill_in(tmp_path: Path) -> None:
    with Editor(tmp_path, capabilities=SNIPPETS) as editor:
        found = items(editor, "crd.yaml", with_rule("self.mode.‸"))
        one = found["startsWith()"]
        assert one.insert_text_format == lsp.InsertTextFormat.Snippet
        assert isinstance(one.text_edit, lsp.TextEdit)
        assert one.text_edit.new_text == "startsWith(${1:''})"
        (tmp_path / "crd.yaml").write_text(CRD)
        edit = items(
            editor,
            "widget.yaml",
            WIDGET.replace("  size: 1\n", "")
            .replace("  - name: x\n", "")
            .replace("  ports:\n", "  po‸\n"),
        )
        assert edit["ports"].text_edit is not None
        assert edit["ports"].text_edit.new_text == "ports:\n    - $0"


@pytest.mark.parametrize(
    ("before", "after", "included", "excluded"),
    [
        (
            "                minimum: 1\n",
            "                m‸\n",
            {"minimum", "maximum"},
            {"maxLength", "type", "uniqueItems"},
        ),
        (
            "                maxItems: 5\n",
            "                ‸\n",
            {"maxItems", "minItems", "items"} - {"items"},
            {"maxLength", "items"},
        ),
        ("mode: {type: string", "mode: {type: ‸", {"string", "integer", "object"}, {"date"}),
        (
            "mode: {type: string, ",
            "mode: {type: string, ‸",
            {"format", "maxLength", "pattern"},
            {"maxItems"},
        ),
        ("list-type: map", "list-type: ‸", {"atomic", "set", "map"}, set()),
        ("map-keys: [name]", "map-keys: [‸]", {"name"}, set()),
        ("required: [size, mode]", "required: [‸]", {"size", "mode", "ports"}, set()),
        ("  scope: Namespaced", "  scope: ‸", {"Namespaced", "Cluster"}, set()),
        (
            "    storage: true\n",
            "    storage: true\n    ‸\n",
            {"deprecated", "subresources"},
            {"storage", "name"},
        ),
        ("  scope: Namespaced\n", "  scope: Namespaced\n  con‸\n", {"conversion"}, {"scope"}),
        ("type: integer, jsonPath", "type: ‸, jsonPath", {"integer", "date"}, {"object"}),
        ("served: true", "served: ‸", {"true", "false"}, set()),
        ("minimum: 1", "minimum: 1\n                format: ‸", {"int32", "int64"}, {"date"}),
    ],
)
def test_completion_in_crds(
    editor: Editor, before: str, after: str, included: set[str], excluded: set[str]
) -> None:
    found = set(items(editor, "crd.yaml", CRD.replace(before, after, 1)))
    assert (included - found, excluded & found) == (set(), set())


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("  size: 1\n", "  ‸\n", ["size"]),
        ("  size: 1\n  mode: A\n", "  ‸\n", ["mode", "size"]),
        ("mode: A", "mode: ‸", ["A", "B"]),
        ("mode: A", "mode: x‸", ["A", "B"]),
        ("  - name: x\n", "  - ‸\n", ["name"]),
        ("  mode: A\n", "  m‸: A\n", ["mode"]),
        ("spec:\n", "s‸:\n", ["spec"]),
        ("size: 1", "size: 1 # ‸", []),
    ],
)
def test_completion_in_resources(
    editor: Editor, before: str, after: str, expected: list[str]
) -> None:
    (editor.folder / "crd.yaml").write_text(CRD)
    assert sorted(items(editor, "widget.yaml", WIDGET.replace(before, after, 1))) == expected


def test_names_that_yaml_reads_otherwise_are_written_in_quotes(editor: Editor) -> None:
    (editor.folder / "crd.yaml").write_text(CRD.replace("mode: {", "'on': {"))
    assert sorted(items(editor, "widget.yaml", WIDGET.replace("  mode: A\n", "  o‸\n"))) == ['"on"']


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ('  mode: "‸"\n', '  mode: "on"\n'),
        ("  mode: 'o‸'\n", "  mode: 'on'\n"),
        ('  "mo‸": on\n', '  "mode": on\n'),
        ("  mode: o‸\n", '  mode: "on"\n'),
        ('  size: "‸"\n', None),
    ],
)
def test_nothing_is_quoted_twice(editor: Editor, marked: str, expected: str | None) -> None:
    (editor.folder / "crd.yaml").write_text(
        CRD.replace("enum: [A, B], default: A", "enum: ['on', 'a\"b']")
    )
    marked = WIDGET.replace("  mode: A\n", marked)
    found = items(editor, "widget.yaml", marked)
    if expected is None:
        assert not found
        return
    edit = next(iter(found.values())).text_edit
    assert isinstance(edit, lsp.TextEdit)
    assert applied(at_mark(marked)[0], [edit]) == WIDGET.replace("  mode: A\n", expected)


def test_a_dollar_is_no_place_of_a_snippet(tmp_path: Path) -> None:
    (tmp_path / "crd.yaml").write_text(CRD.replace("enum: [A, B], default: A", "enum: ['$A']"))
    with Editor(tmp_path, capabilities=SNIPPETS) as editor:
        (found,) = items(editor, "widget.yaml", WIDGET.replace("mode: A", "mode: ‸")).values()
        assert found.insert_text_format == lsp.InsertTextFormat.PlainText


def test_every_item_compiles_at_every_place(rules: list[str]) -> None:
    """Complete at each character of the rules, and compile each item behind what is before it."""
    places = 0
    wrong = []
    for text in rules:
        for found in lint_file(text, "crd.yaml", CheckRequest(keep=True)).rules:
            expression = found.estimated.compiled.rule
            for offset in range(0, len(expression.text) + 1, 2):
                place, offered = complete(
                    expression.text,
                    offset,
                    expression.env,
                    expression.environment,
                    expression.declarations,
                )
                if place is None:
                    continue
                places += 1
                before = (
                    ""
                    if place.receiver is None
                    else place.receiver
                    if place.receiver.endswith("?")
                    else f"{place.receiver}."
                )
                texts = [f"{before}{one.text}" for one in offered]
                wrong += [
                    one for one in texts if type_of(one, place.env, expression.environment) is None
                ]
    assert wrong == []
    assert places >= 200


@pytest.fixture(scope="module")
def rules() -> list[str]:
    expressions = [
        "self.size <= 10 || self.ports.exists(p, p.name.startsWith('x'))",
        "has(self.mode) && self.mode in ['A', 'B'] && size(self.ports) > 0",
        "self.ports.all(p, self.ports.exists_one(q, q.name == p.name))",
        "self.ports.map(p, p.name).filter(n, n.matches('^a')).size() < 3",
        "!has(oldSelf.mode) || oldSelf.mode.lowerAscii() == self.mode",
        "self.?mode.orValue('A') == 'A' && self.ports.all(i, p, p.name != string(i))",
        "quantity(self.mode).isLessThan(quantity('1Gi')) || url(self.mode).getHost() == 'x'",
    ]
    return [with_rule(f'"{one}"') for one in expressions]


def test_every_function_and_macro_is_described() -> None:
    environment = stored_expressions(NEWEST)  # what new expressions may use one version later
    names = {name for name in environment.env.functions if name[0].isalpha() and "@" not in name}
    names |= {name for name, _, _ in environment.parser.macros}
    assert names - DOCS.keys() == set()
