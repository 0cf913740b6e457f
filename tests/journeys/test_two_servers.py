"""Two servers over one database: what goes through one holds at the other, whoever is killed.

Each has a data folder of its own, with the same key in it.
"""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle
from uuid import uuid4

import httpx2
import pytest

from journeys.conftest import clean_environment
from journeys.test_postgresql import KEY, NEW, OLD, PORT, SECRET, ask, recall, remember, run
from journeys.test_sync_kills import NEAR, QUICK, SOURCES, call, until
from journeys.test_turn_kills import Site, ask_aside, find_ended, is_whole, list_turns, make_query
from patience import LONG_S
from postgres import share_server

PUMP = (
    "If the pump fails, press the red button on its left side.",
    "If the pump fails after that, close the blue valve of the pump.",
    "If the pump still fails, call Rosa at the pump factory.",
)


@dataclass
class Fleet:
    """Servers over one database, the folders that they have, and how to start one."""

    url: str
    name: str
    serve: object
    folder: object

    def start(self, name, *, key=None, **more):
        home = self.folder / name
        home.mkdir(exist_ok=True)
        if key is not None and not (home / "server.key").exists():
            shutil.copy(key / "server.key", home)
        return self.serve(home, WELLWORN_STORAGE__URL=self.url, **more)

    def rows(self, statement):
        return share_server().run(statement, self.name)


@pytest.fixture
def fleet(serve, tmp_path):
    server = share_server()
    name = server.make_database()
    yield Fleet(server.url(name), name, serve, tmp_path)
    server.drop_database(name)


@pytest.fixture
def pair(fleet):
    first = fleet.start("first")
    return first, fleet.start("second", key=first.home)


def end(server):
    server.process.terminate()
    server.process.wait(timeout=LONG_S)


def test_what_goes_through_one_server_holds_at_the_other(fleet, pair):
    a, b = pair
    old = remember(a, OLD)
    assert recall(b, PORT) == [old]
    new = remember(b, NEW, replaces=[old])
    assert recall(a, PORT)[0] == new
    secret = remember(a, SECRET)
    assert secret in recall(b, KEY)
    ask(b, "DELETE", f"thoughts/{secret}", {"agent_id": "zoe"})
    assert secret not in recall(a, KEY)
    # What a server missed while it was away, it has when it is back, and one that is new, too.
    end(b)
    late = remember(a, PUMP[0])
    ask(a, "DELETE", f"thoughts/{new}", {"agent_id": "zoe"})
    b = fleet.start("second")
    third = fleet.start("third", key=a.home)
    for server in (b, third):
        assert late in recall(server, "what if the pump fails?")
        assert new not in recall(server, PORT)


def list_sources(reply):
    return [one["thought_id"] for one in reply["result"]["sources"]]


def test_a_session_and_a_retry_go_on_at_the_other_server(pair):
    a, b = pair
    shown = [remember(a, advice, agent) for advice, agent in zip(PUMP, "abc", strict=True)]
    asked = {"agent_id": "ada", "agent_name": "Ada", "contribute": "never"}

    def go_on(server):
        begun = ask(a, "POST", "memory", asked | {"prompt": "what do I do if the pump fails?"})
        session = begun["trace"]["session_id"]
        following = asked | {"session_id": session, "prompt": "the second one"}
        more = ask(server, "POST", "memory", following)
        assert more["trace"]["session_id"] == session
        assert {*list_sources(begun)} == {*shown}
        return begun, list_sources(more), more["result"]["response"]

    first, *here = go_on(a)
    _, *there = go_on(b)
    assert here == there
    alone = ask(b, "POST", "memory", asked | {"prompt": "the second one"})
    assert alone["result"]["response"] != there[1]
    session, before = first["trace"]["session_id"], list_sources(first)
    # Feedback on what one server showed, through the other.
    judged = {"session_id": session, "thought_id": before[0], "signal": "useful"}
    assert ask(b, "POST", "memory/feedback", judged)

    key = {"Idempotency-Key": str(uuid4())}
    body = asked | {"prompt": "The depot moved to Aachen in May.", "contribute": "always"}
    replies = [
        httpx2.post(f"{server.url}/api/v1/memory", json=body, headers=key, timeout=LONG_S).json()
        for server in (a, b, a)
    ]
    assert replies[0]["trace"]["thought_id"]
    assert replies[1] == replies[2] == replies[0]


def test_counts_are_exact_and_trails_without_gaps_when_both_are_written_to_at_once(fleet, pair):
    a, _ = pair
    key = made(a, "credential", "create", "ana", "--role", "admin")
    bearer = {"Authorization": f"Bearer {key}"}
    known = [remember(a, f"Roles stay apart, case {name}.") for name in "abc"]
    calls, clients = 96, 12
    places = [server for server, _ in zip(cycle(pair), range(calls), strict=False)]
    body = {"prompt": "roles stay apart case", "agent_name": "Bo", "contribute": "never"}

    def call(numbered):
        number, server = numbered
        shown = bearer if number % 3 == 0 else {}
        answer = httpx2.post(
            f"{server.url}/api/v1/memory",
            json={**body, "agent_id": f"agent-{number % clients}"},
            headers=shown,
            timeout=LONG_S,
        )
        assert answer.is_success, answer.text
        return answer.json()["trace"]["session_id"]

    with ThreadPoolExecutor(clients) as pool:
        sessions = list(pool.map(call, enumerate(places)))
    assert len({*sessions}) == calls
    assert fleet.rows("SELECT count(*) FROM query_log") == [(calls,)]
    assert fleet.rows("SELECT count(*) FROM accesses") == [(3 * calls,)]
    for server in pair:
        for thought in known:
            record = ask(server, "GET", f"thoughts/{thought}")
            assert record["access_count"] == calls
            assert [entry["count"] for entry in record["co_retrieved_with"]] == [calls, calls]
    [(entries, last)] = fleet.rows(
        "SELECT count(*), max(seq) FROM audit_entries WHERE space_id = 'ks-default'"
    )
    assert entries == last >= calls // 3
    for server in pair:
        verdict = httpx2.get(f"{server.url}/api/v1/audit/verify", headers=bearer, timeout=LONG_S)
        assert verdict.json()["ok"], verdict.text


def made(server, *words):
    done = run(*words, **clean_environment(server.home))
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_one_is_killed_under_load_and_the_other_has_all_that_was_acknowledged(fleet, pair):
    a, b = pair
    said, stopped = [], threading.Event()

    def talk():
        for number in range(1_000):
            if stopped.is_set():
                return
            body = {
                "content": f"The crate {number} of the depot has the seal {uuid4()}.",
                "contributor_id": "zoe",
                "contributor_name": "Zoe",
                "thought_type": "original",
                "source_ids": [],
                "tags": [],
            }
            try:
                answer = httpx2.post(f"{a.url}/api/v1/think", json=body, timeout=LONG_S)
            except httpx2.TransportError:
                return
            said.append((answer.json()["thought_id"], body["content"]))
            if len(said) == 20:
                killed.set()

    killed = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        talking = pool.submit(talk)
        assert killed.wait(LONG_S)
        a.kill()
        stopped.set()
        talking.result(LONG_S)
    assert len(said) >= 20
    for thought, content in said:
        assert ask(b, "GET", f"thoughts/{thought}")["content"] == content
    assert said[-1][0] in recall(b, said[-1][1])
    later = remember(b, NEW)
    a = fleet.start("first")
    assert recall(a, PORT)[0] == later
    assert said[-1][0] in recall(a, said[-1][1])


def test_a_server_that_would_not_fit_in_is_refused_with_what_to_do(fleet):
    first = fleet.start("first")
    remember(first, NEW)
    stranger = fleet.folder / "stranger"
    done = run(
        "serve", "--port", "0", **clean_environment(stranger, WELLWORN_STORAGE__URL=fleet.url)
    )
    assert done.returncode != 0
    assert "copy that of another server's folder" in " ".join(done.stderr.split())
    # Tables are changed while nobody else relies on them.
    [(newest,)] = fleet.rows("SELECT version_num FROM alembic_version")
    fleet.rows(f"UPDATE alembic_version SET version_num = '{int(newest) - 1:04}'")
    late = fleet.folder / "late"
    late.mkdir()
    shutil.copy(first.home / "server.key", late)
    done = run("serve", "--port", "0", **clean_environment(late, WELLWORN_STORAGE__URL=fleet.url))
    assert done.returncode != 0
    assert "other servers have this database open" in " ".join(done.stderr.split())
    fleet.rows(f"UPDATE alembic_version SET version_num = '{newest}'")
    assert recall(fleet.start("late"), PORT)


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()


def test_what_a_killed_server_had_begun_is_ended_by_the_other_and_done_once(fleet, site):
    quick = {**QUICK, **NEAR}
    a = fleet.start("first", **quick)
    # Before there is another one, which would take jobs from the queue, too.
    turn, source = begin_both(a, site)
    b = fleet.start("second", key=a.home, **quick)
    # The other server sees how far both are, and begins neither.
    assert [(each["id"], each["status"]) for each in list_turns(b)] == [(turn, "running")]
    assert call(b, "GET", f"{SOURCES}/{source}")["sync_status"] == "syncing"
    refused = httpx2.post(f"{b.url}/api/v1/turns/{turn}/resume", timeout=LONG_S)
    assert "being worked on" in refused.text
    a.kill()
    site.may_answer.set()
    ended = until(lambda: find_ended(b))
    assert ended["id"] == turn
    is_whole(b, ended)
    assert until(lambda: find_run(b, source))["message"] == "1 new"
    visits = {"/first": 1, "/held": 2, "/held?source": 2}
    assert site.visits == {site.url(path): count for path, count in visits.items()}
    jobs = until(lambda: list_ended_jobs(b, 2))
    assert sorted(jobs) == [("sync", "done"), ("turn", "done")]


def begin_both(server, site):
    """Begin a turn and a sync that wait for pages; return their ids."""
    config = {"url": site.url("/held?source")}
    source = {"source_type": "url", "name": "ferries", "config": config}
    number = call(server, "POST", SOURCES, source)["id"]
    ask_aside(server, make_query(site.url("/first"), site.url("/held")))
    for _ in range(2):
        site.wait_until_asked()
    sync = (server, "POST", f"{SOURCES}/{number}/sync")
    threading.Thread(target=call, args=sync, daemon=True).start()
    site.wait_until_asked()
    [turn] = list_turns(server)
    return turn["id"], number


def find_run(server, source):
    runs = call(server, "GET", f"{SOURCES}/{source}/runs")["runs"]
    return next((run for run in runs if run["finished_at"] and run["status"] == "success"), None)


def list_ended_jobs(server, count):
    jobs = call(server, "GET", "/api/v1/jobs")["jobs"]
    ended = [(job["name"], job["status"]) for job in jobs if job["ended_at"]]
    return ended if len(ended) >= count else None
