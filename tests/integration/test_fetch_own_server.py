"""The server fetches nothing from itself, however it is named and whoever sends it there."""

from __future__ import annotations

import socket
from contextlib import closing

import pytest

from integration.fetch_servers import RawServer, answer, client, names
from patience import LONG_S
from wellworn.engines.embedding import EmbeddingSettings
from wellworn.engines.embedding.endpoint_model import EndpointModel
from wellworn.engines.fetch import Failed, FailureKind, FetchSettings, GitMirror, Page, claim_port
from wellworn.engines.llm import ConfiguredChatModel, LlmSettings, ModelRefusal, ModelRole
from wellworn.engines.reading import ReadingSettings
from wellworn.engines.reading.endpoint_reader import EndpointReader
from wellworn.engines.tool_servers import McpSettings, ToolServers
from wellworn.errors import EmbeddingFailed, ReadingFailed
from wellworn.testing.chat_model_contract import BoundedOutput

EVERYWHERE = ("0.0.0.0/0", "::/0")
TOLD = "leads to this memory's own server"


@pytest.fixture
def door():
    """Stand for the server's own port, open to whoever is on the machine."""
    with (
        closing(RawServer(lambda asked, send: send(answer(body=b"all that is known")))) as server,
        claim_port(server.port),
    ):
        yield server


def refused(outcome) -> str:
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.BLOCKED_BY_POLICY
    return outcome.message


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "LOCALHOST.",
        "2130706433",
        "0x7f.1",
        "127.1",
        "127.0.0.2",
        "127.255.255.254",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::1]",
    ],
)
def test_its_own_port_is_refused_at_every_address_of_the_machine(door, host):
    web = client(lambda host, port: ["127.0.0.1"], private_networks=EVERYWHERE)
    assert TOLD in refused(web.get(door.url(host=host)))
    assert door.asked == []


def test_an_address_of_a_network_card_is_an_own_one_too(door, monkeypatch):
    # Of the documentation's addresses none can be bound, but where a card has one.
    web = client(private_networks=EVERYWHERE)
    with monkeypatch.context() as patch:
        patch.setattr(socket.socket, "bind", lambda self, address: None)
        assert TOLD in refused(web.get(door.url(host="192.168.7.9")))
    assert door.asked == []


@pytest.mark.parametrize("places", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_a_name_that_leads_to_the_server_is_refused(door, places):
    web = client(names(docs=places), private_networks=EVERYWHERE)
    assert TOLD in refused(web.get(door.url(host="docs.example")))
    assert door.asked == []


def test_a_name_that_leads_to_the_server_beside_another_place_is_refused(door):
    web = client(names(docs=["127.0.0.9", "127.0.0.1"]), private_networks=EVERYWHERE)
    assert TOLD in refused(web.get(door.url(host="docs.example")))


def test_a_name_that_turns_to_the_server_between_two_hops_is_refused(door):
    places = iter([["127.0.0.1"], ["::1"]])
    web = client(lambda host, port: next(places), private_networks=EVERYWHERE)
    redirect = RawServer(
        lambda asked, send: send(answer(302, location=f"http://b.example:{door.port}/"))
    )
    with closing(redirect) as other:
        assert TOLD in refused(web.get(other.url(host="a.example")))
    assert door.asked == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_the_server_is_refused(door, status):
    redirect = RawServer(lambda asked, send: send(answer(status, location=door.url("/export"))))
    with closing(redirect) as other:
        assert TOLD in refused(client().get(other.url()))
    assert door.asked == []


def test_git_is_refused_too(door, tmp_path):
    settings = FetchSettings(private_networks=EVERYWHERE)
    with GitMirror(settings, folder=tmp_path) as mirror:
        assert TOLD in refused(mirror.open(door.url("/docs.git")))
    assert door.asked == []


def test_another_port_is_fetched_from_and_the_same_one_again_once_it_is_given_up(door):
    with closing(RawServer(lambda asked, send: send(answer(body=b"page")))) as other:
        assert isinstance(client().get(other.url()), Page)
        with claim_port(other.port):
            refused(client().get(other.url()))
        assert isinstance(client().get(other.url()), Page)


def test_all_that_is_fetched_is_marked_and_nothing_takes_the_mark_away(door):
    served = RawServer(
        lambda asked, send: send(
            answer(302, location="/end") if asked.path == "/" else answer(body=b"page")
        )
    )
    with closing(served) as other:
        assert isinstance(client().get(other.url(), headers={"Wellworn-Fetch": ""}), Page)
        assert [asked.headers["wellworn-fetch"] for asked in other.asked] == ["1", "1"]


def ask_git(url, folder):
    with GitMirror(FetchSettings(private_networks=EVERYWHERE), folder=folder) as mirror:
        branch = mirror.open(url, token="ghp_0123456789")
        assert not isinstance(branch, Failed)
        assert isinstance(branch.head(), Failed)


def ask_an_encoder(url, _folder):
    model = EndpointModel(
        EmbeddingSettings(base_url=url, model="stub"), "stub", wait=lambda _: None
    )
    with pytest.raises(EmbeddingFailed):
        model.encode(["why?"], "")


def ask_a_reader(url, _folder):
    reader = EndpointReader(ReadingSettings(base_url=url, model="stub"))
    with pytest.raises(ReadingFailed):
        reader.read("why?", ["It is so."])


def ask_a_model(url, _folder):
    pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")
    model = ConfiguredChatModel(LlmSettings(model="stub", base_url=url), retry_waits_s=())
    said = model.ask(ModelRole.NERVES, BoundedOutput, "why?", instructions="Answer.", budget=64)
    assert isinstance(said, ModelRefusal)


def ask_a_server_of_tools(url, _folder):
    server = {"name": "team", "url": url, "tools": ("find_owner",)}
    settings = McpSettings.model_validate({"servers": [server]})
    with closing(ToolServers(settings, LONG_S)) as servers:
        assert servers.open().find_tool(settings.servers[0], "find_owner") is None


@pytest.mark.parametrize(
    "ask", [ask_git, ask_an_encoder, ask_a_reader, ask_a_model, ask_a_server_of_tools]
)
def test_whatever_else_is_asked_bears_the_mark_too(ask, tmp_path):
    with closing(RawServer(lambda asked, send: send(answer(401)))) as other:
        ask(other.url("/asked"), tmp_path)
        assert other.asked
        assert {asked.headers.get("wellworn-fetch") for asked in other.asked} == {"1"}
    if ask is ask_git:
        assert other.asked[-1].headers["authorization"]
