"""Tidying a memory, and what became of it, on the command line."""

from __future__ import annotations

import io
import sys

import pytest

from unit.cli.conftest import is_two_lines
from unit.cli.fake_server import CURATED, SESSION, THOUGHT
from wellworn.kit.clock import SystemClock, from_iso

DAY = 86_400


def sent(fake, method="POST", path="/api/v1/curation"):
    return [body for sent, where, body in fake.asked if (sent, where) == (method, path)]


def curate(run, fake, *words):
    return run("curate", *words, "--url", fake.url, "--agent", "ana")


def test_candidates_are_listed_with_their_evidence_and_nothing_is_changed(run, fake):
    said = curate(run, fake, "--older-than", "30", "--reason", "duplicate", "--limit", "5")
    lines = said.out.splitlines()
    assert lines[0] == "duplicate  2026-02-23 15:00 UTC  PDSA Agent"
    assert lines[2].strip() == "says the same in the same words"
    assert lines[3].strip() == f"could be merged into {SESSION}"
    assert lines[4].strip() == THOUGHT
    assert "2 more are duplicate" in said.err
    assert "too few questions to say what nobody needs: 7 of 20 in 30 days" in said.err
    assert fake.asked == [
        ("GET", "/api/v1/curation?reason=duplicate&older_than_days=30&limit=5", None)
    ]


@pytest.mark.parametrize(
    ("words", "body"),
    [
        (["--outdated"], {"action": "outdated"}),
        (["--end", "2026-12-24"], {"action": "end", "expires_at": "2026-12-24"}),
        (["--into", SESSION], {"action": "merge", "into": SESSION}),
        (["--erase", "--yes", "--because", "tidied"], {"action": "erase", "reason": "tidied"}),
    ],
)
def test_a_selection_is_changed(run, fake, words, body):
    assert curate(run, fake, THOUGHT, *words).code == 0
    whole = {"dry_run": False, "thought_ids": [THOUGHT], "agent_id": "ana"}
    assert sent(fake) == [whole | body]


def test_all_duplicates_are_merged_into_what_they_repeat(run, fake):
    said = curate(run, fake, "--merge")
    assert said.out == f"merged into {SESSION}  {THOUGHT}\n"
    assert [(each["into"], each["thought_ids"]) for each in sent(fake)] == [(SESSION, [THOUGHT])]
    assert fake.asked[0][1].startswith("/api/v1/curation?reason=duplicate")


def test_all_of_a_reason_are_changed(run, fake):
    assert curate(run, fake, "--reason", "expired", "--outdated").code == 0
    assert [each["action"] for each in sent(fake)] == ["outdated"]


def test_what_is_erased_is_shown_and_confirmed_first(run, fake, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    said = curate(run, fake, THOUGHT, "--erase")
    assert said.code != 0
    assert "boundaries help" in said.err
    assert "cannot be recovered" in said.err
    assert sent(fake) == []
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert curate(run, fake, "--reason", "duplicate", "--erase").code == 0
    assert len(sent(fake)) == 1


def test_a_dry_run_asks_nothing_and_says_would(run, fake):
    fake.answers["POST", "/api/v1/curation"] = CURATED | {"action": "erase", "into": None}
    said = curate(run, fake, THOUGHT, "--erase", "--dry-run")
    assert said.out == f"would be erased  {THOUGHT}\n"
    assert [each["dry_run"] for each in sent(fake)] == [True]


@pytest.mark.parametrize(
    "words",
    [
        [THOUGHT],
        ["--outdated"],
        [THOUGHT, "--outdated", "--erase"],
        [THOUGHT, "--merge"],
        ["--merge", "--reason", "expired"],
        [THOUGHT, "--outdated", "--because", "old"],
        [THOUGHT, "--end", "soon"],
    ],
)
def test_half_an_order_is_refused_with_what_to_do(run, fake, words):
    assert is_two_lines(curate(run, fake, *words), 2)
    assert sent(fake) == []


def test_nothing_to_tidy_is_said(run, fake):
    counts = {"expired": 0, "contested": None, "duplicate": None, "unneeded": None}
    fake.answers["GET", "/api/v1/curation"] = {"candidates": [], "counts": counts, "questions": 99}
    said = curate(run, fake)
    assert (said.out, said.err) == ("nothing to tidy\n", "")
    assert curate(run, fake, "--merge").out == "nothing to do\n"


def test_all_that_fit_are_counted_shown_and_changed_once_that_is_confirmed(run, fake):
    words = ("tidy", "outdated", "--tag", "old", "--url", fake.url, "--agent", "ana")
    said = run(*words)
    path = "/api/v1/curation/matching"
    assert [each["dry_run"] for each in sent(fake, path=path)] == [True]
    assert "Mark these 3 thoughts outdated?" in said.err
    done = run(*words, "--yes")
    asked = sent(fake, path=path)[-1]
    assert (asked["tag"], asked["expected"], asked["dry_run"]) == ("old", 3, False)
    assert done.out == "history from now on  1 thoughts\n"
    assert "2 more fit: run it again" in done.err
    assert "wellworn take-back 2026-02-23T15:00:00Z" in done.err
    only = run(*words, "--dry-run")
    assert "3 of 4 that fit can be changed by you" in only.out


def test_an_end_for_all_needs_its_time(run, fake):
    assert is_two_lines(run("tidy", "end", "--url", fake.url, "--agent", "ana"), 2)


def test_what_was_done_at_once_is_taken_back(run, fake):
    words = ("take-back", "2026-02-23T15:00:00Z", "--url", fake.url, "--agent", "ana")
    assert run(*words).out == f"as before  {THOUGHT}\n"


def test_a_digest_names_the_thoughts_of_each_line(run, fake):
    said = run("digest", "--since", "7d", "--url", fake.url)
    assert said.out.splitlines() == [
        "from 2026-02-16 15:00 UTC to 2026-02-23 15:00 UTC",
        "learned: 4",
        f"  {THOUGHT[:8]}  boundaries help \ufffd[2Jnow  (PDSA Agent)",
    ]
    [(_, asked, _)] = fake.asked
    since = from_iso(asked.partition("since=")[2].replace("%3A", ":"))
    assert abs(SystemClock().now() - 7 * DAY - since) < 60


def test_an_end_is_given_and_taken_back(run, fake):
    said = run("thought", "end", THOUGHT, "--at", "2026-12-24", "--url", fake.url)
    assert said.out == f"{THOUGHT} is true until 2026-12-25T00:00:00Z\n"
    path = f"/api/v1/thoughts/{THOUGHT}/end"
    fake.answers["PUT", path] = {"thought_id": THOUGHT, "expires_at": None}
    said = run("thought", "end", THOUGHT, "--never", "--url", fake.url)
    assert said.out == f"{THOUGHT} has no end\n"
    assert [each.get("expires_at") for each in sent(fake, "PUT", path)] == ["2026-12-24", None]
    assert is_two_lines(run("thought", "end", THOUGHT, "--url", fake.url), 2)


def test_remember_takes_an_end_from_now_on(run, fake):
    run("remember", "boundaries help", "--expires-at", "7d", "--url", fake.url)
    [body] = sent(fake, "POST", "/api/v1/memory")
    assert abs(SystemClock().now() + 7 * DAY - from_iso(body["expires_at"])) < 60
