"""The one error a caller of the client has to know."""

from __future__ import annotations

UNREACHABLE = "UNREACHABLE"
TIMED_OUT = "TIMED_OUT"
UNEXPECTED_ANSWER = "UNEXPECTED_ANSWER"

_REMEDIES = {
    UNREACHABLE: "; `wellworn serve` starts the server in a terminal and shows what is in its way",
    TIMED_OUT: "; try again in a moment, or with a longer timeout_s",
    "OVERLOADED": "; try again in a moment, with fewer calls at once",
    "UNAUTHENTICATED": "; pass a member's key as key or in WELLWORN_KEY",
}


class WellwornClientError(Exception):
    """A call failed.

    `code` is the server's (such as THOUGHT_NOT_FOUND), or one of the client's own: UNREACHABLE
    (nobody answers there), TIMED_OUT, UNEXPECTED_ANSWER (what answers there is not wellworn).
    As a text it also says what to do.
    `retry_after_s` says after how many seconds the same call may succeed, where the server does.
    """

    def __init__(self, code: str, message: str, *, retry_after_s: int | None = None) -> None:
        super().__init__(f"{code}: {message}{_REMEDIES.get(code, '')}")
        self.code = code
        self.message = message
        self.retry_after_s = retry_after_s
