"""Hover, definitions, references, symbols and inlay hints."""

from __future__ import annotations

import re
from textwrap import indent
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types as lsp
from scratch import GOOD, WIDGET_OF_SIZE

from crdlint.crd import gotypes
from crdlint.lsp import crd_fields

if TYPE_CHECKING:
    from editor import Editor

COLUMNS = """\
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
"""
CRD = (
    GOOD.replace("    schema:\n", f"{COLUMNS}    schema:\n")
    + """\
        properties:
          spec:
            type: object
            description: What is wanted.
            required: [size, mode]
            x-kubernetes-validations:
            - rule: self.size <= 10 || has(self.ports) && self.ports.exists(p, p.name.startsWith('x'))
              message: too large
            properties:
              size:
                type: integer
                minimum: 1
                description: How large it is.
              mode: {type: string, enum: [A, B], default: A}
              ports:
                type: array
                maxItems: 5
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string, maxLength: 9}
"""
)
WIDGET = (
    WIDGET_OF_SIZE.format(1)
    + """\
  mode: A
  ports:
  - name: x
"""
)


def position(text: str, part: str, inside: str = "") -> lsp.Position:
    """Return the position of the first character of a part of a text, or of a text in that part."""
    at = text.index(part) + part.index(inside)
    return lsp.Position(text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1))


def hover(editor: Editor, name: str, at: lsp.Position) -> str:
    found = editor.do(
        editor.client.text_document_hover_async(lsp.HoverParams(editor.document(name), at))
    )
    if found is None:
        return ""
    assert isinstance(found.contents, lsp.MarkupContent)
    return found.contents.value


@pytest.mark.parametrize(
    ("part", "inside", "expected"),
    [
        (
            "self.size <=",
            "size",
            ["self.size: int", "How large it is.", "`integer`, required", "`minimum 1`"],
        ),
        ("self.size <=", "self", ["self: object"]),
        ("<= 10", "<=", ["self.size <= 10: bool"]),
        ("exists(p", "exists", ["self.ports.exists(…): bool", "at least one element"]),
        ("p.name", "name", ["p.name: string"]),
        ("p.name", "p", ["p: object"]),
        (
            "startsWith('x')",
            "startsWith",
            ["p.name.startsWith(…): bool", "starts with another one"],
        ),
        ("- rule: self", "rule", ["**Cost** ", "of 10,000,000 units", "once in an object"]),
        ("message: too", "message", ["**Cost** "]),
        (
            "ports:\n",
            "ports",
            ["`spec.ports`", "`array`, optional", "`maxItems 5`; `map list by name`"],
        ),
        (
            "maxItems: 5",
            "maxItems",
            ["**maxItems**: The greatest number of items. It bounds the cost of rules."],
        ),
        (
            "spec:\n            type",
            "spec",
            ["What is wanted.", "are dropped", "Rule: `self.size <= 10"],
        ),
        ("mode: {type", "mode", ['default `"A"`', 'One of `"A"`, `"B"`']),
        ("scope: Namespaced", "scope", ["**scope**: Whether objects are in a namespace"]),
        ("scope: Namespaced", "Namespaced", ["**scope**: "]),
        ("served: true", "served", ["**served**: Whether clients can use the version."]),
        ("additionalPrinterColumns", "additional", ["The columns that `kubectl get` shows"]),
        ("openAPIV3Schema", "open", ["**openAPIV3Schema**: The schema of the objects."]),
        ("- rule: self", "rule", ["**rule**: An expression in CEL"]),
    ],
)
def test_hover_in_a_crd(editor: Editor, part: str, inside: str, expected: list[str]) -> None:
    assert editor.open("crd.yaml", CRD) == []
    text = hover(editor, "crd.yaml", position(CRD, part, inside))
    assert [one for one in expected if one not in text] == []


def test_hover_describes_a_field_behind_a_question_mark(editor: Editor) -> None:
    text = CRD.replace("self.size <= 10", "self.?size.orValue(1) <= 10")
    editor.open("crd.yaml", text)
    assert "How large it is." in hover(editor, "crd.yaml", position(text, "self.?size", "size"))


def test_hover_of_a_function_says_since_when(editor: Editor) -> None:
    text = CRD.replace("self.size <= 10", "quantity('1').isLessThan(quantity('2'))")
    editor.open("crd.yaml", text)
    assert "Since Kubernetes 1.29." in hover(editor, "crd.yaml", position(text, "isLessThan"))


HEAD, VERSION = CRD.split("  - name: v1\n")
RULES = """\
            x-kubernetes-validations: [{rule: self.size > 0}, {rule: "self.ports.all(p, p.name != 'x')"}]
"""
START, END = (
    VERSION.index("            x-kubernetes-validations:"),
    VERSION.index("            properties:"),
)
ONE_LINE = f"{VERSION[:START]}{RULES}{VERSION[END:]}".replace("[size, mode]", "[size, mode, ports]")
TWO_VERSIONS = f"{HEAD}  - name: v1\n{ONE_LINE}  - name: v2\n{ONE_LINE.replace('storage: true', 'storage: false')}"


def test_hover_shows_the_cost_of_each_rule_of_a_line_in_each_version(editor: Editor) -> None:
    assert editor.open("crd.yaml", TWO_VERSIONS) == []
    places = [
        (number, match.start())
        for number, line in enumerate(TWO_VERSIONS.split("\n"))
        for match in re.finditer("rule:", line)
    ]
    first, second, *others = (hover(editor, "crd.yaml", lsp.Position(*place)) for place in places)
    assert ("**Cost** " in first, "**Cost** " in second, first == second) == (True, True, False)
    assert others == [first, second]


def test_nothing_is_shown_in_a_comment(editor: Editor) -> None:
    (editor.folder / "crd.yaml").write_text(CRD)
    text = WIDGET.replace("  mode: A\n", "  mode: A # of it\n  # of ports\n")
    editor.open("widget.yaml", text)
    assert hover(editor, "widget.yaml", position(text, "mode: A", "A"))
    assert [
        hover(editor, "widget.yaml", position(text, part, "of"))
        for part in ("# of it", "# of ports")
    ] == ["", ""]


def test_hover_works_in_an_expression_that_does_not_compile(editor: Editor) -> None:
    text = CRD.replace("self.size <= 10", "self.size <=")
    assert [one.code for one in editor.open("crd.yaml", text)] == ["cel-compilation"]
    assert "self.size: int" in hover(editor, "crd.yaml", position(text, "self.size", "size"))
    assert "does not compile" in hover(editor, "crd.yaml", position(text, "- rule: self", "rule"))


@pytest.mark.parametrize(
    ("part", "inside", "expected"),
    [
        ("size: 1", "size", ["`spec.size`", "How large it is.", "`integer`, required"]),
        ("mode: A", "A", ['default `"A"`']),
        ("- name: x", "name", ["`spec.ports[*].name`", "`maxLength 9`"]),
        ("kind: Widget", "kind", []),
    ],
)
def test_hover_in_a_resource(editor: Editor, part: str, inside: str, expected: list[str]) -> None:
    (editor.folder / "crd.yaml").write_text(CRD)
    assert editor.open("widget.yaml", WIDGET) == []
    text = hover(editor, "widget.yaml", position(WIDGET, part, inside))
    assert [one for one in expected if one not in text] == []


@pytest.mark.parametrize(
    ("part", "inside", "target"),
    [
        ("map-keys: [name]", "name", "name: {type: string, max"),
        ("required: [size, mode]", "mode", "mode: {type"),
        ("jsonPath: .spec.size", ".spec", "size:\n"),
        ("self.size <=", "size", "size:\n"),
        ("p.name", "name", "name: {type: string, max"),
        ("exists(p, p", "(p, p", None),
        ("served: true", "true", None),
    ],
)
def test_definition_in_a_crd(editor: Editor, part: str, inside: str, target: str | None) -> None:
    editor.open("crd.yaml", CRD)
    params = lsp.DefinitionParams(editor.document("crd.yaml"), position(CRD, part, inside))
    found = editor.do(editor.client.text_document_definition_async(params))
    if target is None:
        assert found is None
    else:
        assert (found.uri, found.range.start) == (editor.uri("crd.yaml"), position(CRD, target))


def test_definition_of_a_resources_field_is_in_the_crd(editor: Editor) -> None:
    (editor.folder / "crds").mkdir()
    (editor.folder / "crds" / "crd.yaml").write_text(CRD)
    editor.open("widget.yaml", WIDGET)
    params = lsp.DefinitionParams(
        editor.document("widget.yaml"), position(WIDGET, "- name", "name")
    )
    found = editor.do(editor.client.text_document_definition_async(params))
    assert found.uri == editor.uri("crds/crd.yaml")
    assert found.range.start == position(CRD, "name: {type: string, max")


def references(
    editor: Editor, text: str, at: lsp.Position, *, has_declaration: bool = False
) -> set[tuple[int, int]]:
    editor.open("crd.yaml", text)
    context = lsp.ReferenceContext(include_declaration=has_declaration)
    params = lsp.ReferenceParams(context, editor.document("crd.yaml"), at)
    found = editor.do(editor.client.text_document_references_async(params))
    return {(one.range.start.line, one.range.start.character) for one in found}


def test_references_of_a_property(editor: Editor) -> None:
    def found(part: str, inside: str) -> set[tuple[int, int]]:
        return references(editor, CRD, position(CRD, part, inside))

    def places(*parts: tuple[str, str]) -> set[tuple[int, int]]:
        at = [position(CRD, *part) for part in parts]
        return {(one.line, one.character) for one in at}

    of_size = places(("[size", "size"), (".spec.size", ".spec"), ("self.size", "size"))
    assert found("size:\n", "size") == of_size
    assert found("self.size", "size") == of_size
    assert found("name: {type: string, max", "name") == places(
        ("map-keys: [name]", "name"), ("required: [name]", "name"), ("p.name", "name")
    )
    assert found("served", "served") == set()


def test_references_include_the_declaration_if_the_editor_asks_for_it(editor: Editor) -> None:
    declared = position(CRD, "size:\n", "size")
    for at in (declared, position(CRD, "self.size", "size")):
        without = references(editor, CRD, at)
        with_it = references(editor, CRD, at, has_declaration=True)
        assert with_it == {*without, (declared.line, declared.character)}


def test_references_are_in_all_versions_that_share_a_schema(editor: Editor) -> None:
    lines = TWO_VERSIONS.split("\n")
    expected = {
        (number, match.start(1))
        for number, line in enumerate(lines)
        for match in re.finditer(r"(?:required: \[|self\.|jsonPath: )((?:\.spec\.)?size)", line)
    }
    assert len(expected) == 6
    assert references(editor, TWO_VERSIONS, position(TWO_VERSIONS, "size:\n", "size")) == expected


def test_references_are_in_the_same_crd_of_a_list(editor: Editor) -> None:
    crds = [
        f"- {indent(text, '  ').lstrip()}"
        for text in (CRD, CRD.replace("widget", "gadget").replace("Widget", "Gadget"))
    ]
    text = f"apiVersion: v1\nkind: List\nitems:\n{''.join(crds)}"
    at = position(text, "size:\n", "size")
    assert {line < text.index("gadgets") for line, _ in references(editor, text, at)} == {True}
    assert len(references(editor, text, at)) == 3


@pytest.mark.parametrize("text", ["jsonPath: x\n", "metadata:\n  labelSelectorPath: x\n"])
def test_a_path_outside_of_a_version_is_none(editor: Editor, text: str) -> None:
    text = f"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n{text}"
    assert references(editor, text, position(text, ": x", "x")) == set()
    assert [one for one in editor.messages if "Error" in one] == []


def test_symbols_are_versions_fields_and_rules(editor: Editor) -> None:
    text = f"{CRD}---\n{WIDGET}"
    editor.open("all.yaml", text)
    params = lsp.DocumentSymbolParams(editor.document("all.yaml"))
    crd, widget = editor.do(editor.client.text_document_document_symbol_async(params))

    def tree(one: lsp.DocumentSymbol) -> object:
        return {one.name: [tree(child) for child in one.children or ()]}

    assert tree(crd) == {
        "widgets.example.com": [
            {
                "v1": [
                    {
                        "spec": [
                            {
                                "self.size <= 10 || has(self.ports) && self.ports.exists(p, p.name.startsWith('x…": []
                            },
                            {"size": []},
                            {"mode": []},
                            {"ports": [{"name": []}]},
                        ]
                    }
                ]
            }
        ]
    }
    assert (widget.name, widget.range.start.line) == ("one", CRD.count("\n") + 1)


def test_rules_have_their_share_of_the_budget_beside_them(editor: Editor) -> None:
    everywhere = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))

    def hints(text: str, range_: lsp.Range) -> list[lsp.InlayHint]:
        editor.open("crd.yaml", text)
        params = lsp.InlayHintParams(editor.document("crd.yaml"), range_)
        return list(editor.do(editor.client.text_document_inlay_hint_async(params)) or ())

    assert hints(CRD, everywhere) == []  # less than one per cent
    text = CRD.replace("maxItems: 5", "maxItems: 50000")
    (hint,) = hints(text, everywhere)
    line = position(text, "- rule").line
    assert hint.position == lsp.Position(line, len(text.split("\n")[line]))
    assert str(hint.label).endswith(" % of the budget")
    assert "of 10,000,000 units" in str(hint.tooltip)
    assert hints(text, lsp.Range(lsp.Position(0, 0), lsp.Position(3, 0))) == []
    lenses = lsp.CodeLensParams(editor.document("crd.yaml"))  # which do not repeat the cost
    assert not editor.do(editor.client.text_document_code_lens_async(lenses))


def test_every_field_of_a_crd_is_described() -> None:
    missing = []
    pending, known = [gotypes.CRD], {""}
    while pending:
        of = pending.pop()
        if of.name in known or of is gotypes.SCHEMA:
            continue
        known.add(of.name)
        missing += [f"{of.name}.{name}" for name in of.fields if not crd_fields.about(of, name)]
        pending += [field.type for field in of.fields.values()]
        pending += [of.element] if of.element is not None else []
    assert missing == []


def test_parts_of_a_document_can_be_folded(editor: Editor) -> None:
    text = f"# one\n# two\n{CRD}---\n{WIDGET}"
    editor.open("all.yaml", text)
    params = lsp.FoldingRangeParams(editor.document("all.yaml"))
    folds = editor.do(editor.client.text_document_folding_range_async(params))
    lines = text.split("\n")
    shown = {lines[each.start_line].strip(): lines[each.end_line].strip() for each in folds}
    assert shown["# one"] == "# two"
    assert shown["ports:"] == "- name: x"
    assert shown["size:"] == "description: How large it is."
    assert shown[
        "- rule: self.size <= 10 || has(self.ports) && self.ports.exists(p, p.name.startsWith('x'))"
    ] == ("message: too large")
    assert all(each.end_line > each.start_line for each in folds)


@pytest.mark.parametrize(
    ("rule", "label", "active"),
    [
        ("self.mode.startsWith(‸", "string.startsWith(string): bool", 0),
        ("self.mode.replace('a', ‸", "string.replace(string, string): string", 1),
        ("size(‸", "size(string): int", 0),
        ("quantity('1').isLessThan(‸)", "Quantity.isLessThan(", 0),
        ("self.size > 1‸", None, 0),
    ],
)
def test_signatures_of_a_call(editor: Editor, rule: str, label: str | None, active: int) -> None:
    text = re.sub(r"rule: self.*", lambda _: f'rule: "{rule}"', CRD)
    at = position(text, "‸")
    editor.open("crd.yaml", text.replace("‸", ""))
    params = lsp.SignatureHelpParams(editor.document("crd.yaml"), at)
    found = editor.do(editor.client.text_document_signature_help_async(params))
    if label is None:
        assert found is None
        return
    assert any(label in each.label for each in found.signatures), found.signatures
    assert found.active_parameter == active


def test_crds_of_the_workspace_are_found_by_name_and_kind(editor: Editor) -> None:
    editor.open("crd.yaml", CRD)

    def found(query: str) -> set[tuple[str, str | None]]:
        params = lsp.WorkspaceSymbolParams(query)
        symbols = editor.do(editor.client.workspace_symbol_async(params)) or ()
        return {(each.name, each.container_name) for each in symbols}

    assert ("Widget", "widgets.example.com") in found("wIdg") & found("")
    assert found("no such kind") == set()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: [",
        "- 1\n- {a: 2}\n",
        CRD.replace("type: object", "type: [object]"),
        "kind: List\nitems: 3\n",
    ],
)
def test_nothing_is_known_of_other_texts(editor: Editor, text: str) -> None:
    editor.open("a.yaml", text)
    for line in range(0, text.count("\n") + 2, 5):
        at = lsp.Position(line, 6)
        assert "Cost" not in hover(editor, "a.yaml", at)
        editor.do(
            editor.client.text_document_definition_async(
                lsp.DefinitionParams(editor.document("a.yaml"), at)
            )
        )
        editor.do(
            editor.client.text_document_completion_async(
                lsp.CompletionParams(editor.document("a.yaml"), at)
            )
        )
    editor.do(
        editor.client.text_document_document_symbol_async(
            lsp.DocumentSymbolParams(editor.document("a.yaml"))
        )
    )
    assert [one for one in editor.messages if "Error" in one] == []
