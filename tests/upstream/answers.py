"""What crdlint answers to a request, in the shape of the recorder's answers, and how two answers differ."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import crdlint
from crdlint.crd.convert import read_crd
from crdlint.kubecel.cost import RUNTIME_BUDGET
from crdlint.kubernetes.servers import parse_range
from crdlint.resources.objects import read_resource
from crdlint.resources.pipeline import version_of
from crdlint.resources.validation import NotDecodedError, ObjectResult, ResourceValidator
from crdlint.yaml.parse import parse_first

from .rows import Answer, Request

if TYPE_CHECKING:
    from crdlint import Diagnostic
    from crdlint.crd.errors import FieldError

# Every key of an answer that is compared.
_COMPARED: Final = (
    "decode_error",
    "errors",
    "strict_errors",
    "warnings",
    "cel",
    "unknown_fields",
    "defaulted",
    "cel_cost",
    "json",
    "yaml_error",
    "panic",
)
_LARGEST_INT64: Final = 2**63


def crdlint_answer(request: Request, version: str) -> Answer:
    """Return crdlint's answer to a request for a Kubernetes version such as `1.37`."""
    with without_helps():
        return _OPERATIONS[request["op"]](request, version)


def differences(got: Answer, want: Answer) -> list[str]:
    """Return a text for each key in which crdlint's answer is another than the server's; empty if they are alike."""
    got, want = comparable(got), comparable(want)
    return [text for key in _COMPARED if (text := _difference(key, got.get(key), want.get(key)))]


def comparable(answer: Answer) -> Answer:
    """Return an answer without what does not count: the order and repetition of errors, and empty lists."""
    made = {
        key: value
        for key in _COMPARED
        if (value := _comparable(key, answer.get(key))) not in (None, [])
    }
    if "panic" in made:
        made["panic"] = True  # its text names addresses and lines of the server's code
    return made


def is_comparable(answer: Answer) -> bool:
    """Return whether an answer of the recorder says anything: a rejected CRD answers for no custom resource."""
    return "unanswered" not in answer


def _comparable(key: str, value: Any) -> Any:
    if value is None:
        return None
    if key == "errors":
        names = ("type", "field", "detail", "string")
        return sorted({tuple(plain(error[name] or "") for name in names) for error in value})
    if key == "strict_errors":
        return sorted(set(_one_by_one(value)))
    if key == "decode_error":
        return _lines_in_order(value)
    if key in ("warnings", "unknown_fields"):
        return sorted(set(value))
    if key == "cel_cost":
        return (
            value if value <= RUNTIME_BUDGET else None
        )  # the recorder has no cost beyond the budget
    if key == "cel":
        return sorted(_cost(row) for row in value)
    if key == "defaulted":
        return _with_go_numbers(value)
    if key == "json":
        return _with_go_numbers(json.loads(value) if isinstance(value, str) else value["value"])
    return value


def _lines_in_order(text: str) -> list[str]:
    """Return the lines of an error, of which server-side apply has one for each field, in a random order."""
    return sorted(text.split("\n"))


def _cost(row: dict[str, Any]) -> tuple[str, str, str, str, bool]:
    cardinality = str(row["max_cardinality"])
    return (
        row["path"],
        str(row["max_cost"]),
        str(row["expression_cost"]),
        cardinality,
        row["uses_old_self"],
    )


def _one_by_one(errors: Iterable[str]) -> Iterator[str]:
    """Yield one text a duplicate key: the server's YAML decoder puts all of them into one."""
    for text in errors:
        yield from (
            line.strip() for line in text.removeprefix("yaml: unmarshal errors:\n").split("\n")
        )


def _with_go_numbers(value: Any) -> Any:
    """Return a value with integers beyond 64 bits as floats, as Go decodes them."""
    if isinstance(value, dict):
        return {key: _with_go_numbers(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_with_go_numbers(member) for member in value]
    is_large = type(value) is int and not -_LARGEST_INT64 <= value < _LARGEST_INT64
    return float(value) if is_large else value


def _difference(key: str, got: Any, want: Any) -> str:
    if got == want:
        return ""
    if isinstance(got, list | None) and isinstance(want, list | None):
        only_crdlint = [row for row in got or [] if row not in (want or [])]
        only_server = [row for row in want or [] if row not in (got or [])]
        return f"{key}\n  only crdlint: {only_crdlint}\n  only server:  {only_server}"
    return f"{key}\n  crdlint: {got!r}\n  server:  {want!r}"


def without_helps() -> AbstractContextManager[object]:
    """Leave out the search for what a broken expression may mean: half of the work, and no answer depends on it."""
    return mock.patch("crdlint.kubecel.hints.meaning", return_value=None)


def _create(request: Request, version: str) -> Answer:
    text = request["yaml"]
    found = crdlint.lint_text(text, kube_version=version)
    answer = _of_crd(found)
    if "errors" in answer:
        costs = crdlint.estimate_costs(text, kube_version=version)
        answer["cel"] = [
            {
                "path": cost.path,
                "max_cost": cost.max_cost,
                "expression_cost": cost.expression_cost,
                "max_cardinality": cost.max_cardinality,
                "uses_old_self": cost.uses_old_self,
            }
            for cost in costs
        ]
    return answer


def _update(request: Request, version: str) -> Answer:
    return _of_crd(crdlint.lint_update(request["old"], request["new"], kube_version=version))


def _of_crd(found: list[Diagnostic]) -> Answer:
    if any(finding.rule == "api-server-panic" for finding in found):
        return {"panic": True}
    of_server = [finding for finding in found if finding.origin == "apiserver"]
    undecoded = [finding.message for finding in of_server if finding.kind == "decode"]
    if undecoded:
        return {"decode_error": undecoded[0]}
    return {
        "errors": [_error(finding) for finding in of_server if finding.kind == "field"],
        "strict_errors": [finding.message for finding in of_server if finding.kind == "strict"],
        "warnings": [finding.message for finding in of_server if finding.kind == "warning"],
    }


def _error(finding: Diagnostic) -> dict[str, Any]:
    return {
        "type": finding.error_type,
        "field": finding.field,
        "detail": finding.detail,
        "string": finding.message,
    }


def plain(text: str) -> str:
    """Return a text without what changes from build to build, such as addresses, or from second to second."""
    text = re.sub(r"selfType[0-9]*", "selfType", text)
    # Go's protocol buffers put one or two spaces between fields, as a hash of the program decides.
    text = re.sub(r"\}  (?=[a-z_]+:)", "} ", text)
    text = _OF_STORED.sub("", _OF_APPLY.sub("", text))
    return re.sub(r"\(0x[0-9a-f]{6,}\)", "(0x)", text)


# What server-side apply adds to an object, which is in an error that prints the whole object.
_OF_APPLY: Final = re.compile(
    r'"generation":1,"managedFields":\[\{.*?"time":"[^"]*"\}\],'
    r'|"generation":1, "managedFields":\[\]interface \{\}\{.*?"time":"[^"]*"\}\}, '
)
# What the recorder sets in an object that is updated, where an error prints the whole object.
_OF_STORED: Final = re.compile(
    r',? ?"(?:resourceVersion":"1|uid":"u)"|"creationTimestamp":interface \{\}\(nil\),? ?'
)


def _resource(request: Request, version: str) -> Answer:
    update = _SUBRESOURCES.get(request.get("subresource", ""))
    if update is not None:
        return update(request, version)
    try:
        report = crdlint.validate_resource(
            request["crd"],
            request["cr"],
            old_resource=request.get("old_cr"),
            kube_version=version,
            as_request=request.get("as_request", False),
        )
    except crdlint.YAMLDecodeError as error:
        return {"decode_error": str(error)}
    return _of_report(report)


def _of_report(report: crdlint.ResourceReport) -> Answer:
    if any(error.rule == "api-server-panic" for error in report.crd_errors):
        return {"panic": True}
    undecoded = [error.message for error in report.errors if error.kind == "decode"]
    if undecoded:
        return {"decode_error": undecoded[0]}
    return {
        "errors": [_error(error) for error in report.errors],
        "warnings": [warning.message for warning in report.warnings],
        "unknown_fields": report.unknown_fields,
        "defaulted": report.resource,
        "cel_cost": report.cel_cost,
    }


def _status(request: Request, version: str) -> Answer:
    validator = _validator(request, version)
    return _of_result(
        lambda: validator.update_status(_object(request, "cr"), _object(request, "old_cr"))
    )


def _scale(request: Request, version: str) -> Answer:
    """Set the replicas of the stored object to those of a Scale."""
    validator = _validator(request, version)
    replicas = (_object(request, "cr").get("spec") or {}).get("replicas", 0)
    return _of_result(lambda: validator.update_scale(replicas, _object(request, "old_cr")))


def _validator(request: Request, version: str) -> ResourceValidator:
    server = parse_range(version).newest
    crd = read_crd(_root(request["crd"]), stored=True, server=server).crd
    return ResourceValidator(crd, version_of(crd, _object(request, "old_cr")), server=server)


def _object(request: Request, name: str) -> dict[str, Any]:
    return read_resource(_root(request[name]))


def _of_result(validate: Callable[[], ObjectResult]) -> Answer:
    try:
        result = validate()
    except NotDecodedError as error:
        return {"decode_error": str(error)}
    return {
        "errors": [_field_error(error) for error in result.errors],
        "unknown_fields": list(result.unknown),
        "defaulted": result.resource,
        "cel_cost": result.cel_cost,
    }


_SUBRESOURCES: Final = {"status": _status, "scale": _scale}


def _apply(request: Request, version: str) -> Answer:
    """Apply a CRD or a custom resource, to the stored one if there is one."""
    sender = "server-side-apply"
    if "crd" not in request:
        return _of_crd(crdlint.lint_text(request["yaml"], sender=sender, kube_version=version))
    report = crdlint.validate_resource(
        request["crd"],
        request["cr"],
        old_resource=request.get("old_cr"),
        kube_version=version,
        as_request=True,
        sender=sender,
    )
    answer = _of_report(report)
    if "decode_error" in answer:
        answer["decode_error"] = _with_sorted_conflicts(answer["decode_error"])
    return answer


def _with_sorted_conflicts(message: str) -> str:
    """Return a message about conflicts as the recorder has it: a sorted line for each field."""
    first, separator, rest = message.partition(": ")
    if not first.startswith("Apply failed with") or not separator:
        return message
    manager, lines = "", []
    for line in rest.split("\n"):
        if line.startswith("conflicts with "):
            manager = line.removeprefix("conflicts with ").removesuffix(":")
        else:
            lines.append(line.replace("- ", f"conflict with {manager}: ", 1) if manager else line)
    return "\n".join([first, *sorted(lines)])


def _field_error(error: FieldError) -> dict[str, Any]:
    return {
        "type": error.type,
        "field": str(error.path),
        "detail": error.detail,
        "string": str(error),
    }


def _root(text: str) -> Any:
    return parse_first(text).root


def _yaml(request: Request, version: str) -> Answer:
    try:
        return {"json": {"value": crdlint.decode_yaml(request["yaml"], kube_version=version)}}
    except crdlint.YAMLDecodeError as error:
        return {"yaml_error": str(error)}


_OPERATIONS: Final[dict[str, Callable[[Request, str], Answer]]] = {
    "create": _create,
    "update": _update,
    "cr": _resource,
    "apply": _apply,
    "yaml": _yaml,
}
