"""Turns whose server is killed: they go on by themselves, and make no recorded call again."""

from __future__ import annotations

import json
import random
import signal
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from uuid import uuid4

import httpx2
import pytest

from integration.fetch_servers import RawServer, answer
from journeys.test_sync_kills import NEAR, QUICK, call, until
from patience import LONG_S
from wellworn.domain.turns.context_document import read_sections

TURNS = "/api/v1/turns"
SETTINGS = {**QUICK, **NEAR}
KILLS = 12
ASKERS = 3

pytestmark = pytest.mark.slow


class Site:
    """Pages about ferries: `/held` answers once it may, and every request is counted."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.may_answer = threading.Event()
        self._server = RawServer(self._answer)

    def url(self, path: str) -> str:
        return self._server.url(path)

    def close(self) -> None:
        self.may_answer.set()
        self._server.close()

    def wait_until_asked(self) -> None:
        assert self.asked.acquire(timeout=LONG_S)

    @property
    def visits(self) -> Counter[str]:
        return Counter(self.url(request.path) for request in self._server.asked)

    def _answer(self, request, send) -> None:
        self.asked.release()
        if request.path.startswith("/held"):
            self.may_answer.wait(LONG_S)
        name = request.path.removeprefix("/")
        body = f"# Ferry {name}\n\nThe ferry {name} leaves the harbour at noon.\n"
        send(answer(body=body.encode(), content_type="text/markdown"))


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()


def make_query(*urls):
    return f"When does the ferry leave the harbour, according to {' and '.join(urls)}?"


def ask(server, query, agent="ana"):
    """Ask; return nothing when the server died over it."""
    body = {"query": query, "agent_id": agent, "agent_name": agent}
    return call(server, "POST", TURNS, body)


def send(server, body):
    with httpx2.Client(trust_env=False, timeout=LONG_S) as client:
        return client.post(f"{server.url}{TURNS}", json=body)


def ask_aside(server, query):
    thread = threading.Thread(target=ask, args=(server, query), daemon=True)
    thread.start()
    return thread


def list_turns(server):
    page = call(server, "GET", f"{TURNS}?limit=100")
    turns = page["turns"]
    while page["next_before"]:
        page = call(server, "GET", f"{TURNS}?limit=100&before={page['next_before']}")
        turns += page["turns"]
    return turns


def find_ended(server):
    """Return the only turn if it is over."""
    [turn] = list_turns(server)
    return turn if turn["ended_at"] else None


def find_journals(home):
    return list(home.glob("turns/*/users/*/turns/*/journal.jsonl"))


def read_calls(journal):
    """Return the tool calls that a turn recorded, in their order."""
    calls = []
    for line in journal.read_text("utf-8").split("\n"):
        # The last line may be torn.
        with suppress(ValueError):
            entry = json.loads(line)
            calls += [entry["call"] | {"attempt": entry["attempt"]}] if "call" in entry else []
    return calls


def list_visited(calls):
    return [each["request"]["arguments"]["url"] for each in calls if is_visit(each)]


def is_visit(recorded):
    return recorded["request"]["tool"] == "web.visit"


def is_whole(server, turn):
    """See that a turn ended well, with each section once, as it was decided."""
    read = call(server, "GET", f"{TURNS}/{turn['id']}")
    assert (read["turn"]["status"], read["edited"]) == ("done", [])
    document = fetch_document(server, turn)
    sections = [(section.title, section.attempt) for section in read_sections(document)]
    assert len({*sections}) == len(sections)
    assert [title[0] for title, attempt in sections if attempt == 1] == [*"0123456"]
    assert len([line for line in document.split("\n") if line.startswith("## ")]) == len(sections)
    return read


def fetch_document(server, turn):
    with httpx2.Client(trust_env=False, timeout=LONG_S) as client:
        return client.get(f"{server.url}{TURNS}/{turn['id']}/files/context.md").text


class Recorded:
    """What the turns had recorded when their server was killed."""

    def __init__(self, home, site) -> None:
        self._site = site
        self._visits = site.visits
        self.calls = {journal: read_calls(journal) for journal in find_journals(home)}

    def list_visited(self):
        return [url for calls in self.calls.values() for url in list_visited(calls)]

    def check_not_repeated(self) -> None:
        """See that every call that was recorded stands as it was, and was not made again."""
        for journal, before in self.calls.items():
            after = read_calls(journal)
            assert after[: len(before)] == before
            requests = [json.dumps([each["attempt"], each["request"]]) for each in after]
            assert len({*requests}) == len(requests)
        for url in self.list_visited():
            assert self._site.visits[url] == self._visits[url]


def test_a_turn_killed_while_it_reads_a_page_reads_no_other_page_again(serve, home, site, wellworn):
    server = serve(home, **SETTINGS)
    thread = ask_aside(server, make_query(site.url("/first"), site.url("/held")))
    site.wait_until_asked()
    site.wait_until_asked()
    server.kill()
    thread.join()
    recorded = Recorded(home, site)
    assert recorded.list_visited() == [site.url("/first")]
    assert site.visits == {site.url("/first"): 1, site.url("/held"): 1}
    site.may_answer.set()
    server = serve(home, **SETTINGS)
    # Nobody asks for it.
    turn = until(lambda: find_ended(server))
    recorded.check_not_repeated()
    assert site.visits == {site.url("/first"): 1, site.url("/held"): 2}
    read = is_whole(server, turn)
    assert {claim["text"] for claim in read["claims"]} == {
        "The ferry first leaves the harbour at noon.",
        "The ferry held leaves the harbour at noon.",
    }
    shown = wellworn("turn", "show", "1", "--agent", "ana")
    assert shown.stdout.strip() == fetch_document(server, turn).strip()
    listed = json.loads(wellworn("turn", "list", "--agent", "ana", "--json").stdout)
    assert [(each["id"], each["status"]) for each in listed["turns"]] == [(turn["id"], "done")]


def test_a_turn_that_is_killed_again_and_again_comes_to_its_end(serve, home, site):
    server = serve(home, **SETTINGS)
    thread = ask_aside(server, make_query(site.url("/first"), site.url("/held")))
    site.wait_until_asked()
    for _ in range(3):
        site.wait_until_asked()
        server.kill()
        thread.join()
        server = serve(home, **SETTINGS)
    site.wait_until_asked()
    site.may_answer.set()
    is_whole(server, until(lambda: find_ended(server)))
    assert site.visits == {site.url("/first"): 1, site.url("/held"): 4}


def test_a_turn_whose_server_died_too_often_says_that_it_was_given_up(serve, home, site, wellworn):
    server = serve(home, **SETTINGS, WELLWORN_JOBS__MOST_STARTS="1")
    thread = ask_aside(server, make_query(site.url("/held")))
    for _ in range(2):
        site.wait_until_asked()
        server.kill()
        thread.join()
        server = serve(home, **SETTINGS, WELLWORN_JOBS__MOST_STARTS="1")
    [turn] = until(lambda: [each for each in list_turns(server) if each["summary"]])
    assert turn["status"] == "interrupted"
    assert "died in each of its 1 runs" in turn["summary"]
    assert call(server, "GET", f"{TURNS}/{turn['id']}")["text"] == turn["summary"]
    shown = wellworn("turn", "show", "1", "--agent", "ana").stdout
    assert turn["summary"] in shown
    assert turn["summary"] in wellworn("turn", "list", "--agent", "ana").stdout
    site.may_answer.set()
    assert wellworn("turn", "resume", "1", "--agent", "ana").returncode == 0
    read = is_whole(server, turn)
    assert "given up" not in read["text"]


@pytest.mark.parametrize("events", [1, 4, 9])
def test_a_turn_killed_after_an_event_goes_on(serve, home, site, events):
    server = serve(home, **SETTINGS)
    follow_and_kill(server, make_query(site.url("/held")), events)
    assert Recorded(home, site).list_visited() == []
    site.may_answer.set()
    server = serve(home, **SETTINGS)
    is_whole(server, until(lambda: find_ended(server)))


def follow_and_kill(server, query, events):
    """Ask, and kill the server when so many events have come; the page holds the turn up."""
    body = {"query": query, "agent_id": "ana"}
    headers = {"accept": "text/event-stream"}
    names = []
    with (
        httpx2.Client(trust_env=False, timeout=LONG_S) as client,
        client.stream("POST", f"{server.url}{TURNS}", json=body, headers=headers) as response,
    ):
        for line in response.iter_lines():
            names += [line] if line.startswith("event: ") else []
            if len(names) == events:
                break
        server.kill()
    assert names == ["event: phase", "event: section"] * (events // 2) + ["event: phase"] * (
        events % 2
    )


def test_a_turn_whose_server_is_told_to_end_goes_on_with_the_next(serve, home, site):
    server = serve(home, **SETTINGS)
    with ThreadPoolExecutor() as threads:
        query = make_query(site.url("/first"), site.url("/held"))
        asked = threads.submit(send, server, {"query": query, "agent_id": "ana"})
        site.wait_until_asked()
        site.wait_until_asked()
        server.process.send_signal(signal.SIGTERM)
        refusal = asked.result()
        server.process.wait(timeout=LONG_S)
    assert refusal.json()["error"]["message"].startswith("the server is ending; the turn goes on")
    assert Recorded(home, site).list_visited() == [site.url("/first")]
    site.may_answer.set()
    server = serve(home, **SETTINGS)
    is_whole(server, until(lambda: find_ended(server)))
    assert site.visits == {site.url("/first"): 1, site.url("/held"): 2}


# ------------------------------------------------------------------------------ under load


class Asker(threading.Thread):
    """An agent that asks about one new page after another, until told to stop."""

    def __init__(self, number, site, running, stop) -> None:
        super().__init__(daemon=True)
        self.agent = f"agent-{number}"
        self.site, self.running, self.stop = site, running, stop
        self.replies: list[dict] = []
        self.refusals: list[dict] = []

    def run(self) -> None:
        while not self.stop.is_set():
            reply = ask(self.running[0], make_query(self.site.url(f"/{uuid4().hex}")), self.agent)
            if reply is None:
                self.stop.wait(0.02)  # the server is being started again
            elif "error" in reply:
                self.refusals.append(reply)
            else:
                self.replies.append(reply)


def test_kills_under_load_lose_no_turn_and_repeat_nothing(serve, home, site):
    chance, stop = random.Random(12), threading.Event()
    running = [serve(home, **SETTINGS)]
    askers = [Asker(number, site, running, stop) for number in range(ASKERS)]
    for asker in askers:
        asker.start()
    kills = []
    for _ in range(KILLS):
        for _ in range(chance.randint(1, 6)):
            site.wait_until_asked()
        threading.Event().wait(chance.random() * 0.05)  # the moment of the kill is random
        running[0].kill()
        kills.append(Recorded(home, site))
        running[0] = serve(home, **SETTINGS)
    stop.set()
    for asker in askers:
        asker.join(timeout=LONG_S)
        assert not asker.is_alive()
    assert [asker.refusals for asker in askers] == [[]] * ASKERS
    replies = {reply["turn"]["id"]: reply for asker in askers for reply in asker.replies}
    turns = list_turns(running[0])
    assert {*replies} <= {turn["id"] for turn in turns}
    assert len(turns) >= KILLS
    for turn in turns:
        until(lambda turn=turn: end(running[0], turn))
        read = is_whole(running[0], turn)
        assert read == replies.get(turn["id"], read)
    for recorded in kills:
        recorded.check_not_repeated()


def end(server, turn):
    """Resume a turn unless a job works on it; tell whether it is over."""
    return call(server, "POST", f"{TURNS}/{turn['id']}/resume").get("turn")
