"""Templates of hostile shapes: work grows with their length."""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import pytest

from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.rules.engine.examples import HEAD
from crdlint.sources.helm import masking as masking_module
from crdlint.sources.helm import rendered as rendered_module
from crdlint.sources.helm import templates as templates_module
from crdlint.sources.helm.masking import directives, is_foreign, mask, without_texts
from crdlint.sources.helm.render import RenderedDocument
from crdlint.sources.helm.rendered import check_rendered
from crdlint.sources.helm.templates import check_template, outline

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.linting.result import FileResult

CRD = HEAD + "        type: object\n"


def lint(text: str, file: str) -> FileResult:
    return lint_file(text, file, CheckRequest(skip_unfinished=True))


class Counting:
    """A pattern that counts the characters that it is asked to look at."""

    def __init__(self, pattern: object, counts: Counter[str]) -> None:
        self.pattern = pattern
        self.counts = counts

    def __getattr__(self, name: str) -> Callable[..., object]:
        method = getattr(self.pattern, name)

        def counted(text: str, at: int = 0, *rest: int) -> object:
            found = method(text, at, *rest)
            end = found.end() if found is not None and hasattr(found, "end") else len(text)
            self.counts["characters"] += end - at
            return found

        return counted


def looked_at(work: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many characters the patterns of directives look at."""
    counts: Counter[str] = Counter()
    with monkeypatch.context() as patched:
        patched.setattr(masking_module, "_MARK", Counting(masking_module._MARK, counts))  # noqa: SLF001
        texts = {key: Counting(one, counts) for key, one in masking_module._TEXTS.items()}  # noqa: SLF001
        patched.setattr(masking_module, "_TEXTS", texts)
        work()
    return counts["characters"]


QUOTES = {
    "escaped quotes without an end": lambda n: '{{ "' + '\\"' * n,
    "quotes without an end": lambda n: "{{ '" * n,
    "back quotes": lambda n: "{{ `a` }}" * n + "{{ `" * n,
    "directives with quotes": lambda n: '{{ "a" }}' * n,
    "a directive of many quotes": lambda n: "{{ " + '"a" ' * n + "}}",
    "quotes within characters": lambda n: "{{ " + "'\"' '\\\"' " * n + "}}",
}


@pytest.mark.parametrize("text", QUOTES.values(), ids=QUOTES)
def test_quotes_of_directives(text: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    def work(n: int) -> int:
        template = text(n)
        return looked_at(lambda: [is_foreign(one) for one in directives(template)], monkeypatch)

    once, twice = work(500), work(1000)
    assert twice < 2.3 * once


def test_a_quoted_text_without_an_end_ends_the_template() -> None:
    [one] = directives('{{ "a\\"b }}\n{{ c }}\n')
    assert not one.closed
    assert mask('{{ "a }}\n').broken == (
        1,
        "a directive has no end: `}}` is missing, or the end of a quoted text",
    )


@pytest.mark.parametrize(
    ("body", "without"),
    [
        ('a "b" c', 'a "" c'),
        ("a `b\nc` 'd'", 'a "" ""'),
        ("'\"' .x '\"'", '"" .x ""'),
        ('"\\"" .y', '"" .y'),
        ("plain", "plain"),
    ],
)
def test_a_body_without_its_texts(body: str, without: str) -> None:
    assert without_texts(body) == without


def calls(work: Callable[[], object], *modules: object) -> int:
    """Return how many calls of functions the modules make."""
    files = {module.__file__ for module in modules}  # type: ignore[attr-defined]
    count = 0

    def profile(frame: object, event: str, _: object) -> None:
        nonlocal count
        if event in {"call", "c_call"} and frame.f_code.co_filename in files:  # type: ignore[attr-defined]
            count += 1

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def of_one_line(n: int, end: str) -> FileResult:
    """Check a template with a line of many directives, and a rendered line with another end."""
    template = CRD.replace("type: object", "type: " + "{{ .a }}x" * n)
    return check_rendered(
        "a.yaml",
        template,
        [RenderedDocument(CRD.replace("type: object", "type: " + "ax" * n + end), ("",))],
        lint,
    )


def test_a_rendered_line_of_many_directives() -> None:
    assert {one.line for one in of_one_line(400, "").diagnostics} == {15}
    assert {one.line for one in of_one_line(400, "y").diagnostics} == {15}
    once, twice = (calls(partial(of_one_line, n, "y"), rendered_module) for n in (500, 1000))
    assert twice < 2.3 * once


@pytest.mark.parametrize(
    ("template", "made", "is_filled"),
    [
        ("{{ .a }}", "anything", True),
        ("type: {{ .a }}", "type: ", True),
        ("type: {{ .a }}", "typ: x", False),
        ("a: {{ .a }}b{{ .c }}d", "a: xbyd", True),
        ("a: {{ .a }}b{{ .c }}d", "a: bd", True),
        ("a: {{ .a }}ab{{ .c }}b", "a: ab", False),
        ("a: {{ .a }}b{{ .c }}", "a: c", False),
        ("a: {{ .a", "a: {{ .a", True),
        ("aa{{ .a }}aa", "aaa", False),
    ],
)
def test_a_line_is_compared_except_for_its_directives(
    template: str, made: str, is_filled: bool
) -> None:
    from crdlint.files.patterns import is_in_order
    from crdlint.sources.helm.rendered import _TemplateLine

    assert is_in_order(_TemplateLine.of(1, template).texts, made) is is_filled


def test_many_findings_in_lines_that_helm_makes() -> None:
    def work(n: int) -> FileResult:
        template = CRD + "{{ .a }}\n" * 10
        names = "".join(f"          p{i}:\n            type: int\n" for i in range(n))
        return check_rendered(
            "a.yaml",
            template,
            [RenderedDocument(f"{CRD}        properties:\n{names}", ("",))],
            lint,
        )

    assert len(work(100).diagnostics) == 100
    once, twice = (calls(partial(work, n), rendered_module) for n in (200, 400))
    assert twice < 2.3 * once


def test_dashes_of_a_list_in_a_line() -> None:
    once, twice = (
        calls(partial(outline, ["- " * n + "a: b"], [], []), templates_module) for n in (2000, 4000)
    )
    assert once == twice


def test_findings_within_filled_lines() -> None:
    def work(n: int) -> FileResult:
        labels = "".join(f"    l{i}: {{{{ .a }}}}\n" for i in range(n))
        text = CRD.replace("metadata:\n", "metadata:\n  labels:\n" + labels)
        return check_template("a.yaml", text, lint)

    assert work(10).crds != ()
    from crdlint.sources.helm import templates

    once, twice = (calls(partial(work, n), templates) for n in (400, 800))
    assert twice < 2.3 * once


def test_named_templates_within_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    from crdlint.files import recognition
    from crdlint.sources.helm import templates

    def characters(n: int) -> int:
        counts: Counter[str] = Counter()

        class Kinds(Counting):
            def finditer(self, text: str) -> object:
                self.counts["characters"] += len(text)
                return self.pattern.finditer(text)  # type: ignore[attr-defined]

        with monkeypatch.context() as patched:
            patched.setattr(templates, "CRD_OBJECT", Kinds(recognition.CRD_OBJECT, counts))
            text = '{{ define "a" }}\n' * n + "kind: CustomResourceDefinition\n" + "{{ end }}\n" * n
            result = check_template("a.yaml", text, lint)
        assert len([one for one in result.diagnostics if "named template" in one.message]) == n
        return counts["characters"]

    assert characters(200) < 2.3 * characters(100)
