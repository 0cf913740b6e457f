"""One connection to an address that was checked, under one deadline for all it does.

The name stays with the request (Host, TLS, certificate); only the address is ours. A connection
serves one request: a later one asks the guard again.
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from functools import cached_property

import httpcore2
import httpx2

from wellworn.engines.fetch.deadline import Deadline
from wellworn.engines.fetch.urls import port_of

# Its debug lines hold the headers of answers, and those can hold secrets.
logging.getLogger("httpcore2").setLevel(logging.INFO)


class _TimedStream(httpcore2.NetworkStream):
    """A stream whose every step ends by the deadline."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def _require_time(self) -> float:
        left = self._deadline.remaining_s()
        if not left:
            raise httpcore2.ReadTimeout
        return left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del timeout
        return self._stream.read(max_bytes, self._require_time())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        self._stream.write(buffer, self._require_time())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        del timeout
        secured = self._stream.start_tls(ssl_context, server_hostname, self._require_time())
        return _TimedStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


class _PinnedNetwork(httpcore2.NetworkBackend):
    """Connects to the addresses given, whatever host is asked for."""

    def __init__(self, addresses: Iterable[str], deadline: Deadline) -> None:
        self._addresses = tuple(addresses)
        self._deadline = deadline
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        del host, local_address
        *others, last = self._addresses
        for address in others:
            try:
                return self._connect(address, port, timeout, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return self._connect(last, port, timeout, socket_options)

    def _connect(
        self,
        address: str,
        port: int,
        timeout: float | None,
        options: Iterable[httpcore2.SOCKET_OPTION] | None,
    ) -> httpcore2.NetworkStream:
        left = self._deadline.remaining_s()
        if not left:
            raise httpcore2.ConnectTimeout
        wait = left if timeout is None else min(timeout, left)
        stream = self._sockets.connect_tcp(address, port, wait, None, options)
        return _TimedStream(stream, self._deadline)


class Connector:
    """Opens connections; the trusted certificates are read once, at the first: it takes long."""

    def __init__(self, connect_timeout_s: float, tls: ssl.SSLContext | None) -> None:
        self._connect_timeout_s = connect_timeout_s
        self._given_tls = tls

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return self._given_tls or httpx2.create_ssl_context(trust_env=False)

    @contextmanager
    def answer(
        self,
        url: httpx2.URL,
        headers: httpx2.Headers,
        addresses: Iterable[str],
        deadline: Deadline,
    ) -> Generator[httpcore2.Response]:
        """Ask for `url` at one of the addresses; the body is read from the answer's stream.

        Raises:
            httpcore2.TimeoutException: an address or the deadline ran out of time.
            httpcore2.NetworkError: no connection, or one that broke.
            httpcore2.ProtocolError: what came back is no HTTP.
        """
        target = httpcore2.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=port_of(url), target=url.raw_path
        )
        asked = httpx2.Request("GET", url, headers=headers).headers.raw
        extensions = {"timeout": {"connect": self._connect_timeout_s}}
        connection = httpcore2.HTTPConnection(
            target.origin,
            ssl_context=self._tls,
            network_backend=_PinnedNetwork(addresses, deadline),
        )
        try:
            yield connection.handle_request(
                httpcore2.Request("GET", target, headers=asked, extensions=extensions)
            )
        finally:
            connection.close()


def is_about_certificates(error: BaseException) -> bool:
    """Tell whether a connection failed because the other side could not prove its name."""
    return isinstance(error.__cause__, ssl.SSLCertVerificationError)
