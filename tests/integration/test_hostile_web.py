"""Sites that mean harm, synced: each attack ends in its sentence and leaves what was there."""

from __future__ import annotations

import gzip
import logging
from contextlib import closing

import pytest

from integration.fetch_servers import LOOPBACK, answer, names
from integration.files_to_read import manual
from integration.hostile_world import (
    BETTER,
    GOOD,
    Kept,
    Site,
    holders,
    page,
    recovered,
    resolving,
    survived,
    told_well,
)
from integration.sources_world import LOCAL, opened
from patience import LONG_S
from wellworn.domain.sources import NewSource
from wellworn.engines.fetch import FetchSettings, address_beside
from wellworn.errors import InvalidInput

LIMITS = FetchSettings(
    private_networks=LOOPBACK, retry_waits_s=(), most_bytes=100_000, deadline_s=LONG_S
)
METADATA = "http://169.254.169.254/latest/meta-data/"
SIGN_IN = b"<html><form action=/in><input name=u><input type='password' name=p></form></html>"
LONG = "The harbour lantern burns all night. " * 60


@pytest.fixture
def site():
    with closing(Site()) as site:
        site.pages["/docs"] = page(GOOD)
        yield site


@pytest.fixture
def world(empty, tmp_path):
    with opened(empty, tmp_path / "memory.db", fetch=LIMITS) as world:
        yield world


@pytest.fixture
def wiki(world, site):
    """A page that was synced once and well."""
    wiki = Kept(world, "url", {"url": site.url("/docs")})
    assert wiki.sync().message == "1 new"
    return wiki


def redirect(place, status=302):
    return answer(status, location=place)


def endless(asked, send):
    send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n")
    while True:
        send(b"<p>lantern</p>" * 1000)


def huge(asked, send):
    send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 10000000000\r\n\r\n")


def bomb(asked, send):
    packed = gzip.compress(bytes(50_000_000))
    send(answer(200, packed, content_type="text/html", content_encoding="gzip"))


def drip(site, beginning):
    def answer_slowly(asked, send):
        send(beginning)
        while not site.server.stopped.wait(0.05):
            send(b"x")

    return answer_slowly


# 1
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_a_clouds_metadata_is_blocked_and_the_last_good_page_stays(
    wiki, site, status
):
    site.pages["/docs"] = redirect(METADATA, status)
    survived(wiki, wiki.sync(), "blocked_by_policy", "resolves to a private address")
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)


# 1
@pytest.mark.parametrize("url", [METADATA, "http://127.0.0.1/", "http://10.0.0.1:8080/x"])
def test_an_address_inside_is_blocked_without_a_connection(empty, tmp_path, url):
    with opened(empty, tmp_path / "memory.db", fetch=FetchSettings(retry_waits_s=())) as world:
        inside = Kept(world, "url", {"url": url})
        run = inside.sync()
        assert run.status == "blocked_by_policy"
        told_well(run, "resolves to a private address; use a public one")
        assert inside.documents() == {}


# 1, 4
@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f.1", "127.1", "0.0.0.0"])
def test_a_server_on_this_machine_gets_no_request_under_any_of_its_names(
    empty, tmp_path, site, host
):
    with opened(empty, tmp_path / "memory.db", fetch=FetchSettings(retry_waits_s=())) as world:
        inside = Kept(world, "url", {"url": site.url("/docs", host=host)})
        assert inside.sync().status == "blocked_by_policy"
    assert site.server.heads == []


# 2
def test_a_name_with_a_public_and_a_private_address_is_blocked(empty, tmp_path, site, monkeypatch):
    both = names(docs=["93.184.216.34", "127.0.0.1"])
    fetch = FetchSettings(retry_waits_s=())
    path = tmp_path / "memory.db"
    with resolving(monkeypatch, both), opened(empty, path, fetch=fetch) as world:
        run = Kept(world, "url", {"url": site.url("/docs", host="docs.example")}).sync()
        assert run.status == "blocked_by_policy"
        told_well(run, r"^docs\.example resolves to a private address")
    assert site.server.heads == []


# 3
def test_a_name_that_changes_its_address_between_two_hops_is_blocked(
    empty, tmp_path, site, monkeypatch
):
    places = iter([["127.0.0.1"], ["127.0.0.1"], ["10.0.0.9"], ["127.0.0.1"]])
    site.pages["/moved"] = page("The secret of the intranet")
    path = tmp_path / "memory.db"
    with (
        resolving(monkeypatch, lambda host, port: next(places)),
        opened(empty, path, fetch=LIMITS) as world,
    ):
        wiki = Kept(world, "url", {"url": site.url("/docs", host="docs.example")})
        assert wiki.sync().status == "success"
        site.pages["/docs"] = redirect("/moved")
        survived(wiki, wiki.sync(), "blocked_by_policy", "resolves to a private address")
        assert [one.path for one in site.asked] == ["/docs", "/docs"]
        site.pages["/docs"] = page(BETTER)
        recovered(wiki)


# 4
@pytest.mark.parametrize(
    "place",
    [
        "http://2852039166/",
        "http://0xa9.254.43518/",
        "http://[::ffff:169.254.169.254]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[2002:a9fe:a9fe::]/",
        "http://[fe80::1]/",
    ],
)
def test_other_ways_to_write_a_private_address_are_blocked(wiki, site, place):
    site.pages["/docs"] = redirect(place)
    survived(wiki, wiki.sync(), "blocked_by_policy", "resolves to a private address")
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)


# 5
@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("/docs", r"\(127\.0\.0\.1 → 127\.0\.0\.1\): it leads in a circle"),
        ("file:///etc/passwd", "address of a kind that is not fetched"),
        ("gopher://127.0.0.1/", "address of a kind that is not fetched"),
        ("http://user:pw@127.0.0.1/", "address of a kind that is not fetched"),
        ("http://0251.0376.0251.0376/", "something that is no web address"),
    ],
)
def test_a_redirect_that_leads_nowhere_good_is_told_with_its_way(wiki, site, place, said):
    site.pages["/docs"] = redirect(place)
    run = wiki.sync()
    survived(wiki, run, "blocked_by_policy", said)
    assert "pw" not in run.message
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)


# 5
def test_redirects_without_end_are_given_up_with_the_way(wiki, site):
    def further(asked, send):
        send(redirect(f"/{len(site.asked)}"))

    site.pages |= {"/docs": further} | {f"/{number}": further for number in range(30)}
    survived(wiki, wiki.sync(), "blocked_by_policy", "it leads on and on")
    assert len(site.asked) < 10
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)


# 6, 7
@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (endless, "larger than 100,000 bytes; point the source at a smaller part"),
        (huge, "larger than 100,000 bytes"),
        (bomb, "larger than 100,000 bytes"),
        (
            answer(200, b"\x0b\x02\x80lantern\x03", content_encoding="br"),
            "compression that was not asked for",
        ),
        (answer(200, b"no gzip", content_encoding="gzip"), "damaged or cut short"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n<h1>cut", "not HTTP|broke"),
        (b"\x16\x03\x01 this is no HTTP\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 2_000_000 + b"\r\n\r\n", "not HTTP|broke"),
        (answer(500), "has a fault of its own; sync again later"),
        (answer(404), "has nothing at this address; check it, or remove the source"),
        (answer(429, retry_after="3600"), "asks to be asked less often"),
    ],
    ids=[
        "endless",
        "10 GB",
        "bomb",
        "br",
        "no gzip",
        "cut",
        "no http",
        "head",
        "500",
        "404",
        "429",
    ],
)
def test_an_answer_that_cannot_be_used_leaves_the_last_good_page(wiki, site, harm, said):
    site.pages["/docs"] = harm
    survived(wiki, wiki.sync(), "failed", said)
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)


# 8
@pytest.mark.parametrize(
    "beginning",
    [b"HTTP/1.1 200 OK\r\nx: ", b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n", b""],
    ids=["head", "body", "nothing"],
)
def test_a_page_that_drips_is_given_up_at_one_deadline(wiki, site, beginning, monkeypatch):
    site.pages["/docs"] = drip(site, beginning)
    with monkeypatch.context() as patch:
        hasty = LIMITS.model_copy(update={"deadline_s": 1.0})
        patch.setattr(wiki.world.kinds["url"]._web, "_settings", hasty)
        survived(wiki, wiki.sync(), "failed", "longer than 1 seconds; sync again later|not HTTP")
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)


# 8
def test_a_site_that_asks_to_wait_is_left_alone_for_so_long(wiki, site):
    site.pages["/docs"] = answer(503, retry_after="7200")
    wiki.sync()
    assert wiki.status().next_attempt_at == wiki.world.clock.now() + 7200


# 9
def test_a_page_that_says_it_has_not_changed_costs_nothing(world, site):
    def conditional(asked, send):
        is_known = asked.headers.get("if-none-match") == '"v1"'
        send(answer(304) if is_known else page(GOOD, etag='"v1"'))

    site.pages["/docs"] = conditional
    wiki = Kept(world, "url", {"url": site.url("/docs")})
    wiki.sync()
    before = world.embedder.embedded
    assert wiki.sync().message == "1 unchanged"
    assert site.asked[-1].headers["if-none-match"] == '"v1"'
    assert world.embedder.embedded == before


# 9
def test_a_new_date_on_the_same_page_is_no_change(wiki, site):
    before = wiki.world.embedder.embedded
    site.pages["/docs"] = page(GOOD, last_modified="Sun, 22 Nov 2026 08:00:00 GMT", etag='"v9"')
    run = wiki.sync()
    assert (run.status, run.message) == ("success", "1 unchanged")
    assert wiki.world.embedder.embedded == before


# 9
def test_a_page_that_failed_and_then_has_not_changed_is_current_again(world, site):
    def conditional(asked, send):
        is_known = asked.headers.get("if-none-match") == '"v1"'
        send(answer(304) if is_known else page(GOOD, etag='"v1"'))

    site.pages["/docs"] = conditional
    wiki = Kept(world, "url", {"url": site.url("/docs")})
    wiki.sync()
    site.pages["/docs"] = answer(500)
    survived(wiki, wiki.sync(), "failed", "fault of its own")
    site.pages["/docs"] = conditional
    recovered(wiki, GOOD)


# 10
@pytest.mark.parametrize("status", [200, 401, 403])
def test_a_page_that_became_a_sign_in_page_does_not_replace_the_good_one(world, site, status):
    site.pages["/docs"] = page(GOOD, LONG)
    wiki = Kept(world, "url", {"url": site.url("/docs")})
    wiki.sync()
    site.pages["/docs"] = answer(status, SIGN_IN, content_type="text/html")
    said = (
        "looks like a sign-in page now; give an auth_header" if status == 200 else "wants a login"
    )
    survived(wiki, wiki.sync(), "needs_login", said)
    # However often it is asked, it is not taken for the page.
    survived(wiki, wiki.sync(), "needs_login", said)
    site.pages["/docs"] = page(BETTER, LONG)
    recovered(wiki)


# 10
def test_a_short_page_that_became_a_sign_in_page_does_not_replace_the_good_one(world, site):
    site.pages["/docs"] = page(GOOD)
    wiki = Kept(world, "url", {"url": site.url("/docs")})
    wiki.sync()
    site.pages["/docs"] = answer(200, SIGN_IN, content_type="text/html")
    survived(wiki, wiki.sync(), "needs_login", "looks like a sign-in page now")
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)


# 10
def test_a_page_that_had_a_password_field_all_along_is_read(world, site):
    site.pages["/docs"] = answer(200, SIGN_IN + LONG.encode(), content_type="text/html")
    wiki = Kept(world, "url", {"url": site.url("/docs")})
    assert wiki.sync().status == "success"
    site.pages["/docs"] = answer(
        200, SIGN_IN + b"<p>More." + LONG.encode(), content_type="text/html"
    )
    assert wiki.sync().status == "success"


# 10
def test_a_large_sign_in_page_to_which_the_page_moved_does_not_replace_it(wiki, site):
    site.pages["/docs"] = redirect("/login?next=/docs")
    site.pages["/login?next=/docs"] = answer(200, SIGN_IN + LONG.encode(), content_type="text/html")
    survived(wiki, wiki.sync(), "needs_login", "looks like a sign-in page")
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)


# 10
def test_a_redirect_that_takes_the_address_along_is_a_sign_in_page_even_at_first(world, site):
    asks = b"<html><form action=/in><input name=mail type=email></form></html>"
    site.pages["/docs"] = redirect("/sso?service=http%3A%2F%2F127.0.0.1%2Fdocs&v=1")
    site.pages["/sso?service=http%3A%2F%2F127.0.0.1%2Fdocs&v=1"] = answer(
        200, asks, content_type="text/html"
    )
    wiki = Kept(world, "url", {"url": site.url("/docs")})
    assert wiki.sync().status == "needs_login"
    assert wiki.documents() == {}
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)


@pytest.mark.parametrize("body", [b"", b" \r\n\t ", b"\xef\xbb\xbf\n", b"\x00\x00"])
@pytest.mark.parametrize("kind", ["text/html", "text/plain", "application/octet-stream"])
def test_an_empty_page_does_not_replace_the_good_one(wiki, site, body, kind):
    site.pages["/docs"] = answer(200, body, content_type=kind, etag='"none"')
    survived(wiki, wiki.sync(), "failed", "the page is empty")
    survived(wiki, wiki.sync(), "failed", "the page is empty")
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)


def test_a_page_of_what_nobody_sees_does_not_replace_the_good_one(wiki, site):
    site.pages["/docs"] = answer(200, b"<p>&nbsp;&#8203;</p>", content_type="text/html")
    run = wiki.sync()
    assert "has no text of its own" in str(run.problems)
    assert wiki.says(GOOD)
    assert {document.state for document in wiki.documents().values()} == {"stale"}
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)


SHORT = "The tariff code is TF-52."
HANDBOOK = " ".join(
    f"Berth {n} holds {n * 3} boats and a crane for {n} tons." for n in range(2, 60)
)
SOFT_404 = (
    "<title>Harbour</title><h1>Page not found</h1><p>The page you are looking for does not exist,"
    " or it has moved. Check the address, go to the start, or search for what you need.</p>"
)
MAIL_FORM = (
    "<h1>Welcome to the harbour</h1><p>Go on with your mail address.</p><form action=/in>"
    "<label>Mail address <input type=email name=mail></label><button>Next</button></form>"
)
STAND_INS = {
    "json": (b'{"error": "not found", "status": 404}', "application/json"),
    "json as html": (b'{"error": {"code": 17}}', "text/html"),
    "problem": (b'{"title": "Gone"}', "application/problem+json"),
    "xml": (b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "application/xml"),
    "text": (b"upstream connect error", "text/plain"),
    "soft 404": (SOFT_404.encode(), "text/html"),
    "short 404": (b"<p>Not found.</p>", "text/html"),
    "mail form": (MAIL_FORM.encode(), "text/html"),
    "bare form": (MAIL_FORM.replace("form", "div").encode(), "text/html"),
}


@pytest.mark.parametrize("said", [SHORT, HANDBOOK], ids=["short page", "long page"])
@pytest.mark.parametrize("stand_in", STAND_INS.values(), ids=STAND_INS)
def test_what_a_site_answers_to_any_address_does_not_replace_a_page(world, said, stand_in):
    def anywhere(asked, send):
        raw, kind = stand_in
        is_good = len(site.asked) == 1 or site.is_well
        send(page(GOOD, said) if is_good else answer(200, raw, content_type=kind))

    class Wherever(Site):
        is_well = False

        def _answer(self, asked, send):
            anywhere(asked, send)

    with closing(Wherever()) as site:
        wiki = Kept(world, "url", {"url": site.url("/docs")})
        assert wiki.sync().message == "1 new"
        for _ in range(2):
            run = wiki.sync()
            assert "what the page said is kept" in run.message
            survived(wiki, run, "failed", "sync again with confirm")
        site.is_well = True
        assert wiki.sync().status == "success"
        assert {document.state for document in wiki.documents().values()} == {"current"}


@pytest.mark.parametrize("name", [name for name in STAND_INS if name != "soft 404"])
def test_a_stand_in_at_one_address_alone_does_not_replace_a_page(world, site, name):
    site.pages["/docs"] = page(GOOD, HANDBOOK)
    wiki = Kept(world, "url", {"url": site.url("/docs")})
    wiki.sync()
    raw, kind = STAND_INS[name]
    site.pages["/docs"] = answer(200, raw, content_type=kind)
    survived(wiki, wiki.sync(), "failed", "what the page said is kept")
    # Whoever knows better says so.
    wiki.sync(confirmed=True)
    assert not wiki.says(GOOD)
    assert {document.state for document in wiki.documents().values()} == {"current"}


@pytest.mark.parametrize(
    "now",
    [
        page("Kopia runs weekly at 04:00."),
        page(GOOD, HANDBOOK),
        page("Kopia moved to the cube. It is started by a timer and ends before the day begins."),
        page("The ferries go every hour from the new pier in the east of the town."),
        page(GOOD, "Write to us: <form><input type=email></form>"),
        page("Closed for now."),
    ],
)
def test_a_page_that_says_something_else_is_read(wiki, site, now):
    site.pages["/docs"] = now
    assert wiki.sync().message == "1 changed"


def test_a_page_that_is_a_word_at_all_times_may_become_another_one(world, site):
    site.pages["/docs"] = page("Overcast.")
    wiki = Kept(world, "url", {"url": site.url("/docs")})
    wiki.sync()
    site.pages["/docs"] = page("Dry.")
    assert wiki.sync().message == "1 changed"


def test_a_page_becomes_a_file(wiki, site):
    site.pages["/docs"] = answer(200, manual(), content_type="application/pdf")
    assert wiki.sync().message == "1 changed"


def test_a_file_in_whose_place_an_error_comes_stays(world, site):
    site.pages["/docs"] = answer(200, manual(), content_type="application/pdf")
    wiki = Kept(world, "url", {"url": site.url("/docs")})
    assert wiki.sync().message == "1 new"
    site.pages["/docs"] = page(HANDBOOK)
    assert "gave a file (pdf) and gives a web page now" in wiki.sync().message
    assert wiki.says("Pump 11 runs at 100 bar")


@pytest.mark.parametrize(
    ("url", "beside"),
    [
        ("https://a.example/docs/tariff.html", "https://a.example/docs/x"),
        ("https://a.example/docs/", "https://a.example/x"),
        ("https://a.example", "https://a.example/x"),
        ("https://a.example/index.php?page=tariff&l=de", "https://a.example/index.php?page=x&l=x"),
    ],
)
def test_an_address_that_nobody_made_is_like_the_one_beside_it(url, beside):
    assert address_beside(url, "x") == beside


def test_a_page_that_is_empty_from_the_first_is_no_document(world, site):
    site.pages["/docs"] = answer(200, b"", content_type="text/html")
    wiki = Kept(world, "url", {"url": site.url("/docs")})
    run = wiki.sync()
    assert (run.status, run.message) == ("failed", "the page is empty")
    assert wiki.documents() == {}


def test_the_front_page_to_which_an_address_leads_by_now_does_not_replace_its_page(wiki, site):
    site.pages["/docs"] = redirect("/")
    site.pages["/"] = page("Welcome to the harbour.", LONG)
    survived(wiki, wiki.sync(), "failed", "another page of the site")
    wiki.sync(confirmed=True)
    assert wiki.says("Welcome to the harbour.")


# 11
TOKEN = "ghp_" + "x7Kq2" * 8


def test_a_token_in_an_address_is_refused_before_it_is_kept(world, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    for url in (
        f"https://docs.example/x?access_token={TOKEN}",
        f"https://me:{TOKEN}@docs.example/x",
    ):
        with pytest.raises(InvalidInput) as refused:
            world.sources.create(LOCAL, NewSource("url", "wiki", {"url": url}))
        assert TOKEN not in refused.value.message
    assert world.sources.list_sources(LOCAL) == []
    assert TOKEN not in caplog.text
    assert holders(tmp_path, TOKEN) == []


# 11
def test_a_credential_goes_to_its_site_only_and_stays_out_of_everything_kept(
    world, site, tmp_path, caplog
):
    caplog.set_level(logging.DEBUG)
    with closing(Site()) as other:
        other.pages["/elsewhere"] = page(BETTER)
        wiki = Kept(world, "url", {"url": site.url("/docs")}, secret=f"Bearer {TOKEN}")
        wiki.sync()
        assert site.asked[-1].headers["authorization"] == f"Bearer {TOKEN}"
        site.pages["/docs"] = redirect(other.url("/elsewhere"))
        assert wiki.sync().message == "1 changed"
        assert "authorization" not in other.asked[-1].headers

    def echo(asked, send):
        said = asked.headers["authorization"].encode()
        send(b"HTTP/1.1 400 " + said + b"\r\nx: " + said + b"\r\n\r\n" + said)

    site.pages["/docs"] = echo
    run = wiki.sync()
    assert run.status == "failed"
    assert TOKEN not in str(run) + str(wiki.status()) + caplog.text
    assert holders(tmp_path, TOKEN) == []


# 11
def test_a_page_that_prints_the_credential_it_was_given_is_kept_without_it(world, site, tmp_path):
    def echo(asked, send):
        send(page(GOOD, f"You are {asked.headers['authorization']}"))

    site.pages["/docs"] = echo
    wiki = Kept(world, "url", {"url": site.url("/docs")}, secret=f"Bearer {TOKEN}")
    assert wiki.sync().status == "success"
    assert wiki.says(GOOD)
    assert holders(tmp_path, TOKEN) == []


def test_a_page_that_is_gone_for_good_waits_for_somebody_to_confirm_it(wiki, site):
    site.pages["/docs"] = answer(410)
    run = wiki.sync()
    survived(wiki, run, "needs_confirmation", "1 of 1 documents vanished")
    assert [one.reason for one in run.problems] == [
        "127.0.0.1 says that this is gone for good; remove the source or change its address."
    ]
    site.pages["/docs"] = page(BETTER)
    recovered(wiki)
    site.pages["/docs"] = answer(410)
    wiki.sync(confirmed=True)
    assert wiki.documents() == {}
    assert not wiki.says(BETTER)
