"""A client of the Kubernetes API that keeps one connection, and returns answers as they are sent."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
YAML: Final = "application/yaml"
JSON: Final = "application/json"
APPLY: Final = "application/apply-patch+yaml"
APPLY_PATCH: Final = "application/apply-patch+yaml"
MERGE_PATCH: Final = "application/merge-patch+json"
TABLE: Final = "application/json;as=Table;v=v1;g=meta.k8s.io"
NAMES: Final = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
_WARNING: Final = re.compile(r'^\d+ \S+ "(.*)"$', re.DOTALL)
_PAUSE: Final = 0.02  # seconds between two looks at whether the server is done
_TRIES: Final = 200
_TOO_EARLY: Final = 429  # "storage is (re)initializing", just after a CRD was created or changed
# What stands for the answer of a server that panics.
NO_ANSWER: Final = "the server closed the connection without an answer"
_DELETION: Final = 5.0  # seconds in which the server deletes a CRD with few objects
_CONFLICT: Final = 409
_PATIENCE: Final = 20.0  # seconds


class Reply(NamedTuple):
    """An answer of the server: the status of HTTP, its body as JSON values, and the texts of its Warning headers.

    The status is 0 if the server closed the connection without an answer, which it does if it panics.
    """

    status: int
    body: dict[str, Any]
    warnings: tuple[str, ...]

    @property
    def is_accepted(self) -> bool:
        return self.status in {200, 201}

    @property
    def message(self) -> str:
        """The sentence of a refusal."""
        return str(self.body.get("message", ""))


@dataclass
class Server:
    """A running API server at `url`, asked with a bearer token; its certificate is not verified."""

    url: str
    token: str
    _connection: http.client.HTTPSConnection | None = field(default=None, repr=False)

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        content_type: str = YAML,
        accept: str = "application/json",
    ) -> Reply:
        """Send a request and return the answer; a body that is not a text is sent as JSON."""
        text = body if isinstance(body, str) or body is None else json.dumps(body)
        headers = {"Authorization": f"Bearer {self.token}", "Accept": accept}
        if text is not None:
            headers["Content-Type"] = content_type
        data = None if text is None else text.encode("utf-8", "surrogatepass")
        lost = 0
        for _ in range(_TRIES):
            reply = self._sent(method, path, data, headers)
            if reply is None:  # the server may have closed the connection of the request before
                lost += 1
                if lost > 1:
                    break
            elif reply.status != _TOO_EARLY:
                return reply
            else:
                time.sleep(_PAUSE)
        return Reply(0, {"message": NO_ANSWER}, ())

    def _sent(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str]
    ) -> Reply | None:
        """Send a request once. Return None if the connection is closed without an answer."""
        try:
            connection = self._connected()
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            warnings = tuple(map(_warning, response.headers.get_all("Warning") or []))
            return Reply(response.status, _json(response.read()), warnings)
        except (http.client.HTTPException, OSError):
            self._connection = None
            return None

    def version(self) -> str:
        """Return the version of the server such as v1.37.2, empty if it does not answer."""
        return str(self.ask("GET", "/version").body.get("gitVersion", ""))

    def create_crd(self, body: object) -> str | None:
        """Create a CRD and wait until its objects can be created. Return its name, or None if it is refused."""
        reply = self.ask("POST", CRDS, body)
        if reply.status == _CONFLICT:  # left by a run that was interrupted
            self.delete_crd(reply.body["details"]["name"])
            reply = self.ask("POST", CRDS, body)
        if not reply.is_accepted:
            return None
        name = str(reply.body["metadata"]["name"])
        wait(lambda: self._is_established(name))
        return name

    def delete_crd(self, name: str) -> None:
        """Delete a CRD with its objects, and wait until it is gone."""
        path = f"{CRDS}/{name}"
        self.ask("DELETE", path)
        if not wait(
            lambda: self.ask("GET", path).status == 404, _DELETION
        ):  # finalizers of its own keep it
            self.ask("PATCH", path, {"metadata": {"finalizers": None}}, content_type=MERGE_PATCH)
            wait(lambda: self.ask("GET", path).status == 404)

    def _is_established(self, name: str) -> bool:
        status = self.ask("GET", f"{CRDS}/{name}").body.get("status") or {}
        conditions = {
            condition["type"]: condition["status"] for condition in status.get("conditions") or []
        }
        is_refused = conditions.get("NamesAccepted") == "False"
        return is_refused or conditions.get("Established") == "True"

    def _connected(self) -> http.client.HTTPSConnection:
        if self._connection is None:
            url = urlsplit(self.url)
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            self._connection = http.client.HTTPSConnection(
                url.hostname or "", url.port, context=context, timeout=120
            )
        return self._connection


def wait(is_done: Callable[[], bool], patience: float = _PATIENCE) -> bool:
    """Ask until something is done, for `patience` seconds at most. Return whether it is."""
    end = time.monotonic() + patience
    while not is_done():
        if time.monotonic() > end:
            return False
        time.sleep(_PAUSE)
    return True


def _json(data: bytes) -> dict[str, Any]:
    """Return an answer as JSON values; an answer that is a text becomes the message of a refusal."""
    try:
        values = json.loads(data)
    except ValueError:
        values = None
    return values if isinstance(values, dict) else {"message": data.decode("utf-8", "replace")}


def _warning(header: str) -> str:
    """Return the text of a Warning header, which is quoted after a code and an agent."""
    match = _WARNING.match(header)
    if match is None:
        return header
    return re.sub(r"\\(.)", r"\1", match[1])
