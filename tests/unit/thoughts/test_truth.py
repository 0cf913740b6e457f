"""What is true at a moment: standings, their order and relations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.thoughts.truth import (
    LEAST_CONFIDENCE,
    LEAST_CONTESTED,
    Dated,
    Objection,
    ReplacementLink,
    ReplacementOrigin,
    Standings,
    TimeScope,
    apply_truth,
)
from wellworn.domain.thoughts.truth.relations import RelationKind, measure, relate
from wellworn.domain.thoughts.truth.statements import Statement
from wellworn.engines.retrieval import RankedResult
from wellworn.kit.likelihood import is_of_unstated

SEQS = st.integers(1, 6)


def replace_by(newer: int, older: int, since: float = 10.0, sure: float = 1.0) -> ReplacementLink:
    origin = ReplacementOrigin.STATED if sure == 1 else ReplacementOrigin.INFERRED
    return ReplacementLink(newer, older, origin, "because", sure, since)


LINKS = st.lists(
    st.builds(replace_by, SEQS, SEQS, st.integers(1, 9), st.sampled_from([0.4, 0.7, 1.0])).filter(
        lambda link: link.newer != link.older
    ),
    max_size=8,
    unique_by=lambda link: (link.newer, link.older, link.since, link.confidence),
)
OBJECTIONS = st.lists(st.builds(Objection, SEQS, st.booleans(), st.integers(1, 9)), max_size=3)


def order(
    seqs: list[int],
    standings: Standings,
    scope: TimeScope = TimeScope(),  # noqa: B008
) -> list[int]:
    """Return the places of results that stand in the order given."""
    results = [RankedResult(seq, 0.5, 0.0, {"meaning": -place}) for place, seq in enumerate(seqs)]
    dated = {seq: Dated(float(seq), (f"agent-{seq}",)) for seq in seqs}
    return [result.id for result in apply_truth(results, standings, dated, scope)]


@given(LINKS, OBJECTIONS, st.randoms(use_true_random=False), st.integers(0, 10))
def test_what_is_true_does_not_hang_on_the_order_in_which_it_is_told(links, objections, chance, at):
    before = Standings(links, objections, at=at)
    chance.shuffle(links)
    chance.shuffle(objections)
    after = Standings(links, objections, at=at)
    for seq in range(1, 7):
        mine, theirs = before.find(seq), after.find(seq)
        assert (mine.is_current, mine.outdated_at, mine.is_retracted, set(mine.links)) == (
            theirs.is_current,
            theirs.outdated_at,
            theirs.is_retracted,
            set(theirs.links),
        )


@given(LINKS, OBJECTIONS, st.permutations(range(1, 7)), st.booleans())
def test_an_order_invents_and_repeats_nothing_whatever_replaces_what(
    links, objections, seqs, history
):
    shown = order(seqs, Standings(links, objections, at=10), TimeScope(history=history))
    assert len(set(shown)) == len(shown)
    assert set(shown) <= set(seqs)
    if history:
        assert set(shown) == set(seqs)


@given(LINKS, OBJECTIONS, st.integers(0, 10))
def test_at_a_moment_what_came_later_says_nothing(links, objections, at):
    known = Standings(links, objections, at=at)
    then = Standings(
        [link for link in links if link.since <= at],
        [objection for objection in objections if objection.given_at <= at],
        at=at,
    )
    assert all(known.find(seq) == then.find(seq) for seq in range(1, 7))


def test_a_chain_shows_its_newest_and_in_history_all_newest_first():
    chain = Standings([replace_by(2, 1, 2), replace_by(3, 2, 3)], at=9)
    assert order([1, 2, 3, 4], chain) == [3, 4]
    assert order([1, 4, 2, 3], chain, TimeScope(history=True)) == [3, 2, 1, 4]
    before = Standings([replace_by(2, 1, 2), replace_by(3, 2, 3)], at=2.5)
    assert order([1, 2], before, TimeScope(as_of=2.5)) == [2]


def test_of_a_fork_both_are_current_and_in_a_cycle_the_last_word_counts():
    fork = Standings([replace_by(2, 1), replace_by(3, 1)], at=20)
    assert order([1, 2, 3], fork) == [2, 3]
    cycle = Standings([replace_by(2, 1, 2), replace_by(1, 2, 3)], at=9)
    assert order([2, 1], cycle) == [1]


def test_what_was_inferred_only_orders_and_what_is_unsure_not_even_that():
    assert order([1, 2], Standings([replace_by(2, 1, sure=0.7)], at=20)) == [2, 1]
    assert order([1, 2], Standings([replace_by(2, 1, sure=0.2)], at=20)) == [1, 2]


def test_an_unsure_link_raises_only_what_is_close_to_the_question_itself():
    unsure = Standings([replace_by(2, 1, sure=0.4)], at=20)

    def first(newer_score: float, older_score: float = 10.0, cosine: float = 0.3) -> int:
        results = [
            RankedResult(1, 0.5, 0.0, {"meaning": older_score}),
            RankedResult(2, cosine, 0.0, {"meaning": newer_score}),
        ]
        dated = {seq: Dated(float(seq)) for seq in (1, 2)}
        return apply_truth(results, unsure, dated, TimeScope())[0].id

    assert first(newer_score=2.0) == 2
    assert first(newer_score=0.5) == 1
    # In a memory of two thoughts every word is common, and every score near nothing.
    assert first(newer_score=-2.0, older_score=2.0, cosine=0.45) == 2


@pytest.mark.parametrize(
    "opening",
    [
        "Ana thinks the port may be 3200 by next spring.",
        "Two years ago the port was 3200.",
        'The wiki says "the port of the server is 3200".',
    ],
)
def test_what_is_not_of_the_present_stands_below_rivals_but_above_what_is_far(opening):
    scores = {1: 10.0, 2: 8.0, 3: 6.0, 4: 1.0}
    results = [RankedResult(seq, 0.5, 0.0, {"meaning": scores[seq]}) for seq in scores]
    dated = {seq: Dated(float(seq), opening=f"The port is 310{seq}.") for seq in scores}
    dated[1] = Dated(1.0, opening=opening)
    ordered = apply_truth(results, Standings(at=20), dated, TimeScope(), prefers_present=True)
    assert [result.id for result in ordered] == [2, 3, 1, 4]
    assert set(ordered[2].parts) == {"meaning", "supposed"}
    dated[1] = Dated(1.0, is_note=False, opening=opening)
    unmoved = apply_truth(results, Standings(at=20), dated, TimeScope(), prefers_present=True)
    assert [result.id for result in unmoved] == [1, 2, 3, 4]


def test_of_two_suppositions_neither_stands_first():
    openings = ["Maybe the port will be 3300.", "Rumour: it is 3400.", "The port is 3100."]
    results = [RankedResult(seq, 0.5, 0.0, {"meaning": 9.0 - seq}) for seq in range(3)]
    dated = {seq: Dated(float(seq), opening=openings[seq]) for seq in range(3)}
    ordered = apply_truth(results, Standings(at=20), dated, TimeScope(), prefers_present=True)
    assert [result.id for result in ordered] == [2, 0, 1]


def test_a_retracted_replacement_gives_back_what_it_replaced():
    standings = Standings([replace_by(2, 1)], [Objection(2, is_wrong=True, given_at=11)], at=20)
    assert order([1, 2], standings) == [1]
    assert standings.find(1).is_current


def test_what_is_outdated_stands_last_and_is_true_again_when_said_again():
    outdated = [Objection(1, is_wrong=False, given_at=11)]
    assert order([1, 2], Standings([], outdated, at=20)) == [2, 1]
    assert order([1, 2], Standings([], outdated, {1: 12.0}, at=20)) == [1, 2]
    replaced = Standings([replace_by(2, 1)], [], {1: 12.0}, at=20)
    assert replaced.find(1).is_current


def test_a_narrow_scope_leaves_out_by_time_and_by_contributor():
    nothing = Standings(at=20)
    assert order([1, 2, 3, 4], nothing, TimeScope(since=2, until=4)) == [2, 3]
    assert order([1, 2, 3, 4], nothing, TimeScope(as_of=2)) == [1, 2]
    assert order([1, 2, 3, 4], nothing, TimeScope(by="AGENT-3")) == [3]


PORT = "The staging exporter of the Marlin cluster listens on port 9100."


def confidence(newer: str, older: str = PORT, cosine: float = 0.85) -> float:
    relation = relate(Statement(older), Statement(newer), cosine, lambda _: 0.8)
    return relation.confidence if relation.kind is RelationKind.UPDATES else 0.0


@pytest.mark.parametrize(
    "newer",
    [
        "The staging exporter of the Marlin cluster listens on port 9200.",
        "The staging exporter of the Marlin cluster moved to another port.",
        "The staging exporter of the Marlin cluster no longer listens on port 9100.",
        "Two months ago the staging exporter of the Marlin cluster moved to port 9200.",
        "In 2019 the staging exporter of the Marlin cluster was on port 9100, today it is on 9200.",
        "Ana thinks it is late. The staging exporter of the Marlin cluster is on port 9200.",
        "It might have moved, but the staging exporter of the Marlin cluster is on port 9200.",
        "As Ben suggested, the staging exporter of the Marlin cluster listens on port 9200.",
        "The proposal passed: the staging exporter of the Marlin cluster listens on port 9200.",
        "According to Ana the staging exporter of the Marlin cluster listens on port 9200.",
        'Ana wrote to all: "The staging exporter of the Marlin cluster listens on port 9200."',
    ],
)
def test_a_changed_value_or_words_of_change_are_an_update(newer):
    assert confidence(newer) > 0.45


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (PORT, "Correction about the exporter: port 9200, the note of the first day was wrong."),
        (
            "The siren in hall B goes off at 1200 ppm.",
            "I lowered the trip point of the siren in B to 900 ppm.",
        ),
        (
            "Marek drives the van and has the permit.",
            "Marek has moved to Ghent, Sanne is behind the wheel of the van.",
        ),
    ],
)
def test_changes_are_told_in_many_words(older, newer):
    assert confidence(newer, older, 0.5) > 0.5


@pytest.mark.parametrize(
    "text", ["No more paper: it goes into the tablet.", "The pump is gone for good."]
)
def test_an_end_is_told_in_its_place(text):
    assert Statement(text).end


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The hall has a stage and a kitchen.", "The hall holds no more than 30 people."),
        ("Parking at the depot costs 4 euros.", "Parking at the depot is for good customers."),
        ("The Vega sensor stands on the roof.", "The correction factor of the sensor is 1.02."),
        ("The bed of the herbs is in the yard.", "The herbs like a raised bed."),
    ],
)
def test_words_of_change_in_another_sense_tell_none(older, newer):
    assert confidence(newer, older, 0.5) < 0.3


@pytest.mark.parametrize(
    ("older", "is_told"),
    [
        ("The opening hours have not changed, the shop opens at 9:00.", True),
        ("The shop opens at 9:00.", True),
        ("Maybe the shop opens at 9:00.", False),
        ("It is not true that the shop opens at 9:00.", False),
    ],
)
def test_what_was_stated_is_told_as_replaced_and_nothing_else(older, is_told):
    newer = Statement("The shop opens at 10:30 now.")
    relation = relate(Statement(older), newer, 0.85, lambda _: 0.8)
    assert is_of_unstated(relation.reason) is not is_told


def test_what_is_sold_somewhere_came_to_no_end():
    assert not Statement("Tickets for the planetarium are sold through Boxly.").end
    assert Statement("The van was sold.").end == "was sold"


@pytest.mark.parametrize(
    "newer",
    [
        "It is not true that the staging exporter of the Marlin cluster moved to port 9200.",
        "If we moved the staging exporter of the Marlin cluster to port 9200, alerts would stop.",
        "We plan to move the staging exporter of the Marlin cluster to port 9200.",
        "Ana thinks the staging exporter of the Marlin cluster may be on port 9200.",
        "Does the staging exporter of the Marlin cluster listen on port 9200?",
        "Imagine the staging exporter of the Marlin cluster on port 9200.",
        'A forum says: "The staging exporter of the Marlin cluster listens on port 9200."',
        "A blog post has the staging exporter of the Marlin cluster on port 9200.",
        "Last night I dreamt that the staging exporter of the Marlin cluster moved to port 9200.",
        "The staging exporter of the Marlin cluster is on port 9200 from now on. Just kidding!",
        "In my novel the staging exporter of the Marlin cluster listens on port 9200.",
        "Exercise 3: the staging exporter of the Marlin cluster listens on port 9200.",
        "Over in Lyon the staging exporter of the Marlin cluster listens on port 9200.",
        "Ojal\u00e1 el staging exporter del Marlin cluster tuviera el puerto 9200.",
        "It is still open whether the staging exporter of the Marlin cluster gets port 9200.",
        "In 2019 the staging exporter of the Marlin cluster was on port 9200.",
        "Three years ago the staging exporter of the Marlin cluster was on port 9200.",
        "Three years ago the staging exporter of the Marlin cluster listened on port 9200.",
        "Vor zwei Jahren war der staging exporter des Marlin cluster auf Port 9200.",
    ],
)
def test_what_is_denied_supposed_quoted_past_or_asked_updates_nothing(newer):
    assert confidence(newer) == 0.0


@pytest.mark.parametrize(
    ("note", "holds"),
    [
        ("I tidied. The old handbook says: {}. Good times.", False),
        ("I tidied. The new handbook says: {}. Take note.", True),
        ("We met the former admin. He says that {}.", False),
        ("We met the admin. He says that {}.", True),
        ("{}. So says the old manual.", False),
        ("{}. So says Ana.", True),
        ("Ten years ago I came. In those rooms {}. Fun!", True),
        ("Da lag die alte Anleitung. Darin steht: {}.", False),
        ("Ayer hubo una fiesta. Mi abuela contaba que {}.", False),
    ],
)
def test_what_a_note_quotes_of_the_old_updates_nothing(note, holds):
    stated = "the staging exporter of the Marlin cluster listens on port 9200"
    assert (confidence(note.format(stated)) > 0.45) is holds


def test_what_a_note_tells_of_a_past_that_it_recalls_updates_nothing():
    stated = "The staging exporter of the Marlin cluster {} on port 9200"
    note = "Ten years ago I came here. {}. Time flies."
    assert confidence(note.format(stated.format("was"))) < 0.1
    assert confidence(note.format(stated.format("is"))) > 0.45


def test_what_is_said_again_is_the_same_and_what_is_about_another_thing_no_update():
    again = relate(Statement(PORT), Statement(PORT.rstrip(".")), 0.99, lambda _: 0.8)
    assert again.kind is RelationKind.SAME
    assert confidence("The canteen opens at 9.", cosine=0.4) < 0.3


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "The queue of ana restarts at night; its limit is 31.",
            "The queue of ben restarts at noon.",
        ),
        ("Marta's badge expires on 3 May.", "Joris's badge expires on 19 May."),
        ("The red bike has a flat tyre.", "The blue bike has a broken chain."),
        ("Okan sings tenor.", "Birgit sings alto now."),
        ("Okan starts at 7:00.", "Birgit starts at 9:30."),
        ("Okan sings tenor in our choir.", "Birgit sings alto in our choir since May."),
        ("Okan bakes the bread on Monday.", "Birgit slices the bread on Friday."),
        ("Ines drinks her coffee black.", "Tobias drinks his coffee with oat milk."),
        ("svc-orders: memory limit 512 MB", "svc-carts: memory limit 768 MB"),
        ("Sample A7 melts at 141 degrees.", "Sample B2 melts at 156 degrees."),
        ("Team Falcon: deploys on Mondays.", "Team Heron: deploys on Wednesdays."),
        ("Der Schlüssel vom Keller hängt im Flur.", "Der Schlüssel vom Speicher hängt im Bad."),
        ("El perro de Irene come dos veces.", "El perro de Óscar come tres veces."),
        ("Le contrat de Camille finit en juin.", "Le contrat d'Anne finit en octobre."),
    ],
)
def test_statements_of_one_form_about_two_things_update_neither(older, newer):
    assert Statement(older).is_about_another(Statement(newer))
    assert confidence(newer, older) == 0.0


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The queue of ana restarts at night.", "The queue of ana restarts at noon."),
        ("Priscilla runs the onboarding sessions.", "Matteo runs the onboarding sessions."),
        ("The old printer in room 12 was a Brother.", "The new printer in room 12 is a Kyocera."),
        ("From Monday the pool opens at 7.", "From June the pool opens at 6."),
        ("Three people work in the shop.", "Five people work in the shop."),
        ("Our landlord is Mr Pohl, call him after six.", "The landlord is Mrs Vance, mail only."),
        ("Internet at home is from Netvia.", "Fibre from Glasblitz is live since noon."),
        ("La clé est chez Zoé.", "La clé est chez Paul."),
        (
            "build_asset_list fails on Sundays because of the lock; it is skipped.",
            "The asset build fails on Sundays owing to a full disk.",
        ),
        ("The roses get 30 grams of bone meal a week.", "The roses now get 25 grams of it."),
        ("Two wards need 30 litres of saline a day.", "Two wards need 45 litres of it now."),
        (
            "Pedestals on pontoon C supply 230 volts.",
            "The pedestals on pontoon C give 240 volts since the move.",
        ),
        (
            "Visitors pay 12 francs a day in the garage.",
            "Visitors pay 15 francs a day in the garage.",
        ),
        (
            "The camera pictures go to the archive in Turin every night.",
            "The camera pictures now go to the archive in Pisa every night.",
        ),
    ],
)
def test_what_is_told_of_one_thing_is_not_taken_for_two(older, newer):
    assert not Statement(older).is_about_another(Statement(newer))


@given(st.text(max_size=60), st.text(max_size=60))
def test_of_any_two_texts_each_is_about_another_than_the_other_or_neither(mine, theirs):
    one, other = Statement(mine), Statement(theirs)
    assert one.is_about_another(other) is other.is_about_another(one)


@pytest.mark.parametrize(
    ("text", "correction", "is_partial"),
    [
        ("The board meets at 9:00 in room 4.", "no, at 10:00", True),
        ("The dough rests 16 hours at 4 degrees.", "no, 20 hours", True),
        ("Visas are handled by Farah, on the floor of Emil.", "no, by Tom", True),
        ("The seminar room has 24 seats.", "no, it has 32", False),
        ("Letters are sent to Bremen.", "no, to Hamburg", False),
        ("The ferry leaves the quay at 22:15.", "at 22:45 (When does the ferry leave?)", False),
    ],
)
def test_a_correction_of_one_value_among_others_is_one_of_a_part(text, correction, is_partial):
    assert Statement(text).says_more_than(Statement(correction)) is is_partial


def test_a_number_within_a_name_is_told_from_those_of_like_names_alone():
    values = Statement("The probes speak SDI-12 at km 7, on db-2.").values
    assert values == {"sdi-": {"12"}, "db-": {"2"}, "number": {"7"}}
    assert Statement("It is on port 3300 now.").values == {"number": {"3300"}}
    assert Statement("Ring +46 40 555 120.").values == {"telephone": {"+46 40 555 120"}}


def test_what_answers_a_contradiction_stands_above_it_together_with_what_it_replaces():
    links = [
        replace_by(3, 1, 12, sure=0.9),
        replace_by(2, 1, 11, sure=0.9)._replace(is_contested=True),
        replace_by(3, 2, 12, sure=0.9)._replace(is_contested=True),
    ]
    for natural in ([2, 3, 1], [2, 1, 3], [3, 2, 1]):
        assert order(natural, Standings(links, at=20)) == [3, 1, 2]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Lost property is kept on pier 1, Mondays to Fridays.", "Pier 3 is closed until Friday."),
        ("The keys of lab 2 hang in the hall.", "Lab 7 got a new freezer."),
    ],
)
def test_things_of_one_name_and_other_numbers_are_two(older, newer):
    assert confidence(older, newer) == confidence(newer, older) == 0.0


@pytest.mark.parametrize(
    ("older", "newer", "differs"),
    [
        ("The standup is at 10:15.", "The standup was moved from 10:15 to 10:30.", True),
        ("The boat leaves at 6:40.", "The 6:40 boat is gone, the first leaves at 7:05.", True),
        ("The boat leaves at 6:40.", "Boats leave at 6:40 and at 7:05.", False),
    ],
)
def test_what_names_an_old_value_and_says_that_it_changed_has_another(older, newer, differs):
    measures = measure(Statement(older), Statement(newer), 0.8, lambda _: 0.8)
    assert (measures["value"] > 1) is differs


@pytest.mark.parametrize("moved", ["I moved the spare key", "We moved the spare keys"])
def test_what_somebody_moved_is_somewhere_else(moved):
    assert confidence(f"{moved} to Kim's locker.", "The spare key hangs in the hall.") >= 0.8


def test_what_is_said_again_and_replaces_what_replaced_it_does_so_once():
    links = [replace_by(2, 1, 10), replace_by(1, 2, 12)]
    standings = Standings(links, affirmed={1: 12.0}, at=20)
    assert [link[:2] for link in standings.find(1).replaces] == [(1, 2)]
    assert standings.find(1).replaced_by == ()


def test_a_correction_stands_above_what_of_others_it_only_resembles():
    links = [
        replace_by(3, 1, 12, sure=0.9),
        replace_by(3, 2, 12, sure=0.4)._replace(is_contested=True),
    ]
    assert order([3, 1, 2], Standings(links, at=20)) == [3, 1, 2]


def test_what_repeats_a_contradiction_stands_below_what_that_contradicts():
    links = [
        replace_by(2, 1, 11, sure=0.4)._replace(is_contested=True),
        replace_by(3, 2, 12, sure=0.9),
    ]
    assert order([3, 2, 1], Standings(links, at=20)) == [1, 3, 2]


def test_what_tells_no_value_lets_what_another_member_told_go_first_and_replaces_nothing():
    honest = Statement("Flour comes from Hall 3 of the mill.")
    relation = relate(honest, Statement("The mill delivers the flour."), 0.9, lambda _: 0.8)
    assert LEAST_CONTESTED < relation.confidence < LEAST_CONFIDENCE
