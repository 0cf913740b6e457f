from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.thoughts.truth import (
    Author,
    Confirmation,
    Corroboration,
    Objection,
    ReplacementLink,
    ReplacementOrigin,
    Restatement,
)

OLD, NEW = 1, 2
LINK = ReplacementLink(NEW, OLD, ReplacementOrigin.STATED, "", 1.0, 10.0)
MEMBERS = st.sampled_from(("ann", "bob", "cy", "dora"))


def is_contested(
    newer: Author, older: Author, *confirmations: Confirmation, link: ReplacementLink = LINK
) -> bool:
    judge = Corroboration({NEW: newer, OLD: older}, confirmations)
    return judge.mark_contested(link).is_contested


def test_only_a_member_against_another_is_contested():
    ann, bob = Author("ann"), Author("bob")
    assert is_contested(bob, ann)
    assert is_contested(bob, Author(None))
    assert not is_contested(ann, ann)
    assert not is_contested(Author(None), ann)
    assert not is_contested(Author("bob", is_admin=True), ann)
    assert not is_contested(bob, ann, link=LINK._replace(origin=ReplacementOrigin.REFINED))


def test_a_contradiction_wants_another_who_says_so_and_no_more_who_stand_by_the_older():
    bob, ann = Author("bob"), Author("ann")
    assert is_contested(bob, ann, Confirmation(NEW, "bob", 11.0))
    assert not is_contested(bob, ann, Confirmation(NEW, "cy", 11.0))
    assert not is_contested(bob, ann, Confirmation(NEW, "ann", 11.0))
    before = [Confirmation(OLD, name, 9.0) for name in ("cy", "dora", "eve")]
    assert not is_contested(bob, ann, Confirmation(NEW, "fay", 11.0), *before)
    since = [replace(said, at=12.0) for said in before]
    assert is_contested(bob, ann, Confirmation(NEW, "fay", 11.0), *since)


@given(st.lists(MEMBERS, max_size=4), st.lists(MEMBERS, max_size=4))
def test_objections_count_where_two_members_and_more_than_confirmed_it_agree(objectors, confirmers):
    others = set(objectors) - {"ann"}
    judge = Corroboration(
        {OLD: Author("ann")}, [Confirmation(OLD, name, 1.0) for name in confirmers]
    )
    objections = [Objection(OLD, True, 2.0, name) for name in objectors]
    counted = {objection.by for objection in judge.select_objections(objections)}
    needed = max(2, len(set(confirmers) - {"ann"}) + 1)
    assert ("ann" in counted) == ("ann" in objectors)
    assert counted - {"ann"} == (others if len(set(objectors)) >= needed else set())


def test_an_admin_and_whoever_nobody_knows_object_alone():
    judge = Corroboration({OLD: Author("ann")})
    admins = [Objection(OLD, True, 2.0, "bob", is_by_admin=True), Objection(OLD, True, 2.0)]
    assert judge.select_objections(admins) == admins


def test_what_is_said_again_is_true_again_where_its_only_opponent_or_two_others_say_it():
    judge = Corroboration({OLD: Author("ann"), NEW: Author("bob")})

    def date(*names: str | None) -> dict[int, float]:
        said = [Restatement(OLD, name, 20.0 + place) for place, name in enumerate(names)]
        return judge.date_restatements(said, [LINK], [])

    assert date("ann") == {}
    assert date("cy") == {}
    assert date("bob") == {OLD: 20.0}
    assert date(None) == {OLD: 20.0}
    assert date("cy", "dora") == {OLD: 21.0}
