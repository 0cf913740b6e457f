"""What one owner did is taken back, and the memory is as if that owner had never been there."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import count

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from integration.owners import LOCAL, POISON, WHO, WORDS, ask, opened, rows, say, think, whole
from wellworn.domain.memory import Contribute, searching, service
from wellworn.domain.thoughts import FeedbackSignal, search, writing
from wellworn.domain.thoughts.truth import Standings
from wellworn.errors import Forbidden, ThoughtNotFound
from wellworn.kit.ids import derive_id

MINUTE = 60.0
ATTACKERS = {"mallory": "member-mallory", "trudy": "trudy"}


class Traffic:
    """Plays steps into a memory; both worlds give the same step the same ids."""

    def __init__(self, app, monkeypatch):
        self.app = app
        self.ids = {}
        self.actor = ""
        self.honest, self.poison = [], []
        self.sessions = {}
        self.shown = {}
        for module in (service, writing):
            monkeypatch.setattr(module, "new_id", self._next_id)

    def _next_id(self):
        number = next(self.ids.setdefault(self.actor, count()))
        return derive_id(self.actor, str(number))

    def play(self, step, *, poisonous):
        who, action, number, more, label = step
        self.actor = who
        getattr(self, f"_{action}")(who, number, more, label, poisonous)

    def _asked(self, who, prompt, label, *, anew, **more):
        label = f"{who}-{label}" if who == "mallory" else who
        session = None if anew else self.sessions.get((who, label))
        reply = say(self.app, who, prompt, label, session_id=session, **more)
        self.sessions[who, label] = reply.trace.session_id
        shown = [source.thought_id for source in reply.result.sources]
        self.shown[who, label] = [one for one in shown if one not in self.poison]
        return reply

    def _ask(self, who, number, more, label, poisonous):
        prompt = f"{WORDS[number % 8]} {WORDS[more % 8]}"
        self._asked(who, prompt, label, anew=more % 3 == 0, contribute=Contribute.NEVER)

    def _follow(self, who, number, more, label, poisonous):
        prompt = f"Based on that, what about {WORDS[number % 8]} {WORDS[more % 8]}?"
        self._asked(who, prompt, label, anew=False, contribute=Contribute.NEVER)

    def _say(self, who, number, more, label, poisonous):
        pool = POISON if poisonous else WORDS
        content = f"{pool[number % len(pool)]} {pool[more % len(pool)]}"
        tags = ("Low-Tide",) if poisonous else ("low tide",)
        reply = self._asked(who, content, label, anew=more % 5 == 0, tags=tags * (more % 2))
        self._note(reply.trace.thought_id, poisonous=poisonous)

    def _affirm(self, who, number, more, label, poisonous):
        if self.honest:
            known = self.app.thoughts.get_record(LOCAL, self.honest[number % len(self.honest)])
            self._asked(who, known.content, label, anew=more % 2 == 0)

    def _build(self, who, number, more, label, poisonous):
        sources = {self.honest[one % len(self.honest)] for one in (number, more) if self.honest}
        if who == "mallory" and poisonous and self.poison:
            sources.add(self.poison[number % len(self.poison)])
        if sources:
            pool = POISON if poisonous else WORDS
            content = f"so {pool[number % len(pool)]} and {pool[more % len(pool)]}"
            made = think(self.app, who, content, *sorted(sources))
            self._note(made, poisonous=poisonous)

    def _judge(self, who, number, more, label, poisonous):
        label = f"{who}-{label}" if who == "mallory" else who
        shown = self.shown.get((who, label))
        if shown:
            self.app.thoughts.add_feedback(
                WHO[who],
                session_id=self.sessions[who, label],
                thought_id=shown[number % len(shown)],
                signal=FeedbackSignal.USEFUL if more % 2 else FeedbackSignal.IRRELEVANT,
            )

    def fall_for(self, number):
        """Somebody honest builds on a poisoned thought and an honest one."""
        if self.poison:
            self.actor = "dora"
            sources = [self.poison[number % len(self.poison)], *self.honest[-1:]]
            self.poison.append(think(self.app, "dora", f"so they say {number}", *sources))

    def _note(self, thought_id, *, poisonous):
        known = self.poison if poisonous else self.honest
        if thought_id not in known:
            known.append(thought_id)


HONEST = ("ann", "bob", "cy")
STEP = st.tuples(
    st.sampled_from((*HONEST, "attacker", "dora")),
    st.sampled_from(("ask", "ask", "follow", "say", "say", "affirm", "build", "judge", "judge")),
    st.integers(0, 40),
    st.integers(0, 40),
    st.integers(0, 2),
    st.sampled_from((1.0, 45.0, 700.0, 4_000.0, 90_000.0)),
)


@pytest.mark.parametrize("attacker", ATTACKERS)
@given(steps=st.lists(STEP, min_size=8, max_size=40), cut=st.integers(0, 12))
# Shrinking plays whole histories again and takes minutes.
@settings(max_examples=25, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_a_rollback_leaves_the_memory_as_if_the_owner_had_never_come(
    empty, tmp_path, attacker, steps, cut
):
    with ExitStack() as stack:
        worlds = [stack.enter_context(opened(empty, tmp_path / f"{n}.db")) for n in range(2)]
        since = None
        for app, is_attacked in zip(worlds, (True, False), strict=True):
            with pytest.MonkeyPatch.context() as patch:
                # What others were shown while the attacker had a say stays in their traces: what
                # was replaced or said again then, and the areas and places of their results.
                patch.setattr(search, "load_standings", lambda *_, at, **__: Standings(at=at))
                patch.setattr(searching, "ask_back", lambda *_, **__: None)
                patch.setattr(search, "spread_members", list)
                traffic = Traffic(app, patch)
                for number, (who, *what, pause) in enumerate(steps):
                    app.clock.advance(pause)
                    poisonous = number >= cut and who == "attacker"
                    if number == cut:
                        since = app.clock.now()
                    if who == "dora":
                        traffic.fall_for(what[1])
                    elif is_attacked or not poisonous:
                        actor = attacker if who == "attacker" else who
                        traffic.play((actor, *what), poisonous=poisonous)
        attacked, spared = worlds
        if since is not None:
            attacked.memory.roll_back(LOCAL, ATTACKERS[attacker], since=since)
        assert whole(attacked) == whole(spared)


def test_a_dry_run_counts_and_changes_nothing(app):
    known = think(app, "ann", "the cedar stands by the harbour")
    bad = say(app, "mallory", "the cedar fell").trace.thought_id
    think(app, "bob", "so no cedar any more", bad, known)
    session = ask(app, "mallory", "cedar").trace.session_id
    app.thoughts.add_feedback(
        WHO["mallory"], session_id=session, thought_id=known, signal=FeedbackSignal.USEFUL
    )
    before = whole(app)
    counted = app.memory.roll_back(LOCAL, "member-mallory", since=0.0, dry_run=True)
    assert whole(app) == before
    done = app.memory.roll_back(LOCAL, "member-mallory", since=0.0)
    assert (counted.thoughts, counted.derived, counted.queries, counted.uses) == (1, 1, 2, 3)
    assert (counted.dry_run, done.dry_run) == (True, False)
    assert (done.thoughts, done.derived, done.queries, done.uses) == (1, 1, 2, 3)
    with pytest.raises(ThoughtNotFound):
        app.thoughts.get_record(LOCAL, bad)


def test_a_rollback_is_for_admins(app):
    with pytest.raises(Forbidden):
        app.memory.roll_back(WHO["bob"], "member-ann", since=0.0)


def test_kept_answers_that_quote_what_was_taken_back_are_not_given_again(app):
    say(app, "mallory", "the cedar fell")
    asked = {"idempotency_key": "k"}
    assert "fell" in ask(app, "bob", "cedar", **asked).result.response
    app.memory.roll_back(LOCAL, "member-mallory", since=0.0)
    assert "fell" not in repr(ask(app, "bob", "cedar", **asked))


def test_a_label_at_the_open_door_is_not_the_member_of_that_name(app):
    mine = think(app, "cy", "said at the open door")
    app.memory.roll_back(LOCAL, "member-ann", since=0.0)
    theirs = think(app, "ann", "said with a key")
    done = app.memory.roll_back(LOCAL, "ann", since=0.0)
    assert done.thoughts == 0
    assert app.thoughts.get_record(LOCAL, mine).content
    assert app.thoughts.get_record(LOCAL, theirs).content


def trail(app, thought_id):
    return rows(
        app, f"SELECT * FROM trails JOIN thoughts ON seq = thought_seq WHERE id = '{thought_id}'"
    )


def test_a_bonus_given_after_the_moment_to_what_was_shown_before_it_is_taken_back(app):
    known = think(app, "ann", "the cedar stands by the harbour")
    session = ask(app, "mallory", "cedar").trace.session_id
    before = trail(app, known)
    app.clock.advance(MINUTE)
    since = app.clock.now()
    follow_up = "Based on that, what of the violin?"
    ask(app, "mallory", follow_up, session_id=session, min_score=0.9)
    assert trail(app, known) != before
    app.memory.roll_back(LOCAL, "member-mallory", since=since)
    assert trail(app, known) == before


def test_a_signal_that_was_replaced_after_the_moment_is_in_force_again(app):
    known = think(app, "ann", "the cedar stands by the harbour")
    session = ask(app, "mallory", "cedar").trace.session_id
    judged = {"session_id": session, "thought_id": known}
    app.clock.advance(MINUTE)
    app.thoughts.add_feedback(WHO["mallory"], **judged, signal=FeedbackSignal.USEFUL)
    before = whole(app)
    app.clock.advance(MINUTE)
    since = app.clock.now()
    app.thoughts.add_feedback(WHO["mallory"], **judged, signal=FeedbackSignal.IRRELEVANT)
    assert whole(app) != before
    app.memory.roll_back(LOCAL, "member-mallory", since=since)
    assert whole(app) == before


def test_of_signals_changed_back_and_forth_few_are_stored_and_the_lasting_ones_come_back(app):
    known = think(app, "ann", "the cedar stands by the harbour")
    session = ask(app, "mallory", "cedar").trace.session_id

    def judge(signal):
        app.clock.advance(1.0)
        app.thoughts.add_feedback(
            WHO["mallory"], session_id=session, thought_id=known, signal=signal
        )

    def change_back_and_forth():
        for _ in range(100):
            judge(FeedbackSignal.USEFUL)
            judge(FeedbackSignal.IRRELEVANT)

    change_back_and_forth()
    judge(FeedbackSignal.WRONG)
    app.clock.advance(MINUTE)
    since = app.clock.now()
    change_back_and_forth()
    [(history,)] = rows(app, "SELECT history FROM feedback")
    assert len(history) < 2_000
    assert rows(app, "SELECT count(*) FROM uses WHERE kind = 'feedback'") == [(0,)]
    app.memory.roll_back(LOCAL, "member-mallory", since=since)
    assert rows(app, "SELECT signal FROM feedback") == [("wrong",)]
    [road] = app.thoughts.list_highways(LOCAL, min_access=1, min_users=1)
    assert road.access_count == 1


def test_a_replaced_signal_of_somebody_else_is_replayed_with_what_it_took_back(app):
    known = think(app, "ann", "the cedar stands by the harbour")
    session = ask(app, "bob", "cedar").trace.session_id
    judged = {"session_id": session, "thought_id": known}
    for signal in (FeedbackSignal.USEFUL, FeedbackSignal.IRRELEVANT):
        app.clock.advance(MINUTE)
        app.thoughts.add_feedback(WHO["bob"], **judged, signal=signal)
    before = whole(app)
    ask(app, "mallory", "cedar")
    app.memory.roll_back(LOCAL, "member-mallory", since=0.0)
    assert whole(app) == before


def links(app):
    """Return the links between thoughts, by their ids."""
    return rows(
        app,
        "SELECT a.id, b.id, r.origin, r.confidence, r.made_by, r.withdrawn_at FROM replacements r"
        " JOIN thoughts a ON a.seq = r.thought_seq JOIN thoughts b ON b.seq = r.replaced_seq"
        " ORDER BY 1, 2",
    )
