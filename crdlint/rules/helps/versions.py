"""How to correct the versions of a CRD, in words."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf

from crdlint.crd.model import CustomResourceDefinitionVersion


def ends_early(versions: SequenceOf[CustomResourceDefinitionVersion]) -> bool:
    """Return whether the last version lacks both fields that every version has, as in a file that ends in the middle."""
    return bool(versions) and versions[-1].is_unfinished


def storage(stored: SequenceOf[str], names: SequenceOf[str]) -> str | None:
    """Return the help for versions of which not exactly one is `stored`."""
    if len(stored) > 1:
        return f"Set `storage: true` on one version only: {' and '.join(f'`{n}`' for n in stored)} have it"
    return (
        f"Set `storage: true` on `{names[-1]}`, or on the version that is stored" if names else None
    )
