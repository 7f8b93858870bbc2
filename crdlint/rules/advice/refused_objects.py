"""Advice: what the API server accepts in a CRD, although it then rejects objects because of it, or does not serve them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.phrases import OneCommand
from crdlint.rules.engine.advisory import Advisory, DecodedCRD, in_junctor, on_rules
from crdlint.rules.engine.rule import Caution, Nodes
from crdlint.schema.traversal import value_schema

if TYPE_CHECKING:
    from crdlint.cel.ast import Call, Expr
    from crdlint.kubecel.cost import EstimatedRule

_KEYS: Final = "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]"
_ITEMS: Final = "items: {type: object, required: [k], properties: {k: {type: string}}}"


@Caution(
    "default-list-duplicates",
    "Default of a list has an item twice",
    observed=("default-with-equal-keys",),
    why="The API server validates the items of sets and map lists in objects, but not in defaults. It rejects every object that "
    "gets the default.",
    help="Remove the duplicate item",
    marker="correct `+kubebuilder:default`",
    bad=f"l: {{type: array, default: [{{k: a}}, {{k: a}}], {_KEYS}, {_ITEMS}}}",
    good=f"l: {{type: array, default: [{{k: a}}, {{k: b}}], {_KEYS}, {_ITEMS}}}",
).advice_on(Nodes({"default"}, types={"array", "object"}))
def _duplicates(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    if schema.default is None:
        return
    from crdlint.schema.correlation import validate_list_sets_and_maps  # few CRDs need it

    # The lists are found in an object, so a default of a list is the only field of one.
    parent = JSONSchemaProps.of(type="object", properties={"": schema})
    for error in validate_list_sets_and_maps(parent, {"": schema.default.value})[:1]:
        if in_junctor(schema):
            return
        message = "the default has an item twice: the API server rejects every object that gets it"
        yield Advisory(message, schema.path.child("default"), subject=error)


_NO_CERTIFICATE: Final = (
    "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: "
    "{caBundle: Cg==, service: {name: a, namespace: b}}}}"
)
# Parts of the names of annotations because of which a tool sets the CA bundle.
INJECTORS: Final = ("inject-ca", "inject-apiserver-ca", "inject-cabundle")


@Caution(
    "ca-bundle-without-certificate",
    "CA bundle contains no certificate, so that the CRD is not established",
    scope="spec",
    observed=("ca-bundle-without-certificate",),
    why="The API server creates the CRD, but sets its condition `Established` to `False` (InvalidCABundle), and does not serve "
    "the resource before the CA bundle is valid.",
    help="Remove `caBundle`, or add the annotation of the tool that injects it, such as `cert-manager.io/inject-ca-from`",
    bad=_NO_CERTIFICATE,
    good="conversion: {strategy: None}",
).practice
def _no_certificate(crd: DecodedCRD) -> Iterator[Advisory]:
    bundle = _own_bundle(crd)
    if not bundle:
        return
    from crdlint.rules.server.conversion import ca_bundle  # few CRDs need it

    if any(True for _ in ca_bundle(bundle, _CA_BUNDLE)):
        message = "`caBundle` has no certificate: the API server does not serve the resource"
        yield Advisory(message, _CA_BUNDLE)


_CA_BUNDLE: Final = Path("spec").child("conversion", "webhookClientConfig", "caBundle")


def _own_bundle(crd: DecodedCRD) -> bytes:
    """Return the CA bundle of the conversion webhook, empty if there is none, or if a tool sets it."""
    client = crd.spec.conversion_client
    is_injected = any(word in name for name in crd.annotations for word in INJECTORS)
    return b"" if client is None or is_injected else client.ca_bundle or b""


_EXPIRED: Final = (  # a certificate that was valid until the end of 2020
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJMakNCMWFBREFnRUNBaFJJYzBhditTUytpYVdQR21k"
    "QWhKMDV5U0JJdkRBS0JnZ3Foa2pPUFFRREFqQU4KTVFzd0NRWURWUVFEREFKallUQWVGdzB5TURBeE1ERXdN"
    "REF3TURCYUZ3MHlNVEF4TURFd01EQXdNREJhTUEweApDekFKQmdOVkJBTU1BbU5oTUZrd0V3WUhLb1pJemow"
    "Q0FRWUlLb1pJemowREFRY0RRZ0FFNFd0WE4zYUxUNnh1ClN1ajFIQ0JZOGgwaXQ5Vk1GTEhTSUVVSTJ0dXpW"
    "S1VsWm9KZ04xWmtHaVlWdEYzcE9mY3ZNT2crZFhZUktRcjQKcXB6Rk5KTEFGS01UTUJFd0R3WURWUjBUQVFI"
    "L0JBVXdBd0VCL3pBS0JnZ3Foa2pPUFFRREFnTklBREJGQWlFQQppL1d6MVI1VmxRL3VJa3lWTzhoME5uZXpo"
    "YkU4WkJOeWFmV3NhTkU0V2pvQ0lGL3VMU1dSQS94bXZobXlidjdaClFmdldTQmI4UHdma3pGenBWSlN0TnB4"
    "cQotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg=="
)


@Caution(
    "ca-bundle-expired",
    "Every certificate of the CA bundle has expired",
    scope="spec",
    observed=("ca-bundle-expired",),
    why="The API server accepts the CRD, but does not trust the webhook: each conversion fails with `x509: certificate has expired "
    "or is not yet valid`. Requests that need no conversion succeed.",
    help="Write the current CA bundle, or remove `caBundle` and let cert-manager's CA injector set it",
    bad=_NO_CERTIFICATE.replace("Cg==", _EXPIRED),
    good="conversion: {strategy: None}",
).practice
def _expired(crd: DecodedCRD) -> Iterator[Advisory]:
    bundle = _own_bundle(crd)
    if not bundle:
        return
    from crdlint.golang.encodings import valid_until  # few CRDs need it

    end = valid_until(bundle)
    if end is not None and end < datetime.now(timezone.utc):
        message = f"`caBundle` has expired on {end:%Y-%m-%d}: each conversion fails"
        yield Advisory(message, _CA_BUNDLE)


_COMPARED: Final = frozenset({"_>_", "_<_", "_>=_", "_<=_"})
# Functions of a text, as an argument and as methods.
_OF_TEXTS: Final = frozenset(
    {"size", "quantity", "isQuantity", "url", "isURL", "ip", "isIP", "cidr", "isCIDR"}
)
_OF_TEXT: Final = frozenset({"matches", "startsWith", "endsWith", "contains", "size", "find"})
_INT_OR_STRING: Final = "a: {type: object, properties: {x: {x-kubernetes-int-or-string: true}}, "


def _rule(text: str) -> str:
    return f'{_INT_OR_STRING}x-kubernetes-validations: [{{rule: "{text}"}}]}}'


@Caution(
    "rule-for-one-type",
    "Rule fails for the integers, or for the strings, of an int-or-string",
    observed=("quantity-of-an-int-or-string",),
    why="A comparison with a number fails for strings; `matches`, `quantity` and other functions of texts fail for integers. "
    "The API server then rejects the object with `no such overload`.",
    help="Check `type(...)` first",
    marker="correct `+kubebuilder:validation:XValidation`",
    bad=_rule("!has(self.x) || self.x > 0"),
    good=_rule("!has(self.x) || type(self.x) == string || self.x > 0"),
).practice
def _one_type(crd: DecodedCRD) -> Iterator[Advisory]:
    return on_rules(crd, _failing)


def _failing(rule: EstimatedRule) -> Iterator[Advisory]:
    """Yield the first operation of a rule that fails for one type of values."""
    if rule.compiled.rule.error is not None or "type(" in rule.rule.rule:
        return
    from crdlint.cel.source_ranges import range_at  # few CRDs have a rule that needs it

    compiled = rule.compiled.rule.compiled
    for operand in _certain(compiled.expr):
        failing = _operation(operand, rule.node.schema)
        if failing is None:
            continue
        expr, name, fails_for, conversion = failing
        source = compiled.source
        span = range_at(source.text, source.offsets[expr.id][0])
        message = f"the rule fails if `{name}` is {fails_for}: it is an int-or-string"
        read = f"self.{name}" if rule.node.schema.properties else "self"
        needed = "int" if fails_for == _STRING else "string"
        help_ = (
            OneCommand(f"Write `{conversion}(string({read}))`")
            if conversion
            else f"Check `type({read}) == {needed}` first"
        )
        yield Advisory(message, rule.path, help_, inside=span)
        return


_STRING: Final = "a string"
_INTEGER: Final = "an integer"


def _certain(root: Expr) -> Iterator[Expr]:
    """Yield the parts of a rule without which it has no value if its optional fields are set."""
    from crdlint.cel.ast import Call, operands

    for part in operands(root, "_&&_"):
        rest = [each for each in operands(part, "_||_") if not _is_absence(each)]
        if len(rest) != 1:
            continue
        pending = rest
        while pending:
            expr = pending.pop()
            yield expr
            if isinstance(expr, Call) and expr.function not in {"_||_", "_&&_", "_?_:_"}:
                pending += expr.args
                pending += [expr.target] if expr.target is not None else []


def _is_absence(expr: Expr) -> bool:
    """Return whether an expression is `!has(...)`."""
    from crdlint.cel.ast import Call, Select

    if not isinstance(expr, Call) or expr.function != "!_":
        return False
    (operand,) = expr.args
    return isinstance(operand, Select) and operand.test_only


def _operation(expr: Expr, schema: JSONSchemaProps) -> tuple[Expr, str, str, str] | None:
    """Return an operation on an int-or-string, the name of the field, the type for which it fails, and a function of texts."""
    from crdlint.cel.ast import Call

    if not isinstance(expr, Call):
        return None
    if expr.function in _COMPARED:
        return _comparison(expr, schema)
    is_of_text = expr.function in _OF_TEXTS and len(expr.args) == 1 and expr.target is None
    is_method = expr.function in _OF_TEXT and expr.target is not None
    text = expr.args[0] if is_of_text else expr.target if is_method else None
    name = None if text is None else _int_or_string(text, schema)
    return None if name is None else (expr, name, _INTEGER, expr.function if is_of_text else "")


def _comparison(expr: Call, schema: JSONSchemaProps) -> tuple[Expr, str, str, str] | None:
    """Return what `_operation` returns for a comparison of two operands, one of which is a literal."""
    from crdlint.cel.ast import Literal

    left, right = expr.args
    for side, other in ((left, right), (right, left)):
        name = _int_or_string(side, schema)
        if name is not None and isinstance(other, Literal):
            is_text = isinstance(other.value, str)
            return expr, name, _INTEGER if is_text else _STRING, ""
    return None


def _int_or_string(expr: Expr, schema: JSONSchemaProps) -> str | None:
    """Return the path of an int-or-string below `self`, `self` for itself, or None for other expressions."""
    from crdlint.cel.ast import Ident, Select

    names: list[str] = []
    while isinstance(expr, Select) and not expr.test_only:
        names.append(expr.field)
        expr = expr.operand
    if not isinstance(expr, Ident) or expr.name != "self":
        return None
    at_names = value_schema(schema, names[::-1])
    is_one = at_names is not None and at_names.x_int_or_string
    return (".".join(names[::-1]) or "self") if is_one else None
