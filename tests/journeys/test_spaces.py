"""A newcomer's story: a sealed space is made, shared, taken back and deleted, on a real server."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from forked_processes import run_command
from journeys.conftest import clean_environment

APPROVALS = "Deploys to production need two approvals since the March outage."
SECOND = "The second approval comes from the operations team on duty."
QUESTION = "how many approvals does a deploy need?"


@pytest.fixture
def agent(home):
    """Run the command line as the bearer of a key, or of none."""

    def run(key, *words, stdin="", **more):
        shown = {"WELLWORN_KEY": key} if key else {}
        environment = clean_environment(home, **shown, **more)
        return run_command(*words, environment=environment, given=stdin)

    return run


def captured(done):
    """What `$(…)` would be in a shell."""
    assert done.returncode == 0, done.stderr
    [line] = done.stdout.splitlines()
    return line


def parsed(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(done, *words):
    assert done.returncode == 1, done.stdout
    assert done.stdout == ""
    error, remedy = done.stderr.splitlines()
    assert error.startswith("error: ")
    assert remedy.startswith("try: ")
    assert APPROVALS[:20] not in done.stderr
    return all(word in done.stderr for word in words)


def contents(done):
    return {one["content_preview"] for one in parsed(done)["result"]["sources"]}


@dataclass
class Team:
    """A sealed space, and the keys of its admin ana and its contributor ben."""

    id: str
    ana: str
    ben: str
    token: str


@pytest.fixture
def team(server, agent):
    ana = captured(agent(None, "space", "create", "team", "--sealed", "--as", "ana"))
    [space] = parsed(agent(ana, "space", "list", "--json"))
    assert (space["name"], space["mode"], space["role"]) == ("team", "sealed", "admin")
    token = captured(agent(ana, "space", "invite", "team", "--expires", "1d"))
    ben = captured(agent(None, "space", "join", "-", "--as", "ben", stdin=token))
    assert agent(ana, "remember", APPROVALS, "--space", "team").returncode == 0
    assert agent(ben, "remember", SECOND, "--space", "team").returncode == 0
    return Team(space["id"], ana, ben, token)


def test_a_sealed_space_is_open_to_its_members_and_to_nobody_else(agent, team):
    for key in (team.ana, team.ben):
        found = agent(key, "recall", QUESTION, "--json", WELLWORN_SPACE="team")
        assert contents(found) == {APPROVALS, SECOND}

    assert refused(agent(None, "recall", QUESTION, "--space", team.id), "credential")
    stranger = captured(agent(None, "credential", "create", "carl"))
    assert refused(agent(stranger, "recall", QUESTION, "--space", team.id), "no space")
    assert contents(agent(None, "recall", QUESTION, "--json")) == set()
    again = agent(stranger, "space", "join", team.token)
    assert refused(again, "used, withdrawn or expired", "wellworn space invite", "WELLWORN_KEY")

    unused = parsed(agent(team.ana, "space", "invite", "team", "--json"))
    invitation = unused["invitation"]["id"]
    known = parsed(agent(team.ana, "space", "members", "team", "--json"))
    assert {one["name"] for one in known["members"]} == {"ana", "ben"}
    assert [one["id"] for one in known["invitations"]] == [invitation]
    assert agent(team.ana, "space", "revoke", "team", invitation, "--yes").returncode == 0
    assert refused(agent(stranger, "space", "join", unused["token"]), "withdrawn")


def test_who_is_revoked_reads_no_more_and_what_is_deleted_is_gone(agent, team, home):
    assert refused(agent(team.ben, "space", "revoke", "team", "ana", "--yes"), "admin")
    assert agent(team.ana, "space", "revoke", "team", "ben", stdin="n\n").returncode == 1
    assert contents(agent(team.ben, "recall", QUESTION, "--json", "--space", "team"))
    assert agent(team.ana, "space", "revoke", "team", "ben", stdin="y\n").returncode == 0
    assert refused(agent(team.ben, "recall", QUESTION, "--space", team.id), "no space")
    found = agent(team.ana, "recall", QUESTION, "--space", "team", "--json")
    assert contents(found) == {APPROVALS, SECOND}
    assert parsed(agent(team.ana, "space", "show", "team", "--json"))["epoch"] == 2

    trail = parsed(agent(team.ana, "audit", "show", "--space", "team", "--json"))
    actions = {one["action"] for one in trail}
    assert actions >= {"space.created", "member.joined", "member.revoked", "memory.recalled"}
    assert APPROVALS[:20] not in json.dumps(trail)
    assert parsed(agent(team.ana, "audit", "verify", "--space", "team", "--json"))["ok"] is True

    assert agent(team.ana, "space", "delete", "team", "--yes").returncode == 0
    assert refused(agent(team.ana, "recall", QUESTION, "--space", team.id), "no space")
    assert parsed(agent(team.ana, "space", "list", "--json")) == []
    for file in (home / "wellworn.db", home / "wellworn.db-wal"):
        assert APPROVALS[:20].encode() not in file.read_bytes()


def test_keys_are_made_renewed_and_ended(server, agent):
    ana = captured(agent(None, "credential", "create", "ana", "--role", "admin"))
    words = ["credential", "create", "ci", "--role", "reader", "--expires", "1h"]
    reader = captured(agent(ana, *words))
    assert agent(ana, "remember", APPROVALS).returncode == 0
    assert contents(agent(reader, "recall", QUESTION, "--json")) == {APPROVALS}
    assert refused(agent(reader, "remember", SECOND), "contributor")
    assert refused(agent(reader, "credential", "create", "more", "--role", "admin"))

    renewed = captured(agent(ana, "credential", "rotate"))
    assert refused(agent(ana, "recall", QUESTION), "valid credential")
    listed = parsed(agent(renewed, "credential", "list", "--json"))
    known = {one["label"]: one for one in listed if one["revoked_at"] is None}
    assert known["ci"]["parent"] == known["ana"]["kid"]

    assert agent(renewed, "credential", "revoke", known["ana"]["kid"], "--yes").returncode == 0
    for key in (renewed, reader):
        assert refused(agent(key, "recall", QUESTION), "valid credential")
    assert contents(agent(None, "recall", QUESTION, "--json")) == {APPROVALS}


def test_an_mcp_client_of_the_pipe_talks_in_its_space(server, agent):
    ana = captured(agent(None, "space", "create", "team", "--sealed", "--as", "ana"))
    call = {"name": "remember", "arguments": {"content": APPROVALS}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    message = json.dumps(asked) + "\n"
    done = agent(ana, "mcp", "--space", "team", stdin=message)
    assert parsed(done)["result"]["structuredContent"]["stored"] is True
    assert contents(agent(ana, "recall", QUESTION, "--space", "team", "--json")) == {APPROVALS}
    assert contents(agent(None, "recall", QUESTION, "--json")) == set()


def test_a_server_for_other_machines_needs_a_key_first(agent, serve, home):
    alone = agent(None, "serve", "--host", "0.0.0.0", "--port", "0")
    assert refused(alone, "wellworn credential create NAME --role admin")

    ana = captured(agent(None, "credential", "create", "ana", "--role", "admin"))
    assert agent(None, "stop").returncode == 0
    serve(home, WELLWORN_SPACES__REQUIRE_CREDENTIALS="true")
    assert refused(agent(None, "recall", QUESTION), "credential", "WELLWORN_KEY")
    assert refused(agent(None, "credential", "create", "eve"), "credential")
    assert agent(ana, "recall", QUESTION).returncode == 0
