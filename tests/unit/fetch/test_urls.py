from __future__ import annotations

import httpx2
import pytest

from wellworn.engines.fetch.models import Failed, FailureKind
from wellworn.engines.fetch.urls import keeps_credentials, web_url


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("https://Example.ORG/a?b=c#d", "https://example.org/a?b=c"),
        (" http://example.org. ", "http://example.org"),
        ("https://example.org:443/x", "https://example.org/x"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        ("http://[2606:4700::1111]:8080/", "http://[2606:4700::1111]:8080/"),
    ],
)
def test_an_address_is_read_into_one_spelling(given, read):
    assert web_url(given) == httpx2.URL(read)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "example.org/page",
        "/etc/passwd",
        "//example.org/",
        "file:///etc/passwd",
        "ftp://example.org/",
        "javascript:alert(1)",
        "data:text/plain,x",
        "gopher://example.org/",
        "http:///x",
        "http://",
        "http://a b/",
        "http://.example.org/",
        "http://exa%6Dple.org/",
        "http://example..org/",
        f"http://{'a' * 64}.example/",
        "http://example.org:99999/",
        "http://example.org:0/",
        "http://exa\nmple.org/",
        "http://name:word@example.org/",
        "http://word@example.org/",
        "http://good.example\\@evil.example/",
        "http://[fe80::1%25eth0]/",
    ],
)
def test_what_is_no_plain_web_address_is_refused(given):
    refused = web_url(given)
    assert isinstance(refused, Failed)
    assert refused.kind is FailureKind.BLOCKED_BY_POLICY


def test_a_password_in_an_address_is_not_repeated():
    refused = web_url("https://name:hunter2@example.org/?key=hunter3")
    assert isinstance(refused, Failed)
    assert "hunter" not in refused.message
    assert "credential" in refused.message


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("https://a.example/x", "https://a.example/y", True),
        ("https://a.example/x", "https://a.example:443/y", True),
        ("http://a.example/x", "https://a.example/y", True),
        ("https://a.example/x", "https://b.example/x", False),
        ("https://a.example/x", "https://sub.a.example/x", False),
        ("https://a.example/x", "https://a.example:8443/x", False),
        ("http://a.example:8080/x", "https://a.example/x", False),
        ("https://a.example/x", "http://a.example/x", False),
    ],
)
def test_credentials_stay_with_their_origin(old, new, kept):
    assert keeps_credentials(httpx2.URL(old), httpx2.URL(new)) is kept
