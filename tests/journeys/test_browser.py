"""The pages in a real browser: read, used, and looked over in both themes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from empty_memory import put_empty_database
from journeys.conftest import Server, serving
from journeys.pages import INSTALLED, NARROW, SPACE, Reader, open_browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(INSTALLED is None, reason="no Chromium is installed here"),
]


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("browser") / "home"
    put_empty_database(home)
    with serving(home) as server:
        yield server


@pytest.fixture
def reader(browser, server):
    reader = Reader(browser, server.url)
    yield reader
    reader.context.close()
    assert reader.complaints == []


def test_what_is_remembered_in_the_browser_answers_a_question_there(reader):
    page = reader.open("/")
    page.get_by_label("Ask, or say what is true").fill("The staging port is 5433.")
    page.get_by_role("button", name="Remember").click()
    page.get_by_role("heading", name="Remembered").wait_for()
    page.get_by_label("Ask, or say what is true").fill("What is the staging port?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Answer", exact=True).wait_for()
    assert "5433" in page.locator(".sources li").first.inner_text()
    page.get_by_role("button", name="Useful").first.click()
    page.get_by_role("status").filter(has_text="Noted").wait_for()
    assert page.get_by_role("button", name="Useful").first.get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [""])
def test_a_page_is_without_faults_in_both_themes(browser, server, path, scheme):
    reader = Reader(browser, server.url, color_scheme=scheme)
    reader.open(SPACE + path)
    assert reader.find_violations() == []
    reader.page.set_viewport_size({"width": NARROW, "height": 700})
    assert reader.find_overflow() == 0
    assert reader.complaints == []
    reader.context.close()
