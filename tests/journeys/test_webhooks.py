"""A signed webhook starts a sync of its source, once for all calls that wait, and nothing else."""

from __future__ import annotations

import hmac
import http.client
import json
from contextlib import closing

import pytest

from integration.fetch_servers import LOOPBACK
from integration.git_servers import GitServer, Repository
from journeys.test_slow_sources import slow_site
from journeys.test_sync_kills import QUICK, SOURCES, call, until
from patience import LONG_S

NEAR = {"WELLWORN_FETCH__PRIVATE_NETWORKS": json.dumps(LOOPBACK)}
PUSH = b'{"ref": "refs/heads/main", "after": "%d"}'


def sign(secret, body):
    return {"x-hub-signature-256": f"sha256={hmac.digest(secret.encode(), body, 'sha256').hex()}"}


def deliver(server, number, body, headers, *, kind="application/json"):
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=LONG_S)
    with closing(connection):
        path = f"{SOURCES}/{number}/webhook"
        connection.request("POST", path, body, {"content-type": kind, **headers})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def hooked(server, number):
    return call(server, "PUT", f"{SOURCES}/{number}/webhook")["secret"]


def runs(server, number):
    return call(server, "GET", f"{SOURCES}/{number}/runs")["runs"]


def finished(server, number, many):
    def are_over():
        made = runs(server, number)
        return made if len(made) == many and all(run["finished_at"] for run in made) else None

    return until(are_over)


def paths(server):
    return [one["path"] for one in call(server, "GET", "/api/knowledge/documents")["documents"]]


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "served" / "docs.git")
    made.commit({"one.md": b"# One\n\nThe lamp burns oil.\n"})
    return made


@pytest.fixture
def site(repository):
    with closing(GitServer(repository.folder.parent)) as site:
        yield site


@pytest.fixture
def number(server, site):
    config = {"repo_url": site.url()}
    body = {"source_type": "git_repo", "name": "docs", "config": config}
    made = call(server, "POST", SOURCES, body)["id"]
    assert call(server, "POST", f"{SOURCES}/{made}/sync")["message"] == "1 new"
    return made


@pytest.fixture
def server(serve, home):
    return serve(home, **QUICK, **NEAR)


@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded"])
def test_a_signed_push_is_found_without_anybody_asking_for_a_sync(server, repository, number, kind):
    secret = hooked(server, number)
    repository.commit({"one.md": b"# One\n\nThe lamp burns oil.\n", "two.md": b"# Two\n\nNew.\n"})
    body = PUSH % 1
    answer = deliver(server, number, body, sign(secret, body), kind=kind)
    assert answer == (202, {"status": "waiting"})
    last = finished(server, number, 2)[0]
    assert (last["trigger"], last["message"]) == ("webhook", "1 new, 1 unchanged")
    assert paths(server) == ["one.md", "two.md"]
    shown = call(server, "GET", f"{SOURCES}/{number}")
    assert shown["webhook"]["last_delivery_at"]
    assert secret not in json.dumps(shown)


def test_the_token_of_gitlab_starts_a_sync_too(server, number):
    secret = hooked(server, number)
    assert deliver(server, number, b"{}", {"x-gitlab-token": secret})[0] == 202
    assert finished(server, number, 2)[0]["trigger"] == "webhook"


def test_what_is_not_signed_is_refused_alike_whether_there_is_a_source_or_not(server, number):
    body = PUSH % 1
    without = call(
        server, "POST", SOURCES,
        {"source_type": "manual_note", "name": "note", "config": {"text": "A word."}},
    )["id"]  # fmt: skip
    secret = hooked(server, number)
    right = sign(secret, body)["x-hub-signature-256"]
    wrong = [
        {},
        {"x-hub-signature-256": ""},
        {"x-hub-signature-256": right.removeprefix("sha256=")},
        {"x-hub-signature-256": right.replace("sha256", "sha1")},
        {"x-hub-signature-256": f"{right[:-1]}{'0' if right[-1] != '0' else '1'}"},
        # A wrong signature is not made good by a right token.
        {"x-hub-signature-256": "sha256=00", "x-gitlab-token": secret},
        {"x-gitlab-token": secret[:-1]},
        {"x-gitlab-token": ""},
        sign(secret, body + b" "),
        sign("", body),
    ]
    answers = [deliver(server, number, body, headers) for headers in wrong]
    answers += [deliver(server, other, body, sign(secret, body)) for other in (without, 2**40)]
    assert {status for status, _ in answers} == {401}
    assert len({json.dumps(told) for _, told in answers}) == 1
    assert str(number) not in json.dumps(answers[0][1])
    assert len(runs(server, number)) == 1
    assert deliver(server, number, body, sign(secret, body))[0] == 202


def test_a_delivery_that_is_sent_again_starts_nothing(server, serve, home, number):
    secret, body = hooked(server, number), PUSH % 1
    assert deliver(server, number, body, sign(secret, body)) == (202, {"status": "waiting"})
    finished(server, number, 2)
    assert deliver(server, number, body, sign(secret, body)) == (202, {"status": "known"})
    server.kill()
    server = serve(home, **QUICK, **NEAR)
    assert deliver(server, number, body, sign(secret, body)) == (202, {"status": "known"})
    other = PUSH % 2
    assert deliver(server, number, other, sign(secret, other)) == (202, {"status": "waiting"})
    assert len(finished(server, number, 3)) == 3


def test_a_new_secret_ends_the_one_before_and_a_removed_webhook_all(server, number):
    body = PUSH % 1
    before = hooked(server, number)
    now = hooked(server, number)
    assert now != before
    assert deliver(server, number, body, sign(before, body))[0] == 401
    assert deliver(server, number, body, sign(now, body))[0] == 202
    where = f"{SOURCES}/{number}/webhook"
    assert call(server, "DELETE", where) == {"removed": True}
    assert call(server, "DELETE", where) == {"removed": False}
    assert deliver(server, number, PUSH % 2, sign(now, PUSH % 2))[0] == 401


def test_deliveries_while_a_sync_runs_have_one_sync_after_it(server):
    with slow_site() as (url, asked, released):
        body = {"source_type": "url", "name": "page", "config": {"url": url}}
        number = call(server, "POST", SOURCES, body)["id"]
        secret = hooked(server, number)
        for count in range(12):
            assert deliver(server, number, PUSH % count, sign(secret, PUSH % count))[0] == 202
            assert asked.wait(LONG_S)
        released.set()
        made = finished(server, number, 2)
    # The tick after the second would have begun a third.
    assert deliver(server, number, PUSH % 0, sign(secret, PUSH % 0))[1] == {"status": "known"}
    assert [run["trigger"] for run in made] == ["webhook", "webhook"]
    assert call(server, "GET", f"{SOURCES}/{number}")["sync_status"] == "success"


def test_whoever_has_the_secret_delivers_so_often_a_minute_and_no_more(serve, home):
    server = serve(home, **QUICK, WELLWORN_SPACES__TRANSFERS_A_MINUTE="4")
    note = {"source_type": "manual_note", "name": "note", "config": {"text": "A word."}}
    numbers = [call(server, "POST", SOURCES, note | {"name": name})["id"] for name in ("a", "b")]
    secrets = [hooked(server, number) for number in numbers]
    answers = [
        deliver(server, numbers[0], PUSH % count, sign(secrets[0], PUSH % count))
        for count in range(12)
    ]
    statuses = [status for status, _ in answers]
    # A minute may end meanwhile.
    assert 4 <= statuses.count(202) <= 8
    assert statuses.count(429) >= 4
    assert deliver(server, numbers[1], PUSH % 0, sign(secrets[1], PUSH % 0))[0] == 202
    assert deliver(server, numbers[0], b"{}", {"x-gitlab-token": "wrong"})[0] == 401


def test_a_delivery_to_a_server_that_is_killed_is_seen_to_by_the_next(serve, home):
    server = serve(home, **NEAR)
    with slow_site() as (url, asked, released):
        body = {"source_type": "url", "name": "page", "config": {"url": url}}
        number = call(server, "POST", SOURCES, body)["id"]
        secret = hooked(server, number)
        for count in range(2):
            assert deliver(server, number, PUSH % count, sign(secret, PUSH % count))[0] == 202
            assert asked.wait(LONG_S)
        server.kill()
        released.set()
        server = serve(home, **QUICK, **NEAR)
        # The one under way is gone on with; the one that waited follows.
        until(lambda: len(runs(server, number)) >= 2 and runs(server, number)[0]["finished_at"])
        assert runs(server, number)[0]["status"] == "success"
        assert runs(server, number)[0]["trigger"] == "webhook"


def test_a_paused_source_is_synced_when_it_goes_on(server, number):
    secret, where = hooked(server, number), f"{SOURCES}/{number}"
    call(server, "PUT", where, {"is_paused": True})
    assert deliver(server, number, b"{}", {"x-gitlab-token": secret})[0] == 202
    assert len(runs(server, number)) == 1
    call(server, "PUT", where, {"is_paused": False})
    assert finished(server, number, 2)[0]["trigger"] == "webhook"


def test_the_command_makes_shows_renews_and_removes_a_webhook(server, wellworn, number):
    made = json.loads(wellworn("source", "webhook", "docs", "--json").stdout)
    assert made["url"] == f"{server.url}{SOURCES}/{number}/webhook"
    assert deliver(server, number, b"{}", sign(made["secret"], b"{}"))[0] == 202
    again = json.loads(wellworn("source", "webhook", "docs", "--json").stdout)
    assert again["secret"] is None
    assert again["webhook"]["last_delivery_at"]
    shown = wellworn("source", "webhook", "docs").stdout
    assert "stored encrypted" in shown
    assert made["secret"] not in shown
    renewed = json.loads(wellworn("source", "webhook", "docs", "--rotate", "--json").stdout)
    assert renewed["secret"] not in {None, made["secret"]}
    assert "last called" not in wellworn("source", "show", "docs").stdout
    assert json.loads(wellworn("source", "webhook", "docs", "--remove", "--json").stdout) == {
        "removed": True
    }
