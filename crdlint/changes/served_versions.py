"""What a new served version does to the objects of others, if no webhook converts between them: fields are lost, edits rejected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from crdlint.changes.change import Change, Policy, lowered
from crdlint.changes.conjunction import ComparedField, Conjunction
from crdlint.changes.examples import Examples
from crdlint.changes.schemas import compare_schemas
from crdlint.crd.model import CustomResourceDefinition
from crdlint.crd.paths import Path
from crdlint.crd.version_names import preferred
from crdlint.kubernetes.servers import Range
from crdlint.light import NamedTuple
from crdlint.phrases import agreeing, some
from crdlint.rules.engine.advisory import VersionParts
from crdlint.rules.texts import changes as rules

_VERSIONS: Final = Path("spec").child("versions")
_SHOWN: Final = 5  # fields in a text
_COMPARED: Final = 8  # versions that are compared with each other
# The changes from one version to another one because of which an object of the first is invalid in the other.
_REJECTING: Final = frozenset(
    {
        rules.TYPE.id,
        rules.FIELD_TYPED.id,
        rules.REQUIRED_ADDED.id,
        rules.LIMIT_TIGHTENED.id,
        rules.ENUM_ADDED.id,
        rules.ENUM_VALUE_REMOVED.id,
        rules.PATTERN_ADDED.id,
        rules.PATTERN.id,
        rules.FORMAT.id,
        rules.JUNCTOR.id,
        rules.RULE_ADDED.id,
        rules.EMBEDDED_RESOURCE.id,
    }
)


class _Pair(NamedTuple):
    """A version that objects were written in, and another one, in which a client writes them; one of them is new."""

    version: VersionParts
    other: VersionParts

    @property
    def names(self) -> tuple[str, str]:
        return self.version.version.name, self.other.version.name


class ServedVersions:
    """The served versions of a CRD without a conversion webhook, of which some are new or had a webhook before."""

    def __init__(
        self,
        before: Mapping[str, VersionParts],
        after: Mapping[str, VersionParts],
        renamed: Mapping[str, str],
        *,
        had_webhook: bool,
    ) -> None:
        """``renamed`` are the new names of versions of the old CRD."""
        with_schema = (parts for parts in after.values() if parts.schema is not None)
        served = [parts for parts in with_schema if parts.version.served]
        new = former = served
        if not had_webhook:
            names_before = {*before, *renamed.values()}
            new = [parts for parts in served if parts.version.name not in names_before]
            new = new[:_COMPARED]
            former = [parts for parts in served if parts not in new]
        self._new: Final = new[:_COMPARED]
        self._known: Final = former[:_COMPARED]
        self._default: Final = preferred(parts.version.name for parts in served)

    def changes(
        self, crd: CustomResourceDefinition, servers: Range, policy: Policy
    ) -> Iterator[Change]:
        """Yield a change for each pair of versions with a consequence for the objects of one of them."""
        fields = {id(parts): frozenset(_fields(parts)) for parts in (*self._known, *self._new)}
        for pair in self._pairs():
            yield from self._losses(pair, fields[id(pair.version)] - fields[id(pair.other)])
            if pair.version in self._known:
                yield from self._rejections(pair, crd, servers, policy)

    def _pairs(self) -> Iterator[_Pair]:
        versions = [*self._known, *(parts for parts in self._new if parts not in self._known)]
        for version, other in product(versions, repeat=2):
            is_new = version in self._new or other in self._new
            if is_new and version.schema is not other.schema:
                yield _Pair(version, other)

    def _losses(self, pair: _Pair, missing: frozenset[str]) -> Iterator[Change]:
        """Report the fields that are lost if an object of one version is written in the other one."""
        lost = [path for path in sorted(missing) if _parent(path) not in missing]
        if not lost:
            return
        name, other_name = pair.names
        listed = some([f"`{path}`" for path in lost], _SHOWN)
        text = (
            f"version `{other_name}` lacks {listed} of `{name}`, and there is no conversion webhook"
        )
        it = agreeing(len(lost), "it", "them")
        effect = f"writing an object in `{other_name}`{self._remark(other_name)} drops {it}"
        if pair.other.version.storage:
            they_are = agreeing(len(lost), "it is", "they are")
            effect = f"{they_are} never stored, because `{other_name}` is the storage version"
        path = pair.other.path.child("name")
        yield Change(
            rules.SERVED_PAIR,
            text,
            path,
            _VERSIONS,
            versions=(other_name,),
            effect=effect,
        )

    def _rejections(
        self,
        pair: _Pair,
        crd: CustomResourceDefinition,
        servers: Range,
        policy: Policy,
    ) -> Iterator[Change]:
        """Report what the new version rejects of the objects of a known one."""
        version, other = pair
        name, other_name = pair.names
        if version.schema is None or other.schema is None:
            return
        kind = crd.spec.names.kind
        identity = {"apiVersion": f"{crd.spec.group}/{other_name}", "kind": kind}
        preserve = bool(crd.spec.preserve_unknown_fields)
        examples = Examples(
            {**identity, "metadata": {"name": "example"}},
            servers.newest,
            explains=policy.explains,
            preserve=(preserve, preserve),
            replicas=numbers_of_replicas(version),
        )
        root = ComparedField(ratchets=servers.oldest.ratchets_values)
        compared = (
            change._replace(versions=(other_name,))
            for change in compare_schemas(
                version.schema,
                other.schema,
                root,
                examples,
            )
            if change.rule.id in _REJECTING
        )
        rejecting = [each for each in lowered(compared, policy) if each.rule.severity != "info"]
        if rejecting:
            yield self._stricter(name, other_name, rejecting)

    def _stricter(self, name: str, other_name: str, rejecting: Sequence[Change]) -> Change:
        """Return the change of a new version because of changes that reject objects, by the most severe one."""
        first = min(rejecting, key=lambda change: change.rule.severity)
        fields = dict.fromkeys(change.field for change in rejecting)
        others = [f"`{path}`" for path in fields if path != first.field]
        more = f" (and others in {some(others, _SHOWN)})" if others else ""
        text = f"version `{other_name}` rejects objects of `{name}`: {first.text}{more}"
        breaks = first.rule.severity == "error" and other_name == self._default
        rule = rules.SERVED_STRICTER._replace(severity="error" if breaks else "warning")
        effect = f"in `{other_name}`{self._remark(other_name) or ','} {first.effect}"
        return Change(
            rule,
            text,
            first.new,
            _VERSIONS,
            example=first.example,
            versions=(other_name,),
            effect=effect,
        )

    def _remark(self, name: str) -> str:
        return ", which kubectl uses by default," if name == self._default else ""


def numbers_of_replicas(version: VersionParts) -> frozenset[str]:
    """Return the paths of the numbers that the scale subresource of a version reads."""
    scale = version.scale
    if scale is None:
        return frozenset()
    return frozenset({scale.spec_replicas_path, scale.status_replicas_path})


def _parent(path: str) -> str:
    return path.removesuffix("[*]") if path.endswith("[*]") else path.rpartition(".")[0]


def _fields(version: VersionParts) -> Iterator[str]:
    """Yield the paths of all fields of a version, except of those that keep unknown fields."""
    pending = [("", Conjunction.of(*filter(None, [version.schema])))]
    while pending:
        path, node = pending.pop()
        if path:
            yield path
        if node.keeps_unknown_fields and not node.map_values():
            continue
        pending += [(f"{path}.{name}", below) for name, below in node.properties().items()]
        parts = (f"{path}[*]", node.list_items()), (f"{path}.*", node.map_values())
        pending += [(below_path, schemas) for below_path, schemas in parts if schemas]
