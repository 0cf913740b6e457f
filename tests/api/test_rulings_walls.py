"""What an admin said of names tells nobody else of what they may not see."""

from __future__ import annotations

import pytest

from api.walls import Caller, founded, served
from api.world import accepted

KNOWLEDGE = "/api/knowledge"
OPEN = "# Servers\n\n| name | ip |\n|---|---|\n| lantern | 10.0.0.7 |\n"
HIDDEN = "# Vault\n\n| name | port |\n|---|---|\n| quillfeather | 8443 |\n"
REASON = "the vault's own list has it as Quillfeather"


@pytest.fixture(scope="module")
def team():
    with served() as world:
        admin = founded(world)
        inner, outer = admin.guest(name="inner"), admin.guest("reader", "outer")
        for name, text, more in (
            ("open", OPEN, {}),
            ("vault", HIDDEN, {"agents": [inner.member_id]}),
        ):
            note = {"source_type": "manual_note", "name": name, "config": {"text": text}, **more}
            number = accepted(admin.post(f"{KNOWLEDGE}/sources", note))["id"]
            accepted(admin.post(f"{KNOWLEDGE}/sources/{number}/sync"))
        ruling = {"term": "brick", "other": "quillfeather", "verdict": "one", "reason": REASON}
        accepted(admin.post(f"{KNOWLEDGE}/names", ruling))
        yield admin, inner, outer


def resolve(caller: Caller, term: str):
    answer = accepted(caller.get(f"{KNOWLEDGE}/resolve", params={"term": term}))
    return {name: value for name, value in answer.items() if name != "term"}


def test_an_export_gives_rulings_to_admins_alone(team):
    admin, inner, outer = team
    kinds = {one["record"] for one in admin.everything()}
    assert "name_ruling" in kinds
    for caller in (inner, outer):
        records = caller.everything()
        assert "name_ruling" not in {one["record"] for one in records}
        assert REASON not in str(records)


@pytest.mark.parametrize(
    "form", ["{}", "{} port", "what is the port of {}?", "the {}", "port of the {} of lantern"]
)
def test_who_may_not_see_a_thing_is_not_told_that_it_has_names(team, form):
    _, _, outer = team
    nothing = resolve(outer, form.format("plimsoll"))
    for name in ("brick", "quillfeather"):
        told = str(resolve(outer, form.format(name))).replace(name, "plimsoll")
        assert told == str(nothing)


def test_who_may_see_it_finds_it_under_both_names(team):
    _, inner, _ = team
    for name in ("brick", "quillfeather"):
        [value] = resolve(inner, f"{name} port")["values"]
        assert value["value"] == "8443"
