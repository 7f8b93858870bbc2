"""The pipeline from a file's text to its diagnostics: documents, decoding, rules, positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Final

from crdlint.crd import v1beta1
from crdlint.crd.decode import decode_crd
from crdlint.crd.identity import (
    SPEC_KEYS,
    Identity,
    identify,
    is_partial,
    is_prose,
    kind_missing,
    misspelled_type_key,
    near_miss,
    outdented_help,
)
from crdlint.crd.placeholders import directive, placeholder_of
from crdlint.crd.positions import Span, node_span
from crdlint.files.recognition import HELM, KIND, VERSION, names_crd
from crdlint.gathering import without_none
from crdlint.light import dataclass, replace
from crdlint.linting.documents import DocumentWalk, Fixes, manifests, name_of, resource_names
from crdlint.linting.manifest import CheckedCRD, check_crd
from crdlint.linting.request import A_PATCH, CheckRequest, Subject
from crdlint.linting.result import CRD, STAGES, FileResult, Stage
from crdlint.linting.separated import Portion, rest
from crdlint.phrases import OneCommand, Routine
from crdlint.rules.engine import headlines
from crdlint.rules.engine.advisory import misfits
from crdlint.rules.engine.finding import Manifest
from crdlint.rules.texts import reading
from crdlint.safety.bugs import attempt
from crdlint.safety.work import NO_EFFORT, Effort
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import to_json, worded_for
from crdlint.yaml.nodes import Mapping, Node, is_json
from crdlint.yaml.parse import Document

_EVERYTHING: Final = CheckRequest()


def lint_file(
    text: str,
    filename: str,
    request: CheckRequest = _EVERYTHING,
    *,
    only: frozenset[int] | None = None,
    earlier: FileResult | None = None,
) -> FileResult:
    """Check every CRD of a text.

    `only` contains the numbers of the documents to check (see crdlint.yaml.parse.split), None for all. `earlier` is the
    result of the same request for an earlier text of the file, whose unchanged documents are not checked again unless
    CRDs are kept or compared. Invalid input raises no exceptions; an unknown version raises ValueError.

    >>> lint_file("kind: CustomResourceDefinition", "crd.yaml").diagnostics[0].headline
    '`apiVersion` is missing'
    """
    if len(request.versions.servers) > 1 and request.stop_at is not None:
        request = replace(request, stop_at=None)
    walk = _CRDWalk(
        filename,
        text,
        Fixes(text if request.fixes else ""),
        request=request,
        effort=Effort() if request.details else NO_EFFORT,
    )
    result = walk.run(only, None if request.keep or request.previous is not None else earlier)
    if len(result.crds) > 1 and request.skip_unfinished:
        from crdlint.linting.repeated import with_repeated  # most files have one CRD

        result = with_repeated(result)
    return _with_checks(result, walk)


def _with_checks(result: FileResult, walk: _CRDWalk) -> FileResult:
    """Return the result of a file with what a walk found besides findings."""
    checks = walk.checks
    definitions = (check.definition for check in checks)
    comparisons = (check.compared for check in checks)
    return replace(
        result,
        definitions=tuple(without_none(definitions)),
        rules=tuple(rule for check in checks for rule in check.rules),
        compared=tuple(without_none(comparisons)),
        stage=_first_stage(checks),
        blocking=frozenset(
            (finding.crd, finding.message) for check in checks for finding in check.blocking
        ),
        templates=walk.templates,
    )


def _first_stage(checks: Sequence[CheckedCRD]) -> Stage | None:
    """Return the earliest stage at which a check of a CRD ended, None without checks."""
    stages = {check.stage for check in checks}
    return next((stage for stage in STAGES if stage in stages), None)


@dataclass(slots=True, kw_only=True)
class _CRDWalk(DocumentWalk):
    """Checks the CRDs of a file; `stopped` is the number of checks that are not complete, `templates` that of Go templates."""

    request: CheckRequest
    effort: Effort = field(default_factory=Effort)
    checks: list[CheckedCRD] = field(default_factory=list)
    stopped: int = 0
    templates: int = 0
    _names_crd: bool | None = None

    def effects(self) -> tuple[int, ...]:
        """Return numbers that change if the check of a CRD stops, or takes effort that the later ones may need."""
        return self.stopped, self.effort.left

    def skips_unparsed(self, document: Document) -> bool:
        if not self.request.skip_unfinished:
            return False
        template = directive(document.text)
        if template is None:
            return not self._is_about_crds()
        if template.is_go and HELM not in self.request.placeholders:
            return False
        self.templates += template.is_go
        line = template.line + document.line_offset + 1
        how = ": helm template ... | crdlint check -" if template.is_go else ""
        self.notices.append(f"line {line}: skipped a template; check its rendered output{how}")
        return True

    def count_problems(self, root: Node) -> int:
        """Return how many fields of a CRD are wrong or idle, or its name is missing; one that is not JSON hides the others."""
        try:
            if identify(root).form != "crd":
                return 0
            decoded = decode_crd(root)
        except YAMLDecodeError:
            return 1
        return (
            len(decoded.problems)
            + len(decoded.later)
            + len(decoded.ignored)
            + misfits(decoded.crd.spec)
            + (not decoded.crd.metadata.name)
        )

    def check_rest(self, document: Document, part: Portion) -> bool:
        if not part.continues:
            return False
        cause = rest(part, document.line_offset)
        rule, message = _problem_of_rest(self, document)
        self.report(
            "decode",
            rule,
            message,
            Span(cause.line, cause.column, cause.line, cause.end_column),
            cause.help,
            Manifest(Document(None, document.text, cause.line), None, cause=cause),
            headline=cause.headline,
        )
        return True

    def check_objects(self, document: Document) -> bool:
        has_crd = False
        for root, identity in manifests(document):
            has_crd |= self._check_manifest(document, root, identity)
        return has_crd or self._check_text(document) or self._check_outdented(document)

    def _check_text(self, document: Document) -> bool:
        """Report a document that is a text, such as a prompt before a CRD; return False for others."""
        root, offset = document.root, document.line_offset
        if root is None or not is_prose(root):
            return False
        if KIND in document.text or not self._is_about_crds():
            return False
        message = kind_missing(root, document.text)
        help_ = "Remove the text, or comment it out: kubectl reads it as an object"
        self.report(
            "decode",
            reading.DECODE_TYPE.id,
            message,
            node_span(root, offset),
            help_,
            headline="a document of the file is a text, not an object",
        )
        return True

    def _is_about_crds(self) -> bool:
        """Return whether the file names the kind of CRDs."""
        if self._names_crd is None:
            self._names_crd = names_crd(self.text.encode("utf-8", "replace"))
        return self._names_crd

    def _check_outdented(self, document: Document) -> bool:
        """Report a document that has the kind of a CRD only after its end or behind a line number; return False for others."""
        root, offset, text = document.root, document.line_offset, document.text
        help_ = None if root is None else outdented_help(root, text, offset)
        if root is None or help_ is None:
            return False
        self.report(
            "decode",
            reading.DECODE_TYPE.id,
            kind_missing(root, text),
            node_span(root, offset),
            help_,
            headline=f"`kind: {KIND}` is no key of the document",
        )
        return True

    def worded(self, message: str, document: Document) -> str:
        """Return the words of the server, or of a client, which reads the YAML before the server does."""
        message = worded_for(self.request.versions.newest, message)
        if not self.request.sender.reencodes:
            return message
        from crdlint.crd.clients import parse_error  # only a named client needs it

        return parse_error(message, document.text, self.file)

    def _check_manifest(self, document: Document, root: Mapping, identity: Identity) -> bool:
        """Check one object; return whether it is a CRD, in any version."""
        if identity.form == "other":
            return self.request.skip_unfinished and self._check_misspelled(document, root, identity)
        if self.request.skip_unfinished and self._skips_unfinished(document, root, identity):
            return False
        offset = document.line_offset
        self.crds.append(
            CRD(name_of(root), node_span(root, offset).line, resource_names(root, offset))
        )
        if identity.error is not None:
            if not is_json(root):
                # The server converts YAML before it reads apiVersion and kind; raises YAMLDecodeError.
                to_json(root)
            self._report_type(
                document,
                root,
                identity,
                self._type_error(root, identity.error),
            )
            if identity.form == "unserved" or identity.kind != KIND:
                return True
        subject = Subject(
            self.file,
            document,
            root,
            self.fixes,
            self.effort,
            rejected=identity.error is not None,
        )
        checked = self._checked_crd(subject)
        self.diagnostics += checked.diagnostics
        self.notices += checked.notices
        self.checks.append(
            checked._replace(
                decoded=None,
                common=None,
                errors=(),
            )
        )  # they are large
        self.stopped += checked.stage is not None
        return True

    def _checked_crd(self, subject: Subject) -> CheckedCRD:
        """Check a CRD for the servers of the request; without a named one, errors name the supported servers that report them."""
        request = self.request
        if len(request.versions.servers) > 1:
            from crdlint.linting.version_range import check_versions  # only ranges need it

            return check_versions(subject, request)
        checked = check_crd(subject, request)
        newest = request.versions.newest
        if newest.first_patch is not None:
            from crdlint.linting.first_patches import with_first_patches  # older versions

            checked = with_first_patches(
                checked,
                subject,
                request,
                {newest: checked},
            )
        if request.names_servers and any(each.is_rejection for each in checked.diagnostics):
            from crdlint.linting.supported_servers import with_servers  # only errors need it

            checked = attempt(with_servers, checked, subject, request) or checked
        return checked

    def _type_error(self, root: Mapping, message: str) -> str:
        """Return the words of a client, which looks for the apiVersion and kind before the server does."""
        if not self.request.sender.reencodes:
            return message
        from crdlint.crd.clients import type_problem  # only a named client needs it

        return type_problem(root, self.file) or message

    def _report_type(
        self,
        document: Document,
        root: Mapping,
        identity: Identity,
        message: str,
    ) -> None:
        """Report the apiVersion and kind of a CRD that the API server or kubectl rejects."""
        if identity.form == "unserved":
            entry = root.find("apiVersion")
            node = entry[1] if entry else identity.node or root
            is_removed = identity.api_version == v1beta1.VERSION
            rule = (reading.API_VERSION_REMOVED if is_removed else reading.CRD_MISSPELLED).id
            help_: str | None = None
            if not is_removed:
                help_ = OneCommand(f"Write `apiVersion: {VERSION}`")
        else:
            rule, node = reading.DECODE_TYPE.id, identity.node or root
            help_ = attempt(misspelled_type_key, root)
        self.report(
            "decode",
            rule,
            message,
            node_span(node, document.line_offset),
            help_,
            Manifest(document, root),
            headline=attempt(headlines.of_type, root) or "",
        )
        self.diagnostics[-1] = replace(self.diagnostics[-1], crd=name_of(root))

    def _check_misspelled(self, document: Document, root: Mapping, identity: Identity) -> bool:
        """Report an object that was meant to be a CRD, and return whether it is one."""
        missed = near_miss(root, identity, document.text)
        if missed is None and identity.kind != KIND:
            return False
        line = node_span(root, document.line_offset).line
        if missed is None:
            self.notices.append(
                f"line {line}: skipped: apiVersion {identity.api_version} is not that of a CRD"
            )
            return False
        self.crds.append(CRD(name_of(root), line))
        span = node_span(missed.node, document.line_offset)
        self.report(
            "decode",
            reading.CRD_MISSPELLED.id,
            missed.message,
            span,
            missed.help,
            Manifest(document, root),
        )
        self.diagnostics[-1] = replace(self.diagnostics[-1], cause=missed.message)
        return True

    def _skips_unfinished(self, document: Document, root: Mapping, identity: Identity) -> bool:
        """Return whether a CRD is skipped as a template or a part of one, and add the notice."""
        if identity.error is not None and identity.form != "unserved":
            return False
        line = node_span(root, document.line_offset).line
        placeholder = placeholder_of(root) if self.request.finds_placeholders(document) else None
        if placeholder is not None:
            line = node_span(placeholder[1], document.line_offset).line
            self.notices.append(
                f"line {line}: skipped a template: {placeholder[0]} replaces a part of the CRD"
            )
            return True
        if not is_partial(root):
            return False
        keys = f"{', '.join(SPEC_KEYS[:-1])} or {SPEC_KEYS[-1]}"
        notice = f"line {line}: skipped: looks like {self.request.partial} (no spec.{keys})"
        is_patch = self.request.partial == A_PATCH
        self.notices.append(Routine(notice) if is_patch else notice)
        return True


def _problem_of_rest(walk: _CRDWalk, document: Document) -> tuple[str, str]:
    """Return the rule and the message of the server for a document that is only the rest of another one."""
    problem = document.error
    if problem is not None:
        return reading.YAML_SYNTAX.id, walk.worded(problem.message, document)
    if document.root is None:
        return reading.YAML_SYNTAX.id, ""
    return reading.DECODE_TYPE.id, kind_missing(document.root, document.text)
