"""Sleep by jobs: once at a time, going on after the end of the process, making way for calls."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing, contextmanager

import pytest

from integration.test_topic_jobs import LAMPS, LOCAL, QUICK, Died, say, tiny, wait_until
from patience import LONG_S
from wellworn.application.bootstrap import DATABASE, open_app
from wellworn.application.calls.activity import WayMaker
from wellworn.application.calls.sleeping import SLEEP_JOB
from wellworn.application.settings import Settings
from wellworn.domain.thoughts.store import consolidations as store
from wellworn.kit.clock import SystemClock
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

__all__ = ["tiny"]
ROPES = [f"Splice the hemp rope, coil {at} of hemp rope." for at in "pqrst"]


@contextmanager
def served(home, settings=QUICK, **more):
    with closing(open_app(home, settings, embedder=HashEmbedder(), **more)) as app:
        app.topics.begin(app.jobs)
        app.sleep.begin(app.jobs)
        app.jobs.start()
        yield app


@pytest.fixture
def home(tmp_path):
    home = tmp_path / "home"
    with closing(open_app(home, embedder=HashEmbedder())) as app:
        say(app, *LAMPS, *ROPES)
        app.thoughts.topics.sort(LOCAL.space)
    return home


def look(app):
    return app.thoughts.sleeper.tell(LOCAL)


def sleep(app):
    return app.sleep.sleep(LOCAL, dry_run=False, limit=20)


def rows(home) -> list[tuple[int, int]]:
    with closing(sqlite3.connect(home / DATABASE)) as database:
        return database.execute(
            "SELECT consolidation_seq, count(*) FROM consolidation_sources GROUP BY 1"
        ).fetchall()


def test_a_large_space_sleeps_in_the_background(home):
    with served(home) as app:
        assert sleep(app).is_waiting
        wait_until(lambda: look(app).slept_at)
        assert look(app).kept == 2
    assert sorted(size for _, size in rows(home)) == [5, 6]


def test_a_dry_run_waits_for_nothing(home):
    with served(home) as app:
        rest = app.sleep.sleep(LOCAL, dry_run=True, limit=1)
        assert (rest.made, len(rest.overviews), rest.slept_at) == (2, 1, None)
    assert rows(home) == []


@pytest.mark.parametrize("step", ["add", "renew", "remove", "save_sleep"])
def test_a_sleep_that_was_killed_at_any_step_is_finished_by_the_next_process(
    home, monkeypatch, step
):
    if step in {"renew", "remove"}:
        with served(home) as app:
            sleep(app)
            wait_until(lambda: look(app).slept_at)
            gone = LAMPS[:4] if step == "remove" else LAMPS[:1]
            for text in gone:
                [hit, *_] = app.look_up(LOCAL, text)
                app.forget(LOCAL, hit.thought_id, agent_id="ana")
    slept_before = 2 if step in {"renew", "remove"} else 0
    assert len(rows(home)) == slept_before
    dead = threading.Event()

    def deadly(*_, **__):
        dead.set()
        raise Died

    with served(home) as app, monkeypatch.context() as patch:
        patch.setattr(store, step, deadly)
        sleep(app)
        assert dead.wait(LONG_S)
    with served(home) as app:
        wait_until(lambda: app.jobs.find_active(SLEEP_JOB, LOCAL.space) is None)
        assert app.thoughts.sleeper.sleep(LOCAL).kept == look(app).kept
    sizes = {"remove": [5], "renew": [5, 5]}.get(step, [5, 6])
    assert sorted(size for _, size in rows(home)) == sizes


def test_a_server_that_ends_waits_for_no_sleep(home, monkeypatch):
    begun = threading.Event()

    def slow(sleeper, _access, *, pause):
        begun.set()
        while True:
            pause()

    with served(home) as app:
        monkeypatch.setattr(type(app.thoughts.sleeper), "sleep", slow)
        app.jobs.submit(SLEEP_JOB, LOCAL.space)
        assert begun.wait(LONG_S)


def test_a_sleep_makes_way_for_calls_between_its_parts(home, monkeypatch):
    made_way = []
    make_way = WayMaker.make_way
    monkeypatch.setattr(
        WayMaker, "make_way", lambda self: (made_way.append(make_way(self)), None)[1]
    )
    with served(home) as app:
        sleep(app)
        wait_until(lambda: look(app).slept_at)
    assert len(made_way) >= 4


def test_a_space_that_is_gone_is_passed_over(home):
    with served(home) as app:
        ticket = app.jobs.submit(SLEEP_JOB, "ks-gone")
        assert app.jobs.wait(ticket.id, LONG_S).status == "done"
        assert app.thoughts.sleeper.tell(LOCAL).slept_at is None


def test_each_space_sleeps_once_a_night_and_sooner_when_it_has_grown(tmp_path):
    clock = ManualClock()
    with served(tmp_path / "home", clock=clock) as app:
        sleep_if_due = app.thoughts.sleeper.sleep_if_due
        sleep_if_due()
        assert look(app).slept_at is None
        say(app, *LAMPS)
        app.thoughts.sleeper.hand_over = None
        for hours, is_due in ((0, False), (23, False), (1, True), (23, False), (1, True)):
            before = look(app).slept_at
            clock.advance(hours=hours)
            sleep_if_due()
            assert look(app).slept_at == (clock.now() if is_due else before)
        say(app, *(f"Number {at} says something of its own." for at in range(100)))
        before = clock.now()
        sleep_if_due()
        assert look(app).slept_at == before
        clock.advance(hours=1)
        sleep_if_due()
        assert look(app).slept_at == clock.now()


def a_day_later() -> ManualClock:
    return ManualClock(SystemClock().now() + 86_400.0)


def test_the_upkeep_lets_a_space_sleep_unless_the_settings_say_no(home, monkeypatch):
    off = Settings.model_validate({"thoughts": {"sleep_hours": 0}})
    for settings, times in ((off, 0), (QUICK, 1)):
        with closing(open_app(home, settings, embedder=HashEmbedder())) as app:
            monkeypatch.setattr(app.thoughts.sleeper, "_clock", a_day_later())
            app.maintain()
            assert (look(app).slept_at is not None) == bool(times)
