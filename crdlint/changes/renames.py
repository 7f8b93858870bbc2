"""Fields that were renamed: a removed field beside an added one with the same schema or a similar name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.changes.conjunction import type_of
from crdlint.changes.fingerprints import of_conjunction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crdlint.changes.conjunction import Conjunction

_NODES: Final = 3  # of a schema that is unlikely to be the same by chance
_DISTANCE: Final = 3  # edits from one name to a similar one
_LONGEST: Final = 64  # characters of a name that is compared
_COMPARED: Final = 50  # removed or added fields of an object beyond which names are not compared


def renamed(removed: Mapping[str, Conjunction], added: Mapping[str, Conjunction]) -> dict[str, str]:
    """Return the new names of removed fields; each new name once, and only if no other candidate is as good."""
    new_names: dict[str, str] = {}
    by_digest: dict[str, list[str]] = {}
    if not removed or not added:
        return new_names
    for name, schemas in added.items():
        by_digest.setdefault(of_conjunction(schemas).digest, []).append(name)
    for name, schemas in removed.items():
        fingerprint = of_conjunction(schemas)
        same = by_digest.get(fingerprint.digest, [])
        if fingerprint.nodes >= _NODES and len(same) == 1 and same[0] not in new_names.values():
            new_names[name] = same[0]
    if len(removed) > _COMPARED or len(added) > _COMPARED:
        return new_names
    for name, schemas in removed.items():
        if name in new_names:
            continue
        near = [
            other
            for other, candidate in added.items()
            if other not in new_names.values() and type_of(candidate) == type_of(schemas) and _is_similar(name, other)
        ]
        if len(near) == 1:
            new_names[name] = near[0]
    return new_names


def _is_similar(name: str, other: str) -> bool:
    """Return whether few edits, compared with the length of the names, lead from one to the other."""
    if max(len(name), len(other)) > _LONGEST or abs(len(name) - len(other)) > _DISTANCE:
        return False
    most = min(_DISTANCE, min(len(name), len(other)) // 2)
    return _distance(name.lower(), other.lower()) <= most


def _distance(name: str, other: str) -> int:
    """Return the number of characters to insert, delete or replace (Levenshtein)."""
    row = list(range(len(other) + 1))
    for i, char in enumerate(name, 1):
        up, row[0] = row[0], i
        for j, target in enumerate(other, 1):
            up, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, up + (char != target))
    return row[-1]
