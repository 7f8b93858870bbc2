"""Names that do not exist: which of the existing ones a help commands, which it asks about, and which it only lists."""

from __future__ import annotations

from crds import crd_with_schema, crd_with_spec
from tables import each

from crdlint.diagnostics import Diagnostic
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.spelling import SimilarName, meant


def findings(text: str) -> list[Diagnostic]:
    """Return the errors of the expressions in a text, with their fixes."""
    result = lint_file(text, "x", CheckRequest(fixes=True))
    return [each for each in result.diagnostics if each.rule == "cel-compilation"]


# Two things each: no help may command the one in place of the other.
TWO_THINGS = (
    "restore source", "minReplicas maxReplicas", "enabled disabled", "cpu gpu", "strategy category",
    "version revision", "namespace name", "host port", "start state", "image imageTag", "node mode",
    "size side", "weight height", "path patch", "ingress egress", "import export",
    "include exclude", "internal external", "internal interval", "before after", "http https",
    "tls mtls", "user users", "schedule scheduler", "hostPath hostPort",
    "targetCpuPercent targetGpuPercent", "phase phrase", "shard shared", "server sever",
    "country county", "present preset", "crate create", "trail trial", "field filed",
    "readOnly readOnce", "ipv4 ipv6", "startTime endTime", "lock unlock", "secretName secretNames",
    "policy policies", "schedules schedulers", "routes routers", "provides providers",
    "phases phrases", "trials trails", "protection projection", "tracing tracking",
    "sharding sharing", "cases causes", "tries tires", "beta beat", "resolution revolution",
    "volumeProjection volumeProtection", "exits exists", "contact contract",
    "throughput throughout", "retried retired", "loadBalance loadBalancer", "contained containerd",
    "spare sparse",
)  # fmt: skip
# A slip of the keyboard, and what is meant.
SLIPS = (
    "imgae image",
    "replcias replicas",
    "repplicas replicas",
    "nmae name",
    "max_length maxLength",
    "Hosts hosts",
    "conatinerPort containerPort",
    "deploymwnt deployment",
    "namespcae namespace",
    "tlsSecrt tlsSecret",
)


@each("pair", TWO_THINGS)
def test_two_things_are_not_mistaken_for_each_other(pair: str) -> None:
    one, other = pair.split()
    for written, existing in ((one, other), (other, one)):
        found = meant(written, [existing, "paused"])
        assert found is None or not found.is_known
        text = crd_with_spec(
            f"{{type: object, properties: {{{existing}: {{type: string}}, paused: {{type: boolean}}}},"
            f" x-kubernetes-validations: [{{rule: '!has(self.{written})', message: no}}]}}"
        )
        (diagnostic,) = findings(text)
        assert diagnostic.fix is None
        assert (diagnostic.help or "").startswith(("Add `", "Did you mean `"))


@each("pair", SLIPS)
def test_a_slip_is_corrected(pair: str) -> None:
    written, existing = pair.split()
    assert meant(written, [existing, "paused"]) == SimilarName(existing, is_known=True)


def test_a_name_that_may_be_one_of_two_is_not_guessed() -> None:
    assert meant("replicsa", ["replicas", "replicase"]) == SimilarName("replicas", is_known=True)
    assert meant("volmue", ["volume", "vlomue"]) is None
    assert meant("replica", ["replicas"]) == SimilarName("replicas", is_known=False)
    assert meant("replica", ["replicas"], typed=True) == SimilarName("replicas", is_known=True)


def test_fields_of_metadata_that_no_rule_can_read() -> None:
    text = crd_with_schema(
        "type: object\nx-kubernetes-validations: [{rule: self.metadata.labels.size() > 0, message: no}]\n"
    )
    (diagnostic,) = findings(text)
    assert "rules can read only `metadata.name` and `metadata.generateName`" in (
        diagnostic.help or ""
    )


# The path of a column where the schema has `.spec.replicas` and `.status.phase`, and the help.
COLUMNS = {
    ".spec.replcias": "Write `.spec.replicas`, or add `replcias` to the schema",
    ".spec.replica": "Did you mean `.spec.replicas`? Otherwise add `replica` to the schema, or remove the column",
    ".status.phse": "Did you mean `.status.phase`? Otherwise add `phse` to the schema, or remove the column",
    ".spec.phase": "Write `.status.phase`, or add `phase` to the schema",
    ".Status.Phase": "Write `.status.phase`, or add `Status` to the schema",
    ".metadata.creationTimeStamp": "Write `.metadata.creationTimestamp`",
    ".metadata.annotation": "Did you mean `.metadata.annotations`? Otherwise remove the column",
    ".metadata.age": "Write a field of every object's metadata, such as `labels`, or remove the column",
    ".spec.mode": "Correct the `jsonPath`, add the field to the schema, or remove the column",
}


@each("path", COLUMNS)
def test_the_path_of_a_column_is_commanded_asked_or_left(path: str) -> None:
    spec = "spec: {type: object, properties: {replicas: {type: integer}}}"
    status = "status: {type: object, properties: {phase: {type: string}}}"
    schema = crd_with_schema(f"type: object\nproperties: {{{spec}, {status}}}\n")
    column = f"    additionalPrinterColumns: [{{name: A, type: string, jsonPath: {path}}}]\n"
    found = lint_file(schema + column, "x", CheckRequest()).diagnostics
    assert [one.help for one in found if one.rule == "printer-column-dead-path"] == [COLUMNS[path]]


def test_a_version_with_wrong_values_is_not_unfinished() -> None:
    text = crd_with_schema("type: object\n")
    for line in ("served: true", "storage: true"):
        assert line in text
        text = text.replace(line, line.replace("true", "ja"))
    found = lint_file(text, "x", CheckRequest()).diagnostics
    [storage] = [one for one in found if one.message.endswith("marked as storage version")]
    assert storage.headline == "no version has `storage: true`"
