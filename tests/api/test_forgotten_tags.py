"""A tag that only a forgotten thought had may name what must be forgotten: it goes everywhere."""

from __future__ import annotations

from api.world import accepted, ids, talk

SECRET = "Ørsted affair"
AREAS = {"garden": 6, "old kitchen": 3, "roof": 3}
SPELLINGS = ("rsted affair", "rsted-affair")  # JSON may write the first letter as an escape


def fill(world):
    """Store equally near thoughts, most of the first area; return two of the second, tagged."""
    for place, (tag, count) in enumerate(AREAS.items()):
        for number in range(count):
            world.know(f"Architecture entry {number} of part {place}.", tags=[tag])
    return [
        world.know(f"Architecture entry {number} of part four.", tags=["old_kitchen", SECRET])
        for number in range(2)
    ]


def ask(world, key="once"):
    reply = world.client.post(
        "/api/v1/memory",
        json=talk("architecture?", "dev"),
        headers={"idempotency-key": key},
    )
    return accepted(reply)["result"]["disambiguation"]["clusters"]


def saying(world, texts):
    """Name the tables that hold one of the texts, whatever the case."""
    return {
        name
        for name in world.tables()
        for row in world.rows(f'SELECT * FROM "{name}"')
        if any(text in str(row).casefold() for text in texts)
    }


def test_a_tag_that_nobody_else_has_is_in_no_table_after_its_thoughts_are_forgotten(world):
    secret = fill(world)
    assert SECRET in [cluster["tag"] for cluster in ask(world)]
    assert saying(world, SPELLINGS) == {"thoughts", "tags", "query_log", "answers"}
    for thought in secret:
        world.forget(thought)
    assert saying(world, SPELLINGS) == set()


def test_a_forgotten_tag_is_gone_however_the_other_thoughts_spelled_it(world):
    secret = [
        *fill(world),
        world.know("Architecture entry of old.", tags=["old_kitchen", "ØRSTED-Affair"]),
    ]
    ask(world)
    for thought in secret:
        world.forget(thought)
    assert saying(world, SPELLINGS) == set()


def test_a_tag_that_another_thought_has_is_still_offered(world):
    secret = fill(world)
    ask(world)
    world.forget(secret[0])
    [(offered,)] = world.rows("SELECT offered_tags FROM query_log WHERE offered_tags IS NOT NULL")
    assert "rsted affair" in offered
    assert SECRET in [cluster["tag"] for cluster in ask(world, "another")]


def test_the_other_areas_of_a_counter_question_can_still_be_chosen(world):
    secret = fill(world)
    session = world.ask("architecture?", "dev")["trace"]["session_id"]
    for thought in secret:
        world.forget(thought)
    narrowed = world.ask("garden architecture", "dev", session_id=session)
    assert len(ids(narrowed)) == AREAS["garden"]


def test_a_kept_answer_that_offers_none_of_the_tags_stays(world):
    fill(world)
    first = ask(world)
    world.forget(world.know("Unrelated weather report.", tags=["weather"]))
    assert world.rows("SELECT count(*) FROM answers") == [(1,)]
    assert ask(world) == first


def test_a_word_that_was_offered_for_want_of_tags_is_forgotten_with_its_thought(world):
    secret = "Rosebud"
    for place in ("garden", "kitchen", "roof", "cellar", "garage"):
        world.know(f"Architecture entry of the {place}.")
        world.know(f"Architecture entry beside the {place}.")
    thought = world.know(f"Architecture entry of {secret}.")
    assert secret in [cluster["tag"] for cluster in ask(world)]
    assert saying(world, ["rosebud"]) == {"thoughts", "query_log", "answers"}
    world.forget(thought)
    assert saying(world, ["rosebud"]) == set()
    assert "Rosebud" not in [cluster["tag"] for cluster in ask(world, "another")]
