"""`wellworn-hook`: what an agent's hooks run, when a session starts and when a prompt is sent.

It reads the event from stdin, asks the server of the data folder and prints what the agent should
know, or nothing. Whatever fails, it exits with 0 and prints nothing: it never stops an agent's
turn. A failure is a line in `logs/hooks.log`, which `wellworn status` counts. A server that is down
is started for the next prompt. It imports the standard library alone: it starts with each prompt.

Source: `docs/how-to/connect-your-agent.md`.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, Timer
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, cast

from wellworn.engines.daemon import (
    create_files_privately,
    ensure_daemon,
    find_announced,
    find_home,
    lock_exclusively,
    make_private_folder,
)
from wellworn.engines.projects import find_project
from wellworn.errors import WellwornError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

_EVENTS: Final = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "BeforeAgent": "prompt",
    "PreCompact": "forget",
    "PreCompress": "forget",
    "SessionEnd": "end",
}
"""The names that clients give to their events, and what is done then."""
_START: Final = "--start"
_CAPTURE: Final = "--capture"
_TRANSCRIPTS: Final = "transcripts"
"""The folder of what clients told that keep no file of a session; each is there while it waits."""
_BUDGET_TOKENS: Final = {"start": 1_000, "prompt": 600}
_PATIENCE_S: Final = {"start": 5.0, "prompt": 2.0, "forget": 2.0, "end": 2.0}
"""How long an event may take in all: stdin, the lock of its session and the server together."""
_STDIN_S: Final = 5.0
_CAPTURED: Final = {"forget", "end"}
"""Kinds of events at which a session is captured, where that is allowed."""
_CAPTURE_S: Final = 1_800.0
"""How long a session may be captured, by a process that nobody waits for."""
_ALLOWED: Final = "capture-is-on"
_WAIT_VARIABLE: Final = "WELLWORN_HOOK_WAIT_S"
"""The variable with another number of seconds, for all of them."""
_OWN_CONTEXT: Final = ("<hook_context>", "</hook_context>")
"""Between these Gemini CLI puts what the start of a session was told before the first prompt."""
_LARGEST_EVENT: Final = 8_000_000
_LARGEST_ANSWER: Final = 1_000_000
_LONGEST_LINE: Final = 65_536
_OK: Final = 200
_OWN_MACHINE: Final = ("127.0.0.1", "localhost", "[::1]")
_LONGEST_PROMPT: Final = 10_000
_MOST_SHOWN: Final = 1_000
_SAME_START_S: Final = 10.0
"""A session that starts again so soon is the same start, told by a second hook."""
_KEPT_S: Final = 30 * 86_400.0
_COUNTED_S: Final = 7 * 86_400.0
_LARGEST_LOG: Final = 262_144
_LINE: Final = "%Y-%m-%dT%H:%M:%SZ"


class HookFailed(Exception):
    """Nothing can be shown, for a reason that is written down."""


class HookDeadline:
    """Ends the process when its time is over, whatever it waits for; nothing is printed then.

    Limits of sockets and locks begin anew with each operation, and looking up a host's name has
    none.
    """

    def __init__(self, give_up: Callable[[float], None]) -> None:
        self._give_up = give_up
        self._began = time.monotonic()
        self._ending = Lock()
        self._timer: Timer | None = None

    def allow(self, seconds: float) -> None:
        """Allow so much time in all, since the beginning."""
        self.stop()
        left = self._began + seconds - time.monotonic()
        self._timer = Timer(max(left, 0.0), self._end, (seconds,))
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        """End the limit: what comes now takes no time. It does not return once time is over."""
        with self._ending:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _end(self, seconds: float) -> None:
        with self._ending:
            if self._timer is None:
                return
            with suppress(Exception):
                self._give_up(seconds)
            os._exit(0)


class HookRecord(NamedTuple):
    """A record of recent hooks.

    Attributes:
        failures: in the last seven days.
        last_shown: when a hook ran last that did not fail early.
        sessions: those of the last seven days that were shown something.
    """

    failures: int
    last_failure: str | None
    last_shown: float | None
    sessions: int


def main(words: Sequence[str] | None = None) -> int:
    """Answer one event of a client, which the words name; always 0."""
    words = sys.argv[1:] if words is None else words
    client, event = "agent", "?"
    with suppress(Exception):
        create_files_privately()
        home = find_home()
        if words and words[0] == _START:
            ensure_daemon(home)
            return 0
        if words and words[0] == _CAPTURE:
            _, client, event, path = words
            _capture(home, client, event, path)
            return 0
        client = words[0] if words else client

        def give_up(seconds: float) -> None:
            _write_down(home, client, event, HookFailed(f"it took longer than {seconds:g} s"))

        limit = HookDeadline(give_up)
        try:
            limit.allow(_choose_wait_s(_STDIN_S))
            payload = _read_event(sys.stdin.buffer.read(_LARGEST_EVENT + 1))
            event = str(payload.get("hook_event_name") or "?")
            limit.allow(_choose_wait_s(_PATIENCE_S.get(_EVENTS.get(event, ""), _STDIN_S)))
            text = answer(home, client, payload)
            limit.stop()
        except Exception as failure:  # noqa: BLE001 - nothing may stop an agent's turn
            limit.stop()
            _write_down(home, client, event, failure)
            return 0
        if text:
            told = {"hookEventName": event, "additionalContext": text}
            sys.stdout.write(json.dumps({"hookSpecificOutput": told}))
            sys.stdout.flush()
    return 0


def answer(home: Path, client: str, payload: Mapping[str, Any]) -> str:
    """Return what an agent is to be told at an event; often nothing.

    Raises:
        HookFailed, OSError, WellwornError: it cannot be known.
    """
    event = payload.get("hook_event_name")
    kind = _find_kind(event)
    if event == "PreCompress" and payload.get("trigger") == "auto":
        return ""  # Gemini CLI says so before each request, and only then looks whether it must.
    if kind in _CAPTURED:
        _begin_capture(home, client, payload)
    if kind == "end" or (kind == "prompt" and not _read_prompt(payload)):
        return ""
    session = payload.get("session_id")
    if not isinstance(session, str) or not session:
        return "" if kind == "forget" else _ask(home, client, kind, payload, ())[0]
    path = _find_state(home, client, session)
    with lock_exclusively(path, wait_s=_choose_wait_s(_PATIENCE_S[kind])) as file:
        if file is None:
            raise HookFailed("another hook of this session takes too long")
        file.seek(0)
        started, shown = _read_state(file.read())
        # What a session that goes on was shown still stands in it.
        is_new = kind == "start" and payload.get("source") != "resume"
        starts = is_new and time.time() - started > _SAME_START_S
        if starts or kind == "forget":
            started, shown = (time.time() if starts else started), list[str]()
            _write_state(file, started, shown)  # Now: the server may not answer.
        if kind == "forget":
            return ""
        text, ids = _ask(home, client, kind, payload, shown)
        _write_state(file, started, [*shown, *ids])
    return text


def _find_kind(event: object) -> str:
    """Return what is done at an event.

    Raises:
        HookFailed: no client gives one this name.
    """
    kind = _EVENTS.get(event) if isinstance(event, str) else None
    if kind is None:
        raise HookFailed("an event that it does not know")
    return kind


def allow_capture(home: Path, *, allowed: bool) -> None:
    """Let hooks keep what sessions said, or let them no longer."""
    mark = home / "hooks" / _ALLOWED
    if allowed:
        make_private_folder(home)
        make_private_folder(mark.parent)
        mark.touch()
    else:
        mark.unlink(missing_ok=True)


def is_capture_allowed(home: Path) -> bool:
    """Tell whether hooks keep what sessions said, which they do only once somebody allowed it."""
    return (home / "hooks" / _ALLOWED).exists()


def read_record(home: Path) -> HookRecord:
    """Return what became of hooks lately, as `wellworn status` tells it."""
    lines = list[str]()
    with suppress(OSError):
        lines = (home / "logs" / "hooks.log").read_text("utf-8", errors="replace").splitlines()
    since = time.strftime(_LINE, time.gmtime(time.time() - _COUNTED_S))
    lately = [line for line in lines if line >= since]
    ran, sessions = list[float](), 0
    with suppress(OSError):
        for path in (home / "hooks").glob("*.json"):
            ran.append(path.stat().st_mtime)
            is_late = ran[-1] >= time.time() - _COUNTED_S
            sessions += is_late and bool(_read_state(path.read_text("utf-8"))[1])
    last = lately[-1] if lately else None
    return HookRecord(len(lately), last, max(ran, default=None), sessions)


def _choose_wait_s(usual: float) -> float:
    try:
        return float(os.environ[_WAIT_VARIABLE])
    except (KeyError, ValueError):
        return usual


def _read_event(raw: bytes) -> Mapping[str, Any]:
    if len(raw) > _LARGEST_EVENT:
        raise HookFailed("an event that is too large")
    try:
        payload: object = json.loads(raw)
    except (ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise HookFailed("stdin is no event: a JSON object is expected")
    return cast("Mapping[str, Any]", payload)


def _find_state(home: Path, client: str, session: str) -> Path:
    """Return the file of what a session was shown; those of sessions long over are removed."""
    folder = home / "hooks"
    make_private_folder(home)
    make_private_folder(folder)
    path = folder / f"{hashlib.sha256(f'{client}/{session}'.encode()).hexdigest()[:24]}.json"
    if not path.exists():
        kept = ("*.json", "*.captured", f"{_TRANSCRIPTS}/*.json")
        for old in (file for each in kept for file in folder.glob(each)):
            with suppress(OSError):
                if time.time() - old.stat().st_mtime > _KEPT_S:
                    old.unlink()
    return path


def _read_state(text: str) -> tuple[float, list[str]]:
    """Return when a session started, and the ids of what it was shown."""
    with suppress(ValueError, KeyError, TypeError):
        fields = json.loads(text)
        return float(fields["started"]), [str(one) for one in fields["shown"]]
    return 0.0, []


def _write_state(file: IO[str], started: float, shown: Sequence[str]) -> None:
    file.seek(0)
    file.truncate()
    file.write(json.dumps({"started": started, "shown": [*shown][-_MOST_SHOWN:]}))
    file.flush()


def _read_prompt(payload: Mapping[str, Any]) -> str:
    """Return what the user wrote, without what a client put before it; empty where nothing is."""
    prompt = payload.get("prompt")
    text = prompt if isinstance(prompt, str) else ""
    begins, ends = _OWN_CONTEXT
    if text.startswith(begins):
        text = text.partition(ends)[2]
    return text.strip()


def _ask(
    home: Path, client: str, kind: str, payload: Mapping[str, Any], shown: Sequence[str]
) -> tuple[str, list[str]]:
    """Return what the server packs for an event, and the ids of what that is."""
    body: dict[str, Any] = {
        "agent_id": os.environ.get("WELLWORN_AGENT") or client,
        "budget_tokens": _BUDGET_TOKENS[kind],
        "leave_out": [*shown],
    }
    if kind == "prompt":
        body["prompt"] = _read_prompt(payload).replace("\0", " ")[:_LONGEST_PROMPT]
    address = os.environ.get("WELLWORN_URL") or _find_address(home)
    packed = _post(address, body, _build_headers(payload), _choose_wait_s(_PATIENCE_S[kind]))
    return str(packed["text"]), [str(item["id"]) for item in packed["items"]]


def _find_address(home: Path) -> str:
    running = find_announced(home)
    if running is None:
        _start_server(home)
        raise HookFailed("no server was running; it is started for the next prompt")
    return running.url


def _begin_capture(home: Path, client: str, payload: Mapping[str, Any]) -> None:
    """Let a process of its own capture what a session said, where that is allowed."""
    if not is_capture_allowed(home):
        return
    path, event = payload.get("transcript_path"), str(payload.get("hook_event_name"))
    if "transcript" in payload:
        path = str(_write_transcript(home, payload["session_id"], payload["transcript"]))
    if isinstance(path, str):
        space = _build_headers(payload).get("Wellworn-Space", "")
        _spawn(home, _CAPTURE, client, event, path, space=space)


def _write_transcript(home: Path, session: object, said: object) -> Path:
    """Write down what a client told that has no file of a session, until it is captured."""
    name = str(session)
    if not (name.isascii() and name.replace("_", "").isalnum() and isinstance(said, dict)):
        raise HookFailed("a session or a transcript that no client sends")
    folder = home / "hooks" / _TRANSCRIPTS
    make_private_folder(folder.parent)
    make_private_folder(folder)
    path = folder / f"{time.time_ns()}-{name}.json"
    path.write_text(json.dumps(said), "utf-8")
    return path


def _capture(home: Path, client: str, event: str, path: str) -> None:
    """Capture a session; a failure is written down like that of a hook."""
    import subprocess  # noqa: PLC0415 - a prompt would wait for it

    agent = os.environ.get("WELLWORN_AGENT") or client
    words = [sys.executable, "-P", "-m", "wellworn", "capture", "--agent", agent, "--"]
    try:
        with _transcript_of_its_own(home, Path(path)) as file:
            done = subprocess.run(  # noqa: S603 - no shell
                [*words, file], capture_output=True, check=False, text=True, timeout=_CAPTURE_S
            )
    except subprocess.TimeoutExpired:
        late = HookFailed(f"capture: it took longer than {_CAPTURE_S:g} s")
        _write_down(home, client, event, late)
        return
    except HookFailed as failure:
        _write_down(home, client, event, failure)
        return
    if done.returncode:
        first = done.stderr.strip().partition("\n")[0].removeprefix("error: ")
        _write_down(home, client, event, HookFailed(f"capture: {first or done.returncode}"))


@contextmanager
def _transcript_of_its_own(home: Path, path: Path) -> Generator[Path]:
    """Yield the file of a session; one of ours is called as the session is, and then removed.

    What was judged of a session is known by its file, and one after the other has that name.

    Raises:
        HookFailed: others take too long.
    """
    folder = home / "hooks" / _TRANSCRIPTS
    if path.parent != folder:
        yield path
        return
    own = folder / path.name.partition("-")[2]
    with lock_exclusively(folder / "lock", wait_s=_CAPTURE_S) as lock:
        if lock is None:  # whoever has it may read what is called as the session
            path.unlink(missing_ok=True)
            raise HookFailed("capture: other sessions are still being captured")
        path.replace(own)
        try:
            yield own
        finally:
            own.unlink(missing_ok=True)


def _start_server(home: Path) -> None:
    """Start the server from a process of its own, which waits for it."""
    make_private_folder(home)
    _spawn(home, _START)


def _spawn(home: Path, *arguments: str, space: str = "") -> None:
    """Start this program anew, apart from the client, which does not wait for it."""
    # -P: a file in the agent's folder must not shadow one of our modules.
    words = [sys.executable, "-P", "-m", "wellworn.interfaces.hook", *arguments]
    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    environment = {**os.environ, "WELLWORN_HOME": str(home)}
    if space:
        environment["WELLWORN_SPACE"] = space
    os.posix_spawn(sys.executable, words, environment, file_actions=nowhere, setsid=True)


def _build_headers(payload: Mapping[str, Any]) -> dict[str, str]:
    """Return who talks and where: by key, else in the project of the agent's folder."""
    key, space = os.environ.get("WELLWORN_KEY"), os.environ.get("WELLWORN_SPACE")
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    elif space is None:
        folder = payload.get("cwd")
        project = find_project(Path(folder) if isinstance(folder, str) and folder else None)
        space = project and project.space
    if space:
        headers["Wellworn-Space"] = space
    return headers


def _post(
    address: str, body: Mapping[str, Any], headers: dict[str, str], timeout_s: float
) -> Mapping[str, Any]:
    scheme, _, rest = address.partition("://")
    place, _, path = rest.partition("/")
    path = f"/{path}".rstrip("/") + "/api/v1/context"
    content = json.dumps(body).encode()
    if scheme == "http" and place.rpartition(":")[0] in _OWN_MACHINE:
        status, raw = _exchange(place, path, content, headers, timeout_s)
    else:
        is_secret = scheme.casefold() == "https"
        status, raw = _exchange_afar(place, path, content, headers, timeout_s, is_secret=is_secret)
    if status != _OK:
        raise HookFailed(f"the server answered {status}")
    if len(raw) > _LARGEST_ANSWER:
        raise HookFailed("the server answered too much")
    return cast("Mapping[str, Any]", json.loads(raw))


def _exchange(
    place: str, path: str, content: bytes, headers: Mapping[str, str], timeout_s: float
) -> tuple[int, bytes]:
    """Send a request to a server on this machine; return the status and the body of its answer.

    The library's client takes a third of the time that everything here takes to load.
    """
    fields = {"Host": place, "Content-Length": len(content), **headers}
    lines = [f"POST {path} HTTP/1.0", *(f"{name}: {value}" for name, value in fields.items())]
    if any(not line.isprintable() for line in lines):
        raise HookFailed("an address, a key or a space that cannot be sent")
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    begins = place.find("]") + 1  # behind an address of IPv6
    host, _, port = place[begins:].partition(":")
    target = (place[1 : begins - 1] if begins else host, int(port or 80))
    with (
        socket.create_connection(target, timeout=timeout_s) as connection,
        connection.makefile("rb") as answer,
    ):
        connection.sendall(head + content)
        words = answer.readline(_LONGEST_LINE).split()
        while answer.readline(_LONGEST_LINE).strip():
            pass
        if len(words) < len(("HTTP/1.0", "200")) or not words[0].startswith(b"HTTP/"):
            raise HookFailed("something other than wellworn answers there")
        return int(words[1]), answer.read(_LARGEST_ANSWER + 1)


def _exchange_afar(
    place: str,
    path: str,
    content: bytes,
    headers: Mapping[str, str],
    timeout_s: float,
    *,
    is_secret: bool,
) -> tuple[int, bytes]:
    """Do the same with another machine, over TLS where it is secret."""
    import http.client  # noqa: PLC0415 - a prompt would wait for it

    connect = http.client.HTTPSConnection if is_secret else http.client.HTTPConnection
    connection = connect(place, timeout=timeout_s)
    try:
        connection.request("POST", path, content, {**headers})
        response = connection.getresponse()
        return response.status, response.read(_LARGEST_ANSWER + 1)
    finally:
        connection.close()


def _write_down(home: Path, client: str, event: str, failure: Exception) -> None:
    """Add a line on why nothing was shown; nothing of the event's content stands in it."""
    reason = (
        str(failure) if isinstance(failure, HookFailed | WellwornError) else repr(type(failure))
    )
    if isinstance(failure, OSError):
        reason = f"the server cannot be reached: {failure.strerror or type(failure).__name__}"
    path = home / "logs" / "hooks.log"
    make_private_folder(home)
    path.parent.mkdir(exist_ok=True)
    if path.exists() and path.stat().st_size > _LARGEST_LOG:
        path.replace(path.with_suffix(".log.1"))
    words = (client, event, reason)
    line = " ".join([time.strftime(_LINE, time.gmtime()), *(" ".join(w.split()) for w in words)])
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8", errors="replace") as file:
        file.write(f"{line[:500]}\n")


if __name__ == "__main__":
    sys.exit(main())
