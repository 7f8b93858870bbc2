"""The Kubernetes API servers that crdlint supports, with one row per minor version.

A row contains the differences from the previous version. No other module compares versions: code receives a `Server`
and reads its switches, and data that depends on the version uses `ByVersion`. Each server is the latest patch release
of its minor version with its default feature gates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from enum import Enum, auto
from functools import cache, lru_cache
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from crdlint.kubernetes.dialect import CELDialect

Version: TypeAlias = "tuple[int, int]"
_T = TypeVar("_T")


class FieldState(Enum):
    """The treatment of an API field by a server: a field behind a disabled feature gate is decoded and dropped."""

    UNKNOWN = auto()
    DROPPED = auto()
    KNOWN = auto()


class FormatWarnings(Enum):
    """The types of schemas for which a server warns of an unrecognized format."""

    NONE = auto()
    STRINGS = auto()
    STRINGS_AND_NUMBERS = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Server:
    """One server, equal to itself only. Switches that are off by default are off on the oldest server in the table.

    ``ratchets_values`` accepts invalid values of a resource that an update leaves unchanged.
    ``enum_errors_block_rules`` runs no rule on a resource with a value that is not in an enum.
    ``ignores_object_versions`` checks rules, lists and embedded resources whatever version the apiVersion names.
    ``locates_status_errors`` reports errors in the status subresource at paths that begin with `status`.
    ``warns_of_sets_of_objects`` warns of `x-kubernetes-list-type: set` for lists of objects or of lists.
    ``requires_metadata_fields`` reports missing fields of owner references and managed fields as required, each at its index.
    ``keeps_examples`` rejects `example` and `externalDocs` on the metadata of the root, and beside the types of an int-or-string.
    ``checks_number_ranges`` applies the ranges of the formats int32, int64, float and double to values.
    ``keeps_message_expressions`` compiles on update the messageExpressions of the old CRD with the libraries for stored
    expressions.
    ``checks_ca_bundle_on_update`` rejects an update of an established CRD that makes its CA bundle invalid.
    ``keeps_too_many_selectable_fields`` accepts on update more than eight selectable fields that do not change.
    ``has_kubernetes_name_formats`` has the formats k8s-short-name and k8s-long-name, and applies them to defaults.
    ``checks_kubernetes_name_formats`` applies the formats k8s-short-name and k8s-long-name to resources.
    ``prints_json_values`` prints bad values as JSON, not in Go syntax.
    ``prints_failed_values`` prints the value that a rule rejects, not the name of its type.
    ``names_paths_in_decode_errors`` gives the whole path of a field that cannot be decoded, not its last part.
    """

    minor: int
    cel: CELDialect
    major: int = 1
    selectable_fields: FieldState = FieldState.UNKNOWN
    optional_old_self: FieldState = FieldState.UNKNOWN
    ratchets_values: bool = False
    enum_errors_block_rules: bool = False
    ignores_object_versions: bool = False
    locates_status_errors: bool = False
    keeps_examples: bool = False
    checks_number_ranges: bool = False
    keeps_message_expressions: bool = False
    checks_ca_bundle_on_update: bool = False
    keeps_too_many_selectable_fields: bool = False
    has_kubernetes_name_formats: bool = False
    checks_kubernetes_name_formats: bool = False
    format_warnings: FormatWarnings = FormatWarnings.NONE
    prints_json_values: bool = False
    prints_failed_values: bool = False
    names_paths_in_decode_errors: bool = False
    warns_of_sets_of_objects: bool = False
    requires_metadata_fields: bool = False

    @property
    def version(self) -> Version:
        """The version as (major, minor)."""
        return self.major, self.minor

    @property
    def unknown_fields(self) -> frozenset[str]:
        """The names in this table of the API fields that the server does not know."""
        return _fields_in(self, FieldState.UNKNOWN)

    @property
    def dropped_fields(self) -> frozenset[str]:
        """The names in this table of the API fields that the server drops."""
        return _fields_in(self, FieldState.DROPPED)

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    def __reduce__(self) -> tuple[Callable[[Version], Server], tuple[Version]]:
        return _server_of, (self.version,)  # the same server in another process


@cache
def _fields_in(server: Server, state: FieldState) -> frozenset[str]:
    return frozenset(field.name for field in fields(server) if getattr(server, field.name) is state)


_1_28: Final = Server(28, CELDialect(compatible_with=27, stored_with=28))

_1_29: Final = replace(
    _1_28,
    minor=29,
    cel=_1_28.cel._replace(
        compatible_with=28,
        stored_with=29,
        locates_macro_arguments=True,
        types_undeclared_methods=True,
        expects_bool_operands=True,
        null_unifies_either_way=True,
        validates_mixed_literals=True,
        formats_selected_types=True,
        presence_test_has_cost=False,
        saturates_factors=True,
        enum_bounds_strings=True,
        keeps_cost_of_unchanged_schemas=True,
    ),
    optional_old_self=FieldState.DROPPED,
    enum_errors_block_rules=True,
    ignores_object_versions=True,
)

_1_30: Final = replace(
    _1_29,
    minor=30,
    cel=_1_29.cel._replace(
        compatible_with=29,
        stored_with=30,
        sizes_comprehensions=True,
        resets_field_path=True,
        quantity_cost_by_length=True,
    ),
    selectable_fields=FieldState.DROPPED,
    optional_old_self=FieldState.KNOWN,
    ratchets_values=True,
)

_1_31: Final = replace(
    _1_30,
    minor=31,
    cel=_1_30.cel._replace(
        compatible_with=30,
        stored_with=31,
        exempts_whole_format_arguments=True,
        names_optional_type=True,
        checks_format_clauses=True,
        parser_locates_line_starts=False,
        selection_from_error_has_cost=False,
        keeps_errors_of_indexes=True,
    ),
    selectable_fields=FieldState.KNOWN,
    locates_status_errors=True,
    keeps_message_expressions=True,
    checks_ca_bundle_on_update=True,
)

_1_32: Final = replace(
    _1_31,
    minor=32,
    cel=_1_31.cel._replace(
        compatible_with=31,
        stored_with=32,
        parser_locates_line_starts=True,
        locates_line_starts=True,
        types_names_of_types=True,
        allows_offsets_beyond_text=True,
        contains_networks_by_prefix=True,
        hides_errors_of_ranges=True,
        url_has_size=True,
        compares_library_types_at_once=True,
    ),
)

_1_33: Final = replace(
    _1_32,
    minor=33,
    cel=_1_32.cel._replace(
        compatible_with=32,
        stored_with=33,
        has_exists_one_in_camel_case=True,
        hides_accumulator=True,
        hides_errors_of_ranges=False,
        reads_quoted_identifiers=True,
        quotes_syntax_errors=True,
        writes_powers_without_spaces=True,
        has_optional_list_functions=True,
        tracks_local_variables=True,
    ),
)

_1_34: Final = replace(
    _1_33,
    minor=34,
    cel=_1_33.cel._replace(
        compatible_with=33,
        stored_with=34,
        searches_empty_text_backwards=True,
        max_length_bounds_int_or_string=True,
    ),
    has_kubernetes_name_formats=True,
    format_warnings=FormatWarnings.STRINGS,
    prints_json_values=True,
)

_1_35: Final = replace(
    _1_34,
    minor=35,
    cel=_1_34.cel._replace(
        compatible_with=34,
        stored_with=35,
    ),
    keeps_too_many_selectable_fields=True,
    checks_kubernetes_name_formats=True,
    prints_failed_values=True,
    names_paths_in_decode_errors=True,
)

_1_36: Final = replace(
    _1_35,
    minor=36,
    cel=_1_35.cel._replace(
        compatible_with=35,
        stored_with=36,
    ),
    keeps_examples=True,
    checks_number_ranges=True,
    format_warnings=FormatWarnings.STRINGS_AND_NUMBERS,
)

_1_37: Final = replace(
    _1_36,
    minor=37,
    cel=_1_36.cel._replace(
        compatible_with=36,
        stored_with=37,
        has_quoted_identifiers=True,
        checks_offsets_of_empty_text=True,
        limits_ranges=True,
        converts_int_to_duration=False,
        caps_metadata_names=True,
        counts_affixes_by_argument=True,
        counts_matches_as_function=True,
    ),
    warns_of_sets_of_objects=True,
    requires_metadata_fields=True,
)

SERVERS: Final = (_1_28, _1_29, _1_30, _1_31, _1_32, _1_33, _1_34, _1_35, _1_36, _1_37)
OLDEST: Final = SERVERS[0]
# The default server.
NEWEST: Final = SERVERS[-1]
NEWEST_VERSION: Final = str(NEWEST)
# The supported versions.
KNOWN: Final = f"{OLDEST}..{NEWEST}"

_BY_VERSION: Final = {server.version: server for server in SERVERS}


def first_to_know(field: str) -> Server:
    """Return the first server that keeps an API field, by its name in this table."""
    return next(server for server in SERVERS if getattr(server, field) is FieldState.KNOWN)


def _server_of(version: Version) -> Server:
    return _BY_VERSION[version]


class ByVersion(Generic[_T]):
    """A value that depends on the version: the first value, and each later one with its first minor version.

    `ByVersion("may not be empty", (34, "must not be empty")).on(server)` returns the value for a server.
    """

    __slots__ = ("_by_minor",)

    def __init__(self, first: _T, *later: tuple[int, _T]) -> None:
        """Build the table; `later` is in the order of versions."""
        values = {}
        changes = dict(later)
        for server in SERVERS:
            first = changes.get(server.minor, first)
            values[server.minor] = first
        self._by_minor = values

    def on(self, server: Server) -> _T:
        """Return the value on a server."""
        return self._by_minor[server.minor]


class Range(NamedTuple):
    """The servers to check for, both ends inclusive."""

    oldest: Server
    newest: Server

    @property
    def servers(self) -> tuple[Server, ...]:
        """The servers of the range, oldest first."""
        return SERVERS[SERVERS.index(self.oldest) : SERVERS.index(self.newest) + 1]

    @classmethod
    def of(cls, server: Server) -> Range:
        """Return the range of one server."""
        return cls(server, server)

    def __str__(self) -> str:
        return str(self.newest) if self.oldest is self.newest else f"{self.oldest}..{self.newest}"


NEWEST_ALONE: Final = Range.of(NEWEST)


@lru_cache(maxsize=32)
def parse_range(text: str) -> Range:
    """Parse a version, a range such as `1.29..1.37`, or a constraint such as `>=1.29`.

    Raise ValueError with the reason if it is invalid.
    """
    if text[:1] in _OPERATORS or " " in text.strip():
        return _satisfying(text)
    first, dots, last = text.partition("..")
    oldest = _parse_version(first)
    newest = _parse_version(last) if dots else oldest
    if newest < oldest:
        raise ValueError(f"{_shown(text)} ends before it begins")
    if oldest not in _BY_VERSION or newest not in _BY_VERSION:
        raise ValueError(f"{_shown(text)} is not within {KNOWN}")
    return Range(_BY_VERSION[oldest], _BY_VERSION[newest])


_OPERATORS: Final = frozenset("<>=!~^")


def range_of(constraint: str) -> Range | None:
    """Return the versions that satisfy a constraint, over gaps among them; None if no version does.

    Raise ConstraintError for a constraint that helm cannot read.
    """
    from crdlint.kubernetes.constraints import satisfying

    versions = satisfying(constraint, (server.version for server in SERVERS))
    return Range(_server_of(versions[0]), _server_of(versions[-1])) if versions else None


def _satisfying(constraint: str) -> Range:
    try:
        servers = range_of(constraint)
    except ValueError as error:
        raise ValueError(f"{_shown(constraint)}: {error}") from error
    if servers is None:
        raise ValueError(f"no version within {KNOWN} satisfies {_shown(constraint)}")
    return servers


def _parse_version(text: str) -> Version:
    """Parse `1.37`, `v1.37` or `1.37.2`."""
    major, _, rest = text.removeprefix("v").partition(".")
    minor = rest.partition(".")[0]
    if not (_is_number(major) and _is_number(minor)):
        raise ValueError(f"{_shown(text)} is not a Kubernetes version such as {NEWEST}")
    return int(major), int(minor)


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


_LONGEST: Final = 40  # the maximum number of characters of a version in a message


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST
