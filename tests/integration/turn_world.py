"""Somebody who asks in turns, and a site on loopback to ask about."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import contextmanager

import pytest

from integration.fetch_servers import LOOPBACK, RawServer, answer
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.turns import TurnQuery, TurnStatus
from wellworn.domain.turns.context_document import read_sections
from wellworn.engines.fetch import FetchSettings
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

ACCESS = local_access(DEFAULT_SPACE)
THREAD = """
<p>Posted by u/AquaristBob, 2 days ago</p>
<p>I look for a glass scraper for my 75 gallon tank.</p>
<p>{comments} comments</p>
<p>u/ReefKeeper99: I have used the Flipper Max for 3 years and it is fantastic.</p>
<p>Page 1 of 3</p>
"""
NESTED = """
<div class="comments">
<div class="comment"><a class="author">u/NanoFan</a> <span class="score">12 points</span>
<div class="md"><p>A razor blade does it.</p></div>
<div class="comment"><a class="author">u/ReefKeeper99</a> <span class="score">1,127 points</span>
<div class="md"><p>Blades scratch; take the Flipper Max.</p></div></div></div>
</div>
<ul class="pagination"><li>1</li><li class="active">2</li><li>7</li></ul>
"""
BOARD = """
<article class="post"><p class="username">AquaristBob</p>
<div class="content">Which scraper?</div></article>
<article class="post"><p class="username">MudWalker</p>
<div class="content">Try a magnet.</div><span class="likes">3</span></article>
<article class="post"><p class="username">TintHero</p>
<div class="content">Steam and a plastic scraper.</div><span class="likes">41</span></article>
"""
LAPTOP = "<p>RTX 4050, 16 GB of memory.</p><p>{price}</p><p>{stock}</p>"
HAMSTERS = """
<p>Syrian hamsters live alone and need a wheel.</p>
<table>
<tr><th>Product</th><th>Price</th><th>In Stock</th></tr>
<tr><td>Syrian Hamster</td><td>{price}</td><td>Yes</td></tr>
</table>
"""
TITLES = {
    "/thread": "Best glass scraper thoughts?",
    "/nested": "Best glass scraper thoughts?",
    "/board": "Tint removal tools",
    "/laptop": "Lenovo LOQ 15 laptop",
    "/hamsters": "Syrian hamsters for sale",
}
READ_THREAD = "What does {site}/thread say about glass scrapers?"
READ_LAPTOP = "What does {site}/laptop say about the Lenovo LOQ?"
READ_HAMSTERS = "What does {site}/hamsters say about hamsters?"
FIND_SOME = "Can you find me some for sale online please?"


class Site:
    """A forum and two shops; what they say can be changed, and a page without a body is gone."""

    def __init__(self) -> None:
        self.bodies = {
            "/thread": THREAD.format(comments=47),
            "/nested": NESTED,
            "/board": BOARD,
            "/laptop": LAPTOP.format(price="$697.00", stock="In stock"),
            "/hamsters": HAMSTERS.format(price="$25-$35"),
        }
        self.titles = dict(TITLES)
        self.answers = {}
        self._server = RawServer(self._answer)
        self.close = self._server.close

    def url(self, path: str = "") -> str:
        return self._server.url(path)

    @property
    def visits(self) -> Counter[str]:
        return Counter(request.path for request in self._server.asked)

    def _answer(self, request, send) -> None:
        if request.path in self.answers:
            self.answers[request.path](request, send)
            return
        title, body = self.titles.get(request.path), self.bodies.get(request.path)
        if body is None:
            send(answer(404))
            return
        page = (
            f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"
        )
        send(answer(body=page.encode(), content_type="text/html"))


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()


class Person:
    """Somebody who asks, and the files of the turns."""

    def __init__(self, app, home, site, clock, name="henry") -> None:
        self.app, self.home, self.clock, self.name = app, home, clock, name
        self._site = site
        self.vault = home / "turns" / DEFAULT_SPACE / "users" / name

    def befriend(self, name):
        """Return somebody else who asks in the same space."""
        return Person(self.app, self.home, self._site, self.clock, name)

    def ask(self, text):
        self.clock.advance(60)
        query = TurnQuery(text.format(site=self._site.url()), self.name, self.name.title())
        reply = self.app.turns.ask(ACCESS, query)
        assert reply.turn.status is (TurnStatus.FAILED if reply.missing else TurnStatus.DONE)
        return reply

    def read(self, reply, name="context.md"):
        return (self.vault / reply.turn.folder / name).read_text("utf-8")

    def read_analysis(self, reply):
        return json.loads(self.read(reply, "query_analysis.json"))

    def read_sections(self, reply):
        return {section.title[0]: section.text for section in read_sections(self.read(reply))}

    def read_capture(self, reply, name):
        [path] = self.vault.glob(f"{reply.turn.folder}/webpage_cache/*/{name}")
        return path.read_text("utf-8")


@contextmanager
def welcome_person(home, site):
    """Open a memory that may read the site, for somebody who asks."""
    clock = ManualClock()
    settings = Settings(fetch=FetchSettings(private_networks=LOOPBACK))
    app = open_app(home, settings, embedder=HashEmbedder(), clock=clock)
    yield Person(app, home, site, clock)
    app.close()


@pytest.fixture
def person(tmp_path, site):
    with welcome_person(tmp_path / "home", site) as person:
        yield person


def list_quotes(reply):
    return [claim.text for claim in reply.claims]
