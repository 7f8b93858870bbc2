"""Advice about what the API server accepts in a CRD, but rejects in its objects, or does not serve."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Final

from crds import SMALLEST, crd_with_spec
from tables import each

from crdlint import lint_text

_KEYS: Final = "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]"
_ITEMS: Final = (
    "items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}"
)
_SET: Final = "type: array, x-kubernetes-list-type: set, items: {type: string}"
# Defaults, and whether an object cannot have them.
DEFAULTS: Final = {
    f"l: {{type: array, {_KEYS}, {_ITEMS}, default: [{{k: a}}, {{k: a, v: b}}]}}": True,
    f"l: {{type: array, {_KEYS}, {_ITEMS}, default: [{{k: a}}, {{k: b}}]}}": False,
    f"l: {{{_SET}, default: [a, b, a]}}": True,
    f"l: {{{_SET}, default: [a, b]}}": False,
    f"l: {{{_SET}, default: []}}": False,
    "l: {type: array, items: {type: string}, default: [a, a]}": False,
    f"o: {{type: object, properties: {{l: {{{_SET}}}}}, default: {{l: [a, a]}}}}": True,
    f"o: {{type: object, properties: {{l: {{{_SET}}}}}, default: {{l: [a]}}}}": False,
    f"m: {{type: object, additionalProperties: {{{_SET}}}, default: {{x: [a, a]}}}}": True,
}
_INT_OR_STRING: Final = "{x-kubernetes-int-or-string: true}"
_X: Final = f"{{x: {_INT_OR_STRING}, m: {{type: integer}}, o: {{type: object, properties: {{z: {_INT_OR_STRING}}}}}}}"
# Rules, and what their finding says.
RULES: Final = {
    "self.x > 0": "`x` is a string",
    "0 < self.x": "`x` is a string",
    "!has(self.x) || self.x >= 1": "`x` is a string",
    "self.m > 0 && (!has(self.x) || self.x <= 5)": "`x` is a string",
    "!has(self.o) || !has(self.o.z) || self.o.z > 0": "`o.z` is a string",
    "self.x < '5'": "`x` is an integer",
    "quantity(self.x).isGreaterThan(quantity('0'))": "`x` is an integer",
    "!has(self.x) || quantity(self.x).compareTo(quantity('0')) > 0": "`x` is an integer",
    "isQuantity(self.x)": "`x` is an integer",
    "!has(self.x) || isURL(self.x)": "`x` is an integer",
    "self.x.matches('^[0-9]+%$')": "`x` is an integer",
    "!has(self.x) || self.x.size() > 2": "`x` is an integer",
    "self.x.matches('^[0-9]+%$') || self.x == 1": None,
    "isQuantity(string(self.x))": None,
    "!has(self.x) || quantity(string(self.x)).isGreaterThan(quantity('0'))": None,
    "!has(self.x) || int(self.x) > 0": None,
    "!has(self.x) || type(self.x) == string || self.x > 0": None,
    "type(self.x) == int ? self.x > 0 : self.x.matches('%$')": None,
    "self.x == 'all' || self.x > 0": None,
    "self.x == 5 || self.x == 'a'": None,
    "self.m > 0": None,
    "[self.x].all(e, e > 0)": None,
}
_CLIENT: Final = "{conversionReviewVersions: [v1], clientConfig: {caBundle: %s, url: https://a.b}}"
_BUNDLE: Final = f"spec:\n  conversion: {{strategy: Webhook, webhook: {_CLIENT}}}"
_PEM: Final = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="  # the beginning of a certificate
BUNDLES: Final = {
    (_BUNDLE % "Cg==", ""): True,
    (_BUNDLE % _PEM, ""): True,
    (_BUNDLE % '""', ""): False,
    (_BUNDLE % "Cg==", "cert-manager.io/inject-ca-from: a/b"): False,
    (_BUNDLE % "Cg==", 'service.beta.openshift.io/inject-cabundle: "true"'): False,
    (_BUNDLE % "Cg==", "other: a"): True,
}

# Certificates that expired in 2021 and that expire in 9999; both are of real key pairs.
_EXPIRED: Final = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJMakNCMWFBREFnRUNBaFJJYzBhditTUytpYVdQR21k"
    "QWhKMDV5U0JJdkRBS0JnZ3Foa2pPUFFRREFqQU4KTVFzd0NRWURWUVFEREFKallUQWVGdzB5TURBeE1ERXdN"
    "REF3TURCYUZ3MHlNVEF4TURFd01EQXdNREJhTUEweApDekFKQmdOVkJBTU1BbU5oTUZrd0V3WUhLb1pJemow"
    "Q0FRWUlLb1pJemowREFRY0RRZ0FFNFd0WE4zYUxUNnh1ClN1ajFIQ0JZOGgwaXQ5Vk1GTEhTSUVVSTJ0dXpW"
    "S1VsWm9KZ04xWmtHaVlWdEYzcE9mY3ZNT2crZFhZUktRcjQKcXB6Rk5KTEFGS01UTUJFd0R3WURWUjBUQVFI"
    "L0JBVXdBd0VCL3pBS0JnZ3Foa2pPUFFRREFnTklBREJGQWlFQQppL1d6MVI1VmxRL3VJa3lWTzhoME5uZXpo"
    "YkU4WkJOeWFmV3NhTkU0V2pvQ0lGL3VMU1dSQS94bXZobXlidjdaClFmdldTQmI4UHdma3pGenBWSlN0TnB4"
    "cQotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg=="
)
_CURRENT: Final = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJDVENCcjZBREFnRUNBZ0VGTUFvR0NDcUdTTTQ5QkFN"
    "Q01BMHhDekFKQmdOVkJBTU1BbU5oTUNBWERUSXcKTURFd01UQXdNREF3TUZvWUR6azVPVGt3TVRBeE1EQXdN"
    "REF3V2pBTk1Rc3dDUVlEVlFRRERBSmpZVEJaTUJNRwpCeXFHU000OUFnRUdDQ3FHU000OUF3RUhBMElBQkxR"
    "anNHbVpSaExpM3kyalVKc0JBSmtkeklkb0ROWjlaOXdOCm1hN2ZzeFFQM3ZwVmxrUko2RFRRazlJWlhWK3px"
    "RVFnczBUTEVxRWVWM01aVDJGRFN2Z3dDZ1lJS29aSXpqMEUKQXdJRFNRQXdSZ0loQU1BajRDaG9EWjZuODY1"
    "TFZRbUhtWHFnYVAvNm1lbkhoUHNMNWpBWFhiQ1JBaUVBMCtiUwpXbHFTakVlb1hNNlhQMjR3aUZpeHZxWUxm"
    "U0JtQXhFcUVqVnhRTm89Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K"
)


def _bundle(*certificates: str) -> str:
    pem = b"".join(map(b64decode, certificates))
    return b64encode(pem).decode()


EXPIRED: Final = {
    (_bundle(_EXPIRED), ""): True,
    (_bundle(_EXPIRED, _EXPIRED), ""): True,
    (_bundle(_EXPIRED, _CURRENT), ""): False,
    (_bundle(_CURRENT), ""): False,
    (_bundle(_EXPIRED), "cert-manager.io/inject-ca-from: a/b"): False,
    ("Cg==", ""): False,
    (_PEM, ""): False,
}


def messages(text: str, rule: str) -> list[str]:
    findings = lint_text(text)
    assert not [each for each in findings if each.severity == "error"]
    return [each.message for each in findings if each.rule == rule]


@each(("fields", "is_refused"), DEFAULTS.items())
def test_defaults_with_equal_items(fields: str, is_refused: bool) -> None:
    text = crd_with_spec(f"type: object\nproperties: {{{fields}}}")
    assert len(messages(text, "default-list-duplicates")) == is_refused


@each(("rule", "reason"), RULES.items())
def test_rules_on_one_type_of_an_int_or_string(rule: str, reason: str | None) -> None:
    text = f'type: object\nproperties: {_X}\nx-kubernetes-validations:\n- rule: "{rule}"'
    found = messages(crd_with_spec(text), "rule-for-one-type")
    assert found == ([f"the rule fails if {reason}: it is an int-or-string"] if reason else [])


def test_a_rule_on_the_int_or_string_itself() -> None:
    rules = "x-kubernetes-validations: [{rule: self > 0}]"
    text = f"type: object\nproperties: {{x: {{x-kubernetes-int-or-string: true, {rules}}}}}"
    assert len(messages(crd_with_spec(text), "rule-for-one-type")) == 1


@each(("parts", "is_reported"), BUNDLES.items())
def test_ca_bundles(parts: tuple[str, str], is_reported: bool) -> None:
    spec, annotation = parts
    text = SMALLEST.replace("spec:", spec, 1)
    if annotation:
        text = text.replace("metadata:", f"metadata:\n  annotations: {{{annotation}}}", 1)
    assert len(messages(text, "ca-bundle-without-certificate")) == is_reported


@each(("parts", "is_reported"), EXPIRED.items())
def test_bundles_whose_certificates_have_all_expired(
    parts: tuple[str, str], is_reported: bool
) -> None:
    bundle, annotation = parts
    text = SMALLEST.replace("spec:", _BUNDLE % bundle, 1)
    if annotation:
        text = text.replace("metadata:", f"metadata:\n  annotations: {{{annotation}}}", 1)
    found = messages(text, "ca-bundle-expired")
    expected = "`caBundle` has expired on 2021-01-01: each conversion fails"
    assert found == [expected] * is_reported
