"""What numbers that are written as texts count: durations as Go reads them, quantities of Kubernetes, or numbers."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from crdlint.crd.model import JSONSchemaProps
from crdlint.light import regex

Unit: TypeAlias = Literal["number", "decimal", "duration", "quantity"]

_FORMS: Final[dict[Unit, str]] = {
    "number": r"\A[0-9]+\Z",
    "decimal": r"\A[0-9]+(?:\.[0-9]+)?(?:[eE][0-9]+)?\Z",
    "duration": r"\A(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|\u00b5s|ms|s|m|h))+\Z",
    "quantity": r"\A[0-9]+(?:\.[0-9]+)?(?:[numkMGTPE]|[KMGTPE]i|[eE][0-9]+)?\Z",
}
_PATTERNS: Final = {unit: regex(form) for unit, form in _FORMS.items()}

# Ends of the texts by which a pattern is tried. Those after "e3" are of no unit: of days and percentages, versions, words.
_ENDS: Final = (
    *("", "s", "m", "h", "ms", "h30m", "Gi", "Mi", "Ki", "G", "M", "k", ".5", "e3"),
    *("d", "w", "x", "%", ".2.3", "-9", ":30", " 9", " m"),
)


def units_of_text(text: str) -> frozenset[Unit]:
    """Return what the number in a text may count, nothing if the text is no number with a unit.

    >>> sorted(units_of_text("9m")), sorted(units_of_text("9Gi")), sorted(units_of_text("v9"))
    (['duration', 'quantity'], ['quantity'], [])
    """
    return _narrowest(_all_units_of(text))


def units_of_field(field: JSONSchemaProps) -> frozenset[Unit]:
    """Return what the number in a field of type string may count, by its pattern, or else by its default."""
    if field.pattern:
        return _units_of_pattern(field.pattern)
    default = field.default_value
    return units_of_text(default) if isinstance(default, str) else frozenset()


def _units_of_pattern(pattern: str) -> frozenset[Unit]:
    """Return the units that all texts have which a pattern accepts, as far as it is tried.

    It accepts two numbers of one unit of which the greater one is the smaller text: else their order is right as it is.
    """
    from crdlint.golang.matching import matches
    from crdlint.golang.regexp import compile_error

    if compile_error(pattern) is not None or matches(pattern, "a") or matches(pattern, "v9"):
        return frozenset()
    ends = [end for end in _ENDS if matches(pattern, f"9{end}")]
    is_in_disorder = any(matches(pattern, f"10{end}") for end in ends)
    if not is_in_disorder:
        return frozenset()
    return _narrowest(frozenset.intersection(*(_all_units_of(f"9{end}") for end in ends)))


def _all_units_of(text: str) -> frozenset[Unit]:
    return frozenset(unit for unit, pattern in _PATTERNS.items() if pattern.match(text))


def _narrowest(units: frozenset[Unit]) -> frozenset[Unit]:
    """Return the unit of plain numbers alone, which are quantities as well."""
    plain: tuple[Unit, ...] = ("number", "decimal")
    return next((frozenset({unit}) for unit in plain if unit in units), units)
