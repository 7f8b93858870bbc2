"""How the CEL of one Kubernetes server differs from that of others, as named switches."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CELDialect:
    """The CEL of a server: its libraries, checker and costs. The defaults are those of the oldest server in the table.

    ``compatible_with`` is the minor version whose libraries new expressions may use, and ``stored_with`` the last one
    whose libraries the server has for stored expressions.

    Libraries:
    ``has_optional_list_functions`` adds `first`, `last` and `unwrap` to the library of optionals.
    ``checks_format_clauses`` compares the clauses of `format` with the types of its arguments.

    Costs:
    ``presence_test_has_cost`` counts `has()` as one unit.
    ``saturates_factors`` bounds a product with a factor by 2**64-1, where others overflow.
    ``sizes_comprehensions`` bounds the result of a comprehension by the size of its range.
    ``tracks_local_variables`` follows sizes through variables of macros, elements of literals, `dyn` and optionals.
    ``enum_bounds_strings`` bounds a string without maxLength by the longest value of its enum.
    ``max_length_bounds_int_or_string`` applies maxLength to x-kubernetes-int-or-string.
    ``quantity_cost_by_length`` counts `quantity` and `isQuantity` by the length of the text, not as one unit.
    ``url_has_size`` knows that a URL is as long as its text.
    ``compares_library_types_at_once`` bounds the cost of `==` of quantities, addresses and other types of libraries.
    """

    compatible_with: int
    stored_with: int
    has_optional_list_functions: bool = False
    checks_format_clauses: bool = False
    presence_test_has_cost: bool = True
    saturates_factors: bool = False
    sizes_comprehensions: bool = False
    tracks_local_variables: bool = False
    enum_bounds_strings: bool = False
    max_length_bounds_int_or_string: bool = False
    quantity_cost_by_length: bool = False
    url_has_size: bool = False
    compares_library_types_at_once: bool = False
