"""What an entry may hold: names, ids, codes and numbers, and no sentence."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.audit import Action, Actor, Entry
from wellworn.domain.audit.chain import canonical, entry_of

REFUSED = "must be 1 to 200 printable characters|must not contain blanks"
UNREADABLE = "not an entry"

IDS = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FFF), min_size=1, max_size=20)
IDS = IDS.filter(lambda text: text.isprintable() and " " not in text)
ENTRIES = st.builds(
    Entry,
    at=st.floats(0, 4e9),
    actor=st.builds(Actor, IDS, st.none() | IDS, st.none() | IDS, st.none() | IDS),
    action=st.sampled_from(Action),
    targets=st.lists(IDS, max_size=4).map(tuple),
    outcome=st.sampled_from(["ok", "FORBIDDEN", "RATE_LIMITED"]),
    details=st.dictionaries(
        st.from_regex(r"[a-z][a-z0-9_]{0,39}", fullmatch=True),
        st.integers(-(2**63), 2**63 - 1),
        max_size=4,
    ),
)


def test_an_entry_is_written_in_one_way_for_ever():
    entry = Entry(
        at=1_771_858_800.0,
        actor=Actor("m-1", "k1", "Zoë", "r-1"),
        action=Action.MEMORY_RECALLED,
        targets=("b", "a"),
        details={"frame": 3, "count": 2},
    )
    assert canonical(entry) == (
        b'{"action":"memory.recalled","at":1771858800.0,"credential":"k1",'
        b'"details":{"count":2,"frame":3},"outcome":"ok","owner":"Zo\\u00eb",'
        b'"principal":"m-1","request_id":"r-1","targets":["b","a"]}'
    )


@given(ENTRIES)
def test_what_is_written_reads_back_and_is_written_the_same_again(entry):
    written = canonical(entry)
    assert entry_of(written) == entry
    assert canonical(entry_of(written)) == written


@given(ENTRIES)
def test_the_order_in_which_details_were_given_does_not_matter(entry):
    turned = dict(reversed(entry.details.items()))
    assert canonical(dataclasses.replace(entry, details=turned)) == canonical(entry)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "the capital of France is Paris",
        "two\nlines",
        "a\x00b",
        "tab\there",
        "x" * 201,
        "hidden\u202eturn",
        "zero\u200bwidth",
        "lone\ud800half",
        "hard\u00a0blank",
    ],
)
def test_no_content_gets_into_an_identifier(content):
    with pytest.raises(ValueError, match=REFUSED) as refusal:
        Entry(0.0, Actor("m-1"), Action.THOUGHT_READ, targets=(content,))
    assert not content or content not in str(refusal.value)
    for field in ("credential", "request_id"):
        with pytest.raises(ValueError, match=REFUSED):
            Actor("m-1", **{field: content})


@pytest.mark.parametrize("content", ["", "two\nlines", "a\x1bb", "x" * 201, "hidden\u202eturn"])
def test_a_name_is_short_and_on_one_line(content):
    with pytest.raises(ValueError, match=REFUSED):
        Actor(content)
    with pytest.raises(ValueError, match=REFUSED):
        Actor("m-1", owner=content)


def test_names_may_have_blanks_and_identifiers_two_hundred_characters():
    actor = Actor("claude desktop", "k" * 200, "Ada Lovelace")
    assert entry_of(canonical(Entry(0.0, actor, Action.SPACE_READ))).actor == actor


@pytest.mark.parametrize(
    "wrong",
    [
        {"outcome": "it went wrong because of Paris"},
        {"outcome": ""},
        {"outcome": "OK!"},
        {"details": {"count": "Paris"}},
        {"details": {"count": True}},
        {"details": {"count": 1.5}},
        {"details": {"count": 2**63}},
        {"details": {"the capital": 1}},
        {"details": {f"n{number}": 1 for number in range(17)}},
        {"targets": tuple(str(number) for number in range(1001))},
    ],
)
def test_outcomes_are_codes_and_details_are_numbers(wrong):
    with pytest.raises(ValueError, match=r"outcome|detail|targets"):
        Entry(0.0, Actor("m-1"), Action.MEMORY_JUDGED, **wrong)


FIELDS = json.loads(canonical(Entry(0.0, Actor("m-1"), Action.MEMORY_JUDGED)))


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        *(
            json.dumps(FIELDS | change, sort_keys=True, separators=(",", ":")).encode()
            for change in (
                {"at": 10**400},
                {"at": 1},
                {"action": "memory.eaten"},
                {"credential": ["k"]},
                {"details": ["a"]},
                {"targets": "ab"},
                {"outcome": 3},
                {"prompt": "the capital of France"},
            )
        ),
        json.dumps(FIELDS).encode(),
    ],
)
def test_what_is_no_entry_as_it_is_written_is_refused(damaged):
    with pytest.raises(ValueError, match=UNREADABLE):
        entry_of(damaged)


def test_actions_keep_their_names():
    assert {
        "memory.recalled",
        "memory.remembered",
        "memory.forgotten",
        "memory.judged",
        "thought.read",
        "thought.found",
        "space.created",
        "space.sealed",
        "space.unsealed",
        "space.rotated",
        "space.resealed",
        "space.deleted",
        "member.invited",
        "member.joined",
        "member.revoked",
        "member.left",
        "credential.created",
        "credential.rotated",
        "credential.revoked",
        "export.made",
        "import.made",
        "access.refused",
        "rollback.made",
        "quarantine.released",
        "limit.reached",
    } <= set(Action)
