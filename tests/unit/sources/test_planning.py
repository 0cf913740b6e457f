"""What a sync does follows from what is listed and known: nothing is lost, nothing is invented."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.sources.connectors import Listing, SourceItem
from wellworn.domain.sources.planning import KnownDocument, group_orphaned, is_alarming, plan_sync

MAKER = 7
paths = st.sampled_from(["a.md", "b.md", "c.md", "d/e.md", "F.md", "f.md"])
versions = st.sampled_from(["v1", "v2", "v3"])


@st.composite
def listings(draw):
    chosen = draw(st.lists(paths, unique=True))
    is_content = draw(st.booleans())
    return Listing(
        tuple(SourceItem(path, draw(versions), is_content=is_content) for path in chosen)
    )


@st.composite
def documents(draw):
    chosen = draw(st.lists(paths, unique=True))
    return [
        KnownDocument(
            id=number,
            path=path,
            version=draw(versions),
            raw_hash=draw(versions),
            maker=draw(st.sampled_from([MAKER, MAKER - 1])),
            is_readable=draw(st.booleans()),
            is_gone=draw(st.booleans()),
            refused_version=draw(versions),
            refused_by=draw(st.sampled_from([MAKER, MAKER - 1, None])),
        )
        for number, path in enumerate(chosen, start=1)
    ]


@given(listings(), documents())
def test_every_item_is_read_unchanged_or_moved_and_only_one_of_these(listing, known):
    plan = plan_sync(listing, known, maker=MAKER)
    by_id = {one.id: one for one in known}
    read = [item.path for item in plan.read]
    unchanged = [by_id[one].path for one in plan.unchanged]
    moved = [item.path for item in plan.moved.values()]
    assert sorted(read + unchanged + moved) == sorted(item.path for item in listing.items)


@given(listings(), documents())
def test_only_what_is_not_listed_is_missing_and_what_moved_is_not(listing, known):
    plan = plan_sync(listing, known, maker=MAKER)
    listed = {item.path for item in listing.items}
    expected = {one.id for one in known if one.path not in listed and not one.is_gone}
    assert set(plan.missing) == expected - set(plan.moved)


@given(listings(), documents())
def test_a_move_is_of_equal_content_to_a_place_nobody_had(listing, known):
    plan = plan_sync(listing, known, maker=MAKER)
    by_id = {one.id: one for one in known}
    places = {one.path for one in known}
    for number, item in plan.moved.items():
        assert by_id[number].version == item.version
        assert item.path not in places
        assert item.is_content


@given(listings(), documents())
def test_what_is_unchanged_is_there_with_a_text_of_this_maker(listing, known):
    plan = plan_sync(listing, known, maker=MAKER)
    for one in known:
        if one.id in plan.unchanged:
            assert one.maker == MAKER
            assert one.is_readable
            assert not one.is_gone


@given(listings(), documents())
def test_a_homeless_document_is_one_that_is_not_where_it_was(listing, known):
    plan = plan_sync(listing, known, maker=MAKER)
    homeless = {
        one
        for ids in group_orphaned({k.id: k for k in known}, plan, maker=MAKER).values()
        for one in ids
    }
    gone = {one.id for one in known if one.is_gone}
    assert homeless <= set(plan.missing) | gone
    assert not homeless & set(plan.unchanged)


@given(st.integers(0, 50), st.integers(0, 50))
def test_the_brake_lets_one_of_several_go_and_never_all(missing, served):
    alarming = is_alarming(missing, served, most=0.3)
    if 0 < missing == served:
        assert alarming
    elif missing == 1 and served > 1:
        assert not alarming
    elif missing <= served and served:
        assert alarming == (missing > 0.3 * served and missing > 1)


@given(listings(), documents(), st.sampled_from([MAKER, MAKER - 1, None]))
def test_what_was_refused_is_read_again_unless_the_same_refused_that_version(
    listing, known, refuser
):
    plan = plan_sync(listing, known, maker=-1, refuser=refuser)
    versions = {item.path: item.version for item in listing.items}
    assert set(plan.unchanged) == {
        one.id
        for one in known
        if one.refused_by is not None
        and one.refused_by == refuser
        and versions.get(one.path) == one.refused_version
        and not one.is_gone
    }
