"""One shape for the answer of a running server, of a record, and of crdlint, and where two of them differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from .api import NO_ANSWER, Reply

if TYPE_CHECKING:
    from crdlint import Diagnostic, ResourceReport

# What upstream makes of the clock, of addresses of memory, and at random.
_BY_CHANCE: Final = (
    (re.compile(r"selfType\d+"), "selfType"),
    (re.compile(r"0x[0-9a-f]{6,}"), "0x"),
    # the end of a generated name
    (
        re.compile(
            r'^(metadata\.name: Invalid value: "[^"]*)[a-z0-9]{5}(?=": must be spec\.names)'
        ),
        r"\1xxxxx",
    ),
)
# What the server sets in the metadata of an object, where an error prints the whole object.
_OF_STORED: Final = re.compile(
    r'"managedFields":\[(?:\{"apiVersion".*?"time":"[^"]*"\},?)+\],?'
    r'|"(?:creationTimestamp|uid|resourceVersion)":"[^"]*",?|"generation":\d+,?'
)
_WHOLE_OBJECT: Final = "<nil>: "
# What the handlers put before the error of a body that they cannot decode.
_WRAPPED: Final = re.compile(r'^\w+ in version "[^"]*" cannot be handled as a \w+: ')
_SET_BY_SERVER: Final = ("metadata.managedFields", "metadata.namespace", "metadata.uid")


@dataclass(frozen=True)
class Answer:
    """Whether a request is accepted, and with which texts.

    `errors` are those of fields. A refusal that names no field, such as one of decoding, has only a `message`. `warnings` is
    None if they are not known: the server sends none with a refusal.
    """

    accepted: bool
    errors: frozenset[str] = frozenset()
    message: str = ""
    warnings: frozenset[str] | None = frozenset()


def of_reply(reply: Reply) -> Answer:
    """Return the answer of a running server."""
    if reply.is_accepted:
        return Answer(True, warnings=frozenset(reply.warnings))
    causes = (reply.body.get("details") or {}).get("causes") or []
    is_invalid = reply.body.get("reason") == "Invalid"
    errors = frozenset(plain(_cause(cause)) for cause in causes if is_invalid or "field" in cause)
    return Answer(False, errors, "" if errors else _WRAPPED.sub("", reply.message), None)


def of_diagnostics(found: Iterable[Diagnostic]) -> Answer:
    """Return crdlint's answer about a CRD."""
    found = list(found)
    if any(finding.rule == "api-server-panic" for finding in found):
        return Answer(False, message=NO_ANSWER, warnings=None)
    said = [finding for finding in found if finding.origin == "apiserver"]
    errors = frozenset(plain(finding.message) for finding in said if finding.kind == "field")
    message = next((finding.message for finding in said if finding.kind == "decode"), "")
    warnings = frozenset(
        finding.message for finding in said if finding.kind in {"strict", "warning"}
    )
    return Answer(not errors and not message, errors, message, warnings)


def of_report(report: ResourceReport) -> Answer:
    """Return crdlint's answer about a custom resource."""
    errors = frozenset(plain(error.message) for error in report.errors)
    return Answer(not errors, errors, "", frozenset(map(_unknown, report.unknown_fields)))


def without_kept_values(answer: Answer) -> Answer:
    """Leave out the warnings about invalid values that an update keeps, which neither records nor reports have."""
    if answer.warnings is None:
        return answer
    return replace(
        answer,
        warnings=frozenset(text for text in answer.warnings if text.startswith("unknown field ")),
    )


def of_record(expect: Mapping[str, Any]) -> Answer:
    """Return a recorded answer (the value of `expect` of a row)."""
    if "panic" in expect:
        return Answer(False, message=NO_ANSWER, warnings=None)
    message = expect.get("decode_error", "")
    errors = frozenset(plain(error["string"]) for error in expect.get("errors", []))
    strict = [line for text in expect.get("strict_errors", []) for line in _lines(text)]
    unknown = map(_unknown, expect.get("unknown_fields", []))
    warnings = frozenset([*strict, *unknown, *expect.get("warnings", [])])
    return Answer(not errors and not message, errors, message, warnings)


def as_request(answer: Answer) -> Answer:
    """Leave out what no request can cause: errors of fields that the server writes itself before it validates."""
    errors = frozenset(text for text in answer.errors if not text.startswith(_SET_BY_SERVER))
    return replace(answer, errors=errors, accepted=not errors and not answer.message)


def differences(server: Answer, other: Answer, name: str) -> list[str]:
    """Return in lines where an answer differs from that of the server, which may know fewer warnings; `name` is whose it is."""
    if server.accepted != other.accepted:
        verdicts = [f"server {_verdict(server)}", f"{name} {_verdict(other)}"]
        return [", ".join(verdicts), *_only("server", _texts(server)), *_only(name, _texts(other))]
    if server.message and other.message:
        # The server puts what it could not read before it; lines of server-side apply are in a random order.
        is_same = other.message in server.message or _message_lines(other) == _message_lines(server)
        return (
            [] if is_same else [*_only("server", {server.message}), *_only(name, {other.message})]
        )
    lines = [
        *_only("server", _texts(server) - _texts(other)),
        *_only(name, _texts(other) - _texts(server)),
    ]
    if server.warnings is not None and other.warnings is not None:
        lines += _only("server warns", server.warnings - other.warnings)
        lines += _only(f"{name} warns", other.warnings - server.warnings)
    return lines


def _message_lines(answer: Answer) -> list[str]:
    return sorted(answer.message.split("\n"))


def _verdict(answer: Answer) -> str:
    return "accepts" if answer.accepted else "refuses"


def _texts(answer: Answer) -> frozenset[str]:
    return answer.errors | {answer.message} if answer.message else answer.errors


def _only(name: str, texts: Iterable[str]) -> Iterator[str]:
    for text in sorted(texts):
        yield f"only {name}: {text}"


def _cause(cause: Mapping[str, str]) -> str:
    field = cause.get("field")
    return f"{field}: {cause['message']}" if field else cause["message"]


def _unknown(path: str) -> str:
    return f'unknown field "{path}"'


def _lines(text: str) -> Iterator[str]:
    """Yield one text a duplicate key: the server's YAML decoder puts all of them into one."""
    for line in text.removeprefix("yaml: unmarshal errors:\n").split("\n"):
        yield line.strip()


def plain(text: str) -> str:
    """Return a text without what upstream makes by chance, or sets in a stored object."""
    if text.startswith(_WHOLE_OBJECT):
        text = _OF_STORED.sub("", text).replace(",}", "}")
    for pattern, name in _BY_CHANCE:
        text = pattern.sub(name, text)
    return text
