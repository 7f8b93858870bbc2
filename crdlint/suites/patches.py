"""JSON patches (RFC 6902) with bounded work: an operation that copies may double a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from crdlint.light import dataclass
from crdlint.schema.deep_equal import deep_copy

_LIMIT: Final = 16 * 1024 * 1024  # bytes; the API server allows 3 MiB for the copies of one patch
_MOST: Final = 10_000  # as in the API server


class PatchError(ValueError):
    """Operations cannot be applied; `str()` is the reason."""


class PatchLimitError(Exception):
    """Operations add too much to a document; `str()` is the reason."""


@dataclass(slots=True)
class Patcher:
    """Applies operations; `left` is the size in bytes that they may still add, copy and compare."""

    left: int = _LIMIT

    def apply(self, operations: Iterable[Mapping[str, Any]], document: Any) -> Any:
        """Return a document with operations applied to a copy; raise PatchError or PatchLimitError.

        Upstream: vmware-archive/yaml-patch, by openshift/api; the limits are those of the API server's own patches.
        """
        try:
            from jsonpatch import JsonPatch, JsonPatchException  # type: ignore[import-untyped, unused-ignore]
            from jsonpointer import JsonPointerException  # type: ignore[import-untyped, unused-ignore]
        except ImportError as error:
            raise PatchError(
                "patches need the extra suites of crdlint, such as: pip install './crdlint[suites]'"
            ) from error

        document = deep_copy(document)  # the library's own copy recurses
        for number, operation in enumerate(operations):
            if number == _MOST:
                raise PatchLimitError(f"a patch has more than {_MOST:,} operations")
            try:
                self._spend(operation, document)
                document = JsonPatch([operation]).apply(document, in_place=True)
            except (JsonPatchException, JsonPointerException, RecursionError) as error:
                raise PatchError(str(error)) from error
        return document

    def _spend(self, operation: Mapping[str, Any], document: Any) -> None:
        """Subtract the size of what an operation adds or compares; raise PatchLimitError if it is more than is left."""
        from jsonpointer import JsonPointer  # type: ignore[import-untyped, unused-ignore]

        value = operation.get("value")
        if operation.get("op") == "copy" and isinstance(operation.get("from"), str):
            value = JsonPointer(operation["from"]).resolve(document, None)
        self.left -= _size(value, self.left)
        if self.left < 0:
            raise PatchLimitError(
                f"the patches of the suite add more than {_LIMIT // 1024 // 1024} MiB to CRDs"
            )


def _size(value: Any, most: int) -> int:
    """Return the size of a JSON value in bytes, about as it is printed; more than `most` is not counted to its end."""
    total = 0
    pending = [value]
    while pending and total <= most:
        item = pending.pop()
        total += 1
        if isinstance(item, str):
            total += len(item)
        elif isinstance(item, list):
            pending += item
        elif isinstance(item, dict):
            total += sum(map(len, item))
            pending += item.values()
    return total
