"""Two sets of Anthropic's cookbook: sections of product documentation, and chunks of code.

Both have one shared corpus; a coin tossed for each question splits them.

Source: anthropics/anthropic-cookbook, skills/retrieval_augmented_generation and
skills/contextual-embeddings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.retrieval.models import Corpus, Doc, Query
from benchmarks.retrieval.tasks.splits import Split, coin, is_kept


def product_docs(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield 232 sections of product documentation, which begin with their heading."""
    folder = data / "anthropic-docs"
    sections = json.loads((folder / "anthropic_docs.json").read_text("utf-8"))
    docs = tuple(
        Doc(
            id=section["chunk_link"],
            text=section["text"],
            group=section["chunk_link"].partition("#")[0],
            position=position,
            extra=section["chunk_heading"],
        )
        for position, section in enumerate(sections)
    )
    asked = json.loads((folder / "docs_evaluation_dataset.json").read_text("utf-8"))
    queries = tuple(
        Query(item["id"], item["question"], frozenset(item["correct_chunks"]))
        for item in asked
        if is_kept(split, is_dev=coin(item["id"]))
    )
    yield Corpus("product-docs", docs, queries)


def code_chunks(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield 737 chunks of nine code bases; evidence names them by file and number."""
    folder = data / "anthropic-codebase"
    files = json.loads((folder / "codebase_chunks.json").read_text("utf-8"))
    chunks = [(file, chunk) for file in files for chunk in file["chunks"]]
    docs = tuple(
        Doc(chunk["chunk_id"], chunk["content"], file["doc_id"], position=position)
        for position, (file, chunk) in enumerate(chunks)
    )
    named = {
        (file["original_uuid"], chunk["original_index"]): chunk["chunk_id"]
        for file, chunk in chunks
    }
    lines = (folder / "evaluation_set.jsonl").read_text("utf-8").split("\n")
    asked = [json.loads(line) for line in lines if line.strip()]
    queries = tuple(
        Query(
            id=str(number),
            text=item["query"],
            relevant=frozenset(named[file, index] for file, index in item["golden_chunk_uuids"]),
        )
        for number, item in enumerate(asked)
        if is_kept(split, is_dev=coin(f"{number}:{item['query']}"))
    )
    yield Corpus("code-chunks", docs, queries)
