"""One process, one memory, every interface: the ASGI app and the life of the process around it."""

from __future__ import annotations

import asyncio
import gc
import logging
import math
import socket
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from wellworn import __version__
from wellworn.application.bootstrap import can_change_encoder, open_app
from wellworn.application.calls import App
from wellworn.application.settings import Settings, read_settings
from wellworn.domain.spaces import LOOPBACK_HOSTS
from wellworn.engines import daemon
from wellworn.engines.fetch import claim_port
from wellworn.engines.folder_watch import FolderWatch
from wellworn.errors import InvalidInput
from wellworn.interfaces.http import (
    BoundedConnection,
    count_waiting_allowed,
    create_api,
)
from wellworn.interfaces.mcp import authorization_app, mcp_app
from wellworn.interfaces.web import PATHS, WebSite

_MAINTAINED_EVERY_S = 20.0
_LONGEST_STALL_MS = 60_000
_RENEWED_EVERY_S = 30.0
_LONGEST_DELAY_S = 60.0
_LONG_CALL_S = 2.0
_MOST_UNSENT = 64 * 1024
_GARBAGE_AFTER_OBJECTS = 50_000
_TURN_S = 0.0002
"""For how long a thread may compute while others wait. A call gives way at each statement and each
flush, so beside a sync it waits that long some thirty times; Python's own 5 ms double the call."""
_LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - named, not bound
_log = logging.getLogger(__name__)


def _is_watch(scope: Scope) -> bool:
    """Tell whether somebody watches a space, for which no server goes on."""
    path: str = scope["path"]
    return path == "/api/v1/events" or (path.startswith("/ui/") and path.endswith("/events"))


class Activity:
    """ASGI middleware that knows when the last call ended.

    Whoever watches a space has called when they began: an open page keeps no server alive.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._began_at: dict[object, float] = {}
        self._last = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if _is_watch(scope):
            self._last = time.monotonic()
            await self._app(scope, receive, send)
            return
        call = object()
        self._began_at[call] = time.monotonic()
        try:
            await self._app(scope, receive, send)
        finally:
            del self._began_at[call]
            self._last = time.monotonic()

    def idle_s(self) -> float:
        """Return the seconds since the last call ended; 0 while one is under way."""
        return 0.0 if self._began_at else time.monotonic() - self._last

    def longest_s(self) -> float:
        """Return how long the oldest call under way has run; 0 without one."""
        now = time.monotonic()
        return now - next(iter(self._began_at.values()), now)


def create_asgi(
    app: App, *, host: str = "127.0.0.1", also: frozenset[str] = frozenset()
) -> FastAPI:
    """Return a server of HTTP, MCP and pages, for calls to `host` and the names in `also`."""
    names = LOOPBACK_HOSTS | also | {f"[{host}]" if ":" in host else host}
    endpoint = mcp_app(app, version=__version__, hosts=tuple(sorted(names)))

    @asynccontextmanager
    async def lifespan(_api: FastAPI) -> AsyncGenerator[None]:
        async with endpoint.running():
            yield

    api = create_api(app, lifespan=lifespan, hosts=names)
    # A mount would redirect /mcp to /mcp/, which not every client follows, and some add the slash.
    for path in ("/mcp", "/mcp/", "/mcp/{space}", "/mcp/{space}/"):
        api.router.routes.append(Route(path, endpoint=endpoint))
    authorization = authorization_app(app)
    for path in authorization.PATHS:
        api.router.routes.append(Route(path, endpoint=authorization))
    pages = WebSite(app)
    for path in PATHS:
        api.router.routes.append(Route(path, endpoint=pages))
    return api


def run(
    home: Path,
    host: str,
    port: int,
    idle_exit_s: float | None,
    inherited: daemon.Inheritance | None = None,
) -> None:
    """Serve the memory in `home` until told to stop, or until idle for `idle_exit_s` seconds.

    When another start is needed, the process begins again with what it has `inherited`.

    Raises:
        StoreInUse: another process serves it.
        DamagedStore, StorageUnavailable: the memory cannot be opened.
    """
    _log_to_standard_error()
    sys.setswitchinterval(_TURN_S)
    lock, socket_left = (inherited.lock, inherited.listener) if inherited else (None, None)
    with (
        daemon.hold_folder(home, inherited=lock) as lock,
        listening(host, port, socket_left) as listener,
        listener.dup() as listener_copy,
    ):
        settings = read_settings()
        if not is_loopback(host):
            settings = close_open_door(settings)
        app = open_app(home, settings)
        try:
            require_credentials(app, settings)
            _tell_who_is_answered(host, settings)
            server = _make_server(app, listener.getsockname()[0], settings, inherited)
            connections = _serve(server, home, listener, idle_exit_s)
        finally:
            app.close()
        if connections is not None:
            left = daemon.Inheritance(lock, listener_copy.fileno(), tuple(connections))
            daemon.renew_process(left)


def _log_to_standard_error() -> None:
    """Let the log be read: audit checkpoints are in it, to be stored elsewhere."""
    ours = logging.getLogger("wellworn")
    ours.setLevel(logging.INFO)
    if not ours.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        ours.addHandler(handler)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def close_open_door(settings: Settings) -> Settings:
    """Return the settings with the open door closed: every call needs a credential."""
    closed = settings.spaces.model_copy(update={"require_credentials": True})
    return settings.model_copy(update={"spaces": closed})


def require_credentials(app: App, settings: Settings) -> None:
    """Refuse to serve where a credential is needed and nobody has one.

    Raises:
        InvalidInput: the message says how to make the first.
    """
    if not settings.spaces.has_open_door and not app.credentials.has_any():
        message = (
            "every call here needs a credential, and nobody has one yet. Make one first, on this "
            "machine and at the default address: wellworn credential create NAME --role admin"
        )
        raise InvalidInput(message)


def _tell_who_is_answered(host: str, settings: Settings) -> None:
    if host in _LOOPBACK_OF and not settings.spaces.names:
        _log.warning(
            "only calls to 127.0.0.1 and localhost are answered: name what others call this "
            "machine, as in WELLWORN_SPACES__HOSTS='[\"memory.example.org\"]'"
        )


def _make_server(
    app: App, host: str, settings: Settings, inherited: daemon.Inheritance | None
) -> _Server:
    names = settings.spaces.names
    activity = Activity(create_asgi(app, host=host, also=names))
    config = uvicorn.Config(
        activity,
        http=BoundedConnection,
        backlog=count_waiting_allowed(),
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=10,
        ws="none",
        # Limits count addresses, so nobody may choose theirs; uvicorn believes loopback unasked.
        proxy_headers=bool(settings.spaces.proxies),
        forwarded_allow_ips=list(settings.spaces.proxies),
    )
    return _Server(config, app, activity, settings, inherited)


def _serve(
    server: _Server, home: Path, listener: socket.socket, idle_exit_s: float | None
) -> list[int] | None:
    """Answer calls until the end; return the connections to go on with after a renewal."""
    app, done = server.app, threading.Event()
    threads = [
        threading.Thread(target=_announce, args=(server, home, listener, done), daemon=True),
        threading.Thread(target=_maintain, args=(server, home, done), daemon=True),
        threading.Thread(
            target=outlive, args=(app.embedding.run, done), name="embedding", daemon=True
        ),
        threading.Thread(target=outlive, args=(app.judging.run, done), name="judging", daemon=True),
        threading.Thread(target=_watch_folders, args=(app, home, done), daemon=True),
    ]
    if idle_exit_s is not None:
        threads.append(
            threading.Thread(target=_leave_when_idle, args=(server, idle_exit_s, done), daemon=True)
        )
    for thread in threads:
        thread.start()
    app.turns.begin(app.jobs)
    app.topics.begin(app.jobs)
    app.sleep.begin(app.jobs)
    app.syncs.begin(app.jobs)
    try:
        server.run(sockets=[listener])
    finally:
        done.set()
        app.stop_maintenance()
        # Callers wait for a renewal, which ends whatever still runs.
        longest_s = 30 if BoundedConnection.handed_over is None else 2
        for thread in threads:
            thread.join(timeout=longest_s)
    return BoundedConnection.handed_over


class _Server(uvicorn.Server):
    """A server that ends, too, when another start is needed.

    That is when what was locked is to be gone, an index to be rebuilt, or a new encoder to serve.

    It waits for long calls and maintenance, within limits, and answers the calls under way. Told to
    end, it first lets go of all who wait for a job, or they would hold it up.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        app: App,
        activity: Activity,
        settings: Settings,
        inherited: daemon.Inheritance | None,
    ) -> None:
        super().__init__(config)
        self.app = app
        self.settings = settings
        self.has_new_encoder = False
        self.activity = activity
        self.maintaining = threading.Lock()
        self._inherited = inherited.connections if inherited else ()
        self._renewable_at = time.monotonic() + (_RENEWED_EVERY_S if inherited else 0)
        self._renewed_by = math.inf

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer; those who were connected before go on."""
        await super().startup(sockets)
        loop = asyncio.get_running_loop()
        for descriptor in self._inherited:
            with suppress(OSError):
                connection = socket.socket(fileno=descriptor)
                await loop.connect_accepted_socket(self._connect, connection)

    def _connect(self) -> BoundedConnection:
        return BoundedConnection(self.config, self.server_state, self.lifespan.state)

    async def on_tick(self, counter: int) -> bool:
        """Tell, ten times a second, whether to end."""
        if await super().on_tick(counter):
            return True
        app = self.app
        if not (app.guard.pool.has_left_behind or app.has_damaged_index or self.has_new_encoder):
            self._renewed_by = math.inf
            return False
        now = time.monotonic()
        self._renewed_by = min(self._renewed_by, now + _LONGEST_DELAY_S)
        is_busy = self.activity.longest_s() > _LONG_CALL_S or self.maintaining.locked()
        if now < self._renewable_at or (is_busy and now < self._renewed_by):
            return False
        _log.info("the server begins anew: for a locked space, a damaged index or a new encoder")
        BoundedConnection.handed_over = []
        app.release_waiting()
        return True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end, as a signal asks for."""
        self.app.release_waiting()
        super().handle_exit(sig, frame)


def _announce(
    server: uvicorn.Server, home: Path, listener: socket.socket, done: threading.Event
) -> None:
    while not server.started:
        if done.wait(0.01):
            return
    host, port = listener.getsockname()[:2]
    # Who finds the address in the data folder is on this machine.
    host = _LOOPBACK_OF.get(str(host), str(host))
    name = f"[{host}]" if ":" in host else host
    daemon.announce(home, f"http://{name}:{port}")


def _maintain(server: _Server, home: Path, done: threading.Event) -> None:
    app = server.app
    app.warm()
    # What is loaded by now stays; looking through it again and again costs every call.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE_AFTER_OBJECTS, 20, 20)
    while True:
        try:
            with server.maintaining:
                app.maintain()
            server.has_new_encoder = can_change_encoder(home, server.settings.embedding)
        except Exception:  # noqa: BLE001 - without this thread no idle space is ever locked
            _log.exception("maintenance failed and will be tried again")
        app.work.wait(_MAINTAINED_EVERY_S)
        # In this order: `stop` sets `done` before waking.
        app.work.clear()
        if done.is_set():
            return


def outlive(work: Callable[[], None], done: threading.Event) -> None:
    """Do work that ends when it is told to; what nobody foresaw in one space ends it for none."""
    while not done.is_set():
        try:
            work()
        except Exception:  # noqa: BLE001 - a thread has no caller who could tell
            _log.exception("work in the background failed and begins anew")
            done.wait(_MAINTAINED_EVERY_S)
        else:
            return


def _watch_folders(app: App, home: Path, done: threading.Event) -> None:
    """Start syncs of the folders that are watched when something changes in them."""
    FolderWatch(app.syncs.list_watched, app.syncs.report_change, ignored=home).run(done)


def _leave_when_idle(server: _Server, idle_exit_s: float, done: threading.Event) -> None:
    activity = server.activity
    while not done.wait(max(0.05, idle_exit_s - activity.idle_s())):
        app = server.app
        is_busy = app.syncs.is_busy or app.turns.is_busy or app.embedding.is_busy
        if activity.idle_s() >= idle_exit_s and not is_busy:
            app.release_waiting()
            server.should_exit = True
            return


@contextmanager
def listening(host: str, port: int, inherited: int | None = None) -> Generator[socket.socket]:
    """Bind before anything is opened, so that a port in use is told at once."""
    if inherited is not None:
        with (
            socket.socket(fileno=inherited) as listener,
            claim_port(listener.getsockname()[1]),
        ):
            yield listener
        return
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small answers at once instead of after 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # The system ends a connection whose caller leaves unread what there is for them.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _LONGEST_STALL_MS)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):
            # What is sent is made as it is read: the system would take megabytes for a slow reader.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _MOST_UNSENT)
        listener.bind((host, port))
        with claim_port(listener.getsockname()[1]):
            yield listener
    finally:
        listener.close()
