"""Thanks, greetings and agreement are told from what asks for something."""

from __future__ import annotations

import pytest

from wellworn.domain.memory.contribution import is_courtesy


@pytest.mark.parametrize(
    "prompt",
    [
        "Thank you very much!",
        "thanks for the quick answer",
        "Thanks, Birgit.",
        "Hallo zusammen",
        "Vielen Dank für die Hilfe!",
        "perfecto, gracias",
        "Merci beaucoup pour ton aide",
        "お疲れ様です",
        "谢谢你的帮助！",
        "شكراً جزيلاً لك",
        "\U0001f44d",
    ],
)
def test_thanks_and_greetings_are_courtesy(prompt):
    assert is_courtesy(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "thank you card for Birgit",
        "good morning routine",
        "thanks for that, but which port is it",
        "Danke, und wo liegt der Schlüssel?",
        "谢谢，服务器在哪里？",
        "super admin password",
        "very",
        "?",
        "",
    ],
)
def test_what_asks_or_names_something_is_not(prompt):
    assert not is_courtesy(prompt)
