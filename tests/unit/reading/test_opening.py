"""Which reader the settings name; nothing is loaded or sent before it is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from wellworn.engines.embedding import open_pair_model
from wellworn.engines.reading import LanguageModelReader, ReadingSettings, open_reader, readers
from wellworn.engines.reading.endpoint_reader import EndpointReader
from wellworn.errors import EmbeddingFailed, InvalidInput, ReadingFailed


def refuse(*_, **__):
    raise AssertionError("nothing is to be loaded")


def open_named(**settings):
    return open_reader(ReadingSettings(**settings), open_model=refuse)


def test_none_reads_where_it_is_off_or_none_is_shipped(monkeypatch: pytest.MonkeyPatch):
    assert open_named(enabled=False) is None
    monkeypatch.setattr("wellworn.engines.reading.readers.is_shipped_here", lambda: False)
    assert open_named() is None


def test_the_shipped_one_reads_by_default(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("wellworn.engines.reading.readers.is_shipped_here", lambda: True)
    reader = open_named()
    assert reader.name == readers.SHIPPED_NAME
    assert not reader.sends_texts


def test_a_folder_an_endpoint_or_a_language_model_reads_where_it_is_named(tmp_path: Path):
    assert open_named(model_folder=tmp_path / "own").name == "folder/own"
    endpoint = open_named(base_url="http://127.0.0.1:1/v1", model="some")
    assert isinstance(endpoint, EndpointReader)
    assert endpoint.sends_texts
    model = LanguageModelReader("some", refuse, fence=str)
    settings = ReadingSettings(language_model=True)
    assert open_reader(settings, open_model=refuse, language_model=lambda: model) is model
    with pytest.raises(InvalidInput, match="WELLWORN_LLM__MODEL"):
        open_reader(settings, open_model=refuse)


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "some"},
        {"base_url": "http://127.0.0.1:1"},
        {"base_url": "http://127.0.0.1:1", "model": "some", "language_model": True},
        {"model_folder": "here", "language_model": True},
        {"base_url": "file:///somewhere", "model": "some"},
    ],
)
def test_settings_that_name_half_a_reader_or_two_are_refused(settings):
    with pytest.raises(ValidationError):
        ReadingSettings(**settings)


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_a_folder_without_a_model_fails_when_it_is_asked(tmp_path: Path, name: str):
    (tmp_path / "empty").mkdir()
    reader = open_reader(ReadingSettings(model_folder=tmp_path / name), open_model=open_pair_model)
    with pytest.raises(ReadingFailed):
        reader.read("why?", ["so"])


@pytest.mark.parametrize("record", [None, b"{", b"[]", b'{"checksums": 1}', b'{"checksums": [1]}'])
def test_a_damaged_record_of_the_shipped_one_is_told(tmp_path: Path, record: bytes | None):
    if record is not None:
        (tmp_path / readers.RECORD_FILE).write_bytes(record)
    with pytest.raises(ReadingFailed):
        readers.load_shipped(refuse, folder=tmp_path)


@pytest.mark.parametrize("content", [None, b"", b"other bytes than those that were trained"])
def test_a_damaged_file_of_the_shipped_one_is_told(tmp_path: Path, content: bytes | None):
    checksums = {"reader-w8.onnx": "0" * 64}
    (tmp_path / readers.RECORD_FILE).write_text(json.dumps({"checksums": checksums}))
    if content is not None:
        (tmp_path / "reader-w8.onnx").write_bytes(content)
    with pytest.raises(EmbeddingFailed):
        readers.load_shipped(open_pair_model, folder=tmp_path)
