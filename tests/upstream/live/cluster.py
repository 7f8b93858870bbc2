"""Starting etcd and kube-apiserver in a folder of their own, without root and without any other part of a cluster."""

from __future__ import annotations

import json
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from .api import Server, wait
from .programs import NotBuiltError, Programs

_START: Final = 90.0  # seconds, on a machine that is busy
_STOP: Final = 15.0  # seconds


class Cluster(NamedTuple):
    """A running API server, and a kubeconfig for kubectl and Helm."""

    server: Server
    kubeconfig: Path


@contextmanager
def running(programs: Programs) -> Iterator[Cluster]:
    """Start etcd and kube-apiserver, and stop both at the end. Raises NotBuiltError, also if the server does not start."""
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix="crdlint-live-", ignore_cleanup_errors=True)
            )
        )
        etcd_port, peer_port, port = _free_ports(3)
        etcd = _etcd_command(programs.etcd(), folder, etcd_port, peer_port)
        stack.enter_context(_process(etcd, folder / "etcd.log"))
        token = secrets.token_urlsafe(24)
        (folder / "tokens.csv").write_text(
            f"{token},admin,admin,system:masters\n", encoding="utf-8"
        )
        _write_key(folder)
        apiserver = _apiserver_command(programs.kube_apiserver(), folder, etcd_port, port)
        log = folder / "kube-apiserver.log"
        process = stack.enter_context(_process(apiserver, log))
        server = Server(f"https://127.0.0.1:{port}", token)
        wait(lambda: process.poll() is not None or _is_ready(server), _START)
        if not _is_ready(server):
            raise NotBuiltError(f"kube-apiserver does not start:\n{_last_lines(log)}")
        yield Cluster(server, _write_kubeconfig(folder, server))


@contextmanager
def connected(url: str, token: str) -> Iterator[Cluster]:
    """Yield a server that runs already. Raises NotBuiltError if it does not answer."""
    server = Server(url.rstrip("/"), token)
    if not server.version():
        raise NotBuiltError(f"no API server answers at {url}")
    with tempfile.TemporaryDirectory(prefix="crdlint-live-") as folder:
        yield Cluster(server, _write_kubeconfig(Path(folder), server))


def _is_ready(server: Server) -> bool:
    return (
        server.ask("GET", "/readyz").status == 200
        and server.ask("GET", "/api/v1/namespaces/default").status == 200
    )


def _etcd_command(program: Path, folder: Path, port: int, peer_port: int) -> list[str]:
    clients, peers = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer_port}"
    options = {
        "data-dir": str(folder / "etcd"), "listen-client-urls": clients, "advertise-client-urls": clients,
        "listen-peer-urls": peers, "initial-advertise-peer-urls": peers, "initial-cluster": f"default={peers}",
    }  # fmt: skip
    return [str(program), "--unsafe-no-fsync", *_flags(options)]


def _apiserver_command(program: Path, folder: Path, etcd_port: int, port: int) -> list[str]:
    options = {
        "etcd-servers": f"http://127.0.0.1:{etcd_port}", "secure-port": str(port), "bind-address": "127.0.0.1",
        "cert-dir": str(folder / "certs"), "token-auth-file": str(folder / "tokens.csv"),
        "service-account-key-file": str(folder / "sa.key"), "service-account-signing-key-file": str(folder / "sa.key"),
        "service-account-issuer": "https://kubernetes.default.svc", "authorization-mode": "RBAC",
        "service-cluster-ip-range": "10.0.0.0/24", "disable-admission-plugins": "ServiceAccount",
    }  # fmt: skip
    return [str(program), *_flags(options)]


def _flags(options: dict[str, str]) -> list[str]:
    return [f"--{name}={value}" for name, value in options.items()]


@contextmanager
def _process(command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_ports(count: int) -> list[int]:
    """Return ports of this machine that nothing listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _write_key(folder: Path) -> None:
    """Write the key that signs tokens of service accounts, without which the server does not start."""
    openssl = shutil.which("openssl")
    if openssl is None:
        raise NotBuiltError(
            "openssl is not installed: the API server needs a key for service accounts."
        )
    command = [openssl, "genrsa", "-traditional", "-out", str(folder / "sa.key"), "2048"]
    subprocess.run(command, check=True, capture_output=True)


def _write_kubeconfig(folder: Path, server: Server) -> Path:
    cluster = {"server": server.url, "insecure-skip-tls-verify": True}
    config = {
        "apiVersion": "v1", "kind": "Config", "current-context": "live",
        "clusters": [{"name": "live", "cluster": cluster}],
        "users": [{"name": "live", "user": {"token": server.token}}],
        "contexts": [{"name": "live", "context": {"cluster": "live", "user": "live", "namespace": "default"}}],
    }  # fmt: skip
    path = folder / "kubeconfig"
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


def _last_lines(log: Path) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:])
