"""Whether a suite applies to a CRD that is generated for a set of features. Upstream: openshift/api tests/crd_filter.go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from crdlint.files.read import UnreadableError, decode, read_bytes, reason
from crdlint.gathering import first_of, list_of, object_at
from crdlint.yaml import YAMLDecodeError, decode_yaml


class MissingCRDError(ValueError):
    """The suite's CRD or its version does not exist, or the API server rejects the CRD."""


_SET: Final = "release.openshift.io/feature-set"
_MAJOR: Final = "release.openshift.io/major-version"
_PROFILE: Final = "include.release.openshift.io/"
_LONGEST_VERSION: Final = 9  # the maximum number of characters of a major version
_GATES: Final = os.path.join("payload-manifests", "featuregates")


def applies(annotations: MappingOf[str, str], gates: SequenceOf[str], near: str) -> bool:
    """Return whether a suite with feature gates applies to a CRD with certain annotations; `near` is the CRD's directory.

    Raise MissingCRDError if the state of a gate cannot be determined.
    """
    sets = frozenset(filter(None, annotations.get(_SET, "").split(",")))
    if "CustomNoUpgrade" in sets:  # it contains every field
        return not any(gate.startswith("-") for gate in gates)
    profile = _profile(annotations)
    if not gates or profile is None:
        return True
    versions = frozenset(_versions(annotations))
    enabled = _status(
        _folder(near),
        profile,
        sets or frozenset({"Default"}),
        versions,
    )
    return all(_is_met(gate, enabled) for gate in gates)


def _profile(annotations: MappingOf[str, str]) -> str | None:
    """Return the first profile, in alphabetical order, that a CRD is for."""
    profiles = (name for name in annotations if name.startswith(_PROFILE))
    return min((name for name in profiles if annotations[name] == "true"), default=None)


def _is_met(gate: str, enabled: MappingOf[str, bool]) -> bool:
    """Return whether a gate is on, or off for `-GATE`."""
    name = gate.removeprefix("-")
    if name not in enabled:
        raise MissingCRDError(f"no feature gate {name} in {_GATES}")
    return enabled[name] != gate.startswith("-")


def _folder(near: str) -> str:
    folder = Path(os.path.realpath(near))
    for gates in (parent / _GATES for parent in (folder, *folder.parents)):
        if gates.is_dir():
            return str(gates)
    raise MissingCRDError(f"no directory {_GATES} with the feature gates above {near}")


def _versions(annotations: MappingOf[str, str]) -> Iterator[int]:
    listed = next((value for name, value in annotations.items() if name.startswith(_MAJOR)), "")
    for version in listed.split(","):
        if version.strip().isdecimal() and len(version) <= _LONGEST_VERSION:
            yield int(version)


@lru_cache
def _status(
    folder: str,
    profile: str,
    sets: frozenset[str],
    versions: frozenset[int],
) -> dict[str, bool]:
    """Return whether each gate is on for a profile and a set of features."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise MissingCRDError(f"{folder}: {reason(error)}") from error
    for path in (os.path.join(folder, name) for name in names):
        gate = _gate(path)
        annotations = annotations_of(gate)
        is_wanted = profile in annotations and annotations.get(_SET, "") in sets
        of_versions = set(_versions(annotations))
        if is_wanted and (not versions or versions & of_versions):
            return _listed(gate, path)
    raise MissingCRDError(
        f"no feature gates of {profile} and {', '.join(sorted(sets))} in {folder}"
    )


def _gate(path: str) -> Any:
    try:
        return decode_yaml(decode(read_bytes(path)))
    except (UnreadableError, YAMLDecodeError) as error:
        raise MissingCRDError(f"{path}: {error}") from error


def _listed(gate: Any, path: str) -> dict[str, bool]:
    """Return the gates that the status of a FeatureGate lists, and whether each is on."""
    listed = object_at(gate, "status").get("featureGates")
    status = first_of(list_of(listed))
    if not isinstance(status, dict):
        raise MissingCRDError(f"{path}: status.featureGates is not a list of objects")
    enabled = dict.fromkeys(_names(status.get("enabled")), True)
    return enabled | dict.fromkeys(_names(status.get("disabled")), False)


def annotations_of(value: Any) -> dict[str, str]:
    """Return the annotations of an object of JSON whose values are strings."""
    return {
        name: text
        for name, text in object_at(value, "metadata", "annotations").items()
        if isinstance(text, str)
    }


def _names(listed: Any) -> Iterator[str]:
    for entry in list_of(listed):
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            yield entry["name"]
