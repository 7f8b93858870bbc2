"""JSON values as CEL sees them: formats, and the fields of embedded resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tables import each

from crdlint.cel.errors import Error, FunctionError
from crdlint.cel.eval.values import Duration, Timestamp
from crdlint.cel.library.stdlib_functions import timestamp_getter
from crdlint.crd.model import JSONSchemaProps
from crdlint.kubecel.values import to_value

if TYPE_CHECKING:
    from typing import Any

DAY = 86400 * 10**9
PARSING = 'parsing time "{}" as "2006-01-02T15:04:05": cannot parse "{}" as "{}"'
STRINGS = {
    "a date": ("date", "1970-01-02", Timestamp(DAY)),
    "no date": (
        "date",
        "1970-1-2",
        Error('Invalid date formatted string 1970-1-2: parsing time "1970-1-2" as "2006-01-02": cannot parse "1-2" as "01"'),
    ),
    "a day that there is not": (
        "date",
        "1970-02-30",
        Error('Invalid date formatted string 1970-02-30: parsing time "1970-02-30": day out of range'),
    ),
    "a moment": ("date-time", "1970-01-01T01:00:00.5+01:00", Timestamp(5 * 10**8, 3600)),
    "a moment without a zone": ("date-time", "1970-01-02T00:00:00", Timestamp(DAY)),
    "an empty moment": ("date-time", "", Timestamp(0)),
    "no moment": (
        "date-time",
        "2020-01-01",
        Error("Invalid date-time formatted string 2020-01-01: " + PARSING.format("2020-01-01", "", "T")),
    ),
    "a moment with more": (
        "date-time",
        "2020-01-01T00:00:00x",
        Error('Invalid date-time formatted string 2020-01-01T00:00:00x: parsing time "2020-01-01T00:00:00x": extra text: "x"'),
    ),
    "bytes": ("byte", "YQ==", b"a"),
    "bytes of the alphabet for URLs": ("byte", "_-8=", b"\xff\xef"),
    "bytes of the other alphabet": (
        "byte",
        "/+8=",
        Error("Invalid byte formatted string /+8=: illegal base64 data at input byte 0"),
    ),
    "a duration": ("duration", "1m", Duration(60 * 10**9)),
    "another format": ("hostname", "x", "x"),
}  # fmt: skip


def schema(type_: str, **given: Any) -> JSONSchemaProps:
    made = JSONSchemaProps()
    vars(made).update(type=type_, **given)
    return made


@each(("format_", "text", "value"), STRINGS.values(), ids=STRINGS)
def test_strings(format_: str, text: str, value: Any) -> None:
    assert to_value(text, schema("string", format=format_)) == value


@each("zone", ["a/" * 1500, "a." * 1500 + "/x", "Nowhere"], ids=["slashes", "dots", "short"])
def test_an_unknown_time_zone_of_any_length_is_an_error(zone: str) -> None:
    with pytest.raises(FunctionError) as raised:
        timestamp_getter("hours")(Timestamp(0), zone)
    assert str(raised.value) == f"unknown time zone {zone}"


def test_an_embedded_resource_has_a_name() -> None:
    value = to_value(
        {"metadata": {"name": "x", "labels": {}}}, schema("object", x_embedded_resource=True)
    )
    assert value["metadata"]["name"] == "x"
    assert list(value["metadata"]) == ["name"]


def test_a_resource_with_fields_of_its_own_keeps_them() -> None:
    text = schema("string")
    meta = schema("object", properties={"name": text, "generateName": text, "namespace": text})
    whole = schema(
        "object",
        x_embedded_resource=True,
        properties={"kind": text, "apiVersion": text, "metadata": meta},
    )
    value = to_value({"metadata": {"name": "x", "namespace": "y"}}, whole)
    assert value["metadata"]["namespace"] == "y"
