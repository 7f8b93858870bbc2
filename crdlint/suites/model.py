"""A suite of tests, as its file has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Literal


@dataclass(frozen=True, slots=True)
class Case:
    """One test: an object created, or created and then updated; texts are YAML, ``line`` is 1-based in the suite's file.

    ``patches`` are operations of a JSON patch (RFC 6902) on the CRD under which the object is created.
    """

    kind: Literal["create", "update"]
    name: str
    line: int
    initial: str
    updated: str = ""
    expected: str = ""
    expected_error: str = ""
    expected_status_error: str = ""
    patches: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """A file of tests of one CRD.

    The CRD is named by ``crd_name`` (its metadata.name) or ``crd_file`` (a path beside the suite). ``version`` is the one
    to test, empty where the CRD has but one. ``feature_gates`` choose among generated CRDs, a dash in front of a name
    for a gate that must be off.
    """

    file: str
    name: str
    crd_name: str
    crd_file: str
    version: str
    feature_gates: tuple[str, ...]
    cases: tuple[Case, ...]
    ignored: tuple[tuple[int, str], ...] = ()  # what stands in the file to no effect: the line, and a word on it
