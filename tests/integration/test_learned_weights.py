"""What a space learns from feedback about its order: through the services, with real feedback.

Of every topic there is a short thought, nearer in meaning, and a long one with more of the words.
The shipped weights put the long one first; these agents find the short ones useful.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace

import pytest

from integration.owners import LOCAL, member, rows
from wellworn.domain.memory import Contribute, Memory, Prompt
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import (
    FeedbackSignal,
    RetrievalMethod,
    ThoughtDraft,
    ThoughtIndexer,
    Thoughts,
    ThoughtSettings,
)
from wellworn.domain.thoughts import learning as background
from wellworn.domain.thoughts.store import labels
from wellworn.engines.retrieval import POLICY_VERSION
from wellworn.engines.retrieval.learning import (
    LEAST_QUERIES,
    NOTHING_LEARNED,
    POLICY_STEP,
    is_control,
)
from wellworn.engines.storage.sql import Database
from wellworn.errors import IndexUnavailable
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder
from wellworn.testing.vectors import ListVectorIndex

TOPICS = 14
TIPPED = 5
"""A topic in which the two are so close that what is learned decides."""
AGENTS = [f"agent-{number}" for number in range(9)]
ENDINGS = ("it was all over", "they came home", "we could help", "somebody saw it", "it got dark")


def opened(path, **settings):
    """Open a memory; confirmed use is off, as it moves these results too."""
    clock, embedder, index = ManualClock(), HashEmbedder(), ListVectorIndex()
    database = Database(path)
    indexer = ThoughtIndexer(database, index, embedder)
    indexer.embed(indexer.missing())
    settings = ThoughtSettings(usefulness_weight=0, **settings)
    thoughts = Thoughts(database, index, embedder, clock, settings)
    memory = Memory(database, thoughts, embedder, clock)
    return SimpleNamespace(database=database, clock=clock, thoughts=thoughts, memory=memory)


@pytest.fixture
def open_one(tmp_path):
    with ExitStack() as stack:

        def open_with(original, **settings):
            path = tmp_path / "memory.db"
            shutil.copyfile(original, path)
            app = opened(path, **settings)
            stack.callback(app.database.close)
            return app

        yield open_with


@pytest.fixture
def app(open_one, empty):
    """A memory without a thought that learns."""
    return open_one(empty, learned_weights=True)


@pytest.fixture(scope="module")
def used(empty, tmp_path_factory):
    """A memory in which every agent has asked of every topic and called the short one useful."""
    path = tmp_path_factory.mktemp("used") / "memory.db"
    shutil.copyfile(empty, path)
    app = opened(path)
    short = know(app)
    use(app, short)
    app.database.scrub()
    app.database.close()
    return SimpleNamespace(path=path, short=short)


@pytest.fixture
def ready(open_one, used):
    """That memory, about to learn."""
    app = open_one(used.path, learned_weights=True)
    return SimpleNamespace(**vars(app), short=used.short)


@pytest.fixture
def taught(ready):
    ready.thoughts.learner.learn_if_due()
    return ready


def question(topic, ending=ENDINGS[0]):
    named = (
        f"quay{topic} while mast{topic} and rope{topic} lay between anchor{topic} and keel{topic}"
    )
    return f"why did they move {named} before {ending}"


def followed(topic):
    """Return a question of the topic whose order follows what was learned."""
    return next(one for e in ENDINGS if not is_control(one := question(topic, e)))


def think(app, content, agent="zoe", access=LOCAL):
    draft = ThoughtDraft(content, agent, agent.title())
    return app.thoughts.think(access, draft).thought_id


def know(app, access=LOCAL):
    """Store two thoughts of every topic; return the short ones."""
    short = {}
    for topic in range(TOPICS):
        quay = f"quay{topic} mast{topic} rope{topic}"
        more = " ".join(f"plank{topic}x{number}" for number in range(25))
        short[topic] = think(app, quay, access=access)
        think(app, f"{quay} anchor{topic} keel{topic} {more}", access=access)
    return short


def ask(app, text, agent="eve", access=LOCAL, **more):
    more = {"contribute": Contribute.NEVER, "limit": 4} | more
    return app.memory.converse(access, Prompt(text, agent, agent.title(), **more))


def judge(app, reply, thought, signal=FeedbackSignal.USEFUL, access=LOCAL):
    session = reply.trace.session_id
    app.thoughts.add_feedback(access, session_id=session, thought_id=thought, signal=signal)


def use(app, short, agents=AGENTS, access=LOCAL):
    """Have every agent ask of every topic, and call the short thought useful."""
    for agent in agents:
        for topic, wanted in short.items():
            judge(app, ask(app, question(topic), agent, access), wanted, access=access)


def is_short_first(app, text, access=LOCAL):
    found, *_ = app.memory.look_up(access, text)
    return "anchor" not in found.content


def versions(app):
    return [version for (version,) in rows(app, "SELECT policy_version FROM query_log")]


def labelled(app, access=LOCAL):
    with app.database.read() as transaction:
        return labels.load_labelled_queries(transaction, access, most=1_000)


def test_what_agents_call_useful_comes_first_once_it_proves_good(ready):
    assert not is_short_first(ready, followed(TIPPED))
    ready.thoughts.learner.learn_if_due()
    lesson = ready.thoughts.learner.describe(LOCAL).lesson
    assert 0.0 < lesson.low <= lesson.gain <= lesson.high <= 1.0
    assert lesson.factors["meaning"] > 1.0 > lesson.factors["words"]
    assert is_short_first(ready, followed(TIPPED))
    assert sum(is_short_first(ready, followed(topic)) for topic in ready.short) > TOPICS / 2


def test_the_parts_that_explain_a_result_still_sum_to_its_score(taught):
    found = taught.memory.look_up(LOCAL, followed(TIPPED))
    factors = taught.thoughts.learner.describe(LOCAL).lesson.factors
    with taught.database.write() as transaction:
        taught.thoughts.learner.forget(transaction, LOCAL)
    shipped = {one.seq: one.parts for one in taught.memory.look_up(LOCAL, followed(TIPPED))}
    for one in found[:2]:
        assert one.rank_score == pytest.approx(sum(one.parts.values()))
        wanted = {name: factors.get(name, 1.0) * part for name, part in shipped[one.seq].items()}
        assert one.parts == pytest.approx(wanted)


def test_showings_by_learned_weights_are_told_apart_in_the_log(taught):
    assert {*versions(taught)} == {POLICY_VERSION}
    ask(taught, followed(0))
    rest = divmod(versions(taught)[-1], POLICY_STEP)
    assert rest == (int(taught.clock.now() // 86_400), POLICY_VERSION)


def test_one_question_in_five_keeps_the_shipped_order_and_its_number(taught):
    control = next(one for e in range(99) if is_control(one := question(2, f"night {e}")))
    assert not is_short_first(taught, control)
    ask(taught, control)
    assert versions(taught)[-1] == POLICY_VERSION


def test_what_a_learned_order_showed_is_no_evidence_for_it(taught):
    before = labelled(taught)
    judge(taught, ask(taught, followed(1), "new"), taught.short[1])
    assert labelled(taught) == before


def test_switched_off_nothing_is_learned(open_one, used):
    app = open_one(used.path)
    app.thoughts.learner.learn_if_due()
    assert app.thoughts.learner.describe(LOCAL).lesson == NOTHING_LEARNED
    assert not is_short_first(app, followed(TIPPED))


def test_with_few_labels_the_shipped_order_stays(app):
    short = know(app)
    use(app, short, AGENTS[: LEAST_QUERIES // TOPICS])
    assert 0 < len(labelled(app)) < LEAST_QUERIES
    app.thoughts.learner.learn_if_due()
    assert app.thoughts.learner.describe(LOCAL).lesson == NOTHING_LEARNED


def test_learning_leaves_no_trace(ready):
    tables = ("query_log", "accesses", "uses", "trails", "trail_agents", "sessions")
    before = [rows(ready, f"SELECT * FROM {table}") for table in tables]
    ready.thoughts.learner.learn_if_due()
    assert ready.thoughts.learner.describe(LOCAL).lesson.factors
    assert [rows(ready, f"SELECT * FROM {table}") for table in tables] == before


def test_what_was_learned_does_not_enter_what_is_learned_next(taught, monkeypatch):
    asked_again = []
    monkeypatch.setattr(
        background, "learn_weights", lambda queries: asked_again.append(queries) or NOTHING_LEARNED
    )
    for _ in range(2):
        judge(
            taught,
            ask(taught, question(0), "new", retrieval_method=RetrievalMethod.VECTOR),
            taught.short[0],
        )
        taught.clock.advance(hours=24)
        taught.thoughts.learner.learn_if_due()
    # The first time by the searches of a memory that follows its lesson, the second time not.
    with_lesson, without = asked_again
    assert with_lesson
    for one, other in zip(with_lesson, without, strict=True):
        assert one.parts.tolist() == other.parts.tolist()


def test_what_one_space_learns_moves_nothing_in_another(taught):
    other = replace(LOCAL, space="ks-other")
    know(taught, other)
    assert not is_short_first(taught, followed(TIPPED), other)
    assert taught.thoughts.learner.describe(other).lesson == NOTHING_LEARNED


def test_when_a_member_is_rolled_back_nothing_that_it_taught_stays(taught):
    admin = member("root", Role.ADMIN)
    taught.memory.roll_back(admin, AGENTS[0], since=0.0, dry_run=True)
    assert taught.thoughts.learner.describe(LOCAL).lesson.factors
    taught.memory.roll_back(admin, AGENTS[0], since=0.0)
    assert taught.thoughts.learner.describe(LOCAL).lesson == NOTHING_LEARNED
    assert not is_short_first(taught, followed(TIPPED))


def test_of_a_space_that_is_emptied_no_lesson_stays(taught):
    with taught.database.write() as transaction:
        taught.thoughts.purge(transaction, LOCAL)
    assert taught.thoughts.learner.describe(LOCAL).lesson == NOTHING_LEARNED


def test_learning_that_failed_is_tried_again_the_next_day(ready, monkeypatch):
    def fail(*_):
        raise IndexUnavailable("the index is being built")

    with monkeypatch.context() as patch:
        patch.setattr(ready.thoughts.searcher, "rank_by_shipped_weights", fail)
        with pytest.raises(IndexUnavailable):
            ready.thoughts.learner.learn_if_due()
    ready.thoughts.learner.learn_if_due()
    assert ready.thoughts.learner.describe(LOCAL).lesson == NOTHING_LEARNED
    ready.clock.advance(hours=24)
    ready.thoughts.learner.learn_if_due()
    assert ready.thoughts.learner.describe(LOCAL).lesson.factors


def test_a_space_learns_once_a_day_and_only_after_new_uses(app, monkeypatch):
    seen = []
    monkeypatch.setattr(
        background, "learn_weights", lambda queries: seen.append(len(queries)) or NOTHING_LEARNED
    )
    short = know(app)
    use(app, short, AGENTS[:1])
    app.thoughts.learner.learn_if_due()
    app.thoughts.learner.learn_if_due()
    app.clock.advance(hours=24)
    app.thoughts.learner.learn_if_due()
    assert seen == [TOPICS]
    use(app, short, AGENTS[1:2])
    app.thoughts.learner.learn_if_due()
    assert seen == [TOPICS]
    app.clock.advance(hours=24)
    app.thoughts.learner.learn_if_due()
    assert seen == [TOPICS, 2 * TOPICS]


def test_many_queries_are_asked_again_a_few_at_a_time(ready, monkeypatch):
    monkeypatch.setattr(background, "AT_ONCE", 50)
    turns = 0
    while not ready.thoughts.learner.describe(LOCAL).lesson.factors:
        ready.thoughts.learner.learn_if_due()
        turns += 1
    assert turns == 1 + TOPICS * len(AGENTS) // 50


def test_a_label_is_what_was_confirmed_or_called_irrelevant_of_what_was_shown(app):
    short = know(app)
    reply = ask(app, question(0))
    shown = [one.thought_id for one in reply.result.sources]
    judge(app, reply, short[0])
    judge(app, reply, shown[-1], FeedbackSignal.IRRELEVANT)
    ask(app, question(1))
    [one] = labelled(app)
    assert (one.user, one.text, one.places) == ("eve", question(0), len(shown))
    seqs = dict(rows(app, "SELECT id, seq FROM thoughts"))
    wanted = dict.fromkeys((seqs[shown_id] for shown_id in shown), labels.SHOWN)
    wanted |= {seqs[short[0]]: labels.USED, seqs[shown[-1]]: labels.IRRELEVANT}
    assert one.grades == wanted


def test_what_was_asked_with_context_is_asked_again_with_it(app):
    short = know(app)
    judge(app, ask(app, question(0), context="at the harbour"), short[0])
    [one] = labelled(app)
    assert one.text == f"at the harbour {question(0)}"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"retrieval_method": RetrievalMethod.VECTOR}, "ordered by cosine"),
        ({"contribute": Contribute.ALWAYS}, "would find itself"),
    ],
    ids=["by vector", "stored"],
)
def test_what_asked_for_more_than_its_words_is_no_label(app, change, why):
    short = know(app)
    judge(app, ask(app, question(0), **change), short[0])
    assert labelled(app) == [], why


def test_what_a_counter_question_showed_is_no_label(app):
    short = know(app)
    judge(app, ask(app, question(0)), short[0])
    assert labelled(app)
    with app.database.write() as transaction:
        transaction.exec_driver_sql("""UPDATE query_log SET offered_tags = '["tide"]'""")
    assert labelled(app) == []


def test_a_signal_taken_back_is_no_label_any_more(app):
    short = know(app)
    reply = ask(app, question(0))
    judge(app, reply, short[0])
    judge(app, reply, short[0], FeedbackSignal.IRRELEVANT)
    [one] = labelled(app)
    assert labels.USED not in one.grades.values()


def test_the_askers_own_thoughts_have_no_label(app):
    short = know(app)
    own = [think(app, f"quay0 mast0 rope0 {word}", "eve") for word in ("capstan", "winch")]
    reply = ask(app, question(0), "eve")
    judge(app, reply, own[0])
    judge(app, reply, short[0])
    known = dict(rows(app, "SELECT seq, id FROM thoughts"))
    [one] = labelled(app)
    assert {*own} < {source.thought_id for source in reply.result.sources}
    assert not {*own} & {known[seq] for seq in one.grades}


def test_what_is_useful_again_the_same_day_neither_counts_nor_counts_against_it(app):
    short = know(app)
    for _ in range(2):
        judge(app, ask(app, question(0)), short[0])
    [(seq,)] = rows(app, f"SELECT seq FROM thoughts WHERE id = '{short[0]}'")
    once, again = labelled(app)
    assert once.grades[seq] == labels.USED
    assert seq not in again.grades


def test_labels_of_forgotten_words_and_of_other_spaces_are_not_read(app):
    short = know(app)
    judge(app, ask(app, question(0)), short[0])
    other = replace(LOCAL, space="ks-other")
    with app.database.write() as transaction:
        # Numbers of sessions are one's own only within a space.
        transaction.exec_driver_sql("UPDATE feedback SET use_seq = NULL, signal = 'irrelevant'")
        transaction.exec_driver_sql(
            "INSERT INTO sessions (knowledge_space_id, id, agent_id, created_at)"
            " SELECT 'ks-other', id, agent_id, created_at FROM sessions"
        )
    assert len(labelled(app)) == 1
    assert labelled(app, other) == []
    with app.database.write() as transaction:
        transaction.exec_driver_sql("UPDATE query_log SET query_text = ''")
    assert labelled(app) == []
