"""What `helm upgrade` does to the CRDs of a chart: the way of each from the old revision of the chart to the new one.

Each case was decided by an experiment with Helm 3 and Helm 4 on a server. Upstream: helm pkg/action/upgrade.go; pkg/kube/client.go,
deleteRemovedResources.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, TypeGuard

from crdlint.crd.positions import Span
from crdlint.diagnostics import OLD_CRD, Diagnostic, Related, Severity
from crdlint.gathering import first_of, list_of
from crdlint.light import dataclass, replace
from crdlint.phrases import agreeing, counted, some
from crdlint.rules.advice import charts
from crdlint.rules.engine.rule import Rule
from crdlint.rules.texts import changes
from crdlint.sources.helm.chart_values import value_at
from crdlint.sources.helm.contents import (
    INSTALLING,
    UPGRADING,
    ChartContents,
    ChartDocument,
    Way,
    as_json,
)
from crdlint.sources.helm.layout import CHART, CRDS

_NAMED = 3  # CRDs in one message


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The findings about an upgrade of a chart, and the names of the CRDs that Helm certainly treats in some way."""

    findings: tuple[Diagnostic, ...] = ()
    decided: frozenset[str] = frozenset()


def upgrade_of(old: Sequence[ChartContents], new: Sequence[ChartContents]) -> Upgrade:
    """Return what Helm does to the CRDs of a chart, for each set of values that both revisions have."""
    by_key: dict[tuple[str, str | None, int, str], Diagnostic] = {}
    decided: set[str] = set()
    for before, after in _pairs(old, new):
        comparison = _ChartUpgrade(before, after)
        for finding in comparison.findings():
            by_key.setdefault((finding.rule, finding.crd, finding.line, finding.message), finding)
        decided.update(comparison.decided)
    return Upgrade(tuple(by_key.values()), frozenset(decided))


def _pairs(
    old: Sequence[ChartContents], new: Sequence[ChartContents]
) -> Iterator[tuple[ChartContents, ChartContents]]:
    by_values = {each.values: each for each in new}
    pairs = [(each, by_values[each.values]) for each in old if each.values in by_values]
    if not pairs and old and new:
        pairs = [(old[0], new[0])]
    yield from pairs


@dataclass
class _ChartUpgrade:
    """The contents of two revisions of a chart with the same values."""

    old: ChartContents
    new: ChartContents

    @cached_property
    def _before(self) -> dict[str, ChartDocument]:
        return _owners(self.old)

    @cached_property
    def _after(self) -> dict[str, ChartDocument]:
        return _owners(self.new)

    @cached_property
    def decided(self) -> set[str]:
        """The names of CRDs of the old revision that are not in the new one: these findings describe what happens to them."""
        return {name for name in (*self._before, *self._optional) if name not in self._after}

    @cached_property
    def _optional(self) -> dict[str, ChartDocument]:
        """The CRDs of old templates that the values turn off, and that are in no new template."""
        off = {crd.name: crd for crd in self.old.crds() if crd.way is Way.TEMPLATE}
        remaining = {crd.name for crd in self.new.crds() if crd.way is Way.TEMPLATE}
        for name in (*remaining, *self._before):
            off.pop(name, None)
        return off

    def findings(self) -> Iterator[Diagnostic]:
        """Yield the findings, those of one cause once."""
        for name, before in self._before.items():
            after = self._after.get(name)
            if before.way is not Way.TEMPLATE:
                yield from self._not_owned(before, after)
            elif not _is_in(after, Way.TEMPLATE):
                yield self._leaves_release(before, after)
        for name, before in self._optional.items():
            yield self._leaves_release(
                before, self._after.get(name), ", in a release that turned it on"
            )
        yield from self._not_applied()
        yield from self._without_matches()
        yield from self._with_new_fields()

    def _leaves_release(
        self, before: ChartDocument, after: ChartDocument | None, in_which: str = ""
    ) -> Diagnostic:
        """Return the finding about a CRD that is no part of the release any more, with `in_which` releases it was."""
        name = before.name
        where, unless = self._new_place(name, after)
        if _is_in(after, Way.HOOK):
            becomes_hook = self._becomes_hook(before, after, where)
            if becomes_hook is not None:
                return becomes_hook
        if before.policy == "keep":
            message = (
                f"Helm keeps {name} and its objects: it {where}, and no release updates it any more"
            )
            return self._finding(charts.STAYS, message, before, after)
        again = ", and Helm does not create it again" if _is_in(after, Way.CRDS) else ""
        message = (
            f"`helm upgrade` deletes {name} and all of its objects: it {where}{again}{in_which}"
        )
        severity: Severity = "error"
        if before.policy is None:
            message = f"{message}, unless its annotations have `helm.sh/resource-policy: keep`"
            severity = "warning"
        finding = self._finding(
            changes.REMOVED,
            message,
            before,
            after or self._named(name),
            help_=unless or _KEEP,
        )
        return replace(finding, severity=severity)

    def _becomes_hook(
        self, before: ChartDocument, after: ChartDocument, where: str
    ) -> Diagnostic | None:
        """Return the finding about a CRD of templates that becomes a hook of upgrades, None for other hooks."""
        name, help_ = before.name, "Keep the CRD in `templates/`"
        if "pre-upgrade" in after.events:
            # Helm 4 applies the hook, without the annotation, before it decides what to delete.
            message = f"`helm upgrade` of Helm 4 deletes {name} and all of its objects: it {where}; Helm 3 fails"
            return self._finding(
                changes.REMOVED,
                message,
                before,
                after,
                help_=help_,
            )
        if before.policy == "keep" and after.events & UPGRADING:
            message = f"`helm upgrade` of Helm 3 fails with `already exists`: {name} {where}"
            return self._finding(
                charts.UPGRADE_FAILS,
                message,
                before,
                after,
                help_=help_,
            )
        return None

    def _named(self, name: str) -> ChartDocument | None:
        """Return the first CRD of the new chart with a name, also one that is not rendered."""
        return next((crd for crd in self.new.crds() if crd.name == name), None)

    def _new_place(self, name: str, after: ChartDocument | None) -> tuple[str, str | None]:
        """Return what has become of a CRD of templates, and the help if it is not that of other cases."""
        if _is_in(after, Way.CRDS):
            return "moved from templates/ to crds/", charts.SAFE_MOVE
        if after is not None:
            return f"became a hook of {', '.join(sorted(after.events))}", None
        other = self._named(name)
        if other is not None and other.way is Way.SKIPPED:
            return f"has an unknown hook in {other.where}", None
        if other is not None:
            return "is not rendered any more with the values of the new chart", None
        return "was removed from the chart", None

    def _not_owned(
        self, before: ChartDocument, after: ChartDocument | None
    ) -> Iterator[Diagnostic]:
        """Yield the finding about a CRD of `crds/` or of a hook, which belongs to no release."""
        name = before.name
        origin = "crds/" if before.way is Way.CRDS else "a hook"
        if _is_in(after, Way.TEMPLATE):
            message = (
                f"`helm upgrade` fails with `invalid ownership metadata`: {name} moved from {origin} to templates/, and the CRD in "
                "the cluster does not belong to the release"
            )
            yield self._finding(charts.UPGRADE_FAILS, message, before, after)
        elif before.way is Way.CRDS and _is_hook_of_upgrades(after):
            message = f"`helm upgrade` of Helm 3 fails with `already exists`: {name} moved from crds/ to a hook"
            yield self._finding(
                charts.UPGRADE_FAILS,
                message,
                before,
                after,
                help_="Keep the CRD in `crds/`",
            )
        elif after is None:
            message = (
                f"Helm keeps {name} and its objects: it was removed from {origin} of the chart"
            )
            yield self._finding(charts.STAYS, message, before, after)

    def _not_applied(self) -> Iterator[Diagnostic]:
        """Yield one finding about the changed CRDs of `crds/`, and one about the added ones."""
        in_crds = [crd for crd in self._after.values() if crd.way is Way.CRDS]
        changed = list(filter(self._is_changed, in_crds))
        if changed:
            more = "; Helm 3 drops new fields of its objects, Helm 4 fails with them"
            yield self._of_crds_folder(changed, "update", "changed", more)
        added = [crd for crd in in_crds if crd.name not in self._before]
        if added:
            were = agreeing(len(added), "was", "were")
            yield self._of_crds_folder(added, "install", f"{were} added")

    def _of_crds_folder(
        self,
        crds: Sequence[ChartDocument],
        verb: str,
        what: str,
        more: str = "",
    ) -> Diagnostic:
        """Return the finding about CRDs of `crds/` to which Helm does nothing; ``what`` has happened to them."""
        first = crds[0]
        subject = first.name if len(crds) == 1 else f"{counted(len(crds), 'CRD')} of crds/"
        names = some([crd.name for crd in crds], _NAMED)
        message = f"`helm upgrade` does not {verb} {subject}: {names} {what} in crds/{more}"
        chart = posixpath.dirname(first.file.shown.removesuffix(first.file.name))
        help_ = (charts.NOT_APPLIED.help or "").format(folder=f"{posixpath.join(chart, CRDS)}/")
        before = self._before.get(first.name)
        return self._finding(
            charts.NOT_APPLIED,
            message,
            before,
            first,
            help_=help_,
        )

    def _is_changed(self, crd: ChartDocument) -> bool:
        before = self._before.get(crd.name)
        return _is_in(before, Way.CRDS) and as_json(before) != as_json(crd)

    def _without_matches(self) -> Iterator[Diagnostic]:
        """Yield the objects of a kind or a version that is new, and does not exist when Helm looks it up."""
        defined = {crd.defined_kind: crd for crd in self._after.values()}
        for each in self.new.sent(Way.TEMPLATE, Way.HOOK):
            crd = defined.get((each.group, each.kind))
            if crd is not None and self._is_new(each, crd) and not _comes_later(each, crd):
                yield self._no_match(each, crd)

    @cached_property
    def _versions_before(self) -> Mapping[tuple[str, str], Collection[str]]:
        """The versions of the kinds that the CRDs of the old revision define."""
        return {crd.defined_kind: crd.defines.versions for crd in self._before.values()}

    def _is_new(self, each: ChartDocument, crd: ChartDocument) -> bool:
        """Return whether only the new revision of a CRD defines the kind of an object, or its version."""
        before = self._versions_before.get(crd.defined_kind)
        if before is None:
            return True
        return each.version in crd.defines.versions and each.version not in before

    def _no_match(self, each: ChartDocument, crd: ChartDocument) -> Diagnostic:
        of_version, applies, creates = "", "install", "creates"
        if crd.defined_kind in self._versions_before:
            of_version, applies, creates = f' in version "{each.api_version}"', "update", "updates"
        fails = f'`helm upgrade` fails with no matches for kind "{each.kind}"{of_version}'
        if crd.way is Way.CRDS:
            how = f"does not {applies} the CRD"
            help_ = f"Install the CRD before the upgrade: `kubectl apply --server-side -f {crd.file.shown}`"
        else:
            how = f"looks up all kinds before it {creates} the CRD"
            help_ = "Release the CRD first, and the object with the next release"
        message = f"{fails}: it {how} of {crd.where}"
        return self._finding(
            charts.UPGRADE_FAILS,
            message,
            None,
            each,
            help_=help_,
            crd=crd.name,
        )

    def _with_new_fields(self) -> Iterator[Diagnostic]:
        """Yield the objects with fields that the CRD in the cluster does not have, because Helm does not update it."""
        changed = {
            crd.defined_kind: (self._before[crd.name], crd)
            for crd in self._after.values()
            if crd.way is Way.CRDS and self._is_changed(crd)
        }
        for each in self.new.sent(Way.TEMPLATE, Way.HOOK):
            if (each.group, each.kind) not in changed:
                continue
            before, after = changed[each.group, each.kind]
            version = each.api_version.rpartition("/")[2]
            fields = list(
                new_fields(
                    first_of(as_json(each)), _schema_of(before, version), _schema_of(after, version)
                )
            )
            if fields:
                names = some([f"`{field}`" for field in fields], _NAMED)
                message = (
                    f"{each.kind} {each.name} has {names}, which the CRD in the cluster lacks: Helm 3 drops it with a warning, "
                    "Helm 4 fails with `field not declared in schema`"
                )
                help_ = f"Apply the CRD before the upgrade: `kubectl apply --server-side -f {after.file.shown}`"
                yield self._finding(
                    charts.NOT_APPLIED,
                    message,
                    None,
                    each,
                    help_=help_,
                    crd=after.name,
                )

    def _finding(
        self,
        rule: Rule,
        message: str,
        before: ChartDocument | None,
        after: ChartDocument | None,
        *,
        help_: str | None = None,
        crd: str | None = None,
    ) -> Diagnostic:
        """Return a finding at the new document, or else at the file of the new chart."""
        file, span = self.new.chart.files[CHART].shown, Span(1, 1, 1, 2)
        if after is not None:
            file, span = after.file.shown, after.span
        related = None
        if before is not None:
            related = Related(
                OLD_CRD,
                before.file.shown,
                before.span.line,
                before.span.column,
            )
        name = crd or (before or after).name  # type: ignore[union-attr]  # one of them is there
        return replace(
            rule.diagnostic(file, "advice", message, span, help_), crd=name, related=related
        )


_KEEP: Final = "First release the chart once with `helm.sh/resource-policy: keep` on the CRD"


def _is_in(crd: ChartDocument | None, way: Way) -> TypeGuard[ChartDocument]:
    """Return whether a revision has a CRD, and where: in a template, in `crds/` or in a hook."""
    return crd is not None and crd.way is way


def _is_hook_of_upgrades(crd: ChartDocument | None) -> bool:
    return _is_in(crd, Way.HOOK) and bool(crd.events & UPGRADING)


def _owners(contents: ChartContents) -> dict[str, ChartDocument]:
    """Return the document of each CRD that decides what Helm does to it: a template before `crds/`, and that before a hook."""
    owners: dict[str, ChartDocument] = {}
    for way in (Way.TEMPLATE, Way.CRDS, Way.HOOK):
        for crd in contents.crds():
            is_there = crd.is_rendered is not False and (
                way is not Way.HOOK or bool(crd.events & (INSTALLING | UPGRADING))
            )
            if crd.way is way and is_there:
                owners.setdefault(crd.name, crd)
    return owners


def new_fields(
    value: Any,
    old: Any,
    new: Any,
    path: str = "",
) -> Iterator[str]:
    """Yield the paths of the fields of a value that only the new one of two schemas has, both as JSON values."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return
    if old.get("x-kubernetes-preserve-unknown-fields"):
        return
    if isinstance(value, list):
        for item in value:
            yield from new_fields(
                item,
                old.get("items"),
                new.get("items"),
                f"{path}[]",
            )
    elif isinstance(value, dict):
        yield from _new_fields_of_object(value, old, new, path)


def _new_fields_of_object(
    value: Mapping[str, Any],
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    path: str,
) -> Iterator[str]:
    before, after = (schema.get("properties") or {} for schema in (old, new))
    others = [schema.get("additionalProperties") for schema in (old, new)]
    for name, inner in value.items():
        if name in before or others[0]:
            schemas = (before.get(name, others[0]), after.get(name, others[1]))
            yield from new_fields(inner, *schemas, f"{path}.{name}")
        elif name in after and path + name not in _OF_EACH_OBJECT:
            yield f"{path}.{name}"


_OF_EACH_OBJECT = frozenset({"apiVersion", "kind", "metadata"})


def _schema_of(crd: ChartDocument, version: str) -> Any:
    """Return the schema of a version of a CRD as JSON values, None if it has none."""
    versions = value_at(first_of(as_json(crd)), "spec.versions")
    for each in list_of(versions):
        if value_at(each, "name") == version:
            return value_at(each, "schema.openAPIV3Schema")
    return None


def _comes_later(each: ChartDocument, crd: ChartDocument) -> bool:
    """Return whether an object is a hook after the event that creates its CRD."""
    if each.way is Way.TEMPLATE:
        return False
    if crd.way is Way.CRDS:
        return not each.events & UPGRADING
    return "pre-upgrade" not in each.events or "pre-upgrade" in crd.events
