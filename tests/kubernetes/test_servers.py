"""The table of servers: versions read, ranges, values that changed."""

from __future__ import annotations

import re

import pytest
from sources import sources
from tables import each

from crdlint.kubernetes.servers import (
    KNOWN,
    NEWEST,
    NEWEST_VERSION,
    OLDEST,
    SERVERS,
    SUPPORTED,
    ByVersion,
    FieldState,
    parse_range,
)


def test_each_minor_version_has_one_row() -> None:
    minors = [server.minor for server in SERVERS]
    assert minors == list(range(OLDEST.minor, SERVERS[-1].minor + 1))
    assert [server.cel.stored_with for server in SERVERS] == minors
    assert [server.cel.compatible_with for server in SERVERS] == [minor - 1 for minor in minors]


def test_the_newest_server_is_the_default() -> None:
    assert NEWEST is SERVERS[-1]
    assert (str(NEWEST), KNOWN) == (NEWEST_VERSION, f"{OLDEST}..{NEWEST}")
    assert parse_range(KNOWN) == SUPPORTED


def test_a_text_becomes_a_range_where_it_comes_in() -> None:
    callers = {name for name, source in sources().items() if "parse_range(" in source.text}
    defined = {"kubernetes/servers.py", "linting/request.py"}
    of_options, of_settings = {"cli/fields.py"}, {"config/validate.py", "lsp/workspace.py"}
    assert callers - defined == {"api.py"} | of_options | of_settings


@each("text", ["1.30", "v1.30", "1.30.4", "1.30..1.30"])
def test_a_version_is_a_range_of_one(text: str) -> None:
    versions = parse_range(text)
    assert str(versions) == "1.30"
    assert [str(server) for server in versions.servers] == ["1.30"]


def test_a_range_includes_both_ends() -> None:
    versions = parse_range("1.29..1.31")
    assert str(versions) == "1.29..1.31"
    assert [str(server) for server in versions.servers] == ["1.29", "1.30", "1.31"]


@each(
    ("text", "versions"),
    [
        (">=1.28", f"1.28..{NEWEST}"),
        (">= 1.29.0-0", f"1.29..{NEWEST}"),
        (">=1.29 <1.32", "1.29..1.31"),
        ("1.29 - 1.31", "1.29..1.31"),
        ("~1.30", "1.30"),
        ("<1.27 || ^1.34", f"1.34..{NEWEST}"),
    ],
)
def test_a_constraint_is_a_range_of_versions(text: str, versions: str) -> None:
    assert str(parse_range(text)) == versions


@each(
    ("text", "message"),
    [
        (">=1.99", f"no version within {KNOWN} satisfies '>=1.99'"),
        (">=one", "'>=one': improper constraint: '>=one'"),
        ("1.27", f"'1.27' is not within {KNOWN}"),
        ("1.27..1.30", f"'1.27..1.30' is not within {KNOWN}"),
        ("1.30..1.99", f"'1.30..1.99' is not within {KNOWN}"),
        ("2.30", f"'2.30' is not within {KNOWN}"),
        ("1.31..1.30", "'1.31..1.30' ends before it begins"),
        ("latest", f"'latest' is not a Kubernetes version such as {NEWEST}"),
        ("9" * 50, f"'{'9' * 40}...' is not a Kubernetes version such as {NEWEST}"),
    ],
)
def test_other_versions_are_rejected(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse_range(text)


def test_a_value_by_version() -> None:
    value = ByVersion("a", (30, "b"), (34, "c"))
    found = {str(server): value.on(server) for server in parse_range("1.29..1.34").servers}
    assert found == {"1.29": "a", "1.30": "b", "1.31": "b", "1.32": "b", "1.33": "b", "1.34": "c"}


def test_fields_of_the_api_by_version() -> None:
    unknown, dropped, known = FieldState
    states = {
        str(s): (s.selectable_fields, s.optional_old_self)
        for s in parse_range("1.28..1.31").servers
    }
    assert states == {
        "1.28": (unknown, unknown),
        "1.29": (unknown, dropped),
        "1.30": (dropped, known),
        "1.31": (known, known),
    }
