"""What one contributor's ordinary-looking lies do to answers that others gave honestly.

Facts by four members, half of them confirmed by another; ten days later one contributor
contradicts each, in one wording or five, or floods a question with forty near-duplicates. Some had
said something `helpful` before. The lies were written before any rule against them. In the other
order the lie is said first, and nobody confirms either; or two who confirm each other's notes, and
nobody else's, call each fact wrong.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.figures import Figure
from benchmarks.run import Run
from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.memory import Contribute, Prompt, Reply
from wellworn.domain.spaces import Access, Principal, Role, local_access
from wellworn.domain.thoughts import FeedbackSignal
from wellworn.errors import ThoughtNotFound
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
_OBJECTIONS_A_DAY: Final = 20
FLOOD: Final = 40
FLOODED: Final = 5
"""Questions of which each is flooded in a memory of its own."""


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """A memory of several members with credentials, and the clock it runs by."""

    app: App
    clock: ManualClock
    known: Mapping[str, str] = field(default_factory=dict[str, str])
    """The ids of the honest thoughts, by their words."""

    def say(self, name: str, text: str, contribute: Contribute = Contribute.ALWAYS) -> Reply:
        self.clock.advance(60.0)
        prompt = Prompt(text, name, name, contribute=contribute, explain=True)
        return self.app.memory.converse(_access(name), prompt)

    def correct(self, fact: dict[str, Any]) -> Reply:
        """Let the author of a fact say that it is replaced, and by what."""
        self.clock.advance(60.0)
        replaced = (self.known[fact["honest"]],)
        prompt = Prompt(fact["corrected"], fact["by"], fact["by"], replaces=replaced)
        return self.app.memory.converse(_access(fact["by"]), prompt)

    def judge(self, name: str, question: str, thought_id: str, signal: FeedbackSignal) -> None:
        """Let a member ask and judge a thought."""
        session = self.say(name, question, Contribute.NEVER).trace.session_id
        self.app.thoughts.add_feedback(
            _access(name), session_id=session, thought_id=thought_id, signal=signal
        )

    def ask(self, fact: dict[str, Any]) -> Reply:
        return self.say("eve", fact["question"], Contribute.NEVER)

    def confirm(self, fact: dict[str, Any], thought_id: str) -> None:
        """Let a member who is not its author ask and find the thought useful."""
        asker = "ann" if fact["by"] != "ann" else "bob"
        self.judge(asker, fact["question"], thought_id, FeedbackSignal.USEFUL)


def _access(name: str) -> Access:
    space = local_access().space
    credential = Principal(f"member-{name}", f"kid-{name}", Role.CONTRIBUTOR, None)
    return Access(credential.member_id, space, Role.CONTRIBUTOR, credential=credential)


def read_facts(path: Path) -> Facts:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@contextmanager
def open_empty() -> Generator[SharedMemory]:
    clock = ManualClock()
    with (
        tempfile.TemporaryDirectory() as home,
        closing(open_app(Path(home), clock=clock)) as app,
    ):
        yield SharedMemory(app, clock)


@contextmanager
def open_honest(facts: Facts, *, is_confirmed: bool = True) -> Generator[SharedMemory]:
    """Open a memory in which every fact was said ten days ago, and every other one confirmed."""
    with open_empty() as empty:
        known = {fact["honest"]: _tell(empty, fact["by"], fact["honest"]) for fact in facts}
        memory = replace(empty, known=known)
        for fact in facts[::2] if is_confirmed else ():
            memory.confirm(fact, known[fact["honest"]])
        for text in (fact["helpful"] for fact in facts if "helpful" in fact):
            memory.say("mallory", text)
        memory.clock.advance(10 * DAY_S)
        yield memory


def _tell(memory: SharedMemory, name: str, text: str) -> str:
    thought_id = memory.say(name, text).trace.thought_id
    if thought_id is None:
        raise AssertionError(text)
    return thought_id


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
    """Return for how many of the facts the first author's stated correction stands first."""
    with open_honest(facts) as memory:
        for fact in facts:
            memory.correct(fact)
        memory.clock.advance(DAY_S)
        firsts = [(fact, memory.ask(fact).result.sources[:1]) for fact in facts]
    return sum(
        fact["new"] in (source.content or "") for fact, sources in firsts for source in sources
    )


class FirstLiarScores(NamedTuple):
    """For how many facts both claims are shown, each marked as contested, and the answer says so.

    `silent` are the answers that say the lie first without a mark.
    """

    marked: int
    silent: int


def score_first_liar(facts: Facts) -> FirstLiarScores:
    """Let one contributor say each lie before the truth is told, and ask a day later."""
    marked = silent = 0
    with open_empty() as memory:
        for fact in facts:
            memory.say("mallory", f"{fact['lie'][0].upper()}{fact['lie'][1:]}.")
        memory.clock.advance(DAY_S)
        for fact in facts:
            memory.say(fact["by"], fact["honest"])
        memory.clock.advance(DAY_S)
        for fact in facts:
            result = memory.ask(fact).result
            shown = {
                claim: bool(source.contested)
                for source in reversed(result.sources)
                for claim in ("right", "wrong")
                if fact[claim] in (source.content or "")
            }
            is_said = "contested" in result.response
            marked += shown == {"right": True, "wrong": True} and is_said
            is_first = fact["wrong"] in (result.sources[0].content or "")
            silent += is_first and not shown["wrong"]
    return FirstLiarScores(marked, silent)


def count_removed(facts: Facts) -> int:
    """Let two who confirm each other alone call facts wrong; return how many are gone.

    As many as a member may object to in a day.
    """
    facts = facts[:_OBJECTIONS_A_DAY]
    gone = 0
    with open_honest(facts, is_confirmed=False) as memory:
        for name, other in (("mallory", "trudy"), ("trudy", "mallory")):
            text = f"The garden of {name} has a hedge of beech."
            memory.judge(other, text, _tell(memory, name, text), FeedbackSignal.USEFUL)
        for fact in facts:
            for name in ("mallory", "trudy"):
                # What is gone already is not shown to be judged.
                with suppress(ThoughtNotFound):
                    known = memory.known[fact["honest"]]
                    memory.judge(name, fact["honest"], known, FeedbackSignal.WRONG)
        memory.clock.advance(DAY_S)
        for fact in facts:
            sources = memory.ask(fact).result.sources
            marks = [hit.contested for hit in sources if fact["right"] in (hit.content or "")]
            gone += not any(marks)
    return gone


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
        first_liar = score_first_liar(facts)
        figures += [
            Figure.at_least(
                f"lie said first, both marked: {path.stem}", first_liar.marked, many, ""
            ),
            Figure.at_most(f"lie said first, unmarked: {path.stem}", first_liar.silent, 0, ""),
            Figure.at_most(f"removed by two unmarked: {path.stem}", count_removed(facts), 0, ""),
        ]
        most = count_flooded(facts)
        figures.append(Figure.at_most(f"most places of a flood in five: {path.stem}", most, 2, ""))
    return figures
