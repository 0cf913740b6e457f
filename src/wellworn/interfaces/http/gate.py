"""The gate before every route: which hosts, which content types, how many bytes.

A server on loopback can be reached from any web page the user opens, by a name made to resolve to
it; so only names of this machine are served. A body in another format than JSON is refused before
it is read, but for files of knowledge, which are of any kind, and what calls a webhook, of which
only the signature counts.
"""

from __future__ import annotations

import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wellworn.domain.spaces import parse_credential
from wellworn.errors import Unauthenticated
from wellworn.interfaces.http.access import ALLOWANCE
from wellworn.interfaces.http.errors import respond_to, response_of
from wellworn.kit.fetch_mark import FETCH_MARK

JSON = "application/json"
LINES = "application/x-ndjson"
IMPORT_PATH = "/api/v1/import"
LONGEST_BODY = 1024 * 1024
LONGEST_IMPORT = 16 * 1024 * 1024
LONGEST_UPLOAD = 64 * 1024 * 1024
"""All in bytes; what a file of knowledge may have is a setting, at most this over HTTP."""

_TOO_LARGE = 413
_ROOT_SLASHES = 3
"""Of `/api/v1/`, which lists the endpoints; any other path is the same without its last one."""
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:[0-9]{1,5})?")
_DIGITS_OF_ANY_LENGTH = 18
_UPLOAD_PATH = re.compile(r"/api/knowledge/sources/[^/]*/files/.*", re.DOTALL)
_WEBHOOK_PATH = re.compile(r"/api/knowledge/sources/[^/]*/webhook")
_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Gate:
    """ASGI middleware; `hosts` are names without a port."""

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["path"].startswith("/api/") and scope["path"].count("/") > _ROOT_SLASHES:
            # A redirect would lose the body of those who do not follow it.
            scope = {**scope, "path": scope["path"].rstrip("/")}
        headers = Headers(scope=scope)
        if not self._is_called_by_name(headers):
            refusal = response_of(
                "FORBIDDEN_HOST", "this server answers to the names of this machine only"
            )
            await refusal(scope, receive, send)
            return
        if _is_fetched(headers):
            refusal = respond_to(Unauthenticated("what a server fetches needs a credential here"))
            await refusal(scope, receive, send)
            return
        wanted = _find_type_needed(scope, headers)
        if wanted is not None:
            refusal = response_of(
                "UNSUPPORTED_MEDIA_TYPE", f"send the body with content-type: {wanted}"
            )
            await refusal(scope, receive, send)
            return
        if _length(headers) > get_longest_body(scope):
            await _refuse_length(scope)(scope, receive, send)
            return
        if _is_foreign_page(headers) and not _is_link(scope, headers):
            refusal = response_of("CROSS_SITE", "this server does not answer pages of other sites")
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, _in_one_shape(scope, receive, _with_allowance(scope, send)))

    def _is_called_by_name(self, headers: Headers) -> bool:
        """Tell whether a call names this server; of two names a proxy may have read the other."""
        names = [host_name(host) for host in headers.getlist("host")]
        return len(names) == 1 and names[0] in self._hosts


def get_longest_body(scope: Scope) -> int:
    """Return how many bytes the body of a request may have."""
    if _is_upload(scope):
        return LONGEST_UPLOAD
    return LONGEST_IMPORT if scope["path"] == IMPORT_PATH else LONGEST_BODY


def _refuse_length(scope: Scope) -> ASGIApp:
    longest = get_longest_body(scope) >> 20
    return response_of("PAYLOAD_TOO_LARGE", f"the request body is larger than {longest} MiB")


def _in_one_shape(scope: Scope, receive: Receive, send: Send) -> Send:
    """Let the framework's own refusal of a body in chunks say the limit in the shape of errors."""
    refused = False

    async def sending(message: Message) -> None:
        nonlocal refused
        if message["type"] == "http.response.start":
            refused = message["status"] == _TOO_LARGE
            if refused:
                await _refuse_length(scope)(scope, receive, send)
        if not refused:
            await send(message)

    return sending


def _with_allowance(scope: Scope, send: Send) -> Send:
    """Tell a caller whose calls are counted how many are left."""

    async def sending(message: Message) -> None:
        allowance = scope.get("state", {}).get(ALLOWANCE)
        if message["type"] == "http.response.start" and allowance is not None:
            counts = {
                "ratelimit-limit": allowance.limit,
                "ratelimit-remaining": allowance.remaining,
                "ratelimit-reset": allowance.reset_s,
            }
            pairs = [(name.encode(), str(number).encode()) for name, number in counts.items()]
            message = {**message, "headers": [*message["headers"], *pairs]}
        await send(message)

    return sending


def _is_foreign_page(headers: Headers) -> bool:
    """Tell whether a page of another origin calls; another port of this machine is one too.

    Browsers say it themselves. Those that are too old for that, and all where there is no TLS but
    on loopback, name the page's origin.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2].lower() != headers["host"].lower()


def _is_link(scope: Scope, headers: Headers) -> bool:
    """Tell whether somebody follows a link of another page to one of ours, which changes nothing.

    That other page sees nothing of it: no frame shows ours, and its window is not passed on.
    """
    is_page = scope["path"] in {"/", "/authorize"} or f"{scope['path']}/".startswith("/ui/")
    return (
        is_page
        and scope["method"] == "GET"
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )


def _is_fetched(headers: Headers) -> bool:
    """Tell whether a server asks, perhaps this one, and for whom it does so is not known.

    Those who can make it ask are not the one for whom the door stands open.
    """
    if FETCH_MARK not in headers:
        return False
    try:
        return not parse_credential(headers.get("authorization"), api_key=headers.get("x-api-key"))
    except Unauthenticated:
        return True


def _length(headers: Headers) -> int:
    """Return the announced length; a body in chunks is counted while it is read."""
    announced = headers.get("content-length", "0")
    if not announced.isdecimal():
        return 0
    # Python refuses to read numbers of thousands of digits.
    return int(announced) if len(announced) < _DIGITS_OF_ANY_LENGTH else LONGEST_UPLOAD + 1


def host_name(host: str) -> str:
    """Return a Host header's name without its port, or nothing; IPv6 keeps its brackets."""
    parts = _HOST.fullmatch(host)
    return parts["name"].lower() if parts else ""


def _is_upload(scope: Scope) -> bool:
    return _UPLOAD_PATH.fullmatch(scope["path"]) is not None


def _find_type_needed(scope: Scope, headers: Headers) -> str | None:
    """Return the content type that was needed and not announced, if so."""
    if scope["method"] not in _WITH_BODY or not scope["path"].startswith("/api/"):
        return None
    if _is_upload(scope) or _WEBHOOK_PATH.fullmatch(scope["path"]):
        return None
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if not has_body:
        return None
    announced = headers.get("content-type", "").partition(";")[0].strip().lower()
    wanted = LINES if scope["path"] == IMPORT_PATH else JSON
    return None if announced == wanted else wanted
