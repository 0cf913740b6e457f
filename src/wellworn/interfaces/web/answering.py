"""Answers a browser's request with a page: who asks, if the request is its own, what goes back.

Nothing that a page shows can run: its policy lets in no script and no style but those that stand
beside this module. What changes something comes from a form of these pages, or is refused.

Source: `docs/security.md`; Content Security Policy Level 3; Fetch Metadata; RFC 6265bis (cookies).
"""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from anyio.to_thread import run_sync
from starlette.datastructures import URL, QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from wellworn.application.calls import App, CallClass, RunningTurn
from wellworn.client import models as shapes
from wellworn.client.fields import Label
from wellworn.domain.spaces import (
    SESSION_S,
    Access,
    BrowserSession,
)
from wellworn.domain.turns import TurnAnswer
from wellworn.engines.slots import CallerSlots, give_back_slot
from wellworn.errors import (
    HeldElsewhere,
    InvalidInput,
    SpaceLocked,
    StorageUnavailable,
    Unauthenticated,
    WellwornError,
)
from wellworn.interfaces.complaints import STATUS_OF_CODE
from wellworn.interfaces.event_stream import stream
from wellworn.interfaces.watching import watch_space
from wellworn.interfaces.web.consent import answer_consent, show_consent
from wellworn.interfaces.web.live import LiveParts
from wellworn.interfaces.web.pages import PAGES
from wellworn.interfaces.web.pages.now import show_recent
from wellworn.interfaces.web.rendering import create_environment, render
from wellworn.interfaces.web.requests import (
    CONNECT,
    JOIN,
    Data,
    Download,
    Field,
    Page,
    PageRequest,
    Screen,
    TurnToWait,
    WayOn,
)

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
THEMES: Final = ("system", "light", "dark")
_SAFE: Final = frozenset({"GET", "HEAD"})
_SERVER_FAILED: Final = 500
_SIGN_IN, _SIGN_OUT, _THEME = "/ui/sign-in", "/ui/sign-out", "/ui/theme"
_TOKEN: Final = Field[str]("token", Label)
_NAME: Final = Field[str]("name", Label)
_LINES_AT_ONCE: Final = 500
_LONGEST_FORM: Final = 256 * 1024
_UNEXPECTED: Final = "Something failed that nobody foresaw; the server's log says what."
_log = logging.getLogger(__name__)


class PageServer:
    """The ASGI app of all pages."""

    def __init__(self, app: App, locate: Callable[[str], str]) -> None:
        self._app = app
        self._environment = create_environment(locate)
        self._sessions = app.browsers
        self._live = LiveParts(app)
        self._routes = [
            (Route(f"/ui/{{space}}{path}", _unused, methods=[method]), page)
            for method, path, page in PAGES
        ]

        self._beside: dict[tuple[str, str], Callable[[Request, QueryParams], Response]] = {
            ("GET", "/ui"): self._lead_in,
            ("GET", _SIGN_IN): self._sign_in,
            ("POST", _SIGN_IN): self._sign_in,
            ("POST", _SIGN_OUT): self._sign_out,
            ("POST", _THEME): _choose_theme,
            ("GET", JOIN): self._join,
            ("POST", JOIN): self._join,
            ("GET", CONNECT): self._connect,
            ("POST", CONNECT): self._connect,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            form = await _read_form(request)
            answer = await run_sync(self._answer, request, form)
            match answer:
                case Response():
                    response = answer
                case PageRequest():
                    response = await self._follow(request, answer)
                case TurnToWait():
                    response = await self._wait(request, answer)
        except WellwornError as error:
            if STATUS_OF_CODE[error.code] >= _SERVER_FAILED:
                trace = None if isinstance(error, HeldElsewhere) else error
                _log.error("%s: %s", error.code, error.message, exc_info=trace)
            response = self._show_failure(request, error)
        except Exception:  # noqa: BLE001 - whatever fails, somebody waits for a page that says so
            _log.exception("a page failed")
            response = self._show_failure(request, None)
        response.headers.update(HEADERS)
        await response(scope, receive, send)

    def _answer(self, request: Request, form: QueryParams) -> Response | TurnToWait | PageRequest:
        path = request.url.path.rstrip("/")
        beside = self._beside.get((request.method, path))
        if beside is not None:
            return beside(request, form)
        page, values = self._find_page({**request.scope, "path": path})
        followed = _FOLLOWED.matches({**request.scope, "path": path})
        if followed[0] is Match.FULL:
            page, values = show_recent, followed[1]["path_params"]
        if page is None:
            return self._show(request, Screen("missing.html", status=404), None)
        session, access = self._enter(request, values["space"])
        asked = PageRequest(
            self._app,
            access,
            values,
            f"{request.url.scheme}://{request.url.netloc}",
            QueryParams([pair for pair in request.query_params.multi_items() if pair[1]]),
            form,
            self._sessions,
            session,
            request.headers.get("hx-request-type") == "partial",
        )
        if page is show_recent:
            return asked
        result = page(asked)
        return result if isinstance(result, TurnToWait) else self._reply(request, asked, result)

    def _reply(
        self, request: Request, asked: PageRequest, result: Screen | WayOn | Data | Download
    ) -> Response:
        match result:
            case Screen():
                return self._show(request, result, asked)
            case WayOn():
                return RedirectResponse(result.to, 303)
            case Data():
                return _pack(result)
            case Download():
                return self._send(request, asked, result)

    def _name_caller(self, request: Request, session: BrowserSession | None) -> tuple[str, ...]:
        shown = session.credential if session else None
        return self._app.admission.name_caller(shown, _get_address(request))

    def _send(self, request: Request, asked: PageRequest, file: Download) -> Response:
        """Send a file in the caller's share of exports, as long as the caller may read it."""
        slots: CallerSlots = request.scope["app"].state.export_slots
        caller = self._name_caller(request, asked.session)

        def read() -> Generator[str]:
            with slots.hold(*caller) as slot:
                yield ""
                while lines := [*islice(file.lines, _LINES_AT_ONCE)]:
                    self._app.authenticator.confirm(asked.access)
                    slot.check()
                    yield "".join(line + "\n" for line in lines)

        text = read()
        next(text)
        headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
        return StreamingResponse(text, media_type="application/x-ndjson", headers=headers)

    async def _follow(self, request: Request, asked: PageRequest) -> Response:
        """Send the newest thoughts of a space whenever something happens there."""
        caller = self._name_caller(request, asked.session)

        def confirm() -> None:
            if asked.session is not None and self._find_session(request) is None:
                raise Unauthenticated("this browser is signed out")

        happening = watch_space(self._app, asked.access, caller, confirm=confirm)
        await anext(happening, None)

        def render_recent() -> str:
            return self._render(request, show_recent(asked), asked)

        return stream(self._live.follow(asked.access, happening, render_recent))

    async def _wait(self, request: Request, waiting: TurnToWait) -> Response:
        """Answer when a turn is over, which may take minutes and no slot of short calls."""
        session = await run_sync(self._find_session, request)
        turn = await RunningTurn[TurnAnswer].begin_in_slot(
            waiting.work,
            self._app.turns.slots,
            self._name_caller(request, session),
            weight=give_back_slot(request.scope),
            is_leaving=lambda: self._app.jobs.is_leaving,
        )
        answer = await turn.wait()
        return RedirectResponse(f"{waiting.base}/{answer.turn.id}", 303)

    def _lead_in(self, request: Request, _form: QueryParams) -> Response:
        """Lead to the caller's usual space."""
        _, access = self._enter(request, None)
        return RedirectResponse(f"/ui/{access.space}", 303)

    def _find_page(self, scope: Scope) -> tuple[Page | None, Mapping[str, str]]:
        for route, page in self._routes:
            match, found = route.matches(scope)
            if match is Match.FULL:
                return page, found["path_params"]
        return None, {}

    def _enter(self, request: Request, space: str | None) -> tuple[BrowserSession | None, Access]:
        session = self._find_session(request)
        access, _ = self._app.admission.enter(
            session.credential if session else None,
            space,
            kind=CallClass.READ if request.method in _SAFE else CallClass.WRITE,
            address=_get_address(request),
        )
        return session, access

    def _show(self, request: Request, screen: Screen, asked: PageRequest | None) -> Response:
        text = self._render(request, screen, asked)
        return Response(text, screen.status, media_type="text/html")

    def _render(self, request: Request, screen: Screen, asked: PageRequest | None) -> str:
        is_part = asked is not None and asked.is_partial and screen.part is not None
        template = screen.part if is_part and screen.part else screen.template
        values: dict[str, Any] = {
            "request": asked,
            "base": asked.base if asked else "",
            "here": request.url.path,
            "theme": _get_theme(request),
            "is_private": request.url.scheme == "https" or _is_loopback(request),
            "screen": screen,
            **screen.values,
        }
        return render(self._environment, template, values)

    def _show_failure(self, request: Request, error: WellwornError | None) -> Response:
        is_part = request.headers.get("hx-request-type") == "partial"
        is_page = request.method in _SAFE and not is_part
        here = str(URL(scope=request.scope).replace(scheme="", netloc=""))
        back = here if is_page else "/".join(request.url.path.split("/")[:3])
        sign_in = str(URL(_SIGN_IN).include_query_params(next=back))
        if isinstance(error, Unauthenticated) and is_page:
            response = RedirectResponse(sign_in, 303)
            # A key that opens nothing any more must not hide what needs no key.
            if (name := _name_cookie(request)) in request.cookies:
                _set_cookie(response, request, name, "", 0)
            return response
        status = STATUS_OF_CODE[error.code] if error else 500
        values = {
            "status": status,
            "message": error.message if error else _UNEXPECTED,
            "is_locked": isinstance(error, SpaceLocked),
            "sign_in": sign_in if isinstance(error, SpaceLocked | Unauthenticated) else "",
        }
        template = "_failure.html" if is_part else "failure.html"
        return self._show(request, Screen(template, values, status=status), None)

    def _sign_in(self, request: Request, form: QueryParams) -> Response:
        to = form.get("next") or request.query_params.get("next") or "/ui"
        screen = Screen("sign_in.html", {"next": to, "problem": ""})
        if request.method != "POST":
            return self._show(request, screen, None)
        key = form.get("key", "").strip()
        try:
            principal, _ = self._app.admission.recognise(
                key, kind=CallClass.ADMINISTRATION, address=_get_address(request)
            )
        except WellwornError as error:
            values = {"next": to, "problem": error.message}
            screen = replace(screen, values=values, status=STATUS_OF_CODE[error.code])
            return self._show(request, screen, None)
        # Only a page of this site, whatever stood in the address.
        response = RedirectResponse(to if to.startswith("/ui") else "/ui", 303)
        self._begin_session(request, response, key, principal and principal.kid)
        return response

    def _begin_session(
        self, request: Request, response: Response, key: str, kid: str | None
    ) -> None:
        before = self._find_session(request)
        if before is not None:
            self._sessions.end(before.id, before.holder)
        secret = self._sessions.begin(key, kid, request.headers.get("user-agent", "unknown"))
        _set_cookie(response, request, _name_cookie(request), secret, SESSION_S)

    def _find_session(self, request: Request) -> BrowserSession | None:
        return self._sessions.find(request.cookies.get(_name_cookie(request)))

    def _join(self, request: Request, form: QueryParams) -> Response:
        """Let in whoever has an invitation, as who is signed in or else as a new member.

        The token comes in a form: what stands behind the sign in a link never leaves the browser.
        """
        session = self._find_session(request)
        values: dict[str, Any] = {
            "is_known": session is not None,
            "joined": None,
            "problem": "",
        }
        screen = Screen("join.html", values)
        if request.method != "POST":
            return self._show(request, screen, None)
        address, principal, admission = _get_address(request), None, self._app.admission
        try:
            if session is None:
                admission.admit_newcomer(address)
            else:
                kind = CallClass.ADMINISTRATION
                principal, _ = admission.recognise(session.credential, kind=kind, address=address)
            name = "browser" if principal else _NAME.require(form)
            joined = self._app.administration.join(_TOKEN.require(form), principal, name)
        except WellwornError as error:
            values["problem"] = error.message
            return self._show(request, replace(screen, status=STATUS_OF_CODE[error.code]), None)
        values["joined"] = shapes.Joined.of(joined)
        response = self._show(request, screen, None)
        if joined.issued is not None:
            issued = joined.issued
            # The page has the newcomer's only key, so it is shown whatever the disk says.
            with suppress(StorageUnavailable):
                self._begin_session(request, response, issued.key, issued.credential.kid)
        return response

    def _connect(self, request: Request, form: QueryParams) -> Response:
        """Ask whether a client may be let in, and let it in, as who is signed in."""
        is_answer = request.method == "POST"
        sealed = (form if is_answer else request.query_params).get("request", "")
        asked = self._app.connections.read_request(sealed)
        session = self._find_session(request)
        if session is None and request.headers.get("sec-fetch-site") == "cross-site":
            # A strict cookie comes along only from a page of this site.
            here = str(URL(CONNECT).include_query_params(request=sealed))
            return self._show(request, Screen("onward.html", {"to": here}), None)
        if session is None:
            raise Unauthenticated("sign in with a key to let a program in")
        principal, _ = self._app.admission.recognise(
            session.credential, kind=CallClass.ADMINISTRATION, address=_get_address(request)
        )
        if is_answer:
            screen = answer_consent(self._app, principal, asked, form)
        else:
            screen = show_consent(self._app, principal, asked)
        values = {**screen.values, "sealed": sealed}
        return self._show(request, replace(screen, values=values), None)

    def _sign_out(self, request: Request, _form: QueryParams) -> Response:
        session = self._find_session(request)
        if session is not None:
            self._sessions.end(session.id, session.holder)
        response = RedirectResponse(_SIGN_IN, 303)
        _set_cookie(response, request, _name_cookie(request), "", 0)
        return response


def _pack(data: Data) -> Response:
    text = json.dumps(data.values, separators=(",", ":"))
    headers = {"Content-Encoding": "gzip"}
    return Response(gzip.compress(text.encode()), headers=headers, media_type="application/json")


def _unused(_request: Request) -> Response:
    raise NotImplementedError


_FOLLOWED: Final = Route("/ui/{space}/events", _unused, methods=["GET"])
"""Where the newest thoughts are followed, which ends when who looks is gone."""


async def _read_form(request: Request) -> QueryParams:
    """Return the fields of a form, of a request that one of these pages sent.

    Raises:
        InvalidInput: another page sent it, or nobody knows which, or it is no form.
    """
    if request.method in _SAFE:
        return QueryParams()
    if request.method != "POST":
        raise InvalidInput("pages take GET and POST")
    if not _is_own(request):
        raise InvalidInput("this form did not come from a page of this server; open it here again")
    body = await request.body()
    if len(body) > _LONGEST_FORM:
        raise InvalidInput("the form is larger than 256 KiB")
    return QueryParams(body.decode(errors="replace"))


def _is_own(request: Request) -> bool:
    """Tell whether a page of this very origin sent a request, as the browser says."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin", "")
    return origin.partition("://")[2].lower() == request.headers["host"].lower()


def _get_address(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def _is_loopback(request: Request) -> bool:
    return request.url.hostname in {"127.0.0.1", "localhost", "::1"}


def _name_cookie(request: Request) -> str:
    return "__Host-wellworn" if request.url.scheme == "https" else "wellworn"


def _set_cookie(response: Response, request: Request, name: str, value: str, age_s: int) -> None:
    response.set_cookie(
        name,
        value,
        max_age=age_s,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )


def _get_theme(request: Request) -> str:
    theme = request.cookies.get("wellworn-theme", "")
    return theme if theme in THEMES else THEMES[0]


def _choose_theme(request: Request, form: QueryParams) -> Response:
    theme, back = form.get("theme", ""), form.get("next", "")
    response = RedirectResponse(back if back.startswith("/ui") else "/ui", 303)
    if theme in THEMES:
        _set_cookie(response, request, "wellworn-theme", theme, 365 * 24 * 3600)
    return response
