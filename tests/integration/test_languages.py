"""Words of scripts with and without blanks are found by words, without any help of an encoder."""

from __future__ import annotations

from contextlib import closing, contextmanager

import pytest

from wellworn.application.bootstrap import open_app
from wellworn.domain.sources import NewSource
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.errors import EmbeddingFailed
from wellworn.testing.embedder import HashEmbedder

ME = local_access(DEFAULT_SPACE)
TEXTS = {
    "数据库备份": "我们的数据库备份每天凌晨两点运行。",
    "会议": "团队会议改到了星期四下午。",
    "パスワード": "パスワードは三か月ごとに変更してください。",
    "駐車場": "市役所の裏に駐車場があります。",
    "회의실": "회의실 예약은 총무팀에서 합니다.",
    "도서관": "도서관은 월요일에 문을 닫습니다.",
    "ที่จอดรถ": "ที่จอดรถอยู่หลังศาลากลาง",
    "ประชุม": "การประชุมเลื่อนไปเป็นวันพฤหัสบดี",
    "خادم": "يعمل الخادم الرئيسي في الطابق الثالث.",
    "مدرسة": "تفتح المدرسة أبوابها في سبتمبر.",
    "резервная копия": "Резервные копии базы делаются ночью.",
    "διακομιστής": "Τον διακομιστή τον φροντίζει η Μαρία.",
    "किताब": "सारी किताबें दूसरी मंज़िल पर हैं।",
}


class SilentEmbedder(HashEmbedder):
    """Embeds what is stored, and no question."""

    def encode_query(self, text):
        raise EmbeddingFailed("questions are not embedded")


@contextmanager
def knowing(texts, folder):
    """Open a memory that has each text as a thought and as a document."""
    (folder / "pages").mkdir()
    with closing(open_app(folder / "home", embedder=SilentEmbedder())) as app:
        for number, text in enumerate(texts):
            app.think(ME, ThoughtDraft(content=text, contributor_id="a", contributor_name="A"))
            (folder / "pages" / f"{number}.md").write_text(f"{text}\n", encoding="utf-8")
        source = app.guard.pool.shared.sources.create(
            ME, NewSource("folder", "pages", {"path": str(folder / "pages")})
        )
        app.syncs.request_sync(ME, source.id)
        yield app


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with knowing(TEXTS.values(), tmp_path_factory.mktemp("languages")) as app:
        yield app


@pytest.mark.parametrize("word", TEXTS)
def test_a_word_is_found_in_thoughts_and_in_documents(app, word):
    assert app.look_up(ME, word, limit=1)[0].content == TEXTS[word]
    [passage, *_] = app.search_documents(ME, word, limit=1, sources=None)
    assert TEXTS[word] in passage.text


SPELLINGS = {
    "Frau Schlüter leitet das Archiv.": ("schlueter", "schluter", "Schlüter", "SCHLÜTER"),
    "Herr Mueller fährt den Bus.": ("Müller",),
    "Les époux Périgord habitent ici.": ("epoux", "Perigord"),
    "İnşaat ofisi kapalı.": ("inşaat", "insaat", "İNŞAAT"),
    "Biuro jest w Łodzi.": ("lodzi",),
    "Sælen ligger på Ærø.": ("aeroe", "ærø"),
}


@pytest.fixture(scope="module")
def spelled(tmp_path_factory):
    with knowing(SPELLINGS, tmp_path_factory.mktemp("spellings")) as app:
        yield app


@pytest.mark.parametrize(
    ("word", "text"), [(word, text) for text, words in SPELLINGS.items() for word in words]
)
def test_a_word_is_found_however_its_marks_are_typed(spelled, word, text):
    assert spelled.look_up(ME, word, limit=1)[0].content == text
    [passage, *_] = spelled.search_documents(ME, word, limit=1, sources=None)
    assert text in passage.text
    assert not passage.is_weak


def test_what_spells_a_word_alike_stands_before_what_spells_it_otherwise(tmp_path):
    with knowing(["Muller is the cook.", "Müller is the porter."], tmp_path) as app:
        assert app.look_up(ME, "Müller", limit=1)[0].content == "Müller is the porter."
