"""Chats between two people, LoCoMo and REALTALK: turns, with questions labelled turn by turn.

Evidence was written by hand. Several ids in one string, ranges (`D1:3-D1:5`), a colon too many
(`D:11:26`) and padded numbers (`D30:05`) are read as they were meant; ids of turns that are not
there are left out, and so are questions that have no evidence then.

Source: snap-research/locomo (data/locomo10.json); danny911kr/REALTALK; dial481/locomo-audit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks.retrieval.models import Corpus, Doc, Query
from benchmarks.retrieval.tasks.splits import Split, is_kept

LOCOMO_DEV: Final = frozenset({"conv-26", "conv-41", "conv-43", "conv-47", "conv-49"})
_LOCOMO_KINDS: Final = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
_REALTALK_KINDS: Final = {1: "multi-hop", 2: "temporal", 3: "commonsense"}
_SESSION: Final = re.compile(r"session_(\d+)")
_NAMED: Final = re.compile(r"D:?(\d+):0*(\d+)(?:\s*-\s*(?:D:?(\d+):)?0*(\d+))?")


def locomo(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield LoCoMo's conversations with the evidence that was published."""
    return _locomo(data, split, {})


def locomo_audited(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield LoCoMo's conversations with the evidence that a public audit corrected."""
    errors = json.loads((data / "locomo-audit" / "errors.json").read_text("utf-8"))
    corrected = {
        error["question_id"]: error["correct_evidence"]
        for error in errors
        if error.get("correct_evidence")
    }
    return _locomo(data, split, corrected)


def realtalk(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield REALTALK's chats; those with odd numbers are dev."""
    for file in sorted((data / "realtalk").glob("Chat_*.json")):
        if not is_kept(split, is_dev=int(file.stem.split("_")[1]) % 2 == 1):
            continue
        chat = json.loads(file.read_text("utf-8"))
        docs = tuple(_turns(chat, file.stem, "clean_text"))
        asked = [(item, item["evidence"]) for item in chat["qa"]]
        yield Corpus(file.stem, docs, _queries(file.stem, docs, asked, _REALTALK_KINDS))


def _locomo(data: Path, split: Split, corrected: Mapping[str, Any]) -> Iterator[Corpus]:
    samples = json.loads((data / "locomo" / "locomo10.json").read_text("utf-8"))
    for number, sample in enumerate(samples):
        name = sample["sample_id"]
        if not is_kept(split, is_dev=name in LOCOMO_DEV):
            continue
        docs = tuple(_turns(sample["conversation"], name, "text"))
        asked = [
            (item, corrected.get(f"locomo_{number}_qa{index}", item["evidence"]))
            for index, item in enumerate(sample["qa"])
        ]
        yield Corpus(name, docs, _queries(name, docs, asked, _LOCOMO_KINDS))


def _turns(chat: Mapping[str, Any], name: str, text: str) -> Iterator[Doc]:
    numbers = sorted(int(match[1]) for key in chat if (match := _SESSION.fullmatch(key)))
    said = [(number, turn) for number in numbers for turn in chat[f"session_{number}"]]
    for position, (number, turn) in enumerate(said):
        yield Doc(
            id=turn["dia_id"],
            text=turn[text] or "",
            group=f"{name}/session_{number}",
            speaker=turn["speaker"],
            time=turn.get("date_time") or chat.get(f"session_{number}_date_time", ""),
            position=position,
            extra=turn.get("blip_caption") or "",
        )


def _queries(
    name: str,
    docs: Iterable[Doc],
    asked: Iterable[tuple[Mapping[str, Any], Iterable[object]]],
    kinds: Mapping[int, str],
) -> tuple[Query, ...]:
    known = frozenset(doc.id for doc in docs)
    return tuple(
        Query(f"{name}/{index}", item["question"], relevant, kinds[item["category"]])
        for index, (item, evidence) in enumerate(asked)
        if (relevant := _evidence(evidence) & known)
    )


def _evidence(written: Iterable[object]) -> frozenset[str]:
    named = [found for part in written for found in _NAMED.findall(str(part))]
    return frozenset(turn for found in named for turn in _spanned(*found))


def _spanned(session: str, first: str, last_session: str, last: str) -> Iterator[str]:
    if last and last_session in {"", session}:
        yield from (f"D{session}:{turn}" for turn in range(int(first), int(last) + 1))
        return
    yield f"D{session}:{first}"
    if last:
        yield f"D{last_session}:{last}"
