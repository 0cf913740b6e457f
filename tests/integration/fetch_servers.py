"""Web servers on loopback that answer as a test tells them, also in ways no library would."""

from __future__ import annotations

import datetime as dt
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from wellworn.engines.fetch import FetchSettings, WebClient

LOOPBACK = ("127.0.0.0/8",)


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]


class RawServer:
    """Reads the head of each request, then lets `answer(asked, send)` write what it likes."""

    def __init__(self, answer: Callable, *, tls: ssl.SSLContext | None = None) -> None:
        self._answer = answer
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.asked: list[Asked] = []
        self.heads: list[bytes] = []
        self.sent = 0
        self.stopped = Event()
        self._threads = [Thread(target=self._accept)]
        self._threads[0].start()

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}{path}"

    def close(self) -> None:
        self.stopped.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(timeout=10)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                thread = Thread(target=self._serve, args=(connection,))
                self._threads.append(thread)
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(10)
        with suppress(OSError), connection:
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection:
                head = _read_head(connection)
                self.heads.append(head)
                asked = _asked(head)
                self.asked.append(asked)
                _read_body(connection, head, int(asked.headers.get("content-length", 0)))

                def send(data: bytes) -> None:
                    connection.sendall(data)
                    self.sent += len(data)

                self._answer(asked, send)


def _read_body(connection: socket.socket, head: bytes, size: int) -> None:
    """Read what a request says below its head; whoever closes before resets the connection."""
    left = size - len(head.partition(b"\r\n\r\n")[2])
    while left > 0 and (more := connection.recv(65_536)):
        left -= len(more)


def _read_head(connection: socket.socket) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head:
        more = connection.recv(65_536)
        if not more:
            raise OSError
        head += more
    return head


def _asked(head: bytes) -> Asked:
    first, *lines = head.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    pairs = (line.split(": ", 1) for line in lines)
    return Asked(first.split(" ")[1], {name.lower(): value for name, value in pairs})


def answer(status: int = 200, body: bytes = b"", **headers: str) -> bytes:
    """Write a whole answer; `content_type="text/html"` becomes a header of that name."""
    given = {"content-length": str(len(body))}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} Told", *(f"{name}: {value}" for name, value in given.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def names(**places: str | list[str]) -> Callable:
    """Make a resolver that knows only these names (`docs="127.0.0.1"` is docs.example)."""

    def resolver(host: str, port: int) -> list[str]:
        found = places.get(host.removesuffix(".example"))
        if found is None:
            raise socket.gaierror
        return [found] if isinstance(found, str) else found

    return resolver


KNOWN = names(docs="127.0.0.1", other="127.0.0.1")


def client(resolver=KNOWN, wait=None, tls=None, **settings):
    """Make a client that may reach loopback and never waits."""
    chosen = FetchSettings(**({"private_networks": LOOPBACK, "deadline_s": 20.0} | settings))
    return WebClient(chosen, resolver=resolver, wait=wait or (lambda seconds: None), tls=tls)


def make_tls(written: Path, host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Make a server's TLS context for a host, and that of a client who trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    written.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(written)
    return serving, ssl.create_default_context(cafile=str(written))
