"""Reads how a model is run from the files of its folder; the layout is that of model hubs.

    config.json                        the architecture
    tokenizer.json                     text to numbers
    onnx/model.onnx                    the model itself, or model.onnx
    modules.json, 1_Pooling/config.json, config_sentence_transformers.json
                                       how states become a vector, and what stands before a text

The last three are sentence-transformers' own. Where they are missing, the settings say it.

Source: https://sbert.net/docs/package_reference/sentence_transformer/models.html
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast

from wellworn.engines.embedding.settings import EmbeddingSettings
from wellworn.errors import EmbeddingFailed

Pooling = Literal["mean", "cls", "max", "last"]

LONGEST_WINDOW: Final = 512
"""More pieces than these in one vector blur it, whatever the model could read."""
_ONNX_FILES: Final = (
    *("onnx/model.onnx", "model.onnx", "onnx/model_fp16.onnx", "onnx/model_quantized.onnx"),
    *("onnx/model_int8.onnx", "onnx/model_uint8.onnx", "onnx/model_q4.onnx"),
)
_UNDERSTOOD: Final = frozenset(("Transformer", "Pooling", "Normalize"))
_POOLING_KEYS: Final[Mapping[str, Pooling]] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "last",
}
_POOLING_NAMES: Final[Mapping[str, Pooling]] = {
    "cls": "cls",
    "mean": "mean",
    "max": "max",
    "lasttoken": "last",
}
_QUERY_PROMPTS: Final = ("query", "search_query", "retrieval.query", "web_search_query")
_TEXT_PROMPTS: Final = ("passage", "document", "search_document", "retrieval.passage")
_BGE: Final = "Represent this sentence for searching relevant passages: "
_BGE_CHINESE: Final = "为这个句子生成表示以用于检索相关文章："  # noqa: RUF001 - as it was trained
_E5_INSTRUCT: Final = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)
#: Families whose prefixes stand in their descriptions alone; the first that fits the name counts.
_FAMILIES: Final = (
    (re.compile(r"\be5\b.{0,80}instruct", re.IGNORECASE), (_E5_INSTRUCT, "")),
    (re.compile(r"\be5\b", re.IGNORECASE), ("query: ", "passage: ")),
    (re.compile(r"\bbge-\w+-zh\b", re.IGNORECASE), (_BGE_CHINESE, "")),
    (re.compile(r"\bbge-\w+-en\b|arctic-embed", re.IGNORECASE), (_BGE, "")),
    (re.compile(r"nomic-embed", re.IGNORECASE), ("search_query: ", "search_document: ")),
)
_SAMPLES: Final = 64
_SAMPLE_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model's files, and what they say of how to run it.

    Attributes:
        name: of the model, with a fingerprint of its files.
        pooling: ways to make a vector of the states, joined end to end; empty where the model's
            own output is the vector.
        window_pieces: most word pieces of a sequence, marks and prefix included.
    """

    onnx: Path
    tokenizer: Path
    name: str
    pooling: tuple[Pooling, ...]
    query_prefix: str
    text_prefix: str
    window_pieces: int


def read_model_files(folder: Path, settings: EmbeddingSettings) -> ModelFiles:
    """Read a model's folder; what the settings say counts more than its files.

    Raises:
        EmbeddingFailed: a file is missing, cannot be read, or asks for what is not understood.
    """
    if not folder.is_dir():
        raise EmbeddingFailed("the model folder is not there, or is not a folder")
    config = _read_json(folder, "config.json", is_needed=True)
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        message = (
            "the model folder has no tokenizer.json; a model whose tokenizer is only there as "
            "sentencepiece or vocab.txt must be exported with a fast tokenizer first"
        )
        raise EmbeddingFailed(message)
    onnx = _find_onnx(folder)
    label = _name_model(folder, config)
    query_prefix, text_prefix = _find_prefixes(folder, label)
    return ModelFiles(
        onnx=onnx,
        tokenizer=tokenizer,
        name=f"{label}/{_take_fingerprint(folder, onnx, settings)}",
        pooling=(settings.pooling,) if settings.pooling else _find_pooling(folder),
        query_prefix=query_prefix if settings.query_prefix is None else settings.query_prefix,
        text_prefix=text_prefix if settings.text_prefix is None else settings.text_prefix,
        window_pieces=_find_window(folder, config, settings.window_pieces or LONGEST_WINDOW),
    )


def _find_onnx(folder: Path) -> Path:
    listed = [folder / name for name in _ONNX_FILES]
    others = sorted((folder / "onnx").glob("model*.onnx"))
    for path in (*listed, *others):
        if path.is_file():
            return path
    message = (
        "the model folder has no onnx/model.onnx; export the model to ONNX, for instance with "
        "`optimum-cli export onnx`"
    )
    raise EmbeddingFailed(message)


def _name_model(folder: Path, config: Mapping[str, Any]) -> str:
    """Return the model's own name, or its folder's where that only names another place."""
    name = str(config.get("_name_or_path") or "").strip("/")
    own = name if name and not name.startswith((".", "~")) else folder.resolve().name
    return own.rpartition("/")[2][:100]


def _find_prefixes(folder: Path, label: str) -> tuple[str, str]:
    prompts: Mapping[str, Any] = (
        _read_json(folder, "config_sentence_transformers.json").get("prompts") or {}
    )
    if any(prompts.values()):
        return _choose_prompt(prompts, _QUERY_PROMPTS), _choose_prompt(prompts, _TEXT_PROMPTS)
    for pattern, prefixes in _FAMILIES:
        if pattern.search(label) or pattern.search(folder.resolve().name):
            return prefixes
    return "", ""


def _choose_prompt(prompts: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(prompts[name]) for name in names if prompts.get(name)), "")


def _find_pooling(folder: Path) -> tuple[Pooling, ...]:
    """Return how the files say that states become a vector; nothing where they do not say it."""
    place = "1_Pooling"
    modules = _read_json(folder, "modules.json", list)
    for module in modules:
        kind = str(module.get("type", "")).rpartition(".")[2]
        if kind not in _UNDERSTOOD:
            message = f"the model has a layer of the kind {kind[:40]}, which is not understood"
            raise EmbeddingFailed(message)
        if kind == "Pooling":
            place = str(module.get("path") or place)
    config = _read_json(folder, f"{place}/config.json", is_needed=bool(modules))
    if not config:
        return ()
    if config.get("include_prompt") is False:
        raise EmbeddingFailed("the model leaves its prefix out of its vectors: not understood")
    modes = tuple(_list_modes(config))
    if not modes:
        raise EmbeddingFailed(f"{place}/config.json asks for a pooling that is not understood")
    return modes


def _list_modes(config: Mapping[str, Any]) -> Iterator[Pooling]:
    """Yield the ways of pooling, as files of before and since version 5 name them."""
    for key, mode in _POOLING_KEYS.items():
        if config.get(key):
            yield mode
    named = config.get("pooling_mode")
    for name in [named] if isinstance(named, str) else named or ():
        if name in _POOLING_NAMES:
            yield _POOLING_NAMES[name]


def _find_window(folder: Path, config: Mapping[str, Any], most: int) -> int:
    sentences = _read_json(folder, "sentence_bert_config.json").get("max_seq_length")
    tokenizer = _read_json(folder, "tokenizer_config.json").get("model_max_length")
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and "roberta" in str(config.get("model_type")):
        positions -= 2  # the first two are never used
    limits = [each for each in (sentences, tokenizer, positions) if isinstance(each, int)]
    return max(32, min([*limits, most]))


def _read_json(
    folder: Path,
    name: str,
    kind: type[dict[str, Any]] | type[list[Any]] = dict,
    *,
    is_needed: bool = False,
) -> Any:
    path = folder / name
    if not path.is_file() and not is_needed:
        return kind()
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise EmbeddingFailed(f"the model folder has no {name}") from error
    except (OSError, ValueError) as error:
        raise EmbeddingFailed(f"{name} in the model folder cannot be read") from error
    if not isinstance(content, kind):
        raise EmbeddingFailed(f"{name} in the model folder is not of the usual form")
    return cast("Any", content)


def _take_fingerprint(folder: Path, onnx: Path, settings: EmbeddingSettings) -> str:
    """Identify what the vectors depend on; of large files a sample tells models apart."""
    digest = hashlib.sha256()
    small = ("config.json", "tokenizer.json", "modules.json", "config_sentence_transformers.json")
    for name in (*small, "1_Pooling/config.json", "sentence_bert_config.json"):
        path = folder / name
        digest.update(path.read_bytes() if path.is_file() else b"none")
    for path in (onnx, *sorted(onnx.parent.glob(f"{onnx.name}_data*"))):
        _add_sample(digest, path)
    fields = {"query_prefix", "text_prefix", "pooling", "dimensions", "window_pieces"}
    digest.update(settings.model_dump_json(include=fields).encode())
    return digest.hexdigest()[:12]


def _add_sample(digest: Any, path: Path) -> None:
    size = path.stat().st_size
    digest.update(str(size).encode())
    with path.open("rb") as file:
        for at in range(_SAMPLES):
            file.seek(at * max(0, size - _SAMPLE_BYTES) // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE_BYTES))
