"""All changes between two versions of a CRD."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, Final

from crdlint.changes.change import Change, Collector, Policy
from crdlint.changes.conjunction import ComparedField
from crdlint.changes.examples import Examples
from crdlint.changes.schemas import compare_schemas
from crdlint.changes.versions import compare_conversion, compare_names, compare_parts, compare_versions, versions_of
from crdlint.safety import work

if TYPE_CHECKING:
    from crdlint.crd.model import CustomResourceDefinition, CustomResourceDefinitionSpec
    from crdlint.diagnostics.diagnostic import Severity
    from crdlint.kubernetes.servers import Range

_LOWER: Final[dict[Severity, Severity]] = {"error": "warning", "warning": "info", "info": "info"}
_RANKS: Final = {"error": 0, "warning": 1, "info": 2}


@work.limited()
def changes(
    old: CustomResourceDefinition, new: CustomResourceDefinition, servers: Range, policy: Policy
) -> list[Change]:
    """Return the changes, those that are the same in several versions once."""
    collector = Collector(servers.newest)
    before, after = versions_of(old), versions_of(new)
    compare_versions(before, after, collector)
    compare_names(old.spec, new.spec, collector)
    compare_conversion(old.spec, new.spec, before, after, collector)
    root = ComparedField(ratchets=servers.oldest.ratchets_values)
    compared: dict[Hashable, list[Change]] = {}
    for name, version in after.items():
        known = before.get(name)
        if known is None or not (known.served or version.served):
            continue
        collector.versions = (name,)
        compare_parts(known, version, collector)
        if known.schema is None or version.schema is None:
            continue
        schemas = id(known.schema), id(version.schema)
        if schemas in compared:  # versions that share their schemas
            collector.changes += [change._replace(versions=(name,)) for change in compared[schemas]]
            continue
        start = len(collector.changes)
        collector.examples = Examples(_identity(new.spec, name), servers.newest, explains=policy.explains)
        compare_schemas(known.schema, version.schema, root, collector)
        compared[schemas] = collector.changes[start:]
    return _merged(_lowered(collector.changes, policy))


def _identity(spec: CustomResourceDefinitionSpec, version: str) -> dict[str, Any]:
    return {"apiVersion": f"{spec.group}/{version}", "kind": spec.names.kind, "metadata": {"name": "example"}}


def _lowered(changes: Iterable[Change], policy: Policy) -> Iterable[Change]:
    """Yield changes with the severities that a policy gives them, without those that it leaves out."""
    for change in changes:
        severity, is_alpha = change.severity, bool(change.versions) and all("alpha" in name for name in change.versions)
        if is_alpha and policy.alpha == "off":
            continue
        is_lowered = is_alpha and policy.alpha == "lower" and severity == "error"
        if is_lowered:
            severity = "warning"
        if policy.status == "lower" and is_status(change.field):
            severity = _LOWER[severity]
        yield change._replace(severity=severity, is_alpha=is_lowered)


def is_status(field: str) -> bool:
    """Return whether only controllers write a field."""
    return field == ".status" or field.startswith((".status.", ".status["))


def _merged(changes: Iterable[Change]) -> list[Change]:
    """Return changes without repetitions: equal changes of several versions become the most severe one."""
    groups: dict[Hashable, list[Change]] = {}
    for change in changes:
        text = change.text if change.field else (change.text, change.versions)
        groups.setdefault((change.rule, change.field, text), []).append(change)
    merged = []
    for group in groups.values():
        worst = min(group, key=lambda change: _RANKS[change.severity])
        versions = tuple(dict.fromkeys(version for change in group for version in change.versions))
        merged.append(worst._replace(versions=versions))
    return merged
