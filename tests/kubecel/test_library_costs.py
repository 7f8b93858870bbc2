"""Costs of Kubernetes' functions, and the sizes that a schema gives to what they are called on."""

from __future__ import annotations

from kubecel_support import compile_rule, schema
from tables import each

from crdlint.cel.ast import Ident, Literal
from crdlint.cel.estimates import ONE, UINT64_MAX, ASTNode, CallEstimate, Estimate, size_of
from crdlint.cel.types import DYN, INT, STRING, Type, list_type, map_type
from crdlint.kubecel.compilation import KubernetesEstimator
from crdlint.kubecel.declarations import DeclField, DeclType
from crdlint.kubecel.environment import OVERLOAD_COSTS, function_costs
from crdlint.kubecel.library import authz, declaration
from crdlint.kubecel.values import ObjectValue
from crdlint.kubernetes.servers import NEWEST

TEXT = DeclType(2, 40, STRING)
KEY = DeclType(2, 0, STRING)
NUMBER = DeclType(1, 0, INT)
TEXTS = DeclType(2, 10, elem=TEXT)
LABELS = DeclType(2, 6, key=KEY, elem=TEXT)
INNER = DeclType(
    2, fields={"s": DeclField("s", TEXT), "l": DeclField("l", TEXTS), "m": DeclField("m", LABELS)}
)
ROOT = DeclType(
    2, 3, fields={"o": DeclField("o", INNER), "n": DeclField("n", NUMBER), **(INNER.fields or {})}
)


def node(
    size: tuple[int, int] | None = None, type_: Type = STRING, path: tuple[str, ...] = ()
) -> ASTNode:
    return ASTNode(path, type_, None, None if size is None else Estimate(*size))


def call(
    function: str, target: ASTNode | None, *args: ASTNode, overload: str = ""
) -> CallEstimate | None:
    estimator = KubernetesEstimator(ROOT, NEWEST.cel)
    nodes = args if target is None else (target, *args)
    own = OVERLOAD_COSTS.get(overload)
    return (
        estimator.estimate_call(function, nodes) if own is None else own.estimate(estimator, nodes)
    )


SELF_L = node(None, list_type(STRING), ("self", "l"))
SELF_S = node(None, STRING, ("self", "s"))


@each(
    ("path", "most"),
    [
        (("self",), 3),
        (("self", "s"), 40),
        (("self", "o", "l"), 10),
        (("self", "o", "l", "@items"), 40),
        (("self", "m"), 6),
        (("self", "m", "@keys"), 0),
        (("self", "m", "@values"), 40),
        (("oldSelf", "m", "@values"), 40),
        (("self", "n"), 0),
        ((), None),
        (("self", "nope"), None),
        (("self", "m", "a"), None),
        (("self", "s", "@items"), None),
        (("self", "l", "@keys"), None),
        (("self", "l", "@indices"), None),
        (("self", "m", "@keys", "@values"), None),
    ],
)
def test_sizes_by_path(path: tuple[str, ...], most: int | None) -> None:
    size = KubernetesEstimator(ROOT, NEWEST.cel).estimate_size(node(path=path))
    assert size == (None if most is None else Estimate(0, most))


def test_a_size_that_is_known_comes_before_the_declared_one() -> None:
    sizes = KubernetesEstimator(ROOT, NEWEST.cel)
    assert size_of(sizes, node((7, 9), path=("self", "s"))) == Estimate(7, 9)
    assert size_of(sizes, SELF_S) == Estimate(0, 40)
    assert size_of(sizes, node()) == Estimate(0, UINT64_MAX)


@each(
    ("function", "target", "args", "cost", "size"),
    [
        ("check", node(), (node(),), (350_000, 350_000), None),
        ("allowed", node(), (), (1, 1), None),
        ("fieldSelector", node(), (node((3, 20)),), (10 + 1 + 100, 10 + 2 + 500), None),
        ("sum", node((2, 5), list_type(INT)), (), (2, 5), None),
        ("isSorted", node((2, 5), list_type(STRING)), (), (2, 5 * 1844674407370955265), None),
        ("isSorted", SELF_L, (), (0, 50), None),
        ("indexOf", SELF_L, (node((1, 1)),), (0, 50), None),
        ("indexOf", SELF_S, (node((1, 1)),), (0, 4), None),
        ("includes", SELF_L, (node((1, 1)),), (0, 50), None),
        ("includes", SELF_S, (node((1, 1)),), (0, 40), None),
        ("url", None, (node((5, 31)),), (1, 4), (5, 31)),
        ("getHost", node(), (), (1, 1), None),
        ("lowerAscii", SELF_S, (), (0, 4), (0, 40)),
        ("substring", node((12, 12)), (node((1, 1), INT),), (2, 2), (12, 12)),
        ("replace", node((6, 6)), (node((2, 2)), node((5, 5))), (2, 2), (6, 15)),
        ("replace", node((6, 6)), (node((0, 0)), node((2, 2))), (2, 2), (20, 20)),
        ("replace", node((6, 9)), (node((3, 3)), node((1, 1))), (2, 2), (2, 9)),
        ("split", node((3, 21)), (node((1, 1)),), (1, 5), (0, 21)),
        (
            "split",
            node((3, 21)),
            (node((1, 1)), node(None, INT)._replace(expr=Literal(1, 2))),
            (1, 5),
            (0, 2),
        ),
        (
            "split",
            node((3, 21)),
            (node((1, 1)), node(None, INT)._replace(expr=Literal(1, -1))),
            (1, 5),
            (0, UINT64_MAX),
        ),
        (
            "split",
            node((3, 21)),
            (node((1, 1)), node(None, INT)._replace(expr=Ident(1, "n"))),
            (1, 5),
            (0, 21),
        ),
        ("join", SELF_L, (), (0, 40), (0, 400)),
        ("join", SELF_L, (node((2, 2)),), (0, 42), (0, 418)),
        ("find", node((9, 19)), (node((8, 8)),), (2, 4), (0, 19)),
        ("findAll", SELF_S, (node((0, 4)),), (0, 5), (0, 40)),
        ("quantity", None, (node((1, 25)),), (1, 3), None),
        ("isSemver", None, (SELF_S,), (0, 4), None),
        ("compareTo", node(), (node(),), (1, 1), None),
        ("isIP", None, (node((7, 15)),), (1, 2), None),
        ("ip.isCanonical", None, (node((7, 15)),), (2, 3), None),
        ("validate", node(), (node((7, 7)),), (32, 32), None),
        ("format.named", None, (node((7, 7)),), (1, 1), None),
    ],
)
def test_cost_of_a_call(
    function: str,
    target: ASTNode | None,
    args: tuple[ASTNode, ...],
    cost: tuple[int, int],
    size: tuple[int, int] | None,
) -> None:
    expected = CallEstimate(Estimate(*cost), None if size is None else Estimate(*size))
    assert (
        call(function, target, *args) or CallEstimate(ONE)
    ) == expected  # one unit unless a library says more


@each(
    ("function", "overload", "cost"),
    [
        ("ip", "string_to_ip", (1, 2)),
        ("ip", "cidr_ip", (1, 1)),
        ("containsIP", "cidr_contains_ip_ip", (1, 4)),
        ("containsIP", "cidr_contains_ip_string", (2, 6)),
        ("containsCIDR", "cidr_contains_cidr", (3, 7)),
        ("containsCIDR", "cidr_contains_cidr_string", (4, 9)),
    ],
)
def test_overloads_that_differ(function: str, overload: str, cost: tuple[int, int]) -> None:
    target = None if overload == "string_to_ip" else node()
    assert call(function, target, node((4, 18)), overload=overload) == CallEstimate(Estimate(*cost))


@each(
    ("left", "right", "cost"),
    [
        (declaration.QUANTITY, declaration.QUANTITY, (1, 1)),
        (declaration.IP_TYPE, declaration.IP_TYPE, (1, 1)),
        (authz.DECISION, authz.DECISION, (1, 1)),
        (declaration.NAMED_FORMAT, declaration.NAMED_FORMAT, (1, 7)),
        (declaration.URL_TYPE, declaration.URL_TYPE, (1, 3)),
        (declaration.URL_TYPE, DYN, None),
        (STRING, STRING, None),
        (map_type(STRING, INT), map_type(STRING, INT), None),
    ],
)
def test_equality_of_kubernetes_types(
    left: Type, right: Type, cost: tuple[int, int] | None
) -> None:
    found = call("_==_", None, node((1, 90), left), node((4, 25), right))
    assert found == (None if cost is None else CallEstimate(Estimate(*cost)))


@each("function", ["_+_", "size", "isURL", "charAt"])
def test_other_functions_are_left_to_the_standard_costs(function: str) -> None:
    assert call(function, SELF_S, SELF_S) is None


def test_a_path_may_be_overwritten_by_a_later_one() -> None:
    items = "{type: object, properties: {s: {type: string, maxLength: 20}, namespace: {type: string, maxLength: 5}}}"
    rule = "self.a.all(x, x.s.find(x.namespace) == '')"
    compiled = compile_rule(rule, f"{{a: {{type: array, maxItems: 3, items: {items}}}}}")
    # The pattern is as long as `s` may be: its path ends in the place where that of `x.s` was put.
    assert compiled.rule.cost().total.max == 2 + 3 * (2 + 1 + 2 + 2 + 9 * 20) + 1


PROPERTIES = """{
  s: {type: string, maxLength: 10},
  l: {type: array, maxItems: 5, items: {type: string, maxLength: 5}},
  t: {type: array, maxItems: 3, items: {type: integer}}
}"""


@each(
    ("rule", "cost"),
    [
        ("has(self.s)", 1),
        ("isQuantity(self.s)", 2 + 4),
        ("self.l.join(',') == 'x'", 2 + 11 + 1),
        ("self.l.isSorted()", 2 + 5 * (1 + 2)),
        ("self.s.split('').size() < 3", 2 + 8 + 1 + 1),
        # What is no part of a variable has the size of the root object, which is 0.
        ("self.s.split('', 2).all(x, x != 'a')", 2 + 8 + 2 * 4 + 1),
        ("self.t.distinct().size() == 1", 2 + (2 * 9 + 1 + 10) + 1 + 1),
        ("self.t.slice(0, 2).all(x, x > 1)", 2 + (2 + 1 + 10) + 2 * 5 + 1),
        ("self.l.sort() == self.l", 2 + 2 + (53 + 1 + 10) + 1),
        ("sets.equivalent(self.t, [1, 2])", 2 + 10 + 2 * 6 + 1),
        ("lists.range(3).all(i, i < 3)", 3 + 1 + 10 + 3 * 5 + 1),
        ("format.dns1123Label().validate(self.s).hasValue()", 2 + 1 + 4 * 32 + 1),
        ("ip(self.s) == ip('::1')", 2 + 4 + 1 + 1),
        ("self.?s.orValue('') == ''", 3),
    ],
)
def test_cost_of_a_rule(rule: str, cost: int) -> None:
    compiled = compile_rule(rule, PROPERTIES)
    assert compiled.rule.error is None
    assert compiled.rule.cost().total.max == cost


@each(
    ("value", "cost"),
    [
        ({"a": "x" * 30}, 0 + 3),
        ({"a": None}, 0 + 1),
        ({"b-b-b": 1}, 1 + 1),
        ({"a": "x" * 30, "unknown": {}, "other": 1}, 0 + 3 + 2 * 2),
    ],
    ids=str,
)
def test_units_of_looking_at_an_object(value: dict[str, object], cost: int) -> None:
    properties = schema(
        "{type: object, properties: {a: {type: string}, b-b-b: {type: integer}}}"
    ).properties
    track = function_costs(NEWEST.cel)["indexOf"].track
    assert track([[ObjectValue(value, properties, None)]], 0) == cost
