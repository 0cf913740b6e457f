"""Turns that are found because of what stands beside them, and what they may not bring along."""

from __future__ import annotations

from dataclasses import replace

import pytest

from integration.memory_parts import embed_all
from integration.owners import LOCAL, opened, rows
from wellworn.domain.thoughts import SearchQuery
from wellworn.domain.thoughts.features import IndexInput, prepare
from wellworn.domain.thoughts.models import ThoughtKind
from wellworn.engines.storage.vectors import round_vector
from wellworn.kit.clock import from_iso
from wellworn.testing.embedder import HashEmbedder

ASKED = "where is the cedar lantern"
SEED = "a cedar lantern hangs at the harbour"
BESIDE = "the one with a violin on it"
SAID_AT = "2026-02-20T10:00:00Z"
YES = "the answer is yes"
OTHER = replace(LOCAL, space="ks-other")


def turn(content, position, who="ann", **more):
    named = {"contributor_id": who, "contributor_name": who.title(), "created_at": SAID_AT}
    place = {"kind": "turn", "session": "talk", "position": position}
    return {"record": "thought", "content": content, **named, **place, **more}


ANSWERS = turn(YES, 4), turn("the answer is no", 40)


def crowd(many=130):
    """Return turns of no conversation that are all nearer to the question than its neighbour is."""
    return [
        turn(f"where is the cedar number{number}", None, "cy", session=None)
        for number in range(many)
    ]


def told(app, *turns, access=LOCAL):
    app.transfer.import_records(access, list(turns))
    embed_all(app)


def found(app, text=ASKED, access=LOCAL, **more):
    """Search as zoe, leaving no trace."""
    asked = HashEmbedder().encode_query(text)
    search = SearchQuery(asked.vector, text, "zoe", asked.pieces, asked.spans, limit=50, **more)
    return {one.content: one for one in app.thoughts.search(access, search)}


def test_a_turn_that_the_index_does_not_propose_is_found_by_its_neighbour(app):
    told(app, *crowd(), turn(SEED, 4), turn(BESIDE, 5))
    assert BESIDE in found(app)


def test_without_a_neighbour_it_is_not_found(app):
    told(app, *crowd(), turn(SEED, 4), turn(BESIDE, 50))
    assert BESIDE not in found(app)


def test_a_turn_found_by_its_neighbour_has_its_own_cosine_as_score(app):
    told(app, *crowd(), turn(SEED, 4), turn(BESIDE, 5))
    [made] = prepare(
        HashEmbedder(), [IndexInput(ThoughtKind.TURN, BESIDE, "Ann", from_iso(SAID_AT))]
    )
    asked = HashEmbedder().encode_query(ASKED).vector
    cosine = float(round_vector(made.vectors[0]) @ round_vector(asked))
    assert found(app)[BESIDE].score == pytest.approx(cosine, abs=1e-5)
    assert 0 < cosine < found(app)[SEED].score


def test_what_is_held_is_not_found_by_its_neighbour(app):
    told(app, *crowd(), turn(SEED, 4), turn(BESIDE, 5, quarantined_at=1.0))
    assert BESIDE not in found(app)
    assert found(app, include_unverified=True)[BESIDE].held


def test_what_is_held_lends_its_words_to_nobody(app, empty, tmp_path):
    told(app, *ANSWERS, turn(SEED, 5, quarantined_at=1.0))
    with opened(empty, tmp_path / "other.db") as apart:
        told(apart, *ANSWERS, turn(SEED, 90, quarantined_at=1.0))
        alone, lent = (
            [found(one, include_unverified=lends)[YES].parts for one in (app, apart)]
            for lends in (False, True)
        )
    assert alone[0] == alone[1]
    assert lent[0]["nearby"] > lent[1]["nearby"]
    assert lent[0]["around"] > lent[1]["around"]


@pytest.mark.parametrize(
    "filters",
    [
        {"filter_tags": ("wood",)},
        {"filter_tags": ("wood",), "match_all_tags": True},
        {"exclude_self": True},
        {"min_score": 0.3},
    ],
    ids=["a tag", "all tags", "exclude_self", "min_score"],
)
def test_filters_hold_for_what_neighbours_bring(app, filters):
    told(app, *crowd(), turn(SEED, 4, tags=["Wood"]), turn(BESIDE, 5, "zoe"))
    assert BESIDE in found(app)
    narrowed = found(app, **filters)
    assert SEED in narrowed
    assert BESIDE not in narrowed


def test_a_neighbour_that_fits_the_filters_is_brought(app):
    told(
        app,
        *({**one, "tags": ["wood"]} for one in crowd()),
        turn(SEED, 4, tags=["wood"]),
        turn(BESIDE, 5, tags=["wood", "music"]),
    )
    assert BESIDE in found(app, filter_tags=("wood",), match_all_tags=True, exclude_self=True)


def test_an_erased_neighbour_neither_appears_nor_lends(app):
    told(app, turn("the answer is yes", 4), turn(SEED, 5), turn("no", 40))
    gone = found(app)[SEED].thought_id
    app.memory.forget(LOCAL, gone, agent_id="ann")
    left = found(app)
    assert {*left} <= {"the answer is yes", "no"}
    assert all("nearby" not in one.parts and "around" not in one.parts for one in left.values())


def test_sessions_of_one_name_in_two_spaces_never_mix(app):
    told(app, *crowd(), turn(SEED, 4))
    before = found(app)
    told(app, turn(BESIDE, 5), turn("cedar lantern cedar lantern", 3), access=OTHER)
    after = found(app)
    assert BESIDE not in after
    assert [(name, one.parts, one.score) for name, one in after.items()] == [
        (name, one.parts, one.score) for name, one in before.items()
    ]
    assert {*found(app, access=OTHER)} <= {BESIDE, "cedar lantern cedar lantern"}


def test_a_neighbour_of_several_passages_does_no_harm(app):
    told(app, turn(SEED, 4), turn("endless " * 800 + "violin", 5), turn("yes", 6))
    assert SEED in found(app)
    assert rows(app, "SELECT max(passages) FROM features")[0][0] > 1
