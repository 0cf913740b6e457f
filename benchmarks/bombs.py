"""What hostile texts of a megabyte cost, door by door: processor seconds, and who waits meanwhile.

A server takes each text as a file of several kinds, as a page, a repository and a note that are
synced, as an import, as what an agent did in a turn; and of it as much as a door takes as a prompt,
a question, a name, or the arguments of a tool. Some of it is sent to a sealed space, too. A
text beyond a door's limit is refused: what that costs is counted too. Counted is the processor time
of the server and its children from the call until it answers. Nothing is embedded, which goes on in
the background and takes some 20 milliseconds a passage.

Every door takes a tenth of each text, and then whole the three dearest and whatever could take
too long: what took more than a tenth of what it may. `--doors` and
`--texts` choose by parts of their names; of three texts or fewer no part is sent before. With
`--keep` what was measured is written down as it comes, and not measured again.
"""

from __future__ import annotations

import functools
import http.server
import json
import threading
import time
import urllib.parse
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure
from benchmarks.hostile_files import write_docx, write_pdf
from benchmarks.hostile_texts import HOSTILE
from benchmarks.knowledge_git import Repository, served
from benchmarks.processes import Server, await_rest, measure_processor_s, serving
from benchmarks.run import Run
from benchmarks.spaces import Anybody, Bearer, Key

_LENGTH, _QUICK_LENGTH = 1_000_000, 20_000
_PARTS, _DEAREST = 10, 3
_PROMPT, _CONTEXT, _NODE, _NAME = 10_000, 2_000, 500, 200
_BODY, _ENTRY, _CLAIMS, _NOTE = 900_000, 50_000, 200, 200_000
_BIT, _MOST, _KNOWN = 100, 1_000, 200
_AGENT = {"agent_id": "ada", "agent_name": "Ada"}
_FILES = ("md", "txt", "html", "csv", "json", "yaml", "toml", "ini", "docx", "pdf")
_MOST_S, _MOST_LIVE_S, _PAUSE_S = 5.0, 0.2, 0.05
_SETTINGS = {"WELLWORN_FETCH__PRIVATE_NETWORKS": '["127.0.0.0/8"]'}
_SERVER = "benchmarks.server_without_embedding"
Send = Callable[[Bearer, str], object]


@dataclass(frozen=True)
class _Door:
    """Where texts are sent, and by whom."""

    name: str
    caller: Bearer
    send: Send


@dataclass(frozen=True)
class _Cost:
    """What a text of a length cost at a door: seconds of processors, and of whoever asked then."""

    door: str
    text: str
    length: int
    processor_s: float
    live_s: float


class _Book:
    """Measures costs and keeps them, in a file if there is a folder for it."""

    def __init__(self, server: Server, folder: Path | None) -> None:
        self._server = server
        self._file = folder / "bombs.jsonl" if folder else None
        self._costs: dict[tuple[str, str, int], _Cost] = {}
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
        if self._file and self._file.exists():
            for line in self._file.read_text().splitlines():
                self._note(_Cost(**json.loads(line)))

    def measure(self, door: _Door, text: str, length: int) -> _Cost:
        """Return what is written down of a text at a door, or else what sending it costs."""
        known = self._costs.get((door.name, text, length))
        if known is None:
            known = self._send(door, text, length)
            self._note(known)
            if self._file:
                with self._file.open("a") as file:
                    file.write(json.dumps(vars(known)) + "\n")
        return known

    def _send(self, door: _Door, text: str, length: int) -> _Cost:
        pid = self._server.process.pid
        with _Watch(self._server) as watch:
            before = measure_processor_s(pid)
            door.send(door.caller, _fit(HOSTILE[text](length), length))
            cost_s = measure_processor_s(pid) - before
        await_rest(self._server)
        return _Cost(door.name, text, length, cost_s, watch.longest_s)

    def _note(self, cost: _Cost) -> None:
        self._costs[cost.door, cost.text, cost.length] = cost


def measured(run: Run) -> list[Figure]:
    """Return of each door what the worst text costs there."""
    texts = [text for text in HOSTILE if _is_chosen(text, run.texts)][:: 40 if run.quick else 1]
    with ExitStack() as stack:
        home = run.folder / "home"
        server = stack.enter_context(serving(home, module=_SERVER, **_SETTINGS))
        anybody = stack.enter_context(Anybody(server.port))
        made = anybody.post("/api/v1/spaces", {"name": "sealed", "sealed": True})
        key = Key(made["issued"]["key"], made["space"]["id"])
        somebody = stack.enter_context(Bearer(server.port, key))
        remote = stack.enter_context(_sources(run.folder))
        _fill(anybody)
        files = {f"file .{ending}": _upload(ending) for ending in _FILES}
        doors = [
            *(_Door(name, anybody, send) for name, send in (files | remote | _DOORS).items()),
            *(_Door(f"sealed: {name}", somebody, (files | _DOORS)[name]) for name in _SEALED),
        ]
        book = _Book(server, run.keep)
        chosen = [door for door in doors if _is_chosen(door.name, run.doors)]
        return [figure for door in chosen for figure in _measure(run, book, door, texts)]


def _measure(run: Run, book: _Book, door: _Door, texts: Sequence[str]) -> list[Figure]:
    """Send a part of each text, if there are many, and the dearest texts whole."""
    length = _QUICK_LENGTH if run.quick else _LENGTH

    def measure_all(some: Sequence[str], size: int) -> list[_Cost]:
        with run.progress(f"{door.name}, {size:,}", len(some)) as advance:
            costs: list[_Cost] = []
            for text in some:
                costs.append(book.measure(door, text, size))
                advance(1)
        return costs

    parts: list[_Cost] = []
    if len(texts) > _DEAREST:
        parts = measure_all(texts, length // _PARTS)
        parts.sort(key=lambda part: -part.processor_s)
        # Costs grow with the length at most: no other text can take too long.
        dear = sum(part.processor_s > _MOST_S / _PARTS for part in parts)
        texts = [part.text for part in parts[: max(_DEAREST, dear)]]
    whole = measure_all(texts, length)
    whole.sort(key=lambda each: -each.processor_s)
    worst = whole[0]
    live_s = max(each.live_s for each in (*parts, *whole))
    dear = ", ".join(f"{each.text} {each.processor_s:.2f}" for each in whole[:_DEAREST])
    run.console.print(f"{door.name}: {dear}; /health/live {live_s:.2f}")
    return [
        Figure.at_most(f"{door.name}: processor time", worst.processor_s, _MOST_S, "s", worst.text),
        Figure.at_most(f"{door.name}: /health/live", live_s, _MOST_LIVE_S, "s"),
    ]


def _is_chosen(name: str, parts: Iterable[str]) -> bool:
    """Tell whether a name has one of the parts; without any, every name is chosen."""
    return not parts or any(part in name for part in parts)


def _fit(text: str, size: int) -> str:
    """Return a text of no more bytes than that."""
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")


@contextmanager
def _sources(folder: Path) -> Generator[dict[str, Send]]:
    """Yield doors that fetch a text: from a site, out of a repository; and a note."""
    pages, repositories = folder / "pages", folder / "repositories"
    pages.mkdir()
    repositories.mkdir()
    repository = Repository(repositories / "docs.git")
    handler = functools.partial(_SilentPages, directory=str(pages))
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as site,
        served(repositories) as address,
    ):
        threading.Thread(target=site.serve_forever, daemon=True).start()

        def fetch_page(door: Bearer, text: str) -> None:
            (pages / "a.md").write_bytes(_encode(text))
            _sync(door, "url", url=f"http://127.0.0.1:{site.server_port}/a.md")

        def fetch_branch(door: Bearer, text: str) -> None:
            repository.commit({"a.md": _encode(text).decode()})
            _sync(door, "git_repo", repo_url=f"{address}/docs.git")

        try:
            yield {"page": fetch_page, "repository": fetch_branch, "note": _note}
        finally:
            site.shutdown()


class _SilentPages(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


def _note(door: Bearer, text: str) -> None:
    _sync(door, "manual_note", title="a", text=text[:_NOTE])


def _sync(door: Bearer, kind: str, **config: str) -> None:
    """Bring a source in, and let it go, so that the next text stands alone."""
    new = {"source_type": kind, "name": f"bomb {time.time()}", "config": config}
    made = _post(door, "/api/knowledge/sources", new)
    if made:
        source = f"/api/knowledge/sources/{made['id']}"
        _post(door, f"{source}/sync", {})
        door.send("DELETE", source)


def _fill(door: Anybody) -> None:
    """Let there be something to find."""
    halls = (f"## Pump {at}\n\nPump {at} stands in hall {at}.\n\n" for at in range(_KNOWN))
    source = door.post("/api/knowledge/sources", {"source_type": "upload", "name": "known"})
    path = f"/api/knowledge/sources/{source['id']}/files/known.md"
    door.send("PUT", path, "".join(halls).encode())
    _import(door, "".join(f"Pump {at} is red. " for at in range(_KNOWN)))


def _upload(ending: str) -> Send:
    write = {"docx": write_docx, "pdf": write_pdf}.get(ending, _encode)

    def send(door: Bearer, text: str) -> None:
        made = door.post(
            "/api/knowledge/sources", {"source_type": "upload", "name": f"bomb {time.time()}"}
        )
        source = f"/api/knowledge/sources/{made['id']}"
        door.send("PUT", f"{source}/files/a.{ending}", write(text))
        door.send("DELETE", source)  # the next text stands alone

    return send


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _import(door: Bearer, text: str) -> None:
    _bring(door, _cut(text, _PROMPT))


def _import_bits(door: Bearer, text: str) -> None:
    _bring(door, _cut(text[: _MOST * _BIT], _BIT))


def _bring(door: Bearer, parts: Iterable[str]) -> None:
    said = {"record": "thought", "contributor_id": "ada", "contributor_name": "Ada"}
    with suppress(RuntimeError):
        door.bring({**said, "content": part} for part in parts)


def _remember(door: Bearer, text: str) -> None:
    said = {**_AGENT, "context": text[:_CONTEXT], "include_knowledge": True}
    _post(door, "/api/v1/memory", {**said, "prompt": text[:_PROMPT]})


def _remember_too_much(door: Bearer, text: str) -> None:
    _post(door, "/api/v1/memory", {**_AGENT, "prompt": text})
    _post(door, "/api/v1/memory", {"agent_id": text, "agent_name": text, "prompt": "Well?"})


def _look_up(door: Bearer, text: str) -> None:
    asked = urllib.parse.urlencode({"q": text[:_CONTEXT]})
    for path in ("/api/v1/search", "/api/knowledge/search"):
        _get(door, f"{path}?{asked}")
    _post(door, "/api/knowledge/resolve", {"term": text[:_NAME], "context": text[:_CONTEXT]})
    _get(door, f"/api/v1/outline?{urllib.parse.urlencode({'of': text[:_NODE]})}")


def _rule(door: Bearer, text: str) -> None:
    named = {"term": text[:_NAME], "other": text[_NAME : 2 * _NAME], "reason": text[:_CONTEXT]}
    _post(door, "/api/knowledge/names", {**named, "verdict": "one"})
    _post(door, "/api/knowledge/aliases", {"term": text[:_NAME], "citation": text[:_NODE]})


def _ask(door: Bearer, text: str) -> None:
    _post(door, "/api/v1/turns", {**_AGENT, "query": text[:_PROMPT]})


def _work(door: Bearer, text: str) -> None:
    """Keep what an agent did, and close its turn with as many claims as it may have."""
    turn = _post(door, "/api/v1/turns/open", {**_AGENT, "query": "Which pumps are red?"})
    parts = [{"result": part, "tool": "list"} for part in _cut(text[:_BODY], _ENTRY)]
    path = f"/api/v1/turns/{turn['id']}"
    _post(door, f"{path}/entries", {"entries": parts})
    claims = [{"text": part, "evidence": 1} for part in _cut(text[:_ENTRY], _ENTRY // _CLAIMS)]
    _post(door, f"{path}/close", {"answer": text[:_ENTRY], "claims": claims[:_CLAIMS]})


def _call_tool(door: Bearer, text: str) -> None:
    for tool, arguments in (
        ("remember", {"content": text[:_PROMPT], "context": text[:_CONTEXT]}),
        ("knowledge_provenance", {"term": text[:_NAME]}),
        ("read", {"node": text[:_NODE]}),
        ("recall", {"query": text}),
        ("ask", {"query": text[:_PROMPT]}),
        ("remember", {"content": text}),
    ):
        call = {"name": tool, "arguments": arguments}
        _post(door, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})


def _cut(text: str, size: int) -> list[str]:
    parts = (text[at : at + size] for at in range(0, len(text), size))
    return [part for part in parts if part.strip()]


def _post(door: Bearer, path: str, body: Mapping[str, Any]) -> Any:
    """Post, and take a refusal as an answer."""
    with suppress(RuntimeError):
        return door.post(path, body)
    return {}


def _get(door: Bearer, path: str) -> None:
    with suppress(RuntimeError):
        door.get(path)


_DOORS: dict[str, Send] = {
    "import": _import,
    "import of bits": _import_bits,
    "memory": _remember,
    "memory, too much": _remember_too_much,
    "search, resolve and outline": _look_up,
    "names": _rule,
    "ask": _ask,
    "a turn of an agent": _work,
    "tools": _call_tool,
}


#: What of it is done without processes of their own in a sealed space.
_SEALED = ("file .md", "file .docx", "import", "ask")


class _Watch:
    """Asks whether the server lives, again and again, and keeps the longest wait."""

    def __init__(self, server: Server) -> None:
        self._port = server.port
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.longest_s = 0.0

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over.wait(_PAUSE_S):
            with Anybody(self._port) as door:
                began = time.perf_counter()
                door.get("/health/live")
                self.longest_s = max(self.longest_s, time.perf_counter() - began)
