"""Ignore comments: what they are for, and what is said of those that are not taken or match nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from counting import LINEAR, growth, recording
from crds import SMALLEST
from crds import crd_with_schema as crd

from crdlint.config.apply import apply
from crdlint.config.comments import NodeIndex, read_comments
from crdlint.config.model import Config
from crdlint.linting.pipeline import lint_file
from crdlint.rules.engine.examples import manifest
from crdlint.rules.texts.reading import MALFORMED, UNKNOWN_RULE, UNUSED

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.linting.result import FileResult
    from crdlint.rules.engine.rule import Rule

# The schema's first line is 15 and its columns begin at 9.
FIRST = 15


def told(text: str, **options: Any) -> list[tuple[str, int, int]]:
    result = lint_file(text, filename="x.yaml")
    applied = apply(result, Config(), read_comments(text, "x.yaml"), **options)
    return [
        (d.rule, d.line - FIRST + 1, d.column - 8)
        for d in applied.result.diagnostics
        if not d.hidden
    ]


BAD = 'pattern: "(?!x)"'


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(f"type: object\n{BAD}\n", [("pattern-invalid", 2, 11)], id="none"),
        pytest.param(f"type: object\n{BAD} # crdlint: ignore[pattern-invalid] for a reason\n", [], id="line"),
        pytest.param(f"type: object\n{BAD} #crdlint:ignore[ pattern-invalid ,yaml-boolean]\n", [
            ("ignore-unused", 2, 52),
        ], id="one of two"),
        pytest.param(f"type: object\n{BAD} # crdlint: ignore[pattern-*]\n", [], id="glob"),
        pytest.param(f"type: object # crdlint: ignore[pattern-invalid]\n{BAD}\n", [
            ("pattern-invalid", 2, 11), ("ignore-unused", 1, 32),
        ], id="another line"),
        pytest.param(f"type: object\n# crdlint: ignore[pattern-invalid]\n{BAD}\n", [], id="above a key"),
        pytest.param(f"type: object\n# crdlint: ignore[pattern-invalid]\n\n  # more\n{BAD}\n", [], id="far above"),
        pytest.param(f"""\
            type: object
            properties:
              # crdlint: ignore[pattern-invalid] the whole block
              a:
                type: object
                properties:
                  b: {{type: string, {BAD}}}
              c: {{type: string, {BAD}}}
            """, [("pattern-invalid", 8, 31)], id="block"),
        pytest.param(f"""\
            type: object
            properties:
              a:
                type: string
                {BAD}
                # crdlint: ignore[pattern-invalid]
              c: {{type: string, {BAD}}}
            """, [("pattern-invalid", 5, 15)], id="the next key, whatever its indentation"),
        pytest.param(f"""\
            type: object
            properties:
              a: &a {{type: string, {BAD}}}
              # crdlint: ignore[pattern-invalid]
              b: *a
            """, [
                ("pattern-invalid", 3, 34),
                ("pattern-invalid", 3, 34),
                ("ignore-unused", 4, 21),
            ], id="an alias stands where it is written"),
        pytest.param(f"""\
            type: object
            allOf:
            # crdlint: ignore[pattern-invalid, structural-incomplete]
            - properties:
                a: {{{BAD}}}
            - properties:
                b: {{{BAD}}}
            """, [("pattern-invalid", 7, 19), ("structural-incomplete", 7, 5)], id="item"),
        pytest.param(f"""\
            type: object
            allOf: [
              # crdlint: ignore[pattern-invalid, structural-incomplete]
              {{properties: {{a: {{{BAD}}}}}}},
              {{properties: {{b: {{{BAD}}}}}}} # crdlint: ignore[pattern-invalid, structural-incomplete]
            ]
            """, [], id="flow"),
        pytest.param(f"""\
            type: object
            # crdlint: ignore[pattern-invalid]
            # crdlint: ignore[ignore-unused]
            # something else # crdlint: ignore[yaml-boolean] # crdlint: ignore[cel-rule-cost]
            {BAD}
            """, [("ignore-unused", 4, 36)], id="several above; cel is withheld while the server refuses the rest"),
        pytest.param("""\
            type: object
            x-kubernetes-validations:
            - message: x
              rule: | # crdlint: ignore[cel-*]
                self.foo ==
                  self.bar
            """, [], id="behind a block scalar's indicator"),
        pytest.param("""\
            type: object
            x-kubernetes-validations:
            - message: x
              rule: "true ||
                self.bar" # crdlint: ignore[cel-compilation]
            """, [], id="behind a text of several lines"),
        pytest.param("""\
            type: object
            description: |
              # crdlint: ignore[nonsense]
            title: "a # crdlint: ignore[nonsense]"
            properties:
              a: {type: string, description: 'x

                # crdlint: ignore[nonsense]
                y'}
            """, [], id="within scalars"),
        pytest.param(f"""\
            type: object
            {BAD} # crdlint: ignore
            # crdlint: ignore[]
            # crdlint: ignore[pattern-invalid
            # crdlint: disable[pattern-invalid]
            # crdlint: ignore-fiel[pattern-invalid]
            # crdlint:
            title: x # crdlint: ignore-file[pattern-invalid]
            """, [
                ("pattern-invalid", 2, 11),
                ("ignore-malformed", 2, 18),
                *(("ignore-malformed", line, 1) for line in (3, 4, 5, 6, 7)),
                ("ignore-malformed", 8, 10),
            ], id="malformed"),
        pytest.param(f"type: object\n{BAD} # crdlint: ignore[pattern-invald]\n", [
            ("pattern-invalid", 2, 11), ("ignore-unknown-rule", 2, 36),
        ], id="unknown"),
        pytest.param("type: object\n# crdlint: ignore[yaml-boolean]\n", [("ignore-unused", 2, 19)], id="nothing below"),
        pytest.param("type: object # crdlint: ignore[spec-immutable,resource-*,kube-version-too-old]\n", [],
                     id="what another run finds"),
        pytest.param("type: object # crdlint: ignore[cel-rule-cost]\n", [("ignore-unused", 1, 32)], id="cel"),
    ],
)  # fmt: skip
def test_what_is_told(schema: str, expected: list[tuple[str, int, int]]) -> None:
    assert told(crd(schema)) == expected


def test_messages() -> None:
    schema = """\
        type: object # crdlint: ignore
        title: x # crdlint: disable[x]
        # crdlint: ignroe[x]
        description: x # crdlint: ignore[patern-invalid]
        format: date # crdlint: ignore[pattern-invalid]
        # crdlint: ignore[pattern-invalid]
        """
    text = "# crdlint: ignore-file[yaml-boolean]\n" + crd(schema) + "--- # crdlint: ignore[x]\n"
    result = lint_file(text, filename="x.yaml")
    applied = apply(result, Config(), read_comments(text, "x.yaml"))
    assert [d.message for d in applied.result.diagnostics if d.rule.startswith("ignore-")] == [
        "the comment names no rule: nothing is ignored",
        "unknown directive 'disable': use `ignore[RULE]` or `ignore-file[RULE]`",
        "unknown directive 'ignroe'; did you mean 'ignore'?",
        "there is no rule 'patern-invalid'; did you mean 'pattern-invalid'?",
        "the comment is on a line that separates documents, so it applies to none of them: nothing is ignored",
        "`yaml-boolean` is ignored in this file, but has no finding",
        "`pattern-invalid` is ignored here, but has no finding",
        "`pattern-invalid` is ignored below this comment, where the file ends",
    ]
    assert all(
        d.help and d.severity == "warning" for d in applied.result.diagnostics if "ignore" in d.rule
    )


def test_the_whole_file() -> None:
    bad = crd(f"type: object\n{BAD}\n")
    other = bad.replace("foos", "bars")
    comment = "# crdlint: ignore-file[pattern-invalid] all of it\n"
    for text in (
        comment + bad,
        bad + "---\n" + comment + other,
        bad + "---\n" + other + comment,
        comment + "---\n" + bad,
    ):
        assert told(text) == []
    assert told(comment + crd("type: object\n")) == [("ignore-unused", 1 - FIRST + 1, 24 - 8)]


@pytest.mark.parametrize(
    "text",
    [
        "a: b # crdlint: ignore[yaml-boolean]\n",
        "a: [ # crdlint: ignore[yaml-boolean]\n",
        "a: [ # crdlint: ignore[yaml-boolean]\n---\n" + crd("type: object\n"),
        "a: b # crdlint: ignore[yaml-boolean]\n---\n" + crd("type: object\n"),
        crd("type: {} # crdlint: ignore[yaml-boolean]\n"),
    ],
    ids=[
        "no CRD",
        "no YAML",
        "beside a CRD, broken",
        "beside a CRD",
        "a CRD that cannot be decoded",
    ],
)
def test_what_was_not_judged_has_no_unused_comments(text: str) -> None:
    assert [rule for rule, _, _ in told(text) if rule.startswith("ignore-")] == []


def test_updates_tell_of_no_unused_comments() -> None:
    text = crd("type: object # crdlint: ignore[yaml-boolean]\n")
    assert told(text) != []
    assert told(text, updates=True) == []


def test_unused_comments_can_be_ignored() -> None:
    text = "# crdlint: ignore-file[ignore-unused]\n" + crd(
        "type: object # crdlint: ignore[yaml-boolean]\n"
    )
    assert told(text) == []


def test_a_file_without_the_word_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crdlint.config.comments.parse_stream", lambda _: pytest.fail("parsed"))
    assert read_comments("a: b # crdlint ignore\n", "x").valid == []


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_line_breaks(line_break: str) -> None:
    text = crd(f"type: object\n# crdlint: ignore[pattern-invalid]\n{BAD}\n").replace(
        "\n", line_break
    )
    assert told(text) == []


def test_anchors_and_tags() -> None:
    text = crd(
        f"type: !!str # crdlint: ignore[yaml-boolean]\n  object\n&p pattern: &q # crdlint: ignore[pattern-invalid]\n  {BAD[9:]}\n"
    )
    assert [rule for rule, _, _ in told(text)] == ["ignore-unused"]


@pytest.mark.parametrize("rule", [MALFORMED, UNKNOWN_RULE, UNUSED], ids=lambda rule: rule.id)
def test_the_examples(rule: Rule) -> None:
    def rules(fragment: str) -> set[str]:
        text = manifest(rule, fragment)
        return {
            d.rule
            for d in apply(
                lint_file(text, filename="x"), Config(), read_comments(text, "x")
            ).result.diagnostics
        }

    assert rules(rule.bad) == {rule.id}
    assert rules(rule.good) == set()


# Texts with so many comments.
HOSTILE: Final[dict[str, Callable[[int], str]]] = {
    "above": lambda n: "# crdlint: ignore[pattern-invalid]\n" * n + SMALLEST,
    "below": lambda n: SMALLEST + "# crdlint: ignore[pattern-invalid]\n# x\n" * n,
    "many rules": lambda n: SMALLEST + "".join(f"x{i}: 1 # crdlint: ignore[a{i},b*{i}]\n" for i in range(n)),
    "in a comment": lambda n: SMALLEST + "#" + " # crdlint: ignore[x]" * n,
    "a long name": lambda n: SMALLEST + "# crdlint: ignore[" + "x" * 20 * n,
    "one name": lambda n: SMALLEST + "# crdlint: ignore[" + "x," * n + "]",
    "separators": lambda n: "--- # crdlint: ignore[x]\n" * n,
    "deep": lambda n: "x: " + "[# crdlint: ignore[x]\n" * n,
    "quoted": lambda n: "x: '" + "# crdlint: ignore[x]\n " * n + "'",
    "nested": lambda n: SMALLEST + "x:\n" + "".join(f"{' ' * i}# crdlint: ignore[*]\n{' ' * i}a:\n" for i in range(1, n)),
    "many matches": lambda n: SMALLEST + "".join(f"# crdlint: ignore[*]\nx{i}: 1\n" for i in range(n)),
}  # fmt: skip


def test_the_work_for_hostile_comments_is_linear(subtests: pytest.Subtests) -> None:
    for name, text in HOSTILE.items():
        checked = {n: lint_file(text(n), filename="x") for n in (100, 200)}
        with subtests.test(name):

            def work(n: int, checked: dict[int, FileResult] = checked) -> None:
                apply(checked[n], Config(), read_comments(checked[n].text, "x"))

            work(200)  # names that are looked up once
            assert growth(work, 100) < LINEAR


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_comments_come_to_an_end(name: str) -> None:
    text = HOSTILE[name](300 if name == "nested" else 10_000)
    assert read_comments(text, "x").file == "x"


def test_comments_above_one_key_look_for_its_block_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(NodeIndex, "below", recording(calls, NodeIndex.below))
    text = "a: b\nx:\n" + "# crdlint: ignore[cel-*]\n" * 100 + "- - - 1\n"
    assert len(read_comments(text, "a.yaml").valid) == 100
    assert len(calls) == 1


def test_remarks_on_comments_end_after_a_thousand() -> None:
    remarks = read_comments("a: b\n" + "# crdlint: ignore\n" * 2000, "a.yaml").remarks
    assert len(remarks) == 1000
    assert "(and 1,000 more remarks on ignore comments of this file)" in remarks[-1].message
