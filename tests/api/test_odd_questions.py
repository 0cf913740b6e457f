"""Questions that are hardly any, asked of spaces that hold hardly anything."""

from __future__ import annotations

import math
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from api.conftest import Worlds, fast_folder
from api.sealed_world import LINES
from api.walls import lines, unlimited
from api.world import accepted, talk

PAIR = ("Roles stay apart so that duties never mix.", "The lamp burns whale oil, said Anna.")
ODD = {
    "a letter": "a",
    "a digit": "7",
    "a sign": "?",
    "one ideograph": "\u71c8",
    "10,000 characters": ("lamp oil and " * 800)[:10_000],
    "10,000 without a space": "x" * 10_000,
    "stop words": "and the of to is it was that",
    "emoji": "\U0001f680\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1eb\U0001f1ee",
    "CJK": "\u8c01\u70b9\u4e86\u706f\uff1f \u30e9\u30f3\u30d7\u306e\u6cb9",
    "right to left": "\u0645\u0646 \u0623\u0634\u0639\u0644 \u0645\u0635\u0628\u0627\u062d",
    "code": "def f(x: int) -> dict[str, int]:\n    return {k: v for k, v in g(x).items() if v}",
    "regex": r"(?P<lamp>.*+)[^]$ \\d{3,}|(?<!x)\1 ((((",
    "sql": "'; DROP TABLE thoughts; -- %_ \" OR 1=1",
    "no such days": "what was on 2026-02-30, 31 April 2026, 0.0.0000, 99.99.9999 or 2026-13-45?",
    "year nothing": "what was said on 0000-00-00 or in the year 0000 or on May 0, 0000?",
    "day of a leap year": "what happened on February 29?",
    # Arabic and Devanagari ones.
    "days in other digits": "\u0661\u0669\u0669\u0669-\u0660\u0662-\u0663\u0660 \u0967.\u0967",
    "everyone's name": "what did anna say?",
    "everyone's name alone": "Anna",
    "a quote": "\"lamp\" \u201clamp\u201d `lamp` 'lamp'",
    "marks that combine": "l\u0301a\u0308m\u0323p " * 20,
    "words of nothing": "\u200b\u2060\ufeff\u00ad lamp",
    "controls": "lamp\u0007\u001b[31m\u2028oil",
}
TURNS = ("Who lit the lamp?", "I did.", "\U0001f680")
SESSIONS = (f"7b9f0a52-5a8e-4c65-9d59-{n:012d}" for n in count())


def turn(position, content):
    named = {"contributor_id": f"anna-{position}", "contributor_name": "Anna"}
    place = {"kind": "turn", "session": "talk", "position": position}
    return {"record": "thought", "content": content, **named, **place}


@pytest.fixture(scope="module", params=[0, 1, 2, 5])
def small(request, minilm):
    """A memory of so many thoughts, all by people called Anna, the last three of them turns."""
    with TemporaryDirectory(dir=fast_folder()) as folder, ExitStack() as stack:
        world = Worlds(Path(folder) / "home", stack)(minilm, unlimited())
        for content in PAIR[: request.param]:
            world.know(content, contributor_name="Anna")
        if request.param > len(PAIR):
            world.client.post(
                "/api/v1/import",
                content=lines([turn(at, said) for at, said in enumerate(TURNS)]),
                headers=LINES,
            ).raise_for_status()
        yield world, request.param


@pytest.mark.parametrize("kind", ODD)
def test_whatever_is_asked_is_answered_in_good_order(small, kind):
    world, many = small
    more = {"limit": 50, "explain": True}
    body = talk(ODD[kind], contribute="never", **more)
    asked = accepted(world.post("memory", body))["result"]["sources"]
    retrieved = accepted(
        world.post(
            "retrieve",
            {"query": ODD[kind], "agent_id": "bo", "session_id": next(SESSIONS), **more},
        )
    )
    for found in (asked, retrieved):
        assert len({one["thought_id"] for one in found}) == len(found) <= many
        ranks = [one["rank_score"] for one in found]
        assert ranks == sorted(ranks, reverse=True)
        for one in found:
            assert all(map(math.isfinite, (one["score"], *one["why"].values())))
            assert one["rank_score"] == pytest.approx(math.fsum(one["why"].values()))
            assert -1.001 <= one["score"] <= 1.001


@pytest.mark.parametrize("kind", ODD)
def test_what_was_stored_is_found_by_its_own_words_however_odd(meaning, kind):
    stored = meaning.know(ODD[kind])
    meaning.know("Something else entirely about harbours and violins.")
    body = {"query": ODD[kind], "agent_id": "bo", "session_id": next(SESSIONS), "limit": 2}
    found = accepted(meaning.post("retrieve", body))
    assert found[0]["thought_id"] == stored


def test_one_of_one_and_one_of_two_are_found(small):
    world, many = small
    for content in PAIR[:many]:
        reply = world.ask(content, contribute="never")
        assert reply["result"]["sources"][0]["content_preview"] == content


def test_a_name_that_is_everyones_prefers_nobody(small):
    world, _ = small
    found = world.ask("what did Anna say?", limit=50, explain=True)["result"]["sources"]
    told = {one["why"].get("speaker", 0.0) for one in found if one["content"] not in PAIR}
    assert len(told) <= 1
