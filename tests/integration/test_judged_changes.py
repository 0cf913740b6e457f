"""A language model judges in the background which earlier notes a new one replaces."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
from sqlalchemy import update

from wellworn.application.bootstrap import open_app, opening
from wellworn.application.settings import Settings
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import ThoughtDraft, ThoughtSettings
from wellworn.domain.thoughts.tables import thoughts
from wellworn.engines.llm import ModelRefusal, RefusalReason
from wellworn.errors import InvalidInput
from wellworn.testing.chat_model import ScriptedModel
from wellworn.testing.clock import ManualClock

LOCAL = local_access()
HEATING = "Heating in the living room is set to 21 degrees."
LOUNGE = "We hold the lounge at 19 since the gas bill came."
BREAD = "The bakery at the corner closes at noon on Saturdays."
QUESTION = "How warm do we heat the living room?"
DAY_S = 86_400


def find_number(prompt: str, text: str) -> int:
    """Return which quote of a prompt a text is; 0 for none."""
    quotes = re.findall(r"^\[(\d+)\].*\n  (.*)$", prompt, re.MULTILINE)
    return next((int(number) for number, quote in quotes if quote == text), 0)


def replace_heating(request, was="set to 21 degrees", now="at 19"):
    """Answer as a model that knows that a lounge is a living room."""
    if find_number(request.prompt, LOUNGE) != 1:
        return {"replaced": []}
    number = find_number(request.prompt, HEATING)
    return {"replaced": [{"number": number, "was": was, "now": now}]}


class Household:
    """A memory with three notes of three days, whose model answers what it is told to."""

    def __init__(self, app, clock, model):
        self.app, self.clock, self.model = app, clock, model

    def note(self, text):
        self.clock.advance(DAY_S)
        draft = ThoughtDraft(text, contributor_id="kim", contributor_name="Kim")
        return self.app.thoughts.think(LOCAL, draft).thought_id

    def ask(self, question=QUESTION):
        prompt = Prompt(question, "bo", "Bo", contribute=Contribute.NEVER)
        return [
            source.thought_id for source in self.app.memory.converse(LOCAL, prompt).result.sources
        ]

    def replaced(self, thought_id):
        return self.app.thoughts.get_record(LOCAL, thought_id).replaces


@pytest.fixture
def answers():
    """What the model answers; a test may put another in its place."""
    return [replace_heating]


@pytest.fixture
def begin(tmp_path, answers, monkeypatch):
    def answer(request):
        return answers[0](request)

    model = ScriptedModel(answer, name="wise")
    monkeypatch.setattr(opening, "open_chat_model", lambda _: model)
    clock = ManualClock()

    def start(**changed):
        settings = Settings(thoughts=ThoughtSettings(**{"judge_changes": True, **changed}))
        return Household(open_app(tmp_path, settings, clock=clock), clock, model)

    return start


@pytest.fixture
def household(begin):
    household = begin()
    with closing(household.app):
        yield household


def test_what_a_model_sees_replaced_stands_below_what_replaces_it(household):
    old, new = household.note(HEATING), household.note(LOUNGE)
    assert household.ask()[0] == old
    household.app.judging.finish()
    assert household.ask()[0] == new
    [link] = household.replaced(new)
    assert (link.thought_id, link.stated) == (old, False)
    assert link.reason == '"at 19" instead of "set to 21 degrees", says wise'


def test_a_judgement_that_is_taken_back_gives_back_what_it_replaced_and_is_not_made_again(
    household,
):
    old, new = household.note(HEATING), household.note(LOUNGE)
    household.app.judging.finish()
    household.app.thoughts.withdraw_replacement(LOCAL, new, old, agent_id="kim")
    household.app.judging.finish()
    assert household.ask()[0] == old
    assert not household.replaced(new)


def test_each_note_is_judged_once_also_by_the_next_process(begin):
    household = begin()
    with closing(household.app):
        for text in (HEATING, LOUNGE, BREAD):
            household.note(text)
        household.app.judging.finish()
    asked = [find_number(request.prompt, BREAD) for request in household.model.requests[:1]]
    assert asked == [1], "the newest is judged first"
    again = begin()
    with closing(again.app):
        again.app.judging.finish()
    # The first note has nothing before it that could be replaced.
    assert len(household.model.requests) == 2


@pytest.mark.parametrize(
    ("was", "now"),
    [("set to 22 degrees", "at 19"), ("set to 21 degrees", "at 18"), ("", "at 19"), ("21", " ")],
)
def test_a_judgement_that_quotes_what_nobody_said_counts_for_nothing(household, answers, was, now):
    answers[0] = lambda request: replace_heating(request, was, now)
    household.note(HEATING)
    new = household.note(LOUNGE)
    household.app.judging.finish()
    assert household.model.requests
    assert not household.replaced(new)


def test_a_number_that_is_no_notes_counts_for_nothing(household, answers):
    answers[0] = lambda _: {"replaced": [{"number": 9, "was": "21", "now": "19"}]}
    household.note(HEATING)
    new = household.note(LOUNGE)
    household.app.judging.finish()
    assert not household.replaced(new)


def test_a_model_that_is_away_is_asked_again_later(household, answers):
    answers[0] = lambda _: ModelRefusal(RefusalReason.UNAVAILABLE, "it cannot be reached")
    household.note(HEATING)
    new = household.note(LOUNGE)
    household.app.judging.finish()
    assert len(household.model.requests) == 1, "it is not asked about the rest now"
    answers[0] = replace_heating
    household.app.judging.finish()
    assert household.replaced(new)


def test_a_note_that_a_model_cannot_judge_keeps_no_other_waiting(household, answers):
    useless = ModelRefusal(RefusalReason.UNUSABLE, "it refused the question")
    answers[0] = lambda request: (
        useless if find_number(request.prompt, BREAD) == 1 else replace_heating(request)
    )
    household.note(HEATING)
    new = household.note(LOUNGE)
    household.note(BREAD)
    household.app.judging.finish()
    assert household.replaced(new)


def test_a_day_has_a_limit(begin):
    household = begin(judged_a_day=1)
    with closing(household.app):
        for text in (HEATING, LOUNGE, BREAD):
            household.note(text)
        household.app.judging.finish()
        assert len(household.model.requests) == 1
        household.clock.advance(DAY_S)
        household.app.judging.finish()
        assert len(household.model.requests) == 2


def test_without_the_setting_nothing_is_sent(begin):
    household = begin(judge_changes=False)
    with closing(household.app):
        household.note(HEATING)
        household.note(LOUNGE)
        household.app.judging.finish()
        assert not household.model.requests


def test_what_is_held_or_erased_is_not_sent(household):
    erased = household.note("The spare key is under the blue flowerpot.")
    with household.app.database.write() as transaction:
        household.app.thoughts.erase(transaction, LOCAL, erased, erased_by="kim")
    held = household.note("The code of the alarm of the shed is plum on walnut.")
    with household.app.database.write() as transaction:
        of_held = thoughts.c.id == held
        transaction.execute(update(thoughts).where(of_held).values(quarantined_at=1.0))
    household.note(HEATING)
    household.note(LOUNGE)
    household.app.judging.finish()
    sent = " ".join(request.prompt for request in household.model.requests)
    assert LOUNGE in sent
    assert "flowerpot" not in sent
    assert "plum on walnut" not in sent


@pytest.mark.parametrize("name", ["judge_changes", "sleep_model", "capture_model"])
def test_a_setting_without_a_model_is_refused_with_what_to_do(tmp_path, name):
    settings = Settings(thoughts=ThoughtSettings(**{name: True}))
    with pytest.raises(InvalidInput, match=f"_{name.upper()} needs .* WELLWORN_LLM__MODEL"):
        open_app(tmp_path, settings)
