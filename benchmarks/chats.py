"""What is remembered of BEAM's long chats: updates, contradictions, times, preferences, silence.

The messages of a chat's user are told to a memory of their own, an hour apart; then its questions
are asked. Only chats with odd numbers are used. Each kind has two questions a chat.

Source: mohammadtavakoli78/BEAM, in `beam/100K` of the data folder.
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from benchmarks.retrieval.models import Corpus
from benchmarks.retrieval.tasks.beam import beam_100k, message_numbers
from benchmarks.times import LOCAL
from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.memory import Contribute, Prompt, Reply
from wellworn.domain.thoughts.drafts import LONGEST_CONTENT
from wellworn.testing.clock import ManualClock

_HOUR_S: Final = 3600.0
_SHOWN: Final = 10
_FIRST: Final = 5


def measure_chats(data: Path) -> dict[str, float]:
    """Return the figures of the chats in a data folder, each a share of its questions."""
    figures: defaultdict[str, list[float]] = defaultdict(list)
    for chat in beam_100k(data, "dev"):
        probes = data / "beam" / chat.id / "probing_questions" / "probing_questions.json"
        for name, value in _ask(chat, json.loads(probes.read_text("utf-8"))):
            figures[f"chats: {name}"].append(value)
    return {name: fmean(values) for name, values in sorted(figures.items())}


def _ask(chat: Corpus, probes: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Tell a new memory what the user said, and yield the figures of each question."""
    clock = ManualClock()
    with tempfile.TemporaryDirectory() as home, closing(open_app(Path(home), clock=clock)) as app:
        numbers = {
            _say(app, clock, doc.text[:LONGEST_CONTENT], Contribute.ALWAYS).trace.thought_id: int(
                doc.id
            )
            for doc in chat.docs
            if doc.speaker == "user"
        }
        for kind, judge in _JUDGES.items():
            for probe in probes.get(kind, ()):
                reply = _say(app, clock, probe["question"], Contribute.NEVER)
                shown = [numbers[source.thought_id] for source in reply.result.sources]
                for name, value in judge(probe, reply, shown):
                    yield f"{kind}, {name}", value


def _say(app: App, clock: ManualClock, text: str, contribute: Contribute) -> Reply:
    clock.advance(_HOUR_S)
    prompt = Prompt(text[:LONGEST_CONTENT], "user", "user", contribute=contribute)
    return app.memory.converse(LOCAL, prompt)


def _judge_update(
    probe: Mapping[str, Any], _: Reply, shown: list[int]
) -> Iterator[tuple[str, float]]:
    newer = set(message_numbers(probe["source_chat_ids"]["updated_info"]))
    older = set(message_numbers(probe["source_chat_ids"]["original_info"])) - newer
    yield "update first", not newer.isdisjoint(shown[:1])
    yield "update in five", not newer.isdisjoint(shown[:_FIRST])
    if best := next((number for number in shown if number in newer | older), None):
        yield "outdated above", best in older


def _judge_evidence(
    probe: Mapping[str, Any], _: Reply, shown: list[int]
) -> Iterator[tuple[str, float]]:
    if wanted := set(message_numbers(probe["source_chat_ids"])):
        yield "evidence in ten", len(wanted.intersection(shown[:_SHOWN])) / len(wanted)


def _judge_silence(_: object, reply: Reply, shown: list[int]) -> Iterator[tuple[str, float]]:
    yield "results", len(shown)
    yield "nothing close", reply.result.response.startswith("Nothing")


_JUDGES: Final = {
    "knowledge_update": _judge_update,
    "contradiction_resolution": _judge_evidence,
    "temporal_reasoning": _judge_evidence,
    "preference_following": _judge_evidence,
    "abstention": _judge_silence,
}
