"""Which keys the items of a list may have, and how to write that, in words."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.phrases import OneCommand
from crdlint.rules.engine.advisory import SCALARS

# The keys of most lists of Kubernetes, such as containers and conditions.
_USUAL_KEYS: Final = ("name", "type", "key", "id")
# Values that Kubernetes itself defaults, for keys that people take over from its types.
USUAL_DEFAULTS = {"protocol": "TCP"}
# The most names that a help lists.
_SHOWN: Final = 8


def likely_key(item: JSONSchemaProps) -> str | None:
    """Return the only scalar of a list's items, preferably a required one, or the usual key among several."""
    scalars = [name for name, field in item.properties.items() if field.type in SCALARS]
    keys = [name for name in scalars if name in item.required] or scalars
    return keys[0] if len(keys) == 1 else next((name for name in _USUAL_KEYS if name in keys), None)


def is_optional(item: JSONSchemaProps, key: str) -> bool:
    """Return whether an item may lack a key."""
    return key not in item.required and item.properties[key].default is None


def missing_key(item: JSONSchemaProps | None) -> str | None:
    """Return the help for a map list without keys, None if no field of its items is likely to be the key."""
    key = None if item is None else likely_key(item)
    if item is None or key is None:
        return None
    help_ = f"Add `x-kubernetes-list-map-keys: [{key}]`"
    if is_optional(item, key):
        return f"{help_}, and `{key}` to `required` of the items"
    return OneCommand(help_)


def shown(names: Iterable[str]) -> str:
    """Return the first names of some, with dots if there are more."""
    first = list(islice(names, _SHOWN + 1))
    listed = ", ".join(first[:_SHOWN])
    return f"{listed}, ..." if len(first) > _SHOWN else listed


def optional_key(key: str, item: JSONSchemaProps) -> str:
    """Return the help for a key that an item may lack."""
    is_long = len(item.required) >= _SHOWN
    required_now = f"..., {key}" if is_long else ", ".join((*item.required, key))
    usual = USUAL_DEFAULTS.get(key)
    default = f"`default: {usual}`, as Kubernetes does" if usual else "a `default`"
    return f"Write `required: [{required_now}]` in the items, or give `{key}` {default}"
