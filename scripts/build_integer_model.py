"""Build the graph that runs the shipped model with integer products, byte for byte the same.

Processors with integer dot products multiply bytes about twice as fast as floats. The matrices of
`minilm-w8.onnx` are bytes already; this writes a second graph over the same bytes, which also
rounds what is multiplied with them:

- Each row, the state of one word piece, has a scale of its own. So a text's vector depends neither
  on its batch nor on its padding.
- Four of the 384 channels are up to fifteen times as large as the others, in every text, and would
  leave little precision for the rest. They are multiplied as floats.
- What comes out of the activation function is never far below zero, so all 256 steps lie above
  `LEAST_ACTIVATION`.

Vectors differ from those of the float graph by a cosine of .9998 (least of 900 texts: .9993), which
is less than the model's rounding to bytes itself (.9994). Everything else is as in the float graph.

    python scripts/build_integer_model.py --folder src/wellworn/engines/embedding/model

Needs onnx and numpy. The graph holds no matrix: it names places in `minilm-w8.onnx`.

Source: Dettmers et al., LLM.int8(), NeurIPS 2022; measured in docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from build_model import MODEL_FILE, Array, Graph, framed
from onnx import ModelProto, TensorProto, checker, helper, load_model_from_string, numpy_helper
from onnx.external_data_helper import set_external_data

INTEGER_MODEL_FILE = "minilm-int8.onnx"
LARGE_CHANNELS = (63, 99, 157, 223)
LEAST_ACTIVATION = -0.17  # of GELU, which has its minimum of -0.16997 at -0.75
_LEAST_EXTERNAL_BYTES = 1024


class IntegerGraph(Graph):
    """A graph over the constants of another, whose matrices are multiplied as integers."""

    def __init__(self, shipped: Mapping[str, Array]) -> None:
        super().__init__()
        self._shipped = shipped

    def take(self, name: str) -> str:
        """Take over a constant of the other graph."""
        return self.constant(name, self._shipped[name])

    def multiply(self, states: str, values: str, scales: str) -> str:
        """Multiply states by the matrix with these bytes and scales."""
        if ".attention.output." in values:
            return self._multiply_rows(states, values, scales)
        if ".output." in values:
            return self._multiply_activations(states, values, scales)
        return self._multiply_normalised(states, values, scales)

    def _multiply_rows(self, states: str, values: str, scales: str) -> str:
        """Multiply with as many steps above zero as below, as large as each row needs."""
        largest = self.add("ReduceMax", self.add("Abs", states), self.integers(-1), keepdims=1)
        return self._multiply_steps(states, largest, values, scales, below=127)

    def _multiply_normalised(self, states: str, values: str, scales: str) -> str:
        """Multiply the large channels as floats, and the others by rows."""
        matrix = self._shipped[values]
        large = np.array(LARGE_CHANNELS)
        others = np.ones(len(matrix), np.float32)
        others[large] = 0
        rows = matrix[large].astype(np.float32) * self._shipped[scales]
        floats = self.add(
            "MatMul",
            self.add("Gather", states, self.constant("large_channels", large), axis=-1),
            self.constant(f"{values}.large", rows),
        )
        rest = self.add("Mul", states, self.constant("other_channels", others))
        return self.add("Add", self._multiply_rows(rest, values, scales), floats)

    def _multiply_activations(self, states: str, values: str, scales: str) -> str:
        """Multiply with every step above the least activation, and take off what that adds."""
        raised = self.add("Sub", states, self.number("least", LEAST_ACTIVATION))
        largest = self.add("ReduceMax", raised, self.integers(-1), keepdims=1)
        product = self._multiply_steps(raised, largest, values, scales, below=0)
        columns = self._shipped[values].sum(axis=0, dtype=np.float64) * self._shipped[scales]
        excess = (-LEAST_ACTIVATION * columns).astype(np.float32)
        return self.add("Sub", product, self.constant(f"{values}.excess", excess))

    def _multiply_steps(
        self, states: str, largest: str, values: str, scales: str, *, below: int
    ) -> str:
        """Multiply states that are rounded to steps, some of the 255 of a row below zero."""
        some = self.add("Max", largest, self.number("tiny", 1e-9))
        step = self.add("Mul", some, self.number(f"step_{below}", 1 / (255 - below)))
        zero = self.constant(f"zero_{below}", np.array(below, np.uint8))
        steps = self.add(
            "QuantizeLinear", self.add("Div", states, step), self.number("one", 1), zero
        )
        product = self.add("MatMulInteger", steps, self.take(values), zero)
        floats = self.add("Cast", product, to=TensorProto.FLOAT)
        return self.add("Mul", self.add("Mul", floats, step), self.take(scales))


def build_integer_model(
    shipped: bytes,
    file: str = MODEL_FILE,
    frame: Callable[[Graph], ModelProto] = framed,
) -> bytes:
    """Return the graph for integer products over the bytes of the shipped model, a file's."""
    other = load_model_from_string(shipped).graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in other.initializer}
    graph = IntegerGraph(constants)
    matrices: dict[str, tuple[str, str]] = {}
    names = {tensor.name: tensor.name for tensor in other.input}
    for node in other.node:
        if node.op_type == "DequantizeLinear":
            values, scales = node.input
            matrices[node.output[0]] = (values, scales)
        elif node.op_type == "Identity":
            graph.name_output(names[node.input[0]], node.output[0])
        elif node.op_type == "MatMul" and node.input[1] in matrices:
            states = names[node.input[0]]
            names[node.output[0]] = graph.multiply(states, *matrices[node.input[1]])
        else:
            inputs = [graph.take(it) if it in constants else names[it] for it in node.input]
            attributes = {it.name: helper.get_attribute_value(it) for it in node.attribute}
            results = graph.add_many(node.op_type, len(node.output), *inputs, **attributes)
            names.update(zip(node.output, results, strict=True))
    built = frame(graph)
    checker.check_model(built, full_check=True)
    for tensor in built.graph.initializer:
        _name_place(tensor, shipped, file)
    return built.SerializeToString(deterministic=True)


def _name_place(tensor: TensorProto, shipped: bytes, file: str) -> None:
    """Replace what a constant holds by where the shipped model has the same bytes, if it has."""
    content = tensor.raw_data
    place = shipped.find(content)
    if len(content) < _LEAST_EXTERNAL_BYTES or place < 0:
        return
    set_external_data(tensor, file, offset=place, length=len(content))
    tensor.ClearField("raw_data")


def main() -> None:
    """Build the graph beside the model."""
    parser = argparse.ArgumentParser(description="Build the graph for integer products.")
    parser.add_argument("--folder", type=Path, required=True, help=f"folder with {MODEL_FILE}")
    folder = parser.parse_args().folder
    built = build_integer_model((folder / MODEL_FILE).read_bytes())
    (folder / INTEGER_MODEL_FILE).write_bytes(built)


if __name__ == "__main__":
    main()
