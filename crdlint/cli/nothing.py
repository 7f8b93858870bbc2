"""The end of a run that found nothing to check: an error if it was required or a file was named, otherwise a notice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.runner.task import shown_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as SetOf

    from crdlint.files.paths import Found

_NAMED: Final = 3  # paths in a message
# What a command checks, by the option that accepts an input without it.
_WHAT: Final = {"--no-require-crds": "CustomResourceDefinition", "--no-require-resources": "custom resource"}


class Nothing(NamedTuple):
    """What to report about a run that found nothing to check, and whether it is an error."""

    message: str
    is_error: bool


def nothing_found(
    paths: Sequence[str],
    discovered: Found,
    left_out: SetOf[str],
    *,
    skipped: int,
    required: bool | None,
    option: str = "--no-require-crds",
) -> Nothing:
    """Return the message for a run that found nothing.

    `left_out` are files that a configuration excludes, `skipped` is the number of skipped documents.
    If `required` is None, what is missing is only required in files that are named; `option` accepts that.
    """
    what = _WHAT[option]
    checked = set(discovered.files) - left_out
    named = [path for path in paths if path in checked]
    if required or (required is None and named):
        missing = what if checked else ".yaml, .yml or .json file to check"
        return Nothing(f"no {missing} in {_listed(named or paths)} ({option} accepts that)", is_error=True)
    counts = [
        _count(len(checked), "file", "checked"),
        _count(skipped, "document", "skipped"),
        _count(discovered.ignored, "path", "ignored by git"),
        _count(discovered.excluded + len(left_out), "path", "excluded"),
    ]
    details = ", ".join(filter(None, counts)) or "no .yaml, .yml or .json file"
    return Nothing(f"note: no {what} in {_listed(paths)}: {details}", is_error=False)


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - _NAMED
    shown = ", ".join(map(shown_name, paths[:_NAMED]))
    return f"{shown} and {more:,} more" if more > 0 else shown


def _count(number: int, noun: str, what: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'} {what}" if number else ""
