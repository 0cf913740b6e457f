"""What servers answer, the hostile ones included: cut at the limits, put into words."""

from __future__ import annotations

import gzip
import zlib
from contextlib import closing
from datetime import UTC, datetime

import pytest

from integration.fetch_servers import RawServer, answer, client
from ports import hold_port
from wellworn.engines.fetch import Failed, FailureKind, FetchSettings, Page, Unchanged, Validators


def _got(told, web=None, **options):
    """Fetch once from a server that sends `told`, or calls it with (asked, send)."""
    script = told if callable(told) else lambda asked, send: send(told)
    with closing(RawServer(script)) as server:
        return (web or client(retry_waits_s=())).get(server.url("/page"), **options), server


def _failed(told, web=None, **options) -> tuple[FailureKind, str]:
    outcome, _ = _got(told, web, **options)
    assert isinstance(outcome, Failed)
    return outcome.kind, outcome.message


def test_a_page_comes_with_its_declared_type_charset_and_validators():
    told = answer(
        body="grüße".encode("latin-1"),
        content_type='Text/HTML; Charset="ISO-8859-1"',
        etag='W/"one"',
        last_modified="Sat, 01 Aug 2026 10:00:00 GMT",
    )
    page, server = _got(told)
    assert page == Page(
        raw="grüße".encode("latin-1"),
        url=server.url("/page"),
        media_type="text/html",
        charset="iso-8859-1",
        validators=Validators('W/"one"', "Sat, 01 Aug 2026 10:00:00 GMT"),
        changed_at=datetime(2026, 8, 1, 10, tzinfo=UTC).timestamp(),
    )


@pytest.mark.parametrize("declared", [{}, {"content_type": "what is this"}])
def test_a_page_without_a_sound_type_is_bytes(declared):
    page, _ = _got(answer(body=b"\x00", **declared))
    assert isinstance(page, Page)
    assert page.media_type in {"application/octet-stream", "text/plain"}
    assert page.charset is None


def test_what_is_asked_for_is_gzip_and_no_version_is_told():
    _, server = _got(answer(), headers={"Accept-Encoding": "br", "Host": "x", "User-Agent": "me/1"})
    (asked,) = server.asked
    assert asked.headers["accept-encoding"] == "gzip"
    assert asked.headers["user-agent"] == "wellworn"
    assert asked.headers["host"] == f"127.0.0.1:{server.port}"


def test_an_unchanged_page_is_not_sent_again():
    validators = Validators('"one"', "Sat, 01 Aug 2026 10:00:00 GMT")
    outcome, server = _got(answer(304), validators=validators)
    assert outcome == Unchanged()
    assert server.asked[0].headers["if-none-match"] == '"one"'
    assert server.asked[0].headers["if-modified-since"] == "Sat, 01 Aug 2026 10:00:00 GMT"


def test_unchanged_without_having_been_asked_is_a_bad_answer():
    assert _failed(answer(304))[0] is FailureKind.BAD_ANSWER


def test_a_new_date_on_the_same_text_is_a_page_with_the_same_bytes():
    told = answer(body=b"same", last_modified="Sun, 02 Aug 2026 10:00:00 GMT")
    outcome, _ = _got(told, validators=Validators(None, "Sat, 01 Aug 2026 10:00:00 GMT"))
    assert isinstance(outcome, Page)
    assert outcome.raw == b"same"


@pytest.mark.parametrize("etag", ["x" * 10_000, "caf\u00e9"])
def test_a_validator_that_could_not_be_sent_back_is_not_kept(etag):
    told = answer().replace(b"\r\n\r\n", b"\r\netag: " + etag.encode("latin-1") + b"\r\n\r\n")
    outcome, _ = _got(told)
    assert isinstance(outcome, Page)
    assert outcome.validators == Validators()


@pytest.mark.parametrize("validator", ['"a"\r\nX: y', "é"])
def test_a_broken_validator_is_not_sent(validator):
    outcome, server = _got(answer(body=b"x"), validators=Validators(validator, validator))
    assert isinstance(outcome, Page)
    assert "if-none-match" not in server.asked[0].headers


@pytest.mark.parametrize(
    ("status", "kind", "advice"),
    [
        (401, "needs_login", "credential"),
        (403, "needs_login", "credential"),
        (404, "not_found", "check it"),
        (410, "gone", "remove the source"),
        (429, "server_error", "later"),
        (500, "server_error", "later"),
        (503, "server_error", "later"),
        (204, "bad_answer", "browser"),
        (206, "bad_answer", "browser"),
        (302, "bad_answer", "browser"),
        (418, "bad_answer", "browser"),
    ],
)
def test_a_status_becomes_a_kind_and_advice(status, kind, advice):
    found, message = _failed(answer(status))
    assert found == kind
    assert message.startswith("127.0.0.1 ")
    assert advice in message


def test_an_endless_body_is_cut_at_the_limit():
    def endless(asked, send):
        send(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            send(bytes(100_000))

    outcome, server = _got(endless, client(most_bytes=1_000_000))
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.TOO_LARGE
    assert "1,000,000 bytes" in outcome.message
    assert server.sent < 20_000_000


def test_an_announced_ten_gigabytes_are_refused_before_they_come():
    def huge(asked, send):
        send(b"HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n")
        while True:
            send(bytes(100_000))

    outcome, server = _got(huge)
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.TOO_LARGE
    assert server.sent < FetchSettings().most_bytes


def test_a_body_of_just_the_limit_is_a_page():
    page, _ = _got(answer(body=bytes(1_000)), client(most_bytes=1_000))
    assert isinstance(page, Page)
    assert _failed(answer(body=bytes(1_001)), client(most_bytes=1_000))[0] is FailureKind.TOO_LARGE


def test_gzip_is_unpacked():
    page, _ = _got(answer(body=gzip.compress(b"text" * 1_000), content_encoding="gzip"))
    assert isinstance(page, Page)
    assert page.raw == b"text" * 1_000


def test_a_gzip_bomb_is_cut_at_the_limit():
    bomb = gzip.compress(bytes(100_000_000))
    kind, _ = _failed(answer(body=bomb, content_encoding="gzip"), client(most_bytes=1_000_000))
    assert kind is FailureKind.TOO_LARGE


@pytest.mark.parametrize(
    "encoding", ["br", "zstd", "deflate", "compress", "gzip, gzip", "gzip, br"]
)
def test_a_compression_that_was_not_asked_for_is_refused(encoding):
    kind, message = _failed(answer(body=zlib.compress(b"x"), content_encoding=encoding))
    assert kind is FailureKind.BAD_ANSWER
    assert "compression" in message


@pytest.mark.parametrize("body", [gzip.compress(b"text" * 1_000, mtime=0)[:-9], b"no gzip at all"])
def test_damaged_gzip_is_no_shorter_page(body):
    kind, message = _failed(answer(body=body, content_encoding="gzip"))
    assert kind is FailureKind.BAD_ANSWER
    assert "damaged" in message


def test_a_body_shorter_than_announced_is_no_page():
    told = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"
    assert _failed(told)[0] is FailureKind.BAD_ANSWER


def test_a_body_that_drips_runs_into_the_deadline():
    with closing(RawServer(lambda asked, send: drip(send))) as server:

        def drip(send):
            send(b"HTTP/1.1 200 OK\r\n\r\n")
            while not server.stopped.wait(0.01):
                send(b".")

        outcome = client(deadline_s=0.2).get(server.url())
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.TIMED_OUT


def test_headers_that_drip_run_into_the_deadline():
    with closing(RawServer(lambda asked, send: drip(send))) as server:

        def drip(send):
            send(b"HTTP/1.1 200 OK\r\nx: ")
            while not server.stopped.wait(0.01):
                send(b".")

        outcome = client(deadline_s=0.2).get(server.url())
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.TIMED_OUT
    assert "0.2 seconds" in outcome.message


def test_a_server_that_never_answers_runs_into_the_deadline():
    with closing(RawServer(lambda asked, send: server.stopped.wait(10))) as server:
        outcome = client(deadline_s=0.2).get(server.url())
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.TIMED_OUT


@pytest.mark.parametrize(
    "told",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"\x00\xff\x00\xff\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 1_000_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"",
    ],
    ids=["ssh", "noise", "a megabyte of headers", "broken chunks", "nothing"],
)
def test_what_is_no_http_is_a_bad_answer(told):
    assert _failed(told)[0] in {FailureKind.BAD_ANSWER, FailureKind.UNREACHABLE}


def _telling(*answers: bytes):
    rest = iter(answers)
    return lambda asked, send: send(next(rest))


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_site_that_is_down_for_a_moment_is_asked_again(status):
    waits: list[float] = []
    web = client(wait=waits.append, retry_waits_s=(0.5, 2.0))
    outcome, _ = _got(_telling(answer(status), answer(status), answer(body=b"up")), web)
    assert isinstance(outcome, Page)
    assert waits == [0.5, 2.0]


def test_a_short_retry_after_is_waited_for():
    waits: list[float] = []
    web = client(wait=waits.append, retry_waits_s=(0.5,))
    outcome, _ = _got(_telling(answer(429, retry_after="3"), answer(body=b"up")), web)
    assert isinstance(outcome, Page)
    assert waits == [3]


@pytest.mark.parametrize(
    ("value", "told_s"),
    [
        ("6", 6),
        ("3600", 3600),
        ("Fri, 31 Dec 2999 23:59:59 GMT", 7 * 24 * 3600),
        ("9" * 50, 7 * 24 * 3600),
    ],
)
def test_a_long_retry_after_is_told_instead_of_waited_for(value, told_s):
    waits: list[float] = []
    outcome, server = _got(answer(503, retry_after=value), client(wait=waits.append))
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.retry_after_s) == (FailureKind.SERVER_ERROR, told_s)
    assert (waits, len(server.asked)) == ([], 1)


@pytest.mark.parametrize(
    ("value", "told_s"), [("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("soon", None)]
)
def test_a_retry_after_that_says_nothing_is_not_waited_for(value, told_s):
    outcome, _ = _got(answer(503, retry_after=value))
    assert isinstance(outcome, Failed)
    assert outcome.retry_after_s == told_s


def test_a_page_that_is_not_there_is_not_asked_for_again():
    outcome, server = _got(answer(404), client())
    assert isinstance(outcome, Failed)
    assert len(server.asked) == 1


def test_trying_again_never_outlasts_the_deadline():
    waits: list[float] = []
    web = client(wait=waits.append, retry_waits_s=(60.0,), deadline_s=30.0)
    outcome, server = _got(answer(500), web)
    assert isinstance(outcome, Failed)
    assert (waits, len(server.asked)) == ([], 1)


def test_a_closed_port_is_unreachable():
    with hold_port() as port:
        outcome = client().get(f"http://127.0.0.1:{port}/")
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.UNREACHABLE
    assert "did not answer" in outcome.message


def test_a_header_given_twice_over_is_sent_once():
    _, server = _got(answer(), headers={"Accept": "text/markdown"})
    assert server.asked[0].headers["accept"] == "text/markdown"
    assert server.heads[0].lower().count(b"accept:") == 1
