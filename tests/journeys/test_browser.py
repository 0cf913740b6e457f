"""The pages in a real browser: read, used, and looked over in both themes."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest

from empty_memory import put_empty_database
from hostile_texts import HOSTILE_TEXTS
from journeys.conftest import Server, serving
from journeys.pages import (
    BOXES,
    FOREIGN,
    INSTALLED,
    NARROW,
    SPACE,
    Reader,
    normalise,
    open_browser,
    print_words,
)
from journeys.test_sync_kills import SOURCES, call
from patience import LONG_S

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(INSTALLED is None, reason="no Chromium is installed here"),
]

LINES = "application/x-ndjson"
ASK = "Ask, or say what is true"
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><style>*{display:none}</style></svg>",
    '"><a href="javascript:alert(1)" hx-get="/ui" hx-trigger="load">click</a>',
    "{{ 7007 * 191191 }} {% include '/etc/passwd' %}",
    "</p></main></body><h1>Signed in</h1><form action=//evil.example>",
    "[[Home|x]] [a](javascript:alert(1)) ![](http://evil.example/x.png) @import 'http://evil.example'",
    "\u202eesrever\u202c \x1b[31mred\x1b[0m \u200b<|im_start|>system",
    "W" * 9_000,
)
PATHS = (
    *("", "/digest", "/care/health", "/care/settings", "/thoughts?show=outdated"),
    *("/thoughts", "/thoughts?words=port", "/thoughts?show=held", "/thoughts?show=unneeded"),
    *(
        "/topics",
        "/sources",
        "/answers?term=cube",
        "/turns",
        "/spaces",
        "/care",
        "/quality",
        "/nothing",
    ),
    *(
        "/map",
        "/care/jobs",
        "/confirm?action=end&all=1",
        "/curated?action=outdated&count=3&done_at=2026-01-01",
    ),
    *("/spaces/trail?verify=1", "/spaces/confirm?do=rollback&since=2020-01-01&id=<b>x"),
)


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


@pytest.fixture(scope="module")
def hostile_server(tmp_path_factory) -> Iterator[Server]:
    """A memory whose thoughts, names, tags, documents and turns were all written by an attacker."""
    home = tmp_path_factory.mktemp("hostile") / "home"
    put_empty_database(home)
    documents = home.parent / "documents"
    documents.mkdir()
    listed = "".join(
        f"- **cube{number}** (10.0.0.{number}): runs {text}\n"
        for number, text in enumerate(HOSTILE[:6], 1)
    )
    (documents / "<b>a.md").write_text(
        f"# <img src=x onerror=alert(1)>\n\n{listed}\n- **cube** (10.0.0.7): runs Kopia.\n"
    )
    (documents / "b.md").write_text(
        "# Servers\n\n- **cube** (10.0.0.8): runs <script>alert(1)</script>.\n"
    )
    with serving(home) as server:
        for text in HOSTILE:
            said = {"prompt": f"The port is {text}", "contribute": "always"}
            name = {"agent_id": text[:90], "agent_name": text[:90]}
            call(server, "POST", "/api/v1/memory", said | name)
        source = {
            "source_type": "folder",
            "name": "<script>alert(1)</script>",
            "config": {"path": str(documents)},
        }
        added = call(server, "POST", SOURCES, source)
        call(server, "POST", f"{SOURCES}/{added['id']}/sync")
        call(
            server,
            "POST",
            "/api/v1/turns",
            {"query": f"Which port? {HOSTILE[1]}", "agent_id": "ana"},
        )
        yield server


@pytest.fixture
def reader(browser, server):
    reader = Reader(browser, server.url)
    yield reader
    reader.context.close()
    assert reader.complaints == []


def list_addresses(reader: Reader) -> list[str]:
    """Return every page, and one of each kind that a list leads to."""
    found = [SPACE + path for path in PATHS]
    leads = {
        "/thoughts?words=port": "thoughts/[0-9a-f-]{36}",
        "/topics": r"topics/[^/?]+",
        "/sources": r"sources/\d+",
        "/turns": "turns/[0-9a-f-]{36}",
    }
    for path, pattern in leads.items():
        page = reader.open(SPACE + path)
        hrefs = page.eval_on_selector_all(
            "main a", "links => links.map(l => l.getAttribute('href'))"
        )
        found += [href for href in hrefs if re.fullmatch(f"{SPACE}/{pattern}", href or "")][:1]
    for href in [*found]:
        if "/sources/" in href:
            page = reader.open(href)
            found.append(page.locator("#documents ~ ul a").first.get_attribute("href"))
        if "/thoughts/" in href:
            found.append(f"{SPACE}/confirm?action=erase&id={href.rpartition('/')[2]}")
    return [*found, "/ui/sign-in", "/ui/join"]


def test_every_page_shows_hostile_texts_as_texts_and_has_no_faults(browser, hostile_server):
    reader = Reader(browser, hostile_server.url, reduced_motion="reduce")
    addresses = list_addresses(reader)
    assert len(addresses) == len(PATHS) + 8
    pictures = os.environ.get("WELLWORN_PICTURES")
    for number, address in enumerate(addresses):
        reader.page.set_viewport_size({"width": 1280, "height": 860})
        page = reader.open(address)
        assert page.title() != "That did not work · wellworn", address
        assert (
            page.locator(
                "main script, main img, main style, main iframe, main [hx-trigger]"
            ).count()
            == 0
        )
        assert page.locator("h1").count() == 1, address
        assert "1339675337" not in page.locator("main").inner_text()
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": 1280, "height": 860})
            page.emulate_media(color_scheme=scheme)
            assert reader.find_violations() == [], f"{address}, {scheme}"
            if pictures:
                name = f"{number:02}-{address.strip('/').replace('/', '_')[:40]}-{scheme}.png"
                page.screenshot(path=Path(pictures, name), full_page=True)
            page.set_viewport_size({"width": NARROW, "height": 700})
            assert reader.find_overflow() == 0, f"{address}, {scheme}"
    assert reader.complaints == []
    reader.context.close()


@pytest.fixture(scope="module")
def flooded_server(tmp_path_factory) -> Iterator[Server]:
    """A memory in which a hundred hostile texts are thoughts, and where they fit names and tags."""
    home = tmp_path_factory.mktemp("flooded") / "home"
    put_empty_database(home)
    with serving(home) as server:
        lines = []
        for number, text in enumerate(HOSTILE_TEXTS):
            name = text if text.isprintable() and len(text) < 100 else f"author {number}"
            record = {"record": "thought", "content": f"{number}. {text}"}
            lines.append(
                record | {"contributor_id": name, "contributor_name": name, "tags": [name]}
            )
        body = "".join(json.dumps(line) + "\n" for line in lines).encode()
        request = Request(f"{server.url}/api/v1/import", body, {"content-type": LINES})
        with urlopen(request) as reply:
            assert json.load(reply)["imported"] == len(HOSTILE_TEXTS)
        yield server


def test_of_a_hundred_hostile_texts_none_runs_and_none_leaves_its_box(browser, flooded_server):
    reader = Reader(browser, flooded_server.url, viewport={"width": NARROW, "height": 700})
    address: str | None = f"{SPACE}/thoughts"
    shown: list[str] = []
    singles: list[str] = []
    while address:
        page = reader.open(address)
        assert page.evaluate(FOREIGN) == []
        assert page.evaluate(BOXES) == []
        assert reader.find_overflow() == 0
        assert page.locator("h1").all_inner_texts() == ["Thoughts"]
        words = page.locator(".thought .words a")
        shown += words.all_text_contents()
        singles += words.evaluate_all("links => links.map(l => l.getAttribute('href'))")
        older = page.get_by_role("button", name="Older")
        cursor = older.get_attribute("value") if older.count() else None
        address = cursor and f"{SPACE}/thoughts?cursor={cursor}"
    expected = {print_words(f"{number}. {text}") for number, text in enumerate(HOSTILE_TEXTS)}
    assert {normalise(each) for each in shown} == expected
    # Short of opening a hundred pages: one of each seven.
    for single in singles[::7]:
        page = reader.open(single)
        assert page.evaluate(FOREIGN) == []
        assert reader.find_overflow() == 0, single
        assert page.locator("h1").count() == 1
    for path in ("", "/topics", "/spaces", "/quality", "/thoughts?words=alert"):
        page = reader.open(SPACE + path)
        assert page.evaluate(FOREIGN) == []
        assert reader.find_overflow() == 0, path
    assert reader.complaints == []
    reader.context.close()


def test_what_is_remembered_in_the_browser_answers_a_question_there(reader):
    page = reader.open("/")
    page.get_by_label(ASK).fill("The staging port is 5433.")
    page.get_by_role("button", name="Remember").click()
    page.get_by_role("heading", name="Remembered").wait_for()
    page.get_by_label(ASK).fill("What is the staging port?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Answer", exact=True).wait_for()
    assert "5433" in page.locator(".sources li").first.inner_text()
    page.get_by_role("button", name="Useful").first.click()
    page.get_by_role("status").filter(has_text="Noted").wait_for()
    assert page.get_by_role("button", name="Useful").first.get_attribute("aria-pressed") == "true"


def test_a_thought_is_replaced_marked_and_erased_without_scripts(browser, server):
    reader = Reader(browser, server.url, java_script_enabled=False)
    page = reader.open(SPACE)
    page.get_by_label(ASK).fill("The lamp in the hall is green.")
    page.get_by_role("button", name="Remember").click()
    page.get_by_role("link", name="See it with its trace").click()
    old = page.url
    page.get_by_label("What is true instead").fill("The lamp in the hall is blue.")
    page.get_by_role("button", name="Replace").click()
    assert page.locator(".timeline del").inner_text() == "The lamp in the hall is green."
    page.goto(old)
    assert "The lamp in the hall is blue." in page.locator(".timeline").inner_text()
    page.get_by_role("button", name="Erase…").click()
    assert "The lamp in the hall is green." in page.locator("main").inner_text()
    page.get_by_role("button", name="Erase", exact=True).click()
    assert page.url == old
    assert "The words were erased" in page.locator("main").inner_text()
    assert "green" not in page.locator("article").inner_text()
    assert reader.complaints == []
    reader.context.close()


def test_the_keyboard_alone_asks_and_judges(reader):
    page = reader.open(SPACE)
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the page"
    page.keyboard.press("/")
    page.keyboard.type("The attic door sticks in summer.")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Remember"
    outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Remembered").wait_for()


def test_several_thoughts_are_marked_outdated_at_once(reader, server):
    for number in range(3):
        text = f"Crate {number} of the old stock stands in the cellar."
        call(
            server,
            "POST",
            "/api/v1/memory",
            {"prompt": text, "agent_id": "ana", "agent_name": "Ana", "contribute": "always"},
        )
    page = reader.open(f"{SPACE}/thoughts?words=crates+of+old+stock+in+the+cellar")
    for box in page.get_by_role("checkbox", name="Choose: Crate").all():
        box.check()
    page.get_by_role("button", name="Mark outdated…").click()
    assert page.locator("h1").inner_text() == "Mark outdated 3 thoughts?"
    page.get_by_role("button", name="Mark outdated", exact=True).click()
    page.get_by_role("link", name="All thoughts").click()
    listed = page.locator(".thought.is-past").filter(has_text="of the old stock")
    assert listed.count() == 3


@pytest.fixture
def barrels(tmp_path_factory) -> Iterator[Server]:
    """A memory with more of one agent's thoughts than a page shows."""
    home = tmp_path_factory.mktemp("barrels") / "home"
    put_empty_database(home)
    with serving(home) as server:
        said = {"agent_id": "ana", "agent_name": "Ana", "contribute": "always"}
        for number in range(35):
            call(server, "POST", "/api/v1/memory", said | {"prompt": f"Barrel {number} is empty."})
        yield server


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_was_chosen_on_two_pages_is_changed_at_once_and_undone(browser, barrels, scheme):
    reader = Reader(browser, barrels.url, java_script_enabled=False, color_scheme=scheme)
    page = reader.open(f"{SPACE}/thoughts?by=ana")
    page.get_by_role("checkbox", name="Choose: Barrel 34").check()
    page.get_by_role("button", name="Older").click()
    page.get_by_role("checkbox", name="Choose: Barrel 2 ").check()
    assert "1 more chosen on other pages" in page.locator(".choose").inner_text()
    page.get_by_role("button", name="Mark outdated…").click()
    assert page.locator("h1").inner_text() == "Mark outdated 2 thoughts?"
    page.get_by_role("button", name="Mark outdated", exact=True).click()
    assert page.locator("h1").inner_text() == "2 thoughts are outdated"
    done = page.url
    page.get_by_role("link", name="All thoughts").click()
    assert page.locator(".is-past").all_inner_texts()[0].startswith("Barrel 34")
    page.goto(done)
    page.get_by_role("button", name="Undo for all 2").click()
    page.get_by_role("link", name="All thoughts").click()
    assert page.locator(".is-past").count() == 0
    page.goto(done)
    assert "Nothing of it is left to undo." in page.locator("main").inner_text()
    assert reader.complaints == []
    reader.context.close()


def choose_all(page, action):
    page.goto(f"{SPACE}/thoughts?by=ana")
    page.get_by_label("With", exact=True).select_option("all that fit these filters")
    page.get_by_role("button", name=action).click()


def test_all_that_fit_are_counted_and_changed_after_one_confirmation(browser, barrels):
    reader = Reader(browser, barrels.url)
    page = reader.page
    choose_all(page, "Give an end…")
    assert page.locator("h1").inner_text() == "Give an end to 35 thoughts?"
    assert page.locator(".thought").count() == 5
    page.get_by_label("True until the end of").fill("2126-01-31")
    page.get_by_role("button", name="Give an end").click()
    page.get_by_role("button", name="Undo for all 35").click()
    assert page.locator("h1").inner_text() == "35 thoughts are as they were before"
    page.get_by_role("link", name="All thoughts").click()
    assert "until" not in page.locator(".thoughts").inner_text()
    choose_all(page, "Erase…")
    assert "This cannot be undone." in page.locator("main").inner_text()
    page.get_by_role("button", name="Erase", exact=True).click()
    assert page.locator("h1").inner_text() == "35 thoughts are erased"
    assert "no undo" in page.locator("main").inner_text()
    page.get_by_role("link", name="All thoughts").click()
    assert "Nothing is remembered here yet." in page.locator("main").inner_text()
    assert reader.complaints == []
    reader.context.close()


def test_a_cold_visit_loads_little_and_from_nowhere_else(browser, server):
    reader = Reader(browser, server.url)
    sizes = []
    reader.page.on(
        "requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"])
    )
    reader.open(SPACE)
    reader.page.wait_for_load_state("networkidle")
    assert 5_000 < sum(sizes) <= 60_000
    assert reader.complaints == []
    reader.context.close()


def test_a_page_that_is_open_shows_what_others_say_and_comes_back_by_itself(
    browser, tmp_path, serve
):
    home = tmp_path / "live"
    put_empty_database(home)
    server = serve(home)
    reader = Reader(browser, server.url)
    page = reader.open(SPACE)
    live = page.locator("#live")
    live.filter(has_text="Live").wait_for()
    assert "Nothing is remembered here yet." in page.locator("#recent").inner_text()
    told = {"agent_id": "ana", "agent_name": "Ana", "contribute": "always"}
    call(server, "POST", "/api/v1/memory", told | {"prompt": "The lamp is <b>green</b>."})
    page.locator("#recent .thought").wait_for()
    assert "The lamp is <b>green</b>." in page.locator("#recent").inner_text()
    page.locator("#recent .words a").focus()
    call(server, "POST", "/api/v1/memory", told | {"prompt": "The pump hums."})
    page.locator("#recent .thought").nth(1).wait_for()
    assert page.locator(":focus").inner_text() == "The lamp is <b>green</b>."
    assert reader.find_violations() == []
    port = urlsplit(server.url).port
    server.process.terminate()
    assert server.process.wait(timeout=LONG_S) == 0
    live.filter(has_text="Not live").wait_for()
    serve(home, "--port", str(port))
    live.filter(has_text=re.compile("^Live$")).wait_for()
    reader.complaints[:] = [each for each in reader.complaints if "ERR_CONN" not in each]
    assert reader.complaints == []
    reader.context.close()


def test_a_page_of_a_locked_or_deleted_space_says_so_and_comes_back_by_itself(
    browser, tmp_path, serve
):
    home = tmp_path / "locked"
    put_empty_database(home)
    server = serve(home)
    vault = {"name": "vault", "sealed": True, "member_name": "ana"}
    made = call(server, "POST", "/api/v1/spaces", vault)
    key, address = made["issued"]["key"], f"/ui/{made['space']['id']}"
    reader = Reader(browser, server.url)
    page = reader.page
    sign_in(page, address, key)
    page.get_by_label(ASK).fill("The vault is behind the clock.")
    page.get_by_role("button", name="Remember").click()
    page.locator("#recent .thought").wait_for()
    port = urlsplit(server.url).port
    server.process.terminate()
    assert server.process.wait(timeout=LONG_S) == 0
    server = serve(home, "--port", str(port))
    page.locator("#recent").get_by_text("This space is locked").wait_for()
    assert "cannot be seen any more" in page.locator("#live").inner_text()
    assert reader.find_violations() == []
    other = reader.context.new_page()
    sign_in(other, address, key)
    page.locator("#recent .thought").filter(has_text="behind the clock").wait_for()
    page.locator("#live[data-state=on]").wait_for()
    bearer = {"authorization": f"Bearer {key}"}
    where = f"{server.url}/api/v1/spaces/{made['space']['id']}"
    urlopen(Request(where, method="DELETE", headers=bearer)).close()
    page.locator("#recent").get_by_text("no space has this id").wait_for()
    assert "behind the clock" not in page.locator("main").inner_text()
    assert [each for each in reader.complaints if "ERR_CONN" not in each] == []
    reader.context.close()


def sign_in(page, address, key):
    page.goto(f"/ui/sign-in?next={address}")
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    page.locator("#live").wait_for()


class _Elsewhere(BaseHTTPRequestHandler):
    """A program that waits for its code, and a site that leads to another."""

    def do_GET(self):
        self.server.heard += [self.path] * self.path.startswith("/back")
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(f'<a href="{html.escape(self.server.leads_to)}">Connect</a>'.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def elsewhere():
    with ThreadingHTTPServer(("127.0.0.1", 0), _Elsewhere) as program:
        program.heard, program.leads_to = [], ""
        program.url = f"http://localhost:{program.server_port}"
        thread = Thread(target=program.serve_forever)
        thread.start()
        yield program
        program.shutdown()
        thread.join()


def test_a_program_that_a_site_leads_to_is_let_in_with_the_key_asked_once(
    browser, server, elsewhere
):
    made = call(server, "POST", "/api/v1/spaces", {"name": "pool", "member_name": "ana"})
    back = f"{elsewhere.url}/back"
    client = call(server, "POST", "/register", {"client_name": "Site", "redirect_uris": [back]})
    asked = {"response_type": "code", "client_id": client["client_id"], "redirect_uri": back}
    asked |= {"code_challenge": "c" * 43, "resource": f"{server.url}/mcp/{made['space']['id']}"}
    elsewhere.leads_to = f"{server.url}/authorize?{urlencode(asked)}"
    reader = Reader(browser, server.url)
    page = reader.page
    for is_signed_in in (False, True):
        page.goto(elsewhere.url)
        page.get_by_role("link", name="Connect").click()
        if not is_signed_in:
            page.get_by_label("Key").fill(made["issued"]["key"])
            page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Let Site in?").wait_for()
        assert reader.find_violations() == []
        page.get_by_role("button", name="Allow").click()
        page.wait_for_url(f"{back}?*")
        code = parse_qs(urlsplit(page.url).query)["code"][0]
        assert code.startswith("wc_")
    page.goto(elsewhere.leads_to)
    page.get_by_role("button", name="Deny").click()
    page.get_by_role("heading", name="It is not let in").wait_for()
    assert reader.find_violations() == []
    assert len(elsewhere.heard) == 2
    asked_elsewhere = f"asks {elsewhere.url}"
    assert [each for each in reader.complaints if not each.startswith(asked_elsewhere)] == []
    reader.context.close()


def test_an_open_page_keeps_no_server_alive(browser, tmp_path, serve):
    home = tmp_path / "idle"
    put_empty_database(home)
    server = serve(home, "--idle-exit", "5")
    reader = Reader(browser, server.url)
    page = reader.open(SPACE)
    page.locator("#live[data-state=on]").wait_for()
    assert server.process.wait(timeout=LONG_S) == 0
    page.locator("#live[data-state=off]").wait_for()
    reader.context.close()


def test_a_colleague_follows_an_invitation_and_is_in(browser, server):
    admin, colleague = (Reader(browser, server.url) for _ in range(2))
    page = admin.open(f"{SPACE}/spaces")
    page.get_by_role("button", name="Invite").click()
    assert page.get_by_role("img", name="The link as a QR code").count() == 1
    assert admin.find_violations() == []
    link = page.get_by_label("Invitation").locator("code").first.inner_text()
    page = colleague.open(link)
    assert page.url == f"{server.url}/ui/join"
    page.get_by_label("Your name there").fill("Ben")
    page.get_by_role("button", name="Join").click()
    page.get_by_text("it is shown this once").wait_for()
    assert colleague.find_violations() == []
    page.get_by_role("link", name="Open the space").click()
    assert "You may add and judge here." in page.locator(".whose").inner_text()
    page = admin.open(f"{SPACE}/spaces")
    page.get_by_label("Role of Ben").select_option("reader")
    page.get_by_role("button", name="Change").first.click()
    colleague.page.reload()
    assert "You may read here" in colleague.page.locator(".whose").inner_text()
    for reader in (admin, colleague):
        assert reader.complaints == []
        reader.context.close()


def test_with_a_key_alone_one_signs_in_and_out_again(browser, tmp_path, serve, wellworn):
    home = tmp_path / "home"
    key = wellworn("credential", "create", "ana").stdout.split()[-1]
    assert wellworn("stop").returncode == 0
    server = serve(home, WELLWORN_SPACES__REQUIRE_CREDENTIALS="true")
    reader = Reader(browser, server.url)
    page = reader.open(f"{SPACE}/thoughts")
    assert page.url.startswith(f"{server.url}/ui/sign-in")
    page.get_by_label("Key").fill("ww_wrong")
    page.get_by_role("button", name="Sign in").click()
    assert page.get_by_role("alert").count() == 1
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    assert page.url == f"{server.url}{SPACE}/thoughts"
    [cookie] = reader.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert key not in str(cookie)
    page.get_by_role("link", name="Care").click()
    page.get_by_role("button", name="Sign out").click()
    page.goto(SPACE)
    assert page.url.startswith(f"{server.url}/ui/sign-in")
    reader.context.close()
