"""What answers is told in every door, the newest first; without a reader all works as before."""

from __future__ import annotations

from contextlib import closing

import pytest

from integration.rerank_server import serving_scores
from knowledge_calls import call, sync_source
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.knowledge import ResolutionOutcome
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.sources import NewSource
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.turns import TurnQuery
from wellworn.testing.clock import ManualClock

LOCAL = local_access()
READS = True
NOTES = (
    "The front gate opens at seven.",
    "Hugo waters the ferns in the hall.",
    "From now on the front gate opens at eight.",
)
QUESTION = "When does the front gate open?"


def remember(app, clock):
    for note in NOTES:
        clock.advance(3600)
        app.thoughts.think(LOCAL, ThoughtDraft(note, "ana", "Ana"))
    clock.advance(3600)


def ask(app, question=QUESTION):
    prompt = Prompt(question, "ben", "Ben", contribute=Contribute.NEVER)
    return app.memory.converse(LOCAL, prompt).result


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def app(tmp_path, clock):
    """A memory with the shipped encoder and the shipped reader."""
    with closing(open_app(tmp_path / "home", Settings(), clock=clock)) as opened:
        yield opened


def test_what_is_said_again_in_other_capitals_is_shown_once(app, clock):
    for note in (
        "The lantern hangs on hook six.",
        "Hugo waters the ferns.",
        "the LANTERN hangs on hook six",
    ):
        clock.advance(3600)
        app.thoughts.think(LOCAL, ThoughtDraft(note, "ana", "Ana"))
    found = [
        each.content_preview for each in ask(app, "On which hook does the lantern hang?").sources
    ]
    assert sum("hook six" in each for each in found) == 1


@pytest.fixture
def documents(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "pool.md").write_text(
        "# Lakeside Pool\n\nThe pool is open from May to September. Up to 140 people may be in "
        "the water at once, and a lifeguard watches them. Whoever comes as a visitor has a "
        "guest fee of $3 to pay at the gate.\n"
    )
    return folder


def know(app, folder):
    source = call(app, "create_source")(LOCAL, NewSource("folder", "docs", {"path": str(folder)}))
    sync_source(app, LOCAL, source.id)
    app.embedding.finish()


def test_the_newest_answer_stands_first_and_says_what_was_before(app, clock):
    remember(app, clock)
    first, second = ask(app).sources[:2]
    assert (first.content_preview, second.content_preview) == (NOTES[2], NOTES[0])
    assert "eight" in first.span
    assert "seven" in second.span
    assert first.answers > 0.3
    [link] = first.replaces
    assert (link.thought_id, link.stated) == (second.thought_id, False)


def test_a_search_without_a_trace_reads_as_well(app, clock):
    remember(app, clock)
    first, *_ = app.look_up(LOCAL, QUESTION)
    assert first.content == NOTES[2]
    assert "eight" in first.span


def test_it_is_said_when_nothing_shown_answers(app, clock):
    remember(app, clock)
    result = ask(app, "When does the back gate of the brewery close?")
    assert result.response.startswith("Nothing known is close")
    assert result.sources
    assert all(source.answers < 0.3 for source in result.sources)


def test_switched_off_nothing_is_read_and_all_is_found(tmp_path, clock):
    settings = Settings.model_validate({"reading": {"enabled": False}})
    with closing(open_app(tmp_path / "home", settings, clock=clock)) as app:
        remember(app, clock)
        result = ask(app)
        assert {source.content_preview for source in result.sources[:2]} == {NOTES[0], NOTES[2]}
        assert all(source.answers is None and source.span is None for source in result.sources)
        assert app.health(LOCAL).reader is None
        assert app.health(LOCAL).is_well


def test_an_endpoint_that_goes_away_is_told_and_words_answer(tmp_path, clock):
    with serving_scores() as server:
        reading = server.read_settings()
        settings = Settings(reading=reading)
        with closing(open_app(tmp_path / "home", settings, clock=clock)) as app:
            remember(app, clock)
            assert ask(app).sources[0].answers is not None
            assert app.health(LOCAL).is_well
            server.statuses = [500] * 9
            result = ask(app)
            assert result.sources
            assert all(source.answers is None for source in result.sources)
            health = app.health(LOCAL)
            assert health.reader == "endpoint/stub"
            assert "nothing is read" in health.advice


def test_a_value_is_read_out_of_a_sentence(app, documents):
    know(app, documents)
    answer = app.resolve(LOCAL, "guest fee of Lakeside Pool")
    assert answer.outcome is ResolutionOutcome.RESOLVED
    [value] = answer.values
    assert value.value == "$3"
    quote = value.evidence
    assert quote.text[value.start - quote.start :].startswith(value.value)
    assert answer.confidence == value.confidence >= 0.9


def test_what_stands_nowhere_is_not_guessed(app, documents):
    know(app, documents)
    answer = app.resolve(LOCAL, "water temperature of Lakeside Pool")
    assert answer.outcome is not ResolutionOutcome.RESOLVED
    assert answer.values == ()


def test_a_turn_leads_with_the_words_that_answer(app, documents):
    know(app, documents)
    answer = app.turns.ask(
        LOCAL, TurnQuery("How many people may be in the water at Lakeside Pool?", "ben", "Ben")
    )
    claim, *_ = answer.claims
    assert "140" in claim.value
    assert claim.value in claim.text
    assert answer.text.startswith(f"{claim.value} — “")


def test_the_best_result_is_not_embedded_again(app, clock, monkeypatch):
    remember(app, clock)
    encoded = []
    encode = type(app.embedder).encode_query

    def note(self, text):
        encoded.append(text)
        return encode(self, text)

    monkeypatch.setattr(type(app.embedder), "encode_query", note)
    assert ask(app).sources[0].content_preview == NOTES[2]
    assert encoded
    assert not {*encoded} & {*NOTES}


@pytest.mark.parametrize(
    ("question", "told", "struck"),
    [
        ("What is the rent?", "340 euro \N{EM DASH} ", "300"),
        ("What is the code of the north gate?", "nothing that answers", "4411 [1]"),
    ],
)
def test_what_a_document_strikes_out_is_not_told_as_an_answer(
    app, tmp_path, question, told, struck
):
    folder = tmp_path / "docs"
    folder.mkdir()
    rows = "| Gate | Code |\n|---|---|\n| North | ~~4411~~ |\n| South | 5522 |\n"
    (folder / "rates.md").write_text(f"# Rates\n\nThe rent is ~~300~~ 340 euro.\n\n{rows}")
    know(app, folder)
    text = app.turns.ask(LOCAL, TurnQuery(question, "ben", "Ben")).text
    assert told in text
    assert struck not in text.partition("\N{LEFT DOUBLE QUOTATION MARK}")[0]


LOG = [f"2026-11-{day:02} 0{day % 7}:15:55  INFO  cycle end" for day in range(1, 29)]


def test_what_has_all_words_of_a_question_is_the_nearest_in_a_turn(app, clock):
    for number, note in enumerate(("Gate four sticks in frost.", "Error E-204 means no film.")):
        app.thoughts.think(LOCAL, ThoughtDraft(note, f"agent-{number}", "Ana"))
    log = "\n".join(["Event list of the press:", *LOG, "28 04:11  ERROR  ram stuck", *LOG])
    app.thoughts.think(LOCAL, ThoughtDraft(log, "ana", "Ana"))
    clock.advance(3600)
    text = app.turns.ask(LOCAL, TurnQuery("ram stuck", "ben", "Ben")).text
    first, *_ = text.partition("What comes nearest")[2].partition("\n- ")[2].split("\n- ")
    assert "ERROR  ram stuck" in first
    assert "Event list" not in first
