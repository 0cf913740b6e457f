"""The embedder port, held by a real model from a folder like those of model hubs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from own_encoders import copy_e5, open_e5
from wellworn.engines.embedding import Embedder, EmbeddingSettings, choose_encoder, open_encoder
from wellworn.testing.embedder_contract import (
    EMBEDDER_CONTRACT,
    PIECES_CONTRACT,
    SYMMETRIC_CONTRACT,
    assert_covering,
)

MEANINGS = {
    "where does lichen grow?": "Flechten wachsen an der Nordseite der alten Mauer.",
    "when are database backups run?": "データベースのバックアップは毎晩二時に実行されます。",
    "как восстановить пароль": "To reset your password, follow the link in the mail.",
    "ที่จอดรถอยู่ที่ไหน": "The car park is behind the town hall.",
}


@pytest.mark.parametrize(
    "check", [*EMBEDDER_CONTRACT, *PIECES_CONTRACT], ids=lambda check: check.__name__
)
def test_the_contract_is_kept(check: Callable[[Embedder], None]):
    check(open_e5())


@pytest.mark.parametrize("check", SYMMETRIC_CONTRACT, ids=lambda check: check.__name__)
def test_without_prefixes_questions_are_embedded_like_texts(check: Callable[[Embedder], None]):
    encoder = open_e5(query_prefix="", text_prefix="")
    encoder._record.query_lean[:] = encoder._record.text_lean
    check(encoder)


def test_meaning_is_found_across_languages():
    encoder = open_e5()
    texts = encoder.embed([*MEANINGS.values()])
    for row, question in enumerate(MEANINGS):
        cosines = texts @ encoder.encode_query(question).vector
        assert cosines.argmax() == row, question
        assert cosines[row] > np.delete(cosines, row).max() + 0.1, question


def test_texts_about_nothing_common_are_far_apart_as_with_the_shipped_encoder():
    encoder = open_e5()
    query = encoder.encode_query("how much did we pay for the new oven?").vector
    others = encoder.embed(["Lichen is no plant.", "The API returns 404.", "Sie spielt Geige."])
    assert np.abs(others @ query).max() < 0.3


def test_vectors_of_other_lengths_are_made_as_the_settings_or_the_files_say(tmp_path: Path):
    shorter = open_e5(dimensions=128)
    both = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}
    longer = open_e5(copy_e5(tmp_path / "joined", **{"1_Pooling__config": both}))
    assert (shorter.dimensions, longer.dimensions) == (128, 768)
    for encoder in (shorter, longer):
        texts = encoder.embed(["Lichen grows on walls.", "quarterly tax report"])
        query = encoder.encode_query("lichen on the wall").vector
        assert texts.shape == (2, encoder.dimensions)
        np.testing.assert_allclose(np.linalg.norm(texts, axis=1), 1, atol=1e-5)
        assert texts[0] @ query > texts[1] @ query + 0.2


def test_a_long_text_of_a_script_without_spaces_is_cut_and_loses_nothing():
    encoder = open_e5()
    text = "壁の北側には地衣類が生えています。" * 120 + "最後の言葉は黒曜石です。"
    assert_covering(text, encoder)
    windows = encoder.windows(text)
    assert len(windows) > 2
    for span, words in zip(windows, encoder.lengths([text[a:b] for a, b in windows]), strict=True):
        [encoded] = encoder.encode([text[slice(*span)]])
        assert encoded.spans[-1].end == span.end - span.start, words


def test_it_is_opened_again_as_it_was_measured(tmp_path: Path):
    settings = EmbeddingSettings(model_folder=copy_e5(tmp_path / "e5"))
    record = choose_encoder(settings)
    assert record is not None
    record.write(tmp_path)
    read = type(record).read(tmp_path)
    expected = open_encoder(record, settings).embed(["lichen"])
    np.testing.assert_allclose(open_encoder(read, settings).embed(["lichen"]), expected, atol=1e-6)
