"""Prompts that only talk are answered at once; what they are said beside is treated for itself."""

from __future__ import annotations

import pytest

from api.world import ids
from wellworn.domain.memory.contribution import Talk
from wellworn.domain.memory.wording import TALK

NOTES = (
    "The spare key hangs behind the bread oven.",
    "Der Ersatzschlüssel hängt hinter dem Backofen.",
    "La llave de repuesto está detrás del horno.",
    "La clé de secours est derrière le four.",
    "予備の鍵はオーブンの後ろにあります。",
    "备用钥匙在烤箱后面。",
    "المفتاح الاحتياطي خلف الفرن.",
)


@pytest.fixture
def notes(place):
    return [place.know(text) for text in NOTES]


@pytest.mark.parametrize(
    ("talk", "prompts"),
    [
        (
            Talk.THANKS,
            [
                "perfect, that did it, many thanks!",
                "Danke dir, das hat geklappt!",
                "¡Muchas gracias, me ha servido!",
                "Merci beaucoup, ça marche !",
                "ありがとうございます、助かりました！",
                "谢谢你，问题解决了",
                "شكرا جزيلا لك",
            ],
        ),
        (
            Talk.GREETING,
            [
                "Good morning, Birgit!",
                "Guten Morgen zusammen!",
                "¡Hola, buenos días a todos!",
                "Bonjour à tous !",
                "おはようございます！",
                "大家早上好！",
                "صباح الخير!",
            ],
        ),
        (
            Talk.FAREWELL,
            [
                "have a nice weekend, see you next week",
                "Tschüss, bis morgen!",
                "Hasta mañana, adiós",
                "Au revoir, bonne soirée",
                "また明日！",
                "再见，明天见",
                "مع السلامة",
            ],
        ),
        (
            Talk.WELLBEING,
            [
                "Hey, how are you doing today?",
                "Na, wie geht es dir heute?",
                "¿Cómo estás?",
                "Salut, ça va ?",
                "お元気ですか？",
                "你好吗？",
                "كيف حالك؟",
            ],
        ),
        (
            Talk.IDENTITY,
            [
                "So are you a human or just a bot?",
                "Wer bist du eigentlich?",
                "¿Quién eres?",
                "Qui es-tu ?",
                "あなたは誰ですか？",
                "你是谁？",
                "من أنت؟",
            ],
        ),
        (
            Talk.ABILITY,
            [
                "What can you do?",
                "Was kannst du?",
                "¿Qué puedes hacer?",
                "Que peux-tu faire ?",
                "何ができますか？",
                "你能做什么？",
                "ماذا يمكنك أن تفعل؟",
            ],
        ),
        (
            Talk.AMUSEMENT,
            [
                "Hi! Could you tell me a joke?",
                "Erzähl mir einen Witz",
                "Cuéntame un chiste",
                "Raconte-moi une blague",
                "冗談を言って",
                "给我讲个笑话",
                "أخبرني نكتة",
            ],
        ),
        (
            Talk.REMARK,
            [
                "ok, I'll give it a try",
                "you're welcome :)",
                "Alles klar, ich probiere es",
                "vale, voy a probarlo",
                "d'accord, je vais essayer",
                "了解です",
                "好的，我试试",
                "حسنا، فهمت",
                "\U0001f44d",
            ],
        ),
    ],
)
def test_talk_is_answered_at_once_not_looked_up_not_kept_and_leaves_no_trail(
    place, notes, talk, prompts
):
    for prompt in prompts:
        reply = place.ask(prompt)
        trace = reply["trace"]
        assert reply["result"]["response"] == TALK[talk], prompt
        assert (ids(reply), trace["retrieval_method"], trace["contribution"]) == (
            *([], "courtesy", "small_talk"),
        )
        assert (trace["thought_id"], "retrieve" in trace["operations"]) == (None, False)
    assert all(place.record(note)["access_count"] == 0 for note in notes)


@pytest.mark.parametrize(
    "prompt",
    [
        "Thanks! And where is the spare key?",
        "ok, where is the spare key",
        "Hi, spare key?",
        "how are you keeping the spare key?",
        "who are you giving the spare key to",
        "What can you tell me about the spare key?",
        "Danke dir! Wo hängt der Ersatzschlüssel?",
        "Hola, ¿cómo está la llave de repuesto?",
        "Bonjour, ça va où la clé de secours ?",
        "ありがとう。予備の鍵はどこですか？",
        "你好，备用钥匙在哪里？",
        "مرحبا، أين المفتاح الاحتياطي؟",
    ],
)
def test_what_asks_beside_a_courtesy_is_searched_and_not_kept(place, notes, prompt):
    reply = place.ask(prompt)
    assert not set(notes).isdisjoint(ids(reply))
    assert reply["trace"]["thought_id"] is None


@pytest.mark.parametrize(
    "prompt",
    [
        "good morning, the release is on Friday",
        "Hello is the name of our onboarding service.",
        "thanks, deleting the lock file in the runner cache solved it",
        "no thanks, we decided against Kafka for the event bus",
        "Guten Morgen, die Abnahme ist am Freitag",
        "gracias, la entrega es el martes a las diez",
        "merci, le serveur de test est chez Karim",
        "お疲れ様です。締め切りは金曜日に変更になりました",
        "早上好，发布改到周五了",
        "صباح الخير، المفتاح عند سارة في الطابق الثاني",
    ],
)
def test_what_is_stated_beside_a_courtesy_is_kept(place, prompt):
    assert place.record(place.ask(prompt)["trace"]["thought_id"])["content"] == prompt


def test_talk_asks_nothing_of_the_answer_before_it(place, notes):
    session = place.ask("Where is the spare key?")["trace"]["session_id"]
    place.ask("thanks, that helped. how are you?", session_id=session)
    assert not set(notes).isdisjoint(ids(place.ask("who said so?", session_id=session)))


def test_what_asks_for_more_beside_thanks_is_no_talk(place, notes):
    session = place.ask("Where is the spare key?")["trace"]["session_id"]
    for prompt in ("thanks, who said so?", "ok, and why?", "great, what else?", "are you sure?"):
        reply = place.ask(prompt, session_id=session)
        assert reply["trace"]["retrieval_method"] != "courtesy", prompt
