"""The reader port, held by the shipped model, a double, a model folder, an endpoint and an LLM."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from integration.rerank_server import serving_scores
from wellworn.engines.embedding import open_pair_model
from wellworn.engines.reading import (
    LanguageModelReader,
    Reader,
    ReadingSettings,
    TextReading,
    TextReadings,
    open_reader,
)
from wellworn.testing.reader import WordReader
from wellworn.testing.reader_contract import ANSWERS_CONTRACT, READER_CONTRACT, SPANS_CONTRACT

WORDS = WordReader()
NUMBERED = re.compile(r"^(\d+)\.\n<(.*?)>$", re.MULTILINE | re.DOTALL)
QUESTION = re.compile(r"Question:\n<(.*?)>\n\nTexts:", re.DOTALL)


def ask_by_words(prompt: str, instructions: str, budget: int) -> TextReadings:
    """Answer as a language model would that reads by words alone."""
    assert instructions
    assert budget > 0
    question = QUESTION.search(prompt)[1]
    readings = []
    for number, text in NUMBERED.findall(prompt.partition("Texts:\n")[2]):
        [reading] = WORDS.read(question, [text])
        words = text[slice(*reading.span)][:300] if reading.span else ""
        readings.append(TextReading(number=int(number), answers=reading.answers, words=words))
    return TextReadings(readings=readings)


def fence(text: str) -> str:
    return f"<{text.replace('<', '(').replace('>', ')')}>"


def lay_out_classifier(folder: Path) -> Path:
    """Lay out the small model of a package as model hubs do: of two classes, so a cross-encoder."""
    package = find_spec("stackone_defender")
    source = Path(package.submodule_search_locations[0], "models/minilm-multihead-v5")
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_bytes((source / name).read_bytes())
    (folder / "onnx/model_quantized.onnx").symlink_to(source / "model_quantized.onnx")
    return folder


@cache
def open_folder(folder: Path) -> Reader:
    return open_reader(
        ReadingSettings(model_folder=lay_out_classifier(folder)), open_model=open_pair_model
    )


@contextmanager
def opening_endpoint() -> Iterator[Reader]:
    with serving_scores() as server:
        yield open_reader(server.read_settings(), open_model=open_pair_model)


@cache
def open_shipped() -> Reader:
    return open_reader(ReadingSettings(), open_model=open_pair_model)


OPENINGS = {
    "shipped": lambda _: nullcontext(open_shipped()),
    "double": lambda _: nullcontext(WORDS),
    "folder": lambda folder: nullcontext(open_folder(folder)),
    "endpoint": lambda _: opening_endpoint(),
    "language model": lambda _: nullcontext(
        LanguageModelReader("words", ask_by_words, fence=fence)
    ),
}
CHECKS = [
    (name, check)
    for name in OPENINGS
    for check in (
        *READER_CONTRACT,
        *(ANSWERS_CONTRACT if name != "folder" else ()),
        *(SPANS_CONTRACT if name in {"shipped", "double", "language model"} else ()),
    )
]


@pytest.mark.parametrize(
    ("name", "check"), CHECKS, ids=[f"{name} {check.__name__}" for name, check in CHECKS]
)
def test_the_contract_is_kept(
    name: str, check: Callable[[Reader], None], tmp_path_factory: pytest.TempPathFactory
):
    folder = tmp_path_factory.getbasetemp() / "classifier"
    with OPENINGS[name](folder) as reader:
        check(reader)
