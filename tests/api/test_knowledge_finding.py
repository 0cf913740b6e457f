"""What crowds a passage out of an answer, and what must not."""

from __future__ import annotations

import pytest

from api.walls import Caller, founded, served
from api.world import accepted

KNOWLEDGE = "/api/knowledge"


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture
def owner(world):
    return founded(world)


def note(owner: Caller, name: str, text: str, **more):
    body = {"source_type": "manual_note", "name": name, "config": {"text": text}, **more}
    source = accepted(owner.post(f"{KNOWLEDGE}/sources", body))
    accepted(owner.post(f"{KNOWLEDGE}/sources/{source['id']}/sync", None))


def passages(caller: Caller, query: str):
    found = accepted(caller.get(f"{KNOWLEDGE}/search", params={"q": query}))["results"]
    return [(one["source"], each) for one in found for each in one["snippets"]]


def sections(name: str, count: int, body: str) -> str:
    return "\n\n".join(f"## {name} {number}\n\n{body}" for number in range(count))


def test_an_identifier_that_is_everywhere_does_not_hide_the_section_that_is_asked_for(owner):
    note(owner, "manual", sections("Part", 60, "Write the key into secrets.toml, then go on."))
    note(owner, "help", "## Placeholders left in secrets.toml\n\nReplace secrets.toml's dots.\n")
    (source, first), *_ = passages(owner, "what are Placeholders left in secrets.toml?")
    assert (source, first["anchor"]) == ("help", "placeholders-left-in-secretstoml")


def test_an_identifier_that_is_rare_is_found_by_its_letters_before_all_that_sounds_like_it(owner):
    note(owner, "manual", sections("Where the address of the gateway is", 60, "It is 10.0.0.70."))
    note(owner, "hosts", "## Others\n\n10.0.0.7\n")
    (source, first), *_ = passages(owner, "Where is the address of the gateway 10.0.0.7?")
    assert (source, first["exact"]) == ("hosts", True)


def test_what_a_caller_may_not_see_takes_no_place_from_what_it_may(owner):
    friend, other = owner.guest(), owner.guest()
    hidden = sections("Restart of the pump", 150, "Restart the pump by the red lever.")
    note(owner, "hidden", hidden, agents=[friend.member_id])
    note(owner, "open", "## Duties\n\nBen may restart pumps.\n")
    assert passages(friend, "restart of the pump")[0][0] == "hidden"
    assert {source for source, _ in passages(other, "restart of the pump")} == {"open"}


@pytest.mark.parametrize(
    ("query", "is_weak"),
    [
        ("What is the port of srv-99?", True),
        ("What is the port of srv-01?", False),
        ("What is the port of the server?", False),
    ],
)
def test_what_has_not_the_code_that_is_asked_for_is_weak(owner, query, is_weak):
    note(owner, "servers", "## srv-01\n\nThe port of the server srv-01 is 9100.\n")
    found = accepted(owner.get(f"{KNOWLEDGE}/search", params={"q": query}))["results"]
    assert {each["weak"] for each in found} == {is_weak}
