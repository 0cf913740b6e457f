from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.jobs.models import make_ticket_id, split_ticket_id
from wellworn.errors import InvalidInput

parts = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.:@+-]{0,20}", fullmatch=True)


@given(parts, parts, parts)
def test_a_ticket_tells_its_job_and_its_key(name, key, slot):
    assert split_ticket_id(make_ticket_id(name, key, slot)) == (name, key)


@given(st.lists(st.tuples(parts, parts, parts), unique=True, min_size=2))
def test_different_slots_never_share_a_ticket(jobs):
    assert len({make_ticket_id(*job) for job in jobs}) == len(jobs)


@pytest.mark.parametrize("part", ["", "a/b", "a b", "-a", "ä", "a" * 129, "a\n", "a%"])
def test_a_part_that_could_be_taken_for_another_is_refused(part):
    for job in [(part, "k", "s"), ("n", part, "s"), ("n", "k", part)]:
        with pytest.raises(InvalidInput):
            make_ticket_id(*job)
