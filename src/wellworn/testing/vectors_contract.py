"""The test suite of every vector index: subclass `VectorIndexContract`, override `new_index`.

An index that survives a restart passes `persistence_contract` as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Barrier, Thread

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wellworn.engines.storage.vectors import Labels, Point, VectorIndex, Where
from wellworn.errors import IndexUnavailable
from wellworn.kit.matches import Match
from wellworn.testing.vectors import (
    DIMENSIONS,
    SPACES,
    TAGS,
    ListVectorIndex,
    axis,
    point,
    points,
    vector,
    without_vector,
)
from wellworn.testing.vectors_words_contract import ROUNDING, WORD_ROUNDING, WordsContract

_HERE = Where("meadow")
_TOLERANCE = 1e-5

_quiet = settings(
    max_examples=25,
    deadline=None,
    database=None,
    # Each example empties the index it shares, and each subclass is an executor of its own.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)

_wheres = st.builds(
    Where,
    space=st.sampled_from(SPACES),
    any_tags=st.frozensets(st.sampled_from(TAGS)),
    all_tags=st.frozensets(st.sampled_from(TAGS), max_size=1),
    not_contributor=st.sampled_from(("", "agent-0", "agent-1")),
    among=st.none() | st.frozensets(st.integers(1, 200)),
)
_queries = st.dictionaries(st.integers(0, 13), st.sampled_from((0.5, 1.0, 2.0)), max_size=4)


def assert_same(hits: Sequence[Match], expected: Sequence[Match]) -> None:
    """Compare by id and score; the order of equal cosines is free."""
    for hit, other in zip(sorted(hits), sorted(expected), strict=True):
        assert hit.id == other.id
        assert hit.cosine == pytest.approx(other.cosine, abs=_TOLERANCE)
        assert hit[2:] == pytest.approx(other[2:], abs=WORD_ROUNDING)


class VectorIndexContract(WordsContract):
    """Behaviour of every index; `new_index` makes an empty one of DIMENSIONS dimensions."""

    @pytest.fixture
    def new_index(self) -> Callable[[], VectorIndex]:
        raise NotImplementedError

    @pytest.fixture
    def index(self, new_index: Callable[[], VectorIndex]) -> Iterable[VectorIndex]:
        made = new_index()
        yield made
        made.close()

    def test_an_empty_index_finds_nothing(self, index: VectorIndex) -> None:
        assert index.candidates(axis(0), {1: 1.0}, _HERE, limit=5) == []
        assert index.count("meadow") == 0
        assert index.ids().tolist() == []

    @_quiet
    @given(
        seed=st.integers(0, 50),
        asked=st.integers(0, 9),
        terms=_queries,
        names=_queries,
        where=_wheres,
        limit=st.sampled_from((4, 30)),
    )
    def test_every_score_is_what_arithmetic_says(
        self,
        index: VectorIndex,
        *,
        seed: int,
        asked: int,
        terms: dict[int, float],
        names: dict[int, float],
        where: Where,
        limit: int,
    ) -> None:
        index.delete(index.ids().tolist())
        exact = ListVectorIndex(DIMENSIONS)
        stored = points(seed, 30)
        stored[::4] = map(without_vector, stored[::4])
        for each in (index, exact):
            each.upsert(stored)
        hits = index.candidates(vector(asked), terms, where, limit=limit, names=names)
        expected = exact.candidates(vector(asked), terms, where, limit=30, names=names)
        if limit == 30:
            assert_same(hits, expected)
        else:
            # Which of equal ones stand in a list is free; their scores are not.
            assert_same(hits, [hit for hit in expected if hit.id in {each.id for each in hits}])
        cosines = [hit.cosine for hit in hits]
        assert cosines == sorted(cosines, reverse=True)

    def test_a_vector_of_almost_length_one_is_brought_to_it(self, index: VectorIndex) -> None:
        short = np.float32(0.992)
        index.upsert([point(1, short * vector(1)), point(2, short * -vector(1))])
        hits = index.candidates(short * vector(1), {}, _HERE, limit=2)
        assert [hit.id for hit in hits] == [1, 2]
        assert [hit.cosine for hit in hits] == pytest.approx([1.0, -1.0], abs=ROUNDING)

    def test_no_cosine_is_beyond_one(self, index: VectorIndex) -> None:
        index.upsert([point(number) for number in range(1, 41)])
        for number in range(1, 41):
            for way in (vector(number), -vector(number)):
                hits = index.candidates(way, {}, _HERE, limit=40)
                assert all(-1.0 <= hit.cosine <= 1.0 for hit in hits)
                assert max(abs(hit.cosine) for hit in hits) == pytest.approx(1.0, abs=ROUNDING)

    def test_the_nearest_come_first_and_no_more_than_asked_for(self, index: VectorIndex) -> None:
        index.upsert(points(3, 40))
        exact = ListVectorIndex(DIMENSIONS)
        exact.upsert(points(3, 40))
        hits = index.candidates(vector(1), {}, _HERE, limit=7)
        assert [hit.id for hit in hits] == [
            hit.id for hit in exact.candidates(vector(1), {}, _HERE, limit=7)
        ]
        assert len(hits) == 7

    def test_an_exact_identifier_is_found_though_its_meaning_is_far(
        self, index: VectorIndex
    ) -> None:
        near = [point(number, axis(0), {1: 1.0}) for number in range(1, 21)]
        index.upsert([*near, point(99, -axis(0), {4_294_967_295: 1.0})])
        hits = index.candidates(axis(0), {4_294_967_295: 1.0}, _HERE, limit=3)
        last = hits[-1]
        assert len(hits) == 4
        assert last.id == 99
        assert last.cosine == pytest.approx(-1.0, abs=_TOLERANCE)
        assert last.keyword > 0

    def test_both_lists_carry_both_scores(self, index: VectorIndex) -> None:
        index.upsert([point(1, axis(0), {7: 0.5}), *(point(n, axis(1), {7: 2.0}) for n in (2, 3))])
        by_id = {hit.id: hit for hit in index.candidates(axis(0), {7: 1.0}, _HERE, limit=1)}
        assert by_id[1].keyword > 0
        other = next(hit for number, hit in by_id.items() if number != 1)
        assert other.keyword == pytest.approx(4 * by_id[1].keyword, abs=4 * WORD_ROUNDING)
        assert other.cosine == pytest.approx(0.0, abs=_TOLERANCE)

    def test_a_name_is_found_though_meaning_and_words_are_far(self, index: VectorIndex) -> None:
        near = [point(number, axis(0), {1: 1.0}) for number in range(1, 21)]
        index.upsert([*near, point(99, -axis(0), {5: 0.5, 6: 0.5, 8: 1.0})])
        hits = index.candidates(axis(0), {1: 1.0}, _HERE, limit=3, names={5: 1.0, 7: 1.0})
        last = hits[-1]
        assert last.id == 99
        assert last.cosine == pytest.approx(-1.0, abs=_TOLERANCE)
        assert last.keyword == 0.0
        assert last.name == pytest.approx(0.5 * np.log1p(20.5 / 1.5), rel=1e-4)
        assert {hit.name for hit in hits[:-1]} == {0.0}

    def test_every_list_carries_every_score(self, index: VectorIndex) -> None:
        index.upsert(
            [
                point(1, axis(0), {7: 0.5, 9: 0.5}),
                point(2, axis(1), {7: 2.0, 9: 1.0}),
                point(3, axis(2), {7: 1.0, 9: 3.0}),
                point(4, axis(3), {8: 1.0}),
            ]
        )
        hits = index.candidates(axis(0), {7: 1.0}, _HERE, limit=1, names={9: 1.0})
        idf = np.log1p(1.5 / 3.5)
        assert sorted(hit[0] for hit in hits) == [1, 2, 3]
        for hit, scores in zip(
            sorted(hits), [(1.0, 0.5, 0.5), (0.0, 2.0, 1.0), (0.0, 1.0, 3.0)], strict=True
        ):
            assert (hit.cosine, hit.keyword / idf, hit.name / idf) == pytest.approx(
                scores, abs=2 * WORD_ROUNDING
            )

    def test_asking_for_names_changes_no_other_score(self, index: VectorIndex) -> None:
        index.upsert(points(4, 40))
        plain = index.candidates(vector(2), {1: 1.0, 2: 0.5}, _HERE, limit=40)
        named = index.candidates(vector(2), {1: 1.0, 2: 0.5}, _HERE, limit=40, names={1: 1.0})
        assert [hit[:3] for hit in named] == [hit[:3] for hit in plain]
        assert {hit.name for hit in plain} == {0.0}

    def test_a_term_is_the_rarer_the_fewer_points_of_the_space_hold_it(
        self, index: VectorIndex
    ) -> None:
        index.upsert([point(1, terms={7: 1.0, 8: 1.0}), point(2, terms={7: 2.0}), point(3)])
        index.upsert([point(4, terms={9: 1.0}, labels=Labels("forest"))])
        expected = {7: 1.5 / 2.5, 8: 2.5 / 1.5, 9: 3.5 / 0.5}
        rarity = index.rarity([7, 8, 9], "meadow")
        assert rarity == pytest.approx({t: np.log1p(odds) for t, odds in expected.items()})
        assert index.rarity([7], "nowhere") == pytest.approx({7: np.log1p(1.0)})
        index.delete([2])
        assert index.rarity([7], "meadow") == pytest.approx({7: np.log1p(1.5 / 1.5)})

    def test_without_a_shared_term_the_keyword_score_is_zero(self, index: VectorIndex) -> None:
        index.upsert([point(1, axis(0), {7: 1.0}), point(2, axis(1))])
        hits = index.candidates(axis(0), {8: 1.0}, _HERE, limit=5)
        assert [hit.keyword for hit in hits] == [0.0, 0.0]

    def test_a_limit_of_nothing_finds_nothing(self, index: VectorIndex) -> None:
        index.upsert([point(1)])
        assert index.candidates(axis(0), {}, _HERE, limit=0) == []

    def test_no_search_sees_another_space(self, index: VectorIndex) -> None:
        index.upsert([point(1, axis(0), {7: 1.0}, Labels("forest")), point(2, -axis(0))])
        hits = index.candidates(axis(0), {7: 1.0}, _HERE, limit=10)
        assert [hit.id for hit in hits] == [2]
        assert index.candidates(axis(0), {7: 1.0}, Where("nowhere"), limit=10) == []

    def test_words_of_another_space_change_no_score(self, index: VectorIndex) -> None:
        index.upsert([point(1, axis(0), {7: 1.0, 8: 1.0}), point(2, axis(1), {9: 1.0})])
        before = index.candidates(axis(0), {7: 1.0}, _HERE, limit=5)
        index.upsert([point(n, axis(0), {7: 3.0}, Labels("forest")) for n in range(10, 60)])
        assert index.candidates(axis(0), {7: 1.0}, _HERE, limit=5) == before

    def test_a_point_filtered_away_still_counts_for_how_rare_a_word_is(
        self, index: VectorIndex
    ) -> None:
        index.upsert([point(1, axis(0), {7: 1.0}), point(2, axis(1), {8: 1.0})])
        before = index.candidates(axis(0), {7: 1.0}, Where("meadow"), limit=5)[0].keyword
        index.upsert([point(3, axis(1), {7: 1.0}, Labels("meadow", "someone"))])
        others = Where("meadow", not_contributor="someone")
        assert index.candidates(axis(0), {7: 1.0}, others, limit=5)[0].keyword < before

    def test_tags_filter_by_any_and_by_all(self, index: VectorIndex) -> None:
        index.upsert(
            [
                point(1, labels=Labels("meadow", "", frozenset({"red", "green"}))),
                point(2, labels=Labels("meadow", "", frozenset({"green"}))),
                point(3, labels=Labels("meadow", "", frozenset({"blue"}))),
                point(4),
            ]
        )

        none = frozenset[str]()

        def find(*, any_tags: frozenset[str] = none, all_tags: frozenset[str] = none) -> set[int]:
            where = Where("meadow", any_tags, all_tags)
            return {hit.id for hit in index.candidates(axis(0), {}, where, limit=9)}

        assert find(any_tags=frozenset({"red", "blue"})) == {1, 3}
        assert find(all_tags=frozenset({"red", "green"})) == {1}
        assert find(any_tags=frozenset({"red", "blue"}), all_tags=frozenset({"green"})) == {1}

    def test_a_contributor_can_be_left_out(self, index: VectorIndex) -> None:
        index.upsert(
            [point(1, terms={5: 1.0}, labels=Labels("meadow", "me")), point(2, terms={5: 1.0})]
        )
        where = Where("meadow", not_contributor="me")
        assert [hit.id for hit in index.candidates(axis(0), {5: 1.0}, where, limit=9)] == [2]

    def test_storing_a_point_again_replaces_all_of_it(self, index: VectorIndex) -> None:
        index.upsert([point(1, axis(0), {7: 1.0}), point(2, axis(1), {8: 1.0})])
        index.upsert([point(1, axis(2), {9: 1.0}, Labels("forest", "me", frozenset({"red"})))])
        assert index.count("meadow") == 1
        assert index.count("forest") == 1
        assert [hit.id for hit in index.candidates(axis(0), {7: 1.0}, _HERE, limit=9)] == [2]
        moved = index.candidates(axis(2), {7: 1.0, 9: 1.0}, Where("forest"), limit=9)
        assert moved[0].cosine == pytest.approx(1.0, abs=_TOLERANCE)
        assert moved[0].keyword == pytest.approx(np.log1p(0.5 / 1.5), abs=WORD_ROUNDING)

    def test_the_last_of_two_with_the_same_id_in_a_batch_stays(self, index: VectorIndex) -> None:
        index.upsert([point(1, axis(0)), point(1, axis(1))])
        assert index.candidates(axis(1), {}, _HERE, limit=1)[0].cosine == pytest.approx(1.0)
        assert index.count("meadow") == 1

    def test_what_is_deleted_is_gone_and_its_words_with_it(self, index: VectorIndex) -> None:
        index.upsert([point(n, axis(n), {7: 1.0} if n < 4 else {8: 1.0}) for n in range(1, 6)])
        index.delete([2, 3, 3, 400, 0, -1, 2**64])
        assert index.ids().tolist() == [1, 4, 5]
        assert index.count("meadow") == 3
        hits = index.candidates(axis(1), {7: 1.0}, _HERE, limit=9)
        assert hits[0].keyword == pytest.approx(np.log1p(2.5 / 1.5), abs=WORD_ROUNDING)

    def test_a_vector_is_given_back_rounded_until_its_point_is_deleted(
        self, index: VectorIndex
    ) -> None:
        index.upsert([point(1), without_vector(point(2))])
        found = index.find_vector(1)
        assert found is not None
        assert found == pytest.approx(vector(1), abs=ROUNDING)
        assert index.find_vector(2) is None
        index.delete([1])
        assert index.find_vector(1) is None

    def test_ids_come_in_ascending_order(self, index: VectorIndex) -> None:
        numbers = [2**63 - 1, 5, 2**40, 1, 77]
        index.upsert([point(number, axis(0)) for number in numbers])
        assert index.ids().tolist() == sorted(numbers)
        assert index.ids().dtype == np.int64

    def test_empty_batches_are_nothing(self, index: VectorIndex) -> None:
        index.upsert([])
        index.delete([])
        assert index.ids().tolist() == []

    @pytest.mark.parametrize(
        "bad",
        [
            point(2, np.ones(3, dtype=np.float32)),
            point(2, np.zeros(DIMENSIONS, dtype=np.float32)),
            point(2, np.full(DIMENSIONS, np.nan, dtype=np.float32)),
            point(2, np.full(DIMENSIONS, np.inf, dtype=np.float32)),
            point(2, 3 * axis(0)),
            point(0, axis(0)),
            point(2**63, axis(0)),
            point(2, axis(0), {-1: 1.0}),
            point(2, axis(0), {2**32: 1.0}),
            point(2, axis(0), {1: 0.0}),
            point(2, axis(0), {1: float("nan")}),
            point(2, axis(0), {1: float("inf")}),
            point(2, axis(0), {}, Labels("")),
        ],
    )
    def test_a_batch_with_one_bad_point_is_refused_whole(
        self, index: VectorIndex, bad: Point
    ) -> None:
        with pytest.raises(IndexUnavailable):
            index.upsert([point(1), bad, point(3)])
        assert index.ids().tolist() == []

    def test_a_bad_question_is_refused(self, index: VectorIndex) -> None:
        with pytest.raises(IndexUnavailable):
            index.candidates(np.zeros(3, dtype=np.float32), {}, _HERE, limit=1)
        with pytest.raises(IndexUnavailable):
            index.candidates(0.5 * axis(0), {}, _HERE, limit=1)
        with pytest.raises(IndexUnavailable):
            index.candidates(axis(0), {1: float("nan")}, _HERE, limit=1)
        with pytest.raises(IndexUnavailable):
            index.candidates(axis(0), {}, _HERE, limit=1, names={2**32: 1.0})

    def test_a_closed_index_answers_nothing(self, index: VectorIndex) -> None:
        index.close()
        calls: list[Callable[[], object]] = [
            lambda: index.upsert([point(1)]),
            lambda: index.delete([1]),
            lambda: index.candidates(axis(0), {}, _HERE, limit=1),
            index.ids,
            lambda: index.find_vector(1),
            lambda: index.count("meadow"),
            lambda: index.rarity([1], "meadow"),
        ]
        for call in calls:
            with pytest.raises(IndexUnavailable):
                call()
        index.close()

    def test_many_threads_may_search_while_one_writes(self, index: VectorIndex) -> None:
        index.upsert([point(1, axis(0), {1: 1.0})])
        together = Barrier(4)
        wrong: list[object] = []

        def search() -> None:
            together.wait()
            for _ in range(50):
                hits = index.candidates(axis(0), {1: 1.0, 2: 1.0}, _HERE, limit=3)
                if hits[0].id != 1:
                    wrong.append(hits)

        def write() -> None:
            together.wait()
            for number in range(2, 52):
                index.upsert([point(number, axis(1), {2: 1.0})])

        _run([search, search, search, write])
        assert wrong == []
        assert index.count("meadow") == 51

    def test_closing_under_searches_stops_them_with_an_error(self, index: VectorIndex) -> None:
        index.upsert([point(number) for number in range(1, 50)])
        together = Barrier(3)
        ended: list[str] = []

        def search() -> None:
            together.wait()
            while True:
                try:
                    index.candidates(axis(0), {}, _HERE, limit=10)
                except IndexUnavailable:
                    ended.append("unavailable")
                    return

        def close() -> None:
            together.wait()
            index.close()

        _run([search, search, close])
        assert ended == ["unavailable", "unavailable"]


def _run(bodies: Sequence[Callable[[], None]]) -> None:
    threads = [Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
