"""The words that `wellworn sleep` has for what it brought together."""

from __future__ import annotations

from unit.cli.fake_server import REPLY, REST, THOUGHT, TOPIC


def test_each_overview_is_told_with_its_quotes_and_their_sources(run, fake):
    said = run("sleep", "--url", fake.url)
    assert said.out.splitlines() == [
        "overview of 7 thoughts: roles, boundaries",
        *["      boundaries help  PDSA Agent, 2026-02-23 15:00 UTC", f"      {THOUGHT}"] * 2,
    ]
    assert said.err.splitlines() == [
        "1 new, 3 as before, 2 gone",
        "slept at 2026-02-23 15:00 UTC",
    ]


def test_a_dry_run_asks_for_one_and_says_so(run, fake):
    fake.answers["POST", "/api/v1/sleep"] = {**REST, "dry_run": True, "slept_at": None}
    said = run("sleep", "--dry-run", "--limit", "3", "--url", fake.url)
    assert said.err.splitlines() == ["would be 1 new, 3 as before, 2 gone"]
    [body] = [body for method, path, body in fake.asked if path.endswith("/sleep")]
    assert body == {"dry_run": True, "limit": 3}


def test_what_the_last_sleep_left_is_only_read(run, fake):
    assert run("sleep", "--last", "--url", fake.url).code == 0
    assert ("GET", "/api/v1/sleep?limit=20") in [(method, path) for method, path, _ in fake.asked]
    assert run("sleep", "--last", "--dry-run", "--url", fake.url).code == 2


def test_nothing_and_not_yet_are_told_in_words(run, fake):
    def told(**changed) -> str:
        fake.answers["POST", "/api/v1/sleep"] = {**REST, "overviews": [], **changed}
        return run("sleep", "--url", fake.url).out

    assert told().startswith("nothing to bring together")
    assert "look again with --last" in told(is_waiting=True)


def test_a_bridge_is_told_with_its_evidence_and_decided(run, fake):
    said = run("bridges", "--url", fake.url)
    told = [
        "who needed one also needed the other: roles, boundaries and (no words)",
        "      in 9 sessions of 3 users, where 2.2 are expected by chance",
        f"      topic {TOPIC['id']}, 7 thoughts: boundaries help",
        "      topic 00112233445566aa, 3 thoughts: ",
    ]
    proposed = "      proposed, until 2026-02-23 15:00 UTC"
    assert said.out.splitlines() == [*told, proposed, f"      {THOUGHT}"]
    assert said.err == "looked for at 2026-02-23 15:00 UTC\n"
    said = run("bridges", "--take", THOUGHT, "--url", fake.url)
    assert said.out.splitlines() == [
        *told,
        "      taken 2026-02-23 15:00 UTC",
        f"      {THOUGHT}",
    ]
    [body] = [
        body for method, path, body in fake.asked if (method, path[-7:]) == ("POST", "bridges")
    ]
    assert body == {"take": [THOUGHT], "decline": []}
    fake.answers["POST", "/api/v1/sleep"] = {**REST, "bridges": 2}
    assert "2 bridges between topics: wellworn bridges" in run("sleep", "--url", fake.url).err


def test_recall_tells_it_beside_its_results(run, fake):
    result = {**REPLY["result"], "overview": REST["overviews"][0]}
    fake.answers["POST", "/api/v1/memory"] = {**REPLY, "result": result}
    out = run("recall", "what helps?", "--url", fake.url).out
    assert "overview of 7 thoughts: roles, boundaries" in out
