"""Named formats. Upstream: apiserver pkg/cel/library/format.go."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.decls import CallCost, member, overload
from crdlint.cel.estimates import (
    REGEX_FACTOR,
    STRING_FACTOR,
    CallEstimate,
    Estimate,
    Estimator,
    Node,
    size_of,
    traversal,
)
from crdlint.cel.eval.cost import actual_size
from crdlint.cel.eval.values import NONE, Optional_
from crdlint.cel.types import STRING, list_type, optional_type
from crdlint.kubecel.library.declaration import Library, constant, constant_for
from crdlint.kubecel.types.opaque import NAMED_FORMAT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crdlint.kubecel.types.format import NamedFormat

_NAMES: Final = (
    *("dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName"),
    *("dns1123LabelPrefix", "dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue"),
    *("uri", "uuid", "byte", "date", "datetime"),
)
_MAX_NAME_SIZE: Final = 64
_MAX_REGEX_SIZE: Final = 128


def _format(name: str) -> Callable[[], NamedFormat]:
    def format_() -> NamedFormat:
        from crdlint.kubecel.types.format import FORMATS

        return FORMATS[name]

    return format_


def _named(name: str) -> Any:
    from crdlint.kubecel.types.format import FORMATS

    return Optional_(FORMATS[name]) if name in FORMATS else NONE


def _validate(format_: NamedFormat, text: str) -> Any:
    problems = format_.check(text)
    return Optional_(problems) if problems else NONE


def _estimate_validate(estimator: Estimator, _target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
    if not args:
        return None
    text = size_of(estimator, args[0]).scaled(STRING_FACTOR)
    return CallEstimate(text.scaled(_MAX_REGEX_SIZE * REGEX_FACTOR))


def _track_validate(values: Sequence[Any], _: Any) -> int | None:
    from crdlint.kubecel.types.format import NamedFormat

    if not isinstance(values[0], NamedFormat):
        return None
    return traversal(1.0 + actual_size(values[1])) * math.ceil(values[0].max_regex_size * REGEX_FACTOR)


LIBRARY: Final = Library(
    "format",
    introduced=(1, 31),
    functions=(
        member("validate", "format-validate", (NAMED_FORMAT, STRING), optional_type(list_type(STRING)), _validate),
        overload("format.named", "format-named", (STRING,), optional_type(NAMED_FORMAT), _named),
        *(overload(f"format.{name}", f"format.{name}", (), NAMED_FORMAT, _format(name)) for name in _NAMES),
    ),
    costs={"validate": CallCost(_estimate_validate, _track_validate), **constant_for("format.named")},
    equality={NAMED_FORMAT: constant(Estimate(1, _MAX_NAME_SIZE).scaled(STRING_FACTOR))},
)
