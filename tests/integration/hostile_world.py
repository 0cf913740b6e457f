"""Sources that are attacked: a site that answers as told, and what must hold after any attack."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import partial

from integration.fetch_servers import RawServer, answer
from integration.sources_world import LOCAL
from wellworn.domain.sources import NewSource, SyncOptions
from wellworn.engines.fetch import WebClient

GOOD = "Kopia runs nightly at 03:00."
BETTER = "Kopia runs nightly at 05:30."
PATH_OF_A_SERVER = re.compile(r"(?:/tmp|/home|/root|/usr|/var|site-packages|Traceback)\b")


def page(*said, **headers):
    """Return an answer with a page of these paragraphs."""
    body = "".join(f"<p>{one}</p>" for one in said)
    text = f"<!doctype html><html><body><main><h1>Backups</h1>{body}</main></body></html>"
    return answer(200, text.encode(), content_type="text/html; charset=utf-8", **headers)


class Site:
    """A web server whose pages are bytes, or functions of `asked` and `send`."""

    def __init__(self, **options):
        self.pages = {}
        self.server = RawServer(self._answer, **options)

    def _answer(self, asked, send):
        said = self.pages.get(asked.path, answer(404))
        send(said) if isinstance(said, bytes) else said(asked, send)

    @property
    def asked(self):
        return self.server.asked

    def url(self, path="/", host="127.0.0.1"):
        return self.server.url(path, host)

    def close(self):
        self.server.close()


class Kept:
    """A source of any kind, and what one asks of it."""

    def __init__(self, world, kind, config, *, name="wiki", secret=None, access=LOCAL):
        self.world, self.access = world, access
        self.source = world.sources.create(access, NewSource(kind, name, config, secret=secret))

    def sync(self, *, check=lambda: None, **options):
        asked = SyncOptions(**options)
        run, _ = self.world.sources.sync(self.access, self.source.id, options=asked, check=check)
        return run

    def documents(self):
        found = self.world.sources.list_documents(self.access, source_id=self.source.id, limit=1000)
        return {one.path: one for one in found}

    def search(self, text, **options):
        options = {"sources": (self.source.id,)} | options
        return self.world.sources.search(self.access, text, **options)

    def says(self, words):
        """Tell whether words are found, by search, in what is served."""
        return any(words in one.text for one in self.search(words))

    def status(self):
        return self.world.sources.get_source(self.access, self.source.id)


def told_well(run, said):
    """See that a run's message says this, in one plain line without places of the server."""
    said_well(run.message, said)


def said_well(message, said):
    assert re.search(said, message), message
    assert "\n" not in message
    assert not PATH_OF_A_SERVER.search(message)
    assert len(message) < 400


def survived(kept, run, status, said):
    """See that a sync that went wrong says so, and left what was there, marked as old."""
    assert run.status == status
    told_well(run, said)
    source = kept.status()
    assert (source.sync_status, source.sync_error) == (status, run.message)
    assert source.next_attempt_at > kept.world.clock.now()
    assert kept.says(GOOD)
    assert {one.state for one in kept.documents().values()} == {"stale"}
    assert all(one.is_stale for one in kept.search(GOOD))


def recovered(kept, words=BETTER):
    """See that the next sync, the cause being gone, is as if nothing had been."""
    run = kept.sync()
    assert run.status == "success", run.message
    source = kept.status()
    assert (source.sync_status, source.sync_error, source.failures) == ("success", None, 0)
    assert kept.says(words)
    assert {one.state for one in kept.documents().values()} == {"current"}


@contextmanager
def resolving(monkeypatch, resolver):
    """Have every client of a world opened within look names up here."""
    with monkeypatch.context() as patch:
        patch.setattr("integration.sources_world.WebClient", partial(WebClient, resolver=resolver))
        yield


def files_below(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def holders(folder, *secrets):
    """Return which files below a folder hold any of some texts, in any common writing."""
    needles = [
        shape
        for one in secrets
        for shape in (one.encode(), one.encode("utf-16-le"), one.encode().hex().encode())
    ]
    return sorted(
        path.name
        for path in files_below(folder)
        if _holds(str(path).encode() + path.read_bytes(), needles)
    )


def _holds(content, needles):
    # Files of an index are mostly holes.
    content = content.replace(bytes(512), b"\x00")
    return any(needle in content for needle in needles)
