"""Chart.yaml's kubeVersion, as Masterminds/semver takes it."""

from __future__ import annotations

import pytest
from tables import each

from crdlint.kubernetes.constraints import ConstraintError, satisfying
from crdlint.kubernetes.servers import NEWEST, range_of

TAKEN = {
    ">=1.25.0-0": f"1.28..{NEWEST}",
    ">= 1.22.0-0": f"1.28..{NEWEST}",
    ">=1.25.0-0 <1.33": "1.28..1.32",
    ">=1.25.0-0 <1.33.0-0": "1.28..1.32",
    ">=1.29, <1.31": "1.29..1.30",
    "^1.28": f"1.28..{NEWEST}",
    "^1.30.2": f"1.30..{NEWEST}",
    "~1.30.x": "1.30",
    "~1.30.4": "1.30",
    "~1": f"1.28..{NEWEST}",
    "1.30": "1.30",
    "1.30.x": "1.30",
    "=1.30.5": "1.30",
    "v1.31.0": "1.31",
    "1.29 - 1.31": "1.29..1.31",
    "1.29.3 - 1.31.0-0": "1.29..1.30",
    ">1.29": f"1.30..{NEWEST}",
    ">1.29.0": f"1.29..{NEWEST}",
    ">1.29.0-0": f"1.29..{NEWEST}",
    "<1.30.1": "1.28..1.30",
    "<1.30": "1.28..1.29",
    "<=1.30": "1.28..1.30",
    "=<1.30.0-0": "1.28..1.29",
    "=>1.35": f"1.35..{NEWEST}",
    "!=1.28.x": f"1.29..{NEWEST}",
    "!=1.28": f"1.29..{NEWEST}",
    "!=1.28.3": f"1.28..{NEWEST}",
    "1.28 || 1.30": "1.28..1.30",
    "<1.20 || >=1.36.0-0": f"1.36..{NEWEST}",
    "*": f"1.28..{NEWEST}",
    "1.x.x": f"1.28..{NEWEST}",
    "~0.0.0": f"1.28..{NEWEST}",
    "<1.28": None,
    f">=1.{NEWEST.minor + 1}.0-0": None,
    ">=1.30 <1.29": None,
    ">1": None,
    "^2": None,
    "2.*": None,
}


@each(("constraint", "versions"), TAKEN.items(), ids=TAKEN)
def test_versions_taken(constraint: str, versions: str | None) -> None:
    found = range_of(constraint)
    assert (None if found is None else str(found)) == versions


def test_a_gap_stays_a_gap_among_versions() -> None:
    assert satisfying("1.28 || 1.30", [(1, 28), (1, 29), (1, 30)]) == [(1, 28), (1, 30)]


BROKEN = [
    "", " ", "latest", "1.2.3.4", ">=1.28;<1.30", "==1.30", "<>1.30", ">=1.28 foo", "|| 1.30", ">= v", "1.x1.0",
    "9" * 2000, ">=1.28" * 200, "1.29 - - 1.30", "-1.30", "1..30",
]  # fmt: skip


@each("constraint", BROKEN)
def test_what_helm_cannot_read(constraint: str) -> None:
    with pytest.raises(ConstraintError, match=r"constraint|characters"):
        range_of(constraint)
