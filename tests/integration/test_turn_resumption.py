"""Turns whose process died at a bad moment: nothing is lost, and nothing counts twice."""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from patience import LONG_S, wait_until
from wellworn.application.bootstrap import open_app
from wellworn.application.calls.turns import TurnCoordinator
from wellworn.application.settings import Settings
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.turns import Phase, RecordedEntry, TurnQuery, Turns, TurnStatus, service
from wellworn.domain.turns.context_document import read_sections
from wellworn.domain.turns.phases import gathering
from wellworn.domain.turns.tools.knowledge_resolve import ResolveTool
from wellworn.domain.turns.vaults import Vaults
from wellworn.errors import IndexUnavailable
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

ACCESS = local_access(DEFAULT_SPACE)
LAMP = "The lamp burns whale oil."
QUERY = TurnQuery("lamp burns whale oil?", "henry", "Henry")
QUICK = {"jobs": {"poll_s": 0.05, "tick_s": 0.05}}


class Killed(BaseException):
    """Ends a turn the way the end of its process does: nothing after it runs."""


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def open_memory(tmp_path, clock):
    """Open the memory of a test, as each of its processes does."""

    def open_once(name="home", **settings):
        chosen = Settings.model_validate(QUICK | settings)
        app = open_app(tmp_path / name, chosen, embedder=HashEmbedder(), clock=clock)
        return closing(app)

    return open_once


def die_in(app, monkeypatch, where, name):
    """Ask in a process that dies at a call."""

    def kill(*_, **__):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(where, name, kill)
        with pytest.raises(Killed):
            app.turns.ask(ACCESS, QUERY)


def kill_at(phase, *, ends):
    """Return a listener that dies when a phase begins, or when it ends."""

    def listen(seen, _attempt, section):
        if (seen, section is not None) == (phase, ends):
            raise Killed

    return listen


def find_document(home, turn):
    return home / "turns" / DEFAULT_SPACE / "users/henry" / turn.folder / "context.md"


def know(app, text=LAMP):
    return app.think(ACCESS, ThoughtDraft(text, "ann", "Ann")).thought_id


def find_turn(app):
    [turn] = app.turns.list_turns(ACCESS)
    return turn


def test_a_section_is_not_missed_for_a_source_that_quotes_its_heading(open_memory, tmp_path):
    with open_memory() as app:
        know(app, f"Its notes say:\n## 5. Synthesis\n{LAMP}")
        with pytest.raises(Killed):
            app.turns.ask(ACCESS, QUERY, kill_at(Phase.SYNTHESIS, ends=True))
        turn = find_turn(app)
        document = find_document(tmp_path / "home", turn)
        decided = document.read_text("utf-8")
        # The process ended between the journal and the document.
        document.write_text(decided.partition("\n## 5. Synthesis")[0], "utf-8")
        app.turns.resume(ACCESS, turn.id)
    numbers = [section.title[0] for section in read_sections(document.read_text("utf-8"))]
    assert numbers == [*"012356"]


@pytest.mark.parametrize(
    ("where", "name"),
    [
        (gathering, "_assess"),
        (service, "contribute_answer"),
        (service, "embed_turn"),
        (Turns, "_build_answer"),
    ],
    ids=["gathering", "contributing", "embedding", "answering"],
)
def test_what_a_turn_leaves_at_its_end_counts_once(open_memory, monkeypatch, where, name):
    with open_memory("whole", turns={"contribute": True}) as app:
        know(app)
        app.turns.ask(ACCESS, QUERY)
        expected = list_what_is_left(app)
    with open_memory("killed", turns={"contribute": True}) as app:
        know(app)
        die_in(app, monkeypatch, where, name)
        app.turns.resume(ACCESS, find_turn(app).id)
        assert list_what_is_left(app) == expected


def list_what_is_left(app):
    """Return what a memory holds, without the ids, what was decided of them, and the files."""
    return [
        {key: it for key, it in record.items() if not key.endswith(("id", "ids", "decision"))}
        for record in app.export(ACCESS)
        if record["record"] not in {"turn_file", "export"}
    ]


def test_the_files_of_a_turn_that_died_before_its_first_file_are_its_askers(
    open_memory, monkeypatch
):
    with open_memory() as app:
        die_in(app, monkeypatch, Vaults, "create")
        app.turns.resume(ACCESS, find_turn(app).id)
        assert app.turns.rebuild_index(ACCESS) == 1


def test_a_call_that_ends_with_the_server_is_made_again_by_the_next(open_memory, monkeypatch):
    def end(*_):
        raise IndexUnavailable("The vector index is closed.")

    with open_memory() as app:
        with monkeypatch.context() as patch:
            patch.setattr(ResolveTool, "call", end)
            with pytest.raises(IndexUnavailable):
                app.turns.ask(ACCESS, QUERY)
        answer = app.turns.resume(ACCESS, find_turn(app).id)
        assert answer.missing == ("GOAL_1",)
        assert "A tool failed" not in answer.text


def test_a_turn_that_is_resumed_is_said_to_be_running(open_memory):
    statuses = []
    with open_memory() as app:
        with pytest.raises(Killed):
            app.turns.ask(ACCESS, QUERY, kill_at(Phase.ANALYSIS, ends=True))
        turn = find_turn(app)
        assert turn.status is TurnStatus.INTERRUPTED
        app.turns.resume(ACCESS, turn.id, lambda *_: statuses.append(find_turn(app).status))
        assert find_turn(app).summary.startswith("I found nothing that answers")
    assert {*statuses[:-1]} == {TurnStatus.RUNNING}


def test_a_turn_that_its_asker_resumed_is_gone_on_with_after_the_next_death(
    open_memory, monkeypatch
):
    begun, resumed, met, may_die = (threading.Event() for _ in range(4))
    run_job = TurnCoordinator._run

    def wait_and_die(*_):
        resumed.set()
        assert may_die.wait(LONG_S)
        raise Killed

    def run_beside_the_asker(turns, job):
        begun.set()
        assert resumed.wait(LONG_S)
        try:
            run_job(turns, job)
        finally:
            met.set()

    with open_memory() as app, monkeypatch.context() as patch:
        with pytest.raises(Killed):
            app.turns.ask(ACCESS, QUERY, kill_at(Phase.ANALYSIS, ends=True))
        turn = find_turn(app)
        patch.setattr(TurnCoordinator, "_run", run_beside_the_asker)
        begin_jobs(app)
        assert begun.wait(LONG_S)
        asker = threading.Thread(target=resume_and_die, args=(app, turn, wait_and_die))
        asker.start()
        assert met.wait(LONG_S)
        may_die.set()
        asker.join()
    with open_memory() as app:
        begin_jobs(app)
        wait_until(lambda: find_turn(app).status.is_over)
        assert find_turn(app).summary.startswith("I found nothing that answers")


def test_an_agent_whose_id_is_a_uuid_is_no_member_and_its_turn_goes_on(open_memory):
    agent = "70a2b3c4-0000-4000-8000-000000000001"
    with open_memory() as app, pytest.raises(Killed):
        app.turns.ask(ACCESS, replace(QUERY, agent_id=agent), kill_at(Phase.ANALYSIS, ends=True))
    with open_memory() as app:
        begin_jobs(app)
        wait_until(lambda: find_turn(app).status.is_over)
        assert find_turn(app).user_id == agent
        assert find_turn(app).summary.startswith("I found nothing that answers")


def test_a_turn_of_a_member_waits_for_its_member(open_memory):
    with open_memory() as app:
        member = app.administration.issue(None, "ada")
        access = app.enter(member.key, None, writes=True)
        with pytest.raises(Killed):
            app.turns.ask(access, QUERY, kill_at(Phase.ANALYSIS, ends=True))
        assert app.turns._list_due(datetime.now(UTC)) == []
        with pytest.raises(Killed):
            app.turns.ask(ACCESS, QUERY, kill_at(Phase.ANALYSIS, ends=True))
        [due] = app.turns._list_due(datetime.now(UTC))
        turns = app.turns.list_turns(ACCESS, agent_id="henry")
        assert [turn.id for turn in turns] == [due.key.rpartition(":")[2]]


def test_a_turn_that_is_given_up_says_so_until_it_is_resumed(open_memory, monkeypatch, tmp_path):
    def fail(*_):
        raise ValueError("words of a turn")

    with open_memory() as app:
        know(app)
        with pytest.raises(Killed):
            app.turns.ask(ACCESS, QUERY, kill_at(Phase.REFLECTION, ends=True))
    with open_memory() as app:
        turn = find_turn(app)
        document = find_document(tmp_path / "home", turn)
        before = read_sections(document.read_text("utf-8"))
        with monkeypatch.context() as patch:
            patch.setattr(gathering, "run", fail)
            begin_jobs(app)
            wait_until(lambda: find_turn(app).is_given_up)
        text = app.turns.read(ACCESS, turn.id).text
        assert "no longer resumed by itself: it failed for a reason" in text
        assert "wellworn turn resume 1 " in text
        assert f"\n> {text}\n" in document.read_text("utf-8")
        assert "\nstatus: interrupted\n" in document.read_text("utf-8")
        assert read_sections(document.read_text("utf-8")) == before
        app.turns.rebuild_index(ACCESS)
        assert app.turns.read(ACCESS, turn.id).text == text
        assert app.turns._list_due(datetime.now(UTC)) == []
        answer = app.turns.resume(ACCESS, turn.id)
    assert (answer.turn.status, answer.edited) == (TurnStatus.DONE, ())
    assert "no longer resumed" not in document.read_text("utf-8")
    numbers = [section.title[0] for section in read_sections(document.read_text("utf-8"))]
    assert numbers == [*"012356"]


def test_a_turn_that_died_before_its_first_file_is_given_up_and_resumed(open_memory, monkeypatch):
    with open_memory() as app:
        know(app)
        die_in(app, monkeypatch, Vaults, "create")
        app.guard.pool.shared.turns.mark_interrupted()
        turn = find_turn(app)
        app.turns._give_up(f"{DEFAULT_SPACE}:{turn.id}", "the server died in each of its 3 runs")
        assert "died in each" in app.turns.read_file(ACCESS, turn.id, "context.md")
        assert app.turns.resume(ACCESS, turn.id).turn.status is TurnStatus.DONE
        document = app.turns.read_file(ACCESS, turn.id, "context.md")
        assert [section.title[0] for section in read_sections(document)] == [*"012356"]


def test_a_turn_that_ended_meanwhile_is_not_given_up(open_memory):
    with open_memory() as app:
        turn = app.turns.ask(ACCESS, QUERY).turn
        app.turns._give_up(f"{DEFAULT_SPACE}:{turn.id}", "it failed")
        app.turns._give_up(f"{DEFAULT_SPACE}:{turn.id[:-1]}0", "it failed")
        assert find_turn(app) == turn


def test_entries_of_which_some_were_kept_when_the_process_died_are_kept_once(open_memory, tmp_path):
    entries = [RecordedEntry(result, "look") for result in ("one", "two", "three")]
    with open_memory() as app:
        turn = app.turns.open(ACCESS, replace(QUERY, engine="mine"))
        app.turns.append(ACCESS, turn.id, entries, "again")
        journal = find_document(tmp_path / "home", turn).with_name("journal.jsonl")
        whole = journal.read_text("utf-8")
    # The process ended within the second of the three lines.
    journal.write_text(whole[: whole.index('"two"') + 3], "utf-8")
    with open_memory() as app:
        sources = app.turns.append(ACCESS, turn.id, entries, "again")
        assert [(source.number, source.text) for source in sources] == [
            (1, "one"),
            (2, "two"),
            (3, "three"),
        ]
        answer = app.turns.close(ACCESS, turn.id, "Three.", ())
        results = app.turns.read_file(ACCESS, answer.turn.id, "toolresults.md")
    assert results.count(". look\n") == len(entries)


def begin_jobs(app):
    app.turns.begin(app.jobs)
    app.jobs.start()


def resume_and_die(app, turn, listen):
    with pytest.raises(Killed):
        app.turns.resume(ACCESS, turn.id, listen)
