"""What is wrong with a model's folder is said in a sentence, and what its files say is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from own_encoders import E5, copy_e5
from wellworn.engines.embedding import EmbeddingSettings, choose_encoder, is_same, open_encoder
from wellworn.engines.embedding.model_files import read_model_files
from wellworn.errors import EmbeddingFailed


def read(folder: Path, **settings):
    return read_model_files(folder, EmbeddingSettings(model_folder=folder, **settings))


def refusal(folder: Path) -> str:
    with pytest.raises(EmbeddingFailed) as refused:
        choose_encoder(EmbeddingSettings(model_folder=folder))
    assert str(folder) not in refused.value.message
    return refused.value.message


def test_prefixes_and_pooling_are_read_from_the_files():
    files = read(E5)
    assert (files.query_prefix, files.text_prefix) == ("query: ", "passage: ")
    assert (files.pooling, files.window_pieces) == (("mean",), 512)
    assert files.onnx == E5 / "onnx" / "model.onnx"


@pytest.mark.parametrize(
    ("name", "query", "text"),
    [
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-m3", "", ""),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("thenlper/gte-small", "", ""),
    ],
)
def test_a_known_family_has_its_prefixes_where_the_files_say_none(
    tmp_path: Path, name: str, query: str, text: str
):
    folder = copy_e5(
        tmp_path / "model", config={"_name_or_path": name}, config_sentence_transformers={}
    )
    files = read(folder)
    assert (files.query_prefix, files.text_prefix) == (query, text)
    assert files.name.startswith(name.rpartition("/")[2])


def test_files_of_newer_versions_name_their_pooling_and_prompts_otherwise(tmp_path: Path):
    folder = copy_e5(
        tmp_path / "model",
        **{"1_Pooling__config": {"pooling_mode": "cls"}},
        config_sentence_transformers={"prompts": {"query": "ask: ", "document": ""}},
        sentence_bert_config={"max_seq_length": 128},
    )
    files = read(folder)
    assert (files.pooling, files.query_prefix, files.text_prefix) == (("cls",), "ask: ", "")
    assert files.window_pieces == 128


def test_what_the_settings_say_counts_more_than_the_files():
    files = read(E5, query_prefix="q ", text_prefix="", pooling="cls", window_pieces=64)
    assert (files.query_prefix, files.text_prefix) == ("q ", "")
    assert (files.pooling, files.window_pieces) == (("cls",), 64)


@pytest.mark.parametrize(
    ("without", "words"),
    [
        ("config.json", "no config.json"),
        ("tokenizer.json", "fast tokenizer"),
        ("onnx/model.onnx", "optimum-cli export onnx"),
        ("1_Pooling/config.json", "no 1_Pooling/config.json"),
    ],
)
def test_a_missing_file_is_named(tmp_path: Path, without: str, words: str):
    assert words in refusal(copy_e5(tmp_path / "model", without=without))


def test_a_folder_that_is_not_there_is_told(tmp_path: Path):
    assert "not there" in refusal(tmp_path / "nowhere")


def test_a_folder_without_a_word_on_pooling_asks_for_the_setting(tmp_path: Path):
    folder = copy_e5(tmp_path / "model", without="1_Pooling/config.json")
    (folder / "modules.json").unlink()
    assert "WELLWORN_EMBEDDING__POOLING" in refusal(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "onnx/model.onnx"])
def test_a_damaged_file_is_told(tmp_path: Path, name: str):
    folder = copy_e5(tmp_path / "model", without=name)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(b"\x08damaged")
    assert any(word in refusal(folder) for word in ("damaged", "cannot be read"))


def test_a_layer_that_is_not_understood_is_named(tmp_path: Path):
    dense = [{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]
    assert "Dense" in refusal(copy_e5(tmp_path / "model", modules=dense))


def test_an_onnx_file_of_something_else_is_refused(tmp_path: Path):
    from onnx import TensorProto, helper

    shape = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, [1, 2])
    output = helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, 2])
    node = helper.make_node("Relu", ["pixels"], ["out"])
    model = helper.make_model(
        helper.make_graph([node], "image", [shape], [output]),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=9,
    )
    folder = copy_e5(tmp_path / "model", without="onnx/model.onnx")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(model.SerializeToString())
    assert "no encoder of texts" in refusal(folder)


def test_two_encoders_of_one_name_are_told_apart(tmp_path: Path):
    first = EmbeddingSettings(model_folder=copy_e5(tmp_path / "first"))
    other_prompts = {"prompts": {"query": "ask: ", "passage": "text: "}}
    second = EmbeddingSettings(
        model_folder=copy_e5(tmp_path / "second", config_sentence_transformers=other_prompts)
    )
    record = choose_encoder(first)
    assert record is not None
    assert is_same(record, first)
    assert not is_same(record, second)
    # The files themselves are exchanged: it is refused, instead of mixing what does not fit.
    (tmp_path / "first").rename(tmp_path / "away")
    (tmp_path / "second").rename(tmp_path / "first")
    with pytest.raises(EmbeddingFailed, match="reembed"):
        open_encoder(record, first).embed(["lichen"])


def test_a_folder_that_is_whole_again_is_used_again(tmp_path: Path):
    settings = EmbeddingSettings(model_folder=copy_e5(tmp_path / "e5"))
    encoder = open_encoder(choose_encoder(settings), settings)
    (tmp_path / "e5").rename(tmp_path / "away")
    with pytest.raises(EmbeddingFailed, match="not there"):
        encoder.embed(["lichen"])
    (tmp_path / "away").rename(tmp_path / "e5")
    assert encoder.embed(["lichen"]).shape == (1, 384)
