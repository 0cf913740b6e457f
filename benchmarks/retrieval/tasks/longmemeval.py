"""LongMemEval: one haystack of about 48 sessions a question; evidence is whole sessions.

Every turn of a session with evidence counts as relevant, so only the figures by session say
something. Questions to abstain from are left out, as its paper does.

Source: xiaowu0162/LongMemEval, longmemeval_s_cleaned.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.retrieval.models import Corpus, Doc, Query
from benchmarks.retrieval.tasks.splits import Split, coin, is_kept


def longmemeval(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield a corpus for each question, with the turns of both sides."""
    return _corpora(data, split, user_only=False)


def longmemeval_user(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield a corpus for each question, with what the user said alone, as the paper does."""
    return _corpora(data, split, user_only=True)


def _corpora(data: Path, split: Split, *, user_only: bool) -> Iterator[Corpus]:
    file = data / "longmemeval" / "longmemeval_s_cleaned.json"
    for entry in json.loads(file.read_text("utf-8")):
        name = entry["question_id"]
        if name.endswith("_abs") or not is_kept(split, is_dev=coin(name)):
            continue
        docs = tuple(_turns(entry, user_only=user_only))
        gold = frozenset(entry["answer_session_ids"])
        relevant = frozenset(doc.id for doc in docs if doc.group in gold)
        kind, asked_at = entry["question_type"], entry["question_date"]
        yield Corpus(name, docs, (Query(name, entry["question"], relevant, kind, asked_at),))


def _turns(entry: Mapping[str, Any], *, user_only: bool) -> Iterator[Doc]:
    sessions = zip(
        entry["haystack_session_ids"],
        entry["haystack_dates"],
        entry["haystack_sessions"],
        strict=True,
    )
    said = [
        (f"{session}#{number}", session, date, turn)
        for session, date, turns in sessions
        for number, turn in enumerate(turns)
        if turn["role"] == "user" or not user_only
    ]
    for position, (name, session, date, turn) in enumerate(said):
        yield Doc(name, turn["content"], session, turn["role"], date, position)
