"""Adds a page for each rule, and their table, to the site when mkdocs builds it."""

from __future__ import annotations

import base64
import io
import json
import re
import sys
import zlib
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.tokens import ScalarToken, Token

from crdlint.files.read import decode
from crdlint.linting.pipeline import lint_file
from crdlint.report.rule_description import findings, sections
from crdlint.rules import catalog
from crdlint.rules.catalog import families
from crdlint.rules.engine.examples import manifest
from crdlint.safety.escapes import markdown
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import to_json
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

    from crdlint.diagnostics import Diagnostic
    from crdlint.report.rule_description import Section
    from crdlint.rules.engine.rule import Rule

_INDEX: Final = "README.md"
_HEAD: Final = """\
---
description: Every rule of crdlint with its severity, what it reports, and whether a fix repairs it.
hide: [toc]
---
# Rules

`crdlint rules` lists these {count} rules, `crdlint explain RULE` prints the page of one. A terminal that shows links leads from the
rule of a finding to its page.

<label class="rules-filter">Filter
<input type="search" id="rules-filter" placeholder="maxItems, or a server's message"></label>

<p id="rules-none" role="status" hidden>No rule matches.</p>
"""
_PLAYGROUND: Final = "../../playground/"  # below the folder of a rule's page
# Where the packages that rules name as their source are.
_UPSTREAM: Final = (
    ("apiextensions/", "kubernetes/kubernetes/tree/master/staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/"),
    ("pkg/controller/", "kubernetes/kubernetes/tree/master/staging/src/k8s.io/apiextensions-apiserver/pkg/controller/"),
    ("kube-openapi/", "kubernetes/kube-openapi/tree/master/"),
    ("sigs.k8s.io/", "kubernetes-sigs/"),
    ("k8s.io/", "kubernetes/kubernetes/tree/master/staging/src/k8s.io/"),
    ("", "kubernetes/kubernetes/tree/master/staging/src/k8s.io/"),
)  # fmt: skip


def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    rules = [rule for family in families() for rule in family.values()]
    groups = {origin: [rule for rule in rules if _group(rule) == origin] for origin in _GROUPS}
    listed = "".join(_listed(_GROUPS[origin], members) for origin, members in groups.items())
    index = _HEAD.format(count=len(rules)) + listed
    in_order = [rule for members in groups.values() for rule in members]
    before, after = [None, *in_order[:-1]], [*in_order[1:], None]
    return {
        _INDEX: index,
        **{
            f"{rule.id}.md": f"{_page(rule)}\n{_ways(previous, following)}"
            for previous, rule, following in zip(before, in_order, after, strict=True)
        },
    }


def _ways(before: Rule | None, after: Rule | None) -> str:
    """Return the links to the neighbours of a rule, and to the list of all."""
    links = ["[All rules](README.md)"]
    if before is not None:
        links.insert(0, f"[← {before.id}]({before.id}.md)")
    if after is not None:
        links.append(f"[{after.id} →]({after.id}.md)")
    return f'<p class="ways" markdown>{" ".join(links)}</p>\n'


_GROUPS: Final = {
    "apiserver": "What the API server rejects, or warns about",
    "crdlint": "What crdlint adds",
    "requested": "On request",
}


def _group(rule: Rule) -> str:
    return (
        "requested" if rule.on_request else "crdlint" if rule.origin == "crdlint" else "apiserver"
    )


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to the files of the site."""
    from mkdocs.structure.files import File

    for name, text in pages().items():
        files.append(File.generated(config, f"rules/{name}", content=text))
    files.append(File.generated(config, "assets/messages.json", content=_messages_of_rules()))
    return files


def _messages_of_rules() -> str:
    """Return what the search of the site finds rules by, as JSON: the fixed words of messages by rule."""
    rules = [rule for family in families() for rule in family.values()]
    return json.dumps({rule.id: found for rule in rules if (found := _messages(rule))})


def _listed(title: str, rules: list[Rule]) -> str:
    """Return the list of some rules, which stylesheets/extra.css lays out and javascripts/site.js filters."""
    return f'\n## {title}\n\n<ul class="rules">\n{"".join(map(_row, rules))}</ul>\n'


def _row(rule: Rule) -> str:
    kinds = dict.fromkeys(sorted(fix.applicability for fix in catalog.fixes(rule.id)))
    fixes = f'<span class="fix">{" and ".join(kinds)} fix</span>' if kinds else ""
    summary = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(rule.summary, quote=False))
    messages = escape("|".join(_messages(rule)))
    keywords = escape(" ".join(sorted(_keywords(rule))))
    return (
        f'<li data-messages="{messages}" data-keywords="{keywords}">'
        f'<a href="{rule.id}/"><code>{rule.id}</code></a> <span class="severity {rule.severity}">{rule.severity}</span> '
        f"{fixes} <span>{summary}</span></li>\n"
    )


MESSAGES: Final = Path(__file__).with_name("assets") / "recorded-messages.json"
_FIXTURES: Final = Path(__file__).parents[1] / "fixtures"


_VARIABLE: Final = re.compile(r"""^[^ ]*: |"[^"]*"|'[^']*'|`[^`]*`|\{.*\}|\[.*?\]""")
_WORD: Final = re.compile(r"[a-z][a-z-]+")
FEWEST: Final = 3  # words of a message that tell rules apart


def words_of(text: str) -> list[str]:
    """Return all words of a text, as the search of the site reads it."""
    return _WORD.findall(text.lower())


def fixed_words(message: str) -> list[str]:
    """Return the words of a message that do not vary: of a short one also those of its path."""
    text = message.lower()
    words = dict.fromkeys(_WORD.findall(_VARIABLE.sub(" ", text)))
    if len(words) < FEWEST:
        words |= dict.fromkeys(_WORD.findall(re.sub(r"\[.*?\]", " ", text.partition('"')[0])))
    return list(words)


def _messages(rule: Rule) -> list[str]:
    """Return the words that each known message of the API server about a rule has, without variable parts."""
    own = (" ".join(fixed_words(text)) for text in _answers().get(rule.id, ()))
    return list(dict.fromkeys([*own, *_recorded().get(rule.id, ())]))


@cache
def _recorded() -> dict[str, list[str]]:
    """Return the fixed words of recorded messages by rule, see make_messages.py."""
    recorded: dict[str, list[str]] = json.loads(MESSAGES.read_text(encoding="utf-8"))
    return recorded


@cache
def _answers() -> dict[str, list[str]]:
    """Return what the API server answers to the fixtures and to the bad examples of rules, by rule."""
    answers: dict[str, list[str]] = {}
    files = sorted(_FIXTURES.rglob("*.yaml"))
    checked: list[Sequence[Diagnostic]] = [
        lint_file(decode(file.read_bytes()), file.name).diagnostics for file in files
    ]
    rules = [rule for family in families() for rule in family.values()]
    checked += [findings(rule, rule.bad) for rule in rules if rule.origin == "apiserver"]
    for each in (finding for diagnostics in checked for finding in diagnostics):
        if each.kind != "advice":
            answers.setdefault(each.rule, []).append(each.server_message or each.message)
    return answers


def _keywords(rule: Rule) -> set[str]:
    """Return the code in the help and the reason of a rule, such as names of fields."""
    return set(re.findall(r"`([\w.$-]+)`", f"{rule.help} {rule.why}"))


def _page(rule: Rule) -> str:
    heading = (
        f"---\ntitle: {rule.id}\ndescription: {json.dumps(rule.summary)}\n---\n# {rule.id}\n\n"
    )
    summary = f"{_text(rule.summary)} ({rule.severity})"
    return (
        "\n\n".join(
            [
                heading + summary,
                *_body(rule),
            ]
        )
        + "\n"
    )


def _body(rule: Rule) -> Iterator[str]:
    """Yield the parts of the sections; several in a row with one title, such as fixes, have one heading."""
    above = ""
    details = []
    for section in sections(rule):
        if section.title in _DETAILS:
            details.append(f"- **{section.title}**: {' '.join(_parts(section, rule))}")
            continue
        title = section.title.partition(" (")[0]
        if title and section.title != above:
            yield f"## {title}"
        yield from _parts(section, rule)
        above = section.title
    yield "## Details"
    yield "\n".join(details)


# The sections of one line, which share a heading.
_DETAILS: Final = {
    "Kubernetes",
    "Default",
    "controller-gen",
    "Ignore",
    "Related",
    "Former ids",
    "Upstream",
}


def in_block_style(text: str) -> str:
    """Return YAML with a line for each field, as generated CRDs have it, or the text if that would lose anything.

    Lists of scalars stay in one line.
    """
    if "{{" in text:  # a template
        return text
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = sys.maxsize
    stream = io.StringIO()
    try:
        if any(map(_is_continued, yaml.scan(text))):
            return text
        root = yaml.load(text)
        _set_block_style(root)
        yaml.dump(root, stream)
    except YAMLError:  # an example of broken YAML
        return text
    block = stream.getvalue().rstrip("\n")
    is_same = _value_of(block) == _value_of(text) and _comments(block) == _comments(text)
    return block if is_same else text


def _is_continued(token: Token) -> bool:
    """Return whether a token is a text that continues on the next line, which a new text would join."""
    is_text = isinstance(token, ScalarToken) and token.style not in ("|", ">")
    return is_text and token.start_mark.line != token.end_mark.line


def _set_block_style(root: Any) -> None:
    """Set the block style of all mappings and lists that are not empty."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if not isinstance(node, CommentedMap | CommentedSeq) or not node:
            continue
        below = list(node.values()) if isinstance(node, CommentedMap) else list(node)
        if isinstance(node, CommentedMap) or any(isinstance(each, dict | list) for each in below):
            node.fa.set_block_style()
        nodes += below


def _value_of(text: str) -> object:
    """Return the value of the first document of a text as JSON, or the reason that it has none."""
    document = parse_first(text)
    if document.root is None:
        return str(document.error)
    try:
        return to_json(document.root)
    except YAMLDecodeError as error:
        return str(error)


def _comments(text: str) -> list[str]:
    return sorted(re.findall(r"(?:^| )#.*", text, re.MULTILINE))


def _parts(section: Section, rule: Rule) -> Iterator[str]:
    if section.is_for_pages:
        yield _folded(section)
        return
    title, _, place = section.title.partition(" (")
    if place:
        yield f"{place[:1].upper()}{place[1:-1]}:"
    if title == "Related":
        yield ", ".join(f"[{one}]({one}.md)" for one in section.text.replace("`", "").split(", "))
    elif title == "Upstream":
        yield f"[{_text(section.text)}]({_upstream(section.text)})"
    elif section.text:
        yield _text(section.text)
    if section.code:
        yield _block(section)
    if title in {"Bad", "New"} and rule.scope not in {"template", "crds"}:
        yield f'<a href="{_PLAYGROUND}#{_shared(rule)}">Try it in the playground</a>'


def _block(section: Section) -> str:
    """Return the block of code of a section."""
    code = in_block_style(section.code) if section.language == "yaml" else section.code
    fence = "`" * max(3, _longest_fence(code) + 1)
    block = f"{fence}{section.language}\n{code}\n{fence}"
    is_message = section.language == "text"
    return f'<div class="message" markdown>\n\n{block}\n\n</div>' if is_message else block


def _folded(section: Section) -> str:
    """Return a section whose text is seen at first, and whose code is seen on request."""
    summary = f"<summary markdown>{_text(section.text)}</summary>"
    return f'<details class="observed" markdown>\n{summary}\n\n{_block(section)}\n\n</details>'


def _upstream(source: str) -> str:
    """Return the URL of the package that a source names."""
    package = (
        " ".join(part for part in source.split(" ") if "/" in part).rstrip(",").replace(" ", "/")
    )
    start, target = next(row for row in _UPSTREAM if package.startswith(row[0]))
    return f"https://github.com/{target}{package.removeprefix(start)}"


def _shared(rule: Rule) -> str:
    """Return the fragment of a link to the playground with the bad example of a rule (playground/web/share.js)."""
    old = manifest(rule, rule.good) if rule.compares else ""
    state = {"crd": manifest(rule, rule.bad), "resource": "", "old": old, "version": ""}
    packed = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = packed.compress(json.dumps(state).encode()) + packed.flush()
    return "1." + base64.urlsafe_b64encode(data).decode().rstrip("=")


def _longest_fence(text: str) -> int:
    return max(
        (len(line) - len(line.lstrip("`")) for line in map(str.strip, text.splitlines())), default=0
    )


def _text(text: str) -> str:
    """Return a text with its code as Markdown has it, and everything else escaped."""
    return "`".join(part if i % 2 else markdown(part) for i, part in enumerate(text.split("`")))
