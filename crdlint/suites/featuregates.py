"""Selection of the CRDs that are generated for sets of features. Upstream: openshift/api tests/crd_filter.go."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from crdlint.files.read import UnreadableError, decode, read_bytes, reason
from crdlint.yaml import YAMLDecodeError, decode_yaml

_SET: Final = "release.openshift.io/feature-set"
_MAJOR: Final = "release.openshift.io/major-version"
_PROFILE: Final = "include.release.openshift.io/"
_LONGEST_VERSION: Final = 9  # the maximum number of characters of a major version
_GATES: Final = os.path.join("payload-manifests", "featuregates")


class GateError(ValueError):
    """It cannot be determined whether a feature gate is on."""


def applies(annotations: Mapping[str, str], gates: Sequence[str], near: str) -> bool:
    """Return whether a suite with feature gates applies to a CRD with certain annotations; `near` is the CRD's directory.

    Raise GateError if the state of a gate cannot be determined.
    """
    if not gates:
        return True
    sets = {name for name in annotations.get(_SET, "").split(",") if name}
    if "CustomNoUpgrade" in sets:  # it contains every field
        return not any(gate.startswith("-") for gate in gates)
    profiles = sorted(name for name, value in annotations.items() if name.startswith(_PROFILE) and value == "true")
    if not profiles:
        return True
    enabled = _status(_folder(near), profiles[0], frozenset(sets or {"Default"}), frozenset(_versions(annotations)))
    for gate in gates:
        name = gate.removeprefix("-")
        if name not in enabled:
            raise GateError(f"no feature gate {name} in {_GATES}")
        if enabled[name] == gate.startswith("-"):
            return False
    return True


def _folder(near: str) -> str:
    folder = os.path.realpath(near)
    while not os.path.isdir(os.path.join(folder, _GATES)):
        parent = os.path.dirname(folder)
        if parent == folder:
            raise GateError(f"no directory {_GATES} with the feature gates above {near}")
        folder = parent
    return os.path.join(folder, _GATES)


def _versions(annotations: Mapping[str, str]) -> Iterator[int]:
    listed = next((value for name, value in annotations.items() if name.startswith(_MAJOR)), "")
    for version in listed.split(","):
        if version.strip().isdecimal() and len(version) <= _LONGEST_VERSION:
            yield int(version)


@lru_cache
def _status(folder: str, profile: str, sets: frozenset[str], versions: frozenset[int]) -> dict[str, bool]:
    """Return whether each gate is on for a profile and a set of features."""
    for path in _files(folder):
        try:
            gate: Any = decode_yaml(decode(read_bytes(path)))
        except (UnreadableError, YAMLDecodeError) as error:
            raise GateError(f"{path}: {error}") from error
        annotations = {
            name: value for name, value in _find(gate, "metadata", "annotations").items() if isinstance(value, str)
        }
        matches = profile in annotations and annotations.get(_SET, "") in sets
        if matches and (not versions or versions & set(_versions(annotations))):
            listed = _find(gate, "status").get("featureGates")
            status = listed[0] if isinstance(listed, list) and listed else None
            if not isinstance(status, dict):
                raise GateError(f"{path}: status.featureGates is not a list of objects")
            return {name: on for on in (True, False) for name in _names(status.get("enabled" if on else "disabled"))}
    raise GateError(f"no feature gates of {profile} and {', '.join(sorted(sets))} in {folder}")


def _files(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except OSError as error:
        raise GateError(f"{folder}: {reason(error)}") from error


def _find(value: Any, *names: str) -> dict[str, Any]:
    """Return the object at a path of fields, or an empty one."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _names(listed: Any) -> Iterator[str]:
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            yield entry["name"]
