"""What is true at a moment: standings and their order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.thoughts.truth import (
    Author,
    Dated,
    GivenEnd,
    Objection,
    ReplacementLink,
    ReplacementOrigin,
    Standings,
    TimeScope,
    apply_truth,
    list_due,
    select_ends,
)
from wellworn.engines.retrieval import RankedResult

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


def test_what_answers_a_contradiction_stands_above_it_together_with_what_it_replaces():
    links = [
        replace_by(3, 1, 12, sure=0.9),
        replace_by(2, 1, 11, sure=0.9)._replace(is_contested=True),
        replace_by(3, 2, 12, sure=0.9)._replace(is_contested=True),
    ]
    for natural in ([2, 3, 1], [2, 1, 3], [3, 2, 1]):
        assert order(natural, Standings(links, at=20)) == [3, 1, 2]


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


def test_an_end_is_the_last_word_of_the_author_an_admin_or_the_open_door():
    authors = {1: Author("ann"), 2: Author("ann")}
    given = [
        GivenEnd(1, 5.0, "ann"),
        GivenEnd(1, 3.0, "bob"),
        GivenEnd(1, 7.0, "cy", is_by_admin=True),
        GivenEnd(2, 5.0, "ann"),
        GivenEnd(2, None),
    ]
    ends = select_ends(given, authors)
    assert {seq: end.expires_at for seq, end in ends.items()} == {1: 7.0}
    assert list_due(ends, 6.9) == []
    assert [(due.seq, due.given_at) for due in list_due(ends, 7.0)] == [(1, 7.0)]
    assert select_ends(given[:2], authors)[1].expires_at == 5.0


def test_what_is_said_again_after_its_end_has_none():
    due = [Objection(1, is_wrong=False, given_at=5.0, is_by_admin=True)]
    for again, outdated_at, expires_at in ((4.0, 5.0, 5.0), (6.0, None, None)):
        standing = Standings([], due, {1: again}, expires_at={1: 5.0}, at=9.0).find(1)
        assert (standing.outdated_at, standing.expires_at) == (outdated_at, expires_at)
