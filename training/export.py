"""Writes the reader as `scripts/build_model.py` writes the encoder: matrices as bytes, one file.

Beside it lies a graph without matrices for processors with dot products of integers, and a record
of what was trained, with its figures and checksums. The graphs' arithmetic is described there.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from onnx import ModelProto, TensorProto, checker, helper

from training.network import LAYERS, Network

sys.path.append(str(Path(__file__).parents[1] / "scripts"))
import build_integer_model
import build_model
from build_model import Graph

MODEL_FILE: Final = "reader-w8.onnx"
INTEGER_MODEL_FILE: Final = "reader-int8.onnx"
RECORD_FILE: Final = "reader.json"
BOUNDS: Final = {
    "xquad en f1": (0.6, 1.0),
    "xquad en auc": (0.935, 1.0),
    "exchanged apart": (60.0, 100.0),
}
"""What decides whether a reader is put in place: the least, and what the figure is counted in."""
SECOND_BOUNDS: Final = {"order auc": (0.97, 1.0), "later auc": (0.9, 1.0)}
"""The same for the second reader, of pairs that were held out."""
_SLACK: Final = 0.01
_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")
_SEQUENCES: Final = ("start_logits", "end_logits")
_PUBLISHED: Final = {
    "mixed": "attention.output.dense",
    "mixed_norm": "attention.output.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "narrow_norm": "output.LayerNorm",
}


def build_files(network: Network) -> dict[str, bytes]:
    """Return the contents of both graphs, by their names."""
    whole = build_graph(name_as_published(network)).SerializeToString(deterministic=True)
    integer = build_integer_model.build_integer_model(whole, MODEL_FILE, _frame)
    return {MODEL_FILE: whole, INTEGER_MODEL_FILE: integer}


def write_files(files: Mapping[str, bytes], folder: Path, figures: Mapping[str, Any]) -> None:
    """Write the graphs and the record of them."""
    folder.mkdir(parents=True, exist_ok=True)
    checksums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    record = json.dumps({"checksums": checksums, "figures": figures}, indent=1, ensure_ascii=False)
    (folder / RECORD_FILE).write_text(f"{record}\n", encoding="utf-8")


def open_files(files: Mapping[str, bytes]) -> Any:
    """Open what was built, as the product runs it on this processor."""
    from wellworn.engines.embedding.arithmetic import choose_arithmetic  # noqa: PLC0415
    from wellworn.engines.embedding.engine import open_session  # noqa: PLC0415 - sets the runtime up

    name = INTEGER_MODEL_FILE if choose_arithmetic() == "int8" else MODEL_FILE
    return open_session(files[name], 1, matrices={MODEL_FILE: files[MODEL_FILE]})


def read_figures(folder: Path) -> dict[str, float]:
    """Return the figures of the reader in a folder; none where there is none."""
    record = folder / RECORD_FILE
    return json.loads(record.read_bytes())["figures"] if record.exists() else {}


def list_lacking(
    figures: Mapping[str, float],
    before: Mapping[str, float],
    bounds: Mapping[str, tuple[float, float]] = BOUNDS,
) -> list[str]:
    """Return in what a reader is not good enough, or no better than the one before it."""
    lacking = [
        f"{name} is {figures[name]}, and {least} is the least"
        for name, (least, _) in bounds.items()
        if figures[name] < least
    ]
    if not before:
        return lacking
    gains = {name: (figures[name] - before[name]) / scale for name, (_, scale) in bounds.items()}
    lost = [f"{name} falls from {before[name]}" for name, gain in gains.items() if gain < -_SLACK]
    is_better = sum(gains.values()) > 0
    return [*lacking, *lost, *([] if is_better else ["it is no better than the one in place"])]


def name_as_published(network: Network) -> dict[str, np.ndarray]:
    """Return the weights under the names that the encoder's have."""
    state = {name: value.cpu().numpy() for name, value in network.state_dict().items()}
    published = {name: value for name, value in state.items() if not name.startswith("layers.")}
    for number in range(LAYERS):
        here, there = f"layers.{number}", f"encoder.layer.{number}"
        for part in ("weight", "bias"):
            parts = np.split(state[f"{here}.fused.{part}"], 3)
            for name, value in zip(("query", "key", "value"), parts, strict=True):
                published[f"{there}.attention.self.{name}.{part}"] = value
            for name, of in _PUBLISHED.items():
                published[f"{there}.{of}.{part}"] = state[f"{here}.{name}.{part}"]
    return published


def build_graph(weights: Mapping[str, np.ndarray]) -> ModelProto:
    """Return the whole reader: ids, mask and types in, logits out."""
    graph = Graph()
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    bias = build_model.attention_bias(graph, mask)
    summed = graph.add(
        "Add",
        build_model.word_vectors(graph, weights),
        build_model.position_vectors(graph, weights),
    )
    types = weights["embeddings.token_type_embeddings.weight"]
    is_text = graph.add("Cast", "token_type_ids", to=TensorProto.FLOAT)
    spread = graph.add("Unsqueeze", is_text, graph.integers(2))
    # The first type is in the places already.
    moved = graph.add("Mul", spread, graph.constant("type_step", types[1] - types[0]))
    summed = graph.add("Add", summed, moved)
    states = build_model.normalised(graph, weights, summed, "embeddings.LayerNorm")
    for number in range(LAYERS):
        states = build_model.layer_states(graph, weights, f"encoder.layer.{number}", states, bias)
    _name_spans(graph, weights, states)
    first = graph.add("Gather", states, graph.integers(0), axis=1)
    head = (weights["answers.weight"], weights["answers.bias"])
    _name_head(graph, first, head, "answer_logits", drops=(1, 2))
    model = _frame(graph)
    checker.check_model(model, full_check=True)
    return model


def _name_spans(graph: Graph, weights: Mapping[str, np.ndarray], states: str) -> None:
    for row, name in enumerate(_SEQUENCES):
        head = (weights["spans.weight"][row : row + 1], weights["spans.bias"][row : row + 1])
        _name_head(graph, states, head, name)


def _name_head(
    graph: Graph,
    states: str,
    head: tuple[np.ndarray, np.ndarray],
    name: str,
    *,
    drops: tuple[int, ...] = (2,),
) -> None:
    """Apply a head in floats: its one column is small, and all depends on it."""
    matrix, bias = head
    product = graph.add("MatMul", states, graph.constant(f"{name}.weight", matrix.T))
    summed = graph.add("Add", product, graph.constant(f"{name}.bias", bias))
    graph.name_output(graph.add("Squeeze", summed, graph.integers(*drops)), name)


def _frame(graph: Graph) -> ModelProto:
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])
        for name in _INPUTS
    ]
    outputs = [
        *(
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", "sequence"])
            for name in _SEQUENCES
        ),
        helper.make_tensor_value_info("answer_logits", TensorProto.FLOAT, ["batch"]),
    ]
    body = helper.make_graph(
        graph.nodes, "wellworn-reader", inputs, outputs, [*graph.constants.values()]
    )
    return helper.make_model(
        body,
        opset_imports=[helper.make_opsetid("", build_model.OPSET)],
        ir_version=build_model.IR_VERSION,
        producer_name="wellworn",
    )
