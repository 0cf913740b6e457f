"""Where a fetch may go: addresses, names, ports, redirects; never to a private place."""

from __future__ import annotations

from contextlib import closing
from threading import Event

import pytest

from integration.fetch_servers import RawServer, answer, client, names
from wellworn.engines.fetch import Failed, FailureKind, Page

METADATA = "http://169.254.169.254/latest/meta-data/"


@pytest.fixture
def page_server():
    with closing(RawServer(lambda asked, send: send(answer(body=b"private")))) as server:
        yield server


def _blocked(outcome) -> str:
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.BLOCKED_BY_POLICY
    return outcome.message


def _redirecting(target: str) -> RawServer:
    return RawServer(lambda asked, send: send(answer(302, location=target)))


def test_a_metadata_address_is_blocked_and_says_why():
    assert "resolves to a private address" in _blocked(client().get(METADATA))


def test_a_name_of_the_metadata_address_is_blocked_even_where_all_is_private_by_permission():
    web = client(names(docs="169.254.169.254"), private_networks=("0.0.0.0/0",))
    assert "docs.example resolves to a private address" in _blocked(web.get("http://docs.example/"))


def test_a_redirect_to_the_metadata_address_is_blocked():
    with closing(_redirecting(METADATA)) as server:
        assert "private address" in _blocked(client().get(server.url()))


def test_a_redirect_to_a_name_of_the_metadata_address_is_blocked():
    resolver = names(docs="127.0.0.1", other="169.254.169.254")
    with closing(_redirecting("http://other.example/")) as server:
        outcome = client(resolver).get(server.url(host="docs.example"))
    assert "other.example resolves to a private address" in _blocked(outcome)


@pytest.mark.parametrize("order", [["93.184.216.34", "127.0.0.1"], ["127.0.0.1", "93.184.216.34"]])
def test_a_name_with_a_public_and_a_private_address_is_blocked(page_server, order):
    web = client(names(docs=order), private_networks=())
    assert "private address" in _blocked(web.get(page_server.url(host="docs.example")))
    assert page_server.asked == []


def test_a_name_is_resolved_once_so_that_the_checked_address_is_the_one_connected_to(page_server):
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    web = client(lambda host, port: next(answers))
    outcome = web.get(page_server.url(host="docs.example"))
    assert isinstance(outcome, Page)
    assert page_server.asked[0].headers["host"] == f"docs.example:{page_server.port}"
    assert next(answers) == ["169.254.169.254"]


def test_a_name_that_turns_private_between_two_hops_is_blocked():
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    with closing(_redirecting("/next")) as server:
        web = client(lambda host, port: next(answers))
        assert "private address" in _blocked(web.get(server.url(host="docs.example")))


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::1]",
        "[fd00:ec2::254]",
        "100.100.100.200",
    ],
)
def test_a_private_address_is_blocked_however_it_is_written(page_server, host):
    web = client(private_networks=())
    _blocked(web.get(page_server.url(host=host)))
    assert page_server.asked == []


def test_an_odd_port_of_a_public_host_is_blocked():
    web = client(names(docs="93.184.216.34"))
    assert "Port 22" in _blocked(web.get("http://docs.example:22/"))


def test_a_private_network_is_fetched_from_on_any_port_once_it_is_named(page_server):
    assert isinstance(client().get(page_server.url()), Page)


def test_a_user_name_in_the_address_is_refused(page_server):
    message = _blocked(client().get(f"http://name:word@127.0.0.1:{page_server.port}/"))
    assert "credential" in message
    assert page_server.asked == []


@pytest.mark.parametrize("order", [["127.9.9.9", "127.0.0.1"], ["127.0.0.1", "127.9.9.9"]])
def test_any_address_of_a_name_will_do_when_another_does_not_answer(page_server, order):
    web = client(names(docs=order), retry_waits_s=())
    assert isinstance(web.get(page_server.url(host="docs.example")), Page)


def test_a_name_that_does_not_exist_is_unreachable():
    outcome = client().get("http://nowhere.example/")
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.UNREACHABLE
    assert "nowhere.example" in outcome.message


def test_a_resolver_that_does_not_answer_runs_into_the_deadline():
    released = Event()

    def resolver(host: str, port: int) -> list[str]:
        released.wait(10)
        return []

    outcome = client(resolver, deadline_s=0.05).get("http://docs.example/")
    released.set()
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.TIMED_OUT


def test_a_proxy_in_the_environment_is_not_used(page_server, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    assert isinstance(client(retry_waits_s=()).get(page_server.url()), Page)
