"""What is one space's, or some members' only: told to nobody else, by no way round; item 30."""

from __future__ import annotations

from contextlib import closing

import pytest

from api.walls import founded
from api.world import accepted
from integration.hostile_server import KNOWLEDGE, added, all_that_is_told, attacked, noted, synced
from integration.hostile_world import Site, holders, page


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def world(tmp_path, temporary):
    with attacked(tmp_path) as world:
        yield world


HIDDEN = "The vault of Zephyrine opens at 10.66.77.88 with the word Quillfeather."
OPEN = "The vault of Zephyrine opens at 10.0.0.7."
# What is asked is told to all in the log of questions; these do not say what is hidden.
NEUTRAL = ("Zephyrine", "vault", "zephyrine vault", "the vault", "10.0.0.7")
ASKED = (*NEUTRAL, "10.66.77.88", "Quillfeather")


# 30
def test_one_url_in_two_spaces_is_two_documents_and_nothing_is_shared(world):
    with closing(Site()) as site:
        site.pages["/"] = page(HIDDEN)
        one, two = founded(world, "one"), founded(world, "two")
        first, second = (added(who, "url", "wiki", {"url": site.url("/")}) for who in (one, two))
        for who, number in ((one, first), (two, second)):
            assert synced(who, number)["message"] == "1 new"
        [a], [b] = (accepted(who.get(f"{KNOWLEDGE}/documents"))["documents"] for who in (one, two))
        assert a["id"] != b["id"]
        assert len(site.asked) == 2
        site.pages["/"] = page("Two has other words now.")
        assert synced(two, second)["message"] == "1 changed"
        assert "Quillfeather" in all_that_is_told(one, *ASKED)
        assert "Quillfeather" not in all_that_is_told(two, *NEUTRAL)
        # Neither reaches what the other has by its number.
        for path in (f"documents/{a['id']}", f"sources/{first}", f"sources/{first}/runs"):
            assert two.get(f"{KNOWLEDGE}/{path}").status_code == 404
        assert two.post(f"{KNOWLEDGE}/sources/{first}/sync").status_code == 404
        assert two.send("DELETE", f"{KNOWLEDGE}/sources/{first}").status_code == 404
        assert accepted(two.send("DELETE", f"{KNOWLEDGE}/sources/{second}"))["documents"] == 1
        assert "Quillfeather" in all_that_is_told(one, *ASKED)


# 30
def test_a_page_that_the_other_space_has_is_still_fetched_so_nobody_learns_that_it_has(world):
    one, two = founded(world, "one"), founded(world, "two")
    numbers = [noted(who, "same", HIDDEN) for who in (one, two)]
    runs = [
        accepted(who.get(f"{KNOWLEDGE}/sources/{number}/runs"))["runs"][0]
        for who, number in zip((one, two), numbers, strict=True)
    ]
    assert runs[0]["counts"] == runs[1]["counts"]


@pytest.fixture
def team(world):
    """An admin, a member whom a source is for, and one whom it is not for."""
    admin = founded(world, "team")
    inner, outer = admin.guest(name="inner"), admin.guest(name="outer")
    noted(admin, "open", OPEN)
    noted(admin, "vault", HIDDEN, agents=[inner.member_id])
    return admin, inner, outer


# 30
def test_what_a_restricted_source_says_is_told_to_those_it_is_for_only(team):
    admin, inner, outer = team
    assert "Quillfeather" in all_that_is_told(admin, *NEUTRAL)
    assert "Quillfeather" in all_that_is_told(inner, *NEUTRAL)
    # The others have asked, and so taught, before: none of that tells more.
    told = all_that_is_told(outer, *NEUTRAL)
    assert "Quillfeather" not in told
    assert "10.66.77.88" not in told
    assert "10.0.0.7" in told


# 30
def test_conflicting_tables_of_a_restricted_source_are_told_to_nobody_else(world):
    admin = founded(world, "team")
    inner, outer = admin.guest(name="inner"), admin.guest(name="outer")
    table = "# Servers\n\n| name | ip |\n|---|---|\n| cube | {} |\n| clifford | 5.161.97.53 |\n"
    noted(admin, "open", table.format("10.0.0.7"))
    hidden = noted(admin, "vault", table.format("10.66.77.88"), agents=[inner.member_id])
    conflicts = accepted(admin.get(f"{KNOWLEDGE}/conflicts"))["conflicts"]
    assert [one["term"] for one in conflicts] == ["cube"]
    told = all_that_is_told(outer, "cube", "clifford", "servers")
    assert "10.66.77.88" not in told
    answer = accepted(outer.get(f"{KNOWLEDGE}/resolve", params={"term": "cube"}))
    assert answer["outcome"] == "resolved"
    assert [one["value"] for one in answer["values"] if one["fact_type"] == "ip"] == ["10.0.0.7"]
    decision = {"resolution": "10.66.77.88", "reason": "the vault says so"}
    accepted(admin.post(f"{KNOWLEDGE}/conflicts/{conflicts[0]['id']}/decision", decision))
    told = all_that_is_told(outer, "cube")
    assert "10.66.77.88" not in told
    assert "the vault says so" not in told
    # Once everybody may see it, they do.
    admin.send("PUT", f"{KNOWLEDGE}/sources/{hidden}", {"everybody": True})
    assert "10.66.77.88" in all_that_is_told(outer, "cube")


# 30
def test_a_term_that_others_learned_from_a_restricted_source_stands_for_nothing_else(team):
    _, inner, outer = team
    body = {"term": "the old place", "citation": "vault/vault.md"}
    learned = inner.post(f"{KNOWLEDGE}/aliases", body)
    assert learned.status_code == 200, learned.text
    answer = accepted(inner.get(f"{KNOWLEDGE}/resolve", params={"term": "the old place"}))
    assert answer["outcome"] == "resolved"
    answer = accepted(outer.get(f"{KNOWLEDGE}/resolve", params={"term": "the old place"}))
    assert answer["outcome"] == "unknown"
    assert "vault/vault" not in all_that_is_told(outer, "the old place")


# 30
def test_a_source_that_is_taken_from_somebody_is_gone_for_them_at_once(team):
    admin, inner, outer = team
    all_that_is_told(inner, *NEUTRAL)
    [number] = [
        one["id"]
        for one in accepted(admin.get(f"{KNOWLEDGE}/sources"))["sources"]
        if one["name"] == "vault"
    ]
    accepted(admin.send("PUT", f"{KNOWLEDGE}/sources/{number}", {"agents": [outer.member_id]}))
    assert "Quillfeather" not in all_that_is_told(inner, "Zephyrine", "vault")
    assert "Quillfeather" in all_that_is_told(outer, "Zephyrine", "vault")


# 30
def test_words_of_a_sealed_space_are_in_no_file(world, temporary):
    admin = founded(world, "vault", sealed=True)
    noted(admin, "note", HIDDEN)
    assert "Quillfeather" in all_that_is_told(admin, *NEUTRAL)
    assert holders(world.home, "Quillfeather", "Zephyrine") == []
    assert holders(temporary, "Quillfeather", "Zephyrine") == []
