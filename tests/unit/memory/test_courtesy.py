"""What only talks is told from what asks for something or states it."""

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
        "おつかれさまです〜ありがとう!",
        "coucou, merci bcp pour le coup de main !",
        "jajaja vale, muchas gracias guapa",
        "谢谢你的帮助！",
        "شكراً جزيلاً لك",
        "\U0001f44d",
        "okay, moving on",
        "hey memory, how are you today?",
        "Thanks, I have everything I need to proceed.",
        "Und, bist du ein Roboter?",
        "哈哈哈哈",
        "brb, phone",
        "gotta go, school bus",
        "ugh, mondays",
        "uff, Montage",
        "je reviens, téléphone",
    ],
)
def test_what_only_talks_is_courtesy(prompt):
    assert is_courtesy(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "brb, who has the key?",
        "ugh, the exporter is down",
        "brb, gate code 4711",
        "hmm, invoices",
        "oops, staging database",
        "mondays",
        "thank you card for Birgit",
        "good morning routine",
        "thanks for that, but which port is it",
        "Danke, und wo liegt der Schlüssel?",
        "谢谢，服务器在哪里？",
        "super admin password",
        "very",
        "?",
        "",
        "joke",
        "hello.py",
        "ok `try`",
        "does that help?",
        "are you sure?",
        "can you do code review today?",
        "can you give me an example of a cron line?",
        "what can you do about flaky tests?",
        "how is the build going?",
        "who made the dashboard?",
        "what's your database?",
        "tell me about the song recommendation service",
        "sorry, it's Thursday",
        "great, we start on Monday",
        "good, then the change is approved",
        "thanks for the port number, it is 9090",
        "right, the first step is backup",
        "you are the admin",
        "danke, die Lösung war ein Neustart",
        "¿qué haces con los logs?",
        "comment s'appelle le serveur ?",
        "了解、明日は休みです",
        "你能做什么测试？",
        "هل تعرف كلمة السر؟",
    ],
)
def test_what_asks_or_names_something_is_not(prompt):
    assert not is_courtesy(prompt)
