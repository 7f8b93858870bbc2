"""Who sends an object to the API server, and how: the server's answer depends on it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Sender(NamedTuple):
    """A sender of objects.

    `applies` sends them by server-side apply. `is_strict` has the server reject unknown and duplicate fields, which it otherwise
    drops. `reencodes` decodes a manifest, and sends it as JSON with sorted keys.
    """

    name: str
    applies: bool = False
    is_strict: bool = True
    reencodes: bool = False


# A create request with the text of the file.
CREATE: Final = Sender("create")
SENDERS: Final = {
    sender.name: sender
    for sender in (
        CREATE,
        Sender("kubectl", reencodes=True),
        Sender("server-side-apply", applies=True),
        Sender("helm-3", is_strict=False, reencodes=True),
        Sender("helm-4", applies=True, reencodes=True),
    )
}


def sender_named(name: str) -> Sender:
    """Return the sender with a name; raise ValueError for another name."""
    sender = SENDERS.get(name)
    if sender is None:
        raise ValueError(f"unknown sender {name!r}: use one of {', '.join(SENDERS)}")
    return sender
