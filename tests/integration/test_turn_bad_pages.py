"""Pages that cannot be read end in a recorded failure, and in a plain sentence to who asked."""

from __future__ import annotations

import pytest

from integration.fetch_servers import answer

MEGABYTE = b"<p>" + b"x" * 1_000_000 + b"</p>"


def send_50_mb(request, send):
    send(answer(200, content_type="text/html", content_length=str(50 * len(MEGABYTE))))
    for _ in range(50):
        send(MEGABYTE)


def send_in_circles(request, send):
    other = "/there" if request.path == "/here" else "/here"
    send(answer(302, location=other))


@pytest.mark.parametrize(
    ("harm", "said"),
    [(send_50_mb, "larger than "), (send_in_circles, "redirect")],
    ids=["50 MB", "redirect loop"],
)
def test_a_page_that_cannot_be_read_is_a_recorded_failure_and_said(person, site, harm, said):
    site.answers["/here"] = site.answers["/there"] = harm
    reply = person.ask("What does {site}/here say about the ferry?")
    [told] = [line for line in reply.text.splitlines() if line.startswith("A tool failed: ")]
    assert said in told
    assert told.endswith(".")
    assert reply.missing == ("GOAL_1",)
    assert not reply.claims
    results = person.read(reply, "toolresults.md")
    assert "## 1. web.visit" in results
    assert "**Outcome:** FAILED" in results
    assert said in results
    assert not (person.vault / reply.turn.folder / "webpage_cache").exists()
    assert person.read_sections(reply)["4"].count("web.visit") <= 1
