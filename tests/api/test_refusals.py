"""A refusal says what to send, and names a field that nobody knows without repeating a secret."""

from __future__ import annotations

import pytest

from api.world import refused, talk


def test_a_search_without_words_says_what_to_send(world):
    message = refused(world.client.get("/api/v1/search"), 400, "VALIDATION_ERROR")
    assert (
        message == "q is required: the words to search for, such as /api/v1/search?q=staging+port"
    )


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"promt": "x"}, "unknown field promt;"),
        ({"filter-tag": []}, "unknown field filter-tag;"),
        ({"sk-live-4242424242424242": 1}, "unknown field;"),
        ({"not a name": 1}, "unknown field;"),
        ({"n" * 41: 1}, "unknown field;"),
    ],
)
def test_an_unknown_field_is_named_if_its_name_is_one(world, more, named):
    message = refused(world.post("memory", talk("x") | more), 400, "VALIDATION_ERROR")
    assert message.startswith(named)
