"""Places in an object, such as `spec.ports[0].name`: their text, their schema and their value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from crdlint.crd.paths import Key, Path
from crdlint.diagnostics.spelling import nearest
from crdlint.kubecel.evaluation import MISSING

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps

_TOKEN: Final = re.compile(
    r"""\.?(?P<name>[^.\[\]'"\s]+)|\[(?P<index>\d*|\*)\]|\[(?P<quote>['"])(?P<key>(?:(?!(?P=quote)).)*)(?P=quote)\]"""
)
_SHOWN: Final = 8  # fields in a message


class PlaceError(ValueError):
    """A place does not exist; `str()` is the reason, `help` how to fix it."""

    def __init__(self, text: str, help_: str | None = None) -> None:
        super().__init__(text)
        self.help = help_


@dataclass(frozen=True, slots=True)
class AnyItem:
    """The step to any item of a list, or to the value of any key of a map: `[*]`."""


# A field or key, an index, or any item.
PlaceStep: TypeAlias = "str | int | AnyItem"


def parse_place(text: str) -> tuple[PlaceStep, ...]:
    """Return the steps of a place; none for an empty text or `.`. Raise PlaceError.

    >>> parse_place("spec.ports[0].name")
    ('spec', 'ports', 0, 'name')
    """
    steps: list[PlaceStep] = []
    stripped = text.strip()
    position = 0
    while position < len(stripped) and stripped != ".":
        match = _TOKEN.match(stripped, position)
        if match is None:
            help_ = "Write it as in `spec.ports[0].name` or `metadata.labels['app']`"
            raise PlaceError(f"{text!r} is not the path of a field", help_)
        if match["index"] is not None:
            steps.append(int(match["index"]) if match["index"].isdigit() else AnyItem())
        else:
            steps.append(match["key"] if match["name"] is None else match["name"])
        position = match.end()
    return tuple(steps)


def place_text(steps: Sequence[PlaceStep]) -> str:
    """Return the text of a place, empty for the whole object.

    >>> place_text(("metadata", "labels", "example.com/a"))
    "metadata.labels['example.com/a']"
    """
    text = ""
    for step in steps:
        if isinstance(step, str):
            text += f".{step}" if re.fullmatch(r"[\w-]+", step) else f"['{step}']"
        else:
            text += "[*]" if isinstance(step, AnyItem) else f"[{step}]"
    return text.removeprefix(".")


def schema_at(root: JSONSchemaProps, steps: Sequence[PlaceStep]) -> JSONSchemaProps:
    """Return the schema of a place; raise PlaceError if the schema has no such place."""
    schema = root
    for count, step in enumerate(steps):
        schema = _below(schema, step, place_text(steps[:count]) or "the object")
    return schema


def _below(schema: JSONSchemaProps, step: PlaceStep, where: str) -> JSONSchemaProps:
    additional, items = schema.additional_schema, schema.item_schema
    if isinstance(step, str):
        if step in schema.properties:
            return schema.properties[step]
        if additional is not None:
            return additional
        if items is not None:
            advice = f"Select an item first: `{where}[0].{step}`"
            raise PlaceError(f"{where} is a list, so it has no field `{step}`", advice)
        near = nearest(step, schema.properties)
        known = ", ".join(sorted(schema.properties)[:_SHOWN])
        more = ", ..." if len(schema.properties) > _SHOWN else ""
        help_ = f"Write `{near}` instead" if near else f"Use one of the fields: {known}{more}" if known else None
        raise PlaceError(f"{where} has no field `{step}`", help_)
    if items is not None:
        return items
    if additional is not None and isinstance(step, AnyItem):
        return additional
    raise PlaceError(f"{where} is not a list", "Select a field with a dot, as in `spec.ports`")


def value_at(value: Any, steps: Sequence[PlaceStep]) -> Any:
    """Return the value at a place, `MISSING` if there is none or if the place has several."""
    for step in steps:
        is_field = isinstance(step, str) and value.__class__ is dict and step in value
        is_item = isinstance(step, int) and value.__class__ is list and step < len(value)
        if not (is_field or is_item):
            return MISSING
        value = value[step]
    return value


def matches(steps: Sequence[PlaceStep], path: Path | None) -> bool:
    """Return whether a path of a value is that of a place."""
    parts = () if path is None else path.steps()
    return len(steps) == len(parts) and all(
        (step.__class__ is AnyItem and (isinstance(part, (int, Key)))) or step == part
        for step, part in zip(steps, parts, strict=True)
    )
