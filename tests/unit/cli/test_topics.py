"""The words that `wellworn topics` has for what a space is about."""

from __future__ import annotations

from unit.cli.fake_server import THOUGHT, TOPIC, TOPICS

NAME = TOPIC["id"]


def test_topics_are_a_tree_with_their_size_and_what_surges(run, fake):
    said = run("topics", "--depth", "2", "--url", fake.url)
    first, second = said.out.splitlines()
    assert first == (
        f"   12  roles, boundaries [{NAME}]  "
        "(surging: 9 said by 3 in two days, usually 0.8)  boundaries help"
    )
    assert second == f"      4  (no words) [{'f' * 16}]  boundaries help"
    assert said.err.splitlines() == [
        "12 thoughts in topics, 8 in none",
        "continue with --offset 1",
        f"2026-02-23 15:00 UTC: {'a' * 16} went into {NAME}",
    ]


def test_a_topic_is_told_with_where_it_is_and_its_thoughts(run, fake):
    lines = run("topics", NAME, "--url", fake.url).out.splitlines()
    assert lines[0] == f"teams [{'b' * 16}] > roles, boundaries [{NAME}]"
    assert lines[1] == "12 thoughts (surging: 9 said by 3 in two days, usually 0.8)"
    assert lines[2].startswith("PDSA Agent, 2026-02-23 15:00 UTC")
    assert [line.strip() for line in lines[3:]] == [
        "boundaries help", THOUGHT, "document 12, mytech/teams.md#roles", "Roles have boundaries.",
    ]  # fmt: skip


def test_nothing_is_told_in_words(run, fake):
    def told(*options, **changed) -> str:
        fake.answers["GET", "/api/v1/topics"] = {
            **TOPICS, "topics": [], "next_offset": None, "changes": [], **changed,
        }  # fmt: skip
        return run("topics", *options, "--url", fake.url).out

    assert told().startswith("no topics yet")
    assert "look again" in told(is_waiting=True)
    assert "nothing was said yet" in told("--surging", said_since=None)
    assert "2026-02-23 15:00 UTC" in told("--surging")


def test_a_space_is_sorted_first_if_that_is_asked_for(run, fake):
    run("topics", "--now", "--surging", "--limit", "3", "--url", fake.url)
    asked = [(method, path) for method, path, _ in fake.asked]
    assert asked[0] == ("POST", "/api/v1/topics")
    assert asked[1] == ("GET", "/api/v1/topics?depth=1&surging=true&offset=0&limit=3")


def test_what_became_of_topics_is_told(run, fake):
    change = TOPICS["changes"][0]
    kinds = [{**change, "kind": "split"}, {**change, "kind": "ended", "other_id": None}]
    fake.answers["GET", "/api/v1/topics"] = {**TOPICS, "changes": kinds}
    said = run("topics", "--url", fake.url).err
    assert f"{'a' * 16} came out of {NAME}" in said
    assert f"{'a' * 16} is no more" in said
