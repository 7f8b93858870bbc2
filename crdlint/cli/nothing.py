"""The end of a run that found no CRD: an error if one was required or a file was named, otherwise a notice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.checking import shown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cli.planning import Plan
    from crdlint.sources.paths import Found

_NAMED: Final = 3  # paths in a message


class Nothing(NamedTuple):
    """What to report about a run without CRDs, and whether it is an error."""

    message: str
    is_error: bool


def nothing_to_check(paths: Sequence[str], found: Found, plan: Plan, *, skipped: int, required: bool | None) -> Nothing:
    """Return what to report. ``skipped`` counts documents; ``required`` None requires a CRD of named files only."""
    taken = set(found.files) - plan.excluded
    named = [path for path in paths if path in taken]
    if required or (required is None and named):
        what = "CustomResourceDefinition" if taken else ".yaml, .yml or .json file to check"
        return Nothing(f"no {what} in {_listed(named or paths)} (--no-require-crds accepts that)", is_error=True)
    counts = [
        _count(len(taken), "file", "checked"),
        _count(skipped, "document", "skipped"),
        _count(found.ignored, "path", "ignored by git"),
        _count(found.excluded + len(plan.excluded), "path", "excluded"),
    ]
    said = ", ".join(filter(None, counts)) or "no .yaml, .yml or .json file"
    return Nothing(f"note: no CustomResourceDefinition in {_listed(paths)}: {said}", is_error=False)


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - _NAMED
    shown = ", ".join(map(shown_name, paths[:_NAMED]))
    return f"{shown} and {more:,} more" if more > 0 else shown


def _count(number: int, noun: str, what: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'} {what}" if number else ""
