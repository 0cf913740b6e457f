"""SciFact as BEIR has it: claims against 5,183 abstracts; BEIR's train claims are dev.

Abstracts come as a printed array: sentences in quotes with line ends between them, no commas.

Source: allenai/scifact; BEIR's judgements (beir_qrels).
"""

from __future__ import annotations

import ast
import csv
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

from benchmarks.retrieval.models import Corpus, Doc, Query
from benchmarks.retrieval.tasks.splits import Split

_PARTS: Final[dict[Split, tuple[str, ...]]] = {
    "dev": ("train",),
    "test": ("test",),
    "all": ("train", "test"),
}
_BETWEEN_SENTENCES: Final = re.compile(r"(['\"])\n (?=['\"])")


def scifact(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield the one corpus with the claims of the split."""
    folder = data / "scifact"
    rows = _rows(folder / "csv" / "corpus_train.csv")
    docs = tuple(
        Doc(
            row["doc_id"], f"{row['title']} {_abstract(row['abstract'])}", row["doc_id"], position=n
        )
        for n, row in enumerate(rows)
    )
    claims = {
        row["id"]: row["claim"]
        for part in ("train", "validation")
        for row in _rows(folder / "csv" / f"claims_{part}.csv")
    }
    judged: defaultdict[str, set[str]] = defaultdict(set)
    for part in _PARTS[split]:
        for row in _rows(folder / "beir_qrels" / f"{part}.tsv", delimiter="\t"):
            if int(row["score"]) > 0:
                judged[row["query-id"]].add(row["corpus-id"])
    queries = tuple(Query(name, claims[name], frozenset(ids)) for name, ids in judged.items())
    yield Corpus("scifact", docs, queries)


def _rows(file: Path, delimiter: str = ",") -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter=delimiter)


def _abstract(printed: str) -> str:
    sentences = ast.literal_eval(_BETWEEN_SENTENCES.sub(r"\1, ", printed))
    return " ".join(cast("list[str]", sentences))
