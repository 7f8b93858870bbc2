"""The parts of a finding that reports for people show: headline, place, and the sentence below."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Diagnostic


class Sentence(NamedTuple):
    """A sentence below a headline, and its label."""

    label: str
    text: str


def headline(finding: Diagnostic) -> str:
    """Return what is wrong, in one line."""
    return finding.headline or _line(finding.message)


def where(finding: Diagnostic) -> str:
    """Return the CRD, the version and the path as users know them, as far as they are known."""
    return " ".join(filter(None, (finding.crd, finding.version, finding.user_path)))


def sentences(finding: Diagnostic) -> list[Sentence]:
    """Return the server's sentence to the letter, and crdlint's own if the headline does not have all of it."""
    server, own = finding.server_message or finding.message, ""
    if finding.kind == "advice":
        own, server = finding.message, ""
    elif finding.server_message is not None:  # crdlint's own words, or the versions before the server's
        own = finding.message[: -len(server) - 2] if finding.versions else finding.message
    sentences = (Sentence("note", own), Sentence("server", server))
    return [sentence for sentence in sentences if sentence.text and _line(sentence.text) not in headline(finding)]


def _line(text: str) -> str:
    return " ".join(text.split())


def advice(finding: Diagnostic) -> str:
    """Return the help, empty if the headline has it."""
    help_ = finding.help or ""
    return "" if _line(help_).casefold() in headline(finding).casefold() else help_


def text(finding: Diagnostic) -> str:
    """Return everything about a finding below its headline, a line each: the help first."""
    parts = [("help", advice(finding)), ("at", where(finding)), *sentences(finding)]
    parts.append(("Kubernetes", ", ".join(finding.versions)))
    return "\n".join(f"{label}: {part}" for label, part in parts if part)


def message(finding: Diagnostic) -> str:
    """Return the headline and everything below it."""
    first = headline(finding) if finding.headline else finding.message
    return "\n".join(filter(None, (first, text(finding))))
