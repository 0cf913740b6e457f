"""Pictures of pages: drawn by a browser that reaches nothing, or a reason why there is none."""

from __future__ import annotations

import os
import struct
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from chromium import DRAWS, FIND_TARGET, PNG, fake_chromium
from integration.fetch_servers import RawServer, answer
from wellworn.engines import screenshots
from wellworn.engines.screenshots import NoScreenshot, ScreenshotRenderer, find_chromium

PAGE = b"<h1>Best glass scraper?</h1>"
LONG_S = 120.0
INSTALLED = find_chromium()


def draw(script: str, *, timeout_s: float = LONG_S) -> bytes | NoScreenshot:
    with fake_chromium(script) as program:
        return ScreenshotRenderer(timeout_s, lambda: str(program)).render(PAGE)


def test_what_is_drawn_is_returned():
    assert draw(DRAWS) == PNG


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("#!/bin/sh\nexit 1", "Chromium failed"),
        ("#!/bin/sh\nkill -SEGV $$", "Chromium failed"),
        ("#!/bin/sh\nexit 0", "Chromium failed"),
        (DRAWS + "\nexit 3", "Chromium failed"),
        (FIND_TARGET + "echo '<html>' > $target", "no picture"),
        (FIND_TARGET + "head -c 5000000 /dev/zero > $target", "no picture of at most 4 MB"),
        (FIND_TARGET + "mkdir $target", "Chromium failed"),
        ("not a program", "Chromium failed"),
    ],
)
def test_what_goes_wrong_is_a_reason(script, reason):
    result = draw(script)
    assert isinstance(result, NoScreenshot)
    assert reason in result.reason


def test_a_machine_without_a_chromium_says_so():
    result = ScreenshotRenderer(LONG_S, lambda: None).render(PAGE)
    assert result == NoScreenshot("no Chromium is installed on the server's machine")


def test_what_hangs_is_ended_with_all_that_it_started():
    script = '#!/bin/sh\nexec 3>"$(dirname $0)/alive"\nsleep 1000 &\nsleep 1000\n'
    with fake_chromium(script) as program:
        alive = program.with_name("alive")
        os.mkfifo(alive)
        alive.chmod(0o666)
        reader = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
        result = ScreenshotRenderer(1.0, lambda: str(program)).render(PAGE)
        # This waits for as long as anything that was started holds the other end.
        os.set_blocking(reader, True)
        assert os.read(reader, 1) == b""
        os.close(reader)
    assert result == NoScreenshot("Chromium took too long")


def test_pages_are_drawn_one_after_the_other_and_leave_nothing_behind():
    script = (
        DRAWS
        + """
mkdir "$(dirname $0)/only" || exit 1
sleep 0.1
rmdir "$(dirname $0)/only"
pwd >> "$(dirname $0)/places"
"""
    )
    with fake_chromium(script) as program:
        program.parent.chmod(0o777)
        renderer = ScreenshotRenderer(LONG_S, lambda: str(program))
        with ThreadPoolExecutor(3) as pool:
            results = list(pool.map(renderer.render, [PAGE] * 3))
        places = program.with_name("places").read_text().split()
    assert results == [PNG] * 3
    assert len(set(places)) == 3
    assert not any(Path(place).exists() for place in places)


@pytest.mark.skipif(INSTALLED is None, reason="no Chromium is installed here")
def test_a_real_chromium_draws_a_page_and_reaches_nothing():
    with closing(RawServer(lambda _, send: send(answer(body=b"x")))) as site:
        hostile = f"""
        <title>x</title><style>body {{ background: #fec; }} @import "{site.url("/css")}";</style>
        <link rel=stylesheet href={site.url("/link")}><meta http-equiv=refresh
        content="0;url={site.url("/refresh")}"><h1>Best glass scraper?</h1><img
        src={site.url("/picture")}><iframe src={site.url("/frame")}></iframe><iframe
        src=file:///etc/passwd></iframe><script>fetch("{site.url("/script")}")</script><object
        data={site.url("/object")}></object><form action={site.url("/form")}><input autofocus>
        """
        renderer = ScreenshotRenderer(LONG_S)
        drawn = renderer.render(hostile.encode(), "utf-8")
        bare = renderer.render(b"<h1>Best glass scraper?</h1>")
        assert site.asked == []
    assert isinstance(drawn, bytes)
    assert isinstance(bare, bytes)
    assert struct.unpack(">II", drawn[16:24]) == (1280, 1600)
    assert drawn != bare


def test_a_page_that_a_killed_process_was_drawing_is_deleted_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(screenshots, "_IN_MEMORY", tmp_path)
    left = tmp_path / "wellworn-page-left"
    left.mkdir()
    (left / "held").touch()
    (left / "page.html").write_bytes(PAGE)
    ScreenshotRenderer(LONG_S)
    assert not left.exists()
