"""What one contributor's ordinary-looking lies do to answers that others gave honestly.

Twenty facts by four members, half of them confirmed by another; ten days later one contributor
contradicts each, in one wording or five, or floods a question with forty near-duplicates. The
lies were written before any rule against them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.memory import Contribute, Prompt, Reply
from wellworn.domain.spaces import Access, Principal, Role, local_access
from wellworn.domain.thoughts import FeedbackSignal
from wellworn.testing.clock import ManualClock

FACTS: Final = Path(__file__).with_name("notes") / "lies.jsonl"
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
        prompt = Prompt(text, name, name, contribute=contribute)
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


def read_facts() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FACTS.read_text("utf-8").splitlines()]


@contextmanager
def open_honest(facts: list[dict[str, Any]]) -> Generator[SharedMemory]:
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
        clock.advance(10 * DAY_S)
        yield memory


def score_lies(wordings: int) -> dict[str, int]:
    """Return for how many of the facts one contributor's lies win, and the truth is in sight."""
    facts = read_facts()
    figures: dict[str, int] = dict.fromkeys(("lie first", "lie spoken alone", "honest in five"), 0)
    with open_honest(facts) as memory:
        for fact in facts:
            for wording in WORDINGS[:wordings]:
                text = wording.format(claim=fact["lie"])
                memory.say("mallory", text[0].upper() + text[1:])
        memory.clock.advance(DAY_S)
        for fact in facts:
            result = memory.ask(fact).result
            shown = [source.content or source.content_preview for source in result.sources]
            figures["lie first"] += bool(shown) and fact["wrong"] in shown[0]
            figures["lie spoken alone"] += (
                fact["wrong"] in result.response and fact["right"] not in result.response
            )
            figures["honest in five"] += any(fact["right"] in text for text in shown[:5])
    return figures


def score_corrections() -> dict[str, int]:
    """Return for how many of the facts the first author's correction stands first."""
    facts = read_facts()
    with open_honest(facts) as memory:
        for fact in facts:
            memory.say(fact["by"], fact["corrected"])
        memory.clock.advance(DAY_S)
        firsts = [(fact, memory.ask(fact).result.sources) for fact in facts]
        return {
            "new answer first": sum(
                bool(sources) and fact["new"] in (sources[0].content or sources[0].content_preview)
                for fact, sources in firsts
            )
        }


def score_floods() -> dict[str, int]:
    """Return the most places that forty near-duplicates take, and where the truth is in sight."""
    facts = read_facts()
    figures = {"most of five": 0, "most of ten": 0, "honest in five": 0}
    for flooded in facts[:: len(facts) // FLOODED]:
        with open_honest(facts) as memory:
            for number in range(FLOOD):
                memory.say("mallory", f"Entry {number + 1}: {flooded['lie']}.")
            sources = memory.ask(flooded).result.sources
            shown = [source.content or source.content_preview for source in sources]
            lies = [flooded["wrong"] in text for text in shown]
            figures["most of five"] = max(figures["most of five"], sum(lies[:5]))
            figures["most of ten"] = max(figures["most of ten"], sum(lies[:10]))
            figures["honest in five"] += any(flooded["right"] in text for text in shown[:5])
    return figures


if __name__ == "__main__":
    for title, scores in (
        ("one lie each", score_lies(1)),
        ("five lies each", score_lies(len(WORDINGS))),
        ("corrections", score_corrections()),
        (f"floods of {FLOOD}, {FLOODED} questions", score_floods()),
    ):
        print(title, scores, flush=True)
