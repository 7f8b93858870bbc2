"""Execution of suites: objects are created and updated as in the server, and the results compared with the expected ones.

Upstream: openshift/api tests/generator.go; here crdlint's validation replaces the API server.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from crdlint.evaluation.evaluate import rules_of, run_rules
from crdlint.evaluation.source import ExpressionSource
from crdlint.evaluation.trace import reasons
from crdlint.golang.text import quote
from crdlint.kubecel.evaluation import MISSING, recorded
from crdlint.kubernetes.senders import sender_named
from crdlint.kubernetes.servers import OLDEST, Server
from crdlint.light import NamedTuple, dataclass, regex
from crdlint.linting.version_range import describe_versions
from crdlint.phrases import differing
from crdlint.resources.dump import dump
from crdlint.resources.objects import read_resource
from crdlint.resources.validation import NotDecodedError, ObjectResult
from crdlint.schema.client_side import as_created
from crdlint.schema.deep_equal import deep_copy, deep_equal
from crdlint.suites.crds import SuiteCRDs, Target, define, patched, reduced
from crdlint.suites.feature_gates import MissingCRDError
from crdlint.suites.patches import Patcher, PatchLimitError
from crdlint.suites.read import Case, Suite, SuiteError
from crdlint.typed.applied_objects import Manager
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from crdlint.kubecel.second_opinion import Disagreement, Tally
    from crdlint.resources.definitions import Definition


_NAME: Final = "test-x7k2p"
_CONTEXT: Final = 3  # the number of lines around each difference
# The number of lines of each side, because comparing takes quadratic time
_MOST_COMPARED: Final = 1000
_HUNK_START: Final = regex(r"(?<=[-+])[0-9]+")
# Fields that the server sets itself, and generated names.
_OF_THE_SERVER: Final = (
    "uid",
    "generation",
    "creationTimestamp",
    "resourceVersion",
    "managedFields",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "selfLink",
    "generateName",
    "name",
    "namespace",
)


@dataclass(frozen=True, slots=True)
class TestedCase:
    """The result of a test: lines about unexpected results, and about rules that cel-python evaluates to another one."""

    suite: Suite
    crd_file: str
    case: Case
    failure: tuple[str, ...] = ()
    disagreements: tuple[str, ...] = ()


class _FailedError(Exception):
    """A test's failure in lines; `in_oldest_words` are the same in the words of the oldest server, to compare servers."""

    def __init__(self, *lines: str, in_oldest_words: tuple[str, ...] = ()) -> None:
        super().__init__(*lines)
        self.lines = lines
        self.in_oldest_words = in_oldest_words or lines


def run_suite(
    suite: Suite,
    target: Target,
    files: SuiteCRDs,
    pattern: str = "",
    second_opinions: Tally | None = None,
) -> Iterator[TestedCase]:
    """Run the tests whose names contain `pattern` on one CRD of a suite; raise MissingCRDError or SuiteError.

    With `second_opinions`, which counts them, cel-python evaluates every rule as well. For a range of servers, each
    test is run for all of them.
    """
    definition, version = files.define(target, suite.version)
    patcher = Patcher()  # its limit is for the whole suite
    runners = [
        _Runner(definition.on(server), version, target, patcher)
        for server in definition.versions.servers
    ]
    *older, newest = runners
    for case in suite.cases:
        if pattern.lower() in case.name.lower():
            failures = [runner.run(case) for runner in older]
            with recorded() if second_opinions is not None else nullcontext(()) as evaluations:
                failures.append(newest.run(case))
            failure = _of_servers(failures, definition.versions.servers)
            disagreements: tuple[str, ...] = ()
            if second_opinions is not None:
                from crdlint.kubecel.second_opinion import compare

                disagreements = tuple(map(_line_of, compare(evaluations, second_opinions)))
            yield TestedCase(suite, target.file, case, failure, disagreements)


def _of_servers(failures: Sequence[_FailedError], servers: Sequence[Server]) -> tuple[str, ...]:
    """Return the lines of a test's failure; lines that depend on the server are grouped by version."""
    by_words: dict[tuple[str, ...], list[Server]] = {}
    for failure, server in zip(failures, servers, strict=True):
        by_words.setdefault(failure.in_oldest_words, []).append(server)
    if len(by_words) == 1:
        return failures[0].lines
    lines: list[str] = []
    for words, failing in by_words.items():
        if words:
            lines += (
                f"on Kubernetes {describe_versions(failing, servers)}:",
                *failures[servers.index(failing[0])].lines,
            )
    return tuple(lines)


def _line_of(disagreement: Disagreement) -> str:
    prefix = "" if disagreement.cause.self_path is None else f"{disagreement.cause.self_path}: "
    rule = " ".join(disagreement.cause.rule.rule.split())
    return f"{prefix}crdlint evaluates `{rule}` to {disagreement.ours}, cel-python to {disagreement.theirs}"


@dataclass(frozen=True, slots=True)
class _Runner:
    _definition: Definition
    _version: str
    _target: Target
    _patcher: Patcher

    def run(self, case: Case) -> _FailedError:
        """Run a test and return its failure, without lines if it passed."""
        try:
            if case.kind == "create":
                self._create(case)
            else:
                self._update(case)
        except _FailedError as failed:
            return failed
        except MissingCRDError as error:
            return _FailedError(*str(error).split("\n"))
        except PatchLimitError as error:
            raise SuiteError(str(error), case.line) from error
        return _FailedError()

    def _create(self, case: Case) -> None:
        sent, sender = self._object(case.initial, "initial"), sender_named(case.sender)
        expectation, what, error = "the object should be created", "the create", case.expected_error
        if not sender.applies:
            created = as_created(sent) if sender.drops_nulls else sent
            outcome = self._created(self._definition, created)
        else:
            self._match(sent)
            try:
                outcome = self._definition.validator(self._version).apply(sent)
            except NotDecodedError as rejection:
                _check_rejection(
                    (_Rejection(str(rejection)),),
                    expectation,
                    what,
                    error,
                )
                return
        if self._accepts(outcome, expectation, what, error):
            self._compare(outcome.resource, case.expected)

    def _accepts(
        self,
        outcome: ObjectResult,
        expectation: str,
        what: str = "",
        error: str = "",
        old: dict[str, Any] | None = None,
    ) -> bool:
        """Return whether an object is accepted, False if it is rejected with the expected `error`; else it is a failure."""
        try:
            return _check_rejection(
                self._rejection(outcome),
                expectation,
                what,
                error,
            )
        except _FailedError as failed:
            why = tuple(self._why(outcome, old))
            raise _FailedError(
                *failed.lines, *why, in_oldest_words=(*failed.in_oldest_words, *why)
            ) from None

    def _why(self, outcome: ObjectResult, old: dict[str, Any] | None) -> Iterator[str]:
        """Yield the values that decided the rules which reject an object, as `crdlint eval --rule` shows them."""
        schema = self._definition.validator(self._version).schema
        if schema is None or not any(error.cause is not None for error in outcome.errors):
            return
        source = ExpressionSource(
            self._definition.versions.newest,
            schema,
            name="",
            definition=self._definition,
            version=self._version,
            value=outcome.resource,
            old=MISSING if old is None else old,
        )
        for result in run_rules(source, list(rules_of(schema))):
            if result.message:
                yield f"  rule: {' '.join(result.rule.split())}"
                yield from (f"  why:  {line}" for line in reasons(result.why))

    def _update(self, case: Case) -> None:
        stored = self._initial(case)
        updated = self._object(case.updated, "updated")
        if isinstance(updated["metadata"], dict):
            updated["metadata"]["name"] = stored["metadata"]["name"]
        expectation = "the object should be updated"
        try:
            outcome = self._updated(case, updated, stored)
        except NotDecodedError as rejection:
            _check_rejection(
                (_Rejection(str(rejection)),),
                expectation,
                "the update",
                case.expected_error,
            )
            return
        if not self._accepts(
            outcome,
            expectation,
            "the update",
            case.expected_error,
            stored,
        ):
            return
        if updated.get("status") is not None:
            outcome = self._with_status(self._definition, updated["status"], outcome.resource)
            what = "the update of the status"
            if not self._accepts(
                outcome,
                "the status should be updated",
                what,
                case.expected_status_error,
            ):
                return
        elif case.expected_status_error:
            raise _FailedError(
                "`updated` has no status, whose update should be rejected; expected:",
                f"  {case.expected_status_error}",
            )
        self._compare(outcome.resource, case.expected)

    def _updated(self, case: Case, updated: dict[str, Any], stored: dict[str, Any]) -> ObjectResult:
        """Return the result of the update; raise NotDecodedError if server-side apply rejects the object unvalidated."""
        validator, sender = self._definition.validator(self._version), sender_named(case.sender)
        before = self._object(case.initial, "initial")
        if sender.drops_nulls:
            return _validated(
                partial(validator.patch, applied_before=before),
                updated,
                stored,
            )
        if not sender.applies:
            return _validated(validator.update, updated, stored)
        by = Manager(sender.manager, sender.forces)
        return validator.reapply(
            updated,
            stored,
            by,
            applied_before=before,
        )

    def _initial(self, case: Case) -> dict[str, Any]:
        initial = self._object(case.initial, "initial")
        definition = self._definition
        if case.patches:
            changed = patched(self._target, case.patches, self._patcher)
            crd, _ = reduced(changed, self._version)
            definition = define(
                crd,
                changed.file,
                definition.versions,
                has_patches=True,
            )
        outcome = self._created(definition, initial)
        self._accepts(outcome, "the initial object should be created")
        if initial.get("status") is not None:
            outcome = self._with_status(definition, initial["status"], outcome.resource)
            self._accepts(outcome, "the initial status should be updated")
        stored = outcome.resource
        if case.patches:
            outcome = _validated(self._definition.validator(self._version).update, stored, stored)
            self._accepts(
                outcome,
                "the initial object should be let pass, unchanged, by the CRD without patches",
            )
        return stored

    def _object(self, text: str, what: str) -> dict[str, Any]:
        document = parse_first(text)
        try:
            if document.error is not None:
                raise YAMLDecodeError(document.error.message)
            if document.root is None:
                raise YAMLDecodeError("it is empty")
            resource = read_resource(document.root)
        except YAMLDecodeError as error:
            raise _FailedError(f"`{what}` is no object: {error}") from error
        if resource.get("metadata") is None:
            resource["metadata"] = {}
        meta = resource["metadata"]
        if isinstance(meta, dict):
            meta.setdefault("generateName", "test-")
            meta["name"] = meta.get("name") or _NAME
            if self._definition.crd.spec.scope == "Namespaced":
                meta["namespace"] = "default"
            else:
                meta.pop("namespace", None)
        return resource

    def _created(self, definition: Definition, sent: dict[str, Any]) -> ObjectResult:
        self._match(sent)
        return _validated(definition.validator(self._version).create, sent)

    def _match(self, sent: dict[str, Any]) -> None:
        """Fail for an object whose kind or version the CRD does not serve."""
        spec = self._definition.crd.spec
        kind, api_version = sent.get("kind"), sent.get("apiVersion")
        if (kind, api_version) != (spec.names.kind, f"{spec.group}/{self._version}"):
            raise _FailedError(
                f"no matches for kind {quote(str(kind))} in version {quote(str(api_version))}"
            )

    def _with_status(
        self, definition: Definition, status: Any, stored: dict[str, Any]
    ) -> ObjectResult:
        return _validated(
            definition.validator(self._version).update_status, {**stored, "status": status}, stored
        )

    def _rejection(self, outcome: ObjectResult) -> tuple[_Rejection, ...]:
        """Return the server's rejection as it is and as servers before 1.36 print it, or an empty tuple."""
        if not outcome.errors:
            return ()
        spec = self._definition.crd.spec
        name = quote(outcome.resource["metadata"].get("name", ""))
        start = f"{spec.names.kind}.{spec.group} {name} is invalid: "
        # Suites may be older than the server.
        spellings = map(str, outcome.errors), (str(error.on(OLDEST)) for error in outcome.errors)
        return tuple(_Rejection(start, tuple(dict.fromkeys(texts))) for texts in spellings)

    def _compare(self, stored: dict[str, Any], expected: str) -> None:
        got = self._definition.validator(self._version).read(stored)
        if not expected.strip():
            missing = "there is no `expected`, and no expected error; the object that is stored:"
            raise _FailedError(missing, *dump(_own(got)))
        want = self._object(expected, "expected")
        if not deep_equal(_own(got), _own(want)):
            lines = _difference(list(dump(_own(want))), list(dump(_own(got))))
            raise _FailedError("the stored object is not as expected:", *lines)


class _Rejection(NamedTuple):
    """Why the API server rejects an object: its sentence, which `errors` end if there are any."""

    start: str
    errors: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the sentence of the server, which a suite expects a part of."""
        if len(self.errors) > 1:
            return f"{self.start}[{', '.join(self.errors)}]"
        return self.start + "".join(self.errors)

    def lines(self, label: str) -> tuple[str, ...]:
        """Return the sentence behind a label; of several errors, each has a line of its own."""
        if len(self.errors) < 2:
            return (f"{label}{self}",)
        indent = " " * len(label)
        return (
            f"{label}{self.start.rstrip()}",
            *(f"{indent}- {error}" for error in self.errors),
        )


def _check_rejection(
    rejections: Sequence[_Rejection],
    expectation: str,
    what: str,
    error: str,
) -> bool:
    """Return whether there is no rejection, False for one with the expected `error`; else it is a failure.

    `rejections` are the rejection as the server prints it and as the oldest server does, none for
    an accepted object.
    """
    if not error and not rejections:
        return True
    if not error:
        raise _FailedError(
            f"{expectation}, but:",
            *rejections[0].lines("  "),
            in_oldest_words=(expectation, str(rejections[-1])),
        )
    if not rejections:
        raise _FailedError(f"{what} should be rejected, but is accepted; expected:", f"  {error}")
    if not any(error in str(rejection) for rejection in rejections):
        raise _FailedError(
            f"{what} is rejected, but not with the expected error:",
            f"  expected: {error}",
            *rejections[0].lines("  got:      "),
            in_oldest_words=(what, str(rejections[-1])),
        )
    return False


def _validated(validate: Callable[..., ObjectResult], *objects: dict[str, Any]) -> ObjectResult:
    """Return the result of a validator for objects; an object that cannot be decoded is a failure."""
    try:
        return validate(*objects)
    except NotDecodedError as error:
        raise _FailedError(str(error)) from error


def _own(resource: dict[str, Any]) -> dict[str, Any]:
    """Return an object without the metadata that the server sets."""
    comparable: dict[str, Any] = deep_copy(resource)
    meta = comparable.get("metadata")
    if isinstance(meta, dict):
        for name in _OF_THE_SERVER:
            meta.pop(name, None)
        if not meta:
            del comparable["metadata"]
    return comparable


def _difference(want: list[str], got: list[str]) -> Iterator[str]:
    """Yield the unified diff of two texts; for long differing parts, only of their first lines."""
    same, lost, added = differing(want, got)
    first, most = max(same - _CONTEXT, 0), _MOST_COMPARED + 2 * _CONTEXT
    old, new = want[first : same + len(lost) + _CONTEXT], got[first : same + len(added) + _CONTEXT]
    for line in difflib.unified_diff(
        old[:most],
        new[:most],
        "expected",
        "got",
        n=_CONTEXT,
        lineterm="",
    ):
        yield (
            _HUNK_START.sub(lambda match: str(int(match[0]) + first), line)
            if line.startswith("@@")
            else line
        )
    left_out = sum(max(len(side) - most, 0) for side in (old, new))
    if left_out:
        yield f"... and {left_out:,} more lines are not compared"
