from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.thoughts import RankedThought
from wellworn.domain.thoughts.spreading import FIRST, MOST_OF_A_MEMBER, spread_members
from wellworn.domain.thoughts.store.rows import ThoughtSummary
from wellworn.domain.thoughts.trail import create
from wellworn.engines.retrieval import RankedResult


def ranked(owners: str) -> list[RankedThought]:
    """Return results, best first, each owned by a letter; a dot has no owner."""
    return [
        RankedThought(
            RankedResult(seq, 0.5, 0.0, {"meaning": 100.0 - seq}),
            ThoughtSummary(
                seq,
                f"t{seq}",
                "label",
                "Label",
                (),
                0.0,
                "",
                create(0.0),
                owner=None if owner == "." else owner,
            ),
        )
        for seq, owner in enumerate(owners)
    ]


def order(owners: str) -> str:
    return "".join(hit.summary.owner or "." for hit in spread_members(ranked(owners)))


def test_a_member_gives_way_to_what_others_say():
    assert order("mmmmmmmabc") == "mmabcmmmmm"
    assert order("amammmb") == "amambmm"


def test_who_is_alone_and_who_has_no_owner_gives_way_to_nobody():
    assert order("mmmmmmm") == "mmmmmmm"
    assert order("mmmmmma") == "mmammmm"
    assert order(".......") == "......."
    assert order("..mmm..") == "..mm.m."


@given(st.text("abm.", max_size=20))
def test_nothing_is_lost_and_the_scores_keep_to_the_order(owners):
    before, after = ranked(owners), spread_members(ranked(owners))
    assert sorted(hit.summary.seq for hit in after) == [hit.summary.seq for hit in before]
    scores = [hit.ranked.rank_score for hit in after]
    assert scores == sorted(scores, reverse=True)
    first = [hit.summary.owner for hit in after[:FIRST]]
    if any(owner and first.count(owner) > MOST_OF_A_MEMBER for owner in first):
        left = [hit.summary.owner for hit in after[FIRST:]]
        assert all(owner and first.count(owner) >= MOST_OF_A_MEMBER for owner in left)
