"""One member's many entries do not put that member's words into the server's own question."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, founded

SHARED = ("system", "organisation", "data")
PLACES = ("north", "south", "east", "west", "upper", "lower", "inner", "outer")


@pytest.fixture
def members(opened):
    """The founder of a space, who is its admin, and three members."""
    owner = founded(Anywhere(opened)("home"), sealed=False)
    return owner, *(owner.shared(name, role="contributor") for name in ("bo", "eve", "kim"))


def flood(member, *, tagged):
    for number in range(40):
        place = PLACES[number % len(PLACES)]
        member.know(
            f"Architecture entry snakeoil{place} {number}",
            "eve",
            tags=[f"buy-snakeoil-{place}"] if tagged else [],
        )


def offer(member):
    reply = member.ask("architecture?", "asker", contribute="never")
    asked = reply["result"]["disambiguation"]
    return [area["tag"] for area in asked["clusters"]] if asked else []


@pytest.mark.parametrize("tagged", [True, False], ids=["tags", "words"])
def test_a_flood_of_one_member_gives_the_question_no_word(members, tagged):
    _, bo, eve, kim = members
    for member, name in ((bo, "bo"), (kim, "kim")):
        for area in SHARED:
            member.know(f"Architecture entry {area} of {name}", name, tags=[area])
    flood(eve, tagged=tagged)
    assert not [area for area in offer(kim) if "snakeoil" in area]


def test_what_several_members_speak_of_is_offered(members):
    _, bo, eve, kim = members
    for member, name in ((bo, "bo"), (eve, "eve")):
        for number in range(2):
            for area in SHARED:
                member.know(f"Architecture entry {area} {name} {number}", name, tags=[area])
    assert set(offer(kim)) == set(SHARED)


@pytest.mark.parametrize("author", ["admin", "asker"])
def test_an_admin_s_and_the_asker_s_own_words_are_offered(members, author):
    owner, _, _, kim = members
    member = owner if author == "admin" else kim
    for number in range(4):
        for area in SHARED:
            member.know(f"Architecture entry {area} {number}", author, tags=[area])
    assert set(offer(kim)) == set(SHARED)
