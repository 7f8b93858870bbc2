"""A CRD that is applied over one of which it is known who has set its fields: what the server makes of both.

The versions of a CRD are one value: those that are applied replace those of the old CRD. So only what is beside them is merged.
"""

from __future__ import annotations

import json
from typing import Any, Final

from crdlint.crd.convert import read_crd
from crdlint.crd.decode import Decoded, Reader, reader_json
from crdlint.crd.decode_errors import DecodeProblem
from crdlint.crd.errors import APPLY_REJECTED
from crdlint.crd.paths import NIL
from crdlint.crd.positions import Locator
from crdlint.files.recognition import GROUP
from crdlint.kubernetes.senders import Sender
from crdlint.kubernetes.servers import Server
from crdlint.schema.client_side import as_patched, has_last_applied
from crdlint.typed.builtin import type_of_crds
from crdlint.typed.ownership import Merged, Owners, path_in
from crdlint.yaml.nodes import Node
from crdlint.yaml.parse import parse_first

_V1: Final = f"{GROUP}/v1"
_METADATA: Final = ("labels", "annotations", "finalizers", "owner_references")
_SPEC: Final = ("names", "conversion", "preserve_unknown_fields")


def over_old(
    decoded: Decoded,
    root: Node,
    old_root: Node,
    sender: Sender,
    server: Server,
) -> Decoded:
    """Return a decoded CRD with what its sender leaves of the old one, in place, and with the conflicts because of which it fails.

    Without managed fields, or the annotation of client-side apply, the old CRD is what the same sender applied, and nothing of
    it is left.
    """
    if decoded.problems:
        return decoded
    sent, stored = (reader_json(Reader(json=False), each, 1) for each in (root, old_root))
    if stored.get("apiVersion") != _V1:
        return decoded
    if sender.applies:
        return _merged(decoded, root, sent, stored, sender, server)
    if sender.drops_nulls and has_last_applied(stored):
        _set_shared(decoded, as_patched(sent, stored, stored), server)
    return decoded


def _merged(
    decoded: Decoded,
    root: Node,
    sent: dict[str, Any],
    stored: dict[str, Any],
    sender: Sender,
    server: Server,
) -> Decoded:
    """Return a CRD that server-side apply merges into a stored one, by the owners of the fields of that."""
    if not (stored.get("metadata") or {}).get("managedFields"):
        return decoded
    owners = Owners(type_of_crds(server), server, resets_status=True)
    try:
        result = owners.apply(stored, sent, stored, sender.manager)
    except ValueError as error:
        message = f"failed to decode managed fields: {error}"
        return decoded._replace(problems=(DecodeProblem("decode", message, root, root),))
    if result.conflicts and not sender.forces:
        return decoded._replace(problems=(_conflict(result, root, sent, server),))
    _set_shared(decoded, result.value, server)
    return decoded


def _conflict(
    result: Merged,
    root: Node,
    sent: dict[str, Any],
    server: Server,
) -> DecodeProblem:
    """Return the problem that an applied CRD changes fields of other managers, at the first of them."""
    path = path_in(sent, result.conflicts[0].field, server)
    location = Locator(root).find(path or NIL)
    return DecodeProblem(
        "decode",
        result.message,
        location.key or location.node,
        location.node,
        help="Use `kubectl apply --server-side --force-conflicts` to take the fields over, or leave them out",
        rule=APPLY_REJECTED,
        headline=result.summary,
    )


def _set_shared(decoded: Decoded, merged: dict[str, Any], server: Server) -> None:
    """Replace what is beside the versions by that of the merged CRD."""
    spec = {**merged["spec"], "versions": []}
    text = json.dumps({**merged, "spec": spec, "status": {}})
    root = parse_first(text).root
    if root is None:
        return
    crd = read_crd(root, stored=True, server=server).crd
    for target, source, names in (
        (decoded.crd.metadata, crd.metadata, _METADATA),
        (decoded.crd.spec, crd.spec, _SPEC),
    ):
        for name in names:
            setattr(target, name, getattr(source, name))
