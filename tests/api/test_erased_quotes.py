"""Whoever erases a note takes its words from the turns of others, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest

from api.routes import query
from api.walls import Caller, founded, served
from api.world import accepted
from wellworn.domain.turns.phases import saving
from wellworn.domain.turns.quoting_turns import ERASED

NOTES = [f"The lamp of pier {place} burns whale oil from keg {place}77." for place in range(4)]
OTHER = "The lamp of every pier is lit at dusk by the warden."


def ask(caller: Caller, text: str, **more: Any) -> Any:
    return accepted(caller.post("turns", query(text), **more))


def erase(caller: Caller, thought_id: str) -> None:
    accepted(caller.send("DELETE", f"thoughts/{thought_id}", {"agent_id": "x", "reason": "mine"}))


def read_files(caller: Caller, turn_id: str) -> dict[str, str]:
    paths = accepted(caller.get(f"turns/{turn_id}/files"))["files"]
    return {path: caller.get(f"turns/{turn_id}/files/{path}").text for path in paths}


def list_disk(world: Any) -> list[str]:
    files = [path for path in Path(world.home).rglob("*") if path.is_file()]
    return [path.name for path in files if b"whale oil from" in path.read_bytes()]


@pytest.mark.parametrize("sealed", [False, True])
def test_erasing_a_note_takes_its_words_from_turns_of_others_and_nothing_else(sealed):
    with served() as world:
        owner = founded(world, sealed=sealed)
        writer, asker = owner.guest(name="w"), owner.guest(name="a")
        owner.know(OTHER)
        notes = [writer.know(note) for note in NOTES]
        asked = [f"What does the lamp of pier {place} burn?" for place in range(4)]
        turns = [
            ask(asker, text, headers={"idempotency-key": str(uuid5(NAMESPACE_URL, text))})
            for text in asked
        ]
        before = [read_files(asker, turn["turn"]["id"]) for turn in turns]
        assert all(NOTES[place] in turn["text"] for place, turn in enumerate(turns))
        for note in notes:
            erase(writer, note)
        for place, turn in enumerate(turns):
            turn_id = turn["turn"]["id"]
            now = accepted(asker.get(f"turns/{turn_id}"))
            assert now["turn"]["query"] == asked[place]
            assert now["turn"]["status"] == "done"
            assert now["edited"] == []
            assert ERASED in now["text"]
            assert "whale" not in json.dumps(now)
            files = read_files(asker, turn_id)
            assert files.keys() == before[place].keys()
            assert "whale" not in json.dumps(files)
            assert asked[place] in files["context.md"]
            assert ("lit at dusk by the warden" in files["context.md"]) == (
                "lit at dusk by the warden" in before[place]["context.md"]
            )
            assert (
                ask(
                    asker,
                    asked[place],
                    headers={"idempotency-key": str(uuid5(NAMESPACE_URL, asked[place]))},
                )
                == now
            )
        assert [turn["query"] for turn in accepted(asker.get("turns"))["turns"]] == asked[::-1]
        assert sealed or list_disk(world) == []
        assert "whale" not in asker.get("export").text


def test_what_a_document_or_another_note_says_stays_though_it_was_copied_and_erased():
    with served() as world:
        owner = founded(world)
        writer, asker = owner.guest(name="w"), owner.guest(name="a")
        owner.know(OTHER)
        copy = writer.know(f"{OTHER} The warden of every pier is called Ada.")
        turn = ask(asker, "Who lights the lamp of every pier at dusk?")
        assert "is called Ada" in read_files(asker, turn["turn"]["id"])["context.md"]
        erase(writer, copy)
        files = read_files(asker, turn["turn"]["id"])
        assert "is called Ada" not in json.dumps(files)
        assert OTHER in files["context.md"]
        assert OTHER in files["journal.jsonl"]


def test_an_agents_own_turn_loses_what_it_cites_of_an_erased_note_and_can_be_closed():
    with served() as world:
        owner = founded(world)
        writer, agent = owner.guest(name="w"), owner.guest(name="a")
        note = writer.know("The gate code of the pier is orchid.")
        opened = accepted(agent.post("turns/open", query("What is the gate code?")))
        path = f"turns/{opened['id']}"
        source = {"text": "The gate code of the pier is orchid.", "source": f"thought:{note}"}
        entry = {"tool": "memory", "result": "found it", "sources": [source]}
        [evidence] = accepted(agent.post(f"{path}/entries", {"entries": [entry]}))["sources"]
        erase(writer, note)
        claim = {"text": "orchid", "evidence": evidence["number"]}
        body = {"answer": "It is orchid, and the gate is green.", "claims": [claim]}
        closed = accepted(agent.post(f"{path}/close", body))
        assert closed["text"] == f"It is {ERASED}, and the gate is green."
        assert "orchid" not in json.dumps(read_files(agent, opened["id"]))


def test_what_quotes_an_answer_that_quoted_an_erased_note_loses_its_words_too():
    with served() as world:
        owner = founded(world)
        writer, agent = owner.guest(name="w"), owner.guest(name="a")
        note = writer.know("The gate code of the pier is orchid.")
        opened = accepted(agent.post("turns/open", query("What opens the gate of the pier?")))
        path = f"turns/{opened['id']}"
        source = {"text": "The gate code of the pier is orchid.", "source": f"thought:{note}"}
        entry = {"tool": "memory", "result": "found it", "sources": [source]}
        accepted(agent.post(f"{path}/entries", {"entries": [entry]}))
        claim = {"text": "The gate code of the pier is orchid.", "evidence": 1}
        answer = "The gate of the pier: the gate code of the pier is orchid [1]. It creaks."
        accepted(agent.post(f"{path}/close", {"answer": answer, "claims": [claim]}))
        later = ask(agent, "What opens the gate of the pier?")
        files = read_files(agent, later["turn"]["id"])
        assert "is orchid [1]" in json.dumps(files) or "is orchid" in json.dumps(files)
        erase(writer, note)
        for turn_id in (opened["id"], later["turn"]["id"]):
            files = read_files(agent, turn_id)
            assert "orchid" not in json.dumps(files)
            assert "It creaks" in json.dumps(files)


def test_what_is_erased_while_a_turn_is_worked_on_goes_when_it_ends(monkeypatch):
    with served() as world:
        owner = founded(world)
        writer, asker = owner.guest(name="w"), owner.guest(name="a")
        note = writer.know(NOTES[1])
        save = saving.save

        def save_late(*given):
            erase(writer, note)
            return save(*given)

        monkeypatch.setattr(saving, "save", save_late)
        turn = ask(asker, "What does the lamp of pier 1 burn?")
        assert "whale" not in json.dumps(turn)
        assert turn["turn"]["status"] == "done"
        assert "whale" not in json.dumps(read_files(asker, turn["turn"]["id"]))
        assert list_disk(world) == []
