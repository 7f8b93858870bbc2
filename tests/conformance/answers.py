"""What crdlint answers to a recorded request, and what the API server answered, in one shape."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias
from unittest import mock

import crdlint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from crdlint import Diagnostic

    Case: TypeAlias = dict[str, Any]
    Answer: TypeAlias = dict[str, Any]


def answers(case: Case) -> tuple[Answer, Answer]:
    """Return crdlint's answer and the API server's; both are empty for a request that tests nothing here."""
    return _OPERATIONS[case["op"]](case, case["expect"], case.get("version", "1.36"))


def without_helps() -> AbstractContextManager[object]:
    """Leave out the search for what a broken expression may mean: it is half of the work, and no answer depends on it."""
    return mock.patch("crdlint.kubecel.hints.meaning", return_value=None)


@lru_cache(maxsize=1)
def findings(text: str, version: str) -> list[Diagnostic]:
    """Return the findings of a text, which tests that look at the same one share."""
    return crdlint.lint_text(text, kube_version=version)


def _create(case: Case, expect: Answer, version: str) -> tuple[Answer, Answer]:
    found = findings(case["yaml"], version)
    if "decode_error" in expect:
        return {"decode": _texts(found, "decode")}, {"decode": {expect["decode_error"]}}
    got: Answer = {kind: _texts(found, kind) for kind in ("decode", "field", "strict", "warning")}
    got["without headline"] = _without_headline(found)
    want: Answer = {
        "without headline": [],
        "decode": set(),
        "field": _errors(expect),
        "strict": set(_strict(expect.get("strict_errors", []))),
        "warning": set(expect.get("warnings", [])),
    }
    if expect.get("cel"):
        with without_helps():
            costs = crdlint.estimate_costs(case["yaml"], kube_version=version)
        got["costs"] = sorted(
            (c.path, str(c.max_cost), str(c.expression_cost), str(c.max_cardinality), c.uses_old_self) for c in costs
        )
        want["costs"] = sorted(
            (
                c["path"],
                str(c["max_cost"]),
                str(c["expression_cost"]),
                str(c["max_cardinality"]),
                bool(c["uses_old_self"]),
            )
            for c in expect["cel"]
        )
    return got, want


def _update(case: Case, expect: Answer, version: str) -> tuple[Answer, Answer]:
    found = crdlint.lint_update(case["old"], case["new"], kube_version=version)
    got = {"field": _texts(found, "field"), "without headline": _without_headline(found)}
    return got, {"field": _errors(expect), "without headline": []}


def _resource(case: Case, expect: Answer, version: str) -> tuple[Answer, Answer]:
    if "decode_error" in expect:
        return {}, {}
    report = crdlint.validate_resource(case["crd"], case["cr"], old_resource=case.get("old_cr"), kube_version=version)
    got = {
        "field": _texts(report.errors, "field"),
        "unknown fields": sorted(report.unknown_fields),
        "stored": report.resource,
        "cost": report.cel_cost,
        "without headline": _without_headline(report.errors),
    }
    want = {
        "without headline": [],
        "field": _errors(expect),
        "unknown fields": sorted(expect.get("unknown_fields", [])),
        "stored": expect.get("defaulted"),
        "cost": expect.get("cel_cost"),
    }
    return got, want


def _yaml(case: Case, expect: Answer, _version: str) -> tuple[Answer, Answer]:
    want = {"error": expect["yaml_error"]} if "yaml_error" in expect else {"value": json.loads(expect["json"])}
    try:
        return {"value": crdlint.decode_yaml(case["yaml"])}, want
    except crdlint.YAMLDecodeError as error:
        return {"error": str(error)}, want


_OPERATIONS = {"create": _create, "update": _update, "cr": _resource, "yaml": _yaml}


def _texts(found: Iterable[Diagnostic], kind: str) -> set[str]:
    return {_plain(d.message) for d in found if d.origin == "apiserver" and d.kind == kind}


def _without_headline(found: Iterable[Diagnostic]) -> list[str]:
    """Return the findings whose headline names no field, key, value or function, or is too long."""
    return [
        f"{d.rule}: {d.headline!r}"
        for d in found
        if len(d.headline) > 90 or not re.search('[`"]|the object', d.headline)
    ]


def _errors(expect: Answer) -> set[str]:
    return {_plain(error["string"]) for error in expect.get("errors", [])}


def _plain(text: str) -> str:
    return re.sub(r"selfType[0-9]*", "selfType", text)  # upstream names the type of self after the clock


def _strict(errors: Iterable[str]) -> Iterator[str]:
    """Yield one text a duplicate key: the server's YAML decoder puts all of them into one."""
    for text in errors:
        yield from (line.strip() for line in text.removeprefix("yaml: unmarshal errors:\n").split("\n"))
