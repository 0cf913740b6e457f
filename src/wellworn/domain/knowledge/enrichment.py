"""Digests made better by a language model, within a budget, held to what their documents say.

A document goes out section by section, fenced as the data that it is; what comes back is judged
like a stranger's word (`proposals`), and the rules' own facts stay. What is not asked, for want of
budget or of a model that answers, stays as the rules made it, until the next compile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, TypeVar

from wellworn.domain.knowledge.candidates import find_candidates
from wellworn.domain.knowledge.digests import COMPILER_VERSION, DocumentDigest
from wellworn.domain.knowledge.facts import Fact
from wellworn.domain.knowledge.proposals import (
    ProposalChecker,
    ProposedDigest,
    ProposedFacts,
    merge_facts,
)
from wellworn.domain.knowledge.summaries import Summary
from wellworn.domain.knowledge.views import DocumentView, Part, Reading
from wellworn.domain.sources import format_citation
from wellworn.domain.spaces import Access, Mode
from wellworn.engines.llm import (
    ChatModel,
    LlmSettings,
    ModelAnswer,
    ModelRefusal,
    ModelRole,
    RefusalReason,
    Usage,
)
from wellworn.engines.safety import Quote, fence_quotes, new_nonce
from wellworn.kit.text import fingerprint
from wellworn.kit.words import load_table

T = TypeVar("T")

_LONGEST_VERSION: Final = 50
_LONGEST_NAME: Final = 100
_MOST_PIECES: Final = 8
"""Questions about one document; what is beyond them is left to the rules."""
_MOST_UNUSABLE: Final = 3
"""Answers in a row that are none, after which the model is asked no more in this compile."""
_BYTES_A_TOKEN: Final = 3
_PROMPTS: Final = load_table(__package__, "prompts.toml")
_INSTRUCTIONS: Final[str] = _PROMPTS["instructions"]
_SUMMARISE: Final[str] = _PROMPTS["summarise"]


@dataclass(frozen=True, slots=True)
class EnrichedDigest:
    """A digest with what a model added to it; `by_model` are those of its facts it found."""

    digest: DocumentDigest
    by_model: Sequence[Fact] = ()


class Enricher:
    """Asks a model about documents; for one compile, `begin`."""

    def __init__(self, chat_model: ChatModel, settings: LlmSettings) -> None:
        self._chat_model = chat_model
        self._settings = settings

    @property
    def version(self) -> str:
        """Return what marks digests that this model has seen, in at most 50 characters."""
        version = f"{COMPILER_VERSION}+{self._chat_model.name}"
        if len(version) <= _LONGEST_VERSION:
            return version
        return f"{version[: _LONGEST_VERSION - 9]}~{fingerprint(version)[:8]}"

    def may_read(self, access: Access) -> bool:
        """Tell whether the words of a space may go to the model."""
        return access.mode is Mode.OPEN or self._settings.sealed_spaces

    def begin(self) -> EnrichmentRun:
        """Return one compile's asking, with a budget of its own."""
        return EnrichmentRun(self._chat_model, self._settings, self.version)


class EnrichmentRun:
    """One compile's asking: what it spent, what it left to the rules, and why.

    Attributes:
        version: what marks the digests that it made.
        derived_by: who found what the model found.
        usage: tokens of all questions so far.
        asked: documents that the model has seen.
        left: documents that are as the rules made them.
        dropped: what the model said that its document does not.
    """

    def __init__(self, chat_model: ChatModel, settings: LlmSettings, version: str) -> None:
        self._chat_model = chat_model
        self._settings = settings
        self._unusable = 0
        self._stopped = ""
        self.version = version
        self.derived_by = f"model:{chat_model.name}"[:_LONGEST_NAME]
        self.usage = Usage()
        self.asked = 0
        self.left = 0
        self.dropped = 0

    @property
    def note(self) -> str:
        """Say in a sentence what was left to the rules, and why; empty when nothing was."""
        if not self.left:
            return ""
        many = "1 document was" if self.left == 1 else f"{self.left} documents were"
        why = self._stopped or "the budget of this compile is used up"
        return f"{many} compiled by rules alone: {why}"

    def enrich(self, document: DocumentView, by_rules: DocumentDigest) -> EnrichedDigest | None:
        """Return a digest with what the model adds; None leaves it as the rules made it."""
        reading = Reading(document)
        spans = self._spans(reading)
        if self._stopped or not spans:
            return self._leave()
        judge = ProposalChecker(reading)
        summary: Summary | None = None
        accepted: list[Fact] = []
        for span in spans:
            answer = self._ask(document, span, with_summary=span == spans[0])
            if self._stopped:
                return self._leave()
            if isinstance(answer, ModelRefusal):
                continue
            proposed = answer.output
            accepted += self._keep_accepted(
                judge.check_fact(fact, *span) for fact in proposed.facts
            )
            if isinstance(proposed, ProposedDigest):
                summary = next(
                    iter(self._keep_accepted([judge.check_summary(proposed.summary)])), None
                )
        self.asked += 1
        facts, by_model = merge_facts(by_rules.facts, accepted)
        better = replace(
            by_rules,
            summary=summary or by_rules.summary,
            facts=facts,
            candidates=find_candidates(reading, facts, by_rules.words)
            if by_model
            else by_rules.candidates,
        )
        return EnrichedDigest(better, by_model)

    def _leave(self) -> None:
        self.left += 1

    def _keep_accepted(self, judged: Iterable[T | None]) -> list[T]:
        """Return what was not dropped, and count what was."""
        every = list(judged)
        accepted = [item for item in every if item is not None]
        self.dropped += len(every) - len(accepted)
        return accepted

    def _spans(self, reading: Reading) -> list[tuple[int, int]]:
        """Return what is asked about a document, as far as the budget goes; none if it does not.

        What would not fit into a full budget is cut to what does.
        """
        spans = list(islice(_pieces(reading, self._settings.question_characters), _MOST_PIECES))
        costs = [self._cost(reading.text[slice(*span)]) for span in spans]
        while costs and sum(costs) > self._settings.compile_tokens:
            costs.pop()
        is_in_budget = sum(costs) <= self._settings.compile_tokens - self.usage.tokens
        return spans[: len(costs)] if is_in_budget else []

    def _cost(self, text: str) -> int:
        """Return what a question costs at most, or nearly so."""
        size = len(_INSTRUCTIONS) + len(_SUMMARISE) + len(text.encode(errors="replace"))
        return size // _BYTES_A_TOKEN + self._settings.answer_tokens

    def _ask(
        self, document: DocumentView, span: tuple[int, int], *, with_summary: bool
    ) -> ModelAnswer[ProposedFacts] | ModelRefusal:
        place = format_citation(document.source, document.path)
        answer = self._chat_model.ask(
            ModelRole.NERVES,
            ProposedDigest if with_summary else ProposedFacts,
            fence_quotes([Quote(document.text[slice(*span)], place)], new_nonce()),
            instructions=_INSTRUCTIONS + (_SUMMARISE if with_summary else ""),
            budget=self._settings.answer_tokens,
        )
        self.usage += answer.usage
        self._count_answer(answer)
        return answer

    def _count_answer(self, answer: ModelAnswer[ProposedFacts] | ModelRefusal) -> None:
        """Ask no more once the model is not there, or says nothing of use again and again."""
        if isinstance(answer, ModelAnswer):
            self._unusable = 0
            return
        self._unusable += 1
        if answer.reason is RefusalReason.UNAVAILABLE or self._unusable == _MOST_UNUSABLE:
            self._stopped = answer.message


def _pieces(reading: Reading, most: int) -> Iterator[tuple[int, int]]:
    """Yield what is asked about at once: complete sections, as many as one question takes."""
    text = reading.text
    start, end = 0, 0
    for cut in (cut for part in reading.parts for cut in _cuts(text, part, most)):
        if cut - start > most:
            if text[start:end].strip():
                yield start, end
            start = end
        end = cut
    if text[start:end].strip():
        yield start, end


def _cuts(text: str, part: Part, most: int) -> Iterator[int]:
    """Yield where a section ends, and where before that it is cut: after a line if possible."""
    start = part.start
    while part.end - start > most:
        start = text.rfind("\n", start + 1, start + most) + 1 or start + most
        yield start
    yield part.end
