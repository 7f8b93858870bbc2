# ruff: noqa: E501  messages as they are
"""What the server says in cases that few CRDs reach: webhooks, the factor of a cost, schemas of dependencies."""

from __future__ import annotations

from crds import SMALLEST, crd_with_schema
from tables import each

import crdlint
from crdlint.kubernetes.servers import NEWEST_VERSION


def webhook(client: str, versions: str = "[v1]") -> str:
    review = f"webhook: {{conversionReviewVersions: {versions}, clientConfig: {client}}}"
    return SMALLEST.replace("  scope:", f"  conversion: {{strategy: Webhook, {review}}}\n  scope:")


def service(fields: str) -> str:
    return webhook(f"{{service: {{name: a, namespace: b, {fields}}}}}")


def properties(fields: str) -> str:
    return crd_with_schema(f"type: object\nproperties: {{{fields}}}\n")


def costing(items: int) -> str:
    rule = "x-kubernetes-validations: [{rule: self > 1}]"
    return properties(f"a: {{type: array, maxItems: {items}, items: {{type: integer, {rule}}}}}")


def keys(listed: str) -> str:
    of_map = f"x-kubernetes-list-type: map, x-kubernetes-list-map-keys: {listed}"
    return properties(
        f"a: {{type: array, {of_map}, items: {{type: object, required: [k], properties: {{k: {{type: string}}}}}}}}"
    )


URL = 'spec.conversion.webhookClientConfig.url: Invalid value: "%s": %s'
SERVICE = "spec.conversion.webhookClientConfig.service.%s"
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
REVIEWED = "spec.conversion.conversionReviewVersions"
KEYS = "spec.validation.openAPIV3Schema.properties[a].x-kubernetes-list-map-keys: Invalid value"
COST = "spec.validation.openAPIV3Schema.properties[a]%s.x-kubernetes-validations[0].{0}: Forbidden: estimated {0} cost exceeds budget by factor of %s (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
DEPENDENCIES = "spec.validation.openAPIV3Schema.properties[a].dependencies%s"
CASES = {
    "URL with a user and a fragment": (webhook("{url: 'https://u:p%20q@a/#b'}"), NEWEST_VERSION, [
        URL % ("u:p%20q", "user information is not permitted in the URL"),
        URL % ("b", "fragments are not permitted in the URL"),
    ]),
    "URL with a query and no host": (webhook("{url: 'https:?a=b'}"), NEWEST_VERSION, [
        URL % ("", "host must be specified; desired format: https://host[/path]"),
        URL % ("a=b", "query parameters are not permitted in the URL"),
    ]),
    "service without a name": (webhook("{service: {namespace: b}}"), NEWEST_VERSION, [f"{SERVICE % 'namespace'}: Required value"]),
    "service without a namespace": (webhook("{service: {name: a}}"), NEWEST_VERSION, [f"{SERVICE % 'name'}: Required value"]),
    "port": (service("port: 65536"), NEWEST_VERSION, [
        f"{SERVICE % 'port'}: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive",
    ]),
    "approval": (SMALLEST.replace("example.com", "example.k8s.io").replace("  name: foos", "  annotations: {api-approved.kubernetes.io: yes sir}\n  name: foos"), NEWEST_VERSION, [
        'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "yes sir": protected groups must have approval annotation '
        '"api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
    ]),
    "the ends of a range": (properties("a: {type: integer, format: int32, minimum: -2147483648, maximum: 2147483647, default: 0}"), NEWEST_VERSION, []),
    "path whose first character has two bytes": (service("path: é"), NEWEST_VERSION, [
        f"{SERVICE % 'path'}: Invalid value: \"é\": must start with a '/'",
        f'{SERVICE % "path"}: Invalid value: "é": segment[0]: {SUBDOMAIN}',
    ]),
    "review versions": (webhook("{service: {name: a, namespace: b}}", "[v2, v2]"), NEWEST_VERSION, [
        f'{REVIEWED}[1]: Invalid value: "v2": duplicate version',
        f'{REVIEWED}: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
    ]),
    "review versions in Go's syntax": (webhook("{service: {name: a, namespace: b}}", "[v2]"), "1.33", [
        f'{REVIEWED}: Invalid value: []string{{"v2"}}: must include at least one of v1, v1beta1',
    ]),
    "keys in Go's syntax": (keys("[k, x]"), "1.33", [
        f'{KEYS}: []string{{"k", "x"}}: entries must all be names of item properties',
    ]),
    "repeated keys in Go's syntax": (keys("[k, k]"), "1.33", [
        f'{KEYS}: []string{{"k", "k"}}: must not contain duplicate entries',
    ]),
    "cost of 100 times the budget": (costing(500_000_000), NEWEST_VERSION, [COST.format("rule") % (".items", "100.0x")]),
    "cost of more": (costing(500_000_001), NEWEST_VERSION, [COST.format("rule") % (".items", "more than 100x")]),
    "cost of a message": (
        properties("a: {type: string, x-kubernetes-validations: [{rule: 'true', messageExpression: string(self.matches(self))}]}"),
        NEWEST_VERSION, [COST.format("messageExpression") % ("", "more than 100x")],
    ),
    "schema of a dependency": (properties("a: {type: object, dependencies: {b: {id: x}, c: [d]}}"), NEWEST_VERSION, [
        f"{DEPENDENCIES % ''}: Forbidden: dependencies is not supported",
        f"{DEPENDENCIES % '[b].id'}: Forbidden: id is not supported",
    ]),
}  # fmt: skip


@each(("text", "version", "messages"), CASES.values(), ids=CASES)
def test_what_the_server_says(text: str, version: str, messages: list[str]) -> None:
    told = [one.message for one in crdlint.lint_text(text, kube_version=version)]
    assert [message for message in told if "for entire OpenAPIv3 schema" not in message] == messages
