"""Sets of rules that a team can request by one name, and the rules that are only reported on request.

Nothing is imported here, since every run reads it.
"""

from __future__ import annotations

from itertools import chain
from typing import Final

SETS: Final[dict[str, tuple[str, ...]]] = {
    "conventions": (
        "allof-duplicate",
        "array-items-all-optional",
        "bool",
        "category-all",
        "conditions-nonstandard",
        "default-below-optional",
        "description-missing",
        "enum-not-pascal",
        "enum-numeric",
        "field-name-not-camel",
        "float-in-spec",
        "integer-without-format",
        "map-of-objects",
        "name-duration",
        "name-is-bool",
        "name-phase",
        "name-reference",
        "name-timestamp",
        "nested-object-prunes-everything",
        "nullable",
        "observed-generation-missing",
        "plain-secret",
        "plural-same-as-builtin",
        "printer-column-date-without-format",
        "printer-column-duplicate-name",
        "printer-column-not-scalar",
        "printer-column-type-mismatch",
        "printer-columns-lose-age",
        "root-extra-fields",
        "rule-as-schema",
        "rule-duplicate",
        "rule-without-message",
        "scale-without-selector",
        "short-name-shadows-builtin",
        "spec-optional-hides-required",
        "status-children-required",
        "status-subresource-without-schema",
    ),
    "ssa": (
        "conditions-not-map",
        "list-of-named-objects-atomic",
        "list-type-missing",
        "ref-not-atomic",
        "selector-not-atomic",
    ),
    "gitops": (
        "leftover-field",
        "names-defaulted",
        "not-stored",
    ),
    "stability": (
        "all-versions-deprecated",
        "default-differs-between-versions",
        "deprecated-without-warning",
        "none-conversion-loses-fields",
        "storage-version-deprecated",
        "storage-version-less-stable",
        "type-differs-between-versions",
        "webhook-without-ca",
    ),
    "limits": (
        "integer-unbounded",
        "list-unbounded",
        "pattern-half-anchored",
        "pattern-unanchored",
        "string-unbounded",
    ),
}

# Members of sets that are reported by default, too.
_BY_DEFAULT: Final = frozenset({"not-stored"})

# In no set: a merge that only some clients reject, and changes of a CRD that break nothing.
_IN_NO_SET: Final = frozenset(
    {
        "change-category-removed", "change-enum-removed", "change-enum-value-added", "change-field-added",
        "change-field-untyped", "change-format-loosened", "change-junctor-removed", "change-limit-loosened",
        "change-map-type", "change-names", "change-nullable-added", "change-pattern-removed",
        "change-printer-column-removed", "change-required-removed", "change-required-with-default",
        "change-rule-removed", "change-short-name-removed", "change-version-added", "change-version-deprecated",
        "merge-key-override",
    }
)  # fmt: skip

ON_REQUEST: Final = (_IN_NO_SET | frozenset(chain(*SETS.values()))) - _BY_DEFAULT
"""Rules that are only reported where the configuration names them or their set (`Rule.on_request`)."""

# What several versions or a webhook decide, which a build or a chart may add: only for CRDs that are complete.
OF_WHOLE_CRDS: Final = frozenset(
    {
        "type-differs-between-versions",
        "none-conversion-loses-fields",
        "default-differs-between-versions",
        "webhook-without-ca",
    }
)


def sets_of(rule: str) -> tuple[str, ...]:
    """Return the names of the sets that a rule is in."""
    return tuple(name for name, rules in SETS.items() if rule in rules)
