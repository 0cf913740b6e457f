"""Pages without a browser: who gets them, what a form may do, and what every answer says."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest
from starlette.routing import Match

from api.walls import closed, founded, served, unlimited
from wellworn.domain.spaces import SESSION_S, BrowserSessions, KnownCredential
from wellworn.domain.thoughts.topics import TopicBrowser
from wellworn.engines.storage import disk
from wellworn.interfaces.web import site
from wellworn.interfaces.web.pages import PAGES
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

SPACE = "/ui/ks-default"
OWN = {"sec-fetch-site": "same-origin"}
PAGES_TO_READ = sorted(path for method, path, _ in PAGES if method == "GET" and "{" not in path)
WRITES = sorted(path for method, path, _ in PAGES if method == "POST")
STATIC = Path(site.__file__).parent / "static"
VENDORED = (STATIC, Path(__file__).resolve().parents[1] / "vendor")


@pytest.fixture(scope="module")
def world():
    with served() as world:
        world.know("The lamp is green.", "ada")
        yield world


@pytest.fixture(scope="module")
def locked():
    """A server where every call needs a key."""
    with closed() as admin:
        yield admin


@pytest.fixture
def gated(locked):
    """That server, seen by a browser that nobody has signed in."""
    locked.world.client.cookies.clear()
    return locked


def sign_in(caller, key):
    caller.world.client.cookies.clear()
    form = {"key": key, "next": SPACE}
    return caller.world.client.post("/ui/sign-in", data=form, headers=OWN, follow_redirects=False)


def member_key(admin, role):
    issued = admin.post("credentials", {"name": role, "role": role}).json()
    return issued["key"]


@pytest.mark.parametrize("path", PAGES_TO_READ)
def test_no_page_lets_anything_in_that_is_not_its_own(world, path):
    reply = world.client.get(SPACE + path, params={"action": "erase"})
    policy = dict(
        part.strip().partition(" ")[::2]
        for part in reply.headers["content-security-policy"].split(";")
    )
    assert policy.pop("default-src") == "'none'"
    assert set(policy.values()) == {"'self'", "'none'"}
    assert reply.headers["cache-control"] == "no-store"
    kinds = {"/export": "application/x-ndjson", "/points": "application/json"}
    kind = next((kinds[end] for end in kinds if path.endswith(end)), "text/html; charset=utf-8")
    assert reply.headers["content-type"] == kind
    assert " style=" not in reply.text
    assert " onclick=" not in reply.text
    assert "<script>" not in reply.text


@pytest.mark.parametrize("path", PAGES_TO_READ)
def test_a_page_loads_htmx_where_a_form_needs_it_and_nowhere_else(world, path):
    page = world.client.get(f"{SPACE}{path}").text
    assert ("htmx.min.js" in page) == ("hx-post" in page)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://127.0.0.1:3000"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
    ],
)
@pytest.mark.parametrize("path", WRITES)
def test_a_form_of_another_page_changes_nothing(world, path, headers):
    before = world.read("thoughts", limit=100)
    form = {"prompt": "The lamp is red.", "do": "remember"}
    reply = world.client.post(SPACE + path, data=form, headers=headers)
    assert reply.status_code in {400, 403}
    assert world.read("thoughts", limit=100) == before


def test_a_form_of_an_old_browser_names_its_origin(world):
    form = {"prompt": "The stove is cold.", "do": "remember"}
    origin = {"origin": str(world.client.base_url)}
    assert world.client.post(f"{SPACE}/ask", data=form, headers=origin).status_code == 200
    assert "The stove is cold." in json.dumps(world.read("thoughts"))


def test_a_link_on_another_page_leads_here_and_nothing_else_does(world):
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    open_page = {**link, "sec-fetch-dest": "document"}
    assert world.client.get(SPACE, headers=open_page).status_code == 200
    for headers in ({**link, "sec-fetch-dest": "iframe"}, {"sec-fetch-site": "cross-site"}):
        assert world.client.get(SPACE, headers=headers).status_code == 403
    assert world.client.post(f"{SPACE}/ask", headers=open_page).status_code == 403
    assert world.client.get("/api/v1/thoughts", headers=open_page).status_code == 403


def test_a_question_stores_nothing_and_a_search_leaves_no_trail(world):
    thought_id = world.know("The kettle whistles at noon.", "zoe")
    before = world.read("thoughts", limit=100)
    world.client.get(f"{SPACE}/thoughts", params={"q": "kettle"})
    assert world.record(thought_id)["access_count"] == 0
    world.client.post(f"{SPACE}/ask", data={"prompt": "When does it whistle?"}, headers=OWN)
    assert world.read("thoughts", limit=100) == before
    assert world.record(thought_id)["access_count"] == 1


def test_a_trail_is_drawn_and_stands_in_a_table_beside_it(world):
    thought_id = world.know("The attic window is round.", "zoe")
    for days in (0, 0, 25):
        world.clock.advance(days * 86_400.0)
        world.ask("Is the attic window round?", contribute="never")
    page = world.client.get(f"{SPACE}/thoughts/{thought_id}").text
    figure = page.partition('<figure class="trail">')[2].partition("</figure>")[0]
    assert "at most 2 at once" in figure
    assert figure.count('<rect class="worn"') == 2
    assert '<td class="number">2</td>' in page


def test_where_a_key_is_needed_it_buys_a_cookie_that_no_script_and_no_other_site_gets(gated):
    client = gated.world.client
    refused = client.get(f"{SPACE}/thoughts?tag=a", follow_redirects=False)
    assert refused.headers["location"] == "/ui/sign-in?next=%2Fui%2Fks-default%2Fthoughts%3Ftag%3Da"
    assert sign_in(gated, "ww_wrong").status_code == 401
    assert "set-cookie" not in sign_in(gated, "ww_wrong").headers
    reply = sign_in(gated, gated.key)
    assert (reply.status_code, reply.headers["location"]) == (303, SPACE)
    cookie = reply.headers["set-cookie"].lower()
    assert all(
        word in cookie for word in ("httponly", "samesite=strict", "max-age=43200", "path=/")
    )
    assert gated.key not in cookie
    assert client.get(SPACE).status_code == 200


def test_over_tls_the_cookie_belongs_to_this_host_alone(gated):
    reply = gated.world.client.post(
        "https://127.0.0.1:3200/ui/sign-in",
        data={"key": gated.key},
        headers=OWN,
        follow_redirects=False,
    )
    cookie = reply.headers["set-cookie"]
    assert cookie.startswith("__Host-wellworn=")
    assert "Secure" in cookie


def test_signing_in_leads_to_pages_of_this_server_only(gated):
    form = {"key": gated.key, "next": "https://evil.example/"}
    reply = gated.world.client.post("/ui/sign-in", data=form, headers=OWN, follow_redirects=False)
    assert reply.headers["location"] == "/ui"


def test_a_revoked_key_ends_its_browsers(gated):
    key = member_key(gated, "contributor")
    sign_in(gated, key)
    assert gated.world.client.get(SPACE).status_code == 200
    gated.send("DELETE", f"credentials/{key.split('_')[1]}")
    refused = gated.world.client.get(SPACE, follow_redirects=False)
    assert refused.status_code == 303
    assert "max-age=0" in refused.headers["set-cookie"].lower()


def test_a_reader_sees_everything_and_is_offered_nothing_that_changes_it(gated):
    gated.know("The lamp is green.")
    sign_in(gated, member_key(gated, "reader"))
    client = gated.world.client
    listed = client.get(f"{SPACE}/thoughts").text
    thought = listed.partition(f'href="{SPACE}/thoughts/')[2].partition('"')[0]
    texts = [
        client.get(SPACE + path).text
        for path in ("", "/thoughts", f"/thoughts/{thought}", "/sources", "/spaces")
    ]
    assert "The lamp is green." in texts[2]
    for label in (
        "Remember<",
        "Erase",
        "Mark outdated",
        "Replace<",
        "Add and sync",
        ">Invite<",
        "checkbox",
    ):
        assert [label for text in texts if label in text] == []
    before = gated.get("thoughts").json()
    for path in WRITES:
        form = {"prompt": "x", "do": "remember", "action": "erase", "id": thought, "role": "reader"}
        form |= {"kind": "folder", "place": "/srv", "resolution": "both", "query": ""}
        address = SPACE + path.format(thought_id=thought, source_id=1, conflict_id=1)
        reply = client.post(address, data=form, headers=OWN, follow_redirects=False)
        assert reply.status_code in {400, 403, 404} or "care" in path, path
    assert gated.get("thoughts").json() == before


def test_a_space_that_one_may_not_enter_is_none(gated):
    sign_in(gated, gated.key)
    reply = gated.world.client.get("/ui/ks-nobodys")
    assert reply.status_code == 404
    assert "no space has this id" in reply.text


def test_a_session_ends_after_twelve_hours_and_can_be_ended_by_its_own_key_only(world):
    clock = ManualClock()
    browsers = BrowserSessions(world.app.database, clock)
    secret = browsers.begin("ww_key", "kid", "Firefox")
    session = browsers.find(secret)
    assert session is not None
    assert session.credential == "ww_key"
    assert "ww_key" not in repr(session)
    browsers.end(session.id, "another")
    assert browsers.find(secret) == session
    assert [each.id for each in browsers.list_sessions("kid")] == [session.id]
    clock.advance(SESSION_S)
    assert browsers.find(secret) is None
    assert browsers.list_sessions("kid") == []
    again = browsers.begin("ww_key", "kid", "Firefox")
    browsers.end(browsers.find(again).id, "kid")
    assert browsers.find(again) is None


def test_no_credential_signs_all_others_out(world):
    clock = ManualClock()
    sessions = BrowserSessions(world.app.database, clock)
    other = sessions.begin("ww_ben", "ben", "Firefox")
    own: list[str] = []
    for _ in range(30):
        clock.advance(1)
        own.append(sessions.begin("ww_ana", "ana", "Firefox"))
    assert len(sessions.list_sessions("ana")) == 20
    assert [sessions.find(each) is None for each in own] == [True] * 10 + [False] * 20
    assert sessions.find(other) is not None
    clock.advance(SESSION_S)
    sessions.begin("ww_kim", "kim", "Firefox")
    assert len(sessions._keys) == 1  # no key outlasts its session in memory
    assert world.rows("SELECT count(*) FROM browser_sessions") == [(1,)]


def test_who_signs_in_beside_others_keeps_the_key(world):
    sessions = BrowserSessions(world.app.database, ManualClock())
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            secrets = [
                *pool.map(lambda n: sessions.begin(f"ww_{n}", f"k{n}", "Firefox"), range(40))
            ]
    finally:
        sys.setswitchinterval(interval)
    assert [sessions.find(each).credential for each in secrets] == [f"ww_{n}" for n in range(40)]


def test_on_a_full_disk_one_signs_in_and_out(gated, monkeypatch):
    client = gated.world.client
    monkeypatch.setattr(disk, "free_bytes", lambda _path: 20 * 1024**2)
    sign_in(gated, gated.key)
    [cookie] = client.cookies.jar
    assert client.get(SPACE, follow_redirects=False).status_code == 200
    monkeypatch.setattr(disk, "free_bytes", lambda _path: 0)
    assert client.post("/ui/sign-out", headers=OWN, follow_redirects=False).status_code == 303
    assert gated.world.app.browsers.find(cookie.value) is None


def test_upkeep_deletes_what_is_kept_of_sessions_that_are_over(opened):
    world = opened(HashEmbedder(), unlimited())
    owner, other = founded(world), founded(world, "other")
    for caller in (owner, other):
        sign_in(caller, caller.key)
    assert owner.send("DELETE", f"credentials/{owner.kid}").status_code == 200
    world.app.maintain()
    assert world.rows("SELECT holder FROM browser_sessions") == [(other.kid,)]
    world.clock.advance(SESSION_S)
    world.app.maintain()
    assert world.rows("SELECT holder FROM browser_sessions") == []
    assert not world.app.browsers._keys


def restart(opened, before):
    """End a server, and return another one of the same folder with the same browser."""
    before.app.close()
    world = opened(HashEmbedder(), unlimited())
    world.client.cookies = before.client.cookies
    return world


def test_a_restart_signs_nobody_out_and_leaves_no_key_on_the_disk(opened):
    world = opened(HashEmbedder(), unlimited())
    owner = founded(world)
    owner.know("The lamp is green.")
    sign_in(owner, owner.key)
    [cookie] = world.client.cookies.jar
    kept = str(world.rows("SELECT * FROM browser_sessions"))
    assert owner.kid in kept
    assert owner.key not in kept
    assert cookie.value not in kept
    world = restart(opened, world)
    address = f"/ui/{owner.space}"
    assert "The lamp is green." in world.client.get(address).text
    care = world.client.get(f"{address}/care").text
    assert "this one" in care
    end = {"id": care.partition('name="id" value="')[2].partition('"')[0]}
    world.client.post(f"{address}/care/sign-out", data=end, headers=OWN)
    assert world.client.get(address, follow_redirects=False).status_code == 303


def test_a_sealed_space_stays_locked_after_a_restart_until_the_key_is_shown_again(opened):
    world = opened(HashEmbedder(), unlimited())
    owner = founded(world, sealed=True)
    owner.know("The lamp is green.")
    sign_in(owner, owner.key)
    address = f"/ui/{owner.space}"
    assert "The lamp is green." in world.client.get(address).text
    world = restart(opened, world)
    for headers in ({}, {"hx-request-type": "partial"}):
        reply = world.client.get(address, headers=headers, follow_redirects=False)
        assert reply.status_code == 423
        assert "The lamp is green." not in reply.text
        assert f'href="/ui/sign-in?next=%2Fui%2F{owner.space}"' in reply.text
    sign_in(replace(owner, world=world), owner.key)
    assert "The lamp is green." in world.client.get(address).text


def test_a_browser_that_outlasts_its_server_makes_no_keys(opened):
    world = opened(HashEmbedder(), unlimited())
    owner = founded(world)
    sign_in(owner, owner.key)
    world = restart(opened, world)
    form = {"name": "laptop", "role": "reader"}
    reply = world.client.post(f"/ui/{owner.space}/spaces/keys", data=form, headers=OWN)
    assert reply.status_code == 401
    assert "Sign in with a key" in reply.text
    revoked = {"authorization": f"Bearer {owner.key}"}
    world.client.delete(f"/api/v1/credentials/{owner.kid}", headers=revoked)
    assert world.client.get(f"/ui/{owner.space}", follow_redirects=False).status_code == 303


def test_the_number_of_a_credential_lets_nobody_in_who_sends_it(opened):
    world = opened(HashEmbedder(), unlimited())
    owner = founded(world)
    for shown in (owner.kid, f"ww_{owner.kid}"):
        headers = {"authorization": f"Bearer {shown}", "wellworn-space": owner.space}
        assert world.client.get("/api/v1/thoughts", headers=headers).status_code == 401


def test_the_number_of_a_credential_takes_no_share_of_its_member(opened):
    world = opened(HashEmbedder(), unlimited())
    owner = founded(world)
    sign_in(owner, owner.key)
    world = restart(opened, world)
    assert world.client.get(f"/ui/{owner.space}").status_code == 200
    recall = world.app.admission.recall_member
    assert recall(KnownCredential(owner.kid)) == (owner.member_id,)
    assert recall(owner.kid) is None


def test_the_list_shows_what_is_not_true_any_more_and_what_is_in_a_topic(opened, monkeypatch):
    world = opened(HashEmbedder(), unlimited())
    lamps = [world.know(f"Lamp oil of lamp {number} is whale oil.") for number in range(6)]
    world.ask("The pier is closed.", "ana", contribute="always")
    order = {"action": "outdated", "thought_ids": lamps[:1], "agent_id": "ana"}
    assert world.post("curation", order).status_code == 200
    [topic] = world.read("topics")["topics"]

    def show(**query):
        text = world.client.get(f"{SPACE}/thoughts", params=query).text
        return {each for each in lamps if f"/thoughts/{each}" in text}, text

    assert show(show="outdated")[0] == {*lamps[:1]}
    assert show(show="unconfirmed")[0] == set()
    found, text = show(topic=topic["id"])
    assert found == {*lamps[1:]}
    assert f'name="topic" value="{topic["id"]}"' in text
    option = f'<option value="{topic["id"]}"'
    assert f"{option} selected>{topic['title']}</option>" in text
    queries = ({}, {"words": "lamp"}, {"show": "held"})
    assert all(f"{option}>" in show(**query)[1] for query in queries)
    assert f"{option} selected>" in show(topic=f"topic:{topic['id']}")[1]
    assert f"wellworn recent --topic={topic['id']}" in text
    everything = {"all": "1", "action": "erase", "topic": topic["id"]}
    page = world.client.get(f"{SPACE}/confirm", params=everything).text
    assert "Erase 5 thoughts?" in page
    assert f"thoughts?topic={topic['id']}" in world.client.get(f"{SPACE}/topics/{topic['id']}").text
    # A topic that is not among those to choose from stays chosen.
    monkeypatch.setattr(TopicBrowser, "list_names", lambda *_: [])
    assert f"<option selected>{topic['id']}</option>" in show(topic=topic["id"])[1]


def test_words_and_a_topic_are_filters_together_with_a_count_and_one_action_for_all(opened):
    world = opened(HashEmbedder(), unlimited())
    lamps = [world.know(f"Lamp oil of lamp {number} is whale oil.") for number in range(35)]
    others = [world.know("The pier has a lamp."), world.know("The pier is closed.", "bo")]
    topic = world.read("topics")["topics"][0]["id"]
    members = {each["thought_id"] for each in world.read(f"topics/{topic}", limit=50)["thoughts"]}
    of_topic = members.intersection(lamps)

    def show(**query):
        text = world.client.get(f"{SPACE}/thoughts", params=query).text
        return {each for each in lamps + others if f"/thoughts/{each}" in text}, text

    asked = {"words": "oil LAMPS", "topic": topic}
    found, text = show(**asked)
    assert found == of_topic
    assert f"{len(of_topic)} thoughts fit." in text
    assert "wellworn recent '--words=oil LAMPS' --topic=" in unescape(text)
    everything = {"all": "1", "action": "outdated", **asked}
    page = world.client.get(f"{SPACE}/confirm", params=everything).text
    assert f"Mark outdated {len(of_topic)} thoughts?" in page
    assert "wellworn tidy outdated '--words=oil LAMPS'" in unescape(page)
    found, text = show(words="oil LAMPS")
    assert found == {*lamps[5:]}
    assert "35 thoughts fit." in text
    older, text = show(words="oil LAMPS", cursor=lamps[5])
    assert older == {*lamps[:5]}
    assert "thoughts fit." not in text
    found, text = show(words="closed pier")
    assert found == {others[1]}
    assert "1 thought fits." in text
    assert "Nothing fits these filters." in show(words="lamp closed", topic=topic)[1]


def test_where_nothing_holds_the_words_what_says_it_otherwise_is_shown_and_called_so(opened):
    world = opened(HashEmbedder(), unlimited())
    world.know("The pier has a lamp.")
    closed = world.know("The pier is closed.", "bo")

    def show(**query):
        return world.client.get(f"{SPACE}/thoughts", params=query).text

    text = show(words="lamp closed")
    assert "Nothing holds all of these words." in text
    assert f"/thoughts/{closed}" in text
    assert "wellworn recall 'lamp closed'" in unescape(text)
    assert "all that fit these filters" not in text
    assert "all that fit these filters" in show(words="closed")
    assert f"/thoughts/{closed}" not in show(words="closed", show="held")


def test_what_several_found_by_themselves_stands_on_the_page(opened):
    world = opened(HashEmbedder(), unlimited())
    world.know("The lamp burns whale oil.", "ana")
    world.know("Entry 3: The lamp burns whale oil.", "bo")
    whole = world.client.get(f"{SPACE}/digest")
    assert whole.status_code == 200
    part = world.client.get(f"{SPACE}/digest", headers={"hx-request-type": "partial"})
    assert "<html" not in part.text
    for text in (whole.text, part.text):
        assert "Found by several, each by themselves" in text
        assert "2 by themselves: The lamp burns whale oil." in text


def test_every_call_that_a_page_names_is_one_of_the_interface(world):
    routes = world.client.app.router.routes
    for path in PAGES_TO_READ:
        text = world.client.get(SPACE + path, params={"term": "lamp"}).text
        for line in text.split("<code>")[1:]:
            method, _, address = line.partition("</code>")[0].partition(" ")
            if method in {"GET", "POST"}:
                scope = {"type": "http", "method": method, "path": address.partition("?")[0]}
                assert any(route.matches(scope)[0] is Match.FULL for route in routes), line[:80]


def test_a_server_that_nobody_looks_at_loads_no_templates():
    code = "import sys, wellworn.interfaces.server; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("folder", VENDORED)
def test_what_was_made_by_others_is_what_they_published(folder):
    listed = json.loads((folder / "vendor.json").read_text(encoding="utf-8"))
    assert listed
    for name, record in listed.items():
        assert sha256((folder / name).read_bytes()).hexdigest() == record["sha256"]
        assert record["licence"] in {"0BSD", "MPL-2.0"}
