"""The Kubernetes API servers that crdlint supports, as tables of switches.

A row is a difference between servers, with the minor version that brought it. No other module compares versions: code
receives a `Server` and reads its switches, and data that depends on the version uses `ByVersion`. Each server is the
latest patch release of its minor version with its default feature gates, or the first one where that answers otherwise.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Mapping
from enum import auto
from functools import cache, lru_cache
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast

from crdlint.cel.dialect import CELDialect
from crdlint.gathering import without_none
from crdlint.light import Enum, NamedTuple, dataclass, defaults_of, regex, replace

Version: TypeAlias = "tuple[int, int]"
_T = TypeVar("_T")


class FieldState(Enum):
    """The treatment of an API field by a server: a field behind a disabled feature gate is decoded and dropped."""

    UNKNOWN = auto()
    DROPPED = auto()
    KNOWN = auto()


class FormatWarnings(Enum):
    """The types of schemas for which a server warns about an unrecognized format."""

    NONE = auto()
    STRINGS = auto()
    STRINGS_AND_NUMBERS = auto()
    ALL_AS_STRINGS = (
        auto()
    )  # each format, also that of a number, is looked for among those of strings


class ByVersion(Generic[_T]):
    """A value that depends on the version: the first value, and each later one with its first minor version.

    `ByVersion("may not be empty", (34, "must not be empty")).on(server)` returns the value for a server.
    """

    __slots__ = ("_later", "_values")

    def __init__(self, first: _T, *later: tuple[int, _T]) -> None:
        """`later` is in the order of versions."""
        self._later = [minor for minor, _ in later]
        self._values = [first, *(value for _, value in later)]

    def since(self, minor: int) -> _T:
        """Return the value at a minor version."""
        return self._values[bisect_right(self._later, minor)]

    def on(self, server: Server) -> _T:
        """Return the value on a server."""
        return self.since(server.minor)


def changing(first: _T, *later: tuple[int, _T]) -> _T:
    """Declare the values of a switch: the first, and each later one with its first minor version."""
    return cast("_T", ByVersion(first, *later))


def since(minor: int) -> bool:
    """Declare a switch that is on since a minor version."""
    return changing(False, (minor, True))


def _switches_at(declared: Mapping[str, Any], minor: int) -> dict[str, Any]:
    """Return the values of declared switches at a minor version."""
    return {
        name: values.since(minor)
        for name, values in declared.items()
        if isinstance(values, ByVersion)
    }


# The switches of CEL: since which minor version a server has them, or how they change.
_OF_CEL: Final[Mapping[str, bool]] = {
    "hides_accumulator": since(33),
    "locates_macro_arguments": since(29),
    "parser_locates_line_starts": changing(True, (31, False), (32, True)),
    "reads_quoted_identifiers": since(33),
    "has_quoted_identifiers": since(37),
    "quotes_syntax_errors": since(33),
    "locates_line_starts": since(32),
    "types_names_of_types": since(32),
    "types_names_by_dyn": since(37),
    "resolves_local_names_first": since(37),
    "marks_internal_errors": changing(True, (29, False)),
    "types_undeclared_methods": since(29),
    "expects_bool_operands": since(29),
    "null_unifies_either_way": since(29),
    "validates_mixed_literals": since(29),
    "exempts_whole_format_arguments": since(31),
    "formats_selected_types": since(29),
    "registers_well_known_types": changing(True, (29, False)),
    "names_optional_type": since(31),
    "allows_offsets_beyond_text": since(32),
    "searches_empty_text_backwards": since(34),
    "checks_offsets_of_empty_text": since(37),
    "limits_ranges": since(37),
    "rejects_or_of_values": since(37),
    "converts_int_to_duration": changing(True, (37, False)),
    "has_optional_list_functions": since(33),
    "contains_networks_by_prefix": since(32),
    "counts_bytes_of_labels": since(35),
    "checks_format_clauses": since(31),
    "writes_powers_without_spaces": since(33),
    "presence_test_has_cost": changing(True, (29, False)),
    "selection_from_error_has_cost": changing(True, (31, False)),
    "counts_messages_as_empty": changing(True, (31, False)),
    "saturates_factors": since(29),
    "sizes_comprehensions": since(30),
    "tracks_local_variables": since(33),
    "enum_bounds_strings": since(29),
    "max_length_bounds_int_or_string": since(34),
    "quantity_cost_by_length": since(30),
    "caps_metadata_names": since(37),
    "counts_affixes_by_argument": since(37),
    "counts_matches_as_function": since(37),
    "counts_negative_depths": since(37),
    "url_has_size": since(32),
    "keeps_cost_of_unchanged_schemas": since(29),
    "compares_library_types_at_once": since(32),
    "keeps_errors_of_indexes": since(31),
    "hides_errors_of_ranges": changing(False, (32, True), (33, False)),
    "resets_field_path": since(30),
}


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class Server:
    """One server, equal to itself only. Each switch has the minor version that brought it.

    ``ratchets_status`` accepts invalid values of a status that an update of the status leaves unchanged.
    ``ratchets_values`` accepts invalid values of a resource that an update leaves unchanged.
    ``enum_errors_block_rules`` runs no rule on a resource with a value that is not in an enum.
    ``ignores_object_versions`` checks rules, lists and embedded resources whatever version the apiVersion names.
    ``locates_status_errors`` reports errors in the status subresource at paths that begin with `status`.
    ``warns_of_sets_of_objects`` warns about `x-kubernetes-list-type: set` for lists of objects or of lists.
    ``warns_of_finalizers`` warns about finalizers of custom resources without a domain.
    ``wants_paths_of_finalizers`` asks for a path where a finalizer without one has a dot.
    ``requires_metadata_fields`` reports missing fields of owner references and managed fields as required, each at its index.
    ``keeps_examples`` rejects `example` and `externalDocs` on the metadata of the root, and beside the types of an int-or-string.
    ``checks_number_ranges`` applies the ranges of the formats int32, int64, float and double to values.
    ``keeps_message_expressions`` compiles on update the messageExpressions of the old CRD with the libraries for stored
    expressions.
    ``checks_ca_bundle_on_update`` rejects an update of an established CRD that makes its CA bundle invalid.
    ``keeps_too_many_selectable_fields`` accepts on update more than eight selectable fields that do not change.
    ``panics_without_types`` panics on a rule of a schema that gives CEL no type.
    ``has_kubernetes_name_formats`` has the formats k8s-short-name and k8s-long-name, and applies them to defaults.
    ``checks_kubernetes_name_formats`` applies the formats k8s-short-name and k8s-long-name to resources.
    ``prints_json_values`` prints bad values as JSON, not in Go syntax.
    ``prints_failed_values`` prints the value that a rule rejects, not the name of its type.
    ``checks_any_scalar`` rejects on server-side apply a list or an object in the place of a scalar of any type.
    ``prints_collections_as_they_are`` does not read `%` in a value that is no list or map as a verb of Go's `Printf`.
    ``allows_stored_duplicates`` lets a stored object have equal items in sets and map lists when another one is applied to it.
    ``identifies_items_by_some_keys`` lets an item of a list lack some of its keys on server-side apply, but not all of them.
    ``names_paths_in_decode_errors`` gives the whole path of a field that cannot be decoded, not its last part.
    """

    minor: int
    cel: CELDialect
    major: int = 1
    patch: str = ""
    selectable_fields: FieldState = changing(
        FieldState.UNKNOWN, (30, FieldState.DROPPED), (31, FieldState.KNOWN)
    )
    optional_old_self: FieldState = changing(
        FieldState.UNKNOWN, (29, FieldState.DROPPED), (30, FieldState.KNOWN)
    )
    ratchets_values: bool = since(30)
    ratchets_status: bool = since(33)
    enum_errors_block_rules: bool = since(29)
    ignores_object_versions: bool = since(29)
    locates_status_errors: bool = since(31)
    keeps_examples: bool = since(36)
    checks_number_ranges: bool = since(36)
    keeps_message_expressions: bool = since(31)
    checks_ca_bundle_on_update: bool = since(31)
    keeps_too_many_selectable_fields: bool = since(35)
    has_kubernetes_name_formats: bool = since(34)
    checks_kubernetes_name_formats: bool = since(35)
    format_warnings: FormatWarnings = changing(
        FormatWarnings.NONE, (34, FormatWarnings.STRINGS), (36, FormatWarnings.STRINGS_AND_NUMBERS)
    )
    panics_without_types: bool = False
    prints_json_values: bool = since(34)
    prints_failed_values: bool = since(35)
    names_paths_in_decode_errors: bool = since(35)
    checks_any_scalar: bool = since(29)
    allows_stored_duplicates: bool = since(29)
    identifies_items_by_some_keys: bool = since(34)
    prints_collections_as_they_are: bool = since(34)
    warns_of_sets_of_objects: bool = since(37)
    warns_of_finalizers: bool = since(29)
    wants_paths_of_finalizers: bool = since(32)
    requires_metadata_fields: bool = since(37)

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

    @property
    def first_patch(self) -> Server | None:
        """The first patch release of the version, if it answers otherwise than the newest one; None for one itself."""
        return None if self.patch else _first_patch(self.minor)

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}{self.patch}"

    def __reduce__(self) -> tuple[Callable[[str], Server], tuple[str]]:
        return _server_named, (str(self),)  # the same server in another process


@cache
def _fields_in(server: Server, state: FieldState) -> frozenset[str]:
    return frozenset(name for name in _SWITCHES if getattr(server, name) is state)


_SWITCHES: Final = defaults_of(Server)


def _server(minor: int) -> Server:
    dialect = CELDialect(minor - 1, minor, **_switches_at(_OF_CEL, minor))
    return Server(
        minor,
        dialect,
        **_switches_at(_SWITCHES, minor),
    )


SERVERS: Final = tuple(map(_server, range(28, 38)))
OLDEST: Final = SERVERS[0]
# The default server: the newest whose answers are recorded.
NEWEST: Final = SERVERS[-1]
NEWEST_VERSION: Final = str(NEWEST)
# The supported versions, as an option names them.
KNOWN: Final = f"{OLDEST}..{NEWEST}"
# The next version, as its sources are; no answers of it are recorded.
PREVIEW: Final = _server(38)
PREVIEW_SOURCE: Final = "v1.38.0-beta.0"

_ALL: Final = (*SERVERS, PREVIEW)
_BY_VERSION: Final = {server.version: server for server in _ALL}

# By minor version, what the first patch release does otherwise than the newest one: of CEL, and else.
_OF_FIRST_PATCHES: Final[Mapping[int, tuple[Mapping[str, bool], Mapping[str, Any]]]] = {
    28: ({"sizes_results_of_calls": False}, {"panics_without_types": True}),
    29: (
        {"presence_test_has_cost": True, "runs_optional_rules_on_create": False},
        {"panics_without_types": True, "optional_old_self": FieldState.KNOWN},
    ),
    30: ({}, {"panics_without_types": True}),
    32: ({"contains_networks_by_prefix": False}, {}),
    34: ({}, {"format_warnings": FormatWarnings.ALL_AS_STRINGS}),
}


@cache
def _first_patch(minor: int) -> Server | None:
    """Return the first patch release of a version, if it answers otherwise than the newest one."""
    if minor not in _OF_FIRST_PATCHES:
        return None
    of_cel, switches = _OF_FIRST_PATCHES[minor]
    newest = _server(minor)
    return replace(
        newest,
        patch=".0",
        cel=newest.cel._replace(**of_cel),
        **switches,
    )


@cache
def _by_name() -> Mapping[str, Server]:
    patches = (_first_patch(minor) for minor in _OF_FIRST_PATCHES)
    return {str(server): server for server in (*_ALL, *without_none(patches))}


def first_to_know(field: str) -> Server:
    """Return the first server that keeps an API field, by its name in this table."""
    return next(server for server in SERVERS if getattr(server, field) is FieldState.KNOWN)


def _server_of(version: Version) -> Server:
    return _BY_VERSION[version]


def _server_named(name: str) -> Server:
    return _by_name()[name]


class Range(NamedTuple):
    """The servers to check for, both ends inclusive."""

    oldest: Server
    newest: Server

    @property
    def servers(self) -> tuple[Server, ...]:
        """The servers of the range, oldest first."""
        if self.oldest is self.newest:
            return (self.newest,)
        return _ALL[_ALL.index(self.oldest) : _ALL.index(self.newest) + 1]

    @property
    def preview_note(self) -> str | None:
        """What users should know of a range that ends with the preview of the next version, or None."""
        if self.newest is not PREVIEW:
            return None
        return f"Kubernetes {PREVIEW} is a preview, from the sources of {PREVIEW_SOURCE}; its answers are not recorded"

    @classmethod
    def of(cls, server: Server) -> Range:
        """Return the range of one server."""
        return cls(server, server)

    def __str__(self) -> str:
        return str(self.newest) if self.oldest is self.newest else f"{self.oldest}..{self.newest}"


NEWEST_ALONE: Final = Range.of(NEWEST)
SUPPORTED: Final = Range(OLDEST, NEWEST)


def ranges_within(versions: Container[str], within: Range) -> list[Range]:
    """Return the ranges without gaps of the servers in `whole` whose versions are among `versions`, oldest first."""
    ranges: list[Range] = []
    for server in within.servers:
        if str(server) not in versions:
            continue
        is_next = bool(ranges) and SERVERS.index(server) == SERVERS.index(ranges[-1].newest) + 1
        if is_next:
            ranges[-1] = Range(ranges[-1].oldest, server)
        else:
            ranges.append(Range.of(server))
    return ranges


@lru_cache(maxsize=32)
def parse_range(text: str) -> Range:
    """Parse a version, a range such as `1.29..1.37`, or a constraint such as `>=1.29`.

    `1.34.0` is the first patch release where that answers otherwise; of other patch releases only the minor version counts.
    Raise ValueError with the reason if it is invalid.

    >>> [str(server) for server in parse_range("1.29..1.31").servers]
    ['1.29', '1.30', '1.31']
    """
    if text[:1] in _OPERATORS or " " in text.strip():
        return _satisfying(text)
    named = _by_name().get(text.removeprefix("v"))
    if named is not None:
        return Range.of(named)
    first, dots, last = text.partition("..")
    oldest = _parse_version(first)
    newest = _parse_version(last) if dots else oldest
    if newest < oldest:
        raise ValueError(f"{_shown(text)} ends before it begins")
    if oldest not in _BY_VERSION or newest not in _BY_VERSION:
        raise ValueError(f"{_shown(text)} is not within {KNOWN}")
    return Range(_BY_VERSION[oldest], _BY_VERSION[newest])


# A number of more digits is no version.
_VERSION: Final = regex(r"v?([0-9]{1,40})\.([0-9]{1,40})(?:\.|\Z)")
_OPERATORS: Final = frozenset("<>=!~^")


def range_of(constraint: str) -> Range | None:
    """Return the versions that satisfy a constraint, over gaps, or None; raise ConstraintError if helm cannot read it."""
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
    match = _VERSION.match(text)
    if match is None:
        raise ValueError(f"{_shown(text)} is not a Kubernetes version such as {NEWEST}")
    return int(match[1]), int(match[2])


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


_LONGEST: Final = 40  # the maximum number of characters of a version in a message
