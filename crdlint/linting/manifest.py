"""The check of one CRD: decoding, validation, and all findings at their positions in the file."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from crdlint.crd.convert import accepted_names, read_crd
from crdlint.crd.errors import REQUIRED, FieldError
from crdlint.crd.identity import is_type_key
from crdlint.crd.paths import is_shared
from crdlint.crd.placeholders import is_placeholder
from crdlint.crd.positions import Locator, UserPath, UserPaths, contradicting, node_span
from crdlint.crd.record import semantic_equal
from crdlint.diagnostics import OLD_CRD, Related
from crdlint.kubernetes.senders import ARGO_CD, apply_severity, client_side_severity
from crdlint.light import NamedTuple, replace
from crdlint.linting import create
from crdlint.linting.decode_findings import decode_finding
from crdlint.linting.documents import as_stored, name_of, take_duplicate_keys
from crdlint.linting.result import ComparedCRD, FoundCRD, FoundRule, OldCRD
from crdlint.rules import catalog
from crdlint.rules.engine import headlines
from crdlint.rules.engine.advisory import DecodedCRD, version_parts
from crdlint.rules.engine.common import Common
from crdlint.rules.engine.finding import (
    AdviceFinding,
    DecodeFinding,
    FieldFinding,
    Manifest,
    RepeatedKeyFinding,
)
from crdlint.rules.engine.markers import with_marker
from crdlint.rules.engine.relations import lacking
from crdlint.rules.texts import reading
from crdlint.rules.texts.reading import (
    duplicate_in_json,
    duplicate_in_yaml,
    other_bound,
    repeated_block,
)
from crdlint.safety.bugs import attempt
from crdlint.schema.traversal import all_schemas
from crdlint.yaml.edit import split_lines
from crdlint.yaml.json_values import DuplicateKey
from crdlint.yaml.nodes import Scalar, is_json, text_or_empty

if TYPE_CHECKING:
    from crdlint.changes.change import Change
    from crdlint.crd.decode import Decoded
    from crdlint.crd.decode_errors import DecodeProblem
    from crdlint.crd.model import CustomResourceDefinition
    from crdlint.crd.paths import Path
    from crdlint.crd.positions import Span
    from crdlint.diagnostics import Diagnostic
    from crdlint.kubecel.cost import EstimatedRule
    from crdlint.linting.create import ServerReport
    from crdlint.linting.request import CheckRequest, Subject
    from crdlint.linting.result import Stage
    from crdlint.linting.unread import Unread
    from crdlint.rules.engine.advisory import Advise, Advisory
    from crdlint.yaml.nodes import Mapping, Node


class CheckedCRD(NamedTuple):
    """The findings about a CRD, and what its check found out.

    - `diagnostics`: the findings in their order
    - `blocking`: those because of which rules have no cost
    - `notices`: name values that are not checked
    - `definition`, `rules`: kept on request, if the API server can decode the CRD
    - `common`: results of validating the decoded CRD that another server can reuse
    - `errors`: those of this server
    - `compared`: the comparison with the old CRD, None if the check is not about updates
    - `stage`: the one at which the check stopped, None if it is complete
    """

    diagnostics: SequenceOf[Diagnostic]
    blocking: SequenceOf[Diagnostic]
    notices: SequenceOf[str]
    definition: FoundCRD | None = None
    rules: tuple[FoundRule, ...] = ()
    decoded: Decoded | None = None
    common: Common | None = None
    errors: SequenceOf[FieldError] = ()
    compared: ComparedCRD | None = None
    stage: Stage | None = None


def check_crd(
    subject: Subject, request: CheckRequest, like: CheckedCRD | None = None
) -> CheckedCRD:
    """Check a CRD for the newest server of a request, stage by stage.

    `like` is the result for another server that decodes the CRD in the same way, unless an update changes that.
    """
    check = _CRDCheck(subject, request, like)
    findings = _decode_findings(check)
    if check.ends_with(findings):
        return check.stopped("decode", check.named(findings))
    if check.stop_at is not None and check.old is None:
        errors = _located(check, _of_walk(check).errors)
        if check.ends_with(errors.values()):
            return check.stopped("field", [*check.named(findings), *errors.values()])
    report = _validation(check)
    errors = _located(check, report.errors)
    if check.ends_with(errors.values()):
        return check.stopped("field", [*check.named(findings), *errors.values()])
    errors |= _located(check, report.find_hidden(), errors, hidden=True)
    findings = [*check.named(findings), *errors.values()]
    findings += _of_decoded(check, report, findings)
    findings, notices = _without_placeholders(check, findings)
    compared = None if request.previous is None else _compared(check, report)
    checked = CheckedCRD(
        findings,
        [],
        notices,
        decoded=check.decoded,
        common=check.common,
        errors=report.errors,
        compared=compared,
    )
    is_kept = request.keep and not check.rejected
    return _with_definition(checked, check, report) if is_kept else checked


def _with_definition(checked: CheckedCRD, check: _CRDCheck, report: ServerReport) -> CheckedCRD:
    """Return a result with the CRD, its rules, and the findings that keep the server from using it."""
    blocking = set(map(str, report.blocking))
    return checked._replace(
        blocking=[finding for finding in checked.diagnostics if finding.message in blocking],
        definition=FoundCRD(check.crd, check.locator, check.request.versions),
        rules=tuple(
            FoundRule(
                check.name,
                _version_of(rule, check.crd),
                rule,
                check.locator,
            )
            for rule in report.rules
        ),
    )


def _of_decoded(
    check: _CRDCheck, report: ServerReport, errors: SequenceOf[Diagnostic]
) -> list[Diagnostic]:
    """Return the advice about a CRD, and its changes if the server can decode it; no practices that `errors` may explain."""
    decoded = check.decoded_crd(report)
    advice = check.named([*_ignored_fields(check), *_advisories(check, decoded)])
    practices = check.named(_practices(check, decoded))
    explained = set(map(_scope, errors))
    practices = [
        practice
        for practice in practices
        if explained.isdisjoint({(practice.user_path, 0), (practice.user_path, practice.line)})
    ]
    changes = () if check.rejected else check.named(_changes(check))
    return [*advice, *practices, *changes]


def _scope(error: Diagnostic) -> tuple[str, int]:
    """Return the field that an error is about and its line, which is 0 if the error may change other keywords of the field."""
    is_of_one_keyword = error.kind == "field" and not catalog.get(error.rule).changes
    return error.user_path, error.line if is_of_one_keyword else 0


class _CRDCheck:
    """The check of a CRD that is decoded, defaulted and converted; `rejected` if the server cannot decode it."""

    def __init__(self, subject: Subject, request: CheckRequest, like: CheckedCRD | None) -> None:
        document, root = subject.document, subject.root
        self.subject, self.request = subject, request
        self.server = request.versions.newest
        old = request.previous(name_of(root)) if request.previous is not None else None
        self.old = old and as_stored(old, self.server)
        decoded = like.decoded if like is not None else None
        self.decoded = decoded or self._read(root)
        self.crd = self.decoded.crd
        self.name = self.crd.metadata.name
        self.common = (like.common if like is not None else None) or Common()
        self.locator = Locator(root, document.line_offset, document.text)
        self.user_paths = UserPaths(root)
        self.manifest = Manifest(document, root, self.locator, self.crd)
        self.problems = self._problems(root)
        self.has_placeholders = request.skip_unfinished and request.finds_placeholders(document)
        # A check never ends at findings of placeholders, which are dropped.
        self.stop_at = None if self.has_placeholders else request.stop_at
        self.rejected = subject.rejected or any(map(self._is_rejection, self.problems))
        self.unread = self._unread(root) if self.rejected else None

    def _problems(self, root: Mapping) -> list[DecodeProblem]:
        """Return what the decoder reports; a misspelled apiVersion or kind is fixed before it decodes the other fields."""
        problems = list(self.decoded.problems)
        if not self.subject.rejected:
            return problems
        return [problem for problem in problems if not is_type_key(root, problem.node)]

    def _read(self, root: Node) -> Decoded:
        """Read the CRD as the server does for the sender of the request, merged into the old one if that is applied."""
        decoded = self._read_alone(root)
        sender = self.request.sender
        if self.old is None or not (sender.applies or sender.drops_nulls):
            return decoded
        from crdlint.linting.applied import over_old  # only updates by some senders need it

        return over_old(
            decoded,
            root,
            self.old.positions.root,
            sender,
            self.server,
        )

    def _read_alone(self, root: Node) -> Decoded:
        stored, sender = self.old is not None, self.request.sender
        if sender.applies:
            # Only server-side apply needs it.
            from crdlint.typed.applied_crds import read_applied_crd

            decoded = read_applied_crd(root, stored=stored, server=self.server)
        else:
            json = False if sender.reencodes else None
            # A patch has the lists of the CRD with their nulls.
            drops_nulls = sender.drops_nulls and not stored
            decoded = read_crd(
                _without_nulls(root) if drops_nulls else root,
                stored=stored,
                server=self.server,
                json=json,
            )
        return self._as_client(root, decoded) if sender.reencodes else decoded

    def _as_client(self, root: Node, decoded: Decoded) -> Decoded:
        """Return a decoded CRD with the problem that the client reports before it sends the CRD."""
        from crdlint.crd.clients import client_problem  # only a named client needs it

        by_name = self.request.sender.puts_name_in_url
        problem = client_problem(root, self.subject.file, by_name=by_name)
        if problem is None:
            return decoded
        return decoded._replace(problems=(problem,), later=(*decoded.problems, *decoded.later))

    def _is_rejection(self, problem: DecodeProblem) -> bool:
        """Return whether the server cannot decode a CRD; a placeholder may represent a value that it can decode."""
        text = (
            problem.node.value if self.has_placeholders and isinstance(problem.node, Scalar) else ""
        )
        return problem.kind == "decode" and not is_placeholder(text)

    def _unread(self, root: Node) -> Unread | None:
        from crdlint.linting.unread import unread  # only a few CRDs need it

        problems = (*self.decoded.problems, *self.decoded.later)
        return unread(root, problems, self.common.all_schemas(self.crd.spec))

    def ends_with(self, findings: Iterable[Diagnostic]) -> bool:
        """Return whether the stages after that of some findings need not run."""
        return self.stop_at is not None and any(map(self.stop_at, findings))

    def stopped(self, stage: Stage, findings: Iterable[Diagnostic]) -> CheckedCRD:
        """Return the result of a check whose last stage has findings because of which it stops."""
        return CheckedCRD([*findings], [], [], stage=stage)

    def named(self, findings: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return findings with the name of their CRD and the path in it that users know."""
        return [self._named(finding) for finding in findings]

    def decoded_crd(self, report: ServerReport) -> DecodedCRD:
        """Return the CRD as the input of advice."""
        spec, old, request, subject = self.crd.spec, self.old, self.request, self.subject
        return DecodedCRD(
            root=subject.root,
            text=subject.document.text,
            spec=spec,
            parts=tuple(version_parts(spec)),
            schemas=self.common.all_schemas(spec),
            old_schemas=[] if old is None else all_schemas(old.crd.spec),
            rules=report.rules,
            versions=request.versions,
            dropped=self.crd.dropped,
            requested=request.requested,
            annotations=self.crd.metadata.annotations,
            apply_severity=apply_severity(request.senders),
            client_side_severity=client_side_severity(request.senders, without=ARGO_CD),
            is_by_argo_cd=ARGO_CD in request.senders,
            old_names=None if old is None else accepted_names(old.crd),
        )

    def _named(self, finding: Diagnostic) -> Diagnostic:
        names = self.names(finding.line, finding.column, finding.field)
        user_path, headline = names.get("user_path", ""), finding.headline
        if finding.kind == "decode" and "`" not in headline and user_path.strip("."):
            headline = headlines.of_message(f"`{user_path}`: {headline}")
        return replace(finding, headline=headline, **names)

    def names(self, line: int, column: int, field: str) -> dict[str, Any]:
        """Return what a finding is about, as fields of it: the name of the CRD, and the path in it that users know.

        `line` and `column` are its position in the file, `field` is the path in its message, empty for none.
        """
        user_path = attempt(self._user_path, line, column, field) if self.request.details else None
        if user_path is None:
            return {"crd": self.name}
        return {"crd": self.name, "user_path": user_path.path, "version": user_path.version}

    def _user_path(self, line: int, column: int, field: str) -> UserPath:
        user_path = self.user_paths.path_at(line - self.subject.document.line_offset, column)
        if is_shared(field):
            return UserPath(user_path.path, self._every_version)
        return user_path

    @cached_property
    def _every_version(self) -> str:
        return ", ".join(each.name for each in self.crd.spec.versions)


def _without_nulls(root: Node) -> Node:
    from crdlint.crd.clients import without_nulls  # only client-side apply needs it

    return without_nulls(root)


def _of_walk(check: _CRDCheck) -> ServerReport:
    """Return the report of the server without errors of defaults and rules, which take most of the time to find."""
    report = create.validate(
        check.crd,
        check.server,
        check.subject.effort,
        check.common,
        walk_only=True,
    )
    return report.on(check.server)


def _validation(check: _CRDCheck) -> ServerReport:
    """Return the report of the server on the CRD, or on its update."""
    effort = check.subject.effort
    if check.old is not None:
        from crdlint.linting import update  # only updates need it

        report = update.validate(
            check.crd,
            check.old.crd,
            check.server,
            effort,
        )
        return report.on(check.server)
    report = create.validate(
        check.crd,
        check.server,
        effort,
        check.common,
        incomplete=None if check.unread is None else check.unread.schemas,
    )
    return report.on(check.server)


# Findings of a stage; further ones have no headline of their own and no fix
_IN_DETAIL: Final = 5_000
_NEAR: Final = 32  # the number of repeated keys that are compared with a key


def _decode_findings(check: _CRDCheck) -> list[Diagnostic]:
    """Return the findings of the parser and of the decoder; some of the decoder's are hidden."""
    findings = [
        *_duplicates(check),
        *_problem_findings(check, check.problems, hidden=check.subject.rejected),
        *_problem_findings(check, check.decoded.later, hidden=True),
    ]
    return [with_marker(finding, check.crd, catalog.get(finding.rule)) for finding in findings]


def _duplicates(check: _CRDCheck) -> Iterator[Diagnostic]:
    """Yield the findings about duplicate keys, which the server does not see if the sender encodes the document again."""
    duplicates = _duplicate_key_findings(check.subject, check.manifest)
    if not check.request.sender.reencodes:
        yield from duplicates
        return
    from crdlint.crd.decode_errors import duplicate_fields  # only a named client needs it

    subject, root = check.subject, check.subject.root
    in_json = duplicate_fields(root) if is_json(root) else ()
    of_json = (
        duplicate_in_json(*two, subject.file, subject.document.line_offset) for two in in_json
    )
    for finding in (*duplicates, *of_json):
        yield replace(
            finding,
            kind="advice",
            origin="crdlint",
            server_message=None,
        )


def _duplicate_key_findings(subject: Subject, manifest: Manifest) -> Iterator[Diagnostic]:
    keys = take_duplicate_keys(subject.document, is_json=is_json(subject.root))
    offset = subject.document.line_offset
    for i, key in enumerate(keys):
        help_ = attempt(
            repeated_block,
            key,
            keys[max(i - _NEAR, 0) : i + _NEAR],
            offset,
        )
        diagnostic = duplicate_in_yaml(key, subject.file, offset, help_)
        finding = RepeatedKeyFinding(manifest, diagnostic.rule, key)
        if help_ is None:
            help_ = attempt(other_bound, finding, offset)
            diagnostic = replace(diagnostic, help=help_ or diagnostic.help)
        yield subject.fixes.add(diagnostic, finding)


def _problem_findings(
    check: _CRDCheck, problems: Iterable[DecodeProblem], *, hidden: bool
) -> Iterator[Diagnostic]:
    subject = check.subject
    for problem in problems:
        diagnostic = replace(decode_finding(problem, subject.file, subject.document), hidden=hidden)
        if problem.kind == "strict" and not check.request.sender.is_strict:
            diagnostic = replace(diagnostic, kind="warning", severity="warning")
        finding = DecodeFinding(check.manifest, diagnostic.rule, problem)
        from crdlint.rules.fixes.field_fixes import placement  # only with fixes

        repeated = _repeated(finding)
        if repeated is not None:
            bound = attempt(other_bound, repeated, subject.document.line_offset)
            diagnostic = replace(diagnostic, help=bound or diagnostic.help)
        placed = attempt(placement, finding)
        if placed is not None:
            name = placed.name or problem.path.rpartition(".")[2]
            lacks = diagnostic.lacks if placed.owner is None else lacking(placed.owner, name)
            diagnostic = replace(diagnostic, help=placed.help, lacks=lacks)
        yield subject.fixes.add(diagnostic, repeated or finding)


def _repeated(finding: DecodeFinding) -> RepeatedKeyFinding | None:
    """Return a problem with the second of two fields as the finding of a repeated key."""
    problem = finding.problem
    if problem.first is None:
        return None
    key = DuplicateKey(
        problem.message,
        problem.path,
        problem.first,
        problem.node,
    )
    return RepeatedKeyFinding(finding.manifest, finding.rule, key)


def _ignored_fields(check: _CRDCheck) -> Iterator[Diagnostic]:
    """Yield the unknown fields that the API server drops without an error."""
    rule, subject = reading.UNKNOWN_FIELD_IGNORED, check.subject
    for problem in check.decoded.ignored if check.request.advice is None else ():
        message = f"{problem.message}: the API server drops it without an error"
        span = node_span(problem.node, subject.document.line_offset)
        diagnostic = rule.diagnostic(
            subject.file,
            "advice",
            message,
            span,
            problem.help,
        )
        diagnostic = replace(
            diagnostic,
            headline=attempt(headlines.of_decode, problem) or diagnostic.headline,
            cause=f"remove {text_or_empty(problem.node)}" if problem.help is None else "",
        )
        yield subject.fixes.add(diagnostic, DecodeFinding(check.manifest, rule.id, problem))


def _located(
    check: _CRDCheck,
    errors: Iterable[FieldError],
    reported: Container[str] = (),
    *,
    hidden: bool = False,
) -> dict[str, Diagnostic]:
    """Return the findings of field errors by message, without those `reported` and duplicates, as in upstream's ToAggregate.

    They are `hidden` if the server reports them only after others are fixed: those of later stages (`find_hidden`), and
    all of a CRD that it cannot decode.
    """
    decoded, locator = check.decoded, check.locator
    not_decoded = {
        id(problem.node)
        for problem in (*decoded.problems, *decoded.later)
        if problem.kind == "decode"
    }
    hidden = hidden or check.rejected
    in_detail = _IN_DETAIL if check.request.details else 0
    located: dict[str, Diagnostic] = {}
    for error in errors:
        if not_decoded and _is_at(locator, error, not_decoded):
            continue  # the value is invalid only because it was not decoded
        message = str(error)
        if message in located or message in reported:
            continue
        make = _in_detail if len(located) < in_detail else _in_short
        located[message] = make(check, error, message, hidden=hidden or error.hidden)
    return located


def _in_detail(
    check: _CRDCheck,
    error: FieldError,
    message: str,
    *,
    hidden: bool,
) -> Diagnostic:
    """Return the finding of a field error, with its fix and the place that it contradicts."""
    subject, locator, rule = check.subject, check.locator, catalog.get(error.rule)
    path = error.at or error.path
    if error.type == REQUIRED and locator.find(error.path).exact and locator.find(path).exact:
        error = error._replace(value="")  # it is empty rather than missing
    span = _span_of(error, locator)
    related = attempt(
        _contradicting,
        error,
        locator,
        subject.file,
        span.line,
    )
    diagnostic = rule.diagnostic_of(
        error,
        message,
        span,
        file=subject.file,
        related=related,
        hidden=hidden,
        **check.names(span.line, span.column, str(error.path)),
    )
    missing = locator.missing(error.path) if check.decoded.problems else None
    if missing is not None:
        diagnostic = replace(diagnostic, lacks=lacking(*missing))
    diagnostic = subject.fixes.add(diagnostic, FieldFinding(check.manifest, error.rule, error))
    return with_marker(diagnostic, check.crd, catalog.get(diagnostic.rule))


def _in_short(
    check: _CRDCheck,
    error: FieldError,
    message: str,
    *,
    hidden: bool,
) -> Diagnostic:
    """Return the finding of a field error without what takes time: of so many, reports show a few, and are read by programs."""
    rule, span = catalog.get(error.rule), _span_of(error, check.locator)
    return rule.diagnostic_of(
        error,
        message,
        span,
        file=check.subject.file,
        headline=rule.summary,
        hidden=hidden,
        **check.names(span.line, span.column, str(error.path)),
    )


def _span_of(error: FieldError, locator: Locator) -> Span:
    path = error.at or error.path
    if error.inside is None:
        return locator.span(path, key=error.key)
    return locator.span_inside(path, error.inside)


def _contradicting(
    error: FieldError,
    locator: Locator,
    file: str,
    line: int,
) -> Related | None:
    """Return the keyword because of which the server rejects a line, None if it is unknown or in the line itself."""
    location = contradicting(error, catalog.get(error.rule).because, locator)
    span = None if location is None else locator.span_of(location, key=True)
    return (
        None
        if span is None or span.line == line
        else Related("set here", file, span.line, span.column)
    )


def _is_at(locator: Locator, error: FieldError, nodes: set[int]) -> bool:
    """Return whether an error refers to one of the nodes, by identity, to the value of a key among them, or to what it lacks."""
    path = error.at or error.path
    position = locator.find(path)
    if error.type == REQUIRED and not position.exact and path.parent is not None:
        position = locator.find(path.parent)
    return position.exact and (id(position.node) in nodes or id(position.key) in nodes)


def _advisories(check: _CRDCheck, decoded: DecodedCRD) -> Iterator[Diagnostic]:
    """Yield the server's warnings, and crdlint's advice about any CRD."""
    advice = check.request.advice
    if advice is None:
        advice = catalog.advice(check.request.requested)
    yield from _of_advice(check, decoded, advice)


def _practices(check: _CRDCheck, decoded: DecodedCRD) -> Iterator[Diagnostic]:
    """Yield the advice about a CRD whose errors are elsewhere."""
    if check.request.advice is None:
        yield from _of_advice(check, decoded, catalog.practices(check.request.requested))


def _of_advice(
    check: _CRDCheck, decoded: DecodedCRD, advice: Iterable[Advise]
) -> Iterator[Diagnostic]:
    for advise in advice:
        for advisory in attempt(advise, decoded) or ():
            is_unsure = check.unread is not None and _is_about(check.unread, advisory, check)
            if not is_unsure:
                yield _advised(check, advisory)


def _is_about(unread: Unread, advisory: Advisory, check: _CRDCheck) -> bool:
    return unread.concerns(check.locator.find(advisory.path))


def _advised(check: _CRDCheck, advisory: Advisory) -> Diagnostic:
    locator, subject = check.locator, check.subject
    span = (
        locator.span_inside(advisory.path, advisory.inside)
        if advisory.inside
        else locator.span(advisory.path)
    )
    rule = catalog.get(advisory.rule)
    diagnostic = rule.diagnostic(
        subject.file,
        advisory.kind,
        advisory.message,
        span,
        advisory.help,
    )
    headline = advisory.headline or headlines.named(diagnostic.headline, advisory.path)
    diagnostic = replace(diagnostic, headline=headline, cause=advisory.cause)
    if advisory.severity is not None:
        diagnostic = replace(diagnostic, severity=advisory.severity)
    if advisory.old_path is not None and check.old is not None:
        diagnostic = replace(diagnostic, related=_in_old(check.old, advisory.old_path))
    diagnostic = subject.fixes.add(
        diagnostic, AdviceFinding(check.manifest, advisory.rule, advisory)
    )
    return with_marker(diagnostic, check.crd, rule, advisory.marker)


def _compared(check: _CRDCheck, report: ServerReport) -> ComparedCRD:
    """Return how a CRD differs from its old one, whose own rejections only count if it is rejected as well."""
    old, rejections = check.old, frozenset[str]()
    if old is None:
        return ComparedCRD(check.name, "added")
    if check.problems or report.errors:
        from crdlint.linting import update  # only updates need it

        of_old = update.validate(
            old.crd,
            old.crd,
            check.server,
            check.subject.effort,
        )
        rejections = old.problems.union(map(str, of_old.on(check.server).errors))
    is_equal = semantic_equal(old.crd.spec, check.crd.spec)
    return ComparedCRD(check.name, "unchanged" if is_equal else "changed", rejections)


def _changes(check: _CRDCheck) -> Iterator[Diagnostic]:
    """Yield the effects of an update on clients and stored objects."""
    if check.old is None or check.request.advice is not None:
        return
    from crdlint.changes.compare import changes  # only updates need it

    for change in changes(
        check.old.crd,
        check.crd,
        check.request.versions,
        check.request.policy,
    ):
        message, span = change.message(check.crd), check.locator.span(change.new)
        diagnostic = change.rule.diagnostic(
            check.subject.file,
            "advice",
            message,
            span,
        )
        related = _in_old(check.old, change.old)
        yield replace(
            diagnostic,
            headline=change.headline(check.crd),
            field=change.field,
            related=related,
            example=change.example,
            is_alpha=change.is_alpha,
            missing_in=tuple(_missing_in(check.locator, check.old, change)),
        )


def _in_old(old: OldCRD, path: Path) -> Related | None:
    """Return a place in the old CRD, None if it is in no file."""
    if not old.file:
        return None
    span = old.positions.span(path)
    return Related(
        OLD_CRD,
        old.file,
        span.line,
        span.column,
        old.positions.lines(path),
    )


def _missing_in(locator: Locator, old: OldCRD, change: Change) -> Iterator[Literal["old", "new"]]:
    """Yield the sides of a comparison that do not have what a change is about."""
    if not old.positions.find(change.old).exact:
        yield "old"
    if not locator.find(change.new).exact:
        yield "new"


def _without_placeholders(
    check: _CRDCheck, diagnostics: list[Diagnostic]
) -> tuple[list[Diagnostic], list[str]]:
    """Return the findings that are not about placeholders, and notices instead of the others."""
    if not check.has_placeholders:
        return diagnostics, []
    document = check.subject.document
    lines = split_lines(document.text)
    remaining: list[Diagnostic] = []
    notices: list[str] = []
    for diagnostic in diagnostics:
        line = lines[diagnostic.line - 1 - document.line_offset]
        value = (
            line[diagnostic.column - 1 : diagnostic.end_column - 1]
            if diagnostic.line == diagnostic.end_line
            else ""
        )
        if is_placeholder(value) and not _is_expression(diagnostic):
            notices.append(f"line {diagnostic.line}: not checked: {value} is a placeholder")
        else:
            remaining.append(diagnostic)
    return remaining, notices


def _is_expression(diagnostic: Diagnostic) -> bool:
    """Return whether a finding is about a rule of CEL, in which a list may be in a list."""
    return diagnostic.field.rpartition(".")[2] in {"rule", "messageExpression"}


def _version_of(rule: EstimatedRule, crd: CustomResourceDefinition) -> str:
    """Return the version whose schema contains a rule, empty if all versions share the schema."""
    _, field_, *below = rule.path.steps()
    return crd.spec.versions[int(below[0])].name if field_ == "versions" else ""
