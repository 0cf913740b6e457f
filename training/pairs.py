"""A question and a text, and where in the text its answer is; what training and judging pass on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and a text that answers it in `text[start:end]`, or does not: then both are -1.

    Attributes:
        kind: what the pair teaches, such as `exchanged`; figures are told by kind.
        source: where the text is from. All texts of one source are either learned from or judged.
    """

    kind: str
    question: str
    text: str
    start: int
    end: int
    source: str

    @property
    def answers(self) -> bool:
        """Whether the text answers the question."""
        return self.start >= 0

    @property
    def answer(self) -> str:
        """The words that answer, if any do."""
        return self.text[self.start : self.end] if self.answers else ""


def answered(kind: str, question: str, text: str, answer: str, source: str) -> Pair:
    """Make a pair whose answer stands in the text exactly once.

    Raises:
        ValueError: it does not, or more than once.
    """
    if not answer or text.count(answer) != 1:
        raise ValueError(f"{answer!r} does not stand once in {text!r}")
    start = text.index(answer)
    return Pair(kind, question, text, start, start + len(answer), source)


def unanswered(kind: str, question: str, text: str, source: str) -> Pair:
    """Make a pair whose text does not answer."""
    return Pair(kind, question, text, -1, -1, source)
