"""The check of one CRD: decoding, validation, and all findings at their positions in the file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.changes.change import Policy
from crdlint.crd.convert import read_crd
from crdlint.crd.decode_help import suggestion
from crdlint.crd.decode_values import is_json
from crdlint.crd.defaults import accepted_names
from crdlint.crd.equality import semantic_equal
from crdlint.crd.near_misses import is_type_key
from crdlint.crd.placeholders import PLACEHOLDERS, is_placeholder
from crdlint.crd.positions import Locator, node_span
from crdlint.diagnostics.diagnostic import OLD_CRD, Related
from crdlint.linting import create
from crdlint.linting.documents import name_of, take_duplicate_keys
from crdlint.linting.result import ComparedCRD, FoundCRD, FoundRule, OldCRD
from crdlint.rules import catalog, duplicates
from crdlint.rules.engine.advisory import DecodedCRD
from crdlint.rules.engine.common import Common
from crdlint.rules.engine.finding import Finding, Manifest, fix_of
from crdlint.rules.engine.markers import VERSION_ANNOTATION, with_marker
from crdlint.rules.misplaced_fields import placement
from crdlint.safety.bugs import attempt
from crdlint.safety.work import Effort
from crdlint.schema.traversal import all_schemas
from crdlint.yaml.edit import split_lines
from crdlint.yaml.nodes import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Sequence as SequenceOf

    from crdlint.crd.decode import Decoded, DecodeProblem
    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import CustomResourceDefinition
    from crdlint.crd.paths import Path
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.kubernetes.servers import Range
    from crdlint.linting.result import Stage, State
    from crdlint.rules.engine.advisory import Advise, Advisory
    from crdlint.yaml.nodes import Node
    from crdlint.yaml.parse import Document

    FindOldCRD = Callable[[str], OldCRD | None]


@dataclass(frozen=True, slots=True)
class Options:
    """The options for checking the CRDs of a file, see `lint_file`.

    `advice` are the advisory rules to run, None for all except those on request that are not `requested`. `effort`
    limits the work for helps in the whole file. `policy` applies to the changes of updates. `stop_at` returns whether
    the check of a CRD stops at the stage of a finding, None to complete it.
    """

    file: str
    versions: Range
    previous: FindOldCRD | None
    skip_unfinished: bool
    keep: bool
    fixes_of: FixesOf | None = None
    advice: tuple[Advise, ...] | None = None
    requested: frozenset[str] = frozenset()
    effort: Effort = field(default_factory=Effort)
    policy: Policy = field(default_factory=Policy)
    stop_at: Callable[[Diagnostic], bool] | None = None

    def with_fix(self, diagnostic: Diagnostic, finding: Finding) -> Diagnostic:
        """Return a diagnostic with the fix of its finding, if fixes are requested and there is one."""
        return diagnostic if self.fixes_of is None else self.fixes_of.add(diagnostic, finding)


class FixesOf:
    """The fixes of findings in the file with ``text``."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self._text))]  # lines as documents count them

    def add(self, diagnostic: Diagnostic, finding: Finding) -> Diagnostic:
        """Return a diagnostic with the fix of its finding, if there is one."""
        rule = catalog.get(finding.rule)
        if diagnostic.hidden or not rule.fixes:
            return diagnostic
        fix = attempt(fix_of, rule.fixes, finding, self._line_starts[finding.manifest.document.line_offset])
        return diagnostic if fix is None else replace(diagnostic, fix=fix)


class CheckedCRD(NamedTuple):
    """The findings about a CRD in their order; `blocking` are those because of which rules have no cost.

    `notices` name values that are not checked. `definition` and `rules` are kept on request, if the API server can
    decode the CRD. `common` contains results of validating the decoded CRD that another server can reuse. `compared` is
    the comparison with the old CRD, None if the check is not about updates. `stage` is the one at which the check
    stopped, None if it is complete.
    """

    diagnostics: SequenceOf[Diagnostic]
    blocking: SequenceOf[Diagnostic]
    notices: SequenceOf[str]
    definition: FoundCRD | None = None
    rules: tuple[FoundRule, ...] = ()
    decoded: Decoded | None = None
    common: Common | None = None
    compared: ComparedCRD | None = None
    stage: Stage | None = None


def check_crd(
    document: Document, root: Mapping, options: Options, *, rejected: bool, like: CheckedCRD | None = None
) -> CheckedCRD:
    """Check a CRD; the server's findings are hidden if its apiVersion or kind is `rejected` already.

    `like` is the result for another server that decodes the CRD in the same way, unless an update changes that.
    """
    old = options.previous(name_of(root)) if options.previous is not None else None
    server = options.versions.newest
    decoded = like.decoded if like is not None else None
    decoded = decoded or read_crd(root, stored=old is not None, server=server)
    common = (like.common if like is not None else None) or Common()
    crd, locator = decoded.crd, Locator(root, document.line_offset, document.text)
    has_placeholders = options.skip_unfinished and any(opening in document.text for opening in PLACEHOLDERS)
    manifest = Manifest(document, root, locator, crd)
    # A misspelled apiVersion or kind is fixed before the API server decodes the other fields.
    problems = [problem for problem in decoded.problems if not (rejected and is_type_key(root, problem.node))]
    diagnostics = _duplicate_key_findings(manifest, options, is_json=is_json(root))
    diagnostics += _decode_findings(problems, manifest, options, hidden=rejected)
    diagnostics += _decode_findings(decoded.later, manifest, options, hidden=True)
    rejected = rejected or any(_is_rejection(problem, has_placeholders=has_placeholders) for problem in problems)
    diagnostics = [_with_marker(diagnostic, crd) for diagnostic in diagnostics]
    stop_at = None if has_placeholders else options.stop_at  # a finding about a placeholder is not reported
    if stop_at is not None and any(map(stop_at, diagnostics)):
        return CheckedCRD(_of_crd(diagnostics, crd), [], [], stage="decode")
    if stop_at is not None and old is None:
        first = create.validate(crd, server, options.effort, common, walk_only=True)
        of_first: dict[str, Diagnostic] = {}
        _add_field_findings(of_first, first.errors, decoded, manifest, locator, options, hidden=rejected)
        if any(map(stop_at, of_first.values())):
            return CheckedCRD(_of_crd([*diagnostics, *of_first.values()], crd), [], [], stage="field")
    if old is None:
        report = create.validate(crd, server, options.effort, common)
    else:
        from crdlint.linting import update  # only updates need it

        report = update.validate(crd, old.crd, server, options.effort)
    of_fields: dict[str, Diagnostic] = {}
    _add_field_findings(of_fields, report.errors, decoded, manifest, locator, options, hidden=rejected)
    if stop_at is not None and any(map(stop_at, of_fields.values())):
        return CheckedCRD(_of_crd([*diagnostics, *of_fields.values()], crd), [], [], stage="field")
    _add_field_findings(of_fields, report.find_hidden(), decoded, manifest, locator, options, hidden=True)
    diagnostics += of_fields.values()
    if not rejected:
        diagnostics += _ignored_fields(decoded.ignored, manifest, options)
        accepted = not (problems or report.errors)
        diagnostics += _advisories(root, old, crd, report.rules, manifest, locator, options, common, accepted=accepted)
        if old is not None and options.advice is None:
            diagnostics += _changes(old, crd, locator, options)
    diagnostics = _of_crd(diagnostics, crd)
    notices: list[str] = []
    if has_placeholders:
        diagnostics, notices = _without_placeholders(diagnostics, document)
    is_broken = bool(problems or report.errors)
    known = _known_rejections(old, options) if old is not None and is_broken else frozenset()
    compared = None if options.previous is None else ComparedCRD(crd.metadata.name, _state(old, crd), known)
    if rejected or not options.keep:
        return CheckedCRD(diagnostics, [], notices, decoded=decoded, common=common, compared=compared)
    blocking = {id(diagnostic) for error in report.blocking if (diagnostic := of_fields.get(str(error))) is not None}
    return CheckedCRD(
        diagnostics,
        [diagnostic for diagnostic in diagnostics if id(diagnostic) in blocking],
        notices,
        FoundCRD(crd, locator, options.versions),
        tuple(FoundRule(crd.metadata.name, _version_of(rule, crd), rule, locator) for rule in report.rules),
        decoded,
        common,
        compared,
    )


def _of_crd(diagnostics: Iterable[Diagnostic], crd: CustomResourceDefinition) -> list[Diagnostic]:
    """Return findings with the name of their CRD."""
    name = crd.metadata.name
    return [diagnostic if diagnostic.crd == name else replace(diagnostic, crd=name) for diagnostic in diagnostics]


def _is_rejection(problem: DecodeProblem, *, has_placeholders: bool) -> bool:
    """Return whether the server cannot decode a CRD; a placeholder may represent a value that it can decode."""
    text = problem.node.value if has_placeholders and isinstance(problem.node, Scalar) else ""
    return problem.kind == "decode" and not is_placeholder(text)


def _with_marker(diagnostic: Diagnostic, crd: CustomResourceDefinition, marker: str | None = None) -> Diagnostic:
    """Return a finding with the marker for the Go source in its help, if the CRD is generated from one."""
    version = crd.metadata.annotations.get(VERSION_ANNOTATION)
    if version is None:
        return diagnostic
    marker = catalog.get(diagnostic.rule).marker if marker is None else marker
    help_ = attempt(with_marker, diagnostic.help or "", marker, version) if marker else None
    return diagnostic if help_ is None else replace(diagnostic, help=help_)


_NEAR: Final = 32  # the number of repeated keys that are compared with a key


def _duplicate_key_findings(manifest: Manifest, options: Options, *, is_json: bool) -> list[Diagnostic]:
    diagnostics = []
    keys = take_duplicate_keys(manifest.document, is_json=is_json)
    offset = manifest.document.line_offset
    for i, key in enumerate(keys):
        near = keys[max(i - _NEAR, 0) : i + _NEAR]
        help_ = attempt(duplicates.repeated_block, key, near, offset)
        diagnostic = duplicates.of_yaml(key, options.file, offset, help_)
        diagnostics.append(options.with_fix(diagnostic, Finding(manifest, diagnostic.rule, duplicate=key)))
    return diagnostics


def _decode_findings(
    problems: Iterable[DecodeProblem], manifest: Manifest, options: Options, *, hidden: bool
) -> list[Diagnostic]:
    diagnostics = []
    for problem in problems:
        diagnostic = replace(_decode_finding(problem, options.file, manifest.document), hidden=hidden)
        finding = Finding(manifest, diagnostic.rule, problem=problem)
        placed = attempt(placement, finding)
        if placed is not None:
            name = problem.path.rpartition(".")[2]
            lacks = diagnostic.lacks if placed.owner is None else _lacking(placed.owner, name)
            diagnostic = replace(diagnostic, help=placed.help, lacks=lacks)
        diagnostics.append(options.with_fix(diagnostic, finding))
    return diagnostics


def _ignored_fields(ignored: Iterable[DecodeProblem], manifest: Manifest, options: Options) -> Iterator[Diagnostic]:
    """Yield the unknown fields that the API server drops without an error."""
    rule = catalog.get("unknown-field-ignored")
    for problem in ignored if options.advice is None else ():
        message = f"{problem.message}: the API server drops it without an error"
        span = node_span(problem.node, manifest.document.line_offset)
        diagnostic = rule.diagnostic(options.file, "advice", message, span, problem.help)
        yield options.with_fix(diagnostic, Finding(manifest, rule.id, problem=problem))


def _decode_finding(problem: DecodeProblem, file: str, document: Document) -> Diagnostic:
    """Return the finding for a problem of the decoder."""
    offset = document.line_offset
    if problem.first is not None:
        return duplicates.of_json(problem.message, problem.path, problem.first, problem.node, file, offset)
    help_ = attempt(_invisible_character, document.text, problem.node) or problem.help
    help_ = help_ or (attempt(suggestion, problem) if problem.go_type else None)
    rule = catalog.get(_DECODE_RULES[problem.kind])
    content = problem.content
    if problem.kind == "strict":
        diagnostic = rule.diagnostic(file, problem.kind, problem.message, node_span(problem.node, offset), help_)
        return diagnostic if problem.nearest is None else replace(diagnostic, lacks=_lacking(content, problem.nearest))
    # A list is reported itself, and a mapping where it is in one line, otherwise at its key.
    in_line = not isinstance(content, Scalar) and content.flow and content.start_mark.line == content.end_mark.line
    span = node_span(content if in_line or isinstance(content, Sequence) else problem.node, offset)
    if isinstance(content, Sequence) and not in_line:
        first_line = document.text[content.start_mark.index :].partition("\n")[0].rstrip()
        span = span._replace(end_line=span.line, end_column=span.column + len(first_line))
    return rule.diagnostic(file, problem.kind, problem.message, span, help_)


# YAML reads these as a part of the key; people see a space, or nothing.
_INVISIBLE: Final = re.compile("[\u00a0\u200b-\u200f\u2060\ufeff]")


def _invisible_character(text: str, node: Node) -> str | None:
    """Return the help for an invisible character in the key of a node's line, or None if it has none."""
    start = text.rfind("\n", 0, node.start_mark.index) + 1
    line = text[start : text.find("\n", start) % (len(text) + 1)] if start else ""
    key = line.lstrip(" -").partition(":")[0].partition(" ")[0]
    match = _INVISIBLE.search(key)
    if match is None:
        return None
    import unicodedata

    char, column = match[0], line.index(match[0]) + 1
    return f"Remove the invisible character U+{ord(char):04X} ({unicodedata.name(char).lower()}) in column {column}"


def _lacking(mapping: Node, name: str) -> str:
    """Return the identification of a mapping of the document and a field that it lacks, see `Diagnostic.lacks`."""
    return f"{mapping.start_mark.index} {name}"


_DECODE_RULES: Final = {"decode": "decode-type", "strict": "unknown-field"}


def _add_field_findings(
    diagnostics: dict[str, Diagnostic],
    errors: Iterable[FieldError],
    decoded: Decoded,
    manifest: Manifest,
    locator: Locator,
    options: Options,
    *,
    hidden: bool,
) -> None:
    """Add the findings of field errors by message, without duplicates, as in upstream's ToAggregate."""
    not_decoded = {id(problem.node) for problem in (*decoded.problems, *decoded.later) if problem.kind == "decode"}
    for error in errors:
        if not_decoded and _is_at(locator, error, not_decoded):
            continue  # the value is invalid only because it was not decoded
        message = str(error)
        if message in diagnostics:
            continue
        path = error.at or error.path
        span = locator.span(path, key=error.key) if error.inside is None else locator.span_inside(path, error.inside)
        diagnostic = catalog.get(error.rule).diagnostic_of(
            error, message, span, file=options.file, crd=decoded.crd.metadata.name, hidden=hidden or error.hidden
        )
        missing = locator.missing(error.path) if decoded.problems else None
        if missing is not None:
            diagnostic = replace(diagnostic, lacks=_lacking(*missing))
        diagnostic = options.with_fix(diagnostic, Finding(manifest, error.rule, error=error))
        diagnostics[message] = _with_marker(diagnostic, decoded.crd)


def _is_at(locator: Locator, error: FieldError, nodes: set[int]) -> bool:
    """Return whether an error refers to one of the nodes, by identity, or to the value of a key among them."""
    position = locator.find(error.at or error.path)
    return position.exact and (id(position.node) in nodes or id(position.key) in nodes)


def _advisories(
    root: Mapping,
    old: OldCRD | None,
    crd: CustomResourceDefinition,
    rules: SequenceOf[EstimatedRule],
    manifest: Manifest,
    locator: Locator,
    options: Options,
    common: Common,
    *,
    accepted: bool,
) -> Iterator[Diagnostic]:
    """Yield the server's warnings and crdlint's advice; some of it applies only to CRDs that the server has `accepted`."""
    decoded = DecodedCRD(
        root=root,
        text=manifest.document.text,
        spec=crd.spec,
        schemas=common.all_schemas(crd.spec),
        old_schemas=[] if old is None else all_schemas(old.crd.spec),
        rules=rules,
        versions=options.versions,
        dropped=crd.dropped,
        requested=options.requested,
        annotations=crd.metadata.annotations,
        old_names=None if old is None else accepted_names(old.crd),
    )
    advice = catalog.advice(options.requested, accepted=accepted) if options.advice is None else options.advice
    for advisory in (advisory for advise in advice for advisory in attempt(_all, advise, decoded) or ()):
        span = locator.span_inside(advisory.path, advisory.inside) if advisory.inside else locator.span(advisory.path)
        diagnostic = catalog.get(advisory.rule).diagnostic(
            options.file, advisory.kind, advisory.message, span, advisory.help
        )
        diagnostic = _with_marker(diagnostic, crd, advisory.marker)
        if advisory.severity is not None:
            diagnostic = replace(diagnostic, severity=advisory.severity)
        if advisory.old_path is not None and old is not None:
            diagnostic = replace(diagnostic, related=_in_old(old, advisory.old_path))
        yield options.with_fix(diagnostic, Finding(manifest, advisory.rule, advisory=advisory))


def _all(advise: Advise, decoded: DecodedCRD) -> list[Advisory]:
    return list(advise(decoded))


def _state(old: OldCRD | None, crd: CustomResourceDefinition) -> State:
    if old is None:
        return "added"
    return "unchanged" if semantic_equal(old.crd.spec, crd.spec) else "changed"


def _changes(old: OldCRD, crd: CustomResourceDefinition, locator: Locator, options: Options) -> Iterator[Diagnostic]:
    """Yield the effects of an update on clients and stored objects."""
    from crdlint.changes.compare import changes  # only updates need it

    for change in changes(old.crd, crd, options.versions, options.policy):
        rule, span = catalog.get(change.rule), locator.span(change.new)
        diagnostic = rule.diagnostic(options.file, "advice", change.message(crd), span, change.help)
        related = _in_old(old, change.old)
        yield replace(diagnostic, severity=change.severity, field=change.field, related=related, example=change.example)


def _known_rejections(old: OldCRD, options: Options) -> frozenset[str]:
    """Return the messages with which the API server rejects an old CRD."""
    from crdlint.linting import update  # only updates need it

    report = update.validate(old.crd, old.crd, options.versions.newest, options.effort)
    return old.problems.union(map(str, report.errors))


def _in_old(old: OldCRD, path: Path) -> Related | None:
    """Return a place in the old CRD, None if it is in no file."""
    span = old.positions.span(path)
    return Related(OLD_CRD, old.file, span.line, span.column) if old.file else None


def _without_placeholders(diagnostics: list[Diagnostic], document: Document) -> tuple[list[Diagnostic], list[str]]:
    """Return the findings that are not about placeholders, and notices instead of the others."""
    lines = split_lines(document.text)
    remaining: list[Diagnostic] = []
    notices: list[str] = []
    for diagnostic in diagnostics:
        line = lines[diagnostic.line - 1 - document.line_offset]
        value = (
            line[diagnostic.column - 1 : diagnostic.end_column - 1] if diagnostic.line == diagnostic.end_line else ""
        )
        if is_placeholder(value):
            notices.append(f"line {diagnostic.line}: not checked: {value} is a placeholder")
        else:
            remaining.append(diagnostic)
    return remaining, notices


def _version_of(rule: EstimatedRule, crd: CustomResourceDefinition) -> str:
    """Return the version whose schema contains a rule, empty if all versions share the schema."""
    _, field_, *below = rule.path.steps()
    return crd.spec.versions[int(below[0])].name if field_ == "versions" else ""
