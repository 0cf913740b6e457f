"""The tasks there are: one line each with what is found, how it is judged, what is tuned on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.retrieval.models import Corpus, DataUnusable, Task
from benchmarks.retrieval.tasks import (
    beam,
    cookbook,
    dialogues,
    headings,
    longmemeval,
    passages,
    scifact,
)
from benchmarks.retrieval.tasks.splits import Split

Loader = Callable[[Path, Split], Iterable[Corpus]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A task before it is read.

    Attributes:
        load: reads the corpora of a split from the folder of all data.
        units: what is indexed and found.
        primary: the metric that it is known by.
        dev: which part is for tuning; the rest is held out.
        files: what must be there, as patterns below the folder of all data.
        grouped: whether sessions or files are judged as well.
    """

    load: Loader
    units: str
    primary: str
    dev: str
    files: tuple[str, ...]
    grouped: bool = False

    def missing(self, data: Path) -> str | None:
        """Return the first pattern of which no file is there, or None."""
        return next((file for file in self.files if not any(data.glob(file))), None)


_COIN: Final = "a coin per question"
_ODD: Final = "odd chats"
_FIVE: Final = "chats 26 41 43 47 49"
_LOCOMO: Final = "locomo/locomo10.json"
_LONGMEMEVAL: Final = ("longmemeval/longmemeval_s_cleaned.json",)
_DOCS: Final = ("docs/**/*.md",)

TASKS: Final[dict[str, Entry]] = {
    "locomo": Entry(dialogues.locomo, "turns", "recall@10", _FIVE, (_LOCOMO,), grouped=True),
    "locomo-audited": Entry(
        dialogues.locomo_audited,
        *("turns", "recall@10", _FIVE),
        (_LOCOMO, "locomo-audit/errors.json"),
        grouped=True,
    ),
    "realtalk": Entry(
        dialogues.realtalk, "turns", "recall@10", _ODD, ("realtalk/Chat_*.json",), grouped=True
    ),
    "beam-100k": Entry(beam.beam_100k, "messages", "recall@10", _ODD, ("beam/100K/*/chat.json",)),
    "beam-500k": Entry(beam.beam_500k, "messages", "recall@10", _ODD, ("beam/500K/*/chat.json",)),
    "longmemeval-s": Entry(
        longmemeval.longmemeval, "turns", "group.hit@5", _COIN, _LONGMEMEVAL, grouped=True
    ),
    "longmemeval-s-user": Entry(
        longmemeval.longmemeval_user, "turns", "group.all@5", _COIN, _LONGMEMEVAL, grouped=True
    ),
    "scifact": Entry(
        scifact.scifact,
        *("abstracts", "ndcg@10", "BEIR's train claims"),
        ("scifact/csv/corpus_train.csv", "scifact/csv/claims_*.csv", "scifact/beir_qrels/*.tsv"),
    ),
    "product-docs": Entry(
        cookbook.product_docs,
        *("sections", "recall@5", _COIN),
        ("anthropic-docs/anthropic_docs.json", "anthropic-docs/docs_evaluation_dataset.json"),
    ),
    "code-chunks": Entry(
        cookbook.code_chunks,
        *("chunks", "recall@5", _COIN),
        ("anthropic-codebase/codebase_chunks.json", "anthropic-codebase/evaluation_set.jsonl"),
    ),
    "passages": Entry(
        passages.passages,
        *("passages", "ndcg@10", _COIN),
        ("chunking-eval/questions_df.csv", "chunking-eval/corpora/*.md"),
    ),
    "docs-shown": Entry(
        headings.headings_shown, "sections", "hit@5", "by heading", _DOCS, grouped=True
    ),
    "docs-hidden": Entry(
        headings.headings_hidden, "sections", "hit@5", "by heading", _DOCS, grouped=True
    ),
}

_DAMAGES: Final = (AttributeError, LookupError, OSError, SyntaxError, TypeError, ValueError)
"""What reading a file raises that is not what its publisher made."""


def load(name: str, data: Path, split: Split = "dev") -> Task:
    """Read a task; corpora of which no question is in the split are left out.

    Raises:
        KeyError: there is no task of this name.
        DataUnusable: its files are not as their publisher made them.
    """
    entry = TASKS[name]
    try:
        corpora = tuple(one for one in entry.load(data, split) if one.queries)
    except _DAMAGES as failure:
        reason = f"{type(failure).__name__}: {failure}"
        raise DataUnusable(f"the data of {name} is not as published ({reason})") from failure
    return Task(name, split, corpora, entry.primary, entry.grouped)
