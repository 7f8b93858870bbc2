"""Numeric functions, versions 0 to 2 (cel-go's ext/math.go)."""

from __future__ import annotations

from typing import Final

from crdlint.cel.decls import Overload, overload
from crdlint.cel.types import BOOL, DOUBLE, DYN, INT, UINT, list_type

_BASE: Final[tuple[Overload, ...]] = (
    overload("math.@min", "math_@min_double", (DOUBLE,), DOUBLE),
    overload("math.@min", "math_@min_int", (INT,), INT),
    overload("math.@min", "math_@min_uint", (UINT,), UINT),
    overload("math.@min", "math_@min_double_double", (DOUBLE, DOUBLE), DOUBLE),
    overload("math.@min", "math_@min_int_int", (INT, INT), INT),
    overload("math.@min", "math_@min_uint_uint", (UINT, UINT), UINT),
    overload("math.@min", "math_@min_int_uint", (INT, UINT), DYN),
    overload("math.@min", "math_@min_int_double", (INT, DOUBLE), DYN),
    overload("math.@min", "math_@min_double_int", (DOUBLE, INT), DYN),
    overload("math.@min", "math_@min_double_uint", (DOUBLE, UINT), DYN),
    overload("math.@min", "math_@min_uint_int", (UINT, INT), DYN),
    overload("math.@min", "math_@min_uint_double", (UINT, DOUBLE), DYN),
    overload("math.@min", "math_@min_list_double", (list_type(DOUBLE),), DOUBLE),
    overload("math.@min", "math_@min_list_int", (list_type(INT),), INT),
    overload("math.@min", "math_@min_list_uint", (list_type(UINT),), UINT),
    overload("math.@max", "math_@max_double", (DOUBLE,), DOUBLE),
    overload("math.@max", "math_@max_int", (INT,), INT),
    overload("math.@max", "math_@max_uint", (UINT,), UINT),
    overload("math.@max", "math_@max_double_double", (DOUBLE, DOUBLE), DOUBLE),
    overload("math.@max", "math_@max_int_int", (INT, INT), INT),
    overload("math.@max", "math_@max_uint_uint", (UINT, UINT), UINT),
    overload("math.@max", "math_@max_int_uint", (INT, UINT), DYN),
    overload("math.@max", "math_@max_int_double", (INT, DOUBLE), DYN),
    overload("math.@max", "math_@max_double_int", (DOUBLE, INT), DYN),
    overload("math.@max", "math_@max_double_uint", (DOUBLE, UINT), DYN),
    overload("math.@max", "math_@max_uint_int", (UINT, INT), DYN),
    overload("math.@max", "math_@max_uint_double", (UINT, DOUBLE), DYN),
    overload("math.@max", "math_@max_list_double", (list_type(DOUBLE),), DOUBLE),
    overload("math.@max", "math_@max_list_int", (list_type(INT),), INT),
    overload("math.@max", "math_@max_list_uint", (list_type(UINT),), UINT),
)

_VERSION_1: Final[tuple[Overload, ...]] = (
    overload("math.ceil", "math_ceil_double", (DOUBLE,), DOUBLE),
    overload("math.floor", "math_floor_double", (DOUBLE,), DOUBLE),
    overload("math.round", "math_round_double", (DOUBLE,), DOUBLE),
    overload("math.trunc", "math_trunc_double", (DOUBLE,), DOUBLE),
    overload("math.isInf", "math_isInf_double", (DOUBLE,), BOOL),
    overload("math.isNaN", "math_isNaN_double", (DOUBLE,), BOOL),
    overload("math.isFinite", "math_isFinite_double", (DOUBLE,), BOOL),
    overload("math.abs", "math_abs_double", (DOUBLE,), DOUBLE),
    overload("math.abs", "math_abs_int", (INT,), INT),
    overload("math.abs", "math_abs_uint", (UINT,), UINT),
    overload("math.sign", "math_sign_double", (DOUBLE,), DOUBLE),
    overload("math.sign", "math_sign_int", (INT,), INT),
    overload("math.sign", "math_sign_uint", (UINT,), UINT),
    overload("math.bitAnd", "math_bitAnd_int_int", (INT, INT), INT),
    overload("math.bitAnd", "math_bitAnd_uint_uint", (UINT, UINT), UINT),
    overload("math.bitOr", "math_bitOr_int_int", (INT, INT), INT),
    overload("math.bitOr", "math_bitOr_uint_uint", (UINT, UINT), UINT),
    overload("math.bitXor", "math_bitXor_int_int", (INT, INT), INT),
    overload("math.bitXor", "math_bitXor_uint_uint", (UINT, UINT), UINT),
    overload("math.bitNot", "math_bitNot_int_int", (INT,), INT),
    overload("math.bitNot", "math_bitNot_uint_uint", (UINT,), UINT),
    overload("math.bitShiftLeft", "math_bitShiftLeft_int_int", (INT, INT), INT),
    overload("math.bitShiftLeft", "math_bitShiftLeft_uint_int", (UINT, INT), UINT),
    overload("math.bitShiftRight", "math_bitShiftRight_int_int", (INT, INT), INT),
    overload("math.bitShiftRight", "math_bitShiftRight_uint_int", (UINT, INT), UINT),
)

_VERSION_2: Final[tuple[Overload, ...]] = (
    overload("math.sqrt", "math_sqrt_double", (DOUBLE,), DOUBLE),
    overload("math.sqrt", "math_sqrt_int", (INT,), DOUBLE),
    overload("math.sqrt", "math_sqrt_uint", (UINT,), DOUBLE),
)


def functions(version: int) -> tuple[Overload, ...]:
    """Return the overloads of a version."""
    return _BASE + (_VERSION_1 if version >= 1 else ()) + (_VERSION_2 if version >= 2 else ())
