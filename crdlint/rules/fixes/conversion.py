"""Fixes for the findings of `rules/server/conversion.py`."""

from __future__ import annotations

from typing import Final

from crdlint.crd.errors import (
    Code,
)
from crdlint.rules.engine.edits import Edits, expect
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf, nearest_of
from crdlint.rules.server.conversion import (
    CONFIG,
    GOOD,
    REVIEW_VERSIONS,
    SERVICE,
    STRATEGIES,
    STRATEGY,
    URL,
    webhook_conversion,
)
from crdlint.yaml.nodes import Mapping, Sequence, text_of


@Fixer("Call the webhook that is configured", "unsafe").example(
    bad=GOOD.replace("  strategy: Webhook\n", "")
)
def _webhook_strategy(finding: FieldFinding) -> Edits:
    """Set the strategy that a webhook needs; one that is set to another one may be meant."""
    editor, conversion = finding.editor, expect(Mapping, finding.root, "spec", "conversion")
    webhook, strategy = expect(Mapping, conversion, "webhook"), conversion.find("strategy")
    is_open = strategy is None or not text_of(strategy[1])
    is_configured = is_open and webhook.find("clientConfig") is not None
    if finding.reason(Code.NO_WEBHOOK_STRATEGY) and is_configured:
        yield editor.set(
            conversion,
            "strategy",
            editor.value("Webhook"),
            before=editor.first(conversion),
        )


@Fixer("Add `v1`", "safe").example(good=webhook_conversion(versions="[v2, v1]"))
def _known_review_version(finding: FieldFinding) -> Edits:
    editor, webhook = finding.editor, expect(Mapping, finding.root, "spec", "conversion", "webhook")
    versions = webhook.find("conversionReviewVersions")
    if finding.name != "conversionReviewVersions":
        return
    if versions is None or not isinstance(versions[1], Sequence) or not versions[1].items:
        yield editor.set(webhook, "conversionReviewVersions", f"[{editor.value('v1')}]")
    else:
        yield editor.append(versions[1], editor.value("v1"))


@Fixer("Call the webhook by https", "unsafe").example(
    bad=webhook_conversion("{url: 'http://example.com/convert'}"),
    good=webhook_conversion("{url: 'https://example.com/convert'}"),
)
def _https(finding: FieldFinding) -> Edits:
    node = finding.scalar()
    if node.value.startswith("http://"):
        yield finding.editor.respell(node, f"https://{node.value.removeprefix('http://')}")


@Fixer("Write the version as it is named", "safe").example(
    bad=webhook_conversion(versions="[V1]"), good=webhook_conversion(versions="[v1]")
)
def _lower_review_version(finding: FieldFinding) -> Edits:
    node = finding.scalar()
    version = node.value.lower().rpartition("/")[2]
    if version != node.value and version in {"v1", "v1beta1"}:
        yield finding.editor.respell(node, version)


@Fixer("Remove the repetition", "safe").example(bad=webhook_conversion(versions="[v1, v1]"))
def _repeated_review_version(finding: FieldFinding) -> Edits:
    return finding.remove_item() if finding.reason(Code.NOT_UNIQUE) else []


@Fixer("Begin the path with a slash", "safe").example(
    bad=webhook_conversion("{service: {namespace: default, name: convert, path: convert}}"),
    good=webhook_conversion("{service: {namespace: default, name: convert, path: /convert}}"),
)
def _rooted_path(finding: FieldFinding) -> Edits:
    node = finding.scalar()
    if finding.name == "path" and node.value and not node.value.startswith("/"):
        yield finding.editor.respell(node, f"/{node.value}")


FIXES: Final = FixesOf(
    FieldFinding,
    {
        STRATEGY.id: (
            Fixer(
                "Correct the strategy",
                "safe",
                nearest_of(STRATEGIES, 0.7),
                bad="conversion: {strategy: none}",
                good="conversion: {strategy: None}",
            ),
        ),
        CONFIG.id: (_webhook_strategy,),
        REVIEW_VERSIONS.id: (
            _lower_review_version,
            _known_review_version,
            _repeated_review_version,
        ),
        URL.id: (_https,),
        SERVICE.id: (_rooted_path,),
    },
)
