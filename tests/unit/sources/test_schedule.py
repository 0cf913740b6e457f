"""When a source is due: once for each moment, after a failure, and at the start of the server."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from wellworn.domain.sources.models import USUAL, Source, SyncStatus
from wellworn.domain.sources.schedule import (
    find_cause,
    find_slot,
    format_job_key,
    list_other_options,
    make_wanted_slot,
    parse_job_key,
)

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC).timestamp()
HOUR = 3600.0
SOURCE = Source(
    id=1,
    source_type="folder",
    name="docs",
    config={},
    has_secret=False,
    agents=None,
    sync_schedule="0 * * * *",
    time_zone="UTC",
    is_paused=False,
    sync_status=SyncStatus.SUCCESS,
    sync_error=None,
    last_synced_at=NOON - 600,
    last_attempt_at=NOON - 600,
    next_attempt_at=None,
    failures=0,
    documents=1,
    created_at=NOON - 100 * HOUR,
    updated_at=NOON - 100 * HOUR,
)


def slot(source=SOURCE, now=NOON, started_at=NOON - 50 * HOUR):
    return find_slot(source, now, started_at=started_at, stale_after_s=HOUR)


def test_a_source_is_due_when_its_moment_has_come_and_not_before():
    assert slot(now=NOON - 1) == ""
    assert slot(now=NOON) == f"at-{int(NOON)}"


def test_a_moment_is_one_slot_however_late_it_is_seen():
    assert slot(now=NOON + 1) == slot(now=NOON + 1700) == f"at-{int(NOON)}"


def test_after_it_was_synced_the_next_moment_counts():
    done = replace(SOURCE, last_attempt_at=NOON + 5, last_synced_at=NOON + 5)
    assert slot(done, now=NOON + 10) == ""
    assert slot(done, now=NOON + HOUR) == f"at-{int(NOON + HOUR)}"


def test_the_schedule_is_kept_in_its_time_zone():
    berlin = replace(SOURCE, sync_schedule="0 14 * * *", time_zone="Europe/Berlin")
    assert slot(berlin, now=NOON) == f"at-{int(NOON)}"


def test_a_source_that_failed_is_tried_again_before_its_moment():
    failing = replace(SOURCE, next_attempt_at=NOON - 1200, failures=1)
    assert slot(failing, now=NOON - 1300) == ""
    assert slot(failing, now=NOON - 1100) == f"retry-{int(NOON - 1200)}"


def test_a_source_that_is_stale_when_the_server_starts_is_due_once():
    daily = replace(SOURCE, sync_schedule="0 23 * * *", last_synced_at=NOON - 5 * HOUR)
    daily = replace(daily, last_attempt_at=NOON - 5 * HOUR)
    assert slot(daily, started_at=NOON) == f"start-{int(NOON)}"
    tried = replace(daily, last_attempt_at=NOON + 1)
    assert slot(tried, now=NOON + 2, started_at=NOON) == ""


def test_a_source_without_a_schedule_is_never_due():
    assert slot(replace(SOURCE, sync_schedule=None, next_attempt_at=NOON - 9)) == ""


@pytest.mark.parametrize("options", [USUAL, *list_other_options(USUAL)])
def test_the_key_of_a_job_says_what_it_syncs(options):
    key = format_job_key("ks-default", 12, options)
    assert parse_job_key(key) == ("ks-default", 12, options)
    assert (
        len({key, *(format_job_key("ks-default", 12, o) for o in list_other_options(options))}) == 4
    )


def test_what_nobody_watches_is_looked_at_once_after_a_start():
    folder = replace(SOURCE, source_type="folder", sync_schedule=None, last_synced_at=NOON - 9)
    folder = replace(folder, last_attempt_at=NOON - 9, next_attempt_at=None)
    assert slot(folder, started_at=NOON) == f"start-{int(NOON)}"
    assert slot(replace(folder, last_attempt_at=NOON + 1), started_at=NOON) == ""
    assert slot(replace(folder, last_synced_at=None), started_at=NOON) == ""
    assert slot(replace(folder, source_type="url"), started_at=NOON) == ""
    repository = replace(folder, source_type="git_repo")
    assert slot(repository, started_at=NOON) == ""
    old = replace(repository, last_synced_at=NOON - 9_000)
    assert slot(old, started_at=NOON) == f"start-{int(NOON)}"


@pytest.mark.parametrize(
    ("slot", "cause"),
    [
        ("at-17-1", "schedule"),
        ("back-0", "schedule"),
        ("retry-17", "retry"),
        ("start-17", "start"),
        ("01890a5d-ac96-774b-bcce-b302099a8057", "hand"),
    ],
)
def test_the_slot_of_a_job_says_why_it_runs(slot, cause):
    assert find_cause(slot) == cause


@pytest.mark.parametrize("cause", ["hand", "watch", "webhook"])
def test_the_slot_of_a_sync_that_was_wanted_says_by_what(cause):
    assert find_cause(make_wanted_slot(cause)) == cause
