"""What the reader makes of the order of notes, and of what is said of them."""

from __future__ import annotations

from api.world import ids

READS = True


def test_what_denies_stands_below_what_states(meaning):
    stated = meaning.know("The build needs Python 3.11.", "ana")
    denied = meaning.know("It is not true that the build needs Python 3.12.", "bo")
    meaning.know("The office is in Graz.", "kim")
    assert ids(meaning.ask("Which Python does the build need?", "dev"))[:2] == [stated, denied]


def test_what_is_told_of_another_number_is_called_the_nearest(meaning):
    known = meaning.know("The brine pump in pan house 2 runs from 5:30 to 9:00.", "bo")
    for number, opening in ((2, "Based on collective"), (3, "Nothing known is close to this. The")):
        reply = meaning.ask(f"From when on does the brine pump in pan house {number} run?", "dev")
        assert ids(reply) == [known]
        assert reply["result"]["response"].startswith(opening)
    both = "Pan houses 2 and 3 share a brine pump; that of pan house 3 runs from noon."
    meaning.know(both, "bo")
    reply = meaning.ask("From when on does the brine pump in pan house 3 run?", "dev")
    assert reply["result"]["response"].startswith("Based on collective")


def test_words_to_search_for_are_read_as_a_question_where_they_ask_more_than_a_name(meaning):
    known = meaning.know("The kiln shelf cracked again, we need a new one.", "bo")
    for words, opening in (
        ("kiln shelf", "Based on collective"),
        ("kiln shelf price", "Nothing known is close to this. The"),
    ):
        reply = meaning.ask(words, "dev")
        assert ids(reply) == [known]
        assert reply["result"]["response"].startswith(opening)


def test_what_tells_a_change_in_passing_stands_first_and_says_what_was_before(meaning):
    before = meaning.know("The second puppeteer is Lise, she plays the gulls.", "ana")
    meaning.clock.advance(86_400)
    meaning.know("The gulls need new paint before the tour.", "bo")
    meaning.clock.advance(86_400)
    since = meaning.know("Lise broke her wrist, so Kofi plays the gulls from now on.", "ana")
    meaning.clock.advance(86_400)
    reply = meaning.ask("Who plays the gulls?", "dev")
    [first, *_] = reply["result"]["sources"]
    assert first["thought_id"] == since
    assert first["span"] == "Kofi"
    assert [link["thought_id"] for link in first["replaces"]] == [before]


def test_what_is_told_later_of_the_same_thing_changes_nothing_else(meaning):
    known = meaning.know("The key to the organ loft is held by Mrs Abiola.", "ana")
    meaning.clock.advance(86_400)
    meaning.know("Mrs Abiola bakes for the fair on Sunday.", "bo")
    meaning.clock.advance(86_400)
    reply = meaning.ask("Who holds the key to the organ loft?", "dev")
    assert ids(reply)[0] == known
    assert reply["result"]["sources"][0].get("replaces", []) == []


def test_what_was_said_since_is_found_though_it_shares_nothing_with_the_question(meaning):
    meaning.know("Lise keeps the brass key, and her dog sleeps in the signal box.")
    for number in range(2, 62):
        meaning.know(f"The iron key of shed {number} hangs on hook {number}.", "bo")
    meaning.clock.advance(86_400)
    since = meaning.know("Lise moved to Graz with her dog, so the signal box is Kofi's.")
    meaning.clock.advance(86_400)
    assert since in ids(meaning.ask("Who is it that keeps the brass key?", "dev"))[:6]


def test_a_short_question_with_a_sure_answer_is_not_asked_back(meaning):
    for tag, word in (("care", "scrubbed"), ("repair", "patched"), ("trade", "shown to buyers")):
        for place in ("shed", "yard", "cellar", "barn"):
            meaning.know(f"The tank in the {place} was {word} today.", "bo", tags=[tag])
    known = meaning.know("Tank A takes 900 oysters per cycle.", "ana", tags=["trade"])
    assert meaning.ask("tank news", "dev")["result"]["disambiguation"]
    reply = meaning.ask("tank a", "dev")
    assert ids(reply)[0] == known
    assert reply["result"]["disambiguation"] is None


def test_of_what_is_hardly_read_to_answer_the_newer_of_two_alike_stands_first(meaning):
    before = meaning.know("Grader drum mesh is set to 65 mm.", "ana")
    meaning.know("The grader is hosed down every evening.", "bo")
    meaning.clock.advance(86_400)
    since = meaning.know(
        "Changed the grader drum mesh from 65 to 70 mm, the restaurants want bigger ones.", "ana"
    )
    meaning.clock.advance(86_400)
    assert ids(meaning.ask("grading machine mesh", "dev"))[:2] == [since, before]


def test_what_another_says_of_themselves_does_not_stand_above_the_asker_s_own(meaning):
    mine = meaning.know("Ich bin allergisch gegen Nüsse.", "ana")
    meaning.clock.advance(60)
    theirs = meaning.know("Ich bin nicht allergisch gegen Nüsse.", "bo")
    for asker, own, other in (("ana", mine, theirs), ("bo", theirs, mine)):
        reply = meaning.ask("Bin ich allergisch gegen Nüsse?", asker, contribute="never")
        assert ids(reply)[:2] == [own, other]


def test_what_somebody_said_is_what_they_said_about_it_and_needs_not_answer(meaning):
    meaning.clock.advance(86_400)
    said = meaning.know("The sluice keeper reported a broken chain.", "ana")
    meaning.know("The office is in Graz.", "ana")
    for when, opening in (("today", "Based on collective"), ("yesterday", "Nothing of that time")):
        reply = meaning.ask(f"What did ana say {when} about the sluice chain?", "dev")
        assert ids(reply)[0] == said
        assert reply["result"]["response"].startswith(opening)
