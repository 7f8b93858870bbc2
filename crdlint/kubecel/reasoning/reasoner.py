"""What rules evaluate to on all objects of which something is known: true, false, an error, or several of them.

A rule is evaluated on sets of values. While its result is open, the values of the first expression that leaves it open are
divided, and the rule is evaluated in each case. What is not understood can have any value, the same one wherever it occurs.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from crdlint.cel.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    Uint,
    nodes,
)
from crdlint.kubecel.declarations import unescape
from crdlint.kubecel.reasoning import domains
from crdlint.kubecel.reasoning.domains import (
    ANY_RESULT,
    DECIDED,
    ERROR,
    FAILED,
    FALSE,
    TRUE,
    Domain,
    Just,
    Piece,
)
from crdlint.kubecel.reasoning.facts import ITEM, VALUE, Facts, FieldPath, Value
from crdlint.kubecel.reasoning.texts import Texts, TextTest
from crdlint.kubecel.syntax_trees import key, label
from crdlint.light import NamedTuple
from crdlint.safety import work

_MOST_STEPS: Final = 4_000  # nodes that are evaluated for one rule
_STEPS_INSIDE: Final = 2_500  # with the conditions of folds
_FREE_STEPS: Final = 400  # of these, which are not work of the document
_ALONE: Final = 2  # known rules, the most similar ones, from which another one may follow alone
_WORK: Final = 3  # of another one
_ITEM_CASES: Final = 24  # of an item of a list, for one condition
_DEEPEST: Final = 60  # nodes from the root; deeper ones can have any value
_LOGICAL: Final = {"_&&_": FALSE, "_||_": TRUE}  # and the result of one side that decides
_ORDERS: Final = {"_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
# The orderings of two numbers for which a comparison holds.
_ORDERINGS: Final = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "="}
_PARTS: Final[Mapping[Domain, str]] = {(Piece.LIST,): ITEM, (Piece.OBJECT,): VALUE}
_CONDITIONS: Final = frozenset({*_LOGICAL, *_ORDERS, "!_", "_==_", "_!=_", "@in"})
_Scope: TypeAlias = "Mapping[str, Value]"
_Store: TypeAlias = "Mapping[str, Domain]"
_Premises: TypeAlias = "Sequence[tuple[Expr, int]]"  # conditions with their results


class _Choice(NamedTuple):
    """The name of an expression that leaves a result open, and its values for each result."""

    name: str
    parts: Mapping[int, Domain]


class _Question(NamedTuple):
    """A question about a condition.

    `goal`: the condition.
    `premises`: other conditions with their results.
    `scope`: what is known of the names.
    `local`: the names that mark what only one item has.
    `accepted`: a result that need not be possible.
    """

    goal: Expr
    premises: _Premises
    scope: _Scope
    local: Sequence[str] = ("",)
    accepted: int = 0  # a result that need not be possible


class _Fold(NamedTuple):
    """A fold such as `all`: its range, its condition, and the result of an item that decides."""

    range: str
    variables: tuple[str, str]
    condition: Expr
    decisive: int


class _ImpossibleError(Exception):
    """No object is in a case."""


class Reasoner:
    """Evaluates rules on the objects of which some facts are known; ``is_at_once`` makes no cases."""

    def __init__(self, facts: Facts) -> None:
        self.facts: Final = facts
        self.folds: Final[dict[str, _Fold]] = {}
        self.text_tests: Final[dict[str, TextTest]] = {}  # by the names of their values
        self.depth = 0
        self._keys: Final[
            dict[int, tuple[Expr, str]]
        ] = {}  # by the identity of trees, which are kept
        self.looks_inside = self.is_at_once = False
        # The identities of the nodes that matter, None for all
        self.relevant: Container[int] | None = None
        self.share = 1  # of the steps that are allowed: one in so many
        self._left = self._paid = 0

    def results(self, rule: Expr, premises: Sequence[Expr] = ()) -> int:
        """Return what a rule can evaluate to where others are true: TRUE alone if it is always true, or some of the results."""
        question = self._question(rule, premises)
        results = self._results(question, looks_inside=False)
        if results == TRUE or not _has_folds(rule):
            return results
        length = len(self.key(rule))
        with_folds = filter(_has_folds, premises)
        similar = sorted(with_folds, key=lambda expr: abs(len(self.key(expr)) - length))
        questions = [self._of_each_item(self._question(rule, [expr])) for expr in similar[:_ALONE]]
        if len(premises) != 1 or not questions:
            questions.append(question)
        if any(self._results(inner, looks_inside=True) == TRUE for inner in questions):
            return TRUE
        return results

    def _question(self, rule: Expr, premises: Sequence[Expr]) -> _Question:
        ordered = sorted(premises, key=lambda condition: len(self.key(condition)))
        return _Question(
            rule,
            [(condition, TRUE) for condition in ordered],
            self._scope(),
            accepted=TRUE,
        )

    def _of_each_item(self, question: _Question) -> _Question:
        """Return a question about each item if both rules are about all items of the same list, which answers the other one."""
        goal, [(premise, _)] = question.goal, question.premises
        if not (isinstance(goal, Comprehension) and isinstance(premise, Comprehension)):
            return question
        of_goal, of_premise = _quantified(goal), _quantified(premise)
        first, second = (
            [label(fold), label(fold.loop_step), self.key(fold.iter_range)]
            for fold in (goal, premise)
        )
        if of_goal is None or of_premise is None or first != second or of_goal[1] != FALSE:
            return question
        self._start(looks_inside=False)
        case = _Case(self, {})
        try:
            scope = case.scope_inside(
                goal, case.value(goal.iter_range, question.scope), question.scope
            )
        except work.WorkLimitError:
            return question
        return self._of_each_item(
            question._replace(
                goal=of_goal[0],
                premises=[(of_premise[0], TRUE)],
                scope=scope,
            )
        )

    def _results(self, question: _Question, *, looks_inside: bool) -> int:
        self._start(looks_inside=looks_inside)
        union = 0
        try:
            for result, case in self.cases({}, question):
                union |= result
                if result & ~TRUE and (union & TRUE or case.choice is None):
                    break
        except work.WorkLimitError:
            return ANY_RESULT
        return union

    def results_at_once(
        self, rule: Expr, store: _Store | None = None, relevant: Container[int] | None = None
    ) -> int:
        """Return the results that a rule can have, without cases; ``store`` has the values of some expressions.

        With ``relevant``, the identities of some nodes, all others can have any value.
        """
        self._start(looks_inside=True)
        self.is_at_once, self.relevant = True, relevant
        try:
            return _Case(self, store or {}).results(rule, self._scope())
        except work.WorkLimitError:
            return ANY_RESULT

    def key(self, tree: Expr) -> str:
        """Return a text that is equal for equal trees."""
        if id(tree) not in self._keys:
            self._keys[id(tree)] = tree, key(tree)
        return self._keys[id(tree)][1]

    def _start(self, *, looks_inside: bool) -> None:
        self.folds.clear()
        self.text_tests.clear()
        self.looks_inside, self.is_at_once, self.relevant, self.depth = looks_inside, False, None, 0
        self._left = (_STEPS_INSIDE if looks_inside else _MOST_STEPS) // self.share
        self._paid = self._left - _FREE_STEPS

    def _scope(self) -> _Scope:
        return {name: Value(self.facts.values(()), name, ()) for name in ("self", "oldSelf")}

    def cases(self, store: _Store, question: _Question) -> Iterator[tuple[int, _Case]]:
        """Yield the results of all cases; the choice of one that is still open is for the caller to make."""
        union = 0
        pending = [(store, question.premises)]
        while pending:
            case = _Case(self, *pending.pop())
            result, premises = case.answer(question)
            choice = case.choice
            if choice is not None and any(name in choice.name for name in question.local):
                pending += [
                    ({**case.store, choice.name: part}, premises) for part in choice.parts.values()
                ]
                continue
            union |= result
            yield result, case
            if union == ANY_RESULT:
                return

    def step(self) -> None:
        """Count the evaluation of a node."""
        self._left -= 1
        if self._left < 0:
            raise work.WorkLimitError
        if self._left < self._paid:
            work.spend(_WORK)


class _Case:
    """Evaluates expressions by values in ``store`` and ``premises``; ``choice`` is the first that leaves one open."""

    __slots__ = ("_facts", "_premises", "_reasoner", "_texts", "choice", "store")

    def __init__(self, reasoner: Reasoner, store: _Store, premises: _Premises = ()) -> None:
        self._premises: Final = premises
        self.store: Final = store
        self.choice: _Choice | None = None
        self._reasoner: Final = reasoner
        self._facts: Final = reasoner.facts
        self._texts: Final = Texts(reasoner.facts, reasoner.text_tests, store)

    def answer(self, question: _Question) -> tuple[int, _Premises]:
        """Return the results of a condition, none if no object is in this case, and which premises are open."""
        depth = self._reasoner.depth
        premises = []
        try:
            result = self.results(question.goal, question.scope)
            if result in DECIDED and result & question.accepted:
                return result, ()
            for condition, expected in self._premises:
                holds = self.results(condition, question.scope)
                if not holds & expected:
                    raise _ImpossibleError
                if holds != expected:
                    premises.append((condition, expected))
        except _ImpossibleError:
            self.choice = None
            return 0, ()
        finally:
            self._reasoner.depth = depth
        return result, premises

    def results(self, node: Expr, scope: _Scope) -> int:
        """Return the results of a condition."""
        reasoner, before = self._reasoner, self.choice
        if reasoner.depth > _DEEPEST:
            return ANY_RESULT
        if reasoner.relevant is not None and id(node) not in reasoner.relevant:
            return TRUE | FALSE
        reasoner.step()
        reasoner.depth += 1
        result = self._results(node, scope)
        reasoner.depth -= 1
        if result in DECIDED:
            self.choice = before
        return result

    def _results(self, node: Expr, scope: _Scope) -> int:
        match node:
            case Select(test_only=True):
                return self._has(node, scope)
            case Comprehension() if (quantified := _quantified(node)) is not None:
                return self._quantifier(node, *quantified, scope)
            case Call(function="!_"):
                return _negated(self.results(node.args[0], scope))
            case Call(function="_?_:_"):
                return self._results_of_branches(node, scope)
            case Call() if node.function in _LOGICAL:
                return self._logical(node, scope)
            case Call() if node.function in _CONDITIONS:
                return self._compared(node, scope)
            case _:
                return self._test(self.value(node, scope), domains.IS_TRUE)

    def _has(self, node: Select, scope: _Scope) -> int:
        owner, field = self._field(node, scope)
        if domains.fails(owner):
            return ERROR
        return self._test(field, domains.HAS) | domains.failure_of(owner)

    def _logical(self, node: Call, scope: _Scope) -> int:
        decisive = _LOGICAL[node.function]
        first, second = node.args
        result = self.results(first, scope)
        if result == decisive:
            return result
        return _either(result, self.results(second, scope), decisive)

    def _results_of_branches(self, node: Call, scope: _Scope) -> int:
        condition, if_true, if_false = node.args
        chosen = self.results(condition, scope)
        results = chosen & ERROR
        if chosen & TRUE:
            results |= self.results(if_true, scope)
        if chosen & FALSE:
            results |= self.results(if_false, scope)
        return results

    def _test(self, value: Value, test: domains.Test) -> int:
        parts = domains.divide(value.domain, test)
        if len(parts) > 1 and not value.is_open and Piece.UNTOLD not in value.domain:
            self._choose(value.name, parts)
        return sum(parts)

    def _choose(self, name: str, parts: Mapping[int, Domain]) -> None:
        if self.choice is None:
            self.choice = _Choice(name, parts)

    def _compared(self, node: Call, scope: _Scope) -> int:
        left, right = (self.value(operand, scope) for operand in node.args)
        if node.function == "@in":
            return self._is_element(node, left, right)
        operator = _ORDERS.get(node.function, "==")
        if domains.constant(left.domain) is not None:
            left, right, operator = right, left, _MIRRORED[operator]
        other = domains.constant(right.domain)
        is_testable = other is not None and (operator == "==" or domains.is_number(other.value))
        if other is not None and is_testable:
            result = self._compared_with_constant(left, domains.Test(operator, other.value))
        else:
            result = self._related(left, right, operator)
        return _negated(result) if node.function == "_!=_" else result

    def _compared_with_constant(self, value: Value, test: domains.Test) -> int:
        if test.operator == "==" and self._texts.excludes(value, test.operand):
            return FALSE | domains.failure_of(value.domain)
        if test.operator == "==":
            test = domains.Test("in", self._texts.possible(value, (test.operand,)))
        return self._test(value, test)

    def _has_no_item(self, range_: Value, value: Value) -> bool:
        """Return whether no item of a list is equal to a constant."""
        only = domains.constant(value.domain)
        if only is None or range_.path is None or range_.domain != (Piece.LIST,):
            return False
        items = (*range_.path, ITEM)
        is_possible = TRUE in domains.divide(
            self._facts.values(items), domains.Test("==", only.value)
        )
        return not is_possible or self._texts.excludes(Value((), "", items), only.value)

    def _is_element(self, node: Call, value: Value, range_: Value) -> int:
        """Return the results of `value in range`, where all elements are constants, or no item can be equal to a constant."""
        if range_.elements is None:
            if self._has_no_item(range_, value):
                return FALSE
            return self._test(self._called(node, [value, range_]), domains.IS_TRUE)
        elements = [domains.constant(element.domain) for element in range_.elements]
        constants = tuple(element.value for element in elements if element is not None)
        if len(constants) < len(elements):
            return self._test(self._called(node, [value, range_]), domains.IS_TRUE)
        return self._test(value, domains.Test("in", self._texts.possible(value, constants)))

    def _related(self, left: Value, right: Value, operator: str) -> int:
        """Return the results of a comparison of two values that are not known."""
        if domains.fails(left.domain) or domains.fails(right.domain):
            return ERROR
        possible = domains.compared(left.domain, right.domain, operator)
        is_equality = operator == "=="
        is_same = left.name == right.name and Piece.NAN not in left.domain
        if is_same and is_equality:
            possible &= ~FALSE
        if left.is_open or right.is_open:
            return possible
        if domains.is_ordered((*left.domain, *right.domain)):
            return self._ordered(left.name, right.name, operator, possible)
        names = [left.name, right.name]
        if is_equality:
            names.sort()
        related = self._term(f" {operator} ".join(names), domains.OF_RESULTS[possible])
        return self._test(related, domains.IS_TRUE)

    def _ordered(
        self,
        left: str,
        right: str,
        operator: str,
        possible: int,
    ) -> int:
        """Return the results of a comparison of two numbers: the first one is less, equal or greater, in all comparisons."""
        if left > right:
            left, right, operator = right, left, _MIRRORED[operator]
        holds = _ORDERINGS[operator]
        orderings = "=" if left == right else "<=>"
        results = {ordering: domains.result_of(holds=ordering in holds) for ordering in orderings}
        domain = tuple(Just(ordering) for ordering in orderings if possible & results[ordering])
        failing = FAILED if possible & ERROR else ()
        term = self._term(f"{left} <=> {right}", (*domain, *failing))
        return self._test(term, domains.Test("in", tuple(holds)))

    def _term(self, name: str, domain: Domain, path: FieldPath | None = None) -> Value:
        """Return a value as far as the case knows it."""
        stored = self.store.get(name)
        if stored is not None and stored != domain:
            domain = domains.both(stored, domain)
            if not domain:
                raise _ImpossibleError
        return Value(domain, name, path)

    def value(self, node: Expr, scope: _Scope) -> Value:
        """Return the values of an expression."""
        if isinstance(node, Literal) and not isinstance(node.value, (bytes, Uint)):
            return Value((Just(node.value),), repr(node.value))
        relevant = self._reasoner.relevant
        if relevant is not None and id(node) not in relevant:
            return Value(self._facts.unknown, "", is_open=True)
        if self._reasoner.depth > _DEEPEST:
            return self._unknown(node, scope)
        self._reasoner.depth += 1
        values = self._value(node, scope)
        self._reasoner.depth -= 1
        return values

    def _value(self, node: Expr, scope: _Scope) -> Value:
        match node:
            case Select(test_only=False):
                return self._field(node, scope)[1]
            case Ident() if node.name in scope:
                return self._of_scope(scope[node.name])
            case Call(function="_?_:_"):
                return self._conditional(node, scope)
            case Call() if node.function not in _CONDITIONS:
                return self._call(node, scope)
            case Comprehension() if _quantified(node) is None:
                return self._fold(node, scope)
            case ListExpr(optional_indices=()):
                return self._list(node, scope)
            case MapExpr(entries=()):
                return Value((Piece.OBJECT,), "{}", elements=(), size=(Just(0),))
            case Select() | Comprehension() | Call():
                return self._condition(node, scope)
            case _:
                return self._unknown(node, scope)

    def _call(self, node: Call, scope: _Scope) -> Value:
        operands = node.args if node.target is None else [node.target, *node.args]
        called = self._called(node, [self.value(operand, scope) for operand in operands])
        return self._of_scope(scope[called.name]) if called.name in scope else called

    def _list(self, node: ListExpr, scope: _Scope) -> Value:
        elements = tuple(self.value(element, scope) for element in node.elements)
        name = f"[{', '.join(element.name for element in elements)}]"
        return Value(
            (Piece.LIST,),
            name,
            elements=elements,
            size=(Just(len(elements)),),
        )

    def _of_scope(self, value: Value) -> Value:
        return value._replace(domain=self._term(value.name, value.domain).domain)

    def _unknown(self, node: Expr, scope: _Scope) -> Value:
        return self._term(self._label(scope, node), self._facts.unknown)

    def _condition(self, node: Expr, scope: _Scope) -> Value:
        results = self.results(node, scope)
        return Value(
            domains.OF_RESULTS[results], self._label(scope, node), is_open=results not in DECIDED
        )

    def _field(self, node: Select, scope: _Scope) -> tuple[Domain, Value]:
        """Return the values of an object, and of its field, which fails without the object."""
        owner = self.value(node.operand, scope)
        name = f"{owner.name}.{node.field}"
        if domains.fails(owner.domain):
            return owner.domain, Value(FAILED, name)
        path, domain = None, self._facts.unknown
        if owner.path is not None:
            path = (*owner.path, unescape(node.field) or node.field)
            domain = self._facts.values(path)
        field = self._term(name, domain, path)
        if domains.may_fail(owner.domain):
            if not owner.is_open:
                self._choose(owner.name, domains.divide(owner.domain, domains.HAS))
            field = field._replace(domain=domains.failing(field.domain), is_open=owner.is_open)
        return owner.domain, field

    def _conditional(self, node: Call, scope: _Scope) -> Value:
        condition = self.results(node.args[0], scope)
        branches = ((TRUE, node.args[1]), (FALSE, node.args[2]))
        choices = [self.value(branch, scope) for result, branch in branches if condition & result]
        if condition in DECIDED:
            return choices[0] if choices else Value(FAILED, "")
        failing = FAILED if condition & ERROR else ()
        domain = tuple(piece for choice in choices for piece in choice.domain)
        return Value((*domain, *failing), self._label(scope, node), is_open=True)

    def _called(self, node: Call, operands: Sequence[Value]) -> Value:
        """Return the values of a function, which fails where an operand does."""
        names = [operand.name for operand in operands]
        name = f"{node.function}({', '.join(names)})"
        if node.function == "_[_]":
            name = f"{names[0]}[{names[1]}]"
        if any(domains.fails(operand.domain) for operand in operands):
            return Value(FAILED, name)
        self._texts.note(name, node.function, operands)
        domain = self._of_function(node.function, operands)
        is_open = any(operand.is_open for operand in operands)
        return self._term(name, domain)._replace(is_open=is_open)

    def _of_function(self, function: str, operands: Sequence[Value]) -> Domain:
        """Return the values of a function whose operands do not fail."""
        unknown = self._facts.unknown
        first, *rest = operands or [Value(FAILED, "")]
        if function == "size":
            return self._sizes(first)
        if function == "_+_":
            return domains.total(first.domain, rest[0].domain) or unknown
        other = domains.constant(rest[0].domain) if rest else None
        if other is not None and isinstance(other.value, str):
            return self._texts.of(function, first, other.value)
        return unknown

    def _sizes(self, value: Value) -> Domain:
        if value.size is not None:
            return value.size
        texts = domains.texts(value.domain)
        if texts:
            return tuple(map(Just, sorted(set(map(len, texts)))))
        sizes = domains.SIZES if value.path is None else self._facts.sizes(value.path)
        for shortest, longest in self._texts.lengths(value):
            sizes = _passing(sizes, domains.Test(">=", shortest))
            sizes = _passing(sizes, domains.Test("<=", longest))
        if not sizes:
            raise _ImpossibleError
        if domains.is_text(value.domain):
            sizes = _passing(sizes, domains.Test(">", 0))
        has_numbers = any(isinstance(piece, domains.Numbers) for piece in value.domain)
        has_size = not (has_numbers or domains.may_fail(value.domain))
        return sizes if has_size else domains.failing(sizes)

    def _fold(self, node: Comprehension, scope: _Scope) -> Value:
        """Return the values of a fold that is no condition."""
        range_ = self.value(node.iter_range, scope)
        if domains.fails(range_.domain):
            return Value(FAILED, "")
        result = self._folded(node, range_, scope) or self._selected(node, range_, scope)
        if result is not None:
            return self.value(node.result, {**scope, node.accu_var: result})
        name = self._fold_name(node, range_, scope)
        unknown = self._facts.unknown
        if range_.is_open:
            return Value(unknown, name, is_open=True)
        return self._term(name, unknown)._replace(size=self._selected_sizes(node, range_))

    def _selected_sizes(self, node: Comprehension, range_: Value) -> Domain | None:
        """Return how many items a filter can select, None if that is not known, or for other folds."""
        if not _is_filter(node):
            return None
        return domains.up_to(self._sizes(range_)) or None

    def _selected(self, node: Comprehension, range_: Value, scope: _Scope) -> Value | None:
        """Return the end of the accumulator of a filter that selects all items or none of a list."""
        filtered = _filtered(node)
        is_there = not domains.may_fail(range_.domain)
        if filtered is None or not is_there or not self._reasoner.looks_inside:
            return None
        condition, _ = filtered
        before = self.choice
        selects = self._of_items(node, condition, range_, scope)
        self.choice = before
        if selects == FALSE:
            return self.value(node.accu_init, scope)
        return range_ if selects == TRUE and _is_filter(node) else None

    def _fold_name(self, node: Comprehension, range_: Value, scope: _Scope) -> str:
        """Return a name of a fold; that of one which selects the same items, if the case has such a one."""
        step = self._label(self.scope_inside(node, range_, scope), node.loop_step)
        end = self._label(scope, node.accu_init, node.result)
        name = f"{range_.name}: {step} {end}"
        filtered, folds = _filtered(node), self._reasoner.folds
        if filtered is None or self._reasoner.is_at_once:
            return name
        condition, more = filtered
        items_name = f"items of {range_.name}: {self._label(scope, more)} {end}"
        before = self.choice
        others = [other for other, fold in folds.items() if fold.range == items_name]
        for other in others if self._reasoner.looks_inside else ():
            if other != name and self._selects_same(node, condition, range_, scope, other):
                name = other
                break
        self.choice = before
        if name not in folds and _has_no_variables(scope):
            folds[name] = _Fold(items_name, _variables(node), condition, 0)
        return name

    def _selects_same(
        self,
        node: Comprehension,
        condition: Expr,
        range_: Value,
        scope: _Scope,
        other: str,
    ) -> bool:
        """Return whether a condition has the same result for each item as that of another fold, which does not fail."""
        domain = self.store.get(other) or self.store.get(f"size({other})")
        if domain is None or domains.may_fail(domain):
            return False
        other_condition = self._reasoner.folds[other].condition
        return not any(
            self._of_items(
                node,
                condition,
                range_,
                scope,
                (other_condition, bit),
            )
            & ~bit
            for bit in (TRUE, FALSE)
        )

    def _folded(self, node: Comprehension, range_: Value, scope: _Scope) -> Value | None:
        """Return the end of the accumulator for no items, or the list of a known number of items that a filter selects."""
        start = self.value(node.accu_init, scope)
        if range_.elements == ():
            return start
        filtered = _filtered(node)
        if filtered is None or range_.elements is None or start.size is None:
            return None
        condition, _ = filtered
        counts: Domain = (Just(0),)
        for element in range_.elements:
            results = self.results(condition, {**scope, node.iter_var: element})
            counts = domains.total(counts, domains.counted(results)) or domains.COMPUTED
        if domains.fails(counts):
            return Value(FAILED, "")
        failing = FAILED if domains.may_fail(counts) else ()
        name = f"{range_.name}: {self._label(scope, node.loop_step)}"
        is_open = domains.constant(counts) is None
        return Value(
            (Piece.LIST, *failing),
            name,
            is_open=is_open,
            size=counts,
        )

    def _quantifier(
        self,
        node: Comprehension,
        condition: Expr,
        decisive: int,
        scope: _Scope,
    ) -> int:
        """Return the results of `all` or `exists`."""
        neutral = (TRUE | FALSE) ^ decisive
        range_ = self.value(node.iter_range, scope)
        if domains.fails(range_.domain):
            return ERROR
        if range_.elements is not None and not node.iter_var2:
            results = neutral
            for element in range_.elements:
                result = self.results(condition, {**scope, node.iter_var: element})
                results = _either(results, result, decisive)
            return results
        results = ANY_RESULT
        if self._reasoner.looks_inside:
            results = neutral | self._of_items(node, condition, range_, scope)
        if not self._has_items(range_, node):
            results |= ERROR
        if results == neutral or range_.is_open or self._reasoner.is_at_once:
            return results
        step = self._label(self.scope_inside(node, range_, scope), node.loop_step)
        name = f"{range_.name}: {step}"
        if _has_no_variables(scope):
            self._reasoner.folds[name] = _Fold(range_.name, _variables(node), condition, decisive)
        return self._test(self._term(name, domains.OF_RESULTS[results]), domains.IS_TRUE)

    def _has_items(self, range_: Value, node: Comprehension) -> bool:
        """Return whether the range of a fold is certainly a list or a map."""
        return domains.has_items(range_.domain) or any(self._decided(range_.name, node))

    def scope_inside(self, node: Comprehension, range_: Value, scope: _Scope) -> _Scope:
        """Return what is known of the variables inside of a fold."""
        unknown = domains.present(self._facts.unknown)
        variables = {fold: Value(unknown, fold) for fold in _variables(node) if fold}
        step = _PARTS.get(range_.domain[:1]) if not node.iter_var2 else None
        if step is not None and range_.path is not None:
            path = (*range_.path, step)
            name = node.iter_var if step == ITEM else f"{range_.name}[{node.iter_var}]"
            variables[name] = Value(self._facts.values(path), name, path)
        return {**scope, **variables}

    def _of_items(
        self,
        node: Comprehension,
        condition: Expr,
        range_: Value,
        scope: _Scope,
        *premises: tuple[Expr, int],
    ) -> int:
        """Return the results of a condition of the items of a list, where other conditions of one have known results."""
        decided = self._decided(range_.name, node)
        of_all = [(fold.condition, result) for fold, result in decided if result != fold.decisive]
        local = [variable for variable in _variables(node) if variable]
        inside = self.scope_inside(node, range_, scope)
        question = _Question(condition, [*of_all, *premises], inside, local)
        bound = _Case(self._reasoner, self.store).results(condition, inside)
        if bound in DECIDED or self._reasoner.is_at_once:
            return bound
        results = 0
        for i, (result, case) in enumerate(self._reasoner.cases(self.store, question)):
            results |= result
            if case.choice is not None:
                self._choose(*case.choice)
            is_undecided = results not in {0, *DECIDED}
            if is_undecided or i >= _ITEM_CASES:
                return bound
        return results

    def _decided(self, range_: str, node: Comprehension) -> Iterator[tuple[_Fold, int]]:
        """Yield the folds over the same items that the case decides, with their results."""
        items = (range_, _variables(node))
        for name, domain in self.store.items():
            fold, only = self._reasoner.folds.get(name), domains.constant(domain)
            if fold is None or only is None:
                continue
            if (fold.range, fold.variables) == items:
                yield fold, domains.result_of(holds=only.value)

    def _label(self, scope: _Scope, *trees: Expr) -> str:
        """Return a text that is equal for expressions with the same value, in the same scope."""
        renamed = sorted(
            f"{name} = {value.name}" for name, value in scope.items() if value.name != name
        )
        return " ".join((*map(self._reasoner.key, trees), *renamed))


def _variables(fold: Comprehension) -> tuple[str, str]:
    return fold.iter_var, fold.iter_var2


def _has_folds(tree: Expr) -> bool:
    return any(isinstance(node, Comprehension) for node in nodes(tree))


def _quantified(node: Comprehension) -> tuple[Expr, int] | None:
    """Return the condition of `all` or `exists`, and the result of an item that decides; None for other folds."""
    step, start = node.loop_step, node.accu_init
    if not isinstance(step, Call) or step.function not in _LOGICAL:
        return None
    before, condition = step.args
    keeps_result = _is(before, node.accu_var) and _is(node.result, node.accu_var)
    is_neutral = isinstance(start, Literal) and start.value is (step.function == "_&&_")
    return (condition, _LOGICAL[step.function]) if keeps_result and is_neutral else None


def _filtered(node: Comprehension) -> tuple[Expr, Expr] | None:
    """Return the condition of `filter` or `exists_one`, and how it adds an item; None for other folds."""
    match node.loop_step:
        case Call(function="_?_:_", args=[condition, Call(function="_+_") as more, otherwise]):
            before, added = more.args
        case _:
            return None
    adds_to_result = _is(before, node.accu_var) and _is(otherwise, node.accu_var)
    if node.iter_var2 or not adds_to_result:
        return None
    return (condition, more) if _is_one_item(added, node.iter_var) else None


def _is_one_item(added: Expr, variable: str) -> bool:
    """Return whether a fold adds the list of an item, or one to a number."""
    match added:
        case ListExpr(elements=[element]):
            return _is(element, variable)
        case Literal(value=value):
            return bool(value == 1)
    return False


def _has_no_variables(scope: _Scope) -> bool:
    """Return whether all names in a scope are those of the object, which have the same value everywhere."""
    return all(value.name == variable for variable, value in scope.items())


def _is_filter(node: Comprehension) -> bool:
    """Return whether a fold is a `filter`, which ends with a list."""
    return _filtered(node) is not None and isinstance(node.accu_init, ListExpr)


def _is(node: Expr, variable: str) -> bool:
    return isinstance(node, Ident) and node.name == variable


def _negated(results: int) -> int:
    return _NEGATED[results]


# The results of a negation, by those of the condition as bits: true and false change places.
_NEGATED: Final = (0, FALSE, TRUE, TRUE | FALSE, *(ERROR | each for each in (0, 2, 1, 3)))


def _either(first: int, second: int, decisive: int) -> int:
    """Return the results of `&&` or `||`: an error counts only if neither side decides."""
    other = (TRUE | FALSE) ^ decisive
    results = (first | second) & decisive
    if first & other and second & other:
        results |= other
    has_error = bool((first | second) & ERROR)
    may_both_not_decide = first & ~decisive and second & ~decisive
    if has_error and may_both_not_decide:
        results |= ERROR
    return results


def _passing(domain: Domain, test: domains.Test) -> Domain:
    """Return the values of a domain that pass a test."""
    return domains.divide(domain, test).get(TRUE, ())
