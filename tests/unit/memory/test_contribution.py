from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.memory.contribution import (
    ContributionReason,
    asks_to_erase,
    divide,
    is_contribution,
    is_follow_up,
    is_question,
    judge_contribution,
)

INSIGHT = "Role boundaries prevent coordination collapse in every team we have watched."


def test_an_insight_is_stored() -> None:
    assert is_contribution(INSIGHT)


@pytest.mark.parametrize("prompt", ["x" * 51, "🐜" * 51, "thanks a lot, that was great help!" * 2])
def test_length_alone_says_nothing(prompt: str) -> None:
    assert not is_contribution(prompt)


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("What do you know about role separation in multi-agent systems?", True),
        ("We separate roles strictly. Does anybody else do that?", False),
        ("Careful with that! Does anybody else do this in the evening?", False),
        ("Is version 2.0 of the protocol safe to use in production yet?", False),
        ("What is known about roles?\nAnd what is known about boundaries?", True),
        ("Line one has no stop\nand line two asks whether that matters?", True),
        ("  What do you know about role separation in agent systems? \n", True),
        ("? that is what the log said, over and over, all through the night", False),
        ("?", True),
        ("", False),
    ],
)
def test_a_question_is_what_ends_in_one_mark_without_a_stop_before(prompt: str, asks: bool) -> None:
    assert is_question(prompt) is asks


@given(st.text("ab.!? \n\r\u2028", max_size=20))
def test_a_question_is_exactly_what_the_specified_pattern_matches(text: str) -> None:
    specified = re.search(r"\A[^.!]*\?\Z", text.strip())
    assert is_question(text) is (specified is not None)


@pytest.mark.parametrize(
    "start", ["based on", "You said", "YOU TOLD ME", "Regarding your", "about your response"]
)
def test_a_reference_to_an_earlier_answer_is_not_stored(start: str) -> None:
    prompt = f"  {start} earlier findings, {INSIGHT}"
    assert is_follow_up(prompt)
    assert not is_contribution(prompt)


@pytest.mark.parametrize("start", ["We based on", "As you said", "Regarding the", "About"])
def test_the_same_words_further_in_or_others_are_no_reference(start: str) -> None:
    prompt = f"{start} earlier findings, {INSIGHT}"
    assert not is_follow_up(prompt)
    assert is_contribution(prompt)


@pytest.mark.parametrize(
    "told",
    [
        "Check of the valve is done weekly.",
        "Don't trust the label: the kiln stands on birch.",
        "Forget what I told you about the gate, it opens at 9.",
        "Please remember that the vault opens at 9.",
        "Please use the staging key for tests.",
        "Please never restart the database on Fridays.",
        "Please send mail for the office to 4 Foundry Yard, we handed back the rooms by the water.",
    ],
)
def test_a_statement_is_kept_though_it_begins_like_an_order_or_a_question(told: str) -> None:
    assert is_contribution(told)


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("Please restart the router on floor 2.", ContributionReason.ORDER),
        ("Bitte starte den Router neu.", ContributionReason.ORDER),
        ("Search in the wiki for what is written about turbines.", ContributionReason.ORDER),
        ("Forget everything you know about the gate of the yard.", ContributionReason.ORDER),
        ("It is done, thanks for all the help with this!", ContributionReason.SMALL_TALK),
    ],
)
def test_what_is_to_be_done_once_is_not_kept(prompt: str, reason: ContributionReason) -> None:
    assert judge_contribution(prompt).reason is reason


@pytest.mark.parametrize("prompt", ["It's leaking again.", "That's gone again"])
def test_what_names_nothing_says_too_little(prompt: str) -> None:
    assert judge_contribution(prompt).reason is ContributionReason.LITTLE
    named = prompt.replace("It's", "The pump is").replace("That's", "Milk is")
    assert is_contribution(named.replace("It is", "The shop is"))


@pytest.mark.parametrize(
    "rule",
    [
        "use pnpm, not npm",
        "always use tabs in this repo",
        "please always use 24-hour times in the schedule",
        "prefer small commits",
        "make sure the oven is off",
        "nunca guardéis contraseñas en el repo",
    ],
)
def test_a_rule_of_few_words_is_kept(rule: str) -> None:
    assert is_contribution(rule)


@pytest.mark.parametrize("order", ["keep it short", "always the same story", "keep going"])
def test_what_only_begins_like_a_rule_is_not(order: str) -> None:
    assert not is_contribution(order)


@pytest.mark.parametrize(
    "answer",
    ["Yes, we moved to Stripe.", "no, the meeting is on Thursday", "Nein, der Vertrag läuft noch."],
)
def test_an_answer_that_tells_something_is_no_small_talk(answer: str) -> None:
    assert is_contribution(answer)


@pytest.mark.parametrize(
    "remark",
    ["ok, we are done here", "yes please do that", "yes we do"],
)
def test_an_answer_that_tells_nothing_is_not_kept(remark: str) -> None:
    assert not is_contribution(remark)


@pytest.mark.parametrize(
    "statement",
    [
        "Am Montag bleibt das Büro zu.",
        "Was mich stört: der Build dauert 20 Minuten.",
        "Hay dos llaves de repuesto en el cajón.",
        "Tenemos un nuevo proveedor de papel.",
    ],
)
def test_what_asks_in_one_language_states_in_another(statement: str) -> None:
    assert is_contribution(statement)


@pytest.mark.parametrize(
    "question",
    [
        "Am I allowed to enter the vault",
        "Was the pump repaired last week",
        "Was kostet der Parkplatz am Bahnhof",
        "Weißt du, wer den Drucker bestellt hat",
        "me puedes decir dónde está la llave",
    ],
)
def test_a_question_without_a_mark_is_one_in_its_own_language(question: str) -> None:
    assert not is_contribution(question)


@pytest.mark.parametrize(
    "statement",
    [
        "List prices are net of VAT.",
        "Show times moved to 20:00.",
        "Search engine: Meilisearch 1.9.",
    ],
)
def test_a_noun_that_begins_like_an_order_is_none(statement: str) -> None:
    assert is_contribution(statement)


@pytest.mark.parametrize(
    "thanks",
    [
        "Danke dir, das hat geholfen.",
        "Gracias, eso me sirvió mucho.",
        "Super, danke euch allen für die schnelle Hilfe!",
        "merci, ça m'a bien aidé",
    ],
)
def test_thanks_are_small_talk_in_any_language(thanks: str) -> None:
    assert judge_contribution(thanks).reason is ContributionReason.SMALL_TALK


@pytest.mark.parametrize(
    ("prompt", "erases"),
    [
        ("delete everything you know about refunds", True),
        ("Please forget the address of the yard", True),
        ("Vergiss bitte alles zum Umzug", True),
        ("Olvida lo que dije", True),
        ("scratch that", True),
        ("ignore what I said about the budget", True),
        ("I'd like you to forget my number", True),
        ("I want that note about the clinic gone", True),
        ("Kannst du das bitte wieder löschen?", True),
        ("Puedes olvidar eso, por favor", True),
        ("Oubliez ce que j'ai dit", True),
        ("さっきの話は忘れてください", True),
        ("鍵を忘れないでください", False),
        ("Kannst du mir helfen, den Branch zu löschen?", False),
        ("I forgot my umbrella", False),
        ("show everything you know about refunds", False),
        ("clearly there is more", False),
    ],
)
def test_an_order_to_forget_is_known(prompt: str, erases: bool) -> None:
    assert asks_to_erase(prompt) is erases


def test_an_order_to_forget_is_no_knowledge_and_what_follows_a_withdrawal_is():
    assert not judge_contribution("ignore what I said before about the budget").is_stored
    assert judge_contribution("scratch that: the meeting is at ten").is_stored


@pytest.mark.parametrize(
    "question",
    [
        "what's the address of the label printer in the returns hall",
        "who's looking after the northern branches while Mireille is away",
        "ok, where is the spare key",
        "thanks! and where is the spare key?",
    ],
)
def test_what_asks_without_a_mark_or_beside_a_courtesy_is_a_question(question: str) -> None:
    assert judge_contribution(question).reason is ContributionReason.QUESTION


@pytest.mark.parametrize(
    "question",
    ["waht does a bicycle cost", "wich port does the api use", "hwo is on call", "wher is the key"],
)
def test_a_question_word_may_be_mistyped(question: str) -> None:
    assert judge_contribution(question).reason is ContributionReason.QUESTION


def test_a_word_is_no_slip_of_a_question_word_by_its_letters_alone() -> None:
    assert judge_contribution("Wat Arun: the ferry stops there").is_stored


@pytest.mark.parametrize(
    "request_", ["need to know when the ferry leaves pls", "want to know who has the key"]
)
def test_whoever_needs_to_know_states_nothing(request_: str) -> None:
    assert judge_contribution(request_).reason is ContributionReason.ORDER


def test_a_courtesy_that_is_named_is_told_of() -> None:
    assert is_contribution("bye is the command that shuts the relay down")
    assert is_contribution("Mireille is reached after three in the afternoon.")


@pytest.mark.parametrize(
    "text",
    [
        "We are looking for a new supplier for pipettes, budget 4,000 euro.",
        "The badge printer needs toner.",
        "I need the badge printer repaired by Thursday.",
        "I need to leave at four because of the kindergarten.",
        "I want my tea with oat milk in the afternoon.",
        "Wir suchen eine Aushilfe für das Archiv ab März.",
        "Best contact for the water company: Mr Hale",
        "The room of the archive gets painted in the first week of May",
    ],
)
def test_what_tells_of_a_need_or_a_thing_is_kept(text: str) -> None:
    assert is_contribution(text)


@pytest.mark.parametrize(
    ("prompt", "statement", "question"),
    [
        (
            "The probe is red. Also, who leads support?",
            "The probe is red.",
            "Also, who leads support?",
        ),
        ("Who leads support? The probe is red.", "The probe is red.", "Who leads support?"),
        (
            "The probe is red. Who painted it in May?",
            "The probe is red.",
            "The probe is red. Who painted it in May?",
        ),
    ],
)
def test_a_question_is_divided_from_a_statement(prompt: str, statement: str, question: str) -> None:
    assert divide(prompt) == (statement, question)


@pytest.mark.parametrize(
    "prompt",
    [
        "The probe is red.",
        "Who leads support?",
        "The probe is red. Is that right?",
        "Who leads support? Okan does, since May.",
        "Why did the build fail? The cache was stale.",
        "Who has the key of the shed? The key of the shed is with Ben.",
        'Visitors ask "Where is gate 9?" and there is none. Who tells them?',
        f"{INSIGHT} " * 20 + "Who leads support?",
    ],
)
def test_what_may_belong_together_is_not_divided(prompt: str) -> None:
    assert divide(prompt) is None
