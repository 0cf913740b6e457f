"""Large spaces are sorted by jobs, one at a time, which make way and outlive the process."""

from __future__ import annotations

import threading
from contextlib import closing, contextmanager

import pytest

from patience import LONG_S
from wellworn.application.bootstrap import open_app
from wellworn.application.calls.activity import WayMaker
from wellworn.application.calls.topics import TOPIC_JOB
from wellworn.application.settings import Settings
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.thoughts.topics import index as topics
from wellworn.domain.thoughts.topics.layout import TopicLayout
from wellworn.testing.embedder import HashEmbedder

LOCAL = local_access()
QUICK = Settings.model_validate({"jobs": {"poll_s": 0.05, "tick_s": 0.05}})
LAMPS = [f"The lamp burns whale oil, watch {at} of the lamp oil." for at in "abcdef"]


class Died(BaseException):
    """Stands for the end of the process."""


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Let a space of more than three thoughts count as large."""
    monkeypatch.setattr(topics, "AT_ONCE", 3)


@contextmanager
def served(home):
    with closing(open_app(home, QUICK, embedder=HashEmbedder())) as app:
        app.topics.begin(app.jobs)
        app.jobs.start()
        yield app


@pytest.fixture
def home(tmp_path):
    home = tmp_path / "home"
    with closing(open_app(home, embedder=HashEmbedder())) as app:
        say(app, *LAMPS)
    return home


def say(app, *texts):
    for text in texts:
        app.think(LOCAL, ThoughtDraft(text, contributor_id="ana", contributor_name="Ana"))


def look(app):
    return app.thoughts.topic_browser.list_topics(LOCAL)


def wait_until(question):
    for _ in range(int(LONG_S * 100)):
        if question():
            return
        threading.Event().wait(0.01)
    pytest.fail("it took too long")


def maintain(app):
    # A space that was just being filled waits for the second time.
    for _ in range(2):
        app.maintain()


def test_a_large_space_is_sorted_by_a_job_that_the_upkeep_submits(home):
    with served(home) as app:
        assert look(app).is_waiting
        maintain(app)
        wait_until(lambda: look(app).made_at)
        assert [topic.size for topic in look(app).topics] == [6]
        wait_until(lambda: app.jobs.find_active(TOPIC_JOB, LOCAL.space) is None)
        maintain(app)
        assert app.jobs.find_active(TOPIC_JOB, LOCAL.space) is None


def test_who_asks_for_it_does_not_wait_and_sees_it_afterwards(home):
    with served(home) as app:
        assert app.topics.sort(LOCAL).is_waiting
        wait_until(lambda: look(app).made_at)


def test_a_job_whose_process_died_is_made_by_the_next_one(home, monkeypatch):
    dead = threading.Event()

    def deadly(*_, **__):
        dead.set()
        raise Died

    with served(home) as app, monkeypatch.context() as patch:
        patch.setattr(TopicLayout, "build", deadly)
        app.topics.sort(LOCAL)
        assert dead.wait(LONG_S)
    with served(home) as app:
        wait_until(lambda: look(app).made_at)
        assert [topic.size for topic in look(app).topics] == [6]


def test_a_server_that_ends_waits_for_no_space_to_be_sorted(home, monkeypatch):
    begun = threading.Event()
    build = TopicLayout.build

    def slow(*args, pause, **more):
        begun.set()
        while True:
            pause()
        return build(*args, pause=pause, **more)

    monkeypatch.setattr(TopicLayout, "build", slow)
    with served(home) as app:
        app.topics.sort(LOCAL)
        assert begun.wait(LONG_S)
    with closing(open_app(home, embedder=HashEmbedder())) as app:
        assert look(app).made_at is None


def test_a_job_makes_way_for_calls_between_its_parts(home, monkeypatch):
    made_way = []
    make_way = WayMaker.make_way
    monkeypatch.setattr(
        WayMaker, "make_way", lambda self: (made_way.append(make_way(self)), None)[1]
    )
    with served(home) as app:
        app.topics.sort(LOCAL)
        wait_until(lambda: look(app).made_at)
    assert len(made_way) > 1


def test_a_space_that_is_gone_when_its_job_begins_is_passed_over(home):
    with served(home) as app:
        ticket = app.jobs.submit(TOPIC_JOB, "ks-gone")
        assert app.jobs.wait(ticket.id, LONG_S).status == "done"
