"""Pictures of the pages that turns visit: kept beside the page's text, and gone with it."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from contextlib import contextmanager

import pytest

from api.walls import founded, served, unlimited
from api.world import accepted
from chromium import DRAWS, PNG, fake_chromium
from integration.fetch_servers import LOOPBACK
from integration.turn_world import ACCESS, READ_THREAD, Person
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.turns import TurnSettings
from wellworn.engines.fetch import FetchSettings
from wellworn.errors import InvalidInput
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

WITH_PICTURES = TurnSettings(screenshots=True, tool_timeout_s=600)
LOCAL = FetchSettings(private_networks=LOOPBACK)
FAILS = "#!/bin/sh\nexit 1"
SECRET = "ghp_" + "a1B2c3D4" * 4 + "a1B2"


@pytest.fixture
def see(tmp_path, site, monkeypatch):
    """Return somebody whose turns see pages by a script that stands for a Chromium."""

    @contextmanager
    def open_person(script=DRAWS, turns=WITH_PICTURES, home=tmp_path / "home"):
        clock = ManualClock()
        settings = Settings(fetch=LOCAL, turns=turns)
        with fake_chromium(script) as program:
            monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
            app = open_app(home, settings, embedder=HashEmbedder(), clock=clock)
            yield Person(app, home, site, clock)
            app.close()

    return open_person


def list_pictures(home):
    return [path.read_bytes() for path in home.rglob("screenshot.png")]


def find_picture(person, reply):
    paths = person.app.turns.list_files(ACCESS, reply.turn.id)
    [path] = [path for path in paths if path.endswith(".png")]
    return path


def test_a_visit_keeps_a_picture_beside_the_text(see):
    with see() as person:
        reply = person.ask(READ_THREAD)
        manifest = json.loads(person.read_capture(reply, "manifest.json"))
        assert manifest["captured"]["screenshot"] is True
        assert manifest["screenshot"] == "screenshot.png"
        assert "![Screenshot](screenshot.png)" in person.read_capture(reply, "page_content.md")
        assert list_pictures(person.home) == [PNG]
        path = find_picture(person, reply)
        assert person.app.turns.read_file(ACCESS, reply.turn.id, path) == b64encode(PNG).decode()


def test_nothing_is_drawn_unless_it_is_wanted(see):
    with see(turns=TurnSettings()) as person:
        manifest = json.loads(person.read_capture(person.ask(READ_THREAD), "manifest.json"))
        assert manifest["captured"]["screenshot"] is False
        assert "no_screenshot" not in manifest
        assert list_pictures(person.home) == []


def test_without_a_picture_the_manifest_says_why_and_the_turn_goes_on(see, site):
    with see(FAILS) as person:
        reply = person.ask(READ_THREAD)
        manifest = json.loads(person.read_capture(reply, "manifest.json"))
        assert manifest["captured"] == {
            "page_content": True,
            "screenshot": False,
            "extracted_data": True,
        }
        assert manifest["no_screenshot"] == "There is no screenshot: Chromium failed."
        assert "screenshot" not in person.read_capture(reply, "page_content.md").lower()
        assert "glass scraper" in reply.text
        site.bodies["/board"] = f"<p>The token of the board is {SECRET}</p>"
        secret = person.ask("What does {site}/board say about the token?")
        manifest = json.loads(person.read_capture(secret, "manifest.json"))
        assert "looks like a secret" in manifest["no_screenshot"]


def test_a_picture_moves_and_goes_with_its_turn(see, tmp_path):
    with see() as person, see(home=tmp_path / "other") as other:
        reply = person.ask(READ_THREAD)
        person.clock.advance(86_400)
        now = person.clock.now()
        person.app.turns.archive(ACCESS, agent_id="henry", before=now)
        [archived] = person.home.rglob("screenshot.png")
        assert "archive" in archived.parts
        assert archived.read_bytes() == PNG
        person.app.turns.restore(ACCESS, reply.turn.id)
        files = [each for each in person.app.export(ACCESS) if each["record"] == "turn_file"]
        other.app.import_records(ACCESS, files)
        assert list_pictures(other.home) == list_pictures(person.home) == [PNG]
        person.app.turns.remove(ACCESS, reply.turn.id)
        assert list_pictures(person.home) == []


def test_what_is_called_a_picture_and_is_none_is_not_imported(see, tmp_path):
    with see() as person, see(home=tmp_path / "other") as other:
        person.ask(READ_THREAD)
        files = [each for each in person.app.export(ACCESS) if each["record"] == "turn_file"]
        forged = [each | {"content": "<p>"} for each in files if each["path"].endswith(".png")]
        with pytest.raises(InvalidInput, match="must be base64"):
            other.app.import_records(ACCESS, forged)


@pytest.mark.parametrize("sealed", [True, False])
def test_a_picture_is_as_sealed_as_its_space(site, monkeypatch, sealed):
    settings = unlimited().model_copy(update={"turns": WITH_PICTURES, "fetch": LOCAL})
    with served(settings) as world, fake_chromium(DRAWS) as program:
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        owner = founded(world, sealed=sealed)
        body = {"query": READ_THREAD.format(site=site.url()), "agent_id": "ada"}
        turn = accepted(owner.post("turns", body))["turn"]["id"]
        files = accepted(owner.get(f"turns/{turn}/files"))["files"]
        [path] = [path for path in files if path.endswith(".png")]
        response = owner.get(f"turns/{turn}/files/{path}")
        assert (response.headers["content-type"], response.content) == ("image/png", PNG)
        encoded = b64encode(PNG)
        kept = [file.read_bytes() for file in world.home.rglob("*") if file.is_file()]
        assert any(PNG in raw or encoded in raw for raw in kept) is not sealed
