"""Redirects: followed hop by hop, with the credential left at home."""

from __future__ import annotations

import logging
from contextlib import closing

import pytest

from integration.fetch_servers import RawServer, answer, client, make_tls
from wellworn.engines.fetch import Failed, FailureKind, Page

TOKEN = "ghp_do_not_tell_anybody_0123456789"


def _serving(pages: dict[str, bytes]) -> RawServer:
    return RawServer(lambda asked, send: send(pages[asked.path.partition("?")[0]]))


def _refused(outcome) -> str:
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.REFUSED_REDIRECT
    return outcome.message


@pytest.fixture(scope="module")
def trusted(tmp_path_factory):
    """Give a server's and a client's TLS context for docs.example."""
    return make_tls(tmp_path_factory.mktemp("tls") / "server.pem", "docs.example")


def test_a_redirect_is_followed_and_the_page_says_where_it_came_from():
    pages = {"/old": answer(301, location="../new?a=b#part"), "/new": answer(body=b"here")}
    with closing(_serving(pages)) as server:
        page = client().get(server.url("/old"))
        assert isinstance(page, Page)
        assert (page.raw, page.url) == (b"here", server.url("/new?a=b"))


META = (
    "<html><head><meta http-equiv='Refresh' content='{}'></head><body>Redirecting...</body></html>"
)


@pytest.mark.parametrize(
    "content", ["0; url=../new?a=b&amp;c=d#part", "1;URL=/new?a=b&amp;c=d", "0,/new?a=b&amp;c=d"]
)
def test_a_page_that_leads_elsewhere_by_itself_is_followed(content):
    stub = answer(body=META.format(content).encode(), content_type="text/html")
    with closing(_serving({"/old": stub, "/new": answer(body=b"here")})) as server:
        page = client().get(server.url("/old"))
        assert isinstance(page, Page)
        assert (page.raw, page.url) == (b"here", server.url("/new?a=b&c=d"))


@pytest.mark.parametrize(
    "head",
    [
        META.format("60; url=/new"),
        META.format("0; url=/old#top"),
        META.format("5"),
        f"<noscript>{META.format('0; url=/new')}</noscript>",
        f"<!-- {META.format('0; url=/new')} -->",
        f"<body>{META.format('0; url=/new')}",
    ],
)
def test_a_page_that_stays_or_is_read_first_is_the_page(head):
    shown = answer(body=head.encode(), content_type="text/html")
    with closing(_serving({"/old": shown, "/new": answer(body=b"here")})) as server:
        page = client().get(server.url("/old"))
        assert isinstance(page, Page)
        assert page.url == server.url("/old")


def test_a_circle_of_pages_that_lead_on_is_refused():
    one, two = (
        answer(body=META.format(f"0; url=/{to}").encode(), content_type="text/html") for to in "ba"
    )
    with closing(_serving({"/a": one, "/b": two})) as server:
        assert "circle" in _refused(client().get(server.url("/a")))


def test_a_redirect_loop_is_refused_with_its_hosts():
    pages = {"/a": answer(302, location="/b"), "/b": answer(302, location="/a")}
    with closing(_serving(pages)) as server:
        message = _refused(client().get(server.url("/a", host="docs.example")))
    assert "docs.example → docs.example → docs.example" in message
    assert "circle" in message


def test_endless_redirects_are_refused_after_the_most_allowed():
    def further(asked, send):
        send(answer(302, location=f"{asked.path}x"))

    with closing(RawServer(further)) as server:
        assert "on and on" in _refused(client(most_redirects=3).get(server.url("/")))
        assert len(server.asked) == 4


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "ftp://docs.example/",
        "javascript:alert(1)",
        "http://",
        "http://x:99999/",
        "http://a b.example/",
    ],
)
def test_a_redirect_to_something_else_than_the_web_is_refused(location):
    with closing(_serving({"/": answer(302, location=location)})) as server:
        message = _refused(client().get(server.url()))
    assert "passwd" not in message


def test_a_redirect_with_a_password_in_it_is_refused_without_repeating_it():
    with closing(
        _serving({"/": answer(302, location=f"http://me:{TOKEN}@docs.example/")})
    ) as server:
        assert TOKEN not in _refused(client().get(server.url()))


def test_a_redirect_from_https_to_http_is_refused(trusted):
    serving, trusting = trusted
    told = answer(302, location="http://docs.example/")
    with closing(RawServer(lambda asked, send: send(told), tls=serving)) as server:
        outcome = client(tls=trusting).get(server.url(host="docs.example"))
    assert "from https to http" in _refused(outcome)


def test_https_goes_to_the_checked_address_and_is_trusted_by_name(trusted):
    serving, trusting = trusted
    with closing(RawServer(lambda asked, send: send(answer(body=b"x")), tls=serving)) as server:
        assert isinstance(client(tls=trusting).get(server.url(host="docs.example")), Page)
        untrusting = client(tls=trusting).get(server.url(host="other.example"))
        unknown = client().get(server.url(host="docs.example"))
    for outcome in (untrusting, unknown):
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.BAD_ANSWER
        assert "certificate" in outcome.message


def test_headers_stay_with_the_site_they_were_given_for():
    with closing(_serving({"/": answer(body=b"page")})) as other:
        pages = {
            "/same": answer(302, location="/leave"),
            "/leave": answer(302, location=other.url(host="other.example")),
        }
        with closing(_serving(pages)) as docs:
            outcome = client().get(
                docs.url("/same", host="docs.example"),
                headers={"Authorization": f"Bearer {TOKEN}", "X-Key": TOKEN},
            )
            assert isinstance(outcome, Page)
            assert [asked.headers.get("x-key") for asked in docs.asked] == [TOKEN, TOKEN]
            assert docs.asked[0].headers["authorization"] == f"Bearer {TOKEN}"
            assert TOKEN not in str(other.asked)


def test_headers_do_not_come_back_when_a_redirect_returns_to_the_first_site():
    with closing(RawServer(lambda asked, send: send(told[0]))) as other:
        pages = {"/": answer(302, location=other.url()), "/back": answer(body=b"page")}
        with closing(_serving(pages)) as docs:
            told = [answer(302, location=docs.url("/back"))]
            outcome = client().get(docs.url(), headers={"Authorization": TOKEN})
            assert isinstance(outcome, Page)
            assert "authorization" not in docs.asked[-1].headers


def test_no_cookie_is_kept_from_one_request_to_the_next():
    pages = {
        "/": answer(302, location="/next", set_cookie=f"session={TOKEN}"),
        "/next": answer(body=b"page"),
    }
    with closing(_serving(pages)) as server:
        web = client()
        web.get(server.url())
        web.get(server.url())
        assert all("cookie" not in asked.headers for asked in server.asked)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 429, 500])
def test_a_secret_in_the_address_or_a_header_reaches_no_message_and_no_log(status, caplog):
    caplog.set_level(logging.DEBUG)
    told = answer(status, location=f"/?{TOKEN}", set_cookie=TOKEN)
    with closing(RawServer(lambda asked, send: send(told))) as server:
        outcome = client(retry_waits_s=()).get(
            server.url(f"/{TOKEN}?token={TOKEN}"), headers={"Authorization": TOKEN}
        )
    assert isinstance(outcome, Failed)
    assert TOKEN not in repr(outcome)
    assert TOKEN not in caplog.text


def test_a_secret_in_an_address_that_cannot_be_reached_is_not_repeated():
    for address in (f"http://nowhere.example/?k={TOKEN}", f"http://{TOKEN}@docs.example/"):
        outcome = client(retry_waits_s=()).get(address)
        assert isinstance(outcome, Failed)
        assert TOKEN not in repr(outcome)


@pytest.mark.parametrize("value", [f"Bearer {TOKEN}\r\nHost: x", f"{TOKEN}\n", f"{TOKEN}é"])
def test_a_header_that_would_break_the_request_is_refused_without_repeating_it(value):
    outcome = client().get("http://docs.example/", headers={"Authorization": value})
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.BLOCKED_BY_POLICY
    assert TOKEN not in outcome.message
