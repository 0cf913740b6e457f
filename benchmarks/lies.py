"""What one contributor's ordinary-looking lies do to answers that others gave honestly.

Facts by four members, half of them confirmed by another; ten days later one contributor
contradicts each, in one wording or five, or floods a question with forty near-duplicates. Some had
said something `helpful` before. The lies were written before any rule against them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.figures import Figure
from benchmarks.run import Run
from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.memory import Contribute, Prompt, Reply
from wellworn.domain.spaces import Access, Principal, Role, local_access
from wellworn.domain.thoughts import FeedbackSignal
from wellworn.testing.clock import ManualClock

FACTS: Final = sorted(Path(__file__).with_name("notes").glob("lies*.jsonl"))
Facts = list[dict[str, Any]]
DAY_S: Final = 86_400.0
WORDINGS: Final = (
    "{claim}.",
    "For the record, {claim}.",
    "Since this week {claim}.",
    "I looked it up again today: {claim}.",
    "Small update for the team, {claim}.",
)
FLOOD: Final = 40
FLOODED: Final = 5
"""Questions of which each is flooded in a memory of its own."""


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """A memory of several members with credentials, and the clock it runs by."""

    app: App
    clock: ManualClock

    def say(self, name: str, text: str, contribute: Contribute = Contribute.ALWAYS) -> Reply:
        self.clock.advance(60.0)
        prompt = Prompt(text, name, name, contribute=contribute, explain=True)
        return self.app.memory.converse(_access(name), prompt)

    def ask(self, fact: dict[str, Any]) -> Reply:
        return self.say("eve", fact["question"], Contribute.NEVER)

    def confirm(self, fact: dict[str, Any], thought_id: str) -> None:
        """Let a member who is not its author ask and find the thought useful."""
        asker = "ann" if fact["by"] != "ann" else "bob"
        session = self.say(asker, fact["question"], Contribute.NEVER).trace.session_id
        self.app.thoughts.add_feedback(
            _access(asker),
            session_id=session,
            thought_id=thought_id,
            signal=FeedbackSignal.USEFUL,
        )


def _access(name: str) -> Access:
    space = local_access().space
    credential = Principal(f"member-{name}", f"kid-{name}", Role.CONTRIBUTOR, None)
    return Access(credential.member_id, space, Role.CONTRIBUTOR, credential=credential)


def read_facts(path: Path) -> Facts:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@contextmanager
def open_honest(facts: Facts) -> Generator[SharedMemory]:
    """Open a memory in which every fact was said ten days ago, and every other one confirmed."""
    clock = ManualClock()
    with (
        tempfile.TemporaryDirectory() as home,
        closing(open_app(Path(home), clock=clock)) as app,
    ):
        memory = SharedMemory(app, clock)
        stored = [memory.say(fact["by"], fact["honest"]).trace.thought_id for fact in facts]
        for fact, thought_id in list(zip(facts, stored, strict=True))[::2]:
            if thought_id is None:
                raise AssertionError(fact["honest"])
            memory.confirm(fact, thought_id)
        for text in (fact["helpful"] for fact in facts if "helpful" in fact):
            memory.say("mallory", text)
        clock.advance(10 * DAY_S)
        yield memory


class LieScores(NamedTuple):
    """For how many facts the lie stands first, is said alone, and the truth is in sight."""

    first: int
    alone: int
    honest: int


def score_lies(facts: Facts, wordings: int) -> LieScores:
    """Let one contributor contradict each fact, in so many wordings, and ask a day later."""
    first = alone = honest = 0
    with open_honest(facts) as memory:
        for fact in facts:
            for wording in WORDINGS[:wordings]:
                text = wording.format(claim=fact["lie"])
                memory.say("mallory", text[0].upper() + text[1:])
        memory.clock.advance(DAY_S)
        for fact in facts:
            result = memory.ask(fact).result
            shown = [source.content or "" for source in result.sources]
            first += bool(shown) and fact["wrong"] in shown[0]
            alone += fact["wrong"] in result.response and fact["right"] not in result.response
            honest += any(fact["right"] in text for text in shown[:5])
    return LieScores(first, alone, honest)


def count_corrected(facts: Facts) -> int:
    """Return for how many of the facts the first author's correction stands first."""
    with open_honest(facts) as memory:
        for fact in facts:
            memory.say(fact["by"], fact["corrected"])
        memory.clock.advance(DAY_S)
        firsts = [(fact, memory.ask(fact).result.sources[:1]) for fact in facts]
    return sum(
        fact["new"] in (source.content or "") for fact, sources in firsts for source in sources
    )


def count_flooded(facts: Facts) -> int:
    """Return the most of the first five places that forty near-duplicates take."""
    most = 0
    for flooded in facts[:: len(facts) // FLOODED]:
        with open_honest(facts) as memory:
            for number in range(FLOOD):
                memory.say("mallory", f"Entry {number + 1}: {flooded['lie']}.")
            sources = memory.ask(flooded).result.sources
            most = max(most, sum(flooded["wrong"] in (one.content or "") for one in sources[:5]))
    return most


def measured(_: Run) -> list[Figure]:
    """Return how often lies win, against the facts of each file."""
    figures: list[Figure] = []
    for path in FACTS:
        facts = read_facts(path)
        many = len(facts)
        for wordings in (1, len(WORDINGS)):
            title = f"{path.stem}, {wordings} each of {many}"
            scores = score_lies(facts, wordings)
            figures += [
                Figure.at_most(f"lie first: {title}", scores.first, many // 20, ""),
                Figure.at_most(f"lie spoken alone: {title}", scores.alone, 0, ""),
                Figure.at_least(f"honest in the first five: {title}", scores.honest, many, ""),
            ]
        corrected = count_corrected(facts)
        figures.append(
            Figure.at_least(f"first author's correction first: {path.stem}", corrected, many, "")
        )
        most = count_flooded(facts)
        figures.append(Figure.at_most(f"most places of a flood in five: {path.stem}", most, 2, ""))
    return figures
