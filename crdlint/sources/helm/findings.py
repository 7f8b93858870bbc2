"""Findings about a chart as a whole: what Helm does with its CRDs, and with the objects of their kinds.

Each function here is a rule of `crdlint.rules.advice.charts`, decided by an experiment with Helm 3 and
Helm 4 on a server. They read the contents of the chart for one set of values.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cached_property
from itertools import chain
from typing import Any, Final

from crdlint.crd.errors import APPLY_REJECTED
from crdlint.crd.positions import Span
from crdlint.diagnostics import Diagnostic, Related, Severity
from crdlint.files.paths import has_yaml_suffix
from crdlint.files.recognition import CRD_OBJECT
from crdlint.gathering import grouped, object_at
from crdlint.light import NamedTuple, dataclass, replace
from crdlint.linting.result import CRDPlace, FileResult
from crdlint.rules.advice import charts as rules
from crdlint.rules.advice.deployment import SKIPPED
from crdlint.rules.advice.storage import RESOURCE_VERSION
from crdlint.rules.engine.headlines import of_message
from crdlint.rules.engine.rule import Rule
from crdlint.safety.programs import shortened
from crdlint.sources.helm.chart import Chart
from crdlint.sources.helm.chart_values import (
    ClusterState,
    UnknownValuesError,
    deciding_condition,
    given_values,
    is_enabled,
    with_defaults,
)
from crdlint.sources.helm.contents import (
    EVENTS,
    INSTALLING,
    KEEP,
    UPGRADING,
    ChartContents,
    ChartDocument,
    Way,
    as_json,
    head_as_json,
    values_of,
)
from crdlint.sources.helm.layout import CRDS, TEMPLATES, HelmValues, is_archive
from crdlint.sources.helm.masking import directives, masked_text

_SHOWN: Final = 60  # characters of a condition


def findings_of(
    chart: Chart, contents: Sequence[ChartContents], values: HelmValues
) -> list[Diagnostic]:
    """Return the findings about a chart with each of its sets of values, each once, in the order of its files."""
    by_key: dict[tuple[str, str, int, str], Diagnostic] = {}
    for each in contents:
        for finding in _ChartCheck(each, values).findings():
            by_key.setdefault((finding.rule, finding.file, finding.line, finding.message), finding)
    for path, reason in () if is_archive(chart.shown) else chart.problems:
        finding = _at_chart(chart, rules.UNREAD, f"{path} {reason}: its CRDs are not checked")
        by_key.setdefault((finding.rule, finding.file, finding.line, finding.message), finding)
    return list(by_key.values())


class CopyOfCRD(NamedTuple):
    """A CRD of `crds/`: its name, the name of its outermost chart, its file, the span of its kind, and a digest of its text."""

    name: str
    chart: str
    file: str
    span: tuple[int, int, int, int]
    digest: str


def copies_of(contents: Sequence[ChartContents]) -> list[CopyOfCRD]:
    """Return the CRDs of `crds/` that a chart installs with its first values."""
    from hashlib import blake2b

    return [
        CopyOfCRD(
            crd.name,
            first.chart.name,
            crd.file.shown,
            (crd.span.line, crd.span.column, crd.span.end_line, crd.span.end_column),
            blake2b(crd.text.encode("utf-8", "replace"), digest_size=16).hexdigest(),
        )
        for first in contents[:1]
        for crd in first.crds()
        if crd.way is Way.CRDS and crd.is_rendered
    ]


def conflicts_of(contents: Sequence[ChartContents]) -> list[frozenset[CRDPlace]]:
    """Return the CRDs of `crds/` of which the API server does not accept all names, one set for each set of values.

    Helm 4 fails to install them, because one of them is never established.
    """
    conflicts = map(_with_names_in_common, contents)
    return list(dict.fromkeys(filter(None, conflicts)))


def _with_names_in_common(contents: ChartContents) -> frozenset[CRDPlace]:
    """Return the CRDs that a chart installs from `crds/` with one set of values and that have a name in common."""
    by_name: dict[tuple[str, bool, str], set[CRDPlace]] = defaultdict(set)
    for crd in contents.sent(Way.CRDS):
        if not crd.name:
            continue
        entry = CRDPlace(crd.file.shown, crd.name)
        for is_kind, names in ((False, crd.defines.names), (True, crd.defines.kinds)):
            for name in names:
                by_name[crd.defines.group, is_kind, name].add(entry)
    shared = (crds for crds in by_name.values() if len({each.crd for each in crds}) > 1)
    return frozenset(chain.from_iterable(shared))


def copies_between(
    charts: Iterable[Iterable[CopyOfCRD]], text_of: Callable[[str], str]
) -> list[FileResult]:
    """Return the findings about CRDs of which charts with different names have different copies, one for each CRD."""
    first: dict[str, CopyOfCRD] = {}
    by_key: dict[str, FileResult] = {}
    for copy in chain.from_iterable(charts):
        other = first.setdefault(copy.name, copy)
        is_of_both = (
            other.chart != copy.chart and other.digest != copy.digest and copy.name not in by_key
        )
        if not is_of_both or not _differ(copy, other, text_of):
            continue
        message = (
            f"{copy.name} is also in {other.file}, with another content: Helm 4 replaces it by that of the chart that is installed "
            "last, Helm 3 keeps the first"
        )
        finding = rules.CRD_COPIES.diagnostic(
            copy.file,
            "advice",
            message,
            Span(*copy.span),
        )
        related = Related(
            "the other copy",
            other.file,
            other.span[0],
            other.span[1],
        )
        by_key[copy.name] = FileResult(
            copy.file,
            text_of(copy.file),
            diagnostics=(replace(finding, crd=copy.name, related=related),),
        )
    return list(by_key.values())


def _differ(copy: CopyOfCRD, other: CopyOfCRD, text_of: Callable[[str], str]) -> bool:
    """Return whether two copies have different contents, which may be written in the same way otherwise."""
    values = [values_of(text_of(each.file), each.name) for each in (copy, other)]
    return bool(values[0] != values[1])


def results_of(chart: Chart, findings: Iterable[Diagnostic]) -> list[FileResult]:
    """Return findings as the results of their files."""
    files = {file.shown: file for file in chart.all_files()}
    by_file = grouped(findings, lambda finding: finding.file)
    results = []
    for path, own in by_file.items():
        text = files[path].text if path in files else ""
        ordered = sorted(own, key=lambda finding: (finding.line, finding.column))
        results.append(
            FileResult(
                path,
                text,
                diagnostics=tuple(ordered),
                masked=masked_text(text),
            )
        )
    return results


def as_sent_by_helm(result: FileResult, part: str) -> FileResult:
    """Return the result of a file of `crds/` or `templates/` in which copied metadata has the effect that it has with Helm.

    Helm's clients remove a `resourceVersion` when they create an object, so only an upgrade sends it. Helm 4 cannot create an
    object with a `uid`, and Helm 3 cannot upgrade it.
    """
    if part not in {CRDS, TEMPLATES}:
        return result
    is_upgraded = part == TEMPLATES
    return replace(
        result,
        diagnostics=tuple(
            _as_sent(finding, result.text, is_upgraded=is_upgraded)
            for finding in result.diagnostics
        ),
    )


_UID: Final = "metadata.uid"


def _as_sent(finding: Diagnostic, text: str, *, is_upgraded: bool) -> Diagnostic:
    is_error = is_upgraded
    if finding.rule == RESOURCE_VERSION.id:
        message = (
            "`metadata.resourceVersion` of another object: Helm removes it when it creates the CRD"
        )
        if is_upgraded:
            message = "`helm upgrade` fails with `the object has been modified`: its `metadata.resourceVersion` is another one"
        elif _has_uid(text, finding.crd):
            is_error = True
            message = (
                "Helm 4 does not install the CRD: its `metadata.uid` is that of another object"
            )
        own = replace(
            finding,
            message=message,
            detail=message,
            headline=of_message(message),
            server_message=None,
        )
        return replace(own, origin="crdlint", severity="error" if is_error else "info")
    if finding.rule == APPLY_REJECTED and finding.user_path == _UID:
        later = (
            "; Helm 3 fails with the first upgrade: `metadata.uid: field is immutable`"
            if is_upgraded
            else ""
        )
        return replace(
            finding,
            severity="error",
            help=f"Remove `metadata.uid`: Helm 4 does not install the CRD{later}",
        )
    return finding


def _has_uid(text: str, crd: str | None) -> bool:
    """Return whether a CRD of a text has a `uid` in its metadata."""
    documents = values_of(text, crd) if crd else None
    return any("uid" in (each.get("metadata") or {}) for each in documents or () if each)


def packed(finding: Diagnostic) -> dict[str, object]:
    """Return a finding about a chart as values of JSON."""
    values = {field.name: getattr(finding, field.name) for field in fields(finding)}
    related = finding.related
    return {
        **values,
        "related": None
        if related is None
        else [related.label, related.file, related.line, related.column],
    }


def unpacked(values: dict[str, Any]) -> Diagnostic:
    """Return the finding of which `packed` returned the values."""
    related = values["related"]
    other = {
        "related": None if related is None else Related(*related),
        "versions": tuple(values["versions"]),
    }
    return Diagnostic(**{**values, **other})


def _at_chart(chart: Chart, rule: Rule, message: str) -> Diagnostic:
    return rule.diagnostic(
        chart.files["Chart.yaml"].shown,
        "advice",
        message,
        Span(1, 1, 1, 2),
    )


def finding_at(
    document: ChartDocument,
    rule: Rule,
    message: str,
    *,
    help_: str | None = None,
    severity: Severity | None = None,
    related: Related | None = None,
) -> Diagnostic:
    """Return a finding of a rule at the kind of a document."""
    finding = rule.diagnostic(
        document.file.shown,
        "advice",
        message,
        document.span,
        help_,
    )
    crd = document.name if document.is_crd else None
    return replace(
        finding,
        severity=severity or finding.severity,
        crd=crd,
        related=related,
    )


def place_of(document: ChartDocument, label: str) -> Related:
    """Return the place of a document as a related position."""
    return Related(
        label,
        document.file.shown,
        document.span.line,
        document.span.column,
    )


_OF_KUBEBUILDER: Final = ("system", "webhook-service")


def _has_placeholder(crd: ChartDocument) -> bool:
    if _OF_KUBEBUILDER[1] not in crd.text:  # few CRDs have it
        return False
    client = object_at(
        head_as_json(crd),
        "spec",
        "conversion",
        "webhook",
        "clientConfig",
    )
    service = object_at(client, "service")
    return (service.get("namespace"), service.get("name")) == _OF_KUBEBUILDER


@dataclass
class _ChartCheck:
    """The check of the contents of a chart with one set of values."""

    contents: ChartContents
    values: HelmValues

    def findings(self) -> Iterator[Diagnostic]:
        """Yield the findings, those of one cause once."""
        yield from self._twice()
        yield from self._objects_in_crds()
        yield from self._without_matches()
        yield from self._hooks()
        yield from self._self_gated()
        yield from self._copies()
        yield from self._without_keep()
        yield from self._placeholders()
        if not self.contents.by_helm:
            yield from self._included()

    @cached_property
    def _crds(self) -> list[ChartDocument]:
        """The CRDs that Helm may send: it renders templates after the installation of `crds/`, so they find those CRDs."""
        crds = list(self.contents.crds())
        first = {crd.name for crd in crds if crd.way is Way.CRDS and crd.is_rendered}
        return [
            crd
            for crd in crds
            if crd.way is Way.CRDS
            or crd.name not in first
            or not crd.is_off(self._cluster(crd, has_crd=True))
        ]

    def _sent(self, *ways: Way) -> list[ChartDocument]:
        return [crd for crd in self._crds if crd.way in ways and crd.is_rendered]

    def _twice(self) -> Iterator[Diagnostic]:
        """Yield the CRDs that Helm would create twice with one installation."""
        first: dict[str, ChartDocument] = {}
        for crd in self._sent(Way.CRDS):
            first.setdefault(crd.name, crd)
        for crd in self._sent(Way.TEMPLATE, Way.HOOK):
            other = first.setdefault(crd.name, crd)
            if other is crd or (crd.way is Way.HOOK and not crd.events & INSTALLING):
                continue
            is_in_crds = other.way is Way.CRDS
            finding = finding_at(
                crd,
                rules.CRD_TWICE,
                _twice_message(crd, other),
                help_=None if is_in_crds else rules.REMOVE_ONE,
                related=place_of(other, "the other one"),
            )
            folders = (os.path.dirname(each.file.shown) for each in (other, crd))
            yield replace(finding, cause=" and ".join(folders))

    def _objects_in_crds(self) -> Iterator[Diagnostic]:
        defined = {crd.defined_kind: crd for crd in reversed(self._sent(Way.CRDS))}
        for each in self.contents.sent(Way.CRDS):
            crd = defined.get((each.group, each.kind))
            if crd is None:
                continue
            severity: Severity = "warning"
            fails = "most installations fail"
            if crd.file.shown == each.file.shown:
                severity, fails = "error", "`helm install` fails"
            message = (
                f"{fails} with no matches for kind {_quoted(each.kind)}: Helm looks it up before the API server serves the CRD "
                f"of {crd.where}"
            )
            yield finding_at(
                each,
                rules.OBJECT_IN_CRDS,
                message,
                severity=severity,
                related=place_of(crd, "its CRD"),
            )

    def _without_matches(self) -> Iterator[Diagnostic]:
        """Yield the objects of templates whose CRD does not exist when Helm looks up their kind."""
        by_kind = grouped(self._crds, lambda crd: crd.defined_kind)
        for each in self.contents.sent(Way.TEMPLATE, Way.HOOK):
            crds = by_kind.get((each.group, each.kind), [])
            if not crds or self._is_served(each):
                continue
            before = [crd for crd in crds if _exists_before(crd, each)]
            if not before:
                yield self._no_matches(each, crds)
            elif all(_is_raced(crd, each) for crd in before):
                yield _served_too_late(each, before[0])

    def _is_served(self, document: ChartDocument) -> bool:
        """Return whether the given API versions have the kind of an object."""
        named = {document.api_version, f"{document.api_version}/{document.kind}"}
        return not named.isdisjoint(self.values.api_versions)

    def _no_matches(self, each: ChartDocument, crds: Sequence[ChartDocument]) -> Diagnostic:
        created = next(
            (crd for crd in crds if crd.is_rendered and crd.way is not Way.SKIPPED), None
        )
        if created is not None:
            return self._created_too_late(each, created)
        kind = f"no matches for kind {_quoted(each.kind)}"
        crd = crds[0]
        related = place_of(crd, "its CRD")
        if crd.way is Way.SKIPPED:
            message = f"`helm install` fails with {kind}: Helm does not know the hook of the CRD of {crd.where}"
            return finding_at(each, rules.NO_MATCHES, message, related=related)
        off = self._reason_off(crd)
        message = f"`helm install` fails with {kind}: the values of the chart turn the CRD of {crd.where} off{off}"
        help_ = "Render the object under the same condition as its CRD, unless the CRD is installed from elsewhere before"
        return finding_at(
            each,
            rules.NO_MATCHES,
            message,
            help_=help_,
            severity="warning",
            related=related,
        )

    @staticmethod
    def _created_too_late(each: ChartDocument, crd: ChartDocument) -> Diagnostic:
        """Return the finding of an object whose CRD Helm creates after it looks up the kind, or not at all."""
        helm, when = "`helm install` fails", "Helm looks up all kinds before it creates the CRD of"
        severity: Severity = "error"
        if _created_at(crd) is None:
            when = "Helm does not install the CRD of"
        elif _is_same_event(crd, each):
            helm, severity = "most installations with Helm 3 fail", "warning"
            when = "both are hooks of one event, and it does not wait for the CRD of"
        kind = f"no matches for kind {_quoted(each.kind)}"
        message = f"{helm} with {kind}: {when} {crd.where}"
        related = place_of(crd, "its CRD")
        return finding_at(
            each,
            rules.NO_MATCHES,
            message,
            severity=severity,
            related=related,
        )

    def _reason_off(self, crd: ChartDocument) -> str:
        """Return the condition that turns a CRD off, in parentheses."""
        if crd.blocks:
            body = shortened(" ".join(crd.blocks[-1].directive.body.split()), _SHOWN)
            return f" (`{{{{ {body} }}}}` in line {crd.blocks[-1].line})"
        try:
            values = with_defaults(self.contents.chart, given_values(self.values))
        except UnknownValuesError:
            return ""
        outer, prefix = self.contents.chart, ""
        for name in crd.chart.path.split("/charts/")[1:]:
            inner = next(chart for chart in outer.charts if chart.name == name)
            entry = next((each for each in outer.dependencies if each.alias == name), None)
            if entry is not None and not is_enabled(outer, inner, values, prefix):
                condition = deciding_condition(entry, values, prefix)
                return (
                    f" ({prefix}{condition} is false)"
                    if condition is not None
                    else f" (the tags of {name} are false)"
                )
            outer, prefix = inner, f"{prefix}{name}."
        return ""

    def _hooks(self) -> Iterator[Diagnostic]:
        for crd in self._crds:
            if crd.way is Way.SKIPPED and crd.is_rendered is not False:
                yield finding_at(crd, rules.UNKNOWN_HOOK, _unknown_hook(crd))
            elif crd.way is Way.HOOK and crd.is_rendered:
                yield finding_at(crd, rules.CRD_HOOK, _hook_message(crd))

    def _self_gated(self) -> Iterator[Diagnostic]:
        templates = [crd for crd in self._crds if crd.way is Way.TEMPLATE]
        remaining = {
            crd.name for crd in templates if not crd.is_off(self._cluster(crd, has_crd=True))
        }
        for crd in templates:
            if crd.name in remaining or crd.policy in {None, "keep"}:
                continue
            block = crd.turned_off_by(
                self._cluster(crd, has_crd=True), self._cluster(crd, has_crd=False)
            )
            if block is not None:
                message = f"`helm upgrade` deletes {crd.name} and all of its objects: its template is off after the installation"
                body = shortened(" ".join(block.directive.body.split()), _SHOWN)
                message = f"{message} by `{{{{ {body} }}}}` in line {block.line}"
                yield finding_at(crd, rules.SELF_GATED, message)

    def _placeholders(self) -> Iterator[Diagnostic]:
        """Yield the CRDs whose conversion webhook has the names that only a kustomization replaces."""
        for crd in self._sent(Way.CRDS, Way.TEMPLATE, Way.HOOK):
            if _has_placeholder(crd):
                message = (
                    "conversions fail until `webhook-service` in `system` is replaced: it is "
                    "kubebuilder's placeholder"
                )
                yield finding_at(crd, rules.PLACEHOLDER, message)

    def _cluster(self, crd: ChartDocument, *, has_crd: bool) -> ClusterState:
        group, kind = crd.defined_kind
        names = frozenset(
            f"{group}/{version}{of_kind}"
            for version in crd.defines.versions
            for of_kind in ("", f"/{kind}")
        )
        return ClusterState(crd.name, names, has_crd)

    def _copies(self) -> Iterator[Diagnostic]:
        order = {chart.path: i for i, chart in enumerate(self.contents.chart.all_charts())}
        first: dict[str, ChartDocument] = {}
        for crd in sorted(self._sent(Way.CRDS), key=lambda crd: order[crd.chart.path]):
            other = first.setdefault(crd.name, crd)
            if other is crd or as_json(crd) == as_json(other):
                continue
            which = "Helm 3 installs that one, Helm 4 this one"
            if not self.contents.chart.has_order(other.chart, crd.chart):
                which = "which of them Helm installs is left to chance, and Helm 4 keeps the other one than Helm 3"
            message = f"{crd.name} is also in {other.where}, with another content: {which}"
            yield finding_at(
                crd,
                rules.CRD_COPIES,
                message,
                related=place_of(other, "the other copy"),
            )

    def _without_keep(self) -> Iterator[Diagnostic]:
        deleted = [
            crd for crd in self._crds if crd.way is Way.TEMPLATE and crd.is_rendered is not False
        ]
        for crd in deleted:
            if crd.policy and crd.policy != "keep":
                message = (
                    f"`{KEEP}: {crd.policy}` does not keep the CRD: an upgrade that does not render it deletes it and all of "
                    "its objects"
                )
                yield finding_at(crd, rules.POLICY, message)
        first = next((crd for crd in deleted if crd.policy == ""), None)
        if first is not None:
            message = "uninstalling the chart deletes this CRD and all of its objects"
            yield finding_at(first, rules.WITHOUT_KEEP, message)

    def _included(self) -> Iterator[Diagnostic]:
        """Yield the CRDs in files that templates may include, which only Helm can do."""
        for chart in self.contents.chart.all_charts():
            directives_of_files = _files_directives(chart)
            for name, file in chart.files.items():
                folder = name.partition("/")[0]
                is_included = any(folder in body for body in directives_of_files)
                is_read = has_yaml_suffix(name) and b"{{" not in file.data
                kind = CRD_OBJECT.search(file.text) if is_included and not is_read else None
                if kind is None or folder in {TEMPLATES, CRDS}:
                    continue
                line = file.text.count("\n", 0, kind.start()) + 1
                message = "this CRD is not checked without Helm: a template includes the file"
                yield SKIPPED.diagnostic(
                    file.shown,
                    "advice",
                    message,
                    Span(line, 1, line, len(kind[0]) + 1),
                )


def _files_directives(chart: Chart) -> list[str]:
    """Return the texts of the directives of a chart's templates that read its files."""
    texts = [
        file.text
        for name, file in chart.files.items()
        if name.startswith(f"{TEMPLATES}/") and b".Files" in file.data
    ]
    return [
        directive.body
        for text in texts
        for directive in directives(text)
        if ".Files" in directive.body
    ]


def _quoted(text: str) -> str:
    return f'"{text}"'


_BEFORE_ALL, _PRE, _RELEASE, _POST = range(4)  # the steps of an installation


def _created_at(crd: ChartDocument) -> int | None:
    """Return the step of an installation that creates a CRD, or None if none does."""
    if not crd.is_rendered:
        return None
    return _step_of(crd) if crd.way is Way.HOOK else _STEPS[crd.way]


def _looked_up_at(each: ChartDocument) -> int | None:
    """Return the step of an installation that looks up the kind of an object: of templates before the first hook."""
    return _step_of(each) if each.way is Way.HOOK else _PRE


_STEPS: Final = {Way.CRDS: _BEFORE_ALL, Way.TEMPLATE: _RELEASE, Way.SKIPPED: None}
_STEPS_OF_EVENTS: Final = {"pre-install": _PRE, "post-install": _POST}


def _step_of(hook: ChartDocument) -> int | None:
    """Return the first step of an installation that a hook is for, or None if it is for none."""
    steps = map(_STEPS_OF_EVENTS.get, hook.events & INSTALLING)
    return min(filter(None, steps), default=None)


def _is_same_event(crd: ChartDocument, each: ChartDocument) -> bool:
    """Return whether a CRD and an object are hooks of the same event, in the order that Helm 4 creates them in."""
    return crd.way is each.way is Way.HOOK and _created_at(crd) == _looked_up_at(each)


def _exists_before(crd: ChartDocument, each: ChartDocument) -> bool:
    """Return whether a CRD certainly or possibly exists when Helm looks up the kind of an object."""
    created, looked_up = _created_at(crd), _looked_up_at(each)
    if crd.is_rendered is None or looked_up is None:
        return True
    return created is not None and created < looked_up


def _is_raced(crd: ChartDocument, each: ChartDocument) -> bool:
    """Return whether an object is a hook after the step that creates its CRD, and Helm may not wait until that is served."""
    return bool(crd.is_rendered) and crd.way is not Way.CRDS and _looked_up_at(each) == _POST


def _served_too_late(each: ChartDocument, crd: ChartDocument) -> Diagnostic:
    """Return the finding of a hook that Helm may create before the API server serves its CRD."""
    kind = f"no matches for kind {_quoted(each.kind)}"
    if crd.way is Way.HOOK:
        fails = f"most installations with Helm 3 fail with {kind}"
        message = f"{fails}: it does not wait until the API server serves the hook of {crd.where}"
        help_ = rules.CRD_BEFORE
    else:
        fails = f"some installations without `--wait` fail with {kind}"
        message = f"{fails}: Helm does not wait until the API server serves the CRD of {crd.where}"
        help_ = rules.WAIT
    related = place_of(crd, "its CRD")
    return finding_at(
        each,
        rules.NO_MATCHES,
        message,
        help_=help_,
        severity="warning",
        related=related,
    )


def _twice_message(crd: ChartDocument, other: ChartDocument) -> str:
    if other.way is Way.CRDS and crd.way is Way.HOOK:
        return f"{crd.name} is also in {other.where}: Helm 3 fails with `already exists` when it creates this hook"
    if other.way is Way.CRDS:
        return f"{crd.name} is also in {other.where}: `helm install` creates that one first, and then rejects this one"
    return f"{crd.name} is also in {other.where}: Helm 3 fails with `already exists`, Helm 4 keeps the one that it creates last"


def _unknown_hook(crd: ChartDocument) -> str:
    unknown = ", ".join(sorted(crd.events - EVENTS))
    return f"Helm never installs {crd.name}: it does not know the hook `{unknown}`"


def _hook_message(crd: ChartDocument) -> str:
    events = ", ".join(sorted(crd.events))
    if not crd.events & INSTALLING:
        return f"`helm install` does not create {crd.name}: it is a hook of {events} only"
    if crd.events & UPGRADING:
        return (
            f"Helm 3 fails with `already exists` on each upgrade: {crd.name} is a hook of {events}"
        )
    return f"Helm 3 fails with `already exists` when the chart is installed again: no Helm deletes {crd.name}, a hook of {events}"
