"""Evaluation of rules on objects. Upstream: apiextensions pkg/apiserver/schema/cel/validation.go.

The rules of a schema are compiled once into a tree of `RuleValidator`s. The cost of each evaluation is subtracted from a budget.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import field
from functools import cache, partial
from typing import Any, Final, NoReturn

from crdlint.cel.errors import COST_LIMIT_EXCEEDED, NO_SUCH_KEY, NO_SUCH_OVERLOAD, Error, PlanError
from crdlint.cel.eval.program import Evaluated, Program
from crdlint.cel.eval.values import NONE, Optional_
from crdlint.crd import errors
from crdlint.crd.errors import INVALID, BrokenRule, Code, FieldError, Reason
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.crd.paths import NIL, Key, Path
from crdlint.golang.text import SPACE, quote
from crdlint.kubecel.compilation import (
    CompilationError,
    CompiledRule,
    Environments,
    Expression,
    RuleCompiler,
)
from crdlint.kubecel.cost import PER_CALL_LIMIT
from crdlint.kubecel.declarations import Declarer, DeclType, escape
from crdlint.kubecel.environment import program_of, stored_expressions
from crdlint.kubecel.sharing import Sharing, shared
from crdlint.kubecel.values import to_value
from crdlint.kubernetes.servers import Server
from crdlint.light import NamedTuple, dataclass
from crdlint.safety.work import WorkLimitError, run_calls
from crdlint.schema.correlation import Correlation, item_key, items_by_key
from crdlint.schema.traversal import rule_search

_Building = Generator["_Building", "RuleValidator | None", "RuleValidator | None"]

_MAX_MESSAGE: Final = 5 * 1024  # bytes
_NO_BUDGET: Final = (
    "validation failed due to running out of cost budget, no further validation rules will be run"
)
_ARGUMENTS: Final = (
    "call arguments did not match a supported operator, function or macro signature for rule"
)
# Represents an absent old value, since null is a value.
MISSING: Final = object()

_KINDS: Final = {
    "FieldValueForbidden": errors.FORBIDDEN,
    "FieldValueRequired": errors.REQUIRED,
    "FieldValueDuplicate": errors.DUPLICATE,
}


class OutOfBudgetError(Exception):
    """The budget is exhausted, or the work limit is exceeded: no more rules are evaluated."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The evaluation of a rule: its variables, its result and the position of the rule."""

    compiled: CompiledRule
    variables: Mapping[str, Any]
    result: Evaluated
    cause: BrokenRule


_RECORD: Final[ContextVar[list[Evaluation] | None]] = ContextVar("record", default=None)


@contextmanager
def recorded() -> Iterator[list[Evaluation]]:
    """Collect all evaluations of rules within the context in a list."""
    record: list[Evaluation] = []
    token = _RECORD.set(record)
    try:
        yield record
    finally:
        _RECORD.reset(token)


@dataclass(slots=True)
class Run:
    """One validation.

    `rule_id`: the rule id under which errors are reported.
    `budget`: the remaining budget (cost units).
    `errors`: the errors so far.
    `warnings`: the errors that ratcheting allows.
    `record`: the evaluations so far, None if they are not recorded.
    """

    rule_id: str
    budget: int
    errors: list[FieldError] = field(default_factory=list)
    warnings: list[FieldError] = field(default_factory=list)
    record: list[Evaluation] | None = field(default_factory=_RECORD.get)

    def spend(self, cost: int) -> bool:
        """Subtract a cost from the budget; return False if the budget is too small."""
        if cost > self.budget:
            return False
        self.budget -= cost
        return True

    def note(self, evaluation: Evaluation) -> None:
        """Add an evaluation to the record, if there is one and the evaluation was not cancelled."""
        error = evaluation.result.error
        if self.record is not None and (error is None or not error.startswith(COST_LIMIT_EXCEEDED)):
            self.record.append(evaluation)


@dataclass(frozen=True, slots=True)
class ReadyRule:
    """A rule with its programs."""

    rule: ValidationRule
    compiled: CompiledRule
    program: Program | None
    message: Program | None

    def cause(self, type_: str, path: Path | None) -> BrokenRule:
        """Return the cause for errors of the rule on a value of type `type_` at `path`."""
        return BrokenRule(
            self.rule,
            type_,
            path,
            self.compiled.rule.compiled.expr,
        )


@dataclass(slots=True)
class RuleValidator:
    """The rules of a schema and its subschemas.

    `schema`: the schema of the values.
    `is_root`: whether they are whole resources.
    `rules`: compiles the rules when it is first called, because most values reach few rules; None without any.
    `items`, `additional`, `properties`: the validators of the parts of values.
    `all_of`: the validators of the schemas in `allOf`.
    """

    schema: JSONSchemaProps
    is_root: bool
    rules: Callable[[], tuple[ReadyRule, ...]] | None = None
    items: RuleValidator | None = None
    additional: RuleValidator | None = None
    properties: Mapping[str, RuleValidator] = field(default_factory=dict)
    all_of: tuple[RuleValidator, ...] = ()
    _programs: dict[int, Program | None] | None = None  # by the identity of their rules

    def program_of(self, rule: ValidationRule) -> Program | None:
        """Return the program of one of the rules of the schema itself, None if it has none."""
        if self._programs is None:
            self._programs = {}
            with suppress(CompilationError):
                self._programs = {
                    id(ready.rule): ready.program for ready in (self.rules() if self.rules else ())
                }
        return self._programs.get(id(rule))


class RuleValidators:
    """Compiles the rules of schemas that share subschemas, each subschema once."""

    def __init__(self, server: Server, sharing: Sharing | None = None) -> None:
        """Compile rules with the environment of `server` for stored expressions."""
        self.environment: Final = stored_expressions(server)
        # The expressions that values have needed so far.
        self.expressions: Final[list[Expression]] = []
        self._declarer = Declarer(server.cel, sharing or shared())
        self._made: dict[tuple[int, int, int, bool], RuleValidator | None] = {}
        self._search: Final = rule_search()

    def of(self, schema: JSONSchemaProps, *, is_root: bool = True) -> RuleValidator | None:
        """Return the validator of a schema, or None if neither it nor a subschema has rules."""
        if not self._search.finds(schema):
            return None
        declared = self._declarer.declare(schema, is_resource=is_root)
        return run_calls(self._validator(schema, schema, declared, is_root=is_root))

    def _validator(
        self,
        rules_of: JSONSchemaProps,
        schema: JSONSchemaProps,
        declared: DeclType | None,
        *,
        is_root: bool,
    ) -> _Building:
        """Compile the rules of `rules_of` for the values of `schema`; in allOf these differ."""
        key = (id(rules_of), id(schema), id(declared), is_root)
        if key not in self._made:
            self._made[key] = yield self._new(rules_of, schema, declared, is_root=is_root)
        return self._made[key]

    def _new(
        self,
        rules_of: JSONSchemaProps,
        schema: JSONSchemaProps,
        declared: DeclType | None,
        *,
        is_root: bool,
    ) -> _Building:
        compiled = partial(self._compiled, rules_of, declared)
        rules = cache(compiled) if rules_of.x_validations else None
        elem = declared and declared.elem
        items = yield self._below(rules_of.item_schema, schema.item_schema, elem)
        additional = yield self._below(rules_of.additional_schema, schema.additional_schema, elem)
        properties: dict[str, RuleValidator] = {}
        for name, inner in rules_of.properties.items():
            validator = yield self._of_property(name, inner, schema, declared)
            if validator is not None:
                properties[name] = validator
        all_of: list[RuleValidator] = []
        for branch in rules_of.all_of:
            validator = yield self._validator(branch, schema, declared, is_root=is_root)
            if validator is not None:
                all_of.append(validator)
        has_rules = rules or items or additional or properties or all_of
        if not has_rules:
            return None
        return RuleValidator(
            schema,
            is_root,
            rules,
            items,
            additional,
            properties,
            tuple(all_of),
        )

    def _of_property(
        self,
        name: str,
        rules_of: JSONSchemaProps,
        parent: JSONSchemaProps,
        declared: DeclType | None,
    ) -> _Building:
        """Return the validator of a property, None if CEL has no type for it."""
        schema = parent.properties.get(name)
        type_ = None if schema is None else self._type_of_property(name, schema, declared)
        if type_ is None:
            return None
        return (yield self._below(rules_of, schema, type_))

    def _below(
        self,
        rules_of: JSONSchemaProps | None,
        schema: JSONSchemaProps | None,
        declared: DeclType | None,
    ) -> _Building:
        """Return the validator of a subschema, if both the one with the rules and that of the value are there."""
        if rules_of is None or schema is None:
            return None
        is_root = schema.x_embedded_resource
        return (yield self._validator(rules_of, schema, declared, is_root=is_root))

    def _type_of_property(
        self, name: str, schema: JSONSchemaProps, declared: DeclType | None
    ) -> DeclType | None:
        """Return the type of a property; one whose name CEL cannot have is not in that of its parent."""
        escaped = escape(name)
        if escaped is None:
            return self._declarer.declare(schema, is_resource=schema.x_embedded_resource)
        return declared and declared.below(escaped)

    def _compiled(
        self, schema: JSONSchemaProps, declared: DeclType | None
    ) -> tuple[ReadyRule, ...]:
        """Return the rules of a schema with their programs; rules without text are reported by another rule."""
        compiler = RuleCompiler(declared, self._declarer.sharing)
        environments = Environments(self.environment, self.environment)
        ready = []
        for rule in schema.x_validations:
            if rule.rule.strip(SPACE):
                compiled = compiler.rule(rule, environments)
                self.expressions.extend(each for _, each in compiled.expressions())
                programs = program(compiled.rule), program(compiled.message)
                ready.append(ReadyRule(rule, compiled, *programs))
        return tuple(ready)


def program(expression: Expression | None) -> Program | None:
    """Return the program of an expression, or None if it has an error."""
    if expression is None or expression.error is not None:
        return None
    try:
        return program_of(expression.compiled, expression.environment)
    except PlanError:
        return None


@dataclass(frozen=True, slots=True)
class Ratcheting:
    """The old value and that of its parent, by which errors of an unchanged value are only warnings."""

    current: Correlation | None = None
    parent: Correlation | None = None

    def below(self, step: str | int) -> Ratcheting:
        """Return the state for a child of the value, by its key or index."""
        if self.current is None:
            return self
        if self.parent is None and step in ("apiVersion", "kind"):
            return Ratcheting()
        child = self.current.key(step) if isinstance(step, str) else self.current.index(step)
        return Ratcheting(child, self.current)


class _Visit(NamedTuple):
    """A value to validate, its path (None for the root), its old value, and the state of ratcheting."""

    validator: RuleValidator
    path: Path | None
    value: Any
    old: Any
    state: Ratcheting


def validate_rules(
    validator: RuleValidator | None,
    run: Run,
    path: Path | None,
    value: Any,
    old: Any,
    ratcheting: Ratcheting | None = None,
) -> None:
    """Run all rules on a value and its children; `old` is `MISSING` on create. Raise `OutOfBudgetError`."""
    if validator is None:
        return
    # Iterators instead of recursion, because values may be deeply nested.
    pending = [iter((_Visit(validator, path, value, old, ratcheting or Ratcheting()),))]
    try:
        while pending:
            visit = next(pending[-1], None)
            if visit is None:
                pending.pop()
                continue
            path = visit.path
            if visit.value is not None:
                _RulesOfValue(visit, run).run()
                pending.append(_below(visit))
    except WorkLimitError as limit:
        run.errors.append(errors.not_evaluated(path or NIL, limit))
        raise OutOfBudgetError from None


def _below(visit: _Visit) -> Iterator[_Visit]:
    """Yield the children to visit after a value, in upstream's order."""
    parent_only = Ratcheting(None, visit.state.parent)
    for branch in visit.validator.all_of:
        yield visit._replace(validator=branch, state=parent_only)
    if isinstance(visit.value, list):
        yield from _items_below(visit, visit.value)
    elif isinstance(visit.value, dict):
        yield from _fields_below(visit, visit.value)


def _items_below(visit: _Visit, value: list[Any]) -> Iterator[_Visit]:
    validator, path, _, old, state = visit
    if validator.items is None:
        return
    before = items_by_key(validator.schema, old)
    for i, item in enumerate(value):
        key = item_key(validator.schema, item) if before else None
        was = before.get(key, MISSING)
        yield _Visit(
            validator.items,
            Path(i, path),
            item,
            was,
            state.below(i),
        )


def _fields_below(visit: _Visit, value: dict[str, Any]) -> Iterator[_Visit]:
    validator, path, _, old, state = visit
    is_map = validator.schema.x_map_type in (None, "granular", "atomic")
    before = old if is_map and isinstance(old, dict) else {}

    def below(name: str, step: str | Key, inner: RuleValidator) -> _Visit:
        was = before.get(name, MISSING)
        return _Visit(
            inner,
            Path(step, path),
            value[name],
            was,
            state.below(name),
        )

    if validator.additional is not None:
        for name in value:
            yield below(name, Key(name), validator.additional)
    for name in filter(validator.properties.__contains__, value):
        yield below(name, name, validator.properties[name])


class _Variables(NamedTuple):
    """What rules see: by name, and for rules with `optionalOldSelf`; whether there is an old value."""

    plain: dict[str, Any]
    optional: dict[str, Any]
    has_old: bool


class _RulesOfValue:
    """The rules of one schema, run on one value in their order."""

    __slots__ = ("_path", "_run", "_schema", "_visit")

    def __init__(self, visit: _Visit, run: Run) -> None:
        self._visit: Final = visit
        self._run: Final = run
        self._schema: Final = visit.validator.schema
        # That of errors: a rule with `fieldPath` may move it for those after it.
        self._path = visit.path

    def run(self) -> None:
        """Run all rules; raise OutOfBudgetError where the budget ends."""
        rules = self._compiled()
        if not rules:
            return
        if self._run.budget <= 0:
            self._stop()
        variables = self._variables(rules)
        for rule in rules:
            if rule.compiled.rule.error is not None:
                self._invalid(
                    f"rule compile error: {rule.compiled.rule.error}",
                    BrokenRule(rule.rule, self._schema.type, self._path),
                    Reason(Code.RULE_FAILED, (rule.compiled.rule, self._schema)),
                )
            elif rule.program is not None and _can_run(rule, variables):
                self._evaluate(rule, rule.program, variables)

    def _compiled(self) -> tuple[ReadyRule, ...]:
        rules = self._visit.validator.rules
        if rules is None:
            return ()
        try:
            return rules()
        except CompilationError as error:
            self._invalid(f"rule compiler initialization error: {error}")
            return ()

    def _variables(self, rules: tuple[ReadyRule, ...]) -> _Variables:
        old = self._visit.old
        has_old = old is not MISSING and old is not None
        plain = {"self": self._to_value(self._visit.value)}
        optional = dict(plain)
        if any(rule.compiled.uses_old_self for rule in rules):
            optional["oldSelf"] = NONE
            if has_old:
                plain["oldSelf"] = self._to_value(old)
                optional["oldSelf"] = Optional_(_readapted(plain["oldSelf"]))
        return _Variables(plain, optional, has_old)

    def _to_value(self, value: Any) -> Any:
        return to_value(value, self._schema, is_resource=self._visit.validator.is_root)

    def _evaluate(self, rule: ReadyRule, program: Program, variables: _Variables) -> None:
        bindings = variables.optional if rule.rule.optional_old_self else variables.plain
        result = program.evaluate(bindings, PER_CALL_LIMIT)
        if self._run.record is not None:
            cause = rule.cause(self._schema.type, self._path)
            self._run.note(Evaluation(rule.compiled, bindings, result, cause))
        if not self._run.spend(result.cost):
            self._stop()
        if result.value is True:
            return
        if result.error is not None:
            self._failed_to_evaluate(rule, result.error)
        else:
            visit = self._visit._replace(path=self._path)
            self._path = _failed(rule, visit, self._run, variables.plain)

    def _failed_to_evaluate(self, rule: ReadyRule, error: str) -> None:
        detail, reason = _explained(error, rule.rule)
        self._invalid(detail, rule.cause(self._schema.type, self._path), reason)
        if error.startswith(COST_LIMIT_EXCEEDED):
            raise OutOfBudgetError

    def _stop(self) -> NoReturn:
        self._invalid(_NO_BUDGET)
        raise OutOfBudgetError

    def _invalid(
        self, detail: str, cause: BrokenRule | None = None, reason: Reason | None = None
    ) -> None:
        path, type_ = self._path or NIL, self._schema.type
        error = FieldError(
            self._run.rule_id,
            INVALID,
            path,
            type_,
            detail,
            cause=cause,
            reason=reason,
        )
        self._run.errors.append(error)


def _can_run(rule: ReadyRule, variables: _Variables) -> bool:
    """Return whether a rule has what it needs: one about the old value is skipped without it."""
    if variables.has_old or not rule.compiled.uses_old_self:
        return True
    dialect = rule.compiled.rule.environment.dialect
    return bool(rule.rule.optional_old_self) and dialect.runs_optional_rules_on_create


def breaks(
    validator: RuleValidator | None,
    rule: ValidationRule,
    value: Any,
    limit: int,
    *,
    is_kept: bool = False,
) -> bool:
    """Return whether a new value breaks one of the rules of its schema, which is found out within a limit of costs.

    `is_kept` means that the old value is the same one.
    """
    program = None if validator is None else validator.program_of(rule)
    if validator is None or program is None:
        return False
    current = to_value(value, validator.schema, is_resource=validator.is_root)
    variables = {"self": current, "oldSelf": NONE}
    if is_kept:
        variables["oldSelf"] = Optional_(_readapted(current)) if rule.optional_old_self else current
    result = program.evaluate(variables, limit)
    return result.value is not True and not (result.error or "").startswith(COST_LIMIT_EXCEEDED)


def _readapted(value: Any) -> Any:
    """Return the content of an optional variable after cel-go unwraps and converts it again, which changes errors."""
    if type(value) is Error:
        return Error(f"unsupported conversion to ref.Val: (*errors.errorString){value.message}")
    return value


def _explained(problem: str, rule: ValidationRule) -> tuple[str, Reason | None]:
    """Return the message for a rule whose evaluation fails, and the reason; upstream distinguishes errors by their text."""
    named = (rule.message or rule.rule).strip(SPACE)
    failed = Reason(Code.EVALUATION_FAILED, (problem,))
    if problem.startswith(NO_SUCH_OVERLOAD):
        return f"'{problem}': {_ARGUMENTS}: {named}", failed
    if problem.startswith(COST_LIMIT_EXCEEDED):
        stopped = "no further validation rules will be run due to call cost exceeds limit for rule"
        return f"'{problem}': {stopped}: {named}", Reason(Code.OUT_OF_BUDGET)
    key = problem.removeprefix(NO_SUCH_KEY)
    is_key = key != problem and " " not in key
    return f"{problem} evaluating rule: {named}", Reason(Code.NO_KEY, (key,)) if is_key else failed


def _failed(
    ready: ReadyRule,
    visit: _Visit,
    run: Run,
    variables: dict[str, Any],
) -> Path | None:
    """Add the error of a rule that evaluates to false; return the path for the rules after it."""
    rule, schema, path = ready.rule, visit.validator.schema, visit.path
    if rule.field_path:
        from crdlint.schema.json_paths import FieldPathError, valid_field_path

        with suppress(FieldPathError):
            path = Path(str(valid_field_path(rule.field_path, schema)[0]), path)

    def failure(
        kind: str,
        shown: Any,
        detail: str,
        reason: Reason | None = None,
    ) -> FieldError:
        cause = ready.cause(schema.type, visit.path)
        return FieldError(
            run.rule_id,
            kind,
            path or NIL,
            shown,
            detail,
            cause=cause,
            reason=reason,
        )

    reports = run.warnings if _is_ratcheted(ready, visit) else run.errors
    try:
        detail = _message(ready, run, variables)
    except OutOfBudgetError as out:
        reports.append(
            failure(
                INVALID,
                schema.type,
                str(out),
                Reason(Code.OUT_OF_BUDGET),
            )
        )
        raise
    kind = _KINDS.get(rule.reason or "", INVALID)
    if kind is errors.DUPLICATE:
        detail = ""
    shown = errors.OMITTED if schema.type in ("object", "array") else visit.value
    reports.append(failure(kind, shown, detail))
    return visit.path if ready.compiled.rule.environment.dialect.resets_field_path else path


def _is_ratcheted(ready: ReadyRule, visit: _Visit) -> bool:
    """Return whether a rule may fail, because the value is as it was, and so was the result."""
    if ready.compiled.uses_old_self:
        return False
    nearest = visit.state.current or visit.state.parent
    return nearest is not None and nearest.equal()


def _message(ready: ReadyRule, run: Run, variables: dict[str, Any]) -> str:
    """Return the message of a rule that evaluates to false; raise OutOfBudgetError if its expression costs too much."""
    rule = ready.rule
    message = (
        "" if ready.message is None else _evaluated_message(ready.message, rule, run, variables)
    )
    if _is_shown(message):
        return message
    named = (rule.message or rule.rule).strip(SPACE)
    return named if rule.message else f"failed rule: {named}"


def _evaluated_message(
    program: Program,
    rule: ValidationRule,
    run: Run,
    variables: dict[str, Any],
) -> str:
    """Return the value of a messageExpression, empty for an error; raise OutOfBudgetError."""
    result = program.evaluate(variables, PER_CALL_LIMIT)
    if not run.spend(result.cost):
        raise OutOfBudgetError(
            "messageExpression evaluation failed due to running out of cost budget,"
            " no further validation rules will be run"
        )
    if (result.error or "").startswith(COST_LIMIT_EXCEEDED):
        limit = "no further validation rules will be run due to call cost exceeds limit for messageExpression"
        raise OutOfBudgetError(f"{limit}: {quote(rule.message_expression)}")
    return result.value.strip(SPACE) if isinstance(result.value, str) else ""


def _is_shown(message: str) -> bool:
    """Return whether the server shows the result of a messageExpression: one line that is not too long."""
    size = len(message.encode("utf-8", "surrogatepass"))
    return 0 < size <= _MAX_MESSAGE and "\n" not in message
