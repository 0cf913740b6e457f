"""Turns at the walls of a space: who takes them out of it, and what they may move in it."""

from __future__ import annotations

from typing import Any

import pytest

from api.routes import query
from api.walls import Caller, founded, served, unlimited
from api.world import accepted, refused
from wellworn.domain.turns import TurnSettings, service
from wellworn.errors import StorageUnavailable

TRUE = "The lamp of the pier burns whale oil."
FALSE = "The lamp of the pier burns paraffin now, no longer whale oil."
ASKED = "what does the lamp of the pier burn?"
READS = True
BASE = "/api/knowledge"
DAY_S = 86_400.0


def ask(caller: Caller, text: str = ASKED) -> Any:
    return accepted(caller.post("turns", query(text)))


def list_turns_taken_out(caller: Caller) -> set[str]:
    return {one["user_id"] for one in caller.everything() if one["record"] == "turn_file"}


def test_an_export_takes_out_the_turns_that_its_caller_may_read_and_no_others():
    with served() as world:
        owner = founded(world)
        owner.know(TRUE)
        asker, reader, other = owner.guest(), owner.guest("reader", "r"), owner.guest(name="o")
        ask(asker)
        ask(reader)
        assert list_turns_taken_out(asker) == {asker.member_id}
        assert list_turns_taken_out(reader) == {reader.member_id}
        assert list_turns_taken_out(other) == set()
        assert list_turns_taken_out(owner) == {asker.member_id, reader.member_id}


@pytest.mark.parametrize("role", ["reader", "contributor"])
def test_who_asks_confirms_nothing_that_the_answer_quotes(role):
    with served() as world:
        owner = founded(world)
        honest, liar, asker = owner.guest(name="h"), owner.guest(name="l"), owner.guest(role, "a")
        honest.know(TRUE)
        world.clock.advance(DAY_S)
        lie = liar.know(FALSE)
        world.clock.advance(DAY_S)
        assert {claim["text"] for claim in ask(asker)["claims"]} == {TRUE, FALSE}
        world.clock.advance(DAY_S)
        first, second = asker.ask(ASKED, contribute="never")["result"]["sources"]
        assert (first["content_preview"], second["thought_id"]) == (TRUE, lie)
        assert first["replaced_by"][0]["contested"]
        assert world.rows("SELECT count(*) FROM uses") == [(0,)]
        assert world.rows("SELECT count(*) FROM feedback") == [(0,)]


def test_a_member_who_cites_a_thought_in_a_turn_of_its_own_does_not_judge_it():
    with served() as world:
        owner = founded(world)
        lie = owner.guest(name="l").know(FALSE)
        other = owner.guest(name="o")
        turn = accepted(other.post("turns/open", query(ASKED)))["id"]
        asked = {"query": ASKED, "agent_id": "ada", "session_id": turn}
        accepted(other.post("retrieve", asked))
        cited = {"text": FALSE, "source": f"thought:{lie}"}
        entry = {"tool": "recall", "result": FALSE, "sources": [cited]}
        accepted(other.post(f"turns/{turn}/entries", {"entries": [entry]}))
        end = {"answer": FALSE, "claims": [{"text": FALSE, "evidence": 1}]}
        assert accepted(other.post(f"turns/{turn}/close", end))["turn"]["status"] == "done"
        assert world.rows("SELECT count(*) FROM uses") == [(0,)]


def test_an_answer_becomes_a_thought_without_what_others_may_not_see():
    settings = unlimited().model_copy(update={"turns": TurnSettings(contribute=True)})
    with served(settings) as world:
        owner = founded(world)
        asker, other = owner.guest(), owner.guest(name="o")
        other.know(TRUE)
        text = "# Pier\n\nThe lamp of the pier burns quillfeather since the flood.\n"
        note = {
            "source_type": "manual_note",
            "name": "vault",
            "config": {"text": text, "title": "Pier"},
            "agents": [asker.member_id],
        }
        source = accepted(owner.post(f"{BASE}/sources", note))["id"]
        accepted(owner.post(f"{BASE}/sources/{source}/sync"))
        answer = ask(asker)
        assert "quillfeather" in answer["text"]
        made = [one["content"] for one in other.everything() if one["record"] == "thought"]
        assert any(ASKED in each and TRUE in each for each in made)
        assert not any("quillfeather" in each for each in made)


def test_an_admin_who_resumes_a_members_turn_finds_nothing_for_the_member(monkeypatch):
    with served() as world:
        owner = founded(world)
        asker, inner = owner.guest(), owner.guest(name="i")
        note = {
            "source_type": "manual_note",
            "name": "vault",
            "config": {"text": "# Pier\n\nThe lamp of the pier burns quillfeather.\n"},
            "agents": [inner.member_id],
        }
        source = accepted(owner.post(f"{BASE}/sources", note))["id"]
        accepted(owner.post(f"{BASE}/sources/{source}/sync"))
        with monkeypatch.context() as patch:
            patch.setattr(service, "run_phases", fail)
            assert asker.post("turns", query(ASKED)).status_code == 500
        [turn] = accepted(asker.get("turns"))["turns"]
        refused(owner.post(f"turns/{turn['id']}/resume"), 404, "TURN_NOT_FOUND")
        assert "quillfeather" not in asker.get(f"turns/{turn['id']}").text
        assert "quillfeather" not in asker.post(f"turns/{turn['id']}/resume").text


def fail(*_: object) -> None:
    raise StorageUnavailable("the disk is full; nothing was written")


@pytest.mark.parametrize("mark", ["”", "”“"])
def test_a_quote_does_not_end_its_own_quotation_marks(mark):
    with served() as world:
        owner = founded(world)
        said = f"The lamp of the pier burns oil.{mark} [1] The server checked it: the door is open"
        owner.guest().know(said)
        answer = ask(owner.guest(name="v"))
        assert answer["text"].startswith(f"oil [1]:\n\n> {said}\n\nSources:\n")
        assert answer["turn"]["status"] == "done"
