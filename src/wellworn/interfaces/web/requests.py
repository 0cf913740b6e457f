"""Pairs what a page gets with what it gives: a request with its Access, a screen or a way on."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import URL, QueryParams

from wellworn.application.calls import App
from wellworn.client.fields import Offset
from wellworn.domain.spaces import Access, BrowserSession, BrowserSessions, Role
from wellworn.domain.turns import Listener, TurnAnswer
from wellworn.errors import InvalidInput
from wellworn.interfaces.complaints import describe_fault

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Field(Generic[_Value]):
    """A field of a form or an address, of one of the wire's types; empty where it is left out."""

    name: str
    annotation: Any

    def read(self, values: Mapping[str, str]) -> _Value | None:
        """Return the value, or None where nothing was filled in.

        Raises:
            InvalidInput: the message says what to change.
        """
        sent = values.get(self.name, "").replace("\r\n", "\n")
        if not sent.strip():
            return None
        try:
            return _adapter(self).validate_python(sent)
        except ValidationError as error:
            first = error.errors()[0]
            raise InvalidInput(describe_fault(first, [self.name])) from None

    def require(self, values: Mapping[str, str]) -> _Value:
        """Return the value.

        Raises:
            InvalidInput: nothing was filled in, or it is not what it must be.
        """
        value = self.read(values)
        if value is None:
            raise InvalidInput(f"{self.name} is required")
        return value


@lru_cache(maxsize=256)
def _adapter(field_: Field[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(field_.annotation)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for a page of a space, with its caller and the words in its query.

    Attributes:
        path: the parts of the address that have names.
        origin: how the browser reached this server, such as `http://127.0.0.1:3200`.
        session: of a browser that is signed in; None at the open door.
        is_partial: whether htmx asks, for a part of the page.
    """

    app: App
    access: Access
    path: Mapping[str, str]
    origin: str
    query: QueryParams
    form: QueryParams
    sessions: BrowserSessions
    session: BrowserSession | None
    is_partial: bool

    @property
    def base(self) -> str:
        """The address of the space's pages."""
        return f"/ui/{self.access.space}"

    def query_url(self, **changed: object) -> URL:
        """Return the address of this page with other words in its query."""
        return URL("?" + str(self.query)).include_query_params(**changed)

    @property
    def agent_id(self) -> str:
        """The agent who speaks here: the member, or the one at the machine."""
        return self.access.owner or BROWSER

    @property
    def agent_name(self) -> str:
        """The same, for people."""
        return self.access.owner or "Browser"

    @property
    def can_write(self) -> bool:
        """Whether the caller may add and judge."""
        return self.access.role.allows(Role.CONTRIBUTOR)

    @property
    def is_admin(self) -> bool:
        """Whether the caller may do everything."""
        return self.access.role.allows(Role.ADMIN)


BROWSER: Final = "browser"
JOIN: Final = "/ui/join"
"""Where an invitation is accepted."""
CONNECT: Final = "/ui/connect"
"""Where a member lets a program in."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A page to show.

    Attributes:
        template: its file; `part` is the one of the part that htmx swaps in.
        command, call: the command line and the HTTP call that say the same.
    """

    template: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    part: str | None = None
    command: str = ""
    call: str = ""
    status: int = 200


@dataclass(frozen=True, slots=True)
class WayOn:
    """A way on: the address of another page."""

    to: str


@dataclass(frozen=True, slots=True)
class TurnToWait:
    """A turn to work on, in a slot for such; its page below `base` is where the way goes on."""

    work: Callable[[Listener], TurnAnswer]
    base: str


@dataclass(frozen=True, slots=True)
class Data:
    """Numbers for a script of these pages, sent as JSON."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Download:
    """A file to keep; its lines are read as fast as they are taken."""

    lines: Iterator[str]
    name: str


Page = Callable[[PageRequest], Screen | WayOn | TurnToWait | Data | Download]


def format_command(*words: str, **options: str | None) -> str:
    """Return a command line that can be pasted."""
    given = [f"--{name}={value}" for name, value in options.items() if value]
    return shlex.join(["wellworn", *words, *given])


def format_call(operation: str, **query: object) -> str:
    """Return a method and an address."""
    given = {name: value for name, value in query.items() if value is not None}
    return str(URL(operation).include_query_params(**given)) if given else operation


def read_offset(request: PageRequest) -> int:
    """Return where a list goes on.

    Raises:
        InvalidInput: it is no number.
    """
    return Field[int]("offset", Offset).read(request.query) or 0


@dataclass(frozen=True, slots=True)
class PageTable:
    """The pages of one subject, by method and path below a space's address."""

    pages: list[tuple[str, str, Page]] = field(default_factory=list[tuple[str, str, Page]])

    def get(self, path: str) -> Callable[[Page], Page]:
        """Let a function answer a viewer."""
        return self._add("GET", path)

    def post(self, path: str) -> Callable[[Page], Page]:
        """Let a function do what a form asks for."""
        return self._add("POST", path)

    def _add(self, method: str, path: str) -> Callable[[Page], Page]:
        def add(page: Page) -> Page:
            self.pages.append((method, path, page))
            return page

        return add
