"""One story of a memory, told over each database that can keep its records.

Remembered, recalled, replaced, erased, ended and killed: what was acknowledged is there.
"""

from __future__ import annotations

import json

import httpx2
import pytest

from forked_processes import run_command
from journeys.conftest import clean_environment
from patience import LONG_S
from postgres import PASSWORD, lend_database, make_server, share_server

OLD = "The staging database listens on port 5433 behind the bastion."
NEW = "The staging database listens on port 6500 behind the bastion."
PORT = "on which port does the staging database listen?"
KEY = "where is the spare key of the depot?"
SECRET = "The spare key of the depot lies under the third flowerpot."


@pytest.fixture(params=["sqlite", "postgresql", "pgvector"])
def storage(request):
    """The settings of a server that keeps its records there."""
    if request.param == "sqlite":
        yield {}
        return
    vectors = {"WELLWORN_STORAGE__VECTORS": "pgvector"} if request.param == "pgvector" else {}
    with lend_database(extension="vector" if vectors else "") as url:
        yield {"WELLWORN_STORAGE__URL": url, **vectors}


def remember(server, content, agent="zoe", **more):
    body = {
        "content": content,
        "contributor_id": agent,
        "contributor_name": agent.title(),
        "thought_type": "original",
        "source_ids": [],
        "tags": [],
        **more,
    }
    return ask(server, "POST", "think", body)["thought_id"]


def recall(server, prompt, agent="ada"):
    body = {"prompt": prompt, "agent_id": agent, "agent_name": agent.title()}
    body |= {"contribute": "never"}
    return [one["thought_id"] for one in ask(server, "POST", "memory", body)["result"]["sources"]]


def ask(server, method, path, body=None):
    url = f"{server.url}/api/v1/{path}"
    answer = httpx2.request(method, url, json=body, timeout=LONG_S)
    assert answer.is_success, answer.text
    return answer.json()


def test_what_was_acknowledged_outlives_a_restart_and_a_kill(serve, home, storage):
    server = serve(home, **storage)
    old = remember(server, OLD)
    assert recall(server, PORT) == [old]
    new = remember(server, NEW, replaces=[old])
    secret = remember(server, SECRET)
    shown = [recall(server, PORT)]
    shown.append(recall(server, KEY))
    assert secret in shown[-1]

    server.process.terminate()
    server.process.wait(timeout=LONG_S)
    server = serve(home, **storage)
    shown.append(recall(server, PORT))
    ask(server, "DELETE", f"thoughts/{secret}", {"agent_id": "zoe"})
    server.kill()

    server = serve(home, **storage)
    shown.append(recall(server, PORT))
    assert [answer[0] for answer in shown] == [new, secret, new, new]
    shown.append(recall(server, KEY))
    assert secret not in shown[-1]
    counted = sum(new in answer for answer in shown)
    assert ask(server, "GET", f"thoughts/{new}")["access_count"] == counted
    exported = httpx2.get(f"{server.url}/api/v1/export", timeout=LONG_S).text
    assert NEW in exported
    assert "flowerpot" not in exported
    assert (home / "wellworn.db").exists() == (not storage)


def test_a_server_waits_for_postgresql_to_come_back_and_says_what_it_waits_for(serve, home):
    postgres = make_server()
    name = postgres.make_database()
    try:
        server = serve(home, WELLWORN_STORAGE__URL=postgres.url(name))
        note = remember(server, NEW)
        postgres.stop()
        url = f"{server.url}/api/v1/thoughts/{note}"
        refused = httpx2.get(url, timeout=LONG_S)
        told = refused.json()["error"]
        assert (refused.status_code, told["code"]) == (503, "NOT_READY")
        assert "PostgreSQL cannot be reached" in told["message"]
        assert httpx2.get(f"{server.url}/health/ready", timeout=LONG_S).status_code == 503
        assert httpx2.get(f"{server.url}/health/live", timeout=LONG_S).status_code == 200
        postgres.start()
        assert httpx2.get(url, timeout=LONG_S).json()["content"] == NEW
        assert remember(server, SECRET)
        log = (home.parent / f"{home.name}.log").read_text()
        assert PASSWORD not in log + refused.text
    finally:
        postgres.end()


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("postgresql://wellworn:pass-of-nobody@127.0.0.1:1/memory", "cannot be reached"),
        ("mysql://wellworn:pass-of-nobody@127.0.0.1/memory", "begins with postgresql://"),
        ("pass-of-nobody", "begins with postgresql://"),
        ("postgresql://wellworn:pass@of:nobody@127.0.0.1/memory", "begins with postgresql://"),
        ("WRONG PASSWORD", "the user or the password"),
        ("NO DATABASE", "does not exist"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused_in_words(home, url, hint):
    if url == "WRONG PASSWORD":
        url = share_server().url("postgres").replace(PASSWORD, "pass-of-nobody")
    elif url == "NO DATABASE":
        url = share_server().url("nowhere")
    variables = clean_environment(home, WELLWORN_STORAGE__URL=url)
    for words in (["serve", "--port", "0"], ["doctor"]):
        done = run(*words, **variables)
        told = " ".join((done.stdout + done.stderr).split())
        assert done.returncode != 0, told
        assert hint in told
        assert "pass-of" not in told
        assert "Traceback" not in told


def test_a_folder_goes_with_one_of_the_two(serve, home, wellworn, tmp_path):
    server = share_server()
    name = server.make_database()
    url = server.url(name)
    first = serve(home, WELLWORN_STORAGE__URL=url)
    remember(first, NEW)
    first.process.terminate()
    first.process.wait(timeout=LONG_S)

    # Without the URL it would look like an empty memory.
    assert "set WELLWORN_STORAGE__URL" in wellworn("stats").stderr + wellworn("doctor").stdout
    other = tmp_path / "other"
    variables = clean_environment(home, WELLWORN_STORAGE__URL=url)
    for words in (["backup", str(other)], ["salvage", str(other)]):
        done = run(*words, **variables)
        assert "pg_dump" in done.stderr, done
        assert not other.exists()

    # One that has its records in a file begins none in PostgreSQL.
    second = serve(other)
    remember(second, OLD)
    second.process.terminate()
    second.process.wait(timeout=LONG_S)
    done = run("serve", "--port", "0", **clean_environment(other, WELLWORN_STORAGE__URL=url))
    assert "has its records in a file" in done.stderr
    server.drop_database(name)


def run(*words, **variables):
    return run_command(*words, environment=variables)


def test_a_memory_that_outgrew_its_file_is_moved_and_comes_back(serve, home):
    postgres = share_server()
    name = postgres.make_database()
    url = postgres.url(name)
    server = serve(home)
    note = remember(server, NEW)
    there = clean_environment(home, WELLWORN_MOVE_TO=url)
    refused = run("move", "--yes", **there)
    assert "serves this data folder" in refused.stderr
    server.process.terminate()
    server.process.wait(timeout=LONG_S)

    planned = json.loads(run("move", "--dry-run", "--json", **there).stdout)
    assert planned["rows"]["thoughts"] == 1
    denied = run("move", **there)  # nobody answers
    assert "nothing was done" in denied.stderr
    assert not postgres.run("SELECT 1 FROM pg_tables WHERE schemaname = 'public'", name)
    moved = run("move", "--yes", **there)
    assert moved.returncode == 0, moved.stderr
    assert all(word in moved.stdout for word in ("thoughts", "export WELLWORN_STORAGE__URL="))
    assert PASSWORD not in moved.stdout + moved.stderr + json.dumps(planned)

    server = serve(home, WELLWORN_STORAGE__URL=url)
    assert recall(server, PORT) == [note]
    secret = remember(server, SECRET)
    server.process.terminate()
    server.process.wait(timeout=LONG_S)
    here = clean_environment(home, WELLWORN_STORAGE__URL=url)
    back = json.loads(run("move", "--to", "sqlite", "--yes", "--json", **here).stdout)
    assert {each["name"]: each["rows"] for each in back["tables"]}["thoughts"] == 2
    assert all(each["digest"] == each["target_digest"] for each in back["tables"])
    assert secret in recall(serve(home), KEY)
    postgres.drop_database(name)
