"""Writes docs/kubernetes-versions.md, the differences of Kubernetes versions, from the table of servers."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crdlint.kubecel.environment import LIBRARIES
from crdlint.kubernetes.servers import KNOWN, SERVERS, FieldState, FormatWarnings, Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from crdlint.cel.dialect import CELDialect

PAGE: Final = Path(__file__).with_name("kubernetes-versions.md")
_HEAD: Final = f"""\
# What changed for CRDs, version by version

```console
$ crdlint check --kube-version 1.28 crds       # what this version reports
$ crdlint check --kube-version {KNOWN} crds # what any of these versions reports
```

`crdlint --kube-version 1.34` answers as the latest patch release with its default feature gates, and `--kube-version 1.34.0` as
the first one, if that answers otherwise. [The answers of these releases](parity.md) are recorded. Each section lists what a
version does differently from the one before, without the wording of messages.
"""

_DIFFERENCES: Final = """\
## What crdlint does not reproduce

[Known differences](parity.md#known-differences) lists each one, and what is not compared.
"""

# Switches that only change how a message or a bad value is printed, or its position in an expression.
_WORDING: Final = frozenset(
    {
        "expects_bool_operands",
        "formats_selected_types",
        "hides_errors_of_ranges",
        "keeps_errors_of_indexes",
        "locates_line_starts",
        "locates_macro_arguments",
        "names_optional_type",
        "names_paths_in_decode_errors",
        "parser_locates_line_starts",
        "prints_failed_values",
        "prints_json_values",
        "quotes_syntax_errors",
        "reads_quoted_identifiers",
    }
)
_FIELDS: Final = {"selectable_fields": "selectableFields", "optional_old_self": "optionalOldSelf"}
_STATES: Final = {
    FieldState.UNKNOWN: "is unknown: rejected under strict field validation, otherwise ignored",
    FieldState.DROPPED: "is dropped, because its feature gate is off by default",
    FieldState.KNOWN: "is available",
}
_WARNINGS: Final = {
    FormatWarnings.NONE: "No longer warns about unrecognized formats",
    FormatWarnings.STRINGS: "Warns about unrecognized formats of strings",
    FormatWarnings.STRINGS_AND_NUMBERS: "Warns about unrecognized formats of every type",
    FormatWarnings.ALL_AS_STRINGS: "Warns about every format of a number, such as int64",
}


def page() -> str:
    """Return the text of the page."""
    first = f"## Kubernetes {SERVERS[0]}\n\nThe oldest version that crdlint knows.\n\n{_listed(_initial(SERVERS[0]))}"
    sections = [
        f"## Kubernetes {server}\n\n{_listed(_changes(before, server))}"
        for before, server in pairwise(SERVERS)
    ]
    return "\n".join([_HEAD, first, *sections, _DIFFERENCES])


def _listed(lines: Iterator[str]) -> str:
    return "".join(f"- {line}\n" for line in lines) or "Nothing.\n"


def _initial(server: Server) -> Iterator[str]:
    for name, field in _FIELDS.items():
        yield f"The field `{field}` {_STATES[getattr(server, name)]}."
    yield from _of_first_patch(server)


def _of_first_patch(server: Server) -> Iterator[str]:
    """Yield what the first patch release of a version does differently from the newest one."""
    first = server.first_patch
    if first is None:
        return
    for line in _answers(server, first):
        yield f"{first}: {line[0].lower()}{line[1:]}"
    for line in _switched(server.cel, first.cel):
        text = line.replace("No longer ", "not yet: ")
        yield f"{first}, CEL: {text[0].lower()}{text[1:]}"


def _answers(before: Server, server: Server) -> Iterator[str]:
    """Yield how a server answers differently from another one, beside CEL."""
    for name, field in _FIELDS.items():
        state = getattr(server, name)
        if state is not getattr(before, name):
            yield f"The field `{field}` {_STATES[state]}."
    yield from _switched(before, server)
    if server.format_warnings is not before.format_warnings:
        yield f"{_WARNINGS[server.format_warnings]}."


def _changes(before: Server, server: Server) -> Iterator[str]:
    """Yield what a server does differently from the one before."""
    yield from _answers(before, server)
    version = (server.major, server.cel.compatible_with)
    names = [library.name for library in LIBRARIES if library.introduced == version]
    if names:
        yield f"New rules may use these CEL libraries: {'; '.join(names)}."
    for line in _switched(before.cel, server.cel):
        yield f"CEL: {line[0].lower()}{line[1:]}"
    yield from _of_first_patch(server)


def _switched(before: Any, after: Any) -> Iterator[str]:
    """Yield a sentence for each switch that differs, from the docstring of its class."""
    sentences = _sentences(type(after))
    for name, text in sentences.items():
        value = getattr(after, name)
        if isinstance(value, bool) and value is not getattr(before, name):
            yield f"{text[0].upper()}{text[1:]}" if value else f"No longer {text}"


def _sentences(of: type[Server | CELDialect]) -> dict[str, str]:
    """Return what each switch of a class does, a sentence without its subject."""
    text = " ".join(line.strip() for line in (of.__doc__ or "").splitlines()).strip()
    found = re.findall(r"``(\w+)`` (.*?[.;])(?= ``|  | \w+: ``|$)", text)
    return {name: f"{what.rstrip('.;')}." for name, what in found if name not in _WORDING}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
