"""The description of a rule, which `crdlint explain` and the pages of the site show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from itertools import islice
from typing import Any, Final

from crdlint.config.apply import apply
from crdlint.config.comments import read_comments
from crdlint.config.model import Config
from crdlint.diagnostics import Diagnostic
from crdlint.kubernetes.servers import NEWEST, NEWEST_ALONE, SERVERS, Range
from crdlint.light import dataclass
from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult
from crdlint.report.observations import observations, origin
from crdlint.rules.catalog import families, fixes
from crdlint.rules.engine.examples import EXAMPLE_LIMIT, example_position, manifest
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.rule import Rule
from crdlint.sources.helm.templates import check_template, check_unrendered

# For the rules about versions: the range that their examples are about.
_VERSIONS: Final = Range(SERVERS[1], NEWEST)
_CONTEXT: Final = 4  # lines around a change in a diff
# Scopes whose examples are files without a CRD for a server.
_WITHOUT_ANSWER: Final = frozenset({"resource", "template", "crds"})


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a description: a title, text with code in backquotes, and a block of code in a language of Markdown.

    A part without a title belongs to the one before it. `is_for_pages` means that a terminal does not show the code.
    """

    title: str
    text: str = ""
    code: str = ""
    language: str = ""
    is_for_pages: bool = False


def sections(rule: Rule) -> Iterator[Section]:
    """Yield the parts of a rule's description, in the order in which they are shown."""
    yield Section("Why", rule.why)
    yield from _examples(rule)
    yield from _answer(rule)
    yield Section("Help", rule.help)
    for fix in fixes(rule.id):
        yield from _fix(rule, fix)
    yield from _observed(rule)
    yield from _when_reported(rule)
    if rule.marker:
        yield Section("controller-gen", f"{rule.marker[0].upper()}{rule.marker[1:]}")
    if rule.scope != "text":
        comment = f"`# crdlint: ignore[{rule.id}] reason`"
        yield Section("Ignore", f"{comment} at the end of the line or above the field")
    yield from _related(rule)
    if rule.aliases:
        yield Section("Former ids", ", ".join(f"`{alias}`" for alias in rule.aliases))
    if rule.source:
        yield Section("Upstream", rule.source)


def _examples(rule: Rule) -> Iterator[Section]:
    """Yield the bad and the good example, or the old and the new CRD, if they are short."""
    labels = {"Bad": rule.bad, "Good": rule.good}
    if rule.compares:
        labels = {"Old": rule.good, "New": rule.bad}
    suffix = example_position(rule)
    for label, text in labels.items():
        if 0 < len(text) < EXAMPLE_LIMIT:
            yield Section(f"{label}{suffix}", code=text.rstrip(), language="yaml")


def _observed(rule: Rule) -> Iterator[Section]:
    """Yield what a running API server was seen to do."""
    observed = observations(rule)
    if observed:
        yield Section("What happens", origin(observed))
    for observation in observed:
        yield Section(
            "",
            f"{observation.claim}.",
            observation.protocol,
            "text",
            is_for_pages=True,
        )


def _when_reported(rule: Rule) -> Iterator[Section]:
    """Yield which servers report the error, or what requests a rule that is not reported by default."""
    if rule.origin == "apiserver":
        yield Section("Kubernetes", _versions(rule))
    elif rule.on_request:
        sets = f" The set `{rule.in_set}` contains it." if rule.in_set else ""
        command = f"`--select '*' --select {rule.id}`"
        yield Section("Default", f"Not reported. {command} reports it.{sets}")


_NEIGHBOURS: Final = 3  # related rules before a rule; there are twice as many in all


def _related(rule: Rule) -> Iterator[Section]:
    """Yield the rules that are declared before and after a rule."""
    family = next(list(rules) for rules in families() if rule.id in rules)
    shown = 2 * _NEIGHBOURS + 1
    start = max(0, min(family.index(rule.id) - _NEIGHBOURS, len(family) - shown))
    others = [f"`{each}`" for each in family[start : start + shown] if each != rule.id]
    if others:
        yield Section("Related", ", ".join(others))


def findings(rule: Rule, fragment: str, versions: Range | None = None) -> Sequence[Diagnostic]:
    """Return the findings of crdlint in an example of a rule, for these servers or the rule's default."""
    text = manifest(rule, fragment)
    name = "example.yaml"
    if rule.scope == "resource":
        from crdlint.resources.definitions import Definitions
        from crdlint.resources.pipeline import validate_text

        definitions = Definitions()
        definitions.add(lint_file(text, name, CheckRequest(keep=True)))
        return validate_text(text, filename=name, definitions=definitions).result.diagnostics
    of_rule = _VERSIONS if rule.id.startswith("kube-version-") else NEWEST_ALONE
    config = Config(select=("*", rule.id))  # also if it is only reported on request
    result = _checked(rule, text, name, versions or of_rule)
    return apply(result, config, read_comments(text, name)).result.diagnostics


def _checked(
    rule: Rule,
    text: str,
    name: str,
    versions: Range,
) -> FileResult:
    previous = collect_crds(manifest(rule, rule.good)).by_name.get if rule.compares else None

    def lint(text: str, file: str) -> FileResult:
        requested = frozenset({rule.id})
        request = CheckRequest(
            versions=versions,
            skip_unfinished=True,
            previous=previous,
            requested=requested,
        )
        return lint_file(text, file, request)

    check = {"template": check_template, "crds": check_unrendered}.get(rule.scope)
    return lint(text, name) if check is None else check(name, text, lint)


def _answer(rule: Rule) -> Iterator[Section]:
    """Yield the message for the bad example: the API server's for its own rules, crdlint's for advice."""
    if rule.bad:
        # Some advice is for servers that do not warn yet.
        older = map(Range.of, reversed(SERVERS[:-1]))
        candidates = (
            finding for versions in (None, *older) for finding in findings(rule, rule.bad, versions)
        )
        reported = next((finding for finding in candidates if finding.rule == rule.id), None)
        if reported is not None:
            speaker = "The API server" if rule.origin == "apiserver" else "crdlint"
            message = reported.server_message or reported.message
            shortened = message if len(message) < EXAMPLE_LIMIT else f"{message[:EXAMPLE_LIMIT]}…"
            yield Section(f"{speaker} reports", code=shortened, language="text")


def _fix(rule: Rule, fix: Fixer[Any]) -> Iterator[Section]:
    """Yield the effect of a fix as a diff of its example."""
    bad, good = fix.bad or rule.bad, fix.good or rule.good
    if len(bad) < EXAMPLE_LIMIT:
        is_safe = fix.applicability == "safe"
        option = "--fix" if is_safe else "--fix --unsafe-fixes"
        is_unasked = not is_safe or rule.severity == "info"
        # What the API server accepts is only changed for a rule that is selected by name.
        if is_unasked and rule.origin == "crdlint" and not rule.misread:
            option += f" --select {rule.id}"
        lines = unified_diff(
            bad.splitlines(),
            good.splitlines(),
            n=_CONTEXT,
            lineterm="",
        )
        changed = "\n".join(line for line in islice(lines, 2, None) if not line.startswith("@@"))
        yield Section("Fix", f"{fix.title} (`{option}`)", changed, "diff")


def _versions(rule: Rule) -> str:
    """Return the Kubernetes versions that report the rule for its bad example."""
    if rule.bad and rule.scope not in _WITHOUT_ANSWER:
        reporting = [
            server
            for server in SERVERS
            if any(
                finding.rule == rule.id for finding in findings(rule, rule.bad, Range.of(server))
            )
        ]
        if reporting and len(reporting) < len(SERVERS):
            if reporting == list(SERVERS[-len(reporting) :]):
                return f"{reporting[0]} and later"
            if reporting == list(SERVERS[: len(reporting)]):
                return f"{reporting[-1]} and earlier"
            return ", ".join(map(str, reporting))
    return f"{SERVERS[0]} and later"
