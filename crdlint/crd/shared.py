"""What all versions of a CRD share: the API server moves it up before it validates."""

from __future__ import annotations

from typing import Final

# Where the API server keeps it, and the name that a version has for it.
SHARED: Final = {
    "spec.validation": "schema",
    "spec.subresources": "subresources",
    "spec.additionalPrinterColumns": "additionalPrinterColumns",
    "spec.selectableFields": "selectableFields",
}


def is_within(field: str, place: str) -> bool:
    """Tell whether a printed path is that of a place or leads below it."""
    return field == place or field.startswith((f"{place}.", f"{place}["))
