"""A tool that takes too long is left to itself, and changes nothing of what is there by then."""

from __future__ import annotations

import threading
from time import monotonic

from integration.fetch_servers import LOOPBACK
from integration.turn_world import ACCESS, READ_THREAD, Person, Site
from patience import LONG_S
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.turns import TurnSettings, turn_run
from wellworn.engines.fetch import FetchSettings, WebClient
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder


def test_a_page_that_nobody_waits_for_is_written_nowhere(tmp_path, monkeypatch):
    may_answer, readers, get = threading.Event(), [], WebClient.get

    def wait(client, *arguments, **more):
        readers.append(threading.current_thread())
        assert may_answer.wait(LONG_S)
        return get(client, *arguments, **more)

    monkeypatch.setattr(WebClient, "get", wait)
    # No time goes by before a tool has come to the page.
    monkeypatch.setattr(turn_run, "monotonic", lambda: monotonic() if readers else 0.0)
    settings = Settings(
        fetch=FetchSettings(private_networks=LOOPBACK), turns=TurnSettings(tool_timeout_s=0.05)
    )
    site, home, clock = Site(), tmp_path / "home", ManualClock()
    app = open_app(home, settings, embedder=HashEmbedder(), clock=clock)
    try:
        person = Person(app, home, site, clock)
        reply = person.ask(READ_THREAD)
        app.turns.remove(ACCESS, reply.turn.id)
        may_answer.set()
        for reader in readers:
            reader.join(LONG_S)
        assert readers
        assert site.visits
        assert not list(person.vault.rglob("webpage_cache/*"))
    finally:
        app.close()
        site.close()
