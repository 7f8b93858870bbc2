"""The switches of validation, which depend on create or on the old CRD. Upstream: validationOptions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.rules.engine.common import Common
from crdlint.safety.work import Effort


@dataclass(frozen=True, slots=True)
class Options:
    """The switches of apiextensions validation; the defaults are those of a create.

    `effort` is the remaining work for helps of the file; `common` contains results of validations for other servers.
    `walk_only` leaves out defaults and rules, which take longer than the walk over a schema.
    """

    require_recognized_conversion_review_version: bool = True
    require_immutable_names: bool = False
    require_open_api_schema: bool = True
    require_valid_property_type: bool = True
    require_structural_schema: bool = True
    require_pruned_defaults: bool = True
    require_atomic_set_type: bool = True
    require_map_list_keys_map_set_validation: bool = True
    preexisting_rules: frozenset[str] = frozenset()
    preexisting_message_expressions: frozenset[str] = frozenset()
    versions_with_unchanged_schemas: frozenset[str] = frozenset()
    suppress_per_expression_cost: bool = False
    allow_invalid_ca_bundle: bool = True
    allow_too_many_selectable_fields: frozenset[str] = frozenset()
    server: Server = NEWEST
    effort: Effort = field(default_factory=Effort, compare=False)
    common: Common = field(default_factory=Common, compare=False)
    walk_only: bool = False

    def with_structural_schema(self) -> Options:
        """Return the options with structural schemas required."""
        return self if self.require_structural_schema else replace(self, require_structural_schema=True)

    def for_version(self, version: str) -> Options:
        """Return the options for the schema of a version: unchanged schemas may keep the cost of their rules."""
        if version in self.versions_with_unchanged_schemas and not self.suppress_per_expression_cost:
            return replace(self, suppress_per_expression_cost=True)
        return self
