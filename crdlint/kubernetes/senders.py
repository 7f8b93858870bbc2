"""Who sends an object to the API server, and how: the server's answer depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from crdlint.gathering import object_at
from crdlint.light import NamedTuple


class Sender(NamedTuple):
    """A sender of objects.

    `applies` sends them by server-side apply. `is_strict` has the server reject unknown and duplicate fields, which it otherwise
    drops. `reencodes` decodes a manifest, and sends it as JSON with sorted keys. `manager` is the name of one that
    `applies` as the owner of the fields. `forces` takes over fields of other owners. `client_side` is how many of its
    requests are client-side apply, which drops nulls and stores the whole object in an annotation.
    """

    name: str
    applies: bool = False
    is_strict: bool = True
    reencodes: bool = False
    manager: str = "kubectl"
    forces: bool = False
    client_side: Literal["all", "some", "none"] = "none"

    @property
    def drops_nulls(self) -> bool:
        """Whether it drops the fields of a new object that are null."""
        return self.client_side == "all"

    @property
    def puts_name_in_url(self) -> bool:
        """Whether it does not send an object without a name."""
        return self.applies or self.drops_nulls


# A create request with the text of the file; `server-side-apply` is a request of server-side apply with it.
DEFAULT_SENDER: Final = "create"
CREATE: Final = Sender(DEFAULT_SENDER)
ARGO_CD: Final = "argo-cd"
# The annotation in which client-side apply stores what it has sent.
LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
SENDERS: Final = {
    sender.name: sender
    for sender in (
        CREATE,
        Sender("server-side-apply", applies=True),
        Sender("kubectl", reencodes=True, client_side="some"),
        Sender("kubectl-apply", reencodes=True, client_side="all"),
        Sender("kubectl-server-side", applies=True, reencodes=True),
        Sender("flux", applies=True, reencodes=True, manager="kustomize-controller", forces=True),
        Sender(ARGO_CD, reencodes=True, client_side="all"),
        Sender(
            "argo-cd-server-side",
            applies=True,
            reencodes=True,
            manager="argocd-controller",
            forces=True,
        ),
        Sender("helm-3", is_strict=False, reencodes=True),
        Sender("helm-4", applies=True, reencodes=True, manager="helm"),
    )
}
CLIENT_SIDE_APPLY: Final = SENDERS["kubectl-apply"]


def last_applied(value: Any) -> dict[str, Any] | None:
    """Return what client-side apply has sent of an object, from its annotation; None without a valid one."""
    text = object_at(value, "metadata", "annotations").get(LAST_APPLIED)
    if not isinstance(text, str):
        return None
    import json  # few objects have the annotation

    try:
        applied = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return applied if isinstance(applied, dict) else None


def base_sender(names: Sequence[str]) -> Sender:
    """Return the sender whose request the server answers: the one that rejects most, by server-side apply only if all use it."""
    senders = map(sender_named, names)
    return min(
        senders,
        key=lambda sender: (
            sender.applies,
            not sender.is_strict,
            sender.drops_nulls,
            sender.forces,
        ),
        default=CREATE,
    )


def apply_severity(names: Sequence[str]) -> Literal["error", "warning"] | None:
    """Return the severity of what only server-side apply rejects: a warning if no senders are named.

    It is None if none of the named senders uses it, or if the server answers to it anyway.
    """
    if not names:
        return "warning"
    applies = any(sender_named(name).applies for name in names)
    return "error" if applies and not base_sender(names).applies else None


def client_side_severity(
    names: Sequence[str], *, without: str = ""
) -> Literal["error", "warning", "info"] | None:
    """Return the severity of what only client-side apply rejects, None if none of the named senders uses it.

    kubectl may also create the object, so it is a warning. `without` is the name of a sender that does not count.
    """
    if set(names) <= {DEFAULT_SENDER}:
        return "info"
    requests = {sender_named(name).client_side for name in names if name != without}
    if "all" in requests:
        return "error"
    return "warning" if "some" in requests else None


def null_severity(names: Sequence[str]) -> Literal["error", "warning"] | None:
    """Return the severity of what client-side apply rejects because it drops nulls: a warning if no senders are named.

    It is None if none of the named senders uses it, or if the server answers to it anyway.
    """
    if not names:
        return "warning"
    if base_sender(names).drops_nulls:
        return None
    severity = client_side_severity(names)
    return None if severity == "info" else severity


def applying_sender(names: Sequence[str]) -> Sender:
    """Return the sender with server-side apply that rejects most, or one that has no conflicts with owners of fields."""
    appliers = (sender for sender in map(sender_named, names) if sender.applies)
    return min(appliers, key=lambda sender: sender.forces, default=_ANY_APPLIER)


_ANY_APPLIER: Final = SENDERS["kubectl-server-side"]._replace(forces=True)


def sender_named(name: str) -> Sender:
    """Return the sender with a name; raise ValueError for another name."""
    sender = SENDERS.get(name)
    if sender is None:
        raise ValueError(f"unknown sender {name!r}: use one of {', '.join(SENDERS)}")
    return sender
