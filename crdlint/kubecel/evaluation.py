"""Rules run on objects (apiextensions pkg/apiserver/schema/cel/validation.go).

A schema's rules are compiled once into a tree of `RuleValidator`s; each evaluation's cost is taken off a budget.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.eval.errors import COST_LIMIT_EXCEEDED, NO_SUCH_KEY, NO_SUCH_OVERLOAD, Error, PlanError
from crdlint.cel.eval.values import NONE, Optional_
from crdlint.crd.errors import DUPLICATE, FORBIDDEN, INVALID, OMITTED, REQUIRED, Cause, FieldError, not_evaluated
from crdlint.crd.reasons import Code, Reason
from crdlint.golang.text import SPACE
from crdlint.kubecel import programs
from crdlint.kubecel.compilation import Environments, RuleCompiler
from crdlint.kubecel.declarations import Declarer
from crdlint.kubecel.environment import stored_expressions
from crdlint.kubecel.escaping import escape
from crdlint.kubecel.limits import PER_CALL_LIMIT
from crdlint.kubecel.sharing import shared
from crdlint.kubecel.values import to_value
from crdlint.safety import calls
from crdlint.safety.work import WorkLimitError
from crdlint.schema.correlation import item_key, items_by_key
from crdlint.schema.fieldpath import FieldPathError, valid_field_path
from crdlint.schema.nil_paths import child, index, key, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from crdlint.cel.eval.program import Program, Result
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
    from crdlint.crd.paths import Path
    from crdlint.kubecel.compilation import CompiledRule, Expression
    from crdlint.kubecel.declarations import DeclType
    from crdlint.kubecel.environment import Environment
    from crdlint.kubecel.sharing import Sharing
    from crdlint.kubernetes.servers import Server
    from crdlint.schema.correlation import Correlation

    _Building = Generator["_Building", "RuleValidator | None", "RuleValidator | None"]
    # A validator, the path of a value (None for the root's), the value, its old one, and whether errors are let pass.
    _Visit = tuple["RuleValidator", Path | None, Any, Any, "Ratcheting"]

_MAX_MESSAGE: Final = 5 * 1024  # bytes
_NO_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"
_ARGUMENTS: Final = "call arguments did not match a supported operator, function or macro signature for rule"
# In place of an absent old value; null is a value.
MISSING: Final = object()


class OutOfBudgetError(Exception):
    """The budget is spent, or cannot be counted: no more rules are run."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A rule evaluated with variables, its result, and the place of it."""

    compiled: CompiledRule
    variables: Mapping[str, Any]
    result: Result
    cause: Cause


_RECORD: Final[ContextVar[list[Evaluation] | None]] = ContextVar("record", default=None)


@contextmanager
def recorded() -> Iterator[list[Evaluation]]:
    """Collect the evaluations of rules within in a list."""
    record: list[Evaluation] = []
    token = _RECORD.set(record)
    try:
        yield record
    finally:
        _RECORD.reset(token)


@dataclass(slots=True)
class Run:
    """One validation: what is left of the budget (cost units), what has been found, and under which rule of crdlint."""

    rule_id: str
    budget: int
    errors: list[FieldError] = field(default_factory=list)
    warnings: list[FieldError] = field(default_factory=list)
    record: list[Evaluation] | None = field(default_factory=_RECORD.get)

    def spend(self, cost: int) -> bool:
        """Take a cost off the budget; return False if the budget is too small."""
        if cost > self.budget:
            return False
        self.budget -= cost
        return True

    def note(self, evaluation: Evaluation) -> None:
        """Add an evaluation to the record, if there is one and the evaluation came to its end."""
        error = evaluation.result.error
        if self.record is not None and (error is None or not error.startswith(COST_LIMIT_EXCEEDED)):
            self.record.append(evaluation)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A rule with its programs."""

    rule: ValidationRule
    compiled: CompiledRule
    program: Program | None
    message: Program | None

    def cause(self, type_: str, path: Path | None) -> Cause:
        """Return the cause of an error of the rule on a value of a type at a path."""
        return Cause(self.rule, type_, path, self.compiled.rule.compiled.expr)


@dataclass(slots=True)
class _Rules:
    """The rules of one schema, compiled when a value first needs them: most values reach few of a schema's rules."""

    schema: JSONSchemaProps
    declared: DeclType
    environment: Environment
    sharing: Sharing
    _ready: tuple[_Ready, ...] | None = None

    def ready(self) -> tuple[_Ready, ...]:
        """Return the rules with their programs."""
        if self._ready is None:
            self._ready = _compiled(self.schema, self.declared, self.environment, self.sharing)
        return self._ready


@dataclass(slots=True)
class RuleValidator:
    """The rules of a schema and of the schemas below it."""

    schema: JSONSchemaProps
    is_root: bool
    rules: _Rules | None = None
    compilation_error: str | None = None
    items: RuleValidator | None = None
    additional: RuleValidator | None = None
    properties: Mapping[str, RuleValidator] = field(default_factory=dict)
    all_of: tuple[RuleValidator, ...] = ()


def rule_validator(schema: JSONSchemaProps, server: Server, *, is_root: bool) -> RuleValidator | None:
    """Compile the rules of a schema as stored on a server, None where it has none."""
    return RuleValidators(server).of(schema, is_root=is_root)


class RuleValidators:
    """Compiles the rules of schemas that are parts of each other, each once."""

    def __init__(self, server: Server) -> None:
        """Take the server whose environment for stored expressions the rules are compiled with."""
        self._environment = stored_expressions(server)
        self._declarer = Declarer(server.cel, shared())
        self._made: dict[tuple[int, int, int, bool], RuleValidator | None] = {}
        # By identity: whether rules are in a schema or below it.
        self._has_rules: dict[int, bool] = {}

    def of(self, schema: JSONSchemaProps, *, is_root: bool) -> RuleValidator | None:
        """Return the validator of a schema, None where neither it nor a schema below it has rules."""
        if not self._has(schema):
            return None
        declared = self._declarer.declare(schema, is_resource=is_root)
        return calls.run(self._validator(schema, schema, declared, is_root=is_root))

    def _has(self, schema: JSONSchemaProps) -> bool:
        known = self._has_rules
        stack = [schema]
        while stack:
            one = stack[-1]
            below = _schemas_below(one)
            missing = [] if id(one) in known else [child for child in below if id(child) not in known]
            if missing:
                stack.extend(missing)
            else:
                stack.pop()
                known[id(one)] = bool(one.x_validations) or any(known[id(child)] for child in below)
        return known[id(schema)]

    def _validator(
        self, rules_of: JSONSchemaProps, schema: JSONSchemaProps, declared: DeclType | None, *, is_root: bool
    ) -> _Building:
        """Compile the rules that one schema gives for the values of another (in allOf they differ)."""
        key = (id(rules_of), id(schema), id(declared), is_root)
        if key not in self._made:
            self._made[key] = yield self._new(rules_of, schema, declared, is_root=is_root)
        return self._made[key]

    def _new(
        self, rules_of: JSONSchemaProps, schema: JSONSchemaProps, declared: DeclType | None, *, is_root: bool
    ) -> _Building:
        rules = error = None
        if rules_of.x_validations:
            if declared is None:
                error = "failed to convert to declType for CEL validation rules"
            else:
                rules = _Rules(rules_of, declared, self._environment, self._declarer.sharing)
        elem = None if declared is None else declared.elem
        items = additional = None
        inner = None if rules_of.items is None else rules_of.items.schema
        node = None if schema.items is None else schema.items.schema
        if inner is not None and node is not None:
            items = yield self._validator(inner, node, elem, is_root=node.x_embedded_resource)
        inner = None if rules_of.additional_properties is None else rules_of.additional_properties.schema
        node = None if schema.additional_properties is None else schema.additional_properties.schema
        if inner is not None and node is not None:
            additional = yield self._validator(inner, node, elem, is_root=node.x_embedded_resource)
        properties: dict[str, RuleValidator] = {}
        for name, given in rules_of.properties.items():
            node = schema.properties.get(name)
            if node is None:
                continue
            type_ = _type_of_field(name, node, declared, self._declarer)
            if type_ is None:
                continue
            below = yield self._validator(given, node, type_, is_root=node.x_embedded_resource)
            if below is not None:
                properties[name] = below
        all_of = []
        for one in rules_of.all_of:
            all_of.append((yield self._validator(one, schema, declared, is_root=is_root)))  # noqa: PERF401  it yields
        made = RuleValidator(
            schema,
            is_root,
            rules,
            error,
            items,
            additional,
            properties,
            tuple(one for one in all_of if one is not None),
        )
        empty = not (rules or error or items or additional or properties or made.all_of)
        return None if empty else made


def _schemas_below(schema: JSONSchemaProps) -> list[JSONSchemaProps]:
    """Return the schemas of the values right below a schema's."""
    found = list(schema.properties.values())
    if schema.items is not None and schema.items.schema is not None:
        found.append(schema.items.schema)
    if schema.additional_properties is not None and schema.additional_properties.schema is not None:
        found.append(schema.additional_properties.schema)
    return found


def _type_of_field(
    name: str, schema: JSONSchemaProps, declared: DeclType | None, declarer: Declarer
) -> DeclType | None:
    escaped = escape(name)
    if escaped is None:
        return declarer.declare(schema, is_resource=schema.x_embedded_resource)
    member = None if declared is None else (declared.fields or {}).get(escaped)
    return None if member is None else member.type


def _compiled(
    schema: JSONSchemaProps, declared: DeclType, environment: Environment, sharing: Sharing
) -> tuple[_Ready, ...]:
    compiler = RuleCompiler(declared, sharing)
    found = []
    for rule in schema.x_validations:
        if not rule.rule.strip(SPACE):  # reported elsewhere
            continue
        compiled = compiler.rule(rule, Environments(environment, environment))
        found.append(_Ready(rule, compiled, program(compiled.rule), program(compiled.message)))
    return tuple(found)


def program(expression: Expression | None) -> Program | None:
    """Return the program of an expression, None for one with an error."""
    if expression is None or expression.error is not None:
        return None
    try:
        return programs.program(expression.compiled, expression.environment)
    except PlanError:
        return None


@dataclass(frozen=True, slots=True)
class Ratcheting:
    """Whether errors about a value that has not changed are only warned of."""

    current: Correlation | None = None
    parent: Correlation | None = None

    def lets_pass(self) -> bool:
        """Tell whether the value, or where that has no old one what encloses it, is as it was."""
        nearest = self.current or self.parent
        return nearest is not None and nearest.equal()

    def below(self, find: Callable[[Correlation], Correlation | None], name: str = "") -> Ratcheting:
        """Return the state for a part of the value."""
        if self.current is None:
            return self
        if self.parent is None and name in ("apiVersion", "kind"):
            return Ratcheting()
        return Ratcheting(find(self.current), self.current)


def validate_rules(
    validator: RuleValidator | None,
    run: Run,
    path: Path | None,
    value: Any,
    old: Any,
    ratcheting: Ratcheting | None = None,
) -> None:
    """Run all rules on a value, and on what is below it; raises `OutOfBudgetError`. ``old`` is `MISSING` on create."""
    if validator is None:
        return
    # Iterators rather than calls within calls: values nest deep.
    pending: list[Iterator[_Visit]] = [iter(((validator, path, value, old, ratcheting or Ratcheting()),))]
    try:
        while pending:
            visit = next(pending[-1], None)
            if visit is None:
                pending.pop()
                continue
            validator, path, value, old, state = visit
            if value is not None:
                _expressions(validator, run, path, value, old, state)
                pending.append(_below(validator, path, value, old, state))
    except WorkLimitError as limit:
        run.errors.append(not_evaluated(printable(path), limit))
        raise OutOfBudgetError from None


def _below(validator: RuleValidator, path: Path | None, value: Any, old: Any, state: Ratcheting) -> Iterator[_Visit]:
    """Yield what is to be visited after a value, in upstream's order."""
    for one in validator.all_of:
        yield one, path, value, old, Ratcheting(None, state.parent)
    if isinstance(value, list):
        yield from _items(validator, path, value, old, state)
    elif isinstance(value, dict):
        yield from _entries(validator, path, value, old, state)


def _entries(
    validator: RuleValidator, path: Path | None, value: dict[str, Any], old: Any, state: Ratcheting
) -> Iterator[_Visit]:
    before = old if isinstance(old, dict) and validator.schema.x_map_type in (None, "granular", "atomic") else {}
    if validator.additional is not None:
        for name, held in value.items():
            at = key(path, name)
            below = state.below(lambda one, name=name: one.key(name), name)  # type: ignore[misc]
            yield validator.additional, at, held, before.get(name, MISSING), below
    for name, held in value.items():
        inner = validator.properties.get(name)
        if inner is not None:
            at = child(path, name)
            below = state.below(lambda one, name=name: one.key(name), name)  # type: ignore[misc]
            yield inner, at, held, before.get(name, MISSING), below


def _items(
    validator: RuleValidator, path: Path | None, value: list[Any], old: Any, state: Ratcheting
) -> Iterator[_Visit]:
    if validator.items is None:
        return
    schema = validator.schema
    before = items_by_key(schema, old)
    for i, held in enumerate(value):
        at = index(path, i)
        matching = before.get(item_key(schema, held), MISSING) if before else MISSING
        below = state.below(lambda one, i=i: one.index(i))  # type: ignore[misc]
        yield validator.items, at, held, matching, below


def _expressions(
    validator: RuleValidator, run: Run, path: Path | None, value: Any, old: Any, state: Ratcheting
) -> None:
    schema = validator.schema
    at = printable(path)
    type_ = schema.type

    def invalid(detail: str, cause: Cause | None = None, reason: Reason | None = None) -> FieldError:
        return FieldError(run.rule_id, INVALID, at, type_, detail, cause=cause, reason=reason)

    if validator.compilation_error is not None:
        run.errors.append(invalid(f"rule compiler initialization error: {validator.compilation_error}"))
        return
    rules = () if validator.rules is None else validator.rules.ready()
    if not rules:
        return
    if run.budget <= 0:
        run.errors.append(invalid(_NO_BUDGET))
        raise OutOfBudgetError
    variables: dict[str, Any] = {"self": to_value(value, schema, is_resource=validator.is_root)}
    optional = dict(variables)
    has_old = old is not MISSING and old is not None
    if any(one.compiled.uses_old_self for one in rules):
        optional["oldSelf"] = NONE
        if has_old:
            variables["oldSelf"] = to_value(old, schema, is_resource=validator.is_root)
            optional["oldSelf"] = Optional_(_readapted(variables["oldSelf"]))
    for one in rules:
        if one.compiled.rule.error is not None:
            detail = f"rule compile error: {one.compiled.rule.error}"
            run.errors.append(invalid(detail, Cause(one.rule, type_, path), Reason(Code.RULE_FAILED)))
            continue
        optional_old = bool(one.rule.optional_old_self)
        if one.program is None or (one.compiled.uses_old_self and not has_old and not optional_old):
            continue
        given = optional if optional_old else variables
        result = one.program.evaluate(given, PER_CALL_LIMIT)
        run.note(Evaluation(one.compiled, given, result, one.cause(type_, path)))
        if not run.spend(result.cost):
            run.errors.append(invalid(_NO_BUDGET))
            raise OutOfBudgetError
        if result.error is not None:
            detail = _error_text(result.error, one.rule)
            run.errors.append(invalid(detail, one.cause(type_, path), _reason(result.error)))
            if result.error.startswith(COST_LIMIT_EXCEEDED):
                raise OutOfBudgetError
        elif result.value is not True:
            path = _failed(one, run, path, value, variables, state, schema)
            at = printable(path)


def _readapted(value: Any) -> Any:
    """Return what an optional variable holds once cel-go has taken it out and put it back, which errors do not survive."""
    if type(value) is Error:
        return Error(f"unsupported conversion to ref.Val: (*errors.errorString){value.message}")
    return value


def _error_text(problem: str, rule: ValidationRule) -> str:
    """Return the message about a rule whose evaluation ends in an error; upstream tells them apart by their text."""
    named = (rule.message or rule.rule).strip(SPACE)
    if problem.startswith("no such overload"):
        return f"'{problem}': {_ARGUMENTS}: {named}"
    if problem.startswith(COST_LIMIT_EXCEEDED):
        return f"'{problem}': no further validation rules will be run due to call cost exceeds limit for rule: {named}"
    return f"{problem} evaluating rule: {named}"


def _reason(problem: str) -> Reason | None:
    """Return what an evaluation that ends in an error means; cel-go's errors are texts."""
    if problem.startswith(COST_LIMIT_EXCEEDED):
        return Reason(Code.OUT_OF_BUDGET)
    if problem.startswith(NO_SUCH_OVERLOAD):
        return None
    key = problem.removeprefix(NO_SUCH_KEY)
    return Reason(Code.RULE_FAILED) if key == problem or " " in key else Reason(Code.NO_KEY, (key,))


def _failed(
    one: _Ready,
    run: Run,
    path: Path | None,
    value: Any,
    variables: dict[str, Any],
    state: Ratcheting,
    schema: JSONSchemaProps,
) -> Path | None:
    """Add the error of a rule that does not hold; return the path for the rules after it."""
    rule, type_ = one.rule, schema.type
    cause = one.cause(type_, path)
    at = path
    if rule.field_path:
        with suppress(FieldPathError):
            named_field = str(valid_field_path(rule.field_path, schema)[0])
            at = child(at, named_field)
    where = printable(at)
    found = run.warnings if not one.compiled.uses_old_self and state.lets_pass() else run.errors
    detail = None
    if one.message is not None:
        detail, rejection = _message(one.message, rule.message_expression, run, variables)
        if rejection is not None:
            refused = FieldError(
                run.rule_id, INVALID, where, type_, rejection, cause=cause, reason=Reason(Code.OUT_OF_BUDGET)
            )
            found.append(refused)
            raise OutOfBudgetError
    if detail is None:
        named = (rule.message or rule.rule).strip(SPACE)
        detail = named if rule.message else f"failed rule: {named}"
    omitted = type_ in ("object", "array")
    kind = {"FieldValueForbidden": FORBIDDEN, "FieldValueRequired": REQUIRED, "FieldValueDuplicate": DUPLICATE}.get(
        rule.reason or "", INVALID
    )
    said = "" if kind is DUPLICATE else detail
    found.append(FieldError(run.rule_id, kind, where, OMITTED if omitted else value, said, cause=cause))
    return path if one.compiled.rule.environment.dialect.resets_field_path else at


def _message(program: Program, text: str, run: Run, variables: dict[str, Any]) -> tuple[str | None, str | None]:
    """Return what a message expression gives, None where it gives nothing that can be shown, and a refusal to go on."""
    from crdlint.golang.quote import quote

    result = program.evaluate(variables, PER_CALL_LIMIT)
    if not run.spend(result.cost):
        return None, (
            "messageExpression evaluation failed due to running out of cost budget,"
            " no further validation rules will be run"
        )
    if result.error is not None:
        if result.error.startswith(COST_LIMIT_EXCEEDED):
            limit = "no further validation rules will be run due to call cost exceeds limit for messageExpression"
            return None, f"{limit}: {quote(text)}"
        return None, None
    if not isinstance(result.value, str):
        return None, None
    message = result.value.strip(SPACE)
    if not message or "\n" in message or len(message.encode("utf-8", "surrogatepass")) > _MAX_MESSAGE:
        return None, None
    return message, None
