"""What differs between versions of the language, as switches: nothing else in this package knows of versions."""

from __future__ import annotations

from typing import Final

from crdlint.light import NamedTuple


class CELDialect(NamedTuple):
    """A version of the language: its libraries, checker and costs. Without arguments, a switch is as in the newest version.

    ``compatible_with`` is the minor version whose libraries new expressions may use, and ``stored_with`` the last one
    whose libraries the server has for stored expressions.

    Syntax:
    ``hides_accumulator`` no longer lets an expression read `__result__`, the internal variable of macros.
    ``locates_macro_arguments`` reports an invalid argument of `has`, `map` or `filter` at the argument, not the call.
    ``parser_locates_line_starts`` reports what the parser finds at the start of a line there, not behind the line before.
    ``reads_quoted_identifiers`` reads a name in backticks as one token.
    ``has_quoted_identifiers`` lets a field be selected by its name in backticks.
    ``quotes_syntax_errors`` reports syntax errors as they are, where others take `%` in them for a verb of Go's fmt.

    Types:
    ``locates_line_starts`` reports what the checker finds at the start of a line there, not behind the line before.
    ``types_names_of_types`` gives a name such as `duration` the type `type(duration)`, not `duration`.
    ``types_names_by_dyn`` gives `list` the type `type(list(dyn))`, not `type(list(A))`, and likewise `map` and `optional_type`.
    ``resolves_local_names_first`` takes variables of macros for global ones only without a dot before them, and none for types.
    ``marks_internal_errors`` begins the error about the fields of a type of libraries with `[internal]`.
    ``types_undeclared_methods`` reports only the undeclared method or message, not what follows from it.
    ``expects_bool_operands`` reports operands of `&&` and `||` one by one.
    ``null_unifies_either_way`` lets `null == self` compile as `self == null` does.
    ``validates_mixed_literals`` reports lists and maps of mixed types only if there are no other type errors.
    ``exempts_whole_format_arguments`` allows lists and maps of mixed types everywhere within arguments of `format`.
    ``formats_selected_types`` names a type that has no fields, or is no message, as CEL does, not as a protocol buffer. It
    names the type of all types `type`, not `type()`, and lets `null_type{}` be a message.
    ``registers_well_known_types`` lets an expression name types such as `google.protobuf.Value`.
    ``names_optional_type`` writes the type of optionals as `optional_type(T)`, not as `optional(T)`.

    Libraries:
    ``allows_offsets_beyond_text`` returns -1 from `indexOf` for an offset beyond the end of a text, where others fail.
    ``searches_empty_text_backwards`` returns -1 from `lastIndexOf` for an empty text, where others fail.
    ``checks_offsets_of_empty_text`` finds an empty text with `indexOf` at the end of a text, not beyond it.
    ``limits_ranges`` limits `lists.range` to a million numbers.
    ``rejects_or_of_values`` fails for `or` and `orValue` of a value that is no optional, where others return the value.
    ``converts_int_to_duration`` has `duration(1)`, which fails in evaluation.
    ``has_optional_list_functions`` adds `first`, `last` and `unwrap` to the library of optionals.
    ``contains_networks_by_prefix`` compares networks in `containsCIDR` by their prefixes, not by the whole address.
    ``counts_bytes_of_labels`` writes that a label "must be no more than 63 bytes", where others write "characters".
    ``checks_format_clauses`` compares the clauses of `format` with the types of its arguments.

    ``writes_powers_without_spaces`` formats `%e` without spaces around the sign of multiplication.

    Costs:
    ``presence_test_has_cost`` estimates `has()` as one unit.
    ``sizes_results_of_calls`` uses what a library knows of the length of a result, such as that of `lowerAscii`.
    ``selection_from_error_has_cost`` counts the selection of a field from a variable whose value has another type than its schema.
    ``counts_messages_as_empty`` estimates that the literal of a message has no size, where others do not know its size.
    ``saturates_factors`` limits the estimate of `in` to 2**64-1, where the product overflows in others.
    ``sizes_comprehensions`` estimates that the result of a macro such as `map` is as long as its list.
    ``tracks_local_variables`` follows sizes through variables of macros, elements of literals, `dyn` and optionals.
    ``enum_bounds_strings`` bounds a string without maxLength by the longest value of its enum.
    ``max_length_bounds_int_or_string`` applies maxLength to x-kubernetes-int-or-string.
    ``quantity_cost_by_length`` counts `quantity` and `isQuantity` by the length of the text, not as one unit.
    ``caps_metadata_names`` bounds metadata.name by 253 characters and metadata.generateName by 252.
    ``counts_affixes_by_argument`` counts `startsWith` and `endsWith` by the length of the argument, not of the text.
    ``counts_matches_as_function`` counts `matches(text, pattern)` as `text.matches(pattern)`, not as one unit.
    ``counts_negative_depths`` counts `flatten` with a negative depth, which fails, as with the depth 1.
    ``url_has_size`` estimates that a URL is as long as its text.
    ``keeps_cost_of_unchanged_schemas`` accepts on update an expensive rule of a schema that does not change.
    ``compares_library_types_at_once`` bounds the cost of `==` of quantities, addresses and other types of libraries.

    Evaluation:
    ``runs_optional_rules_on_create`` runs rules with `optionalOldSelf` if there is no old value.
    ``keeps_errors_of_indexes`` reports the error of a variable that is an index, not its type.
    ``hides_errors_of_ranges`` reports the type of a range that fails, not its error, with two variables.
    ``resets_field_path`` reports each failed rule at its own fieldPath, where others append it to that of the one before.
    """

    compatible_with: int = 0
    stored_with: int = 0
    hides_accumulator: bool = True
    locates_macro_arguments: bool = True
    parser_locates_line_starts: bool = True
    reads_quoted_identifiers: bool = True
    has_quoted_identifiers: bool = True
    quotes_syntax_errors: bool = True
    locates_line_starts: bool = True
    types_names_of_types: bool = True
    types_names_by_dyn: bool = True
    resolves_local_names_first: bool = True
    marks_internal_errors: bool = False
    types_undeclared_methods: bool = True
    expects_bool_operands: bool = True
    null_unifies_either_way: bool = True
    validates_mixed_literals: bool = True
    exempts_whole_format_arguments: bool = True
    formats_selected_types: bool = True
    registers_well_known_types: bool = False
    names_optional_type: bool = True
    allows_offsets_beyond_text: bool = True
    searches_empty_text_backwards: bool = True
    checks_offsets_of_empty_text: bool = True
    limits_ranges: bool = True
    rejects_or_of_values: bool = True
    converts_int_to_duration: bool = False
    has_optional_list_functions: bool = True
    contains_networks_by_prefix: bool = True
    counts_bytes_of_labels: bool = True
    checks_format_clauses: bool = True
    writes_powers_without_spaces: bool = True
    presence_test_has_cost: bool = False
    sizes_results_of_calls: bool = True
    selection_from_error_has_cost: bool = False
    counts_messages_as_empty: bool = False
    saturates_factors: bool = True
    sizes_comprehensions: bool = True
    tracks_local_variables: bool = True
    enum_bounds_strings: bool = True
    max_length_bounds_int_or_string: bool = True
    quantity_cost_by_length: bool = True
    caps_metadata_names: bool = True
    counts_affixes_by_argument: bool = True
    counts_matches_as_function: bool = True
    counts_negative_depths: bool = True
    url_has_size: bool = True
    keeps_cost_of_unchanged_schemas: bool = True
    compares_library_types_at_once: bool = True
    runs_optional_rules_on_create: bool = True
    keeps_errors_of_indexes: bool = True
    hides_errors_of_ranges: bool = False
    resets_field_path: bool = True

    @property
    def declared_bounds(self) -> tuple[bool, bool, bool]:
        """The switches on which the declarations of a schema depend: dialects with equal ones declare it alike."""
        return (
            self.enum_bounds_strings,
            self.max_length_bounds_int_or_string,
            self.caps_metadata_names,
        )


NEWEST: Final = CELDialect()
