from __future__ import annotations

import pytest

from wellworn.engines.jobs import JobRun
from wellworn.engines.jobs.run import JobStopped


def test_a_run_made_by_hand_takes_its_steps_without_a_ledger():
    assert JobRun("s1").step("count", lambda: {"documents": 3}) == {"documents": 3}


def test_a_step_gives_the_first_time_what_it_gives_when_it_is_read_back():
    assert JobRun("s1").step("pair", lambda: (1, 2)) == [1, 2]


def test_a_stopped_run_takes_no_further_step():
    run = JobRun("s1")
    run.check_stop()
    run.stopping.set()
    with pytest.raises(JobStopped):
        run.step("next", lambda: pytest.fail("a step was taken"))


def test_being_stopped_is_no_exception_a_job_could_take_for_its_own():
    assert not issubclass(JobStopped, Exception)


def test_a_step_returns_ids_and_no_content():
    with pytest.raises(ValueError, match="ids"):
        JobRun("s1").step("read", lambda: "a sentence. " * 400)
    with pytest.raises(TypeError):
        JobRun("s1").step("read", object)
