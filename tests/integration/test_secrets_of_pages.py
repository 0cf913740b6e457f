"""A secret in the title or the address of a page that a turn reads is in none of its files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from integration import turn_world
from integration.fetch_servers import answer
from integration.turn_world import Site, person

__all__ = ["person"]

SECRET = "ghp_" + "a1B2c3D4" * 4 + "a1B2"


class Redirecting(Site):
    """Sends who comes to `/short` on to a page with a key in its address."""

    def _answer(self, request, send):
        if request.path.startswith("/short"):
            send(answer(302, location=f"/board?key={SECRET}"))
            return
        super()._answer(replace(request, path=request.path.partition("?")[0]), send)


@pytest.fixture
def site():
    site = Redirecting()
    yield site
    site.close()


def list_told(person):
    person.app.embedding.finish()
    return [path for path in person.home.rglob("*") if path.is_file() and has_secret(path)]


def has_secret(path):
    return SECRET.encode() in path.read_bytes()


def test_a_secret_in_the_title_of_a_page_is_taken_out(person, monkeypatch):
    monkeypatch.setitem(turn_world.TITLES, "/board", f"Tint removal {SECRET}")
    reply = person.ask("What does {site}/board say about tint removal?")
    assert "Tint removal" in person.read_capture(reply, "manifest.json")
    assert list_told(person) == []


@pytest.mark.parametrize("is_there", [True, False])
def test_a_secret_in_the_address_of_a_page_is_taken_out(person, site, is_there):
    if not is_there:
        site.bodies["/board"] = None
    reply = person.ask("What does {site}/short say about tint removal?")
    assert site.visits[f"/board?key={SECRET}"] >= 1
    assert list_told(person) == []
    assert SECRET not in reply.text
