"""Build the embedding model that wellworn ships, byte for byte the same every time.

The published weights of all-MiniLM-L6-v2 are 90 MB of float32. Here they become a 23.5 MB ONNX
file: matrices and word table are stored as int8 with one scale per channel, all arithmetic stays
float32. (Quantising the activations of a whole batch as well would be faster, but then a text's
vector would depend on its neighbours.) Mean pooling and L2 normalisation are part of the graph, and
only standard operators are used.

    python scripts/build_model.py --weights DIR/model.safetensors \
        --out src/wellworn/engines/embedding/model

Needs onnx, safetensors and numpy; no network. The weights are looked for nowhere: give their path.

Source: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0).
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, checker, helper, numpy_helper
from safetensors.numpy import load as load_tensors

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MODEL_FILE = "minilm-w8.onnx"
TOKENIZER_FILE = "tokenizer.json"

OPSET = 20  # the first with Gelu
IR_VERSION = 9  # the one that belongs to opset 20
LAYERS = 6
HEADS = 12
WIDTH = 384
HEAD_WIDTH = WIDTH // HEADS
LAYER_NORM_EPSILON = 1e-12
MASKED = -10000.0  # added to an attention score, leaves a softmax weight of zero

Array = NDArray[Any]
Weights = Mapping[str, Array]


class Graph:
    """Collects nodes and constants; every operator answers with the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, TensorProto] = {}

    def constant(self, name: str, values: Array) -> str:
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def integers(self, *values: int) -> str:
        name = "integers_" + "_".join(str(value) for value in values)
        return self.constant(name, np.array(values, dtype=np.int64))

    def number(self, name: str, value: float) -> str:
        return self.constant(name, np.array(value, dtype=np.float32))

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        return self.add_many(operator, 1, *inputs, **attributes)[0]

    def add_many(self, operator: str, results: int, *inputs: str, **attributes: Any) -> list[str]:
        stem = f"{operator.lower()}_{len(self.nodes)}"
        names = [stem] if results == 1 else [f"{stem}_{number}" for number in range(results)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names

    def name_output(self, value: str, name: str) -> None:
        self.nodes.append(helper.make_node("Identity", [value], [name]))


def quantised(matrix: Array, channel_axis: int) -> tuple[Array, Array]:
    """Return int8 values and float32 scales, one per channel, the largest magnitude being 127."""
    scales = np.abs(matrix).max(axis=1 - channel_axis, keepdims=True) / np.float32(127)
    scales[scales == 0] = 1
    values = np.clip(np.rint(matrix / scales), -127, 127).astype(np.int8)
    return values, scales.astype(np.float32)


def projected(graph: Graph, states: str, name: str, matrix: Array, bias: Array) -> str:
    """Multiply by an int8 matrix `(inputs, outputs)`, dequantised on the fly, and add the bias."""
    values, scales = quantised(matrix.astype(np.float32), channel_axis=1)
    weight = graph.add(
        "DequantizeLinear",
        graph.constant(f"{name}.values", values),
        graph.constant(f"{name}.scales", scales.ravel()),
        axis=1,
    )
    product = graph.add("MatMul", states, weight)
    return graph.add("Add", product, graph.constant(f"{name}.bias", bias.astype(np.float32)))


def linear(graph: Graph, weights: Weights, states: str, name: str) -> str:
    """Apply the layer called `name` with the weights published for it."""
    return projected(graph, states, name, weights[f"{name}.weight"].T, weights[f"{name}.bias"])


def normalised(graph: Graph, weights: Weights, states: str, name: str) -> str:
    """Apply the layer normalisation called `name`."""
    scale = graph.constant(f"{name}.weight", weights[f"{name}.weight"])
    bias = graph.constant(f"{name}.bias", weights[f"{name}.bias"])
    return graph.add("LayerNormalization", states, scale, bias, axis=-1, epsilon=LAYER_NORM_EPSILON)


def word_vectors(graph: Graph, weights: Weights) -> str:
    """Gather first and scale then, so that the table stays int8 in memory."""
    values, scales = quantised(weights["embeddings.word_embeddings.weight"], channel_axis=0)
    rows = graph.add("Gather", graph.constant("words.values", values), "input_ids")
    row_scales = graph.add("Gather", graph.constant("words.scales", scales), "input_ids")
    return graph.add("Mul", graph.add("Cast", rows, to=TensorProto.FLOAT), row_scales)


def position_vectors(graph: Graph, weights: Weights) -> str:
    """Return the first rows of the table; the only token type in use is folded into it."""
    token_type = weights["embeddings.token_type_embeddings.weight"][0]
    table = weights["embeddings.position_embeddings.weight"] + token_type
    length = graph.add("Shape", "input_ids", start=1, end=2)
    return graph.add(
        "Slice",
        graph.constant("positions", table),
        graph.integers(0),
        length,
        graph.integers(0),
    )


def attention_bias(graph: Graph, mask: str) -> str:
    """Return `(batch, 1, 1, sequence)`: zero for a real token, a large negative for padding."""
    spread = graph.add("Unsqueeze", mask, graph.integers(1, 2))
    padding = graph.add("Sub", graph.number("one", 1), spread)
    return graph.add("Mul", padding, graph.number("masked", MASKED))


def by_head(graph: Graph, states: str, order: tuple[int, ...]) -> str:
    """Split `(batch, sequence, 384)` into heads and order the four axes."""
    shape = graph.integers(0, 0, HEADS, HEAD_WIDTH)
    return graph.add("Transpose", graph.add("Reshape", states, shape), perm=order)


def attended(graph: Graph, weights: Weights, layer: str, states: str, bias: str) -> str:
    """Multi-head self-attention, the three projections fused into one multiplication."""
    names = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
    matrix = np.concatenate([weights[f"{name}.weight"].T for name in names], axis=1)
    offset = np.concatenate([weights[f"{name}.bias"] for name in names])
    fused = projected(graph, states, f"{layer}.attention.self.fused", matrix, offset)
    query, key, value = graph.add_many("Split", 3, fused, axis=2, num_outputs=3)
    scores = graph.add(
        "MatMul", by_head(graph, query, (0, 2, 1, 3)), by_head(graph, key, (0, 2, 3, 1))
    )
    scaled = graph.add("Mul", scores, graph.number("score_scale", HEAD_WIDTH**-0.5))
    shares = graph.add("Softmax", graph.add("Add", scaled, bias), axis=-1)
    mixed = graph.add("MatMul", shares, by_head(graph, value, (0, 2, 1, 3)))
    together = graph.add("Transpose", mixed, perm=(0, 2, 1, 3))
    return graph.add("Reshape", together, graph.integers(0, 0, WIDTH))


def layer_states(graph: Graph, weights: Weights, layer: str, states: str, bias: str) -> str:
    """One transformer layer: attention, then the feed-forward pair, each with its residual."""
    mixed = attended(graph, weights, layer, states, bias)
    mixed = linear(graph, weights, mixed, f"{layer}.attention.output.dense")
    residual = graph.add("Add", mixed, states)
    states = normalised(graph, weights, residual, f"{layer}.attention.output.LayerNorm")
    wide = graph.add("Gelu", linear(graph, weights, states, f"{layer}.intermediate.dense"))
    narrow = linear(graph, weights, wide, f"{layer}.output.dense")
    return normalised(graph, weights, graph.add("Add", narrow, states), f"{layer}.output.LayerNorm")


def pooled(graph: Graph, states: str, mask: str) -> str:
    """Return the L2-normalised mean over real tokens."""
    spread = graph.add("Unsqueeze", mask, graph.integers(2))
    total = graph.add("ReduceSum", graph.add("Mul", states, spread), graph.integers(1), keepdims=0)
    count = graph.add("ReduceSum", spread, graph.integers(1), keepdims=0)
    return graph.add("LpNormalization", graph.add("Div", total, count), axis=-1, p=2)


def built(weights: Weights) -> ModelProto:
    """Return the whole model: token ids and mask in, sentence and token vectors out."""
    graph = Graph()
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    bias = attention_bias(graph, mask)
    summed = graph.add("Add", word_vectors(graph, weights), position_vectors(graph, weights))
    states = normalised(graph, weights, summed, "embeddings.LayerNorm")
    for number in range(LAYERS):
        states = layer_states(graph, weights, f"encoder.layer.{number}", states, bias)
    graph.name_output(pooled(graph, states, mask), "sentence_embedding")
    graph.name_output(states, "token_states")
    model = framed(graph)
    checker.check_model(model, full_check=True)
    return model


def framed(graph: Graph) -> ModelProto:
    """Declare inputs, outputs and versions."""
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])
        for name in ("input_ids", "attention_mask")
    ]
    outputs = [
        helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", WIDTH]),
        helper.make_tensor_value_info(
            "token_states", TensorProto.FLOAT, ["batch", "sequence", WIDTH]
        ),
    ]
    body = helper.make_graph(
        graph.nodes, "all-MiniLM-L6-v2", inputs, outputs, list(graph.constants.values())
    )
    return helper.make_model(
        body,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="wellworn",
    )


def checked(path: Path, sha256: str) -> bytes:
    """Read a file that must be exactly the published one."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        message = f"{path} is not the published file: its sha256 should be {sha256}"
        raise SystemExit(message)
    return content


def build_files(weights: Path, tokenizer: Path) -> dict[str, bytes]:
    """Return the contents of the two files the build writes, by name."""
    tensors = load_tensors(checked(weights, WEIGHTS_SHA256))
    return {
        MODEL_FILE: built(tensors).SerializeToString(deterministic=True),
        TOKENIZER_FILE: checked(tokenizer, TOKENIZER_SHA256),
    }


def parsed_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Build the embedding model wellworn ships.")
    parser.add_argument(
        "--weights", type=Path, required=True, help="the published model.safetensors"
    )
    parser.add_argument(
        "--tokenizer", type=Path, help="the published tokenizer.json; default: beside the weights"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder to write into")
    return parser.parse_args()


def main() -> None:
    """Build the files and write them into the folder."""
    arguments = parsed_arguments()
    tokenizer = arguments.tokenizer or arguments.weights.with_name(TOKENIZER_FILE)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, content in build_files(arguments.weights, tokenizer).items():
        (arguments.out / name).write_bytes(content)


if __name__ == "__main__":
    main()
